"""The commands consolidate, worker and merges: consolidation now or on a schedule, and the undo of merges."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oroi_graph.cli.output import emit, emit_either, emit_json, emit_rows, pairs, remark, table
from oroi_graph.cli.session import COUNT, INTERRUPTED, PATH, TEXT, Session, counting, session_command, stopping
from oroi_graph.errors import MemoryNotFoundError
from oroi_graph.files import refusing

if TYPE_CHECKING:
    from oroi_graph.consolidation.pipeline import SleepReport
    from oroi_graph.consolidation.schedule import Schedule
    from oroi_graph.worker import SleepOutcome

_SHOWN = 20  # pairs of a dry run
LONGEST_LOG, LOGS = 10_000_000, 5  # bytes of a worker's log file, and how many are kept


@click.command()
@click.argument("names", metavar="[MEMORY]...", type=TEXT, nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every memory of the database that is due.")
@click.option("--dry-run", is_flag=True, help="Tell what would be done, to the last count; write nothing.")
@click.option("--judge", type=click.Choice(["offline", "openai"]), help="Who decides on doubtful pairs (OROI_JUDGE).")
@session_command
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
            try:
                memory = graph.memory(name, create=False)
                with counting("things", name) as progress:
                    reports.append(memory.consolidate(dry_run=dry_run, stop=stop, progress=progress))
            except MemoryNotFoundError:
                if not everything:  # else deleted since they were listed
                    raise
    if as_json:
        emit_json([report.to_json() for report in reports])
    else:
        for report in reports:
            emit(_said(report))
        if not reports:
            remark("there is no memory to consolidate")
    for report in reports:
        for step, why in report.failures.items():
            remark(f"{report.memory}: {step} failed and is repeated next time: {why}")
    if any(report.state == "interrupted" for report in reports) or stop.is_set():
        remark("interrupted: repeat the command to go on")
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
@session_command
def list_(session: Session, name: str, as_json: bool) -> None:
    """Every merge of MEMORY, the newest first.

    \b
    Example:
      oroi merges list diary
    """
    from oroi_graph.consolidation.unmerge import merges as read

    with session.memory_store(name) as store:
        found = store.read(lambda tx: read(tx, name))
    rows = [[m.id, m.absorbed, m.survivor, f"{m.score:.2f}", m.method, m.by, str(m.turn), m.state] for m in found]
    columns = ["merge", "what", "became part of", "score", "how", "by", "turn", "state"]
    emit_rows(as_json, [merge.to_json() for merge in found], columns, rows, f"nothing was merged in {name}")


@merges.command()
@click.argument("name", metavar="MEMORY", type=TEXT)
@click.argument("merge", type=TEXT)
@click.option("--later", is_flag=True, help="First undo those that were built on it.")
@session_command
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
    text = "\n".join(f"{m.absorbed} and {m.survivor} are two again" for m in undone)
    emit_either(as_json, {"memory": name, "undone": [m.to_json() for m in undone]}, text)


@merges.command()
@click.argument("name", metavar="MEMORY", type=TEXT)
@click.argument("first", type=TEXT)
@click.argument("second", type=TEXT)
@session_command
def make(session: Session, name: str, first: str, second: str, as_json: bool) -> None:
    """Make one concept of two, named by label or id.

    \b
    Example:
      oroi merges make diary "Ana Ruiz" Ana
    """
    from oroi_graph.consolidation.unmerge import unite

    with session.memory_store(name) as store:
        made = unite(store, name, first, second)
    text = f"{made.absorbed} is part of {made.survivor} now: `oroi merges undo {name} {made.id}` takes it back"
    emit_either(as_json, {"memory": name, "merge": made.to_json()}, text)


@click.command()
@click.argument("memories", metavar="[MEMORY]...", type=TEXT, nargs=-1)
@click.option("--once", is_flag=True, help="Do what is due now, print what was done, and exit.")
@click.option("--history", is_flag=True, help="Show the last sleeps, whoever ran them, and exit.")
@click.option("--limit", type=COUNT, default=20, show_default=True, help="How many of the history.")
@click.option("--at", metavar="CRON", help='The night, in local time ("0 3 * * *" if nothing else is given).')
@click.option("--idle", type=float, metavar="MINUTES", help="Also when nobody has spoken for so long.")
@click.option("--grown", type=COUNT, metavar="TURNS", help="Also when so many turns came since the last sleep.")
@click.option("--poll", type=float, default=60.0, show_default=True, metavar="SECONDS", help="How often to look.")
@click.option(
    "--lease", type=float, default=60.0, show_default=True, metavar="SECONDS",
    help="After so long others take over from a worker that died.",
)  # fmt: skip
@click.option("--log", type=PATH, metavar="FILE", help="Log there, not to stderr: five files of 10 MB at most.")
@session_command
@click.pass_context
def worker(
    context: click.Context,
    session: Session,
    memories: tuple[str, ...],
    once: bool,
    history: bool,
    limit: int,
    at: str | None,
    idle: float | None,
    grown: int | None,
    poll: float,
    lease: float,
    log: Path | None,
    as_json: bool,
) -> None:
    """Consolidate what is due, again and again.

    Looks after every memory of the database, or the named ones. At night (--at) what was said before is slept
    on. Any number of workers may run, on any machines: they share the memories between them. Ctrl-C or SIGTERM ends it
    once the transaction under way is finished; a second one, at once. The log goes to stderr, or to a file that no
    other worker uses.

    \b
    Example:
      oroi worker
      oroi worker --at "30 2 * * *" --idle 45 --grown 500
      oroi worker --once --idle 0 diary
      oroi worker --history diary
    """
    if history:
        _tell_history(session, memories, limit, as_json)
        return
    from oroi_graph.worker import Worker

    schedule = _schedule(at, idle, grown, poll)
    with (
        session.lasting_graph() as graph,
        stopping() as stop,
        logged(as_json, logging.WARNING if once else logging.INFO, log),
    ):
        found = Worker(graph, schedule, memories=memories, lease=lease)
        if not once:
            found.run(stop)
            return
        outcomes = list(found.once(stop))
    show(outcomes, as_json)
    if any(outcome.state == "failed" for outcome in outcomes):
        context.exit(1)


def _tell_history(session: Session, memories: tuple[str, ...], limit: int, as_json: bool) -> None:
    """The last sleeps as the database has them."""
    from oroi_graph.consolidation.pipeline import history

    with session.store() as store:
        found = history(store, memories, limit)
    rows = [
        [
            one.memory, f"{one.since + 1}-{one.turn}", one.state, (one.finished_at or one.started_at or "")[:19],
            str(one.attempts), one.failure or ", ".join(f"{name} {n}" for name, n in one.counts.items()),
        ]
        for one in found
    ]  # fmt: skip
    columns = ["memory", "turns", "state", "ended or begun", "attempts", "what"]
    emit_rows(as_json, [one.to_json() for one in found], columns, rows, "nothing has slept yet")


def _schedule(at: str | None, idle: float | None, grown: int | None, poll: float) -> Schedule:
    from oroi_graph.consolidation.schedule import NIGHTLY, CronSchedule, Schedule

    if at is None and idle is None and grown is None:
        at = NIGHTLY
    return Schedule(night=CronSchedule(at) if at is not None else None, idle=idle, grown=grown, poll=poll)


def show(outcomes: list[SleepOutcome], as_json: bool) -> None:
    """What a pass did: a table, or JSON."""
    rows = [[o.memory, o.reason, o.state, f"{o.seconds:.1f}", _done(o)] for o in outcomes]
    columns = ["memory", "why", "state", "seconds", "what"]
    emit_rows(as_json, [outcome.to_json() for outcome in outcomes], columns, rows, "no memory is due")


def _done(outcome: SleepOutcome) -> str:
    failed = [f"failed: {outcome.error}"] if outcome.error else []
    return ", ".join([f"{name} {n}" for name, n in outcome.counts.items()] + failed)


@contextmanager
def logged(as_json: bool, level: int, file: Path | None = None) -> Iterator[None]:
    """This package's log on stderr, or in a file that is rotated: time (UTC), level, key=value; or JSON lines.

    The driver's own remarks on lost connections, of several lines each, are left out: the worker says so itself.
    """
    ours, drivers = logging.getLogger("oroi_graph"), logging.getLogger("neo4j")
    before = ours.level, drivers.level
    handler = logging.StreamHandler(sys.stderr) if file is None else _rotating(file)
    handler.setFormatter(_JsonLines() if as_json else _Lines("%(asctime)s %(levelname)s %(message)s"))
    ours.setLevel(level)
    drivers.setLevel(logging.CRITICAL)
    ours.addHandler(handler)
    try:
        yield
    finally:
        ours.removeHandler(handler)
        handler.close()  # a file; stderr stays open
        ours.setLevel(before[0])
        drivers.setLevel(before[1])


def _rotating(file: Path) -> logging.Handler:
    from logging.handlers import RotatingFileHandler

    with refusing(file, "write"):
        return RotatingFileHandler(file, maxBytes=LONGEST_LOG, backupCount=LOGS - 1, encoding="utf-8")


class _Lines(logging.Formatter):
    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"


class _JsonLines(_Lines):
    def format(self, record: logging.LogRecord) -> str:
        from oroi_graph.worker import Event

        line: dict[str, Any] = {"at": self.formatTime(record), "level": record.levelname}
        if isinstance(record.msg, Event):
            line |= {"event": record.msg.name, **record.msg.fields}
        else:
            line |= {"event": record.name, "text": record.getMessage()}
        return json.dumps(line, ensure_ascii=False, default=str)
