"""What the words of a time mean on a day: the values that the grammar's actions make and combine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

from dateutil.relativedelta import relativedelta

from oroi_graph.language.detection import Language
from oroi_graph.windows.grammar.recurring import MONTHS_OF, Recurring, Unit, moved, unit_of, units
from oroi_graph.windows.window import Hemisphere, Window, day_window

LONGEST_YEARS = 100  # years: a longer span is no time of a conversation
Part = Literal["begin", "mid", "end"]


class ImpossibleError(ValueError):
    """A date that no calendar has, or a span that no conversation lasts. The text says why."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question's times are read against. `region`: "britain", "america", "europe" or ""."""

    today: date
    language: Language
    hemisphere: Hemisphere
    region: str
    day_first: bool


@dataclass(frozen=True, slots=True)
class Meaning:
    """A time that is settled.

    `kind`: "day", a unit, "rolling", "since" …; `reason`: the rule, for people; `ahead`: its windows if the question
    looks ahead; `bare`: said without a word that ties it to the past; `planned`: what something is for; `lone`: without
    a preposition, so that its neighbours decide whether it is a time; `week`: what "Monday of" is looked up in."""

    windows: tuple[Window, ...]
    kind: str
    reason: str
    ahead: tuple[Window, ...] = ()
    bare: bool = False
    planned: bool = False
    lone: bool = False
    week: Window | None = None


Time = Recurring | Meaning


def resolved(time: Time, asked: Asked) -> tuple[Window, ...]:
    """The windows that a time means by itself."""
    if isinstance(time, Meaning):
        return time.windows
    found = time.latest(asked.today)
    return (found,) if found is not None else ()


def ahead(time: Recurring, asked: Asked) -> tuple[Window, ...]:
    """The windows that a time means in a question that looks ahead."""
    found = time.next_from(asked.today)
    return (found,) if found is not None else ()


def shifted(day: date, n: int, unit: Unit) -> date:
    """`day`, `n` units later (earlier if negative), the day of the month cut to the month's last.

    Raises ImpossibleError where the calendar has no such day."""
    try:
        if unit in ("day", "week", "fortnight"):
            return day + timedelta(days=n * {"day": 1, "week": 7, "fortnight": 14}[unit])
        return day + relativedelta(months=n * MONTHS_OF[unit])
    except (OverflowError, ValueError) as error:
        raise ImpossibleError("the calendar does not go that far: name a time in the years 1 to 9999") from error


def checked(window: Window) -> Window:
    """The window; raises ImpossibleError if it is longer than any conversation."""
    if (window.end - window.start).days > 366 * LONGEST_YEARS and window.start != date.min:
        raise ImpossibleError(f"a window of more than {LONGEST_YEARS} years: name a shorter time")
    return window


def part_of(window: Window, part: Part) -> Window:
    """The beginning, middle or end of a week, month, season, quarter, half or year."""
    start, end = window.start, window.end
    length = (end - start).days + 1
    if length <= 8:
        first, last = {"begin": (0, 1), "mid": (2, 3), "end": (4, length - 1)}[part]
        return Window(start + timedelta(days=min(first, length - 1)), start + timedelta(days=min(last, length - 1)))
    if length <= 31:
        first, last = {"begin": (0, 9), "mid": (10, 19), "end": (20, length - 1)}[part]
        return Window(start + timedelta(days=first), start + timedelta(days=last))
    months = round(length / 30.4)
    # a year's ends have three months and its middle four; shorter spans have three parts
    side, middle = (3, 4) if months >= 12 else (max(1, months // 3), max(1, months - 2 * (months // 3)))
    if months >= 120:  # a decade's: three, four and three years
        side, middle = 3 * months // 10, 4 * months // 10
    before = (months - middle) // 2
    if part == "begin":
        return Window(start, start + relativedelta(months=side) - timedelta(days=1))
    if part == "end":
        return Window(end + timedelta(days=1) - relativedelta(months=side), end)
    return Window(
        start + relativedelta(months=before), start + relativedelta(months=before + middle) - timedelta(days=1)
    )


def half_of(window: Window, k: int) -> Window | None:
    """The first or second half of a month (1–15, 16–last), a week or a longer span; None for shorter ones."""
    length = (window.end - window.start).days + 1
    if k not in (1, 2) or length < 7:
        return None
    if length <= 31:
        middle = window.start + timedelta(days=15 if length >= 28 else length // 2)
    else:
        middle = window.start + relativedelta(months=round(length / 60.8))
    return Window(window.start, middle - timedelta(days=1)) if k == 1 else Window(middle, window.end)


def kth_in(window: Window, k: int, what: Recurring | str) -> tuple[Window, ...]:
    """The k-th (from 1; -1 for the last) of what a window has: the second Monday of a month, the first week of May.

    The k-th week of a month or a longer span is its days 7k-6 to 7k; its last week its last seven days."""
    length = (window.end - window.start).days + 1
    if what in ("week", "fortnight") and length >= 28:
        step = 7 if what == "week" else 15
        if k < 0:
            return (Window(window.end - timedelta(days=step - 1), window.end),)
        first = moved(window.start, step * (k - 1))
        if k == 2 and step == 15 and length <= 31:
            return (Window(first, window.end),)
        return (Window(first, min(window.end, moved(first, step - 1))),) if first <= window.end else ()
    if isinstance(what, str):
        what = units(_unit(what))
    found = what.starting(window.start, window.end)
    return (found[k - 1 if k > 0 else k],) if -len(found) <= k <= len(found) and k else ()


def some_of(window: Window, k: int, n: int, unit: str) -> Window | None:
    """The first (k = 1) or last (k = -1) n units of a window."""
    try:
        if k > 0:
            end = shifted(window.start, n, _unit(unit)) - timedelta(days=1)
            return Window(window.start, min(end, window.end))
        start = shifted(window.end + timedelta(days=1), -n, _unit(unit))
        return Window(max(start, window.start), window.end)
    except ImpossibleError:
        return None


def _unit(name: str) -> Unit:
    known: dict[str, Unit] = {
        "day": "day", "week": "week", "fortnight": "fortnight", "month": "month", "bimester": "bimester",
        "quarter": "quarter", "half": "half", "year": "year",
    }  # fmt: skip
    return known[name]


def week_before(day: date, n: int) -> Window:
    """The calendar week that lies n weeks before the week of a day."""
    return unit_of("week", shifted(day, -n, "week"))


def around(windows: Sequence[Window], days: int) -> tuple[Window, ...]:
    """Windows widened by days on both sides."""
    return tuple(Window(moved(w.start, -days), moved(w.end, days)) for w in windows)


def single(day: date) -> tuple[Window, ...]:
    """The window of one day."""
    return (day_window(day),)


def number(value: object) -> int:
    """A number, of a terminal's value or of one read; "the last" is -1."""
    return -1 if value == "one" else int(str(value))


def count(values: dict[str, Any], missing: int = 1) -> int:
    value = values.get("n", missing)
    return 2 if value == "one" else int(str(value))
