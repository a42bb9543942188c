"""A graph that is opened while its client is greeted: a database may take longer to start than clients wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType

from oroi_graph.interfaces.access import Access
from oroi_graph.interfaces.keys import RIGHTS, Principal, Right
from oroi_graph.memory import Graph


@dataclass(frozen=True, slots=True)
class Opened:
    """A graph, and who asks: found out anew for each request, since a key may be revoked meanwhile."""

    graph: Graph
    who: Callable[[], Principal]


class Opening:
    """Opens in a thread, from the beginning of `with` to its end. Safe to share among threads.

    open: connects, and leaves to the stack what must be closed. If it fails, whoever waits is told why, and the next
    one tries again. The end of `with` raises the last failure.
    """

    def __init__(self, open: Callable[[ExitStack], Opened]) -> None:
        self._open, self._closing = open, ExitStack()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="oroi-opening")
        self._lock = threading.Lock()
        self._attempt: Future[Opened] | None = None

    def __enter__(self) -> Opening:
        self._current()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True)
        self._closing.close()
        if error is None and self._attempt is not None:
            self._attempt.result()

    def access(self) -> Access:
        """The graph as whoever asks sees it; waits until it is open. Raises OroiError where it cannot be opened."""
        found = self._current().result()
        return Access(found.graph, found.who())

    def rights(self) -> frozenset[Right]:
        """What whoever asks may do; as long as that is not known, everything: a call is checked all the same."""
        attempt = self._attempt
        if attempt is None or not attempt.done() or attempt.exception() is not None:
            return frozenset(RIGHTS)
        return attempt.result().who().rights

    def _current(self) -> Future[Opened]:
        """The attempt that is under way, or has succeeded; else a new one."""
        with self._lock:
            if self._attempt is None or (self._attempt.done() and self._attempt.exception() is not None):
                self._attempt = self._pool.submit(self._once)
            return self._attempt

    def _once(self) -> Opened:
        with ExitStack() as stack:
            found = self._open(stack)
            self._closing.push(stack.pop_all())
        return found
