"""Importing a conversation: the same turns, dynamics and graph as if it had been held, faster.

A producer thread (`import_producer`) extracts and embeds ahead, in batches; the calling thread writes. A commit costs
more than what it commits, so a group of turns shares one transaction: all of them are in the memory, or none. An import
that was interrupted and is repeated gives the same graph as an undisturbed one. Turns that the memory holds already are
found in one read and cost nothing more.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from oroi_graph.activation import turn_end
from oroi_graph.errors import InputError
from oroi_graph.memory import Memory
from oroi_graph.options import Progress, silent
from oroi_graph.perception import pipeline
from oroi_graph.perception.turn import Opened, Prepared
from oroi_graph.storage.catalog import existing
from oroi_graph.storage.rows import record_id, tombstone
from oroi_graph.transfer.conversation_file import Problem, Scripted
from oroi_graph.transfer.import_producer import POLL, Clock, ImportItem, Producer, ReadyItem

BATCH = 32  # turns extracted and embedded together
GROUP = 16  # turns written in one transaction, at most
_READ = 2_000  # turns asked for in one statement
_PATIENCE = 30.0  # seconds the producer may take to end once it was told to


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did. Times are seconds of work; they overlap, so they may exceed `seconds`.

    written, skipped: turns. skipped ones were in the memory already. unstored: turns whose speaker asked that
    nothing be stored, with their replies. failed: turns kept without concepts, for `oroi retry`.
    """

    written: int
    skipped: int
    unstored: int
    failed: int
    problems: tuple[Problem, ...]
    interrupted: bool
    seconds: float
    extraction: float
    embedding: float
    database: float

    @property
    def rate(self) -> float:
        """Turns written per second, 0 if none."""
        return self.written / self.seconds if self.written else 0.0

    @property
    def shares(self) -> dict[str, float]:
        """The share of extraction, embedding and database in all work done, each 0..1."""
        spent = {name: getattr(self, name) for name in ("extraction", "embedding", "database")}
        total = sum(spent.values())
        return {name: seconds / total if total else 0.0 for name, seconds in spent.items()}

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        return {**asdict(self), "turns_per_second": self.rate, "shares": self.shares}


def ingest(
    memory: Memory,
    turns: Sequence[Scripted],
    *,
    progress: Progress = silent,
    batch: int = BATCH,
    stop: threading.Event | None = None,
) -> ImportReport:
    """Perceive the turns of a conversation in their order; repeating it changes nothing.

    An assistant's turn right after a user's is that turn's reply. progress: told (turns written, turns to write) for
    each turn once it is committed; those that the memory holds already do not count. stop: once set, the group under
    way is written and the import ends; done again, it goes on from there. Unusable turns become problems of the report.
    Raises StoreError and ProviderError (an embedder that fails); what was written by then stays, and the import can be
    done again.
    """
    with memory.metered():
        return _Import(memory, turns, progress, batch, stop or threading.Event()).run()


def unknown_of(memory: Memory, turns: Sequence[Scripted]) -> list[ImportItem]:
    """The usable turns as an import would prepare them, those that the memory holds with their numbers."""
    return _Import(memory, turns, silent, BATCH, threading.Event()).items()


@dataclass(slots=True)
class _Counts:
    written: int = 0
    skipped: int = 0
    unstored: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class _Taken:
    """A turn that waits for the next commit. step: what it writes, None for nothing; committed: told what came of it.

    known: whether the memory held it before.
    """

    known: bool
    step: pipeline.Step[object] | None = None
    committed: Callable[[object], None] = lambda found: None


class _Import:
    """One run of an import."""

    def __init__(
        self, memory: Memory, turns: Sequence[Scripted], progress: Progress, batch: int, stop: threading.Event
    ) -> None:
        if batch < 1:
            raise InputError(f"batch must be 1 or more, got {batch}")
        self._memory, self._turns, self._progress, self._batch, self._stop = memory, turns, progress, batch, stop
        self._problems: list[Problem] = []
        self._counts = _Counts()
        self._clock = Clock()
        self._open: str | None = None  # id of the open turn, if this import wrote it
        self._last: ImportItem | None = None  # the user's turn that an assistant's turn right here would answer
        self._group: list[_Taken] = []
        self._phrases: dict[str, NDArray[np.float32]] = {}  # vectors of relation phrases that were asked for
        self._done = self._new = self._told = 0  # turns that are done; that are to be written; that are written

    def run(self) -> ImportReport:
        began = time.perf_counter()
        items = self.items()
        self._new = sum(item.number is None for item in items)
        producer = Producer(self._memory, items, self._batch, self._clock)
        producer.start()
        try:
            for batch in self._ready(producer):
                self._write(batch)
            interrupted = self._done < len(items)
            if not interrupted and self._open is not None:
                self._transact([self._closing(self._open, None)])
        finally:
            producer.ended.set()
            producer.join(_PATIENCE)
            self._memory.refresh()
        return ImportReport(
            **asdict(self._counts),
            problems=tuple(self._problems),
            interrupted=interrupted,
            seconds=time.perf_counter() - began,
            **asdict(self._clock),
        )

    def items(self) -> list[ImportItem]:
        """The usable turns, those that the memory holds with their numbers."""
        return self._known(self._usable())

    def _usable(self) -> list[ImportItem]:
        items = []
        for scripted in self._turns:
            try:
                turn = pipeline.cleaned(scripted.turn, self._memory.graph.options)
            except InputError as error:
                self._problems.append(Problem(scripted.where or scripted.turn.id, str(error)))
                continue
            items.append(ImportItem(replace(scripted, turn=turn), record_id(self._memory.name, turn.id, turn.role)))
        return items

    def _known(self, items: Sequence[ImportItem]) -> list[ImportItem]:
        """The items with the numbers of those that the memory holds; another text under an id is a problem."""
        known: dict[str, tuple[int, bool]] = {}
        for start in range(0, max(len(items), 1), _READ):
            rows = [
                [item.record, item.turn.text, tombstone(item.turn.id, item.turn.role)]
                for item in items[start : start + _READ]
            ]
            store, name = self._memory.graph.store, self._memory.name
            found = existing(store, "transfer/known_turns", name, rows=rows, note=turn_end.REPLY_NOTE)
            known |= {record: (number, same) for record, number, same in found["known"]}
            self._open = found["open_turn"]
        if not any(item.turn.id == self._open and item.turn.role == "user" for item in items):
            self._open = None  # not part of this import
        return [self._placed(item, known.get(item.record)) for item in items]

    def _placed(self, item: ImportItem, known: tuple[int, bool] | None) -> ImportItem:
        if known is None:
            return item
        number, same = known
        if not same:
            why = f"the memory holds turn {item.turn.id!r} with another text, which it keeps: "
            why += "give each turn an id of its own"
            self._problems.append(Problem(item.scripted.where or item.turn.id, why))
        return replace(item, number=number)

    def _ready(self, producer: Producer) -> Iterator[list[ReadyItem]]:
        """The stream, batch by batch as it becomes ready; ends early when told to stop."""
        while not self._stop.is_set():
            try:
                found = producer.ready.get(timeout=POLL)
            except queue.Empty:
                continue
            if found is None:
                return
            if isinstance(found, BaseException):
                raise found
            yield found

    def _write(self, batch: Sequence[ReadyItem]) -> None:
        """Write some turns, a group in each transaction."""
        for ready in batch:
            self._take(ready)
            if len(self._group) >= GROUP:
                self._commit()
            if self._stop.is_set():
                break
        self._commit()

    def _take(self, ready: ReadyItem) -> None:
        """Add one turn to the group; one that is not written, too, so that progress is told in the stream's order."""
        item, last = ready.item, self._last
        self._last = item if item.turn.role == "user" and ready.stored else None
        if ready.stored and item.number is None and ready.prepared is not None:
            self._say(ready.prepared)
        elif ready.stored and item.number is None and ready.reply is not None:
            self._hear(last, ready.reply)
        else:
            self._counts.unstored += not ready.stored
            self._counts.skipped += ready.stored
            self._group.append(_Taken(item.number is not None))

    def _commit(self) -> None:
        """Write the group."""
        group, self._group = self._group, []
        steps = [taken.step for taken in group if taken.step is not None]
        found = iter(self._transact(steps) if steps else ())
        for taken in group:
            if taken.step is not None:
                taken.committed(next(found))
            self._told += not taken.known
            self._progress(self._told, self._new, "importing turns")
        self._done += len(group)

    def _transact(self, steps: Sequence[pipeline.Step[object]]) -> list[object]:
        """Run some steps in one transaction."""
        graph = self._memory.graph
        began = time.perf_counter()
        write = graph.sets.writer(self._memory.name, alone=True)
        found = pipeline.together(write, steps, graph.embedder, self._phrases)
        self._clock.database += time.perf_counter() - began
        return found

    def _say(self, prepared: Prepared) -> None:
        """A user's turn. One that forgets gets a transaction of its own: it may take long, and reads the memory."""
        forgets = prepared.extraction.forget is not None
        if forgets:
            self._commit()
        step = pipeline.opening(self._memory.name, prepared, self._memory.graph.options)
        self._group.append(_Taken(False, step, partial(self._said, prepared.turn.id)))
        if forgets:
            self._commit()

    def _said(self, turn_id: str, found: object) -> None:
        graph = self._memory.graph
        opened = pipeline.ended(cast("Opened", found), graph.store, self._memory.name)
        if opened.repeated:  # another import of the same file was faster
            self._counts.skipped += 1
            return
        if opened.forgotten:
            graph.embedder.clear()
        self._open = turn_id
        self._counts.written += 1
        self._counts.failed += opened.failure is not None

    def _hear(self, answered: ImportItem | None, reply: turn_end.Reply) -> None:
        """An assistant's turn: the reply of the user's turn before it, if there is one."""
        dynamics = self._memory.graph.options.dynamics
        if answered is None:
            self._group.append(
                _Taken(False, lambda tx, known: turn_end.hear(tx, reply, dynamics), partial(self._heard, None))
            )
        else:
            step = self._closing(answered.turn.id, reply)
            self._group.append(_Taken(False, step, partial(self._heard, answered.turn.id)))

    def _heard(self, answered: str | None, found: object) -> None:
        self._counts.written += 1
        if answered is None or answered == self._open:
            self._open = None

    def _closing(self, turn_id: str, reply: turn_end.Reply | None) -> pipeline.Step[object]:
        name, dynamics = self._memory.name, self._memory.graph.options.dynamics
        ending = turn_end.Ending(turn_id, record_id(name, turn_id, "user"), reply)
        return lambda tx, known: turn_end.close_turn(tx, ending, dynamics)
