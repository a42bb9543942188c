"""What each stated relation of a turn does to the associations that hold, and how surprising the turn is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oroi_graph.activation.surprise import MOST, RECENT, Before, sampled, surprise
from oroi_graph.entities.fact_updates import Current, Outcome, Stated, decide_late, relation_class, slot
from oroi_graph.entities.mentions import StatedRelation
from oroi_graph.language.normalize import digest, label_key
from oroi_graph.language.relations import single_valued
from oroi_graph.language.tokens import count_tokens
from oroi_graph.perception.resolve_mentions import Resolved
from oroi_graph.perception.turn import Prepared, TurnContext, UnknownRelationsError
from oroi_graph.storage.store import Row
from oroi_graph.working_set.context import all_stated_by, lit_topics, recent, sample, stated_by
from oroi_graph.working_set.vectors import unit

LISTED = 200  # associations of a source that a correction without a relation of its own is compared with


@dataclass(frozen=True, slots=True)
class DecidedFact:
    """A relation as stated, its resolved ends, what it does, and the id of its association (repeated or new)."""

    relation: StatedRelation
    stated: Stated
    outcome: Outcome
    association: str


def decide_facts(context: TurnContext, prepared: Prepared, resolved: Resolved) -> tuple[list[DecidedFact], float]:
    """The turn's facts and its surprise (0..1). Raises UnknownRelationsError for phrases whose vectors are needed."""
    stated = _stated(context, prepared.relations, resolved)
    current, signal = _read_context(context, prepared, [row for _, row in stated])
    said = [fact for fact in current if fact.first_turn <= context.number]
    later = [fact for fact in current if fact.first_turn > context.number]
    facts = []
    for relation, row in stated:
        unmet = row.replaces is True and not any(fact.slot == row.slot for fact in said)
        before = _associations_of(context, row) if unmet else said
        outcome = decide_late(row, before, later, lambda a, b: _closeness(context, a, b))
        association = outcome.repeats or digest(
            context.memory, context.turn.id, row.source, label_key(row.relation), row.target, row.negated
        )
        facts.append(DecidedFact(relation, row, outcome, association))
    return facts, signal


def _stated(
    context: TurnContext, relations: Sequence[StatedRelation], resolved: Resolved
) -> list[tuple[StatedRelation, Stated]]:
    """The turn's relations between resolved concepts, each once, without those that became loops."""
    stated: dict[tuple[str, str, str, bool], tuple[StatedRelation, Stated]] = {}
    for relation in relations:
        source, target = resolved.id(relation.source), resolved.id(relation.target)
        if source == target:
            continue
        named = relation.replaced
        row = Stated(
            source,
            relation.relation,
            target,
            resolved.kinds[target],
            relation.negated,
            relation.replaces,
            resolved.ids.get((named.kind, named.key)) if named is not None else None,
            slot(context.memory, source, relation.relation),
            _owner(context, relation, resolved),
            relation.when,
            relation.past,
        )
        stated.setdefault((source, row.slot, target, relation.negated), (relation, row))
    return list(stated.values())


def _owner(context: TurnContext, relation: StatedRelation, resolved: Resolved) -> str | None:
    """The key of the other speaker whom a relation is about, or whose sister's husband's dog it is about."""
    thing = relation.source
    while thing.owner is not None:
        thing = thing.owner
    found = resolved.ids.get((thing.kind, thing.key))
    if found is None or resolved.kinds[found] != "self":
        return None
    key = next((label_key(match.label) for match in resolved.matches if match.concept_id == found), None)
    return key if key != label_key(context.turn.speaker) else None


def _with_speakers(context: TurnContext, facts: Sequence[Current], claimed: set[str]) -> list[Current]:
    """The same facts; those about `claimed` concepts, which somebody else speaks of now, with who stated them."""
    asked = [fact.id for fact in facts if fact.source in claimed]
    rows = context.tx.run("perception/speakers_of", memory=context.memory, ids=asked) if asked else []
    speakers = {row["id"]: tuple(row["speakers"]) for row in rows}
    return [replace(fact, speakers=speakers.get(fact.id, ())) for fact in facts]


def _read_context(context: TurnContext, prepared: Prepared, stated: Sequence[Stated]) -> tuple[list[Current], float]:
    """The associations at stake, and the surprise against what is lit; nothing for a turn without a vector."""
    text = prepared.embedding
    if text is None:
        return [], 0.0
    # A slot of a hub ("I like …") holds hundreds; only what may replace another target must see them all.
    whole = [row for row in stated if row.replaces is True or single_valued(row.relation)]
    facts: dict[str, Current] = {}
    for source in dict.fromkeys(row.source for row in stated):
        classes = {relation_class(row.relation) for row in whole if row.source == source}
        targets = {end for row in stated if row.source == source for end in (row.target, row.replaced) if end}
        found = stated_by(context.tx.held, source, classes, targets)
        facts |= {row["id"]: _current(context, row) for row in found}
    claimed = {row.source for row in stated if row.owner is not None}
    return _with_speakers(context, list(facts.values()), claimed), _surprise(context, unit(text))


def _surprise(context: TurnContext, text: NDArray[np.float64]) -> float:
    """How little the turn fits what is lit and what was said. text: (d,) its vector, of length 1."""
    tx, memory, number = context.tx, context.memory, context.number
    activation, cosines = lit_topics(tx, memory, text)
    turns, said = recent(tx, memory, number - RECENT, number, MOST)
    before = Before(activation, (1.0 + cosines) / 2.0, number - 1 - turns, said, sample(tx, memory, sampled(number)))
    return surprise(text, count_tokens(context.turn.text), before)


def _current(context: TurnContext, row: Row) -> Current:
    """A current association as it is compared. row: of `working_set.stated`."""
    slot_ = digest(context.memory, row["source"], row.pop("class"))
    return Current(slot=slot_, **row)


def _associations_of(context: TurnContext, row: Stated) -> list[Current]:
    """Associations of a source stated up to this turn, for a correction that names no relation of its own."""
    current = [_current(context, found) for found in all_stated_by(context.tx.held, row.source, LISTED)]
    current = _with_speakers(context, current, {row.source} if row.owner is not None else set())
    _need(context, [row.relation, *(fact.relation for fact in current)])
    return [fact for fact in current if fact.first_turn <= context.number]


def _closeness(context: TurnContext, a: str, b: str) -> float:
    """The cosine of two relation phrases."""
    _need(context, [a, b])
    return float(context.known[a] @ context.known[b])


def _need(context: TurnContext, phrases: Sequence[str]) -> None:
    unknown = sorted({phrase for phrase in phrases if phrase not in context.known})
    if unknown:
        raise UnknownRelationsError(unknown)
