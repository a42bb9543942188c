"""Holidays and feasts by name: their windows in any year, from the data file `lexicons/holidays.toml`.

Easter is the western one (`dateutil.easter`: the algorithm of Oudin, 1940, as quoted in the calendar FAQ of Tøndering).
"""

from __future__ import annotations

import re
import tomllib
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib.resources import files

from dateutil.easter import easter

from oroi_graph.windows.grammar.recurring import Recurring, in_each_year
from oroi_graph.windows.window import Window

_DAY = re.compile(r"(?P<month>\d\d)-(?P<day>\d\d)")
_EASTER = re.compile(r"easter(?P<away>[+-]\d+)")
_NTH = re.compile(r"(?P<month>\d+) (?P<nth>-?\d)th (?P<weekday>\d)(?P<away>[+-]\d+)?")


@dataclass(frozen=True, slots=True)
class Holiday:
    """When a holiday is. `over`: all of its days, where a question speaks of those; `regions`: rules of regions."""

    when: str
    over: str
    regions: tuple[tuple[str, str], ...]

    def recurring(self, region: str = "", *, over: bool = False) -> Recurring:
        """Its windows in every year, by the rule of a region that has its own."""
        rule = dict(self.regions).get(region, self.over if over and self.over else self.when)
        return in_each_year(lambda year: [_window(rule, year)], "holiday")


@cache
def holidays(language: str) -> dict[str, Holiday]:
    """The holidays of a language by name: small letters, no accents."""
    rows = tomllib.loads((files("oroi_graph.windows") / "lexicons" / "holidays.toml").read_text("utf-8"))["holiday"]
    found = {}
    for row in rows:
        regions = tuple((name, row[name]) for name in ("america", "europe", "britain") if name in row)
        for name in row.get(language, ()):
            found[name] = Holiday(row["when"], row.get("over", ""), regions)
    return found


def _window(rule: str, year: int) -> Window:
    first, _, last = rule.partition("/")
    start, end = _day(first, year), _day(last or first, year)
    return Window(start, end if end >= start else _day(last, year + 1))


def _day(rule: str, year: int) -> date:
    if fixed := _DAY.fullmatch(rule):
        return date(year, int(fixed["month"]), int(fixed["day"]))
    if moving := _EASTER.fullmatch(rule):
        # before 1583 the western calendar had no Easter of its own; no conversation is that old
        sunday: date = easter(max(year, 1583)).replace(year=year)
        return sunday + timedelta(days=int(moving["away"]))
    nth = _NTH.fullmatch(rule)
    if nth is None:
        raise ValueError(f"unknown holiday rule {rule!r}")
    return _nth_weekday(year, int(nth["month"]), int(nth["nth"]), int(nth["weekday"])) + timedelta(
        days=int(nth["away"] or 0)
    )


def _nth_weekday(year: int, month: int, nth: int, weekday: int) -> date:
    if nth < 0:
        last = date(year, month, monthrange(year, month)[1])
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
