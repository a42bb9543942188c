"""A workspace as callers use it: its files, its index, and what is done with both. Made by `Graph.workspace`.

Nothing here waits for indexing but `sync` itself: a search answers from the index as it is and lets a thread bring it
up to date. Safe to share among threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import EmbeddingModelError, InputError, OroiError, ProviderError
from oroi_graph.language.normalize import check_text
from oroi_graph.model import NoteSource, RecordHit, Value, local_now
from oroi_graph.options import Progress, silent
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.storage.store import Store
from oroi_graph.working_set.kept import WorkingSets
from oroi_graph.workspace.config import Profile, QueryConfig, WorkspaceConfig, read_config
from oroi_graph.workspace.files import reading
from oroi_graph.workspace.files.reading import Excerpt, SessionKind
from oroi_graph.workspace.files.writing import NoteWriter
from oroi_graph.workspace.flush import Flusher
from oroi_graph.workspace.index.linking import link
from oroi_graph.workspace.index.sync import Indexer, SyncReport
from oroi_graph.workspace.layout import Layout
from oroi_graph.workspace.search.candidates import Sought, candidates, hit_of
from oroi_graph.workspace.search.ranking import Asked, Hit, ranked
from oroi_graph.workspace.search.snippets import cited, snippet
from oroi_graph.workspace.watcher import Watcher

Recollect = Callable[[str, datetime], Sequence[RecordHit]]  # notes of a memory for a question, by evocation

LONGEST = 2_000  # characters of a query that count
PAUSE = 5.0  # seconds between two syncs that searches ask for
WAIT = 600.0  # seconds for another sync of the same workspace


@dataclass(frozen=True, slots=True)
class Fallback(Value):
    """Why the index was not asked as configured. from_: what failed."""

    from_: str
    reason: str

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        return {"from": self.from_, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class SearchResults:
    """What `memory_search` brings back. hits: the best first, whole notes; query: what was asked."""

    hits: tuple[Hit, ...]
    query: str
    provider: str
    model: str
    fallback: Fallback | None
    citations: str

    def to_json(self) -> dict[str, Any]:
        """The tool's answer, with snippets."""
        return {
            "results": [self._result(hit) for hit in self.hits],
            "provider": self.provider,
            "model": self.model,
            "fallback": self.fallback.to_json() if self.fallback else None,
            "citations": self.citations,
        }

    def _result(self, hit: Hit) -> dict[str, Any]:
        shown = snippet(hit.text, self.query)
        if self.citations != "off":
            shown = cited(shown, NoteSource(hit.path, hit.start, hit.end))
        marks = {"importance": hit.importance, "provenance": hit.provenance}
        return {
            "path": hit.path, "startLine": hit.start, "endLine": hit.end, "score": round(hit.score, 6),
            "snippet": shown, "source": hit.source, **{name: value for name, value in marks.items() if value},
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceStatus(Value):
    """How a workspace stands. files, notes: in the index; due: files that changed since; bare: notes without vector.

    unlinked: notes whose concepts are not looked up yet. failure: of the embedder in the last sync. disabled: why
    search does not work as configured, None if it does. unknown, unused: keys of the configuration.
    """

    folder: str
    memory: str
    backend: str
    provider: str
    model: str
    profile: str
    files: int
    notes: int
    bare: int
    unlinked: int
    cached: int
    due: int
    dirty: bool
    rebuilding: bool
    synced_at: str | None
    failure: str | None
    disabled: str | None
    unknown: tuple[str, ...]
    unused: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a workspace works with. pinned: the model of the memory. recollect: asks the memory by evocation."""

    sets: WorkingSets
    embedder: Embedder
    extractor: Extractor
    pinned: str
    recollect: Recollect


class Workspace:
    """The Markdown notes of one memory. memory: its name."""

    def __init__(self, memory: str, layout: Layout, config: WorkspaceConfig, means: Means) -> None:
        self.memory, self.layout, self.config = memory, layout, config
        self._means = means
        sessions = None
        if "sessions" in config.sources and config.sessions is not None:
            sessions = Path(config.sessions).expanduser()
        self.indexer = Indexer(means.sets.store, memory, layout, means.embedder, config, sessions)
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._synced = 0.0
        self._report: SyncReport | None = None
        self._error: str | None = None

    def __repr__(self) -> str:
        return f"Workspace({self.memory!r}, {str(self.layout.root)!r})"

    # -- files --------------------------------------------------------------------------------------------------

    def writer(self, by: str = "agent") -> NoteWriter:
        """Writes notes, with a history. by: who writes."""
        return NoteWriter(self.layout, by=by)

    def get(self, path: str, start: int = 1, lines: int | None = None) -> Excerpt:
        """Lines of a note (`memory_get`). Raises InputError for everything that is no note of this workspace."""
        self._require_enabled()
        return reading.get(self.layout, path, start, lines)

    def flusher(self) -> Flusher:
        """Decides when a session is flushed before its compaction."""
        return Flusher(self.layout.state, self.config.flush, self.writer())

    def bootstrap(self, session: SessionKind | None = None, today: date | None = None) -> list[Excerpt]:
        """The notes a session begins with; the index is brought up to date meanwhile."""
        if self.config.enabled and self.config.sync.on_session_start:
            self.refresh()
        return reading.bootstrap(self.layout, session or SessionKind(), today or local_now().date())

    # -- index --------------------------------------------------------------------------------------------------

    def sync(
        self, *, full: bool = False, patient: bool = False, linked: bool = True, wait: float = WAIT,
        stop: threading.Event | None = None, progress: Progress = silent,
    ) -> SyncReport:  # fmt: skip
        """Bring the index up to date. linked: let recall read the notes, and join them to concepts. full: a new index.

        wait: seconds for somebody else who is at it. Raises EmbeddingModelError if the memory is pinned to another
        model, StoreError.
        """
        self._require_enabled()
        means = self._means
        if means.pinned != means.embedder.model:
            raise EmbeddingModelError(self.memory, means.pinned, means.embedder.model)
        report = self.indexer.sync(full=full, patient=patient, wait=wait, stop=stop, progress=progress)
        if linked and not report.busy:
            self.indexer.hand_over()
        if linked and report.failure is None and not report.busy:
            link(means.sets, self.memory, means.embedder, means.extractor, stop=stop, progress=progress)
        return report

    def refresh(self) -> threading.Thread:
        """Let a thread bring the index up to date; the one that is at it, if there is one."""
        with self._guard:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._sync_aside, name="oroi-workspace", daemon=True)
                self._thread.start()
            return self._thread

    def settle(self) -> None:
        """Wait for the thread that brings the index up to date, if there is one."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _sync_aside(self) -> None:
        try:
            self._report = self.sync(patient=True, wait=0.0)
            self._error = self._report.failure
        except OroiError as error:
            self._error = str(error)
        self._synced = time.monotonic()

    def watch(self, stop: threading.Event, told: Callable[[str], None]) -> None:
        """Keep the index up to date until `stop` is set, by watching the files. told: remarks for people."""
        sessions = self.indexer.sessions

        def changed() -> None:
            try:
                report = self.sync(stop=stop)
            except OroiError as error:
                told(f"not indexed: {error}")
                return
            if report.read or report.removed or report.failure or report.skipped:
                told(said(report))

        changed()
        Watcher(
            layout=self.layout, changed=changed, told=told, debounce=self.config.sync.debounce,
            more=() if sessions is None else (sessions,),
        ).run(stop)  # fmt: skip

    # -- search -------------------------------------------------------------------------------------------------

    def search(
        self, query: str, *, max_results: int | None = None, min_score: float | None = None,
        profile: Profile | None = None, at: datetime | None = None,
    ) -> SearchResults:  # fmt: skip
        """The notes that answer a query (`memory_search`). at: the moment of asking, now by default.

        Changes nothing and waits for no indexing. If the embedder fails, words alone decide (`fallback`). Raises
        InputError for an unusable query.
        """
        self._require_enabled()
        asked = check_text(query, 1_000_000)[:LONGEST]
        profile, at = profile or self.config.profile, at or local_now()
        config = self._query(profile, max_results, min_score)
        self._refresh_for_search()
        state = next(iter(self._means.sets.store.rows("workspace/read", memory=self.memory)), None)
        shelf = state["shelf"] if state else None
        fallback = self._other_model(state["model"] if state else None)
        hits: list[Hit] = []
        if shelf is not None and profile == "associative" and fallback is None:
            hits = self._evoked(asked, at, config.max_results)
        elif shelf is not None:
            vector, fallback = self._vector(asked) if fallback is None else (None, fallback)
            sought = Sought(self.memory, shelf, self.config.sources, asked, vector, triggers=profile == "current")
            found = candidates(self._means.sets.store, sought, config)
            hits = ranked(found, Asked(asked, at.timestamp(), at.date(), profile == "current"), config)
        model = self._means.embedder.model
        return SearchResults(tuple(hits), asked, self._provider, model, fallback, self.config.citations)

    def _query(self, profile: Profile, max_results: int | None, min_score: float | None) -> QueryConfig:
        if max_results is not None and not 1 <= max_results <= 100:
            raise InputError(f"the number of results must be from 1 to 100, got {max_results}")
        config = self.config.query
        if profile == "current":
            config = replace(config, decay=True, mmr=True)
        return replace(
            config, max_results=max_results or config.max_results,
            min_score=config.min_score if min_score is None else min_score,
        )  # fmt: skip

    def _evoked(self, query: str, at: datetime, most: int) -> list[Hit]:
        """The best notes of the memory's own recall; their score is the probability that they help to answer."""
        hits = {hit.id: hit for hit in self._means.recollect(query, at) if hit.note is not None}
        best = list(hits)[:most]
        rows = {row["id"]: row for row in self._means.sets.store.rows("workspace/cited", memory=self.memory, ids=best)}
        scores = {id: float(hits[id].features.get("probability", 0.0)) for id in best}
        return [replace(hit_of(rows[id]), score=scores[id]) for id in best if id in rows]

    def _vector(self, query: str) -> tuple[NDArray[np.float32] | None, Fallback | None]:
        """The query's vector; None, and why, if there is none."""
        try:
            vector = self._means.embedder.embed([query])[0]
        except ProviderError as error:
            return None, Fallback(self._provider, str(error))
        if not np.any(vector) or not np.isfinite(vector).all():
            return None, Fallback(self._provider, "the query has no vector")
        return vector, None

    def _other_model(self, indexed: str | None) -> Fallback | None:
        """Why vectors cannot be compared: those of the memory, or of its index, are of another model."""
        means = self._means
        if means.pinned != means.embedder.model:
            return Fallback(self._provider, str(EmbeddingModelError(self.memory, means.pinned, means.embedder.model)))
        if indexed is not None and indexed != means.embedder.model:
            return Fallback(
                self._provider, f"the index has vectors of {indexed!r}: `oroi workspace index` makes new ones"
            )
        return None

    def _refresh_for_search(self) -> None:
        if self.config.sync.on_search and time.monotonic() - self._synced >= PAUSE and self._other_model(None) is None:
            self.refresh()

    # -- state --------------------------------------------------------------------------------------------------

    def status(self) -> WorkspaceStatus:
        """How the workspace stands."""
        means = self._means
        state = next(iter(means.sets.store.rows("workspace/read", memory=self.memory)), {})
        shelf = state.get("shelf")
        counts = means.sets.store.one("workspace/counts", memory=self.memory, shelf=shelf or "")
        due = self.indexer.due(shelf)
        fallback = self._other_model(state.get("model"))
        off = None if self.config.enabled else "memorySearch.enabled is false"
        return WorkspaceStatus(
            folder=str(self.layout.root), memory=self.memory, backend="neo4j", provider=self._provider,
            model=means.embedder.model, profile=self.config.profile, **counts, due=due, dirty=due > 0,
            rebuilding=state.get("building") is not None, synced_at=state.get("synced_at"),
            failure=self._error or state.get("failure"), disabled=off or (fallback.reason if fallback else None),
            unknown=self.config.unknown, unused=self.config.unused,
        )  # fmt: skip

    @property
    def indexed(self) -> bool:
        """Whether the index was ever brought up to date."""
        rows = self._means.sets.store.rows("workspace/read", memory=self.memory)
        return bool(rows and rows[0]["synced_at"])

    @property
    def _provider(self) -> str:
        return str(getattr(self._means.embedder, "provider", "local"))

    def _require_enabled(self) -> None:
        if not self.config.enabled:
            raise InputError("memory search is switched off: memorySearch.enabled is false in the configuration")


def said(report: SyncReport) -> str:
    """What a sync did, in a line."""
    told = [f"{report.read} files read, {report.removed} gone; {report.written} notes new, {report.deleted} deleted"]
    told += ["a new index answers"] if report.rebuilt else []
    told += [f"no vectors: {report.failure}"] if report.failure else []
    told += [f"{path} skipped: {why}" for path, why in report.skipped.items()]
    return "; ".join(["another process is at it"] if report.busy else told)


def registered(store: Store, memory: str) -> tuple[Layout, WorkspaceConfig]:
    """The workspace that `register` gave a memory. Raises InputError if there is none."""
    rows = store.rows("workspace/read", memory=memory)
    if not rows or rows[0]["folder"] is None:
        raise InputError(f"memory {memory!r} has no workspace: `oroi workspace init {memory} FOLDER` gives it one")
    config = rows[0]["config"]
    return opened(Path(rows[0]["folder"]), Path(config) if config else None)


def opened(folder: Path, config: Path | None) -> tuple[Layout, WorkspaceConfig]:
    """A folder's layout and the configuration in a file. Raises InputError."""
    found = read_config(config)
    return Layout.of(folder, found.extra_paths), found


def register(store: Store, memory: str, folder: Path, config: Path | None) -> None:
    """Give a memory a workspace: its folder and the file of its configuration are remembered. Raises InputError."""
    layout, _ = opened(folder, config)
    path = str(config.expanduser().absolute()) if config else None
    properties = {"folder": str(layout.root), "config": path}
    store.write_rows("workspace/set", memory=memory, properties=properties)
