"""The best paths from each cue to each concept within reach.

A question has a thousand of them, of which a brief tells a few: they are kept as columns, and all cues search at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.recall_options import Search
from oroi_graph.working_set.tables import Places

Mask = NDArray[np.bool_]


class Path(NamedTuple):
    """The best way from a cue to a concept. edges: positions. worth: product of the steps' scores, 0..1.

    clear: geometric mean of the scores of the steps that say something: "my sister is called Leire" on the way to her
    birthday only tells who is meant.
    """

    cue: int
    end: int
    edges: tuple[int, ...]
    worth: float
    clear: float


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """k paths as columns. edge: (k, hops), the edges in order, -1 behind the last; the others are (k,), see `Path`."""

    cue: Places
    end: Places
    edge: Places
    length: Places
    worth: NDArray[np.float64]
    clear: NDArray[np.float64]

    @classmethod
    def of(cls, paths: Iterable[Path]) -> Paths:
        """Some paths, in their order."""
        listed = list(paths)
        hops = max((len(path.edges) for path in listed), default=0)
        edge = [[*path.edges, *[-1] * (hops - len(path.edges))] for path in listed]
        return cls(
            np.array([path.cue for path in listed], dtype=np.int64),
            np.array([path.end for path in listed], dtype=np.int64),
            np.array(edge, dtype=np.int64).reshape(len(listed), hops),
            np.array([len(path.edges) for path in listed], dtype=np.int64),
            np.array([path.worth for path in listed], dtype=np.float64),
            np.array([path.clear for path in listed], dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.cue)

    def __getitem__(self, index: int) -> Path:
        edges = tuple(self.edge[index, : self.length[index]].tolist())
        return Path(
            int(self.cue[index]), int(self.end[index]), edges, float(self.worth[index]), float(self.clear[index])
        )

    def __iter__(self) -> Iterator[Path]:
        return map(self.__getitem__, range(len(self)))

    def only(self, chosen: Places | Mask) -> Paths:
        """Some of the paths, in the order of `chosen` if it holds positions."""
        return Paths(
            self.cue[chosen], self.end[chosen], self.edge[chosen], self.length[chosen], self.worth[chosen],
            self.clear[chosen],
        )  # fmt: skip

    @property
    def last(self) -> Places:
        """(k,): the edge on which each path arrives."""
        return self.edge[np.arange(len(self)), self.length - 1]

    @property
    def strength(self) -> NDArray[np.float64]:
        """(k,): geometric mean of the scores of each one's steps, so that length alone costs nothing."""
        pairs = zip(self.worth.tolist(), self.length.tolist(), strict=True)
        # Python's power: that of arrays depends on the processor in the last digit.
        return np.array([worth ** (1 / steps) for worth, steps in pairs], dtype=np.float64)

    def best_to(self) -> dict[int, int]:
        """{concept: position of the best path to it}."""
        ends, first = np.unique(self.end, return_index=True)
        return dict(zip(ends.tolist(), first.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The steps of a network in both directions, (2m,) each: where they start and end, edge, and score (0..1)."""

    source: Places
    target: Places
    edge: Places
    score: NDArray[np.float64]

    def copies(self, times: int, n: int) -> Steps:
        """The steps of some copies of the network, whose n concepts each follow one another; edges keep their place."""
        shift = np.repeat(np.arange(times) * n, len(self.edge))
        source, target, edge = (np.concatenate([each] * times) for each in (self.source, self.target, self.edge))
        return Steps(source + shift, target + shift, edge, np.concatenate([self.score] * times))


def find_paths(starts: Sequence[int], steps: Steps, naming: Mask, ends: Mask, search: Search) -> Paths:
    """The best path from each cue to each concept within reach, the best first. starts: the cues' concepts; naming:
    (m,) edges from a thing to its name; ends: (n,) concepts that are not passed through.

    A concept is not passed through by its best walk if that is too weak. Which walk is its best depends on what is
    passed through, so the walks are found again until that is settled. All cues search at once, each in a copy of the
    network, whose concepts follow one another.
    """
    if not starts or not len(steps.edge):
        return Paths.of(())
    hops, n, cues = len(search.fan_out), len(ends), np.arange(len(starts))
    first = cues * n + np.array(starts, dtype=np.int64)
    steps = steps.copies(len(starts), n)
    ends = np.concatenate([ends] * len(starts))
    places = np.arange(len(ends))
    weakest = search.least_step ** np.arange(hops + 1)[:, np.newaxis]
    closed = np.zeros((hops + 1, len(ends)), dtype=bool)
    for _ in range(2 * hops):
        worth, last = _walks(first, steps, ends | closed, hops)
        length, best = worth.argmax(axis=0), worth.max(axis=0)
        too_weak = np.zeros_like(closed)
        too_weak[length, places] = (best > 0) & (best < weakest[length, 0])
        if np.array_equal(too_weak, closed):
            break
        closed = too_weak
    reached = np.flatnonzero((best > 0) & ~closed[length, places])
    length, best = length[reached], best[reached]
    taken = _taken(reached, length, last, steps)
    used = np.where(taken >= 0, steps.edge[taken], -1)
    order = np.lexsort((*used.T[::-1], reached // n, -best))
    reached, length, best, taken, used = reached[order], length[order], best[order], taken[order], used[order]
    told = (taken >= 0) & ~naming[used]
    arrives_at_name = naming[used[np.arange(len(used)), length - 1]]
    told[arrives_at_name] = taken[arrives_at_name] >= 0
    product = np.where(told, steps.score[taken], 1.0).prod(axis=1)
    pairs = zip(product.tolist(), told.sum(axis=1).tolist(), strict=True)
    clear = np.array([telling ** (1 / among) for telling, among in pairs], dtype=np.float64)
    return Paths(reached // n, reached % n, used, length, best, clear)


def _taken(ends: Places, length: Places, last: Places, steps: Steps) -> Places:
    """(k, hops): the steps of the walks that arrive at some concepts after `length` steps, in order; -1 behind them."""
    taken = np.full((len(ends), len(last) - 1), -1)
    here = ends.copy()
    for hop in range(len(last) - 1, 0, -1):
        walking = np.flatnonzero(length >= hop)
        step = last[hop, here[walking]]
        taken[walking, hop - 1] = step
        here[walking] = steps.source[step]
    return taken


def _walks(starts: Places, steps: Steps, closed: Mask, hops: int) -> tuple[NDArray[np.float64], Places]:
    """(hops + 1, n) worth of the best walk of each length to each concept, and the step by which it arrives.

    starts: a concept in each copy of the network. closed: (hops + 1, n) where no walk of that length goes on (Bellman
    1958, by length). Among equal walks the one over the better concept is taken, then the one over the first.
    """
    worth = np.zeros((hops + 1, closed.shape[1]))
    last = np.full(worth.shape, -1)
    before = np.zeros(closed.shape[1])
    before[starts] = 1.0
    home = before > 0
    onwards = ~home[steps.target]
    for hop in range(1, hops + 1):
        taken = np.flatnonzero((before > 0)[steps.source] & onwards)
        reached = before[steps.source[taken]] * steps.score[taken]
        best = worth[hop]
        np.maximum.at(best, steps.target[taken], reached)
        taken = taken[reached == best[steps.target[taken]]]  # only equals are to be ordered
        source, target = steps.source[taken], steps.target[taken]
        order = np.lexsort((source, -before[source], target))
        targets = target[order]
        first = np.flatnonzero(np.diff(targets, prepend=-1))
        last[hop, targets[first]] = taken[order[first]]
        before = np.where(closed[hop], 0.0, best)
    return worth, last
