"""Actions of the grammar for dates, months, holidays, and parts of them ("the first day of May")."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from oroi_graph.windows.grammar.holidays import holidays
from oroi_graph.windows.grammar.meaning import (
    Asked,
    ImpossibleError,
    Meaning,
    Time,
    half_of,
    kth_in,
    number,
    part_of,
    resolved,
    single,
    some_of,
)
from oroi_graph.windows.grammar.recurring import (
    MONTHS_OF,
    Recurring,
    mapped,
    month_day,
    month_days,
    months,
    unit_of,
    units,
    weekday,
    weekend,
)
from oroi_graph.windows.window import merged

Values = dict[str, Any]

_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MONTH_NAMES = "January February March April May June July August September October November December".split()
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_FEW = {"day": 5}  # "the first few days"; of longer units three


def weekday_of(asked: Asked, values: Values) -> Time | None:
    """A day of the week."""
    return weekday(int(values["wd"]))


def month_of_year(asked: Asked, values: Values) -> Time | None:
    """A month."""
    return months(int(values["mo"]), 1, "month")


def season(asked: Asked, values: Values) -> Time | None:
    """A meteorological season of the hemisphere."""
    first = _SEASONS[values["s"]] + (0 if asked.hemisphere == "north" else 6)
    return months((first - 1) % 12 + 1, 3, "season")


def weekend_day(asked: Asked, values: Values) -> Time | None:
    """Saturday and Sunday."""
    return weekend()


def holiday(asked: Asked, values: Values) -> Time | None:
    """A holiday by name."""
    return holidays(asked.language)[values["h"]].recurring(asked.region)


def holiday_over(asked: Asked, values: Values) -> Time | None:
    """A holiday with all of its days: "over Easter"."""
    return holidays(asked.language)[values["h"]].recurring(asked.region, over=True)


def month_and_day(asked: Asked, values: Values) -> Time | None:
    """ "5 May". Raises ImpossibleError for "31 February"."""
    day, month = number(values["d"]), int(values["mo"])
    if day > 99:
        return None
    if not 1 <= day <= _DAYS[month - 1]:
        raise ImpossibleError(f"{_MONTH_NAMES[month - 1]} has no day {day}: name a date that the calendar has")
    return month_day(month, day)


def day_of_month(asked: Asked, values: Values) -> Time | None:
    """ "the 31st"."""
    day = number(values["d"])
    return month_days(day) if 1 <= day <= 31 else None


def weekday_number(asked: Asked, values: Values) -> Time | None:
    """ "Tuesday 10th"."""
    day = number(values["d"])
    return replace(month_days(day), kind="date") if 1 <= day <= 31 else None


def full_date(asked: Asked, values: Values) -> Time | None:
    """ "03/04/2025" in the order of the language, "2025-03-04". Raises ImpossibleError for what is no date."""
    year, a, b = number(values["y"]), number(values["m"]), number(values["n"])
    if a > 99 or b > 99:
        return None
    year += 2000 if year < 100 else 0
    for day, month in _orders(asked, b, a):
        try:
            return Meaning(single(date(year, month, day)), "date", "date in numbers")
        except ValueError:
            continue
    raise ImpossibleError(f"{b}/{a}/{year} is no date: name a date that the calendar has")


def iso_date(asked: Asked, values: Values) -> Time | None:
    """ "2025-03-04"."""
    year, month, day = (number(values[name]) for name in "ymn")
    try:
        return Meaning(single(date(year, month, day)), "date", "date in numbers")
    except ValueError as error:
        raise ImpossibleError(f"{year}-{month:02}-{day:02} is no date: name a date that the calendar has") from error


def numeric_date(asked: Asked, values: Values) -> Time | None:
    """ "3/4", in the order of the language."""
    for day, month in _orders(asked, number(values["n"]), number(values["m"])):
        if 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]:
            return month_day(month, day)
    return None


def _orders(asked: Asked, a: int, b: int) -> list[tuple[int, int]]:
    """(day, month) in the order of the language, then in the other if the language has both."""
    return [(a, b)] if asked.language != "en" else [(a, b), (b, a)] if asked.day_first else [(b, a), (a, b)]


def month_number(asked: Asked, values: Values) -> Time | None:
    """ "5/2025"."""
    month, year = number(values["m"]), number(values["y"])
    if not 1 <= month <= 12:
        return None
    return Meaning((unit_of("month", date(year, month, 1)),), "month", "month of a year")


def nth_of_year(asked: Asked, values: Values) -> Time | None:
    """ "the second quarter", "Q2"."""
    unit = values.get("u", "quarter")
    k = number(values["o"] if "o" in values else values["n"])
    length = MONTHS_OF.get(unit, 12)
    if unit not in ("quarter", "half", "bimester"):
        return None
    k = 12 // length if k == -1 else k
    return months(1 + (k - 1) * length, length, unit) if 1 <= k <= 12 // length else None


def half(asked: Asked, values: Values) -> Time | None:
    """ "the first half of May"."""
    k = number(values["o"])
    return _changed(values["p"], lambda w: tuple(filter(None, [half_of(w, k)])), "part", "half of a time")


def half_of_unit(asked: Asked, values: Values) -> Time | None:
    """ "the first half of the year"."""
    return half(asked, {**values, "p": units(values["of"])}) if values["of"] not in ("day", "fortnight") else None


def first_n_of_unit(asked: Asked, values: Values) -> Time | None:
    """ "the first three days of the month"."""
    return first_n(asked, {**values, "p": units(values["of"])}) if values["of"] != "day" else None


def part(asked: Asked, values: Values) -> Time | None:
    """ "the beginning of May", "late last year"."""
    p = values["p"]
    if _grain(p) < 7 or _is_span(p):
        return None
    return _changed(p, lambda w: (part_of(w, values["w"]),), "part", "beginning, middle or end of a time")


def part_of_unit(asked: Asked, values: Values) -> Time | None:
    """ "the beginning of the month"."""
    if values["u"] in ("day", "fortnight"):
        return None
    return _changed(units(values["u"]), lambda w: (part_of(w, values["w"]),), "part", "")


def kth(asked: Asked, values: Values) -> Time | None:
    """ "the last Friday of October"; "the first week of 2025"."""
    what = values["r"] if "r" in values else values["u"]
    k = -2 if "penultimate" in values else number(values["o"])
    p = values["p"]
    if _grain(p) <= _grain(what) or ("r" in values and _is_span(p)):
        return None
    return _changed(p, lambda w: kth_in(w, k, what), "place", "the nth of a time", _policy(what))


def kth_both(asked: Asked, values: Values) -> Time | None:
    """ "the first and third weeks of June", "the first and the second quarter"."""
    both = [_one_of_both({**values, "o": values[name]}, asked) for name in ("a", "o")]
    windows = [w for one in both if one is not None for w in resolved(one, asked)]
    return Meaning(merged(windows), "several", "two of a time") if None not in both and windows else None


def _one_of_both(values: Values, asked: Asked) -> Time | None:
    if "p" in values:
        return kth(asked, values)
    return kth_of_unit(asked, values) if "of" in values else nth_of_year(asked, values)


def kth_of_unit(asked: Asked, values: Values) -> Time | None:
    """ "the first Monday of the month"."""
    return kth(asked, {**values, "p": units(values["of"])}) if values["of"] != "day" else None


def first_n(asked: Asked, values: Values) -> Time | None:
    """ "the first three days of May"."""
    k = number(values["o"])
    n = int(str(values["n"])) if "n" in values else _FEW.get(values["u"], 3)
    if k not in (1, -1) or _grain(values["p"]) <= _grain(values["u"]):
        return None
    return _changed(
        values["p"], lambda w: tuple(filter(None, [some_of(w, k, n, values["u"])])), "place", "first or last days"
    )


def inside(asked: Asked, values: Values) -> Time | None:
    """ "May of last year", "Sunday of last week", "the weekends in November"."""
    r: Recurring = values["r"]
    p: Time = values["p"]
    if isinstance(p, Recurring):
        if _grain(p) <= _grain(r) or r.kind == "date":
            return None
        outermost = p.latest(asked.today)
        found = r.within(outermost) if outermost is not None else []
        return Meaning(tuple(found), "several", "all that a time has") if found else None
    if p.kind == "some" and r.kind == "date":  # "in June two years ago": no second of June, years ago
        return None
    if p.kind in ("rolling", "since", "until", "ahead", "several") or (r.kind == "day of month" and _is_span(p)):
        return None
    outer = (p.week,) if p.week is not None else p.windows
    if p.week is None and _grain(p) <= _grain(r):
        return None
    if r.kind == "season" and p.kind == "year":  # a winter begins in one year and ends in the next
        found = [w for w in r.starting(p.windows[0].start, p.windows[0].end) if w.start <= asked.today]
        found = found or r.starting(date(max(1, p.windows[0].start.year - 1), 1, 1), p.windows[0].end)[:1]
        return Meaning(tuple(found), "season", "season of a year") if found else None
    found = [w for window in outer for w in r.within(window)]
    if not found and r.kind == "date":
        raise ImpossibleError("that year has no 29 February: name a date that the calendar has")
    if not found and r.kind == "day of month":
        raise ImpossibleError("that month has no such day: name a date that the calendar has")
    one_a_year = r.kind in ("month", "date", "holiday", "season", "quarter", "half", "day of month")
    return (
        Meaning(tuple(found), r.kind if len(found) == 1 or one_a_year else "several", f"{r.kind} of a time")
        if (found)
        else None
    )


def days_inside(asked: Asked, values: Values) -> Time | None:
    """ "Monday or Tuesday of last week": all of them."""
    found = [inside(asked, {**values, "r": values[name]}) for name in "abr" if name in values]
    windows = [w for one in found if isinstance(one, Meaning) for w in one.windows]
    return Meaning(merged(windows), "several", "days of a time") if None not in found else None


def nth_day_of(asked: Asked, values: Values) -> Time | None:
    """ "the first of this month"."""
    day = number(values["d"])
    return inside(asked, {"r": month_days(day), "p": values["p"]}) if 1 <= day <= 31 else None


def inside_unit(asked: Asked, values: Values) -> Time | None:
    """ "the weekends of the month"."""
    outer = unit_of(values["of"], asked.today)
    return Meaning(tuple(values["r"].within(outer)), "several", "all of a span")


def unchanged(asked: Asked, values: Values) -> Time | None:
    """A time with words that do not change its days: "Monday morning"."""
    p: Time = values["p"]
    return p


def the_same(asked: Asked, values: Values) -> Time | None:
    """A time with words that say what it is: "the month of May", "both Mondays"."""
    r: Time = values["r"]
    return r


def _changed(p: Time, change: Any, kind: str, reason: str, policy: Any = None) -> Time | None:
    if isinstance(p, Recurring):
        return mapped(p, change, kind, policy)
    windows = tuple(w for window in p.windows for w in change(window))
    return Meaning(windows, "day" if all(w.start == w.end for w in windows) else kind, reason) if windows else None


def _policy(what: Recurring | str) -> str:
    fine = what == "day" or (isinstance(what, Recurring) and what.kind in ("weekday", "day"))
    return "ended" if fine else "begun"


def _is_span(time: Time) -> bool:
    """Whether a time has two ends of its own: in "late May to early June", "late" belongs to the first of them."""
    return isinstance(time, Meaning) and time.kind in ("range", "until")


def _grain(time: Time | str) -> int:
    """About how many days a time has."""
    names = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "bimester": 60, "quarter": 91, "half": 182, "year": 365}
    if isinstance(time, str):
        return names[time]
    if isinstance(time, Recurring):
        first = time.starting(date(2024, 1, 1), date(2024, 12, 31))
        return (first[0].end - first[0].start).days + 1 if first else 1
    return sum((w.end - w.start).days + 1 for w in merged(time.windows))
