"""A memory, or what surrounds one concept of it, as a networkx graph: for pictures, GraphML and analysis."""

from __future__ import annotations

from typing import Any, TypeAlias

import networkx as nx

from oroi_graph.errors import InputError
from oroi_graph.language.normalize import label_key
from oroi_graph.storage.store import Row, Store

Portrait: TypeAlias = "nx.MultiDiGraph[Any]"

NEAR, FAR = 24, 3  # neighbours of a concept, and of each of its neighbours
MOST = 2_000  # concepts; what stands out is chosen from these


def portrait(store: Store, memory: str, concept: str | None = None, limit: int = MOST) -> Portrait:
    """The memory's concepts and associations, or those around `concept` (its label or an alias).

    Nodes are concept ids with label, kind, activation, strength, mentions, aliases; edges are keyed by association
    id and have relation, weight, current, negated, when, stated_at, count. limit: at most so many concepts, those
    that stand out. Raises InputError when no concept, or more than one, can be meant.
    """
    if limit < 1:
        raise InputError(f"limit must be 1 or more, got {limit}")
    if concept is None:
        row = store.one("visualization/strongest", memory=memory, limit=limit)
    else:
        found = find_concept(store, memory, concept)
        rows = store.rows("visualization/neighbourhood", memory=memory, concept=found["id"], near=NEAR, far=FAR)
        if not rows:
            raise InputError(f"{found['label']!r} has just been merged or deleted: ask again")
        row = rows[0]
    graph: Portrait = nx.MultiDiGraph(memory=memory)
    for node in row["nodes"]:
        graph.add_node(node.pop("id"), **node)
    for edge in row["edges"]:
        graph.add_edge(edge.pop("source"), edge.pop("target"), key=edge.pop("id"), **edge)
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
