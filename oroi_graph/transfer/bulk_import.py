"""Importing a conversation: the same turns, dynamics and graph as if it had been held, faster.

A producer thread extracts and embeds ahead, in batches; the calling thread writes. A commit costs more than what it
commits, so a reply shares the transaction of the user's turn that follows it. A turn's
window comes from the stream itself, never from the database, so an import that was interrupted and is done again
prepares every turn as the first run would have: the graph is the same as that of an undisturbed import. Turns that
the memory holds already are found in one read and cost nothing more.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from oroi_graph.activation import turn_end
from oroi_graph.errors import InputError, MemoryNotFoundError
from oroi_graph.memory import Memory
from oroi_graph.model import Extraction, TurnInput, Utterance
from oroi_graph.options import Progress, silent
from oroi_graph.perception import pipeline
from oroi_graph.perception.turn_transaction import Opened, Prepared
from oroi_graph.providers.protocols import Embedder, Vectors
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.storage.rows import episode, record_id, tombstone
from oroi_graph.storage.store import Transaction
from oroi_graph.transfer.conversation_file import Problem, Scripted

BATCH = 32  # turns extracted and embedded together
AHEAD = 4  # batches prepared before the writer needs them
_READ = 2_000  # turns asked for in one statement
_POLL = 0.2  # seconds between two looks at `stop` while nothing is ready
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

    def to_json(self) -> dict[str, Any]:
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


@dataclass(frozen=True, slots=True)
class _Item:
    """One usable turn of the stream; `number` is its turn in the memory: 0 once forgotten, None if not there."""

    scripted: Scripted
    record: str
    number: int | None = None

    @property
    def turn(self) -> TurnInput:
        return self.scripted.turn


@dataclass(frozen=True, slots=True)
class _Ready:
    """A turn with what it needs to be written: a user's prepared, an assistant's embedded; neither: known."""

    item: _Item
    prepared: Prepared | None = None
    reply: turn_end.Reply | None = None
    stored: bool = True


@dataclass(slots=True)
class _Clock:
    """Seconds of work by kind; each is added to by one thread only."""

    extraction: float = 0.0
    embedding: float = 0.0
    database: float = 0.0


@dataclass(slots=True)
class _Timed:
    """An embedder that notes the time it takes."""

    embedder: Embedder
    clock: _Clock

    @property
    def model(self) -> str:
        return self.embedder.model

    @property
    def dimensions(self) -> int:
        return self.embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        began = time.perf_counter()
        try:
            return self.embedder.embed(texts)
        finally:
            self.clock.embedding += time.perf_counter() - began

    def embed_words(self, texts: Sequence[str]) -> tuple[Vectors, list[str | None]]:
        began = time.perf_counter()
        try:
            return embedded(self.embedder, texts)
        finally:
            self.clock.embedding += time.perf_counter() - began


class _Producer(threading.Thread):
    """Extracts and embeds batch after batch into `ready`; ends with None, or with the error that stopped it."""

    def __init__(self, memory: Memory, items: Sequence[_Item], batch: int, clock: _Clock) -> None:
        super().__init__(name="oroi-import", daemon=True)
        self.ready: queue.Queue[list[_Ready] | BaseException | None] = queue.Queue(AHEAD)
        self.ended = threading.Event()
        self._memory, self._items, self._batch, self._clock = memory, items, batch, clock
        self._embedder = _Timed(memory.graph.embedder, clock)
        self._window: list[Utterance] = []
        self._dropped = False  # the last user turn was not to be stored: neither is its reply

    def run(self) -> None:
        try:
            for start in range(0, len(self._items), self._batch):
                if self.ended.is_set():
                    return
                self._put(self._prepare(self._items[start : start + self._batch]))
            self._put(None)
        except BaseException as error:  # handed to the thread that waits
            self._put(error)

    def _put(self, found: list[_Ready] | BaseException | None) -> None:
        while not self.ended.is_set():
            try:
                self.ready.put(found, timeout=_POLL)
            except queue.Full:
                continue
            return

    def _prepare(self, items: Sequence[_Item]) -> list[_Ready]:
        began, before = time.perf_counter(), self._clock.embedding
        read = [self._extract(item) for item in items if not self.ended.is_set()]
        ready = self._embed(read)
        # Reading the mentions belongs to extraction; only the model's own time is embedding.
        self._clock.extraction += time.perf_counter() - began - (self._clock.embedding - before)
        return ready

    def _extract(self, item: _Item) -> _Read:
        """What a turn states, in the window that the stream had before it."""
        graph, turn, given = self._memory.graph, item.turn, item.scripted.extraction
        window = tuple(self._window)
        found: tuple[Extraction, str | None] | None = None
        if turn.role == "user":
            if item.number is None:
                found = (given, None) if given else pipeline.extract(turn, window, graph.extractor)
            self._dropped = found is not None and not found[0].store
            stored = not self._dropped
        else:
            stored = not self._dropped
            self._dropped = False
        if stored:
            self._window = [*self._window, turn.utterance][-graph.options.window :]
        return _Read(item, window, found, stored)

    def _embed(self, read: Sequence[_Read]) -> list[_Ready]:
        graph = self._memory.graph
        said = [r for r in read if r.found is not None and r.stored]
        replies = [r for r in read if r.item.turn.role != "user" and r.item.number is None and r.stored]
        texts = [pipeline.embedded_text(r.item.turn, r.window) for r in replies]
        prepared = (
            pipeline.prepare(
                [r.item.turn for r in said],
                [r.found for r in said if r.found is not None],
                graph.extractor.name,
                self._embedder,
                [r.window for r in said],
            )
            if said
            else []
        )
        by_record = {
            r.item.record: replace(p, extractor="given") if r.item.scripted.extraction else p
            for r, p in zip(said, prepared, strict=True)
        }
        embedded = zip(*self._embedder.embed_words(texts), strict=True)
        vectors = dict(zip((r.item.record for r in replies), embedded, strict=True))
        return [
            _Ready(
                r.item,
                by_record.get(r.item.record),
                self._reply(r.item, *vectors[r.item.record]) if r.item.record in vectors else None,
                r.stored,
            )
            for r in read
        ]

    def _reply(self, item: _Item, embedding: Vectors, words: str | None) -> turn_end.Reply:
        return turn_end.Reply(episode(self._memory.name, item.turn, 0, words), embedding)


@dataclass(frozen=True, slots=True)
class _Read:
    """A turn, its window, its extraction (None where none is needed) and whether it is to be stored."""

    item: _Item
    window: tuple[Utterance, ...]
    found: tuple[Extraction, str | None] | None
    stored: bool


@dataclass(slots=True)
class _Counts:
    written: int = 0
    skipped: int = 0
    unstored: int = 0
    failed: int = 0


class _Import:
    """One run of an import."""

    def __init__(
        self,
        memory: Memory,
        turns: Sequence[Scripted],
        progress: Progress,
        batch: int,
        stop: threading.Event,
    ) -> None:
        if batch < 1:
            raise InputError(f"batch must be 1 or more, got {batch}")
        self._memory, self._turns, self._progress, self._batch, self._stop = memory, turns, progress, batch, stop
        self._problems: list[Problem] = []
        self._counts = _Counts()
        self._clock = _Clock()
        self._open: str | None = None  # the id of the turn of ours that is open
        self._last: _Item | None = None  # the user's turn that an assistant's turn right here would answer
        self._reply: tuple[_Item, turn_end.Reply] | None = (
            None  # what it was answered, to be written with the next turn
        )

    def run(self) -> ImportReport:
        began = time.perf_counter()
        items = self._known(self._usable())
        producer = _Producer(self._memory, items, self._batch, self._clock)
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

    def _usable(self) -> list[_Item]:
        items = []
        for scripted in self._turns:
            try:
                turn = pipeline.cleaned(scripted.turn, self._memory.graph.options)
            except InputError as error:
                self._problems.append(Problem(scripted.where or scripted.turn.id, str(error)))
                continue
            items.append(_Item(replace(scripted, turn=turn), record_id(self._memory.name, turn.id, turn.role)))
        return items

    def _known(self, items: Sequence[_Item]) -> list[_Item]:
        """The items with the numbers of those that the memory holds; another text under an id is a problem."""
        known: dict[str, tuple[int, bool]] = {}
        for start in range(0, max(len(items), 1), _READ):
            rows = [
                [item.record, item.turn.text, tombstone(item.turn.id, item.turn.role)]
                for item in items[start : start + _READ]
            ]
            found = self._memory.graph.store.rows(
                "transfer/known_turns", memory=self._memory.name, rows=rows, note=turn_end.REPLY_NOTE
            )
            if not found:
                raise MemoryNotFoundError(self._memory.name)
            known |= {record: (number, same) for record, number, same in found[0]["known"]}
            self._open = found[0]["open_turn"]
        if not any(item.turn.id == self._open and item.turn.role == "user" for item in items):
            self._open = None  # somebody else's
        return [self._placed(item, known.get(item.record)) for item in items]

    def _placed(self, item: _Item, known: tuple[int, bool] | None) -> _Item:
        if known is None:
            return item
        number, same = known
        if not same:
            self._problems.append(
                Problem(
                    item.scripted.where or item.turn.id,
                    f"the memory holds turn {item.turn.id!r} with another text, which it keeps: "
                    "give each turn an id of its own",
                )
            )
        return replace(item, number=number)

    def _ready(self, producer: _Producer) -> Iterator[_Ready]:
        """The stream, as it becomes ready; ends early when told to stop."""
        while not self._stop.is_set():
            try:
                found = producer.ready.get(timeout=_POLL)
            except queue.Empty:
                continue
            if found is None:
                return
            if isinstance(found, BaseException):
                raise found
            yield from found

    def _write(self, ready: _Ready) -> None:
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

        def write(work: Callable[[Transaction], Opened]) -> Opened:
            def both(tx: Transaction) -> Opened:
                before(tx)
                return work(tx)

            return graph.store.write(both)

        opened = pipeline.open_turn(write, name, prepared, graph.embedder, graph.options)
        self._clock.database += time.perf_counter() - began
        if opened.repeated:  # another import of the same file was faster
            self._counts.skipped += 1
            return
        if opened.forgotten:
            self._memory.graph.embedder.clear()
        self._open = prepared.turn.id
        self._counts.written += 1
        self._counts.failed += opened.failure is not None

    def _hear(self, answered: _Item | None, reply: turn_end.Reply) -> None:
        """An assistant's turn: kept for the next transaction if it answers, else written by itself."""
        self._counts.written += 1
        self._flush()
        if answered is not None:
            self._reply = answered, reply
            return
        memory = self._memory
        self._timed(lambda tx: turn_end.hear(tx, memory.name, reply, memory.graph.options.dynamics))
        self._open = None

    def _flush(self) -> None:
        """Write the reply that waits, if one does."""
        if self._reply is not None:
            self._timed(self._answering())

    def _answering(self) -> Callable[[Transaction], object]:
        """The work of the reply that waits, which is then no longer waiting; nothing if none does."""
        if self._reply is None:
            return lambda tx: None
        (answered, reply), self._reply = self._reply, None
        if answered.turn.id == self._open:
            self._open = None
        return self._closing(answered.turn.id, answered.record, reply)

    def _closing(self, turn_id: str, record: str, reply: turn_end.Reply | None) -> Callable[[Transaction], object]:
        memory = self._memory
        return lambda tx: turn_end.close_turn(
            tx, memory.name, turn_id, record, reply, (), memory.graph.options.dynamics
        )

    def _timed(self, work: Callable[[Transaction], object]) -> None:
        began = time.perf_counter()
        self._memory.graph.store.write(work)
        self._clock.database += time.perf_counter() - began
