"""Time: whether a question asks for one, whether a text tells one, and which days a canonical date means.

That a "when" asks for a time is the simplest case of the expected answer type (Li and Roth, "Learning question
classifiers", 2002), here as a soft feature: a turn that says "last week" is likelier to answer "when …?". One pattern
serves English, Spanish and Portuguese: their question words do not clash, and people mix languages.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache

from oroi_graph.recall.ranking.kept_texts import kept
from oroi_graph.recall_options import Ranking

_ASKED = re.compile(
    r"\b(?:when|how (?:long|old|soon|recently)|since when|(?:what|which) (?:dates?|years?|months?|days?|times?|week)"
    r"|cuándo|desde cuándo|hace cuánto|cuánto tiempo|qué (?:fecha|año|mes|día|hora)"
    r"|quando|desde quando|há quanto|quanto tempo|que (?:data|ano|mês|dia|hora))\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekends?|months?|years?|days?|hours?|since|recently"
    r"|morning|afternoon|evening|night|summer|winter|spring|autumn|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:19|20)\d\d"
    r"|ayer|hoy|anoche|mañana|pasad[oa]s?|próxim[oa]s?|hace|semanas?|meses|mes|años?|días?|horas?|desde|recientemente"
    r"|verano|invierno|primavera|otoño|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre"
    r"|diciembre|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|ontem|hoje|amanhã|passad[oa]s?|próxim[oa]s?|há|mês|anos?|dias?|verão|inverno|outono|janeiro|fevereiro|março"
    r"|maio|junho|julho|setembro|outubro|novembro|dezembro|segunda|terça|quarta|quinta|sexta)\b",
    re.IGNORECASE,
)


# What has just happened has the time of saying ("I just got back from Canada", "acabo de volver").
_JUST = re.compile(
    r"\bjust (?:\w+ed|got|came|went|had|bought|made|saw|took|found|won|began|left|met|gave)\b"
    r"|\b(?:acabo|acabamos|acabei) de \w+r\b",
    re.IGNORECASE,
)


def is_asked(question: str) -> bool:
    """Whether a question's own words ask for a time."""
    return _ASKED.search(question) is not None


@kept(20_000)
def is_told(text: str) -> bool:
    """Whether a text tells when something happened: it names a time, or tells of what has just happened."""
    return is_named(text) or _JUST.search(text) is not None


@kept(20_000)
def is_named(text: str) -> bool:
    """Whether a text names a time."""
    return _TOLD.search(text) is not None


@lru_cache(maxsize=10_000)  # once for each record
def days(value: str, year: str = "") -> tuple[str, str] | None:
    """The days that a canonical date means: (first day, day after the last) in ISO. year: for a date without one."""
    first, _, last = value.partition("/")
    begin, end = _day(first, year, last=False), _day(last or first, year, last=True)
    return (begin.isoformat(), (end + timedelta(days=1)).isoformat()) if begin and end and begin <= end else None


def fit(at: str | None, values: Iterable[str], ranking: Ranking) -> float:
    """How well a record's time fits the dates among the values that a question names, 0..1.

    1 on those days, `after_date` within the slack after them: most events are told within days ("I went last week").
    """
    best = 0.0
    if not at:
        return best
    for value in values:
        meant = days(value, at[:4])
        if meant is None or at < meant[0]:
            continue
        if at < meant[1]:
            return 1.0
        slack = timedelta(days=ranking.date_slack[0 if _is_one_day(meant) else 1])
        if at < (date.fromisoformat(meant[1]) + slack).isoformat():
            best = ranking.after_date
    return best


def _is_one_day(meant: tuple[str, str]) -> bool:
    return date.fromisoformat(meant[1]) - date.fromisoformat(meant[0]) <= timedelta(days=1)


def _day(text: str, year: str, *, last: bool) -> date | None:
    """The first or last day of an ISO date, which may be as short as a year ("--06" lacks one); None for other text."""
    match = re.fullmatch(r"(\d{4}|-)(?:-(\d\d))?(?:-(\d\d))?(?:T.*)?", text)
    if match is None or (match[1] == "-" and not (year.isdecimal() and match[2])):
        return None
    y, month = int(year if match[1] == "-" else match[1]), int(match[2] or (12 if last else 1))
    try:
        return date(y, month, int(match[3] or (monthrange(y, month)[1] if last else 1)))
    except ValueError:
        return None
