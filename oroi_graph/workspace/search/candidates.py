"""Candidates of a search: the notes nearest to its vector and those that share its words, by the graph's indexes."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import StoreError
from oroi_graph.language.normalize import search_words
from oroi_graph.storage.store import Row, Store, vector
from oroi_graph.workspace.config import QueryConfig
from oroi_graph.workspace.search.ranking import Hit, merged

_FIELDS = ("id", "path", "start", "end", "text", "source", "modified", "importance", "provenance")


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for in which index. vector: (d,), None without one. triggers: whether these are looked up, too.

    foreign: whether the vector is of another model than the memory's.
    """

    memory: str
    shelf: str
    sources: Sequence[str]
    query: str
    vector: NDArray[np.float32] | None
    triggers: bool = False
    foreign: bool = False


def candidates(store: Store, sought: Sought, config: QueryConfig) -> list[Hit]:
    """The candidates of both sides with their merged scores, in no order.

    Of each side maxResults · candidateMultiplier are asked for. Raises StoreError if neither side can be asked.
    """
    most = config.max_results * config.candidate_multiplier
    common = {"memory": sought.memory, "shelf": sought.shelf, "sources": list(sought.sources), "most": most}
    near: list[Row] | None = None
    worded: list[Row] | None = None
    if sought.vector is None:
        worded = _worded(store, "text", sought, common, required=True)
    else:
        name = "workspace/near_foreign" if sought.foreign else "workspace/near"
        with ThreadPoolExecutor(1) as aside:  # the server asks both indexes at once
            asked = aside.submit(_worded, store, "text", sought, common, required=False) if config.hybrid else None
            near = store.rows(name, vector=vector(sought.vector), **common)
        worded = None if asked is None else asked.result()
    by_vector = None if near is None else {row["id"]: row["score"] for row in near}
    by_words = None if worded is None else [row["id"] for row in worded]
    scores = merged(by_vector, by_words, config)
    rows = {row["id"]: row for row in [*(near or ()), *(worded or ())]}
    if sought.triggers:
        asking = _worded(store, "triggers", sought, common, required=False) or []
        rows = {row["id"]: row for row in asking} | rows
    return [replace(hit_of(row), score=scores.get(id, 0.0)) for id, row in rows.items()]


def hit_of(row: Row) -> Hit:
    """A note as the statements of this room return it."""
    given: dict[str, Any] = {name: row[name] for name in _FIELDS}
    return Hit(**given, triggers=tuple(row["triggers"] or ()))


def _worded(store: Store, field: str, sought: Sought, common: dict[str, Any], *, required: bool) -> list[Row] | None:
    """The notes by words, the best first; None if the query has no word or the index of words cannot be asked."""
    words = search_words(sought.query)
    if not words:
        return None if not required else []
    try:
        # Without weight the shelf is a filter, and Lucene passes over notes that cannot be among the best.
        query = f"shelf:{sought.shelf}^0 AND {field}:({words})"
        return store.rows("workspace/words", words=query, **common)
    except StoreError:
        if required:
            raise
        return None
