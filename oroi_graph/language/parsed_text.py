"""A text with what is known of its words: made once where a turn or a question enters, handed on instead of the text.

Each part is found when it is first asked for, and only once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from oroi_graph.language.detection import Language, detect
from oroi_graph.language.sentences import is_small_talk
from oroi_graph.language.stemming import content_words
from oroi_graph.language.values import find_values

_WORD = re.compile(r"\w+")


class Value(NamedTuple):
    """An amount, date, quantity or address in a text. start, end: character offsets of `surface`."""

    start: int
    end: int
    surface: str
    canonical: str


@dataclass(frozen=True)
class ParsedText:
    """A text, its language, and the moment that its relative dates are resolved against (None: they stay unresolved).

    Create it with `parse` unless the language is known already.
    """

    text: str
    language: Language
    at: datetime | None = None

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The words and numbers in order, case folded, accents kept; an apostrophe or hyphen separates."""
        return tuple(word.casefold() for word in _WORD.findall(self.text))

    @cached_property
    def content_words(self) -> tuple[str, ...]:
        """Stems of the words that are no stop words, in order, repeats kept."""
        return content_words(self.text, self.language)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The distinct content words."""
        return frozenset(self.content_words)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The values in order, without overlap; dates among them, as ISO text."""
        return tuple(Value(*found) for found in find_values(self.text, self.language, self.at))

    @cached_property
    def is_small_talk(self) -> bool:
        """Whether the text is nothing but greeting, thanks or acknowledgement."""
        return is_small_talk(self.text)


def parse(text: str, at: datetime | None = None, hint: str | None = None) -> ParsedText:
    """Parse a text said at `at`. hint: the language spoken before, which decides where the text itself does not."""
    return ParsedText(text, detect(text, hint), at)
