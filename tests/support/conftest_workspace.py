"""Workspaces as tests open them."""

from __future__ import annotations

from oroi_graph.workspace.config import SyncConfig, WorkspaceConfig

# Nothing is synced but when a test says so.
QUIET = WorkspaceConfig(sync=SyncConfig(on_search=False, on_session_start=False))
