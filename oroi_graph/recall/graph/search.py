"""Graph search: one wave of activation per cue from an empty state, and the best paths from each cue.

Each wave obeys the kernel. It does not pass through another cue, from which that cue's own wave starts, nor through a
speaker other than its own start. Paths are found in the same fetched network, so every number can be explained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import compress, repeat
from statistics import median

import numpy as np
from numpy.typing import NDArray

from oroi_graph.activation import kernel
from oroi_graph.language import detection
from oroi_graph.language.relations import same_kin
from oroi_graph.language.stemming import content_words
from oroi_graph.model import Step
from oroi_graph.options import Options
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.graph.paths import Mask, Path, Paths, Steps, find_paths, of_classes
from oroi_graph.recall.question import Question
from oroi_graph.recall_options import Search
from oroi_graph.working_set.neighbourhood import Edges, LeftBehind, Neighbourhood

_NAMING = "is called"  # the relation class of a thing's name


@dataclass(frozen=True, slots=True, eq=False)
class Evocation:
    """What a question activates. `ids`, `labels`, `kinds`, `relevance` (0..1) and `score` (ρ·relevance + strength) are
    (n,) over the fetched concepts; `waves` is (cues, n); `paths` come best first; `left_behind` as in `Neighbourhood`;
    `asked` is (m,) over the edges: whose relation is of a class that the question asks for.
    """

    cues: tuple[Cue, ...]
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    edges: Edges
    waves: NDArray[np.float64]
    relevance: NDArray[np.float64]
    score: NDArray[np.float64]
    paths: Paths
    asked: Mask
    left_behind: LeftBehind = field(default_factory=LeftBehind)
    selves: frozenset[str] = field(init=False)  # speakers: connected to almost every concept, so never an answer

    def __post_init__(self) -> None:
        object.__setattr__(self, "selves", frozenset(compress(self.ids, map("self".__eq__, self.kinds))))

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


def evoke(
    cues: Sequence[Cue], question: Question, around: Neighbourhood, affinity: Affinity, options: Options
) -> Evocation:
    """Send the waves and find the paths. Cues that are not among the concepts `around` start no wave."""
    ids, edges = tuple(around.ids), around.edges
    place = dict(zip(ids, range(len(ids)), strict=True))
    present = [cue for cue in cues if cue.concept_id in place]
    starts = [place[cue.concept_id] for cue in present]
    selves = np.array([kind == "self" for kind in around.kinds], dtype=bool)
    waves = waves_after(options.search.wave_rounds, edges, starts, selves, options)
    weights = np.array([cue.weight for cue in present], dtype=np.float64)
    relevance = kernel.converge(waves, weights) if present else np.zeros(len(ids))
    asked, called = of_classes(edges, set(question.classes), {_NAMING})
    said = _said(around.labels, place, question, affinity)
    steps = _steps(edges, _spoken(edges, asked, question, affinity), said, selves, options.search)
    ends = selves.copy()
    ends[starts] = True
    return Evocation(
        cues=tuple(present),
        ids=ids,
        labels=tuple(around.labels),
        kinds=tuple(around.kinds),
        edges=edges,
        waves=waves,
        relevance=relevance,
        score=options.relevance_gain * relevance + around.strength,
        paths=find_paths(starts, steps, called & ~edges.implied, ends, options.search),
        asked=asked,
        left_behind=around.left_behind,
    )


def waves_after(
    rounds: int, edges: Edges, starts: Sequence[int], selves: Mask, options: Options
) -> NDArray[np.float64]:
    """(cues, n) float64: where the activation that each cue alone sends has come after some rounds of the kernel."""
    dynamics, n = options.dynamics, len(selves)
    waves = np.zeros((len(starts), n))
    if not len(starts):
        return waves
    network = kernel.Network.of(n, edges.source, edges.target, edges.weight, reverse=dynamics.reverse)
    waves[np.arange(len(starts)), list(starts)] = 1.0
    relays = ~selves
    relays[list(starts)] = False
    # All waves at once, each in a copy of the network.
    together, relaying = network.copies(len(starts)), np.concatenate((relays,) * len(starts))
    spread = kernel.spread(together, waves.ravel(), transfer=dynamics.transfer, rounds=rounds, relays=relaying)
    return spread.reshape(waves.shape)


def _steps(edges: Edges, spoken: NDArray[np.float64], said: NDArray[np.float64], selves: Mask, search: Search) -> Steps:
    """The steps along each edge and back. spoken: of each edge, said: of each concept, how clearly it is asked for.

    A step is as clear as its relation or its end, whichever the question says more clearly.
    """
    source, target = np.concatenate((edges.source, edges.target)), np.concatenate((edges.target, edges.source))
    clear = np.maximum(np.concatenate((spoken, spoken)), said[target])
    least = np.where(selves, search.self_step, search.step)[source]
    score = least + (1 - least) * clear
    score[len(edges) :] *= search.backward_step
    edge = np.arange(len(edges))
    return Steps(source, target, np.concatenate((edge, edge)), score)


def _spoken(edges: Edges, asked: Mask, question: Question, affinity: Affinity) -> NDArray[np.float64]:
    """(m,) How clearly the question says each relation: 1 by class (asked) or a shared content word, else by records.

    "The gym takes thirty-four off my account" tells the price of a membership although neither word occurs. Kin are the
    same in all languages: "my husband" is who is "mi marido".
    """
    kin, stems = frozenset().union(*map(same_kin, question.parsed.tokens)), _relation_stems(question.language)
    shared = {
        relation
        for relation in set(edges.relations)
        if relation.casefold() in kin or not question.stems.isdisjoint(stems(relation))
    }
    near = map(affinity.associations.get, edges.ids, repeat(0.0))
    spoken = np.maximum(np.array(list(near), dtype=np.float64), asked)
    if shared:
        spoken[[relation in shared for relation in edges.relations]] = 1.0
    return spoken


def _said(
    labels: Sequence[str], place: Mapping[str, int], question: Question, affinity: Affinity
) -> NDArray[np.float64]:
    """(n,) How clearly the question says each concept: the share of its label's content words that it says, or how near
    it is, whichever is more. place: {concept id: where it stands}."""
    said, words = np.zeros(len(labels)), question.stems
    for id, cosine in affinity.concepts.items():
        if id in place:
            said[place[id]] = min(max(cosine, 0.0), 1.0)
    stems = list(map(_label_stems(question.language), labels))
    for i in [i for i, apart in enumerate(map(words.isdisjoint, stems)) if not apart]:
        said[i] = max(said[i], len(words.intersection(stems[i])) / len(stems[i]))
    return said


@cache
def _label_stems(language: str) -> Callable[[str], tuple[str, ...]]:
    """The content words of a label in a language, kept: many questions reach the same concepts."""
    return lru_cache(maxsize=50_000)(partial(content_words, language=language))


@cache
def _relation_stems(asked: str) -> Callable[[str], tuple[str, ...]]:
    """The content words of a relation, in its language; where it does not tell ("hermana"), in the question's."""
    return lru_cache(maxsize=10_000)(lambda relation: content_words(relation, detection.detect(relation, asked)))
