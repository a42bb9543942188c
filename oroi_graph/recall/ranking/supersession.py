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
from math import exp, log, log1p

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
    best: dict[str, Successor] = {}
    for old, new, z in zip(pairs.older, pairs.newer, odds.tolist(), strict=True):
        probability = 1 / (1 + exp(-z))
        if old.id not in best or probability > best[old.id].probability:
            best[old.id] = Successor(new.id, probability)
    return best


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
        order = sorted(best, key=lambda hit: (hit.turn, hit.id))
        later = [(i, new) for i, new in enumerate(order) if _stresses(new.text, question.language, "change")]
        pairs = [(old, new) for place, old in enumerate(order) for i, new in later if i > place and new.turn > old.turn]
        self.older = [old for old, _ in pairs]
        self.newer = [new for _, new in pairs]

    def features(self) -> dict[str, Values]:
        """{name: (pairs,) float64}, of each pair."""
        newer = {hit.id: hit for hit in self.newer}
        passing = {id: float(_stresses(hit.text, self._question.language, "passing")) for id, hit in newer.items()}
        telling = {id: self._telling(hit) for id, hit in newer.items()}
        stems = {hit.id: stems_of(hit.text, self._question.language).distinct for hit in self._hits}
        rare = rarity(stems.values())
        both = [stems[old.id] & stems[new.id] for old, new in zip(self.older, self.newer, strict=True)]
        asked, besides = zip(*(self._shared(words, rare) for words in both), strict=True)
        apart = [log1p(min(new.turn - old.turn, _FAR)) for old, new in zip(self.older, self.newer, strict=True)]
        return {
            "always": np.ones(len(self.older)),
            "passing": np.array([passing[hit.id] for hit in self.newer]),
            "tells": np.array([telling[hit.id] for hit in self.newer]),
            "likely": np.array([log(self._likely[hit.id] + _LEAST) for hit in self.newer]),
            "length": np.array([log(len(hit.text) + 1) for hit in self.older]),
            "apart": np.array(apart),
            "asked": np.array(asked),
            "besides": np.array(besides),
        }

    def _shared(self, both: Set[str], rare: Mapping[str, float]) -> tuple[float, float]:
        """How much of the question both say, by rarity, and how rare the rarest other word is. both: words of both."""
        asked = both & self._question.stems
        return sum(rare[word] for word in asked), max((rare[word] for word in both - asked), default=0.0)

    def _telling(self, hit: RecordHit) -> float:
        """Of each type of answer that is asked for, half more if a record tells it, half less if it does not."""
        asked = asked_types(self._question.text, self._question.language)
        return sum(0.5 if tells(hit.text, name, self._question.text) else -0.5 for name in asked)


@kept(50_000)
def _stresses(text: str, language: str, what: str) -> bool:
    """Whether a text says it in its own language or in that of the question."""
    return any(says_stressed(text, tongue, what) for tongue in dict.fromkeys((language, detect(text))))
