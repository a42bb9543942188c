"""Entries of a memory contract: as an author submits them, as they are kept, and what came of a write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from oroi_graph.errors import InputError
from oroi_graph.model import Value

EntryType = Literal["fact", "summary", "entity", "assertion", "flag", "conflict", "context", "instruction"]
Kind = Literal["observation", "inference", "verified", "directive"]

ENTRY_TYPES: tuple[str, ...] = get_args(EntryType)
KINDS: tuple[str, ...] = get_args(Kind)
DEFAULT_KIND = "observation"
BACKEND = "oroi"  # the author of generated entries; no contract may name it
# Entries about other entries: they claim nothing about the world, so they are not compared.
REMARKS = frozenset({"summary", "flag", "conflict"})


@dataclass(frozen=True, slots=True)
class Problem(Value):
    """One thing that is wrong with a submitted entry. pointer: where, as a JSON pointer ("" is the entry itself)."""

    pointer: str
    message: str

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {self.message}"


class EntryRefusedError(InputError):
    """An entry that does not fit its contract; nothing of it was stored. expected: the schema_hash it should have."""

    def __init__(self, problems: Sequence[Problem], expected: str | None = None) -> None:
        super().__init__("the entry is refused: " + "; ".join(map(str, problems)))
        self.problems = tuple(problems)
        self.expected = expected

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        found: dict[str, object] = {"outcome": "refused", "problems": [one.to_json() for one in self.problems]}
        return found | ({"expected": self.expected} if self.expected else {})


def refused(pointer: str, message: str, expected: str | None = None) -> EntryRefusedError:
    """The refusal of an entry for one reason."""
    return EntryRefusedError([Problem(pointer, message)], expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """An entry as its author submits it, valid in the contract with `schema_hash`. confidence_score: 0..1.

    redacted: what was taken out of its value (`redaction.as_list`).
    """

    ia_author: str
    entry_type: str
    field_key: str
    field_value: str
    confidence_score: float
    schema_hash: str
    parents: tuple[str, ...] = ()
    kind: str = DEFAULT_KIND
    idempotency_key: str | None = None
    redacted: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Submission:
        """Read an object that `Document.problems` finds nothing wrong with."""
        given = data.get("parent_entry_id")
        parents = [given] if isinstance(given, str) else given or []
        return cls(
            ia_author=data["ia_author"],
            entry_type=data["entry_type"],
            field_key=data["field_key"],
            field_value=data["field_value"],
            confidence_score=float(data["confidence_score"]),
            schema_hash=data["schema_hash"],
            parents=tuple(dict.fromkeys(parent.lower() for parent in parents)),
            kind=data.get("kind") or DEFAULT_KIND,
            idempotency_key=data.get("idempotency_key"),
        )

    def content(self) -> dict[str, object]:
        """What must be the same when an idempotency key is used again."""
        return {name: value for name, value in asdict(self).items() if name not in ("idempotency_key", "redacted")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Value):
    """An entry as it is kept, with what is derived from later ones.

    seq: its place in the chain, from 1. created_at: ISO, UTC, by the database's clock. field_value: None once it was
    erased. covers: ids of the entries that a generated one is about. current: neither superseded, erased nor expired.
    disputed: it contradicts another entry, and nobody has settled that yet.
    """

    id: str
    seq: int
    created_at: str
    ia_author: str
    entry_type: str
    kind: str
    field_key: str
    field_value: str | None
    confidence_score: float
    schema_hash: str
    parent_entry_ids: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    generated: bool = False
    is_superseded: bool = False
    disputed: bool = False
    current: bool = True
    erased_at: str | None = None
    previous_hash: str = ""
    hash: str = ""
    signature: str | None = None

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object; `parent_entry_id` is the first parent."""
        shown: dict[str, object] = {name: getattr(self, name) for name in self.__dataclass_fields__}
        parents, covers = list(self.parent_entry_ids), list(self.covers)
        return shown | {
            "parent_entry_id": parents[0] if parents else None, "parent_entry_ids": parents, "covers": covers
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict(Value):
    """A current entry that the written one is in conflict with. cosine: of both values, None without vectors."""

    id: str
    relation: str
    cosine: float | None
    reason: str
    ia_author: str
    field_value: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Value):
    """What came of a write. entry: the new one, or the equivalent one that exists. repeated: it was written before.

    generated: entries that the backend added. conflicts: what it contradicts or is unlike. suggestion: what the author
    may do now, None if nothing. drift: a signal that the key's meaning moves, None if it does not.
    """

    outcome: str
    entry: Entry
    generated: tuple[Entry, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    suggestion: str | None = None
    drift: Mapping[str, object] | None = None
    repeated: bool = field(default=False)

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        return {
            "outcome": self.outcome,
            "entry": self.entry.to_json(),
            "generated": [one.to_json() for one in self.generated],
            "conflicts": [one.to_json() for one in self.conflicts],
            "suggestion": self.suggestion,
            "drift": dict(self.drift) if self.drift else None,
            "repeated": self.repeated,
        }
