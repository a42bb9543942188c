"""What kind of answer a question expects (a time, a number, a name) and whether a text holds one.

The expected answer type is a classical filter of question answering (Li and Roth, "Learning question classifiers",
2002), here as a soft channel: a turn that says "last week" is likelier to answer "when …?". English, Spanish and
Portuguese are looked at together: their question words do not clash, and people mix them.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

Expected = Literal["time", "number", "name"]

_TIME = re.compile(
    r"\b(?:when|how (?:long|old|soon|recently)|since when|(?:what|which) (?:dates?|years?|months?|days?|times?|week)"
    r"|cuándo|desde cuándo|hace cuánto|cuánto tiempo|qué (?:fecha|año|mes|día|hora)"
    r"|quando|desde quando|há quanto|quanto tempo|que (?:data|ano|mês|dia|hora))\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(?:how (?:many|much|often|far|tall)|cuánt[oa]s?|quant[oa]s?|what (?:number|price|age))\b", re.IGNORECASE
)
_NAME = re.compile(
    r"\b(?:who|whom|whose|where|which|named?|called|titled?|quién(?:es)?|a?dónde|cuál(?:es)?|llamad?[oa]?|títulos?"
    r"|quem|aonde|onde|qual|quais|chamad?[oa]?)\b",
    re.IGNORECASE,
)
_SAYS_TIME = re.compile(
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
_SAYS_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|once|twice|several|couple|few|dozen"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte|cien|vari[oa]s|docena"
    r"|dois|duas|três|quatro|sete|oito|nove|dez|doze|vinte|cem|dúzia)\b",
    re.IGNORECASE,
)
_PROPER = re.compile(r"(?:(?<=[\w,;:] )|[\"“«'])[A-ZÀ-ÖØ-Þ][^\W_]+")
_FIRST_PERSON = re.compile(
    r"\b(?:I|I'm|I've|I'd|I'll|my|me|mine|we|we're|we've|our|us|yo|mi|mis|me|conmigo|nosotr[oa]s|nuestr[oa]s?|nos"
    r"|eu|meus?|minhas?|comigo|nós|noss[oa]s?)\b",
    re.IGNORECASE,
)

_SLACK_DAY, _SLACK = timedelta(days=3), timedelta(days=10)  # after a day; after a month or a year
AFTERWARDS = 0.6


def expected(question: str) -> frozenset[Expected]:
    """The kinds of answer that a question's own words ask for; often none."""
    kinds: tuple[tuple[Expected, re.Pattern[str]], ...] = (("time", _TIME), ("number", _NUMBER), ("name", _NAME))
    return frozenset(kind for kind, asks in kinds if asks.search(question))


@lru_cache(maxsize=20_000)  # the same records come back for many questions
def held(text: str) -> frozenset[Expected]:
    """The kinds of answer that a text could hold."""
    kinds: tuple[tuple[Expected, re.Pattern[str]], ...] = (
        ("time", _SAYS_TIME),
        ("number", _SAYS_NUMBER),
        ("name", _PROPER),
    )
    return frozenset(kind for kind, says in kinds if says.search(text))


@lru_cache(maxsize=20_000)
def first_person(text: str) -> bool:
    """Whether whoever says it speaks of themselves."""
    return _FIRST_PERSON.search(text) is not None


@lru_cache(maxsize=10_000)  # asked again for each record
def days(value: str, year: str = "") -> tuple[str, str] | None:
    """What a canonical date speaks of, as (first day, one after the last) in ISO; `year` for dates without one."""
    first, _, last = value.partition("/")
    begin, end = _day(first, year, last=False), _day(last or first, year, last=True)
    return (begin.isoformat(), (end + timedelta(days=1)).isoformat()) if begin and end and begin <= end else None


def told(at: str | None, values: Iterable[str]) -> float:
    """How well a record's time fits the dates a question names: 1 on those days, AFTERWARDS soon after, else 0.

    What happened is mostly told within days of it ("I went there last week").
    """
    best = 0.0
    if not at:
        return best
    for value in values:
        spoken = days(value, at[:4])
        if spoken is None or at < spoken[0]:
            continue
        if at < spoken[1]:
            return 1.0
        if at < (date.fromisoformat(spoken[1]) + (_SLACK_DAY if _single(spoken) else _SLACK)).isoformat():
            best = AFTERWARDS
    return best


def _single(spoken: tuple[str, str]) -> bool:
    return date.fromisoformat(spoken[1]) - date.fromisoformat(spoken[0]) <= timedelta(days=1)


def _day(text: str, year: str, *, last: bool) -> date | None:
    """The first or last day of an ISO date that may be as short as a year ("--06" lacks one); None for what is none."""
    match = re.fullmatch(r"(\d{4}|-)(?:-(\d\d))?(?:-(\d\d))?(?:T.*)?", text)
    if match is None or (match[1] == "-" and not (year.isdecimal() and match[2])):
        return None
    y, month = int(year if match[1] == "-" else match[1]), int(match[2] or (12 if last else 1))
    try:
        return date(y, month, int(match[3] or (monthrange(y, month)[1] if last else 1)))
    except ValueError:
        return None
