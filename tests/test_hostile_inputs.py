"""Whatever is passed to the façade and the command line: an answer or one line of ours, nothing half-written.

A small, seeded part of `benchmarks/faults.py fuzz`, which runs as long as it is told.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest_cli import Ran, cli_environment, oroi
from graph_view import NOON, checksum_without_lock, stating, tell
from hostile import CALLS, COMMANDS, hostile_text

from oroi_graph import Extraction, Memory
from oroi_graph.errors import LONGEST, InputError, OroiError

__all__ = ["cli_environment", "oroi"]


@pytest.fixture
def told(memory: Memory) -> Memory:
    home = stating(("I", "lives in", "Bilbao"), ("my boss", "is", "Koldo"), names=["Bilbao", "Koldo"])
    tell(memory, "I live in Bilbao. My boss is Koldo.", home)
    return memory


def test_the_facade_answers_or_says_why_not(told: Memory) -> None:
    choose = random.Random(2026)
    for number in range(150):
        name, call = choose.choice(list(CALLS.items()))
        text = hostile_text(choose)
        before = checksum_without_lock(told)
        try:
            call(told, text)
        except OroiError as error:
            said = str(error)
            assert said, (name, number)
            assert "\n" not in said
            assert len(said) <= LONGEST, (name, number)
            said.encode()
            assert checksum_without_lock(told) == before, (name, number)


def test_the_command_line_answers_or_says_why_not(told: Memory, oroi: Callable[..., Ran]) -> None:
    choose = random.Random(5)
    for number in range(60):
        command = choose.choice(COMMANDS)
        arguments = [
            hostile_text(choose) if part == "?" else told.name if part == "MEMORY" else part for part in command
        ]
        ran = oroi(*arguments)
        assert ran.code in (0, 1, 2), (number, command, ran)
        if ran.code:
            assert ran.err.startswith("oroi: "), (number, command, ran)
            assert "Traceback" not in ran.err
            assert len(ran.err) < 2 * LONGEST, (number, command)


@pytest.mark.parametrize("path", ["notes\ud800.md", "notes\0.md"])
@pytest.mark.parametrize("command", ["memory import", "contract keygen", "backup"])
def test_what_no_file_can_be_called_is_refused(oroi: Callable[..., Ran], command: str, path: str) -> None:
    ran = oroi(*command.split(), path)
    assert ran.code == 2
    assert "is no path: it holds what no name of a file may hold" in ran.err


@pytest.mark.parametrize("value", [7, None, b"x", ["x"], True, NOON])
def test_what_is_no_text_is_refused_by_name(told: Memory, value: Any) -> None:
    for name, call in {
        "text": lambda: told.forget(value),
        "concept": lambda: told.facts(value),
        "id": lambda: told.episode(value),
    }.items():
        if name == "concept" and value is None:
            continue  # every fact is listed
        with pytest.raises(InputError, match=f"^{name} must be text, got {type(value).__name__}$"):
            call()


def test_times_and_numbers_that_cannot_be_computed_with_are_refused(told: Memory) -> None:
    for at in ("2026-03-01", 7, datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23)):
        for call in (
            lambda at=at: told.perceive("Hello.", at=at, extraction=Extraction()),
            lambda at=at: told.recall("Where?", at=at),
        ):
            with pytest.raises(InputError, match=r"^at must "):
                call()
    for budget in (-1, 0, 2**70, "many", 1.5, True):
        with pytest.raises(InputError, match="budget"):
            told.recall("Where do I live?", budget=budget)  # type: ignore[arg-type]


def test_a_long_word_of_a_script_without_spaces_is_asked(told: Memory) -> None:
    """Each of its characters is a word to the full-text index, which takes a thousand."""
    for length in (1_024, 20_000):
        told.recall("".join(chr(0x4E00 + i % 5_000) for i in range(length)), speaker="Ana")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("episode", "list", "MEMORY", "--limit", "99999999999999999999"), "--limit"),
        (("say", "MEMORY", "x", "--at", "0001-01-01"), "years"),
        (("ask", "MEMORY", "x", "--today", "9999-12-31"), "years"),
        (("cypher", "RETURN $x", "--param", "x=" + "[" * 100_000), None),
        (("cypher", "RETURN $x", "--param", "x=99999999999999999999"), "2^63"),
        (("--uri", f"bolt://{'a' * 70_000}", "memory", "list"), "70,007 characters"),
        (("--uri", f"bolt://{'a' * 300}", "memory", "list"), ""),
        (("forget", "MEMORY", "\ud800", "--yes"), "Unicode"),
        (("ask", "MEMORY", "x" * 300_000), "characters"),
    ],
)
def test_what_ended_in_a_stack_trace(
    told: Memory, oroi: Callable[..., Ran], arguments: tuple[str, ...], word: str | None
) -> None:
    ran = oroi(*[told.name if part == "MEMORY" else part for part in arguments])
    if word is None:
        assert ran.code == 0
    else:
        assert ran.code in (1, 2)
        assert ran.out == ""
        assert word in ran.err
        assert len(ran.err) < LONGEST
