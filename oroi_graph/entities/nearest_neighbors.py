"""Neighbours: the nearest concepts of those that are new, by the vector index or blockwise in numpy.

Both give the same, up to what the index overlooks. The index costs its search for every new concept; blockwise, the
vectors of the whole memory are fetched once and multiplied with those of the new ones, page by page: memory is
that of the new vectors and one page, whatever the size of the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from oroi_graph.storage.store import Store

NEAREST = 8  # neighbours of one concept that are looked at
ASKED = 32  # concepts whose neighbours one statement asks the index for
PAGE = 1024  # vectors fetched at a time; also rows of a block
# Measured (benchmarks/duplicates.py, 10,000 concepts): one search of the index takes 4 to 8 ms, fetching and
# multiplying one vector 0.15 to 0.3 ms, so they meet at 400 new ones. Among 1,000 a search takes 1 ms and they meet
# at 150 rather than 40: there either way is a matter of a tenth of a second.
SEARCH_COST = 25

Matrix = NDArray[np.float32]
Neighbours = dict[str, list[tuple[str, float]]]  # of each new concept: others and their cosine, nearest first


def few(new: int, among: int) -> bool:
    """Whether asking the index about `new` concepts is cheaper than fetching the vectors of all `among`."""
    return new * SEARCH_COST <= among


def by_index(store: Store, memory: str, new: Sequence[str], least: float, look: Callable[[], None]) -> Neighbours:
    """At most NEAREST neighbours of each of `new` (ids) at a cosine of at least `least`, by the vector index."""
    found: Neighbours = {}
    for start in range(0, len(new), ASKED):
        look()
        ids = list(new[start : start + ASKED])
        for row in store.rows("entities/near_by_index", memory=memory, ids=ids, least=least, most=NEAREST):
            found[row["id"]] = list(zip(row["found"], row["scores"], strict=True))
    return found


def blockwise(
    store: Store, memory: str, dimensions: int, since: int, least: float, look: Callable[[], None]
) -> Neighbours:
    """The same by numpy, of the concepts first mentioned after turn `since`. Every vector is fetched once."""
    names: list[str] = []
    parts = [np.empty((0, dimensions), dtype=np.float32)]
    for ids, vectors in _pages(store, memory, dimensions, since, True, look):
        names += ids
        parts.append(vectors)
    queries = np.concatenate(parts)
    parts.clear()
    new = len(names)
    nearest = Nearest(new, least)
    for start in range(0, new, PAGE):
        look()
        block = queries[start : start + PAGE]
        nearest.offer(queries, block, np.arange(start, start + len(block)))
    for ids, vectors in _pages(store, memory, dimensions, since, False, look) if new else ():
        names += ids
        nearest.offer(queries, vectors)
    return {names[row]: [(names[other], score) for other, score in nearest.of(row)] for row in range(new)}


class Nearest:
    """The NEAREST columns of each of (m,) rows, kept while the columns come by in pages. Ties go to the first."""

    def __init__(self, rows: int, least: float) -> None:
        self.least = least
        self.seen = 0
        self.scores = np.full((rows, NEAREST), -np.inf, dtype=np.float32)
        self.columns = np.full((rows, NEAREST), -1, dtype=np.int64)

    def offer(self, queries: Matrix, vectors: Matrix, rows: NDArray[np.int64] | None = None) -> None:
        """(m, d) unit rows against the next (n, d) unit columns; rows: (n,) which row each column is, if they are."""
        these = np.arange(self.seen, self.seen + len(vectors))
        for start in range(0, len(queries), PAGE):
            block = slice(start, start + PAGE)
            cosines = queries[block] @ vectors.T
            if rows is not None:
                own = np.flatnonzero((rows >= start) & (rows < start + len(cosines)))
                cosines[rows[own] - start, own] = -np.inf
            cosines[cosines < self.least] = -np.inf
            near = np.flatnonzero((cosines > self.scores[block, -1:]).any(axis=1))
            scores = np.hstack([self.scores[start + near], cosines[near]])
            columns = np.hstack([self.columns[start + near], np.tile(these, (len(near), 1))])
            best = np.argsort(-scores, axis=1, kind="stable")[:, :NEAREST]
            self.scores[start + near] = np.take_along_axis(scores, best, axis=1)
            self.columns[start + near] = np.take_along_axis(columns, best, axis=1)
        self.seen += len(vectors)

    def of(self, row: int) -> Iterator[tuple[int, float]]:
        """(column, cosine) of the nearest of one row, the nearest first."""
        for column, score in zip(self.columns[row], self.scores[row], strict=True):
            if score > -np.inf:
                yield int(column), float(score)


def _pages(
    store: Store, memory: str, dimensions: int, since: int, new: bool, look: Callable[[], None]
) -> Iterator[tuple[list[str], Matrix]]:
    """(ids, (n, dimensions) unit vectors) of the concepts that are new or of those that are not, by id."""
    after = ""
    while True:
        look()
        rows = store.rows(
            "entities/near_vectors", memory=memory, after=after, page=PAGE, dimensions=dimensions, since=since, new=new
        )
        if not rows:
            return
        after = rows[-1]["id"]
        rows = [row for row in rows if row["embedding"] is not None]
        if rows:
            vectors = np.stack([row["embedding"].to_numpy() for row in rows]).astype(np.float32, copy=False)
            norms = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
            yield [row["id"] for row in rows], vectors / norms


def merged(neighbours: Neighbours) -> Mapping[tuple[str, str], float]:
    """The pairs of ids, the smaller first, with their cosine."""
    listed = ((id, other, score) for id, others in neighbours.items() for other, score in others)
    return {(min(id, other), max(id, other)): score for id, other, score in listed}
