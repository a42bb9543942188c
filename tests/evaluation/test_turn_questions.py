"""The questions about turns of the corpora: each names turns by users of a conversation that is there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import turn_questions

from oroi_graph.errors import InputError
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.scoring import says


def written(folder: Path, labels: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One conversation of three turns that is asked about."""
    turns = [
        {"role": "user", "speaker": "Ana", "text": "My vet is Seamus.", "session": 1, "extraction": {}},
        {"role": "assistant", "speaker": "Assistant", "text": "Noted.", "session": 1},
        {"role": "user", "speaker": "Ana", "text": "We go to Orla in Kilrush now.", "session": 2, "extraction": {}},
    ]
    row = {"id": "one", "phenomenon": "natural", "language": "en", "turns": turns, "probes": []}
    folder.joinpath("some.jsonl").write_text(json.dumps(row), "utf-8")
    path = folder / "labels.jsonl"
    path.write_text("".join(f"{json.dumps({'conversation': 'some/one', **label})}\n" for label in labels), "utf-8")
    [found] = turn_questions.scenarios(path, folder)
    return found


def test_a_probe_asks_for_the_turn_that_answers(tmp_path: Path) -> None:
    found = written(tmp_path, [{"question": "Who is our vet?", "answers": [3], "misleads": [1, 3]}])
    [probe] = found["probes"]
    assert probe["required"] == [["We go to Orla in Kilrush now."]]
    assert probe["forbidden"] == [["My vet is Seamus."]]  # a turn that answers does not mislead
    assert not any("extraction" in turn for turn in found["turns"])


def test_any_of_several_turns_answers_or_all_are_needed_and_none_answers_what_was_never_said(tmp_path: Path) -> None:
    labels = [
        {"question": "Have we a vet?", "answers": [1, 3], "misleads": []},
        {"question": "Which vets did we have?", "answers": [1, 3], "misleads": [], "all": True},
        {"question": "What does the vet cost?", "answers": [], "misleads": [1]},
        {"question": "Who is our vet?", "answers": [3], "misleads": [1], "phenomenon": "updating"},
    ]
    some, every, none, named = written(tmp_path, labels)["probes"]
    assert some["required"] == [["My vet is Seamus.", "We go to Orla in Kilrush now."]]
    assert every["required"] == [["My vet is Seamus."], ["We go to Orla in Kilrush now."]]
    assert (none["required"], none["phenomenon"]) == ([], "silence")
    assert (every["phenomenon"], named["phenomenon"]) == ("recurrence", "updating")


def test_a_missing_conversation_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no conversation .some/other. in .*: mend"):
        written(tmp_path, [{"conversation": "some/other", "question": "?", "answers": [], "misleads": [1]}])


def test_every_label_is_a_scenario(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    rows = list(turn_questions.scenarios())
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    cases = read_scenarios(path, "offline").cases
    for case in cases:
        by_user = [scripted.turn.text for scripted in case.turns if scripted.turn.role == "user"]
        for question in case.questions:
            for some in question.required:
                assert any(says(text, some) for text in by_user), question
