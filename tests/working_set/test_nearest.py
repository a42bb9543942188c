"""The nearest rows of a table, and the few best of many, beside a slow search of all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oroi_graph.working_set.neighbourhood import _beyond, _foremost
from oroi_graph.working_set.vectors import LONG, Matrix, unit

D = 24


def table(n: int) -> Matrix:
    """n rows, of which some are equal and each seventh has no vector."""
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, D)).astype(np.float32)
    rows[1::5] = rows[:1]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    known = np.arange(n) % 7 != 3
    rows[~known] = 0.0
    return Matrix(known, rows)


@pytest.mark.parametrize("n", [0, 5, 40, 900, LONG + 1000])
def test_each_query_finds_its_nearest_rows(n: int) -> None:
    held, asked = table(n), Any  # a table in memory asks nobody
    queries = np.array([unit(query) for query in np.random.default_rng(1).normal(size=(3, D))])
    queries[2] = unit(held.buffer[0]) if n else queries[2]
    most = [3, 30, 12]
    for (places, cosines), query, wanted in zip(held.nearest(asked, queries, most), queries, most, strict=True):
        slow = held.buffer.astype(np.float64) @ query
        assert np.allclose(cosines, slow[places], atol=1e-12)
        assert held.known[places].all()
        others = np.setdiff1d(np.flatnonzero(held.known), places)
        least = np.sort(cosines)[::-1][: min(wanted, len(cosines))].min(initial=1.0)
        assert len(places) >= min(wanted, np.count_nonzero(held.known))
        assert not len(others) or slow[others].max() < least, "whatever ties with the last one is found, too"


def test_a_row_has_one_cosine_wherever_it_stands() -> None:
    held, query = table(40), unit(np.arange(D) - 3.5)
    assert len(set(held.cosines(Any, np.array([0, 1, 6, 11, 16]), query).tolist())) == 1


def test_a_table_without_vectors_is_near_to_nothing() -> None:
    held = Matrix(np.zeros(3, dtype=bool), np.zeros((3, 1), dtype=np.float32))
    assert held.cosines(Any, np.array([0, 2]), unit(np.ones(D))).tolist() == [0.0, 0.0]


def test_what_stands_beyond_so_many_equals() -> None:
    assert sorted(_beyond(2, np.array([7, 1, 7, 7, 1, 7])).tolist()) == [3, 5]
    assert _beyond(2, np.array([7, 7])).tolist() == []
    assert _beyond(2, np.zeros(0, dtype=np.int64)).tolist() == []


def test_the_foremost_are_those_that_may_be_among_the_best() -> None:
    first, second = np.array([0.0, 0.9, 0.0, 0.0, 0.0]), np.array([0.5, 0.1, 0.7, 0.5, 0.2])
    assert _foremost(first, second, 1).tolist() == [False, True, False, False, False]
    assert _foremost(first, second, 3).tolist() == [True, True, True, True, False], "one of two equals may be the third"
