"""A memory as people look at it: its graph now or as it was at a turn, one concept, and pairs that may be one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from oroi_graph.errors import InputError, NotFoundError
from oroi_graph.language.normalize import label_key
from oroi_graph.model import Value
from oroi_graph.options import Dynamics
from oroi_graph.storage.catalog import existing
from oroi_graph.storage.store import Store

MOST = 10_000  # concepts of one snapshot
RECORDS = 50  # of a concept
PAIRS = 200  # that may be one


@dataclass(frozen=True, slots=True)
class Snapshot(Value):
    """A graph at a turn. turn: None for now. turns: of the memory so far. total: concepts there were at that turn.

    concepts: those that stood out. At an earlier turn their activation is estimated from mentions.
    """

    turn: int | None
    turns: int
    total: int
    concepts: tuple[dict[str, Any], ...]
    associations: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class ConceptPage(Value):
    """All about one concept. facts: also superseded ones, the oldest first. said: records that mention it, in all."""

    concept: dict[str, Any]
    facts: tuple[dict[str, Any], ...]
    said: int
    records: tuple[dict[str, Any], ...]


def snapshot(store: Store, memory: str, dynamics: Dynamics, *, turn: int | None = None, limit: int = 2000) -> Snapshot:
    """The graph of a memory now, or as it was at `turn`. Raises InputError, MemoryNotFoundError."""
    if not 1 <= limit <= MOST:
        raise InputError(f"limit must be from 1 to {MOST}, got {limit}")
    if turn is not None and turn < 0:
        raise InputError(f"a turn is 0 or more, got {turn}")
    faintest = dynamics.floor
    row = existing(
        store, "visualization/as_it_was", memory, turn=turn, limit=limit, decay=dynamics.decay, faintest=faintest
    )
    return Snapshot(turn, row["turns"], row["total"], tuple(row["concepts"]), tuple(row["associations"]))


def concept_page(store: Store, memory: str, id: str, records: int = RECORDS) -> ConceptPage:
    """The page of the concept `id`. Raises NotFoundError if there is none."""
    rows = store.rows("visualization/concept", memory=memory, concept=id, limit=records)
    if not rows:
        raise NotFoundError(f"memory {memory!r} has no concept with that id: it may be merged or forgotten by now")
    row = rows[0]
    return ConceptPage(row["concept"], tuple(row["facts"]), row["said"], tuple(row["records"]))


def concepts_like(store: Store, memory: str, like: str) -> list[dict[str, Any]]:
    """Up to 20 concepts (id, label, kind) that `like` is the label, an alias, or a part of; exact ones first."""
    key = label_key(like)
    return store.rows("visualization/find_concepts", memory=memory, key=key) if key else []


def doubtful(store: Store, memory: str) -> list[dict[str, Any]]:
    """Pairs that may be one concept, the likeliest first; `Memory.merge` makes one of them."""
    return store.rows("visualization/doubtful", memory=memory, limit=PAIRS)
