"""Consolidation ("sleep"): one run over one memory, step by step, under a lease.

Steps: merge, promote, strengthen (growth and decay), prune, elaborate (summaries). Each step works in bounded, fenced
transactions and is idempotent: after a run that was killed, stopped or fenced out, the next run continues where it
ended. A memory without a new turn is not due. A judge or model that fails makes only its own step fail; the memory
stays due and the next run repeats that step.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np

from oroi_graph.consolidation import deduplicate, strength, summarize
from oroi_graph.consolidation.candidate_pairs import CandidatePair
from oroi_graph.consolidation.run_context import RunContext, SleepInterruptedError
from oroi_graph.errors import MemoryNotFoundError, ProviderError
from oroi_graph.forgetting import delete
from oroi_graph.language.normalize import check_memory_name
from oroi_graph.model import Value, canonical_json
from oroi_graph.options import Options, Progress, silent
from oroi_graph.providers.extractive import ExtractiveSummarizer
from oroi_graph.providers.protocols import Embedder, Judge, Summarizer, Vectors
from oroi_graph.storage import catalog
from oroi_graph.storage.lease import SECONDS, Lease, acquire, leased
from oroi_graph.storage.store import Store

_AGES = 3600.0  # seconds of the lease of a rehearsal, which nobody else ever sees

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SleepReport(Value):
    """What a sleep did. state: done, failed, interrupted, not due, or dry run (nothing was written).

    counts: merged, doubtful, promoted, transferred, decayed, pruned, pruned_associations, pruned_pairs,
    elaborated, rested (those that are not 0). failures: {step: why}. before, after: sizes of the memory.
    """

    memory: str
    state: str
    turn: int
    since: int
    counts: dict[str, int] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)
    pairs: tuple[tuple[str, str, float, str], ...] = ()  # dry run: (label, label, cosine, automatic or doubtful)


@dataclass(frozen=True, slots=True)
class PastSleep(Value):
    """A sleep as the memory noted it, whoever ran it. Times are ISO, by the database's clock.

    state: done, failed, running (now, or its worker died), abandoned (a later one took over). attempts: how often it
    was begun. owner: the last worker. due: when a schedule wanted it. counts: what was done.
    """

    memory: str
    turn: int
    since: int
    state: str
    attempts: int
    owner: str | None
    started_at: str | None
    finished_at: str | None
    due: str | None
    failure: str | None
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepRun:
    """How one sleep is run.

    judge: decides on doubtful pairs; without one they are kept apart and reported. summarizer: makes gists, from the
    episodes' own sentences by default. owner, seconds: of the lease. due: when a schedule wanted the sleep.
    dry_run: do it in a transaction that is rolled back, and report it; turns of the memory wait meanwhile. No judge and
    no model is asked then: doubtful pairs stay apart, gists are made of sentences. stop: ends after the transaction
    under way.
    """

    judge: Judge | None = None
    summarizer: Summarizer | None = None
    owner: str | None = None
    due: datetime | None = None
    seconds: float = SECONDS
    dry_run: bool = False
    progress: Progress = silent
    stop: threading.Event | None = None


def consolidate(
    store: Store, memory: str, embedder: Embedder, options: Options | None = None, run: SleepRun | None = None
) -> SleepReport:
    """Consolidate one memory, unless nothing was said since it slept last.

    Raises BusyError if somebody else is at it, LeaseLostError if somebody took over, MemoryNotFoundError.
    """
    check_memory_name(memory)
    options, run = options or Options(), run or SleepRun()
    store.index(memory)  # what resembles what is asked of the index
    if run.dry_run:
        return _rehearsed(store, memory, embedder, options, run)
    providers = _Providers(embedder, run.judge, run.summarizer or ExtractiveSummarizer())
    with leased(store, memory, run.owner, run.seconds) as lease:
        return _under(lease, options, run, providers)


def _under(lease: Lease, options: Options, run: SleepRun, providers: _Providers) -> SleepReport:
    """The sleep of a memory whose lease is held."""
    memory = lease.memory
    delete.finish(lease.write, memory)  # an interrupted deletion is finished before anything else is done
    begun = _begin(lease, run.due)
    if begun is None:
        return SleepReport(memory, "not due", *_clock(lease.store, memory))
    turn, since, done = begun
    sleep = RunContext(
        store=lease.store,
        memory=memory,
        options=options,
        turn=turn,
        since=since,
        lease=lease,
        progress=run.progress,
        stop=run.stop,
        counts=done.get("counts", {}),
    )
    return _run(sleep, lease, providers, done.get("steps", []))


def _rehearsed(store: Store, memory: str, embedder: Embedder, options: Options, run: SleepRun) -> SleepReport:
    """What a sleep would do: the sleep itself, in a transaction that is rolled back."""
    found: list[CandidatePair] = []
    providers = _Providers(_Still(embedder), None, ExtractiveSummarizer(), found.extend)
    options = replace(options, sleep=replace(options.sleep, courtesy=0.0))
    with store.rehearsing() as rehearsal:
        done = _under(acquire(rehearsal, memory, run.owner, _AGES), options, run, providers)
    pairs = tuple((p.label_a, p.label_b, round(p.score, 4), p.grade) for p in found)
    return done if done.state == "not due" else replace(done, state="dry run", pairs=pairs)


class _Still:
    """An embedder for what is rolled back: all texts have one vector, and no service is called."""

    def __init__(self, like: Embedder) -> None:
        self.model, self.dimensions = like.model, like.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        made: Vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        made[:, 0] = 1.0
        return made


@dataclass(frozen=True, slots=True)
class _Providers:
    """Who serves a sleep."""

    embedder: Embedder
    judge: Judge | None
    summarizer: Summarizer
    told: Callable[[Sequence[CandidatePair]], None] = lambda pairs: None  # of near-duplicates, before any is merged

    def steps(self, sleep: RunContext) -> Sequence[tuple[str, Callable[[], None]]]:
        """The steps in their order."""
        return (
            ("merge", lambda: deduplicate.unite(sleep, self.judge, self.told)),
            ("promote", lambda: strength.promote(sleep)),
            ("strengthen", lambda: strength.strengthen(sleep)),
            ("prune", lambda: strength.prune(sleep)),
            ("elaborate", lambda: self._elaborate(sleep)),
        )

    def _elaborate(self, sleep: RunContext) -> None:
        """The gists. Raises ProviderError if the summarizer is down, SleepInterruptedError if it was asked to stop."""
        done = summarize.elaborate(sleep, self.embedder, self.summarizer)
        sleep.count(elaborated=done.made + done.renewed, rested=done.rested, not_elaborated=done.failed)
        if sleep.stopping:
            raise SleepInterruptedError
        if done.stopped:  # the provider is down; a single episode that it refuses waits for the next run
            raise ProviderError(done.failure or "the summarizer failed")


def _run(sleep: RunContext, lease: Lease, providers: _Providers, done: list[str]) -> SleepReport:
    """Do the steps that an interrupted run of this turn has not `done` yet."""
    before = _sizes(sleep)
    failures: dict[str, str] = {}
    for name, step in providers.steps(sleep):
        if name in done:
            continue
        try:
            step()
        except ProviderError as error:
            failures[name] = str(error)
            _log.warning("a step of sleep failed", extra={"memory": sleep.memory, "step": name})
        except SleepInterruptedError:
            _note(lease, sleep, done)
            return _report(sleep, "interrupted", failures, before)
        else:
            done = [*done, name]
        _note(lease, sleep, done)
    failure = "; ".join(f"{step}: {why}" for step, why in failures.items()) or None
    ended = lease.write_one(
        "consolidation/end_sleep", memory=sleep.memory, turn=sleep.turn, report=_noted(sleep, done), failure=failure
    )
    return _report(sleep, ended["state"], failures, before)


def history(store: Store, memories: Sequence[str] = (), limit: int = 50) -> list[PastSleep]:
    """The last sleeps of some memories, of all by default, the newest first. Raises MemoryNotFoundError."""
    for name in memories:
        if catalog.describe(store, check_memory_name(name)) is None:
            raise MemoryNotFoundError(name)
    rows = store.rows("consolidation/list_sleeps", memories=list(memories), limit=limit)
    return [
        PastSleep(**row, counts={name: n for name, n in json.loads(report or "{}").get("counts", {}).items() if n})
        for row in rows
        for report in [row.pop("report")]
    ]


def _begin(lease: Lease, due: datetime | None) -> tuple[int, int, dict[str, Any]] | None:
    """(turn, turn of the last sleep, what an interrupted run of this turn noted), or None if it is not due."""
    held = {"memory": lease.memory, "owner": lease.owner, "fence": lease.fence}
    rows = lease.write_rows("consolidation/begin_sleep", **held, due=due.isoformat() if due else None)
    if not rows:
        return None
    return rows[0]["turn"], rows[0]["since"], json.loads(rows[0]["report"] or "{}")


def _note(lease: Lease, sleep: RunContext, done: list[str]) -> None:
    """Write down what was done so far: a later run of this turn goes on from there."""
    lease.write_one("consolidation/note_sleep", memory=sleep.memory, turn=sleep.turn, report=_noted(sleep, done))


def _report(sleep: RunContext, state: str, failures: dict[str, str], before: dict[str, int]) -> SleepReport:
    counts = {name: n for name, n in sleep.counts.items() if n}
    return SleepReport(sleep.memory, state, sleep.turn, sleep.since, counts, failures, before, _sizes(sleep))


def _noted(sleep: RunContext, done: list[str]) -> str:
    return canonical_json({"counts": sleep.counts, "steps": done})


def _clock(store: Store, memory: str) -> tuple[int, int]:
    """(turns closed, turn up to which the memory has slept)."""
    row = catalog.existing(store, "consolidation/clock", memory)
    return row["clock"], row["slept"]


def _sizes(sleep: RunContext) -> dict[str, int]:
    found = catalog.stats(sleep.store, sleep.memory).to_json()
    return {name: found[name] for name in ("concepts", "associations", "coincidences", "characters")}
