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
    r"\b(?:how (?:long|old|soon|recently)|(?:and|or|since|until|by) when"
    r"|how many (?:years?|months?|weeks?|days?|hours?)|(?:what|which) (?:dates?|years?|months?|days?|times?|week)"
    r"|(?:y|o|desde|hasta|para) cuándo|hace cuánto|cuánto tiempo|cuánt[oa]s (?:años|meses|semanas|días|horas)"
    r"|qué (?:fecha|año|mes|día|hora)"
    r"|(?:e|ou|desde|até|para) quando|há quanto|quanto tempo|quant[oa]s (?:anos|meses|semanas|dias|horas)"
    r"|que (?:data|ano|mês|dia|hora))\b",
    re.IGNORECASE,
)
# "When" asks for a time unless another question word came before it: "How did you feel when …?" asks for no time.
_QUESTION_WORD = re.compile(
    r"\b(?:(?P<when>when|cuándo|quando)|what|which|who(?:m|se)?|where|why|how"
    r"|qué|cuál(?:es)?|quién(?:es)?|d[oó]nde|c[oó]mo|o que|quem|onde|qual|quais)\b",
    re.IGNORECASE,
)
_SPAN_ASKED = re.compile(r"\b(?:how (?:long|many)|cuánto tiempo|cuánt[oa]s|quanto tempo|quant[oa]s)\b", re.IGNORECASE)
_PLAN_ASKED = re.compile(  # Will and Hope are names
    r"\b(?:plan(?:s|ned|ning)?|intend(?:s|ed|ing)?|schedul(?:e[ds]?|ing)|decid(?:e[ds]?|ing)|(?-i:hope)|hop(?:e[ds]|ing)"
    r"|going to|(?-i:will)|next|upcoming"
    r"|plane(?:a|an|as|aba|aron|ó)|pensaba|(?:va|van|vas|voy|vamos|iba|iban) a|decidi(?:ó|eron)|qued(?:ó|aron|amos) en"
    r"|próxim[oa]s?|que viene"
    r"|planej(?:a|am|ou|aram|ava)|planeia|pretend(?:e|em|ia|o)|vai|vão|vamos|decidi(?:u|ram)|combin(?:ou|aram|ámos|amos)"
    r"|que vem)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:tomorrow|tonight|next (?:week|weekend|month|year|summer|winter|spring|autumn|fall|\w+day)"
    r"|this (?:coming|weekend)|coming (?:week|weekend|month|\w+day)"
    r"|in (?:an?|one|two|three|four|five|six|\d+) (?:days?|weeks?|months?)"
    r"|(?<!la )(?<!esta )mañana|próxim[oa]s?|que viene|esta noche|este fin de semana"
    r"|dentro de (?:un|una|dos|tres|\d+) (?:días?|semanas?|mes|meses)"
    r"|amanhã|que vem|esta noite|este fim de semana|(?:daqui a|dentro de) (?:um|uma|dois|duas|três|\d+)"
    r" (?:dias?|semanas?|mês|meses))\b",
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
    """Whether a question's own words ask for a time, or for how long something took."""
    word = _QUESTION_WORD.search(question)
    return (word is not None and word["when"] is not None) or _ASKED.search(question) is not None


def is_moment_asked(question: str) -> bool:
    """Whether a question asks when something was, not how long it took."""
    return is_asked(question) and _SPAN_ASKED.search(question) is None


def is_plan_asked(question: str) -> bool:
    """Whether a question asks for the time of what was planned, or is to come."""
    return is_asked(question) and _PLAN_ASKED.search(question) is not None


@kept(20_000)
def is_ahead(text: str) -> bool:
    """Whether a text names a time that is to come."""
    return _AHEAD.search(text) is not None


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
