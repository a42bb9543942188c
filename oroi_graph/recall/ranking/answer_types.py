"""Whether a question asks for a name, a number, a time or a place, and whether a text has one that may be it.

The expected answer type of question answering (Li and Roth, "Learning question classifiers", 2002) as soft features:
"which night does the band meet?" is likelier answered by a turn that names a day. People mix languages, so what a text
tells is looked for in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from oroi_graph.language.dates import DAY_NAMES
from oroi_graph.language.lexicons.tables import LANGUAGES, patterns, table, tables
from oroi_graph.language.numbers import NUMBERS, SINGLE, any_of
from oroi_graph.recall.ranking.kept_texts import kept

TYPES = ("name", "number", "time", "place")

# Capitalised words that do not begin a sentence, but for "I" and its contractions.
_NAME = re.compile(r"(?<![.!?…\n] )(?<!^)\b(?!I\b)[A-ZÀ-ÖØ-Þ][\w'’-]+")
_NUMBER = re.compile(
    rf"\d|\b(?:{any_of({word for words in NUMBERS.values() for word in words} - SINGLE)})\b", re.IGNORECASE
)
_TIME = re.compile(rf"\b(?:{DAY_NAMES})s?\b|\b\d{{1,2}}(?:st|nd|rd|th|[:h.]\d\d)\b|\b(?:19|20)\d\d\b", re.IGNORECASE)


@lru_cache(maxsize=1000)
def asked_types(question: str, language: str) -> frozenset[str]:
    """Which of `TYPES` a question asks for, by its own words."""
    return frozenset(name for name, asking in _asking(language).items() if asking.search(question))


@kept(50_000)
def names_in(text: str) -> frozenset[str]:
    """What a text writes like names, case folded."""
    return frozenset(match[0].casefold() for match in _NAME.finditer(text))


def tells(text: str, type_: str, question: str) -> bool:
    """Whether a text tells something of a type; names that the question has, too, are no answer to it.

    question: case folded.
    """
    if type_ in ("number", "time"):
        return _says(text, type_)
    named = any(name not in question for name in names_in(text))
    return named or (type_ == "place" and _says(text, type_))


@kept(50_000)
def _says(text: str, type_: str) -> bool:
    pattern = {"number": _NUMBER, "time": _TIME}.get(type_) or _places()
    return pattern.search(text) is not None


@cache
def _asking(language: str) -> Mapping[str, re.Pattern[str]]:
    section = table(tables(language if language in LANGUAGES else "en"), "answer_types")
    return {name: _any(patterns(section, name)) for name in TYPES}


@cache
def _places() -> re.Pattern[str]:
    """Prepositions of places, of all languages."""
    return _any([one for tongue in LANGUAGES for one in patterns(table(tables(tongue), "answer_types"), "at")])


def _any(some: list[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(some)})\b", re.IGNORECASE)
