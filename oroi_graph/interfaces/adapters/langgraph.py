"""LangGraph: a `BaseStore` whose items are remembered.

    store = OroiStore(connect().memory("diary"))
    graph = builder.compile(store=store)

Items come back exactly as they were put. A search with a query ranks them by what the memory knows: words, meaning,
and associations. `speaker` says whose words the items are ("Ana"): then they state facts as turns do; without it they
are found, and state none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from oroi_graph.interfaces.adapters.talk import missing
from oroi_graph.interfaces.items.kept import Entry, Items, Namespace, same, words_of
from oroi_graph.interfaces.items.kept import Item as Kept
from oroi_graph.memory import Memory

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
        tokenize_path,
    )
except ImportError as error:
    raise missing("langgraph", error) from error

_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, wanted: bool(value == wanted),
    "$ne": lambda value, wanted: bool(value != wanted),
    "$gt": lambda value, wanted: float(value) > float(wanted),
    "$gte": lambda value, wanted: float(value) >= float(wanted),
    "$lt": lambda value, wanted: float(value) < float(wanted),
    "$lte": lambda value, wanted: float(value) <= float(wanted),
}


class OroiStore(BaseStore):
    """A store in one memory; namespaces are parts of it. speaker: whose words the items are; None: nobody's."""

    def __init__(self, memory: Memory, *, speaker: str | None = None) -> None:
        self._items = Items(memory, speaker)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations: all read what was there before, then items are put, the last of each key."""
        given = list(ops)
        results: list[Result] = [None if isinstance(op, PutOp) else self._read(op) for op in given]
        self._put([op for op in given if isinstance(op, PutOp)])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._items.get(op.namespace, [op.key]).get(op.key)
            return _item(found) if found else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        within = [one for one in self._items.within(op.namespace_prefix) if _passes(one.value, op.filter or {})]
        ranked: Sequence[tuple[Kept, float | None]] = [(one, None) for one in within]
        if op.query and op.query.strip() and within:
            ranked = self._items.ranked(op.query, within)
        page = ranked[op.offset : op.offset + op.limit]
        return [
            SearchItem(one.namespace, one.key, one.value, one.created_at, one.updated_at, score) for one, score in page
        ]

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        found = [one for one in self._items.namespaces() if all(_fits(one, each) for each in op.match_conditions or ())]
        cut = [one if op.max_depth is None else one[: op.max_depth] for one in found]
        return sorted(dict.fromkeys(cut))[op.offset : op.offset + op.limit]

    def _put(self, ops: Sequence[PutOp]) -> None:
        last = {(op.namespace, op.key): op for op in ops}
        kept = [Entry(op.namespace, op.key, dict(op.value), _text(op)) for op in last.values() if op.value is not None]
        self._items.put(kept)
        for op in last.values():
            if op.value is None:
                self._items.drop(op.namespace, [op.key])


def _item(found: Kept) -> Item:
    return Item(
        value=found.value,
        key=found.key,
        namespace=found.namespace,
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


def _text(op: PutOp) -> str | None:
    """The words of an item: all of them, those of the fields to index, or none."""
    if op.index is False or op.value is None:
        return None
    if op.index is None:
        return words_of(op.value)
    return "\n".join(text for path in op.index for text in get_text_at_path(op.value, tokenize_path(path)))


def _passes(value: Any, wanted: Mapping[str, Any]) -> bool:
    return all(_agrees(value.get(name), one) for name, one in wanted.items())


def _agrees(value: Any, wanted: Any) -> bool:
    """Whether a member fits a filter: equal, or compared by operators ({"$gte": 3}), or the same inside."""
    if isinstance(wanted, Mapping):
        if any(name.startswith("$") for name in wanted):
            return all(_compared(value, name, one) for name, one in wanted.items())
        return isinstance(value, Mapping) and _passes(value, wanted)
    return same(value, wanted)


def _compared(value: Any, name: str, wanted: Any) -> bool:
    if name not in _COMPARE:
        raise ValueError(f"Unsupported operator: {name}")
    try:
        return _COMPARE[name](value, wanted)
    except (TypeError, ValueError):
        return False


def _fits(namespace: Namespace, condition: MatchCondition) -> bool:
    wanted = condition.path
    if len(namespace) < len(wanted):
        return False
    part = namespace[: len(wanted)] if condition.match_type == "prefix" else namespace[-len(wanted) :]
    return all(one in ("*", found) for found, one in zip(part, wanted, strict=True))
