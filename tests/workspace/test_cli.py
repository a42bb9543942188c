"""`oroi workspace` as a user types it: an existing workspace dropped in, searched, edited, reverted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest_cli import Ran
from conftest_workspace import read_only
from fake_openai import KEY, FakeOpenAI

Oroi = Callable[..., Ran]

FIELDS = {"results", "provider", "model", "fallback", "citations"}
RESULT = {"path", "startLine", "endLine", "score", "snippet", "source"}


@pytest.fixture
def dropped(tmp_path: Path) -> Path:
    """A workspace as its users have it."""
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# About Ana\n\nAna prefers tea.\n")
    (root / "memory/2026-02-10.md").write_text("Configured the Omada router; VLAN 10 for IoT devices.\n")
    (root / "memory/network.md").write_text("AdGuard: 192.168.10.2\nRouter: Omada ER605\n")
    (root / "AGENTS.md").write_text("Instructions are no memory.\n")
    for file in root.rglob("*.md"):  # not written a moment ago, which would have them looked into again
        os.utime(file, (1_760_000_000, 1_760_000_000))
    return root


def test_a_life_of_commands(oroi: Oroi, mind: str, dropped: Path, tmp_path: Path) -> None:
    config = tmp_path / "openclaw.json"
    config.write_text("{agents: {defaults: {memorySearch: {querry: 1}}}, memory: {citations: 'auto'}}")
    made = oroi("workspace", "init", mind, str(dropped), "--config", str(config))
    assert made.code == 0, made
    assert "unknown key" in made.err
    assert "memorySearch.querry" in made.err

    found = oroi("workspace", "search", mind, "VLAN for IoT devices", "--json")
    assert found.code == 0, found
    assert found.json.keys() == FIELDS
    best = found.json["results"][0]
    assert best.keys() == RESULT
    assert (best["path"], best["source"]) == ("memory/2026-02-10.md", "memory")
    assert best["snippet"].endswith("\n\nSource: memory/2026-02-10.md#L1")
    assert (found.json["provider"], found.json["model"]) == ("local", "all-MiniLM-L6-v2")
    assert (found.json["fallback"], found.json["citations"]) == (None, "auto")
    assert all("AGENTS" not in one["path"] for one in found.json["results"])

    got = oroi("workspace", "get", mind, "memory/network.md", "--from", "2", "--lines", "1", "--json").json
    assert got == {"path": "memory/network.md", "start": 2, "end": 2, "total": 2, "text": "Router: Omada ER605"}
    assert "refused" in oroi("workspace", "get", mind, "../secret.md").failed()
    assert "only MEMORY.md" in oroi("workspace", "get", mind, "AGENTS.md").failed()

    written = oroi("workspace", "append", mind, "The zeppelin lands at noon.", "--at", "2026-02-10", "--json").json
    assert (written["path"], written["start"], written["end"]) == ("memory/2026-02-10.md", 2, 2)
    status = oroi("workspace", "status", mind, "--json").json
    assert (status["files"], status["due"], status["dirty"], status["backend"]) == (3, 1, True, "neo4j")
    assert status["unknown"] == ["agents.defaults.memorySearch.querry"]
    report = oroi("workspace", "index", mind, "--json").json
    assert (report["read"], report["failure"]) == (1, None)
    assert "zeppelin" in oroi("workspace", "search", mind, "zeppelin", "--results", "1").out

    [change] = oroi("workspace", "history", mind, "--json").json
    assert (change["action"], change["by"]) == ("append", "user")
    assert oroi("workspace", "revert", mind, change["id"]).code == 0
    assert "zeppelin" not in (dropped / "memory/2026-02-10.md").read_text()
    assert change["id"] in oroi("workspace", "history", mind, "memory/2026-02-10.md").out

    asked = oroi("ask", mind, "Which router was configured?", "--kind", "note")
    assert "memory/2026-02-10.md#L1" in asked.out


def test_import_loses_nothing(oroi: Oroi, mind: str, dropped: Path, tmp_path: Path) -> None:
    oroi("workspace", "init", mind, str(dropped))
    old = tmp_path / "old"
    (old / "memory").mkdir(parents=True)
    (old / "MEMORY.md").write_text("Something else.\n")
    (old / "memory/2026-02-10.md").write_text("In the old place.\n")
    (old / "memory/new.md").write_text("New here.\n")
    (old / "memory/network.md").write_text("AdGuard: 192.168.10.2\n")
    report = oroi("workspace", "import", mind, str(old), "--json").json
    assert report == {
        "written": ["memory/new.md"], "appended": ["memory/2026-02-10.md"], "same": ["memory/network.md"],
        "differing": ["MEMORY.md"], "skipped": {},
    }  # fmt: skip
    assert (dropped / "memory/2026-02-10.md").read_text().splitlines()[1:] == ["In the old place."]
    assert "Ana prefers tea" in (dropped / "MEMORY.md").read_text()
    assert oroi("workspace", "import", mind, str(old), "--replace", "--json").json["written"] == ["MEMORY.md"]
    assert "itself" in oroi("workspace", "import", mind, str(dropped)).failed()


def test_a_folder_without_notes_is_named(oroi: Oroi, mind: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    oroi("workspace", "init", mind, str(tmp_path / "empty"))
    made = oroi("workspace", "index", mind)
    assert made.code == 0, made
    assert f"{tmp_path / 'empty'} has no notes: MEMORY.md" in made.err
    assert "nothing was found" in oroi("workspace", "search", mind, "anything").err


def test_flush_is_asked_made_and_begun_anew(oroi: Oroi, mind: str, dropped: Path) -> None:
    oroi("workspace", "init", mind, str(dropped))
    ask = ("workspace", "flush", mind, "--session", "main")
    tokens = ("--tokens", "180000", "--window", "200000")
    first = oroi(*ask, *tokens, "--json").json
    assert (first["due"], first["threshold"]) == (True, 176_000)
    assert oroi(*ask, "--done").code == 0
    assert oroi(*ask, *tokens).out == "not due: this cycle was flushed before\n"
    assert oroi(*ask, "--compacted", "--json").json["cycle"] == 1
    assert oroi(*ask, *tokens).out.startswith("due: ")
    assert oroi(*ask, "--tokens", "5").code == 2


def test_what_is_missing_is_said(oroi: Oroi, mind: str, tmp_path: Path) -> None:
    oroi("say", mind, "I like tea.", "--speaker", "Ana")
    assert "has no workspace" in oroi("workspace", "status", mind).failed()
    assert oroi("workspace", "init", mind, str(tmp_path / "new")).code == 0
    assert (tmp_path / "new/memory").is_dir()
    assert oroi("workspace", "search", mind, "anything", "--json").json["results"] == []
    (tmp_path / "bad.json").write_text("{")
    assert "no JSON5" in oroi("workspace", "init", mind, str(tmp_path), "--config", str(tmp_path / "bad.json")).failed()


def test_a_home_folder_that_is_not_there_is_named(oroi: Oroi, mind: str, dropped: Path) -> None:
    missing = "there is no such home folder"
    assert missing in oroi("workspace", "init", mind, "~nobody-here/notes").failed()
    assert missing in oroi("workspace", "init", mind, str(dropped), "--sessions", "~nobody-here/x").failed()
    assert oroi("workspace", "init", mind, str(dropped)).code == 0
    assert missing in oroi("workspace", "import", mind, "~nobody-here/notes").failed()
    assert "the path '../x' is refused" in oroi("workspace", "history", mind, "../x").failed()


def test_transcripts_are_searched_if_init_names_their_folder(
    oroi: Oroi, mind: str, dropped: Path, tmp_path: Path
) -> None:
    assert (
        "is no folder" in oroi("workspace", "init", mind, str(dropped), "--sessions", str(tmp_path / "none")).failed()
    )
    (tmp_path / "sessions").mkdir()
    line = '{"type": "message", "message": {"role": "user", "content": "The zeppelin lands at noon."}}\n'
    (tmp_path / "sessions/a.jsonl").write_text(line)
    oroi("workspace", "init", mind, str(dropped), "--sessions", str(tmp_path / "sessions"))
    oroi("workspace", "index", mind)
    best = oroi("workspace", "search", mind, "zeppelin at noon", "--json").json["results"][0]
    assert (best["path"], best["source"]) == ("sessions/a.jsonl", "sessions")
    oroi("workspace", "init", mind, str(dropped))
    oroi("workspace", "index", mind)
    found = oroi("workspace", "search", mind, "zeppelin at noon", "--json").json["results"]
    assert all(one["source"] == "memory" for one in found), "without the option nothing of them stays"


def test_a_long_chat_is_flushed_into_the_daily_log(
    oroi: Oroi, mind: str, dropped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(messages: list[dict[str, str]]) -> str:
        return "Ana moves to Lugo." if "compaction" in messages[0]["content"] else "I see. " * 600

    oroi("workspace", "init", mind, str(dropped))
    with FakeOpenAI(chat=reply) as fake:
        monkeypatch.setenv("OROI_OPENAI_BASE_URL", fake.url)
        monkeypatch.setenv("OROI_OPENAI_API_KEY", KEY)
        said = "".join(f"I will move to Lugo, part {number}.\n" for number in range(3)).encode()
        held = oroi("chat", mind, "--speaker", "Ana", "--window", "26000", stdin=said)
    assert held.code == 0, held
    assert held.err.count("stored in memory/") == 1
    history = oroi("workspace", "history", mind, "--json").json
    assert [(one["action"], one["by"]) for one in history] == [("append", "agent")]
    log = dropped / history[0]["path"]
    assert log.read_text() == "Ana moves to Lugo.\n"


def test_a_chat_goes_on_where_its_notes_cannot_be_written(
    oroi: Oroi, mind: str, dropped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    oroi("workspace", "init", mind, str(dropped))
    with FakeOpenAI(chat=lambda messages: "I see.") as fake, read_only(dropped):
        monkeypatch.setenv("OROI_OPENAI_BASE_URL", fake.url)
        monkeypatch.setenv("OROI_OPENAI_API_KEY", KEY)
        held = oroi("chat", mind, "--speaker", "Ana", stdin=b"I will move to Lugo.\n")
        indexed = oroi("workspace", "index", mind)
    assert held.code == 0, held
    assert "nothing of this chat is stored in the notes: cannot write" in held.err
    assert "I see." in held.out
    assert "cannot be written (Read-only file system): notes are only read" in indexed.out
