"""One state of a memory as arrays: loaded from the database, and brought up to date by what changes touched."""

from __future__ import annotations

import gc
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from oroi_graph.storage.changes import KEPT, read_marks
from oroi_graph.storage.store import Row, Transaction
from oroi_graph.working_set.adjacency import Adjacency
from oroi_graph.working_set.tables import NO_ASSOCIATIONS, Associations, Concepts, Records, columns_of, texts_of
from oroi_graph.working_set.vectors import Indexed, Matrix, Vectors

PAGE = 2_500  # concepts, or records, that one statement loads
LARGE = 1_000  # concepts and records together from which tables are read at once, and not under the memory's lock
READERS = 2  # tables that are read at once: the first ones come early, and are built while the server reads the others
# Ids of concepts: all, and parts of about one size, as they begin with a hexadecimal digit.
ALL = ("", "\U0010ffff")
QUARTERS = ((ALL[0], "4"), ("4", "8"), ("8", "c"), ("c", ALL[1]))


class Words(dict[str, str | None]):
    """Packed words by record id. nbytes: in memory."""

    nbytes = 0

    def add(self, id: str, packed: str | None) -> None:
        """Keep the words of one record."""
        self.nbytes += sys.getsizeof(packed)
        self[id] = packed


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A memory as it was after change `version`, whose stamp no other state has. clock: closed turns; None: no memory.

    open_turn: id of the turn that waits for its end; last_reply: id of the reply to the turn before, if it had one.
    cut_short: ids of the last turns that others ended, and that nobody has closed since, as far as this process saw it.
    words: packed words of records by id, as far as they were asked for; shared by all states.
    """

    version: int
    stamp: str
    clock: int | None
    concepts: Concepts
    associations: Associations
    records: Records
    open_turn: str | None = None
    last_reply: str | None = None
    cut_short: tuple[str, ...] = ()
    words: Words = field(default_factory=Words)
    texts: int = 0  # bytes of texts and lists, about

    def updated(self, stands: Row, row: Row) -> Snapshot:
        """The state that `stands` describes. row: of `touched`. Raises StaleError to be loaded again."""
        found = self.with_rows(row)
        concepts = found.concepts.lighted(row["lit"], row["activation"], stands["dim"])
        return replace(found, concepts=concepts, cut_short=(), **_numbers(stands))

    def with_rows(self, row: Row) -> Snapshot:
        """With changed and new concepts, associations and records, and without records that are gone.

        row: of `touched`, without what is lit. Raises StaleError to be loaded again.
        """
        concepts = self.concepts.updated(row["concepts"])
        return replace(
            self,
            concepts=concepts,
            associations=self.associations.updated(row["associations"], concepts),
            records=self.records.without(row.get("gone", ())).updated(row["records"]),
            texts=self.texts
            + _texts(len(row["concepts"]["ids"]), len(row["associations"]["ids"]), row["records"]["said"]),
        )

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes in memory."""
        c, a, r = self.concepts, self.associations, self.records
        arrays = (c.mentions, c.activation, c.strength, c.vectors, r.vectors, c.words, r.words, a.adjacency,
                  a.source, a.target, a.weight, a.classes, a.implied, a.confidence, a.first, a.last, a.superseded,
                  a.negated, a.contested, a.high, a.low)  # fmt: skip
        kept = _CANDIDATE * len(r.candidates) + _STATED * len(r.stated)
        return sum(array.nbytes for array in arrays) + self.texts + self.words.nbytes + kept


# About the bytes of a concept's texts and places, those of an association and of a record but for its text.
_CONCEPT, _ASSOCIATION, _RECORD = 550, 500, 590
# About the bytes of a record that is kept as a candidate, and of the places of what one states.
_CANDIDATE, _STATED = 400, 250


def _texts(concepts: int, associations: int, said: Sequence[Sequence[Any]]) -> int:
    return _CONCEPT * concepts + _ASSOCIATION * associations + sum(_RECORD + len(one[6] or "") for one in said)


class _Collector:
    """The collector of cyclic garbage, which waits while memories are loaded.

    Each of its rounds looks at all the lists and tuples that have come so far, of which none is garbage. That was a
    quarter of the processor time of loading 100,000 concepts.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loads = 0  # that it waits for
        self._wanted = False  # whether it was on before the first of them

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is collected until the block ends, in any thread, and until those of other threads end."""
        with self._lock:
            if not self._loads:
                self._wanted = gc.isenabled()
                gc.disable()
            self._loads += 1
        try:
            yield
        finally:
            with self._lock:
                self._loads -= 1
                if self._wanted and not self._loads:
                    gc.enable()


_COLLECTOR = _Collector()

Apart = Callable[[Callable[[Transaction], Row]], Row]  # `Store.read_apart`


def load_small(tx: Transaction, memory: str, room: int) -> tuple[Row, Snapshot | None]:
    """Where a memory stands, and its state if it is small (`LARGE`), both read by one statement under its lock; else
    None. room: as in `load`."""
    with _COLLECTOR.paused():
        rows = tx.run(
            "working_set/small", memory=memory, at=0, version=0, stamp="", kept=KEPT, large=LARGE, room=room,
            vectors=True, after=ALL[0], until=ALL[1], page=PAGE,
        )  # fmt: skip
        if not rows:
            return {"found": False, "usable": False}, None
        row = rows[0]
        stands: Row = row["stands"]
        if not row["small"]:
            return stands, None
        vectors = partial(Matrix.of, dimensions=int(stands["dimensions"] or 1))
        tables = (lambda: row["concept_rows"], lambda: row["record_rows"], lambda: row["association_rows"])
        return stands, _loaded(stands, *tables, vectors=vectors)


def load(tx: Transaction, memory: str, stands: Row, room: int = 0, apart: Apart | None = None) -> Snapshot:
    """Read a whole memory. Changes that are committed meanwhile may be in it or not, or in part.

    stands: of `working_set/version`, read under the memory's lock: all that was committed by then is in it. room:
    bytes for vectors, 0 for any number; those that take more stay in the database. apart: runs a work in read
    transactions of its own: then the tables of a large memory are read at once. Not for what `tx` has written itself.
    """
    dimensions = int(stands["dimensions"] or 1)
    size = tx.one("working_set/sizes", memory=memory)["vectors"] if room or apart else 0  # else nothing depends on it
    matrix = not room or 4 * dimensions * size <= room
    wanted = {"memory": memory, "vectors": matrix}
    vectors: Callable[[Sequence[Any]], Vectors] = partial(Matrix.of, dimensions=dimensions) if matrix else Indexed.of
    tables = [
        partial(_rows, statement="working_set/concepts", wanted=wanted),
        partial(_rows, statement="working_set/records", wanted=wanted),
        *(partial(_association_rows, memory=memory, within=within) for within in (QUARTERS if size > PAGE else (ALL,))),
    ]
    with _COLLECTOR.paused():
        if apart is None or size < LARGE:
            return _loaded(stands, *(partial(table, tx) for table in tables), vectors=vectors)
        with ThreadPoolExecutor(READERS) as pool:
            # What has come is built while the rest is read.
            return _loaded(stands, *(pool.submit(apart, table).result for table in tables), vectors=vectors)


def _loaded(
    stands: Row, concept_rows: Callable[[], Row], record_rows: Callable[[], Row],
    *association_rows: Callable[[], Row], vectors: Callable[[Sequence[Any]], Vectors],
) -> Snapshot:  # fmt: skip
    """The state that is read: each of the functions waits for a table, or for a part of one."""
    concepts = _concepts(concept_rows(), vectors)
    lit = concepts.lit()
    concepts = concepts.lighted([concepts.ids[i] for i in lit], concepts.activation[lit].tolist(), stands["dim"])
    large = len(association_rows) > 1  # which are still being read: what a question needs is made meanwhile
    if large:
        concepts.texts()
    same = dict(zip(concepts.ids, concepts.ids, strict=True))  # one object for each text that is often repeated
    records = _records(record_rows(), vectors, same)
    if large:
        records.texts()
    associations = _associations((rows() for rows in association_rows), concepts, same)
    texts = _texts(len(concepts.ids), len(associations.ids), records.said)
    return Snapshot(concepts=concepts, associations=associations, records=records, texts=texts, **_numbers(stands))


def _numbers(stands: Row) -> Row:
    """What a state has of where the memory stands."""
    return {name: stands[name] for name in ("version", "stamp", "clock", "open_turn", "last_reply")}


def touched(tx: Transaction, memory: str, marks: Sequence[Sequence[str]], held: Snapshot) -> Row:
    """What some changes touched, as it is now; `gone`: ids of records that are no more.

    marks: a list for each change, without the stamp before it. held: the state before.
    """
    found = read_marks(chain.from_iterable(marks))
    row = tx.one(
        "working_set/touched", memory=memory, concepts=list(found.concepts), associations=list(found.associations),
        records=list(found.records), vectors=isinstance(held.concepts.vectors, Matrix),
    )  # fmt: skip
    there = set(row["records"]["ids"])
    return row | {"gone": [id for id in found.records if id not in there]}


def empty() -> Snapshot:
    """The state of a memory that does not exist."""
    return _without_rows(0, "", None, Indexed.of)


def beginning(stamp: str, dimensions: int) -> Snapshot:
    """The state of a memory that was just made (`storage/create_memory`). stamp: its first."""
    return _without_rows(1, stamp, 0, partial(Matrix.of, dimensions=dimensions))


def _without_rows(version: int, stamp: str, clock: int | None, vectors: Callable[[Sequence[Any]], Vectors]) -> Snapshot:
    concepts = _concepts({}, vectors)
    return Snapshot(version, stamp, clock, concepts, _associations([{}], concepts, {}), _records({}, vectors, {}))


def _rows(tx: Transaction, statement: str, wanted: Mapping[str, object]) -> Row:
    """The columns of all concepts or records, page by page until one is not full."""
    pages: list[Row] = []
    while not pages or len(pages[-1]["ids"]) == PAGE:
        after = pages[-1]["ids"][-1] if pages else ""
        pages.append(tx.one(statement, after=after, page=PAGE, **wanted))
    return _joined(pages)


def _association_rows(tx: Transaction, memory: str, within: tuple[str, str]) -> Row:
    """The columns of the associations that leave concepts with ids within some bounds, page by page of these."""
    pages: list[Row] = []
    while not pages or pages[-1]["concepts"] == PAGE:
        after = pages[-1]["last"] if pages else within[0]
        pages.append(tx.one("working_set/associations", memory=memory, after=after, until=within[1], page=PAGE))
    return _joined([{name: page[name] for name in NO_ASSOCIATIONS} for page in pages])


def _joined(pages: Sequence[Row]) -> Row:
    """The pages as one."""
    if len(pages) == 1:
        return pages[0]
    return {name: list(chain.from_iterable(page[name] for page in pages)) for name in (pages[0] if pages else ())}


def _concepts(row: Row, vectors: Callable[[Sequence[Any]], Vectors]) -> Concepts:
    ids = row.get("ids", [])
    by_key: dict[str, list[int]] = {}
    for place, key in enumerate(row.get("keys", ())):
        by_key.setdefault(key, []).append(place)
    return Concepts(
        ids=ids,
        labels=row.get("labels", []),
        keys=row.get("keys", []),
        kinds=[sys.intern(kind) for kind in row.get("kinds", ())],
        aliases=[aliases or () for aliases in row.get("aliases", ())],
        mentions=np.array(row.get("mentions", ()), dtype=np.int64),
        activation=np.array(row.get("activation", ()), dtype=np.float64),
        strength=np.array(row.get("strength", ()), dtype=np.float64),
        vectors=vectors(row.get("vectors", ())),
        at={id: place for place, id in enumerate(ids)},
        by_key=by_key,
    )


def _associations(rows: Iterable[Row], concepts: Concepts, same: dict[str, str]) -> Associations:
    """Those with both ends among the concepts, of one or more parts, each of which is read when it is its turn."""
    codes: dict[str, int] = {}
    parts = [_part(row or NO_ASSOCIATIONS, concepts, codes, same) for row in rows]
    lists = _joined([texts for texts, _ in parts])
    columns: dict[str, Any] = {name: np.concatenate([found[name] for _, found in parts]) for name in parts[0][1]}
    return Associations(
        adjacency=Adjacency.of(columns["source"], columns["target"], len(concepts.ids)),
        at={id: place for place, id in enumerate(lists["ids"])},
        codes=codes,
        **lists,
        **columns,
    )


def _part(row: Row, concepts: Concepts, codes: dict[str, int], same: dict[str, str]) -> tuple[Row, dict[str, Any]]:
    """The columns of some associations: those that are lists, and the numbers. One that lacks an end was being made
    while it was read, and is left out."""
    known = dict(codes)
    columns = columns_of(row, concepts, known)
    whole = (columns["source"] >= 0) & (columns["target"] >= 0)
    if whole.all():
        codes |= known
    else:
        there = np.flatnonzero(whole).tolist()
        row = {name: [column[i] for i in there] for name, column in row.items()}
        columns = columns_of(row, concepts, codes)
    shared = {
        "ids": [*map(same.setdefault, row["ids"], row["ids"])],
        "relations": [*map(sys.intern, row["relations"])],
        "records": _sharing_lists(row["records"], same),
        "stated": [*map(same.setdefault, row["stated"], row["stated"])],
    }
    return texts_of(row | shared), columns


def _sharing_lists(lists: Sequence[Sequence[str]], same: dict[str, str]) -> list[tuple[str, ...]]:
    """Lists of ids, equal ones one object, and so each id: a record states several associations."""
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    found = []
    for some in map(tuple, lists):
        shared = known.get(some)
        if shared is None:
            shared = known[some] = tuple(map(same.setdefault, some, some))
        found.append(shared)
    return found


_REPEATED = (2, 3, 4, 5, 7)  # of what is said: role, speaker, session, time and kind


def _sharing(said: Sequence[Sequence[Any]], same: dict[Any, Any]) -> list[Sequence[Any]]:
    """What was said, each text that is often repeated one object."""
    columns: list[Any] = [*zip(*said, strict=True)]
    for column in _REPEATED if columns else ():
        columns[column] = [*map(same.setdefault, columns[column], columns[column])]
    return [*zip(*columns, strict=True)]


def _records(row: Row, vectors: Callable[[Sequence[Any]], Vectors], same: dict[Any, Any]) -> Records:
    ids = [same.setdefault(id, id) for id in row.get("ids", ())]
    concepts = [tuple(sorted([same.get(id, id) for id in some])) for some in row.get("concepts", ())]
    by_turn: defaultdict[int, list[int]] = defaultdict(list)
    mentioning: defaultdict[str, list[int]] = defaultdict(list)
    for place, (said, some) in enumerate(zip(row.get("said", ()), concepts, strict=True)):
        by_turn[said[1]].append(place)
        for concept in some:
            mentioning[concept].append(place)
    return Records(
        ids=ids,
        said=_sharing(row.get("said", ()), same),
        entries=[entry or () for entry in row.get("entries", ())],
        gists=row.get("gists", []),
        resting=row.get("resting", []),
        associations=[tuple(map(same.setdefault, some, some)) for some in row.get("associations", ())],
        concepts=concepts,
        vectors=vectors(row.get("vectors", ())),
        at={id: place for place, id in enumerate(ids)},
        by_turn=dict(by_turn),
        mentioning=dict(mentioning),
    )
