"""How activation spread for a question, round by round: what a picture of recall shows.

Recall itself keeps only where each wave ended. Here the same waves are sent again in the network that was fetched, one
round after the other, so that what is shown is what was computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oroi_graph.model import Value
from oroi_graph.options import Options
from oroi_graph.recall.graph.search import Evocation, waves_after
from oroi_graph.recall.request import Recall

MOST = 400  # concepts: the most relevant ones, beside cues and what lies on paths


@dataclass(frozen=True, slots=True)
class TracedConcept(Value):
    """A concept that was reached. relevance: 0..1. arrival: the round in which the first wave came, 0 for a cue.

    amounts: activation after each round, of all waves together, in pulses; the first is before any round.
    """

    id: str
    label: str
    kind: str
    relevance: float
    arrival: int
    amounts: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class TracedAssociation(Value):
    """An association between two concepts that were reached; source, target: their ids."""

    id: str
    source: str
    target: str
    relation: str
    weight: float


@dataclass(frozen=True, slots=True)
class Trace(Value):
    """What a question activated. rounds: of each wave. concepts come with the most relevant first."""

    rounds: int
    concepts: tuple[TracedConcept, ...]
    associations: tuple[TracedAssociation, ...]


def trace(recall: Recall, options: Options, most: int = MOST) -> Trace:
    """What the questions of `recall` activated; empty if they named nothing that is known.

    options: those it was recalled with. most: concepts beside cues and those on explained paths.
    """
    on_paths = {step.association for reason in recall.reasons for step in reason.path}
    concepts: dict[str, TracedConcept] = {}
    associations: dict[str, TracedAssociation] = {}
    for evocation in recall.evocations:
        for found in _concepts(evocation, options, on_paths, most):
            known = concepts.get(found.id)
            if known is None or found.relevance > known.relevance:
                concepts[found.id] = found
        for edge in evocation.edges:
            ends = evocation.ids[edge.source], evocation.ids[edge.target]
            associations[edge.id] = TracedAssociation(edge.id, *ends, edge.relation, round(edge.weight, 4))
    return Trace(
        rounds=options.search.wave_rounds,
        concepts=tuple(sorted(concepts.values(), key=lambda one: (-one.relevance, one.id))),
        associations=tuple(one for one in associations.values() if {one.source, one.target} <= concepts.keys()),
    )


def _concepts(evocation: Evocation, options: Options, on_paths: set[str], most: int) -> Iterator[TracedConcept]:
    place = {id: i for i, id in enumerate(evocation.ids)}
    starts = [place[cue.concept_id] for cue in evocation.cues]
    amounts = _amounts(evocation, starts, options)
    reached = np.flatnonzero(amounts[-1] > 0)
    best = reached[np.argsort(-evocation.relevance[reached], kind="stable")][:most].tolist()
    walked = [end for edge in evocation.edges if edge.id in on_paths for end in (edge.source, edge.target)]
    for i in dict.fromkeys([*starts, *walked, *best]):
        after = amounts[:, i]
        if evocation.ids[i] and after.any():
            yield TracedConcept(
                evocation.ids[i], evocation.labels[i], evocation.kinds[i], round(float(evocation.relevance[i]), 4),
                int(np.flatnonzero(after)[0]), tuple(round(float(amount), 6) for amount in after),
            )  # fmt: skip


def _amounts(evocation: Evocation, starts: Sequence[int], options: Options) -> NDArray[np.float64]:
    """(rounds + 1, n) float64: activation of all waves together after each round."""
    selves = np.array([kind == "self" for kind in evocation.kinds], dtype=bool)
    rounds = range(options.search.wave_rounds + 1)
    return np.array([waves_after(r, evocation.edges, starts, selves, options).sum(axis=0) for r in rounds])
