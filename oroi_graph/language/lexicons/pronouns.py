"""Words by which a speaker means himself or what is his: "I", "my boss", "o meu irmão"."""

from __future__ import annotations

import re

from oroi_graph.language.detection import Language
from oroi_graph.language.tokens import word_set

FIRST_PERSON = word_set(
    "i me myself mine we us ourselves ours yo mí me conmigo nosotros nosotras nos mío mía eu mim comigo nós conosco "
    "connosco"
) | {"a gente"}

_MINE: dict[Language, str] = {
    "en": "my our",
    "es": "mi mis nuestro nuestra nuestros nuestras",
    "pt": "meu minha meus minhas nosso nossa nossos nossas",
}

_POSSESSIVES = {word: language for language, words in _MINE.items() for word in words.split()}

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
