"""How likely each record helps to answer, or misleads, and how likely none answers.

Selection weighs by it what the graph evidence decides for, and chooses by it where that decides nothing. A softmax
over the ranked records, so that a record is likely only if no other is more so. The log odds of each are a weighted sum
of what is told of it (who says it, that it was replaced, that it tells a name where one is asked for), and to that the
sum of small decision trees (`trees`) and what a network says that reads the words of the best ones (`attention`).
Beside features of the ranker the trees weigh what records have in common: records that name the same person or use the
same rare word belong together even if no relation was read. A record is bridged to those that are near to the question,
and several weak clues about one thing count together.

The trees are fitted by listwise boosting (Friedman 2001; Cao et al. 2007, ListNet), with the signs that features must
have (`benchmarks/relevance.py`, decision 1965). They know what a weighted sum cannot: that a question's words tell much
where people ask in the words in which they told it, and little where they do not. The weights are those of decision
0601: what is told seldom is seldom seen by the trees.

Where the best record of the ranking stands out from all others, the question shares its words with the record that
answers it, and the ranking's own order is believed more than these. How far the scores of a ranking are apart
predicts how good it is (Shtok et al. 2012, query performance prediction); decision 1942. Beside a network, which reads
what the ranking compares, it is believed half as much; decision 1979.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.model import RecordHit
from oroi_graph.recall.graph.evidence import Evidence, mentions, record_supports
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.question import Question
from oroi_graph.recall.ranking.answer_types import TYPES, asked_types, tells
from oroi_graph.recall.ranking.attention import Attention, Scores, shipped
from oroi_graph.recall.ranking.features import Said, Values, shared_rarity, z_rows, z_scores
from oroi_graph.recall.ranking.kept_texts import Stems, stems_of
from oroi_graph.recall.ranking.layers import Numbers
from oroi_graph.recall.ranking.ranker import Words
from oroi_graph.recall.ranking.stressed import says_stressed
from oroi_graph.recall.ranking.succession import around, progress
from oroi_graph.recall.ranking.trees import Trees
from oroi_graph.recall_options import Selection
from oroi_graph.working_set.candidates import Candidate

_NEAREST = 3  # records that set how near "near to the question" is
_WORDS = 8  # words from which a record is no longer short
ATTENDED = 24  # records that the network reads

TREES = Trees.read((files(__package__) / "relevance.json").read_text("utf-8"))
_OF_RANKER = ("interaction", "meaning", "meaning after", "reached", "who", "asks", "assistant")


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranked records of one question, the best first, with what the probabilities are computed from.

    words: the question's and the records'. stating: ids of records that state a fact on the way to the answers.
    superseded: ids of records that state a replaced fact, or are replaced entries.
    """

    question: Question
    evocation: Evocation
    evidence: Evidence
    hits: Sequence[RecordHit]
    candidates: Mapping[str, Candidate]
    words: Words
    stating: Set[str]
    superseded: Set[str]


class Probabilities(NamedTuple):
    """{record id: probability} that a record helps, which sum to 1 over the ranked ones; and that it misleads, 0..1.

    silent: the probability that none of them answers, 0..1.
    """

    helps: dict[str, float]
    misleads: dict[str, float]
    silent: float


def probabilities(ranked: Ranked, selection: Selection, trees: Trees = TREES) -> Probabilities:
    """How likely each of the ranked records helps, and misleads, and how likely none answers (0 where no network
    reads them)."""
    if not ranked.hits:
        return Probabilities({}, {}, 0.0)
    found = features(ranked)
    order = in_ranking(ranked.hits)
    told = weighed(found, selection) + trees.scores(found)
    read = attention(ranked, told) if selection.attention else _unread(len(told))
    told += selection.attention * read.answering
    clear = clearness(order, selection)
    if read.by_network:
        clear *= selection.clear_read
    rest = 1.0 - clear * (1.0 - selection.clear_rest)
    score = clear * selection.clear_order * order + rest * told
    odds = np.exp(score - score.max())
    ids = [hit.id for hit in ranked.hits]
    helps = dict(zip(ids, (odds / odds.sum()).tolist(), strict=True))
    return Probabilities(helps, dict(zip(ids, read.misleading.tolist(), strict=True)), read.silent)


def attention(ranked: Ranked, told: Values) -> Scores:
    """(n,) What the network that ships for the embedding model says of each record, 0 where there is none.

    told: (n,) what all else says of the records.
    """
    return attended(shipped(ranked.words.model), ranked, told)


def attended(network: Attention | None, ranked: Ranked, told: Values) -> Scores:
    """(n,) What a network that reads each record's words says of it, 0 where there is none, or there are no words.

    told: (n,) what all else says of the records. Those that are not read answer no better than any that is, and do not
    mislead.
    """
    asked = ranked.words.asked
    found = _unread(len(told))
    if network is None or not asked:
        return found
    places, packed, about, ties = to_read(ranked, told)
    if packed:
        scores = network.scores(asked, packed, about, ties, told[places])
        found.answering[:] = scores.answering.min()
        found.answering[places], found.misleading[places] = scores.answering, scores.misleading
        return found._replace(silent=scores.silent, by_network=True)
    return found


def _unread(count: int) -> Scores:
    """Of so many records that no network read."""
    return Scores(np.zeros(count), np.zeros(count), 0.0, by_network=False)


def to_read(ranked: Ranked, told: Values) -> tuple[list[int], list[str], Numbers, Numbers]:
    """The places of the records that the network reads, their packed words, what else they are told, and which of them
    share words (`Attention`).

    told: (n,) what all else says of the records, of which the best are read.
    """
    best: list[int] = []
    packed: list[str] = []
    for place in np.argsort(-told, kind="stable")[:ATTENDED].tolist():
        words = ranked.words.read(ranked.hits[place].id)
        if words is not None:
            best.append(place)
            packed.append(words)
    hits = [ranked.hits[place] for place in best]
    order = sorted(range(len(hits)), key=lambda i: (hits[i].at or "", hits[i].turn))
    about = np.zeros((len(best), 3), dtype=np.float32)
    about[order, 0] = np.arange(len(hits)) / max(1, len(hits) - 1) - 0.5
    about[:, 1] = [hit.role == "assistant" for hit in hits]
    about[:, 2] = ranked.question.past
    texts = [stems_of(hit.text, ranked.question.language).distinct for hit in ranked.hits]
    return best, packed, about, shared_rarity(texts, best, ranked.question.stems)


def weighed(found: Mapping[str, Values], selection: Selection) -> Values:
    """(n,) The weighted sum of the symbolic features: what trees add to. found: of `features`."""
    weights = selection.relevance
    total: Values = np.array([*weights.values()]) @ np.array([found[name] for name in weights])
    return total


def in_ranking(hits: Sequence[RecordHit]) -> Values:
    """(n,) float64: how many standard deviations each record's score lies above the mean of all."""
    return z_scores(np.array([hit.score for hit in hits]))


def clearness(order: Values, selection: Selection) -> float:
    """How far the best record stands out, from 0 (as in any ranking) to 1 (the ranking is believed).

    order: of `in_ranking`, not empty.
    """
    return min(max(float(order.max()) - selection.clear, 0.0), 1.0)


def features(ranked: Ranked) -> dict[str, Values]:
    """{name: (n,) float64} of the ranked records: yes and no as 1 and 0, graded ones as z-scores, so that they mean the
    same whatever model made the vectors; how near neighbours are, in the deviations of all."""
    hits, question, past = ranked.hits, ranked.question, float(ranked.question.past)
    ranker = {name: np.array([hit.features[name] for hit in hits]) for name in _OF_RANKER}
    known = [ranked.candidates[hit.id].concepts for hit in hits]
    support = np.array(record_supports(known, ranked.evidence, ranked.evocation))
    outdated = np.array([hit.id in ranked.superseded for hit in hits], dtype=np.float64)
    named = any(cue.specific and cue.method != "recognition" for cue in ranked.evocation.cues)
    cued = {cue.concept_id for cue in ranked.evocation.cues if cue.specific}
    links = _Links(ranked, ranker["interaction"])
    reminded = _stressed(hits, question.language, "remember") * (1 - ranker["assistant"])
    reminding = float(question.reminding)
    succession = progress(hits, links.alone)
    graded = {
        **{name: ranker[name] for name in ("meaning", "meaning after", "reached")},
        "bridge": links.bridged(links.stems),
        "bridge concept": links.bridged(links.concepts),
        "together": links.together(),
    }
    return {
        "who": ranker["who"],
        "asks": ranker["asks"],
        "assistant": ranker["assistant"],
        "says": _said_of(question.stems, links.texts),
        "long": np.array([min(len(hit.text.split()), _WORDS) / _WORDS for hit in hits]),
        "states": np.array([hit.id in ranked.stating for hit in hits], dtype=np.float64),
        "unnamed": named * np.array([s <= 0 and cued.isdisjoint(c) for s, c in zip(support, known, strict=True)]),
        "outdated": outdated * (1 - past),
        "was so": outdated * past,
        "change": (1 - past) * _stressed(hits, question.language, "change"),
        "remember": reminded * (1 - reminding),
        "asked to remember": reminded * reminding,
        **_told(hits, question),
        "latest": (1 - past) * succession,
        "earliest": past * (1 - succession),
        "interaction": links.nearness,
        **around(hits, links.nearness),
        **dict(zip(graded, z_rows(np.array([*graded.values()])), strict=True)),
    }


class _Links:
    """What records have in common: concepts and rare words that the question does not name.

    alone: (n,) how near each record is to the question's words; nearness: the same as z-scores. texts: the content
    words of each.
    """

    def __init__(self, ranked: Ranked, alone: Values) -> None:
        hits, language = ranked.hits, ranked.question.language
        self.alone, self.nearness = alone, z_scores(alone)
        asked = {cue.concept_id for cue in ranked.evocation.cues} | ranked.evocation.selves
        best = ranked.words.best([hit.id for hit in hits])
        self._best = alone[np.newaxis] if best is None else best
        self._said = np.array([hit.role != "assistant" for hit in hits])
        self.texts = [stems_of(hit.text, language) for hit in hits]
        self.stems = _Items.of([text.distinct for text in self.texts], ranked.question.stems)
        self.concepts = _Items.of([ranked.candidates[hit.id].concepts for hit in hits], asked)
        base = self.nearness - ~self._said
        near = np.sort(base)[-_NEAREST:].mean()
        self._near = np.where(self._said, 1 / (1 + np.exp(near - base)), 0.0)

    def bridged(self, items: _Items) -> Values:
        """(n,): how near the nearest record is that shares an item, times how rare (IDF) the item is.

        items: `stems` or `concepts`. Nobody is bridged to itself: the nearest one gets what the second nearest gives.
        """
        found = np.zeros(len(self._near))
        record, item, count = items.shared()
        if not len(item):
            return found
        order = np.lexsort((record, -self._near[record], item))
        starts = np.cumsum(count) - count
        nearest = order[starts]
        given = self._near[record[nearest]][item]
        given[nearest] = self._near[record[order[starts + 1]]]
        np.maximum.at(found, record, np.log((len(found) + 1) / count)[item] * given)
        return found

    def together(self) -> Values:
        """(n,): how near all records about the best of a record's concepts and rare words are to the question's words.

        Words of the question that all records match alike tell nothing, so each word counts by its spread.
        """
        spread = self._best.std(axis=1)
        weights = spread / max(float(spread.sum()), 1e-9)
        rare = self.stems.of_at_most(max(3, len(self._near) // 8))
        found: Values = weights @ self._best
        for items in (rare, self.concepts):
            record, item, count = items.only(self._said).shared()
            if len(item):
                order = np.argsort(item, kind="stable")
                best = np.maximum.reduceat(self._best[:, record[order]], np.cumsum(count) - count, axis=1)
                np.maximum.at(found, record, (weights @ best)[item])
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """Things that records have: (k,) each time one has one of them, each thing of a record once."""

    record: NDArray[np.int64]
    item: NDArray[np.int64]

    @classmethod
    def of(cls, records: Sequence[Collection[str]], apart: Set[str]) -> _Items:
        """What each of the records has, without what is `apart`."""
        things = dict.fromkeys(chain.from_iterable(records))
        return cls(*mentions(records, {thing: i for i, thing in enumerate(things) if thing not in apart}))

    def only(self, records: NDArray[np.bool_]) -> _Items:
        """What some records have; records: (n,)."""
        return _Items(self.record[records[self.record]], self.item[records[self.record]])

    def of_at_most(self, most: int) -> _Items:
        """The things that at most so many records have."""
        few = np.bincount(self.item)[self.item] <= most
        return _Items(self.record[few], self.item[few])

    def shared(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """(record, number) of each thing that several records have, as two (j,) arrays, and how many have each one."""
        count = np.bincount(self.item)
        several = count > 1
        number = np.cumsum(several) - 1
        among = several[self.item]
        return self.record[among], number[self.item[among]], count[several]


def _said_of(asked: Set[str], texts: Sequence[Stems]) -> Values:
    """(n,) The square of the share of a question's content words that each text says, 0..1.

    Words count by their rarity (IDF) among the texts, those that none says most of all: where people ask in other words
    than they told it in, the few that are the same tell little. Where they ask in the same words, they tell the most.
    """
    if not asked:
        return np.zeros(len(texts))
    said = Said(sorted(asked), texts).counts > 0
    worth = np.log((len(texts) + 1) / np.maximum(said.sum(axis=1), 1.0))
    share: Values = worth @ said / worth.sum()
    return np.square(share)


def _told(hits: Sequence[RecordHit], question: Question) -> dict[str, Values]:
    """Whether each record tells what the question asks for: {"a name": (n,)} and so on, 0 if it asks for none."""
    asked = asked_types(question.text, question.language)
    if not asked:
        return {f"a {name}": np.zeros(len(hits)) for name in TYPES}
    return {
        f"a {name}": np.array(
            [name in asked and tells(hit.text, name, question.text) for hit in hits], dtype=np.float64
        )
        for name in TYPES
    }


def _stressed(hits: Sequence[RecordHit], language: str, what: str) -> Values:
    """(n,): whether each record says that something changed, or is to be remembered."""
    return np.array([says_stressed(hit.text, language, what) for hit in hits], dtype=np.float64)
