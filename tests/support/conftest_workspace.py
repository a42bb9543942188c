"""Workspaces as tests open them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from oroi_graph.memory import Memory
from oroi_graph.workspace.config import SyncConfig, WorkspaceConfig
from oroi_graph.workspace.pipeline import SearchResults, register

# Nothing is synced but when a test says so.
QUIET = WorkspaceConfig(sync=SyncConfig(on_search=False, on_session_start=False))


def keep_notes(memory: Memory, mark: str = "") -> list[SearchResults]:
    """A short life of notes in a memory: indexed, changed, indexed anew, searched. mark: in the names of the notes."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "memory/2026-02-10.md"
        log.parent.mkdir()
        log.write_text(f"Dr. Salas{mark} has a boat{mark}.\n")
        register(memory.graph.store, memory.name, Path(folder), None)
        workspace = memory.graph.workspace(memory.name, Path(folder), config=QUIET)
        workspace.sync()
        log.write_text(f"Dr. Salas{mark} has a garage{mark} and a boat{mark}.\n")
        workspace.sync()
        workspace.sync(full=True)
        found = [workspace.search("Who has a boat?", profile=profile) for profile in ("seed", "current", "associative")]
        assert all(one.hits for one in found)
        return found


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """A folder as on a disk that is only read; the test is skipped where nothing can be mounted."""
    binds = (["--bind", str(folder), str(folder)], ["-o", "remount,ro,bind", str(folder)])
    mounted = 0
    try:
        for bind in binds:
            if subprocess.run(["mount", *bind], capture_output=True, check=False).returncode:
                pytest.skip("folders cannot be mounted here")
            mounted = 1
        yield
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)
