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

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.model import RecordHit
from oroi_graph.recall.graph.evidence import Evidence, record_supports
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.question import Question
from oroi_graph.recall.ranking.answer_types import TYPES, asked_types, tells
from oroi_graph.recall.ranking.attention import Attention, Scores, shipped
from oroi_graph.recall.ranking.features import Values, among, z_rows, z_scores
from oroi_graph.recall.ranking.kept_texts import kept, stems_of
from oroi_graph.recall.ranking.layers import Numbers
from oroi_graph.recall.ranking.links import Conversation, Links, Things
from oroi_graph.recall.ranking.ranker import Words
from oroi_graph.recall.ranking.stressed import says_stressed
from oroi_graph.recall.ranking.trees import Trees
from oroi_graph.recall_options import Selection
from oroi_graph.working_set.candidates import Candidate

_NEAREST = 3  # records that set how near "near to the question" is
_WORDS = 8  # words from which a record is no longer short
ATTENDED = 24  # records that the network reads

TREES = Trees.read((files(__package__) / "relevance.json").read_text("utf-8"))
_GRADED = ("meaning", "meaning after", "reached", "bridge", "bridge concept", "together")
_numbers_of_ranker = itemgetter("interaction", "meaning", "meaning after", "reached", "who", "asks", "assistant")


@dataclass(frozen=True)
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

    @cached_property
    def texts(self) -> list[_Text]:
        """Of each record."""
        return [_read(hit.text, self.question.language) for hit in self.hits]

    @cached_property
    def concepts(self) -> list[tuple[str, ...]]:
        """Ids of those that each record mentions."""
        return [self.candidates[hit.id].concepts for hit in self.hits]

    @cached_property
    def stems(self) -> Things:
        """Of the records; the question's are apart."""
        return Things.of([text.stems for text in self.texts], self.question.stems)


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
    if not best:
        return [], [], np.zeros((0, 3), dtype=np.float32), np.zeros((0, 0, 2), dtype=np.float32)
    hits = [ranked.hits[place] for place in best]
    order = sorted(range(len(hits)), key=lambda i: (hits[i].at or "", hits[i].turn))
    about = np.zeros((len(best), 3), dtype=np.float32)
    about[order, 0] = np.arange(len(hits)) / max(1, len(hits) - 1) - 0.5
    about[:, 1] = [hit.role == "assistant" for hit in hits]
    about[:, 2] = ranked.question.past
    return best, packed, about, ranked.stems.ties(best)


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
    of_ranker = _columns(map(_numbers_of_ranker, (hit.features for hit in hits)), len(hits))
    alone, meaning, meaning_after, reached, who, asks, assistant = of_ranker
    long, change, remember = _columns((text.manner for text in ranked.texts), len(hits))
    ids = [hit.id for hit in hits]
    outdated = among(ranked.superseded, ids)
    reminded, reminding = remember * (1 - assistant), float(question.reminding)
    said = np.array([hit.role != "assistant" for hit in hits])
    nearness = z_scores(alone)
    conversation = Conversation(hits, ~said)
    succession = conversation.progress(nearness)
    best = ranked.words.best(ids)
    links = _links(ranked, nearness, said)
    together = links.together(alone[np.newaxis] if best is None else best, said)
    graded = z_rows(np.array([meaning, meaning_after, reached, *links.bridged(), together]))
    return {
        "who": who,
        "asks": asks,
        "assistant": assistant,
        "says": _said_of(ranked.stems.having_apart()),
        "long": long,
        "states": among(ranked.stating, ids),
        "unnamed": _unnamed(ranked),
        "outdated": outdated * (1 - past),
        "was so": outdated * past,
        "change": (1 - past) * change,
        "remember": reminded * (1 - reminding),
        "asked to remember": reminded * reminding,
        **_told(hits, question),
        "latest": (1 - past) * succession,
        "earliest": past * (1 - succession),
        "interaction": nearness,
        **conversation.around(nearness),
        **dict(zip(_GRADED, graded, strict=True)),
    }


def _columns(rows: Iterable[Sequence[float]], count: int) -> Values:
    """(k, n) The numbers of n rows of k numbers each; count: n."""
    return np.fromiter(chain.from_iterable(rows), dtype=np.float64).reshape(count, -1).T


def _links(ranked: Ranked, nearness: Values, said: NDArray[np.bool_]) -> Links:
    """What records have in common. nearness: (n,) z-scores; said: (n,) whether people said it.

    A record counts as near that is as near as the nearest, and not if an assistant said it.
    """
    asked = {cue.concept_id for cue in ranked.evocation.cues} | ranked.evocation.selves
    concepts = Things.of(ranked.concepts, asked)
    base = nearness - ~said
    near = np.sort(base)[-_NEAREST:].mean()
    return Links(ranked.stems, concepts, np.where(said, 1 / (1 + np.exp(near - base)), 0.0))


def _unnamed(ranked: Ranked) -> Values:
    """(n,): whether each record mentions neither what the question names nor what that leads to, if it names any."""
    cues, concepts = ranked.evocation.cues, ranked.concepts
    unnamed = np.zeros(len(concepts))
    if any(cue.specific and cue.method != "recognition" for cue in cues):
        cued = {cue.concept_id for cue in cues if cue.specific}
        apart = [i for i, known in enumerate(concepts) if cued.isdisjoint(known)]
        supports = record_supports([concepts[i] for i in apart], ranked.evidence, ranked.evocation)
        unnamed[apart] = np.array(supports) <= 0
    return unnamed


def _said_of(says: NDArray[np.bool_]) -> Values:
    """(n,) The square of the share of a question's content words that each text says, 0..1.

    says: (words, n). Words count by their rarity (IDF) among the texts, those that none says most of all: where people
    ask in other words than they told it in, the few that are the same tell little. Where they ask in the same words,
    they tell the most.
    """
    words, n = says.shape
    if not words:
        return np.zeros(n)
    worth = np.log((n + 1) / np.maximum(says.sum(axis=1), 1.0))
    share: Values = worth @ says / worth.sum()
    return np.square(share)


def _told(hits: Sequence[RecordHit], question: Question) -> dict[str, Values]:
    """Whether each record tells what the question asks for: {"a name": (n,)} and so on, 0 if it asks for none."""
    asked, none = asked_types(question.text, question.language), np.zeros(len(hits))
    folded = question.text.casefold()
    return {
        f"a {name}": np.array([tells(hit.text, name, folded) for hit in hits], dtype=np.float64)
        if name in asked
        else none
        for name in TYPES
    }


class _Text(NamedTuple):
    """What counts of a text: its stems; how long it is, 0..1, and whether it says that something changed, or is to be
    remembered."""

    stems: frozenset[str]
    manner: tuple[float, bool, bool]


@kept(50_000)
def _read(text: str, language: str) -> _Text:
    length = min(len(text.split()), _WORDS) / _WORDS
    change, remember = (says_stressed(text, language, what) for what in ("change", "remember"))
    return _Text(stems_of(text, language).distinct, (length, change, remember))
