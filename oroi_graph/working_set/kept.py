"""The working sets of a process: which are kept, and that they are fresh.

A reading begins with the stamp of the memory's last change. If the set in memory has it, the set is the database's
state. If not, the set is brought up to date, or loaded, under the memory's lock, and the reading goes on with that
state: it was the memory's state at a moment after the reading began. Loading does not hold the lock, except when
writers that do not say what they change (sleep, forgetting) outrun it: what is changed meanwhile is read again under
the lock.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import TypeVar

from oroi_graph.storage.changes import KEPT
from oroi_graph.storage.store import Row, Store, Transaction
from oroi_graph.working_set.snapshot import Snapshot, empty, load, touched
from oroi_graph.working_set.tables import StaleError

T = TypeVar("T")

DEFAULT = 512 * 1024**2  # bytes of all working sets of a process
SHARE = 2  # the part of the limit that the vectors of one memory may take; above, the server's index is asked
ATTEMPTS = 3  # loads without the lock before one with it


class Reading(Transaction):
    """A read transaction beside a fresh working set of the memory that is read."""

    def __init__(self, tx: Transaction, held: Snapshot) -> None:
        super().__init__(tx._transaction, tx._count)
        self.held = held


@dataclass(frozen=True, slots=True)
class WorkingSetStats:
    """What a process keeps. memories, bytes: of now, at most `limit`; readings: all so far, of which `fresh` found a
    current set, `updates` brought one up to date, and `loads` read a whole memory; evictions: for want of room."""

    memories: int
    bytes: int
    limit: int
    readings: int
    fresh: int
    updates: int
    loads: int
    evictions: int

    def to_json(self) -> dict[str, int]:
        """A JSON-serialisable object."""
        return asdict(self)


class WorkingSets:
    """The working sets of one process, least recently used first out. May be shared by threads.

    limit: bytes of all sets together; 0 keeps none, so every reading loads.
    """

    def __init__(self, store: Store, limit: int = DEFAULT) -> None:
        self._store, self.limit = store, limit
        self._guard = threading.Lock()
        self._kept: OrderedDict[str, Snapshot] = OrderedDict()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._counts = dict.fromkeys(("readings", "fresh", "updates", "loads", "evictions"), 0)

    def reader(self, memory: str) -> Callable[[Callable[[Reading], T]], T]:
        """As `Store.read`, with a working set of `memory` that is fresh when the work begins."""
        return lambda work: self.read(memory, work)

    def read(self, memory: str, work: Callable[[Reading], T]) -> T:
        """Run `work` in one read transaction beside a fresh working set; it may be tried again."""
        self._count("readings")
        held = self._get(memory)
        if held is not None:
            known = held

            def attempt(tx: Transaction) -> tuple[bool, T | None]:
                if not _is_current(known, _stands(tx, memory, known)):
                    return False, None
                return True, work(Reading(tx, known))

            done, result = self._store.read(attempt)
            if done:
                self._count("fresh")
                return result  # type: ignore[return-value]
        fresh = self._fresh(memory)
        return self._store.read(lambda tx: work(Reading(tx, fresh)))

    def drop(self, memory: str) -> None:
        """Forget the working set of `memory`."""
        with self._guard:
            self._kept.pop(memory, None)

    def clear(self) -> None:
        """Forget all."""
        with self._guard:
            self._kept.clear()

    def stats(self) -> WorkingSetStats:
        """Figures so far."""
        with self._guard:
            return WorkingSetStats(len(self._kept), self._bytes(), self.limit, **self._counts)

    def _fresh(self, memory: str) -> Snapshot:
        """The memory's state at a moment after this call began."""
        with self._guard:
            lock = self._locks[memory]
        with lock:
            held = self._get(memory)
            self.drop(memory)  # what an update leaves half done must not be found
            found, usable = self._brought_up(memory, held)
            if usable and self.limit:
                self._keep(memory, found)
            return found

    def _brought_up(self, memory: str, held: Snapshot | None) -> tuple[Snapshot, bool]:
        """(the state, whether it may be kept). held: an earlier state, or one that was loaded without the lock."""
        for _ in range(ATTEMPTS):
            stands, row = self._store.write(partial(self._look, memory=memory, held=held))
            if not stands["found"]:
                return empty(), False
            if held is not None and _is_current(held, stands):
                return held, bool(stands["usable"])
            if held is not None and row is not None:
                with suppress(StaleError):
                    self._count("updates")
                    return held.updated(stands, row), bool(stands["usable"])
            self._count("loads")
            held = self._store.read(partial(load, memory=memory, stands=stands, room=self.limit // SHARE))
        return self._store.write(lambda tx: self._loaded(tx, memory))

    def _look(self, tx: Transaction, memory: str, held: Snapshot | None) -> tuple[Row, Row | None]:
        """Where the memory stands, and what was touched since `held`, both under the lock; None if that is not
        known."""
        tx.run("working_set/lock", memory=memory, at=0)
        stands = _stands(tx, memory, held)
        marks = stands["touched"]
        if held is None or not marks or None in marks or marks[0][0] != held.stamp:
            return stands, None
        return stands, touched(tx, memory, [some[1:] for some in marks], stands, held)

    def _loaded(self, tx: Transaction, memory: str) -> tuple[Snapshot, bool]:
        """The state read under the lock, for writers that outrun every other load."""
        tx.run("working_set/lock", memory=memory, at=0)
        stands = _stands(tx, memory, None)
        self._count("loads")
        return load(tx, memory, stands, self.limit // SHARE), bool(stands["found"] and stands["usable"])

    def _get(self, memory: str) -> Snapshot | None:
        with self._guard:
            found = self._kept.get(memory)
            if found is None:
                return None
            self._kept.move_to_end(memory)
            return found

    def _keep(self, memory: str, found: Snapshot) -> None:
        with self._guard:
            self._kept[memory] = found
            self._kept.move_to_end(memory)
            while len(self._kept) > 1 and self._bytes() > self.limit:
                self._kept.popitem(last=False)
                self._counts["evictions"] += 1

    def _bytes(self) -> int:
        return sum(held.nbytes for held in self._kept.values())

    def _count(self, what: str) -> None:
        with self._guard:
            self._counts[what] += 1


def _stands(tx: Transaction, memory: str, held: Snapshot | None) -> Row:
    return tx.one("working_set/version", memory=memory, version=held.version if held else 0, kept=KEPT)


def _is_current(held: Snapshot, stands: Row) -> bool:
    """Whether nothing was changed since."""
    return bool(stands["found"] and held.version == stands["version"] and held.stamp == stands["stamp"])
