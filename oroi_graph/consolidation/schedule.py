"""When consolidation is due: a cron expression, and an event that is set whenever the worker has to check.

APScheduler handles calendars, time zones and daylight saving; which memories are due is decided by the database.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.combining import OrTrigger
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from oroi_graph.errors import SettingsError

NIGHTLY = "0 3 * * *"

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun")  # crontab's numbers, 0 and 7 are Sunday
_NUMBERED = re.compile(r"([0-7])(?:-([0-7]))?(?:/([1-7]))?")
_GLANCE = 0.2  # seconds between two looks at `stop`
_SOONEST = timedelta(minutes=1)
_RAREST = timedelta(days=366 * 9)  # 29 February skips eight years around 2100


class CronSchedule:
    """A cron expression: minute, hour, day of month, month, day of week; all of them must fit.

    zone: in which it is read, this machine's by default. Raises SettingsError for one that never comes.
    """

    def __init__(self, expression: str, zone: tzinfo | None = None) -> None:
        self.expression = expression
        self.trigger = _trigger(expression, zone)
        if self.latest(datetime.now(self.trigger.timezone)) is None:
            raise SettingsError(f"cron expression {expression!r} never comes: is there such a day?")

    def __repr__(self) -> str:
        return f"CronSchedule({self.expression!r})"

    def latest(self, now: datetime) -> datetime | None:
        """The last time, not after `now`, at which the expression fits; None if there was none in nine years."""
        back = _SOONEST
        while back <= _RAREST * 2:  # doubled, so that the last span covers the rarest one wholly
            found = self._next(now - back)
            if found is not None and found <= now:
                while (later := self._next(found + timedelta(seconds=1))) is not None and later <= now:
                    found = later
                return found
            back *= 2
        return None

    def _next(self, start: datetime) -> datetime | None:
        found: datetime | None = self.trigger.get_next_fire_time(None, start)
        return found


def _trigger(expression: str, zone: tzinfo | None) -> CronTrigger:
    fields = expression.split()
    if len(fields) != 5:
        raise SettingsError(
            f"cron expression {expression!r} must have five fields (minute, hour, day, month, day of week), "
            f'such as "{NIGHTLY}"'
        )
    try:
        minute, hour, day, month, weekday = fields
        return CronTrigger(
            minute=minute,
            hour=hour,
            day=day,
            month=month,
            day_of_week=",".join(map(_weekdays, weekday.split(","))),
            # Far enough to know that it never comes, without looking through eight thousand years.
            end_date=datetime.now().astimezone() + 3 * _RAREST,
            timezone=zone,
        )
    except ValueError as error:
        raise SettingsError(f"unusable cron expression {expression!r}: {error}") from error


def _weekdays(part: str) -> str:
    """Crontab's numbers as names: APScheduler would count from Monday."""
    found = _NUMBERED.fullmatch(part.replace("*/", "0-6/"))
    if found is None:
        return part
    first, last, step = found.groups()
    until = int(last) if last else (6 if step else int(first))
    if until < int(first):
        raise ValueError(f"in day of week {part!r} the first is after the last")
    return ",".join(_DAYS[number] for number in range(int(first), until + 1, int(step or 1)))


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

    @contextmanager
    def alarm(self) -> Iterator[threading.Event]:
        """An event that is set whenever it is time to look: every `poll` seconds, and when the night comes."""
        ring = threading.Event()
        clock = BackgroundScheduler(daemon=True)
        nights = [self.night.trigger] if self.night is not None else []
        times = OrTrigger([IntervalTrigger(seconds=self.poll), *nights])
        clock.add_job(ring.set, times, coalesce=True, misfire_grace_time=None)
        clock.start()
        try:
            yield ring
        finally:
            clock.shutdown(wait=False)


def wait(ring: threading.Event, stop: threading.Event, most: float | None = None) -> None:
    """Until `ring` or `stop` is set, or `most` seconds have passed; `ring` is cleared."""
    until = time.monotonic() + most if most is not None else None
    while not stop.is_set() and not ring.wait(_GLANCE):
        if until is not None and time.monotonic() >= until:
            return
    ring.clear()
