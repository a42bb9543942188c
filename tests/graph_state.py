"""All that a memory is, for comparing: every node, relationship and property, in one canonical order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from oroi_graph.memory import Memory
from oroi_graph.model import Extraction
from oroi_graph.store import Store

SCENARIOS = Path(__file__).parent / "data" / "scenarios.jsonl"

# What is derived from the memory's name: two memories of one content differ in it.
NAMED = frozenset({"name", "memory", "memory_key", "slot"})
LOCK = "lock"  # who held the memory's lock last: written to take it, read by nobody


def scenarios(count: int) -> list[dict[str, Any]]:
    """The first scenarios of the suite's file."""
    return [json.loads(line) for line in SCENARIOS.read_text(encoding="utf-8").splitlines()[:count]]


def perceive_scenarios(memory: Memory, count: int, mark: str = "") -> None:
    """Perceive some scenarios with their gold extractions; `mark` is appended to ids, speakers and names."""
    for number, scenario in enumerate(scenarios(count)):
        for place, turn in enumerate(scenario["turns"]):
            gold = turn.get("extraction")
            memory.perceive(
                turn["text"] + mark,
                speaker=turn["speaker"] + mark,
                role=turn["role"],
                id=f"{number}-{place}{mark}",
                session=f"{turn['session']}{mark}",
                extraction=Extraction.from_json(_marked(gold, mark)) if gold else None,
            )


def _marked(gold: dict[str, Any], mark: str) -> dict[str, Any]:
    """The extraction with every label marked, but for first persons."""
    if not mark:
        return gold
    said = [concept | {"label": concept["label"] + mark} for concept in gold["concepts"]]
    relations = [
        relation | {end: relation[end] + (mark if relation[end] != "I" else "") for end in ("source", "target")}
        for relation in gold["relations"]
    ]
    return gold | {"concepts": said, "relations": relations}


def everything_of(store: Store, name: str, *, verbatim: bool = False) -> list[str]:
    """One line a node or relationship of the memory, sorted; vectors and all.

    Left out, unless `verbatim`, is what depends on the memory's name; records are named by turn id and role.
    """
    nodes = _rows(
        store,
        "MATCH (n) WHERE n.memory = $m OR (n:Memory AND n.name = $m) RETURN elementId(n), labels(n), properties(n)",
        name,
    )
    relationships = _rows(
        store,
        "MATCH (a)-[r]->(b) WHERE a.memory = $m OR b.memory = $m OR r.memory = $m "
        "RETURN elementId(a), elementId(b), type(r), properties(r)",
        name,
    )
    record = {p["id"]: f"{p['turn_id']} {p['role']}" for _, labels, p in nodes if "Record" in labels}
    named = {} if verbatim else record
    ends = {element: named.get(p.get("id"), p.get("id")) for element, _, p in nodes}
    lines = [_line("node", sorted(labels), _plain(p, named, verbatim)) for _, labels, p in nodes]
    lines += [
        _line(type_, ends.get(a, a), ends.get(b, b), _plain(p, named, verbatim)) for a, b, type_, p in relationships
    ]
    return sorted(lines)


def _rows(store: Store, query: str, name: str) -> list[list[Any]]:
    return store.explore(query, m=name)[1]


def _plain(properties: dict[str, Any], named: dict[str, str], verbatim: bool) -> dict[str, Any]:
    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(item) for item in value]
        return named.get(value, value) if isinstance(value, str) else value

    return {key: renamed(value) for key, value in properties.items() if key != LOCK and (verbatim or key not in NAMED)}


def _line(*content: Any) -> str:
    return json.dumps(content, sort_keys=True, default=str, ensure_ascii=False)
