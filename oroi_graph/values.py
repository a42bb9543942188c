"""What makes two amounts, dates or quantities the same one: their canonical text.

    money      "EUR 15000"          quantity  "3.5 kg", "10 year", "2 cat"       number   "1500"
    percent    "5%"                 time      "17:00"                            e-mail, URL, phone: normalised
    date       "2026-03-05", "2026-03", "2026"; weeks and weekends "2026-03-02/2026-03-08"; without a year to
               resolve against "--03-05"

Separators are read by the language of the turn, dates against its moment. Relative dates keep the
precision of what was said: "two months ago" is a month, "two weeks ago" a week from Monday to Sunday.
Vague ones ("a few years ago", "last summer") are no values.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import pairwise

MAX_SURFACE = 200  # characters; nothing longer is one value

_NUMBERS_EN = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
} | {
    word: 20 + 10 * i
    for i, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())
}
_NUMBERS_ES = (
    {
        word: value
        for value, word in enumerate(
            "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
            "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco "
            "veintiséis veintisiete veintiocho veintinueve".split()
        )
    }
    | {
        word: 30 + 10 * i
        for i, word in enumerate("treinta cuarenta cincuenta sesenta setenta ochenta noventa".split())
    }
    | {
        word: 100 * (i + 2)
        for i, word in enumerate(
            "doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos".split()
        )
    }
    | {"un": 1, "una": 1, "cien": 100, "ciento": 100}
)
_SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9,
    "mil": 1000, "millón": 10**6, "millones": 10**6, "millon": 10**6, "k": 1000, "m": 10**6, "bn": 10**9,
}  # fmt: skip
_SINGLE = {"one", "uno", "un", "una", "a"}  # articles and pronouns when they stand alone
_CURRENCIES = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "$": "USD", "us$": "USD", "usd": "USD",
    "dollar": "USD", "dollars": "USD", "bucks": "USD", "dólar": "USD", "dólares": "USD", "dolares": "USD",
    "£": "GBP", "gbp": "GBP", "pounds sterling": "GBP", "libras esterlinas": "GBP", "¥": "JPY", "jpy": "JPY",
    "yen": "JPY", "yenes": "JPY", "chf": "CHF", "francs": "CHF", "francos": "CHF", "r$": "BRL", "brl": "BRL",
    "reais": "BRL", "reales": "BRL", "mxn": "MXN", "pesos": "MXN", "peso": "MXN", "rupees": "INR", "rupias": "INR",
}  # fmt: skip
_UNITS = {
    form: unit
    for unit, forms in {
        "kg": "kg kilo kilos kilogram kilograms kilogramo kilogramos", "g": "g gram grams gramo gramos",
        "km": "km kms kilometer kilometers kilometre kilometres kilómetro kilómetros",
        "m": "meter meters metre metres metro metros", "cm": "cm centímetros centimeters centimetres",
        "mm": "mm", "mile": "mile miles milla millas", "lb": "lb lbs pound pounds libra libras",
        "ft": "ft foot feet", "inch": "inch inches pulgada pulgadas", "l": "l liter liters litre litres litro litros",
        "hour": "hour hours hr hrs hora horas", "minute": "minute minutes min mins minuto minutos",
        "second": "seconds segundos", "day": "day days día días", "week": "week weeks semana semanas",
        "month": "month months mes meses", "year": "year years año años", "GB": "gb", "MB": "mb", "TB": "tb",
        "°C": "°c", "degree": "degree degrees grado grados",
    }.items()
    for form in forms.split()
}  # fmt: skip
_WEEKDAYS = {
    day: i
    for days in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "lunes martes miércoles jueves viernes sábado domingo",
        "lunes martes miercoles jueves viernes sabado domingo",
    )
    for i, day in enumerate(days.split())
}
_MONTHS_EN = "january february march april may june july august september october november december".split()
_MONTHS_ES = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
)
_MONTHS = {m: i + 1 for names in (_MONTHS_EN, _MONTHS_ES) for i, m in enumerate(names)} | {
    m[:3]: i + 1 for i, m in enumerate(_MONTHS_EN)
} | {"sept": 9, "setiembre": 9}  # fmt: skip
_DAYS_AWAY = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "yesterday": -1,
    "last night": -1, "tomorrow": 1, "the day before yesterday": -2, "day before yesterday": -2,
    "the day after tomorrow": 2, "day after tomorrow": 2, "hoy": 0, "esta mañana": 0, "esta tarde": 0,
    "esta noche": 0, "ayer": -1, "anoche": -1, "anteayer": -2, "antier": -2, "mañana": 1, "pasado mañana": 2,
}  # fmt: skip


def _any(words: object) -> str:
    return "|".join(sorted((re.escape(str(w)) for w in words), key=len, reverse=True))  # type: ignore[attr-defined]


_DIGITS = r"\d{1,15}(?:[.,' ]\d{1,3}){0,6}"
_WORD_EN = rf"(?:a (?=hundred|thousand|million)|(?:{_any([*_NUMBERS_EN, 'hundred', 'thousand', 'million', 'billion'])})(?![\w]))"
_WORD_ES = rf"(?:{_any([*_NUMBERS_ES, 'mil', 'millón', 'millones'])})(?!\w)"
_WORDS = {
    "en": rf"\b{_WORD_EN}(?:(?: and |[ -]){_WORD_EN}|(?<=a ){_WORD_EN}){{0,8}}",
    "es": rf"\b{_WORD_ES}(?: y {_WORD_ES}| {_WORD_ES}){{0,8}}",
}
_UNIT_EN, _UNIT_ES = r"(?:day|week|month|year)s?", r"(?:días?|semanas?|mes(?:es)?|años?)"
_MONTH_EN = rf"(?:{_any([*_MONTHS_EN, *(m[:3] for m in _MONTHS_EN), 'sept'])})(?!\w)\.?"
_MONTH_ES = rf"(?:{_any([*_MONTHS_ES, 'setiembre'])})(?!\w)"
_DAY_EN = rf"(?:{_any(list(_WEEKDAYS)[:7])})(?!\w)"
_DAY_ES = rf"(?:{_any(list(_WEEKDAYS)[7:])})(?!\w)"
_SPAN_EN = rf"(?:week(?:end)?|month|year|{_DAY_EN}|{_MONTH_EN})(?!\w)"
_SPAN_ES = rf"(?:fin de semana|finde|semana|mes|año|{_DAY_ES}|{_MONTH_ES})(?!\w)"
_COUNT = r"(?:a couple of|\d{1,3}|[a-záéíóúñ]{1,12})"
_ISO = r"\d{4}-\d\d(?:-\d\d)?(?!\d)(?:T[\d:.]{5,15}(?:Z|[+-]\d\d:\d\d)?)?"
_DMY = r"\d{1,2}(?P<sep>[/.-])\d{1,2}(?P=sep)(?:\d{4}|\d{2})(?![\d/.-]\d)"
_YEAR = r"(?:19|20)\d\d(?![\d%€$£])(?![.,]\d)"
_DATES = {
    "en": (
        rf"{_ISO}|{_DMY}|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH_EN}(?:,? \d{{4}})?(?!\w)"
        rf"|{_MONTH_EN} \d{{1,2}}(?:st|nd|rd|th)?(?![\w:])(?:,? \d{{4}}(?!\d))?|{_MONTH_EN},?(?: of)? \d{{4}}(?!\d)"
        rf"|(?:{_any(d for d in _DAYS_AWAY if d.isascii() and d not in ('hoy', 'ayer', 'anoche', 'anteayer', 'antier'))})(?!\w)"
        rf"|(?:last|next|this|this past|this coming|past|coming) {_SPAN_EN}"
        rf"|{_COUNT} {_UNIT_EN} ago(?!\w)|in {_COUNT} {_UNIT_EN}(?!\w)|{_COUNT} {_UNIT_EN} from now"
        rf"|{_DAY_EN}|{_MONTH_EN}|{_YEAR}"
    ),
    "es": (
        rf"{_ISO}|{_DMY}|\d{{1,2}}(?: de)? {_MONTH_ES}(?:,? (?:de |del )?\d{{4}}(?!\d))?"
        rf"|{_MONTH_ES} (?:de |del )?\d{{4}}(?!\d)|(?<!la )(?:{_any(d for d in _DAYS_AWAY if d[0] in 'haempe')})(?!\w)"
        rf"|(?:{_SPAN_ES}) (?:pasad[oa]|que viene|próxim[oa]|anterior)(?!\w)"
        rf"|(?:pasad[oa]|próxim[oa]|este|esta) {_SPAN_ES}|hace {_COUNT} {_UNIT_ES}(?!\w)"
        rf"|dentro de {_COUNT} {_UNIT_ES}(?!\w)|fin de semana|{_DAY_ES}|{_MONTH_ES}|{_YEAR}"
    ),
}
_CLOCK = {
    "en": r"\d{1,2}(?::\d\d)? ?[ap]\.?m\b\.?|\d{1,2}:\d\d(?!\d)|noon(?!\w)|midnight(?!\w)",
    "es": (
        rf"(?:(?:las )?\d{{1,2}}:\d\d(?!\d)|las (?:\d{{1,2}}(?![\d.,])|(?:{_any(list(_NUMBERS_ES)[2:13])})(?!\w))"
        r"(?: y media| y cuarto| menos cuarto)?)(?: de la (?:mañana|tarde|noche)| ?[ap]\.?m\b\.?)?"
        r"|\d{1,2} ?[ap]\.?m\b\.?|mediodía|medianoche"
    ),
}


def _pattern(language: str) -> re.Pattern[str]:
    number = rf"(?:{_DIGITS}|{_WORDS[language]})"
    scale = rf"(?: ?(?:k|m|bn)(?!\w)| (?:{_any(s for s in _SCALES if len(s) > 2)})(?: de)?(?!\w))?"
    currency = _any(_CURRENCIES)
    return re.compile(
        r"(?P<url>https?://[^\s<>\"']{1,180}|www\.[^\s<>\"']{1,180})"
        r"|(?P<email>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,24}){1,4})"
        rf"|(?<![\w.])(?P<clock>{_CLOCK[language]})"
        rf"|(?<![\w.,])(?P<date>{_DATES[language]})"
        rf"|(?P<money>(?<!\w)(?:[€£¥]|(?:us|r)?\$) ?{_DIGITS}{scale}|(?<![\w.,]){number}{scale} ?(?:{currency})(?!\w))"
        rf"|(?<![\w.,])(?P<percent>{number} ?(?:%|percent(?!\w)|por ciento(?!\w)))"
        r"|(?<![\w.,])(?P<phone>\+\d{1,3}(?:[ .()-]{0,2}\d){6,12}|\d{3}-\d{4}(?!\d)|\d{2,4}(?:[ -]\d{2,4}){2,4}(?![\d.,]))"
        rf"|(?<![\w.,])(?P<quantity>{number}{scale}[ -]?(?:{_any(_UNITS)})(?!\w)(?:[ -]old)?)"
        rf"|(?<![\w.,])(?P<count>{number}{scale}(?: (?P<noun>[a-záéíóúüñç]{{3,30}})(?![\w-]))?)",
        re.IGNORECASE,
    )


@lru_cache(maxsize=4)
def _compiled(language: str) -> re.Pattern[str]:
    return _pattern("es" if language == "es" else "en")


_ARTICLE = re.compile(
    r"^(?:(?:on|in|at|since|until|by|from|during|the|el|la|los|las(?! )|en|desde|hasta|del|al|a|por)\s+)+(?=\S)",
    re.IGNORECASE,
)
_NOT_COUNTED = frozenset(
    "more less other times time things thing ways percent and but are was were people ones who that years "
    "más menos otros otras veces cosas cosa que por para con sin son era fue los las muy del personas".split()
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
    tongue = "es" if language == "es" else "en"
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

    `language` "es" reads 1.500 as a thousand and a half, anything else as 1.5; `at` is what "yesterday" and
    "3 March" are resolved against (relative dates are None without it).
    """
    surface = " ".join(surface.split())
    if not surface or len(surface) > MAX_SURFACE:
        return None
    tongue = "es" if language == "es" else "en"
    for candidate in (surface, _ARTICLE.sub("", surface)):
        match = _compiled(tongue).fullmatch(candidate)
        if match is not None:
            kind = next(k for k in _READERS if match.group(k))
            if candidate.casefold() in _AMBIGUOUS_MONTHS and candidate.islower():
                return None
            return _cached(kind, candidate, tongue, at)
    return None


def resolve_date(
    surface: str, language: str | None, at: datetime | None, *, future: bool = False
) -> str | None:
    """ISO text of a date expression, or None. `future`: the sentence speaks of what is to come, so that
    "on Friday" and "3 May" are the next ones."""
    return _read_date(
        " ".join(surface.split()), "es" if language == "es" else "en", _midnight(at), future=future
    )


def _counted(match: re.Match[str], text: str) -> str:
    """A bare number in digits, or number and noun if the noun phrase ends there; "" for anything else."""
    noun = match.group("noun")
    number = match.group()[: match.start("noun") - match.start()].strip() if noun else match.group()
    spelled = not any(c.isdigit() for c in number)
    single = number.casefold() in _SINGLE
    if noun and noun.islower() and noun not in _NOT_COUNTED and not single:
        following = re.match(r"\s+([a-záéíóúüñ]{3,})", text[match.end() :])
        if noun.endswith("s") and (following is None or following.group(1) in _AFTER_NOUN):
            return match.group()
    return "" if spelled else number


_AFTER_NOUN = frozenset(
    "and but for from with who that which when while because since until into about after before last this "
    "next yesterday today named called were was are have had will can que con para por desde cuando porque "
    "pero del los las una ayer hoy este esta llamados llamadas son eran".split()
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
    return _canonical(kind, surface, language, _midnight(at))


def _midnight(at: datetime | None) -> datetime | None:
    """The day of `at`, so that all turns of a day share one cached answer."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None) if at else None


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
        grouping = sign == ("." if language == "es" else ",")
        # three decimals make no sense in money, whatever the language
        if len(separators) > 1 or (len(tail) == 3 and (grouping or money)):
            text = text.replace(sign, "")
    try:
        return Decimal(text.replace(",", "."))
    except InvalidOperation:
        return None


def _words(text: str, language: str) -> Decimal | None:
    """A number in words ("quince mil", "two hundred and five")."""
    table = _NUMBERS_ES if language == "es" else _NUMBERS_EN
    total = group = 0
    for word in re.split(r"[\s-]+", text.casefold()):
        if word in table:
            group += table[word]
        elif word == "hundred":
            group = max(group, 1) * 100
        elif word in _SCALES:
            total, group = total + max(group, 1) * _SCALES[word], 0
        elif word not in {"and", "y", "a", "de"}:
            return None
    return Decimal(total + group)


_LEADING = re.compile(r"(?:\d[\d.,' ]*\d|\d)")


def _amount(text: str, language: str, *, money: bool = False) -> tuple[Decimal, str] | None:
    """The number a text begins with, its scale applied, and what follows it."""
    match = _LEADING.match(text)
    if match is None:
        match = re.match(_WORDS["es" if language == "es" else "en"], text, re.IGNORECASE)
        number = _words(match.group(), language) if match else None
    else:
        number = _digits(match.group(), language, money=money)
    if match is None or number is None:
        return None
    rest = text[match.end() :].lstrip(" -")
    scale = re.match(
        r"(k|m|bn|thousand|million|billion|mil|mill[oó]n|millones)(?!\w)(?: de(?!\w))?", rest, re.I
    )
    # "5 m" alone is a length; a scale only before a currency or as the last word of a spelled number
    if scale and (money or len(scale.group(1)) > 1 or scale.group(1).casefold() == "k"):
        number, rest = number * _SCALES[scale.group(1).casefold()], rest[scale.end() :]
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
    return f"{_plain(amount[0])} {_UNITS[unit]}" if unit in _UNITS else None


def _read_count(surface: str, language: str, at: datetime | None) -> str | None:
    if surface.casefold() in _SINGLE:
        return None
    amount = _amount(surface, language)
    if amount is None:
        return None
    number, noun = amount
    if noun and surface.split()[0].casefold() in _SINGLE:
        return None
    return f"{_plain(number)} {_singular(noun.casefold(), language)}" if noun else _plain(number)


def _singular(noun: str, language: str) -> str:
    if language == "es":
        if noun.endswith("ces"):
            return noun[:-3] + "z"
        if re.search(r"[lnrdj]es$", noun):
            return noun[:-2]
        return noun[:-1] if noun.endswith("s") else noun
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
    for words, moment in (("noon mediodía", "12:00"), ("midnight medianoche", "00:00")):
        if low in words.split():
            return moment
    match = re.match(r"(?:las )?(\d{1,2}|[^\W\d]+)(?::(\d\d))?", low)
    if match is None:
        return None
    hour = int(match.group(1)) if match.group(1).isdigit() else _NUMBERS_ES.get(match.group(1), 99)
    minute = int(match.group(2) or 0)
    minute += 30 if " y media" in low else 15 if " y cuarto" in low else -15 if "menos cuarto" in low else 0
    half = re.search(r"(a|p)\.?m\b|de la (mañana|tarde|noche)", low)
    if half and hour <= 12:
        late = half.group(1) == "p" or half.group(2) in ("tarde", "noche")
        hour = hour % 12 + (12 if late else 0)
    if hour > 23 or minute > 59:
        return None
    hour, minute = (hour - 1, 45) if minute < 0 else (hour, minute)
    return f"{hour % 24:02d}:{minute:02d}"


# --- dates -----------------------------------------------------------------------------------------------


def _read_date(surface: str, language: str, at: datetime | None, *, future: bool = False) -> str | None:
    low = _ARTICLE.sub("", surface.casefold().strip()) if " " in surface else surface.casefold()
    low = surface.casefold() if re.match(r"in \S+ [dwmy]", surface.casefold()) else low.rstrip(".")
    if re.fullmatch(r"(?:19|20)\d\d", low):
        return low
    iso = re.match(r"\d{4}-\d\d(?:-\d\d)?", low)
    if iso:
        return _valid_iso(iso.group())
    if at is not None:
        for reader in (_near, _distance, _span):
            found = reader(low, language, at.date(), future)
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
        r"(?P<to>in |hace |dentro de )?(?P<n>a couple of|\S+) (?P<unit>days?|weeks?|months?|years?|días?|semanas?|"
        r"mes|meses|años?)(?P<from> ago| from now)?",
        low,
    )
    if match is None or not (match["to"] or match["from"]):
        return None
    word = match["n"]
    if word.isdigit():
        n = int(word)
    else:
        n = {"a": 1, "an": 1, "a couple of": 2}.get(word) or (_NUMBERS_EN | _NUMBERS_ES).get(word, 0)
    if n == 0:
        return None
    back = (match["to"] or "").startswith("hace") or match["from"] == " ago"
    return _moved(day, -n if back else n, _UNITS[match["unit"]])


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


_PAST, _NEXT = {"last", "past", "this past", "pasado", "pasada", "anterior"}, {
    "next", "coming", "this coming", "próximo", "próxima", "que viene", "proximo", "proxima"}  # fmt: skip


def _span(low: str, language: str, day: date, future: bool) -> str | None:
    """ "last Friday", "next month", "el fin de semana pasado", "Friday"."""
    match = re.fullmatch(
        rf"(?P<a>last|next|this past|this coming|this|past|coming|pasad[oa]|próxim[oa]|est[ea])?\s?"
        rf"(?P<what>{_SPAN_EN}|{_SPAN_ES})(?:\s(?P<b>pasad[oa]|que viene|próxim[oa]|anterior))?",
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
    if what in {"weekend", "fin de semana", "finde"}:
        if not said and not future:
            step = -1 if day.weekday() < 5 else 0
        return _week(day + timedelta(weeks=step), first=5)
    if not said:
        return None
    unit = _UNITS[what]
    return _moved(day, step, unit)


def _weekday(day: date, weekday: int, said: str, step: int) -> str:
    if said in {"this", "este", "esta"}:
        return (day + timedelta(days=weekday - day.weekday())).isoformat()
    away = (weekday - day.weekday()) % 7
    # a bare weekday may be today itself; "last" and "next" may not
    if step > 0:
        away = away or (7 if said else 0)
    else:
        away = away - 7 if away or said else 0
    return (day + timedelta(days=away)).isoformat()


def _month(day: date, month: int, said: str, step: int) -> str:
    year = day.year
    if said not in {"this", "este"}:
        if step > 0 and (month < day.month or (said and month == day.month)):
            year += 1
        elif step < 0 and (month > day.month or (said and month == day.month)):
            year -= 1
    return f"{year}-{month:02d}"


_MONTH_YEAR = re.compile(rf"(?P<m>{_MONTH_EN}|{_MONTH_ES})(?:,? (?:of |de |del )?(?P<y>\d{{4}}))?")


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

    settings = {"PREFER_DATES_FROM": "future" if future else "past", "REQUIRE_PARTS": ["day", "month"]}
    years = {y: _parse_with(parse, low, language, settings, base) for y, base in _bases(at)}
    found = list(years.values())
    if not found or found[0] is None:
        return None
    if at is None and any(a != b for a, b in pairwise(found)):
        return f"-{found[0][4:]}"
    return found[0]


def _bases(at: datetime | None) -> list[tuple[int, datetime]]:
    # without a moment, a date that moves with the base has no year of its own
    return [(at.year, at)] if at else [(y, datetime(y, 12, 31)) for y in (2000, 2004)]  # noqa: DTZ001


def _parse_with(
    parse: Callable[..., datetime | None],
    low: str,
    language: str,
    settings: dict[str, object],
    base: datetime,
) -> str | None:
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)(?: of)?\b", "", low)
    found = parse(
        text, languages=[language], settings={**settings, "RELATIVE_BASE": base.replace(tzinfo=None)}
    )
    return found.date().isoformat() if found else None


_READERS: dict[str, Callable[[str, str, datetime | None], str | None]] = {
    "url": _read_url,
    "email": _read_email,
    "clock": _read_clock,
    "date": _read_date,
    "money": _read_money,
    "percent": _read_percent,
    "phone": _read_phone,
    "quantity": _read_quantity,
    "count": _read_count,
}
