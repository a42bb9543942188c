"""The neighbourhood of some cues: three hops or four, with a fan-out capped by affinity to the question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.working_set.adjacency import no_places
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import Places, places_of
from oroi_graph.working_set.transactions import Reading
from oroi_graph.working_set.vectors import Floats

SIFTED = 4  # times its fan-out: from there on the ways out of a concept are sifted before they are sorted


class Edge(NamedTuple):
    """One association around the cues. source, target: places of its ends among the concepts around them.

    confidence: that it was stated, 0..1.
    """

    id: str
    source: int
    target: int
    weight: float
    relation: str
    relation_class: str
    implied: bool
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """m associations as columns, (m,) each, see `Edge`. code: of the relation class of each, whose name is in `classes`
    at that place."""

    ids: Sequence[str]
    source: Places
    target: Places
    weight: NDArray[np.float64]
    relations: Sequence[str]
    code: Places
    classes: Sequence[str]
    implied: NDArray[np.bool_]
    confidence: NDArray[np.float64]

    @classmethod
    def of(cls, edges: Iterable[Edge]) -> Edges:
        """Some associations, in their order."""
        listed = list(edges)
        columns = list(zip(*listed, strict=True)) if listed else [()] * len(Edge._fields)
        ids, source, target, weight, relations, classes, implied, confidence = columns
        number = {name: i for i, name in enumerate(dict.fromkeys(classes))}
        return cls(
            ids, np.array(source, dtype=np.int64), np.array(target, dtype=np.int64),
            np.array(weight, dtype=np.float64), relations, np.array([number[name] for name in classes], dtype=np.int64),
            tuple(number), np.array(implied, dtype=bool), np.array(confidence, dtype=np.float64),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Edge]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, index: int) -> Edge:
        return Edge(
            self.ids[index], int(self.source[index]), int(self.target[index]), float(self.weight[index]),
            self.relations[index], self.classes[self.code[index]], bool(self.implied[index]),
            float(self.confidence[index]),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class LeftBehind:
    """Neighbours that took no place of a concept's fan-out because others on their relation had taken their share.

    concept: (k,) its place among those around the cues; code: (k,) of the relation class; other: (k,) the places of the
    neighbours in `ids`.
    """

    concept: Places = field(default_factory=no_places)
    code: Places = field(default_factory=no_places)
    other: Places = field(default_factory=no_places)
    ids: Sequence[str] = ()

    def ids_of(self, some: NDArray[np.bool_]) -> set[str]:
        """The ids of some of the neighbours. some: (k,)."""
        return {self.ids[place] for place in self.other[some].tolist()}


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """The concepts around some cues, lists of n and strength (n,), and the associations among them."""

    ids: Sequence[str]
    labels: Sequence[str]
    kinds: Sequence[str]
    strength: NDArray[np.float64]
    edges: Edges
    left_behind: LeftBehind = field(default_factory=LeftBehind)


@dataclass(frozen=True, slots=True, eq=False)
class _Ways:
    """(k,) associations that lead out of some concepts: from, association, to; all are places."""

    owner: Places
    edge: Places
    other: Places

    def only(self, chosen: Places) -> _Ways:
        return _Ways(self.owner[chosen], self.edge[chosen], self.other[chosen])


def surround(
    tx: Reading, *, cues: Sequence[str], near: Mapping[str, float], nearest: Sequence[str], classes: Sequence[str],
    fan: Sequence[int], alike: Sequence[int], hub: int, stated: Sequence[str], searched: int, past: bool,
    exclude: int | None,
) -> Neighbourhood:  # fmt: skip
    """The concepts and associations around the cues. Speakers that are no cues are not passed through.

    The fan-out is capped by affinity (cosine of the neighbour, class of the relation), then weight, recency, id. cues:
    concept ids. near: {concept id: cosine}; nearest: ids of the nearest. classes: relation classes that the question
    asks for. fan: neighbours of a concept at each hop (0: no such hop); alike: how many of them may be neighbours on
    one relation while others are left, from hop 2 on. hub: associations from which a concept on the way is a hub: of
    those only the ones to `nearest` and to cues, those `stated` by the nearest records, and among the newest
    `searched` those of `classes` are ways. past: whether superseded associations count. exclude: a turn whose
    associations are ignored.
    """
    return _Search(tx.held, near, _Hubs(hub, searched, tuple(nearest), tuple(stated)), classes, past, exclude).run(
        cues, fan, alike
    )


@dataclass(frozen=True, slots=True)
class _Hubs:
    degree: int
    searched: int
    nearest: Sequence[str]
    stated: Sequence[str]


class _Search:
    """One search. Nothing depends on the places of concepts and associations: ids decide between equals."""

    def __init__(
        self, held: Snapshot, near: Mapping[str, float], hubs: _Hubs, classes: Sequence[str], past: bool,
        exclude: int | None,
    ) -> None:  # fmt: skip
        self.held, self.hubs, self.past, self.exclude = held, hubs, past, exclude
        concepts, associations = held.concepts, held.associations
        self.near = np.zeros(len(concepts.ids))
        for id, cosine in near.items():
            place = concepts.place(id)
            if place is not None:
                self.near[place] = cosine
        self.asked = np.zeros(len(associations.codes) + 1, dtype=bool)
        self.asked[[associations.codes[name] for name in classes if name in associations.codes]] = True
        self.stated = np.zeros(len(associations.ids), dtype=bool)
        self.stated[places_of(associations.place, hubs.stated)] = True
        self.meant = np.zeros(len(concepts.ids), dtype=bool)
        self.left_behind: list[tuple[Places, Places, Places]] = []  # of each hop: owner, relation class, other end

    def run(self, cues: Sequence[str], fan: Sequence[int], alike: Sequence[int]) -> Neighbourhood:
        """As `surround`."""
        concepts = self.held.concepts
        starts = places_of(concepts.place, dict.fromkeys(cues))
        self.meant[places_of(concepts.place, self.hubs.nearest)] = True
        self.meant[starts] = True
        seen = np.zeros(len(concepts.ids), dtype=bool)
        seen[starts] = True
        rings, edges = [starts], []
        ring = np.array(starts, dtype=np.int64)
        for hop, places in enumerate(fan):
            if places <= 0 or not len(ring):
                break
            ways = self._best(self._ways(ring, hub=hop > 0), places, alike[hop] if hop else None, ring)
            edges += ways.edge.tolist()
            reached = list(dict.fromkeys(ways.other[~seen[ways.other]].tolist()))
            seen[reached] = True
            rings.append(reached)
            ring = np.array([place for place in reached if concepts.kinds[place] != "self"], dtype=np.int64)
        return self._found([*chain.from_iterable(rings)], list(dict.fromkeys(edges)))

    def _ways(self, owners: Places, *, hub: bool) -> _Ways:
        """All ways out of some concepts that count; out of hubs, those towards the question."""
        all_ = self.held.associations
        ways = _Ways(*all_.adjacency.of_concepts(owners))
        counted = np.ones(len(ways.edge), dtype=bool) if self.past else ~all_.superseded[ways.edge]
        if hub:
            degree = np.bincount(ways.owner, minlength=len(owners))
            if degree.max(initial=0) > self.hubs.degree:
                counted &= self._towards(ways, degree)
        if self.exclude is not None:
            counted &= all_.first[ways.edge] != self.exclude
        return ways if counted.all() else ways.only(np.flatnonzero(counted))

    def _towards(self, ways: _Ways, degree: Places) -> NDArray[np.bool_]:
        """Which ways count where those out of a hub must lead towards the question. degree: of each concept."""
        named = self.asked[self.held.associations.classes[ways.edge]]
        for owner in np.flatnonzero(degree > max(self.hubs.searched, self.hubs.degree)).tolist():
            out = np.flatnonzero(ways.owner == owner)
            if named[out].any():
                named[out] &= self._newest(ways.edge[out], self.hubs.searched)
        found: NDArray[np.bool_] = self.meant[ways.other] | self.stated[ways.edge] | named
        return found | (degree <= self.hubs.degree)[ways.owner]

    def _newest(self, edges: Places, most: int) -> NDArray[np.bool_]:
        """Which of more than `most` associations are the `most` newest; ids decide between equals."""
        all_ = self.held.associations
        last = all_.last[edges]
        least = np.partition(last, -most)[-most]
        found: NDArray[np.bool_] = last > least
        tied = np.flatnonzero(last == least)
        order = np.lexsort((all_.low[edges[tied]], all_.high[edges[tied]]))
        found[tied[order[: most - np.count_nonzero(found)]]] = True
        return found

    def _best(self, ways: _Ways, most: int, alike: int | None, owners: Places) -> _Ways:
        """The `most` best ways out of each of the `owners`; ways beyond `alike` on one relation come behind all others.

        Those of them that find no place are noted in `left_behind`.
        """
        all_ = self.held.associations
        number = np.bincount(ways.owner, minlength=len(owners))
        longest = number.max(initial=0)
        if alike is None and longest > SIFTED * most:
            ways, number = self._sifted(ways, number, most)
        edge, classes = ways.edge, all_.classes[ways.edge]
        affinity = self.near[ways.other] + self.asked[classes]
        keys = (all_.low[edge], all_.high[edge], -all_.last[edge], -all_.weight[edge], -affinity, ways.owner)
        order = np.lexsort(keys)
        owner, over = ways.owner[order], None
        if alike is not None and longest > alike:
            beyond = _beyond(alike, owner * len(self.asked) + classes[order])
            if len(beyond):
                over = np.zeros(len(order), dtype=bool)
                over[beyond] = True
                behind = np.lexsort((over, owner))  # stable: equals stay as the keys put them
                order, over = order[behind], over[behind]
        if longest <= most:
            return ways.only(order)
        fetched = np.arange(len(order)) - (np.cumsum(number) - number)[owner] < most
        if over is not None:
            left = order[over & ~fetched]
            self.left_behind.append((owners[ways.owner[left]], classes[left], ways.other[left]))
        return ways.only(order[fetched])

    def _sifted(self, ways: _Ways, number: Places, most: int) -> tuple[_Ways, Places]:
        """The ways without those out of a crowded concept that are surely not among its `most` best.

        number: of the ways out of each concept, as it is returned for those that are left.
        """
        all_, kept = self.held.associations, np.ones(len(ways.edge), dtype=bool)
        for owner in np.flatnonzero(number > SIFTED * most).tolist():
            out = np.flatnonzero(ways.owner == owner)
            edge = ways.edge[out]
            kept[out] = _foremost(self.near[ways.other[out]] + self.asked[all_.classes[edge]], all_.weight[edge], most)
        ways = ways.only(np.flatnonzero(kept))
        return ways, np.bincount(ways.owner, minlength=len(number))

    def _found(self, places: Sequence[int], edges: Sequence[int]) -> Neighbourhood:
        concepts, all_ = self.held.concepts, self.held.associations
        row = np.zeros(len(concepts.ids), dtype=np.int64)
        row[places] = np.arange(len(places))
        rows = np.array(edges, dtype=np.int64)
        return Neighbourhood(
            [*map(concepts.ids.__getitem__, places)],
            [*map(concepts.labels.__getitem__, places)],
            [*map(concepts.kinds.__getitem__, places)],
            concepts.strength[places],
            Edges(
                [*map(all_.ids.__getitem__, edges)], row[all_.source[rows]], row[all_.target[rows]], all_.weight[rows],
                [*map(all_.relations.__getitem__, edges)], all_.classes[rows], tuple(all_.codes), all_.implied[rows],
                all_.confidence[rows],
            ),
            self._left_behind(row),
        )  # fmt: skip

    def _left_behind(self, row: Places) -> LeftBehind:
        """row: (concepts,) the place of each among those around the cues."""
        if not self.left_behind:
            return LeftBehind()
        owners, codes, others = map(np.concatenate, zip(*self.left_behind, strict=True))
        return LeftBehind(row[owners], codes, others, self.held.concepts.ids)


def _beyond(most: int, groups: Places) -> Places:
    """Where more than `most` equal entries stand up to there. groups: (k,), in any order."""
    order = np.argsort(groups, kind="stable")
    sorted_ = groups[order]
    return order[most:][sorted_[most:] == sorted_[: len(groups) - most]] if most < len(groups) else order[:0]


def _foremost(first: Floats, second: Floats, most: int) -> NDArray[np.bool_]:
    """Which of (k,) rows, k >= most, may be among the `most` with the highest values in `first`, then in `second`."""
    least = np.partition(first, -most)[-most]
    found: NDArray[np.bool_] = first > least
    tied = np.flatnonzero(first == least)
    room = most - np.count_nonzero(found)
    among = second[tied]
    found[tied[among >= np.partition(among, -room)[-room]]] = True
    return found
