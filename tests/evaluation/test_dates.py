"""The evaluation of dates: figures worked out by hand, and files with bad lines."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.evaluation.dates import VERDICTS, evaluate_dates, read_dates
from oroi_graph.windows import TimeExpression, Window, WindowReading, read_windows


def line(question: str, windows: list[tuple[str, str]], *alternatives: list[tuple[str, str]], **more: Any) -> str:
    def spelled(listed: list[tuple[str, str]]) -> list[dict[str, str]]:
        return [{"start": start, "end": end} for start, end in listed]

    data = {"question": question, "today": "2026-03-18", "language": "en", "windows": spelled(windows)}
    return json.dumps(data | {"alternatives": [spelled(listed) for listed in alternatives]} | more)


def reads(question: str, today: date, language: str) -> WindowReading:
    """A reader that finds the ISO days of a question, two for a range."""
    days = [date.fromisoformat(word) for word in question.split() if word[:1].isdigit()]
    windows = (Window(days[0], days[-1]),) if days else ()
    expressions = tuple(TimeExpression("", 0, 0, (w,), "test") for w in windows)
    return WindowReading(expressions, windows, "event" if "event" in question else "either", question, False)


def test_figures_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "dates.jsonl"
    rows = [
        line("2026-03-01 2026-03-10", [("2026-03-01", "2026-03-10")]),  # exact
        line("2026-03-01 2026-03-10", [("2026-03-01", "2026-03-05"), ("2026-03-06", "2026-03-10")]),  # touching: exact
        line("2026-03-01 2026-03-10", [("2026-03-05", "2026-03-09")]),  # contains, 5 of 10 days
        line("2026-03-02", [("2026-03-01", "2026-03-01")], [("2026-03-02", "2026-03-02")]),  # an alternative: exact
        line("2026-03-02", [("2026-03-01", "2026-03-04")], language="es"),  # 1 of 4 days
        line("nothing", [], language="es"),  # exact, none right
        line("2026-03-02", [], language="es", id="made-up"),  # made up
        line("event 2026-03-02", [], language="es"),  # an event's time is no window of the conversation
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    results = evaluate_dates(read_dates(file), reads).to_json()
    overall = results["overall"]
    assert (overall["n"], overall["n_without"]) == (8, 3)
    assert {key: overall[key]["value"] for key in ("exact", "contains", "none_right", "overlap")} == {
        "exact": 0.625,
        "contains": 0.75,
        "none_right": 0.6667,
        "overlap": pytest.approx((5 + 0.5 + 0.25) / 8, abs=1e-4),
    }
    assert overall["exact"]["interval"] == [0.3057, 0.8632]  # Wilson's, of 5 of 8
    assert [results["languages"][name]["exact"]["value"] for name in ("en", "es")] == [0.75, 0.5]
    assert [miss["id"] for miss in results["misses"]] == ["made-up", "dates.jsonl line 5", "dates.jsonl line 3"]
    assert results["misses"][0]["read"] == [{"start": "2026-03-02", "end": "2026-03-02"}]


def test_what_becomes_of_each_kind(tmp_path: Path) -> None:
    file = tmp_path / "dates.jsonl"
    rows = [
        line("2026-03-02", [("2026-03-02", "2026-03-02")], kind="date"),
        line("2026-03-02", [("2026-03-05", "2026-03-05")], kind="date"),
        line("soon", [("2026-03-05", "2026-03-05")], kind="date"),
        line("2026-03-02", [], kind="number"),
        line("nothing", [], kind="number"),
        line("nothing", []),
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    results = evaluate_dates(read_dates(file), reads)
    none = dict.fromkeys(VERDICTS, 0)
    assert results.to_json()["kinds"] == {
        "date": {"n": 3, **none, "right": 1, "other days": 1, "not read": 1},
        "number": {"n": 2, **none, "right": 1, "made up": 1},
    }
    assert results.confusion() == [["date", "3", "1", "1", "1", "0"], ["number", "2", "1", "0", "0", "1"]]
    assert results.worst(1) == [["2026-03-02", "2026-03-05", "2026-03-02", "0.00"]]


GOOD = line("What?", [])


@table(
    "bad, wrong",
    [
        ("{", "line 2: not valid JSON"),
        ("[]", "line 2: expected a JSON object"),
        (GOOD.replace("What?", ""), "line 2: 'question'"),
        (GOOD.replace('"en"', '"eu"'), "line 2: 'language' must be en, es or pt"),
        (GOOD.replace("2026-03-18", "2026-02-30"), "line 2: 'today' must be a day"),
        (line("What?", [("2026-03-18", "2026-03-17")]), "line 2: a window cannot end"),
        (line("What?", [("2026-03-18", "soon")]), "line 2: 'end' must be a day"),
        (GOOD.replace('"windows": []', '"windows": null'), "line 2: 'windows' must list windows"),
        (GOOD.replace('"alternatives": []', '"alternatives": [["2026"]]'), "line 2: 'alternatives' must list windows"),
        (GOOD.replace('"alternatives": []', '"alternatives": "none"'), "line 2: 'alternatives' must be a list"),
        (line("What?", [], kind=3), "line 2: 'kind'"),
    ],
)
def test_a_bad_line_is_named(bad: str, wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "dates.jsonl"
    file.write_text(f"{GOOD}\n{bad}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_dates(file)
    assert wrong in str(caught.value)


@pytest.mark.shared
def test_development_data_reach_the_goals(shared_data: Path) -> None:
    results = evaluate_dates(
        read_dates(shared_data / "dates_dev.jsonl"),
        lambda question, today, language: read_windows(question, today, language=language),
    ).to_json()
    assert all(part["exact"]["value"] >= 0.95 for part in results["languages"].values())
    assert results["overall"]["none_right"]["value"] >= 0.98
