"""Which workspace a memory has: its folder, its configuration and its transcripts are remembered with the memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from oroi_graph.errors import InputError
from oroi_graph.files import expanded
from oroi_graph.storage.store import Store
from oroi_graph.workspace.config import WorkspaceConfig, read_config
from oroi_graph.workspace.layout import Layout


def registered(store: Store, memory: str) -> tuple[Layout, WorkspaceConfig]:
    """The workspace that `register` gave a memory. Raises InputError if there is none."""
    rows = store.rows("workspace/read", memory=memory)
    if not rows or rows[0]["folder"] is None:
        raise InputError(f"memory {memory!r} has no workspace: `oroi workspace init {memory} FOLDER` gives it one")
    config, sessions = rows[0]["config"], rows[0]["sessions"]
    layout, found = opened(Path(rows[0]["folder"]), Path(config) if config else None)
    return layout, found if sessions is None else with_sessions(found, sessions)


def opened(folder: Path, config: Path | None) -> tuple[Layout, WorkspaceConfig]:
    """A folder's layout and the configuration in a file. Raises InputError."""
    found = read_config(config)
    return layout_of(folder, found), found


def layout_of(folder: Path, config: WorkspaceConfig) -> Layout:
    """The layout of a folder under a configuration. Raises InputError."""
    named = () if config.qmd is None else tuple((one.name, one.path) for one in config.qmd.paths)
    return Layout.of(folder, config.extra_paths, named)


def with_sessions(config: WorkspaceConfig, folder: str) -> WorkspaceConfig:
    """The same with transcripts searched, too: those of a folder."""
    return replace(config, sessions=folder, sources=tuple(dict.fromkeys([*config.sources, "sessions"])))


def register(
    store: Store, memory: str, folder: Path, config: Path | None, sessions: Path | None = None
) -> tuple[Layout, WorkspaceConfig]:
    """Give a memory a workspace: its folder, its configuration's file, its transcripts' folder. Raises InputError."""
    layout, found = opened(folder, config)
    given = {"folder": layout.root, "config": config, "sessions": sessions}
    properties = {name: str(expanded(path).absolute()) if path else None for name, path in given.items()}
    store.write_rows("workspace/set", memory=memory, properties=properties)
    return layout, found
