"""What patterns of words tell before they are tried."""

from __future__ import annotations

import re

import pytest

from oroi_graph.extraction.tokenizer import expand
from oroi_graph.language import values
from oroi_graph.language.lexicons.phrases import Sought, in_every_match, spelled_out
from oroi_graph.language.lexicons.tables import LANGUAGES
from oroi_graph.language.relations import relation_class, starts_of_relations


def test_a_pattern_is_spelled_out_to_all_that_it_matches() -> None:
    pattern = "e-?mail(?: address)? is|vai(?: de| d[oa]s?)?"
    texts = spelled_out(pattern)
    assert texts == {
        "email is", "e-mail is", "email address is", "e-mail address is",
        "vai", "vai de", "vai do", "vai da", "vai dos", "vai das",
    }  # fmt: skip
    assert all(re.fullmatch(pattern, text) for text in texts)


@pytest.mark.parametrize("pattern", ["a+", "a|b)", r"\w", "a{2}", "a.", "(?=a)b"])
def test_what_may_be_any_text_is_not_spelled_out(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be spelled out|closes a group"):
        spelled_out(pattern)


@pytest.mark.parametrize(
    ("pattern", "letters"),
    [
        (r"\bcan't\b", "can't"),
        (r"result[óa] ser", "result"),
        (r"(?:ab(c)d)?ef", "ef"),
        (r"used? to", "use"),
        ("ab|cd", ""),
        (r"(one|two)s", "s"),
        (r"n{2}oo", "oo"),
        (r"abc(?=def ghi)", "abc"),
    ],
)
def test_letters_that_stand_in_every_match(pattern: str, letters: str) -> None:
    assert in_every_match(pattern) == letters


def test_what_is_sought_is_found_as_whole_words_in_any_case() -> None:
    sought = Sought.words(r"start(?:ed)? out|at first|began|(?<!any )previous(?:ly)?")
    assert tuple(sorted(sought.needed, key=lambda one: (len(one), one))) == ("began", "start", "at first", "previous")
    for text in ("She STARTED out there", "At first, no", "it began", "previously"):
        assert sought.is_in(text)
    for text in ("a startled outcry", "that firstly", "any previous one", "nothing"):
        assert not sought.is_in(text)


def test_relations_begin_where_a_phrase_of_a_class_does() -> None:
    assert starts_of_relations(["where", "does", "ana", "live"]) == [3]
    assert starts_of_relations(["me", "gusta", "o", "vivo"]) == [0, 1, 3]
    assert starts_of_relations(["color", "favorito", "es"]) == [0, 1, 2]
    assert relation_class("color favorito es") == "favourite color"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("see you at noon", "en"), ("two weeks ago", "en"), ("some days ago", "en"), ("last weekend", "en"),
        ("the day before yesterday", "en"), ("in May", "en"), ("a hundred euros", "en"), ("ana@x.org", "en"),
        ("www.x.org", "en"), ("esta mañana", "es"), ("a mediodía", "es"), ("el finde pasado", "es"),
        ("hace un par de meses", "es"), ("mil euros", "es"), ("às duas", "pt"), ("meia-noite", "pt"),
        ("terça-feira", "pt"), ("há uns anos", "pt"), ("o mês que vem", "pt"), ("dez por cento", "pt"),
    ],
)  # fmt: skip
def test_values_are_looked_for_where_one_may_stand(text: str, language: str) -> None:
    assert values._may_tell_a_value(text, language)


def test_a_text_without_digits_signs_and_words_of_values_has_none() -> None:
    for language in LANGUAGES:
        assert not values._may_tell_a_value("Where does Ana's brother live?", language)


def test_expansions_follow_each_other() -> None:
    assert expand("CANT he dont know? Im sure it's no longer so", "en") == (
        "can not he do not know? I am sure it is no-longer so"
    )
