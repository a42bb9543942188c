"""Recorded extractions: keys, the fallback by text, malformed files, and the recorder."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from oroi_graph.errors import ExtractionError, InputError
from oroi_graph.model import ExtractedConcept, ExtractedRelation, Extraction, Replaced, Utterance
from oroi_graph.providers.recorded import RecordedExtractor, Recorder, recording_key
from oroi_graph.providers.scripted import ScriptedExtractor

AT = datetime(2026, 3, 11, 10, tzinfo=UTC)
TURN = Utterance("It is in Madrid, ¿sí?", "Ana", "user", AT)
WINDOW = (Utterance("Where is the office?", "Luis", "user", None),)


def write(path: Path, *lines: Any) -> Path:
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
    return path


def about(label: str) -> dict[str, Any]:
    return {"concepts": [{"label": label, "kind": "concept"}]}


def labels(extraction: Extraction) -> list[str]:
    return [concept.label for concept in extraction.concepts]


def test_the_key_is_the_hash_of_the_canonical_json() -> None:
    text = (
        '{"at":"2026-03-11T10:00:00+00:00","schema_version":1,"speaker":"Ana","text":"It is in Madrid, ¿sí?",'
        '"window":[{"at":null,"speaker":"Luis","text":"Where is the office?"}]}'
    )
    assert recording_key(TURN, WINDOW) == hashlib.sha256(text.encode()).hexdigest()


def test_the_key_changes_with_all_that_an_extractor_sees() -> None:
    variants = [
        (TURN, WINDOW),
        (TURN, ()),
        (TURN, WINDOW * 2),
        (Utterance(TURN.text + ".", "Ana", "user", AT), WINDOW),
        (Utterance(TURN.text, "Eva", "user", AT), WINDOW),
        (Utterance(TURN.text, "Ana", "user", AT + timedelta(seconds=1)), WINDOW),
        (Utterance(TURN.text, "Ana"), WINDOW),
        (TURN, (Utterance("Where is the office?", "Eva"),)),
    ]
    assert len({recording_key(turn, window) for turn, window in variants}) == len(variants)


def test_one_moment_is_one_key_in_any_time_zone() -> None:
    there = Utterance(TURN.text, "Ana", "user", AT.astimezone(timezone(timedelta(hours=5))))
    assert recording_key(there, list(WINDOW)) == recording_key(TURN, WINDOW)


def test_the_key_wins_over_the_text(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl",
        {"text": TURN.text, **about("by text")},
        {"key": recording_key(TURN, WINDOW), "text": TURN.text, **about("by key")},
        {"key": recording_key(TURN, ()), **about("alone")},
    )
    recorded = RecordedExtractor(path)
    assert labels(recorded.extract(TURN, WINDOW)) == ["by key"]
    assert labels(recorded.extract(TURN, ())) == ["alone"]


def test_the_text_serves_where_the_key_is_unknown(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {"key": "0" * 64, "text": TURN.text, **about("office")})
    assert labels(RecordedExtractor(path).extract(TURN, WINDOW)) == ["office"]


def test_the_same_answer_twice_is_no_conflict(tmp_path: Path) -> None:
    line = {"text": TURN.text, **about("office")}
    path = write(tmp_path / "r.jsonl", line, line, {"key": "0" * 64, **line})
    assert labels(RecordedExtractor(path).extract(TURN, WINDOW)) == ["office"]


def test_different_answers_for_one_text_are_refused(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl",
        {"key": "0" * 64, "text": TURN.text, **about("office")},
        {"key": "1" * 64, "text": TURN.text, **about("shop")},
    )
    with pytest.raises(ExtractionError, match=r"2 different recordings of 'It is in Madrid"):
        RecordedExtractor(path).extract(TURN, WINDOW)


def test_a_later_line_of_one_key_replaces_an_earlier_one(tmp_path: Path) -> None:
    key = recording_key(TURN, WINDOW)
    path = write(
        tmp_path / "r.jsonl",
        {"key": key, "text": TURN.text, **about("first")},
        {"key": key, "text": TURN.text, **about("second")},
    )
    recorded = RecordedExtractor(path)
    assert labels(recorded.extract(TURN, WINDOW)) == ["second"]
    assert labels(recorded.extract(TURN, ())) == ["second"]


def test_what_was_not_recorded_is_an_error_that_quotes_it(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {"text": "something else"})
    with pytest.raises(ExtractionError, match=r"no recording of 'It is in Madrid"):
        RecordedExtractor(path).extract(TURN, WINDOW)


def test_malformed_lines_are_named_by_number(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl",
        {"text": "fine"},
        b"{",
        b"",
        {"concepts": []},
        {"text": "x", "concepts": [{"label": ""}]},
        b'{"text": "\xff"}',
        {"key": 7},
    )
    with pytest.raises(InputError) as caught:
        RecordedExtractor(path)
    message = str(caught.value)
    assert [number for number in range(1, 8) if f"line {number}:" in message] == [2, 4, 5, 6, 7]
    assert "\n" not in message


def test_of_many_malformed_lines_the_first_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", *[b"{"] * 9)
    with pytest.raises(InputError, match=r"line 5: .*; and 4 more$"):
        RecordedExtractor(path)


@pytest.mark.parametrize("name", ["absent.jsonl", "."])
def test_a_file_that_cannot_be_read_is_an_input_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot read recordings"):
        RecordedExtractor(tmp_path / name)


EXTRACTION = Extraction(
    concepts=(ExtractedConcept("Bürgermeister Ñúñez", "name"),),
    relations=(ExtractedRelation("it", "is in", "Madrid", True, Replaced("is in", "Bilbao"), "2026-03"),),
    uptake=(ExtractedRelation("a", "b", "c", replaces=True),),
    remember=True,
    forget="the rest",
    store=False,
    charge=0.25,
)


def test_what_was_recorded_is_played_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "r.jsonl"
    recorder = Recorder(ScriptedExtractor([EXTRACTION]), path)
    assert recorder.name == "scripted"
    assert recorder.extract(TURN, WINDOW) == EXTRACTION
    assert RecordedExtractor(path).extract(TURN, WINDOW) == EXTRACTION
    line = json.loads(path.read_text("utf-8"))
    assert (line["key"], line["text"]) == (recording_key(TURN, WINDOW), TURN.text)


def test_failures_are_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    recorder = Recorder(ScriptedExtractor([ExtractionError("no"), EXTRACTION]), path)
    with pytest.raises(ExtractionError, match="no"):
        recorder.extract(TURN, WINDOW)
    recorder.extract(TURN, WINDOW)
    assert path.read_bytes().count(b"\n") == 1


def test_a_recorder_appends_and_a_torn_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", {"text": "before"})  # without a newline at its end
    Recorder(ScriptedExtractor([EXTRACTION]), path).extract(TURN, WINDOW)
    Recorder(ScriptedExtractor([EXTRACTION]), path).extract(TURN, ())
    recorded = RecordedExtractor(path)
    assert recorded.extract(Utterance("before", "Ana"), ()) == Extraction()
    assert recorded.extract(TURN, WINDOW) == EXTRACTION
    assert path.read_bytes().count(b"\n") == 3


def test_threads_do_not_mix_lines(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    recorder = Recorder(ScriptedExtractor({}, default=EXTRACTION), path)
    turns = [Utterance(f"turn {number} " * 500, "Ana") for number in range(60)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda turn: recorder.extract(turn, ()), turns))
    recorded = RecordedExtractor(path)
    assert all(recorded.extract(turn, ()) == EXTRACTION for turn in turns)


def test_a_place_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "r.jsonl"):
        with pytest.raises(InputError, match="cannot write"):
            Recorder(ScriptedExtractor([]), path)
