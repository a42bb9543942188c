"""The properties of a verbatim record: an id that is the same when a write is repeated, and who said what, when."""

from __future__ import annotations

from collections.abc import Sequence

from oroi_graph.language.normalize import digest, memory_key
from oroi_graph.model import ConceptKind, TurnInput
from oroi_graph.storage.store import Row


def record_id(memory: str, turn_id: str, role: str) -> str:
    """The id of a turn's episode: the same for the same (memory, turn id, role)."""
    return digest(memory, turn_id, role)


def item_path(namespace: Sequence[str]) -> str:
    """An item's namespace as text, which the paths of namespaces below it continue (parts as in JSON pointers)."""
    return "".join(part.replace("~", "~0").replace("/", "~1") + "/" for part in namespace)


def item_id(memory: str, namespace: Sequence[str], key: str) -> str:
    """The id of an adapter's item: the same for the same (memory, namespace, key)."""
    return digest(memory, item_path(namespace), key)


def tombstone(turn_id: str, role: str) -> str:
    """What is kept of a forgotten turn, so that repeating an import does not bring it back: a hash of its id."""
    return digest("forgotten", turn_id, role)


def episode(memory: str, turn: TurnInput, number: int, words: str | None) -> dict[str, object]:
    """The properties that every episode has. words: those of its text, packed for late interaction."""
    return {
        "id": record_id(memory, turn.id, turn.role),
        "memory": memory,
        "memory_key": memory_key(memory),
        "kind": "episode",
        "turn_id": turn.id,
        "turn": number,
        "role": turn.role,
        "speaker": turn.speaker,
        "session": turn.session,
        "at": turn.at.isoformat() if turn.at else None,
        "text": turn.text,
        "words": words,
        "associations": [],
        "redacted": list(turn.redacted) or None,
    }


def new_concept(memory: str, number: int, label: str, key: str, kind: ConceptKind, alias: str | None) -> Row:
    """The properties of a concept that turn `number` creates. key: the label's key (`label_key`)."""
    aliases = [alias] if alias else []
    return {
        "memory": memory,
        "memory_key": memory_key(memory),
        "label": label,
        "label_key": key,
        "label_text": " | ".join([label, *aliases]),
        "aliases": aliases,
        "kind": kind,
        "activation": 0.0,
        "strength": 0.0,
        "exposure": 0.0,
        "mentions": 0,
        "fixed": False,
        "first_turn": number,
        "last_turn": number,
    }
