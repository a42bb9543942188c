"""workspace flush: when a session is to store what must outlive its context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oroi_graph.cli.output import emit, emit_either
from oroi_graph.cli.session import TEXT, Session, session_command

if TYPE_CHECKING:
    from oroi_graph.workspace.flush import Access


@click.command()
@click.argument("memory", type=TEXT)
@click.option("--session", type=TEXT, required=True, metavar="KEY", help="The session's key.")
@click.option("--tokens", type=click.IntRange(0), help="Its estimated tokens: is it to be flushed now?")
@click.option("--window", type=click.IntRange(1), help="Tokens of the model's context window, with --tokens.")
@click.option("--access", type=click.Choice(["rw", "ro", "none"]), default="rw", show_default=True,
              help="Of the session to its workspace.")  # fmt: skip
@click.option("--done", is_flag=True, help="The flush was made: none more before the next compaction.")
@click.option("--compacted", is_flag=True, help="The session was compacted: another cycle begins.")
@session_command
def flush(
    call: Session,
    /,
    memory: str,
    session: str,
    tokens: int | None,
    window: int | None,
    access: Access,
    done: bool,
    compacted: bool,
    as_json: bool,
) -> None:
    """Whether a session of MEMORY's agent is to store notes before its compaction, and with which prompts.

    Before a compaction ask with --tokens and --window, make the turn if it is due and say --done; afterwards say
    --compacted.

    \b
    Example:
      oroi workspace flush diary --session main --tokens 180000 --window 200000 --json
      oroi workspace flush diary --session main --done
      oroi workspace flush diary --session main --compacted
    """
    from oroi_graph.connection import open_redactor
    from oroi_graph.workspace.files.writing import NoteWriter
    from oroi_graph.workspace.flush import Flusher
    from oroi_graph.workspace.pipeline import registered

    asked = tokens is not None and window is not None
    if (tokens is None) != (window is None) or asked + done + compacted != 1:
        raise click.UsageError("give --tokens with --window, or --done, or --compacted")
    with call.memory_store(memory) as store:
        layout, config = registered(store, memory)
    flusher = Flusher(layout.state, config.flush, NoteWriter(layout, redact=open_redactor(call.settings)))
    if tokens is not None and window is not None:
        decision = flusher.begin(session, tokens, window, access)
        emit_either(as_json, decision.to_json(), f"{'due' if decision.due else 'not due'}: {decision.reason}")
        if decision.due and not as_json:
            emit(f"system: {decision.system_prompt}\nprompt: {decision.prompt}")
        return
    if done:
        flusher.finish(session)
    cycle = flusher.compacted(session) if compacted else None
    told = "another cycle begins" if compacted else "flushed"
    emit_either(as_json, {"session": session, "done": done, "cycle": cycle}, f"{session}: {told}")
