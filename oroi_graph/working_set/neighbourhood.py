"""The neighbourhood of some cues: three hops or four, with a fan-out capped by affinity to the question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import Places
from oroi_graph.working_set.transactions import Reading


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

    def of_classes(self, names: Set[str]) -> NDArray[np.bool_]:
        """(m,): whether the relation class of each is one of some."""
        used, place = np.unique(self.code, return_inverse=True)
        among = np.array([self.classes[code] in names for code in used.tolist()], dtype=bool)
        found: NDArray[np.bool_] = among[place]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """The concepts around some cues, lists of n and strength (n,), and the associations among them.

    left_behind: {(place of a concept, code of a relation class): ids of its neighbours on that relation that took no
    place of its fan-out because others on it had taken their share}.
    """

    ids: Sequence[str]
    labels: Sequence[str]
    kinds: Sequence[str]
    strength: NDArray[np.float64]
    edges: Edges
    left_behind: Mapping[tuple[int, int], Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Ways:
    """(k,) associations that lead out of some concepts: from, association, to; all are places."""

    owner: Places
    edge: Places
    other: Places

    def only(self, chosen: Places | NDArray[np.bool_]) -> _Ways:
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
        codes = [associations.codes[name] for name in classes if name in associations.codes]
        self.asked = np.zeros(len(associations.codes) + 1, dtype=bool)
        self.asked[codes] = True
        self.stated = np.zeros(len(associations.ids), dtype=bool)
        self.stated[[p for p in map(associations.place, hubs.stated) if p is not None]] = True
        self.meant = np.zeros(len(concepts.ids), dtype=bool)
        self.left_behind: dict[tuple[int, int], list[int]] = {}

    def run(self, cues: Sequence[str], fan: Sequence[int], alike: Sequence[int]) -> Neighbourhood:
        """As `surround`."""
        concepts = self.held.concepts
        starts = [place for place in map(concepts.place, dict.fromkeys(cues)) if place is not None]
        self.meant[[place for place in map(concepts.place, self.hubs.nearest) if place is not None]] = True
        self.meant[starts] = True
        seen, edges = dict.fromkeys(starts), dict[int, None]()
        passed = set(starts)
        ring = starts
        for hop, places in enumerate(fan):
            if places <= 0:
                break
            ways = self._ways(ring, hub=hop > 0)
            ways = self._best(ways, places, alike[hop] if hop else None, ring)
            edges.update(dict.fromkeys(ways.edge.tolist()))
            reached = dict.fromkeys(ways.other.tolist())
            seen.update(reached)
            ring = [place for place in reached if place not in passed and concepts.kinds[place] != "self"]
            passed.update(reached)
        return self._found(list(seen), np.array(list(edges), dtype=np.int64))

    def _ways(self, owners: Sequence[int], *, hub: bool) -> _Ways:
        """All ways out of some concepts that count; out of hubs, those towards the question."""
        all_ = self.held.associations
        ways = _Ways(*all_.adjacency.of_concepts(np.array(owners, dtype=np.int64)))
        counted = np.ones(len(ways.edge), dtype=bool) if self.past else ~all_.superseded[ways.edge]
        if hub:
            counted &= self._towards(ways, len(owners))
        if self.exclude is not None:
            counted &= all_.first[ways.edge] != self.exclude
        return ways.only(counted)

    def _towards(self, ways: _Ways, owners: int) -> NDArray[np.bool_]:
        """Which ways count where those out of a hub must lead towards the question. owners: how many concepts."""
        all_ = self.held.associations
        degree = np.bincount(ways.owner, minlength=owners)
        named = self.asked[all_.classes[ways.edge]]
        for owner in np.flatnonzero(degree > max(self.hubs.searched, self.hubs.degree)).tolist():
            out = np.flatnonzero(ways.owner == owner)
            edge = ways.edge[out]
            newest = np.lexsort((all_.low[edge], all_.high[edge], -all_.last[edge]))
            named[out[newest[self.hubs.searched :]]] = False
        found: NDArray[np.bool_] = self.meant[ways.other] | self.stated[ways.edge] | named
        return found | (degree <= self.hubs.degree)[ways.owner]

    def _best(self, ways: _Ways, most: int, alike: int | None, owners: Sequence[int]) -> _Ways:
        """The `most` best ways out of each of the `owners`; ways beyond `alike` on one relation come behind all others.

        Those of them that find no place are noted in `left_behind`.
        """
        all_ = self.held.associations
        affinity = self.near[ways.other] + self.asked[all_.classes[ways.edge]]
        keys = (
            all_.low[ways.edge], all_.high[ways.edge], -all_.last[ways.edge], -all_.weight[ways.edge], -affinity,
        )  # fmt: skip
        order = np.lexsort((*keys, ways.owner))
        if alike is not None:
            width = len(all_.codes) + 1
            group = ways.owner * width + all_.classes[ways.edge]
            over = np.zeros(len(order), dtype=bool)
            over[order] = _counted(group[order]) >= alike
            order = order[np.lexsort((over[order], ways.owner[order]))]  # stable: equals stay as the keys put them
        fetched = _counted(ways.owner[order]) < most
        if alike is not None:
            left = order[~fetched & over[order]]
            codes = all_.classes[ways.edge[left]].tolist()
            for owner, code, other in zip(ways.owner[left].tolist(), codes, ways.other[left].tolist(), strict=True):
                self.left_behind.setdefault((owners[owner], code), []).append(other)
        return ways.only(order[fetched])

    def _found(self, places: Sequence[int], edges: Places) -> Neighbourhood:
        concepts, all_ = self.held.concepts, self.held.associations
        row = np.zeros(len(concepts.ids), dtype=np.int64)
        row[places] = np.arange(len(places))
        listed = edges.tolist()
        return Neighbourhood(
            [concepts.ids[place] for place in places],
            [concepts.labels[place] for place in places],
            [concepts.kinds[place] for place in places],
            concepts.strength[places],
            Edges(
                [all_.ids[edge] for edge in listed], row[all_.source[edges]], row[all_.target[edges]],
                all_.weight[edges], [all_.relations[edge] for edge in listed], all_.classes[edges], tuple(all_.codes),
                all_.implied[edges], all_.confidence[edges],
            ),
            {
                (int(row[place]), code): [concepts.ids[other] for other in others]
                for (place, code), others in self.left_behind.items()
            },
        )  # fmt: skip


def _counted(groups: Places) -> Places:
    """(k,): how many equal entries stand before each."""
    order = np.argsort(groups, kind="stable")
    sorted_ = groups[order]
    starts = np.flatnonzero(np.concatenate([[True], sorted_[1:] != sorted_[:-1]])) if len(groups) else groups
    before = np.arange(len(groups)) - np.repeat(starts, np.diff(np.append(starts, len(groups))))
    counted = np.empty(len(groups), dtype=np.int64)
    counted[order] = before
    return counted
