"""The commands memory, stats, retry and reembed: the memories of a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oroi_graph.cli.output import confirm, emit_either, emit_rows, is_stdout, pairs, remark, standard_output
from oroi_graph.cli.session import PATH, TEXT, Session, counting, session_command
from oroi_graph.errors import MemoryNotFoundError
from oroi_graph.files import refusing
from oroi_graph.language.normalize import check_memory_name

if TYPE_CHECKING:
    from oroi_graph.storage.catalog import MemoryStats

_EXPLAINED = "As `oroi stats` tells it."


@click.group()
def memory() -> None:
    """List, export, import, copy, rename, delete memories.

    \b
    Example:
      oroi memory list
      oroi memory export diary diary.jsonl
    """


@memory.command("list")
@session_command
def list_(session: Session, as_json: bool) -> None:
    """Every memory of the database.

    \b
    Example:
      oroi memory list
    """
    from oroi_graph.storage.catalog import list_memories

    with session.store() as store:
        found = list_memories(store)
    rows = [[m.name, str(m.turn), m.model, (m.created_at or "")[:16]] for m in found]
    columns = ["memory", "turns", "embedding model", "created"]
    nothing = "there is no memory yet: `oroi say NAME TEXT` makes one"
    emit_rows(as_json, [summary.to_json() for summary in found], columns, rows, nothing)


@memory.command("show")
@click.argument("name", metavar="MEMORY", type=TEXT)
@session_command
def show(session: Session, name: str, as_json: bool) -> None:
    """One memory: its clock, embedding model, speakers and sizes.

    \b
    Example:
      oroi memory show diary
    """
    from oroi_graph.storage import catalog

    with session.memory_store(name) as store:
        found = catalog.describe(store, name)
        if found is None:
            raise MemoryNotFoundError(name)
        sizes = catalog.stats(store, name).to_json()
    shown = {name: value for name, value in found.to_json().items() if name != "turn"} | sizes
    emit_either(as_json, shown, pairs(shown | {"protagonists": ", ".join(found.protagonists) or None}))


@memory.command("export")
@click.argument("name", metavar="MEMORY", type=TEXT)
@click.argument("file", type=PATH)
@session_command
def export(session: Session, name: str, file: Path, as_json: bool) -> None:
    """Write all of MEMORY to FILE, as JSON lines that `oroi memory import` reads.

    FILE may be a pipe; /dev/stdout is standard output, which then holds the memory alone.

    \b
    Example:
      oroi memory export diary diary.jsonl
      oroi memory export diary /dev/stdout | gzip > diary.jsonl.gz
    """
    from oroi_graph.transfer.archive import export_memory

    printed = is_stdout(file)
    with session.memory_store(name) as store, counting("lines", "export") as progress:
        if printed:
            with refusing(file, "write"), standard_output() as target:
                counts = export_memory(store, name, target, progress)
        else:
            counts = export_memory(store, name, file, progress)
    text = f"{file}: {counts.records} records, {counts.concepts} concepts, {counts.associations} associations"
    if printed:
        remark(text)
        return
    emit_either(as_json, {"memory": name, "file": str(file), **counts.to_json()}, text)


@memory.command("import")
@click.argument("file", type=PATH)
@click.option("--name", type=TEXT, metavar="MEMORY", help="Another name than it had.")
@session_command
def import_(session: Session, file: Path, name: str | None, as_json: bool) -> None:
    """Make a new memory of an exported FILE (a conversation is imported by `oroi import`).

    \b
    Example:
      oroi memory import diary.jsonl --name diary-copy
    """
    from oroi_graph.transfer.archive import import_memory

    with session.graph() as graph, counting("lines", "import") as progress:
        counts = import_memory(graph.store, file, name, progress, redact=graph.options.redact)
    text = f"imported {counts.records} records, {counts.concepts} concepts, {counts.associations} associations"
    emit_either(as_json, {"file": str(file), **counts.to_json()}, text)


@memory.command("copy")
@click.argument("name", metavar="MEMORY", type=TEXT)
@click.argument("new", metavar="NEW", type=TEXT)
@session_command
def copy(session: Session, name: str, new: str, as_json: bool) -> None:
    """Make a copy of MEMORY under the name NEW, without notes of a workspace.

    \b
    Example:
      oroi memory copy diary diary-trial
    """
    from oroi_graph.transfer.copies import copy_memory

    with session.memory_store(name) as store, counting("lines", "copy") as progress:
        counts = copy_memory(store, name, new, progress)
    emit_either(as_json, {"memory": new, "of": name, **counts.to_json()}, f"{new} is a copy of {name}")


@memory.command("rename")
@click.argument("name", metavar="MEMORY", type=TEXT)
@click.argument("new", metavar="NEW", type=TEXT)
@session_command
def rename(session: Session, name: str, new: str, as_json: bool) -> None:
    """Give MEMORY the name NEW.

    It takes as long as a copy. A memory with notes of a workspace is refused. Keys of interfaces
    that opened it have to be made anew.

    \b
    Example:
      oroi memory rename diary journal
    """
    from oroi_graph.transfer.copies import rename_memory

    with session.memory_store(name) as store, counting("lines", "rename") as progress:
        counts = rename_memory(store, name, new, progress)
    emit_either(as_json, {"memory": new, "before": name, **counts.to_json()}, f"{name} is called {new} now")


@memory.command("delete")
@click.argument("name", metavar="MEMORY", type=TEXT)
@click.option("--yes", is_flag=True, help="Don't ask.")
@session_command
def delete(session: Session, name: str, yes: bool, as_json: bool) -> None:
    """Delete MEMORY with all that belongs to it, and prove that nothing is left.

    \b
    Example:
      oroi memory delete diary --yes
    """
    from oroi_graph.storage import catalog

    check_memory_name(name)
    if not yes:
        confirm(f"Delete memory {name} for ever?", "delete")
    with session.store() as store:
        left = catalog.delete(store, name)
    text = f"{name} is deleted: {left} nodes and relationships are left"
    emit_either(as_json, {"memory": name, "left": left}, text)


@click.command()
@click.argument("name", metavar="[MEMORY]", type=TEXT, required=False)
@click.option("--prometheus", is_flag=True, help="In Prometheus' text format; of every memory, if none is named.")
@session_command
def stats(session: Session, name: str | None, prometheus: bool, as_json: bool) -> None:
    """The sizes of MEMORY. working_set_bytes: what a process takes to keep it in memory.

    The numbers for Prometheus carry the names of memories, and are read from the database only. For its textfile
    collector write them to a file ending in .prom.

    \b
    Example:
      oroi stats diary --json
      oroi stats --prometheus > /var/lib/node_exporter/oroi.prom
    """
    from oroi_graph.redaction import said
    from oroi_graph.storage import catalog
    from oroi_graph.working_set.kept import WorkingSets

    if prometheus:
        if as_json:
            raise click.UsageError("--prometheus and --json are two formats: give one")
        with session.store() as store:
            sizes = catalog.all_stats(store) if name is None else [catalog.stats(store, name)]
            click.echo(_exposition(sizes), nl=False)
        return
    if name is None:
        raise click.UsageError("Missing argument 'MEMORY' (only --prometheus tells of all memories)")
    with session.memory_store(name) as store:
        found = catalog.stats(store, name).to_json()
        sets = WorkingSets(store, session.settings.working_set)
        found["working_set_bytes"] = sets.read(name, lambda tx: tx.held.nbytes)
    emit_either(as_json, found, pairs(found | {"redacted": said(found["redacted"]) or "-"}))


def _exposition(found: Sequence[MemoryStats]) -> str:
    """Sizes of memories in Prometheus' text format: a gauge for each number, the memory as its label."""
    from prometheus_client import CollectorRegistry, Gauge, generate_latest

    registry = CollectorRegistry()
    gauges: dict[str, Gauge] = {}
    for stats in found:
        for field, value in asdict(stats).items():
            if isinstance(value, Mapping):
                if field not in gauges:
                    gauges[field] = Gauge(f"oroi_memory_{field}", _EXPLAINED, ["memory", "kind"], registry=registry)
                for kind, count in value.items():
                    gauges[field].labels(stats.name, kind).set(count)
            elif isinstance(value, int):
                if field not in gauges:
                    gauges[field] = Gauge(f"oroi_memory_{field}", _EXPLAINED, ["memory"], registry=registry)
                gauges[field].labels(stats.name).set(value)
    return generate_latest(registry).decode()


@click.command()
@click.argument("name", metavar="MEMORY", type=TEXT)
@session_command
def retry(session: Session, name: str, as_json: bool) -> None:
    """Extract failed turns again.

    Turns whose extraction failed were kept as said, without concepts.

    \b
    Example:
      oroi retry diary
    """
    with session.graph() as graph:
        report = graph.memory(name, create=False).retry()
    text = f"{report.amended} of {report.failed} failed turns of {name} are whole now"
    emit_either(as_json, {"memory": name, **asdict(report)}, text)
    if report.failure:
        remark(f"the last failure: {report.failure}")


@click.command()
@click.argument("name", metavar="MEMORY", type=TEXT)
@session_command
def reembed(session: Session, name: str, as_json: bool) -> None:
    """Embed a memory with another model, or another version of it.

    With the one in use now; it goes on where it was interrupted.

    \b
    Example:
      OROI_EMBEDDER=openai oroi reembed diary
    """
    from oroi_graph.transfer.reembed import reembed as embed_again

    with session.graph() as graph, counting("vectors", name) as progress:
        done = embed_again(graph.store, name, graph.embedder, progress)
        model = graph.embedder.model
    data = {"memory": name, "vectors": done, "model": model}
    emit_either(as_json, data, f"{name}: {done} vectors made with {model}")
