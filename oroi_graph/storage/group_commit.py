"""One commit for several agents: writes of different memories that come at the same moment share a transaction.

On Neo4j a commit costs time for each index that it touches, not for each row. While fewer than `flights` transactions
are under way, a writer runs at once and alone. Writers that arrive while all slots are busy join the next group.

    lead    the first writer of a group runs all works of it in one transaction, commits, and hands each its result
    follow  the others wait for that

**Failures.** A group is tried once. If one of its works raises, the group is rolled back, and each work then runs in a
transaction of its own.

**No deadlock.** A work locks its memory first, and nothing outside it. A group holds one work a memory, a memory is in
one group at a time, and a group takes its memories in the order of their names, as all groups of all processes do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
Work = Callable[[Any], T]

FLIGHTS = 2  # transactions at once: while one commits, the next computes
MOST = 4  # works of a group: if one fails, all run again, each alone


@dataclass(eq=False, slots=True)
class _Waiting:
    """One work and its result. `woken` is set when it leads a group, when it is done, or when it has to run alone."""

    work: Work[Any]
    memory: str
    woken: threading.Event = field(default_factory=threading.Event)
    group: Sequence[_Waiting] = ()
    done: bool = False
    result: Any = None


class GroupCommit:
    """The queue of works that wait to be written, and the groups under way.

    alone: runs one work in a transaction, and repeats it after a transient failure. together: runs some works in one
    transaction, in the order given, once; their results. May be shared by threads; a work must not write through it.
    """

    def __init__(
        self,
        alone: Callable[[Work[Any]], Any],
        together: Callable[[Sequence[Work[Any]]], Sequence[Any]],
        *,
        flights: int = FLIGHTS,
        most: int = MOST,
    ) -> None:
        self._alone, self._together = alone, together
        self._flights, self._most = flights, most
        self._lock = threading.Lock()
        self._queue: list[_Waiting] = []
        self._under_way = 0
        self._busy: set[str] = set()  # memories of the groups under way

    def write(self, work: Work[T], memory: str) -> T:
        """Run `work`, which locks `memory` first and touches nothing outside it; it may be repeated.

        Returns what it returns and raises what it raises, as if nobody else were writing.
        """
        mine = _Waiting(work, memory)
        try:
            with self._lock:
                self._queue.append(mine)
                self._start()
            mine.woken.wait()
            if len(mine.group) > 1:
                self._lead(mine.group)
                self._leave(mine)
            result: T = mine.result if mine.done else self._alone(work)
        finally:
            self._leave(mine)
        return result

    def _lead(self, group: Sequence[_Waiting]) -> None:
        """Run all works in one transaction; if that fails, each is run alone."""
        try:
            results = self._together([each.work for each in group])
        except Exception:  # the work that failed raises it again when it runs alone
            return
        for each, result in zip(group, results, strict=True):
            each.result, each.done = result, True

    def _leave(self, mine: _Waiting) -> None:
        """Wake the followers and start the next group; called also if an interrupt ended the wait."""
        with self._lock:
            if mine in self._queue:
                self._queue.remove(mine)
            if mine.group:
                self._under_way -= 1
                self._busy -= {each.memory for each in mine.group}
                for each in mine.group:
                    each.woken.set()
                mine.group = ()
            self._start()

    def _start(self) -> None:
        """Start groups while slots are free, the longest waiting first. The caller holds the lock."""
        while self._under_way < self._flights and (group := self._next()):
            self._queue = [each for each in self._queue if each not in group]
            self._busy |= {each.memory for each in group}
            self._under_way += 1
            leader = group[0]
            leader.group = sorted(group, key=lambda each: each.memory)
            leader.woken.set()

    def _next(self) -> list[_Waiting]:
        found: dict[str, _Waiting] = {}
        for each in self._queue:
            if each.memory not in self._busy and len(found) < self._most:
                found.setdefault(each.memory, each)
        return list(found.values())
