"""Which language a text is in: English, Spanish or Portuguese."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from oroi_graph.language.lexicons.tables import table, tables, text, words
from oroi_graph.language.verbs.forms import verb, verb_at_start

Language = Literal["en", "es", "pt"]
READ: tuple[Language, ...] = ("en", "es", "pt")  # what turns are read in

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ROWS = tables("texts")
# words that tell a language; those of two are in both lists
COMMON_WORDS = {language: words(table(_ROWS, "common"), language) for language in READ}
_OWN_LETTERS = {language: re.compile(text(table(_ROWS, "own_letters"), language)) for language in READ[1:]}
_ACCENTS = re.compile(r"[áéíóú]")
_DETECT_CHARACTERS = 2000  # the beginning of a text is enough to tell its language
_ARTICLE_AND_NAME = re.compile(r"[OA]s? [A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]+ ")  # "A Joana está": no other language here says so
_VERB = 0.5  # a verb form that a language has; less than a common word, since languages share some


def detect(text: str, hint: str | None = None, among: tuple[Language, ...] = READ) -> Language:
    """The language of a text, one of `among`, by common words, verb forms and letters.

    A tie goes to `hint` (the one spoken before), else to the first of `among`."""
    scores = [(language, score) for language, score in _scores(text[:_DETECT_CHARACTERS]) if language in among]
    best = max(score for _, score in scores)
    tied = [language for language, score in scores if score == best]
    return next((language for language in tied if language == hint), tied[0])


@lru_cache(maxsize=20_000)  # of texts that short most are relation phrases, which recur
def _scores(text: str) -> tuple[tuple[Language, float], ...]:
    """What speaks for each language. Names speak for none, so a capital counts only at the beginning."""
    scores: dict[Language, float] = {"en": 0.0, "es": 1.5 * (text.count("¿") + text.count("¡")), "pt": 0.0}
    if _ARTICLE_AND_NAME.match(text):
        scores["pt"] += 1
    said = [word.replace("’", "'") for word in WORD.findall(text)]
    for i, word in enumerate(said):
        low = word.casefold()
        named = word != low and low != "i"
        for language, marks in COMMON_WORDS.items():
            if low in marks:
                scores[language] += 1
            elif not (named and i):
                form = verb_at_start(low, language) if i == 0 else verb(low, language)
                scores[language] += _VERB if form is not None and (form.person or language == "en") else 0
        if named:
            continue
        accented = 0.75 * len(_ACCENTS.findall(low))
        for language, letters in _OWN_LETTERS.items():
            scores[language] += accented + len(letters.findall(low))
    return tuple(scores.items())
