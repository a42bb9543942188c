"""Bring the index of a workspace up to date with its files: only what changed is read, cut and embedded.

An index is made with one embedding model and one way of cutting. If either is another now, a new index is built beside
the old one, which answers until the new one is whole; what was built is not lost if the process dies. Each file is
written by one transaction, or in pieces with its own line last, so a file is never known to be read that is not.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Container, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from oroi_graph.errors import InputError
from oroi_graph.language.normalize import digest
from oroi_graph.model import Value
from oroi_graph.options import Progress, silent
from oroi_graph.providers.protocols import Embedder
from oroi_graph.redaction import Redactor
from oroi_graph.storage.catalog import required
from oroi_graph.storage.store import Row, Store, Transaction
from oroi_graph.workspace.config import WorkspaceConfig
from oroi_graph.workspace.files.reading import MOST
from oroi_graph.workspace.index import transcripts
from oroi_graph.workspace.index.batches import PAGE, Batches, Counts
from oroi_graph.workspace.index.note_store import NoteStore
from oroi_graph.workspace.index.notes import Shelf, read_file
from oroi_graph.workspace.index.vectors import BATCH, VectorSource
from oroi_graph.workspace.layout import Found, Layout
from oroi_graph.workspace.paths import read_bytes

RACE = 2_000_000_000  # nanoseconds: a file changed so shortly before it was read may have changed after, unnoticed
_ABSENT = "it is not there; the index keeps its notes: make an empty folder if they are gone for good"
_FORMAT = 2  # of chunks and properties: another number makes a new index


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport(Value):
    """What one run did. read: files that were cut anew; removed: files that are no more.

    written, deleted: notes; embedded, reused: their vectors. rebuilt: whether a new index took over. failure: of the
    embedder. remark: why batch jobs or the first embedder did not do what others did then, or what cannot be written.
    skipped: {path: why} of files and folders that cannot be read. pending: whether batch jobs are still under way.
    busy: another process was at it, nothing was done.
    """

    read: int = 0
    removed: int = 0
    written: int = 0
    deleted: int = 0
    embedded: int = 0
    reused: int = 0
    rebuilt: bool = False
    failure: str | None = None
    remark: str | None = None
    pending: bool = False
    skipped: dict[str, str] = field(default_factory=dict)
    busy: bool = False


@dataclass(frozen=True, slots=True)
class _Run:
    """How one run goes. patient: transcripts wait until they have grown enough."""

    full: bool
    patient: bool
    stop: threading.Event
    progress: Progress


@dataclass(frozen=True)
class Indexer:
    """Syncs one workspace. sessions: the agent's own transcripts, None if they are not wanted.

    foreign: whether the embedder's model is another than the memory's. redact: what must not be kept of files.
    """

    store: Store
    memory: str
    layout: Layout
    embedder: Embedder
    config: WorkspaceConfig
    sessions: Path | None = None
    foreign: bool = False
    redact: Redactor | None = None

    @property
    def print(self) -> str:
        """What an index is made with, as a hash: provider, model, endpoint, chunks, redaction."""
        made = [str(getattr(self.embedder, name, "")) for name in ("provider", "endpoint")]
        chunks = (self.config.chunk_tokens, self.config.chunk_overlap)
        redacted = () if self.redact is None else (f"redacted by {self.redact!r}",)
        return digest(_FORMAT, self.embedder.model, *made, *chunks, self.foreign, *redacted)

    @property
    def notes(self) -> NoteStore:
        """Where notes are written."""
        return NoteStore(self.store, self.memory, self.config.cache > 0, self.foreign)

    def sync(
        self, *, full: bool = False, patient: bool = False, wait: float = 0.0, stop: threading.Event | None = None,
        progress: Progress = silent,
    ) -> SyncReport:  # fmt: skip
        """Bring the index up to date. full: a new one. patient: transcripts wait until they have grown enough.

        Somebody else at the same work is waited for, for `wait` seconds; then nothing is done (`busy`).
        Raises StoreError, MemoryNotFoundError.
        """
        run = _Run(full, patient, stop or threading.Event(), progress)
        lock, unwritten = self.layout.state / "index.lock", None
        with ExitStack() as held:
            try:
                lock.parent.mkdir(exist_ok=True)
                held.enter_context(FileLock(lock, timeout=wait))
            except Timeout:
                return SyncReport(busy=True)
            except OSError as error:  # a workspace that is only read: what two processes write twice is the same
                unwritten = f"{self.layout.state} cannot be written ({error.strerror or error}): notes are only read"
            report = self._sync(run)
            return replace(report, remark=report.remark or unwritten)

    def due(self, shelf: str | None) -> int:
        """How many files a sync would look into. shelf: the index that answers."""
        known = self._files(shelf or "")
        scanned, unread = self._scanned(known)
        changed = sum(not _is_known(found, known.get(path)) for path, found in scanned.items())
        return changed + len(_gone(known, scanned, unread))

    def _sync(self, run: _Run) -> SyncReport:
        state = self.store.write(self._opened)
        shelf, rebuilding = self._target(state, run.full)
        vectors = VectorSource(self.store, self.memory, self.embedder, self.config.cache, run.stop)
        counts, lacking = self._update(shelf, state["shelf"] if rebuilding else None, vectors, run)
        whole = not run.stop.is_set() and not (rebuilding and lacking)
        remark = vectors.remark
        if rebuilding and lacking:
            remark = f"the former index answers until the new one can have all of it: {lacking} cannot be read"
        if whole:
            done = {
                "synced_at": datetime.now(UTC).isoformat(timespec="seconds"), "failure": vectors.failure,
                "model": self.embedder.model,
            }  # fmt: skip
            if rebuilding:
                self.notes.write(
                    lambda tx, _: tx.run("workspace/serve", memory=self.memory, shelf=shelf.name, properties=done)
                )
            else:
                self.notes.set(**done)
            vectors.trim()
        return SyncReport(
            read=counts.read, removed=counts.removed, written=counts.written, deleted=counts.deleted,
            embedded=vectors.made, reused=vectors.hits, rebuilt=rebuilding and whole, failure=vectors.failure,
            skipped=counts.skipped, remark=remark, pending=vectors.pending,
        )  # fmt: skip

    def _opened(self, tx: Transaction) -> Row:
        token, name = uuid.uuid4().hex, _shelf_name()
        return required(
            tx, "workspace/open", self.memory, token=token, shelf=name, model=self.embedder.model, print=self.print
        )

    def _target(self, state: Row, full: bool) -> tuple[Shelf, bool]:
        """The index to write to, and whether it is one that does not answer yet."""
        name, begun, fits = state["shelf"], state["building"], state["print"] == self.print
        rebuilding = full or not fits or begun is not None
        former = [*state["former"], *([begun] if begun else [])]
        if begun is not None and state["building_print"] == self.print:
            name = begun  # by somebody who died or was stopped
        elif begun is not None and fits and not full:
            rebuilding = False  # it was for a setting that is no more
            self.notes.set(building=None, building_print=None, former=former)
        elif rebuilding:
            name = _shelf_name()
            self.notes.set(building=name, building_print=self.print, former=former)
        config = self.config
        return Shelf(self.memory, name, self.embedder.model, config.chunk_tokens, config.chunk_overlap), rebuilding

    def _update(self, shelf: Shelf, former: str | None, vectors: VectorSource, run: _Run) -> tuple[Counts, str | None]:
        """What was done, and a path of the index that answers which cannot be read. former: it, if that is another."""
        known = self._files(shelf.name)
        answering = known if former is None else self._files(former)
        scanned, unread = self._scanned(known.keys() | answering.keys())
        gone = frozenset(_gone(answering, scanned, unread))
        lacking = next((path for path in sorted(answering) if path not in scanned and path not in gone), None)
        rows = self.store.rows("workspace/forgotten", memory=self.memory)
        forgotten = frozenset(hash_ for row in rows for hash_ in row["gone"])
        batches = Batches(self.notes, shelf, served=former is None, vectors=vectors, forgotten=forgotten)
        batches.counts.skipped.update(unread)
        lost = _gone(known, scanned, unread)
        for start in range(0, len(lost), BATCH):
            batches.remove(lost[start : start + BATCH])
        due = [found for path, found in scanned.items() if self._is_due(found, known.get(path), run.patient)]
        for done, found in enumerate(due, 1):
            if run.stop.is_set():
                break
            try:
                content, status = read_bytes(found.place, MOST)
            except (OSError, InputError) as error:
                batches.counts.skipped[found.place.path] = str(getattr(error, "strerror", None) or error)
                continue
            fresh = Found(found.place, status.st_size, status.st_mtime_ns)
            batches.add(read_file(fresh, content, shelf, self.redact), known.get(found.place.path))
            run.progress(done, len(due), "indexing")
        batches.flush()
        return batches.counts, lacking

    def _files(self, shelf: str) -> dict[str, Row]:
        """{path: its line} of the files that an index has."""
        return {row["path"]: row for row in self.store.rows("workspace/files", memory=self.memory, shelf=shelf)}

    def _scanned(self, known: Iterable[str]) -> tuple[dict[str, Found], dict[str, str]]:
        """{path: file}, and {file or folder: why} of those that cannot be read. known: paths that the index has."""
        unread: dict[str, str] = {}
        found = [*self.layout.scan(unread.__setitem__)]
        if self.sessions is not None:
            found += transcripts.scan(self.sessions, unread.__setitem__)
        absent = self.layout.absent()
        if self.sessions is not None and not os.path.lexists(self.sessions):
            absent.append(transcripts.PREFIX)
        held = {folder: _ABSENT for folder in absent if any(path.startswith(f"{folder}/") for path in known)}
        unread = held | unread
        return {one.place.path: one for one in found}, unread

    def _is_due(self, found: Found, known: Row | None, patient: bool) -> bool:
        """Whether a file has to be read."""
        if known is not None and _is_known(found, known):
            return bool(known["modified"] + RACE > known["checked"])
        if not patient or not found.place.path.startswith(f"{transcripts.PREFIX}/"):
            return True
        grown = found.size - (known["size"] if known else 0)
        if grown < 0 or grown >= self.config.sync.session_bytes:
            return True
        more = _messages(found) - (known["messages"] if known else 0)
        return more >= self.config.sync.session_messages

    def hand_over(self) -> None:
        """Let recall read all of the index that answers, and delete those that answer no more."""
        state = self.store.one("workspace/read", memory=self.memory)
        while self.notes.promote(state["shelf"], PAGE) == PAGE:
            pass
        former = state["former"] or []
        for name in dict.fromkeys(former):
            while True:
                held = self.store.one("workspace/former", memory=self.memory, shelf=name, page=PAGE)
                if not held["notes"] and not held["files"]:
                    break
                self.notes.change(name, True, gone=held["notes"], lost=held["files"])
        if former:
            self.notes.set(former=[])


def _is_known(found: Found, known: Row | None) -> bool:
    """Whether a file is as the index has it. known: its line there."""
    return (
        known is not None and not known["bare"] and (found.size, found.modified) == (known["size"], known["modified"])
    )


def _gone(known: Iterable[str], scanned: Container[str], unread: Iterable[str]) -> list[str]:
    """Files of the index that are no more; what cannot be read, or is in a folder that cannot, may well be there."""
    hidden = [f"{path}/" if path else "" for path in unread]
    return sorted(path for path in known if path not in scanned and not any(map(f"{path}/".startswith, hidden)))


def _shelf_name() -> str:
    """A name that no other index has, one word for full text."""
    return f"s{uuid.uuid4().hex[:24]}"


def _messages(found: Found) -> int:
    """The lines of a transcript."""
    try:
        return read_bytes(found.place, MOST)[0].count(b"\n")
    except (OSError, InputError):
        return 0
