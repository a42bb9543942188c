"""Invariants of the kernel on random graphs, against `slow_spread`, and numbers checked by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
import slow_spread as slow
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tables import table

from oroi_graph.activation.kernel import (
    Floats,
    Network,
    close,
    converge,
    decay,
    hebb,
    homeostasis,
    project,
    settle,
    spread,
)
from oroi_graph.errors import InputError, SettingsError
from oroi_graph.options import Dynamics

NEAR = 1e-9
relaxed = settings(deadline=None, max_examples=150)

weights = st.one_of(st.sampled_from([1e-6, 0.25, 1.0, 5.0, 1e6]), st.floats(1e-6, 1e6))
pulses = st.one_of(st.sampled_from([0.0, 0.0, 0.05, 0.5, 1.0, 3.0]), st.floats(0, 10))


@dataclass(frozen=True)
class Case:
    """A random graph with a state, and the parameters of a wave."""

    n: int
    edges: list[slow.Edge]
    activation: list[float]
    perceived: list[bool]
    relays: list[bool]
    reverse: float
    transfer: float
    rounds: int

    def network(self) -> Network:
        return network(self.n, self.edges, self.reverse)

    def fast(self, rounds: int | None = None) -> Floats:
        return spread(
            self.network(),
            self.activation,
            transfer=self.transfer,
            rounds=self.rounds if rounds is None else rounds,
            relays=self.relays,
        )


def network(n: int, edges: list[slow.Edge], reverse: float = 0.5) -> Network:
    source, target, weight = columns(edges)
    return Network.of(n, source, target, weight, reverse=reverse)


def columns(edges: list[slow.Edge]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ends = np.array([edge[:2] for edge in edges], dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1], np.array([edge[2] for edge in edges], dtype=np.float64)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n = draw(st.integers(1, 40))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node, weights), max_size=60))
    if draw(st.booleans()):  # parallel and reciprocal associations
        edges += [(i, j, draw(weights)) for i, j, _ in edges[:5]]
        edges += [(j, i, draw(weights)) for i, j, _ in edges[:5]]
    if draw(st.booleans()):  # a hub, walked forwards and backwards
        weight = draw(weights)
        edges += [(0, j, weight) if j % 2 else (j, 0, weight) for j in range(1, n)]
    return Case(
        n,
        edges,
        draw(st.lists(pulses, min_size=n, max_size=n)),
        draw(st.lists(st.booleans(), min_size=n, max_size=n)),
        draw(st.lists(st.sampled_from([True, True, False]), min_size=n, max_size=n)),
        draw(st.sampled_from([0.0, 0.5, 1.0])),
        draw(st.sampled_from([0.1, 0.5, 1.0])),
        draw(st.integers(0, 6)),
    )


# ---- invariants of a wave


@relaxed
@given(cases())
def test_spread_equals_the_slow_implementation(case: Case) -> None:
    expected = slow.spread(
        case.n,
        case.edges,
        case.activation,
        reverse=case.reverse,
        transfer=case.transfer,
        rounds=case.rounds,
        relays=case.relays,
    )
    assert case.fast() == pytest.approx(expected, abs=NEAR)


@relaxed
@given(cases())
def test_activation_is_conserved_never_negative_and_its_maximum_never_grows(case: Case) -> None:
    total, highest = sum(case.activation), max(case.activation)
    for rounds in range(case.rounds + 1):
        after = case.fast(rounds)
        assert after.sum() == pytest.approx(total, abs=NEAR)
        assert after.min() >= 0
        assert after.max() <= highest + NEAR
        highest = after.max()


@relaxed
@given(cases())
def test_no_receiver_ends_a_round_above_the_highest_of_its_feeders(case: Case) -> None:
    table = slow.shares(case.n, case.edges, case.reverse)
    emits = [case.relays[i] or case.activation[i] > 0 for i in range(case.n)]
    before = np.array(case.activation)
    for rounds in range(1, case.rounds + 1):
        _, accepted = slow.one_round(table, list(before), case.transfer, emits)
        after = case.fast(rounds)
        for j in range(case.n):
            feeders = [i for i in range(case.n) if accepted[i][j] > 0]
            if feeders:
                assert after[j] <= after[feeders].max() + NEAR
        before = after


@relaxed
@given(cases())
def test_shares_leaving_a_concept_add_up_to_one_at_most(case: Case) -> None:
    net = case.network()
    leaving = np.bincount(net.source, net.share, case.n)
    assert leaving.max() <= 1 + NEAR
    assert (net.share >= 0).all()
    assert not (net.source == net.target).any()
    table = np.array(slow.shares(case.n, case.edges, case.reverse))
    dense = np.zeros((case.n, case.n))
    np.add.at(dense, (net.source, net.target), net.share)  # parallel associations are ways of their own
    assert dense == pytest.approx(table, abs=NEAR)


@relaxed
@given(cases())
def test_settle_equals_the_slow_one_and_keeps_the_perceived_on_top(case: Case) -> None:
    start, after = np.array(case.activation), case.fast()
    settled = settle(start, after, case.perceived)
    assert settled == pytest.approx(slow.settle(case.activation, list(after), case.perceived), abs=NEAR)
    assert settled.sum() == pytest.approx(start.sum(), abs=NEAR)
    assert settled.min() >= 0
    assert settled.max() <= start.max() + NEAR
    mentioned = np.array(case.perceived)
    received = ~mentioned & (settled > start + NEAR)
    if mentioned.any() and received.any():
        assert settled[received].max() <= settled[mentioned].min() + NEAR


@relaxed
@given(cases(), st.randoms(use_true_random=False))
def test_relabelling_and_reordering_change_nothing(case: Case, random: np.random.Generator) -> None:
    place = list(range(case.n))
    random.shuffle(place)
    edges = [(place[i], place[j], weight) for i, j, weight in case.edges]
    random.shuffle(edges)

    def moved(values: list[float] | list[bool]) -> np.ndarray:
        there = np.empty(case.n, dtype=np.asarray(values).dtype)
        there[place] = values
        return there

    start = moved(case.activation)
    after = spread(
        network(case.n, edges, case.reverse),
        start,
        transfer=case.transfer,
        rounds=case.rounds,
        relays=moved(case.relays),
    )
    assert after[place] == pytest.approx(case.fast(), abs=NEAR)
    settled = settle(start, after, moved(case.perceived))
    assert settled[place] == pytest.approx(settle(case.activation, case.fast(), case.perceived), abs=NEAR)


@relaxed
@given(cases())
def test_parallel_associations_conduct_as_their_sum_and_loops_not_at_all(case: Case) -> None:
    summed: dict[tuple[int, int], float] = {}
    for i, j, weight in case.edges:
        summed[i, j] = summed.get((i, j), 0.0) + weight
    merged = [(i, j, weight) for (i, j), weight in summed.items() if i != j]
    a = spread(network(case.n, case.edges), case.activation)
    assert a == pytest.approx(spread(network(case.n, merged), case.activation), abs=NEAR)


# ---- numbers checked by hand (λ = φ = 1/2)


def test_two_sources_into_one() -> None:
    """Each offers 1/2 and keeps 1/2; there is room for 1/2, so 1/4 of each is accepted; and so on."""
    net = network(3, [(0, 2, 1), (1, 2, 1)])
    assert spread(net, [1, 1, 0], rounds=1) == pytest.approx([0.75, 0.75, 0.5], abs=NEAR)
    assert spread(net, [1, 1, 0], rounds=2) == pytest.approx([0.6875, 0.6875, 0.625], abs=NEAR)
    assert spread(net, [1, 1, 0], rounds=3) == pytest.approx([0.671875, 0.671875, 0.65625], abs=NEAR)


def test_ten_sources_into_one() -> None:
    """Ten offers of 1/2 meet room for 1/2: a tenth of each is accepted, and the receiver stays below."""
    net = network(11, [(i, 10, 1) for i in range(10)])
    start = [1] * 10 + [0]
    assert spread(net, start, rounds=1) == pytest.approx([0.95] * 10 + [0.5], abs=NEAR)
    assert spread(net, start, rounds=2) == pytest.approx([0.9275] * 10 + [0.725], abs=NEAR)
    assert spread(net, start, rounds=3) == pytest.approx([0.917375] * 10 + [0.82625], abs=NEAR)


def test_one_source_with_unequal_neighbours() -> None:
    """What 0 keeps (0.725) is below its neighbour 1 (0.9), which therefore accepts nothing; 2 takes its 1/4.

    In the second round 1 is above 0, and flows back at φ = 1/2 of its only share: 1/2 · 1/2 · 0.15.
    """
    net = network(3, [(0, 1, 1), (0, 2, 1)])
    assert spread(net, [1, 0.9, 0], rounds=1) == pytest.approx([0.75, 0.9, 0.25], abs=NEAR)
    assert spread(net, [1, 0.9, 0], rounds=2) == pytest.approx([0.6625, 0.8625, 0.375], abs=NEAR)
    assert spread(net, [1, 0.9, 0], rounds=3) == pytest.approx([0.640625, 0.8125, 0.446875], abs=NEAR)


def test_a_concept_with_ten_incoming_associations_only() -> None:
    """Each way back has the share φ/10 = 1/20 (the denominator is without φ): 1/40 of the gap a round."""
    net = network(11, [(i, 0, 1) for i in range(1, 11)])
    start = [1] + [0] * 10
    assert spread(net, start, rounds=1) == pytest.approx([0.75] + [0.025] * 10, abs=NEAR)
    assert spread(net, start, rounds=2) == pytest.approx([0.56875] + [0.043125] * 10, abs=NEAR)
    assert spread(net, start, rounds=3) == pytest.approx([0.43734375] + [0.056265625] * 10, abs=NEAR)


TREE: list[slow.Edge] = [(0, 1, 3), (0, 2, 1), (0, 3, 10), (0, 5, 0.5), (0, 6, 1), (1, 4, 10)]


def test_the_tree() -> None:
    """First round by hand: 0 cedes half of its 1 in the shares 3, 1, 10, 1/2 and 1 of 15.5.

    Later rounds agree with rational arithmetic. After five rounds 3, which has a heavy tie and nowhere to
    pass things on, is above the only perceived concept: settling cuts it to what 0 had, and 0 gets that back.
    """
    net, start = network(7, TREE), [1] + [0] * 6
    once = [0.5, 1.5 / 15.5, 0.5 / 15.5, 5 / 15.5, 0, 0.25 / 15.5, 0.5 / 15.5]
    assert spread(net, start, rounds=1) == pytest.approx(once, abs=NEAR)
    after = spread(net, start, rounds=5)
    low, high = 0.2713409271369456, 0.3397258996695878
    others = [0.1137071406978694, 0.0739589145843673]
    tail = [0.0887127516212602, 0.0385954517056024, 0.0739589145843673]
    assert after == pytest.approx([low, *others, high, *tail], abs=NEAR)
    settled = settle(start, after, [True] + [False] * 6)
    assert settled == pytest.approx([high, *others, low, *tail], abs=NEAR)


# ---- waves: selves, edges of the domain


def test_a_self_keeps_a_wave_that_it_did_not_start() -> None:
    net = network(3, [(0, 1, 1), (1, 2, 1)])
    relays = [True, False, True]
    assert spread(net, [1, 0, 0], rounds=6, relays=relays)[2] == 0
    assert spread(net, [1, 0, 0], rounds=6)[2] > 0
    assert spread(net, [0, 1, 0], rounds=1, relays=relays)[2] > 0


def test_the_callers_arrays_stay_as_they_are() -> None:
    net, start = network(2, [(0, 1, 1)]), np.array([1.0, 0.0])
    untouched = spread(net, start, rounds=0)
    untouched[0] = 7
    after = spread(net, start, rounds=1)
    settle(start, after, [True, False])
    close(start, np.ones(1), [0], [1], Dynamics())
    assert start.tolist() == [1, 0]
    assert after.tolist() == [0.5, 0.5]


def test_no_concepts_and_no_associations() -> None:
    assert spread(network(0, []), []).shape == (0,)
    assert settle([], [], []).shape == (0,)
    assert spread(network(2, []), [1, 0]).tolist() == [1, 0]
    assert spread(network(2, [(0, 0, 4)]), [1, 0]).tolist() == [1, 0]
    assert spread(network(2, [(0, 1, 0)]), [1, 0]).tolist() == [1, 0]


def test_settle_with_nothing_perceived_changes_nothing() -> None:
    assert settle([1, 0], [0.4, 0.6], [False, False]).tolist() == [0.4, 0.6]


def test_settle_leaves_what_was_lit_before_at_its_start() -> None:
    """1 was at 0.9 before the turn: it did not merely receive that, and is cut to it, not to m = 0.3."""
    assert settle([1, 0.9, 0.3], [0.7, 1.2, 0.3], [True, False, True]) == pytest.approx([1, 0.9, 0.3])


def test_settle_gives_back_to_who_lost_when_the_perceived_ceded_nothing() -> None:
    """0 is perceived and alone; 1 fed 2. What 2 may not keep returns to 1, not to 0, which never had it."""
    assert settle([0.1, 2, 0], [0.1, 1.5, 0.5], [True, False, False]) == pytest.approx([0.1, 1.9, 0.1])


def test_settle_never_lifts_the_maximum() -> None:
    """1 relays what 0 cedes. In proportion to gross outflow it would get back 3.026, above every start."""
    start = [3, 2.9, 0.05, 0, 0, 0, 0]
    after = spread(network(7, [(0, 1, 1), *((1, leaf, 1) for leaf in (3, 4, 5, 6))]), start)
    settled = settle(start, after, [True] * 3 + [False] * 4)
    assert settled[:3] == pytest.approx([2.918848167539267, 2.7811518324607327, 0.05], abs=NEAR)
    assert settled[3:] == pytest.approx([0.05] * 4, abs=NEAR)


@table(
    ("act", "message"),
    [
        (lambda: Network.of(2, [0], [2], [1]), "target must be indexes from 0 to 1"),
        (lambda: Network.of(2, [-1], [0], [1]), "source must be indexes"),
        (lambda: Network.of(2, [0.0], [1], [1]), "source must be .* integers"),
        (lambda: Network.of(2, [0, 1], [1], [1]), "equally long, got 2, 1, 1"),
        (lambda: Network.of(2, [0], [1], [-1]), "weight must be finite numbers of 0 or more"),
        (lambda: Network.of(2, [0], [1], [math.nan]), "weight must be finite"),
        (lambda: Network.of(2, [0], [1], [1], reverse=2), "reverse must be from 0 to 1"),
        (lambda: spread(network(2, []), [1]), r"activation must be \(2,\), got \(1,\)"),
        (lambda: spread(network(1, []), [math.inf]), "activation must be finite"),
        (lambda: spread(network(1, []), [1], transfer=1.5), "transfer must be from 0 to 1"),
        (lambda: spread(network(2, []), [1, 1], relays=[True]), r"relays must be \(2,\) booleans"),
        (lambda: settle([1, 0], [1, 0], [True]), r"perceived must be \(2,\) booleans"),
        (lambda: hebb([0], [1], [1, 2], [1, 1], 0.1, 5), "weight must be"),
        (lambda: hebb([0], [1, 0], [1], [1, 1], 0.1, 5), "equally long, got 1 and 2"),
        (lambda: converge([[1, 0]], [1, 1]), r"waves must be \(2, n\)"),
        (lambda: converge([[-1, 0]], [1]), "waves must be finite"),
        (lambda: converge([[1, 0]], [1], faintest=1), "faintest between 0 and 1"),
    ],
)
def test_unusable_arrays_are_refused(act: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        act()  # type: ignore[operator]


# ---- the end of a turn


@relaxed
@given(st.lists(pulses, max_size=40), st.floats(0.1, 30))
def test_projection_is_the_nearest_point_within_the_budget(activation: list[float], budget: float) -> None:
    projected = project(activation, budget)
    assert projected == pytest.approx(slow.project(activation, budget), abs=NEAR)
    assert projected.sum() <= budget + NEAR
    if sum(activation) > budget:
        kept = projected > 0
        assert projected.sum() == pytest.approx(budget, abs=NEAR)
        assert np.ptp((np.array(activation) - projected)[kept]) <= NEAR  # one threshold for all


def test_projection_by_hand() -> None:
    assert project([3, 2, 1], 3).tolist() == [2, 1, 0]
    assert project([3, 3, 0.5], 3).tolist() == [1.5, 1.5, 0]
    assert project([1, 1], 3).tolist() == [1, 1]
    assert project([], 3).tolist() == []


@relaxed
@given(st.lists(pulses, max_size=40), st.floats(0.01, 1), st.floats(1, 5), st.floats(0.1, 20))
def test_homeostasis_bounds_how_many_stay_lit(
    activation: list[float], floor: float, ceiling: float, budget: float
) -> None:
    kept = homeostasis(activation, ceiling, budget, floor)
    assert np.count_nonzero(kept) <= budget / floor + NEAR
    assert kept.max(initial=0.0) <= ceiling
    assert kept.sum() <= budget + NEAR
    assert ((kept == 0) | (kept >= floor)).all()
    order = np.argsort(activation, kind="stable")
    assert (np.diff(kept[order]) >= 0).all()


@relaxed
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=20),
    st.floats(0.2, 0.95),
    st.floats(0.01, 0.5),
    st.floats(0.6, 4),
)
def test_without_input_everything_is_dark_when_promised(
    fractions: list[float], delta: float, floor: float, ceiling: float
) -> None:
    exact = math.log(floor / ceiling) / math.log(delta)
    assume(abs(exact - round(exact)) > NEAR)  # the boundary has a test of its own
    dynamics = Dynamics(decay=delta, floor=floor, ceiling=ceiling, budget=ceiling * 2)
    state = np.array([ceiling, *(ceiling * x for x in fractions)])
    alone = np.array([ceiling])
    for _ in range(math.ceil(exact)):
        assert alone[0] > 0
        state, alone = (
            homeostasis(decay(a, dynamics.decay), dynamics.ceiling, dynamics.budget, dynamics.floor)
            for a in (state, alone)
        )
    assert state.tolist() == [0.0] * len(state)
    assert alone.tolist() == [0.0]


def test_on_the_very_floor_a_concept_lives_one_close_longer() -> None:
    a = np.array([1.0])
    lived = 0
    while a[0]:
        a, lived = homeostasis(decay(a, 0.5), 1, 1, 0.25), lived + 1
    assert lived == 3  # ln(1/4) / ln(1/2) = 2, and 1/4 is not below 1/4


@relaxed
@given(cases(), st.floats(0, 1), st.floats(0.5, 10))
def test_hebb_equals_the_slow_one_never_shrinks_and_stays_bounded(
    case: Case, learning: float, weight_max: float
) -> None:
    edges = [(i, j, min(weight, weight_max)) for i, j, weight in case.edges]
    source, target, weight = columns(edges)
    learned = hebb(source, target, weight, case.activation, learning, weight_max)
    assert learned == pytest.approx(slow.hebb(edges, case.activation, learning, weight_max), abs=NEAR)
    assert (learned >= weight).all()
    assert learned.max(initial=0.0) <= weight_max + NEAR
    for pair in {(i, j) for i, j, _ in edges}:
        members = [k for k, edge in enumerate(edges) if edge[:2] == pair]
        assert learned[members].sum() <= max(weight[members].sum(), weight_max) + NEAR


def test_hebb_by_hand() -> None:
    """0.1 · 2 · 1 · (1 − 2/4) = 0.1 for the pair, halved between its two relations.

    The way back learns by its own weight; a self-loop and a dark end learn nothing.
    """
    learned = hebb([0, 0, 1, 0, 0], [1, 1, 0, 0, 2], [1, 1, 2, 1, 1], [2, 1, 0], 0.1, 4)
    assert learned == pytest.approx([1.05, 1.05, 2.1, 1, 1], abs=NEAR)


def test_hebb_alone_converges_to_the_maximum() -> None:
    weight = np.array([1.0])
    for _ in range(2000):
        weight = hebb([0], [1], weight, [1, 1], 0.05, 5)
    assert weight == pytest.approx([5], abs=1e-6)


def test_close_in_its_order() -> None:
    """δ = 1/2: (10, 2, 0.2, 0) → (5, 1, 0.1, 0); ceiling 3 → (3, 1, 0.1, 0); budget 3 takes 1/2 from each →
    (2.5, 0.5, 0, 0); the floor spares both. Hebb sees that, not what was lit before.
    """
    dynamics = Dynamics(decay=0.5, ceiling=3, budget=3, floor=0.05, learning=0.1, weight_max=5)
    lit, weights = close([10, 2, 0.2, 0], [1.0, 1.0], [0, 1], [1, 2], dynamics)
    assert lit == pytest.approx([2.5, 0.5, 0, 0], abs=NEAR)
    assert weights == pytest.approx([1 + 0.1 * 2.5 * 0.5 * 0.8, 1], abs=NEAR)


def test_dynamics_refuses_a_floor_above_the_ceiling() -> None:
    with pytest.raises(SettingsError, match="floor must be above 0"):
        Dynamics(floor=4, ceiling=3)


# ---- several waves, one number


arrivals = st.one_of(st.just(0.0), st.floats(1e-300, 1e-3), st.floats(1e-3, 10))


@relaxed
@given(st.data())
def test_two_weak_reaches_outrank_one_strong(data: st.DataObject) -> None:
    """Concept 0 is reached by two cues, however faintly; concept 1 by one of the same weight, at its best."""
    cues = data.draw(st.integers(2, 5))
    weight = data.draw(st.floats(0.01, 10))
    others = data.draw(st.lists(st.floats(0.01, 10), min_size=cues - 2, max_size=cues - 2))
    rest = [data.draw(st.lists(arrivals, min_size=6, max_size=6)) for _ in range(cues)]
    for wave in rest:
        wave[0] = wave[1] = 0.0
    rest[0][0], rest[1][0] = data.draw(st.floats(1e-300, 10)), data.draw(st.floats(1e-300, 10))
    rest[data.draw(st.integers(0, 1))][1] = data.draw(st.floats(1e-300, 1e6))
    combined = converge(rest, [weight, weight, *others])
    assert combined[0] > combined[1] > 0


@relaxed
@given(
    st.integers(1, 5).flatmap(
        lambda cues: st.tuples(
            st.lists(st.lists(arrivals, min_size=7, max_size=7), min_size=cues, max_size=cues),
            st.lists(st.floats(0.01, 10), min_size=cues, max_size=cues),
        )
    )
)
def test_convergence_is_bounded_monotone_and_blind_to_order_and_scale(
    drawn: tuple[list[list[float]], list[float]],
) -> None:
    waves, u = np.array(drawn[0]), np.array(drawn[1])
    combined = converge(waves, u)
    assert ((combined >= 0) & (combined <= 1)).all()
    assert ((combined == 0) == (waves.max(axis=0) == 0)).all()
    assert converge(waves[::-1], u[::-1]) == pytest.approx(combined, abs=NEAR)
    assert converge(waves[:, ::-1], u)[::-1] == pytest.approx(combined, abs=NEAR)
    assert converge(waves, u * 3) == pytest.approx(combined, abs=NEAR)
    order = np.argsort(waves[0], kind="stable")
    assert (np.diff(converge(waves[:1], u[:1])[order]) >= 0).all()


def test_convergence_by_hand() -> None:
    """Half of the way down the logarithm (10^-1.5 of 10^-3) is worth β + (1 − β)/2; beyond it, β."""
    waves = [[2, 2 * 10**-1.5, 2e-3, 2e-9, 0], [1, 0, 0, 1, 0]]
    expected = [1, 0.75 * 0.775, 0.75 * 0.55, 0.75 * 0.55 + 0.25, 0]
    assert converge(waves, [3, 1]) == pytest.approx(expected, abs=NEAR)
    assert converge(np.array(waves) * 1e-6, [3, 1]) == pytest.approx(expected, abs=NEAR)
    assert converge(np.zeros((2, 3)), [1, 1]).tolist() == [0, 0, 0]
    assert converge(np.ones((2, 3)), [0, 0]).tolist() == [0, 0, 0]
    assert converge(np.zeros((0, 3)), []).tolist() == [0, 0, 0]
