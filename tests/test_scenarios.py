"""A first check of quality: the scenarios of the source's seven phenomena through perceive and recall."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from recall_at_context import correct, says

from oroi_graph import Extraction, Graph

SCENARIOS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "scenarios.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(
    ("context", "alternatives", "expected"),
    [
        ("She lives in Valencia.", ["valencia"], True),
        ("She lives in Valencia.", ["Val"], False),
        ("A lawyer.", ["attorney", "lawyer"], True),
        ("It costs 150 euros", ["15"], False),
        ("¿Vive en Cádiz?", ["cádiz"], True),
        ("C++ (language)", ["C++"], True),
        ("", ["anything"], False),
    ],
)
def test_alternatives_are_matched_on_word_boundaries(context: str, alternatives: list[str], expected: bool) -> None:
    assert says(context, alternatives) is expected


def test_a_probe_needs_every_requirement_and_nothing_forbidden() -> None:
    probe = {"required": [["lawyer", "attorney"], ["Carlos"]], "forbidden": [["plumber"]]}
    assert correct("Carlos is an attorney.", probe)
    assert not correct("He is an attorney.", probe)
    assert not correct("Carlos is a lawyer, Elena a plumber.", probe)


@pytest.mark.parametrize(("extraction", "overall", "each"), [("gold", 0.9, 0.5), ("offline", 0.7, 0.01)])
def test_recall_at_context(graph: Graph, extraction: str, overall: float, each: float) -> None:
    results: dict[str, list[bool]] = defaultdict(list)
    for scenario in SCENARIOS:
        results[scenario["phenomenon"]] += run(graph, scenario, gold=extraction == "gold")
    shares = {phenomenon: sum(right) / len(right) for phenomenon, right in results.items()}
    probes = [right for rights in results.values() for right in rights]
    for phenomenon, right in sorted(results.items()):
        print(f"{extraction:8} {phenomenon:16} {sum(right)}/{len(right)}")  # noqa: T201
    print(f"{extraction:8} {'all':16} {sum(probes)}/{len(probes)}")  # noqa: T201
    assert len(shares) == 7
    assert sum(probes) / len(probes) >= overall
    assert min(shares.values()) >= each, shares


def run(graph: Graph, scenario: Mapping[str, Any], *, gold: bool) -> list[bool]:
    """Perceive a scenario's turns in a memory of its own, then probe it; whether each probe is correct."""
    memory = graph.memory(f"test-{scenario['id']}-{uuid.uuid4().hex[:8]}")
    try:
        for i, turn in enumerate(scenario["turns"]):
            memory.perceive(
                turn["text"],
                speaker=turn.get("speaker"),
                role=turn["role"],
                id=str(i),
                at=datetime.fromisoformat(turn["at"]),
                session=str(turn["session"]),
                extraction=Extraction.from_json(turn.get("extraction", {})) if gold else None,
            )
        return [correct(memory.recall(probe["question"]).brief.text, probe) for probe in scenario["probes"]]
    finally:
        graph.delete(memory.name)
