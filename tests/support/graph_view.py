"""What a memory holds, read straight from the database: the tests judge the graph, not what a call says of it."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from oroi_graph import (
    Dynamics,
    ExtractedConcept,
    ExtractedRelation,
    Extraction,
    Extractor,
    Graph,
    Memory,
    Options,
    Turn,
)
from oroi_graph.model import canonical_json
from oroi_graph.storage.changes import KEPT

# Labels that tell whether the vector and full-text indexes have a node, which is a matter of when (`Store.index`).
INDEXING = frozenset({"Unindexed", "IndexedConcept", "IndexedRecord"})

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
Said = tuple[str, str, str] | ExtractedRelation


def stating(
    *relations: Said,
    names: Sequence[str] = (),
    concepts: Sequence[str] = (),
    values: Sequence[str] = (),
    uptake: Sequence[Said] = (),
    **flags: Any,
) -> Extraction:
    """An extraction: relations as (source, relation, target), labels by kind, other fields as they are called."""
    listed = [("name", names), ("concept", concepts), ("value", values)]
    return Extraction(
        concepts=tuple(ExtractedConcept(label, kind) for kind, labels in listed for label in labels),  # type: ignore[arg-type]
        relations=tuple(_relation(said) for said in relations),
        uptake=tuple(_relation(said) for said in uptake),
        **flags,
    )


def _relation(said: Said) -> ExtractedRelation:
    return said if isinstance(said, ExtractedRelation) else ExtractedRelation(*said)


def rows(memory: Memory, query: str, **parameters: Any) -> list[dict[str, Any]]:
    """A query's rows; `$memory` is the memory's name."""
    names, values = memory.graph.store.explore(query, memory=memory.name, **parameters)
    return [dict(zip(names, row, strict=True)) for row in values]


def concepts(memory: Memory) -> dict[str, dict[str, Any]]:
    """Properties of every concept by label, embeddings left out; what is dim is lit. Fails if two share a label."""
    (dim,) = rows(memory, "MATCH (m:Memory {name: $memory}) RETURN m.dim AS ids, m.dim_activation AS activation")
    faint = dict(zip(dim["ids"] or (), dim["activation"] or (), strict=True))
    found = rows(
        memory,
        "MATCH (c:Concept {memory: $memory}) RETURN c {.*, embedding: null, created_at: null} AS c ORDER BY c.id",
    )
    for row in found:
        row["c"]["activation"] = faint.get(row["c"]["id"], row["c"]["activation"])
    labelled = {row["c"]["label"]: row["c"] for row in found}
    assert len(labelled) == len(found)
    return labelled


def activations(memory: Memory) -> dict[str, float]:
    """Activation of every concept that is lit, by label."""
    return {label: c["activation"] for label, c in concepts(memory).items() if c["activation"] > 0}


def associations(memory: Memory) -> list[dict[str, Any]]:
    """Properties of every association with its ends' labels, oldest first."""
    found = rows(
        memory,
        "MATCH (s:Concept {memory: $memory})-[a:ASSOCIATED]->(t) "
        "RETURN a {.*, source: s.label, target: t.label} AS a ORDER BY a.first_turn, a.id",
    )
    return [row["a"] for row in found]


def association(memory: Memory, source: str, target: str) -> dict[str, Any]:
    """The one association between two labels."""
    (found,) = [a for a in associations(memory) if (a["source"], a["target"]) == (source, target)]
    return found


def current(memory: Memory) -> set[tuple[str, str, str]]:
    """(source, relation, target) of what holds and was said; "not" before a negated relation."""
    return {
        (a["source"], f"not {a['relation']}" if a["negated"] else a["relation"], a["target"])
        for a in associations(memory)
        if a.get("superseded_turn") is None and not a.get("implied")
    }


def records(memory: Memory) -> list[dict[str, Any]]:
    """Properties of every record in the order of the conversation, embeddings left out."""
    found = rows(
        memory,
        "MATCH (r:Record {memory: $memory}) "
        "RETURN r {.*, embedding: null, created_at: null} AS r ORDER BY r.turn, r.role DESC, r.id",
    )
    return [row["r"] for row in found]


def mentions(memory: Memory) -> list[tuple[int, str, str, str, float]]:
    """(turn, concept's label, surface, method, score) of every mention."""
    found = rows(
        memory,
        "MATCH (r:Record {memory: $memory})-[m:MENTIONS]->(c) "
        "RETURN r.turn AS turn, c.label AS label, m.surface AS surface, m.method AS method, m.score AS score "
        "ORDER BY turn, label",
    )
    return [(row["turn"], row["label"], row["surface"], row["method"], row["score"]) for row in found]


def concepts_by_kind(memory: Memory, kind: str) -> list[dict[str, Any]]:
    """Properties of the concepts of one kind."""
    return [c for c in concepts(memory).values() if c["kind"] == kind]


def clock(memory: Memory) -> int:
    """How many turns are closed."""
    return int(rows(memory, "MATCH (m:Memory {name: $memory}) RETURN m.turn AS turn")[0]["turn"])


def checksum(memory: Memory) -> str:
    """A hash of every property of every node and relationship of the memory."""
    nodes = rows(
        memory,
        "MATCH (n) WHERE n.memory = $memory OR (n:Memory AND n.name = $memory) "
        "RETURN labels(n) AS labels, properties(n) AS properties ORDER BY n.id, elementId(n)",
    )
    links = rows(
        memory,
        "MATCH (s {memory: $memory})-[r]->(t) "
        "RETURN type(r) AS type, s.id AS source, t.id AS target, properties(r) AS properties "
        "ORDER BY type, source, target, r.id",
    )
    nodes = [row | {"labels": sorted({*row["labels"]} - INDEXING)} for row in nodes]
    plain = _plain([nodes, links])
    return hashlib.sha256(canonical_json(plain).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def tell(memory: Memory, text: str, extraction: Extraction, speaker: str = "Ana", **options: Any) -> Turn:
    """Perceive a turn and close it without a reply."""
    turn = memory.perceive(text, speaker=speaker, extraction=extraction, **{"at": NOON, **options})
    turn.close()
    return turn


def edit(memory: Memory, query: str, **parameters: Any) -> None:
    """Change a memory by hand, and say so, as whoever edits by hand must."""
    memory.graph.store.schema(query, memory=memory.name, **parameters)
    memory.graph.store.write_rows("storage/raise_version", memory=memory.name, kept=KEPT, marks=None)


def add_hub(memory: Memory, relationships: int = 101) -> None:
    """Add concepts of which the first has so many relationships."""
    edit(
        memory,
        "CREATE (hub:Concept {memory: $memory, id: 'hub'}) WITH hub UNWIND range(1, $relationships) AS i "
        "CREATE (hub)-[:ASSOCIATED {memory: $memory, id: 'hub-' + i}]->(:Concept {memory: $memory, id: 'end-' + i})",
        relationships=relationships,
    )


def counter(memory: Memory) -> Callable[[], int]:
    """How many statements were sent since."""
    store, before = memory.graph.store, memory.graph.store.sent
    return lambda: store.sent - before


def checksum_without_lock(memory: Memory) -> str:
    """The checksum once the lock property, which every writer sets, has been set to one value."""
    memory.graph.store.schema("MATCH (m:Memory {name: $name}) SET m.lock = ''", name=memory.name)
    return checksum(memory)


@contextmanager
def own_memory(graph: Graph, extractor: Extractor | None = None, **dynamics: Any) -> Iterator[Memory]:
    """A memory with its own extractor or changed dynamics, deleted at the end of the block."""
    options = Options(dynamics=replace(Dynamics(), **dynamics))
    own = Graph(graph.store, graph.embedder, extractor or graph.extractor, options)
    memory = own.memory(f"test-{uuid.uuid4().hex[:12]}")
    try:
        yield memory
    finally:
        own.delete(memory.name)
