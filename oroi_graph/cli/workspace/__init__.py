"""The commands `oroi workspace …`: the Markdown notes of an agent, searched and kept by a memory."""

from __future__ import annotations

from oroi_graph.cli.workspace.group import workspace

__all__ = ["workspace"]
