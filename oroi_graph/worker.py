"""Workers: each finds memories that are due for consolidation and consolidates them; any number may run, anywhere.

After the sleeps, a worker remakes the summaries of contract entries that are out of date.

Nobody assigns work. A worker asks the database what is due, in random order, and consolidates it if nobody else does:
leases keep two workers from the same memory, and run records keep one night's work from being done twice. A worker that
is killed leaves a lease that runs out and a run that another one resumes.

What is logged names memories and counts things; it never quotes them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from oroi_graph.consolidation.pipeline import SleepReport, SleepRun, consolidate
from oroi_graph.consolidation.schedule import Schedule, wait
from oroi_graph.errors import (
    BusyError,
    CredentialsError,
    LeaseLostError,
    MemoryNotFoundError,
    SettingsError,
    StoreError,
    UnreachableError,
)
from oroi_graph.language.normalize import check_memory_name
from oroi_graph.memory import Graph
from oroi_graph.model import Value
from oroi_graph.options import Options
from oroi_graph.providers.protocols import Embedder
from oroi_graph.storage import catalog
from oroi_graph.storage.lease import SECONDS, this_worker
from oroi_graph.storage.store import Store

REST = 60  # seconds of rest for a memory whose sleep failed, doubled with each failure in a row …
LONGEST = 6 * 3600  # … up to this
PATIENCE = 60.0  # seconds between two calls at a database that does not answer, at most

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing worth a line in the log. `str` gives key=value; a formatter may take the fields instead."""

    name: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{key}={_shown(value)}" for key, value in self.fields.items())])


@dataclass(frozen=True, slots=True)
class Due:
    """A memory that should sleep: its clock, why (night, idle, grown), and the night's date where that is why."""

    memory: str
    turn: int
    model: str
    reason: str
    due: datetime | None = None


@dataclass(frozen=True, slots=True)
class SleepOutcome(Value):
    """What came of one memory that was due.

    state: that of the report (done, failed, interrupted, not due), or busy (somebody else has it), lost (somebody else
    took over), gone (deleted meanwhile). error: the kind of error that ended it; its text may quote the memory.
    """

    memory: str
    reason: str
    state: str
    seconds: float
    report: SleepReport | None = None
    error: str | None = None

    @property
    def counts(self) -> dict[str, int]:
        """What was done: merged, promoted, pruned …, those that are not 0."""
        return self.report.counts if self.report else {}


Work = Callable[[Store, str, Embedder, Options, SleepRun], SleepReport]  # what `consolidate` is


class Worker:
    """Consolidates what is due among the memories of one graph.

    memories: only these, all of the database by default. lease: seconds after which others may take over from a worker
    that died. work: does one memory; `consolidate`, or something with its parameters.
    Raises InputError, MemoryNotFoundError, SettingsError.
    """

    def __init__(
        self,
        graph: Graph,
        schedule: Schedule,
        *,
        memories: Sequence[str] = (),
        lease: float = SECONDS,
        work: Work = consolidate,
    ) -> None:
        if not 0 < lease < float("inf"):
            raise SettingsError(f"lease must be seconds above 0, got {lease:g}")
        for name in memories:
            check_memory_name(name)
            if catalog.describe(graph.store, name) is None:
                raise MemoryNotFoundError(name)
        self.graph = graph
        self.schedule = schedule
        self.owner = this_worker()
        self._names = list(memories) or None
        self._lease = lease
        self._work = work
        self._skipped: set[str] = set()

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set: then the transaction under way is finished and the lease given back.

        A database that fails or does not answer is called again, after a pause that grows to PATIENCE seconds.
        """
        plan = self.schedule
        self._say(
            "worker.started",
            at=plan.night.expression if plan.night else None,
            idle=plan.idle,
            grown=plan.grown,
            poll=plan.poll,
            lease=self._lease,
            memories=len(self._names) if self._names else None,
        )
        failures = 0
        while not stop.is_set():
            try:
                for _ in self.once(stop):
                    failures = 0
            except StoreError as error:
                failures += 1
                rest = min(2.0 ** min(failures, 10), PATIENCE)
                self._say("store.failed", logging.WARNING, error=str(error), again_in=rest)
            else:
                failures, rest = 0, plan.rest()
            wait(stop, rest)
        self._say("worker.stopped")

    def once(self, stop: threading.Event) -> Iterator[SleepOutcome]:
        """Do what is due now, one memory after the other. Raises StoreError where the database does not answer."""
        for found in self.due():
            if stop.is_set():
                return
            # Others work on the same list: what they did meanwhile is no longer due.
            for still in self.due([found.memory]):
                yield self._sleep(still, stop)
        self._compress(stop)

    def due(self, names: Sequence[str] | None = None) -> list[Due]:
        """The memories that should sleep now and that nobody is consolidating, in random order. `names`: of these."""
        plan = self.schedule
        with_names = self._names if names is None else list(names)
        [row] = self.graph.store.rows("consolidation/due_clock")
        night = plan.night.latest(row["now"].to_native()) if plan.night is not None else None
        wanted = {"names": with_names, "due": night, "idle": plan.idle, "grown": plan.grown}
        rows = self.graph.store.rows("consolidation/due_memories", **wanted, rest=REST, longest=LONGEST)
        return [found for row in rows if self._suits(found := Due(**row | {"due": night if row["due"] else None}))]

    def _suits(self, found: Due) -> bool:
        """Whether the memory is pinned to this graph's embedding model; the first time it is not, that is logged."""
        if found.model == self.graph.embedder.model:
            return True
        if found.memory not in self._skipped:
            self._skipped.add(found.memory)
            self._say("sleep.skipped", logging.WARNING, memory=found.memory, pinned_to=found.model)
        return False

    def _sleep(self, found: Due, stop: threading.Event) -> SleepOutcome:
        self._say("sleep.started", memory=found.memory, turn=found.turn, reason=found.reason, due=found.due)
        began = time.monotonic()
        state, report, error = self._tried(found, stop)
        outcome = SleepOutcome(found.memory, found.reason, state, round(time.monotonic() - began, 3), report, error)
        level = logging.WARNING if state in ("failed", "lost") else logging.INFO
        self._say(f"sleep.{state}", level, memory=found.memory, seconds=outcome.seconds, error=error, **outcome.counts)
        return outcome

    def _compress(self, stop: threading.Event) -> None:
        """Bring the summaries of contract entries up to date, wherever entries came since they were made."""
        for row in self.graph.store.rows("contract/stale", names=self._names):
            if stop.is_set():
                return
            name = row["memory"]
            if row["model"] != self.graph.embedder.model:
                continue
            began = time.monotonic()
            try:
                contract = self.graph.contract(name, create=False)
                filled = contract.fill()
                report = contract.compress(stop=stop)
            except (BusyError, LeaseLostError, MemoryNotFoundError):
                continue  # whoever has it now does it, or nobody needs it any more
            except (UnreachableError, CredentialsError):
                raise
            except Exception as error:  # as in a sleep, providers are other people's code
                self._say("compress.failed", logging.WARNING, memory=name, error=type(error).__name__)
                continue
            made = sum(report.made.values())
            seconds = round(time.monotonic() - began, 3)
            self._say("compress.done", memory=name, seconds=seconds, entries=report.entries, made=made, filled=filled)

    def _tried(self, found: Due, stop: threading.Event) -> tuple[str, SleepReport | None, str | None]:
        """State, report and error of one consolidation. Raises only what concerns all memories."""
        graph = self.graph
        run = SleepRun(
            judge=graph.judge,
            summarizer=graph.summarizer,
            owner=self.owner,
            due=found.due,
            seconds=self._lease,
            stop=stop,
        )
        try:
            report = self._work(graph.store, found.memory, graph.embedder, graph.options, run)
        except BusyError:
            return "busy", None, None
        except LeaseLostError:
            return "lost", None, None
        except MemoryNotFoundError:
            return "gone", None, None
        except (UnreachableError, CredentialsError):
            raise
        except Exception as error:  # judges, summarizers and embedders are other people's code
            # Its text may quote what is remembered.
            return "failed", None, type(error).__name__
        return report.state, report, ", ".join(report.failures) or None

    def _say(self, name: str, level: int = logging.INFO, **fields: object) -> None:
        given = {key: value for key, value in fields.items() if value is not None}
        _LOG.log(level, Event(name, {"worker": self.owner} | given))


def _shown(value: object) -> str:
    text = value.isoformat() if isinstance(value, datetime) else str(value)
    return text if text and not any(char in text for char in ' ="\n') else f'"{text}"'.replace("\n", " ")
