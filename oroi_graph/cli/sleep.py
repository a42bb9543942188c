"""consolidate, merges: what a memory does while nobody speaks, and how to take a merge back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oroi_graph.cli.session import (
    INTERRUPTED,
    TEXT,
    Session,
    counting,
    emit,
    emit_json,
    json_option,
    note,
    pairs,
    stopping,
    table,
)

if TYPE_CHECKING:
    from oroi_graph.consolidation.pipeline import SleepReport

_SHOWN = 20  # pairs of a dry run


@click.command()
@click.argument("names", metavar="[MEMORY]...", type=TEXT, nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every memory of the database that is due.")
@click.option("--dry-run", is_flag=True, help="Count what would be done; write nothing.")
@click.option("--judge", type=click.Choice(["offline", "openai"]), help="Who decides on doubtful pairs (OROI_JUDGE).")
@json_option
@click.pass_obj
@click.pass_context
def consolidate(
    context: click.Context,
    session: Session,
    names: tuple[str, ...],
    everything: bool,
    dry_run: bool,
    judge: str | None,
    as_json: bool,
) -> None:
    """Let memories sleep.

    Merge near-duplicates, associate what recurred, strengthen what was used, let fade what was not, and keep the
    gist of old episodes. Only what was said since the last sleep is due; a run that was interrupted goes on where
    it was when it is repeated.

    \b
    Example:
      oroi consolidate diary
      oroi consolidate --all --dry-run
    """
    if bool(names) == everything:
        raise click.UsageError("name the memories to consolidate, or --all")
    if judge:
        session = session.with_setting(judge=judge)
    with session.graph() as graph, stopping() as stop:
        if everything:
            names = tuple(summary.name for summary in graph.memories() if summary.state is None)
        reports = []
        for name in dict.fromkeys(names):
            if stop.is_set():
                break
            memory = graph.memory(name, create=False)
            with counting("things", name) as show:
                reports.append(memory.consolidate(dry_run=dry_run, stop=stop, progress=lambda _, n, of: show(n, of)))
    if as_json:
        emit_json([report.to_json() for report in reports])
    else:
        for report in reports:
            emit(_said(report))
        if not reports:
            note("there is no memory to consolidate")
    for report in reports:
        for step, why in report.failures.items():
            note(f"{report.memory}: {step} failed and is repeated next time: {why}")
    if any(report.state == "interrupted" for report in reports) or stop.is_set():
        note("interrupted: repeat the command to go on")
        context.exit(INTERRUPTED)
    if any(report.failures for report in reports):
        context.exit(1)


def _said(report: SleepReport) -> str:
    """A report for people."""
    if report.state == "not due":
        return f"{report.memory}: nothing was said since turn {report.since}, nothing to do"
    lines = [f"{report.memory}: {report.state}, turns {report.since + 1} to {report.turn}"]
    if report.counts:
        lines.append(pairs({name.replace("_", " "): str(n) for name, n in report.counts.items() if n}))
    if report.state != "dry run":
        sizes = [f"{report.before[name]} → {report.after[name]} {name}" for name in report.after]
        lines.append(", ".join(sizes))
    if report.pairs:
        lines.append(
            table(["label", "label", "cosine", ""], [[a, b, f"{s:.3f}", g] for a, b, s, g in report.pairs[:_SHOWN]])
        )
    if len(report.pairs) > _SHOWN:
        lines.append(f"… and {len(report.pairs) - _SHOWN} pairs more")
    return "\n".join(lines)


@click.group()
def merges() -> None:
    """What became one, and how to take it back.

    \b
    Example:
      oroi merges list diary
    """


@merges.command("list")
@click.argument("name", metavar="MEMORY", type=TEXT)
@json_option
@click.pass_obj
def list_(session: Session, name: str, as_json: bool) -> None:
    """Every merge of MEMORY, the newest first.

    \b
    Example:
      oroi merges list diary
    """
    from oroi_graph.consolidation.unmerge import merges as read

    with session.memory_store(name) as store:
        found = store.read(lambda tx: read(tx, name))
    if as_json:
        emit_json([merge.to_json() for merge in found])
    elif found:
        rows = [[m.id, m.absorbed, m.survivor, f"{m.score:.2f}", m.method, m.by, str(m.turn), m.state] for m in found]
        emit(table(["merge", "what", "became part of", "score", "how", "by", "turn", "state"], rows))
    else:
        note(f"nothing was merged in {name}")


@merges.command()
@click.argument("name", metavar="MEMORY", type=TEXT)
@click.argument("merge", type=TEXT)
@click.option("--later", is_flag=True, help="First undo those that were built on it.")
@json_option
@click.pass_obj
def undo(session: Session, name: str, merge: str, later: bool, as_json: bool) -> None:
    """Make two concepts of one again.

    Labels, facts, weights and mentions are as if they had never been merged; what was said since stays with
    whichever was named. The two are not merged again.

    \b
    Example:
      oroi merges undo diary 3f2a9c0b7d1e4f5a6b7c
    """
    from oroi_graph.consolidation.unmerge import undo as take_back

    with session.memory_store(name) as store:
        undone = take_back(store, name, merge, later=later)
    if as_json:
        emit_json({"memory": name, "undone": [m.to_json() for m in undone]})
    else:
        for m in undone:
            emit(f"{m.absorbed} and {m.survivor} are two again")


@merges.command()
@click.argument("name", metavar="MEMORY", type=TEXT)
@click.argument("first", type=TEXT)
@click.argument("second", type=TEXT)
@json_option
@click.pass_obj
def make(session: Session, name: str, first: str, second: str, as_json: bool) -> None:
    """Make one concept of two, named by label or id.

    \b
    Example:
      oroi merges make diary "Ana Ruiz" Ana
    """
    from oroi_graph.consolidation.unmerge import unite

    with session.memory_store(name) as store:
        made = unite(store, name, first, second)
    if as_json:
        emit_json({"memory": name, "merge": made.to_json()})
    else:
        emit(f"{made.absorbed} is part of {made.survivor} now: `oroi merges undo {name} {made.id}` takes it back")
