"""The dynamics as numbers: arrays in, arrays out; no database, no text.

One wave is `spread` over a `Network`, in perception followed by `settle`; the end of a turn is `close`;
`converge` combines the waves of an evocation.

The rule is gradient equalisation (Laburu, "Oroi", 2026, §3.2): activation flows from the more active
concept to the less active one, in proportion to the gap and to the share of the association, and the
source loses what it cedes. Nothing is created, so nothing can feed on itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oroi_graph.errors import InputError
from oroi_graph.options import Dynamics

Floats = NDArray[np.float64]
Indexes = NDArray[np.int64]
Mask = NDArray[np.bool_]

REACHED = 0.55  # what being reached at all is worth in `converge`; above 1/2 so that two reaches beat one
FAINTEST = 1e-3  # fraction of a wave's maximum at which an arrival stops losing worth


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Who may cede to whom, and which share: what one wave runs on. Made by `Network.of`.

    n: number of concepts. source, target: (k,) int64 in 0..n-1, the ways that activation can take; several may
    lead from one concept to another. share: (k,) float64 in 0..1; the shares leaving one concept add up to 1 at most.
    """

    n: int
    source: Indexes
    target: Indexes
    share: Floats

    @classmethod
    def of(cls, n: int, source: ArrayLike, target: ArrayLike, weight: ArrayLike, *, reverse: float = 0.5) -> Network:
        """The network of m associations source → target, each with a way there and a way back.

        source, target: (m,) integers in 0..n-1. weight: (m,) float, 0 or more. reverse: φ, 0..1, what
        is left of a weight when walked backwards. Parallel associations add up; self-loops are dropped.

            share(i→j) = (w(i→j) + φ·w(j→i)) / Σ_k (w(i→k) + w(k→i)),   0/0 = 0

        The denominator is without φ, so a concept with many incoming associations cedes slowly.
        Raises InputError on unequal lengths, indexes out of range, negative or non-finite weights.
        """
        tails, heads = _indexes(source, n, "source"), _indexes(target, n, "target")
        weights = _floats(weight, "weight")
        if not len(tails) == len(heads) == len(weights):
            lengths = f"{len(tails)}, {len(heads)}, {len(weights)}"
            raise InputError(f"source, target and weight must be equally long, got {lengths}")
        if not 0 <= reverse <= 1:
            raise InputError(f"reverse must be from 0 to 1, got {reverse}")
        conducting = (tails != heads) & (weights > 0)
        if not conducting.all():
            tails, heads, weights = tails[conducting], heads[conducting], weights[conducting]
        total = np.bincount(tails, weights, n) + np.bincount(heads, weights, n)
        there, back = weights / total[tails], reverse * weights / total[heads]
        return cls(
            n, np.concatenate((tails, heads)), np.concatenate((heads, tails)), np.concatenate((there, back))
        )  # fmt: skip

    def copies(self, times: int) -> Network:
        """Some copies side by side, 1 or more, in which several waves run at once: concepts n·k … n·k + n - 1 are of
        copy k."""
        if times == 1:
            return self
        shift = self.n * np.arange(times)[:, np.newaxis]
        share = np.concatenate((self.share,) * times)
        return Network(times * self.n, (self.source + shift).ravel(), (self.target + shift).ravel(), share)


def spread(
    network: Network, activation: ArrayLike, *, transfer: float = 0.5, rounds: int = 3, relays: ArrayLike | None = None
) -> Floats:
    """Activation after some synchronous rounds of gradient equalisation.

    activation: (n,) float, 0 or more, in pulses; not changed. transfer: λ, 0..1. relays: (n,) bool; a
    concept with False keeps what it receives, unless it was lit when the wave began (selves do not
    relay waves that they did not start). Returns (n,) float64.

    Total conserved, nothing below 0, nothing that received ends a round above the highest of its
    feeders, the maximum never grows: all up to rounding. Raises InputError on a wrong shape, a negative
    or non-finite activation, or transfer outside 0..1.
    """
    now = _floats(activation, "activation", network.n)
    if not 0 <= transfer <= 1:
        raise InputError(f"transfer must be from 0 to 1, got {transfer}")
    source, target, conductance = network.source, network.target, transfer * network.share
    if relays is not None:
        open_ = (_mask(relays, "relays", network.n) | (now > 0))[source].nonzero()[0]
        source, target, conductance = source[open_], target[open_], conductance[open_]
    now = now.copy()  # with no rounds the caller must still get an array of its own
    for _ in range(rounds):
        now = _round(now, source, target, conductance)
    return now


def _round(a: Floats, source: Indexes, target: Indexes, conductance: Floats) -> Floats:
    """One round along some ways: (n,) activation; source, target, conductance: (k,)."""
    n = len(a)
    flow = conductance * (a[source] - a[target])
    flowing = (flow > 0).nonzero()[0]
    source, target, flow = source[flowing], target[flowing], flow[flowing]
    keep = a - np.bincount(source, flow, n)
    inflow = np.bincount(target, flow, n)
    # The inflow limiter: several sources together must not lift a receiver above what they keep.
    highest = np.zeros(n)
    np.maximum.at(highest, target, keep[source])
    received = np.minimum(np.maximum(highest - a, 0.0), inflow)
    # received/inflow rather than min(1, room/inflow): the quotient of a tiny inflow would overflow.
    ceded = flow * (received[target] / inflow[target])
    after = a - np.bincount(source, ceded, n) + received
    positive: Floats = np.maximum(after, 0.0)
    return positive


def settle(start: ArrayLike, spread_out: ArrayLike, perceived: ArrayLike) -> Floats:
    """What was perceived stays at or above what merely received.

    start, spread_out: (n,) float, activation before and after the rounds. perceived: (n,) bool, what
    this turn mentioned. With m the least activation among the perceived, whatever was not perceived and
    rose is cut to max(its start, m). The surplus goes back to the perceived in proportion to what they
    ceded. Nothing perceived: nothing changes. Returns (n,) float64; the total is conserved.

    "What they ceded" is net over the wave, start − spread_out where positive: in proportion to gross
    outflow, a perceived concept that had been fed by another could end above every start, and the
    maximum would grow. For the same reason nobody gets back more than it lost: surplus that the
    perceived did not lose came from other lit concepts, and goes back to those, in proportion too.
    """
    before = _floats(start, "start")
    after = _floats(spread_out, "spread_out", len(before)).copy()
    mentioned = _mask(perceived, "perceived", len(before))
    if not mentioned.any():
        return after
    least = after[mentioned].min()
    allowed = np.maximum(before, least)
    excess = np.where(~mentioned & (after > before), np.maximum(after - allowed, 0.0), 0.0)
    surplus = float(excess.sum())
    lost = np.maximum(before - after, 0.0)
    after -= excess
    for creditors in (mentioned, ~mentioned):
        loss = np.where(creditors, lost, 0.0)
        total = float(loss.sum())
        returned = min(surplus, total)
        if returned > 0:
            after += loss * (returned / total)
            surplus -= returned
    return after


def close(
    activation: ArrayLike, weight: ArrayLike, source: ArrayLike, target: ArrayLike, dynamics: Dynamics
) -> tuple[Floats, Floats]:
    """The end of a turn, in this order: decay, ceiling, budget, floor, Hebb.

    activation: (n,) float, pulses. weight: (m,) float, 0..w_max, of the current associations; source, target:
    (m,) their ends, indexes in 0..n-1; only those whose two ends stay lit learn. Returns the new (n,) and
    (m,) float64 arrays; at most budget/floor concepts stay lit. What else a close does (exposure += a, testing
    effect) is one addition a concept, made where they are stored. Raises InputError on wrong shapes or values.
    """
    d = dynamics
    lit = homeostasis(decay(activation, d.decay), d.ceiling, d.budget, d.floor)
    return lit, hebb(source, target, weight, lit, d.learning, d.weight_max)


def decay(activation: ArrayLike, factor: float) -> Floats:
    """a ← δ·a. factor: δ, 0..1, per turn. (n,) → (n,) float64."""
    return _floats(activation, "activation") * factor


def homeostasis(activation: ArrayLike, ceiling: float, budget: float, floor: float) -> Floats:
    """No concept above the ceiling, no more than the budget in all, nothing faint.

    The budget is kept by `project`. Below the floor activation is exactly 0. (n,) → (n,) float64 in
    {0} ∪ [floor, ceiling], adding up to the budget at most, order kept.

    A cut-off is all or nothing: more than budget/floor equally active concepts go out together. And a
    concept that lands exactly on the floor is kept ("a < floor"), so that where ln(floor/ceiling)/ln δ
    is a whole number, an unattended memory takes one close more than that to go dark.
    """
    a = project(np.minimum(_floats(activation, "activation"), ceiling), budget)
    a[a < floor] = 0.0
    return a


def project(activation: ArrayLike, budget: float) -> Floats:
    """The nearest point (Euclidean) of {Σa ≤ budget, a ≥ 0}: one threshold subtracted from all.

    That is lateral inhibition: where everything is active, only what stands out remains. (n,) → (n,)
    float64. Method: Held, Wolfe and Crowder 1974 (sort, then one cumulative sum).
    """
    a = _floats(activation, "activation").copy()
    if a.sum() <= budget:
        return a
    descending = np.sort(a)[::-1]
    thresholds = (np.cumsum(descending) - budget) / np.arange(1, len(a) + 1)
    threshold = thresholds[np.nonzero(descending > thresholds)[0][-1]]
    projected: Floats = np.maximum(a - threshold, 0.0)
    return projected


def hebb(
    source: ArrayLike, target: ArrayLike, weight: ArrayLike, activation: ArrayLike, learning: float, weight_max: float
) -> Floats:
    """What is active together is tied together: w ← w + η·a_i·a_j·(1 − w/w_max).

    source, target: (m,) indexes into activation (n,); weight: (m,) float. As in the kernel, w is what
    the whole ordered pair weighs: its parallel relations share one increment in equal parts, so saying
    the same thing in three ways does not learn three times as fast. A pair at or above w_max stays as it
    is, one below never passes it. Self-loops learn nothing. Returns the new (m,) float64 weights.
    """
    a = _floats(activation, "activation")
    n = len(a)
    tails, heads = _indexes(source, n, "source"), _indexes(target, n, "target")
    w = _floats(weight, "weight", len(tails))
    if len(heads) != len(tails):
        raise InputError(f"source and target must be equally long, got {len(tails)} and {len(heads)}")
    _, pair = np.unique(tails * n + heads, return_inverse=True)
    together = np.bincount(pair, w)[pair]
    parallel = np.bincount(pair)[pair]
    # A gain above w_max (a high ceiling with a high rate) would step over the bound in one go.
    gain = np.minimum(learning * a[tails] * a[heads], weight_max) * (tails != heads)
    increment = gain * np.maximum(1.0 - together / weight_max, 0.0)
    learned: Floats = w + increment / parallel
    return learned


def converge(waves: ArrayLike, weights: ArrayLike, *, reached: float = REACHED, faintest: float = FAINTEST) -> Floats:
    """One number per concept from one wave per cue: how much, and by how many cues, it was reached.

    waves: (c, n) float, 0 or more, activation that each cue's wave left. weights: (c,) float, 0 or more,
    what each cue is worth. reached: β, 0..1. faintest: ε, above 0 and below 1. An arrival is worth

        x = β + (1 − β)·(1 + log(a / the wave's maximum) / log(1/ε)),   β where that is less, 0 where a = 0

    and the combination is Σ u·x / Σ u, (n,) float64 in 0..1; 0 where all weights are 0.
    A reach counts at least β·u and at most u: with β > 1/2, what two cues of equal weight reach, however
    faintly, outranks what one of them reaches, however strongly. The logarithm keeps what is three
    hops away, which by construction receives least. Raises InputError on wrong shapes or values.
    """
    arrived = np.asarray(waves, dtype=np.float64)
    u = _floats(weights, "weights")
    if arrived.ndim != 2 or len(arrived) != len(u):
        raise InputError(f"waves must be ({len(u)}, n), one row a weight, got {arrived.shape}")
    if arrived.size and not (arrived.min() >= 0 and arrived.max() < math.inf):
        raise InputError("waves must be finite numbers of 0 or more")
    if not 0 <= reached <= 1 or not 0 < faintest < 1:
        raise InputError(f"reached must be in 0..1 and faintest between 0 and 1, got {reached} and {faintest}")
    total = u.sum()
    if not total > 0 or not arrived.size:
        return np.zeros(arrived.shape[1])
    peak = arrived.max(axis=1, keepdims=True)
    peak[peak == 0] = 1.0  # a wave that arrives nowhere
    closeness = 1.0 + np.log(np.maximum(arrived / peak, faintest)) / math.log(1.0 / faintest)
    worth = np.where(arrived > 0, reached + (1.0 - reached) * closeness, 0.0)
    combined: Floats = np.minimum(u @ worth / total, 1.0)
    return combined


def _floats(values: ArrayLike, what: str, length: int | None = None) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or (length is not None and len(array) != length):
        raise InputError(f"{what} must be ({'n' if length is None else length},), got {array.shape}")
    if len(array) and not (array.min() >= 0 and array.max() < math.inf):
        raise InputError(f"{what} must be finite numbers of 0 or more")
    return array


def _indexes(values: ArrayLike, n: int, what: str) -> Indexes:
    array = np.asarray(values)
    if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
        raise InputError(f"{what} must be (m,) integers, got {array.dtype} {array.shape}")
    if len(array) and not (array.min() >= 0 and array.max() < n):
        raise InputError(f"{what} must be indexes from 0 to {n - 1}")
    return array.astype(np.int64, copy=False)


def _mask(values: ArrayLike, what: str, length: int) -> Mask:
    array = np.asarray(values, dtype=bool)
    if array.shape != (length,):
        raise InputError(f"{what} must be ({length},) booleans, got {array.shape}")
    return array
