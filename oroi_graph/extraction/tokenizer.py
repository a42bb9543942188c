"""Text to tokens: contractions written out; values, quoted titles and names are one token each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, cast

from oroi_graph.language.dates import resolve_date
from oroi_graph.language.lexicons.phrases import in_every_match
from oroi_graph.language.lexicons.tables import replacements, tables
from oroi_graph.language.tokens import word_set
from oroi_graph.language.values import find_values

# poss: a possessive "'s". end: punctuation that ends a sentence. mark: other punctuation. clock: a time of day.
TokenKind = Literal["word", "name", "value", "date", "clock", "poss", "end", "mark"]


@dataclass(slots=True)
class Token:
    """A word, value or punctuation mark. end: the index in the text after its last character; low: case-folded text."""

    text: str
    kind: TokenKind
    end: int = 0
    low: str = field(init=False)

    def __post_init__(self) -> None:
        self.low = self.text.casefold()


def _expansions(name: str) -> list[tuple[str, re.Pattern[str], str]]:
    """What stands in every text that a pattern is found in, the pattern, and what is written in its place."""
    listed = replacements(tables("expansions"), name, re.IGNORECASE)
    return [(in_every_match(pattern.pattern.casefold()), pattern, written) for pattern, written in listed]


_EXPANSIONS = _expansions("expansions")
_EXPANSIONS_EN = _expansions("apostrophes") + _EXPANSIONS
_TOKEN = re.compile(
    r"(?P<quote>[\"“«](?=[^\W\d_])[^\"“”«»\n]{1,80}[\"”»])"
    r"|(?P<word>(?:(?:Dr|Dra|Mr|Mrs|Ms|Sr|Sra|Prof|Profa|St|D|Dña)\.(?=\s?[A-ZÀ-ÖØ-Þ])|[A-HJ-Z]\.(?=\s?[A-Z][\w.])"
    r"|\w{1,40}(?:[-&]\w{1,40}){0,4}))"
    r"|(?P<poss>'s?(?!\w))|(?P<end>[.!?…\n]+)|(?P<mark>[,;:()¿¡—–/\-])"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u2060\ufeff]")
# words that begin quoted speech; other quotations with a capital letter are titles
_SAYING = word_set("i you we he she they it yo tú él ella what how why do don't let that this")
# Portuguese pronouns after their verb ("mudei-me", "comprei-o", "vê-la"), and "a gente" for "we"
_ENCLITIC_PT = re.compile(r"\b(?!se\b)(\w{2,})-(?:(me|te|se|nos|lhes?)|l?[oa]s?)\b", re.IGNORECASE)
_JOINED = re.compile(r"[^\W\d_]-")  # before a number that belongs to a word: "blue-otter-42"
_WE_PT = re.compile(r"\ba gente\b", re.IGNORECASE)


def expand(text: str, language: str = "en") -> str:
    """Write English contractions out, without their apostrophe, too, and Portuguese pronouns before their verbs.

    After it, every verb and every "not" is a word of its own."""
    text = _CONTROLS.sub(" ", text).replace("’", "'").replace("‘", "'")
    low = text.casefold()
    for needed, pattern, written in _EXPANSIONS_EN if language == "en" else _EXPANSIONS:
        if needed in low:
            text, found = pattern.subn(written, text)
            low = text.casefold() if found else low
    if language == "pt":
        text = _ENCLITIC_PT.sub(_before_verb, _WE_PT.sub("nós", text))
    return text


def _before_verb(match: re.Match[str]) -> str:
    said, pronoun = match.group(1), match.group(2)
    if pronoun == "nos" and said.casefold().endswith("mo"):
        said += "s"  # "mudámo-nos": "mudámos"
    if not pronoun:
        return said
    return f"{pronoun.capitalize()} {said.lower()}" if said[0].isupper() else f"{pronoun} {said}"


def tokens(text: str, language: str, at: datetime | None) -> list[Token]:
    """Words, names in quotes, values and punctuation of an expanded text, in order."""
    found: list[Token] = []
    position = 0
    values = [
        value
        for value in find_values(text, language, at)
        if not _JOINED.fullmatch(text, max(value[0] - 2, 0), value[0])
    ]
    for start, end, surface, canonical in [*values, (len(text), len(text), "", "")]:
        matches = _TOKEN.finditer(text, position, max(start, position))
        found += (_token(match.group(), cast(TokenKind, match.lastgroup), match.end()) for match in matches)
        position = max(end, position)
        if surface:
            found.append(Token(surface, _value_kind(surface, canonical, language, at), end))
    return found


def _token(said: str, kind: TokenKind | Literal["quote"], end: int) -> Token:
    if kind != "quote":
        return Token(said, kind, end)
    title = said[1:-1].strip(" .,")
    named = title[:1].isupper() and title.count(" ") < 6 and title.split(" ")[0].casefold() not in _SAYING
    return Token(title, "name", end) if named else Token('"', "mark", end)


def _value_kind(surface: str, canonical: str, language: str, at: datetime | None) -> TokenKind:
    clock = re.fullmatch(r"\d\d:\d\d", canonical)
    dated = re.fullmatch(r"-?-?\d{2,4}(?:-\d\d){0,2}(?:/.*)?", canonical) and not re.fullmatch(r"\d{2,3}", canonical)
    if (clock or dated) and resolve_date(surface, language, at):
        return "date"
    return "clock" if clock else "value"
