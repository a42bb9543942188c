"""The best paths from cues, against plain loops over plain lists, without a database."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oroi_graph import Options
from oroi_graph.recall.graph.paths import Steps, find_paths, of_classes
from oroi_graph.working_set.neighbourhood import Edge, Edges

Walk = tuple[float, tuple[int, ...]]  # worth, steps

SEARCH = replace(Options().search, fan_out=(1, 1, 1, 0), least_step=0.4)


def slow_walks(start: int, steps: Steps, ends: np.ndarray, closed: set[tuple[int, int]]) -> list[dict[int, Walk]]:
    """{concept: its best walk} by length; nothing goes on from `ends`, nor after so many steps from what is closed."""
    by_length: list[dict[int, Walk]] = [{start: (1.0, ())}]
    for hop in range(1, len(SEARCH.fan_out) + 1):
        found: dict[int, tuple[float, float, int, int]] = {}
        for step, (source, target) in enumerate(zip(steps.source.tolist(), steps.target.tolist(), strict=True)):
            if source not in by_length[-1] or target == start or (hop - 1, source) in closed:
                continue
            if hop > 1 and ends[source]:
                continue
            before = by_length[-1][source][0]
            way = (before * float(steps.score[step]), before, -source, -step)
            found[target] = max(found.get(target, way), way)
        by_length.append(
            {end: (way[0], (*by_length[-1][-way[2]][1], -way[3])) for end, way in found.items() if way[0] > 0}
        )
    return by_length


def slow_paths(start: int, steps: Steps, ends: np.ndarray) -> dict[int, Walk]:
    """{concept: its best walk}, found again until what is too weak to go on from is settled."""
    closed: set[tuple[int, int]] = set()
    for _ in range(2 * len(SEARCH.fan_out)):
        by_length, best = slow_walks(start, steps, ends, closed), dict[int, Walk]()
        for walks in by_length[1:]:
            for end, walk in walks.items():
                best[end] = walk if walk[0] > best.get(end, walk)[0] else best.get(end, walk)
        weak = {(len(walk[1]), end) for end, walk in best.items() if walk[0] < SEARCH.least_step ** len(walk[1])}
        if weak == closed:
            break
        closed = weak
    return {end: walk for end, walk in best.items() if (len(walk[1]), end) not in closed}


@pytest.mark.parametrize("seed", range(40))
def test_they_are_those_of_plain_loops(seed: int) -> None:
    """Few scores, so that many walks are equal; some too weak to be passed."""
    random = np.random.default_rng(seed)
    n, m = 14, 24
    source, target = random.integers(0, n, m), random.integers(0, n, m)
    scores = random.choice([0.2, 0.3, 0.5, 0.7, 1.0], 2 * m)
    steps = Steps(
        np.concatenate((source, target)), np.concatenate((target, source)), np.tile(np.arange(m), 2), scores
    )  # fmt: skip
    starts, ends = [0, 3], random.random(n) < 0.2
    ends[starts] = True
    found = find_paths(starts, steps, np.zeros(m, dtype=bool), ends, SEARCH)
    expected = {
        (cue, end): (worth, tuple(int(steps.edge[step]) for step in walk))
        for cue, start in enumerate(starts)
        for end, (worth, walk) in slow_paths(start, steps, ends).items()
    }
    assert {(path.cue, path.end): (pytest.approx(path.worth), path.edges) for path in found} == expected
    assert [path.worth for path in found] == sorted((path.worth for path in found), reverse=True)
    assert [path.clear for path in found] == pytest.approx([path.worth ** (1 / len(path.edges)) for path in found])


def test_a_name_is_a_step_only_where_it_is_the_end() -> None:
    """0 –is called→ 1 –lives in→ 2: of what lives there only the last step tells."""
    steps = Steps(np.array([0, 1]), np.array([1, 2]), np.array([0, 1]), np.array([0.5, 0.9]))
    found = find_paths([0], steps, np.array([True, False]), np.array([True, False, False]), SEARCH)
    assert {path.end: path.clear for path in found} == pytest.approx({1: 0.5, 2: 0.9})


def test_associations_by_groups_of_classes() -> None:
    relations = ("has", "lives in", "has", "owns")
    edges = Edges.of(Edge(str(i), 0, 1, 1.0, name, name, False, 1.0) for i, name in enumerate(relations))
    first, second, none = of_classes(edges, {"has"}, {"owns", "lives in"}, set())
    assert first.tolist() == [True, False, True, False]
    assert second.tolist() == [False, True, False, True]
    assert not none.any()
    assert [found.tolist() for found in of_classes(Edges.of(()), {"has"})] == [[]]
