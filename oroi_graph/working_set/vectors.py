"""Vectors of a working set: which rows are nearest to a query, in memory or by the server's index.

`Matrix` has them all. Products in float32 choose, with some to spare; what they chose is compared in float64, row by
row. So a cosine depends on its two vectors only, never on where a row stands or how many others there are. `Indexed` is
for a memory whose vectors have no room: it knows which rows have one, and asks the server.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oroi_graph.storage.store import Row, Transaction, vector
from oroi_graph.working_set.adjacency import Places, no_places

TIED = 1e-6  # of cosines in float32: more than rounding
SPARE = 16  # rows that the product in float32 offers beyond those that are asked for
LONG = 4096  # scores from which most are left out before the highest are looked for
TAIL = 4096  # rows of `Indexed` that are compared here: more than processes write before their rows are indexed

Floats = NDArray[np.float64]
Query = tuple[Floats, int]  # a unit vector (d,), and how many rows nearest to it are wanted


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a question is asked: in which transaction, of which memory, about what (concept or record), with the ids of
    all rows, and the row of an id (None: no row of this state)."""

    tx: Transaction
    memory: str
    what: str
    ids: Sequence[str]
    place: Callable[[str], int | None]


class Vectors(Protocol):
    """The vectors of a table's rows. known: (n,) rows that have one."""

    @property
    def known(self) -> NDArray[np.bool_]:
        """(n,) whether each row has a vector."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        ...

    def extended(self, rows: Sequence[Any]) -> Vectors:
        """These vectors and more behind them. The latest state may be extended, once; others keep their rows."""
        ...

    def without(self, places: Places) -> Vectors:
        """These vectors but for those of some rows, which have none any more."""
        ...

    def nearest(self, asked: Asked, queries: Floats, most: Sequence[int]) -> list[tuple[Places, Floats]]:
        """For each of the (q, d) queries the places of at least its `most` nearest rows that have a vector, and their
        cosines; in no order."""
        ...

    def cosines(self, asked: Asked, places: Places, query: Floats) -> Floats:
        """(k,) cosines of these rows with a unit query; 0 without a vector."""
        ...

    def rows(self, asked: Asked, places: Places) -> Floats:
        """(k, d) the vectors of these rows, which all have one, of length 1."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What is asked of the vectors of one table at once.

    queries: unit vectors (d,), each with how many rows nearest to it are wanted. places: (k,) rows to be compared with
    the unit vector `query` (d,).
    """

    vectors: Vectors
    asked: Asked
    queries: Sequence[Query] = ()
    places: Places = field(default_factory=no_places)
    query: Floats = field(default_factory=lambda: np.zeros(1))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The answer. near: as of `Vectors.nearest`, for each query. cosines: (k,) as of `Vectors.cosines`."""

    near: Sequence[tuple[Places, Floats]]
    cosines: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """(n, d) unit rows; those without a vector are zero.

    buffer: the rows with room for more behind them, which later states of the same set share.
    """

    known: NDArray[np.bool_]
    buffer: NDArray[np.float32]

    @classmethod
    def of(cls, rows: Sequence[Any], dimensions: int) -> Matrix:
        """rows: bytes (float32, big-endian) or driver vectors; numbers where there is none."""
        return cls(np.zeros(0, dtype=bool), np.zeros((0, dimensions), dtype=np.float32)).extended(rows)

    def extended(self, rows: Sequence[Any]) -> Matrix:
        """As `Vectors.extended`."""
        n, more = len(self.known), len(rows)
        if not more:
            return self
        known = np.concatenate([self.known, [not isinstance(row, int) for row in rows]])
        buffer = self.buffer
        if n + more > len(buffer):
            buffer = np.zeros((n + more + (n + more) // 8 * (n > 0), buffer.shape[1]), dtype=np.float32)
            buffer[:n] = self.buffer[:n]
        places = n + np.flatnonzero(known[n:])
        if len(places):
            values = _read(row for row in rows if not isinstance(row, int)).reshape(len(places), -1)
            lengths = np.sqrt(np.square(values, dtype=np.float64).sum(axis=1, keepdims=True))
            buffer[places] = values / np.maximum(lengths, 1e-12)
        buffer[n + np.flatnonzero(~known[n:])] = 0.0
        return Matrix(known, buffer)

    def without(self, places: Places) -> Matrix:
        """As `Vectors.without`."""
        return Matrix(_unknown(self.known, places), self.buffer)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.buffer.nbytes + self.known.nbytes

    def nearest(self, asked: Asked, queries: Floats, most: Sequence[int]) -> list[tuple[Places, Floats]]:
        """As `Vectors.nearest`, exactly."""
        n, having = len(self.known), int(np.count_nonzero(self.known))
        all_ = np.flatnonzero(self.known)
        chosen = [all_] * len(queries)
        if having > min(most, default=having) + SPARE:
            # All queries in one pass over the rows. Not `@`: for few vectors it is bound by memory, and a second thread
            # of the library only waits.
            products = np.vecdot(self.buffer[:n, np.newaxis], queries.astype(np.float32))
            chosen = [
                self._among(products[:, i], wanted + SPARE) if having > wanted + SPARE else all_
                for i, wanted in enumerate(most)
            ]
        return [(places, self.cosines(asked, places, query)) for places, query in zip(chosen, queries, strict=True)]

    def _among(self, scores: NDArray[np.float32], wanted: int) -> Places:
        """The rows with the `wanted` highest scores, (n,), with all that tie with the last one: which of them came
        first must not decide."""
        scores = np.where(self.known, scores, np.float32(-np.inf))
        return np.flatnonzero(scores >= _highest(scores, wanted) - TIED)

    def cosines(self, asked: Asked, places: Places, query: Floats) -> Floats:
        """As `Vectors.cosines`."""
        # In float64, summed in pairs: the last bit decides between paths that are equally good.
        found: Floats = (self.buffer[places] * query).sum(axis=1)
        return found

    def rows(self, asked: Asked, places: Places) -> Floats:
        """As `Vectors.rows`."""
        return self.buffer[places].astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Indexed:
    """Vectors that are in the database only. known: (n,) rows that have one. tail: the last rows that no index had when
    they were read or written, and their vectors."""

    known: NDArray[np.bool_]
    tail: tuple[tuple[int, Floats], ...] = ()

    @classmethod
    def of(cls, rows: Sequence[int]) -> Indexed:
        """rows: as in `extended`."""
        return cls(np.zeros(0, dtype=bool)).extended(rows)

    def extended(self, rows: Sequence[Any]) -> Indexed:
        """As `Vectors.extended`. rows: vectors, as of `Matrix.of`, of what no index has; else numbers, -1 for none."""
        known = np.concatenate([self.known, [not isinstance(row, int) or row >= 0 for row in rows]]).astype(bool)
        added = ((i, row) for i, row in enumerate(rows, len(self.known)) if not isinstance(row, int))
        tail = (*self.tail, *((i, unit(_read([row]))) for i, row in added))
        return Indexed(known, tail[-TAIL:])

    def without(self, places: Places) -> Indexed:
        """As `Vectors.without`."""
        return Indexed(_unknown(self.known, places), self.tail)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.known.nbytes + sum(row.nbytes for _, row in self.tail)

    def nearest(self, asked: Asked, queries: Floats, most: Sequence[int]) -> list[tuple[Places, Floats]]:
        """As `Vectors.nearest`, but for what the index overlooks."""
        return list(find(Wanted(self, asked, list(zip(queries, most, strict=True)))).near)

    def cosines(self, asked: Asked, places: Places, query: Floats) -> Floats:
        """As `Vectors.cosines`."""
        return find(Wanted(self, asked, places=places, query=query)).cosines

    def asking(self, wanted: Wanted) -> Row:
        """Parameters of `working_set/near_concepts` or `near_records`."""
        searched = [(query, most + SPARE) for query, most in wanted.queries if not self._has_few(most)]
        compared = [(self._all, query) for query, most in wanted.queries if self._has_few(most)]
        ids = wanted.asked.ids
        return {
            "queries": [vector(query) for query, _ in searched],
            "most": max((most for _, most in searched), default=1),
            "compared": [
                {"ids": [ids[place] for place in places.tolist()], "vector": vector(query)}
                for places, query in (*compared, (self._with_vector(wanted.places), wanted.query))
                if len(places)
            ],
        }

    def answered(self, wanted: Wanted, row: Row) -> Found:
        """What that statement found."""
        asked, searched, compared = wanted.asked, iter(row["near"]), iter(row["compared"])
        near = [
            _cosines(asked, self._all, next(compared, ()))
            if self._has_few(most)
            else self._placed(asked, query, _first(next(searched), most + SPARE))
            for query, most in wanted.queries
        ]
        return Found(near, _cosines(asked, wanted.places, next(compared, ()))[1])

    @property
    def _all(self) -> Places:
        """Places of all rows that have a vector."""
        return np.flatnonzero(self.known)

    def _has_few(self, most: int) -> bool:
        """Whether all rows that have a vector are compared in place of a search for so many."""
        return int(np.count_nonzero(self.known)) <= most + SPARE

    def _with_vector(self, places: Places) -> Places:
        """Those of some places whose rows have one."""
        found: Places = places[self.known[places]]
        return found

    def _placed(self, asked: Asked, query: Floats, near: Sequence[tuple[str, float]]) -> tuple[Places, Floats]:
        """Places and cosines of what the index found, and of what it cannot have yet."""
        found = {place: cosine for id, cosine in near if (place := asked.place(id)) is not None}
        found |= {place: float(values @ query) for place, values in self.tail}
        return np.array(list(found), dtype=np.int64), np.array(list(found.values()), dtype=np.float64)

    def rows(self, asked: Asked, places: Places) -> Floats:
        """As `Vectors.rows`."""
        ids = [asked.ids[place] for place in places]
        known = dict(asked.tx.one(f"working_set/{asked.what}_vectors", memory=asked.memory, ids=ids)["vectors"])
        return np.array([unit(np.array(known[id])) for id in ids])


def begin(wanted: Wanted) -> Callable[[], Found]:
    """Ask one table; what comes back waits for the answer of the server, if the vectors are there.

    All that is wanted goes in one statement. The server searches two tables at once if both are asked before either
    answer is waited for.
    """
    vectors = wanted.vectors
    if not isinstance(vectors, Indexed):
        return partial(_found, wanted)
    asked, given = wanted.asked, vectors.asking(wanted)
    if not given["queries"] and not given["compared"]:
        return partial(vectors.answered, wanted, {"near": (), "compared": ()})
    answer = asked.tx.ahead(f"working_set/near_{asked.what}s", memory=asked.memory, **given)
    return lambda: vectors.answered(wanted, answer())


def find(wanted: Wanted) -> Found:
    """What is asked of one table."""
    return begin(wanted)()


def _cosines(asked: Asked, places: Places, answer: Iterable[tuple[str, float | None]]) -> tuple[Places, Floats]:
    """Rows and their cosines (k,), of what the server compared; 0 for what it did not find."""
    known = dict(answer)
    found = [known.get(asked.ids[place]) or 0.0 for place in places.tolist()]
    return places, np.array(found, dtype=np.float64)


def _first(near: Sequence[tuple[str, float]], most: int) -> Sequence[tuple[str, float]]:
    """The nearest of what the index found for all queries of a table alike, as many as are looked for for one."""
    return near if len(near) <= most else sorted(near, key=lambda row: -row[1])[:most]


def _found(wanted: Wanted) -> Found:
    """What is asked of a table whose vectors are here."""
    queries, most = [query for query, _ in wanted.queries], [most for _, most in wanted.queries]
    near = wanted.vectors.nearest(wanted.asked, np.array(queries), most) if queries else []
    return Found(near, wanted.vectors.cosines(wanted.asked, wanted.places, wanted.query))


def _highest(scores: NDArray[np.float32], k: int) -> np.float32:
    """The k-th highest of (n,) scores, n >= k."""
    if len(scores) > LONG:
        # Each of k parts of the scores has one that is not below the least of the parts' maxima.
        scores = scores[scores >= scores[: len(scores) // k * k].reshape(k, -1).max(axis=1).min()]
    found: np.float32 = np.partition(scores, -k)[-k]
    return found


def unit(values: NDArray[np.floating[Any]]) -> Floats:
    """A query as (d,) float64 of length 1; zeros stay zeros."""
    wide = values.astype(np.float64)
    found: Floats = wide / max(math.sqrt(wide.dot(wide)), 1e-12)
    return found


def _read(rows: Iterable[Any]) -> NDArray[np.float32]:
    """The numbers of some vectors, float32 all, one after another: bytes, or vectors of the driver, whose own reading
    would make an array of each."""
    whole = b"".join([row if isinstance(row, bytes) else row.raw() for row in rows])
    return np.frombuffer(whole, dtype=">f4").astype(np.float32)


def _unknown(known: NDArray[np.bool_], places: Places) -> NDArray[np.bool_]:
    found = known.copy()
    found[places] = False
    return found
