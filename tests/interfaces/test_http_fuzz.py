"""The HTTP API against its own description, in small; `benchmarks/http_fuzz.py` does it at length."""

from __future__ import annotations

from oroi_graph.interfaces.keys import RIGHTS, KeyRegistry
from oroi_graph.memory import Graph, Memory


def test_no_answer_is_other_than_described(graph: Graph, keys: KeyRegistry, memory: Memory) -> None:
    from http_fuzz import LIFE, fuzz, serving  # its library takes a good part of a second in each test process

    for text in LIFE:
        memory.perceive(text, speaker="Ana").close("I see.")
    key = keys.create("fuzz", [memory.name], RIGHTS).text
    with serving(graph) as served:
        found = fuzz(served.url, key, each=8)
    assert found.failures == {}
    assert found.cases > 200
    assert {"200", "201", "422"} <= set(found.statuses)
    assert not any(status.startswith("5") for status in found.statuses)
