"""Labels, keys and ids: when two texts are one, and what is refused."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import table

from oroi_graph import InputError
from oroi_graph.language.normalize import (
    MAX_LABEL,
    check_memory_name,
    check_text,
    digest,
    fold,
    label_key,
    memory_key,
    search_words,
    tidy,
    tokens,
    without_names,
)


@table(
    ("a", "b"),
    [
        ("Valencia", "VALENCIA"),
        ("Ｖalencia", "Valencia"),
        ("O’Hara", "o'hara"),
        ("  a \n b ", "a b"),
        ("val\u200bencia", "valencia"),
        ("Straße", "STRASSE"),
        ("“Rex”", "Rex"),
        ("¿Rex?", "rex"),
        ("caf\u0065\u0301", "café"),
    ],
)
def test_one_key(a: str, b: str) -> None:
    assert label_key(a) == label_key(b)


@table(
    ("a", "b"),
    [
        ("papá", "papa"),
        ("Paris (city)", "Paris (person)"),
        ("año", "ano"),
        ("C++", "C"),
        ("東京", "京都"),
        ("Zürich", "Zurich"),
    ],
)
def test_two_keys(a: str, b: str) -> None:
    assert label_key(a) != label_key(b)


@table("label", ["日本", "Москва", "القاهرة", "ทดสอบ", "🎻"])
def test_no_script_loses_its_names(label: str) -> None:
    assert label_key(label)


def test_a_label_is_tidy() -> None:
    assert tidy('  "Paris (city)", ') == "Paris (city)"
    assert tidy("a\tb\x07c") == "a b c"
    assert len(tidy("x" * 1000)) == MAX_LABEL


@given(st.text(max_size=80))
def test_a_key_is_its_own_key(label: str) -> None:
    assert label_key(tidy(label)) == label_key(label)


@given(st.text(max_size=60))
def test_folding_leaves_no_accents(text: str) -> None:
    assert not any(unicodedata.combining(char) for char in fold(text))
    assert tokens(text) == tokens(text.upper().lower()) or not text.isascii()


def test_ids_depend_on_every_part_and_its_place() -> None:
    ids = [digest("a", "b"), digest("b", "a"), digest("ab"), digest("a", "b", ""), digest("a", ["b"]), digest("a", 1)]
    assert len(set(ids)) == len(ids)
    assert digest("ñ", 1) == digest("ñ", 1)
    assert len(ids[0]) == 20


@table("name", ["ana", "Ana-1", "user@example.org", "a" * 120, "agent:7", "3", "José"])
def test_a_memory_may_be_called(name: str) -> None:
    assert check_memory_name(name) == name


@table(
    "name",
    ["", " ", "*", "%", None, [], 0, "a b", "-a", ".a", "a" * 121, "a\nb", "a\n", "a/b", "_", "a*", "a'b", "`a`"],
)
def test_a_memory_may_not_be_called(name: object) -> None:
    with pytest.raises(InputError, match="bad memory name"):
        check_memory_name(name)


@table(
    ("text", "words"),
    [
        ("", "the text is empty"),
        (" \n", "the text is empty"),
        (None, "the text is empty"),
        ("x" * 11, "the most is 10"),
        ("ab\0c", "position 3"),
        ("ab\ud800", "position 3"),
    ],
)
def test_text_that_cannot_be_kept_as_said(text: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_text(text, 10)


def test_text_is_kept_exactly() -> None:
    assert check_text("  as said \n", 100) == "  as said \n"


@given(st.text(max_size=60))
def test_no_search_syntax_survives(text: str) -> None:
    words = search_words(text)
    assert all(char.isalnum() or char == " " for char in words)
    assert not {"AND", "OR", "NOT", "TO"} & set(words.split())


def test_search_words_are_few() -> None:
    assert len(search_words(" ".join(f"w{i}" for i in range(100))).split()) == 24


def test_memory_keys_are_one_token_each() -> None:
    assert memory_key("user-42") != memory_key("user-43")
    assert memory_key("user-42").isalnum()
    assert memory_key("U42") != memory_key("u42")


@table(
    ("text", "bare"),
    [
        ("Thanks, Ana!", "Thanks!"),
        ("Ana's boat", "boat"),
        ("Banana split", "Banana split"),
        ("Ana", "Ana"),
        ("Ana, Bob?", "Ana, Bob?"),
        ("Hi Bob, how is the boat?", "Hi, how is the boat?"),
    ],
)
def test_names_of_those_who_speak_are_left_out(text: str, bare: str) -> None:
    assert without_names(text, ["Ana", "Bob"]) == bare
    assert without_names(text, []) == text
