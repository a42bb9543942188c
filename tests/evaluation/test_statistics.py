"""Intervals and tests against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tables import table

from oroi_graph.evaluation.statistics import bootstrap, sign_test, wilson


def by_hand(k: int, n: int) -> tuple[float, float]:
    """Wilson (1927): (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)."""
    z, p = 1.959963984540054, k / n
    middle, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)


@table(("k", "n"), [(0, 4), (3, 4), (29, 32), (224, 224), (1, 1)])
def test_wilson_is_its_formula(k: int, n: int) -> None:
    assert wilson(k, n) == pytest.approx(by_hand(k, n), abs=1e-9)


def test_a_share_of_nothing_may_be_anything() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@table(
    ("wins", "losses", "p"),
    [
        (0, 0, 1.0),
        (5, 5, 1.0),
        (1, 0, 1.0),
        (5, 0, 2 / 2**5),
        (0, 10, 2 / 2**10),
        (8, 2, 2 * (1 + 10 + 45) / 2**10),
        (2, 8, 2 * (1 + 10 + 45) / 2**10),
    ],
)
def test_the_sign_test_counts_coins(wins: int, losses: int, p: float) -> None:
    assert sign_test(wins, losses) == pytest.approx(p, rel=1e-12)


def test_the_bootstrap_agrees_with_the_normal_interval_and_repeats_itself() -> None:
    values = np.random.default_rng(7).normal(0.3, 1.0, 400)
    low, high = bootstrap(values, seed=0)
    error = 1.96 * values.std() / math.sqrt(len(values))
    assert low == pytest.approx(values.mean() - error, abs=0.02)
    assert high == pytest.approx(values.mean() + error, abs=0.02)
    assert bootstrap(values, seed=0) == (low, high)
    assert bootstrap(values, seed=1) != (low, high)


def test_the_bootstrap_of_what_never_varies_is_a_point() -> None:
    assert bootstrap(np.full(9, 0.25), seed=3) == pytest.approx((0.25, 0.25))
    assert bootstrap(np.array([]), seed=3) == (0.0, 0.0)
