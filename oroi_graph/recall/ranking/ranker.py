"""The order of the candidate records: a weighted sum of features, in two stages.

The first stage leaves a short list. In the second, its words are compared with the question's one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from oroi_graph.model import RecordHit
from oroi_graph.providers.word_vectors import bits, fit_of
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.question import Question
from oroi_graph.recall.ranking.features import (
    GRADED,
    Columns,
    Neighbours,
    Values,
    first_features,
    z_rows,
    z_scores,
)
from oroi_graph.recall_options import Ranking
from oroi_graph.working_set.candidates import Candidate


@dataclass(frozen=True, slots=True)
class ShortList:
    """The best candidates of the first stage, in the order in which they were said, and their features, (n,) each.

    eligible: ids of those that may enter a brief, the best first.
    """

    said: Sequence[Candidate]
    features: Mapping[str, Values]
    eligible: Sequence[str]


@dataclass(frozen=True)
class Words:
    """Words packed for late interaction, None where the embedder knows none.

    asked: the question's; held: each record's, by id. dimensions, model: of the embedder.
    """

    asked: str | None
    held: Mapping[str, str | None]
    dimensions: int
    model: str = ""

    def best(self, ids: Sequence[str]) -> Values | None:
        """`best_words` of the held records with these ids, in this order."""
        if self._best is None:
            return None
        place = {id: i for i, id in enumerate(self.held)}
        return self._best[:, [place[id] for id in ids]]

    def read(self, id: str) -> str | None:
        """The words of a held record, if there is a second reading of the same fit as that of the question's."""
        packed = self.held.get(id)
        return packed if packed and self._fit is not None and fit_of(packed) == self._fit else None

    @cached_property
    def _fit(self) -> int | None:
        return fit_of(self.asked) if self.asked else None

    @cached_property
    def _best(self) -> Values | None:
        return best_words(self.asked, list(self.held.values()), self.dimensions)


@dataclass(frozen=True, slots=True)
class Met:
    """What a search met. said: candidates in the order in which they were said; cosines: {id: to the question}.

    retrieved: ids of those that the search found, not their neighbours. stating: ids of those that state a chosen fact,
    which all stay.
    """

    said: Sequence[Candidate]
    cosines: Mapping[str, float]
    retrieved: Collection[str] = frozenset()
    stating: Collection[str] = frozenset()


def shortlist(question: Question, evocation: Evocation, met: Met, ranking: Ranking) -> ShortList:
    """The first stage."""
    if not met.said:
        return ShortList((), {}, ())
    said = Columns.of(met.said)
    features = first_features(question, evocation, said, met.cosines, ranking)
    found = np.array([*map(met.retrieved.__contains__, said.id)])
    score = _sum(features, ranking.first_stage) + ranking.retrieved * found
    if met.stating:
        score[[*map(met.stating.__contains__, said.id)]] = np.inf
    order = _best_first(score, said)
    kept = sorted(order[: max(ranking.short_list, len(met.stating))])
    eligible = [said.id[i] for i in order[: ranking.eligible + len(met.stating)]]
    values = np.array([*features.values()])[:, kept]
    return ShortList([met.said[i] for i in kept], dict(zip(features, values, strict=True)), eligible)


def rank(short: ShortList, words: Words, cosines: Mapping[str, float], ranking: Ranking) -> list[RecordHit]:
    """The second stage: the short list, best first; among equals the newest.

    A record without an entry in `words.held` was deleted meanwhile and is left out. cosines: {id: cosine} of records
    that the first stage had none of.
    """
    kept = [i for i, candidate in enumerate(short.said) if candidate.id in words.held]
    if not kept:
        return []
    said = Columns.of([short.said[i] for i in kept])
    features = dict(zip(short.features, np.array([*short.features.values()])[:, kept], strict=True))
    if cosines:
        features["meaning"] = np.array([*map(cosines.get, said.id, features["meaning"].tolist())])
    if said.fitted:
        features["when"] = features["when"] * _worth_of_time(features["meaning"], ranking)
    features |= late_features(words.best(said.id), features["meaning"], said, ranking.neighbour_word)
    scores = [round(score, 6) for score in _sum(features, ranking.second_stage).tolist()]
    hits = _hits(said, scores, features)
    return [hits[i] for i in _best_first(np.array(scores), said)]


def _hits(said: Columns, scores: Sequence[float], features: Mapping[str, Values]) -> list[RecordHit]:
    """The candidates as records of an answer; the session of an entry or a note is none of the conversation's."""
    rounded = np.round(np.array([*features.values()]), 6).T.tolist()
    told = map(dict, map(zip, repeat(tuple(features)), rounded))
    columns = zip(said.session, said.entry, said.note, strict=True)
    session = [one if entry is None and note is None else None for one, entry, note in columns]
    return [
        *map(
            RecordHit, said.id, said.turn_id, said.turn, said.role, said.speaker, session, said.at, said.text,
            scores, told, said.gist, said.entry, said.note,
        )
    ]  # fmt: skip


def _best_first(scores: Values, said: Columns) -> list[int]:
    """The places of the candidates, the best first; among equals the newest, then by id."""
    newest = -said.turns
    order = np.lexsort((newest, -scores))
    score, turn = scores[order], newest[order]
    if ((score[1:] == score[:-1]) & (turn[1:] == turn[:-1])).any():
        by_id = np.empty(len(order), dtype=np.int64)
        by_id[sorted(range(len(order)), key=said.id.__getitem__)] = np.arange(len(order))
        order = np.lexsort((by_id, newest, -scores))
    found: list[int] = order.tolist()
    return found


def late_features(best: Values | None, meaning: Values, said: Columns, neighbour_word: float) -> dict[str, Values]:
    """The features of late interaction: {name: (n,) float64}.

    best: (k, n) cosine of each of the question's words with the nearest word of each candidate (`best_words`); None if
    the embedder knows no words: then a text counts as one word, and `meaning` is its cosine. neighbour_word: worth of
    a word in a neighbouring record.
    """
    if best is None:
        best = meaning[np.newaxis]
    around = np.maximum(best, neighbour_word * Neighbours(said).nearest(best))
    return {"interaction": _mean(best), "interaction around": _mean(around)}


def _mean(rows: Values) -> Values:
    """(k, n) → (n,): as `rows.mean(axis=0)`, which takes longer for few."""
    mean: Values = np.add.reduce(rows, axis=0) / len(rows)
    return mean


def best_words(question: str | None, records: Sequence[str | None], dimensions: int) -> NDArray[np.float64] | None:
    """(question's words, n) float64: the best cosine of signs, -1..1, of each with a word of each record.

    question, records: packed words, None if the embedder knows none. dimensions: of the embedder. A record without
    words gets the mean of the others. None if the question or all records have none.
    """
    return best_of_several([question], records, dimensions)[0]


def best_of_several(
    questions: Sequence[str | None], records: Sequence[str | None], dimensions: int
) -> list[NDArray[np.float64] | None]:
    """`best_words` of several questions, each with the same records."""
    known = [i for i, packed in enumerate(records) if packed]
    if not known:
        return [None] * len(questions)
    words, counts = bits([packed for packed in records if packed], dimensions)
    parts = np.ascontiguousarray(words.T)  # (d / 64, words): long rows are counted fast
    starts = np.cumsum([0, *counts[:-1]])
    found: list[NDArray[np.float64] | None] = []
    for question in questions:
        if not question:
            found.append(None)
            continue
        asked, _ = bits([question], dimensions)
        best = 1.0 - 2.0 * np.minimum.reduceat(_differing(asked, parts), starts, axis=1) / dimensions
        if len(known) < len(records):
            whole = np.repeat(best.mean(axis=1)[:, np.newaxis], len(records), axis=1)
            whole[:, known] = best
            best = whole
        found.append(best)
    return found


def _differing(asked: NDArray[np.uint64], parts: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """(k, d / 64), (d / 64, words) → (k, words): in how many dimensions each of k words differs from each other one.

    64 dimensions at a time, whose arrays the processor's cache holds.
    """
    shape = len(asked), parts.shape[1]
    bits_apart, apart = np.empty(shape, dtype=np.uint64), np.empty(shape, dtype=np.uint8)
    total = np.zeros(shape, dtype=np.uint16)
    for one, other in zip(asked.T, parts, strict=True):
        np.bitwise_xor(one[:, np.newaxis], other, out=bits_apart)
        np.bitwise_count(bits_apart, out=apart)
        total += apart
    return total


def _worth_of_time(meaning: Values, ranking: Ranking) -> Values:
    """(n,) by what the fit to a question's windows is multiplied: 1 for a record at least as near to it as the mean.

    It falls to `ranking.far_in_time` a standard deviation below: of what was said at the right time, most is about
    something else.
    """
    near: Values = np.clip(1.0 + z_scores(meaning), 0.0, 1.0)
    return ranking.far_in_time + (1.0 - ranking.far_in_time) * near


def _sum(features: Mapping[str, Values], weights: Mapping[str, float]) -> Values:
    """(n,) The weighted sum of the features, graded ones as z-scores."""
    values = np.array([features[name] for name in weights])
    graded = [i for i, name in enumerate(weights) if name in GRADED]
    values[graded] = z_rows(values[graded])
    total: Values = (np.array([*weights.values()])[:, np.newaxis] * values).sum(axis=0)
    return total
