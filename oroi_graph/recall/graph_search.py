"""Graph search: one wave of activation per cue from an empty state, and the best paths from each cue.

Each wave obeys the kernel. It does not pass through another cue, from which that cue's own wave starts, nor through a
speaker other than its own start. Paths are found in the same fetched network, so every number can be explained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median
from typing import NamedTuple

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


class Edge(NamedTuple):
    """One fetched association. source, target: indexes of its ends in the network. confidence: that it was stated."""

    id: str
    source: int
    target: int
    weight: float
    relation: str
    relation_class: str
    implied: bool
    confidence: float


class Path(NamedTuple):
    """The best way from a cue to a concept. edges: positions. worth: product of the steps' scores, 0..1.

    clear: geometric mean of the scores of the steps that say something: "my sister is called Leire" on the way to her
    birthday only tells who is meant.
    """

    cue: int
    end: int
    edges: tuple[int, ...]
    worth: float
    clear: float

    @property
    def strength(self) -> float:
        """Geometric mean of the steps' scores, so that length alone costs nothing."""
        return float(self.worth ** (1 / len(self.edges)))


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

    alike: [record id, cosine]; stating: the associations that each of them states (`working_set.entry.seeds`). The
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

    Cues that are not among its concepts start no wave.
    """
    ids = tuple(row["ids"])
    place = {concept: i for i, concept in enumerate(ids)}
    present = [cue for cue in cues if cue.concept_id in place]
    starts = [place[cue.concept_id] for cue in present]
    edges = _edges(row, place)
    selves = np.array([kind == "self" for kind in row["kinds"]], dtype=bool)
    waves = waves_after(options.search.wave_rounds, edges, starts, selves, options)
    weights = np.array([cue.weight for cue in present], dtype=np.float64)
    relevance = kernel.converge(waves, weights) if present else np.zeros(len(ids))
    near = np.clip([affinity.concepts.get(id, 0.0) for id in ids], 0.0, 1.0).tolist()
    stems, language = question.stems, question.language
    said = [max(_named(label, stems, language), meant) for label, meant in zip(row["labels"], near, strict=True)]
    steps = _steps(edges, _spoken(edges, question, affinity), said, selves, options.search)
    naming = np.array([edge.relation_class == _NAMING and not edge.implied for edge in edges], dtype=bool)
    ends = selves.copy()
    ends[starts] = True
    paths = _paths(starts, steps, naming, ends, options.search) if starts else ()
    return Evocation(
        cues=tuple(present),
        ids=ids,
        labels=tuple(row["labels"]),
        kinds=tuple(row["kinds"]),
        edges=edges,
        waves=waves,
        relevance=relevance,
        score=options.relevance_gain * relevance + np.array(row["strengths"], dtype=np.float64),
        paths=tuple(paths),
    )


def _edges(row: Row, place: Mapping[str, int]) -> tuple[Edge, ...]:
    sources, targets = ([place[end] for end in row[name]] for name in ("sources", "targets"))
    names = ("weights", "relations", "classes", "implied", "confidences")
    return tuple(map(Edge, row["associations"], sources, targets, *(row[name] for name in names)))


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
    waves[np.arange(len(starts)), list(starts)] = 1.0
    if not len(starts):
        return waves
    # All waves at once, each in a copy of the network.
    together, relaying = network.copies(len(starts)), np.concatenate([relays] * len(starts))
    spread = kernel.spread(together, waves.ravel(), transfer=dynamics.transfer, rounds=rounds, relays=relaying)
    return spread.reshape(waves.shape)


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """The steps of a network in both directions, (2m,) each: where they start and end, edge, and score (0..1)."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    edge: NDArray[np.int64]
    score: NDArray[np.float64]

    def copies(self, times: int, n: int) -> _Steps:
        """The steps of some copies of the network, whose n concepts each follow one another; edges keep their place."""
        shift = np.repeat(np.arange(times) * n, len(self.edge))
        source, target, edge = (np.concatenate([each] * times) for each in (self.source, self.target, self.edge))
        return _Steps(source + shift, target + shift, edge, np.concatenate([self.score] * times))


def _paths(
    starts: Sequence[int], steps: _Steps, naming: NDArray[np.bool_], ends: NDArray[np.bool_], search: Search
) -> Iterator[Path]:
    """The best path from each cue to each concept within reach, the best first. starts: the cues' concepts; naming:
    (m,) edges from a thing to its name; ends: (n,) concepts that are not passed through.

    A concept is not passed through by its best walk if that is too weak. Which walk is its best depends on what is
    passed through, so the walks are found again until that is settled. All cues search at once, each in a copy of the
    network, whose concepts follow one another.
    """
    hops, n, cues = len(search.fan_out), len(ends), np.arange(len(starts))
    first = cues * n + np.array(starts, dtype=np.int64)
    steps = steps.copies(len(starts), n)
    ends = np.concatenate([ends] * len(starts))
    places = np.arange(len(ends))
    weakest = search.least_step ** np.arange(hops + 1)[:, np.newaxis]
    closed = np.zeros((hops + 1, len(ends)), dtype=bool)
    for _ in range(2 * hops):
        worth, last = _walks(first, steps, ends | closed, hops)
        length, best = worth.argmax(axis=0), worth.max(axis=0)
        too_weak = np.zeros_like(closed)
        too_weak[length, places] = (best > 0) & (best < weakest[length, 0])
        if np.array_equal(too_weak, closed):
            break
        closed = too_weak
    reached = np.flatnonzero((best > 0) & ~closed[length, places])
    length, best = length[reached], best[reached]
    taken = _taken(reached, length, last, steps)
    used = np.where(taken >= 0, steps.edge[taken], -1)
    order = np.lexsort((*used.T[::-1], reached // n, -best))
    reached, length, best, taken, used = reached[order], length[order], best[order], taken[order], used[order]
    told = (taken >= 0) & ~naming[used]
    arrives_at_name = naming[used[np.arange(len(used)), length - 1]]
    told[arrives_at_name] = taken[arrives_at_name] >= 0
    product = np.where(told, steps.score[taken], 1.0).prod(axis=1)
    columns = (reached // n, reached % n, length, used, best, product, told.sum(axis=1))
    for cue, end, walks, edges, worth_of, telling, among in zip(*(column.tolist() for column in columns), strict=True):
        yield Path(cue, end, tuple(edges[:walks]), worth_of, telling ** (1 / among))


def _taken(
    ends: NDArray[np.int64], length: NDArray[np.int64], last: NDArray[np.int64], steps: _Steps
) -> NDArray[np.int64]:
    """(k, hops): the steps of the walks that arrive at some concepts after `length` steps, in order; -1 behind them."""
    taken = np.full((len(ends), len(last) - 1), -1)
    here = ends.copy()
    for hop in range(len(last) - 1, 0, -1):
        walking = np.flatnonzero(length >= hop)
        step = last[hop, here[walking]]
        taken[walking, hop - 1] = step
        here[walking] = steps.source[step]
    return taken


def _walks(
    starts: NDArray[np.int64], steps: _Steps, closed: NDArray[np.bool_], hops: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(hops + 1, n) worth of the best walk of each length to each concept, and the step by which it arrives.

    starts: a concept in each copy of the network. closed: (hops + 1, n) where no walk of that length goes on (Bellman
    1958, by length). Among equal walks the one over the better concept is taken, then the one over the first.
    """
    worth = np.zeros((hops + 1, closed.shape[1]))
    last = np.full(worth.shape, -1)
    before = np.zeros(closed.shape[1])
    before[starts] = 1.0
    home = before > 0
    onwards = ~home[steps.target]
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
    asked = np.asarray(spoken, dtype=np.float64)
    clear = np.maximum(np.concatenate([asked, asked]), np.asarray(said, dtype=np.float64)[target])
    least = np.where(selves[source], search.self_step, search.step)
    edge = np.concatenate([np.arange(len(edges))] * 2)
    return _Steps(source, target, edge, factor * (least + (1 - least) * clear))


def _spoken(edges: Sequence[Edge], question: Question, affinity: Affinity) -> list[float]:
    """How clearly the question says each relation: 1 by class or by a shared content word, else by records.

    "The gym takes thirty-four off my account" tells the price of a membership although neither word occurs.
    """
    asked = {
        (class_, relation)
        for class_, relation in {(edge.relation_class, edge.relation) for edge in edges}
        if class_ in question.classes or not question.stems.isdisjoint(_relation_stems(relation))
    }
    return [
        1.0 if (edge.relation_class, edge.relation) in asked else max(0.0, affinity.associations.get(edge.id, 0.0))
        for edge in edges
    ]


def _named(label: str, said: frozenset[str], language: str) -> float:
    """The share of a label's content words that a question says. said: its words."""
    stems = _label_stems(label, language)
    return len(said.intersection(stems)) / len(stems) if stems else 0.0


@lru_cache(maxsize=50_000)  # many questions reach the same concepts
def _label_stems(label: str, language: str) -> tuple[str, ...]:
    return content_words(label, language)


@lru_cache(maxsize=10_000)
def _relation_stems(relation: str) -> tuple[str, ...]:
    return content_words(relation, detection.detect(relation))
