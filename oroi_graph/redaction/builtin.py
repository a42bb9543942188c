"""The built-in redactor: secrets (detect-secrets and patterns of ours), e-mail addresses, phone numbers, cards, IBANs.

Each find becomes "[kind]". Texts are looked through in pieces that overlap, so time grows with the length of a text,
whatever its shape.
"""

from __future__ import annotations

import re
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from oroi_graph.errors import SettingsError
from oroi_graph.redaction.texts import Redacted
from oroi_graph.settings import REDACTED, REGIONS

SHORTEST_IBAN = 15
PIECE, OVERLAP = 4_000, 700  # characters; nothing but a private key is longer than the overlap

_MISSING = "redaction needs its libraries: pip install 'oroi-graph[redaction]', or unset OROI_REDACT"

Span = tuple[int, int]
Finder = Callable[[str], Iterator[Span]]

_FILE = tomllib.loads((files(__package__) / "patterns.toml").read_text("utf-8"))
_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY( BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z ]{0,40}PRIVATE KEY( BLOCK)?-----")
_KEY_LINE = re.compile(r"\s*(?:[A-Za-z0-9+/=]*|[A-Za-z-]+: [^\n]*)\s*\Z")
_TOKEN = re.compile(r"[A-Za-z0-9_\-.+/=~]*")
_EMAIL = re.compile(r"(?<![\w.+%-])[\w][\w.!#$%&'*+/=?^`{|}~-]{0,63}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_CARD = re.compile(r"(?<![\d.,])[2-6]\d{3}(?:[ .-]?\d){9,15}(?![\d])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{1,4}){3,9}")
_PHONE = re.compile(r"\+?\(?\d(?:[\s().\-/]{0,3}\d){6,16}")
_lock = threading.Lock()


class BuiltInRedactor:
    """Takes secrets and personal data out of texts. kinds: which (REDACTED). regions: of national phone numbers.

    Raises SettingsError for a kind or region that does not exist, and if the libraries are absent.
    Safe to share among threads.
    """

    def __init__(self, kinds: Sequence[str] = REDACTED, regions: Sequence[str] = REGIONS) -> None:
        unknown = sorted(set(kinds) - set(REDACTED))
        if unknown or not kinds:
            raise SettingsError(f"redaction knows {', '.join(REDACTED)}, got {', '.join(unknown) or 'nothing'}")
        self.kinds = tuple(kind for kind in REDACTED if kind in kinds)
        self.regions = tuple(regions)
        finders: Mapping[str, Callable[[], Finder]] = {
            "secret": _secrets,
            "email": lambda: _emails,
            "iban": _ibans,
            "card": _cards,
            "phone": lambda: _phones(self.regions),
        }
        try:
            self._finders = [(kind, finders[kind]()) for kind in self.kinds]
        except ImportError:  # the libraries of the extra
            raise SettingsError(_MISSING) from None

    def __repr__(self) -> str:
        return f"BuiltInRedactor({', '.join(self.kinds)})"

    def __call__(self, text: str) -> Redacted:
        counts: dict[str, int] = {}
        # What was taken out may have hidden what stood beside it. Each pass leaves less to be found.
        while (found := self._once(text)).counts:
            text = found.text
            for kind, count in found.counts.items():
                counts[kind] = counts.get(kind, 0) + count
        return Redacted(text, counts)

    def _once(self, text: str) -> Redacted:
        spans = [
            (start + offset, end + offset, kind)
            for offset, piece in _pieces(text)
            for kind, find in self._finders
            for start, end in find(piece)
        ]
        if "secret" in self.kinds:
            spans += [(start, end, "secret") for start, end in _private_keys(text)]
        return _without(text, spans)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Overlapping pieces of a text with their offsets."""
    for start in range(0, max(len(text) - OVERLAP, 1), PIECE - OVERLAP):
        yield start, text[start : start + PIECE]


def _without(text: str, spans: Sequence[tuple[int, int, str]]) -> Redacted:
    """The text with each group of overlapping finds replaced by its kind."""
    merged: list[list[int]] = []
    kinds: list[str] = []
    for start, end, kind in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
            kinds[-1] = min(kinds[-1], kind, key=REDACTED.index)
        else:
            merged.append([start, end])
            kinds.append(kind)
    parts, at = [], 0
    counts: dict[str, int] = {}
    for (start, end), kind in zip(merged, kinds, strict=True):
        # Notes are cited by lines: a private key leaves as many as it had.
        parts += [text[at:start], f"[{kind}]", "\n" * text.count("\n", start, end)]
        at, counts[kind] = end, counts.get(kind, 0) + 1
    return Redacted("".join([*parts, text[at:]]), counts) if merged else Redacted(text)


def _private_keys(text: str) -> Iterator[Span]:
    """Whole blocks; of one without an end, the lines that look like a key's."""
    at = 0
    while (begin := _KEY_BEGIN.search(text, at)) is not None:
        end = _KEY_END.search(text, begin.end())
        following = _KEY_BEGIN.search(text, begin.end())
        if end is not None and (following is None or end.start() < following.start()):
            at = end.end()
        else:
            at = begin.end()
            for line in text[begin.end() : begin.end() + 20_000].splitlines(keepends=True):
                if not _KEY_LINE.match(line):
                    break
                at += len(line)
        yield begin.start(), at


def _secrets() -> Finder:
    """Known forms of keys and tokens, and what is said to be a password."""
    own = [re.compile(one) for one in _FILE["tokens"]]
    words, joins = ("|".join(sorted(_FILE[name], key=len, reverse=True)) for name in ("words", "joins"))
    named = re.compile(
        rf"(?<!\w)(?:{words})\s{{0,3}}(?:{joins})\s{{0,3}}"
        r"(?:\"([^\"\n\[]{3,200})\"|'([^'\n\[]{3,200})'|`([^`\n\[]{3,200})`|«([^»\n\[]{3,200})»|([^\s\[\"'`«]{4,200}))",
        re.IGNORECASE,
    )
    detectors = _detectors()

    def find(text: str) -> Iterator[Span]:
        for pattern in own:
            yield from (match.span() for match in pattern.finditer(text))
        for pattern in detectors:
            for match in pattern.finditer(text):
                group = next((number for number, value in enumerate(match.groups(), 1) if value), 0)
                start, end = match.span(group)
                # The library's patterns need not reach the end of a token (a JWT's signature).
                reached = _TOKEN.match(text, end)
                yield start, reached.end() if reached else end
        for match in named.finditer(text):
            start, end = match.span(match.lastindex or 0)
            value = text[start:end].rstrip(".,;:!?)")
            # An unquoted word is a word ("the password is secret"); a password has a digit or a sign in it.
            if match.lastindex != 5 or (len(value) >= 4 and not value.replace("-", "").isalpha()):
                yield start, start + len(value)

    return find


@cache
def _detectors() -> tuple[re.Pattern[str], ...]:
    """The patterns of detect-secrets for tokens of known forms; entropy, which finds ordinary hashes, is left out."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    with _lock:
        found: list[type[object]] = list(get_mapping_from_secret_type_to_class().values())
    wanted: list[RegexBasedDetector] = [
        one() for one in found if issubclass(one, RegexBasedDetector) and one.__name__ not in _FILE["unused_detectors"]
    ]
    return tuple(pattern for one in wanted for pattern in one.denylist)


def _emails(text: str) -> Iterator[Span]:
    if "@" in text:
        yield from (match.span() for match in _EMAIL.finditer(text))


def _cards() -> Finder:
    from stdnum import luhn

    def find(text: str) -> Iterator[Span]:
        at = 0
        while (match := _CARD.search(text, at)) is not None:
            start = match.start()
            # Digits of something else may follow (a date): the longest valid beginning that ends a group counts.
            ends = (end for end in range(match.end(), start + 12, -1) if not text[end : end + 1].isdigit())
            end = next((end for end in ends if _is_card(text[start:end], luhn.is_valid)), None)
            if end is not None:
                yield start, end
            at = end or start + 4

    return find


def _is_card(text: str, valid: Callable[[str], bool]) -> bool:
    digits = re.sub(r"\D", "", text)
    return text[-1:].isdigit() and 13 <= len(digits) <= 19 and valid(digits)


def _ibans() -> Finder:
    from stdnum import iban

    def find(text: str) -> Iterator[Span]:
        at = 0
        while (match := _IBAN.search(text, at)) is not None:
            # What follows may be words ("ES91 2100 0418 4502 0005 1332 is mine"): the longest valid beginning counts.
            start, found = match.start(), match.group()
            ends = [len(found), *(one.start() for one in reversed(list(re.finditer(r"[ -]", found))))]
            end = next((end for end in ends if end >= SHORTEST_IBAN and iban.is_valid(found[:end])), None)
            if end is not None:
                yield start, start + end
            at = start + (end or 4)

    return find


def _phones(regions: Sequence[str]) -> Finder:
    from phonenumbers import PhoneNumberMatcher
    from phonenumbers.phonenumberutil import COUNTRY_CODE_TO_REGION_CODE

    known = {region for some in COUNTRY_CODE_TO_REGION_CODE.values() for region in some}
    unknown = sorted(set(regions) - known)
    if unknown:
        raise SettingsError(
            f"no phone numbers are known of the region {unknown[0][:20]!r}: set OROI_REDACT_REGIONS as in ES GB US"
        )

    def find(text: str) -> Iterator[Span]:
        if not _PHONE.search(text):
            return
        for region in (None, *regions):
            if region is None and "+" not in text and "\uff0b" not in text:
                continue
            yield from ((match.start, match.end) for match in PhoneNumberMatcher(text, region))

    return find
