"""Merges and undos by label, and what of a memory must be the same afterwards."""

from __future__ import annotations

import json
from typing import Any

from graph_state import everything_of
from graph_view import associations, concepts, mentions, records, rows

from oroi_graph import Dynamics, Memory
from oroi_graph.consolidation.merge import MergeRequest, merge
from oroi_graph.consolidation.unmerge import unmerge

# What one turn more changes by itself, and what counts the merges that were made.
COUNTED = ("merges", "heard_at")


def state(memory: Memory) -> list[str]:
    """All that the memory is, but for the traces that a merge which was undone leaves on purpose."""
    lines = []
    for line in everything_of(memory.graph.store, memory.name, verbatim=True):
        content = json.loads(line)
        if content[0] == "COMPARED":
            continue
        properties = content[-1]
        for name in (*COUNTED, "created_at", "at", "open_turn"):
            properties.pop(name, None)
        lines.append(json.dumps(content, sort_keys=True))
    return sorted(lines)


def find(memory: Memory, label: str) -> str:
    """The id of the concept with this label."""
    return str(concepts(memory)[label]["id"])


def join(memory: Memory, a: str, b: str) -> str:
    """Merge two concepts by label; the id of the merge."""
    union = MergeRequest(find(memory, a), find(memory, b), "test", "person", 1.0)

    def work(tx: Any) -> list[str]:
        heard = tx.one("consolidation/lock_memory", memory=memory.name, by="test")["heard"]
        made, left = merge(tx, memory.name, [union], heard, Dynamics())
        assert not left
        return made

    (made,) = memory.graph.store.write(work)
    return str(made)


def part(memory: Memory, id: str, later: bool = False) -> list[str]:
    """Undo a merge."""
    return memory.graph.store.write(lambda tx: unmerge(tx, memory.name, id, Dynamics(), later=later))


def shape(memory: Memory) -> list[Any]:
    """Concepts, facts, mentions and coincidences without activations and learned weights, which turns change."""
    found: list[Any] = [
        ("concept", label, c["aliases"], c["mentions"], c["first_turn"], c["last_turn"])
        for label, c in concepts(memory).items()
    ]
    names = "source relation target negated count first_turn last_turn superseded_turn records".split()
    found += [("fact", *(a.get(name) for name in names)) for a in associations(memory)]
    found += [("mention", *row) for row in mentions(memory)]
    found += [
        tuple(row.values())
        for row in rows(
            memory,
            "MATCH (a:Concept {memory: $memory})-[p:COINCIDED]-(b:Concept) WHERE a.label < b.label "
            "RETURN 'pair', a.label AS a, b.label AS b, p.count AS count, p.last_turn AS turn",
        )
    ]
    return sorted(found, key=str)


def record_ids(memory: Memory) -> list[str]:
    return [r["id"] for r in records(memory)]


def renamed(text: str, names: dict[str, str]) -> str:
    for name, other in names.items():
        text = text.replace(name, other)
    return text
