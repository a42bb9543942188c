"""The last turns of a memory and who speaks in it.

The turns come from the working set, which is proved fresh: what another process forgot or took back must not be shown
to an extractor again. Protagonists are read once, then kept in step with what this process writes.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from oroi_graph.model import TurnInput, Utterance
from oroi_graph.storage import catalog
from oroi_graph.storage.rows import record_id
from oroi_graph.working_set.context import last_said
from oroi_graph.working_set.kept import WorkingSets

ANONYMOUS = "User"
_PAUSE = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class RecentTurn:
    """One of the last turns: its words for extractors; record and session, so that recall does not quote it again.

    noted: whether this process heard it; a caller that was started again has forgotten what it heard before.
    """

    record: str
    session: str | None
    said: Utterance
    noted: bool = False


class RecentTurns:
    """The last `size` turns and the protagonists of one memory. May be shared by threads."""

    def __init__(self, sets: WorkingSets, memory: str, size: int, protagonists: Sequence[str]) -> None:
        self._sets, self._memory, self._size = sets, memory, size
        self._lock = threading.Lock()
        self._protagonists = list(protagonists)
        self._heard: deque[str] = deque(maxlen=max(size, 1))  # records that this process wrote, the last ones
        self._forgettings: int | None = None  # how many there had been when the last turn was written

    @property
    def protagonists(self) -> tuple[str, ...]:
        """The people who spoke so far."""
        return tuple(self._protagonists)

    @property
    def protagonist(self) -> str:
        """Who speaks when nobody is named: the only protagonist so far, else "User"."""
        return self._protagonists[0] if len(self._protagonists) == 1 else ANONYMOUS

    def read(self, *, proved: bool = True) -> list[RecentTurn]:
        """The last turns, oldest first. proved: as they are now in the database, else as this process knows them."""
        known = None if proved else self._sets.latest(self._memory)
        if known is not None:
            rows = last_said(known, self._size)
        else:
            rows = self._sets.read(self._memory, lambda tx: last_said(tx.held, self._size))
        with self._lock:
            heard = frozenset(self._heard)
        return [
            RecentTurn(
                r["id"],
                r["session"],
                Utterance(r["text"], r["speaker"], r["role"], time_of(r["at"])),
                noted=r["id"] in heard,
            )
            for r in rows
        ]

    def in_sight(self, recent: Sequence[RecentTurn], turn: TurnInput) -> frozenset[str]:
        """Ids of the records that the caller's model has before its eyes when `turn` is said. recent: as `read` gave.

        These are what this process heard without a long pause: of a named session the last turns, else the last
        exchange, since a caller that names no session may show its model nothing else.
        """
        found: list[str] = []
        for one in reversed(recent):
            if not one.noted or one.session != turn.session or _paused(one.said.at, turn.at):
                break
            found.append(one.record)
            if turn.session is None and one.said.role == "user":
                break
        return frozenset(found)

    def add(self, turn: TurnInput) -> None:
        """Note a turn that this process has just written."""
        with self._lock:
            if turn.role == "user" and turn.speaker not in self._protagonists:
                self._protagonists.append(turn.speaker)
            self._heard.append(record_id(self._memory, turn.id, turn.role))

    def missed_forgetting(self, count: int) -> bool:
        """Whether somebody else has forgotten something since the last turn; count: of all forgettings so far."""
        with self._lock:
            before, self._forgettings = self._forgettings, count
            return before is not None and before != count

    def refresh(self, *, keep_protagonists: bool = True) -> None:
        """Read the protagonists again; keep_protagonists: also those that the database does not name (yet)."""
        found = catalog.describe(self._sets.store, self._memory)
        with self._lock:
            kept = self._protagonists if keep_protagonists else []
            self._protagonists = list(dict.fromkeys([*(found.protagonists if found else ()), *kept]))


def _paused(before: datetime | None, now: datetime | None) -> bool:
    """Whether more time lies between two turns than one conversation has pauses."""
    if before is None or now is None:
        return False
    aware = [time if time.tzinfo else time.replace(tzinfo=UTC) for time in (before, now)]
    return abs(aware[1] - aware[0]) > _PAUSE


def time_of(text: str | None) -> datetime | None:
    """The time of a row (ISO)."""
    return datetime.fromisoformat(text) if text else None
