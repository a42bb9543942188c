"""QMD as a sidecar: it is asked in its own way, within its limits and scope, and replaced where it fails."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from conftest_workspace import QUIET
from locations import PROJECT
from tables import table

from oroi_graph import Graph
from oroi_graph.errors import InputError
from oroi_graph.workspace.files.reading import get
from oroi_graph.workspace.layout import Layout
from oroi_graph.workspace.qmd.config import QmdConfig, QmdPath, ScopeRule
from oroi_graph.workspace.qmd.exports import export
from oroi_graph.workspace.qmd.process import SidecarError
from oroi_graph.workspace.qmd.results import parse
from oroi_graph.workspace.qmd.scope import permitted, read_key
from oroi_graph.workspace.qmd.sidecar import Sidecar

NOTES = {
    "MEMORY.md": "# Facts\n\nAna prefers tea.\nThe deploy key is a828e60.\n",
    "memory/2026-02-10.md": "Rod has standup at 14:15.\nConfigured the Omada router.\n",
    "memory/Home Network.md": "AdGuard runs on the small box.\nThe router is an Omada ER605.\n",
}


@dataclass
class Tool:
    """The scripted tool of one test."""

    folder: Path

    @property
    def command(self) -> str:
        """Its path."""
        return str(self.folder / "qmd")

    def behave(self, **commands: Any) -> None:
        """How each command behaves from now on."""
        (self.folder / "behaviour.json").write_text(json.dumps(commands))

    def calls(self, command: str = "") -> list[list[str]]:
        """The arguments of its calls so far."""
        path = self.folder / "calls.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        found = [json.loads(line)["arguments"] for line in lines]
        return [one for one in found if one[0].startswith(command)]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """A `qmd` that can be run, by this Python: what else is called so may be a script that looks for one."""
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    folder = tmp_path / "tool"
    folder.mkdir()
    shutil.copy(PROJECT / "tests/support/scripted_qmd.py", folder / "qmd")
    (folder / "qmd").chmod(0o755)
    return Tool(folder)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with some notes."""
    for path, text in NOTES.items():
        (tmp_path / "w" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "w" / path).write_text(text)
    return tmp_path / "w"


def sidecar(tool: Tool, root: Path, transcripts: Path | None = None, **options: Any) -> Sidecar:
    config = QmdConfig(**{"command": tool.command, "debounce": 0.0, "timeout": 30.0, **options})
    named = tuple((one.name, one.path) for one in config.paths)
    return Sidecar(config, Layout.of(root, (), named), transcripts)


def test_results_are_notes_with_their_own_paths_and_lines(tool: Tool, root: Path) -> None:
    one = sidecar(tool, root)
    one.update()
    found = {hit.path: hit for hit in one.search("Omada router deploy key", 6, 0.0)}
    assert set(found) == set(NOTES), "names that the tool made plainer are those of the files again"
    network = found["memory/Home Network.md"]
    assert (network.start, network.end, network.text) == (2, 2, "The router is an Omada ER605.")
    assert get(Layout.of(root), network.path, 2, 1).text == network.text
    assert one.search("zeppelin", 6, 0.0) == []
    assert [hit.path for hit in one.search("Omada router deploy key", 1, 0.0)] == [
        max(found, key=lambda p: found[p].score)
    ]


def test_collections_are_made_once_and_anew_when_they_change(tool: Tool, root: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/plan.md").write_text("The zeppelin lands at noon.\n")
    sidecar(tool, root).update()
    sidecar(tool, root).update()
    assert [call[2:] for call in tool.calls("collection")] == [
        [str(root), "--name", "memory-root", "--mask", "MEMORY.md"],
        [str(root / "memory"), "--name", "memory-dir", "--mask", "**/*.md"],
    ]
    docs = QmdPath(name="docs", path=str(tmp_path / "docs"))
    both = sidecar(tool, root, paths=(docs,))
    both.update()
    [hit] = both.search("zeppelin", 6, 0.0)
    assert (hit.path, hit.start) == ("qmd/docs/plan.md", 1)
    assert get(both._layout, "qmd/docs/plan.md").text == "The zeppelin lands at noon."
    for path in ("qmd/docs/../plan.md", "qmd/other/plan.md", "qmd/docs", "qmd/docs/plan.txt", "qmd/docs/.x.md"):
        with pytest.raises(InputError):
            get(both._layout, path)
    # The tool knows the name, but this workspace has no note of it.
    (root / ".oroi/qmd/collections.json").unlink()
    both.update()
    only = sidecar(tool, root, paths=(replace(docs, pattern="*.md"),), include_default=False)
    only.update()
    assert [hit.path for hit in only.search("zeppelin Omada", 6, 0.0)] == ["qmd/docs/plan.md"]


@table("mode, embeds", [("search", 0), ("vsearch", 1), ("query", 0)])
def test_each_mode_is_its_command(tool: Tool, root: Path, mode: str, embeds: int) -> None:
    before = len(tool.calls("embed"))
    one = sidecar(tool, root, mode=mode)
    one.update()
    one.update()
    assert len(tool.calls("embed")) - before == embeds, "vectors at most once an interval, whoever made them"
    one.search("-n 5 --help", 3, 0.0)
    assert tool.calls(mode)[-1] == [mode, "n 5 --help", "--json", "-n", "3", "-c", tool.calls(mode)[-1][-1]]


def test_flags_that_a_build_refuses_lead_to_query(tool: Tool, root: Path) -> None:
    one = sidecar(tool, root)
    one.update()
    tool.behave(search={"fail": "error: unknown option '-c'"})
    assert [hit.path for hit in one.search("deploy key", 6, 0.0)] == ["MEMORY.md"]
    assert tool.calls("query")


@table(
    "behaviour, message",
    [
        ({"fail": "SqliteError: disk image is malformed"}, "disk image"),
        ({"output": "not json"}, "something else than a list"),
        ({"output": '{"file": 1}'}, "something else than a list"),
        ({"output": ""}, "wrote nothing"),
        ({"sleep": 5}, "did not answer within 0.3 s"),
    ],
)
def test_failures_are_told(tool: Tool, root: Path, behaviour: dict[str, Any], message: str) -> None:
    one = sidecar(tool, root, timeout=0.3 if "sleep" in behaviour else 30.0)
    tool.behave(search=behaviour)
    with pytest.raises(SidecarError, match=message):
        one.search("deploy key", 6, 0.0)
    assert one.failure is not None


def test_an_update_that_meets_a_locked_index_is_tried_again(tool: Tool, root: Path) -> None:
    tool.behave(update={"fail": "SQLITE_BUSY: database is locked", "times": 2})
    sidecar(tool, root).update()
    assert len(tool.calls("update")) == 3
    tool.behave(update={"fail": "no such file"})
    with pytest.raises(SidecarError, match="no such file"):
        sidecar(tool, root).update()


def test_limits_hold(tool: Tool, root: Path) -> None:
    for number in range(20):
        (root / f"memory/{number}.md").write_text(f"the marmalade of jar {number} " * 8 + "\n")
    one = sidecar(tool, root, max_results=4, max_snippet=60, max_injected=130)
    one.update()
    found = one.search("marmalade", 50, 0.0)
    assert [len(hit.text) for hit in found] == [60, 60]
    assert tool.calls("search")[-1][4] == "4"
    again = sidecar(tool, root, debounce=600.0)
    assert (again.update(), again.update(force=True)) == (False, True), "another has just done so"


def test_transcripts_are_exported_as_what_was_said_and_kept_for_a_time(tool: Tool, root: Path, tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    line = '{"type": "message", "message": {"role": "%s", "content": "%s"}}\n'
    (sessions / "new.jsonl").write_text(line % ("user", "The zeppelin lands.") + line % ("tool", "secret output"))
    (sessions / "old.jsonl").write_text(line % ("user", "An old zeppelin."))
    os.utime(sessions / "old.jsonl", (time.time() - 40 * 86_400,) * 2)
    one = sidecar(tool, root, sessions, sessions=True, retention_days=30.0)
    one.update()
    assert [path.name for path in one.exports.glob("*.md")] == ["new.md"]
    assert one.exports.joinpath("new.md").read_text() == "# Session new\n\nUser: The zeppelin lands.\n"
    [hit] = one.search("zeppelin", 6, 0.0)
    assert (hit.path, hit.source) == ("qmd/sessions/new.md", "sessions")
    with pytest.raises(InputError):
        get(one._layout, hit.path)
    sessions.rename(tmp_path / "away")
    one.update(force=True)
    assert [path.name for path in one.exports.glob("*.md")] == ["new.md"], "transcripts that are away are not gone"
    (tmp_path / "away").rename(sessions)
    (sessions / "new.jsonl").unlink()
    one.update()
    assert list(one.exports.glob("*.md")) == []


@table("content", ["", "null", "5", '{"a.md": 1}', '["../a.md", 5]', "[" * 5_000])
def test_a_damaged_list_of_exports_names_none(content: str, tmp_path: Path) -> None:
    sessions, target = tmp_path / "sessions", tmp_path / "exports"
    sessions.mkdir(exist_ok=True)
    target.mkdir(exist_ok=True)
    (tmp_path / "a.md").write_text("Mine.")
    (target / "a.md").write_text("Mine, too.")
    (target / ".exported.json").write_text(content)
    assert export(sessions, target, None) == 0
    assert (tmp_path / "a.md").exists()
    assert (target / "a.md").exists()


def test_what_else_is_in_the_folder_of_exports_stays(tool: Tool, root: Path, tmp_path: Path) -> None:
    sessions, target = tmp_path / "sessions", tmp_path / "my notes"
    sessions.mkdir()
    target.mkdir()
    (target / "diary.md").write_text("My own words.")
    said = sessions / "said.jsonl"
    said.write_text('{"type": "message", "message": {"role": "user", "content": "The zeppelin lands."}}\n')
    one = sidecar(tool, root, sessions, sessions=True, export_dir=str(target))
    one.update()
    assert {path.name for path in target.glob("*.md")} == {"diary.md", "said.md"}
    said.unlink()
    one.update(force=True)
    assert [path.name for path in target.glob("*.md")] == ["diary.md"]
    (sessions / "diary.jsonl").write_text('{"type": "message", "message": {"role": "user", "content": "Hello."}}\n')
    with pytest.raises(SidecarError, match=r"diary\.md is no export: name another folder as exportDir"):
        one.update(force=True)
    assert (target / "diary.md").read_text() == "My own words."


def test_what_a_link_in_the_place_of_an_export_leads_to_is_not_overwritten(tmp_path: Path) -> None:
    sessions, target, mine = tmp_path / "sessions", tmp_path / "exports", tmp_path / "mine.md"
    sessions.mkdir()
    (sessions / "a.jsonl").write_text('{"type": "message", "message": {"role": "user", "content": "Hello."}}\n')
    assert export(sessions, target, None) == 1
    (target / "a.md").rename(mine)
    mine.write_text("With my own words.")
    (target / "a.md").symlink_to(mine)
    with pytest.raises(FileExistsError, match="is no export"):
        export(sessions, target, None)
    assert mine.read_text() == "With my own words."


DISCORD = (
    ScopeRule(action="deny", raw="agent:main:discord:"),
    ScopeRule(action="allow", chat="direct"),
    ScopeRule(action="allow", prefix="telegram:group:"),
    ScopeRule(action="deny", prefix="agent:ops:"),
    ScopeRule(action="allow", channel="slack", chat="channel"),
)


@table(
    "key, allowed",
    [
        (None, True),  # the owner's own terminal
        ("agent:main:main", True),
        ("Agent:Main:Discord:dm:7", False),
        ("agent:other:discord:dm:7", True),
        ("agent:main:telegram:group:-100", True),
        ("telegram:group:-100", True),
        ("agent:main:telegram:channel:9", False),
        ("agent:ops:slack:channel:C1", False),
        ("agent:main:slack:channel:C1", True),
        ("agent:main:slack:group:C1", False),
        ("agent:main:matrix:group:discord", False),
    ],
)
def test_scope_rules(key: str | None, allowed: bool) -> None:
    assert permitted(QmdConfig(rules=DISCORD), read_key(key)) == allowed
    assert permitted(QmdConfig(rules=(), default="allow"), read_key(key))
    assert permitted(QmdConfig(), read_key("agent:main:discord:channel:1")) is False, "only direct chats by default"


@table(
    "output, files",
    [
        ('[{"file": "qmd://a/b.md", "score": 0.5}]', ["b.md"]),
        ('Expanding…\n\x1b]9;4;3\x07[x]\n[\n {"file": "qmd://a/b.md"}\n]\n', ["b.md"]),
        ("No results found.", []),
        ("[]", []),
        ('[{"file": "c/d.md", "score": NaN, "line": -3}, {"score": 1}]', ["c/d.md"]),
    ],
)
def test_answers_are_read_among_remarks(output: str, files: list[str]) -> None:
    assert [one.file for one in parse(output, "a")] == files


def test_a_workspace_asks_the_sidecar_and_falls_back_with_the_reason(
    own: Graph, named: str, root: Path, tool: Tool
) -> None:
    qmd = QmdConfig(command=tool.command, debounce=0.0, timeout=30.0)
    workspace = own.workspace(named, root, config=replace(QUIET, qmd=qmd))
    workspace.sync(linked=False)
    found = workspace.search("deploy key a828e60")
    assert (found.provider, found.model, found.fallback) == ("qmd", "search", None)
    assert found.to_json()["results"][0]["snippet"].endswith("Source: MEMORY.md#L4")
    assert workspace.status().backend == "qmd"
    denied = workspace.search("deploy key a828e60", session="agent:main:discord:channel:5")
    assert denied.hits == ()
    assert "channel discord, chat type channel" in denied.to_json()["warning"]
    tool.behave(search={"fail": "it broke"}, update={"fail": "it broke"})
    found = workspace.search("deploy key a828e60")
    assert (found.hits[0].path, found.provider) == ("MEMORY.md", "local")
    assert found.fallback is not None
    assert found.fallback.to_json()["from"] == "qmd"
    assert "it broke" in found.fallback.reason
    (root / "memory/new.md").write_text("A zeppelin.\n")
    assert workspace.sync(linked=False).read == 1, "the graph's index does not depend on the sidecar"
    assert "it broke" in str(workspace.status().failure)
    Path(tool.command).unlink()
    missing = workspace.search("zeppelin")
    assert missing.hits[0].path == "memory/new.md"
    assert "install QMD" in str(missing.fallback)
