"""Verb forms by language: from a form to its lemma, tense and readable third person.

Relations are kept as said, but in the third person ("I live in" is kept as "lives in", "me mudé a" as
"se mudó a"), so that they read well whoever said them and equal facts carry equal words. The tables hold
common verbs only; the functions answer None for the others.
"""

from __future__ import annotations

from functools import cache

from oroi_graph.language.verbs.english import english_forms, english_verb
from oroi_graph.language.verbs.romance import Conjugation, conjugate, read_conjugation
from oroi_graph.language.verbs.verb_form import VerbForm

__all__ = ["english_verb", "forms_of", "third_person", "verb", "verb_at_start"]


@cache
def _conjugation(language: str) -> Conjugation:
    return read_conjugation(language)


@cache
def _table(language: str) -> dict[str, VerbForm]:
    return conjugate(_conjugation(language))


def verb(word: str, language: str) -> VerbForm | None:
    """The reading of a verb form (lower case), None if unknown. Spanish and Portuguese forms that are mostly
    nouns or prepositions ("para", "cuenta", "trabajo") are read as verbs only by `verb_at_start`."""
    if language == "en":
        return english_verb(word)
    return None if word in _conjugation(language).nouns else _table(language).get(word)


def verb_at_start(word: str, language: str) -> VerbForm | None:
    """As `verb`, for a word where a clause's verb is expected ("Trabajo en Correos")."""
    return english_verb(word) if language == "en" else _table(language).get(word)


def forms_of(lemma: str, language: str) -> frozenset[str]:
    """Every form of a verb; the lemma alone if no table has it."""
    return _by_lemma(language).get(lemma, frozenset((lemma,)))


@cache
def _by_lemma(language: str) -> dict[str, frozenset[str]]:
    forms: dict[str, set[str]] = {}
    for word, form in (english_forms() if language == "en" else _table(language)).items():
        forms.setdefault(form.lemma, {form.lemma}).add(word)
    return {lemma: frozenset(words) for lemma, words in forms.items()}


@cache
def _thirds(language: str) -> dict[tuple[str, str], str]:
    return {(form.lemma, form.tense): form.third for form in _table(language).values()}


def third_person(infinitive: str, language: str, tense: str = "present") -> str:
    """The third person of a Spanish or Portuguese infinitive ("trabajar" → "trabaja")."""
    return _thirds(language).get((infinitive, tense), infinitive)
