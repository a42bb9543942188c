"""CrewAI: a storage for its unified memory.

    from crewai import Memory
    Memory(storage=OroiStorage(memory), embedder=embedder(memory), llm=llm)

Records come back exactly, with scopes, categories and metadata; search is by the vectors that CrewAI hands over. Their
words are known to the memory as well, so that `memory.recall`, MCP and HTTP find what a crew has learned. `embedder`
embeds with the memory's own model: no other service is needed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from oroi_graph.interfaces.adapters.talk import missing
from oroi_graph.interfaces.items.kept import Entry, Items, same
from oroi_graph.memory import Memory

try:
    from crewai.memory.types import MemoryRecord, ScopeInfo
except ImportError as error:
    raise missing("crewai", error) from error

_NAMESPACE = ("crewai",)


def embedder(memory: Memory) -> Callable[[list[str]], list[list[float]]]:
    """What `crewai.Memory(embedder=…)` takes: texts to vectors, by the memory's own model."""
    return lambda texts: [[float(value) for value in row] for row in memory.graph.embedder.embed(texts)]


class OroiStorage:
    """CrewAI's `StorageBackend` in one memory. speaker: whose words the records are; None: nobody's."""

    def __init__(self, memory: Memory, *, speaker: str | None = None) -> None:
        self._items = Items(memory, speaker)

    def save(self, records: list[MemoryRecord]) -> None:
        """Keep records, each in place of what had its id."""
        self._items.put([Entry(_NAMESPACE, one.id, _value(one), one.content) for one in records])

    def update(self, record: MemoryRecord) -> None:
        """Keep a record in place of the one with its id."""
        self.save([record])

    def touch_records(self, record_ids: list[str]) -> None:
        """Note that records were used just now; their words stay as they are known."""
        found = self._items.get(_NAMESPACE, record_ids)
        now = datetime.now(UTC).replace(tzinfo=None)
        for item in found.values():
            self.save([_record(item.value).model_copy(update={"last_accessed": now})])

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """The records nearest to a vector, with their cosine similarity as 0..1."""
        found = [one for one in self._chosen(scope_prefix, categories, metadata_filter) if one.embedding]
        scored = [(one, _cosine(query_embedding, one.embedding or [])) for one in found]
        best = sorted((pair for pair in scored if pair[1] >= min_score), key=lambda pair: -pair[1])
        return best[:limit]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Delete the records that fit everything that is given; how many. Their words are forgotten."""
        going = [
            one.id
            for one in self._chosen(scope_prefix, categories, metadata_filter)
            if (record_ids is None or one.id in record_ids) and (older_than is None or one.created_at < older_than)
        ]
        self._items.drop(_NAMESPACE, going)
        return len(going)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """One record by its id."""
        found = self._items.get(_NAMESPACE, [record_id]).get(record_id)
        return _record(found.value) if found else None

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        """The records of a scope, the newest first."""
        found = sorted(self._chosen(scope_prefix), key=lambda one: one.created_at, reverse=True)
        return found[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """How much is in a scope, and which scopes are below it."""
        found = self._chosen(scope)
        times = sorted(one.created_at for one in found)
        return ScopeInfo(
            path=scope if scope.startswith("/") else f"/{scope}",
            record_count=len(found),
            categories=sorted({each for one in found for each in one.categories}),
            oldest_record=times[0] if times else None,
            newest_record=times[-1] if times else None,
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """The scopes right below another one."""
        base = _scope(parent)
        below = {_scope(one.scope)[len(base) :].split("/")[0] for one in self._chosen(parent)}
        return sorted(f"/{base}{name}".replace("//", "/") for name in below if name)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """How many records have each category."""
        return dict(Counter(each for one in self._chosen(scope_prefix) for each in one.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        """How many records there are."""
        return len(self._chosen(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Delete the records of a scope, or all."""
        self.delete(scope_prefix)

    async def asave(self, records: list[MemoryRecord]) -> None:
        """`save` in a thread."""
        await asyncio.to_thread(self.save, records)

    async def asearch(self, query_embedding: list[float], **how: Any) -> list[tuple[MemoryRecord, float]]:
        """`search` in a thread."""
        return await asyncio.to_thread(lambda: self.search(query_embedding, **how))

    async def adelete(self, **which: Any) -> int:
        """`delete` in a thread."""
        return await asyncio.to_thread(lambda: self.delete(**which))

    def _chosen(
        self,
        scope: str | None = None,
        categories: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> list[MemoryRecord]:
        found = [_record(item.value) for item in self._items.within(_NAMESPACE)]
        base = _scope(scope or "/")
        return [
            one
            for one in found
            if _scope(one.scope).startswith(base)
            and (not categories or set(categories) & set(one.categories))
            and all(
                name in one.metadata and same(one.metadata[name], value) for name, value in (metadata or {}).items()
            )
        ]


def _scope(path: str) -> str:
    """A scope as text of which those below it are continuations: "a/b/" for "/a/b", "" for the root."""
    return "".join(f"{part}/" for part in path.split("/") if part)


def _value(record: MemoryRecord) -> dict[str, Any]:
    return {"record": record.model_dump(mode="json"), "embedding": record.embedding}


def _record(value: Mapping[str, Any]) -> MemoryRecord:
    return MemoryRecord.model_validate({**value["record"], "embedding": value["embedding"]})


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Cosine similarity, 0 where vectors are zero or of other lengths."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    length = float(np.linalg.norm(a) * np.linalg.norm(b)) if a.shape == b.shape else 0.0
    return float(a @ b) / length if length else 0.0
