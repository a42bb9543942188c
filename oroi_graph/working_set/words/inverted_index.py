"""Which texts of a table hold which words: an inverted index that grows with the table.

All states of a table share one index. It reads a text when a search first covers it, and no text twice: the text of a
place never changes while the index is used. A search names how many places its state has, so later texts, which stand
behind, do not count. What is gone is left out by a view (`without`), so that a state before still finds it.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from oroi_graph.language.normalize import folded

MERGED = 256  # texts that are kept apart from the arrays before they are merged into them
AT_ONCE = 16  # the same of a table that is read for the first time, since it may be long until more come

# In scripts without spaces each character is a word, as for the analysers of search engines.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(r"[^\W_]+")
_SPLIT = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W_])+")

Places = NDArray[np.int64]
Floats = NDArray[np.float64]


def split(text: str) -> list[str]:
    """The folded words of a text, in order."""
    found = folded(text)
    return _WORD.findall(found) if found.isascii() else _SPLIT.findall(found)


@dataclass(frozen=True, slots=True)
class Holding:
    """The texts that hold one word: (k,) ascending places, and how often each holds it."""

    places: Places
    counts: Floats


@dataclass(frozen=True, slots=True)
class _Arrays:
    """The words of the first texts. starts: (words + 1,) where the places of each word's number begin; alphabet: the
    words in alphabetical order."""

    starts: Places = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    places: Places = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    counts: Floats = field(default_factory=lambda: np.zeros(0))
    alphabet: Sequence[str] = ()


class _Numbers(dict[str, int]):
    """The number of each word, in the order in which they were met; a new word gets the next one."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


@dataclass(slots=True)
class _Shared:
    """What all views of an index share. read: texts so far. lengths: words of each, with room behind.

    later: {number of a word: [place, count, place, count …]} of the texts behind the arrays; unsorted: their new words.
    """

    numbers: _Numbers = field(default_factory=_Numbers)
    read: int = 0
    lengths: Floats = field(default_factory=lambda: np.zeros(0))
    merged: int = 0  # texts in the arrays
    arrays: _Arrays = field(default_factory=_Arrays)
    later: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    unsorted: list[str] = field(default_factory=list)
    by_length: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    guard: threading.Lock = field(default_factory=threading.Lock)


class InvertedIndex:
    """The words of the texts at the first places of a table. May be shared by threads."""

    def __init__(self, shared: _Shared | None = None, gone: frozenset[int] = frozenset()) -> None:
        self._shared = shared or _Shared()
        self._gone = gone
        self._texts: Texts | None = None  # those that the last search saw

    def without(self, gone: Sequence[int]) -> InvertedIndex:
        """A view in which the texts at some places hold no word any more."""
        return InvertedIndex(self._shared, self._gone | frozenset(gone))

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes in memory."""
        arrays = self._shared.arrays
        held = (arrays.starts, arrays.places, arrays.counts, self._shared.lengths)
        return sum(array.nbytes for array in held) + 120 * len(self._shared.numbers)

    def at(self, size: int, text: Callable[[int], str]) -> Texts:
        """The texts at the first `size` places, which `text` gives."""
        shared, known = self._shared, self._texts
        if known is not None and known.size == size:
            return known
        with shared.guard:
            if shared.read < size:
                _read(shared, size, text)
            gone = np.array(sorted(place for place in self._gone if place < size), dtype=np.int64)
            self._texts = Texts(shared, size, gone)
            return self._texts


class Texts:
    """The first texts of a table, as one search sees them.

    lengths: (size,) words of each text; 0 for one that is gone. worded: how many texts have words; total: words of all.
    """

    def __init__(self, shared: _Shared, size: int, gone: Places) -> None:
        # Held here: a merge puts others in their place, and what stands here only grows behind `size`.
        self._numbers, self._arrays, self._later, self._unsorted, self._by_length = (
            shared.numbers, shared.arrays, shared.later, shared.unsorted, shared.by_length,
        )  # fmt: skip
        self.size, self._gone = size, gone
        self.lengths: Floats = shared.lengths[:size]
        if len(gone):
            self.lengths = self.lengths.copy()
            self.lengths[gone] = 0.0
        self.worded, self.total = int(np.count_nonzero(self.lengths)), float(self.lengths.sum())

    def holding(self, word: str) -> Holding:
        """The texts that hold a folded word."""
        number = self._numbers.get(word)
        if number is None:
            return _NOWHERE
        arrays, later = self._arrays, self._later.get(number, ())
        begin, end = (arrays.starts[number], arrays.starts[number + 1]) if number + 1 < len(arrays.starts) else (0, 0)
        places, counts = arrays.places[begin:end], arrays.counts[begin:end]
        if later:
            more = np.array([*later])  # another thread may add to it
            places, counts = np.concatenate([places, more[::2]]), np.concatenate([counts, more[1::2]])
        if len(places) and places[-1] >= self.size:  # texts of a later state
            known = int(np.searchsorted(places, self.size))
            places, counts = places[:known], counts[:known]
        if len(self._gone):
            there = ~np.isin(places, self._gone)
            places, counts = places[there], counts[there]
        return Holding(places, counts)

    def beginning(self, prefix: str) -> Iterator[str]:
        """The words that begin with a prefix, in no order; some may be held by no text of these."""
        alphabet = self._arrays.alphabet
        at = bisect_left(alphabet, prefix)
        while at < len(alphabet) and alphabet[at].startswith(prefix):
            yield alphabet[at]
            at += 1
        yield from (word for word in list(self._unsorted) if word.startswith(prefix))

    def of_length(self, least: int, most: int) -> Iterator[Sequence[str]]:
        """The words of `least` to `most` characters; some may be held by no text of these."""
        for length in range(max(least, 1), most + 1):
            if words := self._by_length.get(length):
                yield words


_NOWHERE = Holding(np.zeros(0, dtype=np.int64), np.zeros(0))


def _read(shared: _Shared, size: int, text: Callable[[int], str]) -> None:
    """Read the texts up to `size`. The caller holds the guard."""
    known, apart = len(shared.numbers), MERGED + shared.merged // 8 if shared.read else AT_ONCE
    many = size - shared.merged > apart
    flat: list[int] = []
    lengths: list[int] = []
    for place in range(shared.read, size):  # none keeps its list: thousands would have the garbage collector at work
        numbers = list(map(shared.numbers.__getitem__, split(text(place))))
        lengths.append(len(numbers))
        if many:
            flat += numbers
        else:
            for number, count in Counter(numbers).items():
                shared.later[number] += place, count
    new = list(islice(shared.numbers, known, None))
    for word in new:
        shared.by_length[len(word)].append(word)
    _measure(shared, lengths, size)
    if many:
        _merge(shared, np.array(flat, dtype=np.int64), lengths, size)
    else:
        shared.unsorted += new
    shared.read = size


def _measure(shared: _Shared, lengths: Sequence[int], size: int) -> None:
    """Keep how many words the new texts have."""
    if size > len(shared.lengths):
        wider = np.zeros(size + size // 8 * (shared.read > 0))
        wider[: shared.read] = shared.lengths[: shared.read]
        shared.lengths = wider
    shared.lengths[shared.read : size] = lengths


def _merge(shared: _Shared, numbers: Places, lengths: Sequence[int], size: int) -> None:
    """Make the arrays anew, with what stood behind them and with the new texts.

    numbers: of the words of these, one after another. lengths: how many words each has.
    """
    before = shared.arrays
    words, sizes = [*shared.later], [len(some) // 2 for some in shared.later.values()]
    later = np.array([*chain.from_iterable(shared.later.values())], dtype=np.int64)
    where = np.repeat(np.arange(shared.read, size), lengths)
    pairs, repeated = np.unique(numbers * size + where, return_counts=True)
    columns = (
        np.concatenate([np.repeat(np.arange(len(before.starts) - 1), np.diff(before.starts)),
                        np.repeat(np.array(words, dtype=np.int64), sizes), pairs // size]),
        np.concatenate([before.places, later[::2], pairs % size]),
        np.concatenate([before.counts, later[1::2], repeated]),
    )  # fmt: skip
    if len(before.places) or len(later):  # else they are in order
        order = np.lexsort((columns[1], columns[0]))
        columns = (columns[0][order], columns[1][order], columns[2][order])
    of, places, counts = columns
    starts = np.searchsorted(of, np.arange(len(shared.numbers) + 1))
    shared.arrays = _Arrays(starts, places, counts, sorted(shared.numbers))
    # New ones: a search that is under way reads those that it began with.
    shared.later, shared.unsorted, shared.merged = defaultdict(list), [], size
