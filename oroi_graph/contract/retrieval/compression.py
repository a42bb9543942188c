"""Summaries of a memory's entries for readers with small context windows.

    level 0    the entries themselves
    level 1    one summary a day (UTC)
    level 2    one a topic: clusters of vectors, which keep their entries while others are added
    level 3    one of all topics

Each summary has a short and a full text, and lists the entries that it covers. Summaries stand beside the chain of
entries, never in it, and are made again for the days and topics that changed.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from oroi_graph.contract.chain.hashing import sha256
from oroi_graph.contract.clusters import Topic, cluster, near_of
from oroi_graph.contract.digest import Digest, digest
from oroi_graph.contract.retrieval.entries import EVER, as_of
from oroi_graph.errors import MemoryNotFoundError, ProviderError
from oroi_graph.language.normalize import digest as stable_id
from oroi_graph.language.tokens import count_tokens
from oroi_graph.model import Value
from oroi_graph.options import Progress, silent
from oroi_graph.providers.extractive import ExtractiveSummarizer
from oroi_graph.providers.protocols import Summarizer
from oroi_graph.storage.lease import Lease, leased
from oroi_graph.storage.store import Row, Store, vector

PAGE = 1_000  # entries read in one statement
READ = 256  # entries of one day or topic that its summary is made from: half the newest, half spread over the rest
SIZES = {1: (60, 240), 2: (60, 240), 3: (120, 480)}  # tokens of the short and full text, by level
ALL = "all"  # the name of the summary of level 3
_CHARACTERS = 4  # of a token, for summarizers that count those


@dataclass(frozen=True, slots=True)
class Text:
    """An entry as summaries read it. line: key and value, marked where it is disputed. vector: (d,), None without."""

    id: str
    day: str
    line: str
    vector: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Value):
    """A summary. name: a day, the id of a topic, or "all". covers: ids of entries, of topics' summaries at level 3."""

    id: str
    level: int
    name: str
    short: str
    full: str
    covers: tuple[str, ...]
    count: int
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionReport(Value):
    """What a compression did: entries taken in, and how many summaries of each level were made, kept and dropped."""

    entries: int
    made: Mapping[str, int] = field(default_factory=dict)
    kept: int = 0
    dropped: int = 0


@dataclass(slots=True, eq=False)
class _Group:
    """A day or a topic: its members in the order of the chain."""

    level: int
    name: str
    members: dict[str, None] = field(default_factory=dict)
    centroid: NDArray[np.float32] | None = None
    id: str | None = None  # of the summary stored now
    source: str | None = None  # what that was made from
    touched: bool = False  # a member's state changed

    @property
    def now(self) -> str:
        """A hash of what a summary is made from."""
        return sha256("\n".join(self.members))


def compress(
    store: Store,
    memory: str,
    summarizer: Summarizer | None,
    dimensions: int,
    *,
    stop: threading.Event | None = None,
    progress: Progress = silent,
) -> CompressionReport:
    """Bring the summaries of a memory up to date; what is up to date is left alone.

    Under the memory's lease: raises BusyError if somebody consolidates it. `stop` ends it between two summaries, and
    nothing is written then.
    """
    with leased(store, memory) as lease:
        while True:
            report = _compressed(lease, summarizer, dimensions, stop, progress)
            if report is not None:
                return report


def is_stale(found: Row) -> bool:
    """Whether entries came or were erased since the summaries were made. found: a row of `contract/digests`."""
    return bool((found["upto"] or 0) < found["entries"]) or bool(found["known_erasures"] != found["erasures"])


def summarized(
    level: int, name: str, texts: Sequence[Text], covers: tuple[str, ...], summarizer: Summarizer | None, *, memory: str
) -> Summary:
    """The summary of some texts, in the order of the chain."""
    known = [one.vector for one in texts if one.vector is not None]
    vectors = np.stack(known) if known and len(known) == len(texts) else None
    made, by = _digested([one.line for one in texts], vectors, SIZES[level], summarizer)
    id = stable_id(memory, "digest", level, name, sha256("\n".join(covers)))
    return Summary(
        id=id, level=level, name=name, short=made.short, full=made.full, covers=covers, count=len(covers), by=by
    )


def overall(topics: Sequence[Row], summarizer: Summarizer | None, *, memory: str) -> Summary:
    """The summary of all topics. topics: rows with id, full and count; the largest ones come first."""
    ordered = sorted(topics, key=lambda row: (-row["count"], row["id"]))
    made, by = _digested([row["full"] for row in ordered[:READ]], None, SIZES[3], summarizer)
    covers = tuple(row["id"] for row in ordered)
    count = sum(row["count"] for row in ordered)
    id = stable_id(memory, "digest", 3, ALL, sha256("\n".join(covers)))
    return Summary(id=id, level=3, name=ALL, short=made.short, full=made.full, covers=covers, count=count, by=by)


def texts_of(store: Store, memory: str, ids: Sequence[str], dimensions: int, at: datetime | None = None) -> list[Text]:
    """The texts of some entries in the order of the chain, without those erased meanwhile. at: marked as then."""
    found = []
    for start in range(0, len(ids), PAGE):
        some = list(ids[start : start + PAGE])
        rows = store.rows(
            "contract/vectors", memory=memory, ids=some, after=0, page=0, dimensions=dimensions, at=as_of(at)
        )
        found += [(row["seq"], text_of(row)) for row in rows if row["text"] is not None]
    return [text for _, text in sorted(found, key=lambda pair: pair[0])]


def text_of(row: Row) -> Text:
    """A row of `contract/vectors` as summaries read it."""
    mark = " (disputed)" if row["disputed"] else ""
    value = " ".join(row["text"].split())
    made = None if row["embedding"] is None else row["embedding"].to_numpy()
    return Text(row["id"], row["at"][:10], f"{row['field_key']}{mark}: {value}", made)


def _compressed(
    lease: Lease, summarizer: Summarizer | None, dimensions: int, stop: threading.Event | None, progress: Progress
) -> CompressionReport | None:
    """One attempt; None if something was erased meanwhile, which the new summaries might say."""
    store, memory = lease.store, lease.memory
    found = _stored(store, memory)
    nothing = CompressionReport(entries=0, kept=len(found["digests"]))
    if not is_stale(found):
        return nothing
    state = _State(store, memory, dimensions, found)
    state.take_in()
    changed = [group for group in state.groups.values() if group.members and state.is_changed(group)]
    made: list[Summary] = []
    for place, group in enumerate(changed):
        if stop is not None and stop.is_set():
            return nothing
        texts = texts_of(store, memory, _sampled(list(group.members)), dimensions)
        made.append(summarized(group.level, group.name, texts, tuple(group.members), summarizer, memory=memory))
        progress(place + 1, len(changed) + 1, "summaries")
    gone = [group.id for group in state.groups.values() if group.id and (group in changed or not group.members)]
    topics = _topics(found, gone, made)
    if changed or gone:
        gone += [row["id"] for row in found["digests"] if row["level"] == 3]
        if topics:
            made.append(overall(topics, summarizer, memory=memory))
    reach = {"upto": found["entries"], "erasures": found["erasures"]}
    rows = [_row(memory, one, state) for one in made]
    written = lease.write(lambda tx: tx.run("contract/write_digests", memory=memory, gone=gone, digests=rows, **reach))
    if not written:
        return None
    levels = {str(level): sum(one.level == level for one in made) for level in SIZES}
    return CompressionReport(
        entries=state.taken, made=levels, kept=len(found["digests"]) - len(gone), dropped=len(gone)
    )


class _State:
    """The days and topics of a memory: as they were stored, then with the entries that came since."""

    def __init__(self, store: Store, memory: str, dimensions: int, found: Row) -> None:
        self.store, self.memory, self.dimensions = store, memory, dimensions
        self.near = near_of(store.one("storage/read_memory", memory=memory)["model"])
        self.groups: dict[tuple[int, str], _Group] = {}
        self.taken = 0
        self._anew = found["upto"] is None or found["known_erasures"] != found["erasures"]
        self._after = 0 if self._anew else found["upto"]
        ids = [row["id"] for row in found["digests"] if row["level"] in (1, 2)]
        rows = store.rows("contract/digest_covers", memory=memory, ids=ids, dimensions=dimensions, centroids=True)
        for row in rows:
            old = found["upto"] is None  # of another embedding model
            centroid = None if old or row["centroid"] is None else row["centroid"].to_numpy()
            members = {} if self._anew else dict.fromkeys(row["covers"])
            group = _Group(row["level"], row["name"], members, centroid, row["id"], row["source"])
            self.groups[group.level, group.name] = group

    def take_in(self) -> None:
        """Add the entries that came, leave out those that they superseded."""
        gone: set[str] = set()
        disputed: set[str] = set()
        came: list[Row] = []
        after = self._after
        while rows := self.store.rows(
            "contract/vectors",
            memory=self.memory,
            ids=None,
            after=after,
            page=PAGE,
            dimensions=self.dimensions,
            at=EVER,
        ):
            for row in rows:
                gone.update(row["parents"])
                disputed.update(row["parties"])
            came += [row for row in rows if row["current"]]
            after = rows[-1]["seq"]
        self.taken = len(came)
        for group in self.groups.values():
            for id in gone & group.members.keys():
                del group.members[id]
            group.touched = not disputed.isdisjoint(group.members)
        for row in came:
            self._group(1, row["at"][:10]).members[row["id"]] = None
        self._assign([row for row in came if row["embedding"] is not None])
        bare = [row["id"] for row in came if row["embedding"] is None]
        if bare:
            self._group(2, "without vectors").members.update(dict.fromkeys(bare))

    def is_changed(self, group: _Group) -> bool:
        """Whether its summary has to be made again."""
        return group.touched or group.source != group.now

    def _assign(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        known = [
            Topic(group.name, group.centroid, len(group.members))
            for group in self.groups.values()
            if group.level == 2 and group.centroid is not None
        ]
        vectors = np.stack([row["embedding"].to_numpy() for row in rows])
        found = cluster([row["id"] for row in rows], vectors, known=known, threshold=self.near)
        for topic in found.topics:
            self._group(2, topic.id).centroid = topic.centroid
        for row, label in zip(rows, found.labels, strict=True):
            self._group(2, label).members[row["id"]] = None

    def _group(self, level: int, name: str) -> _Group:
        return self.groups.setdefault((level, name), _Group(level, name))


def _stored(store: Store, memory: str) -> Row:
    found = store.rows("contract/digests", memory=memory)
    if not found:
        raise MemoryNotFoundError(memory)
    return found[0]


def _topics(found: Row, gone: Sequence[str | None], made: Sequence[Summary]) -> list[Row]:
    kept = [row for row in found["digests"] if row["level"] == 2 and row["id"] not in gone]
    return kept + [{"id": one.id, "full": one.full, "count": one.count} for one in made if one.level == 2]


def _sampled(ids: list[str]) -> list[str]:
    """At most READ of the members: the newest half of them, and others spread evenly over the rest."""
    if len(ids) <= READ:
        return ids
    newest, rest = ids[-READ // 2 :], ids[: -READ // 2]
    spread = [rest[round(i)] for i in np.linspace(0, len(rest) - 1, READ // 2)]
    return [*dict.fromkeys([*spread, *newest])]


def _digested(
    lines: Sequence[str], vectors: NDArray[np.float32] | None, sizes: tuple[int, int], summarizer: Summarizer | None
) -> tuple[Digest, str]:
    """The short and the full text, and who made them: a model, or sentences of the entries if there is none."""
    short, full = sizes
    offline = digest(lines, vectors, short=short, full=full)
    if summarizer is None or isinstance(summarizer, ExtractiveSummarizer):
        return offline, "extractive"
    whole = "\n".join(lines)

    def shorten(most: int) -> str:
        return within(summarizer.gist(whole, [], most * _CHARACTERS), most)

    try:
        return Digest(shorten(short), shorten(full), ()), summarizer.name
    except ProviderError:
        return offline, "extractive"


def within(text: str, most: int) -> str:
    """A text cut after a word, so that it has at most `most` tokens."""
    if count_tokens(text) <= most:
        return text
    words = text.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(" ".join(words[:middle]) + " …") <= most:
            low = middle
        else:
            high = middle - 1
    return " ".join(words[:low]) + " …" if low else ""


def _row(memory: str, one: Summary, state: _State) -> Row:
    group = state.groups.get((one.level, one.name))
    properties = {
        "memory": memory, "id": one.id, "level": one.level, "name": one.name, "short": one.short, "full": one.full,
        "short_tokens": count_tokens(one.short), "full_tokens": count_tokens(one.full), "covers": list(one.covers),
        "count": one.count, "by": one.by, "source": group.now if group is not None else None,
    }  # fmt: skip
    centroid = None if group is None or group.centroid is None else vector(group.centroid)
    return {"properties": properties, "centroid": centroid}
