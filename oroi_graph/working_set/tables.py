"""The tables of a working set: concepts, associations and records as columns.

A table never changes what a reader holds: an update makes a new table. Lists and arrays are copied; dictionaries from
ids to places only grow, so all states share them, and a place at or behind a table's end is of a later state. The row
of a record that is gone stays, without an id, where nothing finds it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.storage.store import Row, Transaction
from oroi_graph.working_set.adjacency import Adjacency
from oroi_graph.working_set.vectors import Asked, Vectors
from oroi_graph.working_set.words.inverted_index import InvertedIndex, Texts

Places = NDArray[np.int64]

NEWEST = 4  # records of a kind that mention a concept


# The columns in which statements and writers hand rows over.
CONCEPT_COLUMNS = ("ids", "labels", "keys", "kinds", "aliases", "mentions", "strength", "vectors")
RECORD_COLUMNS = ("ids", "said", "entries", "gists", "resting", "associations", "concepts", "vectors")

NO_ASSOCIATIONS: dict[str, list[Any]] = {
    name: []
    for name in (
        "ids", "sources", "targets", "weights", "relations", "classes", "implied", "confidences", "first_turns",
        "last_turns", "superseded", "negated", "contested", "times", "stated", "records",
    )
}  # fmt: skip
ASSOCIATION_TEXTS = ("ids", "relations", "times", "stated", "records")  # of these, those that a table has as lists


class StaleError(Exception):
    """A change cannot be applied to what is held: the memory must be loaded again."""


@dataclass(frozen=True, slots=True, eq=False)
class Concepts:
    """at: {id: place}. by_key: {label key: places}. mentions, activation, strength: (n,) arrays; the rest are lists.

    dim: ids of what is lit too faintly to outlast the turn. words: of labels and aliases.
    """

    ids: list[str]
    labels: list[str]
    keys: list[str]
    kinds: list[str]
    aliases: list[Sequence[str]]
    mentions: NDArray[np.int64]
    activation: NDArray[np.float64]
    strength: NDArray[np.float64]
    vectors: Vectors
    at: dict[str, int]
    by_key: dict[str, list[int]]
    dim: frozenset[str] = frozenset()
    words: InvertedIndex = field(default_factory=InvertedIndex)

    def place(self, id: str) -> int | None:
        """Where a concept stands; None if it is not here."""
        found = self.at.get(id)
        return found if found is not None and found < len(self.ids) else None

    def asked(self, tx: Transaction, memory: str) -> Asked:
        """What its vectors are asked with."""
        return Asked(tx, memory, "concept", self.ids, self.place)

    def texts(self) -> Texts:
        """Labels with their aliases, to be searched by words."""
        return self.words.at(len(self.ids), lambda place: " ".join([self.labels[place], *self.aliases[place]]))

    def lit(self) -> Places:
        """The places of what is lit, in the order of ids."""
        places = np.flatnonzero(self.activation > 0).tolist()
        return np.array(sorted(places, key=self.ids.__getitem__), dtype=np.int64)

    def lighted(self, lit: Sequence[str], activation: Sequence[float], dim: Sequence[Sequence[Any]]) -> Concepts:
        """With all that is lit, and no more. dim: ids and activations of what is lit faintly, as far as it is known.

        Raises StaleError if something lit is unknown.
        """
        lighted = np.zeros(len(self.ids))
        for id, value in zip(lit, activation, strict=True):
            found = self.place(id)
            if found is None:
                raise StaleError(id)
            lighted[found] = value
        faint = set()
        for id, value in zip(*dim, strict=True):
            found = self.place(id)
            if found is not None and not lighted[found]:
                lighted[found] = value
                faint.add(id)
        return replace(self, activation=lighted, dim=frozenset(faint))

    def updated(self, row: Row) -> Concepts:
        """With changed and new concepts; new ones are dark."""
        if not row["ids"]:
            return self
        old = len(self.ids)
        table = replace(
            self, ids=self.ids.copy(), labels=self.labels.copy(), keys=self.keys.copy(), kinds=self.kinds.copy(),
            aliases=self.aliases.copy(),
        )  # fmt: skip
        new = [i for i, id in enumerate(row["ids"]) if self.place(id) is None]
        size = old + len(new)
        mentions, strength, lighted = np.zeros(size, dtype=np.int64), np.zeros(size), np.zeros(size)
        mentions[:old], strength[:old], lighted[:old] = self.mentions, self.strength, self.activation
        renamed = False
        for i, id in enumerate(row["ids"]):
            place = self.place(id)
            columns = (row["labels"][i], row["keys"][i], row["kinds"][i], row["aliases"][i])
            if place is None:
                place = len(table.ids)
                table.ids.append(id)
                for column, value in zip((table.labels, table.keys, table.kinds, table.aliases), columns, strict=True):
                    column.append(value)  # type: ignore[attr-defined]
                self.at[id] = place
                self.by_key.setdefault(row["keys"][i], []).append(place)
            elif self.keys[place] != row["keys"][i]:
                raise StaleError(id)
            else:
                renamed |= (table.labels[place], tuple(table.aliases[place])) != (columns[0], tuple(columns[3]))
                table.labels[place], _, table.kinds[place], table.aliases[place] = columns
            mentions[place], strength[place] = row["mentions"][i], row["strength"][i]
        vectors = self.vectors.extended([row["vectors"][i] for i in new])
        words = InvertedIndex() if renamed else self.words
        return replace(table, mentions=mentions, strength=strength, activation=lighted, vectors=vectors, words=words)


@dataclass(frozen=True, slots=True, eq=False)
class Associations:
    """source, target: places of concepts. classes: numbers of relation classes (`codes`). first, last: turns.

    high, low: the first sixteen bytes of the id as two numbers, by which ids are ordered. times: the date of each;
    stated: when it was said; both ISO, '' without one. years: in which the date begins, 0 without one. records: ids.
    """

    ids: list[str]
    relations: list[str]
    times: list[str]
    stated: list[str]
    records: list[tuple[str, ...]]
    source: Places
    target: Places
    weight: NDArray[np.float64]
    classes: Places
    implied: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    first: Places
    last: Places
    superseded: NDArray[np.bool_]
    negated: NDArray[np.bool_]
    contested: NDArray[np.bool_]
    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    years: NDArray[np.int16]
    adjacency: Adjacency
    at: dict[str, int]
    codes: dict[str, int]

    def dated(self, begin: str, end: str) -> list[int]:
        """Places of the associations that hold and whose date begins from `begin` and before `end` (ISO)."""
        found = (self.years >= max(_year(begin), 1)) & (self.years <= _year(end)) & ~self.superseded
        times = self.times
        return [p for p in np.flatnonzero(found).tolist() if begin <= times[p] < end]

    def place(self, id: str) -> int | None:
        """Where an association stands; None if it is not here."""
        found = self.at.get(id)
        return found if found is not None and found < len(self.ids) else None

    def row(self, place: int, concepts: Concepts) -> Row:
        """One association in the shape of a row of `working_set/touched`, but for the lists."""
        return {
            "ids": self.ids[place], "sources": concepts.ids[self.source[place]],
            "targets": concepts.ids[self.target[place]], "weights": float(self.weight[place]),
            "relations": self.relations[place], "classes": list(self.codes)[self.classes[place]],
            "implied": bool(self.implied[place]), "confidences": float(self.confidence[place]),
            "first_turns": int(self.first[place]), "last_turns": int(self.last[place]),
            "superseded": bool(self.superseded[place]), "negated": bool(self.negated[place]),
            "contested": bool(self.contested[place]), "times": self.times[place], "stated": self.stated[place],
            "records": self.records[place],
        }  # fmt: skip

    def updated(self, row: Row, concepts: Concepts) -> Associations:
        """With changed and new associations. Raises StaleError if an end is unknown."""
        if not row["ids"] and len(concepts.ids) == len(self.adjacency.starts) - 1:
            return self
        if not row["ids"]:
            return replace(self, adjacency=self.adjacency.grown(self.source, self.target, len(concepts.ids)))
        places, new = [], 0
        for id in row["ids"]:
            place = self.place(id)
            places.append(len(self.ids) + new if place is None else place)
            new += place is None
        texts: dict[str, Any] = {name: [*getattr(self, name), *([None] * new)] for name in ASSOCIATION_TEXTS}
        for name, values in texts_of(row).items():
            for place, value in zip(places, values, strict=True):
                texts[name][place] = value
        self.at.update(zip(row["ids"], places, strict=True))
        fresh = columns_of(row, concepts, self.codes)
        if (fresh["source"] < 0).any() or (fresh["target"] < 0).any():
            raise StaleError("an end of an association is unknown")
        columns: dict[str, Any] = {}
        for name, values in fresh.items():
            before = getattr(self, name)
            columns[name] = np.concatenate([before, np.zeros(new, dtype=before.dtype)])
            columns[name][places] = values
        adjacency = self.adjacency.grown(columns["source"], columns["target"], len(concepts.ids))
        return replace(self, adjacency=adjacency, **texts, **columns)


class Newest(NamedTuple):
    """Places of the newest records that mention a concept, by kind."""

    said: tuple[int, ...] = ()
    entries: tuple[int, ...] = ()
    notes: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class Timeline:
    """Places of records that have a time, in its order, as far as a question asked for one; all states share it.

    known: how many rows were looked through, and the places. It is replaced, never changed: threads share it, too.
    """

    known: tuple[int, Sequence[int]] = (0, ())


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """said: turn id, turn, role, speaker, session, time, text and kind of each. concepts, associations: ids; those of
    concepts are sorted. entries: of an entry of a contract its type, key, whether superseded, whether disputed; of a
    note of a workspace its path, first and last line; empty for others.

    by_turn: {turn: places}. mentioning: {concept id: places of records that mention it}. newest: {concept id: how many
    of these were looked through, and the newest of them}, for concepts that a question asked for; see `newest_of`.
    timeline: see `between`. words: of the texts. candidates: {place: moment in the conversation, id, the concepts
    and the entry it is made of, what questions rank}; stated: {place: ids of associations, their places}; both are of
    what a question asked for, and all states share them.
    """

    ids: list[str]
    said: list[Sequence[Any]]
    entries: list[Sequence[Any]]
    gists: list[bool]
    resting: list[bool]
    associations: list[tuple[str, ...]]
    concepts: list[tuple[str, ...]]
    vectors: Vectors
    at: dict[str, int]
    by_turn: dict[int, list[int]]
    mentioning: dict[str, list[int]]
    newest: dict[str, tuple[int, Newest]] = field(default_factory=dict)
    timeline: Timeline = field(default_factory=Timeline)
    words: InvertedIndex = field(default_factory=InvertedIndex)
    candidates: dict[int, tuple[int, str, Any, Any, Any]] = field(default_factory=dict)
    stated: dict[int, tuple[tuple[str, ...], tuple[int, ...]]] = field(default_factory=dict)

    def texts(self) -> Texts:
        """What was said or written, to be searched by words."""
        return self.words.at(len(self.ids), lambda place: self.said[place][6] or "")

    def place(self, id: str) -> int | None:
        """Where a record stands; None if it is not here."""
        found = self.at.get(id)
        return found if found is not None and found < len(self.ids) and self.ids[found] == id else None

    def places(self, ids: Sequence[str]) -> list[int]:
        """As `places_of`, without a call for each: questions ask for hundreds."""
        known, size = self.ids, len(self.ids)
        found = zip(ids, map(self.at.get, ids), strict=True)
        return [place for id, place in found if place is not None and place < size and known[place] == id]

    def in_turn(self, turn: int) -> list[int]:
        """The places of the records of a turn."""
        return [place for place in self.by_turn.get(turn, ()) if place < len(self.ids)]

    def asked(self, tx: Transaction, memory: str) -> Asked:
        """What its vectors are asked with."""
        return Asked(tx, memory, "record", self.ids, self.place)

    def between(self, first: str, after: str) -> list[int]:
        """Places of the records whose time is from `first` and before `after` (ISO), those that rest, too."""
        ordered = self._in_time()
        begin, end = (bisect_left(ordered, bound, key=self._time) for bound in (first, after))
        return [place for place in ordered[begin:end] if self.ids[place]]

    def _in_time(self) -> Sequence[int]:
        """Places of what has a time, in its order. Times do not change, so only new rows are looked through."""
        size = len(self.ids)
        seen, ordered = self.timeline.known
        if seen > size:  # records of a later state stand behind
            return [place for place in ordered if place < size]
        new = [place for place in range(seen, size) if self.said[place][5] is not None]
        if new and ordered:
            ordered = [*ordered]
            for place in new:
                insort(ordered, place, key=self._time)
        elif new:
            ordered = sorted(new, key=self._time)
        self.timeline.known = (size, ordered)
        return ordered

    def _time(self, place: int) -> str:
        return str(self.said[place][5])

    def newest_of(self, concept: str) -> list[int]:
        """Places of the newest records on the recall path that mention a concept: `NEWEST` that were said, as many
        entries, as many notes.

        A concept may be mentioned by a large part of the memory, so what was found is kept, and only later mentions are
        looked through when it is asked for again.
        """
        listed = self.mentioning.get(concept, [])
        count = len(listed)
        while count and listed[count - 1] >= len(self.ids):  # records of a later state stand behind
            count -= 1
        seen, found = self.newest.get(concept, (0, Newest()))
        if seen > count:
            seen, found = 0, Newest()
        if seen < count:
            found = self._newer(found, [place for place in listed[seen:count] if not self.resting[place]])
            self.newest[concept] = (count, found)
        return [*found.said, *found.entries, *found.notes]

    def _newer(self, found: Newest, places: Sequence[int]) -> Newest:
        """The newest of what was found and of more places."""
        kinds: dict[str, list[int]] = {"said": [*found.said], "entry": [*found.entries], "note": [*found.notes]}
        for place in places:
            kinds[self.said[place][7] if self.entries[place] else "said"].append(place)
        said, turns, ids = kinds["said"], self.said, self.ids
        # Entries and notes stand before all turns, the newest first.
        return Newest(
            tuple(nsmallest(NEWEST, said, key=lambda place: (-turns[place][1], ids[place]))),
            *(
                tuple(nsmallest(NEWEST, kinds[kind], key=lambda place: (turns[place][1], ids[place])))
                for kind in ("entry", "note")
            ),
        )

    def updated(self, row: Row) -> Records:
        """With changed and new records. Raises StaleError if words of a known record changed, or mentions are gone."""
        if not row["ids"]:
            return self
        mentioning = self._grown(row)
        table = replace(
            self, ids=self.ids.copy(), said=self.said.copy(), entries=self.entries.copy(), gists=self.gists.copy(),
            resting=self.resting.copy(), associations=self.associations.copy(), concepts=self.concepts.copy(),
        )  # fmt: skip
        added = []
        for i, id in enumerate(row["ids"]):
            place = self.place(id)
            if place is None:
                place = len(table.ids)
                table.ids.append(id)
                table.said.append(tuple(row["said"][i]))
                table.entries.append(row["entries"][i] or ())
                table.gists.append(row["gists"][i])
                table.resting.append(row["resting"][i])
                table.associations.append(tuple(row["associations"][i]))
                table.concepts.append(tuple(sorted(row["concepts"][i])))
                added.append(row["vectors"][i])
                self.at[id] = place
                self.by_turn.setdefault(row["said"][i][1], []).append(place)
                for concept in table.concepts[place]:
                    mentioning.setdefault(concept, []).append(place)
            elif (self.said[place], self.resting[place]) != (tuple(row["said"][i]), row["resting"][i]):
                raise StaleError(id)
            else:
                table.concepts[place] = tuple(sorted(row["concepts"][i]))
                table.associations[place] = tuple(row["associations"][i])
                table.entries[place] = row["entries"][i] or ()
        return replace(table, vectors=self.vectors.extended(added), mentioning=mentioning)

    def without(self, gone: Iterable[str]) -> Records:
        """Without the records of some ids, as far as they are here."""
        places = places_of(self.place, gone)
        if not places:
            return self
        changed = {concept for place in places for concept in self.concepts[place]}
        table = replace(
            self, ids=self.ids.copy(), said=self.said.copy(), entries=self.entries.copy(), resting=self.resting.copy(),
            associations=self.associations.copy(), concepts=self.concepts.copy(), by_turn=dict(self.by_turn),
            mentioning=dict(self.mentioning),
            newest={concept: found for concept, found in self.newest.items() if concept not in changed},
        )  # fmt: skip
        for place in places:
            turn = self.said[place][1]
            table.by_turn[turn] = [other for other in table.by_turn[turn] if other != place]
            for concept in self.concepts[place]:
                table.mentioning[concept] = [other for other in table.mentioning[concept] if other != place]
            table.said[place] = (*self.said[place][:6], "", *self.said[place][7:])
            table.ids[place], table.entries[place], table.resting[place] = "", (), True
            table.associations[place], table.concepts[place] = (), ()
        vectors = self.vectors.without(np.array(places, dtype=np.int64))
        return replace(table, vectors=vectors, words=self.words.without(places))

    def _grown(self, row: Row) -> dict[str, list[int]]:
        """`mentioning` with new mentions of known records (notes are joined to concepts when they are here).

        Places of new records may be added to the lists of states before, which are too short to see them; those of
        known records may not. Raises StaleError if mentions are gone.
        """
        found = self.mentioning
        for id, concepts in zip(row["ids"], row["concepts"], strict=True):
            place = self.place(id)
            if place is None:
                continue
            before, now = set(self.concepts[place]), set(concepts)
            if before - now:
                raise StaleError(id)
            if now > before and found is self.mentioning:
                found = dict(found)
            for concept in now - before:
                found[concept] = [*found.get(concept, ()), place]
        return found


def places_of(place: Callable[[str], int | None], ids: Iterable[str]) -> list[int]:
    """The places of those of some ids that have one, in their order. place: of a table."""
    return [found for found in map(place, ids) if found is not None]


def texts_of(row: Row) -> dict[str, Any]:
    """The columns of associations that are lists."""
    return {name: row[name] for name in ASSOCIATION_TEXTS} | {"records": [*map(tuple, row["records"])]}


def columns_of(row: Row, concepts: Concepts, codes: dict[str, int]) -> dict[str, Any]:
    """The numeric columns of associations; an end that is no concept here is -1."""
    prefixes = np.array([id.encode() for id in row["ids"]], dtype="S16")  # cut, or filled up with zeros
    halves = np.frombuffer(prefixes.tobytes(), dtype=">u8").reshape(-1, 2).astype(np.uint64)
    size = len(concepts.ids)

    def places(ids: Sequence[str]) -> Places:
        found = np.fromiter(map(concepts.at.get, ids, repeat(-1)), dtype=np.int64, count=len(ids))
        return np.where(found < size, found, -1)

    return {
        "source": places(row["sources"]),
        "target": places(row["targets"]),
        "weight": np.array(row["weights"], dtype=np.float64),
        "classes": _numbered(row["classes"], codes),
        "implied": np.array(row["implied"], dtype=bool),
        "confidence": np.array(row["confidences"], dtype=np.float64),
        "first": np.array(row["first_turns"], dtype=np.int64),
        "last": np.array(row["last_turns"], dtype=np.int64),
        "superseded": np.array(row["superseded"], dtype=bool),
        "negated": np.array(row["negated"], dtype=bool),
        "contested": np.array(row["contested"], dtype=bool),
        "high": halves[:, 0],
        "low": halves[:, 1],
        "years": np.array([_year(when) if when else 0 for when in row["times"]], dtype=np.int16),
    }


def _numbered(names: Sequence[str], codes: dict[str, int]) -> Places:
    """The number of each name; new ones get the next numbers in the order in which they come."""
    for name in dict.fromkeys(names):
        codes.setdefault(name, len(codes))
    return np.fromiter(map(codes.__getitem__, names), dtype=np.int64, count=len(names))


def _year(when: str) -> int:
    """The year in which a canonical date begins; 0 for one without a year, or no date."""
    return int(when[:4]) if when[:4].isdecimal() else 0
