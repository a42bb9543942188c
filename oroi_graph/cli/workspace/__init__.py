"""The commands `oroi workspace …`: the Markdown notes of an agent, searched and kept by a memory.

`index` is about the folder and its index, `notes` about single notes, `sessions` about what a session stores before its
context is compacted; `group` lists the commands.
"""

from __future__ import annotations

from oroi_graph.cli.workspace.group import workspace

__all__ = ["workspace"]
