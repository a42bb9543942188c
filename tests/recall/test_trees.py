"""Oblivious decision trees: their sum, for all records at once."""

from __future__ import annotations

import json

import numpy as np
import pytest

from oroi_graph.recall.ranking.trees import Trees

TEXT = json.dumps({
    "features": ["near", "said"],
    "trees": [
        {"features": [0, 1], "borders": [0.5, 2.0], "values": [1.0, 10.0, 100.0, 1000.0]},
        {"features": [1], "borders": [0.0], "values": [-0.5, 0.25]},
    ],
})  # fmt: skip


def test_each_tree_adds_the_value_of_its_answers() -> None:
    """The first question counts 1 of the index, the second 2; above a border is yes, on it is no."""
    x = {"near": np.array([0.0, 1.0, 0.5, 1.0]), "said": np.array([0.0, 2.0, 3.0, 3.0])}
    assert Trees.read(TEXT).scores(x).tolist() == [1.0 - 0.5, 10.0 + 0.25, 100.0 + 0.25, 1000.0 + 0.25]


def test_a_tree_of_fewer_questions_asks_no_more() -> None:
    trees = Trees.read(TEXT)
    huge = {"near": np.array([1e300]), "said": np.array([1e300])}
    assert trees.asked.shape == (1, 4), "two of depth 2 are kept as one of depth 4"
    assert trees.scores(huge).tolist() == [1000.25]


def test_features_are_found_by_name_and_others_do_not_matter() -> None:
    x = {"else": np.array([9.0]), "said": np.array([3.0]), "near": np.array([0.0])}
    assert Trees.read(TEXT).scores(x).tolist() == [100.25]


def test_what_several_trees_ask_is_answered_once() -> None:
    one = {"features": [0, 1], "borders": [0.5, 2.0], "values": [1.0, 2.0, 3.0, 4.0]}
    trees = Trees.read(json.dumps({"features": ["near", "said"], "trees": [one, one]}))
    assert len(trees.border) == 3, "two, and the one that nothing answers with yes"
    assert trees.scores({"near": np.array([1.0]), "said": np.array([3.0])}).tolist() == [8.0]


def test_many_trees_and_deep_ones_are_summed_like_one_after_another() -> None:
    draw = np.random.default_rng(5)
    x = {name: draw.normal(size=40) for name in ("near", "said")}
    for depth in (1, 3, 4, 5):
        trees = [
            {
                "features": draw.integers(0, 2, depth).tolist(),
                "borders": draw.normal(size=depth).tolist(),
                "values": draw.normal(size=2**depth).tolist(),
            }
            for _ in range(7)
        ]
        places = [
            sum(
                (x[("near", "said")[f]] > b) * 2**i
                for i, (f, b) in enumerate(zip(t["features"], t["borders"], strict=True))
            )
            for t in trees
        ]
        plain = sum(np.array(tree["values"])[place] for tree, place in zip(trees, places, strict=True))
        found = Trees.read(json.dumps({"features": ["near", "said"], "trees": trees})).scores(x)
        assert found == pytest.approx(plain)
