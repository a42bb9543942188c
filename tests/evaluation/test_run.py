"""Evaluations as a whole: the same bytes twice, one memory for all conditions, nothing left, clear errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest_cli import Ran, cli_environment, oroi
from evaluation_files import evaluated_memories, jsonl, locomo_file, musique_files
from locations import DATA
from tables import table

from oroi_graph.evaluation.baselines.conditions import CONDITIONS, Answer
from oroi_graph.evaluation.baselines.memory import memory_name, world_of
from oroi_graph.evaluation.datasets.dataset import Case, Dataset, Question
from oroi_graph.evaluation.datasets.locomo import read_conversations
from oroi_graph.evaluation.datasets.musique import read_passages
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.errors import EvaluationError
from oroi_graph.evaluation.report import Failures, tables
from oroi_graph.evaluation.run import EvaluationRun, evaluate
from oroi_graph.evaluation.scoring import correct, scored
from oroi_graph.evaluation.statistics import wilson
from oroi_graph.memory import Graph
from oroi_graph.storage import catalog

# Evaluations name their memories by content and look for what is left of any of them.
pytestmark = pytest.mark.exclusive("evaluation")

__all__ = ["cli_environment", "oroi"]  # fixtures

Oroi = Callable[..., Ran]
SCENARIOS = DATA / "scenarios.jsonl"
SAID: dict[str, Any] = {
    "id": "where-1",
    "phenomenon": "updating",
    "language": "en",
    "turns": [
        {"speaker": "Ana", "text": "I live in Bilbao.", "at": "2026-01-03T10:00:00Z"},
        {"role": "assistant", "text": "Noted."},
        {"speaker": "Ana", "text": "I moved: I live in Irun now.", "at": "2026-02-03T10:00:00Z"},
    ],
    "probes": [
        {"question": "Where does Ana live?", "required": [["Irun"]]},
        {"question": "What does Ana play?", "required": [["oboe"]], "forbidden": [["Irun"]]},
    ],
}


@pytest.fixture(autouse=True)
def nothing_is_left(graph: Graph) -> Iterator[None]:
    """No memory stays behind, whatever happened; what others keep in the database is theirs."""
    before = evaluated_memories(graph.store)
    yield
    assert evaluated_memories(graph.store) <= before


def datasets(tmp_path: Path) -> dict[str, Callable[[], Dataset]]:
    return {
        "scenarios": lambda: read_scenarios(SCENARIOS, limit=2),
        "locomo": lambda: read_conversations(locomo_file(tmp_path)),
        "musique": lambda: read_passages(*musique_files(tmp_path)),
    }


@pytest.mark.parametrize("name", ["scenarios", "locomo", "musique"])
def test_two_runs_are_the_same_bytes(graph: Graph, tmp_path: Path, name: str) -> None:
    dataset = datasets(tmp_path)[name]
    found = []
    for _ in range(2):
        text = evaluate(graph, dataset(), tuple(CONDITIONS)).text()
        data = json.loads(text)
        found.append(text[: text.index('"timings"')])
    assert found[0] == found[1]
    assert list(data["conditions"]) == list(CONDITIONS)
    assert [row["b"] for row in data["comparisons"]] == [other for other in CONDITIONS if other != "oroi"]
    assert set(data["timings"]["oroi"]["read_ms"]) == {"p50", "p95"}


def test_locomo_is_scored_by_hand(graph: Graph, tmp_path: Path) -> None:
    """ "none" ranks the five turns newest first: D2:2, D2:1, D1:3, D1:2, D1:1."""
    data = evaluate(graph, datasets(tmp_path)["locomo"](), ("none",)).to_json()
    none = data["conditions"]["none"]
    assert data["n"] == 3  # of category 5 there is one more
    assert none["metrics"] == {f"{kind}@{k}": 1.0 for kind in ("recall", "all") for k in (5, 10, 20)} | {"quoted": 1.0}
    sizes = {group: part["n"] for group, part in none["groups"].items()}
    assert sizes == {"1": 1, "2": 1, "4": 1, "5": 1, "1-4": 3, "1-5": 4}
    assert data["counts"]["questions_without_evidence"] == 2
    assert data["comparisons"] == []


def test_musique_is_scored_by_hand(graph: Graph, tmp_path: Path) -> None:
    """Of the last passages only one is a supporting one, among the first two."""
    data = evaluate(graph, datasets(tmp_path)["musique"](), ("none", "pagerank")).to_json()
    expected = {"recall@2": 0.5, "recall@5": 1.0, "recall@10": 1.0, "all@5": 1.0, "quoted": 1.0}
    assert data["conditions"]["none"]["metrics"] == expected
    assert data["conditions"]["pagerank"]["metrics"]["recall@2"] == 1.0
    assert data["counts"]["memory_facts"] == 5


def test_scenarios_are_scored_and_failures_told(graph: Graph, tmp_path: Path) -> None:
    dataset = read_scenarios(jsonl(tmp_path / "s.jsonl", [SAID]), "offline")
    failures = Failures(dataset, "oroi")
    data = evaluate(graph, dataset, ("none", "oroi"), EvaluationRun(failures=failures)).to_json()
    oroi = data["conditions"]["oroi"]
    assert oroi["metrics"]["recall_at_context"] == 0.5
    assert oroi["groups"]["updating"]["n"] == data["n"] == 2
    assert oroi["intervals"]["recall_at_context"] == [round(end, 4) for end in wilson(1, 2)]
    same = {"wins": 0, "losses": 0, "p": 1.0, "difference": 0.0, "interval": [0.0, 0.0]}
    assert data["comparisons"] == [
        {"a": "oroi", "b": "none", "metric": "recall_at_context", "groups": {"updating": same}} | same
    ]
    report = failures.text()
    assert "1 of 2 questions are below 1" in report
    assert "**What does Ana play?** (recall_at_context 0.00, " in report
    assert "- **missing**: oboe" in report
    assert "Where does Ana live?" not in report
    assert "Irun" in report.split("Facts of the memory:")[1]


def test_a_failure_says_where_the_evidence_is(graph: Graph, tmp_path: Path) -> None:
    dataset = datasets(tmp_path)["musique"]()
    strict = Dataset(name="x", cases=dataset.cases, headline="recall@1", depths=(1,))
    failures = Failures(strict, "facts")
    evaluate(graph, strict, ("facts",), EvaluationRun(failures=failures))
    report = failures.text()
    assert "- passage-1, rank " in report
    assert "Passage-Reader: Eibar The mayor of Eibar is Jon Iraola." in report


# -- one memory, left as it was ----------------------------------------------------------------------------


def small(tmp_path: Path) -> Case:
    return read_scenarios(jsonl(tmp_path / "s.jsonl", [SAID]), "offline").cases[0]


def test_reading_leaves_no_trace_or_the_evaluation_stops(graph: Graph, tmp_path: Path) -> None:
    case = small(tmp_path)
    with world_of(case, "trace", graph) as world:
        world.memory.recall("Where does Ana live?")
    one_bit = "MATCH (c:Concept {memory: $m}) WITH c LIMIT 1 SET c.activation = c.activation + 1e-9"
    for write in (one_bit, "MATCH (r:Record {memory: $m}) WITH r LIMIT 1 CREATE (r)-[:SEEN]->(r)"):
        with (
            pytest.raises(EvaluationError, match="changed while it was only read"),
            world_of(case, "trace", graph) as world,
        ):
            graph.store.schema(write, m=world.memory.name)


def test_the_memory_goes_whatever_happens(graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), world_of(small(tmp_path), "trace", graph) as world:
        raise KeyboardInterrupt
    assert catalog.remaining(graph.store, world.memory.name) == 0


def test_a_memory_in_the_way_is_not_touched(graph: Graph, tmp_path: Path) -> None:
    case = small(tmp_path)
    name = memory_name(case, "trace", graph)
    graph.memory(name)
    try:
        with (
            pytest.raises(EvaluationError, match=f"`oroi memory delete {name}`"),
            world_of(case, "trace", graph),
        ):
            pytest.fail("it must not be built")
        assert catalog.describe(graph.store, name) is not None
        with world_of(case, "trace", graph, keep=True) as world:
            assert len(world.records) == 3
        with world_of(case, "trace", graph, keep=True) as world:
            assert (world.built.written, world.built.skipped, len(world.records)) == (0, 3, 3)
    finally:
        graph.delete(name)


def test_another_content_is_another_memory(graph: Graph, tmp_path: Path) -> None:
    case = small(tmp_path)
    assert memory_name(case, "trace", graph) == memory_name(small(tmp_path), "trace", graph)
    assert memory_name(Case(case.name, case.turns[1:], ()), "trace", graph) != memory_name(case, "trace", graph)


# -- the command -------------------------------------------------------------------------------------------


def test_the_command_writes_and_prints(oroi: Oroi, graph: Graph, tmp_path: Path) -> None:
    corpus, questions = musique_files(tmp_path)
    out, failures = tmp_path / "out.json", tmp_path / "failures.md"
    ran = oroi(
        "evaluate", "musique", str(corpus), str(questions), "--json", str(out), "--failures", str(failures),
        "--condition", "oroi", "--condition", "hybrid",
    )  # fmt: skip
    assert ran.code == 0, ran
    data = json.loads(out.read_text())
    assert (data["dataset"], data["n"], data["seed"], data["embedder"]) == ("musique", 1, 0, "all-MiniLM-L6-v2")
    assert list(data["conditions"]) == ["hybrid", "oroi"]
    assert "recall@5" in ran.out
    assert "oroi : hybrid" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 120
    assert "1 questions without evidence" in ran.err
    assert failures.read_text().startswith("# Failures: musique, oroi")


def test_the_command_asks_who_is_told(oroi: Oroi, tmp_path: Path) -> None:
    """Gold states nothing here; the offline extractor reads both turns."""
    path = str(jsonl(tmp_path / "s.jsonl", [SAID]))
    told = {}
    for extraction in ("gold", "offline"):
        out = tmp_path / f"{extraction}.json"
        options = ["--extraction", extraction, "--condition", "none", "--json", str(out)]
        assert oroi("evaluate", "scenarios", path, *options).code == 0
        data = json.loads(out.read_text())
        told[data["extraction"]] = data["counts"]["memory_facts"]
    assert told["gold"] == 0 < told["offline"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["scenarios", "{missing}"], "cannot read {missing}: No such file"),
        (["scenarios", "{bad}"], "bad.jsonl line 1: 'id' must be text, got None"),
        (["scenarios", "{good}", "--condition", "bm25"], "unknown condition 'bm25': choose from none, hybrid"),
        (
            ["scenarios", "{good}", "--extraction", "magic"],
            "must be gold, offline, openai or recorded:PATH, got 'magic'",
        ),
        (["scenarios", "{good}", "--extraction", "recorded:{missing}"], "cannot read recordings from {missing}"),
        (["scenarios", "{good}", "--json", "{folder}/no/out.json"], "cannot write {folder}/no/out.json: No such file"),
        (["scenarios", "{good}", "--failures", "{folder}"], "cannot write {folder}: it is a folder"),
        (["locomo", "{good}"], "good.jsonl (conversation 1): no 'conversation'"),
        (["musique", "{good}", "{good}"], "good.jsonl line 1: 'title' must be text"),
    ],
)
def test_errors_are_one_line(oroi: Oroi, tmp_path: Path, arguments: list[str], said: str) -> None:
    at = {
        "missing": str(tmp_path / "missing.jsonl"),
        "bad": str(jsonl(tmp_path / "bad.jsonl", [{}])),
        "good": str(jsonl(tmp_path / "good.jsonl", [SAID])),
        "folder": str(tmp_path),
    }
    error = oroi("evaluate", *(argument.format(**at) for argument in arguments)).failed()
    assert said.format(**at) in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "good.jsonl"]


# -- Recall@context ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("context", "right"),
    [
        ("Carlos is an attorney.", True),
        ("CARLOS is a Lawyer", True),
        ("He is an attorney.", False),
        ("Carlos is a lawyer, Elena a plumber.", False),
        ("Carlos is a lawyer of plumbers.", True),
        ("", False),
    ],
)
def test_a_probe_needs_every_requirement_and_nothing_forbidden(context: str, right: bool) -> None:
    assert correct(context, [["lawyer", "attorney"], ["Carlos"]], [["plumber"]]) is right


# -- the other metrics of scenarios ------------------------------------------------------------------------

OUTDATED = "As told in March 2026, Ana lives in Irun (no longer so)."
BOTH = {"required": (("Bilbao",),), "forbidden": (("Irun",),)}


@table(
    ("asked", "context", "values"),
    [
        (BOTH, "Ana lives in Bilbao.", {"recall_at_context": 1, "evidence": 1, "stale": 0, "marked": 0, "empty": 0}),
        (BOTH, "", {"recall_at_context": 0, "evidence": 0, "stale": 0, "marked": 0, "empty": 1}),
        (BOTH, "Ana lives in Irun.", {"recall_at_context": 0, "evidence": 0, "stale": 1, "marked": 0, "empty": 0}),
        (
            BOTH,
            "Ana lives in Bilbao.\nShe lives in Irun.",
            {"recall_at_context": 0, "evidence": 1, "stale": 1, "marked": 0, "empty": 0},
        ),
        (
            BOTH,
            f"Ana lives in Bilbao.\n{OUTDATED}",
            {"recall_at_context": 0, "evidence": 1, "stale": 0, "marked": 1, "empty": 0},
        ),
        (
            BOTH,
            f"Ana lives in Bilbao, not in Irun.\n{OUTDATED}",
            {"recall_at_context": 0, "evidence": 1, "stale": 1, "marked": 0, "empty": 0},
        ),
        (BOTH, OUTDATED, {"recall_at_context": 0, "evidence": 0, "stale": 0, "marked": 0, "empty": 0}),
        (
            {"required": (("Bilbao",),)},
            "Ana lives in Bilbao.",
            {"recall_at_context": 1, "evidence": 1, "empty": 0},
        ),
        (
            {"forbidden": (("Irun",),)},
            "",
            {"recall_at_context": 1, "stale": 0, "marked": 0, "empty": 1},
        ),
        (
            {"forbidden": (("Irun",),)},
            OUTDATED,
            {"recall_at_context": 0, "stale": 0, "marked": 0, "empty": 0},
        ),
    ],
)  # fmt: skip
def test_a_context_is_scored_by_what_it_says_and_how(
    asked: dict[str, Any], context: str, values: dict[str, float]
) -> None:
    probe = Question("q", "Where does Ana live?", ("updating",), **asked)
    dataset = Dataset(name="x", cases=(), headline="recall_at_context")
    assert scored(dataset, probe, Answer(context, ()), {}, 1.0).values == values


def test_what_is_quoted_of_the_evidence_is_counted_by_turns() -> None:
    asked = Question("q", "Where does Ana live?", ("1",), evidence=("a", "b", "c"))
    dataset = Dataset(name="x", cases=(), headline="recall@1", depths=(1,))
    turns = {"1": "a", "2": "a", "3": "b", "4": "d"}
    found = scored(dataset, asked, Answer("said", ("4", "1"), ("1", "2", "4")), turns, 1.0)
    assert found.values == {"recall@1": 0.0, "quoted": pytest.approx(1 / 3)}


def test_silence_is_right_where_nothing_is_known(graph: Graph, tmp_path: Path) -> None:
    """A metric is the mean over the questions that it can be measured on."""
    asked = [
        {"question": "Where does Ana live?", "required": [["Irun"]]},
        {"question": "What is the melting point of tungsten?", "forbidden": [["Irun"]]},
    ]
    dataset = read_scenarios(jsonl(tmp_path / "s.jsonl", [SAID | {"probes": asked}]), "offline")
    data = evaluate(graph, dataset, ("none", "oroi")).to_json()["conditions"]
    assert data["oroi"]["metrics"] == {
        "recall_at_context": 1.0, "evidence": 1.0, "stale": 0.0, "marked": 0.0, "empty": 0.5,
    }  # fmt: skip
    assert data["none"]["metrics"]["empty"] == 0.0


def test_what_no_question_asks_for_is_no_metric(graph: Graph, tmp_path: Path) -> None:
    asked = [{"question": "Where does Ana live?", "required": [["Irun"]]}]
    dataset = read_scenarios(jsonl(tmp_path / "s.jsonl", [SAID | {"probes": asked}]), "offline")
    found = evaluate(graph, dataset, ("oroi",))
    assert set(found.to_json()["conditions"]["oroi"]["metrics"]) == {"recall_at_context", "evidence", "empty"}
    assert "stale" not in {row[0] for row in tables(found)[0].rows}


def test_a_probe_is_asked_with_its_own_budget(graph: Graph, tmp_path: Path) -> None:
    """So few tokens hold no line: what is known does not fit."""
    probes = [{"question": "Where does Ana live?", "required": [["Irun"]], "budget": budget} for budget in (20, 512)]
    dataset = read_scenarios(jsonl(tmp_path / "s.jsonl", [SAID | {"probes": probes}]), "offline")
    values = evaluate(graph, dataset, ("oroi",)).to_json()["conditions"]["oroi"]["metrics"]
    assert (values["evidence"], values["empty"]) == (0.5, 0.5)
