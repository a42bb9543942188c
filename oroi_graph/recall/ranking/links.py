"""What ties the ranked records together: words and concepts that several have, and where each stands in a conversation.

Records that name the same person or use the same rare word belong together even if no relation was read. A turn is
understood from those around it, and what is said of one thing last is likelier to hold than what was said before.

Nearness is that of `ranker.late_features`: the mean cosine of the question's words with the nearest word of a record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from oroi_graph.model import RecordHit
from oroi_graph.recall.ranking.features import Values

Places = NDArray[np.int64]

_STEEP = 2.0  # of the logistic curve by which a record counts as near: 1 standard deviation above the mean is half


@dataclass(frozen=True, slots=True, eq=False)
class Things:
    """Things that n records have: (k,) each time one has one of them, by the record, each thing of a record once.

    records: n. apart: how many things do not link records; they have the first numbers, in the order given.
    """

    record: Places
    item: Places
    records: int
    apart: int

    @classmethod
    def of(cls, records: Sequence[Collection[str]], apart: Collection[str]) -> Things:
        """What each of the records has."""
        number = defaultdict(count(len(apart)).__next__, zip(apart, range(len(apart)), strict=True))
        lengths = [*map(len, records)]
        item = np.fromiter(map(number.__getitem__, chain.from_iterable(records)), dtype=np.int64, count=sum(lengths))
        return cls(np.repeat(np.arange(len(records)), lengths), item, len(records), len(apart))

    def having_apart(self) -> NDArray[np.bool_]:
        """(apart, n) Which records have which of the things that do not link."""
        found = np.zeros((self.apart, self.records), dtype=bool)
        some = self.item < self.apart
        found[self.item[some], self.record[some]] = True
        return found

    def ties(self, places: Sequence[int]) -> NDArray[np.float32]:
        """(k, k, 2) How rare the things are that two of some records both have: the rarity of the rarest, 0..1, and the
        sum of all; 0 of a record with itself and of things that are apart.

        places: (k,) of these records. A thing is rare that few of all records have (IDF), 1 if one alone of very many.
        """
        k = len(places)
        local = np.full(self.records, -1)
        local[places] = np.arange(k)
        having = np.bincount(self.item)
        some = np.flatnonzero((local[self.record] >= 0) & (self.item >= self.apart))
        record, item = local[self.record[some]], self.item[some]
        shared = np.bincount(item, minlength=len(having)) > 1
        number = np.cumsum(shared) - 1
        several = shared[item]
        has = np.zeros((np.count_nonzero(shared), k), dtype=np.float32)
        has[number[item[several]], record[several]] = 1.0
        rarity = np.log((self.records + 1) / having[shared]) / np.log(self.records + 1)
        rare = has * rarity.astype(np.float32)[:, np.newaxis]
        both = rare[:, :, np.newaxis] * has[:, np.newaxis]  # (things, k, k)
        found = np.stack([both.max(axis=0, initial=0.0), both.sum(axis=0)], axis=2)
        found[np.arange(k), np.arange(k)] = 0.0
        return found


class Links:
    """What n records have in common: stems and concepts that the question does not name.

    Each thing that several have, and who has it: (k,) `record` and `thing`, by thing, the nearest record first.
    """

    def __init__(self, stems: Things, concepts: Things, near: Values) -> None:
        """near: (n,) how near each record is to the question, 0..1."""
        self._near, n = near, len(near)
        begin = int(stems.item.max(initial=stems.apart - 1)) + 1  # of the concepts' numbers
        record = np.concatenate([stems.record, concepts.record])
        item = np.concatenate([stems.item, concepts.item + begin])
        having = np.bincount(item)
        links = having > 1
        links[: stems.apart] = links[begin : begin + concepts.apart] = False
        some = np.flatnonzero(links[item])
        place = np.empty(n, dtype=np.int64)
        place[np.argsort(-near, kind="stable")] = np.arange(n)
        order = some[np.argsort(item[some] * n + place[record[some]])]
        self._having = having[links]
        self._concept = np.flatnonzero(links) >= begin
        self._record = record[order]
        self._thing = np.repeat(np.arange(len(self._having)), self._having)
        self._first = np.cumsum(self._having) - self._having

    def bridged(self) -> Values:
        """(2, n): how near the nearest record is that shares a stem, and a concept, times how rare (IDF) that is.

        Nobody is bridged to itself: the nearest one gets what the second nearest gives.
        """
        n, record, first = len(self._near), self._record, self._first
        given = self._near[record[first]][self._thing]
        given[first] = self._near[record[first + 1]]
        rarity = np.log((n + 1) / self._having)
        found = np.zeros(2 * n)
        np.maximum.at(found, record + n * self._concept[self._thing], rarity[self._thing] * given)
        return found.reshape(2, n)

    def together(self, best: Values, said: NDArray[np.bool_]) -> Values:
        """(n,): how near all records about the best of a record's concepts and rare words are to the question's words.

        best: (a, n) how near each record is to each word. said: (n,) which records people said: no other counts. Words
        of the question that all records match alike tell nothing, so each word counts by its spread.
        """
        spread = best.std(axis=1)
        weights = spread / max(float(spread.sum()), 1e-9)
        found: Values = weights @ best
        rare = self._concept | (self._having <= max(3, len(found) // 8))
        some = rare[self._thing] & said[self._record]
        several = np.bincount(self._thing[some], minlength=len(rare)) > 1
        some &= several[self._thing]
        record, thing = self._record[some], self._thing[some]
        if len(record):
            first = np.flatnonzero(np.diff(thing, prepend=-1))
            of_all = weights @ np.maximum.reduceat(best[:, record], first, axis=1)
            np.maximum.at(found, record, np.repeat(of_all, np.diff(first, append=len(thing))))
        return found


class Conversation:
    """Where n records stand in a conversation: the session and the turn of each, and whether an assistant said it."""

    def __init__(self, hits: Sequence[RecordHit], assistant: NDArray[np.bool_]) -> None:
        numbers: dict[str, int] = {}
        self._session = np.array([numbers.setdefault(hit.session or "", len(numbers)) for hit in hits], dtype=np.int64)
        self._turn = np.array([hit.turn for hit in hits], dtype=np.int64)
        self._assistant = assistant

    def around(self, near: Values) -> dict[str, Values]:
        """How near the neighbours of each record are to the question: {name: (n,) float64}.

        near: (n,) of each record. One before, one after, two before, among the records of one session at most as many
        turns apart; the least nearness where there is none.
        """
        order = np.lexsort((self._assistant, self._turn))
        before, after, two_before = np.full((3, len(near)), near.min())
        later, earlier = self._close(order, 1)
        before[later], after[earlier] = near[earlier], near[later]
        later, earlier = self._close(order, 2)
        two_before[later] = near[earlier]
        return {"near before": before, "near after": after, "near two before": two_before}

    def _close(self, order: Places, steps: int) -> tuple[Places, Places]:
        """Of each two records of one session that are so many steps, and at most as many turns, apart: the later one
        and the earlier one. order: of the conversation."""
        later, earlier = order[steps:], order[:-steps]
        close = self._session[later] == self._session[earlier]
        close &= self._turn[later] - self._turn[earlier] <= steps
        return later[close], earlier[close]

    def progress(self, near: Values) -> Values:
        """(n,) How much of what is near the question was said in other sessions before each record, 0..1.

        near: (n,) of each record, as z-scores. What is said of one thing last is likelier to hold; what is said first,
        likelier to be what was so before.
        """
        mass = ~self._assistant / (1 + np.exp(-_STEEP * (near - 1)))
        total = float(mass.sum())
        if not total:
            return np.zeros(len(near))
        before = self._turn < self._turn[:, np.newaxis]
        before &= self._session != self._session[:, np.newaxis]
        found: Values = before @ mass / total
        return found
