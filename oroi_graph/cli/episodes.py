"""The command episode: the original words of a turn, and the text that recall uses now."""

from __future__ import annotations

import click

from oroi_graph.cli.output import emit, emit_json, emit_rows, one_line, pairs
from oroi_graph.cli.session import COUNT, TEXT, Session, session_command

_SHOWN = 60  # characters of a text in a list


@click.group()
def episode() -> None:
    """Look up what was said.

    Sleep makes gists of old episodes; the words stay.

    \b
    Example:
      oroi episode list diary --gists
      oroi episode show diary 3f2a9c --verbatim
    """


@episode.command("show")
@click.argument("memory", type=TEXT)
@click.argument("id", type=TEXT)
@click.option("--verbatim", is_flag=True, help="Print the words alone, as they were said.")
@session_command
def show(session: Session, memory: str, id: str, verbatim: bool, as_json: bool) -> None:
    """One episode: who, when, what recall has of it.

    ID is the record's, or the turn's own id.

    \b
    Example:
      oroi episode show diary 3f2a9c --verbatim
    """
    from oroi_graph.storage import episodes

    with session.memory_store(memory) as store:
        found = episodes.episode(store, memory, id)
    if as_json:
        emit_json(found.to_json())
    elif verbatim:
        emit(found.verbatim)
    else:
        emit(pairs({name: value for name, value in found.to_json().items() if name not in ("text", "verbatim")}))
        emit()
        emit(found.text or "(off the recall path: `--verbatim` prints what was said)")


@episode.command("list")
@click.argument("memory", type=TEXT)
@click.option("--gists", "state", flag_value="gist", help="Only those that recall has as a gist.")
@click.option("--resting", "state", flag_value="resting", help="Only those that recall no longer sees.")
@click.option("--limit", type=COUNT, default=50, show_default=True, help="How many, newest first.")
@session_command
def list_(session: Session, memory: str, state: str | None, limit: int, as_json: bool) -> None:
    """The newest episodes of a memory with their ids.

    \b
    Example:
      oroi episode list diary --gists
    """
    from oroi_graph.storage.episodes import episodes

    with session.memory_store(memory) as store:
        found = episodes(store, memory, state=state, limit=limit)
    rows = [
        [str(e.turn), e.id, e.turn_id, e.speaker, (e.at or "")[:16], e.state, one_line(e.text or e.verbatim, _SHOWN)]
        for e in found
    ]
    columns = ["turn", "record", "turn id", "speaker", "said at", "recall has", "text"]
    nothing = f"there is no {'such ' if state else ''}episode in memory {memory!r}"
    emit_rows(as_json, [one.to_json() for one in found], columns, rows, nothing)
