"""When consolidation is due: a cron expression, and how long a worker may rest until it has to look again.

cronsim handles calendars, time zones and daylight saving; which memories are due is decided by the database.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo

from cronsim import CronSim, CronSimError
from tzlocal import get_localzone

from oroi_graph.errors import SettingsError

NIGHTLY = "0 3 * * *"

_GLANCE = 0.2  # seconds between two looks at `stop`


class CronSchedule:
    """A cron expression: minute, hour, day of month, month, day of week.

    zone: in which it is read, this machine's by default. Raises SettingsError for one that never comes.
    """

    def __init__(self, expression: str, zone: tzinfo | None = None) -> None:
        if len(expression.split()) != 5:
            raise SettingsError(
                f"cron expression {expression!r} must have five fields (minute, hour, day, month, day of week), "
                f'such as "{NIGHTLY}"'
            )
        self.expression = expression
        self._zone = zone or get_localzone()
        try:
            self.latest(datetime.now(UTC))
        except CronSimError as error:
            raise SettingsError(f"unusable cron expression {expression!r}: {error}") from error

    def __repr__(self) -> str:
        return f"CronSchedule({self.expression!r})"

    def latest(self, now: datetime) -> datetime:
        """The last time, not after `now`, at which the expression fits."""
        minute = now.astimezone(self._zone).replace(second=0, microsecond=0)
        return next(CronSim(self.expression, minute + timedelta(minutes=1), reverse=True))

    def next(self, now: datetime) -> datetime:
        """The first time after `now` at which the expression fits."""
        return next(CronSim(self.expression, now.astimezone(self._zone)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When memories are due. Any of the three is enough; a memory without a new turn never is.

    night: what was said before its latest time is due. idle: minutes since anybody spoke. grown: turns since the
    last sleep. poll: seconds between two looks.
    """

    night: CronSchedule | None = field(default_factory=lambda: CronSchedule(NIGHTLY))
    idle: float | None = None
    grown: int | None = None
    poll: float = 60.0

    def __post_init__(self) -> None:
        if not 0 < self.poll < float("inf"):
            raise SettingsError(f"poll must be seconds above 0, got {self.poll:g}")
        if self.idle is not None and not 0 <= self.idle < float("inf"):
            raise SettingsError(f"idle must be minutes from 0, got {self.idle:g}")
        if self.grown is not None and self.grown < 1:
            raise SettingsError(f"grown must be at least 1 turn, got {self.grown}")
        if self.night is None and self.idle is None and self.grown is None:
            raise SettingsError("nothing would ever be due: give a cron expression, idle minutes, or grown turns")

    def rest(self) -> float:
        """Seconds until it is time to look again: `poll`, or less where the night comes before."""
        now = datetime.now(UTC)
        return self.poll if self.night is None else min(self.poll, (self.night.next(now) - now).total_seconds())


def wait(stop: threading.Event, seconds: float) -> None:
    """Until `stop` is set or so many seconds have passed; in naps, since the handler of a signal may set it."""
    until = time.monotonic() + seconds
    while not stop.is_set() and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _GLANCE))
