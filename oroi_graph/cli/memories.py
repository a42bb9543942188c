"""The commands memory, stats, retry and reembed: the memories of a database."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from oroi_graph.cli.session import PATH, TEXT, Session, counting, emit, emit_json, json_option, note, pairs, table


@click.group()
def memory() -> None:
    """List, export, import, delete memories.

    \b
    Example:
      oroi memory list
      oroi memory export diary diary.jsonl
    """


@memory.command("list")
@json_option
@click.pass_obj
def list_(session: Session, as_json: bool) -> None:
    """Every memory of the database.

    \b
    Example:
      oroi memory list
    """
    from oroi_graph.storage.catalog import list_memories

    with session.store() as store:
        found = list_memories(store)
    if as_json:
        emit_json([summary.to_json() for summary in found])
    elif found:
        rows = [[m.name, str(m.turn), m.model, (m.created_at or "")[:16]] for m in found]
        emit(table(["memory", "turns", "embedding model", "created"], rows))
    else:
        note("there is no memory yet: `oroi say NAME TEXT` makes one")


@memory.command("show")
@click.argument("name", metavar="MEMORY", type=TEXT)
@json_option
@click.pass_obj
def show(session: Session, name: str, as_json: bool) -> None:
    """One memory: its clock, embedding model, speakers and sizes.

    \b
    Example:
      oroi memory show diary
    """
    from oroi_graph.errors import MemoryNotFoundError
    from oroi_graph.storage import catalog

    with session.memory_store(name) as store:
        found = catalog.describe(store, name)
        if found is None:
            raise MemoryNotFoundError(name)
        sizes = catalog.stats(store, name).to_json()
    shown = {name: value for name, value in found.to_json().items() if name != "turn"} | sizes
    if as_json:
        emit_json(shown)
    else:
        emit(pairs(shown | {"protagonists": ", ".join(found.protagonists) or None}))


@memory.command("export")
@click.argument("name", metavar="MEMORY", type=TEXT)
@click.argument("file", type=PATH)
@json_option
@click.pass_obj
def export(session: Session, name: str, file: Path, as_json: bool) -> None:
    """Write all of MEMORY to FILE, as JSON lines that `oroi memory import` reads.

    \b
    Example:
      oroi memory export diary diary.jsonl
    """
    from oroi_graph.transfer.archive import export_memory

    with session.memory_store(name) as store, counting("lines", "export") as progress:
        counts = export_memory(store, name, file, progress)
    if as_json:
        emit_json({"memory": name, "file": str(file), **counts.to_json()})
    else:
        emit(f"{file}: {counts.records} records, {counts.concepts} concepts, {counts.associations} associations")


@memory.command("import")
@click.argument("file", type=PATH)
@click.option("--name", type=TEXT, metavar="MEMORY", help="Another name than it had.")
@json_option
@click.pass_obj
def import_(session: Session, file: Path, name: str | None, as_json: bool) -> None:
    """Make a new memory of an exported FILE (a conversation is imported by `oroi import`).

    \b
    Example:
      oroi memory import diary.jsonl --name diary-copy
    """
    from oroi_graph.transfer.archive import import_memory

    with session.graph() as graph, counting("lines", "import") as progress:
        counts = import_memory(graph.store, file, name, progress)
    if as_json:
        emit_json({"file": str(file), **counts.to_json()})
    else:
        emit(f"imported {counts.records} records, {counts.concepts} concepts, {counts.associations} associations")


@memory.command("delete")
@click.argument("name", metavar="MEMORY", type=TEXT)
@click.option("--yes", is_flag=True, help="Don't ask.")
@json_option
@click.pass_obj
def delete(session: Session, name: str, yes: bool, as_json: bool) -> None:
    """Delete MEMORY with all that belongs to it, and prove that nothing is left.

    \b
    Example:
      oroi memory delete diary --yes
    """
    from oroi_graph.language.normalize import check_memory_name
    from oroi_graph.storage import catalog

    check_memory_name(name)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("nobody can be asked here: add --yes to delete")
        click.confirm(f"Delete memory {name} for ever?", abort=True, err=True)
    with session.store() as store:
        left = catalog.delete(store, name)
    if as_json:
        emit_json({"memory": name, "left": left})
    else:
        emit(f"{name} is deleted: {left} nodes and relationships are left")


@click.command()
@click.argument("name", metavar="MEMORY", type=TEXT)
@json_option
@click.pass_obj
def stats(session: Session, name: str, as_json: bool) -> None:
    """The sizes of MEMORY.

    \b
    Example:
      oroi stats diary --json
    """
    from oroi_graph.storage import catalog

    with session.memory_store(name) as store:
        found = catalog.stats(store, name).to_json()
    if as_json:
        emit_json(found)
    else:
        emit(pairs(found))


@click.command()
@click.argument("name", metavar="MEMORY", type=TEXT)
@json_option
@click.pass_obj
def retry(session: Session, name: str, as_json: bool) -> None:
    """Extract failed turns again.

    Turns whose extraction failed were kept as said, without concepts.

    \b
    Example:
      oroi retry diary
    """
    from dataclasses import asdict

    with session.graph() as graph:
        report = graph.memory(name, create=False).retry()
    if as_json:
        emit_json({"memory": name, **asdict(report)})
    else:
        emit(f"{report.amended} of {report.failed} failed turns of {name} are whole now")
    if report.failure:
        note(f"the last failure: {report.failure}")


@click.command()
@click.argument("name", metavar="MEMORY", type=TEXT)
@json_option
@click.pass_obj
def reembed(session: Session, name: str, as_json: bool) -> None:
    """Embed a memory with another model.

    With the one in use now; it goes on where it was interrupted.

    \b
    Example:
      OROI_EMBEDDER=openai oroi reembed diary
    """
    from oroi_graph.transfer.reembed import reembed as embed_again

    with session.graph() as graph, counting("vectors", name) as progress:
        done = embed_again(graph.store, name, graph.embedder, progress)
        model = graph.embedder.model
    if as_json:
        emit_json({"memory": name, "vectors": done, "model": model})
    else:
        emit(f"{name}: {done} vectors made with {model}")
