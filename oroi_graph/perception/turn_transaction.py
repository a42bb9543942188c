"""The write transaction of a turn, step by step.

Number, resolution (before any write), surprise (before any pulse), episode with concepts and pulse, associations,
coincidences, spread and settle, activation. Each step is one statement; the decisions between them are Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from oroi_graph.activation import kernel
from oroi_graph.activation.turn_end import close_open_turn
from oroi_graph.errors import InputError
from oroi_graph.forgetting.delete import NOTE, DeletionResult, obey
from oroi_graph.forgetting.plan import DeletionPlan
from oroi_graph.model import Extraction, Match
from oroi_graph.options import PROVENANCE, Options
from oroi_graph.perception.decide_facts import DecidedFact, decide_facts
from oroi_graph.perception.resolve_mentions import Resolved, resolve
from oroi_graph.perception.turn import Opened, Prepared, TurnContext, Vectors
from oroi_graph.perception.turn_rows import (
    association_row,
    concept_rows,
    episode_row,
    fixed_strength,
    kept_confidence,
    link_rows,
)
from oroi_graph.storage.catalog import refusal
from oroi_graph.storage.changes import Touched
from oroi_graph.storage.rows import record_id, tombstone
from oroi_graph.storage.store import Row, Transaction, vector


class TurnTransaction:
    """One run of the transaction, for a new turn (`run`) or for one whose extraction had failed (`amend`)."""

    def __init__(self, tx: Transaction, memory: str, prepared: Prepared, known: Vectors, options: Options) -> None:
        self.tx, self.memory, self.prepared, self.known, self.options = tx, memory, prepared, known, options
        self.turn = prepared.turn
        self.record = record_id(memory, self.turn.id, self.turn.role)
        self.forgotten: DeletionResult | None = None
        self.refused: DeletionPlan | None = None
        self.forgettings = 0

    def run(self) -> Opened:
        """Perceive the turn; a turn that was perceived before is reported as it is. Raises MemoryNotFoundError."""
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
            close_open_turn(self.tx, self.memory, clock, self.options.dynamics)
            clock, last_reply = clock + 1, None
        if self._obey():
            clock, last_reply = self._open()[0]["clock"], None
        opened = self._state(clock + 1, last_reply, opens=True)
        self._spread(opened.matches)
        return opened

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

    def _open(self) -> list[Row]:
        return self.tx.run(
            "perception/open_turn",
            memory=self.memory,
            turn_id=self.turn.id,
            record_id=self.record,
            tombstone=tombstone(self.turn.id, self.turn.role),
        )

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

    def _state(self, number: int, last_reply: str | None, *, opens: bool) -> Opened:
        """What the turn states, resolved, decided and written."""
        context = TurnContext(self.tx, self.memory, number, self.turn, self.record, self.known, self.options)
        resolved = resolve(context, self.prepared)
        known = [one for one in self.prepared.relations if resolved.knows(one.source) and resolved.knows(one.target)]
        self.prepared = replace(self.prepared, relations=tuple(known))
        facts, signal = decide_facts(context, self.prepared, resolved)
        self._write_turn(context, resolved, facts, signal, opens=opens)
        _write_associations(context, resolved, facts, last_reply)
        _write_coincidences(context, resolved, facts)
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

    def _write_turn(
        self, context: TurnContext, resolved: Resolved, facts: Sequence[DecidedFact], signal: float, *, opens: bool
    ) -> None:
        """The episode, its concepts, and their pulse (more where the relation was known too)."""
        known = {
            end
            for fact in facts
            if fact.outcome.repeats and not fact.relation.implied
            for end in (fact.stated.source, fact.stated.target)
        }
        fixed = fixed_strength(self.prepared.extraction, self.options.dynamics)
        concepts = concept_rows(context, resolved, known, fixed)
        forgot = {"forgot": True, "resting": True} if self.forgotten else {}
        record = episode_row(context, self.prepared, facts, signal) | forgot
        amended = {key: record[key] for key in ("extractor", "extraction", "failure", "associations", "fixed")}
        if self.forgotten:
            amended |= {"text": record["text"]} | forgot
        if not opens:
            concepts = [row | {"pulse": 0.0} for row in concepts]
        embedding = self.prepared.embedding
        # A turn that is extracted late gets another vector: copies of its record must be made again.
        touched = Touched([row["id"] for row in concepts], records=[record["id"]]) if opens else None
        self.tx.change(
            "perception/write_turn",
            touched,
            memory=self.memory,
            opens=opens,
            record=record,
            amended=amended,
            vector=vector(embedding) if embedding is not None else None,
            concepts=concepts,
        )

    def _spread(self, matches: Sequence[Match]) -> None:
        """Fetch what is lit and its surroundings, spread, settle, write back what changed."""
        dynamics = self.options.dynamics
        near, far = dynamics.fan_out
        around = self.tx.one("perception/neighbourhood", memory=self.memory, near=near, far=far)
        if not around["sources"]:
            return
        place = {node: i for i, node in enumerate(around["places"])}
        network = kernel.Network.of(
            len(place),
            [place[node] for node in around["sources"]],
            [place[node] for node in around["targets"]],
            around["weights"],
            reverse=dynamics.reverse,
        )
        start = np.array(around["activation"], dtype=np.float64)
        perceived = np.isin(around["ids"], [match.concept_id for match in matches])
        after = kernel.spread(
            network, start, transfer=dynamics.transfer, rounds=dynamics.rounds, relays=~np.array(around["selves"])
        )
        after = kernel.settle(start, after, perceived)
        changed = np.flatnonzero(np.abs(after - start) > 1e-12)
        if len(changed):
            self.tx.change(
                "perception/write_activation",
                Touched(),
                memory=self.memory,
                rows=[[around["ids"][i], float(after[i])] for i in changed],
            )


def _write_associations(
    context: TurnContext, resolved: Resolved, facts: Sequence[DecidedFact], last_reply: str | None
) -> None:
    """New, repeated, superseded and contested associations, and "maybe same" links."""
    created, repeated, superseded = link_rows(context, resolved), list[Row](), list[Row]()
    contested, taken_up = list[str](), list[str]()
    for fact in facts:
        uptake = [last_reply] if fact.relation.uptake and last_reply else []
        records = [*uptake, context.record]
        if fact.outcome.repeats:
            repeated.append({"id": fact.association, "records": records, "confidence": kept_confidence(fact)})
        else:
            created.append(association_row(context, fact, records))
        superseded += [{"id": id, "by": fact.association} for id in fact.outcome.supersedes]
        contested += fact.outcome.contested
        taken_up += [fact.association] if uptake else []
    if created or repeated or superseded or contested:
        dynamics = context.options.dynamics
        ids = [
            *(row["properties"]["id"] for row in created),
            *(row["id"] for row in [*repeated, *superseded]),
            *contested,
        ]
        context.tx.change(
            "perception/write_associations",
            Touched(associations=ids, records=[last_reply] if taken_up and last_reply else []),
            memory=context.memory,
            turn=context.number,
            created=list({row["properties"]["id"]: row for row in created}.values()),
            repeated=repeated,
            superseded=superseded,
            contested=contested,
            reply=last_reply,
            taken_up=taken_up,
            reinforcement=dynamics.reinforcement,
            weight_max=dynamics.weight_max,
            provenance=PROVENANCE,
        )


def _write_coincidences(context: TurnContext, resolved: Resolved, facts: Sequence[DecidedFact]) -> None:
    """Co-mentions without a stated relation. Selves are left out: a speaker is mentioned with everything."""
    related = {frozenset((fact.stated.source, fact.stated.target)) for fact in facts}
    mentioned = list(dict.fromkeys(m.concept_id for m in resolved.matches if m.kind != "self"))
    pairs = [
        sorted((a, b)) for i, a in enumerate(mentioned) for b in mentioned[i + 1 :] if frozenset((a, b)) not in related
    ]
    if pairs:
        context.tx.change(
            "perception/write_coincidences",
            Touched(),
            memory=context.memory,
            turn=context.number,
            pairs=pairs[: context.options.dynamics.coincidence_pairs],
        )
