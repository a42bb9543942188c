"""One commit for several agents: writes of different memories that come at the same moment share a transaction.

A commit costs what it costs for each index that it touches, however many rows it brings; so agents that wait for the
database anyway wait together. Whoever writes while nothing is under way goes at once and alone; those who come while
`flights` transactions are under way are taken along by the first that may go.

    lead    run the works of the group one after another in one transaction, commit, hand each its result
    follow  wait for that

**A failure stays its own.** A group is tried once. If one of its works raises, the group is rolled back; whatever goes
wrong, each of the others then runs in a transaction of its own, as if it had never been in a group.

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

FLIGHTS = 2  # at once: while one commits, the next computes
MOST = 4  # works of a group: more of them search what the first ones wrote, which isn't in the indexes yet


@dataclass(eq=False, slots=True)
class _Waiting:
    """One work and what became of it; `woken` says that it leads (`group`), is done, or is left to itself."""

    work: Work[Any]
    memory: str
    woken: threading.Event = field(default_factory=threading.Event)
    group: Sequence[_Waiting] = ()
    done: bool = False
    result: Any = None


class GroupCommit:
    """Who waits to write, and who is writing.

    alone: runs one work in a transaction, and tries again what is worth it. together: runs some works in one
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
        """Write for all; if it can't be done, leave each to itself."""
        try:
            results = self._together([each.work for each in group])
        except Exception:  # whosesoever it was: it is raised where that work runs alone
            return
        for each, result in zip(group, results, strict=True):
            each.result, each.done = result, True

    def _leave(self, mine: _Waiting) -> None:
        """Wake those who followed and let the next group go; also where an interrupt ended the wait."""
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
        """Under the lock: let groups go while they may, the longest waiting first."""
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
