"""The open transaction of a turn (S2), step by step, in the order the specification pins.

Number → resonance (before any write) → surprise (before any pulse) → episode, concepts and pulse → associations →
coincidences → spread and settle → write back. Each step is one statement; the decisions between them are Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oroi_graph.activation import kernel
from oroi_graph.activation.surprise import MOST, RECENT, Before, sampled, surprise
from oroi_graph.activation.turn_end import close_open_turn
from oroi_graph.entities.fact_updates import Current, Outcome, Stated, decide_late, relation_class, slot
from oroi_graph.entities.mentions import Mention, StatedRelation
from oroi_graph.entities.resolution import MAYBE_SAME, Resonance, rows
from oroi_graph.entities.resolution import decide as recognise
from oroi_graph.forgetting.delete import NOTE, DeletionResult, obey
from oroi_graph.language.normalize import digest, label_key, memory_key
from oroi_graph.language.relations import single_valued
from oroi_graph.language.tokens import count_tokens
from oroi_graph.model import Extraction, Match, TurnInput
from oroi_graph.options import PROVENANCE, Options
from oroi_graph.storage.catalog import refusal
from oroi_graph.storage.rows import episode, new_concept, record_id
from oroi_graph.storage.store import Row, Transaction, vector

Vectors = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A turn with everything the models had to say about it; ready for its transaction.

    `failure` is the extractor's error, in which case the turn is kept without concepts and can be retried.
    """

    turn: TurnInput
    extraction: Extraction
    extractor: str
    failure: str | None
    mentions: tuple[Mention, ...]
    lookups: tuple[Mention, ...]
    relations: tuple[StatedRelation, ...]
    vectors: Vectors
    embedding: NDArray[np.float32] | None
    words: str | None = None  # those of the text, packed for late interaction


@dataclass(frozen=True, slots=True)
class Opened:
    """What `open_turn` did. `number` None: the speaker asked that nothing be stored."""

    number: int | None
    surprise: float = 0.0
    matches: tuple[Match, ...] = ()
    created: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    repeated: bool = False
    failure: str | None = None
    forgotten: DeletionResult | None = None


class UnknownRelationsError(Exception):
    """Relation phrases met inside the transaction whose vectors are needed: embedded outside, then retried."""

    def __init__(self, phrases: Sequence[str]) -> None:
        super().__init__(", ".join(phrases))
        self.phrases = tuple(phrases)


class TurnTransaction:
    """One run of the open transaction; holds what its steps pass on."""

    def __init__(self, tx: Transaction, memory: str, prepared: Prepared, known: Vectors, options: Options) -> None:
        self.tx, self.memory, self.prepared, self.known, self.options = tx, memory, prepared, known, options
        self.turn = prepared.turn
        self.embedding = vector(prepared.embedding) if prepared.embedding is not None else None
        self.record = record_id(memory, self.turn.id, self.turn.role)
        self.number = 0
        self.ids: dict[tuple[str, str], str] = {}
        self.kinds: dict[str, str] = {}
        self.matches: list[Match] = []
        self.created: list[str] = []
        self.forgotten: DeletionResult | None = None

    def run(self) -> Opened:
        found = self._open()
        if not found:
            raise refusal(self.tx, self.memory)
        state = found[0]
        if state["seen"] is not None:
            failure = self.prepared.failure if state["extraction"] == "failed" else None
            return Opened(state["seen"], state["surprise"] or 0.0, repeated=True, failure=failure)
        clock, last_reply = state["clock"], state["last_reply"]
        if state["open_turn"] is not None:
            close_open_turn(self.tx, self.memory, clock, self.options.dynamics)
            clock, last_reply = clock + 1, None
        if self._obey():
            clock, last_reply = self._open()[0]["clock"], None
        self.number = clock + 1
        opened = self._state(last_reply, opens=True)
        self._spread()
        return opened

    def amend(self) -> bool:
        """Give a kept turn the concepts and facts it was kept without; whether there was anything to amend.

        It keeps its number, pulses nothing, and replaces nothing that was said after it.
        """
        found = self._open()
        if not found or found[0]["seen"] is None or found[0]["extraction"] != "failed":
            return False
        self.number = found[0]["seen"]
        self._obey(late=True)
        self._state(None, opens=False)
        return True

    def _open(self) -> list[Row]:
        return self.tx.run("perception/open_turn", memory=self.memory, turn_id=self.turn.id, record_id=self.record)

    def _obey(self, *, late: bool = False) -> bool:
        """Forget what the speaker asks for; a turn that was obeyed is kept as a note without its words."""
        asked, turn = self.prepared.extraction.forget, self.turn
        if asked is None:
            return False
        self.forgotten = obey(
            self.tx, self.memory, asked, turn.speaker, turn.at, turn.id, self.options.dynamics, late=late
        )
        if self.forgotten is None:
            return False
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
        self.embedding = None
        return True

    def _state(self, last_reply: str | None, *, opens: bool) -> Opened:
        """What the turn states, recognised, decided and written."""
        resonances = self._resonate()
        stated = self._stated()
        facts, signal = self._context(stated)
        outcomes = self._decide(stated, facts)
        association_ids = self._associate(stated, outcomes)
        self._write_turn(resonances, stated, outcomes, association_ids, signal, opens)
        self._write_associations(stated, outcomes, association_ids, resonances, last_reply)
        self._write_coincidences(stated)
        superseded = tuple(dict.fromkeys(id for outcome in outcomes for id in outcome.supersedes))
        return Opened(
            self.number,
            signal,
            tuple(self.matches),
            tuple(self.created),
            superseded,
            failure=self.prepared.failure,
            forgotten=self.forgotten,
        )

    def _resonate(self) -> list[Resonance]:
        """Step 1: recognise every mention; give the new ones their ids. Nothing is written."""
        prepared = self.prepared
        asked = [*prepared.mentions, *prepared.lookups]
        vectors = {label: vector(row) for label, row in self.known.items()}
        found = (
            self.tx.run(
                "entities/resonate", memory=self.memory, rows=rows(asked, vectors, memory_key(self.memory)), most=8
            )
            if asked
            else []
        )
        by_row = {row["i"]: row for row in found}
        resonances = [recognise(mention, by_row[i]) for i, mention in enumerate(asked)]
        for resonance in resonances:
            mention, match = resonance.mention, resonance.match
            if match is not None:
                self._remember(mention, match.concept_id, match.kind)
        for resonance in resonances[: len(prepared.mentions)]:
            mention, match = resonance.mention, resonance.match
            if match is None:
                concept = digest(self.memory, self.turn.id, mention.kind, mention.key)
                self._remember(mention, concept, mention.kind)
                match = Match(concept, mention.label, mention.kind, mention.surface, "new", 1.0)
                self.created.append(concept)
            self.matches.append(match)
        return resonances[: len(prepared.mentions)]

    def _remember(self, mention: Mention, concept: str, kind: str) -> None:
        self.ids[mention.kind, mention.key] = concept
        self.kinds[concept] = kind

    def _id(self, mention: Mention) -> str:
        return self.ids[mention.kind, mention.key]

    def _stated(self) -> list[tuple[StatedRelation, Stated]]:
        """The turn's relations between resolved concepts, each once, without those that became loops."""
        stated: dict[tuple[str, str, str, bool], tuple[StatedRelation, Stated]] = {}
        for relation in self.prepared.relations:
            source, target = self._id(relation.source), self._id(relation.target)
            if source == target:
                continue
            named = relation.replaced
            replaced = self.ids.get((named.kind, named.key)) if named is not None else None
            row = Stated(
                source,
                relation.relation,
                target,
                self.kinds[target],  # type: ignore[arg-type]
                relation.negated,
                relation.replaces,
                replaced,
                slot(self.memory, source, relation.relation),
            )
            stated.setdefault((source, row.slot, target, relation.negated), (relation, row))
        return list(stated.values())

    def _context(self, stated: Sequence[tuple[StatedRelation, Stated]]) -> tuple[list[Current], float]:
        """Step 2: the current associations at stake, and the surprise against what is lit; none without a vector."""
        text = self.prepared.embedding
        if text is None:
            return [], 0.0
        # A slot of a hub ("I like …") holds hundreds; only what may replace another target must see them all.
        whole = [row for _, row in stated if row.replaces is True or single_valued(row.relation)]
        pairs = {(row.source, row.replaced) for _, row in stated if row.replaced is not None}
        pairs |= {(row.source, row.target) for _, row in stated}
        context = self.tx.one(
            "perception/context",
            memory=self.memory,
            slots=sorted({row.slot for row in whole}),
            pairs=[list(pair) for pair in sorted(pairs)],
            vector=self.embedding,
            dimensions=len(text),
            turn=self.number,
            since=self.number - RECENT,
            most=MOST,
            sample=sampled(self.number),
        )
        before = Before(
            context["lit"],
            context["affinity"],
            context["ages"],
            [said.to_numpy() for said in context["said"]],
            [said.to_numpy() for said in context["sample"]],
        )
        facts = [Current(**fact) for fact in context["facts"]]
        return facts, surprise(text, count_tokens(self.turn.text), before)

    def _decide(self, stated: Sequence[tuple[StatedRelation, Stated]], facts: Sequence[Current]) -> list[Outcome]:
        """What each relation does to the current ones; asks for a source's other relations only if it must."""
        said = [fact for fact in facts if fact.first_turn <= self.number]
        later = [fact for fact in facts if fact.first_turn > self.number]
        outcomes = []
        for _, row in stated:
            unmet = row.replaces is True and not any(f.slot == row.slot for f in said)
            outcomes.append(decide_late(row, self._all_of(row) if unmet else said, later, self._closeness))
        return outcomes

    def _all_of(self, row: Stated) -> list[Current]:
        found = [
            Current(**fact) for fact in self.tx.run("perception/associations_of", memory=self.memory, source=row.source)
        ]
        unknown = sorted({p for p in [row.relation, *(f.relation for f in found)] if p not in self.known})
        if unknown:
            raise UnknownRelationsError(unknown)
        return [fact for fact in found if fact.first_turn <= self.number]

    def _closeness(self, a: str, b: str) -> float:
        unknown = sorted({phrase for phrase in (a, b) if phrase not in self.known})
        if unknown:
            raise UnknownRelationsError(unknown)
        return float(self.known[a] @ self.known[b])

    def _associate(self, stated: Sequence[tuple[StatedRelation, Stated]], outcomes: Sequence[Outcome]) -> list[str]:
        """The association id of each relation: the one it repeats, or a new one of this turn."""
        return [
            outcome.repeats
            or digest(self.memory, self.turn.id, row.source, label_key(row.relation), row.target, row.negated)
            for (_, row), outcome in zip(stated, outcomes, strict=True)
        ]

    def _write_turn(
        self,
        resonances: Sequence[Resonance],
        stated: Sequence[tuple[StatedRelation, Stated]],
        outcomes: Sequence[Outcome],
        association_ids: Sequence[str],
        signal: float,
        opens: bool,
    ) -> None:
        """Step 3: the episode, its concepts, their pulse (more where the relation was known too)."""
        known = {
            end
            for (relation, row), outcome in zip(stated, outcomes, strict=True)
            if outcome.repeats and not relation.implied
            for end in (row.source, row.target)
        }
        fixed = self._fixed_strength()
        concepts: dict[str, Row] = {}
        for resonance, match in zip(resonances, self.matches, strict=True):
            concepts.setdefault(match.concept_id, self._concept_row(resonance.mention, match, known, fixed))
        record = self._record(association_ids, signal, fixed > 0)
        amended = {key: record[key] for key in ("extractor", "extraction", "failure", "associations", "fixed")}
        if self.forgotten:
            amended |= {key: record[key] for key in ("text", "forgot", "resting")}
        if not opens:
            for row in concepts.values():
                row["pulse"] = 0.0
        self.tx.run(
            "perception/write_turn",
            memory=self.memory,
            opens=opens,
            record=record,
            amended=amended,
            vector=self.embedding,
            concepts=list(concepts.values()),
        )

    def _fixed_strength(self) -> float:
        extraction, dynamics = self.prepared.extraction, self.options.dynamics
        if extraction.remember:
            return dynamics.remembered
        return dynamics.remembered * extraction.charge if extraction.charge >= dynamics.charged else 0.0

    def _concept_row(self, mention: Mention, match: Match, known: set[str], fixed: float) -> Row:
        dynamics = self.options.dynamics
        pulse = dynamics.pulse + (dynamics.known_relation_pulse if match.concept_id in known else 0.0)
        new = match.method == "new"
        created = new_concept(self.memory, self.number, mention.label, mention.key, mention.kind, mention.alias)
        return {
            "id": match.concept_id,
            "created": created if new else {},
            # Whoever was spoken of ("Hey Jon!") before speaking turns out to be a speaker.
            "kind": "self" if mention.kind == "self" else None,
            "vector": vector(self.known[mention.label]) if new else None,
            "mention": {"surface": match.surface, "method": match.method, "score": match.score},
            "pulse": pulse,
            # "Remember" fixes what was said, not the whole person who said it.
            "strength": 0.0 if match.kind == "self" else fixed,
            "turn": self.number,
        }

    def _record(self, association_ids: Sequence[str], signal: float, fixed: bool) -> Row:
        return {
            **episode(self.memory, self.turn, self.number, self.prepared.words),
            "extractor": self.prepared.extractor,
            "extraction": "failed" if self.prepared.failure else "done",
            "failure": self.prepared.failure,
            "associations": list(association_ids),
            "surprise": signal,
            "fixed": fixed,
            "acknowledged": False,
            **({"forgot": True, "resting": True} if self.forgotten else {}),
        }

    def _write_associations(
        self,
        stated: Sequence[tuple[StatedRelation, Stated]],
        outcomes: Sequence[Outcome],
        association_ids: Sequence[str],
        resonances: Sequence[Resonance],
        last_reply: str | None,
    ) -> None:
        """Step 4: new, repeated, superseded and contested associations, and "maybe same" links."""
        created, repeated, superseded = self._links(resonances), list[Row](), list[Row]()
        contested, taken_up = list[str](), list[str]()
        for (relation, row), outcome, association in zip(stated, outcomes, association_ids, strict=True):
            records = [last_reply, self.record] if relation.uptake and last_reply else [self.record]
            if outcome.repeats:
                repeated.append({"id": association, "records": records})
            else:
                created.append(self._association(relation, row, association, records, outcome))
            superseded += [{"id": id, "by": association} for id in outcome.supersedes]
            contested += outcome.contested
            taken_up += [association] if relation.uptake and last_reply else []
        if created or repeated or superseded or contested:
            dynamics = self.options.dynamics
            self.tx.run(
                "perception/write_associations",
                memory=self.memory,
                turn=self.number,
                created=created,
                repeated=repeated,
                superseded=superseded,
                contested=contested,
                reply=last_reply,
                taken_up=taken_up,
                reinforcement=dynamics.reinforcement,
                weight_max=dynamics.weight_max,
                provenance=PROVENANCE,
            )

    def _association(
        self, relation: StatedRelation, row: Stated, association: str, records: Sequence[str], outcome: Outcome
    ) -> Row:
        return {
            "source": row.source,
            "target": row.target,
            "properties": {
                "id": association,
                "memory": self.memory,
                "relation": relation.relation,
                "class": relation_class(relation.relation),
                "slot": row.slot,
                "weight": self.options.dynamics.weight_initial,
                "negated": relation.negated,
                "contested": bool(outcome.contested),
                "contested_turn": self.number if outcome.contested else None,
                "superseded_turn": outcome.overtaken.first_turn if outcome.overtaken else None,
                "superseded_by": outcome.overtaken.id if outcome.overtaken else None,
                "implied": True if relation.implied else None,
                "first_turn": self.number,
                "last_turn": self.number,
                "count": 1,
                "stated_at": self.turn.at.isoformat() if self.turn.at else None,
                "when": relation.when,
                "records": list(records),
            },
        }

    def _links(self, resonances: Sequence[Resonance]) -> list[Row]:
        """Weak links between a new name and those it may be the same as: they conduct, sleep judges them."""
        return [
            {
                "source": self._id(resonance.mention),
                "target": other,
                "properties": {
                    "id": digest(self.memory, self.turn.id, MAYBE_SAME, self._id(resonance.mention), other),
                    "memory": self.memory,
                    "relation": MAYBE_SAME,
                    "class": MAYBE_SAME,
                    "slot": digest(self.memory, self._id(resonance.mention), MAYBE_SAME),
                    "weight": self.options.dynamics.link_weight,
                    "negated": False,
                    "contested": False,
                    "implied": True,
                    "first_turn": self.number,
                    "last_turn": self.number,
                    "count": 1,
                    "stated_at": None,
                    "when": None,
                    "records": [self.record],
                },
            }
            for resonance in resonances
            for other in resonance.maybe_same
        ]

    def _write_coincidences(self, stated: Sequence[tuple[StatedRelation, Stated]]) -> None:
        """Step 5: co-mentions without a stated relation. Selves coincide with everything, so they are left out."""
        related = {frozenset((row.source, row.target)) for _, row in stated}
        mentioned = list(dict.fromkeys(m.concept_id for m in self.matches if m.kind != "self"))
        pairs = [
            sorted((a, b))
            for i, a in enumerate(mentioned)
            for b in mentioned[i + 1 :]
            if frozenset((a, b)) not in related
        ]
        if pairs:
            self.tx.run(
                "perception/write_coincidences",
                memory=self.memory,
                turn=self.number,
                pairs=pairs[: self.options.dynamics.coincidence_pairs],
            )

    def _spread(self) -> None:
        """Steps 6 and 7: fetch what is lit and its surroundings, spread, settle, write back what changed."""
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
        perceived = np.isin(around["ids"], [match.concept_id for match in self.matches])
        after = kernel.spread(
            network, start, transfer=dynamics.transfer, rounds=dynamics.rounds, relays=~np.array(around["selves"])
        )
        after = kernel.settle(start, after, perceived)
        changed = np.flatnonzero(np.abs(after - start) > 1e-12)
        if len(changed):
            self.tx.run(
                "perception/write_activation",
                memory=self.memory,
                rows=[[around["ids"][i], float(after[i])] for i in changed],
            )
