"""The catalog of memories: describe, list, create, count and delete them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from oroi_graph.errors import MemoryNotFoundError, OroiError, StoreError
from oroi_graph.language.normalize import memory_key
from oroi_graph.model import Value
from oroi_graph.redaction import as_counts
from oroi_graph.storage.store import Row, Store, Transaction

_UNFINISHED = {
    "deleting": "is being deleted: finish it with `oroi memory delete {name}`",
    "importing": "is being imported: repeat the import, or `oroi memory delete {name}`",
    "reembedding": "is being re-embedded: finish it with `oroi reembed {name}`",
}

# What a memory holds, in the order in which it is deleted.
_PARTS = ("hubs", "concepts", "absorbed_concepts", "records", "contract", "workspace", "items", "journal")

_GROWING = ("concepts", "associations", "coincidences", "recallable", "characters")


@dataclass(frozen=True, slots=True)
class MemorySummary(Value):
    """One memory: its clock (closed turns), its pinned embedding model, when it was made, who speaks in it.

    state: deleting, importing or reembedding while such work is unfinished, else None.
    """

    name: str
    turn: int
    model: str
    created_at: str | None = None
    protagonists: tuple[str, ...] = ()
    state: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Sizes of one memory. Recall reads neither concepts that merges absorbed (`merged`) nor resting records.

    concepts, associations (current + superseded), coincidences, recallable records (entries of a contract and notes
    of a workspace among them), characters of text: on the recall path. redacted: what was taken out of texts that are
    kept, counts by kind. verbatim_characters: kept behind gists and of resting records. slept_…: the last sleep, None
    before the first. model_…: answers of models behind OpenAI's interface to turns, imports and sleeps, their tokens,
    and what they cost in US dollars where the price is known (`providers/openai/prices.toml`).
    """

    name: str
    turns: int
    concepts: int
    lit: int
    associations: int
    current: int
    superseded: int
    coincidences: int
    episodes: int
    replies: int
    entries: int
    notes: int
    recallable: int
    gists: int
    resting: int
    failed: int
    characters: int
    verbatim_characters: int
    merged: int
    redacted: Mapping[str, int] = field(default_factory=dict)
    slept_turn: int | None = None
    slept_at: str | None = None
    slept_state: str | None = None
    model_calls: int = 0
    model_input_tokens: int = 0
    model_output_tokens: int = 0
    model_cost: float = 0.0

    @property
    def growth(self) -> dict[str, float]:
        """What is on the recall path for every 100 turns that were closed; empty before the first."""
        if not self.turns:
            return {}
        return {f"{name}_per_100_turns": round(100 * getattr(self, name) / self.turns, 1) for name in _GROWING}

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object."""
        return asdict(self) | self.growth


def create(store: Store, name: str, model: str, dimensions: int) -> tuple[MemorySummary, str | None]:
    """Create the memory `name` if there is none, pinned to an embedding model.

    (the memory, the stamp of its first state if it was made here, else None). Raises MemoryNotFoundError if somebody
    deletes it meanwhile.
    """
    stamp = str(uuid.uuid4())
    row = store.write_one(
        "storage/create_memory",
        memory=name,
        model=model,
        dimensions=dimensions,
        memory_key=memory_key(name),
        stamp=stamp,
    )
    if row["stamp"] == stamp:
        return MemorySummary(name, 0, model, row["created_at"]), stamp
    found = describe(store, name)
    if found is None:
        raise MemoryNotFoundError(name)
    return found, None


def describe(store: Store, name: str) -> MemorySummary | None:
    """The memory `name`, or None."""
    return store.read_apart(lambda tx: _described(tx, name))


def require_usable(found: MemorySummary) -> None:
    """Raise StoreError if the memory is in the middle of something that must be finished first."""
    if found.state is not None:
        raise StoreError(f"memory {found.name!r} {_UNFINISHED[found.state].format(name=found.name)}")


def existing(store: Store, statement: str, memory: str, **parameters: object) -> Row:
    """The first row of a statement that returns one for every memory. Raises MemoryNotFoundError."""
    rows = store.rows(statement, memory=memory, **parameters)
    if not rows:
        raise MemoryNotFoundError(memory)
    return rows[0]


def required(tx: Transaction, statement: str, memory: str, **parameters: object) -> Row:
    """The first row of a statement that returns one for every usable memory. Raises why there is none (`refusal`)."""
    rows = tx.run(statement, memory=memory, **parameters)
    if not rows:
        raise refusal(tx, memory)
    return rows[0]


def refusal(tx: Transaction, name: str) -> OroiError:
    """Why a memory took no write: it is unusable now, or there is none."""
    found = _described(tx, name)
    if found is not None:
        try:
            require_usable(found)
        except StoreError as error:
            return error
    return MemoryNotFoundError(name)


def _described(tx: Transaction, name: str) -> MemorySummary | None:
    rows = tx.run("storage/read_memory", memory=name)
    if not rows:
        return None
    row = rows[0]
    return MemorySummary(name, row["turn"], row["model"], row["created_at"], tuple(row["protagonists"]), row["state"])


def list_memories(store: Store) -> list[MemorySummary]:
    """Every memory of the database, by name."""
    return [MemorySummary(**row) for row in store.rows("storage/list_memories")]


def stats(store: Store, name: str) -> MemoryStats:
    """Sizes of the memory `name`. Raises MemoryNotFoundError."""
    row = existing(store, "storage/stats", name)
    return MemoryStats(name, **row | {"redacted": as_counts(row["redacted"])})


def all_stats(store: Store) -> list[MemoryStats]:
    """Sizes of every memory of the database, by name; one that is deleted meanwhile is left out."""
    found = []
    for summary in list_memories(store):
        with suppress(MemoryNotFoundError):
            found.append(stats(store, summary.name))
    return found


def add_usage(store: Store, name: str, used: Mapping[str, float]) -> None:
    """Add to what models cost a memory. used: calls, input_tokens, output_tokens, cost (US dollars)."""
    store.write_rows("storage/add_usage", memory=name, **used)


def delete(store: Store, name: str) -> int:
    """Delete all that carries the memory's name, in bounded transactions; what is left (0). Resumable."""
    if not store.write_rows("storage/begin_delete", memory=name) and not remaining(store, name):
        raise MemoryNotFoundError(name)
    clear(store, name)
    store.batched("storage/delete_memory", memory=name)
    store.forget_changes(name)
    return remaining(store, name)


def clear(store: Store, name: str) -> None:
    """Delete what a memory holds, except its own node. The caller has closed the memory to other writers."""
    held = store.one("storage/held", memory=name)
    for what in _PARTS:
        if held[what]:
            store.batched(f"storage/delete_{what}", memory=name)


def remaining(store: Store, name: str) -> int:
    """Nodes of every label that a memory can have, its own among them; 0 when it is gone with all its relationships."""
    held = store.one("storage/held", memory=name)
    return sum(held[what] for what in (*_PARTS, "itself") if what != "hubs")
