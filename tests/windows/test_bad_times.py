"""Dates that no calendar has, windows of centuries, and texts that are no questions."""

from __future__ import annotations

from datetime import date

import pytest
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.windows import Window, check_possible, read_windows

TODAY = date(2026, 3, 18)


@table(
    "question, language",
    [
        ("What did I say on 31 February?", "en"),
        ("What did I say on February 30th?", "en"),
        ("¿Qué dije el 31 de abril?", "es"),
        ("O que eu disse em 30 de fevereiro de 2025?", "pt"),
        ("What did I say on 29 February 2025?", "en"),
        ("¿Qué dije el 31/02/2025?", "es"),
        ("What did I say on 2025-02-30?", "en"),
        ("What did I say on 13/13/2025?", "en"),
        ("What happened in the year 0?", "en"),
        ("¿Qué dije en el año 0?", "es"),
        ("O que eu disse no ano 0?", "pt"),
        ("What did I say in the last 300 years?", "en"),
        ("What did I say between 1 May 1025 and 3 May 2025?", "en"),
        ("What did I say 9000 years ago?", "en"),
    ],
)
def test_an_impossible_time_is_reported_in_one_line_and_no_window_made_up(question: str, language: str) -> None:
    reading = read_windows(question, TODAY, language=language)
    assert reading.windows == ()
    assert len(reading.impossible) == 1
    with pytest.raises(InputError) as caught:
        check_possible(reading)
    assert "\n" not in str(caught.value)
    assert ": name a" in str(caught.value)  # what to do


def test_a_possible_reading_passes() -> None:
    reading = read_windows("What did I say on 29 February?", TODAY, language="en")
    assert check_possible(reading) is reading
    assert reading.windows == (Window(date(2024, 2, 29), date(2024, 2, 29)),)


@table(
    "text",
    [
        "",
        " ",
        "\n\t",
        "?",
        "…",
        "\ud800",
        "\x00",
        "０３/０４",
        "²",
        "½",
        "🗓️",
        "the the the",
        "-" * 50,
        "1/" * 40,
        "' 's 'til",
    ],
)
def test_odd_texts_have_no_window(text: str) -> None:
    for language in ("en", "es", "pt", None, "eu"):
        assert read_windows(text, TODAY, language=language).windows == ()


@table(
    "today, question",
    [
        (date.min, "last week"), (date.min, "before Christmas"), (date.min, "since Easter"), (date.min, "a year ago"),
        (date.max, "this year"), (date.max, "next week"), (date.max, "on Sunday"), (date.max, "this weekend"),
        (date.max, "last winter"), (date.min, "the winter of 1999"), (date(1, 3, 1), "in the last two weekends"),
    ],
)  # fmt: skip
def test_the_ends_of_the_calendar(today: date, question: str) -> None:
    for window in read_windows(f"What did I say {question}?", today, language="en").windows:
        assert date.min <= window.start <= window.end <= date.max


@table("piece", [" ", "1", "a", "last ", "1 ", "monday ", "de ", "the last first ", "1/2/", "'s", "entre el 3 y ", "¿"])
def test_long_texts_are_read(piece: str) -> None:
    for language in ("en", "es", "pt"):
        read_windows((piece * 200_000)[:200_000], TODAY, language=language)
