"""A parsed text: the same answers as the functions of the room, each asked for once."""

from __future__ import annotations

from datetime import datetime

import pytest

from oroi_graph.language import parsed_text
from oroi_graph.language.parsed_text import ParsedText, parse

AT = datetime(2026, 3, 5, 12, 0)


def test_parts_of_a_text() -> None:
    parsed = parse("I paid 20 € for Ana's two cats on 3 March 2026, in Bilbao", AT)
    assert parsed.language == "en"
    assert parsed.tokens[:7] == ("i", "paid", "20", "for", "ana", "s", "two")
    assert "bilbao" in parsed.stems
    assert parsed.stems == set(parsed.content_words)
    assert [value.canonical for value in parsed.values] == ["EUR 20", "2 cat", "2026-03-03"]
    assert [parsed.text[value.start : value.end] for value in parsed.values] == [v.surface for v in parsed.values]
    assert not parsed.is_small_talk


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("yesterday", ("2026-03-04",)),
        ("this week", ("2026-03-02/2026-03-08",)),
        ("in 2019", ("2019",)),
        ("17:00", ("17:00",)),
    ],
)
def test_dates_are_resolved_against_the_moment(text: str, values: tuple[str, ...]) -> None:
    assert tuple(value.canonical for value in parse(text, AT).values) == values


def test_a_tie_of_languages_goes_to_the_one_before() -> None:
    assert parse("Ana").language == "en"
    assert parse("Ana", hint="pt").language == "pt"


def test_nothing_is_said_in_an_empty_text() -> None:
    parsed = parse("")
    assert (parsed.tokens, parsed.content_words, parsed.values) == ((), (), ())
    assert parsed.is_small_talk


def test_each_part_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def found(text: str, language: str) -> tuple[str, ...]:
        asked.append(text)
        return ("ana", "live", "bilbao")

    monkeypatch.setattr(parsed_text, "content_words", found)
    parsed = ParsedText("Ana lives in Bilbao", "en")
    assert parsed.stems == set(parsed.content_words)
    assert asked == ["Ana lives in Bilbao"]
