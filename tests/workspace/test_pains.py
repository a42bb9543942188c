"""What hurts users of such a memory elsewhere, by what their issue trackers say; each must not happen here.

Flushes are in test_flush.py, appends and midnight in test_files.py, watchers in test_watcher.py, leaks between users
in test_memory.py.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest_workspace import QUIET

from oroi_graph import Graph, OfflineExtractor, ScriptedEmbedder
from oroi_graph.errors import InputError
from oroi_graph.workspace.config import PROFILES, QueryConfig, SyncConfig, WorkspaceConfig
from oroi_graph.workspace.layout import Layout
from oroi_graph.workspace.pipeline import Workspace

KILLED = """
import sys
from pathlib import Path
from oroi_graph import Graph, OfflineExtractor, ScriptedEmbedder
from oroi_graph.storage.store import Store
from oroi_graph.workspace.config import SyncConfig, WorkspaceConfig
uri, user, password, database, name, folder = sys.argv[1:]
graph = Graph(Store(uri, user, password, database or None), ScriptedEmbedder(), OfflineExtractor())
config = WorkspaceConfig(sync=SyncConfig(on_search=False, on_session_start=False))
print("begun", flush=True)
graph.workspace(name, Path(folder), config=config).sync(full=True, linked=False)
"""


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    """A workspace with 150 notes in its index."""
    for number in range(150):
        (workspace.layout.root / f"memory/{number}.md").write_text(f"note {number} about topic{number}\n" * 40)
    workspace.sync(linked=False)
    return workspace


def test_a_killed_reindex_loses_nothing_and_search_answers_throughout(filled: Workspace, store_settings: Any) -> None:
    at = store_settings
    where = [at.uri, at.user, at.password, at.database or "", filled.memory, str(filled.layout.root)]
    for wait in (0.05, 0.6, 1.2):
        process = subprocess.Popen([sys.executable, "-c", KILLED, *where], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        end = time.monotonic() + wait
        while time.monotonic() < end:
            assert filled.search("topic77", max_results=1).hits[0].path == "memory/77.md"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert filled.search("topic77", max_results=1).hits[0].path == "memory/77.md"
    filled.sync(linked=False)
    status = filled.status()
    assert (status.files, status.bare, status.due, status.rebuilding) == (150, 0, 0, False)
    assert filled.search("topic149", max_results=1).hits[0].path == "memory/149.md"


class Slow(ScriptedEmbedder):
    """Embeds many texts only when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may, self.waiting = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> Any:
        if len(texts) > 1:
            self.waiting.set()
            assert self.may.wait(30)
        return super().embed(texts)


def test_a_search_waits_for_no_indexing(own: Graph, named: str, tmp_path: Path) -> None:
    embedder = Slow()
    graph = Graph(own.store, embedder, OfflineExtractor())
    sync = SyncConfig(on_search=True, on_session_start=True)
    workspace = graph.workspace(named, tmp_path, config=WorkspaceConfig(sync=sync))
    for number in range(3):
        (tmp_path / "memory").mkdir(exist_ok=True)
        (tmp_path / f"memory/{number}.md").write_text(f"topic{number}\n")
    assert workspace.bootstrap() == []
    assert embedder.waiting.wait(30)
    assert workspace.search("topic1").hits == (), "the index is being made"
    embedder.may.set()
    workspace.settle()
    assert workspace.search("topic1", max_results=1).hits[0].path == "memory/1.md"


def test_exact_codes_are_found_beside_vectors(workspace: Workspace) -> None:
    """A least score hides what words alone find; there is none by default."""
    (workspace.layout.root / "memory/a.md").write_text("The commit a828e60 broke the build.\n")
    for number in range(30):
        (workspace.layout.root / f"memory/{number}.md").write_text(f"Some other commit number {number} builds.\n")
    workspace.sync(linked=False)
    assert "memory/a.md" in [hit.path for hit in workspace.search("a828e60").hits]
    assert WorkspaceConfig().query == QueryConfig(min_score=0.0)


def test_many_users_in_one_database_do_not_crowd_each_other_out(own: Graph, named: str, tmp_path: Path) -> None:
    """Filters work inside the indexes, not behind the best of all users' notes."""
    other = f"{named}-crowd"
    for name, count in ((named, 1), (other, 200)):
        folder = tmp_path / name
        (folder / "memory").mkdir(parents=True)
        for number in range(count):
            (folder / f"memory/{number}.md").write_text(f"The zeppelin of {name} lands.\n")
        own.workspace(name, folder, config=QUIET).sync(linked=False)
    try:
        found = own.workspace(named, tmp_path / named, config=QUIET).search("the zeppelin lands").hits
        assert [hit.text for hit in found] == [f"The zeppelin of {named} lands."]
    finally:
        assert own.delete(other) == 0


def test_a_query_is_no_syntax(workspace: Workspace) -> None:
    (workspace.layout.root / "MEMORY.md").write_text("Budget of C++ and AND/OR gates.\n")
    workspace.sync(linked=False)
    for query in ('"', "AND", "a:b", "(", "C++", "x) OR shelf:*", "*", "/", "~", "budget AND NOT budget", "¿?"):
        assert [hit.path for hit in workspace.search(query).hits] == ["MEMORY.md"]
    for query in ("", "  ", "a\0b", "\ud800"):
        with pytest.raises(InputError):
            workspace.search(query)


def test_switched_off_is_said(own: Graph, named: str, tmp_path: Path) -> None:
    off = own.workspace(named, tmp_path, config=WorkspaceConfig(enabled=False))
    for call in (lambda: off.search("x"), lambda: off.get("MEMORY.md"), off.sync):
        with pytest.raises(InputError, match="switched off"):
            call()
    assert off.status().disabled == "memorySearch.enabled is false"


def test_citations_can_be_left_out(own: Graph, named: str, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("One.\nTwo.\n")
    for citations, told in (("auto", True), ("on", True), ("off", False)):
        config = WorkspaceConfig(citations=citations, sync=QUIET.sync)  # type: ignore[arg-type]
        workspace = own.workspace(named, tmp_path, config=config)
        workspace.sync(linked=False)
        found = workspace.search("One").to_json()
        assert found["results"][0]["snippet"].endswith("Source: MEMORY.md#L1-L2") == told
        assert found["citations"] == citations


def test_a_long_note_is_shown_around_what_is_asked(workspace: Workspace) -> None:
    lines = [f"filler line {number} with nothing of interest" for number in range(28)]
    lines[25] = "the marmalade is in the cellar"
    (workspace.layout.root / "memory/long.md").write_text("\n".join(lines))
    workspace.sync(linked=False)
    [one] = workspace.search("where is the marmalade", max_results=1).to_json()["results"]
    assert "marmalade is in the cellar" in one["snippet"]
    assert len(one["snippet"]) <= 700 + len(" … \n\nSource: memory/long.md#L1-L28")
    assert (one["startLine"], one["endLine"]) == (1, 28)


def test_current_weighs_what_notes_say_of_themselves(own: Graph, named: str, tmp_path: Path) -> None:
    workspace = own.workspace(named, tmp_path, config=QUIET)
    (tmp_path / "memory").mkdir()
    texts = {
        "a": "The network of the house. <!-- provenance: untrusted -->\n",
        "b": "The network of the house. <!-- importance: 9 -->\n",
        "c": "Omada ER605. <!-- trigger: home network -->\n",
    }
    for name, text in texts.items():
        (tmp_path / f"memory/{name}.md").write_text(text)
    workspace.sync(linked=False)
    found = workspace.search("home network", profile="current")
    assert [hit.path[7] for hit in found.hits] in (["c", "b", "a"], ["b", "c", "a"])
    best = next(one for one in found.to_json()["results"] if one["path"] == "memory/b.md")
    assert best["importance"] == 9
    os.utime(tmp_path / "memory/a.md", (0, 0))
    old = tmp_path / "memory/2020-01-01.md"
    old.write_text("The home network of the house, exactly.\n")
    workspace.sync(linked=False)
    assert workspace.search("home network of the house exactly", profile="seed").hits[0].path == "memory/2020-01-01.md"
    assert workspace.search("home network of the house exactly", profile="current").hits[-1].path == (
        "memory/2020-01-01.md"
    )


def test_a_whole_life_leaves_the_files_of_their_owner_as_they_were(own: Graph, layout: Layout) -> None:
    """Nothing is promoted into curated memory and no daily log is deleted: by searches, sleep, flush or deletion."""
    name = f"notes-{layout.root.name}"
    files = {"MEMORY.md": "Ana prefers tea.\n", "memory/2025-02-10.md": "Rod has a boat.\n", "memory/a.md": "x\n"}
    for path, text in files.items():
        (layout.root / path).write_text(text)
    workspace = own.workspace(name, layout.root, config=QUIET)
    try:
        workspace.sync()
        for profile in PROFILES:
            assert workspace.search("Who has a boat?", profile=profile).hits
        workspace.bootstrap()
        workspace.flusher().run("main", 190_000, 200_000, lambda system, prompt: "- Ana has a cat.")
        workspace.sync(full=True)
        own.memory(name).consolidate()
    finally:
        assert own.delete(name) == 0
    [log] = set((layout.root / "memory").iterdir()) - {layout.root / path for path in files}
    assert log.read_text() == "- Ana has a cat.\n", "a flush writes into the log of its day alone"
    assert {path: (layout.root / path).read_text() for path in files} == files


def test_what_was_just_indexed_is_found_at_once_by_each_side(own: Graph, named: str, tmp_path: Path) -> None:
    """An index that is served is never empty: neither by words nor by vectors, also after a new one took over."""
    (tmp_path / "memory").mkdir()
    for number in range(60):
        (tmp_path / f"memory/{number}.md").write_text(f"Note number{number} about topic{number}.\n")
    workspace = own.workspace(named, tmp_path, config=QUIET)
    for full in (False, True, True):
        workspace.sync(full=full, linked=False)
        assert (workspace.status().notes, workspace.status().bare) == (60, 0)
        for query in (QueryConfig(vector_weight=1, text_weight=0), QueryConfig(vector_weight=0, text_weight=1)):
            workspace.config = replace(QUIET, query=query)
            for number in range(0, 60, 20):
                found = workspace.search(f"Note number{number} about topic{number}.", profile="seed")
                assert found.hits[0].path == f"memory/{number}.md"
