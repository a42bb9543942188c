"""Numbers with units, ranges and bounds, amounts of money, dates, times, versions and identifiers in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

from oroi_graph.contract.reading.words import Words, key, units, words_of
from oroi_graph.language.detection import Language
from oroi_graph.language.lexicons.tables import common_words, table, tables
from oroi_graph.language.normalize import fold
from oroi_graph.language.numbers import NUMBER_WORDS, SCALES, number_in_words
from oroi_graph.language.values import decimal_of, find_values

Kind = Literal["number", "quantity", "money", "percent", "time", "date", "version", "identifier"]
Bound = Literal["", "min", "max", "about", "range"]

_IP = r"\d{1,3}(?:\.\d{1,3}){3}(?::\d+|/\d+)?"
_DOTTED_DATE = r"\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})|\d{4}\.\d{1,2}\.\d{1,2}"
_CODE = re.compile(
    rf"(?<![\w.@/])(?:(?P<date>{_DOTTED_DATE})(?![\w.])|(?P<ip>{_IP})(?!\w)|(?P<version>v\.?\d+(?:\.\d+)*|\d+(?:\.\d+){{2,}})"
    r"(?:-[a-z]+[\d.]*)?(?![\w.]\w)(?!\w)|(?P<token>[\w/~][\w.:/@+#~-]*[\w/]))",
    re.IGNORECASE,
)
_NUMBER = r"(?<![\w.,])[-+]?(?:\d{1,3}(?: \d{3})+(?![\d ]\d)(?:[.,]\d+)?|\d[\d.,']*\d|\d)"
_WITH_UNIT = re.compile(r"[-+]?\d[\d.,]*-?([^\W\d_]+[23]?|[°º%][a-z]?)(?:/[a-z]+)?", re.IGNORECASE)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|º|ª|o|a|er)", re.IGNORECASE)
_CLOCK = re.compile(r"\d{1,2}(?:h\d{0,2}|[ap]m)", re.IGNORECASE)
_DATE = re.compile(r"(?:(\d{4})|-)(?:-(\d\d))?(?:-(\d\d))?")
_UNIT = re.compile(r"\s?-?([^\W\d_]+(?:/[^\W\d_]+)?[23]?(?!\w)|[°º][cf]?(?!\w))", re.IGNORECASE)
_SCALE = re.compile(
    r"\s?(k|m|bn|thousand|million|billion|mil|mill[oó]n(?:es)?|milh[aã]o|milh[oõ]es)(?!\w)", re.IGNORECASE
)
_COMPARED = re.compile(r"(<=|>=|≤|≥|<|>|~|≈|±)\s*\Z")
_SIGNS: dict[str, Bound] = {"<=": "max", "≤": "max", "<": "max", ">=": "min", "≥": "min", ">": "min"}
_CURRENCY = re.compile(rf"(?<!\w)({'|'.join(table(tables('values'), 'currencies'))}) ?\Z")
_PRODUCT = re.compile(r"(?<!\w)([A-Z][^\W\d_]*) \Z")
_HOURS = re.compile(r" horas?(?!\w)")
_NEXT_WORD = re.compile(r"[ -]+([^\W\d_]+(?:-[^\W\d_]+)*)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ATTACHED = {"a", "in", "b", "k", "us", "c", "f", "j", "w", "v"}  # units only where no space stands before them …
_CAPITAL = {"a", "b", "c", "f", "j", "k", "w", "v"}  # … or in capitals
_FAHRENHEIT, _KELVIN = {"f", "°f", "ºf", "fahrenheit"}, {"k", "kelvin"}
_RANGING = {"number", "quantity", "money", "percent"}  # of which two may be the ends of a range
_LOOK_BACK = 24  # characters before a number in which a bound stands


class _Unit(NamedTuple):
    """dimension, how many of its first unit this one is, its spelling, where it ends in the text."""

    dimension: str
    factor: float
    spelling: str
    end: int

    def in_base(self, number: float) -> float:
        """`number` of this unit in the first unit of its dimension."""
        if self.dimension == "temperature" and self.spelling in _FAHRENHEIT:
            return (number - 32) / 1.8
        if self.dimension == "temperature" and self.spelling in _KELVIN:
            return number - 273.15
        return number * self.factor


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One value in a text.

    start, end: offsets. low, high: of numbers, in the first unit of `unit`'s dimension; equal but for a range. text:
    of the others, their canonical form. unit: a dimension ("mass", "volume/time"), a currency, or "". nouns: keys of
    what is counted. before: the key of the word before.
    """

    kind: Kind
    start: int
    end: int
    low: float = 0.0
    high: float = 0.0
    text: str = ""
    unit: str = ""
    scale: _Unit | None = None
    bound: Bound = ""
    nouns: frozenset[str] = frozenset()
    before: str = ""


def find_amounts(text: str, lists: Words) -> list[Amount]:
    """The amounts of `readable` text in order, without overlap."""
    found, rest = _codes(text, lists)
    for start, end, surface, canonical in find_values(rest, lists.language, None):
        amount = _known(start, end, surface, canonical)
        # "a las 2 horas" is a time that passes as often as one of the day
        lasts = lists.language == "es" and _HOURS.match(rest, end) is not None
        if amount is not None and not (lasts and amount.kind == "time"):
            before = fold(rest[max(0, start - _LOOK_BACK) : start])
            found.append(replace(amount, before=_last_word(before, lists)))
    masked = _masked(rest, found)
    found += _numbers(masked, lists)
    return _with_ranges(text, sorted(found, key=lambda amount: amount.start), lists)


def date_parts(text: str) -> tuple[int | None, int | None, int | None] | None:
    """Year, month and day of a canonical date, None for what it does not say; None for a range."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    return year, month, day


def _codes(text: str, lists: Words) -> tuple[list[Amount], str]:
    """Versions and identifiers, and the text with blanks in their place."""
    found: list[Amount] = []
    for match in _CODE.finditer(text):
        surface = match.group()
        if match["date"]:
            continue
        if match["version"]:
            found.append(Amount(kind="version", start=match.start(), end=match.end(), text=_version(surface)))
        elif match["ip"] or _is_code(surface):
            before = _last_word(fold(text[max(0, match.start() - _LOOK_BACK) : match.start()]), lists)
            code = surface.casefold()
            found.append(Amount(kind="identifier", start=match.start(), end=match.end(), text=code, before=before))
    return found, _masked(text, found)


def _version(surface: str) -> str:
    parts = surface.casefold().lstrip("v").lstrip(".")
    while parts.endswith(".0") and parts.count(".") > 1:
        parts = parts[:-2]
    return parts


def _is_code(token: str) -> bool:
    """Whether a token is an identifier, path or address rather than words, a number or a number with its unit."""
    bare = token.rstrip("./:-")
    digits, letters = any(c.isdigit() for c in bare), any(c.isalpha() for c in bare)
    if "@" in bare[1:]:
        return True
    if "/" in bare and letters and (bare.startswith(("/", "~")) or bare.count("/") > 1 or "." in bare):
        return True
    if not digits:
        return bool(re.fullmatch(r"[\w-]{2,}(?:\.[\w-]{2,})+", bare)) and letters and bare == bare.lower()
    if not letters or re.match(r"\d{4}-\d\d-\d\d", bare):
        return False
    if _ORDINAL.fullmatch(bare) or _CLOCK.fullmatch(bare) or bare.casefold() in ("m2", "m3", "km2", "cm2", "cm3"):
        return False
    unit = _WITH_UNIT.fullmatch(bare)
    known = unit is not None and (fold(unit[1]) in units() or unit[1].casefold() in SCALES or unit[1] in "xX")
    return not known and not re.fullmatch(r"[-+]?\d[\d.,]*-[^\W\d_]{3,}(?:-[^\W\d_]+)*", bare)


def _masked(text: str, found: list[Amount]) -> str:
    """`text` with blanks for what was read, so that offsets stay."""
    for amount in found:
        text = text[: amount.start] + "\x1f" * (amount.end - amount.start) + text[amount.end :]
    return text


def _known(start: int, end: int, surface: str, canonical: str) -> Amount | None:
    """What `find_values` read, where it is more than a number; a bare year counts as a number."""
    if re.fullmatch(r"\d\d:\d\d", canonical):
        minutes = int(canonical[:2]) * 60.0 + int(canonical[3:])
        return Amount(kind="time", start=start, end=end, low=minutes, high=minutes)
    if re.fullmatch(r"[A-Z]{3} -?[\d.]+", canonical):
        value = float(canonical[4:])
        return Amount(kind="money", start=start, end=end, low=value, high=value, unit=canonical[:3])
    if re.fullmatch(r"-?[\d.]+%", canonical):
        value = float(canonical[:-1])
        return Amount(kind="percent", start=start, end=end, low=value, high=value)
    if canonical == surface and re.fullmatch(r"\d{4}", canonical):
        return None
    if "/" in canonical and re.match(r"\d{4}-\d\d", canonical):
        return Amount(kind="date", start=start, end=end, text=canonical)
    if _DATE.fullmatch(canonical) and not canonical.isdigit():
        return Amount(kind="date", start=start, end=end, text=canonical)
    if (
        "://" in canonical
        or "@" in canonical
        or (canonical.lstrip("+").isdigit() and len(canonical) >= 7 and not surface.isdigit())
    ):
        if re.fullmatch(r"\d{1,3}(?:[., ']\d{3})+", surface):  # 1,200,000 is no telephone
            return None
        return Amount(kind="identifier", start=start, end=end, text=canonical)
    return None


def _numbers(text: str, lists: Words) -> list[Amount]:
    found = [
        amount for match in _number_pattern(lists.language).finditer(text) if (amount := _number(text, match, lists))
    ]
    kept: list[Amount] = []
    for amount in found:
        if kept and amount.start < kept[-1].end:
            continue
        kept.append(amount)
    return kept


def _with_ranges(text: str, found: list[Amount], lists: Words) -> list[Amount]:
    """The amounts, two that are the ends of one range as one."""
    kept: list[Amount] = []
    for amount in found:
        if kept and _is_range(text, kept[-1], amount, lists):
            kept[-1] = _joined(kept[-1], amount)
        else:
            kept.append(amount)
    return kept


@cache
def _number_pattern(language: Language) -> re.Pattern[str]:
    lists = words_of(language)
    half, dozen = "|".join(lists.half), "|".join(sorted(lists.dozen | {"dúzia", "dúzias"}, key=len, reverse=True))
    return re.compile(
        rf"(?P<digits>{_NUMBER})|(?<!\w)(?P<dozens>(?:(?P<half>{half}) (?:a )?)?(?:{dozen}))(?!\w)"
        rf"|(?P<words>{NUMBER_WORDS[language]})",
        re.IGNORECASE,
    )


def _number(text: str, match: re.Match[str], lists: Words) -> Amount | None:
    value = _value(text, match, lists)
    if value is None:
        return None
    number, end = value
    scale = _SCALE.match(text, end)
    if scale and scale[1].casefold() in SCALES and (len(scale[1]) > 2 or scale[0] in ("k", "K", "M", "bn")):
        number, end = number * SCALES[scale[1].casefold()], scale.end()
    read = _unit(text, end, lists)
    if read is None and match["words"] and text[end : end + 1] == "-":
        return None  # "two-factor"
    before = fold(text[max(0, match.start() - _LOOK_BACK) : match.start()])
    if read is None and match["digits"] and before.split() and before.split()[-1].rstrip(".:") in lists.version:
        return _product_version(text, match.start(), end)
    currency = _CURRENCY.search(text[: match.start()])
    if read is None and currency:
        start = currency.start()
        return Amount(kind="money", start=start, end=end, low=number, high=number, unit=currency[1])
    end = end if read is None else read.end
    nouns, after = _nouns(text, end, lists)
    if read is None and nouns and (rate := _per(text, after, lists)) is not None:
        read = _Unit(f"/{rate[0]}", 1 / rate[1], "", rate[2])  # "100 requests per minute"
        end = rate[2]
    if read is None and not nouns and match["digits"] and _after_product(text[: match.start()], lists):
        return _product_version(text, match.start(), end)
    return Amount(
        kind="number" if read is None else "quantity",
        start=match.start(),
        end=end,
        low=number if read is None else read.in_base(number),
        high=number if read is None else read.in_base(number),
        unit="" if read is None else read.dimension,
        scale=read,
        bound=_bound(before, lists),
        nouns=nouns,
        before=_last_word(before, lists),
    )


def _product_version(text: str, start: int, end: int) -> Amount:
    before = text[:start].split()
    name = before[-1].casefold() if before else ""
    return Amount(kind="version", start=start, end=end, text=_version(text[start:end]), before=name)


def _after_product(before: str, lists: Words) -> bool:
    """Whether a text ends with a capitalised word that is none of everyday: "Ruby", "PostgreSQL"."""
    match = _PRODUCT.search(before)
    low = match[1].casefold() if match else ""
    known = common_words(lists.language) | lists.function
    return bool(low) and low not in known and low.removesuffix("s") not in known


def _value(text: str, match: re.Match[str], lists: Words) -> tuple[float, int] | None:
    """A number and where it ends; None for what is none, such as an article."""
    end = match.end()
    if match["dozens"]:
        return (6.0 if match["half"] else 12.0), end
    if match["digits"]:
        written = match["digits"]
        written = written.rstrip(".,' ")
        end = match.start() + len(written)
        sign = -1.0 if written.startswith("-") else 1.0
        number = decimal_of(written.lstrip("+-"), lists.language)
        value = None if number is None else sign * float(number)
    else:
        said = match.group()
        number_said = number_in_words(said, lists.language)
        single = fold(said) in ("a", "an", "un", "una", "uno", "um", "uma")
        value = None if number_said is None or single else float(number_said)
    if value is None:
        return None
    dozens = re.match(r"\s([^\W\d_]+)", text[end:])
    if dozens and fold(dozens[1]) in lists.dozen:
        return value * 12, end + dozens.end()
    return value, end


def _unit(text: str, end: int, lists: Words) -> _Unit | None:
    """The unit right after a number."""
    match = _UNIT.match(text, end)
    if match is None:
        return None
    spelling, spaced = fold(match[1]), match[0].startswith((" ", "-"))
    if spelling in _CAPITAL and not match[1].isupper():
        return None
    if spelling in _ATTACHED and spaced and not match[1].isupper():
        return None
    known, last = units().get(spelling), match.end()
    if known is None and "/" in spelling:
        spelling, last = spelling.split("/")[0], match.start(1) + match[1].index("/")
        known = units().get(spelling)
    if known is None:
        return None
    rate = _per(text, last, lists)
    if rate is None:
        return _Unit(known[0], known[1], spelling, last)
    return _Unit(f"{known[0]}/{rate[0]}", known[1] / rate[1], spelling, rate[2])


def _per(text: str, end: int, lists: Words) -> tuple[str, float, int] | None:
    """The unit by which a rate is counted ("/h", "per minute"): dimension, factor, end."""
    match = lists.per.match(fold(text[end : end + 40]))
    known = units().get(match[1]) if match else None
    return None if known is None or match is None else (*known, end + match.end())


def _bound(before: str, lists: Words) -> Bound:
    """What the words before a number make of it."""
    sign = _COMPARED.search(before)
    if sign:
        return _SIGNS.get(sign[1], "about")
    found = [(match.start(), name) for name, pattern in lists.bounds.items() if (match := pattern.search(before))]
    if not found:
        return ""
    name = min(found)[1]
    return "min" if name == "min" else "max" if name == "max" else "about"


def _last_word(before: str, lists: Words) -> str:
    said = [word for word in _WORD.findall(before) if word not in lists.function]
    return key(said[-1], lists.language) if said else ""


def _nouns(text: str, end: int, lists: Words) -> tuple[frozenset[str], int]:
    """Keys of up to two content words right after a number, or after "of" behind its unit, and where they end."""
    found: list[str] = []
    at = end
    while len(found) < 2 and (match := _NEXT_WORD.match(text, at)):
        word = match[1].casefold()
        linking = word in ("of", "de", "do", "da", "del")
        if not linking and (word in lists.function or fold(word) in lists.conjunctions):
            break
        if not linking:
            found.append(key(word, lists.language))
        at = match.end()
    return frozenset(found), at


def _is_range(text: str, first: Amount, second: Amount, lists: Words) -> bool:
    """Whether two amounts are the ends of one range: "4 to 6 kg", "between 4 and 6 euros", "4-6"."""
    between = fold(text[first.end : second.start])
    if not lists.to.fullmatch(between) or (first.unit and second.unit and first.unit != second.unit):
        return False
    if second.kind not in _RANGING or first.kind not in {"number", second.kind} or second.bound == "range":
        return False
    opened = lists.between.search(fold(text[max(0, first.start - _LOOK_BACK) : first.start])) is not None
    if first.bound not in (("", "about", "min") if opened else ("", "about")):
        return False
    bare = between.strip()
    return opened or bare in ("-", "to", "a", "ate", "hasta", "through")


def _joined(first: Amount, second: Amount) -> Amount:
    # "2-8 °C": the unit belongs to both ends.
    low = second.scale.in_base(first.low) if second.scale and not first.unit else first.low
    ends = sorted((low, second.low))
    return replace(second, start=first.start, low=ends[0], high=ends[1], bound="range", before=first.before)
