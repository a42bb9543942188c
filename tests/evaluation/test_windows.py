"""The evaluation of time windows: its data, its metrics, and the protocol on a real memory."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from locations import SHARED
from tables import table

from oroi_graph import Graph, InputError, ScriptedEmbedder, SettingsError
from oroi_graph.evaluation.windows import themes
from oroi_graph.evaluation.windows.dialogues import FOLDS, TODAY, WRONG, WindowData, generated, of_locomo
from oroi_graph.evaluation.windows.metrics import bert_precision, rouge_l_recall
from oroi_graph.evaluation.windows.phrases import KINDS, phrase
from oroi_graph.evaluation.windows.protocol import CONDITIONS, ask_all
from oroi_graph.evaluation.windows.report import WindowResults
from oroi_graph.evaluation.windows.themes import THEMES, theme
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.windows import read_windows


@pytest.fixture(scope="module")
def data() -> WindowData:
    return generated(0)


def test_every_dialogue_has_a_day_of_its_own(data: WindowData) -> None:
    days = [one.day for one in data.dialogues]
    assert days == sorted(set(days))
    assert (len(days), days[-1]) == (1000, TODAY - timedelta(days=1))
    assert set(Counter(one.language for one in data.dialogues)) == {"en", "es", "pt"}
    assert not any("{" in one.text for one in data.dialogues)


@table("seed", [0, 1, 7])
def test_questions_are_in_folds_and_mean_one_dialogue(seed: int) -> None:
    found = generated(seed)
    by_name = {one.name: one for one in found.dialogues}
    assert Counter(question.fold for question in found.questions) == FOLDS
    assert Counter(q.fold for q in found.questions if not q.right_time) == WRONG
    assert len({question.target for question in found.questions}) == sum(FOLDS.values())
    for question in found.questions:
        assert (by_name[question.target].day in question.window) is question.right_time
        assert "{" not in question.text + question.answer
    assert generated(seed) == found


def test_other_seeds_are_other_data(data: WindowData) -> None:
    assert generated(1).questions != data.questions


def test_too_few_dialogues_are_refused() -> None:
    with pytest.raises(InputError, match="200 dialogues at least"):
        generated(0, 50)


@table("kind", KINDS)
def test_the_reader_and_the_phrases_agree(kind: str) -> None:
    """The phrases come from the calendar, the windows from the words."""
    import random

    draw = random.Random(3)
    for language, text in (("en", "What did we say about the roof {}?"), ("es", "¿Qué dijimos del tejado {}?"),
                           ("pt", "O que dissemos do telhado {}?")):  # fmt: skip
        for _ in range(4):
            said = phrase(kind, language, TODAY, draw)
            assert read_windows(text.format(said.text), TODAY).windows == (said.window,), said


@table(
    "answer, reference, share",
    [
        ("It is the clutch.", "It is the clutch.", 1.0),
        ("Nadia says it is the clutch", "It is the clutch", 1.0),
        ("the clutch it is", "it is the clutch", 0.5),
        ("Está en la cocina", "esta en la COCINA", 1.0),
        ("", "it is", 0.0),
        ("it is", "", 0.0),
    ],
)
def test_rouge_l_recall(answer: str, reference: str, share: float) -> None:
    assert rouge_l_recall(answer, reference) == share


def test_bertscore_precision(minilm: CachedEmbedder) -> None:
    same = bert_precision("It is the clutch.", "It is the clutch.", minilm)
    near = bert_precision("The clutch is broken.", "It is the clutch.", minilm)
    far = bert_precision("We went to the cinema in Graz.", "It is the clutch.", minilm)
    assert same == 1.0
    assert near is not None
    assert far is not None
    assert 1 > near > far
    assert bert_precision("", "It is.", minilm) == 0.0
    assert bert_precision("a", "b", ScriptedEmbedder(8)) is None


def test_themes_are_keywords() -> None:
    text = "The taxi drivers are on strike again.\nThey want the government to reduce the price of gasoline."
    assert theme(text, "none") == text
    for how in ("yake", "rake"):
        words = theme(text, how)
        assert "taxi drivers" in words
        assert "strike" in words
        assert "They" not in words.split(", ")
    assert theme("O motorista de táxi está em greve por causa da gasolina.", "rake").count(",") > 0
    assert theme("…", "rake") == "…"


def test_a_missing_library_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yake", None)
    monkeypatch.setitem(sys.modules, "RAKE", None)
    for how, known in (("yake", themes._yake_of), ("rake", themes._rake_of)):
        known.cache_clear()
        with pytest.raises(SettingsError, match=r"pip install 'oroi-graph\[evaluation\]'"):
            theme("Some text.", how)


@pytest.mark.exclusive("evaluation")
def test_the_protocol_on_a_small_memory(graph: Graph, data: WindowData) -> None:
    """The dialogues that eight questions mean, and some around them, in a real memory."""
    asked = [q for q in data.questions if q.language == "en" and q.fold == "test"][:8]
    named = {question.target for question in asked}
    others = [one for one in data.dialogues if one.language == "en" and one.name not in named][::40]
    kept = sorted([*(one for one in data.dialogues if one.name in named), *others], key=lambda one: one.day)
    small = WindowData("windows-test", tuple(kept), tuple(asked))
    scored = ask_all(graph, small)
    assert set(scored) == {condition.name for condition in CONDITIONS}
    assert len(CONDITIONS) == 2 + 2 * len(THEMES) * 3
    right = [question for question in asked if question.right_time]
    for name, found in scored.items():
        assert [one.question for one in found] == asked
        assert all(one.values["found"] >= one.values["filtered"] for one in found), name
        assert all(("g" in one.values) == (one.question in right and not name.startswith("no-")
                                           and not name.endswith("no-windows")) for one in found)  # fmt: skip
    assert all(one.values["g"] == 1 for one in scored["windows-rake-3"] if one.question.right_time)
    share = {name: sum(one.values["filtered"] for one in found) for name, found in scored.items()}
    assert share["windows-none-3"] >= share["no-windows-none-3"]
    results = WindowResults(replace(small, questions=tuple(asked)), graph.embedder.model, 0, scored)
    told = json.loads(results.text())
    assert told["chosen"] in {condition.name for condition in CONDITIONS if condition.windows and condition.k}
    assert told["test"]["recall"]["g"] == 1.0
    assert [row["id"] for row in told["questions"]] == [question.id for question in asked]
    assert results.tables()[0].rows[0][0] == told["chosen"]


@pytest.mark.shared
def test_sessions_of_locomo_are_dated_anew() -> None:
    path = SHARED / "locomo_dev.json"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    found = of_locomo(path, 0)
    by_name = {one.name: one for one in found.dialogues}
    assert len({one.day for one in found.dialogues}) == len(found.dialogues) > 100
    assert Counter(question.fold for question in found.questions) == FOLDS
    assert all((by_name[q.target].day in q.window) is q.right_time for q in found.questions)


def test_another_file_is_no_locomo(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError):
        of_locomo(path, 0)


def test_days_are_those_of_the_calendar() -> None:
    assert date(2025, 3, 4) == TODAY
    assert TODAY.strftime("%A") == "Tuesday"
