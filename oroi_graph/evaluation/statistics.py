"""How sure a figure is: intervals of shares and means, and tests of paired differences. All at 95 %, two-sided."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest  # type: ignore[import-untyped]

CONFIDENCE = 0.95
RESAMPLES = 2000

Interval = tuple[float, float]


def wilson(successes: int, n: int) -> Interval:
    """Wilson's score interval of a share; (0, 1) where nothing was counted."""
    if not n:
        return 0.0, 1.0
    found = binomtest(successes, n).proportion_ci(CONFIDENCE, method="wilson")
    return float(found.low), float(found.high)


def sign_test(wins: int, losses: int) -> float:
    """The exact two-sided p of wins and losses being a fair coin's: McNemar's test where they are right and wrong.

    1 where there is neither.
    """
    return float(binomtest(wins, wins + losses, 0.5).pvalue) if wins + losses else 1.0


def bootstrap(values: NDArray[np.float64], seed: int) -> Interval:
    """The percentile interval of a mean over resampled questions; (0, 0) without any. Of differences: it is paired."""
    if not len(values):
        return 0.0, 0.0
    means = _draws(len(values), seed) @ values / len(values)
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(means, [tail, 100 - tail])
    return float(low), float(high)


@lru_cache(maxsize=32)
def _draws(n: int, seed: int) -> NDArray[np.float64]:
    """(RESAMPLES, n): how often each of n is drawn in each resample."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(np.float64)
