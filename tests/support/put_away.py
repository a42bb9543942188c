"""Removing the memory of a test, whatever the test left there."""

from __future__ import annotations

from oroi_graph.memory import Graph

_ALL = "MATCH (n) WHERE n.memory = $name OR n:Memory AND n.name = $name DETACH DELETE n"


def put_away(graph: Graph, name: str) -> None:
    """Remove a memory by one statement. `Graph.delete`, which has tests of its own, takes thirteen, and proves it."""
    graph.store.schema(_ALL, name=name)
    graph.sets.drop(name)
