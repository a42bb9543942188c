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
from functools import lru_cache

from oroi_graph.language.dates import DATE_PATTERNS, LEADING_WORDS, midnight, read_date
from oroi_graph.language.numbers import (
    NUMBER_WORDS,
    NUMBERS,
    NUMBERS_ES,
    NUMBERS_PT,
    SCALES,
    SINGLE,
    UNITS,
    any_of,
    number_in_words,
)
from oroi_graph.language.tokens import word_set

MAX_SURFACE = 200  # characters; nothing longer is one value

_CURRENCIES = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "us$": "USD", "usd": "USD",
    "dollar": "USD", "dollars": "USD", "bucks": "USD", "dólar": "USD", "dólares": "USD", "dolares": "USD",
    "£": "GBP", "gbp": "GBP", "pounds sterling": "GBP", "libras esterlinas": "GBP", "¥": "JPY", "jpy": "JPY",
    "yen": "JPY", "yenes": "JPY", "chf": "CHF", "francs": "CHF", "francos": "CHF", "r$": "BRL", "brl": "BRL",
    "reais": "BRL", "reales": "BRL", "mxn": "MXN", "pesos": "MXN", "peso": "MXN",
    "rupees": "INR", "rupias": "INR",
}  # fmt: skip
_DIGITS = r"\d{1,15}(?:[.,' ]\d{1,3}){0,6}"
_CLOCK = {
    "en": r"\d{1,2}(?::\d\d)? ?[ap]\.?m\b\.?|\d{1,2}:\d\d(?!\d)|noon(?!\w)|midnight(?!\w)",
    "es": (
        rf"(?:(?:las )?\d{{1,2}}:\d\d(?!\d)|las "
        rf"(?:\d{{1,2}}(?![\d.,])|(?:{any_of(list(NUMBERS_ES)[2:13])})(?!\w))"
        r"(?: y media| y cuarto| menos cuarto)?)(?: de la (?:mañana|tarde|noche)| ?[ap]\.?m\b\.?)?"
        r"|\d{1,2} ?[ap]\.?m\b\.?|mediodía|medianoche"
    ),
    "pt": (
        rf"(?:(?:às )?\d{{1,2}}(?::\d\d(?!\d)|h(?:\d\d)?(?!\w)| horas(?!\w))|às "
        rf"(?:\d{{1,2}}(?![\d.,])|(?:{any_of([*list(NUMBERS_PT)[2:13], 'duas', 'uma'])})(?!\w))"
        r"(?: e meia| e um quarto| e quinze)?)(?: da (?:manhã|tarde|noite)| ?[ap]\.?m\b\.?)?"
        r"|meio-dia|meia-noite"
    ),
}


def _pattern(language: str) -> re.Pattern[str]:
    number = rf"(?:{_DIGITS}|{NUMBER_WORDS[language]})"
    scale = rf"(?: ?(?:k|m|bn)(?!\w)| (?:{any_of(s for s in SCALES if len(s) > 2)})(?: de)?(?!\w))?"
    currency = any_of(_CURRENCIES)
    return re.compile(
        r"(?P<url>https?://[^\s<>\"']{1,180}|www\.[^\s<>\"']{1,180})"
        r"|(?P<email>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,24}){1,4})"
        rf"|(?<![\w.])(?P<clock>{_CLOCK[language]})"
        rf"|(?<![\w.,])(?P<date>{DATE_PATTERNS[language]})"
        rf"|(?P<money>(?<!\w)(?:[€£¥]|(?:us|r)?\$) ?{_DIGITS}{scale}|(?<![\w.,]){number}{scale} "
        rf"?(?:{currency})(?!\w))"
        rf"|(?<![\w.,])(?P<percent>{number} ?(?:%|percent(?!\w)|por c(?:i)?ento(?!\w)))"
        r"|(?<![\w.,])(?P<phone>\+\d{1,3}(?:[ .()-]{0,2}\d){6,12}|\d{3}-\d{4}(?!\d)|"
        r"(?:\(\d{2}\)|\d{2}) ?9?\d{4}[ -]\d{4}(?!\d)|\d{2,4}(?:[ "
        r"-]\d{2,4}){2,4}(?![\d.,]))"
        rf"|(?<![\w.,])(?P<quantity>{number}{scale}[ -]?(?:{any_of(UNITS)})(?!\w)(?:[ -]old)?)"
        rf"|(?<![\w.,])(?P<count>{number}{scale}(?: (?P<noun>[^\W\d_]{{3,30}})(?![\w-]))?)",
        re.IGNORECASE,
    )


@lru_cache(maxsize=4)
def _compiled(language: str) -> re.Pattern[str]:
    return _pattern(language)


def _tongue(language: str | None) -> str:
    """The language whose separators and words are read: English unless it is another one known here."""
    return language if language in NUMBERS else "en"


_NOT_COUNTED = word_set(
    "more less other times time things thing ways percent and but are was were people ones who that years "
    "mais outros outras vezes coisas não com sem foi mas pessoas "
    "más menos otros otras veces cosas cosa que por para con sin son era fue los las muy del personas"
)
_AMBIGUOUS_MONTHS = {
    "may",
    "march",
    "mar",
    "dec",
    "sep",
    "jan",
    "jun",
    "oct",
    "nov",
    "feb",
    "apr",
    "jul",
    "aug",
}


def find_values(text: str, language: str | None, at: datetime | None) -> list[tuple[int, int, str, str]]:
    """The values in `text`, in order, without overlap: (start, end, surface, canonical).

    `start` and `end` are character offsets. Counted nouns are included when a single noun follows the
    number ("two cats"); bare number words are not.
    """
    tongue = _tongue(language)
    found: list[tuple[int, int, str, str]] = []
    pattern = _compiled(tongue)
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
        canonical = _cached(kind, surface, tongue, at)
        if canonical is not None:
            found.append((match.start(), match.start() + len(surface), surface, canonical))
    return found


def canonical_value(surface: str, language: str | None, at: datetime | None) -> str | None:
    """The canonical text of `surface` (see the module's table), or None if it is no value.

    `language` "es" or "pt" reads 1.500 as a thousand and a half, anything else as 1.5; `at` is what "yesterday" and
    "3 March" are resolved against (relative dates are None without it).
    """
    surface = " ".join(surface.split())
    if not surface or len(surface) > MAX_SURFACE:
        return None
    tongue = _tongue(language)
    for candidate in (surface, LEADING_WORDS.sub("", surface)):
        match = _compiled(tongue).fullmatch(candidate)
        if match is not None:
            kind = next(k for k in _READERS if match.group(k))
            if candidate.casefold() in _AMBIGUOUS_MONTHS and candidate.islower():
                return None
            return _cached(kind, candidate, tongue, at)
    return None


def _counted(match: re.Match[str], text: str) -> str:
    """A bare number in digits, or number and noun if the noun phrase ends there; "" for anything else."""
    noun = match.group("noun")
    number = match.group()[: match.start("noun") - match.start()].strip() if noun else match.group()
    spelled = not any(c.isdigit() for c in number)
    single = number.casefold() in SINGLE
    if noun and noun.islower() and noun not in _NOT_COUNTED and not single:
        following = re.match(r"\s+([^\W\d_]{3,})", text[match.end() :])
        if noun.endswith("s") and (following is None or following.group(1) in _AFTER_NOUN):
            return match.group()
    return "" if spelled else number


_AFTER_NOUN = word_set(
    "and but for from with who that which when while because since until into about after before last this "
    "next yesterday today named called were was are have had will can que con para por desde cuando porque "
    "pero del los las una ayer hoy este esta llamados llamadas son eran com quando mas ontem hoje chamados chamadas são"
)


def _is_date_here(surface: str, text: str, start: int) -> bool:
    """Whether an ambiguous word ("may", "march", "second") is meant as a date where it stands."""
    low = surface.casefold().rstrip(".")
    before = text[max(0, start - 12) : start].casefold().split()
    if low in _AMBIGUOUS_MONTHS:
        prepositions = {
            "in",
            "since",
            "until",
            "by",
            "last",
            "next",
            "this",
            "early",
            "late",
            "mid",
            "of",
            "from",
        }
        return surface[0].isupper() and bool(before) and before[-1] in prepositions
    if low == "mañana" and before and before[-1] in {"la", "una", "esta"}:
        return False
    if low.isdigit() and len(low) == 4:
        return not re.match(r"\s*(?:euros?|dollars|people|km|kg|m\b)", text[start + 4 : start + 14])
    return True


def _cached(kind: str, surface: str, language: str, at: datetime | None) -> str | None:
    return _canonical(kind, surface, language, midnight(at))


@lru_cache(maxsize=8192)
def _canonical(kind: str, surface: str, language: str, at: datetime | None) -> str | None:
    return _READERS[kind](surface, language, at)


# --- numbers ---------------------------------------------------------------------------------------------


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def _digits(text: str, language: str, *, money: bool = False) -> Decimal | None:
    """A number written in digits, its separators read by `language`."""
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


_LEADING = re.compile(r"(?:\d[\d.,' ]*\d|\d)")


def _amount(text: str, language: str, *, money: bool = False) -> tuple[Decimal, str] | None:
    """The number a text begins with, its scale applied, and what follows it."""
    match = _LEADING.match(text)
    if match is None:
        match = re.match(NUMBER_WORDS[language], text, re.IGNORECASE)
        value = number_in_words(match.group(), language) if match else None
        number = None if value is None else Decimal(value)
    else:
        number = _digits(match.group(), language, money=money)
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


_PLURALS_PT = (
    ("ões", "ão"), ("ães", "ão"), ("ais", "al"), ("éis", "el"), ("óis", "ol"), ("ns", "m"), ("res", "r"), ("zes", "z"),
    ("s", ""),
)  # fmt: skip


def _singular(noun: str, language: str) -> str:
    if language == "es":
        if noun.endswith("ces"):
            return noun[:-3] + "z"
        if re.search(r"[lnrdj]es$", noun):
            return noun[:-2]
        return noun[:-1] if noun.endswith("s") else noun
    if language == "pt":
        for plural, singular in _PLURALS_PT:
            if noun.endswith(plural):
                return noun[: -len(plural)] + singular
        return noun
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if re.search(r"(?:s|x|z|ch|sh)es$", noun):
        return noun[:-2]
    return {"people": "person", "children": "child", "men": "man", "women": "woman"}.get(
        noun, noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
    )


# --- addresses and times ---------------------------------------------------------------------------------


def _read_url(surface: str, language: str, at: datetime | None) -> str | None:
    scheme, _, rest = surface.rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.casefold() or 'https'}://{host.casefold()}{slash}{path}".rstrip("/")


def _read_email(surface: str, language: str, at: datetime | None) -> str | None:
    return surface.casefold()


def _read_phone(surface: str, language: str, at: datetime | None) -> str | None:
    digits = "".join(c for c in surface if c.isdigit())
    if not 7 <= len(digits) <= 15:
        return None
    return ("+" if surface.startswith("+") else "") + digits


def _read_clock(surface: str, language: str, at: datetime | None) -> str | None:
    low = surface.casefold()
    for words, moment in (("noon mediodía meio-dia", "12:00"), ("midnight medianoche meia-noite", "00:00")):
        if low in words.split():
            return moment
    match = re.match(r"(?:las |às )?(\d{1,2}|[^\W\d]+)(?:[:h](\d\d))?", low)
    if match is None:
        return None
    hour = int(match.group(1)) if match.group(1).isdigit() else (NUMBERS_ES | NUMBERS_PT).get(match.group(1), 99)
    minute = int(match.group(2) or 0)
    minute += (
        30
        if re.search(r" (?:y media|e meia)", low)
        else 15
        if re.search(r" (?:y cuarto|e um quarto|e quinze)", low)
        else -15
        if "menos cuarto" in low
        else 0
    )
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
    "email": _read_email,
    "clock": _read_clock,
    "date": read_date,
    "money": _read_money,
    "percent": _read_percent,
    "phone": _read_phone,
    "quantity": _read_quantity,
    "count": _read_count,
}
