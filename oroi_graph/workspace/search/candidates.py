"""Candidates of a search: the notes nearest to its vector and those that share its words, by the graph's indexes.

One statement asks both indexes: a round trip costs more than what it brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import StoreError
from oroi_graph.language.normalize import lucene_words
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


@dataclass(frozen=True, slots=True)
class Candidates:
    """hits: with their merged scores, in no order.

    state: shelf, model and fell of the workspace at that moment, None if nothing was found.
    """

    hits: list[Hit]
    state: Row | None


def candidates(store: Store, sought: Sought, config: QueryConfig) -> Candidates:
    """The candidates of both sides.

    Of each side maxResults · candidateMultiplier are asked for. Raises StoreError if neither side can be asked.
    """
    words = lucene_words(sought.query)
    # Without weight the shelf is a filter, and notes that cannot be among the best are passed over unread.
    query = f"shelf:{sought.shelf}^0 AND {{}}:({words})" if words else ""
    near = sought.vector is not None
    worded = (config.hybrid or not near) and words != ""
    given = {
        "memory": sought.memory, "shelf": sought.shelf, "sources": list(sought.sources), "foreign": sought.foreign,
        "most": config.max_results * config.candidate_multiplier,
        "vector": None if sought.vector is None else vector(sought.vector),
    }  # fmt: skip
    asked = {"words": query.format("text") if worded else "", "triggers": query.format("triggers")}
    if not sought.triggers:
        asked["triggers"] = ""
    try:
        rows = store.rows("workspace/find", **given, **asked)
    except StoreError:
        if not near or not any(asked.values()):
            raise
        worded = False  # the index of words cannot be asked: vectors alone
        rows = store.rows("workspace/find", **given, words="", triggers="")
    found = rows[0]["found"] if rows else []
    by_vector = {row["id"]: row["score"] for row in found if row["side"] == "near"} if near else None
    by_words = [row["id"] for row in found if row["side"] == "words"] if worded or not near else None
    scores = merged(by_vector, by_words, config)
    hits = [replace(hit_of(row), score=scores.get(id, 0.0)) for id, row in {row["id"]: row for row in found}.items()]
    return Candidates(hits, rows[0] if rows else None)


def hit_of(row: Row) -> Hit:
    """A note as the statements of this room return it."""
    given: dict[str, Any] = {name: row[name] for name in _FIELDS}
    return Hit(**given, triggers=tuple(row["triggers"] or ()))
