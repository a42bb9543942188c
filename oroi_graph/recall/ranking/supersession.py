"""Which likely records a later one replaces, where no relation was read of which one replaced the other.

"I drive a Honda Jazz" is no answer to "What car do I drive?" once "The car failed its test, so I bought a Skoda Fabia"
was said. Of each pair of an older record and a later one that says that something changed, a logistic model says how
likely the later one replaces what the older one says of what is asked for: by what both say of the question and else,
whether it tells what is asked for, how likely it is to answer, and how far they are apart (decision 1964; fitted by
`benchmarks/supersession.py`).

What is replaced passes its likelihood on: who asks for it wants what came in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from math import exp, log

import numpy as np

from oroi_graph.language.detection import detect
from oroi_graph.model import RecordHit
from oroi_graph.recall.question import Question
from oroi_graph.recall.ranking.answer_types import asked_types, tells
from oroi_graph.recall.ranking.features import Values, rarity
from oroi_graph.recall.ranking.kept_texts import kept, stems_of
from oroi_graph.recall.ranking.stressed import says_stressed
from oroi_graph.recall_options import Selection

_FAR = 12  # turns from which two records are as far apart as any
_LEAST = 1e-4  # added to a probability before its logarithm is taken


@dataclass(frozen=True, slots=True)
class Successor:
    """The record that most likely replaces what another one says. probability: that it does, 0..1."""

    id: str
    probability: float


def successors(
    question: Question, hits: Sequence[RecordHit], likely: Mapping[str, float], selection: Selection
) -> dict[str, Successor]:
    """{record id: what most likely replaces it} of the likely records that have a later one, oldest first.

    hits: the records that may enter. likely: {record id: probability of relevance}. Nothing if the past is asked for.
    """
    if question.past:
        return {}
    pairs = Pairs(question, hits, likely, selection.superseding_records)
    if not pairs.older:
        return {}
    found = pairs.features()
    odds = sum((weight * found[name] for name, weight in selection.superseding.items()), np.zeros(len(pairs.older)))
    best: dict[str, tuple[str, float]] = {}
    for old, new, z in zip(pairs.older, pairs.newer, odds.tolist(), strict=True):
        probability = 1 / (1 + exp(-z))
        if old.id not in best or probability > best[old.id][1]:
            best[old.id] = (new.id, probability)
    return {id: Successor(*one) for id, one in best.items()}


def passed_on(likely: Mapping[str, float], replaced: Mapping[str, Successor]) -> dict[str, float]:
    """The probabilities of relevance, what is replaced having passed its own on as far as it is; their sum stays.

    replaced: oldest first, so that what was replaced twice passes it on to the last.
    """
    passed = dict(likely)
    for id, one in replaced.items():
        share = passed[id] * one.probability
        passed[id] -= share
        passed[one.id] += share
    return passed


class Pairs:
    """Pairs of an older record and a later one that may say that something changed, of the `most` likeliest that people
    said, in order of the older one."""

    def __init__(self, question: Question, hits: Sequence[RecordHit], likely: Mapping[str, float], most: int) -> None:
        self._question, self._hits, self._likely = question, hits, likely
        said = [hit for hit in hits if hit.role != "assistant" and hit.entry is None and hit.note is None]
        best = sorted(said, key=lambda hit: (-likely[hit.id], hit.id))[:most]
        self._order = order = sorted(best, key=lambda hit: (hit.turn, hit.id))
        later = [i for i, new in enumerate(order) if _stresses(new.text, question.language, "change")]
        self._places = [(i, j) for i, old in enumerate(order) for j in later if j > i and order[j].turn > old.turn]
        self.older = [order[i] for i, _ in self._places]
        self.newer = [order[j] for _, j in self._places]

    def features(self) -> dict[str, Values]:
        """{name: (pairs,) float64}, of each pair."""
        older, newer = np.array(self._places, dtype=np.int64).reshape(-1, 2).T
        passing, telling, likely = np.zeros((3, len(self._order)))
        asked = asked_types(self._question.text, self._question.language)
        for j in {j for _, j in self._places}:
            hit = self._order[j]
            passing[j] = _stresses(hit.text, self._question.language, "passing")
            telling[j] = self._telling(hit, asked)
            likely[j] = log(self._likely[hit.id] + _LEAST)
        turn = np.array([hit.turn for hit in self._order])
        shared_asked, besides = self._shared()
        return {
            "always": np.ones(len(older)),
            "passing": passing[newer],
            "tells": telling[newer],
            "likely": likely[newer],
            "length": np.array([log(len(hit.text) + 1) for hit in self._order])[older],
            "apart": np.log1p(np.minimum(turn[newer] - turn[older], _FAR)),
            "asked": shared_asked,
            "besides": besides,
        }

    def _shared(self) -> tuple[Values, Values]:
        """(pairs,) How much of the question both say, by rarity, and how rare the rarest other word of both is."""
        language, asked = self._question.language, self._question.stems
        stems = [stems_of(hit.text, language).distinct for hit in self._order]
        both = [stems[i] & stems[j] for i, j in self._places]
        words = frozenset().union(*both)  # most words are of no pair
        rare = rarity([words & stems_of(hit.text, language).distinct for hit in self._hits])
        of_asked = [sum(rare[word] for word in shared & asked) for shared in both]
        besides = [max((rare[word] for word in shared - asked), default=0.0) for shared in both]
        return np.array(of_asked), np.array(besides)

    def _telling(self, hit: RecordHit, asked: Set[str]) -> float:
        """Of each type of answer that is asked for, half more if a record tells it, half less if it does not."""
        question = self._question.text.casefold()
        return sum(0.5 if tells(hit.text, name, question) else -0.5 for name in asked)


@kept(50_000)
def _stresses(text: str, language: str, what: str) -> bool:
    """Whether a text says it in its own language or in that of the question."""
    return any(says_stressed(text, tongue, what) for tongue in dict.fromkeys((language, detect(text))))
