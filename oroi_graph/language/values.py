"""What makes two amounts, dates or quantities the same one: their canonical text.

    money      "EUR 15000"          quantity  "3.5 kg", "10 year", "2 cat"       number   "1500"
    percent    "5%"                 time      "17:00"                           e-mail, URL, phone: normalised
    date       "2026-03-05", "2026-03", "2026"; weeks and weekends "2026-03-02/2026-03-08"; without a year to
               resolve against "--03-05"

Separators are read by the language of the turn, dates against its moment. Relative dates keep the
precision of what was said: "two months ago" is a month, "two weeks ago" a week from Monday to Sunday.
Vague ones ("a few years ago", "last summer") are no values.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache

from oroi_graph.language.dates import DATE_PATTERNS, LEADING_WORDS, midnight, read_date
from oroi_graph.language.lexicons.phrases import spelled_out
from oroi_graph.language.lexicons.tables import LANGUAGES, by_phrase, pattern, replacements, table, tables, text, words
from oroi_graph.language.normalize import fold, folded
from oroi_graph.language.numbers import NUMBER_WORDS, NUMBERS, SCALES, SINGLE, UNITS, any_of, number_in_words

MAX_SURFACE = 200  # characters; nothing longer is one value

_ROWS = tables("values")
_CURRENCIES = by_phrase(_ROWS, "currencies")
_NEVER_COUNTED, _AFTER_NOUN = (words(table(_ROWS, "counted"), name) for name in ("never", "after"))
_AMBIGUOUS_MONTHS, _BEFORE_MONTHS = (words(table(_ROWS, "dates"), name) for name in ("ambiguous", "before"))
_SINGULARS = {language: replacements(table(_ROWS, "singulars"), language) for language in LANGUAGES}
_QUARTERS = ((r" (?:y media|e meia)", 30), (r" (?:y cuarto|e um quarto|e quinze)", 15), (r"menos cuarto", -15))
_LEADING = re.compile(r"(?:\d[\d.,' ]*\d|\d)")
_SIGNS = re.compile(r"[\d€£¥$@]|://|www\.", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_NEXT_WORD = re.compile(r"\s+([^\W\d_]{3,})")


@cache
def _pattern(language: str) -> re.Pattern[str]:
    parts = {
        "clock": pattern(table(_ROWS, "clock"), language, hours=any_of(list(NUMBERS[language])[2:13])),
        "date": DATE_PATTERNS[language],
        "number_words": NUMBER_WORDS[language],
        "scales": any_of(scale for scale in SCALES if len(scale) > 2),
        "currencies": any_of(_CURRENCIES),
        "units": any_of(UNITS),
    }
    return re.compile(pattern(table(_ROWS, "values"), "value", **parts), re.IGNORECASE)


@cache
def _telling(language: str) -> frozenset[str]:
    """Folded words of which one stands in each value that has no digit and no sign.

    They are those of numbers, weekdays and months, days to years, and the last word of other names for days and hours.
    """
    rows = table(table(_ROWS, "dates"), language)
    named = " ".join(text(rows, name) for name in ("weekdays", "months")).replace("/", " ")
    away = (phrase.rpartition(" ")[2] for phrase in by_phrase(rows, "away"))
    said = [*NUMBERS[language], *named.split(), *spelled_out(pattern(rows, "unit")), *away]
    said += words(table(table(_ROWS, "number_words"), language), "scales") | words(table(_ROWS, "values"), "telling")
    return frozenset(part for word in said for part in _WORD.findall(fold(word)))


def _may_tell_a_value(text: str, language: str) -> bool:
    """Whether a text has any digit, sign or word of a value: if not, it has no value."""
    return bool(_SIGNS.search(text)) or not _telling(language).isdisjoint(_WORD.findall(folded(text)))


def _tongue(language: str | None) -> str:
    """The language whose separators and words are read: English unless it is another one known here."""
    return language if language in NUMBERS else "en"


@lru_cache(maxsize=32)  # what reads a turn asks for its values more than once, one soon after the other
def find_values(text: str, language: str | None, at: datetime | None) -> tuple[tuple[int, int, str, str], ...]:
    """The values in `text`, in order, without overlap: (start, end, surface, canonical).

    `start` and `end` are character offsets. Counted nouns are included when a single noun follows the
    number ("two cats"); bare number words are not.
    """
    tongue = _tongue(language)
    if not _may_tell_a_value(text, tongue):
        return ()
    found: list[tuple[int, int, str, str]] = []
    pattern = _pattern(tongue)
    position = 0
    while (match := pattern.search(text, position)) is not None:
        position = match.end()
        surface, kind = match.group(), next(k for k in _READERS if match.group(k))
        if kind == "url":
            surface = surface.rstrip(".,;:!?)")
        if kind == "count":
            surface = _counted(match, text)
            position = match.start("noun") if match.group("noun") and " " not in surface else position
        if not surface or (kind == "date" and not _is_date_here(surface, text, match.start())):
            continue
        if kind == "date":
            surface = surface.rstrip(".")
        canonical = _canonical(kind, surface, tongue, midnight(at))
        if canonical is not None:
            found.append((match.start(), match.start() + len(surface), surface, canonical))
    return tuple(found)


def canonical_value(surface: str, language: str | None, at: datetime | None) -> str | None:
    """The canonical text of `surface` (see the module's table), or None if it is no value.

    `language` "es" or "pt" reads 1.500 as a thousand and a half, anything else as 1.5; `at` is what "yesterday" and
    "3 March" are resolved against (relative dates are None without it).
    """
    surface = " ".join(surface.split())
    if not surface or len(surface) > MAX_SURFACE:
        return None
    tongue = _tongue(language)
    if not _may_tell_a_value(surface, tongue):
        return None
    for candidate in (surface, LEADING_WORDS.sub("", surface)):
        match = _pattern(tongue).fullmatch(candidate)
        if match is not None:
            kind = next(k for k in _READERS if match.group(k))
            if candidate.casefold() in _AMBIGUOUS_MONTHS and candidate.islower():
                return None
            return _canonical(kind, candidate, tongue, midnight(at))
    return None


def _counted(match: re.Match[str], text: str) -> str:
    """A bare number in digits, or number and noun if the noun phrase ends there; "" for anything else."""
    noun = match.group("noun")
    number = match.group()[: match.start("noun") - match.start()].strip() if noun else match.group()
    spelled = not any(c.isdigit() for c in number)
    single = number.casefold() in SINGLE
    if noun and noun.islower() and noun not in _NEVER_COUNTED and not single:
        following = _NEXT_WORD.match(text, match.end())
        if noun.endswith("s") and (following is None or following.group(1) in _AFTER_NOUN):
            return match.group()
    return "" if spelled else number


def _is_date_here(surface: str, text: str, start: int) -> bool:
    """Whether an ambiguous word ("may", "march", "second") is meant as a date where it stands."""
    low = surface.casefold().rstrip(".")
    before = text[max(0, start - 12) : start].casefold().split()
    if low in _AMBIGUOUS_MONTHS:
        return surface[0].isupper() and bool(before) and before[-1] in _BEFORE_MONTHS
    if low == "mañana" and before and before[-1] in {"la", "una", "esta"}:
        return False
    if low.isdigit() and len(low) == 4:
        return not re.match(r"\s*(?:euros?|dollars|people|km|kg|m\b)", text[start + 4 : start + 14])
    return True


@lru_cache(maxsize=8192)
def _canonical(kind: str, surface: str, language: str, at: datetime | None) -> str | None:
    return _READERS[kind](surface, language, at)


# --- numbers ---------------------------------------------------------------------------------------------


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def decimal_of(text: str, language: str, *, money: bool = False) -> Decimal | None:
    """A number written in digits, its separators read by `language`; None for what is none."""
    text = re.sub(r"[ ' ](?=\d)", "", text)
    separators = re.findall(r"[.,]", text)
    if len(set(separators)) == 2:
        thousands = "," if separators[-1] == "." else "."
        text = text.replace(thousands, "")
    elif separators:
        sign, tail = separators[0], text.rsplit(separators[0], 1)[1]
        grouping = sign == ("," if language == "en" else ".")
        # three decimals make no sense in money, whatever the language
        if len(separators) > 1 or (len(tail) == 3 and (grouping or money)):
            text = text.replace(sign, "")
    try:
        return Decimal(text.replace(",", "."))
    except InvalidOperation:
        return None


def _amount(text: str, language: str, *, money: bool = False) -> tuple[Decimal, str] | None:
    """The number a text begins with, its scale applied, and what follows it."""
    match = _LEADING.match(text)
    if match is None:
        match = re.match(NUMBER_WORDS[language], text, re.IGNORECASE)
        value = number_in_words(match.group(), language) if match else None
        number = None if value is None else Decimal(value)
    else:
        number = decimal_of(match.group(), language, money=money)
    if match is None or number is None:
        return None
    rest = text[match.end() :].lstrip(" -")
    scale = re.match(
        r"(k|m|bn|thousand|million|billion|mil|mill[oó]n|millones|milh[ãa]o|milhões)(?!\w)(?: de(?!\w))?", rest, re.I
    )
    # "5 m" alone is a length; a scale only before a currency or as the last word of a spelled number
    if scale and (money or len(scale.group(1)) > 1 or scale.group(1).casefold() == "k"):
        number, rest = number * SCALES[scale.group(1).casefold()], rest[scale.end() :]
    return number, rest.strip()


def _read_money(surface: str, language: str, at: datetime | None) -> str | None:
    match = re.match(r"(?:us|r)?[€$£¥]", surface, re.IGNORECASE)
    sign = match.group().casefold() if match else ""
    amount = _amount(surface[len(sign) :].strip(), language, money=True)
    if amount is None:
        return None
    rest = amount[1].casefold().removeprefix("de ").strip()
    currency = _CURRENCIES.get(sign or rest)
    return f"{currency} {_plain(amount[0])}" if currency else None


def _read_percent(surface: str, language: str, at: datetime | None) -> str | None:
    amount = _amount(surface, language)
    return f"{_plain(amount[0])}%" if amount else None


def _read_quantity(surface: str, language: str, at: datetime | None) -> str | None:
    amount = _amount(surface, language)
    if amount is None:
        return None
    unit = re.sub(r"[ -]old$", "", amount[1].casefold())
    return f"{_plain(amount[0])} {UNITS[unit]}" if unit in UNITS else None


def _read_count(surface: str, language: str, at: datetime | None) -> str | None:
    if surface.casefold() in SINGLE:
        return None
    amount = _amount(surface, language)
    if amount is None:
        return None
    number, noun = amount
    if noun and surface.split()[0].casefold() in SINGLE:
        return None
    return f"{_plain(number)} {_singular(noun.casefold(), language)}" if noun else _plain(number)


def _singular(noun: str, language: str) -> str:
    for plural, singular in _SINGULARS[language]:
        if plural.search(noun):
            return plural.sub(singular, noun)
    return noun


# --- addresses and times ---------------------------------------------------------------------------------


def _read_url(surface: str, language: str, at: datetime | None) -> str | None:
    scheme, _, rest = surface.rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.casefold() or 'https'}://{host.casefold()}{slash}{path}".rstrip("/")


def _read_phone(surface: str, language: str, at: datetime | None) -> str | None:
    digits = "".join(c for c in surface if c.isdigit())
    if not 7 <= len(digits) <= 15:
        return None
    return ("+" if surface.startswith("+") else "") + digits


def _read_clock(surface: str, language: str, at: datetime | None) -> str | None:
    low = surface.casefold()
    for named, moment in (("noon mediodía meio-dia", "12:00"), ("midnight medianoche meia-noite", "00:00")):
        if low in named.split():
            return moment
    match = re.match(r"(?:las |às )?(\d{1,2}|[^\W\d]+)(?:[:h](\d\d))?", low)
    if match is None:
        return None
    hour = int(match.group(1)) if match.group(1).isdigit() else (NUMBERS["es"] | NUMBERS["pt"]).get(match.group(1), 99)
    minute = int(match.group(2) or 0) + next((more for said, more in _QUARTERS if re.search(said, low)), 0)
    half = re.search(r"(a|p)\.?m\b|d(?:e l)?a (mañana|manhã|tarde|noche|noite)", low)
    if half and hour <= 12:
        late = half.group(1) == "p" or half.group(2) in ("tarde", "noche", "noite")
        hour = hour % 12 + (12 if late else 0)
    if hour > 23 or minute > 59:
        return None
    hour, minute = (hour - 1, 45) if minute < 0 else (hour, minute)
    return f"{hour % 24:02d}:{minute:02d}"


_READERS: dict[str, Callable[[str, str, datetime | None], str | None]] = {
    "url": _read_url,
    "email": lambda surface, *_: surface.casefold(),
    "clock": _read_clock,
    "date": read_date,
    "money": _read_money,
    "percent": _read_percent,
    "phone": _read_phone,
    "quantity": _read_quantity,
    "count": _read_count,
}
