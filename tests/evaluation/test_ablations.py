"""Ablations: a variant takes out what it says and nothing else, is gone when it is over, and reads its own memory."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import ablations
import numpy as np
import pytest
import variants
from databases import TestDatabase
from evaluation_files import evaluated_memories, jsonl, locomo_file

from oroi_graph.activation import kernel
from oroi_graph.activation.kernel import Network
from oroi_graph.entities import fact_updates, linker
from oroi_graph.errors import OroiError
from oroi_graph.evaluation.baselines.memory import memory_name, world_of
from oroi_graph.evaluation.datasets.locomo import read_conversations
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.errors import EvaluationError
from oroi_graph.evaluation.statistics import sign_test
from oroi_graph.memory import Graph
from oroi_graph.options import Options
from oroi_graph.perception import decide_facts
from oroi_graph.recall.answering import gathering
from oroi_graph.recall.graph import evidence
from oroi_graph.recall_options import Ranking
from oroi_graph.storage import catalog

# Evaluations name their memories by content and look for what is left of any of them.
pytestmark = pytest.mark.exclusive("evaluation")

NAMES = [variant.name for variant in variants.variants()]
SAID: dict[str, Any] = {
    "id": "where-1",
    "phenomenon": "updating",
    "language": "en",
    "turns": [
        {"speaker": "Ana", "text": "My friend Guggenheimer lives in Bilbao.", "at": "2026-01-03T10:00:00Z",
         "extraction": {"concepts": [{"label": "Guggenheimer", "kind": "name"}, {"label": "Bilbao", "kind": "name"}],
                        "relations": [{"source": "Guggenheimer", "relation": "lives in", "target": "Bilbao"}]}},
        {"role": "assistant", "text": "Noted."},
        {"speaker": "Ana", "text": "Guggenhemer lives in Irun now.", "at": "2026-02-03T10:00:00Z",
         "extraction": {"concepts": [{"label": "Guggenhemer", "kind": "name"}, {"label": "Irun", "kind": "name"}],
                        "relations": [{"source": "Guggenhemer", "relation": "lives in", "target": "Irun"}]}},
        {"speaker": "Ana", "text": "Irun is lovely.", "at": "2026-02-04T10:00:00Z",
         "extraction": {"concepts": [{"label": "Irun", "kind": "name"}]}},
    ],
    "probes": [{"question": "Where does Guggenheimer live?", "required": [["Irun"]], "forbidden": [["Bilbao"]]}],
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_is_left(graph: Graph) -> Iterator[None]:
    """No memory stays behind."""
    before = evaluated_memories(graph.store)
    yield
    assert evaluated_memories(graph.store) <= before


def variant(name: str) -> variants.Variant:
    return variants.chosen([name])[0]


# -- variants ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_variant_differs_while_it_is_applied_and_not_after(graph: Graph, name: str) -> None:
    one = variant(name)
    places = [(module, attribute, getattr(module, attribute)) for module, attribute, _ in one.swaps()]
    options = graph.options
    with one.applied(graph):
        assert graph.options == one.options(options)
        assert all(getattr(module, attribute) != original for module, attribute, original in places)
    assert graph.options is options
    assert all(getattr(module, attribute) is original for module, attribute, original in places)
    # What is the default already is the only variant that may change nothing.
    assert one.changes(Options()) or name == f"rho-{Options().relevance_gain:.0f}"


def test_a_function_is_swapped_wherever_it_was_imported(graph: Graph) -> None:
    own = decide_facts.decide_late, gathering.gather, linker.rescue
    with variant("no-supersession").applied(graph), variant("no-convergence").applied(graph):
        assert decide_facts.decide_late is fact_updates.decide_late is not own[0]
        assert gathering.gather is evidence.gather is not own[1]
        assert linker.rescue is own[2]
    assert (decide_facts.decide_late, gathering.gather, linker.rescue) == own


def test_it_is_over_when_it_fails(graph: Graph) -> None:
    with pytest.raises(ZeroDivisionError), variant("hybrid-only").applied(graph):
        1 / graph.options.ranking.second_stage.get("activation", 0)
    assert graph.options.ranking.second_stage["activation"]


def test_what_is_gone_is_named(graph: Graph) -> None:
    gone = variants.Variant("x", "x", "ours", swaps=lambda: [(evidence, "NOT_THERE", 1)])
    with pytest.raises(OroiError, match=r"oroi_graph\.recall\.graph\.evidence\.NOT_THERE is gone"), gone.applied(graph):
        pytest.fail("it must not be applied")


@pytest.mark.parametrize("stage", variants.STAGES)
def test_every_feature_of_a_stage_is_taken_out_by_some_variant(stage: str) -> None:
    """By its effect on the weights, whatever groups there are; all but activation, which `hybrid-only` is about."""
    weights = getattr(Ranking(), stage)
    out = {
        name
        for one in variants.variants()
        if one.name not in ("no-fusion", "hybrid-only")
        for name in weights.keys() - getattr(one.options(Options()).ranking, stage).keys()
    }
    assert out == weights.keys() - {"activation"}
    assert getattr(variant("no-fusion").options(Options()).ranking, stage) == {"activation": 1.0}


def test_features_in_a_group_are_features() -> None:
    weighed = Ranking().first_stage.keys() | Ranking().second_stage.keys()
    assert not {name for names in variants.FEATURE_GROUPS.values() for name in names} - weighed


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(OroiError, match="unknown ablation 'no-thing': choose from additive, "):
        variants.chosen(["no-thing"])


# -- the rejected rules of spreading -----------------------------------------------------------------------


def test_rejected_rules_by_hand() -> None:
    """0 → 1 → 2, weights 1, φ = 0.5. Shares: 0→1: 1; 1→0: 0.5/2, 1→2: 1/2; 2→1: 0.5."""
    network = Network.of(3, [0, 1], [1, 2], [1.0, 1.0])
    start = np.array([1.0, 0.4, 0.0])
    # λ = 0.5; 0 gives 0.5 to 1; 1 gives 0.05 to 0 and 0.1 to 2.
    assert variants.additive(network, start, rounds=1) == pytest.approx([1.05, 0.9, 0.1])
    assert variants.subtract_all(network, start, rounds=1) == pytest.approx([0.55, 0.75, 0.1])
    assert start == pytest.approx([1.0, 0.4, 0.0])


def test_rejected_rules_break_what_equalisation_keeps() -> None:
    network = Network.of(4, [0, 0, 1, 3], [1, 2, 2, 1], [1.0, 2.0, 1.0, 1.0])
    start = np.array([1.0, 0.2, 0.0, 0.8])
    own, added, lost = (
        rule(network, start, rounds=5) for rule in (kernel.spread, variants.additive, variants.subtract_all)
    )
    assert own.sum() == pytest.approx(start.sum())
    assert lost.sum() == pytest.approx(start.sum())
    assert added.sum() > 1.5 * start.sum()
    assert (lost >= 0).all()
    assert not np.allclose(own, lost)


def test_rejected_rules_know_relays() -> None:
    """1 keeps what it receives: nothing arrives at 2."""
    network = Network.of(3, [0, 1], [1, 2], [1.0, 1.0])
    relays = np.array([True, False, True])
    for rule in (variants.additive, variants.subtract_all):
        found = rule(network, np.array([1.0, 0.0, 0.0]), rounds=3, relays=relays)
        assert found[1] > 0 == found[2]


# -- measuring ---------------------------------------------------------------------------------------------


def test_variants_that_perceive_differently_have_a_memory_of_their_own(graph: Graph, tmp_path: Path) -> None:
    """Without supersession Bilbao stays; without rescue the misspelled name is another one. ρ changes nothing."""
    dataset = read_scenarios(jsonl(tmp_path / "s.jsonl", [SAID]))
    names = ["no-supersession", "no-rescue", "rho-6", "no-who"]
    found = ablations.measure(graph, dataset, variants.chosen(names))
    right = {name: one["metrics"]["recall_at_context"] for name, one in found["conditions"].items()}
    assert right == {"oroi": 1.0, "no-supersession": 0.0, "no-rescue": 0.0, "rho-6": 1.0, "no-who": 1.0}
    assert {row["b"]: (row["wins"], row["losses"], row["difference"]) for row in found["comparisons"]} == {
        "no-supersession": (1, 0, 1.0),
        "no-rescue": (1, 0, 1.0),
        "rho-6": (0, 0, 0.0),
        "no-who": (0, 0, 0.0),
    }
    assert found["comparisons"][0]["p"] == sign_test(1, 0)
    assert list(found["comparisons"][0]["groups"]) == ["updating"]
    assert {name for name, one in found["ablations"].items() if one["rebuilt"]} == {"no-supersession", "no-rescue"}
    lines = ablations.table(found).splitlines()
    assert lines[0].startswith("scenarios, n = 1: recall_at_context 100.0, evidence 100.0")
    assert [line.split()[0] for line in lines[3:]] == ["no-rescue", "no-supersession", "no-who", "rho-6"]


def test_steps_are_all_counted(graph: Graph, tmp_path: Path) -> None:
    dataset = read_scenarios(jsonl(tmp_path / "s.jsonl", [SAID]))
    wanted, done = variants.chosen(["no-hebb", "no-who"]), 0

    def progress(more: int) -> None:
        nonlocal done
        done += more

    ablations.measure(graph, dataset, wanted, progress=progress)
    assert done == ablations.steps(dataset, wanted) == 2 * 4 + 3 * 1


def test_a_memory_in_the_way_stops_it(graph: Graph, tmp_path: Path) -> None:
    """One of a killed run may have been built by any variant: nobody reads it."""
    dataset = read_scenarios(jsonl(tmp_path / "s.jsonl", [SAID]))
    name = memory_name(dataset.cases[0], "ablation-scenarios", graph)
    graph.memory(name)
    try:
        with pytest.raises(EvaluationError, match=f"`oroi memory delete {name}`"):
            ablations.measure(graph, dataset, variants.chosen(["no-hebb"]))
        assert catalog.describe(graph.store, name) is not None
    finally:
        graph.delete(name)


def test_what_is_perceived_differently_is_remembered_differently(graph: Graph, tmp_path: Path) -> None:
    """By what the memory holds: weights stay what they were stated at, activation is what pulses left."""
    case = read_scenarios(jsonl(tmp_path / "s.jsonl", [SAID])).cases[0]
    lit, weights = {}, {}
    for name in ("additive", "subtract-all", "no-reverse-flow", "no-hebb", "no-decay", "rho-6"):
        with variant(name).applied(graph), world_of(case, "ablation-test", graph) as world:
            lit[name] = sorted(round(concept.activation, 6) for concept in world.concepts)
            weights[name] = max(weight for _, _, weight in world.links)
    assert sum(lit["no-decay"]) > sum(lit["rho-6"])
    assert sum(lit["additive"]) > sum(lit["rho-6"])
    assert lit["rho-6"] not in (lit["subtract-all"], lit["no-reverse-flow"])
    assert weights["no-hebb"] == graph.options.dynamics.weight_initial < weights["rho-6"]


def test_the_command_lists_and_refuses(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert ablations.main(["list"]) == 0
    listed = capsys.readouterr().out
    assert [line.split()[0] for line in listed.splitlines()[2:]] == NAMES
    path = str(jsonl(tmp_path / "s.jsonl", [SAID]))
    with pytest.raises(OroiError, match="unknown ablation 'nothing'"):
        ablations.main(["scenarios", path, "--only", "nothing"])
    with pytest.raises(OroiError, match="cannot write"):
        ablations.main(["scenarios", path, "--json", str(tmp_path / "no" / "out.json")])


def test_the_command_measures_and_writes(
    graph: Graph,
    store_settings: TestDatabase,
    minilm_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`--reading` leaves out what needs a memory of its own."""
    at, out = store_settings, tmp_path / "out.json"
    graph.store.schema("MERGE (:TestDatabase)")  # without the mark the command refuses a database that is not empty
    for name, value in (("USER", at.user), ("PASSWORD", at.password), ("DATABASE", at.database or "")):
        monkeypatch.setenv(f"OROI_NEO4J_{name}", value)
    monkeypatch.setenv("OROI_CACHE_DIR", str(minilm_folder.parent))
    before = signal.getsignal(signal.SIGTERM)
    path = str(jsonl(tmp_path / "s.jsonl", [SAID]))
    given = ["scenarios", path, "--only", "no-who", "no-hebb", "--reading", "--uri", at.uri, "--json", str(out)]
    assert ablations.main(given) == 0
    assert signal.getsignal(signal.SIGTERM) == before
    written = json.loads(out.read_text(encoding="utf-8"))
    assert list(written["ablations"]) == ["no-who"]
    assert written["dataset"] == "scenarios"
    assert ablations.table(written) in capsys.readouterr().out


def test_results_are_json(graph: Graph, tmp_path: Path) -> None:
    dataset = read_scenarios(jsonl(tmp_path / "s.jsonl", [SAID]))
    found = ablations.measure(graph, dataset, variants.chosen(["no-who"]))
    assert json.loads(json.dumps(found)) == found
    assert list(found)[-2:] == ["timings", "depths"]
    assert found["depths"] == {}


def test_evidence_is_compared_at_every_depth(graph: Graph, tmp_path: Path) -> None:
    """What stands beside the headline is what the same questions say at the other depths."""
    dataset = replace(read_conversations(locomo_file(tmp_path)), depths=(1, 2, 3), headline="recall@3")
    found = ablations.measure(graph, dataset, variants.chosen(["no-late-interaction", "no-hebb"]))
    assert list(found["depths"]) == ["recall@1", "recall@2"]
    for metric, told in found["depths"].items():
        assert set(told) == {"no-late-interaction", "no-hebb"}
        for name, one in told.items():
            ours, its = (found["conditions"][by]["metrics"][metric] for by in ("oroi", name))
            assert one["difference"] == pytest.approx(ours - its, abs=2e-4)
            assert one["interval"][0] <= one["difference"] <= one["interval"][1]
    lost = [told["no-late-interaction"]["difference"] for told in found["depths"].values()]
    assert lost[0] > lost[1] > 0
