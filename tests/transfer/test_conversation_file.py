"""Files of turns: what is read, what is left out and how it is named."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.model import ExtractedConcept, TurnInput
from oroi_graph.transfer.chats.recognition import read_turns
from oroi_graph.transfer.conversation_file import Conversation, read_lines, read_locomo

LOCOMO: dict[str, Any] = {
    "sample_id": "conv-26",
    "qa": [],
    "conversation": {
        "speaker_a": "Caroline",
        "speaker_b": "Melanie",
        "session_2": [{"speaker": "Melanie", "dia_id": "D2:1", "text": "Hi again!"}],
        "session_2_date_time": "10:05 am on 25 May, 2023",
        "session_1": [
            {"speaker": "Caroline", "dia_id": "D1:1", "text": "Hey Mel!"},
            {"speaker": "Melanie", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a photo of a lake"},
        ],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_3_date_time": "1:00 pm on 1 June, 2023",
    },
}


def written(folder: Path, data: bytes | str, name: str = "talk.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def turns(found: Conversation) -> list[TurnInput]:
    return [scripted.turn for scripted in found.turns]


def test_a_line_says_all_of_a_turn() -> None:
    line = {
        "id": "a1", "role": "user", "speaker": "Ana", "text": "Soy Ana.", "session": 1, "at": "2026-01-03T10:00:00Z",
        "extraction": {"concepts": [{"label": "Ana", "kind": "name"}]}, "lang": "es",
    }  # fmt: skip
    found = read_lines(json.dumps(line), "talk.jsonl")
    assert turns(found) == [TurnInput("Soy Ana.", "a1", "Ana", "user", datetime(2026, 1, 3, 10, tzinfo=UTC), "1")]
    assert found.turns[0].extraction is not None
    assert found.turns[0].extraction.concepts == (ExtractedConcept("Ana", "name"),)
    assert found.problems == ()


def test_what_a_line_leaves_out_has_a_default() -> None:
    found = read_lines('\n{"text": "hi"}\n{"role": "assistant", "text": "hello", "at": "2026-01-03"}\r\n', "x.jsonl")
    assert turns(found) == [
        TurnInput("hi", "x.jsonl:2", "User", "user", None, None),
        TurnInput("hello", "x.jsonl:3", "Assistant", "assistant", datetime(2026, 1, 3, tzinfo=UTC), None),
    ]


@table(
    ("line", "reason"),
    [
        ('{"text": "x"', "not valid JSON"),
        ("[1]", "expected a JSON object, got list"),
        ('{"speaker": "Ana"}', "the turn has no text"),
        ('{"text": 5}', "text must be a string"),
        ('{"text": "x", "role": "system"}', "role must be user or assistant, got 'system'"),
        ('{"text": "x", "at": "yesterday"}', "at must be an ISO time"),
        ('{"text": "x", "at": 7}', "at must be an ISO time"),
        ('{"text": "x", "session": [1]}', "session must be text or a number"),
        ('{"text": "x", "speaker": ""}', "speaker must be 1 to 200 characters"),
        ('{"text": "x", "id": "a\\u0000b"}', "id must be 1 to 200 characters"),
        ('{"text": "x", "speaker": "\\ud800"}', "not valid Unicode"),
        ('{"text": "x", "extraction": {"charge": 4}}', "charge must be a number from 0 to 1"),
        ("[" * 100_000, "nested too deeply"),
        ('{"id": "first", "text": "x"}', "the id 'first' was used at line 1 already"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_kept(line: str, reason: str) -> None:
    found = read_lines(f'{{"id": "first", "text": "one"}}\n{line}\n{{"id": "last", "text": "three"}}', "talk.jsonl")
    assert [turn.id for turn in turns(found)] == ["first", "last"]
    assert [problem.where for problem in found.problems] == ["line 2"]
    assert reason in found.problems[0].reason


def test_a_reply_may_have_the_id_of_its_turn() -> None:
    found = read_lines('{"id": "a", "text": "x"}\n{"id": "a", "role": "assistant", "text": "y"}', "talk.jsonl")
    assert len(found.turns) == 2
    assert not found.problems


def test_separators_inside_a_text_end_no_line(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps({"text": "one\u2028two\x85three"}, ensure_ascii=False))
    assert [turn.text for turn in turns(read_turns(path))] == ["one\u2028two\x85three"]


def test_locomo_sessions_are_dated_and_in_order() -> None:
    found = read_locomo([LOCOMO])
    assert [(t.id, t.speaker, t.role, t.session, t.at) for t in turns(found)] == [
        ("conv-26:D1:1", "Caroline", "user", "1", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("conv-26:D1:2", "Melanie", "user", "1", datetime(2023, 5, 8, 13, 57, tzinfo=UTC)),
        ("conv-26:D2:1", "Melanie", "user", "2", datetime(2023, 5, 25, 10, 5, tzinfo=UTC)),
    ]
    assert turns(found)[1].text == "Look! [shares a photo: a lake]"
    assert found.parts == ("conv-26",)


def test_locomo_parts_are_chosen_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps([LOCOMO, LOCOMO | {"sample_id": "conv-30"}]), "locomo.json")
    assert {t.id.split(":")[0] for t in turns(read_turns(path, ["conv-30"]))} == {"conv-30"}
    assert read_turns(path).parts == ("conv-26", "conv-30")
    with pytest.raises(InputError, match="no conversation 'conv-1' in this file: it holds conv-26, conv-30"):
        read_turns(path, ["conv-1"])


def test_locomo_problems_are_named_by_turn_and_session() -> None:
    broken = json.loads(json.dumps(LOCOMO))
    broken["conversation"]["session_1"].append({"speaker": "Caroline", "dia_id": "D1:3"})
    broken["conversation"]["session_1"].append("what?")
    broken["conversation"]["session_2_date_time"] = "some day"
    found = read_locomo(broken)
    assert [problem.where for problem in found.problems] == ["conv-26:D1:3", "conv-26:D1:4", "conv-26 session 2"]
    assert [turn.at is None for turn in turns(found)] == [False, False, True]


@pytest.mark.shared
def test_the_measuring_data_are_read_whole(shared_data: Path) -> None:
    found = read_turns(shared_data / "locomo_dev.json")
    assert len(found.turns) == 2601
    assert found.problems == ()
    assert all(turn.at is not None and turn.role == "user" for turn in turns(found))


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b'{"text": "ok"}\n{"text": "\xff"}', "talk.jsonl", r"talk\.jsonl is not UTF-8 text \(line 2\)"),
        (b"", "talk.jsonl", "holds no readable turn: it is empty"),
        (b"nothing\n", "talk.jsonl", r"talk\.jsonl is in no format that is known"),
        (b'[{"conversation"', "locomo.json", r"locomo\.json is not valid JSON"),
        (b'[{"text": "x"}]', "turns.json", r"turns\.json is in no format that is known"),
    ],
)
def test_an_unusable_file_is_refused_in_one_line(tmp_path: Path, data: bytes, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_turns(written(tmp_path, data, name))
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_turns(tmp_path / "absent.jsonl")
    with pytest.raises(InputError, match="cannot read"):
        read_turns(tmp_path)


def test_parts_of_plain_turns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leave out --conversation"):
        read_turns(written(tmp_path, '{"text": "x"}'), ["conv-26"])


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    assert [t.text for t in turns(read_turns(written(tmp_path, b'\xef\xbb\xbf{"text": "x"}')))] == ["x"]
