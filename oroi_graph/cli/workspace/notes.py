"""workspace search, get, append, history, revert: what agents and people do with notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oroi_graph.cli.output import emit, emit_either, emit_json, emit_rows, remark
from oroi_graph.cli.session import TEXT, WHEN, Session, argument_or_stdin, session_command

if TYPE_CHECKING:
    from datetime import datetime

    from oroi_graph.workspace.config import Profile
    from oroi_graph.workspace.layout import Layout

_PROFILES = click.Choice(["seed", "current", "associative"])


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("query", type=TEXT)
@click.option("--results", type=click.IntRange(1, 100), help="How many at most; the configuration's by default.")
@click.option("--least", type=click.FloatRange(0, 1), metavar="SCORE", help="Only results with at least this score.")
@click.option("--profile", type=_PROFILES, help="How results are ranked; the configuration's by default.")
@click.option("--at", type=WHEN, help="The moment of asking (ISO); now by default.")
@session_command
def search(
    call: Session,
    /,
    memory: str,
    query: str,
    results: int | None,
    least: float | None,
    profile: Profile | None,
    at: datetime | None,
    as_json: bool,
) -> None:
    """The notes of MEMORY that answer QUERY, with path and lines.

    Notes that were never indexed are indexed first; else the index answers as it is.

    \b
    Example:
      oroi workspace search diary "home network"
      oroi workspace search diary "What does my sister lead?" --profile associative --json
    """
    with call.graph() as graph:
        workspace = graph.workspace(memory)
        if workspace.config.enabled and not workspace.indexed:
            remark("the notes are indexed for the first time")
            workspace.sync()
        found = workspace.search(query, max_results=results, min_score=least, profile=profile, at=at)
        told = found.to_json()
        if as_json:
            emit_json(told)
        else:
            for one in told["results"]:
                emit(f"{one['path']}:{one['startLine']}-{one['endLine']}  ({one['score']:.2f})\n{one['snippet']}\n")
        if found.fallback is not None:
            remark(f"by words alone: {found.fallback.reason}")
        if not found.hits:
            remark("nothing was found")
        workspace.settle()


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("path", type=TEXT)
@click.option("--from", "start", type=click.IntRange(1), default=1, show_default=True, help="The first line.")
@click.option("--lines", type=click.IntRange(1), help="How many; the rest by default.")
@session_command
def get(call: Session, /, memory: str, path: str, start: int, lines: int | None, as_json: bool) -> None:
    """Lines of a note of MEMORY. Everything outside of its workspace is refused.

    \b
    Example:
      oroi workspace get diary memory/2026-02-10.md --from 5 --lines 10
    """
    from oroi_graph.workspace.files.reading import get

    found = get(_layout(call, memory), path, start, lines)
    emit_either(as_json, found.to_json(), found.text)


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("text", type=TEXT)
@click.option("--at", type=WHEN, help="Into the log of this day; of today by default.")
@click.option("--by", type=TEXT, default="user", show_default=True, metavar="NAME", help="Who writes, for the history.")
@session_command
def append(call: Session, /, memory: str, text: str, at: datetime | None, by: str, as_json: bool) -> None:
    """Append TEXT to today's log of MEMORY; "-" reads standard input.

    \b
    Example:
      oroi workspace append diary "Rod has moved the standup to 14:15."
    """
    from oroi_graph.connection import open_redactor
    from oroi_graph.workspace.files.writing import NoteWriter

    written = NoteWriter(_layout(call, memory), by=by, redact=open_redactor(call.settings)).append(
        argument_or_stdin(text), at=at
    )
    emit_either(as_json, written.to_json(), f"{written.path}:{written.start}-{written.end}  (change {written.change})")


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("path", type=TEXT, required=False)
@session_command
def history(call: Session, /, memory: str, path: str | None, as_json: bool) -> None:
    """What was written into the notes of MEMORY by this product, or into the one at PATH; the newest last.

    \b
    Example:
      oroi workspace history diary
      oroi workspace history diary MEMORY.md --json
    """
    from oroi_graph.workspace.files.journal import Journal

    found = Journal(_layout(call, memory).state).changes(path)
    rows = [(one.id, one.at, one.action, one.path, one.by, one.reverts or "") for one in found]
    columns = ("id", "at", "action", "path", "by", "reverts")
    emit_rows(as_json, [one.to_json() for one in found], columns, rows, "nothing was written yet")


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("id", type=TEXT)
@click.option("--force", is_flag=True, help="Even if the file was changed since; the history keeps what it held.")
@session_command
def revert(call: Session, /, memory: str, id: str, force: bool, as_json: bool) -> None:
    """Take back the change ID of a note (see `oroi workspace history`). The revert is a change, too.

    \b
    Example:
      oroi workspace revert diary 3f2a9c
    """
    from oroi_graph.workspace.files.writing import NoteWriter

    written = NoteWriter(_layout(call, memory), by="user").revert(id, force=force)
    emit_either(as_json, written.to_json(), f"{written.path} is as before  (change {written.change})")


def _layout(call: Session, memory: str) -> Layout:
    """The folders of a memory's notes, without any model. Raises InputError, MemoryNotFoundError."""
    from oroi_graph.workspace.pipeline import registered

    with call.memory_store(memory) as store:
        return registered(store, memory)[0]
