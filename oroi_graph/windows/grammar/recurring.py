"""Times that come again: weekdays, months, seasons, dates without a year, as windows of any stretch of the calendar."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from oroi_graph.windows.window import Window, day_window

Unit = Literal["day", "week", "fortnight", "month", "bimester", "quarter", "half", "year"]
# "ended": a bare "on Sunday" is the last one before today. "begun": a bare "in March" may still be running.
Policy = Literal["ended", "begun"]

MONTHS_OF: dict[str, int] = {"month": 1, "bimester": 2, "quarter": 3, "half": 6, "year": 12}
YEAR = 366  # days
MOST = 400  # windows that a stretch is listed for


@dataclass(frozen=True, slots=True)
class Recurring:
    """A time that comes again.

    `starting`: its windows that start in a stretch of days (both ends included), in order. `reach`: days in which at
    least one starts. `kind`: what it is ("weekday", "month", "season", "holiday", "date", "day of month", "weekend",
    "part", "place" …). `policy`: which one a bare expression means."""

    starting: Callable[[date, date], list[Window]]
    reach: int
    kind: str
    policy: Policy = "ended"

    def latest(self, today: date) -> Window | None:
        """The window that a bare expression means on `today`; None if the calendar has none."""
        return self.latest_begun(today) if self.policy == "begun" else self.latest_ended(today)

    def latest_begun(self, day: date, back: int = 1) -> Window | None:
        """The window that started last on or before `day`; `back`: 2 for the one before it, and so on."""
        found = self.starting(moved(day, -self.reach * (back + 1)), day)
        return found[-back] if len(found) >= back else None

    def latest_ended(self, day: date, back: int = 1) -> Window | None:
        """The window that ended last before `day`; `back`: 2 for the one before it, and so on."""
        found = [w for w in self.starting(moved(day, -self.reach * (back + 2)), day) if w.end < day]
        return found[-back] if len(found) >= back else None

    def next_from(self, day: date) -> Window | None:
        """The first window that starts on `day` or after it."""
        found = self.starting(day, moved(day, 2 * self.reach))
        return found[0] if found else None

    def within(self, window: Window) -> list[Window]:
        """Its windows that start in another, cut at the other's ends: at most `MOST`."""
        last = min(window.end, moved(window.start, MOST * 7))
        return [Window(w.start, min(w.end, window.end)) for w in self.starting(window.start, last)][:MOST]


def moved(day: date, days: int) -> date:
    """`day` moved by days, held within the calendar."""
    return date.fromordinal(min(max(day.toordinal() + days, 1), date.max.toordinal()))


def weekday(number: int) -> Recurring:
    """A day of the week, 0 for Monday."""
    return Recurring(lambda lo, hi: [day_window(day) for day in _weekdays(number, lo, hi)], 7, "weekday")


def weekend() -> Recurring:
    """Saturday and Sunday."""
    return Recurring(
        lambda lo, hi: [day_window(day, 2) for day in _weekdays(5, lo, hi) if day < date.max], 7, "weekend", "begun"
    )


def _weekdays(number: int, lo: date, hi: date) -> Iterator[date]:
    first = lo.toordinal() + (number - lo.weekday()) % 7
    return (date.fromordinal(n) for n in range(first, hi.toordinal() + 1, 7))


def in_each_year(of_year: Callable[[int], Sequence[Window]], kind: str, policy: Policy = "ended") -> Recurring:
    """What a year has once or several times. of_year: its windows in a year that the calendar has, in order."""

    def starting(lo: date, hi: date) -> list[Window]:
        years = range(max(1, lo.year - 1), min(9998, hi.year) + 1)
        return [w for year in years for w in of_year(year) if lo <= w.start <= hi]

    return Recurring(starting, YEAR, kind, policy)


def months(first: int, length: int, kind: str) -> Recurring:
    """`length` months of every year from the month `first`: a month, a season, a quarter."""
    return in_each_year(lambda year: [_months(year, first, length)], kind, "begun")


def _months(year: int, first: int, length: int) -> Window:
    last = first + length - 1
    end_year, end_month = year + (last - 1) // 12, (last - 1) % 12 + 1
    return Window(date(year, first, 1), date(end_year, end_month, monthrange(end_year, end_month)[1]))


def month_day(month: int, day: int) -> Recurring:
    """A date without a year. ValueError if no year has it."""
    date(2000, month, day)

    def of_year(year: int) -> list[Window]:
        return [day_window(date(year, month, day))] if day <= monthrange(year, month)[1] else []

    found = in_each_year(of_year, "date")
    return Recurring(found.starting, 8 * YEAR if (month, day) == (2, 29) else YEAR, "date")


def month_days(day: int) -> Recurring:
    """A day of every month that has it ("the 31st"). ValueError if none has."""
    date(2000, 1, day)

    def of_year(year: int) -> list[Window]:
        return [day_window(date(year, month, day)) for month in range(1, 13) if day <= monthrange(year, month)[1]]

    found = in_each_year(of_year, "day of month")
    return Recurring(found.starting, 62, "day of month")


def units(unit: Unit) -> Recurring:
    """Every day, week, month, quarter, half or year of the calendar."""
    if unit == "day":
        return Recurring(lambda lo, hi: list(map(day_window, _days(lo, hi))), 1, "day")
    if unit in ("week", "fortnight"):
        step = 7 if unit == "week" else 14
        return Recurring(lambda lo, hi: [day_window(d, step) for d in _weekdays(0, lo, hi)], 7, "week", "begun")
    length = MONTHS_OF[unit]
    found = in_each_year(lambda year: [_months(year, first, length) for first in range(1, 13, length)], unit, "begun")
    return Recurring(found.starting, 31 * length + 1, unit, "begun")


def _days(lo: date, hi: date) -> Iterator[date]:
    return (date.fromordinal(n) for n in range(lo.toordinal(), hi.toordinal() + 1))


def mapped(
    inner: Recurring, change: Callable[[Window], Sequence[Window]], kind: str, policy: Policy | None = None
) -> Recurring:
    """What each window of another contains: "the beginning of May", "the first Monday of May"."""

    def starting(lo: date, hi: date) -> list[Window]:
        outer = inner.starting(moved(lo, -inner.reach - YEAR), hi)
        return [w for window in outer for w in change(window) if lo <= w.start <= hi]

    return Recurring(starting, inner.reach + 31, kind, policy or inner.policy)


def unit_of(unit: Unit, day: date) -> Window:
    """The day, week (Monday to Sunday), month, quarter, half or year that a day is in."""
    if unit == "day":
        return day_window(day)
    if unit in ("week", "fortnight"):
        monday = day - timedelta(days=day.weekday())
        return day_window(monday if unit == "week" else monday - timedelta(days=7), 7 if unit == "week" else 14)
    length = MONTHS_OF[unit]
    return _months(day.year, (day.month - 1) // length * length + 1, length)
