"""Items: exact JSON values that adapters keep for their frameworks, and the turns by which memory knows their words.

A framework wants back what it gave, under its own key; a memory wants words. So an item is kept as it is, and
its text is perceived as a turn of its own. Replacing or deleting an item forgets that turn. Whose words they are is
said once: nobody's by default, and then they are found but state no facts.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from oroi_graph.errors import InputError, MemoryNotFoundError
from oroi_graph.memory import Memory
from oroi_graph.model import canonical_json
from oroi_graph.recall.request import Filters
from oroi_graph.redaction import Redaction
from oroi_graph.storage.changes import Touched
from oroi_graph.storage.rows import item_id, item_path
from oroi_graph.storage.store import Row
from oroi_graph.transfer.archive_schema import longest

SESSION = "items"  # of the turns that tell items
LONGEST_VALUE, LONGEST_NAME = longest("json"), longest("word")  # characters: what is kept must fit into an archive
_MOST = 2**31  # items of a list that is not bounded

Namespace = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """What is to be kept. value: JSON-serialisable. text: the words memory is to know it by; None or blank: none."""

    namespace: Namespace
    key: str
    value: Any
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """What is kept. number: grows from item to item. turn: by which memory knows its words."""

    namespace: Namespace
    key: str
    value: Any
    number: int
    created_at: datetime
    updated_at: datetime
    turn: str | None


class Items:
    """The items of one memory. speaker: whose words their texts are; None: nobody's. Safe to share among threads."""

    def __init__(self, memory: Memory, speaker: str | None = None) -> None:
        self.memory, self.speaker = memory, speaker
        self._store = memory.graph.store

    def get(self, namespace: Namespace, keys: Sequence[str]) -> dict[str, Item]:
        """Those of the keys that are there."""
        rows = self._store.rows("interfaces/read_items", memory=self.memory.name, ids=self._ids(namespace, keys))
        return {item.key: item for item in map(_item, rows)}

    def put(self, entries: Sequence[Entry]) -> None:
        """Keep items, each in place of what had its namespace and key; later ones win. Raises InputError."""
        redaction = Redaction(self.memory.graph.options.redact)
        last = {
            self._id(one.namespace, one.key): Entry(one.namespace, one.key, redaction.value(one.value), one.text)
            for one in entries
        }
        if not last:
            return
        turns = {id: f"item-{uuid.uuid4().hex}" if (one.text or "").strip() else None for id, one in last.items()}
        rows = [self._row(id, one, turns[id]) for id, one in last.items()]
        found = self._change("put_items", rows=rows)
        if not found:
            raise MemoryNotFoundError(self.memory.name)
        for id, one in last.items():
            turn = turns[id]
            if turn is not None:
                self._tell(turn, str(one.text))
        self._forget(row["replaced"] for row in found)

    def drop(self, namespace: Namespace, keys: Sequence[str], *, forget: bool = True) -> list[str]:
        """Delete items; the ids of the turns that told them, which are forgotten, or left with `forget` False."""
        rows = self._change("drop_items", ids=self._ids(namespace, keys))
        if forget:
            self._forget(row["turn"] for row in rows)
        return [row["turn"] for row in rows if row["turn"]]

    def within(self, namespace: Namespace, last: int | None = None) -> list[Item]:
        """The items of a namespace and of those below it, in the order in which they were first kept.

        last: at most so many, the last ones.
        """
        most = _MOST if last is None else last
        if most < 1:
            return []
        rows = self._store.rows("interfaces/list_items", memory=self.memory.name, path=item_path(namespace), last=most)
        return [_item(row) for row in rows]

    def namespaces(self) -> list[Namespace]:
        """Every namespace that holds items."""
        rows = self._store.rows("interfaces/list_namespaces", memory=self.memory.name)
        return [tuple(row["namespace"]) for row in rows]

    def ranked(self, query: str, items: Sequence[Item]) -> list[tuple[Item, float | None]]:
        """The items, best first, with their scores; at the end, without one, those that recall does not rank."""
        found = self.memory.recall(query, speaker=self.speaker, filters=Filters(session=SESSION)).ranked
        scores = {hit.turn_id: hit.score for hit in reversed(found)}
        scored = [(item, scores.get(item.turn or "")) for item in items]
        return sorted(scored, key=lambda one: (one[1] is None, -(one[1] or 0.0), -one[0].number))

    def _change(self, statement: str, **parameters: object) -> list[Row]:
        """Write items: the memory has changed, but nothing of its graph."""
        name = self.memory.name
        return self._store.write(lambda tx: tx.change(f"interfaces/{statement}", Touched(), memory=name, **parameters))

    def _tell(self, turn: str, text: str) -> None:
        """Perceive an item's words. Those that cannot be perceived (too long) stay what they are: a value."""
        try:
            if self.speaker is None:
                self.memory.perceive(text, id=turn, role="assistant", speaker="Notes", session=SESSION)
            else:
                told = self.memory.perceive(text, id=turn, speaker=self.speaker, session=SESSION, may_forget=False)
                told.close()
        except InputError:
            return

    def _forget(self, turns: Iterable[str | None]) -> None:
        gone = [turn for turn in turns if turn]
        if gone:
            self.memory.forget_turns(gone)

    def _ids(self, namespace: Namespace, keys: Sequence[str]) -> list[str]:
        return [self._id(namespace, key) for key in dict.fromkeys(keys)]

    def _id(self, namespace: Namespace, key: str) -> str:
        return item_id(self.memory.name, namespace, key)

    def _row(self, id: str, entry: Entry, turn: str | None) -> Mapping[str, object]:
        try:
            value = json.dumps(entry.value, ensure_ascii=False, allow_nan=False)
            value.encode()
            entry.key.encode()
            path = item_path(entry.namespace)
            path.encode()
        except (TypeError, ValueError) as error:
            raise InputError(f"the item {entry.key[:60]!r} is no JSON ({error})") from error
        if len(value) > LONGEST_VALUE or max(len(path), len(entry.key)) > LONGEST_NAME:
            raise InputError(
                f"the item {entry.key[:60]!r} is too long: a value has at most {LONGEST_VALUE:,} characters as JSON, "
                f"its key and its namespace {LONGEST_NAME:,}"
            )
        return {
            "id": id, "path": path, "namespace": list(entry.namespace), "key": entry.key,
            "value": value, "turn": turn, "number": _next_number(),
        }  # fmt: skip


def words_of(value: object) -> str:
    """The words of a JSON value: its text if it is one or holds just one, else a line for each of its texts."""
    found = list(_texts(value, ""))
    return found[0][1] if len(found) == 1 else "\n".join(f"{name}: {text}" if name else text for name, text in found)


def same(first: object, second: object) -> bool:
    """Whether two JSON values are equal, whatever the order of their members."""
    return canonical_json(first) == canonical_json(second)


def _texts(value: object, name: str) -> Iterable[tuple[str, str]]:
    if isinstance(value, str):
        if value.strip():
            yield name, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _texts(part, f"{name} {key}".strip())
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part, name)


def _item(row: Row) -> Item:
    return Item(
        tuple(row["namespace"]),
        row["key"],
        json.loads(row["value"]),
        row["number"],
        row["created_at"].to_native(),
        row["updated_at"].to_native(),
        row["turn"],
    )


_LAST = [0]
_LOCK = threading.Lock()


def _next_number() -> int:
    """Nanoseconds since 1970, never the same twice in this process."""
    with _LOCK:
        _LAST[0] = max(_LAST[0] + 1, time.time_ns())
        return _LAST[0]
