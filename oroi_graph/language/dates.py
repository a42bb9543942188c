"""Date expressions of English, Spanish and Portuguese, resolved to ISO text as precise as what was said."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Literal

from oroi_graph.language.lexicons.tables import LANGUAGES, by_phrase, pattern, patterns, table, tables, text
from oroi_graph.language.numbers import NUMBERS, UNITS, any_of

_ROWS = table(tables("values"), "dates")


def _places(name: str) -> dict[str, int]:
    """Each spelling of a day or month in any language, with its place in the list."""
    listed = [text(table(_ROWS, language), name).split() for language in LANGUAGES]
    return {spelling: i for names in listed for i, name in enumerate(names) for spelling in name.split("/")}


def _pattern(language: str, name: str) -> str:
    rows = {**_ROWS, **table(_ROWS, language)}
    weekdays, months = (any_of(text(rows, listed).replace("/", " ").split()) for listed in ("weekdays", "months"))
    return pattern(rows, name, weekdays=weekdays, months=months, near=any_of(by_phrase(rows, "away")))


_WEEKDAYS, _MONTHS = _places("weekdays"), _places("months")
# Names of days and months in any language, as a pattern; shorter ones are abbreviations or other words ("mar", "sun").
DAY_NAMES = any_of(name for name in (*_WEEKDAYS, *_MONTHS) if len(name) > 3)
_AWAY = [by_phrase(table(_ROWS, language), "away") for language in LANGUAGES]
_DAYS_AWAY = {said: int(days) for away in _AWAY for said, days in away.items()}
_PAST, _NEXT = patterns(_ROWS, "past"), patterns(_ROWS, "next")
DATE_PATTERNS = {language: _pattern(language, "date") for language in LANGUAGES}
_MONTH = "|".join(_pattern(language, "month") for language in LANGUAGES)
_MONTH_YEAR = re.compile(rf"(?P<m>{_MONTH})(?:,? (?:of |de |del |do )?(?P<y>\d{{4}}))?")
_DAY_NUMBER = re.compile(rf"{text(_ROWS, 'dmy')}|\d{{1,2}}\D|(?:{_pattern('en', 'month')}) \d")
_NAMED_DAY = re.compile(rf"^(?:{any_of(_WEEKDAYS)}),? (?:the |el |d[ií]a )?(?=\d|(?:{_pattern('en', 'month')}) \d)")
_DISTANCE = re.compile(
    r"(?P<to>in |hace |há |faz |dentro de |daqui a )?(?P<n>a couple of|\S+) "
    r"(?P<unit>days?|weeks?|months?|years?|d[ií]as?|semanas?|m[eê]s|meses|años?|anos?)"
    r"(?P<from> ago| from now| atrás)?"
)
_SPAN = re.compile(
    r"(?P<a>last|next|this past|this coming|this|past|coming|pass?ad[oa]|próxim[oa]|est[ea])?\s?"
    rf"(?P<what>{'|'.join(_pattern(language, 'span') for language in LANGUAGES)})"
    r"(?:\s(?P<b>pass?ad[oa]|que viene|que vem|próxim[oa]|anterior))?"
)
# "5 May last year", "el lunes de la semana pasada": a day or month, and the week or year that it is in.
_INSIDE = re.compile(
    r"(?:(?P<d>\d{1,2})(?:st|nd|rd|th|º)?(?: of| de)? )?"
    rf"(?P<what>{any_of([*_WEEKDAYS, *_MONTHS])})\.?(?: (?P<n>\d{{1,2}})(?:st|nd|rd|th)?)?"
    r"(?:,? (?:of |de la |del |de |da |do |d(?=est))?)(?P<outer>\D+)"
)
# Which one a date without a year, a month or a weekday means: the next one, the last one, or the nearer of both.
Direction = Literal["ahead", "behind", "nearest"]
LEADING_WORDS = re.compile(pattern(_ROWS, "leading"), re.IGNORECASE)


def resolve_date(
    surface: str, language: str | None, at: datetime | None, direction: Direction = "behind"
) -> str | None:
    """ISO text of a date expression, or None. direction: which of the days it may mean, see `Direction`."""
    return read_date(" ".join(surface.split()), language if language in NUMBERS else "en", midnight(at), direction)


def is_weekday(text: str) -> bool:
    """Whether a text is a day of the week, in the singular or the plural ("jueves", "Mondays")."""
    low = text.casefold()
    return low in _WEEKDAYS or low.removesuffix("s") in _WEEKDAYS


def midnight(at: datetime | None) -> datetime | None:
    """The day of `at`, so that all turns of a day share one cached answer."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None) if at else None


def read_date(surface: str, language: str, at: datetime | None, direction: Direction = "behind") -> str | None:
    """As `resolve_date`, for a surface with single spaces and a moment at midnight."""
    if direction == "nearest":
        before, after = (_read(surface, language, at, future) for future in (False, True))
        return after if at is not None and abs(days_from(after, at)) < abs(days_from(before, at)) else before
    return _read(surface, language, at, direction == "ahead")


def days_from(found: str | None, at: datetime) -> float:
    """Days from `at` to an ISO date, negative for the past; of a month those to its middle, infinite for what is no
    single day or month."""
    match = re.fullmatch(r"(\d{4}-\d\d)(-\d\d)?", found or "")
    if match is None:
        return float("inf")
    return (date.fromisoformat(match.group() if match[2] else f"{match[1]}-15") - at.date()).days


def _read(surface: str, language: str, at: datetime | None, future: bool) -> str | None:
    low = LEADING_WORDS.sub("", surface.casefold().strip()) if " " in surface else surface.casefold()
    low = _NAMED_DAY.sub("", low.rstrip("."))
    if re.fullmatch(r"(?:19|20)\d\d", low):
        return low
    iso = re.match(r"\d{4}-\d\d(?:-\d\d)?", low)
    if iso:
        return _valid_iso(iso.group())
    if at is not None:
        day, said = at.date(), surface.casefold()
        if low in _DAYS_AWAY:
            return (day + timedelta(days=_DAYS_AWAY[low])).isoformat()
        found = _distance(said, language, day) or _distance(low, language, day)
        found = found or _span(low, day, future) or _inside(low, day)
        if found:
            return found
    return _calendar(low, language, at, future)


def _valid_iso(text: str) -> str | None:
    try:
        date.fromisoformat(text if len(text) == 10 else f"{text}-01")
    except ValueError:
        return None
    return text


def _distance(low: str, language: str, day: date) -> str | None:
    """ "two weeks ago", "in 3 days", "hace dos meses", "dentro de un año"."""
    match = _DISTANCE.fullmatch(low)
    if match is None or not (match["to"] or match["from"]):
        return None
    word = match["n"]
    spelled = {"a": 1, "an": 1, "a couple of": 2} | NUMBERS[language]
    n = int(word) if word.isdigit() else spelled.get(word, 0)
    if n == 0:
        return None
    back = (match["to"] or "").startswith(("hace", "há", "faz")) or match["from"] in {" ago", " atrás"}
    return _moved(day, -n if back else n, UNITS[match["unit"]])


def _moved(day: date, n: int, unit: str) -> str | None:
    """`n` units from `day`, as precise as the unit: a day, a week, a month or a year."""
    try:
        if unit == "day":
            return (day + timedelta(days=n)).isoformat()
        if unit == "week":
            return _week(day + timedelta(weeks=n))
        if unit == "month":
            year, month = divmod(day.year * 12 + day.month - 1 + n, 12)
            return f"{date(year, month + 1, 1):%Y-%m}"
        return f"{date(day.year + n, 1, 1):%Y}"
    except (ValueError, OverflowError):
        return None


def _week(day: date, first: int = 0) -> str:
    monday = day - timedelta(days=day.weekday())
    return f"{monday + timedelta(days=first)}/{monday + timedelta(days=6)}"


def _span(low: str, day: date, future: bool) -> str | None:
    """ "last Friday", "next month", "el fin de semana pasado", "Friday"."""
    match = _SPAN.fullmatch(low)
    if match is None:
        return None
    said, what = match["a"] or match["b"] or "", match["what"].rstrip(".")
    step = -1 if said in _PAST else 1 if said in _NEXT else 0
    if what in _WEEKDAYS:
        return _weekday(day, _WEEKDAYS[what], said, step or (1 if future else -1))
    if what in _MONTHS:
        return _month(day, _MONTHS[what] + 1, said, step or (1 if future else -1))
    if what in {"weekend", "fin de semana", "finde", "fim de semana"}:
        if not said and not future:
            step = -1 if day.weekday() < 5 else 0
        return _week(day + timedelta(weeks=step), first=5)
    return _moved(day, step, UNITS[what]) if said else None


def _inside(low: str, day: date) -> str | None:
    """ "May last year", "5 de mayo del año pasado", "Monday last week"."""
    match = _INSIDE.fullmatch(low)
    outer = _span(match["outer"], day, future=False) if match else None
    if match is None or outer is None:
        return None
    what, number = match["what"], match["d"] or match["n"]
    if what in _WEEKDAYS and "/" in outer and not number:
        return (date.fromisoformat(outer[:10]) + timedelta(days=_WEEKDAYS[what])).isoformat()
    if what in _MONTHS and len(outer) == 4:
        month = f"{outer}-{_MONTHS[what] + 1:02d}"
        return _valid_iso(f"{month}-{int(number):02d}") if number else month
    return None


def _weekday(day: date, weekday: int, said: str, step: int) -> str:
    if said in {"this", "este", "esta"}:
        return (day + timedelta(days=weekday - day.weekday())).isoformat()
    away = (weekday - day.weekday()) % 7
    # a bare weekday may be today itself; "last" and "next" may not
    ahead, behind = away or (7 if said else 0), away - 7 if away or said else 0
    away = ahead if step > 0 else behind
    return (day + timedelta(days=away)).isoformat()


def _month(day: date, month: int, said: str, step: int) -> str:
    year = day.year
    if said not in {"this", "este"}:
        if step > 0 and (month < day.month or (said and month == day.month)):
            year += 1
        elif step < 0 and (month > day.month or (said and month == day.month)):
            year -= 1
    return f"{year}-{month:02d}"


def _calendar(low: str, language: str, at: datetime | None, future: bool) -> str | None:
    """Calendar dates: "3 March 2026", "March 2026", "3/4/2026" (day first in Spanish)."""
    match = _MONTH_YEAR.fullmatch(low)
    if match:
        month = _MONTHS[match["m"].rstrip(".")] + 1
        return f"{match['y']}-{month:02d}" if match["y"] else f"--{month:02d}"
    return _parsed(low, language, at, future) if _DAY_NUMBER.match(low) else None


@lru_cache(maxsize=8192)
def _parsed(low: str, language: str, at: datetime | None, future: bool) -> str | None:
    from dateparser import parse  # 0.1 s to import: only a text with a calendar date pays for it

    text = re.sub(r"(?<=\d)(?:(?:st|nd|rd|th)(?: of)?\b|º)", "", low)
    found: list[str | None] = []
    # without a moment, a date that moves with the base has no year of its own
    for base in [at] if at else [datetime(2000, 12, 31), datetime(2004, 12, 31)]:
        prefer = "future" if future else "past"
        settings = {"PREFER_DATES_FROM": prefer, "REQUIRE_PARTS": ["day", "month"], "RELATIVE_BASE": base}
        read = parse(text, languages=[language], settings=settings)
        found.append(read.date().isoformat() if read else None)
    first = found[0]
    return first if first is None or first == found[-1] else f"-{first[4:]}"
