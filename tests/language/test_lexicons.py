"""The lexicons' data files, and what is read with them: numbers in words, words that ask for a relation."""

from __future__ import annotations

import pytest

from oroi_graph.language.lexicons.by_language import LEXICONS
from oroi_graph.language.lexicons.tables import common_words, entries, names_in_s, patterns, table, tables, text
from oroi_graph.language.numbers import number_in_words
from oroi_graph.language.relations import ASKED, LASTING_KIN, ONE_AT_A_TIME, asked_relations, same_kin
from oroi_graph.language.verbs.forms import forms_of


def test_only_known_languages_have_tables() -> None:
    assert list(LEXICONS) == ["en", "es", "pt"]
    assert all(tables(language)["language"] == language for language in LEXICONS)
    with pytest.raises(KeyError):
        tables("../../model")


def test_an_entry_of_another_kind_is_an_error() -> None:
    for read in (text, patterns, table):
        with pytest.raises(TypeError):
            read({"romance": True}, "romance")


def test_every_language_fills_the_same_classes() -> None:
    for lexicon in LEXICONS.values():
        assert all((lexicon.determiners, lexicon.junk, lexicon.evaluative, lexicon.titles, lexicon.kinship))
    assert (LEXICONS["es"].possessives["nuestra"], LEXICONS["pt"].contractions["nas"]) == ("yo", "em")


def test_frequent_words_hold_no_names() -> None:
    assert {"lunch", "music", "rain"} <= common_words("en")
    assert {"rose", "john", "madrid", "grace", "julio"}.isdisjoint(common_words("en") | common_words("es"))
    assert {"james", "carlos", "inés"} <= names_in_s()


@pytest.mark.parametrize(
    ("said", "language", "value"),
    [
        ("a hundred", "en", 100), ("two hundred and five", "en", 205), ("Twenty-five", "en", 25),
        ("doscientas", "es", 200), ("un veinte", "es", 20), ("un millón", "es", 1_000_000),
        ("duzentas", "pt", 200), ("mil e quinhentos", "pt", 1500),
        ("nineteen ninety", "en", None), ("one two", "en", None), ("dos y tres", "es", None), ("cats", "en", None),
    ],
)  # fmt: skip
def test_numbers_in_words(said: str, language: str, value: int | None) -> None:
    assert number_in_words(said, language) == value


def test_words_that_ask_for_a_relation() -> None:
    assert asked_relations(("who", "hired", "ana")) == ["works at"]
    assert asked_relations(("dónde", "vivía")) == ["lives in"]
    assert asked_relations(("on", "the", "payroll")) == []
    assert all(set(table(tables(language), "asked")) == set(ASKED) for language in LEXICONS)


def test_forms_of_verbs() -> None:
    assert {"drove", "driven", "driving"} <= forms_of("drive", "en")
    assert "conduzco" in forms_of("conducir", "es")
    assert forms_of("quibble", "en") == {"quibble"}


def test_a_word_for_kin_has_one_meaning() -> None:
    rows = [row.split() for section in ("lasting", "one_at_a_time") for _, row in entries(tables("kin"), section)]
    said = [word for row in rows for word in row]
    assert len(said) == len(set(said))
    assert LASTING_KIN.isdisjoint(ONE_AT_A_TIME)
    assert same_kin("husbands") == same_kin("marido") == {"husband", "marido", "esposo"}
    assert same_kin("boat") == frozenset()
