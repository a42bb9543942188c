"""The tables of questions: which days each means; with typos, dialects and questions without a time.

The windows were worked out by hand from the conventions in docs/windows.md, not with this code."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from locations import PROJECT
from tables import table

from oroi_graph.windows import Window, merged, read_windows

LANGUAGES = ("en", "es", "pt")


def windows(written: str) -> tuple[Window, ...]:
    """ "2026-03-01..2026-03-10 2026-03-12", "..2026-03-10", "-"."""
    found = []
    for part in written.split():
        first, dots, last = part.partition("..")
        if part != "-":
            start = date.fromisoformat(first) if first else date.min
            found.append(Window(start, date.fromisoformat(last if dots else first)))
    return merged(found)


def rows() -> Iterator[tuple[str, date, str, list[tuple[Window, ...]]]]:
    for language in LANGUAGES:
        path = PROJECT / "tests" / "data" / f"windows_{language}.txt"
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                today, question, *right = line.split(" | ")
                yield language, date.fromisoformat(today), question, [windows(written) for written in right]


@table("language, today, question, right", rows())
def test_the_days_a_question_means(language: str, today: date, question: str, right: list[tuple[Window, ...]]) -> None:
    assert read_windows(question, today, language=language).said in right


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_are_large_and_have_questions_without_a_time(language: str) -> None:
    of_language = [right for tongue, _, _, right in rows() if tongue == language]
    assert len(of_language) >= 200
    assert sum(right[0] == () for right in of_language) >= 50


@table(
    "question, language, theme, timeless",
    [
        ("What did we talk about last week?", "en", "What did we talk about ?", True),
        ("What did we say about the roof last week?", "en", "What did we say about the roof ?", False),
        ("¿De qué hablamos ayer?", "es", "¿De qué hablamos ?", True),
        ("¿Qué te dije ayer del tejado?", "es", "¿Qué te dije del tejado?", False),
        ("O que conversamos em março?", "pt", "O que conversamos ?", True),
        ("O que te disse em março sobre o telhado?", "pt", "O que te disse sobre o telhado?", False),
        ("What did we talk about?", "en", "What did we talk about?", False),
        ("Summarise Monday's conversation.", "en", "Summarise conversation.", True),
    ],
)
def test_what_is_left_without_the_time(question: str, language: str, theme: str, timeless: bool) -> None:
    reading = read_windows(question, date(2026, 3, 18), language=language)
    assert (reading.theme, reading.timeless_theme) == (theme, timeless)


JUNE, NEXT_JUNE = Window(date(2025, 6, 1), date(2025, 6, 30)), Window(date(2026, 6, 1), date(2026, 6, 30))


@table(
    "question, language, refers, expected",
    [
        ("What did I say in June?", "en", "said", JUNE),
        ("What did I plan for June?", "en", "event", NEXT_JUNE),
        ("What did I cook in June?", "en", "either", JUNE),
        ("¿Qué dije en junio?", "es", "said", JUNE),
        ("¿Qué planeé para junio?", "es", "event", NEXT_JUNE),
        ("¿Qué cociné en junio?", "es", "either", JUNE),
        ("O que eu disse em junho?", "pt", "said", JUNE),
        ("O que planejei para junho?", "pt", "event", NEXT_JUNE),
        ("O que cozinhei em junho?", "pt", "either", JUNE),
        ("Do I have anything on Friday?", "en", "event", Window(date(2026, 3, 20), date(2026, 3, 20))),
        ("¿Qué tengo el viernes?", "es", "event", Window(date(2026, 3, 20), date(2026, 3, 20))),
        ("O que eu tenho na sexta?", "pt", "event", Window(date(2026, 3, 20), date(2026, 3, 20))),
    ],
)
def test_the_time_of_saying_and_the_time_of_the_event(
    question: str, language: str, refers: str, expected: Window
) -> None:
    reading = read_windows(question, date(2026, 3, 18), language=language)
    assert (reading.refers, reading.windows) == (refers, (expected,))
    assert reading.said == (() if refers == "event" else (expected,))


def test_the_conversations_time_counts_where_both_are_named() -> None:
    reading = read_windows("What did I tell you on Monday about my plans for June?", date(2026, 3, 18))
    assert [(e.text, e.refers) for e in reading.expressions] == [("on Monday", "said"), ("for June", "event")]
    assert reading.windows == (Window(date(2026, 3, 16), date(2026, 3, 16)),)
    assert reading.refers == "said"


def test_seasons_of_the_southern_hemisphere() -> None:
    today = date(2026, 3, 18)
    north = read_windows("¿Qué te conté el verano pasado?", today, language="es")
    south = read_windows("¿Qué te conté el verano pasado?", today, language="es", hemisphere="south")
    assert north.windows == (Window(date(2025, 6, 1), date(2025, 8, 31)),)
    assert south.windows == (Window(date(2025, 12, 1), date(2026, 2, 28)),)


def test_offsets_and_text_of_expressions() -> None:
    question = "On Monday 😀 – or was it last Friday? – what did I say?"
    reading = read_windows(question, date(2026, 3, 18), language="en")
    assert reading.expressions
    assert all(question[e.begin : e.end] == e.text for e in reading.expressions)


def test_what_stands_in_quotes_is_no_time() -> None:
    today = date(2026, 3, 18)
    assert read_windows('What did I think of "Last Sunday"?', today, language="en").windows == ()
    assert read_windows('"What did I say last Sunday?"', today, language="en").windows != ()
