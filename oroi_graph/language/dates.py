"""Date expressions of English, Spanish and Portuguese, resolved to ISO text as precise as what was said."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise

from oroi_graph.language.numbers import NUMBERS, UNITS, any_of
from oroi_graph.language.tokens import word_list

_WEEKDAYS = {
    day: i
    for days in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "lunes martes miércoles jueves viernes sábado domingo",
        "lunes martes miercoles jueves viernes sabado domingo",
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        "segunda terça quarta quinta sexta sábado domingo",
    )
    for i, day in enumerate(days.split())
}
_MONTHS_EN = word_list("january february march april may june july august september october november december")
_MONTHS_ES = word_list("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre")
_MONTHS_PT = word_list("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro")
_MONTHS = {m: i + 1 for names in (_MONTHS_EN, _MONTHS_ES, _MONTHS_PT) for i, m in enumerate(names)} | {
    m[:3]: i + 1 for i, m in enumerate(_MONTHS_EN)
} | {"sept": 9, "setiembre": 9}  # fmt: skip
_DAYS_AWAY = {
    "hoje": 0, "hoje de manhã": 0, "esta manhã": 0, "hoje à noite": 0, "hoje à tarde": 0, "ontem": -1,
    "ontem à noite": -1, "anteontem": -2, "antes de ontem": -2, "amanhã": 1, "depois de amanhã": 2,
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "yesterday": -1,
    "last night": -1, "tomorrow": 1, "the day before yesterday": -2, "day before yesterday": -2,
    "the day after tomorrow": 2, "day after tomorrow": 2, "hoy": 0, "esta mañana": 0, "esta tarde": 0,
    "esta noche": 0, "esta noite": 0, "ayer": -1, "anoche": -1, "anteayer": -2, "antier": -2,
    "mañana": 1, "pasado mañana": 2,
}  # fmt: skip


_UNIT_EN, _UNIT_ES = r"(?:day|week|month|year)s?", r"(?:días?|semanas?|mes(?:es)?|años?)"
_UNIT_PT = r"(?:dias?|semanas?|mês|meses|anos?)"
_MONTH_EN = rf"(?:{any_of([*_MONTHS_EN, *(m[:3] for m in _MONTHS_EN), 'sept'])})(?!\w)\.?"
_MONTH_ES = rf"(?:{any_of([*_MONTHS_ES, 'setiembre'])})(?!\w)"
_MONTH_PT = rf"(?:{any_of(_MONTHS_PT)})(?!\w)"
_DAY_EN = rf"(?:{any_of(list(_WEEKDAYS)[:7])})(?!\w)"
_DAY_ES = rf"(?:{any_of(d for d in list(_WEEKDAYS)[7:] if not re.match('segund|terça|quart|quint|sext', d))})(?!\w)"
_DAY_PT = r"(?:(?:segunda|terça|quarta|quinta|sexta)-feira|sábado|domingo)(?!\w)"
_SHORT_DAY_PT = r"(?:segunda|terça|quarta|quinta|sexta)(?![\w-])"  # ordinals, too: only where a day must stand
_SPAN_EN = rf"(?:week(?:end)?|month|year|{_DAY_EN}|{_MONTH_EN})(?!\w)"
_SPAN_ES = rf"(?:fin de semana|finde|semana|mes|año|{_DAY_ES}|{_MONTH_ES})(?!\w)"
_SPAN_PT = rf"(?:fim de semana|semana|mês|ano|{_DAY_PT}|{_SHORT_DAY_PT}|{_MONTH_PT})(?!\w)"
_COUNT = r"(?:a couple of|\d{1,3}|[^\W\d_]{1,12})"
_ISO = r"\d{4}-\d\d(?:-\d\d)?(?!\d)(?:T[\d:.]{5,15}(?:Z|[+-]\d\d:\d\d)?)?"
_DMY = r"\d{1,2}(?P<sep>[/.-])\d{1,2}(?P=sep)(?:\d{4}|\d{2})(?![\d/.-]\d)"
_YEAR = r"(?:19|20)\d\d(?![\d%€$£])(?![.,]\d)"
_NEAR_EN = any_of(d for d in _DAYS_AWAY if re.search(r"day|night|this|morrow", d))
_NEAR_PT = any_of([*(d for d in _DAYS_AWAY if re.search(r"ontem|hoje|manhã|noite", d)), "esta tarde", "esta noite"])
_NEAR_ES = any_of(d for d in _DAYS_AWAY if not re.search(r"day|night|this|morrow|ontem|hoje|manhã|noite", d))
DATE_PATTERNS = {
    "en": (
        rf"{_ISO}|{_DMY}|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH_EN}(?:,? \d{{4}})?(?!\w)"
        rf"|{_MONTH_EN} \d{{1,2}}(?:st|nd|rd|th)?(?![\w:])(?:,? \d{{4}}(?!\d))?"
        rf"|{_MONTH_EN},?(?: of)? \d{{4}}(?!\d)|(?:{_NEAR_EN})(?!\w)"
        rf"|(?:last|next|this|this past|this coming|past|coming) {_SPAN_EN}"
        rf"|{_COUNT} {_UNIT_EN} ago(?!\w)|in {_COUNT} {_UNIT_EN}(?!\w)|{_COUNT} {_UNIT_EN} from now"
        rf"|{_DAY_EN}|{_MONTH_EN}|{_YEAR}"
    ),
    "es": (  # but "los martes" is no date: it is every one
        rf"{_ISO}|{_DMY}|\d{{1,2}}(?: de)? {_MONTH_ES}(?:,? (?:de |del )?\d{{4}}(?!\d))?"
        rf"|{_MONTH_ES} (?:de |del )?\d{{4}}(?!\d)|(?<!la )(?:{_NEAR_ES})(?!\w)"
        rf"|(?:{_SPAN_ES}) (?:pasad[oa]|que viene|próxim[oa]|anterior)(?!\w)"
        rf"|(?:pasad[oa]|próxim[oa]|este|esta) {_SPAN_ES}|hace {_COUNT} {_UNIT_ES}(?!\w)"
        rf"|dentro de {_COUNT} {_UNIT_ES}(?!\w)|fin de semana|(?<!los ){_DAY_ES}|{_MONTH_ES}|{_YEAR}"
    ),
    "pt": (
        rf"{_ISO}|{_DMY}|\d{{1,2}}(?: de)? {_MONTH_PT}(?:,? (?:de |do )?\d{{4}}(?!\d))?"
        rf"|{_MONTH_PT} (?:de |do )?\d{{4}}(?!\d)|(?:{_NEAR_PT})(?!\w)"
        rf"|(?:{_SPAN_PT}) (?:passad[oa]|que vem|próxim[oa]|anterior)(?!\w)"
        rf"|(?:passad[oa]|próxim[oa]|est[ea]) {_SPAN_PT}|(?:há|faz) {_COUNT} {_UNIT_PT}(?! atrás)(?!\w)"
        rf"|(?:há )?{_COUNT} {_UNIT_PT} atrás(?!\w)|(?:dentro de|daqui a) {_COUNT} {_UNIT_PT}(?!\w)|fim de semana"
        rf"|{_DAY_PT}|(?<=\bna ){_SHORT_DAY_PT}|(?<=\bà ){_SHORT_DAY_PT}|{_MONTH_PT}|{_YEAR}"
    ),
}
LEADING_WORDS = re.compile(
    r"^(?:(?:on|in|at|since|until|by|from|during|the|el|la|los|las(?! "
    r")|en|desde|hasta|del|al|a|por|o|em|n[oa]s?|até|d[eoa]|ao|à)\s+)+(?=\S)",
    re.IGNORECASE,
)


def resolve_date(surface: str, language: str | None, at: datetime | None, *, future: bool = False) -> str | None:
    """ISO text of a date expression, or None. `future`: the sentence speaks of what is to come, so that
    "on Friday" and "3 May" are the next ones."""
    return read_date(" ".join(surface.split()), language if language in NUMBERS else "en", midnight(at), future=future)


def is_weekday(text: str) -> bool:
    """Whether a text is a day of the week, in the singular or the plural ("jueves", "Mondays")."""
    low = text.casefold()
    return low in _WEEKDAYS or low.removesuffix("s") in _WEEKDAYS


def midnight(at: datetime | None) -> datetime | None:
    """The day of `at`, so that all turns of a day share one cached answer."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None) if at else None


# --- dates -----------------------------------------------------------------------------------------------


def read_date(surface: str, language: str, at: datetime | None, *, future: bool = False) -> str | None:
    """As `resolve_date`, for a surface with single spaces and a moment at midnight."""
    low = LEADING_WORDS.sub("", surface.casefold().strip()) if " " in surface else surface.casefold()
    low = low.rstrip(".")
    if re.fullmatch(r"(?:19|20)\d\d", low):
        return low
    iso = re.match(r"\d{4}-\d\d(?:-\d\d)?", low)
    if iso:
        return _valid_iso(iso.group())
    if at is not None:
        said = surface.casefold()
        for reader, text in ((_near, low), (_distance, said), (_distance, low), (_span, low)):
            found = reader(text, language, at.date(), future)
            if found:
                return found
    return _calendar(low, language, at, future)


def _valid_iso(text: str) -> str | None:
    try:
        date.fromisoformat(text if len(text) == 10 else f"{text}-01")
    except ValueError:
        return None
    return text


def _near(low: str, language: str, day: date, future: bool) -> str | None:
    return (day + timedelta(days=_DAYS_AWAY[low])).isoformat() if low in _DAYS_AWAY else None


def _distance(low: str, language: str, day: date, future: bool) -> str | None:
    """ "two weeks ago", "in 3 days", "hace dos meses", "dentro de un año"."""
    match = re.fullmatch(
        r"(?P<to>in |hace |há |faz |dentro de |daqui a )?(?P<n>a couple of|\S+) "
        r"(?P<unit>days?|weeks?|months?|years?|d[ií]as?|semanas?|m[eê]s|meses|años?|anos?)"
        r"(?P<from> ago| from now| atrás)?",
        low,
    )
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


_PAST, _NEXT = {"last", "past", "this past", "pasado", "pasada", "anterior", "passado", "passada"}, {
    "next", "coming", "this coming", "próximo", "próxima", "que viene", "proximo", "proxima", "que vem"}  # fmt: skip


def _span(low: str, language: str, day: date, future: bool) -> str | None:
    """ "last Friday", "next month", "el fin de semana pasado", "Friday"."""
    match = re.fullmatch(
        rf"(?P<a>last|next|this past|this coming|this|past|coming|pass?ad[oa]|próxim[oa]|est[ea])?\s?"
        rf"(?P<what>{_SPAN_EN}|{_SPAN_ES}|{_SPAN_PT})(?:\s(?P<b>pass?ad[oa]|que viene|que vem|próxim[oa]|anterior))?",
        low,
    )
    if match is None:
        return None
    said, what = match["a"] or match["b"] or "", match["what"].rstrip(".")
    step = -1 if said in _PAST else 1 if said in _NEXT else 0
    if what in _WEEKDAYS:
        return _weekday(day, _WEEKDAYS[what], said, step or (1 if future else -1))
    if what in _MONTHS:
        return _month(day, _MONTHS[what], said, step or (1 if future else -1))
    if what in {"weekend", "fin de semana", "finde", "fim de semana"}:
        if not said and not future:
            step = -1 if day.weekday() < 5 else 0
        return _week(day + timedelta(weeks=step), first=5)
    if not said:
        return None
    unit = UNITS[what]
    return _moved(day, step, unit)


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


_MONTH_YEAR = re.compile(rf"(?P<m>{_MONTH_EN}|{_MONTH_ES}|{_MONTH_PT})(?:,? (?:of |de |del |do )?(?P<y>\d{{4}}))?")


_DAY_NUMBER = re.compile(rf"{_DMY}|\d{{1,2}}\D|(?:{_MONTH_EN}) \d")


def _calendar(low: str, language: str, at: datetime | None, future: bool) -> str | None:
    """Calendar dates: "3 March 2026", "March 2026", "3/4/2026" (day first in Spanish)."""
    match = _MONTH_YEAR.fullmatch(low)
    if match:
        month = _MONTHS[match["m"].rstrip(".")]
        return f"{match['y']}-{month:02d}" if match["y"] else f"--{month:02d}"
    return _parsed(low, language, at, future) if _DAY_NUMBER.match(low) else None


@lru_cache(maxsize=8192)
def _parsed(low: str, language: str, at: datetime | None, future: bool) -> str | None:
    from dateparser import parse  # 0.1 s to import: only a text with a calendar date pays for it

    settings: dict[str, object] = {
        "PREFER_DATES_FROM": "future" if future else "past",
        "REQUIRE_PARTS": ["day", "month"],
    }
    years = {y: _parse_with(parse, low, language, settings, base) for y, base in _bases(at)}
    found = list(years.values())
    if not found or found[0] is None:
        return None
    if at is None and any(a != b for a, b in pairwise(found)):
        return f"-{found[0][4:]}"
    return found[0]


def _bases(at: datetime | None) -> list[tuple[int, datetime]]:
    # without a moment, a date that moves with the base has no year of its own
    return [(at.year, at)] if at else [(y, datetime(y, 12, 31)) for y in (2000, 2004)]


def _parse_with(
    parse: Callable[..., datetime | None],
    low: str,
    language: str,
    settings: dict[str, object],
    base: datetime,
) -> str | None:
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)(?: of)?\b", "", low)
    found = parse(text, languages=[language], settings={**settings, "RELATIVE_BASE": base.replace(tzinfo=None)})
    return found.date().isoformat() if found else None
