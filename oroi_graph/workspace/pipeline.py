"""A workspace as callers use it: its files, its index, and what is done with both. Made by `Graph.workspace`.

Nothing here waits for indexing but `sync` itself: a search answers from the index as it is and lets a thread bring it
up to date. Safe to share among threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path

from oroi_graph.errors import EmbeddingModelError, InputError, OroiError
from oroi_graph.files import expanded
from oroi_graph.language.normalize import check_text
from oroi_graph.model import RecordHit, Value, local_now
from oroi_graph.options import Progress, silent
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.providers.remote.choice import Services
from oroi_graph.redaction import Redaction, Redactor
from oroi_graph.storage.store import Row
from oroi_graph.working_set.kept import WorkingSets
from oroi_graph.workspace.config import Profile, QueryConfig, WorkspaceConfig
from oroi_graph.workspace.embeddings import open_embeddings, provider_of
from oroi_graph.workspace.files import reading
from oroi_graph.workspace.files.reading import Excerpt, SessionKind
from oroi_graph.workspace.files.writing import NoteWriter
from oroi_graph.workspace.flush import Flusher
from oroi_graph.workspace.index.linking import link
from oroi_graph.workspace.index.sync import Indexer, SyncReport
from oroi_graph.workspace.layout import Layout
from oroi_graph.workspace.qmd.process import SidecarError
from oroi_graph.workspace.qmd.scope import UNKNOWN, Asker
from oroi_graph.workspace.qmd.sidecar import Sidecar
from oroi_graph.workspace.registration import opened, register, registered
from oroi_graph.workspace.search.associative import associated
from oroi_graph.workspace.search.candidates import Sought, candidates
from oroi_graph.workspace.search.ranking import Asked, Hit, ranked
from oroi_graph.workspace.search.results import Fallback, SearchResults
from oroi_graph.workspace.watcher import SAFETY, Watcher

__all__ = [
    "Fallback", "Means", "SearchResults", "Workspace", "WorkspaceStatus", "opened", "register", "registered", "said",
]  # fmt: skip

Recollect = Callable[[str, datetime], Sequence[RecordHit]]  # notes of a memory for a question, by evocation

LONGEST = 2_000  # characters of a query that count
PAUSE = 5.0  # seconds between two syncs that searches ask for, at least
SHARE = 10  # of a large workspace: for this many times as long as a sync took there is none
WAIT = 600.0  # seconds for another sync of the same workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceStatus(Value):
    """How a workspace stands. files, notes: in the index; due: files that changed since; bare: notes without vector.

    unlinked: notes whose concepts are not looked up yet. failure: of the embedder, or the sidecar, in the last sync.
    fallback: why another embedder than the first one made the index. disabled: why search does not work as configured,
    None if it does. unknown, unused: keys of the configuration.
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
    fallback: str | None
    disabled: str | None
    unknown: tuple[str, ...]
    unused: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a workspace works with. pinned: the model of the memory. recollect: asks the memory by evocation.

    services: how embedders of the configuration are reached. redact: what must not be kept or sent.
    """

    sets: WorkingSets
    embedder: Embedder
    extractor: Extractor
    pinned: str
    recollect: Recollect
    services: Services = field(default_factory=Services)
    redact: Redactor | None = None


class Workspace:
    """The Markdown notes of one memory. memory: its name."""

    def __init__(self, memory: str, layout: Layout, config: WorkspaceConfig, means: Means) -> None:
        self.memory, self.layout, self.config = memory, layout, config
        self._means = means
        self.sessions: Path | None = None
        if "sessions" in config.sources and config.sessions is not None:
            self.sessions = expanded(config.sessions)
        self.embeddings = open_embeddings(config.embedding, means.embedder, means.services, layout.state)
        exported = expanded(config.sessions) if config.sessions else None
        self.sidecar = Sidecar(config.qmd, layout, exported) if config.qmd else None
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._synced, self._pause = 0.0, PAUSE
        self._report: SyncReport | None = None
        self._error: str | None = None

    def __repr__(self) -> str:
        return f"Workspace({self.memory!r}, {str(self.layout.root)!r})"

    @property
    def indexer(self) -> Indexer:
        """Keeps the index with the first embedder."""
        return self._indexer(self.embeddings.first)

    def _indexer(self, embedder: Embedder) -> Indexer:
        means = self._means
        foreign = embedder.model != means.pinned
        return Indexer(
            means.sets.store, self.memory, self.layout, embedder, self.config, self.sessions, foreign, means.redact
        )

    # -- files --------------------------------------------------------------------------------------------------

    def writer(self, by: str = "agent") -> NoteWriter:
        """Writes notes, with a history. by: who writes."""
        return NoteWriter(self.layout, by=by, redact=self._means.redact)

    def get(self, path: str, start: int = 1, lines: int | None = None) -> Excerpt:
        """Lines of a note (`memory_get`). Raises InputError for everything that is no note of this workspace."""
        self._require_enabled()
        return self._redacted(reading.get(self.layout, path, start, lines))

    def flusher(self) -> Flusher:
        """Decides when a session is flushed before its compaction."""
        return Flusher(self.layout.state, self.config.flush, self.writer())

    def bootstrap(self, session: SessionKind | None = None, today: date | None = None) -> list[Excerpt]:
        """The notes a session begins with; the index is brought up to date meanwhile."""
        if self.config.enabled and self.config.sync.on_session_start:
            self.refresh()
        found = reading.bootstrap(self.layout, session or SessionKind(), today or local_now().date())
        return [self._redacted(one) for one in found]

    def _redacted(self, excerpt: Excerpt) -> Excerpt:
        return replace(excerpt, text=Redaction(self._means.redact).text(excerpt.text))

    # -- index --------------------------------------------------------------------------------------------------

    def sync(
        self, *, full: bool = False, patient: bool = False, linked: bool = True, wait: float = WAIT,
        stop: threading.Event | None = None, progress: Progress = silent,
    ) -> SyncReport:  # fmt: skip
        """Bring the index up to date. linked: let recall read the notes, and join them to concepts. full: a new index.

        wait: seconds for somebody else who is at it. If the first embedder fails, its fallback makes the index. Raises
        EmbeddingModelError if the memory is pinned to another model than its own embedder's, StoreError.
        """
        self._require_enabled()
        means, embeddings = self._means, self.embeddings
        if embeddings.first is embeddings.own and means.pinned != means.embedder.model:
            raise EmbeddingModelError(self.memory, means.pinned, means.embedder.model)
        before = fell = self._state().get("fell")
        if fell is not None and embeddings.fallback is not None:
            fell = embeddings.recovered()

        def run(embedder: Embedder) -> SyncReport:
            indexer = self._indexer(embedder)
            done = indexer.sync(full=full, patient=patient, wait=wait, stop=stop, progress=progress)
            if done.embedded and done.failure is None:
                embeddings.works(embedder)
            return done

        if fell is not None and embeddings.fallback is not None:
            report = run(embeddings.fallback)
        else:
            report, fell = run(embeddings.first), None
            if report.failure is not None and not report.pending and embeddings.fallback is not None:
                fell = report.failure
                report = run(embeddings.fallback)
        if fell is not None:
            report = replace(report, remark=f"{provider_of(embeddings.first)} failed ({fell}): its fallback embeds")
        elif report.failure is not None and embeddings.missing is not None:
            report = replace(report, remark=embeddings.missing)
        if not report.busy:
            if fell != before:
                self.indexer.notes.set(fell=fell)
            self._update_sidecar()
            if linked:
                self._link(report, stop, progress)
        return report

    def _link(self, report: SyncReport, stop: threading.Event | None, progress: Progress) -> None:
        """Let recall read the index, and join its notes to concepts."""
        means = self._means
        self.indexer.hand_over()
        # Concepts have vectors of the memory's own model.
        able = means.pinned == means.embedder.model and (report.failure is None or report.pending)
        if able or (means.pinned == means.embedder.model and self.embeddings.first is not self.embeddings.own):
            link(means.sets, self.memory, means.embedder, means.extractor, stop=stop, progress=progress)

    def _update_sidecar(self) -> None:
        """Let the sidecar index the files, too; its failure is no failure of this index."""
        if self.sidecar is not None:
            try:
                self.sidecar.update()
            except SidecarError as error:
                self._error = str(error)

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
        started = time.monotonic()
        try:
            self._report = self.sync(patient=True, wait=0.0)
            self._error = self._report.failure
        except OroiError as error:
            self._error = str(error)
        self._synced = time.monotonic()
        self._pause = max(PAUSE, SHARE * (self._synced - started))

    def watch(self, stop: threading.Event, told: Callable[[str], None]) -> None:
        """Keep the index up to date until `stop` is set, by watching the files. told: remarks for people."""
        sync = self.config.sync

        def changed() -> None:
            try:
                report = self.sync(stop=stop)
            except OroiError as error:
                told(f"not indexed: {error}")
                return
            if report.read or report.removed or report.failure or report.skipped or report.remark:
                told(said(report))

        changed()
        # 0 is for never, but a change that no watcher saw must be found some time.
        interval = sync.interval * 60 or SAFETY
        if self.sidecar is not None and self.sidecar.config.interval > 0:
            interval = min(interval, self.sidecar.config.interval)
        if not sync.watch:
            told(f"sync.watch is off: the files are looked at every {interval:g} s")
            while not stop.wait(interval):
                changed()
            return
        Watcher(
            layout=self.layout, changed=changed, told=told, debounce=sync.debounce, safety=interval,
            more=() if self.sessions is None else (self.sessions,),
        ).run(stop)  # fmt: skip

    # -- search -------------------------------------------------------------------------------------------------

    def search(
        self, query: str, *, max_results: int | None = None, min_score: float | None = None,
        profile: Profile | None = None, at: datetime | None = None, session: str | Asker | None = None,
    ) -> SearchResults:  # fmt: skip
        """The notes that answer a query (`memory_search`). at: the moment of asking, now by default.

        session: the key of the session that asks, or who asks through an interface, for the scope of a sidecar; None:
        the owner's own. Changes nothing and waits for no indexing. If the embedder fails, words alone decide; if the
        sidecar fails, the graph's index answers (`fallback`). Raises InputError for an unusable query.
        """
        self._require_enabled()
        asked = Redaction(self._means.redact).text(check_text(query, 1_000_000)[:LONGEST])
        profile, at = profile or self.config.profile, at or local_now()
        config = self._query(profile, max_results, min_score)
        warning = self.denied(session)
        if warning is not None and self.sidecar is not None:
            mode = self.sidecar.config.mode
            return SearchResults((), asked, "qmd", mode, None, self.config.citations, warning)
        self._refresh_for_search()
        failed: Fallback | None = None
        if self.sidecar is not None:
            try:
                return self._by_sidecar(self.sidecar, asked, config)
            except SidecarError as error:
                failed = Fallback("qmd", str(error))
        found = self._by_index(asked, at, profile, config)
        return replace(found, fallback=failed or found.fallback)

    def denied(self, session: str | Asker | None) -> str | None:
        """Why the notes may not be read from a session, in a line; None if they may. Only a sidecar has a scope."""
        if self.sidecar is None:
            return None
        asker = session if isinstance(session, Asker) else Asker.owner().naming(session)
        key = asker.denied(self.sidecar.config)
        if key is None:
            return None
        if key == UNKNOWN:
            return (
                "memory.qmd.scope denies a key that is bound to no session: `oroi key create … --session KEY` binds one"
            )
        return f"memory.qmd.scope denies this session (channel {key.channel or 'none'}, chat type {key.chat})"

    def _by_sidecar(self, sidecar: Sidecar, asked: str, config: QueryConfig) -> SearchResults:
        hits = Redaction(self._means.redact).value(sidecar.search(asked, config.max_results, config.min_score))
        return SearchResults(tuple(hits), asked, "qmd", sidecar.config.mode, None, self.config.citations)

    def _by_index(self, asked: str, at: datetime, profile: Profile, config: QueryConfig) -> SearchResults:
        state, means = self._state(), self._means
        shelf, embedder = state.get("shelf"), self._serving(state)
        fallback = self._other_model(state.get("model"))
        evoked = profile == "associative" and means.pinned == means.embedder.model
        embedder = means.embedder if evoked else embedder
        hits: list[Hit] = []
        if shelf is not None:
            vector, reason = (None, None) if fallback else self.embeddings.vector(embedder, asked)
            fallback = fallback or (Fallback(provider_of(embedder), reason) if reason else None)
            foreign = embedder.model != means.pinned
            sought = Sought(
                self.memory, shelf, self.config.sources, asked, vector, triggers=profile == "current", foreign=foreign
            )
            if evoked and vector is not None:
                hits = associated(means.sets.store, sought, at, means.recollect(asked, at), config)
            else:
                found = candidates(means.sets.store, sought, config)
                hits = ranked(found, Asked(asked, at.timestamp(), at.date(), profile == "current"), config)
        if fallback is None and state.get("fell") and embedder is self.embeddings.fallback:
            fallback = Fallback(provider_of(self.embeddings.first), str(state["fell"]))
        provider = provider_of(embedder)
        return SearchResults(tuple(hits), asked, provider, embedder.model, fallback, self.config.citations)

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

    def _other_model(self, indexed: str | None) -> Fallback | None:
        """Why vectors cannot be compared: those of the memory, or of its index, are of another model."""
        means, embeddings = self._means, self.embeddings
        provider = provider_of(embeddings.first)
        if embeddings.first is embeddings.own and means.pinned != means.embedder.model:
            return Fallback(provider, str(EmbeddingModelError(self.memory, means.pinned, means.embedder.model)))
        if embeddings.serving(indexed) is None:
            return Fallback(provider, f"the index has vectors of {indexed!r}: `oroi workspace index` makes new ones")
        return None

    def _serving(self, state: Row) -> Embedder:
        """Whose vectors the index has; the first embedder if nobody's here."""
        found = self.embeddings.serving(state.get("model"))
        return self.embeddings.first if found is None else found

    def _state(self) -> Row:
        """What the graph knows of this workspace; nothing if it does not know it yet."""
        return next(iter(self._means.sets.store.rows("workspace/read", memory=self.memory)), {})

    def _refresh_for_search(self) -> None:
        if (
            self.config.sync.on_search
            and time.monotonic() - self._synced >= self._pause
            and self._other_model(None) is None
        ):
            self.refresh()

    # -- state --------------------------------------------------------------------------------------------------

    def status(self) -> WorkspaceStatus:
        """How the workspace stands."""
        means = self._means
        state = self._state()
        shelf = state.get("shelf")
        counts = means.sets.store.one("workspace/counts", memory=self.memory, shelf=shelf or "")
        due = self.indexer.due(shelf)
        fallback = self._other_model(state.get("model"))
        embedder = self._serving(state)
        failure = self.sidecar.failure if self.sidecar else None
        off = None if self.config.enabled else "memorySearch.enabled is false"
        return WorkspaceStatus(
            folder=str(self.layout.root), memory=self.memory, backend="qmd" if self.sidecar else "neo4j",
            provider=provider_of(embedder), model=embedder.model, profile=self.config.profile, **counts, due=due,
            dirty=due > 0, rebuilding=state.get("building") is not None, synced_at=state.get("synced_at"),
            failure=self._error or failure or state.get("failure"), fallback=state.get("fell"),
            disabled=off or (fallback.reason if fallback else None), unknown=self.config.unknown,
            unused=self.config.unused,
        )  # fmt: skip

    @property
    def indexed(self) -> bool:
        """Whether the index was ever brought up to date."""
        return bool(self._state().get("synced_at"))

    def _require_enabled(self) -> None:
        if not self.config.enabled:
            raise InputError("memory search is switched off: memorySearch.enabled is false in the configuration")


def said(report: SyncReport) -> str:
    """What a sync did, in a line."""
    told = [f"{report.read} files read, {report.removed} gone; {report.written} notes new, {report.deleted} deleted"]
    told += ["a new index answers"] if report.rebuilt else []
    told += [f"no vectors: {report.failure}"] if report.failure else []
    told += [report.remark] if report.remark else []
    told += [f"{path} skipped: {why}" for path, why in report.skipped.items()]
    return "; ".join(["another process is at it"] if report.busy else told)
