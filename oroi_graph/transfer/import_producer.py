"""The half of an import that runs ahead: a thread that extracts and embeds the next turns, in batches.

A turn's window comes from the stream itself, never from the database: an import that was interrupted and is repeated
prepares every turn as the first run would have.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace

from oroi_graph.activation import turn_end
from oroi_graph.memory import Memory
from oroi_graph.model import Extraction, TurnInput, Utterance
from oroi_graph.perception import pipeline
from oroi_graph.perception.turn import Prepared
from oroi_graph.providers.protocols import Embedder, Vectors
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.redaction import Redaction
from oroi_graph.storage.rows import episode
from oroi_graph.transfer.conversation_file import Scripted

AHEAD = 4  # batches prepared before the writer needs them
POLL = 0.2  # seconds between two looks at whether the import is to end


@dataclass(frozen=True, slots=True)
class ImportItem:
    """One usable turn of the stream; `number` is its turn in the memory: 0 once forgotten, None if not there."""

    scripted: Scripted
    record: str
    number: int | None = None

    @property
    def turn(self) -> TurnInput:
        return self.scripted.turn


@dataclass(frozen=True, slots=True)
class ReadyItem:
    """A turn with what it needs to be written: a user's prepared, an assistant's embedded; neither: known."""

    item: ImportItem
    prepared: Prepared | None = None
    reply: turn_end.Reply | None = None
    stored: bool = True


@dataclass(frozen=True, slots=True)
class _Read:
    """A turn, its window, its extraction (None where none is needed) and whether it is to be stored."""

    item: ImportItem
    window: tuple[Utterance, ...]
    found: tuple[Extraction, str | None] | None
    stored: bool


@dataclass(slots=True)
class Clock:
    """Seconds of work by kind; each is added to by one thread only."""

    extraction: float = 0.0
    embedding: float = 0.0
    database: float = 0.0


class _Timed:
    """An embedder that notes the time it takes."""

    def __init__(self, embedder: Embedder, clock: Clock) -> None:
        self.embedder, self.clock = embedder, clock
        self.model, self.dimensions = embedder.model, embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self.embed_words(texts)[0]

    def embed_words(self, texts: Sequence[str]) -> tuple[Vectors, list[str | None]]:
        began = time.perf_counter()
        try:
            return embedded(self.embedder, texts)
        finally:
            self.clock.embedding += time.perf_counter() - began


class Producer(threading.Thread):
    """Extracts and embeds batch after batch into `ready`; ends with None, or with the error that stopped it."""

    def __init__(self, memory: Memory, items: Sequence[ImportItem], batch: int, clock: Clock) -> None:
        super().__init__(name="oroi-import", daemon=True)
        self.ready: queue.Queue[list[ReadyItem] | BaseException | None] = queue.Queue(AHEAD)
        self.ended = threading.Event()
        self._memory, self._items, self._batch, self._clock = memory, items, batch, clock
        self._embedder = _Timed(memory.graph.embedder, clock)
        self._window: list[Utterance] = []
        self._context = copy_context()  # of who imports: what models cost is counted there
        self._dropped = False  # the last user turn was not to be stored: neither is its reply

    def run(self) -> None:
        self._context.run(self._run)

    def _run(self) -> None:
        try:
            for start in range(0, len(self._items), self._batch):
                if self.ended.is_set():
                    return
                self._put(self._prepare(self._items[start : start + self._batch]))
            self._put(None)
        except BaseException as error:  # handed to the thread that waits
            self._put(error)

    def rehearse(self) -> None:
        """Prepare all of it here and now, and keep nothing."""
        for start in range(0, len(self._items), self._batch):
            self._prepare(self._items[start : start + self._batch])

    def _put(self, found: list[ReadyItem] | BaseException | None) -> None:
        while not self.ended.is_set():
            try:
                self.ready.put(found, timeout=POLL)
            except queue.Full:
                continue
            return

    def _prepare(self, items: Sequence[ImportItem]) -> list[ReadyItem]:
        began, before = time.perf_counter(), self._clock.embedding
        read = [self._extract(item) for item in items if not self.ended.is_set()]
        ready = self._embed(read)
        # Reading the mentions belongs to extraction; only the model's own time is embedding.
        self._clock.extraction += time.perf_counter() - began - (self._clock.embedding - before)
        return ready

    def _extract(self, item: ImportItem) -> _Read:
        """What a turn states, in the window that the stream had before it."""
        graph, turn, given = self._memory.graph, item.turn, item.scripted.extraction
        given = Redaction(graph.options.redact).value(given)
        window = tuple(self._window)
        found: tuple[Extraction, str | None] | None = None
        if turn.role == "user":
            if item.number is None:
                found = (given, None) if given else pipeline.extract(turn, window, graph.extractor)
            self._dropped = found is not None and not found[0].store
        stored = not self._dropped
        self._dropped = self._dropped and turn.role == "user"
        if stored:
            self._window = [*self._window, turn.utterance][-graph.options.window :]
        return _Read(item, window, found, stored)

    def _embed(self, read: Sequence[_Read]) -> list[ReadyItem]:
        graph = self._memory.graph
        said = [r for r in read if r.found is not None and r.stored]
        replies = [r for r in read if r.item.turn.role != "user" and r.item.number is None and r.stored]
        texts = [pipeline.embedded_text(r.item.turn, r.window) for r in replies]
        turns, found = [r.item.turn for r in said], [r.found for r in said if r.found is not None]
        windows = [r.window for r in said]
        prepared = pipeline.prepare(turns, found, graph.extractor.name, self._embedder, windows) if said else []
        by_record = {
            r.item.record: replace(p, extractor="given") if r.item.scripted.extraction else p
            for r, p in zip(said, prepared, strict=True)
        }
        embedded = zip(*self._embedder.embed_words(texts), strict=True)
        vectors = dict(zip((r.item.record for r in replies), embedded, strict=True))
        return [
            ReadyItem(
                r.item,
                by_record.get(r.item.record),
                self._reply(r.item, *vectors[r.item.record]) if r.item.record in vectors else None,
                r.stored,
            )
            for r in read
        ]

    def _reply(self, item: ImportItem, embedding: Vectors, words: str | None) -> turn_end.Reply:
        return turn_end.Reply(episode(self._memory.name, item.turn, 0, words), embedding)
