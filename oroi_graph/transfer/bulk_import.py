"""Importing a conversation: the same turns, dynamics and graph as if it had been held, faster.

A producer thread (`import_producer`) extracts and embeds ahead, in batches; the calling thread writes. A commit costs
more than what it commits, so a reply shares the transaction of the user's turn that follows it. An import that was
interrupted and is repeated gives the same graph as an undisturbed one. Turns that the memory holds already are found in
one read and cost nothing more.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

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
from oroi_graph.working_set.transactions import Writing

BATCH = 32  # turns extracted and embedded together
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

    An assistant's turn right after a user's is that turn's reply. progress: told (turns written, turns to write)
    after each turn; those that the memory holds already do not count. stop: once set, the transaction under way is
    finished and the import ends; done again, it goes on from there. Unusable turns become problems of the report.
    Raises StoreError and ProviderError (an embedder that fails); what was written by then stays, and the import
    can be done again.
    """
    return _Import(memory, turns, progress, batch, stop or threading.Event()).run()


@dataclass(slots=True)
class _Counts:
    written: int = 0
    skipped: int = 0
    unstored: int = 0
    failed: int = 0


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
        # What it was answered, to be written with the next turn.
        self._reply: tuple[ImportItem, turn_end.Reply] | None = None

    def run(self) -> ImportReport:
        began = time.perf_counter()
        items = self._known(self._usable())
        producer = Producer(self._memory, items, self._batch, self._clock)
        producer.start()
        try:
            done = known = 0
            new = sum(item.number is None for item in items)
            for ready in self._ready(producer):
                self._write(ready)
                done += 1
                known += ready.item.number is not None
                self._progress(done - known, new, "importing turns")
                if self._stop.is_set():
                    break
            self._flush()
            interrupted = done < len(items)
            if not interrupted and self._open is not None:
                self._timed(self._closing(self._open, record_id(self._memory.name, self._open, "user"), None))
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

    def _ready(self, producer: Producer) -> Iterator[ReadyItem]:
        """The stream, as it becomes ready; ends early when told to stop."""
        while not self._stop.is_set():
            try:
                found = producer.ready.get(timeout=POLL)
            except queue.Empty:
                continue
            if found is None:
                return
            if isinstance(found, BaseException):
                raise found
            yield from found

    def _write(self, ready: ReadyItem) -> None:
        """One turn, in one transaction at most."""
        item, last = ready.item, self._last
        self._last = item if item.turn.role == "user" and ready.stored else None
        if not ready.stored:
            self._counts.unstored += 1
        elif item.number is not None:
            self._counts.skipped += 1
        elif ready.prepared is not None:
            self._say(ready.prepared)
        elif ready.reply is not None:
            self._hear(last, ready.reply)

    def _say(self, prepared: Prepared) -> None:
        """A user's turn, behind the reply that waits for it."""
        graph, name = self._memory.graph, self._memory.name
        before = self._answering()
        began = time.perf_counter()

        def write(work: Callable[[Writing], Opened]) -> Opened:
            def both(tx: Writing) -> Opened:
                before(tx)
                return work(tx)

            return graph.sets.write(name, both, alone=True)

        opened = pipeline.ended(
            pipeline.open_turn(write, name, prepared, graph.embedder, graph.options), graph.store, name
        )
        self._clock.database += time.perf_counter() - began
        if opened.repeated:  # another import of the same file was faster
            self._counts.skipped += 1
            return
        if opened.forgotten:
            self._memory.graph.embedder.clear()
        self._open = prepared.turn.id
        self._counts.written += 1
        self._counts.failed += opened.failure is not None

    def _hear(self, answered: ImportItem | None, reply: turn_end.Reply) -> None:
        """An assistant's turn: kept for the next transaction if it answers, else written by itself."""
        self._counts.written += 1
        self._flush()
        if answered is not None:
            self._reply = answered, reply
            return
        memory = self._memory
        self._timed(lambda tx: turn_end.hear(tx, reply, memory.graph.options.dynamics))
        self._open = None

    def _flush(self) -> None:
        """Write the reply that waits, if one does."""
        if self._reply is not None:
            self._timed(self._answering())

    def _answering(self) -> Callable[[Writing], object]:
        """The work of the reply that waits, which is then no longer waiting; nothing if none does."""
        if self._reply is None:
            return lambda tx: None
        (answered, reply), self._reply = self._reply, None
        if answered.turn.id == self._open:
            self._open = None
        return self._closing(answered.turn.id, answered.record, reply)

    def _closing(self, turn_id: str, record: str, reply: turn_end.Reply | None) -> Callable[[Writing], object]:
        memory = self._memory
        ending = turn_end.Ending(turn_id, record, reply)
        return lambda tx: turn_end.close_turn(tx, ending, memory.graph.options.dynamics)

    def _timed(self, work: Callable[[Writing], object]) -> None:
        began = time.perf_counter()
        self._memory.graph.sets.write(self._memory.name, work, alone=True)
        self._clock.database += time.perf_counter() - began
