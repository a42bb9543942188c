"""worker: sleep by itself, whenever it is time."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from oroi_graph.cli.session import TEXT, Session, emit, emit_json, json_option, note, stopping, table

if TYPE_CHECKING:
    from oroi_graph.consolidation.schedule import Schedule
    from oroi_graph.worker import Outcome


@click.command()
@click.argument("memories", metavar="[MEMORY]...", type=TEXT, nargs=-1)
@click.option("--once", is_flag=True, help="Do what is due now, print what was done, and exit.")
@click.option("--at", metavar="CRON", help='The night, in local time ("0 3 * * *" if nothing else is given).')
@click.option("--idle", type=float, metavar="MINUTES", help="Also when nobody has spoken for so long.")
@click.option("--grown", type=int, metavar="TURNS", help="Also when so many turns came since the last sleep.")
@click.option("--poll", type=float, default=60.0, show_default=True, metavar="SECONDS", help="How often to look.")
@click.option(
    "--lease", type=float, default=60.0, show_default=True, metavar="SECONDS",
    help="After so long others take over from a worker that died.",
)  # fmt: skip
@json_option
@click.pass_context
def worker(
    context: click.Context,
    memories: tuple[str, ...],
    once: bool,
    at: str | None,
    idle: float | None,
    grown: int | None,
    poll: float,
    lease: float,
    as_json: bool,
) -> None:
    """Consolidate what is due, again and again.

    Looks after every memory of the database, or the named ones. At night (--at) what was said before is slept
    on. Any number of workers may run, on any machines: they share the memories between them. Ctrl-C or SIGTERM ends it
    once the transaction under way is finished; a second one, at once. The log goes to stderr.

    \b
    Example:
      oroi worker
      oroi worker --at "30 2 * * *" --idle 45 --grown 500
      oroi worker --once --idle 0 diary
    """
    from oroi_graph.worker import Worker

    schedule = _schedule(at, idle, grown, poll)
    session: Session = context.obj
    with session.graph() as graph, stopping() as stop, logged(as_json, logging.WARNING if once else logging.INFO):
        found = Worker(graph, schedule, memories=memories, lease=lease)
        if not once:
            found.run(stop)
            return
        outcomes = list(found.once(stop))
    show(outcomes, as_json)
    if any(outcome.state == "failed" for outcome in outcomes):
        context.exit(1)


def _schedule(at: str | None, idle: float | None, grown: int | None, poll: float) -> Schedule:
    from oroi_graph.consolidation.schedule import NIGHTLY, Night, Schedule

    if at is None and idle is None and grown is None:
        at = NIGHTLY
    return Schedule(night=Night(at) if at is not None else None, idle=idle, grown=grown, poll=poll)


def show(outcomes: list[Outcome], as_json: bool) -> None:
    """What a pass did: a table, or JSON."""
    if as_json:
        emit_json([outcome.to_json() for outcome in outcomes])
    elif not outcomes:
        note("no memory is due")
    else:
        rows = [[o.memory, o.reason, o.state, f"{o.seconds:.1f}", _done(o)] for o in outcomes]
        emit(table(["memory", "why", "state", "seconds", "what"], rows))


def _done(outcome: Outcome) -> str:
    failed = [f"failed: {outcome.error}"] if outcome.error else []
    return ", ".join([f"{name} {n}" for name, n in outcome.counts.items()] + failed)


# -- the log ----------------------------------------------------------------------------------------------


@contextmanager
def logged(as_json: bool, level: int) -> Iterator[None]:
    """This package's log on stderr: time (UTC), level, key=value; or one JSON object a line.

    The driver's own remarks on lost connections, of several lines each, are left out: the worker says so itself.
    """
    ours, drivers = logging.getLogger("oroi_graph"), logging.getLogger("neo4j")
    before = ours.level, drivers.level
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines() if as_json else _Lines("%(asctime)s %(levelname)s %(message)s"))
    ours.setLevel(level)
    drivers.setLevel(logging.CRITICAL)
    ours.addHandler(handler)
    try:
        yield
    finally:
        ours.removeHandler(handler)
        ours.setLevel(before[0])
        drivers.setLevel(before[1])


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
