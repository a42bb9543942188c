"""Summaries of old episodes: once its facts are in the graph, an episode becomes a gist or rests; its words are kept.

An episode goes through two stages, both by turns of age, never by the clock:

- **gist**, from `gist_after`: if it is longer than `gist_length` and its facts are assimilated (consolidation/gists_due
  says what that means), a gist takes the place of its words on the recall path: text, full text, embedding. The words
  move to `verbatim`. Replies get theirs by extraction, around what their turn mentions: no model is asked for them.
- **rest**, from `rest_after`: if no fact of it is left in the graph and nothing it mentions took hold, it leaves the
  recall path, its reply with it. (Only then may pruning delete the last concept that it mentions.)

A gist is made anew from `verbatim` whenever the facts of the episode that hold are others than those it was made of
(`gist_facts`): sentences that state what was replaced are then left out. Never touched: the last turns (the window),
failed extractions, what was to be remembered.

Models and embedder are called outside transactions. Every write goes through the lease and sees for itself that the
record is still as it was read, so a step that is killed, repeated, or overtaken by a turn leaves nothing half done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from oroi_graph.consolidation.run_context import RunContext
from oroi_graph.errors import ProviderError
from oroi_graph.language import verbalize
from oroi_graph.language.normalize import fold, names_one, without_names
from oroi_graph.language.quoting import strip_briefs
from oroi_graph.language.sentences import spans
from oroi_graph.model import Fact
from oroi_graph.options import Options
from oroi_graph.providers.extractive import ExtractiveSummarizer
from oroi_graph.providers.protocols import Embedder, Summarizer
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.storage.catalog import describe
from oroi_graph.storage.store import Row, Store, Transaction, written_vector

PATIENCE = 3  # failures in a row after which the provider is taken to be down
READ = 50  # episodes whose words are read at once

_EXTRACTIVE = ExtractiveSummarizer()


@dataclass(frozen=True, slots=True)
class Due:
    """What of a memory is to be re-elaborated: record ids, oldest first."""

    gists: tuple[str, ...]
    stale: tuple[str, ...]  # gists to be made anew
    rests: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.gists) + len(self.stale) + len(self.rests)


@dataclass(slots=True, kw_only=True)
class Elaborated:
    """What one step did.

    failure: the last reason why an episode could not be elaborated. stopped: ended before all was tried.
    """

    made: int = 0
    renewed: int = 0
    rested: int = 0
    failed: int = 0
    failure: str | None = None
    stopped: bool = False


def due(store: Store, memory: str, turn: int, options: Options) -> Due:
    """What is to be done at the clock `turn`. Reads only."""
    sleep = options.sleep

    def read(tx: Transaction) -> Due:
        def ids(statement: str, **parameters: Any) -> tuple[str, ...]:
            return tuple(row["id"] for row in tx.run(statement, memory=memory, **parameters))

        return Due(
            ids(
                "consolidation/gists_due",
                before=turn - max(sleep.gist_after, options.window),
                length=sleep.gist_length,
                took_hold=sleep.took_hold,
            ),
            ids("consolidation/gists_stale"),
            ids("consolidation/rests_due", **_resting(turn, options)),
        )

    found = store.read(read)
    resting = set(found.rests)
    return replace(
        found,
        gists=tuple(id for id in found.gists if id not in resting),
        stale=tuple(id for id in found.stale if id not in resting),
    )


def elaborate(sleep: RunContext, embedder: Embedder, summarizer: Summarizer) -> Elaborated:
    """Let rest what is due, then make and renew gists, at most `sleep.page` in a transaction.

    sleep: the run. Its `progress` is told (episodes done, episodes due). Its `stop` is asked before each episode; what
    was elaborated by then is still written. A model's failure leaves its episode as it is, to be tried next time, and
    the others go on; after three in a row the provider is taken to be down. Raises LeaseLostError, StoreError.
    """
    options, progress = sleep.options, sleep.progress
    found = due(sleep.store, sleep.memory, sleep.turn, options)
    step = _Step(sleep, embedder, summarizer)
    done = 0
    for page in _pages(found.rests, options.sleep.page):
        if sleep.stopping:
            step.done.stopped = True
            return step.done
        step.rest(page)
        done += len(page)
        progress(done, len(found), "elaborate")
    for source in _sources(sleep.store, sleep.memory, [*found.gists, *found.stale], options):
        if sleep.stopping or step.in_a_row >= PATIENCE:
            step.done.stopped = True
            break
        step.add(source)
        done += 1
        progress(done, len(found), "elaborate")
    step.flush()
    return step.done


class _Step:
    """One run over what is due: gists that wait to be written, what is done so far, and failures in a row."""

    def __init__(self, sleep: RunContext, embedder: Embedder, summarizer: Summarizer) -> None:
        described = describe(sleep.store, sleep.memory)
        self.sleep, self.embedder, self.summarizer = sleep, embedder, summarizer
        self.names = described.protagonists if described else ()
        self.waiting: list[tuple[Row, Row]] = []
        self.done = Elaborated()
        self.in_a_row = 0

    def rest(self, ids: Sequence[str]) -> None:
        """Take records off the recall path."""
        parameters = _resting(self.sleep.turn, self.sleep.options)
        self.done.rested += len(self._write("consolidation/gist_rest", ids=list(ids), **parameters))

    def add(self, source: Row) -> None:
        """Make one gist; write those that wait when they are many, or the lease needs renewing."""
        summarizer = _EXTRACTIVE if source["role"] == "assistant" else self.summarizer
        options = self.sleep.options.sleep
        try:
            gist = make_gist(source, summarizer, options.gist_length)
        except ProviderError as error:
            self.in_a_row += 1
            self._failed(1, error)
        else:
            self.in_a_row = 0 if summarizer is self.summarizer else self.in_a_row
            holding = sorted(fact["id"] for fact in source["facts"] if fact["current"])
            row = {"id": source["id"], "text": source["text"], "facts": holding, "gist": gist, "by": summarizer.name}
            self.waiting.append((source, row))
        late = self.sleep.renewal_due  # a model takes its time, a lease ends
        if late and not self.waiting:
            self.sleep.renew()
        elif late or len(self.waiting) >= options.page:
            self.flush()

    def flush(self) -> None:
        """Embed and write what waits."""
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        try:
            self._embed(waiting)
        except ProviderError as error:
            self.in_a_row = PATIENCE  # without an embedder nothing can be written at all
            self._failed(len(waiting), error)
            return
        rows = self._write("consolidation/write_gists", rows=[row for _, row in waiting], turn=self.sleep.turn)
        written = {row["id"] for row in rows}
        for source, row in waiting:
            if row["id"] in written:
                name = "rested" if not row["gist"] else "renewed" if source["again"] else "made"
                setattr(self.done, name, getattr(self.done, name) + 1)

    def _embed(self, waiting: Sequence[tuple[Row, Row]]) -> None:
        """Give each row the vector of its gist, without the names of who speaks here; None for an empty one."""
        texts = [without_names(row["gist"], {source["speaker"], *self.names}) for source, row in waiting if row["gist"]]
        made = zip(*embedded(self.embedder, texts), strict=True) if texts else iter(())
        for _, row in waiting:
            row["vector"], row["words"] = None, None
            if row["gist"]:
                embedding, row["words"] = next(made)
                row["vector"] = written_vector(embedding)

    def _write(self, statement: str, **parameters: Any) -> list[Row]:
        """Send a statement in a fenced transaction, also when a stop was requested."""
        return self.sleep.commit(lambda tx: tx.run(statement, memory=self.sleep.memory, **parameters))

    def _failed(self, count: int, error: ProviderError) -> None:
        self.done.failed += count
        self.done.failure = str(error)


def make_gist(source: Row, summarizer: Summarizer, most: int) -> str:
    """The gist of one episode, as `gist_sources` reads it. Raises ProviderError for one that cannot be used.

    The summarizer is not shown what was replaced since, nor a brief of ours: it cannot repeat what it never saw.
    """
    text = still_said(strip_briefs(source["text"]), source["facts"], source["mentions"])
    gist = summarizer.gist(text, _matters(source), most).strip()
    if len(gist) > most:
        raise ProviderError(f"{summarizer.name!r} made a gist of {len(gist)} characters where {most} is the most")
    if "\0" in gist or strip_briefs(gist) != gist:
        raise ProviderError(f"{summarizer.name!r} made a gist that holds what no gist may: a brief or a NUL character")
    return gist


def still_said(text: str, facts: Sequence[Row], mentions: Sequence[Row]) -> str:
    """`text` without the sentences that name an end of a replaced fact and none of a fact that holds.

    All of it where nothing would be left: then the episode speaks of the past only, and recall knows that.
    """
    surfaces: dict[str, set[str]] = {}
    for mention in mentions:
        surfaces.setdefault(mention["id"], set()).update(fold(mention[key]) for key in ("surface", "label"))
    ends = {True: set[str](), False: set[str]()}
    for fact in facts:
        ends[fact["current"]].update(*(surfaces.get(fact[end], ()) for end in ("source_id", "target_id")))
    outdated = ends[False] - ends[True]
    if not outdated:
        return text
    kept, at = [], 0
    for start, end in spans(text):
        sentence = fold(text[start:end])
        if not names_one(sentence, outdated) or names_one(sentence, ends[True]):
            kept.append(text[at:end])
        at = end
    rest = "".join(kept).strip()
    return rest if any(char.isalnum() for char in rest) else text


def _matters(source: Row) -> list[str]:
    """The facts that hold as sentences, then by name what took hold beside them (for a reply: all that is named)."""
    facts = [Fact(**{**fact, "records": ()}) for fact in source["facts"] if fact["current"]]
    said = {end for fact in facts for end in (fact.source_id, fact.target_id)}
    gone = {fact[end] for fact in source["facts"] if not fact["current"] for end in ("source_id", "target_id")} - said
    reply = source["role"] == "assistant"
    names = [
        mention["label"]
        for mention in source["mentions"]
        if (mention["holds"] or reply) and mention["id"] not in said | gone
    ]
    return [*(verbalize.sentence(fact) for fact in facts), *dict.fromkeys(names)]


def _sources(store: Store, memory: str, ids: Sequence[str], options: Options) -> Iterator[Row]:
    """What gists are made of, read a few at a time, in the order of `ids`; what is gone by then is left out."""
    for page in _pages(ids, min(READ, options.sleep.page)):
        rows = store.rows(
            "consolidation/gist_sources", memory=memory, ids=list(page), took_hold=options.sleep.took_hold
        )
        found = {row["id"]: row for row in rows}
        yield from (found[id] for id in page if id in found)


def _resting(turn: int, options: Options) -> dict[str, Any]:
    """The parameters that say what may rest."""
    sleep = options.sleep
    return {
        "before": turn - max(sleep.rest_after, options.window),
        "took_hold": sleep.took_hold,
        "seldom": sleep.seldom,
    }


def _pages(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))
