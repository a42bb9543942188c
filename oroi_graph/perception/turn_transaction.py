"""The write transaction of a turn, step by step.

Number, resolution, surprise (before any pulse), concepts and pulse, associations, spread and settle: all computed
beside the working set, which is fresh from the statement that opens the turn. One statement writes what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oroi_graph.activation import kernel
from oroi_graph.activation.turn_end import Change, close_open_turn, cut_short, least_lasting
from oroi_graph.errors import InputError
from oroi_graph.forgetting.delete import NOTE, DeletionResult, obey
from oroi_graph.forgetting.plan import DeletionPlan
from oroi_graph.model import Extraction
from oroi_graph.options import Options
from oroi_graph.perception.decide_facts import DecidedFact, decide_facts
from oroi_graph.perception.resolve_mentions import Resolved, resolve
from oroi_graph.perception.turn import Opened, Prepared, TurnContext, Vectors
from oroi_graph.perception.turn_associations import Statements, coincidences
from oroi_graph.perception.turn_rows import concept_rows, episode_row, fixed_strength
from oroi_graph.storage.catalog import refusal
from oroi_graph.storage.changes import Touched
from oroi_graph.storage.rows import record_id, tombstone
from oroi_graph.storage.store import Row, written_vector
from oroi_graph.working_set.lit import around_lit, relight
from oroi_graph.working_set.rows import concept_columns, record_columns, stating_more
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.transactions import Writing

NOTHING = 1e-12  # a change of activation that is rounding


class TurnTransaction:
    """One run of the transaction, for a new turn (`run`) or for one whose extraction had failed (`amend`)."""

    def __init__(self, tx: Writing, memory: str, prepared: Prepared, known: Vectors, options: Options) -> None:
        self.tx, self.memory, self.prepared, self.known, self.options = tx, memory, prepared, known, options
        self.turn = prepared.turn
        self.record = record_id(memory, self.turn.id, self.turn.role)
        self.forgotten: DeletionResult | None = None
        self.refused: DeletionPlan | None = None
        self.forgettings = 0

    def run(self) -> Opened:
        """Perceive the turn; a turn that was perceived before is reported as it is. Raises MemoryNotFoundError."""
        if self._presumes():
            return self._presumed()
        found = self._open()
        if not found:
            raise refusal(self.tx, self.memory)
        state = found[0]
        self.forgettings = state["forgettings"]
        if state["gone"]:
            return Opened(None, repeated=True, gone=True, forgettings=self.forgettings)
        if state["seen"] is not None:
            self._require_same_words(state["words"])
            failure = self.prepared.failure if state["extraction"] == "failed" else None
            return Opened(
                state["seen"], state["surprise"] or 0.0, repeated=True, failure=failure, forgettings=self.forgettings
            )
        clock, last_reply = state["clock"], state["last_reply"]
        if state["open_turn"] is not None:
            close_open_turn(self.tx, clock, self.options.dynamics)
            clock, last_reply = clock + 1, None
        if self._obey():
            clock, last_reply = self._open()[0]["clock"], None
        return self._state(clock + 1, last_reply, opens=True)

    def amend(self) -> bool:
        """Give a kept turn the concepts and facts it was kept without; whether there was anything to amend.

        It keeps its number, pulses nothing, and replaces nothing that was said after it.
        """
        found = self._open()
        if not found or found[0]["seen"] is None or found[0]["extraction"] != "failed":
            return False
        self._obey(late=True)
        self._state(found[0]["seen"], None, opens=False)
        return True

    def _presumes(self) -> bool:
        """Whether this is a turn like most, as far as the working set tells: new, and it asks to forget nothing."""
        held = self.tx.held
        new = held.clock is not None and held.records.place(self.record) is None
        return self.tx.presumes and new and self.prepared.extraction.forget is None

    def _presumed(self) -> Opened:
        """Perceive such a turn without asking the database: the statement that writes makes sure.

        It also writes the end of the turn that is still open, if one is.
        """
        ended = None
        if self.tx.held.open_turn is not None:
            ended = cut_short(self.tx.held, self.options.dynamics)
            self.tx.go_on(ended.after)
        held = self.tx.held
        return self._state((held.clock or 0) + 1, held.last_reply, opens=True, presumed=True, ended=ended)

    def _open(self) -> list[Row]:
        gone = tombstone(self.turn.id, self.turn.role)
        return self.tx.open("perception/open_turn", turn_id=self.turn.id, record_id=self.record, tombstone=gone)

    def _require_same_words(self, words: str | None) -> None:
        """The words of a turn that was perceived before; None where they are gone. Raises InputError for others."""
        if words is not None and words != self.turn.text:
            raise InputError(f"turn {self.turn.id[:60]!r} holds other words already: give what is new an id of its own")

    def _obey(self, *, late: bool = False) -> bool:
        """Forget what the speaker asks for; a turn that was obeyed is kept as a note without its words."""
        asked, turn = self.prepared.extraction.forget, self.turn
        if asked is None:
            return False
        result = obey(self.tx, self.memory, asked, turn, self.options.dynamics, late=late)
        if not result:
            self.refused = result.what
            return False
        self.tx.reload()
        self.forgotten = result
        self.turn = replace(turn, text=NOTE)
        self.prepared = replace(
            self.prepared,
            turn=self.turn,
            extraction=Extraction(),
            mentions=(),
            lookups=(),
            relations=(),
            embedding=None,
        )
        return True

    def _state(
        self, number: int, last_reply: str | None, *, opens: bool, presumed: bool = False, ended: Change | None = None
    ) -> Opened:
        """What the turn states, resolved, decided and written.

        presumed: beside a working set taken for fresh. ended: the end of the turn before, if it is still to be written.
        """
        context = TurnContext(self.tx, self.memory, number, self.turn, self.record, self.known, self.options)
        resolved = resolve(context, self.prepared)
        known = [one for one in self.prepared.relations if resolved.knows(one.source) and resolved.knows(one.target)]
        self.prepared = replace(self.prepared, relations=tuple(known))
        facts, signal = decide_facts(context, self.prepared, resolved)
        self._write(context, resolved, facts, _Told(signal, last_reply, opens, presumed, ended))
        return Opened(
            number,
            signal,
            tuple(resolved.matches),
            tuple(resolved.created),
            tuple(dict.fromkeys(id for fact in facts for id in fact.outcome.supersedes)),
            failure=self.prepared.failure,
            forgotten=self.forgotten,
            refused=self.refused,
            forgettings=self.forgettings + (self.forgotten is not None),
        )

    def _write(self, context: TurnContext, resolved: Resolved, facts: Sequence[DecidedFact], told: _Told) -> None:
        """The episode, its concepts and their pulse (more where the relation was known too), what it states."""
        known = {
            end
            for fact in facts
            if fact.outcome.repeats and not fact.relation.implied
            for end in (fact.stated.source, fact.stated.target)
        }
        fixed = fixed_strength(self.prepared.extraction, self.options.dynamics)
        concepts = concept_rows(context, resolved, known, fixed)
        forgot = {"forgot": True, "resting": True} if self.forgotten else {}
        record = episode_row(context, self.prepared, facts, told.surprise) | forgot
        amended = {key: record[key] for key in ("extractor", "extraction", "failure", "associations", "fixed")}
        if self.forgotten:
            amended |= {"text": record["text"]} | forgot
        embedding = self.prepared.embedding
        stated = Statements.of(context, resolved, facts, told.last_reply)
        parameters = {
            "opens": told.opens,
            "tombstone": tombstone(self.turn.id, self.turn.role),
            "ended": told.ended.to_write() if told.ended else None,
            "record": record,
            "amended": amended,
            "vector": written_vector(embedding) if embedding is not None else None,
            "concepts": concepts,
            "turn": context.number,
            "pairs": coincidences(context, resolved, facts),
            **stated.parameters,
        }
        if not told.opens:
            # A turn that is extracted late gets another vector: copies of its record must be made again.
            nothing = {"activation": [], "dim": [], "presumed": False, "stamp": None}
            self.tx.run("perception/write_turn", memory=self.memory, **nothing, **parameters)
            return
        after = self._after(record, parameters["vector"], concepts, stated)
        lit = relight(self.tx.held, after, self._spread(after, concepts), least_lasting(self.options.dynamics))
        lit.state.words.add(record["id"], record["words"])
        records = [record["id"], *([stated.reply] if stated.reply else [])]
        learned = told.ended.learned if told.ended else []
        touched = Touched([row["id"] for row in concepts], [*learned, *stated.associations.ids], records)
        state = replace(lit.state, open_turn=self.turn.id)
        written = self.tx.apply(
            "perception/write_turn", touched, state, presumed=told.presumed, activation=lit.rows, dim=lit.dim,
            **parameters,
        )  # fmt: skip
        if told.presumed:
            self.forgettings = written["forgettings"]

    def _after(self, record: Row, embedding: Row | None, concepts: Sequence[Row], stated: Statements) -> Snapshot:
        """The working set with what the turn adds, before its pulse."""
        held = self.tx.held
        records = record_columns(record, embedding, [row["id"] for row in concepts])
        if stated.reply is not None:
            more = stating_more(held, stated.reply, stated.taken_up)
            records = records if more is None else {name: [*records[name], *more[name]] for name in records}
        return self.tx.changed(
            {
                "concepts": concept_columns(held, concepts),
                "associations": stated.associations.columns(),
                "records": records,
            }
        )

    def _spread(self, after: Snapshot, concepts: Sequence[Row]) -> NDArray[np.float64]:
        """The pulse, the spread from all that is lit, and what settles: (n,) activation of all concepts."""
        dynamics, table = self.options.dynamics, after.concepts
        activation = table.activation.copy()
        perceived = np.zeros(len(activation), dtype=bool)
        for row in concepts:
            place = table.at[row["id"]]
            activation[place] += row["pulse"]
            perceived[place] = True
        around = around_lit(after, activation, *dynamics.fan_out)
        if not len(around.edges):
            return activation
        weights = after.associations.weight[around.edges]
        network = kernel.Network.of(
            len(around.concepts), around.source, around.target, weights, reverse=dynamics.reverse
        )
        relays = np.array([table.kinds[place] != "self" for place in around.concepts.tolist()])
        start = activation[around.concepts]
        spread = kernel.spread(network, start, transfer=dynamics.transfer, rounds=dynamics.rounds, relays=relays)
        settled = kernel.settle(start, spread, perceived[around.concepts])
        activation[around.concepts] = np.where(np.abs(settled - start) > NOTHING, settled, start)
        return activation


@dataclass(frozen=True, slots=True)
class _Told:
    """What is written of a turn besides what it states. last_reply: the reply that it may take up; opens: whether it
    becomes the open turn (else it was kept without concepts, and is extracted late).

    presumed: as in `Writing.apply`. ended: the end of the turn before, to be written along with this one.
    """

    surprise: float
    last_reply: str | None
    opens: bool
    presumed: bool
    ended: Change | None
