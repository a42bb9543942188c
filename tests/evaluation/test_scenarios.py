"""A first check of quality: the scenarios of the source's seven phenomena through perceive and recall."""

from __future__ import annotations

import pytest
from locations import DATA
from tables import table

from oroi_graph import Graph
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.run import evaluate
from oroi_graph.evaluation.scoring import says

pytestmark = pytest.mark.exclusive("evaluation")

SCENARIOS = DATA / "scenarios.jsonl"


@table(
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


@pytest.mark.parametrize(("extraction", "overall", "each"), [("gold", 0.9, 0.5), ("offline", 0.7, 0.01)])
def test_recall_at_context(graph: Graph, extraction: str, overall: float, each: float) -> None:
    found = evaluate(graph, read_scenarios(SCENARIOS, extraction), ("oroi",)).conditions["oroi"]
    shares = {group: part.metrics["recall_at_context"] for group, part in found.groups.items()}
    for group, share in [*shares.items(), ("all", found.overall.metrics["recall_at_context"])]:
        print(f"{extraction:8} {group:16} {share:.2f}")  # noqa: T201
    assert len(shares) == 7
    assert found.overall.metrics["recall_at_context"] >= overall
    assert min(shares.values()) >= each, shares
