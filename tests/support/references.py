"""Every id that a memory's nodes and relationships hold, and whether it leads anywhere."""

from __future__ import annotations

from typing import Any

from graph_view import rows

from oroi_graph.memory import Memory


def dangling(memory: Memory) -> list[tuple[str, str, Any]]:
    """(where, property, id) of every reference that leads nowhere. A merge that was undone is history."""
    name = memory.name
    nodes = rows(
        memory,
        "MATCH (n) WHERE n.memory = $memory OR n:Memory AND n.name = $memory "
        "RETURN labels(n) AS labels, properties(n) AS p",
    )
    links = rows(
        memory,
        "MATCH (a)-[r]->(b) WHERE a.memory = $memory OR b.memory = $memory "
        "RETURN type(r) AS type, properties(r) AS p, a.memory AS source, b.memory AS target",
    )
    records = {n["p"]["id"]: n["p"]["turn_id"] for n in nodes if "Record" in n["labels"]}
    associations = {r["p"]["id"] for r in links if r["type"] == "ASSOCIATED"}
    shadows = {r["p"]["id"] for r in links if r["type"] == "WAS_ASSOCIATED"}
    merges = {r["p"]["id"] for r in links if r["type"] == "MERGED_INTO"}
    known = associations | shadows
    wanted: dict[str, set[str]] = {
        "records": set(records),
        "host_records": set(records),
        "last_reply": set(records),
        "open_turn": set(records.values()),
        "gist_facts": associations,
        "superseded_by": known,
        "superseding": known,
        "host": known,  # where a later merge joined its two ends it rests, too, until that merge is undone
        "touched": known,
        "of_merge": merges,
    }
    found = []
    for what, properties in [*((str(n["labels"]), n["p"]) for n in nodes), *((r["type"], r["p"]) for r in links)]:
        if what == "['Forgetting']":
            continue
        for key, value in properties.items():
            ids = value if isinstance(value, list) else [value]
            if key == "associations":
                good = associations if "Record" in what else known
                found += [(what, key, id) for id in ids if id not in good]
            elif key == "merge" and what.startswith("WAS_"):
                found += [(what, key, id) for id in ids if id not in merges]
            elif key == "forgetting":
                found.append((what, key, value))
            elif key in wanted:
                found += [(what, key, id) for id in ids if id is not None and id not in wanted[key]]
    found += [(r["type"], "ends", r["p"]) for r in links if r["source"] != name or r["target"] != name]
    return found
