"""Evocation (S5): one wave per cue from an empty state, each obeying the kernel; then one rule combines them.

A wave does not pass through another cue (what lies beyond it is that cue's to reach) nor through a self that it
did not start from. Paths are traced over the same fetched network, so that every number can be explained.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.activation import kernel
from oroi_graph.language import detection
from oroi_graph.language.stemming import content_words
from oroi_graph.model import Step
from oroi_graph.options import Options
from oroi_graph.recall.question import Cue, Question

ROUNDS = 6  # enough for three hops to arrive; more changes the order little
HOPS = 4  # as many as are fetched
FAN = [24, 10, 5, 0]  # neighbours per concept that are fetched at hops 1 to 4 …
NESTED = [24, 10, 5, 4]  # … of a question that names its answer over several others ("the sister of my boss's wife")
PASSING = 0.45  # what a step is worth on a path when neither its relation nor its end is spoken of in the question
BACKWARDS = 0.8  # walking against an association
FROM_SELF = 0.1  # the same for a step out of a self: everything is somebody's, so that alone means little
UNRELATED, RELATED = 0.1, 0.3  # cosines of the nearest record at which it means nothing, and surely something
LEAST = 0.33  # mean worth of a step below which a path is no way to an answer


@dataclass(frozen=True, slots=True)
class Edge:
    """One fetched association: indexes of its ends in the network."""

    id: str
    source: int
    target: int
    weight: float
    relation: str
    relation_class: str
    implied: bool
    turn: int


@dataclass(frozen=True, slots=True)
class Path:
    """The best way from a cue to a concept: edges walked, and the product of what the steps are worth."""

    cue: int
    end: int
    edges: tuple[int, ...]
    worth: float
    strength: float = field(init=False)  # what a step is worth on average (geometric mean): length makes nothing worse

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", float(self.worth ** (1 / len(self.edges))))


@dataclass(frozen=True, slots=True, eq=False)
class Evocation:
    """What a question lights up. Arrays are over `ids`; `relevance` in 0..1, `score` = ρ·relevance + strength."""

    cues: tuple[Cue, ...]
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    edges: tuple[Edge, ...]
    waves: NDArray[np.float64]
    relevance: NDArray[np.float64]
    score: NDArray[np.float64]
    affinity: NDArray[np.float64]
    paths: tuple[Path, ...]
    selves: frozenset[str] = field(init=False)  # everything is somebody's: no answer, and no place where cues meet

    def __post_init__(self) -> None:
        selves = (id for id, kind in zip(self.ids, self.kinds, strict=True) if kind == "self")
        object.__setattr__(self, "selves", frozenset(selves))

    def steps(self, path: Path) -> tuple[Step, ...]:
        """The path in words."""
        steps, here = [], self.ids.index(self.cues[path.cue].concept_id)
        for position in path.edges:
            edge = self.edges[position]
            forwards = edge.source == here
            there = edge.target if forwards else edge.source
            steps.append(Step(self.labels[here], edge.relation, self.labels[there], forwards, round(edge.weight, 4)))
            here = there
        return tuple(steps)


def meanings(alike: Sequence[tuple[str | None, float | None]], stating: Sequence[Sequence[str]]) -> dict[str, float]:
    """{association id: how much the records that state it mean what the question does, 0..1}.

    alike: [record id, cosine]; stating: the associations that each of them states (`recall/find`). 1 is the nearest
    record of all, less if not even that is near; what means no more than the median says nothing and is left out.
    """
    cosines = [cosine for _, cosine in alike if cosine is not None]
    usual, best = (median(cosines), max(cosines)) if cosines else (0.0, 0.0)
    if best <= max(usual, UNRELATED):
        return {}
    sure = min(1.0, (best - UNRELATED) / (RELATED - UNRELATED))
    meant: dict[str, float] = {}
    for (_, cosine), stated in zip(alike, stating, strict=True):
        if cosine is not None and cosine > usual:
            for association in stated:
                meant[association] = max(meant.get(association, 0.0), sure * (cosine - usual) / (best - usual))
    return meant


def evoke(
    cues: Sequence[Cue],
    question: Question,
    row: Mapping[str, Any],
    near: Mapping[str, float],
    meant: Mapping[str, float],
    options: Options,
) -> Evocation:
    """Send the waves and trace the paths. `row` is that of `recall/evoke`, `near` {concept id: cosine}, `meant` what
    `meanings` gives.

    Cues that are gone since they were found start no wave; what was being deleted while it was read has no edges.
    """
    ids = tuple(row["ids"])
    place = {concept: i for i, concept in enumerate(ids) if concept}
    edges = tuple(
        Edge(id, place[s], place[t], w, relation, name, implied, turn)
        for id, s, t, w, relation, name, implied, turn in zip(
            row["associations"], row["sources"], row["targets"], row["weights"], row["relations"], row["classes"],
            row["implied"], row["turns"], strict=True,
        )
        if id and s in place and t in place
    )  # fmt: skip
    present = [cue for cue in cues if cue.concept_id in place]
    starts = [place[cue.concept_id] for cue in present]
    selves = np.array([kind == "self" for kind in row["kinds"]], dtype=bool)
    waves = _waves(len(ids), edges, starts, selves, options)
    weights = np.array([cue.weight for cue in present], dtype=np.float64)
    relevance = kernel.converge(waves, weights) if present else np.zeros(len(ids))
    strength = np.array(row["strengths"], dtype=np.float64)
    affinity = np.array([near.get(id, 0.0) for id in ids], dtype=np.float64)
    return Evocation(
        cues=tuple(present),
        ids=ids,
        labels=tuple(row["labels"]),
        kinds=tuple(row["kinds"]),
        edges=edges,
        waves=waves,
        relevance=relevance,
        score=options.relevance_gain * relevance + strength,
        affinity=affinity,
        paths=tuple(_paths(edges, starts, selves, affinity, row["labels"], meant, question)),
    )


def _waves(
    n: int, edges: Sequence[Edge], starts: Sequence[int], selves: NDArray[np.bool_], options: Options
) -> NDArray[np.float64]:
    dynamics = options.dynamics
    network = kernel.Network.of(
        n, [e.source for e in edges], [e.target for e in edges], [e.weight for e in edges], reverse=dynamics.reverse
    )
    relays = ~selves
    relays[list(starts)] = False
    waves = np.zeros((len(starts), n))
    for wave, start in zip(waves, starts, strict=True):
        wave[start] = 1.0
        wave[:] = kernel.spread(network, wave, transfer=dynamics.transfer, rounds=ROUNDS, relays=relays)
    return waves


def _paths(
    edges: Sequence[Edge],
    starts: Sequence[int],
    selves: NDArray[np.bool_],
    affinity: NDArray[np.float64],
    labels: Sequence[str],
    meant: Mapping[str, float],
    question: Question,
) -> list[Path]:
    """The best path from each cue to each concept within HOPS, best worth first (a bounded Dijkstra)."""
    around = _ways(edges, selves, affinity, labels, meant, question)
    ends = {*starts, *np.flatnonzero(selves).tolist()}
    paths: list[Path] = []
    for cue, start in enumerate(starts):
        best: dict[tuple[int, int], float] = {}
        queue: list[tuple[float, int, int, tuple[int, ...]]] = [(-1.0, 0, start, ())]
        done: set[int] = set()
        while queue:
            negative, hops, here, walked = heapq.heappop(queue)
            if walked and here not in done:
                done.add(here)
                if -negative < LEAST ** len(walked):
                    continue
                paths.append(Path(cue, here, walked, -negative))
            if hops == HOPS or (walked and here in ends):
                continue
            for position, there, worth in around.get(here, ()):
                reached = -negative * worth
                if there != start and reached > best.get((there, hops + 1), 0.0):
                    best[there, hops + 1] = reached
                    heapq.heappush(queue, (-reached, hops + 1, there, (*walked, position)))
    paths.sort(key=lambda path: (-path.worth, path.cue, path.edges))
    return paths


def _ways(
    edges: Sequence[Edge],
    selves: NDArray[np.bool_],
    affinity: NDArray[np.float64],
    labels: Sequence[str],
    meant: Mapping[str, float],
    question: Question,
) -> dict[int, list[tuple[int, int, float]]]:
    """From each concept: (edge, other end, what the step is worth).

    A step is clear where the question says its relation or its end, or where what was said of it means the question:
    "the gym takes thirty-four off my account" is the price of a membership, though neither word occurs.
    """
    around: dict[int, list[tuple[int, int, float]]] = {}
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    meaning = np.clip(affinity, 0.0, 1.0).tolist()
    said = {end: max(_named(labels[end], question), meaning[end]) for end in ends}
    is_self = selves.tolist()
    for position, edge in enumerate(edges):
        spoken = max(_spoken(edge, question), meant.get(edge.id, 0.0))
        for here, there, way in ((edge.source, edge.target, 1.0), (edge.target, edge.source, BACKWARDS)):
            clear = max(spoken, said[there])
            passing = FROM_SELF if is_self[here] else PASSING
            around.setdefault(here, []).append((position, there, way * (passing + (1 - passing) * clear)))
    return around


def _spoken(edge: Edge, question: Question) -> float:
    """Whether the question speaks of this relation: 1 by class or by a shared content stem."""
    if edge.relation_class in question.classes:
        return 1.0
    return 0.0 if question.stems.isdisjoint(_relation_stems(edge.relation)) else 1.0


def _named(label: str, question: Question) -> float:
    """The share of a label's content words that the question says."""
    stems = _label_stems(label, question.language)
    return len(question.stems.intersection(stems)) / len(stems) if stems else 0.0


@lru_cache(maxsize=50_000)  # the same concepts come back for many questions
def _label_stems(label: str, tongue: str) -> tuple[str, ...]:
    return content_words(label, tongue)


@lru_cache(maxsize=10_000)
def _relation_stems(relation: str) -> tuple[str, ...]:
    return content_words(relation, detection.detect(relation))
