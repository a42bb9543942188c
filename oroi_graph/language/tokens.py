"""Tokens of a text: whole-word search for phrases, and an offline token counter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from oroi_graph.language.normalize import fold

_WORD = re.compile(r"[^\W_]+")

_BETWEEN_DIGITS = re.compile(r"(?<=\d)[ .\-/]+(?=\d)")

_LONG_NUMBER = 6  # digits from which a number is one however it is grouped: "600 123 123", "600-123-123"


def words_of(text: str) -> str:
    """The folded words of `text` between single spaces, with one at either end: " bilbao airport "."""
    folded = text.casefold() if text.isascii() else fold(text)
    return f" {' '.join(_WORD.findall(folded))} "


@dataclass(frozen=True, slots=True)
class PhraseMatcher:
    """Phrases to look for. `longer`: other things' names that contain one ("Bilbao airport"), which do not count.

    Both are as `words_of` gives them.
    """

    phrases: frozenset[str]
    longer: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, phrases: Iterable[str], others: Iterable[str] = ()) -> PhraseMatcher:
        """The wording of some phrases, apart from the names in `others` that merely contain one."""
        wanted = frozenset(words for words in map(words_of, phrases) if words.strip())
        longer = {words for words in map(words_of, others) if words not in wanted and any(p in words for p in wanted)}
        return cls(wanted, tuple(sorted(longer, key=len, reverse=True)))

    def __bool__(self) -> bool:
        return bool(self.phrases)

    def said_in(self, text: str | None, apart: Iterable[str] = ()) -> bool:
        """Whether `text` says one of the phrases; `apart`: names that here mean something else."""
        if not text or not self.phrases:
            return False
        words = words_of(text)
        if not any(phrase in words for phrase in self.phrases):
            return self._digits_in(text)
        masks = sorted([*self.longer, *(words_of(name) for name in apart)], key=len, reverse=True)
        for mask in masks:
            if mask.strip() and any(phrase in mask for phrase in self.phrases):
                while mask in words:
                    words = words.replace(mask, " \0 ")
        return any(phrase in words for phrase in self.phrases)

    def _digits_in(self, text: str) -> bool:
        numbers = {phrase.replace(" ", "") for phrase in self.phrases}
        numbers = {number for number in numbers if number.isdigit() and len(number) >= _LONG_NUMBER}
        if not numbers:
            return False
        joined = words_of(_BETWEEN_DIGITS.sub("", text))
        return any(f" {number} " in joined for number in numbers)


_TOKEN = re.compile(r"\w{1,4}|[^\w\s]")  # four letters are about one token


def count_tokens(text: str) -> int:
    """Estimated tokens of `text`, 0 for nothing but spaces."""
    return len(_TOKEN.findall(text))


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())
