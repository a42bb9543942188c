"""workspace init, index, watch, status, import: the folder of a memory's notes and their index."""

from __future__ import annotations

import os
from pathlib import Path

import click

from oroi_graph.cli.output import emit, emit_either, pairs, remark
from oroi_graph.cli.session import PATH, TEXT, Session, counting, session_command, stopping
from oroi_graph.errors import InputError


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("folder", type=PATH)
@click.option("--config", type=PATH, metavar="FILE", help="Configuration (JSON5), read anew by every command.")
@click.option("--sessions", type=PATH, metavar="FOLDER", help="The agent's transcripts (JSONL), to be searched, too.")
@session_command
def init(
    call: Session, /, memory: str, folder: Path, config: Path | None, sessions: Path | None, as_json: bool
) -> None:
    """Give MEMORY the notes in FOLDER.

    An existing folder stays as it is; a new one is created with a folder for daily logs. Nothing is indexed yet.

    \b
    Example:
      oroi workspace init diary ~/.openclaw/workspace --config ~/.openclaw/openclaw.json
    """
    from oroi_graph.files import expanded, refusing
    from oroi_graph.workspace.paths import MEMORY
    from oroi_graph.workspace.registration import opened, register

    with refusing(folder, "write"):
        if not expanded(folder).is_dir():
            (expanded(folder) / MEMORY).mkdir(parents=True)
    if sessions is not None and not os.path.isdir(expanded(sessions)):
        raise InputError(f"{sessions} is no folder: name the one with the agent's transcripts (*.jsonl)")
    opened(folder, config)  # nothing is made for a folder or configuration that cannot be used
    with call.graph() as graph:
        name = graph.memory(memory).name
        layout, found = register(graph.store, name, folder, config, sessions)
    for key in found.unknown:
        remark(f"unknown key in {config}: {key}")
    told = {"memory": memory, "folder": str(layout.root), "unknown": found.unknown, "unused": found.unused}
    emit_either(as_json, told, f"{memory} has the notes in {layout.root}: `oroi workspace index {memory}` indexes them")


@click.command()
@click.argument("memory", type=TEXT)
@click.option("--full", is_flag=True, help="Make a new index; the old one answers until it is whole.")
@session_command
def index(call: Session, /, memory: str, full: bool, as_json: bool) -> None:
    """Bring the index of MEMORY's notes up to date.

    Ctrl-C stops it between two files; what is done is kept.

    \b
    Example:
      oroi workspace index diary
      oroi workspace index diary --full
    """
    from oroi_graph.workspace.pipeline import said

    with call.graph() as graph, stopping() as stop, counting("files", "indexing") as progress:
        workspace = graph.workspace(memory)
        report = workspace.sync(full=full, stop=stop, progress=progress)
        if next(iter(workspace.layout.scan()), None) is None:
            remark(f"{workspace.layout.root} has no notes: MEMORY.md and Markdown files below memory/ are some")
    emit_either(as_json, report.to_json(), f"{memory}: {said(report)}")


@click.command()
@click.argument("memory", type=TEXT)
@session_command
def watch(call: Session, /, memory: str, as_json: bool) -> None:
    """Keep the index of MEMORY's notes up to date while they change, until Ctrl-C.

    \b
    Example:
      oroi workspace watch diary
    """
    with call.graph() as graph, stopping() as stop:
        workspace = graph.workspace(memory)
        remark(f"watching {workspace.layout.root}")
        workspace.watch(stop, lambda text: emit_either(as_json, {"memory": memory, "told": text}, text))


@click.command()
@click.argument("memory", type=TEXT)
@session_command
def status(call: Session, /, memory: str, as_json: bool) -> None:
    """How MEMORY's notes stand: files, notes, what waits to be indexed, provider, what is wrong.

    \b
    Example:
      oroi workspace status diary
    """
    with call.graph() as graph:
        found = graph.workspace(memory).status()
    shown = {name: ", ".join(value) if isinstance(value, tuple) else value for name, value in found.to_json().items()}
    emit_either(as_json, found.to_json(), pairs({name: "-" if value == "" else value for name, value in shown.items()}))


@click.command("import")
@click.argument("memory", type=TEXT)
@click.argument("folder", type=PATH)
@click.option("--replace", is_flag=True, help="Also notes that exist and differ; the history keeps them.")
@session_command
def import_(call: Session, /, memory: str, folder: Path, replace: bool, as_json: bool) -> None:
    """Take the notes of another FOLDER over into those of MEMORY.

    A daily log that exists gets what it lacks appended. Every step is in the history.

    \b
    Example:
      oroi workspace import diary ~/old-workspace
    """
    from oroi_graph.connection import open_redactor
    from oroi_graph.files import expanded
    from oroi_graph.workspace.files.importing import import_notes
    from oroi_graph.workspace.files.writing import NoteWriter
    from oroi_graph.workspace.pipeline import registered

    with call.memory_store(memory) as store:
        layout, _ = registered(store, memory)
    if expanded(folder).absolute() == layout.root:
        raise InputError(f"{folder} is the workspace of {memory} itself: name another folder")
    report = import_notes(
        folder, layout, NoteWriter(layout, by="import", redact=open_redactor(call.settings)), replace=replace
    )
    for path in report.differing:
        remark(f"{path} differs and stays as it is: --replace takes the other one")
    for path, why in report.skipped.items():
        remark(f"{path} skipped: {why}")
    counts = ", ".join(f"{len(getattr(report, name))} {name}" for name in ("written", "appended", "same", "differing"))
    emit_either(as_json, report.to_json(), f"{memory}: {counts}")
    if not as_json and (report.written or report.appended):
        emit(f"`oroi workspace index {memory}` indexes them")
