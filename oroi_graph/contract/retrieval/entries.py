"""Reading entries: the current ones, or as they were at a time, or all; and the disputes that are open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from oroi_graph.contract.document import Document
from oroi_graph.contract.entry import BACKEND, Conflict, Entry
from oroi_graph.errors import InputError
from oroi_graph.model import Value
from oroi_graph.storage.store import Row, Transaction

PAGE = 500  # entries read in one statement
WIDE = 8  # pages of the chain in which one page of a key or an author is first looked for
EVER = "9999"  # after every time
SHORTEST = 4  # characters of an id that stand for the whole
_ID = 36  # characters of an id
_LAST = 2**62  # after every place
_FIRST, _LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which entries to read; None is any. at: as it was then. history: superseded and erased ones, too.

    Generated entries are read with `history`, or where their author is asked for.
    """

    key: str | None = None
    author: str | None = None
    at: datetime | None = None
    history: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.at, (datetime, type(None))):
            raise InputError(f"`at` must be a datetime, got {type(self.at).__name__}")

    def __bool__(self) -> bool:
        return self != Selection()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute(Value):
    """An open dispute. id: of the conflict entry. entries: its parties, oldest first. pairs: who contradicts whom."""

    id: str
    field_key: str
    opened_at: str
    entries: tuple[Entry, ...]
    pairs: tuple[tuple[str, str], ...]
    reasons: tuple[Conflict, ...] = ()

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        return {
            "id": self.id,
            "field_key": self.field_key,
            "opened_at": self.opened_at,
            "entries": [one.to_json() for one in self.entries],
            "pairs": [list(pair) for pair in self.pairs],
            "reasons": [one.reason for one in self.reasons],
        }


class Sample(NamedTuple):
    """Of some selected entries: how many there are, of each day (UTC) too, and the ids of some."""

    total: int
    days: dict[str, int]
    ids: list[str]


def entries_by_id(tx: Transaction, memory: str, ids: Sequence[str]) -> list[Entry]:
    """The entries with these ids, superseded and erased ones too, the newest first; unknown ids are left out."""
    rows = _rows(tx, memory, Selection(history=True), ids=list(dict.fromkeys(ids)), limit=max(1, len(ids)))
    return [entry_of(row) for row in rows]


def entry(tx: Transaction, memory: str, id: str) -> Entry:
    """One entry; `id` may be the beginning of its id. Raises InputError if the memory has none with it, or several."""
    found = entries_by_id(tx, memory, [whole_id(tx, memory, id)])
    if not found:
        raise InputError(
            f"no entry {id!r} in memory {memory!r}: `oroi contract read {memory} --history` shows their ids"
        )
    return found[0]


def whole_id(tx: Transaction, memory: str, id: str) -> str:
    """The id of the only entry whose id begins so, `id` itself if there is none. Raises InputError for several."""
    if not isinstance(id, str):
        raise InputError(f"the id of an entry is a text, got {type(id).__name__}")
    id = id.lower()
    if not SHORTEST <= len(id) < _ID:
        return id
    found = [row["id"] for row in tx.run("contract/ids_beginning", memory=memory, beginning=id)]
    if len(found) > 1:
        raise InputError(f"several entries of memory {memory!r} have an id that begins with {id!r}: give more of it")
    return found[0] if found else id


def entries(
    tx: Transaction, memory: str, selection: Selection, document: Document | None, since: int = 0, page: int = PAGE
) -> Iterator[Entry]:
    """The selected entries, the newest first, read page by page. document: of the active contract, for retention.

    since: only from this place on. page: entries read at a time, at most PAGE.
    """
    before = tx.one("contract/active", memory=memory)["entries"] + 1
    limits = expiries(document, selection.at)
    window = page * (WIDE if selection.key or selection.author else 1)
    while before > since:
        # The newest places first: whoever stops early has not made the server sort all entries.
        start = max(since, before - window)
        rows = _rows(tx, memory, selection, before=before, since=start, limit=page)
        for row in rows:
            found = entry_of(row, limits)
            if found.current or selection.history:
                yield found
        if len(rows) == page:
            before, window = rows[-1]["seq"], 2 * (before - rows[-1]["seq"])
        else:
            before, window = start, 2 * window


def sample(
    tx: Transaction, memory: str, selection: Selection, document: Document | None, *, most: int, since: int = 0
) -> Sample:
    """How many entries are selected, and the ids of at most `most`: the newest half, and others spread over the rest.

    document, since: as for `entries`. most: at least 4.
    """
    asked = _asked(selection)
    found = tx.one(
        "contract/sample", memory=memory, since=since, newest=most - most // 2, spread=most // 2,
        limits={} if selection.history else expiries(document, selection.at), **asked,
    )  # fmt: skip
    return Sample(found["count"], dict(found["days"]), found["ids"])


def expiries(document: Document | None, at: datetime | None = None) -> dict[str, str]:
    """{key: ISO time before which its entries are no longer current}, of keys with a retention."""
    now = in_utc(at or datetime.now(UTC))
    kept = {key: document.retention(key) for key in document.keys} if document else {}
    return {
        key: (now - period).isoformat(timespec="microseconds")
        for key, period in kept.items()
        if isinstance(period, timedelta) and now - _FIRST > period  # else nothing was written before
    }


def as_of(at: datetime | None) -> str:
    """The time (ISO) up to which entries count that are read as of `at`; None: now."""
    return EVER if at is None else in_utc(at).isoformat(timespec="microseconds")


def in_utc(at: datetime) -> datetime:
    """A time in UTC; where that lies before the year 1 or after 9999, the first or last time of these."""
    try:
        return at.astimezone(UTC)
    except (OverflowError, ValueError):
        return _FIRST if at.year == _FIRST.year else _LATEST


def expired(tx: Transaction, memory: str, document: Document) -> list[Entry]:
    """The entries whose retention is over and that were not erased yet, the newest first."""
    limits = expiries(document)
    found = (one for key in limits for one in entries(tx, memory, Selection(key=key, history=True), None))
    return [one for one in found if one.erased_at is None and one.created_at < limits[one.field_key]]


def disputes(tx: Transaction, memory: str, key: str | None = None) -> list[Dispute]:
    """The open disputes, the oldest first."""
    rows = tx.run("contract/conflicts", memory=memory, key=key, backend=BACKEND)
    ids = list(dict.fromkeys(id for row in rows for pair in row["pairs"] for id in pair[:2]))
    pages = (ids[start : start + PAGE] for start in range(0, len(ids), PAGE))
    known = {one.id: one for page in pages for one in entries_by_id(tx, memory, page)}
    found = []
    for row in rows:
        parties = {id: known[id] for pair in row["pairs"] for id in pair[:2]}
        reasons = tuple(
            Conflict(id=other, relation="contradiction", cosine=cosine, reason=reason or "",
                     ia_author=parties[other].ia_author, field_value=parties[other].field_value)
            for _, other, cosine, reason in row["pairs"]
        )  # fmt: skip
        found.append(
            Dispute(
                id=row["id"],
                field_key=row["field_key"],
                opened_at=row["opened_at"],
                entries=tuple(sorted(parties.values(), key=lambda one: one.seq)),
                pairs=tuple((a, b) for a, b, *_ in row["pairs"]),
                reasons=reasons,
            )
        )
    return found


def parties(tx: Transaction, memory: str, ids: Sequence[str]) -> list[Entry]:
    """All entries of the open disputes that some entries are part of, or that some conflict entries tell of.

    Raises InputError if there is no id, or one of them is no entry, or in no open dispute.
    """
    if not ids:
        raise InputError("name what to settle: a conflict entry, or a disputed one, by its id")
    found: set[str] = set()
    for id in (whole_id(tx, memory, id) for id in ids):
        if id in found:
            continue
        sides = _sides(tx, memory, id)
        if not sides:
            entry(tx, memory, id)
            raise InputError(f"entry {id} is in no open dispute: `oroi contract conflicts {memory}` lists those")
        found |= sides
    return entries_by_id(tx, memory, sorted(found))


def kept_side(tx: Transaction, memory: str, ids: Sequence[str], kept: str) -> Entry:
    """The entry `kept` as a side of the open disputes that `ids` name, as for `parties`. Raises InputError."""
    sides = parties(tx, memory, ids)
    found = entry(tx, memory, kept)
    if found.id not in {one.id for one in sides}:
        names = ", ".join(sorted(one.id for one in sides))
        raise InputError(f"entry {found.id} is no side of this dispute, so it cannot be kept: its sides are {names}")
    return found


def _sides(tx: Transaction, memory: str, id: str) -> set[str]:
    """All sides of the disputes that an entry, or what a conflict entry tells of, is part of, directly or by others."""
    rows = tx.run("contract/opponents", memory=memory, ids=[id])
    if rows and rows[0]["covers"]:
        newcomer, *others = rows[0]["covers"]
        rows = tx.run("contract/opponents", memory=memory, ids=[newcomer])
        if not any(set(others) & set(row["opponents"]) for row in rows):
            return set()
    found: set[str] = set()
    while rows:
        found.update(row["id"] for row in rows if row["opponents"])
        beyond = {other for row in rows for other in row["opponents"]} - found
        rows = tx.run("contract/opponents", memory=memory, ids=sorted(beyond)) if beyond else []
    return found


def entry_of(row: Row, limits: Mapping[str, str] | None = None) -> Entry:
    """A row of `contract/read`. limits: `expiries`."""
    values = {**row, "parent_entry_ids": tuple(row["parent_entry_ids"]), "covers": tuple(row["covers"])}
    found = Entry(**values)
    expired = found.created_at < (limits or {}).get(found.field_key, "")
    return replace(found, current=not found.is_superseded and found.erased_at is None and not expired)


def _rows(
    tx: Transaction, memory: str, selection: Selection, *, ids: Sequence[str] | None = None, before: int = _LAST,
    since: int = 0, limit: int,
) -> list[Row]:  # fmt: skip
    asked = _asked(selection)
    return tx.run("contract/read", memory=memory, ids=ids, before=before, since=since, limit=limit, **asked)


def _asked(selection: Selection) -> Row:
    """What both statements that select entries are told."""
    return {
        "key": selection.key, "author": selection.author, "history": selection.history,
        "at": as_of(selection.at),
        "generated": selection.history or selection.author == BACKEND,
    }  # fmt: skip
