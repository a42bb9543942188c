"""Actions of the grammar for times told from today, or from another time: "last week", "the last three Mondays"."""

from __future__ import annotations

from datetime import date
from typing import Any

from oroi_graph.windows.grammar.ago import SOME
from oroi_graph.windows.grammar.meaning import (
    Asked,
    ImpossibleError,
    Meaning,
    Time,
    around,
    checked,
    count,
    number,
    part_of,
    resolved,
    shifted,
    single,
)
from oroi_graph.windows.grammar.recurring import Recurring, Unit, month_days, moved, unit_of
from oroi_graph.windows.window import Window, day_window, merged

Values = dict[str, Any]


def day(asked: Asked, values: Values) -> Time | None:
    """ "yesterday"."""
    away = int(values["d"])
    return Meaning(single(moved(asked.today, away)), "day", "day counted from today")


def earlier_day(asked: Asked, values: Values) -> Time | None:
    """ "earlier today"."""
    return Meaning(single(moved(asked.today, int(values["d"]))), "earlier", "earlier on a day")


def previous(asked: Asked, values: Values) -> Time | None:
    """ "last week": the calendar unit before the present one."""
    unit: Unit = values["u"]
    if unit == "day":
        return None
    before = unit_of(unit, moved(unit_of(unit, asked.today).start, -1))
    if unit == "fortnight":
        before = Window(moved(unit_of("week", asked.today).start, -14), moved(unit_of("week", asked.today).start, -1))
    return Meaning((before,), unit, f"last {unit}, of the calendar")


def before_last(asked: Asked, values: Values) -> Time | None:
    """ "the week before last"."""
    unit: Unit = values["u"]
    if unit == "day":
        return None
    last = unit_of(unit, moved(unit_of(unit, asked.today).start, -1))
    return Meaning((unit_of(unit, moved(last.start, -1)),), unit, f"{unit} before last, of the calendar")


def current(asked: Asked, values: Values) -> Time | None:
    """ "this week": to its end, though it is not over."""
    unit: Unit = values["u"]
    return Meaning((unit_of(unit, asked.today),), unit, f"this {unit}, to its end")


def following(asked: Asked, values: Values) -> Time | None:
    """ "next week", "in three days": ahead of today."""
    unit: Unit = values["u"]
    n = count(values)
    there = shifted(unit_of(unit, asked.today).start if unit not in ("day", "fortnight") else asked.today, n, unit)
    return Meaning((unit_of("day" if unit == "fortnight" else unit, there),), "ahead", f"{unit} ahead")


def rolling(asked: Asked, values: Values) -> Time | None:
    """ "the past week", "the last three months": it ends today."""
    unit: Unit = values["u"]
    n = count(values)
    if unit == "day" and "n" not in values:
        return None
    start = shifted(asked.today, -n, unit)
    if unit in ("day", "week", "fortnight"):
        start = moved(start, 1)  # "the last 7 days" has seven days, today among them
    return Meaning((checked(Window(start, asked.today)),), "rolling", f"the past {unit}s, to today")


def rolling_some(asked: Asked, values: Values) -> Time | None:
    """ "the last few weeks"."""
    unit: Unit = values["u"]
    far = shifted(asked.today, -SOME.get(unit, (5, 2))[0], unit)
    return Meaning((Window(far, asked.today),), "rolling", f"the past {unit}s, to today")


def rolling_short(asked: Asked, values: Values) -> Time | None:
    """ "the last 48 hours"."""
    days = min(count(values) // 24, 10_000) if values.get("u") == "1" else 0
    return Meaning((Window(moved(asked.today, -days), asked.today),), "rolling", "the past hours, to today")


def rolling_one_short(asked: Asked, values: Values) -> Time | None:
    """ "the last hour": today. "At the last minute" is no time, nor is "en la última hora" without a verb of saying."""
    if values["u"] != "1":
        return None
    return Meaning(single(asked.today), "clock", "the past hour, of today", lone=True)


def last(asked: Asked, values: Values) -> Time | None:
    """ "last Sunday", "last March": the last one that is over."""
    r: Recurring = values["r"]
    found = r.latest_ended(asked.today) if r.kind not in ("part", "place") else None
    return Meaning((found,), r.kind, f"last {r.kind} that is over") if found else None


def last_of_each(asked: Asked, values: Values) -> Time | None:
    """ "el lunes y martes pasados": the last one of each that is over."""
    found = [values[name].latest_ended(asked.today) for name in "abc" if name in values]
    windows = merged(w for w in found if w)
    return Meaning(windows, "several", "the last ones that are over") if windows else None


def last_n(asked: Asked, values: Values) -> Time | None:
    """ "the last two weekends"."""
    r: Recurring = values["r"]
    n = count(values, 2)
    found = [r.latest_ended(asked.today, back) for back in range(min(n, 60), 0, -1)]
    return Meaning(tuple(w for w in found if w), "several", f"the last {r.kind}s that are over")


def nth_back(asked: Asked, values: Values) -> Time | None:
    """ "two Sundays ago": the last one is one Sunday ago."""
    r: Recurring = values["r"]
    n = count(values, 2)
    if not 0 < n <= 500:
        return None
    found = r.latest_ended(asked.today, n)
    return Meaning((found,), r.kind, f"{r.kind}s ago, the last one counted as one") if found else None


def back_two(asked: Asked, values: Values) -> Time | None:
    """ "the Sunday before last", "a week last Tuesday"."""
    r: Recurring = values["r"]
    n = count(values)
    if "u" in values:
        if values["u"] not in ("week", "fortnight"):
            return None
        n *= 2 if values["u"] == "fortnight" else 1
    found = r.latest_ended(asked.today, n + 1) if 0 < n < 500 else None
    return Meaning((found,), r.kind, f"{r.kind} before the last one") if found else None


def this(asked: Asked, values: Values) -> Time | None:
    """ "this Sunday", "this spring": as without "this", but it needs no preposition."""
    r: Recurring = values["r"]
    if r.kind in ("part", "place"):
        return None
    return Recurring(r.starting, r.reach, "this", r.policy)


def next_one(asked: Asked, values: Values) -> Time | None:
    """ "next Friday"."""
    r: Recurring = values["r"]
    found = r.next_from(moved(asked.today, 1)) if r.kind not in ("part", "place") else None
    return Meaning((found,), "ahead", f"next {r.kind}") if found else None


def earlier(asked: Asked, values: Values) -> Time | None:
    """ "earlier this week": to yesterday."""
    start = unit_of(values["u"], asked.today).start
    return Meaning((Window(start, max(start, moved(asked.today, -1))),), "earlier", "earlier in a span under way")


def so_far(asked: Asked, values: Values) -> Time | None:
    """ "this year so far": to today."""
    return Meaning((Window(unit_of(values["u"], asked.today).start, asked.today),), "earlier", "a span so far")


def offset_before(asked: Asked, values: Values) -> Time | None:
    """ "two days before Christmas": the day; "the week before Christmas": the seven days."""
    return _offset(asked, values, -1)


def offset_after(asked: Asked, values: Values) -> Time | None:
    """ "the day after Easter"."""
    return _offset(asked, values, 1)


def _offset(asked: Asked, values: Values, sign: int) -> Time | None:
    unit: Unit = values.get("u", "day")
    side = resolved(values["p"], asked)
    if not side or side[-1].end.year == 1:
        return None
    edge = side[0].start if sign < 0 else side[-1].end
    n = count(values)
    if "n" in values or unit == "day":
        return Meaning(single(shifted(edge, sign * n, unit)), "day", "days from another date")
    far, near = shifted(edge, sign, unit), moved(edge, sign)
    return Meaning((Window(min(far, near), max(far, near)),), unit, f"the {unit} beside another date")


def days_before(asked: Asked, values: Values) -> Time | None:
    """ "the days before Christmas": a week of them."""
    return _offset(asked, {"p": values["p"], "u": "week"}, -1)


def days_after(asked: Asked, values: Values) -> Time | None:
    """ "the days after Easter": a week of them."""
    return _offset(asked, {"p": values["p"], "u": "week"}, 1)


def named_before(asked: Asked, values: Values) -> Time | None:
    """ "the Monday before Christmas"."""
    side = resolved(values["p"], asked)
    found = values["r"].latest_ended(side[0].start) if side else None
    return Meaning((found,), "day", "the one before another date") if found else None


def named_after(asked: Asked, values: Values) -> Time | None:
    """ "the weekend after Easter"."""
    side = resolved(values["p"], asked)
    found = values["r"].next_from(moved(side[-1].end, 1)) if side else None
    return Meaning((found,), "day", "the one after another date") if found else None


def week_of(asked: Asked, values: Values) -> Time | None:
    """ "the week of 5 May", "la semana del 21"."""
    if "n" in values and not 1 <= number(values["n"]) <= 31:
        return None
    at = resolved(values["p"] if "p" in values else month_days(number(values["n"])), asked)
    if not at or (at[0].end - at[0].start).days > 7:
        return None
    return Meaning((unit_of("week", at[-1].start),), "week", "the week of a date")


def weekend_of(asked: Asked, values: Values) -> Time | None:
    """ "the weekend of the 12th", "Labor Day weekend": the nearest one; that of a Monday or Tuesday is before it."""
    at = resolved(values["p"], asked)
    if not at or (at[0].end - at[0].start).days > 7:
        return None
    saturday = moved(unit_of("week", moved(at[-1].start, -2)).start, 5)
    return Meaning((day_window(saturday, 2),), "weekend", "the weekend of a date")


def around_date(asked: Asked, values: Values) -> Time | None:
    """ "around 10 May": three days on both sides; of a longer time, the time itself."""
    at = resolved(values["p"], asked)
    if not at:
        return None
    wide = (at[0].end - at[0].start).days > 6
    return Meaning(at if wide else around(at, 3), "around", "around a date")


def year(asked: Asked, values: Values) -> Time | None:
    """ "2024", "'24": the last one so written."""
    first: int = values["y"]
    if first < 100:
        first += asked.today.year // 100 * 100 - (100 if first > asked.today.year % 100 else 0)
    return Meaning((Window(date(first, 1, 1), date(first, 12, 31)),), "year", "year")


def decade(asked: Asked, values: Values) -> Time | None:
    """ "the 1990s", "the nineties": of decades without a century, the last one that is over."""
    first = int(str(values["y"] if "y" in values else values["n"]))
    if first % 10 or ("y" not in values and not 10 <= first <= 90):
        return None
    if first < 100:
        first += max(
            century for century in range(0, asked.today.year + 1, 100) if century + first + 9 < asked.today.year
        )
    whole = Window(date(first, 1, 1), date(first + 9, 12, 31))
    return Meaning((part_of(whole, values["w"]) if "w" in values else whole,), "decade", "decade")


def impossible_year(asked: Asked, values: Values) -> Time | None:
    """ "the year 0"."""
    raise ImpossibleError("there is no year 0: name a time in the years 1 to 9999")
