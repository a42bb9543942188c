"""The commands `windows` and `evaluate dates`, which need no database."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest_cli import Ran

from oroi_graph.cli import main


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command with no settings at all."""
    for name in [*os.environ]:
        if name.startswith(("OROI_", "OPENAI_")):
            monkeypatch.delenv(name)

    def called(*arguments: str) -> Ran:
        code = main(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return called


def test_windows_are_shown_with_their_rules(run: Callable[..., Ran]) -> None:
    shown = run("windows", "What did I say last Sunday about my plans for June?", "--today", "2026-03-18")
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert lines[2].split("  ") == ["last Sunday", "2026-03-15", *lines[2].split("  ")[2:]]
    assert "said" in lines[2]
    assert "last weekday that is over" in lines[2]
    assert "event" in lines[3]
    assert "2026-06-01 to 2026-06-30" in lines[3]


def test_windows_as_json(run: Callable[..., Ran]) -> None:
    data = run("windows", "¿De qué hablamos ayer?", "--today", "2026-03-18", "--json").json
    assert data["windows"] == [{"start": "2026-03-17", "end": "2026-03-17"}]
    assert (data["refers"], data["timeless_theme"]) == ("said", True)
    assert data["expressions"][0]["text"] == "ayer"


def test_options_of_language_and_hemisphere(run: Callable[..., Ran]) -> None:
    asked = ("windows", "O que te disse no verão?", "--today", "2026-03-18", "--language", "pt", "--json")
    assert run(*asked).json["windows"] == [{"start": "2025-06-01", "end": "2025-08-31"}]
    assert run(*asked, "--hemisphere", "south").json["windows"] == [{"start": "2025-12-01", "end": "2026-02-28"}]


def test_no_time_is_said_to_be_none(run: Callable[..., Ran]) -> None:
    assert run("windows", "Is the gym open 24/7?").out == "no time is named\n"


def test_bad_input_is_one_line(run: Callable[..., Ran]) -> None:
    assert "31 February" in run("windows", "What did I say on 31 February?").failed()
    assert "no day such as" in run("windows", "What?", "--today", "2026-02-30").failed(2)
    assert "OROI_WINDOWS must be one of" in run("windows", "What?", "--reader", "almanac").failed()


def test_evaluate_dates_writes_and_shows(run: Callable[..., Ran], tmp_path: Path) -> None:
    file, out = tmp_path / "dates.jsonl", tmp_path / "results.json"
    row = {"question": "What did I say yesterday?", "today": "2026-03-18", "language": "en"}
    row["windows"] = [{"start": "2026-03-17", "end": "2026-03-17"}]  # type: ignore[assignment]
    file.write_text(json.dumps(row), encoding="utf-8")
    shown = run("evaluate", "dates", str(file), "--json", str(out))
    assert shown.code == 0
    assert "exact" in shown.out
    data = json.loads(out.read_text(encoding="utf-8"))
    assert data["overall"]["exact"]["value"] == 1
    assert data["misses"] == []
    assert "line 1" in run("evaluate", "dates", str(Path(__file__))).failed()
