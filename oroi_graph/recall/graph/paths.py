"""The best paths from each cue to each concept within reach.

A question has a thousand of them, of which a brief tells a few: they are kept as columns, and all cues search at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.recall_options import Search
from oroi_graph.working_set.neighbourhood import Edges
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
        return _roots(self.worth, self.length)

    def best_to(self) -> dict[int, int]:
        """{concept: position of the best path to it}."""
        ends, first = np.unique(self.end, return_index=True)
        return dict(zip(ends.tolist(), first.tolist(), strict=True))


def of_classes(edges: Edges, *groups: Collection[str]) -> list[Mask]:
    """(m,) for each group of relation classes: whether the class of each edge is one of them."""
    used = np.bincount(edges.code).nonzero()[0].tolist()
    found = []
    for names in groups:
        among = np.zeros(len(edges.classes), dtype=bool)
        among[[code for code in used if edges.classes[code] in names]] = True
        found.append(among[edges.code])
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The steps of a network in both directions, (2m,) each: where they start and end, edge, and score (0..1)."""

    source: Places
    target: Places
    edge: Places
    score: NDArray[np.float64]

    def copies(self, times: int, n: int) -> Steps:
        """The steps of some copies of the network, whose n concepts each follow one another; edges keep their place."""
        if times == 1:
            return self
        shift = n * np.arange(times)[:, np.newaxis]
        edge, score = np.concatenate((self.edge,) * times), np.concatenate((self.score,) * times)
        return Steps((self.source + shift).ravel(), (self.target + shift).ravel(), edge, score)

    def only(self, chosen: Places) -> Steps:
        """Some of the steps, in the order of `chosen`."""
        return Steps(self.source[chosen], self.target[chosen], self.edge[chosen], self.score[chosen])


def find_paths(starts: Sequence[int], steps: Steps, naming: Mask, ends: Mask, search: Search) -> Paths:
    """The best path from each cue to each concept within reach, the best first. starts: the cues' concepts; naming:
    (m,) edges from a thing to its name; ends: (n,) concepts that are not passed through.

    A concept is not passed through by its best walk if that is too weak. Which walk is its best depends on what is
    passed through, so the walks are found again until that is settled. All cues search at once, each in a copy of the
    network, whose concepts follow one another.
    """
    if not starts or not len(steps.edge):
        return Paths.of(())
    hops, n = len(search.fan_out), len(ends)
    walks = _Walks(starts, steps, ends, hops)
    weakest = np.array([search.least_step**hop for hop in range(hops + 1)])
    for _ in range(2 * hops):
        length, best = walks.best()
        if not walks.close(length, (best > 0) & (best < weakest[length])):
            break
    reached = ((best > 0) & (best >= weakest[length])).nonzero()[0]
    length, best = length[reached], best[reached]
    taken = walks.taken(reached, length)
    used = np.where(taken >= 0, walks.steps.edge[taken], -1)
    cue = reached // n
    order = np.lexsort((*used[::-1], cue, -best))
    reached, cue, length, best = reached[order], cue[order], length[order], best[order]
    taken, used = taken[:, order], used[:, order]
    return Paths(cue, reached - n * cue, used.T, length, best, _clear(taken, used, length, walks.steps, naming))


def _clear(taken: Places, used: Places, length: Places, steps: Steps, naming: Mask) -> NDArray[np.float64]:
    """(k,): `Path.clear` of some walks. taken, used: (hops, k) their steps and edges, -1 behind the last."""
    walked, names = taken >= 0, naming[used]
    # A name at the end is what was asked for: then all steps of the path say something.
    to_name = names[length - 1, np.arange(len(length))]
    told = walked & (~names | to_name)
    product = np.multiply.reduce(np.where(told, steps.score[taken], 1.0))
    return _roots(product, np.add.reduce(told, dtype=np.int64))


def _roots(values: NDArray[np.float64], degrees: Places) -> NDArray[np.float64]:
    """(k,): the root of each value by its degree, 1 or more."""
    # Python's power: that of arrays depends on the processor in the last digit.
    return np.array(list(map(pow, values.tolist(), (1 / degrees).tolist())), dtype=np.float64)


class _Walks:
    """The best walk of each length from each cue to each concept, N in all copies of a network of n concepts (Bellman
    1958, by length). worth, last: (hops + 1, N) of the walks of each length, and the steps by which they arrive.

    Among equal walks the one over the better concept is taken, then the one over the first.
    """

    def __init__(self, starts: Sequence[int], steps: Steps, ends: Mask, hops: int) -> None:
        """starts: the cues' concepts. ends: (n,) concepts from which no walk goes on."""
        n = len(ends)
        first = n * np.arange(len(starts)) + np.array(starts, dtype=np.int64)
        steps = steps.copies(len(starts), n)
        home, onwards = np.zeros(len(starts) * n, dtype=bool), ~np.concatenate((ends,) * len(starts))
        home[first] = onwards[first] = True
        # A walk does not come home, so what is left of a start is its first step.
        self.steps = steps.only((onwards[steps.source] & ~home[steps.target]).nonzero()[0])
        self.worth = np.zeros((hops + 1, len(home)))
        self.worth[0, first] = 1.0
        self.last = np.full(self.worth.shape, -1)
        self._closed: list[int] = []  # places in `worth` from which no walk goes on
        self._passed = np.zeros(len(home), dtype=bool)  # whether steps lead on from each concept
        self._passed[self.steps.source] = True
        self._walk(1)
        self.worth[0, first] = 0.0

    def best(self) -> tuple[Places, NDArray[np.float64]]:
        """(N,) The length and the worth of the best walk to each concept; of equals the shortest."""
        return self.worth.argmax(axis=0), self.worth.max(axis=0)

    def close(self, length: Places, concepts: Mask) -> bool:
        """Let no walk go on from some concepts after so many steps, all others do; whether other walks may now be best.

        length: (N,). concepts: (N,).
        """
        hops, n = len(self.worth) - 1, len(length)
        some = (concepts & self._passed & (length < hops)).nonzero()[0]
        closed = (length[some] * n + some).tolist()
        changed = {*closed}.symmetric_difference(self._closed)
        self._closed = closed
        if changed:
            self._walk(min(changed) // n + 1)
        return bool(changed)

    def _walk(self, hop: int) -> None:
        """Find the walks of a length and of all above, by those that are shorter."""
        source, target, score = self.steps.source, self.steps.target, self.steps.score
        self.worth[hop:], self.last[hop:] = 0.0, -1
        going = np.ones(self.worth.shape)
        going.ravel()[self._closed] = 0.0
        for here in range(hop, len(self.worth)):
            before, best = self.worth[here - 1] * going[here - 1], self.worth[here]
            reached = before[source] * score
            np.maximum.at(best, target, reached)
            taken = ((reached == best[target]) & (reached > 0)).nonzero()[0]
            if len(taken) > np.count_nonzero(best):  # equals: of what arrives at one concept, the last stays
                taken = taken[::-1]
                taken = taken[np.lexsort((-source[taken], before[source[taken]]))]
            self.last[here, target[taken]] = taken

    def taken(self, ends: Places, length: Places) -> Places:
        """(hops, k): the steps of the walks that arrive at some concepts after `length` steps; -1 behind them."""
        found = np.empty((len(self.last) - 1, len(ends)), dtype=np.int64)
        here, source = ends, self.steps.source
        for hop in range(len(self.last) - 1, 0, -1):
            step = np.where(length >= hop, self.last[hop][here], -1)
            here = np.where(step >= 0, source[step], here)
            found[hop - 1] = step
        return found
