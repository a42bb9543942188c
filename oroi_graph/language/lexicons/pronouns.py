"""Words by which a speaker means himself or what is his: "I", "my boss", "o meu irmão"."""

from __future__ import annotations

import re

from oroi_graph.language.detection import READ, Language
from oroi_graph.language.lexicons.tables import by_word, entries, tables

FIRST_PERSON = frozenset(" ".join(said for _, said in entries(tables("texts"), "first_person")).split()) | {"a gente"}
_POSSESSIVES: dict[str, Language] = {
    word: language
    for language in READ
    for word, owner in by_word(tables(language), "possessives").items()
    if owner == tables(language)["me"]
}
_SHARED = re.compile(r"(?:our|nuestr[oa]s?|(?:[oa]s? )?noss[oa]s?) ", re.IGNORECASE)
_ARTICLE_PT = re.compile(r"^[oa]s? (?=(?:meu|minha|noss[oa])s? )", re.IGNORECASE)


def is_first_person(label: str) -> bool:
    """Whether a label is the speaker: "I", "me", "yo", "eu", and "we" (what we do, I do)."""
    return label.strip().casefold() in FIRST_PERSON


def possessive(label: str) -> tuple[Language, str] | None:
    """ "my boss" → ("en", "boss"), "mis padres" → ("es", "padres"), "a minha irmã" → ("pt", "irmã"); None if it
    is not the speaker's."""
    first, _, head = _ARTICLE_PT.sub("", label.strip()).partition(" ")
    language = _POSSESSIVES.get(first.casefold())
    return (language, head.strip()) if language and head.strip() else None


def is_shared(label: str) -> bool:
    """Whether a label is the speaker's and others': "our dog", "nuestro perro"."""
    return _SHARED.match(label.strip()) is not None
