"""Watching: changes are told after a moment of stillness; a watcher that dies comes back; few descriptors."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import watchfiles
from conftest_workspace import QUIET

from oroi_graph import Graph
from oroi_graph.workspace import watcher as watching
from oroi_graph.workspace.config import SyncConfig
from oroi_graph.workspace.layout import Layout
from oroi_graph.workspace.pipeline import Workspace
from oroi_graph.workspace.watcher import Watcher

# It waits more than it works: at the end of a run the other processes would have nothing to do meanwhile.
pytestmark = pytest.mark.long

PATIENCE = 20.0  # seconds for something that takes a fraction of one


class Heard:
    """What a watcher tells."""

    def __init__(self) -> None:
        self.changes = 0
        self.remarks: list[str] = []
        self._new = threading.Condition()

    def changed(self) -> None:
        with self._new:
            self.changes += 1
            self._new.notify_all()

    def told(self, text: str) -> None:
        with self._new:
            self.remarks.append(text)
            self._new.notify_all()

    def until(self, happened: Callable[[], bool]) -> bool:
        with self._new:
            return self._new.wait_for(happened, PATIENCE)


@contextmanager
def watched(layout: Layout, debounce: int = 100) -> Iterator[Heard]:
    heard, stop = Heard(), threading.Event()
    watcher = Watcher(layout=layout, changed=heard.changed, told=heard.told, debounce=debounce)
    thread = threading.Thread(target=watcher.run, args=(stop,))
    thread.start()
    try:
        assert not stop.wait(0.5)  # until the system watches
        yield heard
    finally:
        stop.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_a_burst_of_changes_is_told_once(layout: Layout) -> None:
    with watched(layout, debounce=400) as heard:
        for number in range(20):
            (layout.root / f"memory/{number}.md").write_text("x\n")
        assert heard.until(lambda: heard.changes == 1)
        (layout.root / "memory/1.md").unlink()
        assert heard.until(lambda: heard.changes == 2)
    assert heard.remarks == []


def test_curated_memory_is_watched_and_other_files_are_not(layout: Layout) -> None:
    with watched(layout) as heard:
        (layout.root / "memory/x.txt").write_text("no note")
        (layout.root / "memory/.draft.md").write_text("no note")
        (layout.root / "MEMORY.md").write_text("a note")
        assert heard.until(lambda: heard.changes >= 1)
        assert heard.changes == 1


def test_a_folder_that_appears_later_is_watched(tmp_path: Path) -> None:
    layout = Layout.of(tmp_path)
    with watched(layout) as heard:
        (tmp_path / "memory").mkdir()
        threading.Event().wait(1.5)
        (tmp_path / "memory/a.md").write_text("x\n")
        assert heard.until(lambda: heard.changes >= 1)


def test_folders_that_come_and_go_whole_are_noticed(layout: Layout, tmp_path: Path) -> None:
    memory, other = layout.root / "memory", tmp_path / "other"
    (other / "notes.d").mkdir(parents=True)
    (other / "notes.d/a.md").write_text("x\n")
    with watched(layout) as heard:
        (other / "notes.d").rename(memory / "notes.d")
        assert heard.until(lambda: heard.changes >= 1)
        memory.rename(tmp_path / "gone")
        other.rename(memory)
        before = heard.changes
        assert heard.until(lambda: heard.changes > before)
        threading.Event().wait(1.5)  # until the system watches the new one
        before = heard.changes
        (memory / "b.md").write_text("x\n")
        assert heard.until(lambda: heard.changes > before)


def test_a_watcher_that_dies_says_so_comes_back_and_looks(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "RESTS", (0.05,))
    real, calls = watchfiles.watch, []

    def dying(*paths: Any, **options: Any) -> Any:
        calls.append(paths)
        if len(calls) == 1:
            raise OSError("inotify limit reached")
        return real(*paths, **options)

    monkeypatch.setattr(watchfiles, "watch", dying)
    with watched(layout) as heard:
        assert heard.until(lambda: heard.changes == 1), "what it may have missed is looked for"
        assert heard.remarks == ["the watcher stopped (inotify limit reached); it starts again in 0.05 s"]
        (layout.root / "memory/a.md").write_text("x\n")
        assert heard.until(lambda: heard.changes >= 2)


def test_files_cost_no_descriptors_and_too_many_folders_are_polled(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(300):
        (layout.root / f"memory/{number}.md").write_text("x\n")
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    with watched(layout):
        if before:
            assert len(os.listdir("/proc/self/fd")) - before < 20
    monkeypatch.setattr(watching, "FOLDERS", 3)
    monkeypatch.setattr(watching, "SLOW", 0.05)
    for number in range(4):
        (layout.root / f"memory/folder{number}").mkdir()
    with watched(layout) as heard:
        assert "more than 3 folders" in heard.remarks[0]
        (layout.root / "memory/folder1/new.md").write_text("x\n")
        assert heard.until(lambda: heard.changes == 1)


@pytest.mark.parametrize("watch", [True, False])
def test_an_interval_is_kept_whether_files_are_watched_or_not(
    own: Graph, named: str, layout: Layout, watch: bool
) -> None:
    """A change that no watcher saw, or that none looks for, is found by the interval."""
    sync = SyncConfig(watch=watch, interval=0.02, on_search=False)
    workspace = own.workspace(named, layout.root, config=replace(QUIET, sync=sync))
    stop, told = threading.Event(), Heard()
    sync_once, looks, twice = workspace.sync, itertools.count(1), threading.Event()

    def counted(**given: Any) -> Any:
        if next(looks) == 2:
            twice.set()
        return sync_once(**given)

    workspace.sync = counted  # type: ignore[method-assign]
    thread = threading.Thread(target=workspace.watch, args=(stop, told.told))
    thread.start()
    try:
        assert twice.wait(PATIENCE)
    finally:
        stop.set()
        thread.join(PATIENCE)
    assert told.remarks == ([] if watch else ["sync.watch is off: the files are looked at every 1.2 s"])


def test_what_an_editor_saves_is_found(workspace: Workspace) -> None:
    stop, told = threading.Event(), Heard()
    thread = threading.Thread(target=workspace.watch, args=(stop, told.told))
    thread.start()
    try:
        path = workspace.layout.root / "memory/today.md"
        draft = path.with_name("today.md~")
        draft.write_text("The marmalade is in the cellar.\n")
        threading.Event().wait(0.7)
        draft.rename(path)  # as editors save
        assert told.until(lambda: any("1 files read" in one for one in told.remarks))
        assert workspace.search("marmalade").hits[0].path == "memory/today.md"
    finally:
        stop.set()
        thread.join(PATIENCE)
