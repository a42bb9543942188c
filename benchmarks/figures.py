"""How the benchmarks sum up times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def quantiles(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile in ms, as {"p50": …, "p95": …}, of times in seconds; {} of none."""
    if not seconds:
        return {}
    return {f"p{q}": round(1e3 * float(np.percentile(list(seconds), q)), 2) for q in (50, 95)}
