"""The end of a turn: order, exact numbers against the kernel, idempotence, and a clock of turns."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import numpy as np
import pytest
from graph_view import (
    NOON,
    activations,
    association,
    associations,
    checksum_without_lock,
    clock,
    concepts,
    edit,
    own_memory,
    records,
    rows,
    stating,
    tell,
)

from oroi_graph import Dynamics, Extraction, Graph, InputError, Memory
from oroi_graph.activation import kernel

EMPTY = Extraction()
LIVES = stating(("I", "lives in", "Valencia"), ("Valencia", "has", "beach"), names=["Valencia"])


def light(memory: Memory, lit: dict[str, float]) -> None:
    """Set activations by label."""
    edit(
        memory,
        "UNWIND $rows AS row MATCH (c:Concept {memory: $memory, label: row[0]}) SET c.activation = row[1]",
        rows=[list(item) for item in lit.items()],
    )


def test_a_close_is_what_the_kernel_says(memory: Memory) -> None:
    """Decay, ceiling, budget, floor, Hebb: the graph before and after, against the functions of the kernel."""
    crowd = [f"item {word}" for word in "alpha beta gamma delta epsilon zeta eta theta iota kappa".split()]
    chain = [(a, "touches", b) for a, b in pairwise(crowd)]
    turn = memory.perceive("A crowd.", speaker="Ana", extraction=stating(*chain, (crowd[0], "sees", crowd[1])))
    light(memory, {label: 0.06 + 0.45 * i for i, label in enumerate(crowd)})
    before, edges = activations(memory), associations(memory)
    labels = sorted(before)
    place = {label: i for i, label in enumerate(labels)}
    expected, learned = kernel.close(
        [before[label] for label in labels],
        [a["weight"] for a in edges],
        [place[a["source"]] for a in edges],
        [place[a["target"]] for a in edges],
        Dynamics(),
    )
    assert sum(before.values()) * Dynamics().decay > Dynamics().budget, "the budget must bite"
    assert 0 < np.count_nonzero(expected) < len(expected), "the floor must bite"
    turn.close()
    found = concepts(memory)
    assert [found[label]["activation"] for label in labels] == pytest.approx(list(expected), abs=1e-12)
    assert [found[label]["exposure"] for label in labels] == pytest.approx(list(expected), abs=1e-12)
    after = {a["id"]: a["weight"] for a in associations(memory)}
    assert [after[a["id"]] for a in edges] == pytest.approx(list(learned), abs=1e-12)
    assert max(after.values()) > 1.0


def test_the_order_of_a_close_by_hand(graph: Graph) -> None:
    """By hand: 0.8·5 → ceiling 3; 0.8·0.5 = 0.4; w = 1 + 0.05·3·0.4·(1 − 1/5)."""
    with own_memory(graph) as memory:
        turn = memory.perceive("…", speaker="Ana", extraction=stating(("sun", "warms", "stone")))
        light(memory, {"sun": 5.0, "stone": 0.5})
        turn.close()
        assert activations(memory) == pytest.approx({"sun": 3.0, "stone": 0.4})
        assert association(memory, "sun", "stone")["weight"] == pytest.approx(1.048)


def test_the_budget_subtracts_one_threshold_from_all(graph: Graph) -> None:
    with own_memory(graph, budget=2.0) as memory:
        turn = memory.perceive("…", speaker="Ana", extraction=stating(concepts=["sun", "stone", "mist"]))
        light(memory, {"sun": 2.0, "stone": 1.5, "mist": 0.25})
        turn.close()
        # 1.6 + 1.2 + 0.2 = 3 → threshold 0.4 leaves 1.2 and 0.8; 0.2 goes out.
        assert activations(memory) == pytest.approx({"sun": 1.2, "stone": 0.8})


def test_below_the_floor_is_exactly_nothing(graph: Graph) -> None:
    with own_memory(graph) as memory:
        turn = memory.perceive("…", speaker="Ana", extraction=stating(concepts=["sun", "stone"]))
        light(memory, {"sun": 0.0624, "stone": 0.0626})
        turn.close()
        assert activations(memory) == pytest.approx({"stone": 0.05008})
        assert concepts(memory)["sun"]["activation"] == 0.0


def test_parallel_relations_share_one_increment(graph: Graph) -> None:
    with own_memory(graph) as memory:
        turn = memory.perceive(
            "…", speaker="Ana", extraction=stating(("sun", "warms", "stone"), ("sun", "heats", "stone"))
        )
        light(memory, {"sun": 1.25, "stone": 1.25})
        turn.close()
        weights = [a["weight"] for a in associations(memory)]
        assert weights == pytest.approx([1 + 0.05 * (1 - 2 / 5) / 2] * 2)


def test_what_is_not_lit_together_learns_nothing(graph: Graph) -> None:
    with own_memory(graph) as memory:
        turn = memory.perceive("…", speaker="Ana", extraction=stating(("sun", "warms", "stone")))
        light(memory, {"sun": 1.0, "stone": 0.0})
        turn.close()
        assert association(memory, "sun", "stone")["weight"] == 1.0


def test_exposure_gathers_over_turns(graph: Graph) -> None:
    with own_memory(graph, rounds=0) as memory:
        tell(memory, "Sun.", stating(concepts=["sun"]))
        tell(memory, "Nothing.", EMPTY)
        assert activations(memory) == pytest.approx({"sun": 0.64})
        assert concepts(memory)["sun"]["exposure"] == pytest.approx(0.8 + 0.64)


def test_the_last_words_learn_beside_a_hub(graph: Graph) -> None:
    """The associations between what is lit are found although one end has more neighbours than are expanded."""
    with own_memory(graph) as memory:
        turn = memory.perceive(
            "…", speaker="Ana", extraction=stating(("sun", "warms", "stone"), ("moon", "pulls", "sun"))
        )
        graph.store.schema(
            "UNWIND range(1, 600) AS i MATCH (s:Concept {memory: $memory, label: 'sun'}) "
            "CREATE (c:Concept {memory: $memory, id: 'x' + i, kind: 'concept', label: 'x' + i, label_key: 'x' + i, "
            "activation: 0.0, exposure: 0.0}) "
            "CREATE (s)-[:ASSOCIATED {id: $memory + i, memory: $memory, weight: 1.0, "
            "relation: 'has', last_turn: 0}]->(c)",
            memory=memory.name,
        )
        light(memory, {"sun": 1.25, "stone": 1.25, "moon": 1.25})
        turn.close()
        assert association(memory, "sun", "stone")["weight"] == pytest.approx(1.04)
        assert association(memory, "moon", "sun")["weight"] == pytest.approx(1.04)


# --- time ---------------------------------------------------------------------------------------------------


def test_time_is_counted_in_turns_never_by_the_clock(graph: Graph) -> None:
    def run(step: timedelta) -> dict[str, float]:
        with own_memory(graph) as memory:
            for i in range(4):
                memory.perceive(
                    "I live in Valencia.", speaker="Ana", at=NOON + i * step, extraction=LIVES if i < 2 else EMPTY
                ).close()
            return activations(memory)

    assert run(timedelta(seconds=1)) == run(timedelta(days=365))


def test_an_idle_memory_is_unchanged_by_what_others_do(graph: Graph, memory: Memory) -> None:
    tell(memory, "I live in Valencia.", LIVES)
    before = checksum_without_lock(memory)
    with own_memory(graph) as other:
        tell(other, "I live in Valencia.", LIVES)
        graph.memory(memory.name).stats()
    assert checksum_without_lock(memory) == before


def test_without_input_everything_is_dark_after_the_formulas_number_of_closes(graph: Graph) -> None:
    with own_memory(graph) as memory:
        d = memory.graph.options.dynamics
        closes = math.ceil(math.log(d.floor / d.ceiling) / math.log(d.decay))
        assert closes == 19
        turn = memory.perceive("Sun.", speaker="Ana", extraction=stating(concepts=["sun"]))
        light(memory, {"sun": d.ceiling})
        turn.close()
        for i in range(1, closes):
            assert activations(memory), f"still lit after {i} closes"
            tell(memory, "Nothing.", EMPTY, id=f"n{i}")
        assert activations(memory) == {}
        assert concepts(memory)["sun"]["activation"] == 0.0


def test_on_the_floor_exactly_one_close_more(graph: Graph) -> None:
    """ln(floor/ceiling)/ln δ whole: 2 · 0.5³ = 0.25 is not below the floor, so it takes a fourth close."""
    with own_memory(graph, decay=0.5, ceiling=2.0, floor=0.25) as memory:
        turn = memory.perceive("Sun.", speaker="Ana", extraction=stating(concepts=["sun"]))
        light(memory, {"sun": 2.0})
        turn.close()
        lit = [activations(memory).get("sun", 0.0)]
        for i in range(3):
            tell(memory, "Nothing.", EMPTY, id=f"n{i}")
            lit.append(activations(memory).get("sun", 0.0))
        assert lit == [1.0, 0.5, 0.25, 0.0]


def test_at_most_budget_by_floor_concepts_are_lit(graph: Graph) -> None:
    with own_memory(graph, budget=1.0, floor=0.25) as memory:
        names = [f"thing {word}" for word in "alpha beta gamma delta epsilon zeta eta theta".split()]
        turn = memory.perceive("Many.", speaker="Ana", extraction=stating(concepts=names))
        light(memory, {name: 0.5 + 0.05 * i for i, name in enumerate(names)})
        turn.close()
        lit = activations(memory)
        assert 0 < len(lit) <= 1.0 / 0.25
        assert sum(lit.values()) <= 1.0 + 1e-9
        assert min(lit.values()) >= 0.25


# --- one close, whoever comes first -------------------------------------------------------------------------


def test_an_empty_close_ends_the_turn(memory: Memory) -> None:
    memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES).close()
    assert clock(memory) == 1
    assert len(records(memory)) == 1
    assert rows(memory, "MATCH (m:Memory {name: $memory}) RETURN m.open_turn AS open")[0]["open"] is None


def test_closing_twice_changes_nothing(memory: Memory) -> None:
    turn = memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES)
    valencia = concepts(memory)["Valencia"]["id"]
    turn.close("Nice.", injected=[valencia])
    before = checksum_without_lock(memory)
    turn.close("Nice.", injected=[valencia])
    turn.close()
    assert checksum_without_lock(memory) == before


def test_an_open_turn_is_closed_by_the_next_one(memory: Memory) -> None:
    first = memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES)
    lit = activations(memory)
    second = memory.perceive("It rains.", speaker="Bob", extraction=EMPTY)
    assert (first.number, second.number, clock(memory)) == (1, 2, 1)
    assert sum(activations(memory).values()) == pytest.approx(0.8 * sum(lit.values()))


def test_a_late_close_adds_the_reply_and_the_testing_effect_only(memory: Memory) -> None:
    first = memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES)
    second = memory.perceive("It rains.", speaker="Ana", extraction=EMPTY)
    lit, found, weights = activations(memory), concepts(memory), associations(memory)
    first.close("A fine city.", injected=[found["Valencia"]["id"]])
    assert activations(memory) == lit, "no second decay"
    assert clock(memory) == 1
    assert [a["weight"] for a in associations(memory)] == [a["weight"] for a in weights]
    assert concepts(memory)["Valencia"]["strength"] == pytest.approx(Dynamics().testing)
    assert concepts(memory)["Valencia"]["exposure"] == found["Valencia"]["exposure"]
    assert [(r["turn"], r["role"]) for r in records(memory)] == [(1, "user"), (1, "assistant"), (2, "user")]
    before = checksum_without_lock(memory)
    first.close("A fine city.", injected=[found["Valencia"]["id"]])
    assert checksum_without_lock(memory) == before, "nor a second testing effect"
    second.close()
    assert clock(memory) == 2


def test_a_turn_closed_by_the_next_equals_one_closed_without_a_reply(graph: Graph) -> None:
    def run(*, explicit: bool) -> tuple[dict[str, float], Sequence[float]]:
        with own_memory(graph) as memory:
            turn = memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES)
            if explicit:
                turn.close()
            memory.perceive("Valencia.", speaker="Ana", extraction=stating(names=["Valencia"])).close()
            return activations(memory), sorted(a["weight"] for a in associations(memory))

    assert run(explicit=True) == run(explicit=False)


def test_an_assistant_turn_closes_the_open_turn_with_its_words(memory: Memory) -> None:
    memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES)
    said = memory.perceive("A fine city.", role="assistant")
    assert said.number == clock(memory) == 1
    assert [(r["turn"], r["role"]) for r in records(memory)] == [(1, "user"), (1, "assistant")]


def test_concurrent_closes_end_the_turn_once(memory: Memory) -> None:
    turn = memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES)
    lit = activations(memory)
    valencia = concepts(memory)["Valencia"]["id"]
    start = threading.Barrier(6)
    errors: list[BaseException] = []

    def close() -> None:
        try:
            start.wait()
            turn.close("Nice.", injected=[valencia])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=close) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert clock(memory) == 1
    assert activations(memory) == pytest.approx({label: 0.8 * a for label, a in lit.items()})
    assert concepts(memory)["Valencia"]["strength"] == pytest.approx(Dynamics().testing)
    assert len(records(memory)) == 2


def test_closing_a_turn_of_another_memory_is_refused(graph: Graph, memory: Memory) -> None:
    with own_memory(graph) as other:
        turn = other.perceive("Hello.", speaker="Ana", extraction=EMPTY)
        turn.memory = memory
        with pytest.raises(InputError, match="perceive it before"):
            turn.close()


@pytest.mark.parametrize("reply", ["", "  ", "a\0b"])
def test_an_unusable_reply_is_refused_and_the_turn_stays_open(memory: Memory, reply: str) -> None:
    turn = memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES)
    with pytest.raises(InputError):
        turn.close(reply)
    assert clock(memory) == 0
    turn.close("Fine.")
    assert clock(memory) == 1


# --- testing effect -------------------------------------------------------------------------------------------


def test_only_what_was_injected_gains_strength(memory: Memory) -> None:
    tell(memory, "I live in Valencia.", LIVES)
    tell(memory, "Marta plays the cello.", stating(("Marta", "plays", "cello"), names=["Marta"]))
    turn = memory.perceive("Where do I live?", speaker="Ana", session="later", extraction=EMPTY)
    brief = turn.brief
    assert brief.concept_ids
    turn.close("In Valencia.", injected=brief)
    strengths = {c["id"]: c["strength"] for c in concepts(memory).values()}
    assert {key for key, strength in strengths.items() if strength > 0} == set(brief.concept_ids)
    assert all(strengths[key] == pytest.approx(0.02) for key in brief.concept_ids)
    assert concepts(memory)["Marta"]["strength"] == 0.0


def test_reading_the_brief_without_injecting_it_gives_no_strength(memory: Memory) -> None:
    tell(memory, "I live in Valencia.", LIVES)
    turn = memory.perceive("Where do I live?", speaker="Ana", session="later", extraction=EMPTY)
    assert turn.brief
    turn.close("In Valencia.")
    assert {c["strength"] for c in concepts(memory).values()} == {0.0}


def test_the_testing_effect_saturates(memory: Memory) -> None:
    tell(memory, "I live in Valencia.", LIVES)
    valencia = concepts(memory)["Valencia"]["id"]
    for i in range(2):
        memory.perceive("Hm.", speaker="Ana", id=f"h{i}", extraction=EMPTY).close(injected=[valencia, valencia])
    assert concepts(memory)["Valencia"]["strength"] == pytest.approx(1 - 0.98**2)
