"""The façade: `Graph`, `Memory`, `Turn`. Each method resolves defaults, calls a verb, returns a frozen value.

Threads: a `Graph`, its memories and turns may be shared by threads; writers of one memory are serialised by the
database, whichever process they are in. Async code calls them in a worker thread: `await asyncio.to_thread(…)`.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from oroi_graph.activation import turn_end
from oroi_graph.consolidation import unmerge
from oroi_graph.consolidation.unmerge import Merge
from oroi_graph.errors import EmbeddingModelError, InputError, MemoryNotFoundError, ProviderError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.forgetting import delete as forgetting
from oroi_graph.forgetting import fact_edits, undo_turn
from oroi_graph.forgetting.consent import REDACTED
from oroi_graph.forgetting.delete import DeletionResult
from oroi_graph.forgetting.plan import DeletionPlan
from oroi_graph.forgetting.request import parse_request
from oroi_graph.forgetting.undo_turn import UndoResult
from oroi_graph.language.normalize import check_memory_name, without_names
from oroi_graph.model import Brief, Extraction, Fact, Match, Role, TurnDetails, TurnInput, Utterance, local_now
from oroi_graph.options import Options, Progress, silent
from oroi_graph.perception import pipeline, reextract
from oroi_graph.perception.recent_turns import RecentTurns
from oroi_graph.perception.turn import Opened, Prepared
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.openai.metering import Tally, metered
from oroi_graph.providers.protocols import Embedder, Extractor, Judge, RelevanceFilter, Reranker, Summarizer
from oroi_graph.providers.remote.choice import Services
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.recall import pipeline as recalling
from oroi_graph.recall.joint import JointRecall, join
from oroi_graph.recall.profile import Profile, by_theme
from oroi_graph.recall.request import Filters, Readers, Recall, RecallRequest
from oroi_graph.redaction import Redaction, Redactor, as_counts
from oroi_graph.storage import catalog, episodes
from oroi_graph.storage.arguments import guarded
from oroi_graph.storage.episodes import Episode, Provenance
from oroi_graph.storage.rows import episode, record_id
from oroi_graph.storage.store import Store
from oroi_graph.windows import read_windows
from oroi_graph.windows.by_model import WindowReader
from oroi_graph.working_set.kept import DEFAULT as WORKING_SET
from oroi_graph.working_set.kept import WorkingSets, WorkingSetStats

if TYPE_CHECKING:  # loaded where they are used: most processes neither sleep, nor read notes, nor share entries
    from oroi_graph.consolidation.pipeline import SleepReport
    from oroi_graph.contract.pipeline import MemoryContract
    from oroi_graph.workspace.config import WorkspaceConfig
    from oroi_graph.workspace.pipeline import Workspace


class RecallDetails(TypedDict, total=False):
    """What may be said of a question: see `Memory.recall`."""

    speaker: str | None
    at: datetime | None
    filters: Filters | None
    budget: int | None
    traced: bool


class Graph:
    """A connection to one database and the providers its memories use. Close it, or use it in `with`."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        extractor: Extractor,
        options: Options | None = None,
        *,
        judge: Judge | None = None,
        summarizer: Summarizer | None = None,
        relevance: RelevanceFilter | None = None,
        reranker: Reranker | None = None,
        windows: WindowReader = read_windows,
        working_set: int = WORKING_SET,
        services: Services | None = None,
        redact: Redactor | None = None,
    ) -> None:
        self.store = store
        self.relevance = relevance  # None: probabilities decide which sessions of a time are relevant
        self.reranker = reranker  # None: evidence and probabilities decide which records answer
        self.windows = windows  # reads the times that questions name
        self.judge = judge  # None: pairs in doubt stay apart
        self.summarizer = summarizer  # None: gists are made of an episode's own sentences
        self.embedder = embedder if isinstance(embedder, CachedEmbedder) else CachedEmbedder(embedder)
        self.extractor = extractor
        options = options or Options()
        # Takes out of texts what must not be stored, embedded or sent; what the options name goes first.
        self.options = options if options.redact is not None else replace(options, redact=redact)
        self.sets = WorkingSets(store, working_set)
        self.services = services or Services()  # how workspaces reach embedders of their own
        # Reads cues: a question is answered without a language model, and states nothing whose confidence would count.
        self.question_extractor = OfflineExtractor(rates=False)
        self._contracts: dict[str, MemoryContract] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Graph({self.store!r}, embedder={self.embedder.model!r}, extractor={self.extractor.name!r})"

    def close(self) -> None:
        """Close the database connections; forget the working sets."""
        self.sets.clear()
        self.store.close()

    @guarded("name", "memory")
    def memory(self, name: str, *, create: bool = True) -> Memory:
        """Open the memory `name`; a new one is created and pinned to this graph's embedding model.

        Raises InputError for a bad name, EmbeddingModelError if the memory is pinned to another model,
        MemoryNotFoundError if there is none and `create` is False.
        """
        check_memory_name(name)
        found = catalog.describe(self.store, name)
        if found is None:
            if not create:
                raise MemoryNotFoundError(name)
            found = self._created(name)
        catalog.require_usable(found)
        if found.model != self.embedder.model:
            raise EmbeddingModelError(name, found.model, self.embedder.model)
        return Memory(self, name, found.protagonists)

    def stats(self) -> WorkingSetStats:
        """What this graph keeps of its memories in process."""
        return self.sets.stats()

    @guarded("name", "memory")
    def contract(self, memory: str, *, create: bool = True) -> MemoryContract:
        """The contract of a memory, under which several agents write entries; raises what `memory` raises."""
        from oroi_graph.contract.pipeline import MemoryContract

        name = self.memory(memory, create=create).name
        with self._lock:
            found = self._contracts.get(name)
            if found is None:
                found = MemoryContract(
                    self.sets, name, self.embedder, self.question_extractor, self.summarizer, self.options.redact
                )
                self._contracts[name] = found
            return found

    def has_workspace(self, memory: str) -> bool:
        """Whether `oroi workspace init` gave a memory a folder of notes."""
        rows = self.store.rows("workspace/read", memory=memory)
        return bool(rows and rows[0]["folder"])

    def workspace(
        self, memory: str, folder: Path | None = None, *, config: Path | WorkspaceConfig | None = None
    ) -> Workspace:
        """The Markdown notes of a memory. folder: theirs; None: the one that `oroi workspace init` gave the memory.

        A memory that is pinned to another embedding model is searched by words alone. Raises InputError,
        MemoryNotFoundError.
        """
        from oroi_graph.workspace.config import WorkspaceConfig
        from oroi_graph.workspace.pipeline import Means, Workspace
        from oroi_graph.workspace.registration import layout_of, opened, registered

        check_memory_name(memory)
        found = catalog.describe(self.store, memory)
        if found is None and folder is not None:
            found = self._created(memory)
        if found is None:
            raise MemoryNotFoundError(memory)
        if folder is None:
            layout, settings = registered(self.store, memory)
        elif isinstance(config, WorkspaceConfig):
            layout, settings = layout_of(folder, config), config
        else:
            layout, settings = opened(folder, config)
        means = Means(
            sets=self.sets, embedder=self.embedder, extractor=self.question_extractor, pinned=found.model,
            services=self.services, redact=self.options.redact,
            recollect=lambda query, at: self.memory(memory, create=False).recall(
                query, at=at, filters=Filters(kind="note")
            ).ranked,
        )  # fmt: skip
        return Workspace(memory, layout, settings, means)

    def memories(self) -> list[catalog.MemorySummary]:
        """Every memory of the database, by name."""
        return catalog.list_memories(self.store)

    @guarded("name", "memory")
    def delete(self, name: str) -> int:
        """Delete a memory and all that belongs to it; how many nodes and relationships are left (0)."""
        check_memory_name(name)
        left = catalog.delete(self.store, name)
        self.sets.drop(name)
        with self._lock:
            self._contracts.pop(name, None)
        return left

    @guarded("names", "question")
    def recall(self, names: Sequence[str], question: str, **details: Unpack[RecallDetails]) -> JointRecall:
        """Ask several memories that the caller may read, each named: one brief, whose lines name their memories.

        Each is searched in its own graph. Raises what `memory` raises for each name, and InputError for no names.
        """
        opened = self._opened(names)
        budget = self._budget(details.get("budget"))
        parts = {memory.name: memory.recall(question, **details) for memory in opened}
        return join(question, parts, budget, self.options.selection)

    def _created(self, name: str) -> catalog.MemorySummary:
        """A memory that was not there. Of one that is made here, nothing has to be read to know its state."""
        dimensions = self.embedder.dimensions
        found, stamp = catalog.create(self.store, name, self.embedder.model, dimensions)
        if stamp is not None:
            self.sets.begin(name, stamp, dimensions)
        return found

    def _opened(self, names: Sequence[str]) -> list[Memory]:
        if isinstance(names, str) or not names:
            raise InputError("name the memories to read, at least one")
        # All are opened before any is asked: a name that is refused costs nothing.
        return [self.memory(name, create=False) for name in {check_memory_name(name): None for name in names}]

    def _budget(self, given: int | None) -> int:
        return self.options.brief_tokens if given is None else given


class Memory:
    """One memory: what one agent, user or group remembers. Made by `Graph.memory`."""

    def __init__(self, graph: Graph, name: str, protagonists: tuple[str, ...]) -> None:
        self.graph = graph
        self.name = name
        self._recent = RecentTurns(graph.sets, name, graph.options.window, protagonists)

    def __repr__(self) -> str:
        return f"Memory({self.name!r})"

    @property
    def protagonist(self) -> str:
        """Who speaks when nobody is named: the only protagonist so far, else "User"."""
        return self._recent.protagonist

    @guarded("text", "role")
    def perceive(
        self,
        text: str,
        *,
        extraction: Extraction | None = None,
        in_sight: Collection[str] | None = None,
        may_forget: bool = True,
        **details: Unpack[TurnDetails],
    ) -> Turn:
        """Perceive one turn; the open turn that comes back carries its brief and is closed with the reply.

        extraction: what the turn states, when the caller knows already. in_sight: ids of records that the caller's
        model sees anyway, so that the brief leaves them out; None: what was heard just now. may_forget: whether a turn
        that asks to forget is obeyed, or only heard. Raises InputError on unusable input.
        """
        turn = self._cleaned(text, **details)
        with self.metered():
            return self._hear(turn) if turn.role != "user" else self._said(turn, extraction, in_sight, may_forget)

    def _said(
        self, turn: TurnInput, extraction: Extraction | None, in_sight: Collection[str] | None, may_forget: bool
    ) -> Turn:
        """What a user said."""
        recent = self._recent.read(proved=extraction is None)  # an extractor must be shown nothing that was forgotten
        window = [one.said for one in recent]
        extraction = self._redaction().value(extraction)
        seen = self._recent.in_sight(recent, turn) if in_sight is None else frozenset(in_sight)
        found = (extraction, None) if extraction else pipeline.extract(turn, window, self.graph.extractor)
        name = "given" if extraction else self.graph.extractor.name
        if not may_forget:
            found = (replace(found[0], forget=None), found[1])
        try:
            prepared = pipeline.prepare([turn], [found], name, self.graph.embedder, [window])[0]
        except ProviderError as error:
            prepared = pipeline.kept(turn, str(error))
        opened = self.open(prepared)
        opened.in_sight = seen
        return opened

    def open(self, prepared: Prepared) -> Turn:
        """Write a turn that perception has prepared (importers prepare in batches)."""
        graph = self.graph
        # A turn that forgets may take long: other turns must not share its commit.
        forgets = prepared.extraction.forget is not None
        write = graph.sets.writer(self.name, alone=forgets)
        opened = pipeline.open_turn(write, self.name, prepared, graph.embedder, graph.options)
        opened = pipeline.ended(opened, graph.store, self.name)
        if opened.forgotten or self._recent.missed_forgetting(opened.forgettings):
            self._forgot()  # also what somebody else forgot: vectors of its words are not kept
        if not opened.forgotten and opened.number is not None and not opened.repeated:
            self._recent.add(prepared.turn)
        return Turn(self, prepared.turn, opened, prepared.extraction)

    def turn(self, id: str) -> Turn:
        """A turn by the client's id, to close it from another process. Raises InputError if there is none."""
        found = episodes.episode(self.graph.store, self.name, record_id(self.name, id, "user"))
        at = datetime.fromisoformat(found.at) if found.at else None
        said = TurnInput(found.verbatim, id, found.speaker, "user", at, found.session)
        return Turn(self, said, Opened(found.turn, repeated=True), Extraction())

    @guarded("text", "role")
    def remember(self, text: str, *, may_forget: bool = True, **details: Unpack[TurnDetails]) -> Turn:
        """Perceive a turn whose concepts are fixed at once, as if "remember" had been said. may_forget: as above."""
        speaker = details.get("speaker") or self.protagonist
        turn = pipeline.cleaned(TurnInput(text, "-", speaker, "user", details.get("at")), self.graph.options)
        found, failure = pipeline.extract(turn, self.window(), self.graph.extractor)
        # A failed extraction is left to perceive, which keeps the turn for a retry.
        stated = None if failure else replace(found, remember=True)
        perceived = self.perceive(text, **details, extraction=stated, may_forget=may_forget)
        perceived.close()
        return perceived

    @guarded("question")
    def recall(
        self,
        question: str,
        *,
        speaker: str | None = None,
        at: datetime | None = None,
        filters: Filters | None = None,
        budget: int | None = None,
        traced: bool = False,
    ) -> Recall:
        """Ask. Reading changes nothing.

        speaker: whom "I" and "my" mean. at: the moment of asking, whose local day is "today"; now by default. budget:
        tokens of the brief. filters: which records may be recalled; a fact enters only if one of them states it.
        traced: whether to keep what was activated (`visualization.trace`). Raises InputError for an unusable question.
        """
        request = RecallRequest(
            question,
            speaker=speaker or self.protagonist,
            protagonists=tuple(self._recent.protagonists),
            at=at or local_now(),
            filters=filters or Filters(),
            budget=budget,
            traced=traced,
        )
        return self._recalled(request)

    @guarded()
    def profile(self, about: str | None = None, *, speaker: str | None = None, budget: int | None = None) -> Profile:
        """What is surely known about somebody or something by theme, and what was said last; changes nothing.

        about: a name, or a possession ("my sister") of `speaker`; None: the speaker. budget: tokens of its brief.
        Raises InputError for an unusable name. Of what is not known the profile is empty (`bool` False).
        """
        speaker = speaker or self.protagonist
        named = speaker if about is None else about
        request = RecallRequest(
            named if about is not None else "me",
            speaker=speaker,
            protagonists=tuple(self._recent.protagonists),
            at=datetime.now(UTC),
            budget=budget,
            profile=True,
        )
        found = self._recalled(request)
        return Profile(named, by_theme(found.facts), found.ranked, found.brief)

    def _recalled(self, request: RecallRequest) -> Recall:
        graph = self.graph
        redaction = self._redaction()
        request = replace(request, text=redaction.text(request.text))
        readers = Readers(
            embedder=graph.embedder,
            extractor=graph.question_extractor,
            windows=graph.windows,
            relevance=graph.relevance,
            reranker=graph.reranker,
        )
        found = recalling.recall(graph.sets.reading_of(self.name), self.name, request, readers, graph.options)
        return replace(found, redacted=redaction.counts) if redaction.counts else found

    def _redaction(self) -> Redaction:
        return Redaction(self.graph.options.redact)

    def _nameless(self, text: str) -> DeletionPlan | None:
        """What is said of a wish to forget what is redacted, and so never kept; None of any other."""
        redaction = self._redaction()
        asked = redaction.text(text)
        return DeletionPlan(asked, reason=REDACTED) if redaction.counts else None

    @guarded()
    def forgettable(self, text: str, *, speaker: str | None = None) -> DeletionPlan:
        """What `forget` would take along, and labels that may have been meant; changes nothing."""
        if (refused := self._nameless(text)) is not None:
            return refused
        graph = self.graph
        speaker = speaker or self.protagonist
        found = forgetting.forgettable(graph.store, self.name, text, speaker)
        return found if found else forgetting.suggested(graph.sets, self.name, found, speaker, graph.embedder)

    @guarded()
    def forget(
        self, text: str, *, speaker: str | None = None, by: str | None = None, progress: Progress = silent
    ) -> DeletionResult:
        """Forget what `text` names ("my boss", "that I live in Bilbao", an id): concepts, facts, episodes, for ever.

        speaker: whom "my" means. by: who asked, for the audit line. What is not named exactly is left alone. Resumable:
        what was interrupted is finished by the next call.
        """
        if (refused := self._nameless(text)) is not None:
            return DeletionResult(refused)
        graph = self.graph
        request = replace(parse_request(text, speaker or self.protagonist), by=by)
        forgotten = forgetting.forget(graph.store, self.name, request, graph.options.dynamics, progress=progress)
        if forgotten:
            self._forgot()
        return forgotten

    @guarded()
    def forget_turns(self, ids: Collection[str], *, by: str | None = None) -> DeletionResult:
        """Forget turns by their own ids, for ever, with replies that have no id of their own and what only they hold.

        by: who asked, for the audit line. Ids that are unknown are passed over; what others said of it stays. Raises
        InputError for ids that are no texts.
        """
        if isinstance(ids, str) or not all(isinstance(id, str) for id in ids):
            raise InputError("ids must be a list of the turns' own ids")
        graph = self.graph
        forgotten = forgetting.forget_turns(
            graph.store, self.name, ids, graph.options.dynamics, by=by or self.protagonist
        )
        if forgotten:
            self._forgot()
        return forgotten

    @guarded()
    def undo(self, *, dry_run: bool = False) -> UndoResult:
        """Take back the last turn with its reply. Raises InputError if there is none, or sleep has seen it."""
        undone = undo_turn.undo(self.graph.store, self.name, self.graph.options.dynamics, dry_run=dry_run)
        self._recent.refresh(keep_protagonists=False)
        return undone

    @guarded()
    def facts(self, concept: str | None = None, *, speaker: str | None = None) -> list[Fact]:
        """Every fact of one concept, or of all, newest first; those that hold no longer last. Raises InputError."""
        return fact_edits.list_facts(self.graph.store, self.name, concept, speaker or self.protagonist)

    @guarded()
    def edit_fact(
        self,
        id: str,
        *,
        relation: str | None = None,
        target: str | None = None,
        when: str | None = None,
        speaker: str | None = None,
        by: str | None = None,
    ) -> Fact:
        """Correct one fact: the new one replaces it, as if it had been said. Raises InputError.

        by: who corrects it, as its provenance will say; the only speaker by default. speaker: whom "my" means in
        `target`; whoever corrects it by default.
        """
        relation, target, when = self._redaction().value((relation, target, when))
        editor = by or self.protagonist
        edit = fact_edits.Edit(relation, target, when, speaker or editor, editor)
        return fact_edits.edit_fact(self.graph.sets, self.name, id, edit, self.graph.embedder, self.graph.options)

    @guarded()
    def delete_fact(self, id: str) -> Fact:
        """Delete one fact; the words that stated it stay (`forget` takes them along). Raises InputError."""
        return fact_edits.delete_fact(self.graph.store, self.name, id)

    def _forgot(self) -> None:
        """Drop cached vectors, and read the protagonists again, after a deletion."""
        self.graph.embedder.clear()
        self.refresh()

    def retry(self) -> reextract.ReextractReport:
        """Extract again the turns whose extraction failed."""
        graph = self.graph
        with self.metered():
            return reextract.retry(graph.store, graph.sets, self.name, graph.extractor, graph.embedder, graph.options)

    def consolidate(
        self, *, dry_run: bool = False, stop: threading.Event | None = None, progress: Progress = silent
    ) -> SleepReport:
        """Sleep: merge, promote, strengthen, prune and summarise what was said since the last sleep.

        Resumable and idempotent; turns may go on meanwhile. Raises BusyError if somebody else is at it.
        """
        from oroi_graph.consolidation.pipeline import SleepRun, consolidate

        graph = self.graph
        run = SleepRun(judge=graph.judge, summarizer=graph.summarizer, dry_run=dry_run, stop=stop, progress=progress)
        with self.metered():
            return consolidate(graph.store, self.name, graph.embedder, graph.options, run)

    def merges(self) -> list[Merge]:
        """What was merged, the newest first: in force, or undone."""
        return self.graph.store.read(lambda tx: unmerge.merges(tx, self.name))

    @guarded()
    def merge(self, first: str, second: str, *, by: str | None = None) -> Merge:
        """Make one concept of two, named by label or id, because a person says so. by: who."""
        dynamics = self.graph.options.dynamics
        return unmerge.unite(self.graph.store, self.name, first, second, by=by, dynamics=dynamics)

    @guarded()
    def undo_merge(self, id: str, *, later: bool = False) -> list[Merge]:
        """Undo a merge; with `later`, those first that were built on it. Raises InputError."""
        return unmerge.undo(self.graph.store, self.name, id, later=later, dynamics=self.graph.options.dynamics)

    @guarded()
    def episode(self, id: str) -> Episode:
        """What was said, by record id or the turn's own id: the words, and what recall has of them now."""
        return episodes.episode(self.graph.store, self.name, id)

    def provenance(self, fact: Fact) -> list[Provenance]:
        """Who said a fact, in which role and turn, the oldest first, then who edited it; empty after a merge."""
        return episodes.provenance(self.graph.store, self.name, fact.id, fact.records)

    def timeline(self, *, before: int | None = None, limit: int = 50) -> list[Episode]:
        """What was said in the last `limit` turns, the newest first. Raises InputError for a limit below 1.

        before: only turns below this number; the oldest number of one page gives the next page.
        """
        found = episodes.episodes(self.graph.store, self.name, before=before, limit=2 * limit)  # a turn and its reply
        last = sorted({one.turn for one in found}, reverse=True)[:limit]
        return [one for one in found if one.turn in last]

    def stats(self) -> catalog.MemoryStats:
        """Sizes of the memory."""
        return catalog.stats(self.graph.store, self.name)

    def window(self) -> list[Utterance]:
        """The last turns, oldest first, for extractors: without what another process has forgotten meanwhile."""
        return [one.said for one in self._recent.read()]

    def refresh(self) -> None:
        """Read the protagonists afresh: another object or process wrote to the memory."""
        self._recent.refresh()

    @contextmanager
    def metered(self) -> Iterator[Tally]:
        """Work of this memory: what models are asked meanwhile is added to its statistics."""

        def keep(tally: Tally) -> None:
            catalog.add_usage(self.graph.store, self.name, tally.to_json())

        with metered(keep) as tally:
            yield tally

    def _cleaned(
        self,
        text: str,
        *,
        speaker: str | None = None,
        role: Role = "user",
        id: str | None = None,
        at: datetime | None = None,
        session: str | None = None,
    ) -> TurnInput:
        """A turn with the defaults of `TurnDetails`. Raises InputError."""
        speaker = speaker or (self.protagonist if role == "user" else "Assistant")
        turn = TurnInput(text, id or uuid.uuid4().hex, speaker, role, at or local_now(), session)
        return pipeline.cleaned(turn, self.graph.options)

    def _hear(self, turn: TurnInput) -> Turn:
        """An assistant's turn that answers none of ours: kept as its words, or as the open turn's reply."""
        graph = self.graph
        reply = self._words(turn, 0)
        heard = graph.sets.write(self.name, lambda tx: turn_end.hear(tx, reply, graph.options.dynamics))
        if heard.heard:
            self._recent.add(turn)
        return Turn(self, turn, Opened(heard.number, repeated=not heard.heard), Extraction())

    def _words(self, said: TurnInput, number: int) -> turn_end.Reply:
        """An assistant's turn, embedded as perception embeds."""
        text = without_names(said.text, {said.speaker, *self._recent.protagonists})
        vectors, words = embedded(self.graph.embedder, [text])
        return turn_end.Reply(episode(self.name, said, number, words[0]), vectors[0])


@dataclass(eq=False)
class Turn:
    """An open turn: what was perceived, the brief for the model, and `close` for its reply."""

    memory: Memory = field(repr=False)
    input: TurnInput
    opened: Opened
    extraction: Extraction = field(repr=False)
    in_sight: frozenset[str] = field(default=frozenset(), repr=False)  # records that the brief leaves out
    reply_redacted: tuple[str, ...] = ()
    _recall: Recall | None = field(default=None, repr=False)

    @property
    def id(self) -> str:
        """The client's id of the turn."""
        return self.input.id

    @property
    def number(self) -> int | None:
        """The turn's number in the memory; None if the speaker asked that nothing be stored, or it was forgotten."""
        return self.opened.number

    @property
    def surprise(self) -> float:
        """How little the turn fitted what was lit before it, 0..1."""
        return self.opened.surprise

    @property
    def forgotten(self) -> DeletionResult | None:
        """What was forgotten because the turn asked for it; None if it did not, or named nothing that is known.

        The memory is searched for what is left of it on first use.
        """
        found = self.opened.forgotten
        if found is not None and found.remains is None:
            proved = forgetting.proved(self.memory.graph.store, self.memory.name, found)
            self.opened = replace(self.opened, forgotten=proved)
        return self.opened.forgotten

    @property
    def refused(self) -> DeletionPlan | None:
        """What the turn asked to forget and the memory could not, with the reason and what may have been meant."""
        found = self.opened.refused
        if found is not None and not found.suggestions:
            graph = self.memory.graph
            found = forgetting.suggested(graph.sets, self.memory.name, found, self.input.speaker, graph.embedder)
            self.opened = replace(self.opened, refused=found)
        return found

    @property
    def redacted(self) -> dict[str, int]:
        """What was taken out of the turn's words, and of its reply's once it is closed: counts by kind."""
        return as_counts([self.input.redacted, self.reply_redacted])

    @property
    def matches(self) -> tuple[Match, ...]:
        """Which concept each mention became."""
        return self.opened.matches

    @property
    def recall(self) -> Recall:
        """What the memory brings back for this turn; read once, on first use.

        Left out are its own words and what the caller's model sees anyway (`Memory.perceive`, in_sight).
        """
        if self._recall is None:
            own = record_id(self.memory.name, self.id, self.input.role)
            exclude = (self.number, self.in_sight | {own}) if self.number is not None else None
            self._recall = self._recalled(self.memory, exclude)
        return self._recall

    def recall_with(self, names: Sequence[str]) -> JointRecall:
        """What this memory and others that the caller may read bring back for this turn, as one brief.

        Raises what `Graph.recall` raises.
        """
        graph = self.memory.graph
        others = [memory for memory in graph._opened(names) if memory.name != self.memory.name]
        parts = {self.memory.name: self.recall, **{memory.name: self._recalled(memory) for memory in others}}
        return join(self.input.text, parts, graph.options.brief_tokens, graph.options.selection)

    def _recalled(self, memory: Memory, exclude: tuple[int, frozenset[str]] | None = None) -> Recall:
        request = RecallRequest(
            self.input.text,
            speaker=self.input.speaker,
            protagonists=tuple(memory._recent.protagonists),
            at=self.input.at,
            exclude=exclude,
            turn=True,
        )
        return memory._recalled(request)

    @property
    def brief(self) -> Brief:
        """The text to append to the user's turn for the model ("" when nothing is relevant)."""
        return self.recall.brief

    @guarded("reply")
    def close(
        self,
        reply: str | None = None,
        *,
        injected: Brief | Sequence[str] | None = None,
        id: str | None = None,
        at: datetime | None = None,
        speaker: str = "Assistant",
    ) -> None:
        """End the turn with the assistant's reply. injected: the brief (or concept ids) that the model was given.

        Idempotent: a second close changes nothing. Raises InputError on an unusable reply.
        """
        if self.number is None or self.input.role != "user":
            return
        memory, graph = self.memory, self.memory.graph
        words: turn_end.Reply | None = None
        if reply is not None:
            said = pipeline.cleaned(
                TurnInput(reply, id or self.id, speaker, "assistant", at or self.input.at, self.input.session),
                graph.options,
            )
            self.reply_redacted = said.redacted
            with memory.metered():
                words = memory._words(said, self.number)
        ids = injected.concept_ids if isinstance(injected, Brief) else tuple(injected or ())
        ending = turn_end.Ending(self.id, record_id(memory.name, self.id, "user"), words, ids)
        dynamics = graph.options.dynamics
        closed = graph.sets.write(memory.name, lambda tx: turn_end.close_turn(tx, ending, dynamics))
        if closed.heard:
            memory._recent.add(said)
