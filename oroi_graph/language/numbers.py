"""Number words, scales and units of English, Spanish and Portuguese."""

from __future__ import annotations

import re
from collections.abc import Iterable

from text_to_num import text2num  # type: ignore[import-untyped]

from oroi_graph.language.lexicons.tables import LANGUAGES, by_word, pattern, table, tables, text

_ROWS = tables("values")
# The words that numbers below a thousand are built of, with their values.
NUMBERS = {
    language: {word: text2num(word, language) for word in text(tables(language), "numbers").split()}
    for language in LANGUAGES
}
SCALES = {word: 10 ** int(power) for word, power in by_word(_ROWS, "scales").items()}
SINGLE = {"one", "uno", "un", "una", "a", "um", "uma"}  # articles and pronouns when they stand alone
_ARTICLES = SINGLE - {"one", "uno"}
UNITS = by_word(_ROWS, "units")


def any_of(words: Iterable[str]) -> str:
    """A pattern of alternatives, longest first."""
    return "|".join(sorted((re.escape(w) for w in words), key=len, reverse=True))


def _number_words(language: str) -> str:
    rows = table(table(_ROWS, "number_words"), language)
    return pattern(rows, "pattern", numbers=any_of([*NUMBERS[language], *text(rows, "scales").split()]))


NUMBER_WORDS = {language: _number_words(language) for language in LANGUAGES}


def number_in_words(said: str, language: str) -> int | None:
    """The value of a number in words ("quince mil", "two hundred and five"); None for what is no one number."""
    said = said.casefold()
    article, _, rest = said.partition(" ")
    for words in (said, rest) if article in _ARTICLES else (said,):  # "a hundred", "un veinte por ciento"
        try:
            return int(text2num(words, language))
        except ValueError:
            continue
    return None
