"""A memory, or what surrounds one concept of it: as plain rows, and as a networkx graph for pictures and analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from oroi_graph.errors import InputError
from oroi_graph.language.normalize import label_key
from oroi_graph.storage.store import Row, Store

if TYPE_CHECKING:
    import networkx as nx

Portrait: TypeAlias = "nx.MultiDiGraph[Any]"

NEAR, FAR = 24, 3  # neighbours of a concept, and of each of its neighbours
MOST = 2_000  # concepts; what stands out is chosen from these


def outstanding(store: Store, memory: str, concept: str | None = None, limit: int = MOST) -> Row:
    """The memory's concepts and associations, or those around `concept` (its label or an alias).

    {"nodes": […], "edges": […]}: nodes have id, label, kind, activation, strength, mentions, aliases; edges id, source,
    target, relation, weight, current, negated, when, stated_at, count. Of a whole memory also how many "concepts" and
    "associations" it has. limit: at most so many concepts, those that stand out. Raises InputError when no concept, or
    more than one, can be meant.
    """
    if limit < 1:
        raise InputError(f"limit must be 1 or more, got {limit}")
    if concept is None:
        return store.one("visualization/strongest", memory=memory, limit=limit)
    found = find_concept(store, memory, concept)
    rows = store.rows("visualization/neighbourhood", memory=memory, concept=found["id"], near=NEAR, far=FAR)
    if not rows:
        raise InputError(f"{found['label']!r} has just been merged or deleted: ask again")
    return rows[0]


def portrait(memory: str, row: Row) -> Portrait:
    """The networkx graph of what `outstanding` found: nodes by concept id, edges by association id."""
    import networkx as nx  # of the extra `pictures`

    totals = {name: row[name] for name in ("concepts", "associations") if name in row}
    graph: Portrait = nx.MultiDiGraph(memory=memory, **totals)
    for node in row["nodes"]:
        graph.add_node(node["id"], **{name: value for name, value in node.items() if name != "id"})
    for edge in row["edges"]:
        known = {name: value for name, value in edge.items() if name not in ("id", "source", "target")}
        graph.add_edge(edge["source"], edge["target"], key=edge["id"], **known)
    return graph


def find_concept(store: Store, memory: str, label: str) -> Row:
    """The concept (id, label, kind) that `label` means: exactly, else the only one whose label contains it."""
    key = label_key(label)
    if not key:
        raise InputError(f"no concept is called {label!r}: give a word of its label")
    found = store.rows("visualization/find_concepts", memory=memory, key=key)
    exact = [row for row in found if row["exact"]]
    meant = exact or found
    if len(meant) == 1 or (exact and len({row["label"] for row in exact}) == 1):
        return meant[0]
    if not found:
        raise InputError(f"no concept of memory {memory!r} is called {label!r} or has it in its label")
    raise InputError(f"{label!r} could be {', '.join(row['label'] for row in meant[:8])}: say which")
