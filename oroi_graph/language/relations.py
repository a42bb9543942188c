"""Which relation phrases say the same: patterns of English, Spanish and Portuguese, in the third person.

The patterns are in a data file, and match some hundred phrases. A phrase is in the first class whose pattern matches
it as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache

from oroi_graph.language.detection import Language
from oroi_graph.language.lexicons.phrases import spelled_out
from oroi_graph.language.lexicons.tables import LANGUAGES, by_word, entries, pattern, patterns, table, tables, words
from oroi_graph.language.verbs.english import english_verb
from oroi_graph.language.verbs.forms import forms_of, verb_at_start

_ROWS = tables("relations")
_PARTS = dict(entries(_ROWS, "parts"))
_PATTERNS = {name: pattern(rows, name, **_PARTS) for rows in [table(_ROWS, "classes")] for name in rows}
# From each phrase to its class; the first one of several.
_CLASSES = {phrase: name for name in reversed(_PATTERNS) for phrase in spelled_out(_PATTERNS[name])}
_FIRST_WORDS = frozenset(phrase.partition(" ")[0] for phrase in _CLASSES)
FAVOURITE = re.compile(
    r"(?:favou?rite) (?P<en>[\w' -]+?) (?:is|are)(?: an?| the)?|(?P<es>[\w' -]+?) "
    r"(?:favorit|preferid)[oa]s? (?:es|son|é|são)"
)
_FAVOURITE_WORDS = ("favo", "preferid")  # how the words of `FAVOURITE` begin

SINGLE_VALUED = frozenset(patterns(_ROWS, "single_valued"))
LASTING = frozenset(
    patterns(_ROWS, "lasting")
)  # classes whose facts change one day: without a time, it is told when they were stated
TIMELESS = frozenset(patterns(_ROWS, "timeless"))  # classes whose facts have no time


def is_single_valued(name: str | None) -> bool:
    """Whether a class has one value at a time; every "favourite ‹something›" has."""
    return name is not None and (name in SINGLE_VALUED or name.startswith("favourite "))


@lru_cache(maxsize=20_000)
def relation_class(relation: str) -> str | None:
    """The canonical class of a relation phrase of any language, in any person ("se mudó a" → "lives in"); None for
    phrases in no class. Past states ("lived in", "used to live in") are in none."""
    said = " ".join(relation.casefold().split())
    favourite = FAVOURITE.fullmatch(said) if any(word in said for word in _FAVOURITE_WORDS) else None
    if favourite:
        kind = (favourite["en"] or favourite["es"]).replace("colour", "color")
        return f"favourite {kind}"
    return _CLASSES.get(said) or _CLASSES.get(_third_person(said))  # "name is" before "name" is taken for a verb


def starts_of_relations(words: Sequence[str]) -> list[int]:
    """The places in a text of these words (lower case) at which phrases of a class can begin: most have none."""
    if any(word.startswith(_FAVOURITE_WORDS) for word in words):  # the kind stands before it: "color favorito es"
        return list(range(len(words)))
    return [i for i, word in enumerate(words) if _begins_relation(word)]


@lru_cache(maxsize=20_000)
def _begins_relation(word: str) -> bool:
    return word in _FIRST_WORDS or word in _REFLEXIVE or _third_person(word).partition(" ")[0] in _FIRST_WORDS


def _third_person(phrase: str) -> str:
    first, _, rest = phrase.partition(" ")
    if first in _REFLEXIVE and rest:
        word, _, tail = rest.partition(" ")
        for language in _ROMANCE:
            form = verb_at_start(word, language)
            if form and form.person in (1, 2, 4, 5):
                return " ".join(filter(None, ("se", form.third, tail)))
        return phrase
    form = english_verb(first)
    if form is None or form.tense not in {"base", "s"}:
        form = next((f for tongue in _ROMANCE if (f := verb_at_start(first, tongue)) and f.person), None)
    return " ".join(filter(None, (form.third, rest))) if form else phrase


_ROMANCE: tuple[Language, ...] = ("es", "pt")
_REFLEXIVE = frozenset({"me", "te", "nos"})

LASTING_KIN = frozenset(by_word(tables("kin"), "lasting"))
ONE_AT_A_TIME = frozenset(by_word(tables("kin"), "one_at_a_time"))  # a new one takes the place of the one before
_KIN_ROWS = {
    name: frozenset(row.split())
    for section in ("lasting", "one_at_a_time")
    for name, row in entries(tables("kin"), section)
}
_KIN = {word: row for row in _KIN_ROWS.values() for word in row}
_PETS = frozenset().union(*(words(tables(language), "pets") for language in LANGUAGES))
_KINDS_OF_KIN = {
    word: frozenset().union(*(_PETS if name == "pets" else _KIN_ROWS[name] for name in rows.split()))
    for said, rows in entries(tables("kin"), "kinds")
    for word in said.split()
}


def same_kin(word: str) -> frozenset[str]:
    """The words of all languages for the kin that one names: "husband" → "marido", …, "kids" → "daughter", "hijo", …

    word: lower case, also in the plural. None if it is no kin."""
    return _KINDS_OF_KIN.get(word) or _KIN.get(word) or _KIN.get(word.removesuffix("s")) or frozenset()


def are_feminine(plural: str) -> bool:
    """Whether the ending of a Spanish or Portuguese plural says that all of them are women or girls."""
    return plural.endswith(("as", "ãs"))


ASKED = tuple(table(tables("en"), "asked"))  # the classes that questions ask for in words of their own


def asked_relations(said: Collection[str]) -> list[str]:
    """The classes that a question of these words asks for ("Who is my employer?": where somebody works).

    `said`: lower case, of any language. The words are in the lexicons' data files."""
    asked = {name for word in said for name in _asked_by(word)}
    return [name for name in ASKED if name in asked] if asked else []


def asks_for_name(word: str) -> bool:
    """Whether a word of a question asks what something is called."""
    return "is called" in _asked_by(word)


def _asked_by(word: str) -> Sequence[str]:
    """The classes that a word of a question asks for."""
    return _asking().get(word, ())


@cache
def _asking() -> Mapping[str, Sequence[str]]:
    """From a word of a question of any language to the classes that it asks for."""
    found: dict[str, list[str]] = {}
    for name in ASKED:
        listed = {language: table(table(tables(language), "asked"), name) for language in LANGUAGES}
        verbs = (forms_of(lemma, language) for language, rows in listed.items() for lemma in words(rows, "verbs"))
        for word in frozenset().union(*verbs, *(words(rows, "words") for rows in listed.values())):
            found.setdefault(word, []).append(name)
    return found


THEMES: Mapping[str, frozenset[str]] = {
    name: frozenset(patterns(rows, name)) for rows in [table(_ROWS, "themes")] for name in rows
}


def theme(relation: str) -> str:
    """What a relation phrase tells of its source: one of THEMES, or "other"."""
    name = relation_class(relation) or ""
    name = "favourite" if name.startswith("favourite ") else name
    return next((told for told, classes in THEMES.items() if name in classes), "other")


def single_valued(relation: str) -> bool:
    """Whether a source has one value at a time for this relation (lives in, works at, is called …)."""
    return is_single_valued(relation_class(relation))
