"""Workspaces as tests open them."""

from __future__ import annotations

import tempfile
from pathlib import Path

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
