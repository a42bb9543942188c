"""Which associations a concept has: compressed rows, with a short list for what came since they were made."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]

LONGEST = 4096  # associations beyond those in rows from which the rows are made again


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """starts: (n + 1,) where the row of each concept begins in `edge` and `other`. edges: associations in all.

    added: {concept: [(association, other end)]} of associations that are in no row; states share it, and an association
    at or behind a state's `edges` is of a later one.
    """

    starts: Places
    edge: Places
    other: Places
    edges: int
    added: dict[int, list[tuple[int, int]]]

    @classmethod
    def of(cls, source: Places, target: Places, n: int) -> Adjacency:
        """The rows of n concepts; a loop stands in its row once."""
        loops = source == target
        ends = np.concatenate([source, target[~loops]])
        others = np.concatenate([target, source[~loops]])
        edges = np.concatenate([np.arange(len(source)), np.flatnonzero(~loops)])
        order = np.lexsort((edges, ends))
        starts = np.searchsorted(ends[order], np.arange(n + 1))
        return cls(starts.astype(np.int64), edges[order], others[order], len(source), {})

    def grown(self, source: Places, target: Places, n: int) -> Adjacency:
        """With the associations and concepts that are new; source, target: of all associations."""
        rows = len(self.edge) // 2
        if len(source) - rows > LONGEST:
            return Adjacency.of(source, target, n)
        for edge in range(self.edges, len(source)):
            a, b = int(source[edge]), int(target[edge])
            self.added.setdefault(a, []).append((edge, b))
            if a != b:
                self.added.setdefault(b, []).append((edge, a))
        starts = self.starts
        if n + 1 > len(starts):
            starts = np.concatenate([starts, np.full(n + 1 - len(starts), starts[-1])])
        return replace(self, starts=starts, edges=len(source))

    def of_concept(self, place: int) -> tuple[Places, Places]:
        """(associations, other ends) of one concept."""
        begin, end = self.starts[place], self.starts[place + 1]
        late = [(edge, other) for edge, other in self.added.get(place, ()) if edge < self.edges]
        if not late:
            return self.edge[begin:end], self.other[begin:end]
        more = np.array(late, dtype=np.int64)
        return np.concatenate([self.edge[begin:end], more[:, 0]]), np.concatenate([self.other[begin:end], more[:, 1]])

    def of_concepts(self, places: Places) -> tuple[Places, Places, Places]:
        """(rows of `places`, associations, other ends) of some concepts."""
        begin = self.starts[places]
        count = self.starts[places + 1] - begin
        owner = np.repeat(np.arange(len(places)), count)
        at = np.arange(len(owner)) + (begin - np.cumsum(count) + count)[owner]
        late = [
            (row, edge, other)
            for row, place in enumerate(places.tolist() if self.added else ())
            for edge, other in self.added.get(place, ())
            if edge < self.edges
        ]
        if not late:
            return owner, self.edge[at], self.other[at]
        more = np.array(late, dtype=np.int64)
        return (
            np.concatenate([owner, more[:, 0]]),
            np.concatenate([self.edge[at], more[:, 1]]),
            np.concatenate([self.other[at], more[:, 2]]),
        )

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.starts.nbytes + self.edge.nbytes + self.other.nbytes
