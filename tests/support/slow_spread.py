"""The kernel a second time: plain loops over plain lists, written from the text of the rules.

Slow and obvious on purpose; `test_spread.py` holds the fast one against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

Edge = tuple[int, int, float]


def shares(n: int, edges: Sequence[Edge], reverse: float) -> list[list[float]]:
    """share(i→j) = (w(i→j) + φ·w(j→i)) / Σ_k (w(i→k) + w(k→i)), as an n × n table."""
    w = [[0.0] * n for _ in range(n)]
    for i, j, weight in edges:
        if i != j:
            w[i][j] += weight
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        whole = fsum(w[i][k] + w[k][i] for k in range(n))
        for j in range(n):
            if whole > 0:
                table[i][j] = (w[i][j] + reverse * w[j][i]) / whole
    return table


def one_round(
    table: list[list[float]], a: Sequence[float], transfer: float, emits: Sequence[bool]
) -> tuple[list[float], list[list[float]]]:
    """Activation after one synchronous round, and what was accepted, as an n × n table."""
    n = len(a)
    flow = [[transfer * table[i][j] * max(a[i] - a[j], 0.0) if emits[i] else 0.0 for j in range(n)] for i in range(n)]
    keep = [a[i] - fsum(flow[i]) for i in range(n)]
    accepted = [[0.0] * n for _ in range(n)]
    for j in range(n):
        feeders = [i for i in range(n) if flow[i][j] > 0]
        if not feeders:
            continue
        inflow = fsum(flow[i][j] for i in feeders)
        room = max(0.0, max(keep[i] for i in feeders) - a[j])
        scale = 1.0 if room >= inflow else room / inflow
        for i in feeders:
            accepted[i][j] = scale * flow[i][j]
    after = [a[i] - fsum(accepted[i]) + fsum(accepted[k][i] for k in range(n)) for i in range(n)]
    return after, accepted


def spread(
    n: int,
    edges: Sequence[Edge],
    activation: Sequence[float],
    *,
    reverse: float = 0.5,
    transfer: float = 0.5,
    rounds: int = 3,
    relays: Sequence[bool] | None = None,
) -> list[float]:
    """Activation after some rounds."""
    table = shares(n, edges, reverse)
    emits = [relays is None or relays[i] or activation[i] > 0 for i in range(n)]
    a = list(activation)
    for _ in range(rounds):
        a, _ = one_round(table, a, transfer, emits)
    return a


def settle(start: Sequence[float], after: Sequence[float], perceived: Sequence[bool]) -> list[float]:
    """Cut what merely received to the least perceived; give the surplus back to those who lost it."""
    settled = list(after)
    if not any(perceived):
        return settled
    concepts = range(len(start))
    least = min(after[i] for i in concepts if perceived[i])
    surplus = 0.0
    for i in concepts:
        if not perceived[i] and after[i] > start[i]:
            allowed = max(start[i], least)
            if after[i] > allowed:
                surplus += after[i] - allowed
                settled[i] = allowed
    for turn in (True, False):
        losses = {i: start[i] - after[i] for i in concepts if perceived[i] is turn and after[i] < start[i]}
        total = fsum(losses.values())
        returned = min(surplus, total)
        for i, loss in losses.items():
            settled[i] += returned * loss / total
        surplus -= returned
    return settled


def project(activation: Sequence[float], budget: float) -> list[float]:
    """The threshold that meets the budget, by halving the interval it must lie in."""
    if fsum(activation) <= budget:
        return list(activation)
    low, high = 0.0, max(activation)
    for _ in range(200):
        middle = (low + high) / 2
        if fsum(max(a - middle, 0.0) for a in activation) > budget:
            low = middle
        else:
            high = middle
    return [max(a - high, 0.0) for a in activation]


def hebb(edges: Sequence[Edge], activation: Sequence[float], learning: float, weight_max: float) -> list[float]:
    """New weights, one per edge; parallel ones share their pair's increment equally."""
    learned = []
    for i, j, weight in edges:
        parallel = [w for s, t, w in edges if (s, t) == (i, j)]
        gain = min(learning * activation[i] * activation[j], weight_max)
        increment = gain * max(0.0, 1.0 - fsum(parallel) / weight_max) if i != j else 0.0
        learned.append(weight + increment / len(parallel))
    return learned
