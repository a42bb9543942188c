"""The flush before a compaction: at the threshold, once a cycle, before it, whatever happens to the process."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from conftest_workspace import read_only
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.workspace import flush as flushing
from oroi_graph.workspace.config import FlushConfig
from oroi_graph.workspace.files.reading import get
from oroi_graph.workspace.files.writing import NoteWriter
from oroi_graph.workspace.flush import SILENT, Flusher, spoken
from oroi_graph.workspace.layout import Layout

NOON = datetime(2026, 2, 10, 12, tzinfo=UTC)
WINDOW = 200_000
FULL = WINDOW - 20_000 - 4_000


def flusher(layout: Layout, config: FlushConfig | None = None, at: datetime = NOON) -> Flusher:
    """As a process of its own would have it."""
    return Flusher(layout.state, config or FlushConfig(), NoteWriter(layout, clock=lambda: at), clock=lambda: at)


def test_it_is_due_from_the_threshold_on_and_once_a_cycle(layout: Layout) -> None:
    assert not flusher(layout).begin("main", FULL - 1, WINDOW).due
    decision = flusher(layout).begin("main", FULL, WINDOW)
    assert (decision.due, decision.threshold, decision.cycle) == (True, 176_000, 0)
    flusher(layout).finish("main")
    again = flusher(layout).begin("main", FULL + 1, WINDOW)
    assert (again.due, again.reason) == (False, "this cycle was flushed before")
    assert flusher(layout).begin("other", FULL, WINDOW).due, "sessions have their own cycles"


def test_every_cycle_is_flushed_not_every_second_one(layout: Layout) -> None:
    done = []
    for _ in range(6):
        decision = flusher(layout).begin("main", FULL, WINDOW)
        done.append(decision.due)
        flusher(layout).finish("main")
        flusher(layout).compacted("main")
    assert done == [True] * 6


def test_a_compaction_without_a_flush_begins_a_new_cycle_all_the_same(layout: Layout) -> None:
    assert flusher(layout).compacted("main") == 1
    assert flusher(layout).begin("main", FULL, WINDOW).cycle == 1


def test_both_prompts_tell_how_to_be_silent_and_name_the_day(layout: Layout) -> None:
    decision = flusher(layout).begin("main", FULL, WINDOW)
    assert decision.prompt is not None
    assert decision.system_prompt is not None
    assert SILENT in decision.prompt
    assert SILENT in decision.system_prompt
    assert "memory/2026-02-10.md" in decision.prompt


@table("access", ["ro", "none"])
def test_a_session_that_may_not_write_is_not_flushed(access: str, layout: Layout) -> None:
    decision = flusher(layout).begin(access, FULL, WINDOW, access)  # type: ignore[arg-type]
    assert (decision.due, decision.prompt) == (False, None)
    assert access in decision.reason
    assert flusher(layout).begin(access, FULL, WINDOW).due, "what was refused does not count as flushed"


def test_it_can_be_switched_off(layout: Layout) -> None:
    assert not flusher(layout, FlushConfig(enabled=False)).begin("main", FULL, WINDOW).due


def test_a_small_window_is_flushed_at_once_and_not_never(layout: Layout) -> None:
    assert flusher(layout).begin("main", 10, 16_000).due
    with pytest.raises(InputError):
        flusher(layout).begin("main", 10, 0)


def test_two_processes_do_not_both_flush(layout: Layout) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: flusher(layout).begin("main", FULL, WINDOW).due, range(16)))
    assert found.count(True) == 1


def test_a_flush_that_died_is_made_again_after_a_while(layout: Layout) -> None:
    assert flusher(layout).begin("main", FULL, WINDOW).due
    assert not flusher(layout, at=NOON + timedelta(minutes=9)).begin("main", FULL, WINDOW).due
    assert flusher(layout, at=NOON + timedelta(minutes=11)).begin("main", FULL, WINDOW).due


def test_the_reply_is_appended_and_never_overwrites_the_day(layout: Layout) -> None:
    (layout.root / "memory/2026-02-10.md").write_text("In the morning.\n")
    asked = []

    def ask(system: str, prompt: str) -> str:
        asked.append((system, prompt))
        return "- Rod has a new team."

    flushed = flusher(layout).run("main", FULL, WINDOW, ask)
    assert flushed.reply == "- Rod has a new team."
    assert get(layout, "memory/2026-02-10.md").text == "In the morning.\n- Rod has a new team."
    assert flusher(layout).run("main", FULL, WINDOW, ask).written is None
    assert len(asked) == 1
    assert not (layout.root / "MEMORY.md").exists(), "nothing is promoted to curated memory"


def test_a_silent_reply_writes_nothing_and_counts(layout: Layout) -> None:
    flushed = flusher(layout).run("main", FULL, WINDOW, lambda system, prompt: SILENT)
    assert (flushed.reply, flushed.written) == (None, None)
    assert list((layout.root / "memory").iterdir()) == []
    assert not flusher(layout).begin("main", FULL, WINDOW).due


def test_a_model_that_fails_leaves_the_cycle_to_be_flushed(layout: Layout) -> None:
    def fail(system: str, prompt: str) -> str:
        raise RuntimeError("no model")

    with pytest.raises(RuntimeError):
        flusher(layout).run("main", FULL, WINDOW, fail)
    later = replace(FlushConfig())
    assert flusher(layout, later, NOON + timedelta(hours=1)).begin("main", FULL, WINDOW).due


@table(
    "reply, said",
    [
        ("NO_REPLY", None), (" `NO_REPLY`. ", None), ("NO_REPLY\nNothing to store.", None), ("Done.\nNO_REPLY", None),
        ("", None), ("  \n", None), ("Stored.", "Stored."), ("He said NO_REPLY to me.", "He said NO_REPLY to me."),
    ],
)  # fmt: skip
def test_what_is_silent(reply: str, said: str | None) -> None:
    assert spoken(reply) == said


@table(
    "content",
    [
        "", "{", "[]", '{"main": 3}', '{"main": {"compactions": "x"}}', "null", "[" * 5_000,
        '{"main": {"compactions": 0, "begun": 0}}', '{"main": {"compactions": 0, "begun": 0, "begun_at": "yesterday"}}',
        '{"main": {"compactions": 0, "begun": 0, "begun_at": "2026-02-10"}}',
        '{"main": {"compactions": 0, "begun": 0, "begun_at": 5}}',
    ],
)  # fmt: skip
def test_a_damaged_file_begins_anew(content: str, layout: Layout) -> None:
    layout.state.mkdir(exist_ok=True)
    (layout.state / "sessions.json").write_text(content)
    assert flusher(layout).begin("main", FULL, WINDOW).due


def test_a_session_that_is_in_use_is_not_forgotten_for_newer_ones(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flushing, "KEPT", 3)
    for number in range(6):
        assert flusher(layout).compacted("main") == number + 1
        assert flusher(layout).begin(f"chat-{number}", FULL, WINDOW).due
    assert [*json.loads((layout.state / "sessions.json").read_text())] == ["chat-4", "main", "chat-5"]


def test_more_than_a_thousand_sessions_have_their_cycles(layout: Layout) -> None:
    layout.state.mkdir()
    known = {f"chat-{number}": {"compactions": 0, "flushed": 0} for number in range(1_500)}
    (layout.state / "sessions.json").write_text(json.dumps(known))
    flusher(layout).compacted("main")
    assert flusher(layout).begin("chat-0", FULL, WINDOW).reason == "this cycle was flushed before"


def test_a_session_that_is_not_to_be_flushed_is_told_so_where_nothing_can_be_written(layout: Layout) -> None:
    flusher(layout).compacted("main")
    with read_only(layout.root):
        for access in ("ro", "none"):
            decision = flusher(layout).begin("main", FULL, WINDOW, access)  # type: ignore[arg-type]
            assert (decision.due, decision.cycle) == (False, 1)
            assert access in decision.reason
        assert "below the threshold" in flusher(layout).begin("main", 1, WINDOW).reason
        with pytest.raises(InputError, match=r"cannot write .*\.oroi: Read-only file system"):
            flusher(layout).begin("main", FULL, WINDOW)
