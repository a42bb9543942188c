"""What a speaker stresses: that something changed, or is to be remembered; and which questions ask for the latter.

The patterns are in the lexicons, [stressed].
"""

from __future__ import annotations

import re
from functools import cache

from oroi_graph.language.lexicons.tables import LANGUAGES, patterns, table, tables
from oroi_graph.language.sentences import is_question, sentences
from oroi_graph.recall.ranking.kept_texts import kept


@kept(50_000)
def says_stressed(text: str, language: str, what: str) -> bool:
    """Whether a text says that something is so (`stressed`)."""
    return stressed(language, what).search(text) is not None


def asks_for_reminders(text: str, language: str, *, turn: bool = False) -> bool:
    """Whether a text asks for what was to be remembered. turn: it may ask nothing ("I must remember the passports")."""
    asking = (sentence for sentence in sentences(text) if not turn or is_question(sentence))
    return any(says_stressed(sentence, language, "reminders") for sentence in asking)


def was_to_be_remembered(text: str, language: str) -> bool:
    """Whether a text asks to have something remembered."""
    return says_stressed(text, language, "remember")


@cache
def stressed(language: str, what: str) -> re.Pattern[str]:
    """The words by which a text says it.

    what: "change", "passing" (it is over soon), "remember", "reminders" (a question asks for what was to be remembered)
    or "back" (what asks to remember means what was said before it).
    """
    section = table(tables(language if language in LANGUAGES else "en"), "stressed")
    return re.compile(rf"\b(?:{'|'.join(patterns(section, what))})\b", re.IGNORECASE)
