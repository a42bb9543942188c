"""Actions of the grammar for counts back from today: "two weeks ago", "about a month ago", "a few days ago"."""

from __future__ import annotations

from datetime import date
from typing import Any

from oroi_graph.windows.grammar.meaning import Asked, Meaning, Time, around, count, number, shifted, single, week_before
from oroi_graph.windows.grammar.recurring import MONTHS_OF, Unit, moved, unit_of
from oroi_graph.windows.window import Window

Values = dict[str, Any]
SOME = {"day": (7, 2), "week": (5, 2), "fortnight": (5, 2), "month": (5, 2), "year": (5, 2)}
_AROUND = {"day": 2, "week": 4, "fortnight": 4}  # days on both sides of "about N units ago"


def ago(asked: Asked, values: Values) -> Time | None:
    """ "three days ago", "two weeks ago": the day; "two months ago": that calendar month; years likewise."""
    unit: Unit = values["u"]
    n = count(values)
    there = shifted(asked.today, -n, unit)
    if unit in ("day", "week", "fortnight"):
        weeks = n * 2 if unit == "fortnight" else n
        week = None if unit == "day" else week_before(asked.today, weeks)
        return Meaning(single(there), "ago", f"{unit}s ago: the exact day", week=week)
    return Meaning((unit_of(unit, there),), unit, f"{unit}s ago: the calendar {unit}")


def ago_half(asked: Asked, values: Values) -> Time | None:
    """ "half a year ago", "a year and a half ago": by months."""
    unit = str(values.get("half") or values["more"])
    if unit in ("day", "week", "fortnight"):
        days = {"day": 1, "week": 7, "fortnight": 14}[unit]
        away = days // 2 + (days * count(values) if "more" in values else 0)
        return Meaning(single(moved(asked.today, -away)), "ago", "units and a half ago")
    n = MONTHS_OF[unit] // 2 + (MONTHS_OF[unit] * count(values) if "more" in values else 0)
    there = shifted(asked.today, -n, "month")
    return Meaning((unit_of("month", there),), "month", "months ago: the calendar month") if n else None


def ago_sum(asked: Asked, values: Values) -> Time | None:
    """ "two weeks and three days ago"."""
    there = shifted(shifted(asked.today, -count(values), values["u"]), -number(values["m"]), values["v"])
    if values["v"] in ("day", "week", "fortnight"):
        return Meaning(single(there), "ago", "a sum of units ago: the day")
    return Meaning((unit_of(values["v"], there),), "ago", "a sum of units ago")


def ago_between(asked: Asked, values: Values) -> Time | None:
    """ "three or four days ago", "two to three months ago": from one to the other."""
    unit: Unit = values["u"]
    n, m = sorted((count(values), number(values["m"])))
    near, far = shifted(asked.today, -n, unit), shifted(asked.today, -m, unit)
    if unit in ("day", "week", "fortnight"):
        return Meaning((Window(far, near),), "about", f"between two counts of {unit}s ago")
    return Meaning((Window(unit_of(unit, far).start, unit_of(unit, near).end),), "about", f"from {unit} to {unit}, ago")


def ago_exact(asked: Asked, values: Values) -> Time | None:
    """ "exactly a month ago", "a year ago today", "a week ago yesterday": the day itself."""
    unit: Unit = values["u"]
    there = shifted(moved(asked.today, int(values.get("d", 0))), -count(values), unit)
    return Meaning(single(there), "ago", f"exactly {unit}s ago: the day")


def ago_about(asked: Asked, values: Values) -> Time | None:
    """ "about two weeks ago": some days around it."""
    unit: Unit = values["u"]
    n = count(values, 2)
    sides = _AROUND.get(unit, 7 if unit == "month" and n == 1 else 14 if unit == "month" else 30)
    days = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}.get(unit, 91)
    there = around(single(shifted(asked.today, -n * days, "day")), sides)[0]
    end = min(there.end, moved(asked.today, -1)) if there.end >= asked.today else there.end
    return Meaning((Window(min(there.start, end), end),), "about", f"about {unit}s ago")


def this_time(asked: Asked, values: Values) -> Time | None:
    """ "this time last year": some days around the day."""
    unit: Unit = values["u"]
    there = single(shifted(asked.today, -count(values), unit))
    return Meaning(around(there, {"month": 3, "year": 7}.get(unit, 0)), "about", f"this time, {unit}s ago")


def ago_some(asked: Asked, values: Values) -> Time | None:
    """ "a few weeks ago"."""
    unit: Unit = values["u"]
    if unit not in SOME:
        return None
    far, near = (shifted(asked.today, -n, unit) for n in SOME[unit])
    if unit == "year":
        far, near = date(far.year, 1, 1), date(near.year, 12, 31)
    return Meaning((Window(far, near),), "some", f"some {unit}s ago")


def other_day(asked: Asked, values: Values) -> Time | None:
    """ "the other day"."""
    return ago_some(asked, {"u": "day"})


def ago_short(asked: Asked, values: Values) -> Time | None:
    """ "two hours ago": the local day, hours past a day counted as days."""
    hours = int(str(values["n"])) if str(values.get("n", "")).isdecimal() and values.get("u") == "1" else 0
    return Meaning(single(moved(asked.today, -(hours // 24))), "day", "time of today")


def more_than_ago(asked: Asked, values: Values) -> Time | None:
    """ "more than a year ago"."""
    unit: Unit = values["u"]
    there = shifted(asked.today, -count(values), unit)
    return Meaning((Window(date.min, there),), "until", f"more than some {unit}s ago")
