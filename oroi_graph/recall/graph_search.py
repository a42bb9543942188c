"""Graph search: one wave of activation per cue from an empty state, and the best paths from each cue.

Each wave obeys the kernel. It does not pass through another cue, from which that cue's own wave starts, nor through a
speaker other than its own start. Paths are found in the same fetched network, so every number can be explained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median

import numpy as np
from numpy.typing import NDArray

from oroi_graph.activation import kernel
from oroi_graph.language import detection
from oroi_graph.language.stemming import content_words
from oroi_graph.model import Step
from oroi_graph.options import Options
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.question import Question
from oroi_graph.recall_options import Search
from oroi_graph.storage.store import Row

_NAMING = "is called"  # the relation class of a thing's name


@dataclass(frozen=True, slots=True)
class Edge:
    """One fetched association. source, target: indexes of its ends in the network. confidence: that it was stated."""

    id: str
    source: int
    target: int
    weight: float
    relation: str
    relation_class: str
    implied: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class Path:
    """The best way from a cue to a concept. edges: positions. worth: product of the steps' scores, 0..1.

    clear: geometric mean of the scores of the steps that say something: "my sister is called Leire" on the way to her
    birthday only tells who is meant.
    """

    cue: int
    end: int
    edges: tuple[int, ...]
    worth: float
    clear: float
    strength: float = field(init=False)  # geometric mean of the steps' scores, so that length alone costs nothing

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", float(self.worth ** (1 / len(self.edges))))


@dataclass(frozen=True, slots=True, eq=False)
class Evocation:
    """What a question activates. `ids`, `labels`, `kinds`, `relevance` (0..1) and `score` (ρ·relevance + strength) are
    (n,) over the fetched concepts; `waves` is (cues, n); `paths` come best first."""

    cues: tuple[Cue, ...]
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    edges: tuple[Edge, ...]
    waves: NDArray[np.float64]
    relevance: NDArray[np.float64]
    score: NDArray[np.float64]
    paths: tuple[Path, ...]
    selves: frozenset[str] = field(init=False)  # speakers: connected to almost every concept, so never an answer

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
            weight = round(edge.weight, 4)
            steps.append(Step(self.labels[here], edge.relation, self.labels[there], forwards, weight, edge.id))
            here = there
        return tuple(steps)


def association_affinity(
    alike: Sequence[tuple[str | None, float | None]], stating: Sequence[Sequence[str]], search: Search
) -> dict[str, float]:
    """{association id: similarity to the question of the records that state it, 0..1}.

    alike: [record id, cosine]; stating: the associations that each of them states (`working_set.entry.find`). The
    nearest record has 1, less if it is not near itself. Records at the median or below say nothing and are left out.
    """
    cosines = [cosine for _, cosine in alike if cosine is not None]
    usual, best = (median(cosines), max(cosines)) if cosines else (0.0, 0.0)
    if best <= max(usual, search.unrelated_record):
        return {}
    sure = min(1.0, (best - search.unrelated_record) / (search.related_record - search.unrelated_record))
    affinity: dict[str, float] = {}
    for (_, cosine), stated in zip(alike, stating, strict=True):
        if cosine is not None and cosine > usual:
            for association in stated:
                affinity[association] = max(affinity.get(association, 0.0), sure * (cosine - usual) / (best - usual))
    return affinity


@dataclass(frozen=True, slots=True)
class Affinity:
    """What is near the question: {concept id: cosine}, and {association id: 0..1} (`association_affinity`)."""

    concepts: Mapping[str, float]
    associations: Mapping[str, float]


def evoke(cues: Sequence[Cue], question: Question, row: Row, affinity: Affinity, options: Options) -> Evocation:
    """Send the waves and find the paths. row: of `working_set.neighbourhood.surround`.

    Cues deleted since they were found start no wave; what was being deleted while it was read has no edges.
    """
    ids = tuple(row["ids"])
    place = {concept: i for i, concept in enumerate(ids) if concept}
    present = [cue for cue in cues if cue.concept_id in place]
    starts = [place[cue.concept_id] for cue in present]
    edges = _edges(row, place)
    selves = np.array([kind == "self" for kind in row["kinds"]], dtype=bool)
    waves = waves_after(options.search.wave_rounds, edges, starts, selves, options)
    weights = np.array([cue.weight for cue in present], dtype=np.float64)
    relevance = kernel.converge(waves, weights) if present else np.zeros(len(ids))
    near = np.clip([affinity.concepts.get(id, 0.0) for id in ids], 0.0, 1.0).tolist()
    said = [max(_named(label, question), meant) for label, meant in zip(row["labels"], near, strict=True)]
    steps = _steps(edges, _spoken(edges, question, affinity), said, selves, options.search)
    naming = np.array([edge.relation_class == _NAMING and not edge.implied for edge in edges], dtype=bool)
    ends = selves.copy()
    ends[starts] = True
    paths = [
        path for cue in range(len(starts)) for path in _paths(cue, starts[cue], steps, naming, ends, options.search)
    ]
    return Evocation(
        cues=tuple(present),
        ids=ids,
        labels=tuple(row["labels"]),
        kinds=tuple(row["kinds"]),
        edges=edges,
        waves=waves,
        relevance=relevance,
        score=options.relevance_gain * relevance + np.array(row["strengths"], dtype=np.float64),
        paths=tuple(sorted(paths, key=lambda path: (-path.worth, path.cue, path.edges))),
    )


def _edges(row: Row, place: Mapping[str, int]) -> tuple[Edge, ...]:
    names = ("associations", "sources", "targets", "weights", "relations", "classes", "implied", "confidences")
    return tuple(
        Edge(id, place[source], place[target], *properties)
        for id, source, target, *properties in zip(*(row[name] for name in names), strict=True)
        if id and source in place and target in place
    )


def waves_after(
    rounds: int, edges: Sequence[Edge], starts: Sequence[int], selves: NDArray[np.bool_], options: Options
) -> NDArray[np.float64]:
    """(cues, n) float64: where the activation that each cue alone sends has come after some rounds of the kernel."""
    dynamics, n = options.dynamics, len(selves)
    network = kernel.Network.of(
        n, [e.source for e in edges], [e.target for e in edges], [e.weight for e in edges], reverse=dynamics.reverse
    )
    relays = ~selves
    relays[list(starts)] = False
    waves = np.zeros((len(starts), n))
    for wave, start in zip(waves, starts, strict=True):
        wave[start] = 1.0
        wave[:] = kernel.spread(network, wave, transfer=dynamics.transfer, rounds=rounds, relays=relays)
    return waves


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """The steps of a network in both directions, (2m,) each: where they start and end, edge, and score (0..1)."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    edge: NDArray[np.int64]
    score: NDArray[np.float64]


def _paths(
    cue: int, start: int, steps: _Steps, naming: NDArray[np.bool_], ends: NDArray[np.bool_], search: Search
) -> Iterator[Path]:
    """The best path from a cue to each concept within reach. naming: (m,) edges from a thing to its name; ends: (n,)
    concepts that are not passed through.

    A concept is not passed through by its best walk if that is too weak. Which walk is its best depends on what is
    passed through, so the walks are found again until that is settled.
    """
    hops, n = len(search.fan_out), len(ends)
    weakest = search.least_step ** np.arange(hops + 1)[:, np.newaxis]
    closed = np.zeros((hops + 1, n), dtype=bool)
    for _ in range(2 * hops):
        worth, last = _walks(start, steps, ends | closed, hops)
        length, best = worth.argmax(axis=0), worth.max(axis=0)
        too_weak = np.zeros_like(closed)
        too_weak[length, np.arange(n)] = (best > 0) & (best < weakest[length, 0])
        if np.array_equal(too_weak, closed):
            break
        closed = too_weak
    for end in np.flatnonzero((best > 0) & ~closed[length, np.arange(n)]).tolist():
        walked: list[int] = []
        here = end
        for hop in range(int(length[end]), 0, -1):
            step = last[hop, here]
            walked.append(int(step))
            here = int(steps.source[step])
        taken = np.array(walked[::-1])
        used = steps.edge[taken]
        telling = ~naming[used] if not naming[used[-1]] else np.ones(len(used), dtype=bool)
        clear = float(steps.score[taken][telling].prod() ** (1 / telling.sum()))
        yield Path(cue, end, tuple(used.tolist()), float(best[end]), clear)


def _walks(
    start: int, steps: _Steps, closed: NDArray[np.bool_], hops: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(hops + 1, n) worth of the best walk of each length to each concept, and the step by which it arrives.

    closed: (hops + 1, n) where no walk of that length goes on (Bellman 1958, by length). Among equal walks the one over
    the better concept is taken, then the one over the first.
    """
    worth = np.zeros((hops + 1, closed.shape[1]))
    last = np.full(worth.shape, -1)
    before = np.zeros(closed.shape[1])
    before[start] = 1.0
    onwards = steps.target != start
    for hop in range(1, hops + 1):
        taken = np.flatnonzero((before > 0)[steps.source] & onwards)
        source, target = steps.source[taken], steps.target[taken]
        reached = before[source] * steps.score[taken]
        order = np.lexsort((source, -before[source], -reached, target))
        targets, places = np.unique(target[order], return_index=True)
        worth[hop, targets] = reached[order[places]]
        last[hop, targets] = taken[order[places]]
        before = np.where(closed[hop], 0.0, worth[hop])
    return worth, last


def _steps(
    edges: Sequence[Edge], spoken: Sequence[float], said: Sequence[float], selves: NDArray[np.bool_], search: Search
) -> _Steps:
    """The steps along each edge and back. spoken: of each edge, said: of each concept, how clearly it is asked for.

    A step is as clear as its relation or its end, whichever the question says more clearly.
    """
    tails = np.array([edge.source for edge in edges], dtype=np.int64)
    heads = np.array([edge.target for edge in edges], dtype=np.int64)
    source, target = np.concatenate([tails, heads]), np.concatenate([heads, tails])
    factor = np.repeat([1.0, search.backward_step], len(edges))
    clear = np.maximum(np.tile(np.asarray(spoken, dtype=np.float64), 2), np.asarray(said, dtype=np.float64)[target])
    least = np.where(selves[source], search.self_step, search.step)
    edge = np.tile(np.arange(len(edges)), 2)
    return _Steps(source, target, edge, factor * (least + (1 - least) * clear))


def _spoken(edges: Sequence[Edge], question: Question, affinity: Affinity) -> list[float]:
    """How clearly the question says each relation: 1 by class or by a shared content word, else by records.

    "The gym takes thirty-four off my account" tells the price of a membership although neither word occurs.
    """
    return [
        1.0
        if edge.relation_class in question.classes or not question.stems.isdisjoint(_relation_stems(edge.relation))
        else max(0.0, affinity.associations.get(edge.id, 0.0))
        for edge in edges
    ]


def _named(label: str, question: Question) -> float:
    """The share of a label's content words that the question says."""
    stems = _label_stems(label, question.language)
    return len(question.stems.intersection(stems)) / len(stems) if stems else 0.0


@lru_cache(maxsize=50_000)  # many questions reach the same concepts
def _label_stems(label: str, language: str) -> tuple[str, ...]:
    return content_words(label, language)


@lru_cache(maxsize=10_000)
def _relation_stems(relation: str) -> tuple[str, ...]:
    return content_words(relation, detection.detect(relation))
