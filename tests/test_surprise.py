"""Surprise (S6): graded in [0, 1], nothing where nothing is lit, less for what fits than for a jump."""

from __future__ import annotations

import pytest
from graph_view import NOON, own_memory, records, stating, tell
from hypothesis import given
from hypothesis import strategies as st

from oroi_graph import Extraction, Graph, Memory
from oroi_graph.surprise import surprise

EMPTY = Extraction()


@given(st.lists(st.tuples(st.floats(1e-3, 10), st.floats(0, 1)), max_size=12))
def test_it_is_a_share(lit: list[tuple[float, float]]) -> None:
    assert 0 <= surprise([a for a, _ in lit], [f for _, f in lit]) <= 1


def test_nothing_lit_is_no_surprise() -> None:
    assert surprise([], []) == 0.0


@pytest.mark.parametrize(("affinity", "expected"), [(1.0, 0.0), (0.75, 0.5), (0.5, 1.0), (0.2, 1.0)])
def test_it_is_one_minus_the_cosine(affinity: float, expected: float) -> None:
    assert surprise([2.0], [affinity]) == pytest.approx(expected)


def test_the_better_it_fits_the_less_it_surprises() -> None:
    values = [surprise([1, 1], [fit, 0.6]) for fit in (0.5, 0.7, 0.9, 1.0)]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 4


def test_one_topic_that_fits_well_is_enough_among_many() -> None:
    assert surprise([1] * 10, [0.95, 0.9, 0.9] + [0.5] * 7) < 0.25


def test_a_fitting_turn_surprises_less_than_a_jump(graph: Graph) -> None:
    def after_sailing(text: str) -> float:
        with own_memory(graph) as memory:
            tell(
                memory, "We sailed the boat to the harbour.", stating(concepts=["sailing boat", "harbour", "sea wind"])
            )
            return memory.perceive(text, speaker="Ana", at=NOON, extraction=EMPTY).surprise

    fits, jumps = after_sailing("The wind at sea tore the sail."), after_sailing("My tax return is overdue.")
    assert 0 < fits < jumps <= 1
    assert jumps - fits > 0.2


def test_it_is_kept_with_the_turn(memory: Memory) -> None:
    tell(memory, "We sailed the boat.", stating(concepts=["sailing boat"]))
    turn = memory.perceive("My tax return is overdue.", speaker="Ana", at=NOON, extraction=EMPTY)
    assert records(memory)[-1]["surprise"] == turn.surprise > 0


def test_a_self_is_no_topic(memory: Memory) -> None:
    tell(memory, "I am here.", stating(concepts=["I"]))
    assert memory.perceive("My tax return is overdue.", speaker="Ana", at=NOON, extraction=EMPTY).surprise == 0.0
