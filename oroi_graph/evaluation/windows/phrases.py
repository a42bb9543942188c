"""Times of a dialogue as people say them, each with the days that are meant.

Made from the calendar alone, so that the reader of windows is measured against something that does not share its code.
"""

from __future__ import annotations

import random
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from oroi_graph.windows import Window

_MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro".split(),
}
_WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "es": "lunes martes miércoles jueves viernes sábado domingo".split(),
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo".split(),
}
# By language; the fields are d (day), e (another day), m (month), y (year), n (a number), w (weekday).
_TEXTS = {
    "yesterday": ("yesterday", "ayer", "ontem"),
    "days ago": ("{n} days ago", "hace {n} días", "há {n} dias"),
    "weekday": ("last {w}", "el {w} pasado", "{last} {w} {passed}"),
    "last week": ("last week", "la semana pasada", "na semana passada"),
    "weeks ago": ("{n} weeks ago", "hace {n} semanas", "há {n} semanas"),
    "last month": ("last month", "el mes pasado", "no mês passado"),
    "months ago": ("{n} months ago", "hace {n} meses", "há {n} meses"),
    "date": ("on {d} {m} {y}", "el {d} de {m} de {y}", "em {d} de {m} de {y}"),
    "range": (
        "between {d} and {e} {m} {y}",
        "entre el {d} y el {e} de {m} de {y}",
        "entre {d} e {e} de {m} de {y}",
    ),
    "month": ("in {m} {y}", "en {m} de {y}", "em {m} de {y}"),
    "month begins": (
        "at the beginning of {m} {y}",
        "a principios de {m} de {y}",
        "no início de {m} de {y}",
    ),
    "month ends": ("at the end of {m} {y}", "a finales de {m} de {y}", "no fim de {m} de {y}"),
    "summer": ("in the summer of {y}", "en el verano de {y}", "no verão de {y}"),
}
_LANGUAGES = ("en", "es", "pt")
KINDS = tuple(_TEXTS)
FURTHEST = 980  # days ago: some kind of time reaches every day up to there


@dataclass(frozen=True, slots=True)
class Phrase:
    """A time as it is said, the days that are meant, and what kind of time it is."""

    text: str
    window: Window
    kind: str


def phrase(kind: str, language: str, today: date, draw: random.Random) -> Phrase:
    """A time of a kind, most of it within FURTHEST days before `today`."""
    window, fields = _MAKERS[kind](today, draw)
    day = window.start
    if kind == "weekday":
        feminine = day.weekday() < 5
        fields |= {"w": _WEEKDAYS[language][day.weekday()], "last": "na" if feminine else "no"}
        fields |= {"passed": "passada" if feminine else "passado"}
    named = {"d": day.day, "e": window.end.day, "m": _MONTHS[language][day.month - 1], "y": day.year}
    return Phrase(_TEXTS[kind][_LANGUAGES.index(language)].format(**(named | fields)), window, kind)


_Made = tuple[Window, dict[str, object]]


def _ago(days: int) -> Callable[[date, random.Random], _Made]:
    return lambda today, draw: (_one(today - timedelta(days=days)), {})


def _one(day: date) -> Window:
    return Window(day, day)


def _days_ago(today: date, draw: random.Random) -> _Made:
    n = draw.randint(3, 9)
    return _one(today - timedelta(days=n)), {"n": n}


def _weekday(today: date, draw: random.Random) -> _Made:
    return _one(today - timedelta(days=draw.randint(1, 7))), {}


def _last_week(today: date, draw: random.Random) -> _Made:
    monday = today - timedelta(days=today.weekday() + 7)
    return Window(monday, monday + timedelta(days=6)), {}


def _weeks_ago(today: date, draw: random.Random) -> _Made:
    n = draw.randint(2, 9)
    return _one(today - timedelta(weeks=n)), {"n": n}


def _month(year: int, month: int) -> Window:
    return Window(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


def _months_before(today: date, n: int) -> Window:
    year, month = divmod(today.year * 12 + today.month - 1 - n, 12)
    return _month(year, month + 1)


def _months_ago(today: date, draw: random.Random) -> _Made:
    n = draw.randint(2, 9)
    return _months_before(today, n), {"n": n}


def _some_month(today: date, draw: random.Random) -> Window:
    return _months_before(today, draw.randint(2, 30))


def _date(today: date, draw: random.Random) -> _Made:
    return _one(today - timedelta(days=draw.randint(20, FURTHEST))), {}


def _range(today: date, draw: random.Random) -> _Made:
    month = _some_month(today, draw)
    first = month.start + timedelta(days=draw.randint(0, 18))
    return Window(first, first + timedelta(days=draw.randint(3, 8))), {}


def _part(first: int, last: int | None) -> Callable[[date, random.Random], _Made]:
    def make(today: date, draw: random.Random) -> _Made:
        month = _some_month(today, draw)
        end = month.end if last is None else month.start.replace(day=last)
        return Window(month.start.replace(day=first), end), {}

    return make


def _summer(today: date, draw: random.Random) -> _Made:
    year = today.year - draw.randint(1, 2)
    return Window(date(year, 6, 1), date(year, 8, 31)), {}


_MAKERS: dict[str, Callable[[date, random.Random], _Made]] = {
    "yesterday": _ago(1),
    "days ago": _days_ago,
    "weekday": _weekday,
    "last week": _last_week,
    "weeks ago": _weeks_ago,
    "last month": lambda today, draw: (_months_before(today, 1), {}),
    "months ago": _months_ago,
    "date": _date,
    "range": _range,
    "month": lambda today, draw: (_some_month(today, draw), {}),
    "month begins": _part(1, 10),
    "month ends": _part(21, None),
    "summer": _summer,
}
