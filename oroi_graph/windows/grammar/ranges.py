"""Actions of the grammar for spans with given ends: "since May", "before Christmas", "from Tuesday to Thursday"."""

from __future__ import annotations

from datetime import date
from typing import Any

from oroi_graph.windows.grammar.meaning import Asked, Meaning, Time, checked, number, resolved
from oroi_graph.windows.grammar.recurring import YEAR, Recurring, month_day, month_days, moved
from oroi_graph.windows.window import Window

Values = dict[str, Any]


def since(asked: Asked, values: Values) -> Time | None:
    """ "since May": from its first day to today."""
    at = _past(values["p"], asked)
    if at is None or at.start > asked.today:
        return None
    return Meaning((checked(Window(at.start, asked.today)),), "since", "since a time, to today")


def after(asked: Asked, values: Values) -> Time | None:
    """ "after Easter": from the day after it to today."""
    at = _past(values["p"], asked)
    if at is None or at.end >= asked.today:
        return None
    return Meaning((checked(Window(moved(at.end, 1), asked.today)),), "since", "after a time, to today")


def until(asked: Asked, values: Values) -> Time | None:
    """ "until Friday": everything to its last day."""
    at = _past(values["p"], asked)
    if at is not None and at.start > asked.today:  # "valid until 2031"
        return Meaning((Window(asked.today, at.end),), "ahead", "until a time to come", planned=True)
    return Meaning((Window(date.min, at.end),), "until", "until a time, that time included") if at else None


def before(asked: Asked, values: Values) -> Time | None:
    """ "before Christmas": everything to the day before it."""
    at = _past(values["p"], asked)
    if at is None or at.start == date.min:
        return None
    if at.start > asked.today:
        return Meaning((Window(asked.today, moved(at.start, -1)),), "ahead", "before a time to come", planned=True)
    return Meaning((Window(date.min, moved(at.start, -1)),), "until", "before a time")


def before_and_after(asked: Asked, values: Values) -> Time | None:
    """ "before and after Easter": all but the time itself."""
    at = _past(values["p"], asked)
    if at is None or at.start == date.min or at.end >= asked.today:
        return None
    sides = Window(date.min, moved(at.start, -1)), Window(moved(at.end, 1), asked.today)
    return Meaning(sides, "until", "before a time and after it")


def after_and_before(asked: Asked, values: Values) -> Time | None:
    """ "after Easter but before June": what lies between the two."""
    last = _past(values["b"], asked)
    if last is None or last.start == date.min:
        return None
    a: Time = values["a"]
    first = a.latest_ended(last.start) if isinstance(a, Recurring) else a.windows[-1] if a.windows else None
    start, end = (moved(first.end, 1), moved(last.start, -1)) if first is not None else (date.max, date.min)
    return (
        Meaning((checked(Window(start, end)),), "range", "after one time and before another") if start <= end else None
    )


def between(asked: Asked, values: Values) -> Time | None:
    """ "from Tuesday to Thursday", "between 3 May and 6 June": what has no year is the last before today."""
    a: Time = values["a"]
    b: Time = values["b"]
    end = _past(b, asked)
    if isinstance(b, Recurring) and isinstance(a, Meaning) and a.windows:
        later = b.next_from(a.windows[0].start)
        if later is not None and (later.start <= asked.today or (end is not None and end.end < a.windows[0].start)):
            end = Window(min(later.start, asked.today), min(later.end, asked.today))
    if end is None:
        return None
    start = a.latest_begun(end.start) if isinstance(a, Recurring) else a.windows[0] if a.windows else None
    if isinstance(a, Recurring) and isinstance(b, Recurring) and start == end:
        start = a.latest_begun(end.start, 2)
    if start is None or start.start > end.end:
        return None
    bare = isinstance(a, Recurring) and isinstance(b, Recurring)
    return Meaning((checked(Window(start.start, end.end)),), "range", "from one time to another", bare=bare)


def between_inside(asked: Asked, values: Values) -> Time | None:
    """ "from Tuesday to Thursday of last week", "between March and May last year"."""
    a, b, p = values["a"], values["b"], values["p"]
    outer = p.week or p.windows[0]
    first = a.next_from(outer.start)
    last = b.next_from(first.start) if first is not None else None
    if first is None or last is None or first.start not in outer or last.start not in outer:
        return None
    return Meaning((Window(first.start, last.end),), "range", "from one time to another, within a third")


def between_days(asked: Asked, values: Values) -> Time | None:
    """ "between 3 and 9 May"."""
    day = number(values["n"])
    last = _past(values["q"], asked)
    if last is None or not 1 <= day <= 31:
        return None
    first = month_days(day).latest_begun(last.start)
    if first is None or first.start == last.start:
        return None
    return Meaning((Window(first.start, last.end),), "range", "days of a month")


def between_days_month_first(asked: Asked, values: Values) -> Time | None:
    """ "May 3 to 9"."""
    n, m, month = number(values["n"]), number(values["m"]), int(values["mo"])
    try:
        last = month_day(month, m)
        if "y" in values:
            end = date(values["y"], month, m)
        else:
            found = last.latest_ended(asked.today)
            end = found.end if found else date.min
        start = end.replace(day=n)
    except ValueError:
        return None
    return Meaning((Window(start, end),), "range", "days of a month") if start < end else None


def between_days_of_month(asked: Asked, values: Values) -> Time | None:
    """ "between the 3rd and the 9th"."""
    n, m = number(values["n"]), number(values["m"])
    if not (1 <= n <= 31 and 1 <= m <= 31):
        return None
    return between(asked, {"a": month_days(n), "b": month_days(m)})


def days_of_months(asked: Asked, values: Values) -> Time | None:
    """ "los días 3 y 5": the last of each."""
    days = number(values["n"]), number(values["m"])
    found = [month_days(day).latest_ended(asked.today) for day in days if 1 <= day <= 31]
    return Meaning(tuple(w for w in found if w), "date", "days of a month") if len(found) == 2 else None


def days_of_month(asked: Asked, values: Values) -> Time | None:
    """ "3 and 9 May": both days."""
    day = number(values["n"])
    q: Time = values["q"]
    last = _past(q, asked)
    if last is None or not 1 <= day <= 31 or (isinstance(q, Recurring) and q.reach < YEAR):
        return None  # "viernes 26 y sábado 27" are not two days of one month's date
    first = month_days(day).latest_begun(last.start)
    windows = resolved(q, asked)
    return Meaning((first, *windows), "date", "days of one month") if first and first.start != last.start else None


def days_of_month_first(asked: Asked, values: Values) -> Time | None:
    """ "May 3 and 9": both days."""
    found = between_days_month_first(asked, values)
    if not isinstance(found, Meaning):
        return None
    whole = found.windows[0]
    return Meaning((Window(whole.start, whole.start), Window(whole.end, whole.end)), "date", "days of one month")


def months_of_year(asked: Asked, values: Values) -> Time | None:
    """ "March and May 2024"."""
    b: Meaning = values["b"]
    first = values["a"].latest_begun(b.windows[0].start)
    return Meaning((first, *b.windows), b.kind, "months of one year") if first else None


def _past(time: Time, asked: Asked) -> Window | None:
    """The window that a time means as the end of a range."""
    found = resolved(time, asked)
    return Window(found[0].start, found[-1].end) if found else None
