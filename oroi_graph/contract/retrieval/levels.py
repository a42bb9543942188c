"""Reading entries within a number of tokens: the level is chosen so that the budget is met and most is covered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from oroi_graph.contract.clusters import cluster, near_of
from oroi_graph.contract.document import Document
from oroi_graph.contract.entry import Entry
from oroi_graph.contract.retrieval.compression import READ, Summary, Text, overall, summarized, texts_of, within
from oroi_graph.contract.retrieval.entries import PAGE, Selection, entries, sample
from oroi_graph.errors import InputError, MemoryNotFoundError
from oroi_graph.language.tokens import count_tokens
from oroi_graph.model import Value
from oroi_graph.storage.store import Row, Store, Transaction

Form = Literal["short", "full"]

LISTED = 1_000  # entries that an item lists; a larger one only says how many it covers
ON_THE_SPOT = 1_000  # entries that summaries are made from while somebody waits
_LINE = 12  # about the fewest tokens of an entry's line
_LEAST = 20  # entries read at a time, however small the room
_FEWEST = 4  # entries that a sample has at least
_LEVELS = (1, 2, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(Value):
    """An entry or a summary as it is read. count: entries that it stands for; read: those that its text was made from.

    covers: ids of the former, or of the topics of level 3; None if they are too many, or were not looked up.
    """

    level: int
    name: str
    text: str
    tokens: int
    count: int
    read: int
    covers: tuple[str, ...] | None = None
    entry: Entry | None = None
    id: str | None = None

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        covers = None if self.covers is None else list(self.covers)
        names = ("id", "level", "name", "text", "tokens", "count", "read")
        return {name: getattr(self, name) for name in names} | {"covers": covers}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage(Value):
    """Of the current entries that were asked for: how many there are, and how many the items stand for (`covered`),
    are made from (`read`) and hold word for word (`raw`). raw <= read <= covered <= entries.

    sampled: the summaries were made for this reading, from some of the entries, because none of all were ready.
    """

    entries: int
    covered: int
    read: int
    raw: int
    sampled: bool = False

    @property
    def share(self) -> float:
        """The covered share, 0..1; 1 if there is nothing."""
        return self.covered / self.entries if self.entries else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Value):
    """What was read. level: of the summaries, 0 if all items are entries. tokens: of all items. form: of summaries."""

    level: int
    form: str | None
    tokens: int
    budget: int | None
    coverage: Coverage
    items: tuple[Item, ...] = field(default=())

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        coverage = self.coverage.to_json() | {"share": round(self.coverage.share, 4)}
        return {
            "level": self.level, "form": self.form, "tokens": self.tokens, "budget": self.budget,
            "coverage": coverage, "items": [one.to_json() for one in self.items],
            "entries": [one.entry.to_json() for one in self.items if one.entry is not None],
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How much to read. level: 0..3, None for the most detailed that fits. budget: tokens. form: of summaries."""

    level: int | None = None
    budget: int | None = None
    form: Form | None = None

    def __post_init__(self) -> None:
        if self.level not in (None, 0, *_LEVELS):
            raise InputError(f"the level must be 0 to 3, got {self.level!r}")
        if self.budget is not None and (not isinstance(self.budget, int) or self.budget < 1):
            raise InputError(f"the budget must be a whole number of tokens, at least 1, got {self.budget!r}")
        if self.form not in (None, *get_args(Form)):
            raise InputError(f"the form must be one of {', '.join(get_args(Form))}, got {self.form!r}")


def line_of(entry: Entry) -> str:
    """An entry as one line for a model: who says what of which key, and whether that is disputed."""
    state = "erased" if entry.field_value is None else " ".join(entry.field_value.split())
    marks = [entry.entry_type, entry.kind, *(["disputed"] if entry.disputed else [])]
    if entry.is_superseded:
        marks.append("superseded")
    return f"{entry.created_at[:10]} {entry.ia_author} on {entry.field_key} ({', '.join(marks)}): {state}"


def read(store: Store, memory: str, selection: Selection, wish: Wish, document: Document | None) -> Reading:
    """The selected entries within the budget, or their summaries. document: of the active contract, for retention."""
    if wish.level == 0 or (wish.level is None and wish.budget is None):
        return _whole(store, memory, selection, wish, document)
    if wish.level is None:
        room = wish.budget or 0
        raw, complete = _newest(store, memory, selection, room, document)
        if complete:
            return _reading(0, None, raw, wish, _whole_coverage(len(raw), len(raw)))
    return _summaries(store, memory, selection, wish, document)


def _whole(store: Store, memory: str, selection: Selection, wish: Wish, document: Document | None) -> Reading:
    found = store.read(lambda tx: list(entries(tx, memory, selection, document)))
    items = [_item(one) for one in found]
    if wish.budget is not None:
        items = _fitting(items, wish.budget)
    return _reading(0, None, items, wish, _whole_coverage(len(found), len(items)))


def _newest(
    store: Store, memory: str, selection: Selection, room: int, document: Document | None, since: int = 0
) -> tuple[list[Item], bool]:
    """The newest entries within `room` tokens, and whether these are all. since: only from this place on."""

    def work(tx: Transaction) -> tuple[list[Item], bool]:
        left, found = room, list[Item]()
        page = min(PAGE, max(_LEAST, room // _LINE))
        for one in entries(tx, memory, selection, document, since, page):
            item = _item(one)
            if item.tokens > left:
                return found, False
            left -= item.tokens
            found.append(item)
        return found, True

    return store.read(work)


def _summaries(store: Store, memory: str, selection: Selection, wish: Wish, document: Document | None) -> Reading:
    """Summaries of the level that is asked for, or the most detailed that fits; what room they leave takes entries."""
    if selection or document is None or any(document.retention(key) for key in document.keys):
        levels, upto, total = _made_now(store, memory, selection, document)
    else:
        levels, upto, total = _stored(store, memory)
        if not levels[1]:
            levels, upto, total = _made_now(store, memory, selection, document)
    level, form = _chosen(levels, wish)
    summaries = [_summary_item(row, form) for row in levels[level]]
    if wish.budget is not None:
        summaries = _fitting(summaries, wish.budget)
        if not summaries and wish.level is None:
            level, summaries = _in_little_room(levels, wish.budget)
    room = None if wish.budget is None else wish.budget - sum(one.tokens for one in summaries)
    newest, complete, fresh = _tail(store, memory, selection, room, document, upto)
    total += fresh
    covered = sum(one.count for one in summaries) + len(newest)
    read = sum(one.read for one in summaries) + len(newest)
    if room is not None and wish.level is None and complete:
        known = {one.id for one in newest}
        more, _ = _newest(store, memory, selection, room, document)
        newest += [one for one in more if one.id not in known]
    covers = _covers(store, memory, summaries) if not selection else {}
    listed = [_listed(one, covers) for one in summaries]
    if not listed and newest:
        level = 0
    sampled = upto < 0 and total > ON_THE_SPOT and bool(listed)
    raw = sum(one.entry is not None for one in newest)
    covered = max(raw, min(covered, total))
    coverage = Coverage(entries=total, covered=covered, read=max(raw, min(read, covered)), raw=raw, sampled=sampled)
    return _reading(level, form, [*newest, *listed], wish, coverage)


def _tail(
    store: Store, memory: str, selection: Selection, room: int | None, document: Document | None, upto: int
) -> tuple[list[Item], bool, int]:
    """The entries since the summaries were made that fit, whether these are all, and how many there are.

    upto: the last place that summaries cover; -1: all is covered.
    """
    if upto < 0:
        return [], True, 0
    if room is None:
        found = store.read(lambda tx: list(entries(tx, memory, selection, document, upto + 1)))
        return [_item(one) for one in found], True, len(found)
    newest, complete = _newest(store, memory, selection, room, document, upto + 1)
    count = len(newest)
    if not complete:
        count = store.read(lambda tx: sample(tx, memory, selection, document, most=_FEWEST, since=upto + 1)).total
    return newest, complete, count


def _chosen(levels: dict[int, list[Row]], wish: Wish) -> tuple[int, Form]:
    """The level and form asked for; what was not asked for is the most detailed that fits."""
    asked = [wish.level] if wish.level else list(_LEVELS)
    forms: list[Form] = [wish.form] if wish.form else ["full", "short"]
    if wish.budget is None:
        return asked[0], forms[0]
    for level in asked:
        for form in forms:
            if levels[level] and sum(row[f"{form}_tokens"] for row in levels[level]) <= wish.budget:
                return level, form
    return asked[-1], forms[-1]


def _in_little_room(levels: dict[int, list[Row]], budget: int) -> tuple[int, list[Item]]:
    """The largest topics that fit, where not even one summary of all does; else the beginning of that one."""
    topics = _fitting([_summary_item(row, "short") for row in levels[2]], budget)
    if topics or not levels[3]:
        return 2, topics
    whole = _summary_item(levels[3][0], "short")
    text = within(whole.text, budget)
    return 3, [replace(whole, text=text, tokens=count_tokens(text), count=0, read=0, covers=())] if text else []


def _stored(store: Store, memory: str) -> tuple[dict[int, list[Row]], int, int]:
    """The stored summaries by level, how far they reach (-1: there are none), and how many entries they cover."""
    found = store.rows("contract/digests", memory=memory)
    if not found:
        raise MemoryNotFoundError(memory)
    [row] = found
    for one in row["digests"]:
        one["read"] = min(one["count"], READ)
    levels = {level: [one for one in row["digests"] if one["level"] == level] for level in _LEVELS}
    levels[1].sort(key=lambda one: one["name"], reverse=True)
    levels[2].sort(key=lambda one: (-one["count"], one["id"]))
    for one in levels[3]:
        one["read"] = sum(topic["read"] for topic in levels[2][:READ])
    return levels, row["upto"] or 0, sum(one["count"] for one in levels[1])


def _made_now(
    store: Store, memory: str, selection: Selection, document: Document | None
) -> tuple[dict[int, list[Row]], int, int]:
    """Summaries of selected entries, made for this reading: of many, from some.

    Days and the whole stand for all entries; topics only for those that were read, whose vectors are known.
    """
    found = store.read(lambda tx: sample(tx, memory, selection, document, most=ON_THE_SPOT))
    own = store.one("storage/read_memory", memory=memory)
    texts = texts_of(store, memory, found.ids, int(own["dimensions"]), selection.at)
    days: dict[str, list[Text]] = {}
    for one in texts:
        days.setdefault(one.day, []).append(one)
    topics = _topics(texts, near_of(own["model"]))
    first = [_row(summarized(1, name, some, _ids(some), None, memory=memory)) for name, some in days.items()]
    second = [_row(summarized(2, name, some, _ids(some), None, memory=memory)) for name, some in topics.items()]
    third = [_row(overall(second, None, memory=memory))] if second else []
    for row, count in [*((row, found.days[row["name"]]) for row in first), *((row, found.total) for row in third)]:
        if row["count"] < count:
            row |= {"count": count, "covers": None if row["level"] == 1 else row["covers"]}
    ordered = sorted(second, key=lambda row: (-row["count"], row["id"]))
    return {1: first[::-1], 2: ordered, 3: third}, -1, found.total


def _topics(texts: Sequence[Text], near: float) -> dict[str, list[Text]]:
    with_vector = [one for one in texts if one.vector is not None]
    found: dict[str, list[Text]] = {}
    if with_vector:
        vectors = np.stack([one.vector for one in with_vector if one.vector is not None])
        labels = cluster([one.id for one in with_vector], vectors, threshold=near).labels
        for one, label in zip(with_vector, labels, strict=True):
            found.setdefault(label, []).append(one)
    bare = [one for one in texts if one.vector is None]
    return found | ({"without vectors": bare} if bare else {})


def _ids(texts: Sequence[Text]) -> tuple[str, ...]:
    return tuple(one.id for one in texts)


def _row(summary: Summary) -> Row:
    found = {name: getattr(summary, name) for name in ("id", "level", "name", "short", "full", "covers", "count")}
    found["read"] = found["count"]
    return found | {"short_tokens": count_tokens(found["short"]), "full_tokens": count_tokens(found["full"])}


def _item(entry: Entry) -> Item:
    text = line_of(entry)
    return Item(
        level=0, name=entry.field_key, text=text, tokens=count_tokens(text), count=1, read=1, covers=(entry.id,),
        entry=entry, id=entry.id,
    )  # fmt: skip


def _summary_item(row: Row, form: Form) -> Item:
    covers = row.get("covers")
    return Item(
        level=row["level"], name=row["name"], text=row[form], tokens=row[f"{form}_tokens"], count=row["count"],
        read=row["read"], covers=tuple(covers) if covers is not None else None, id=row["id"],
    )  # fmt: skip


def _fitting(items: Sequence[Item], room: int) -> list[Item]:
    """The first items that fit."""
    found, left = list[Item](), room
    for one in items:
        if one.tokens <= left:
            left -= one.tokens
            found.append(one)
    return found


def _covers(store: Store, memory: str, items: Sequence[Item]) -> dict[str, tuple[str, ...]]:
    ids = [one.id for one in items if one.count <= LISTED]
    rows = store.rows("contract/digest_covers", memory=memory, ids=ids, dimensions=1, centroids=False)
    return {row["id"]: tuple(row["covers"]) for row in rows}


def _listed(item: Item, covers: dict[str, tuple[str, ...]]) -> Item:
    return replace(item, covers=covers[item.id]) if item.id in covers else item


def _whole_coverage(total: int, raw: int) -> Coverage:
    """Of entries without any summary."""
    return Coverage(entries=total, covered=raw, read=raw, raw=raw)


def _reading(level: int, form: str | None, items: Sequence[Item], wish: Wish, coverage: Coverage) -> Reading:
    return Reading(
        level=level, form=form, tokens=sum(one.tokens for one in items), budget=wish.budget, coverage=coverage,
        items=tuple(items),
    )  # fmt: skip
