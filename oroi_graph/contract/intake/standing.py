"""The current entries of a key, kept in this process between writes.

Entries are never changed, so what was read once stays true: a write reads only what came after, under the key's lock.
`KeyState` replays the entries of a key in the order of the chain; what is superseded and what is in dispute follows.
The first writes of a process to a key with many entries read only those that they are compared with (`part`): a process
that writes once need not read a long history. One that stays reads it once, in pages and before the lock (`catch_up`):
neither the server's memory nor the time that others wait grows with the history.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.contract.entry import REMARKS
from oroi_graph.storage.store import Row, Store

CACHED = 256 * 2**20  # bytes of vectors that a process keeps, whatever the number of keys

READ = 2_000  # entries of a key that are read under its lock; more are read before
FIRST = 2  # writes of a process to a key with more unread entries that read what they compare with, and no more
PAGE = 1_000  # entries that are read at once before the lock
# The latest entries of a memory, which are read under the lock only: while they are being committed, a reader may find
# a later one and miss an earlier one. More than a transaction appends, and less than READ.
UNSETTLED = 1_000
RECENT = 64  # latest claims, and entries, in a part of a key: what a signal of drift and a repeated remark look at
MARGIN = 8  # nearest claims beyond those that are compared: the database computes cosines a little differently

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Standing:
    """One entry of a key as later writes are compared with it. vector: (d,) unit vector, None if it has none yet."""

    seq: int
    id: str
    author: str
    entry_type: str
    generated: bool
    value: str | None
    semantic_hash: str | None
    parents: tuple[str, ...]
    covers: tuple[str, ...]
    erased: bool
    at: str
    confidence: float

    @property
    def claims(self) -> bool:
        """Whether it says something that a later entry can repeat or contradict."""
        return not self.generated and not self.erased and self.entry_type not in REMARKS


@dataclass(slots=True)
class KeyState:
    """The entries of one key up to a place in the chain. chain, epoch: what they were read from."""

    dimensions: int
    chain: str | None = None
    epoch: int = -1
    last: int = 0
    valid: bool = True  # False: it took in entries that were never committed
    entries: dict[str, Standing] = field(default_factory=dict)
    children: dict[str, list[str]] = field(default_factory=dict)  # id: entries that name it as parent
    disputes: dict[str, set[str]] = field(default_factory=dict)  # id: what it contradicted, settled or not
    summary: str | None = None  # the latest generated summary
    _rows: dict[str, int] = field(default_factory=dict)  # current claims with a vector: row of the matrix
    _bare: dict[str, None] = field(default_factory=dict)  # current claims without one
    _same: dict[str, list[str]] = field(default_factory=dict)  # claims by semantic hash
    _ids: list[str] = field(default_factory=list)  # entry of each row
    _matrix: Vector | None = None
    _claims: int | None = None  # of a part: claims with a vector in the whole key

    def add(self, entry: Standing, vector: Vector | None) -> None:
        """Take in the next entry of the chain."""
        self.entries[entry.id] = entry
        self.last = max(self.last, entry.seq)
        for parent in entry.parents:
            self.children.setdefault(parent, []).append(entry.id)
            self._rows.pop(parent, None)
            self._bare.pop(parent, None)
        if entry.generated and entry.entry_type == "conflict" and entry.covers:
            newcomer, *others = entry.covers
            for other in others:
                self.disputes.setdefault(newcomer, set()).add(other)
                self.disputes.setdefault(other, set()).add(newcomer)
        if entry.generated and entry.entry_type == "summary":
            self.summary = entry.id
        if not entry.claims:
            return
        self._same.setdefault(entry.semantic_hash or "", []).append(entry.id)
        if vector is None:
            self._bare[entry.id] = None
        else:
            self._rows[entry.id] = self._appended(entry.id, vector)

    @property
    def size(self) -> int:
        """Bytes of vectors."""
        return 0 if self._matrix is None else self._matrix.nbytes

    @property
    def count(self) -> int:
        """How many claims have a vector, superseded ones too."""
        return len(self._ids) if self._claims is None else self._claims

    def superseded(self, id: str) -> bool:
        """Whether a later entry names it as parent."""
        return bool(self.children.get(id))

    def opponents(self, id: str) -> set[str]:
        """The entries that it is in an open dispute with."""
        return {other for other in self.disputes.get(id, ()) if self._open(id, other)}

    def same(self, semantic_hash: str, leaving: Sequence[str] = (), since: str = "") -> Standing | None:
        """The first current claim of that semantic hash, `leaving` out some ids, written at `since` (ISO) or later."""
        for id in self._same.get(semantic_hash, ()):
            if id not in leaving and (id in self._rows or id in self._bare) and self.entries[id].at >= since:
                return self.entries[id]
        return None

    def nearest(
        self, vector: Vector | None, most: int, leaving: Sequence[str] = (), since: str = ""
    ) -> list[tuple[Standing, float | None]]:
        """At most `most` current claims by cosine, the nearest first, then as many of the latest without a vector.

        leaving, since: as for `same`. Without a `vector` the latest of all.
        """

        def eligible(id: str) -> bool:
            return id not in leaving and self.entries[id].at >= since

        if vector is None or self._matrix is None:
            latest = sorted({**self._rows, **self._bare}, key=lambda one: -self.entries[one].seq)
            return list(islice(((self.entries[id], None) for id in latest if eligible(id)), most))
        cosines = self._matrix[: len(self._ids)] @ vector
        order = np.argsort(-cosines, kind="stable")
        near = (int(i) for i in order if self._ids[i] in self._rows and eligible(self._ids[i]))
        found: list[tuple[Standing, float | None]] = [
            (self.entries[self._ids[i]], float(cosines[i])) for i in islice(near, most)
        ]
        return found + [(self.entries[id], None) for id in list(self._bare)[::-1] if eligible(id)][:most]

    def vectors(self, most: int) -> list[tuple[Standing, Vector]]:
        """The latest `most` claims that have a vector, superseded ones too, oldest first."""
        if self._matrix is None:
            return []
        rows = range(max(0, len(self._ids) - most), len(self._ids))
        return [(self.entries[self._ids[i]], self._matrix[i]) for i in rows]

    def narrow(self, claims: int, current: Container[str], disputes: Mapping[str, Iterable[str]]) -> None:
        """Make it a part of a key. claims: with a vector, in the whole key; current: ids of the entries that are, here;
        disputes: of each entry here what it contradicted, settled or not."""
        self._claims = claims
        for id in self.entries:
            if id not in current:
                self._rows.pop(id, None)
                self._bare.pop(id, None)
        known = {id: {other for other in others if other in self.entries} for id, others in disputes.items()}
        self.disputes = {id: others for id, others in known.items() if others}

    def vectors_of(self, ids: Sequence[str]) -> Vector | None:
        """(n, d) vectors of some current claims; None if one of them has none."""
        if self._matrix is None or any(id not in self._rows for id in ids):
            return None
        return self._matrix[[self._rows[id] for id in ids]]

    def _open(self, a: str, b: str) -> bool:
        """Whether nobody settled the dispute of two entries, and neither author took back what it said."""
        if any(self.entries[id].erased for id in (a, b)):
            return False
        heirs = {id: set(self.children.get(id, ())) for id in (a, b)}
        return not heirs[a] & heirs[b] and not any(
            self.entries[heir].author == self.entries[id].author for id in (a, b) for heir in heirs[id]
        )

    def _appended(self, id: str, vector: Vector) -> int:
        row = len(self._ids)
        if self._matrix is None or row == len(self._matrix):
            grown = np.zeros((max(64, 2 * row), self.dimensions), dtype=np.float32)
            if self._matrix is not None:
                grown[:row] = self._matrix
            self._matrix = grown
        self._matrix[row] = vector
        self._ids.append(id)
        return row


class StaleStateError(Exception):
    """What was known of a key is not true: read it afresh."""


class BehindError(Exception):
    """More entries of a key are unread than are read under its lock: catch up first."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class StandingCache:
    """The states of the keys used last, at most CACHED bytes of vectors. Safe to share among threads."""

    def __init__(self, dimensions: int, most: int = CACHED) -> None:
        self.dimensions = dimensions
        self._most = most
        self._states: OrderedDict[tuple[str, str], KeyState] = OrderedDict()
        self._parts: Counter[tuple[str, str]] = Counter()  # first writes that read a part of the key
        self._lock = threading.Lock()

    def known(self, memory: str, key: str) -> KeyState:
        """What is known of a key; a new state if nothing is. It is changed by `refreshed` only."""
        with self._lock:
            found = self._states.get((memory, key))
            return found if found is not None else KeyState(self.dimensions)

    @property
    def at_once(self) -> int:
        """How many unread entries of a key are read under its lock."""
        return READ

    def is_new(self, memory: str, key: str) -> bool:
        """Whether this process has written so little to the key that it need not know all of it."""
        with self._lock:
            return self._parts[memory, key] < FIRST

    def catch_up(self, store: Store, memory: str, key: str) -> None:
        """Read what is unread of a key, but for the memory's latest entries; ends early if something is erased."""
        asked = {"memory": memory, "key": key, "dimensions": self.dimensions}
        upto = store.one("contract/page_of_key", after=0, upto=0, page=0, **asked)["last"] - UNSETTLED
        state = self.known(memory, key)
        rows: Sequence[Any] = [None] * PAGE
        while len(rows) == PAGE:
            row = store.one("contract/page_of_key", after=state.last, upto=upto, page=PAGE, **asked)
            if (state.chain, state.epoch) != (row["chain"], row["epoch"]):
                if state.last:
                    self.drop(memory, [key])
                    return
                state.chain, state.epoch = row["chain"], row["epoch"]
            rows = row["entries"]
            with self._lock:
                self._take_in(memory, key, state, rows)

    def part(self, memory: str, key: str, row: Row) -> KeyState:
        """A part of a key, as `contract/near_key` read it. It is not kept."""
        with self._lock:
            self._parts[memory, key] += 1
        state = KeyState(self.dimensions)
        for values in row["entries"]:
            state.add(_standing(values), None if values[10] is None else values[10].to_numpy())
        current = {values[1] for values in row["entries"] if values[13]}
        state.narrow(row["count"], current, {values[1]: values[14] for values in row["entries"]})
        return state

    def drop(self, memory: str, keys: Iterable[str]) -> None:
        """Forget some keys, whose states took in what was rolled back; who holds such a state sees it is not valid."""
        with self._lock:
            for key in keys:
                state = self._states.pop((memory, key), None)
                if state is not None:
                    state.valid = False

    def refreshed(self, memory: str, state: KeyState, row: Row, chain: str, epoch: int) -> KeyState:
        """A key's state with the entries that `contract/lock_keys` read. row: what that returns of the key, locked.

        Raises StaleStateError if the state is not valid.
        """
        if not state.valid:
            raise StaleStateError
        if row["after"] == 0:
            state = KeyState(self.dimensions, chain, epoch)
        with self._lock:
            self._take_in(memory, row["key"], state, row["entries"])
            return state

    def _take_in(self, memory: str, key: str, state: KeyState, rows: Sequence[Sequence[Any]]) -> None:
        """Add the next entries to a key's state, and keep that."""
        for values in rows:
            if values[0] > state.last:
                state.add(_standing(values), None if values[10] is None else values[10].to_numpy())
        self._states[memory, key] = state
        self._states.move_to_end((memory, key))
        while len(self._states) > 1 and sum(one.size for one in self._states.values()) > self._most:
            self._states.popitem(last=False)


def _standing(values: Sequence[Any]) -> Standing:
    seq, id, author, entry_type, generated, value, semantic, parents, covers, erased, _, at, confidence, *_ = values
    return Standing(
        seq, id, author, entry_type, generated, value, semantic, tuple(parents), tuple(covers), erased, at, confidence
    )
