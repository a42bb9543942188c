"""Leases: one worker at a time may consolidate a memory, whichever machine it is on.

A lease lives in the memory's own node: an owner, a time by the database's clock until which it is valid, and a
fence, a number that rises whenever the lease changes hands. Every transaction of the holder begins with `hold`,
which takes the memory's lock, compares the fence and renews the lease: a holder that lost the lease commits
nothing, however late its transaction arrives. Between two transactions a thread renews it (`kept`): a model may think
for longer than a lease lasts. (Fencing tokens: Kleppmann, "How to do distributed locking", 2016.)
"""

from __future__ import annotations

import os
import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from oroi_graph.errors import BusyError, LeaseLostError, StoreError
from oroi_graph.storage.catalog import required
from oroi_graph.storage.store import Store, Transaction, Writer

SECONDS = 60.0  # a lease that is not renewed is free again after this time

_FAREWELL = 1.0  # seconds to wait for a renewal under way; a later one finds that the lease was released

T = TypeVar("T")


def this_worker() -> str:
    """A unique name of the caller: machine, process and a random part."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:6]}"


@dataclass(frozen=True, slots=True)
class Lease(Writer):
    """The right to consolidate one memory. `fence` rises with every holder; `seconds`: how long one renewal lasts."""

    store: Store
    memory: str
    owner: str
    fence: int
    seconds: float = SECONDS

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a write transaction that commits only if the lease is still ours. Raises LeaseLostError."""

        def fenced(tx: Transaction) -> T:
            self._hold(tx)
            return work(tx)

        return self.store.write(fenced)

    def renew(self) -> None:
        """Prolong the lease. Raises LeaseLostError if somebody else has it now."""
        self.store.write(self._hold)

    @contextmanager
    def kept(self) -> Iterator[threading.Event]:
        """Renew the lease in the background while the block runs, until it is lost.

        The event that comes back is then set, for whoever can break off early; `write` refuses in any case.
        """
        done, lost = threading.Event(), threading.Event()
        keeper = threading.Thread(target=self._keep, args=(done, lost), name=f"lease of {self.memory}", daemon=True)
        keeper.start()
        try:
            yield lost
        finally:
            done.set()
            keeper.join(_FAREWELL)

    def _keep(self, done: threading.Event, lost: threading.Event) -> None:
        while not done.wait(self.seconds / 3):
            try:
                self.renew()
            except LeaseLostError:
                lost.set()
                return
            except StoreError:  # the database is out of reach; the next renewal finds out whether the lease has run out
                continue

    def release(self) -> None:
        """Give it back; nothing happens if it was lost."""
        self.store.write_rows("storage/release", memory=self.memory, fence=self.fence, owner=self.owner)

    def _hold(self, tx: Transaction) -> None:
        held = tx.run("storage/hold", memory=self.memory, fence=self.fence, owner=self.owner, seconds=self.seconds)
        if not held:
            raise LeaseLostError(self.memory)


def acquire(store: Store, memory: str, owner: str | None = None, seconds: float = SECONDS) -> Lease:
    """Take the lease of `memory`. Raises BusyError if somebody holds it, MemoryNotFoundError if there is none."""
    owner = owner or this_worker()

    def take(tx: Transaction) -> int:
        found = required(tx, "storage/acquire", memory, owner=owner, seconds=seconds)
        if found["fence"] is None:
            raise BusyError(memory, found["owner"], found["until"])
        return int(found["fence"])

    return Lease(store, memory, owner, store.write(take), seconds)


@contextmanager
def leased(store: Store, memory: str, owner: str | None = None, seconds: float = SECONDS) -> Iterator[Lease]:
    """Hold the lease of `memory`, and keep it alive, while the block runs. Raises as `acquire` does."""
    lease = acquire(store, memory, owner, seconds)
    try:
        with lease.kept():
            yield lease
    finally:
        with suppress(StoreError):  # a lease that cannot be given back now runs out by itself
            lease.release()
