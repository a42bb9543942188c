"""The rows that a turn writes: its episode, concepts, associations and weak links. No database here."""

from __future__ import annotations

from collections.abc import Sequence

from oroi_graph.entities.fact_updates import new_association
from oroi_graph.entities.mentions import Mention
from oroi_graph.entities.resolution import MAYBE_SAME
from oroi_graph.language.normalize import digest
from oroi_graph.model import Extraction, Match
from oroi_graph.options import Dynamics
from oroi_graph.perception.decide_facts import DecidedFact
from oroi_graph.perception.resolve_mentions import Resolved
from oroi_graph.perception.turn import Prepared, TurnContext
from oroi_graph.storage.rows import episode, new_concept
from oroi_graph.storage.store import Row, written_vector


def fixed_strength(extraction: Extraction, dynamics: Dynamics) -> float:
    """The strength that a turn fixes its concepts at: all of it for "remember", a share for a charged turn, else 0."""
    if extraction.remember:
        return dynamics.remembered
    return dynamics.remembered * extraction.charge if extraction.charge >= dynamics.charged else 0.0


def concept_rows(context: TurnContext, resolved: Resolved, known: set[str], fixed: float) -> list[Row]:
    """One row for each concept, of its first mention. known: concepts at an end of a relation that held already."""
    concepts: dict[str, Row] = {}
    for resonance, match in zip(resolved.resonances, resolved.matches, strict=True):
        row = _concept_row(context, resonance.mention, match, match.concept_id in known, fixed)
        concepts.setdefault(match.concept_id, row)
    return list(concepts.values())


def _concept_row(context: TurnContext, mention: Mention, match: Match, known: bool, fixed: float) -> Row:
    dynamics, new = context.options.dynamics, match.method == "new"
    made = (context.memory, context.number, mention.label, mention.key, mention.kind, mention.alias)
    return {
        "id": match.concept_id,
        "created": new_concept(*made) if new else {},
        # Whoever was spoken of ("Hey Jon!") before speaking turns out to be a speaker.
        "kind": "self" if mention.kind == "self" else None,
        "vector": written_vector(context.known[mention.label]) if new else None,
        "mention": {"surface": match.surface, "method": match.method, "score": match.score},
        "pulse": dynamics.pulse + (dynamics.known_relation_pulse if known else 0.0),
        # "Remember" fixes what was said, not the whole person who said it.
        "strength": 0.0 if match.kind == "self" else fixed,
        "turn": context.number,
    }


def episode_row(context: TurnContext, prepared: Prepared, facts: Sequence[DecidedFact], signal: float) -> Row:
    """The properties of the turn's episode."""
    return {
        **episode(context.memory, context.turn, context.number, prepared.words),
        "extractor": prepared.extractor,
        "extraction": "failed" if prepared.failure else "done",
        "failure": prepared.failure,
        "associations": [fact.association for fact in facts],
        "surprise": signal,
        "fixed": fixed_strength(prepared.extraction, context.options.dynamics) > 0,
        "acknowledged": False,
    }


def kept_confidence(fact: DecidedFact) -> float | None:
    """The confidence that an association keeps; None if nobody doubts it."""
    return fact.relation.confidence if fact.relation.confidence < 1 else None


def association_row(context: TurnContext, fact: DecidedFact, records: Sequence[str]) -> Row:
    """A new association between two concepts."""
    relation, outcome, overtaken = fact.relation, fact.outcome, fact.outcome.overtaken
    return {
        "source": fact.stated.source,
        "target": fact.stated.target,
        "properties": new_association(context.memory, fact.stated.source, relation.relation, context.number)
        | {
            "id": fact.association,
            "weight": context.options.dynamics.weight_initial,
            "negated": relation.negated,
            "contested": bool(outcome.contested),
            "contested_turn": context.number if outcome.contested else None,
            "superseded_turn": overtaken.first_turn if overtaken else None,
            "superseded_by": overtaken.id if overtaken else None,
            "implied": True if relation.implied else None,
            "stated_at": context.turn.at.isoformat() if context.turn.at else None,
            "when": relation.when,
            "confidence": kept_confidence(fact),
            "records": list(records),
        },
    }


def link_rows(context: TurnContext, resolved: Resolved) -> list[Row]:
    """Weak links between a new name and those it may be the same as: they conduct, sleep judges them."""
    return [
        _link_row(context, resolved.id(resonance.mention), other)
        for resonance in resolved.resonances
        for other in resonance.maybe_same
    ]


def _link_row(context: TurnContext, source: str, target: str) -> Row:
    return {
        "source": source,
        "target": target,
        "properties": new_association(context.memory, source, MAYBE_SAME, context.number)
        | {
            "id": digest(context.memory, context.turn.id, MAYBE_SAME, source, target),
            "class": MAYBE_SAME,
            "slot": digest(context.memory, source, MAYBE_SAME),
            "weight": context.options.dynamics.link_weight,
            "implied": True,
            "records": [context.record],
        },
    }
