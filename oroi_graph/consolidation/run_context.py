"""The state that all steps of one consolidation run share: lease, turn, counts, progress, and the request to stop.

A step works in pages, one fenced transaction a page. Between two pages the run checks whether it was asked to stop,
and pauses in proportion to the time that the page took: turns of users are not delayed by more than one page.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from oroi_graph.options import Options, Progress, silent
from oroi_graph.storage.lease import Lease
from oroi_graph.storage.store import Store, Transaction, Writer

T = TypeVar("T")


class SleepInterruptedError(Exception):
    """The sleep was asked to stop; what was committed stays, the rest is done by the next one."""


@dataclass(slots=True, kw_only=True)
class RunContext(Writer):
    """`turn`: the clock this sleep consolidates up to; `since`: that of the last one."""

    store: Store
    memory: str
    options: Options
    turn: int
    since: int
    lease: Lease
    progress: Progress = silent
    stop: threading.Event | None = None
    counts: dict[str, int] = field(default_factory=dict)
    held: float = field(default_factory=time.monotonic)  # when the lease was renewed last

    @property
    def stopping(self) -> bool:
        """Whether the run was asked to stop."""
        return self.stop is not None and self.stop.is_set()

    def count(self, **more: int) -> None:
        """Add to what was done."""
        for name, n in more.items():
            self.counts[name] = self.counts.get(name, 0) + n

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a read transaction."""
        return self.store.read(work)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """`commit`, unless a stop was requested. Raises SleepInterruptedError, LeaseLostError."""
        self.look()
        return self.commit(work)

    def commit(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a fenced write transaction, which renews the lease, then pause. Raises LeaseLostError."""
        begun = time.monotonic()
        result = self.lease.write(work)
        self.held = time.monotonic()
        rest = (self.held - begun) * self.options.sleep.courtesy
        if self.stop is not None:
            self.stop.wait(rest)
        else:
            time.sleep(rest)
        return result

    def look(self) -> None:
        """Raise SleepInterruptedError if a stop was requested; renew the lease if that is due."""
        if self.stopping:
            raise SleepInterruptedError
        if self.renewal_due:
            self.renew()

    @property
    def renewal_due(self) -> bool:
        """Whether a quarter of the lease's time is over."""
        return time.monotonic() - self.held > self.lease.seconds / 4

    def renew(self) -> None:
        """Renew the lease. Raises LeaseLostError."""
        self.lease.renew()
        self.held = time.monotonic()
