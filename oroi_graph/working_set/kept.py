"""The working sets of a process: which are kept, and that they are fresh.

A reading compares the stamp of the memory's last change, which comes with the answer to its first statement. If the set
in memory has it, the set is the database's state. If not, the set is brought up to date, or loaded, under the memory's
lock, and the reading begins again with that state: it was the memory's state at a moment after the reading began.
A small memory is loaded by one statement that holds the lock. Loading a larger one does not hold it, but when writers
that do not say what they change (sleep, forgetting) outrun it: what is changed meanwhile is read again under the lock.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import TypeVar

from oroi_graph.errors import OroiError, StoreError
from oroi_graph.storage.computing import computing
from oroi_graph.storage.store import Row, Store, Transaction
from oroi_graph.working_set.snapshot import Snapshot, beginning, empty, load, load_small, touched
from oroi_graph.working_set.tables import StaleError
from oroi_graph.working_set.transactions import (
    BehindError,
    OutrunError,
    Reading,
    Writing,
    is_current,
    marks_since,
    stands_at,
    stands_locked,
)

T = TypeVar("T")

DEFAULT = 512 * 1024**2  # bytes of all working sets of a process
SHARE = 2  # the part of the limit that the vectors of one memory may take; above, the server's index is asked
CALM = 8  # writes in a row that found the kept state fresh, from which on a write presumes that it is
KEPT_TRIES = 2  # readings of what is kept: a writer of this process may have kept a newer state during the first
ATTEMPTS = 3  # loads without the lock before one with it


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


@dataclass(frozen=True, slots=True)
class _Held:
    """A kept state and its bytes when it came; a question may have added packed words to it since.

    calm: writes in a row that found the state before fresh: nobody else writes. Of a small memory that was just loaded
    that is presumed: its next write may save a statement, and costs no more than another load if somebody else writes.
    """

    state: Snapshot
    nbytes: int
    calm: int = 0


class WorkingSets:
    """The working sets of one process, least recently used first out. May be shared by threads.

    limit: bytes of all sets together; 0 keeps none, so every reading loads.
    """

    def __init__(self, store: Store, limit: int = DEFAULT) -> None:
        self.store, self.limit = store, limit
        self._guard = threading.Lock()
        self._kept: OrderedDict[str, _Held] = OrderedDict()
        self._bytes = 0  # of all that are kept
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._counts = dict.fromkeys(("readings", "fresh", "updates", "loads", "evictions"), 0)

    def reading_of(self, memory: str) -> Callable[[Callable[[Reading], T]], T]:
        """As `Store.read`, with a working set of `memory` that is fresh when the work begins."""
        return lambda work: self.read(memory, work)

    def read(self, memory: str, work: Callable[[Reading], T]) -> T:
        """Run `work` beside a fresh working set; it may be tried again. What it asks of the database besides is as it
        is then: nothing of a reading needs a snapshot of both."""
        self._count("readings")
        before = None
        for _ in range(KEPT_TRIES):
            held = self.latest(memory)
            if held is None or held is before:
                break
            # Sent first, and answered while the work computes.
            stands = self.store.ahead(partial(stands_at, memory=memory, held=held))
            try:
                found = self.store.read_apart(partial(_read, work=work, held=held, stands=stands))
            except BehindError:
                before = held
            else:
                self._count("fresh")
                return found
        fresh = self._fresh(memory)
        return self.store.read_apart(partial(_read, work=work, held=fresh))

    def writer(self, memory: str, *, alone: bool = False) -> Callable[[Callable[[Writing], T]], T]:
        """As `write`, for one memory."""
        return lambda work: self.write(memory, work, alone=alone)

    def write(self, memory: str, work: Callable[[Writing], T], *, alone: bool = False) -> T:
        """Run `work` in one write transaction of `memory`; it may be tried again.

        Its working set is fresh from the moment when it opens (`Writing.open`), or is taken for fresh, and what it
        writes makes sure (`Writing.apply`); what it makes of it is kept once it is committed. Writers of one memory in
        one process wait for each other here. alone: it shares its commit with no other memory's writer, because it may
        take long.
        """
        with self._lock_of(memory):
            outrun = False
            for last in (*(False for _ in range(ATTEMPTS)), True):
                held = self.latest(memory) or self._brought(memory)
                calm = 0 if outrun else self._calm(memory)
                attempts: list[Writing] = []
                try:
                    result = self.store.write(
                        partial(
                            self._attempt,
                            work=work,
                            memory=memory,
                            held=held,
                            attempts=attempts,
                            last=last,
                            presumes=calm >= CALM,
                            alone=alone,
                        ),
                        memory=None if alone else memory,
                    )
                except OutrunError:
                    self.drop(memory)
                    outrun = True
                    continue
                except BaseException:
                    if any(writing.dirty for writing in attempts):
                        self.drop(memory)
                    raise
                self._adopt(memory, attempts[-1], calm)
                return result
        raise StoreError(f"memory {memory!r} could not be read under its lock")  # the last attempt loads: never here

    def _attempt(
        self, tx: Transaction, *, work: Callable[[Writing], T], memory: str, held: Snapshot, attempts: list[Writing],
        last: bool, presumes: bool, alone: bool,
    ) -> T:  # fmt: skip
        """One try of a write. A try before that came to nothing may have left its mark on the tables it shared."""
        if any(writing.dirty for writing in attempts):
            raise OutrunError(memory)
        room = self.limit // SHARE
        writing = Writing(tx, memory, held, room, whole=last, presumes=presumes, count=self._count)
        attempts.append(writing)
        with nullcontext() if alone else computing(patience=0.0):  # others wait for the memory
            return work(writing)

    def _adopt(self, memory: str, writing: Writing, calm: int) -> None:
        """Keep what a committed write made of the working set, if that is known. calm: of the state before."""
        if not writing.opened:
            return
        found = writing.adopted()
        if found is None:
            self.drop(memory)
        elif self.limit:
            self._keep(memory, found, calm=0 if writing.behind else calm + 1)

    def begin(self, memory: str, stamp: str, dimensions: int) -> None:
        """Keep the state of a memory that this process has just made. stamp: its first."""
        if self.limit:
            self._keep(memory, beginning(stamp, dimensions), CALM)

    def drop(self, memory: str) -> None:
        """Forget the working set of `memory`."""
        with self._guard:
            self._remove(memory)

    def clear(self) -> None:
        """Forget all."""
        with self._guard:
            self._kept.clear()
            self._bytes = 0

    def stats(self) -> WorkingSetStats:
        """Figures so far."""
        with self._guard:
            return WorkingSetStats(len(self._kept), self._bytes, self.limit, **self._counts)

    def _fresh(self, memory: str) -> Snapshot:
        """The memory's state at a moment after this call began."""
        with self._lock_of(memory):
            return self._brought(memory)

    def _brought(self, memory: str) -> Snapshot:
        """The same for a caller that holds the lock of the memory."""
        held = self.latest(memory)
        self.drop(memory)  # what an update leaves half done must not be found
        found, usable, calm = self._brought_up(memory, held)
        if usable and self.limit:
            self._keep(memory, found, calm)
        return found

    def _lock_of(self, memory: str) -> threading.Lock:
        with self._guard:
            return self._locks[memory]

    def _brought_up(self, memory: str, held: Snapshot | None) -> tuple[Snapshot, bool, int]:
        """(the state, whether it may be kept, how calm it is). held: an earlier state, or one that was loaded without
        the lock."""
        room, calm = self.limit // SHARE, 0 if held else CALM  # of a state that is behind, somebody else has written
        for _ in range(ATTEMPTS):
            if held is not None:
                stands, row = self.store.write(partial(self._look, memory=memory, held=held))
                if is_current(held, stands):
                    return held, bool(stands["usable"]), 0
                if row is not None:
                    with suppress(StaleError):
                        self._count("updates")
                        return held.updated(stands, row), bool(stands["usable"]), 0
            stands, found = self.store.locked(partial(load_small, memory=memory, room=room))
            if not stands["found"]:
                return empty(), False, 0
            self._count("loads")
            if found is not None:
                return found, bool(stands["usable"]), calm
            whole = partial(load, memory=memory, stands=stands, room=room, apart=self.store.read_apart)
            held = self.store.read_apart(whole)
        return self.store.write(lambda tx: self._loaded(tx, memory))

    def _look(self, tx: Transaction, memory: str, held: Snapshot) -> tuple[Row, Row | None]:
        """Where the memory stands, and what was touched since `held`, both under the lock; None if that is not
        known."""
        stands = stands_locked(tx, memory, held)
        marks = marks_since(held, stands) if stands["found"] else None
        return stands, None if marks is None else touched(tx, memory, marks, held)

    def _loaded(self, tx: Transaction, memory: str) -> tuple[Snapshot, bool, int]:
        """The state read under the lock, for writers that outrun every other load."""
        stands = stands_locked(tx, memory, None)
        if not stands["found"]:
            return empty(), False, 0
        self._count("loads")
        return load(tx, memory, stands, self.limit // SHARE), bool(stands["usable"]), 0

    def latest(self, memory: str) -> Snapshot | None:
        """The kept state of a memory: that after this process's last write, or a later one. None if none is kept.

        Others may have written since.
        """
        with self._guard:
            found = self._kept.get(memory)
            if found is None:
                return None
            self._kept.move_to_end(memory)
            return found.state

    def _calm(self, memory: str) -> int:
        with self._guard:
            found = self._kept.get(memory)
            return 0 if found is None else found.calm

    def _keep(self, memory: str, found: Snapshot, calm: int = 0) -> None:
        size = found.nbytes
        with self._guard:
            self._remove(memory)
            self._kept[memory] = _Held(found, size, calm)
            self._bytes += size
            while len(self._kept) > 1 and self._bytes > self.limit:
                self._remove(next(iter(self._kept)))
                self._counts["evictions"] += 1

    def _remove(self, memory: str) -> None:
        """The caller holds the guard."""
        found = self._kept.pop(memory, None)
        if found is not None:
            self._bytes -= found.nbytes

    def _count(self, what: str) -> None:
        with self._guard:
            self._counts[what] += 1


def _read(tx: Transaction, *, work: Callable[[Reading], T], held: Snapshot, stands: Future[Row] | None = None) -> T:
    """One try of a reading. stands: where the memory stands, if `held` is to be proved fresh; raises BehindError if it
    is not."""
    with computing():
        return _proved(Reading(tx, held, stands), work)


def _proved(reading: Reading, work: Callable[[Reading], T]) -> T:
    """What a work returns or raises, once its working set was proved fresh."""
    try:
        found = work(reading)
    except OroiError:
        reading.prove()
        raise
    reading.prove()
    return found
