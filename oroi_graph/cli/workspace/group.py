"""The group `oroi workspace`."""

from __future__ import annotations

import click

from oroi_graph.cli.workspace import index, notes, sessions


@click.group()
def workspace() -> None:
    """Search and keep the Markdown notes of an agent.

    The notes are files: MEMORY.md, memory/YYYY-MM-DD.md and other Markdown below memory/. The memory indexes them and
    recalls them beside what was said. docs/workspace.md tells all of it.

    \b
    Example:
      oroi workspace init diary ~/.openclaw/workspace
      oroi workspace index diary
      oroi workspace search diary "home network"
      oroi workspace get diary memory/2026-02-10.md --from 5 --lines 10
    """


for command in (
    index.init, index.index, notes.search, notes.get, notes.append, index.watch, sessions.flush, index.status,
    notes.history, notes.revert, index.import_,
):  # fmt: skip
    workspace.add_command(command)
