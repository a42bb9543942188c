"""Which associations a concept has: compressed rows, and a short table of what came since they were made."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]

LONGEST = 4096  # associations beyond those in rows from which the rows are made again


def no_places() -> Places:
    """None of a table's rows."""
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """The ends of associations by the concepts at them, (k,) each: concept, association, other end. A loop has one."""

    concept: Places
    edge: Places
    other: Places

    @classmethod
    def of(cls, source: Places, target: Places, first: int = 0) -> Ends:
        """Of associations whose places begin with `first`."""
        loops = source == target
        edge = np.arange(first, first + len(source))
        concept, edge = np.concatenate([source, target[~loops]]), np.concatenate([edge, edge[~loops]])
        order = np.lexsort((edge, concept))
        return cls(concept[order], edge[order], np.concatenate([target, source[~loops]])[order])

    def with_later(self, later: Ends) -> Ends:
        """With the ends of later associations."""
        at = np.searchsorted(self.concept, later.concept, side="right")
        return Ends(
            np.insert(self.concept, at, later.concept),
            np.insert(self.edge, at, later.edge),
            np.insert(self.other, at, later.other),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """starts: (n + 1,) where the row of each concept begins in `edge` and `other`. edges: associations in all.

    late: of the associations that are in no row.
    """

    starts: Places
    edge: Places
    other: Places
    edges: int
    late: Ends

    @classmethod
    def of(cls, source: Places, target: Places, n: int) -> Adjacency:
        """The rows of n concepts."""
        ends, none = Ends.of(source, target), no_places()
        starts = np.searchsorted(ends.concept, np.arange(n + 1))
        return cls(starts.astype(np.int64), ends.edge, ends.other, len(source), Ends(none, none, none))

    def grown(self, source: Places, target: Places, n: int) -> Adjacency:
        """With the associations and concepts that are new; source, target: of all associations."""
        if len(source) - len(self.edge) // 2 > LONGEST:
            return Adjacency.of(source, target, n)
        late = self.late.with_later(Ends.of(source[self.edges :], target[self.edges :], self.edges))
        starts = self.starts
        if n + 1 > len(starts):
            starts = np.concatenate([starts, np.full(n + 1 - len(starts), starts[-1])])
        return replace(self, starts=starts, edges=len(source), late=late)

    def of_concept(self, place: int) -> tuple[Places, Places]:
        """(associations, other ends) of one concept."""
        return self.of_concepts(np.array([place]))[1:]

    def of_concepts(self, places: Places) -> tuple[Places, Places, Places]:
        """(rows of `places`, associations, other ends) of some concepts."""
        owner, at = _spans(self.starts[places], self.starts[places + 1])
        late = self.late
        if not len(late.edge):
            return owner, self.edge[at], self.other[at]
        begin = np.searchsorted(late.concept, places)
        owner_late, at_late = _spans(begin, np.searchsorted(late.concept, places, side="right"))
        return (
            np.concatenate([owner, owner_late]),
            np.concatenate([self.edge[at], late.edge[at_late]]),
            np.concatenate([self.other[at], late.other[at_late]]),
        )

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        late = self.late
        arrays = (self.starts, self.edge, self.other, late.concept, late.edge, late.other)
        return sum(array.nbytes for array in arrays)


def _spans(begin: Places, end: Places) -> tuple[Places, Places]:
    """(which span, position) of each position in some spans."""
    count = end - begin
    owner = np.repeat(np.arange(len(begin)), count)
    return owner, np.arange(len(owner)) + (begin - np.cumsum(count) + count)[owner]
