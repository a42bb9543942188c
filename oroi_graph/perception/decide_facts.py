"""What each stated relation of a turn does to the associations that hold, and how surprising the turn is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oroi_graph.activation.surprise import MOST, RECENT, Before, sampled, surprise
from oroi_graph.entities.fact_updates import Current, Outcome, Stated, decide_late, slot
from oroi_graph.entities.mentions import StatedRelation
from oroi_graph.language.normalize import digest, label_key
from oroi_graph.language.relations import single_valued
from oroi_graph.language.tokens import count_tokens
from oroi_graph.perception.resolve_mentions import Resolved
from oroi_graph.perception.turn import Prepared, TurnContext, UnknownRelationsError
from oroi_graph.storage.store import vector


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


def _read_context(context: TurnContext, prepared: Prepared, stated: Sequence[Stated]) -> tuple[list[Current], float]:
    """The associations at stake, and the surprise against what is lit; nothing for a turn without a vector."""
    text = prepared.embedding
    if text is None:
        return [], 0.0
    # A slot of a hub ("I like …") holds hundreds; only what may replace another target must see them all.
    whole = [row for row in stated if row.replaces is True or single_valued(row.relation)]
    pairs = {(row.source, row.replaced) for row in stated if row.replaced is not None}
    pairs |= {(row.source, row.target) for row in stated}
    found = context.tx.one(
        "perception/context",
        memory=context.memory,
        slots=sorted({row.slot for row in whole}),
        pairs=[list(pair) for pair in sorted(pairs)],
        claimed=sorted({row.source for row in stated if row.owner is not None}),
        vector=vector(text),
        dimensions=len(text),
        turn=context.number,
        since=context.number - RECENT,
        most=MOST,
        sample=sampled(context.number),
    )
    before = Before(
        found["lit"],
        found["affinity"],
        found["ages"],
        [said.to_numpy() for said in found["said"]],
        [said.to_numpy() for said in found["sample"]],
    )
    signal = surprise(text, count_tokens(context.turn.text), before)
    return [Current(**fact) for fact in found["facts"]], signal


def _associations_of(context: TurnContext, row: Stated) -> list[Current]:
    """Every association of a source stated up to this turn, for a correction that names no relation of its own."""
    claimed = row.owner is not None
    found = context.tx.run("perception/associations_of", memory=context.memory, source=row.source, claimed=claimed)
    current = [Current(**fact) for fact in found]
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
