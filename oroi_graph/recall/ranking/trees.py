"""Decision trees that add up to a score, evaluated for all records at once.

The trees are oblivious: all nodes of one depth ask the same, so that a tree is a table and the answers are its index
(Kohavi 1994; Prokhorenkova et al. 2018, CatBoost).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oroi_graph.recall.ranking.features import Values

_DEEPEST = 8  # of two trees that are looked up as one: a table of 256 numbers


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """t trees of depth d over named features. Shallow ones are kept in twos, as trees of twice the depth.

    names: of the features. feature, border: (q,) the questions that trees ask, each once: whether the feature at that
    place is above that border. asked: (t, d) which question each depth asks; value: (t, 2 ** d) what a tree adds, by
    its answers: a yes to the first counts 1, to the next 2, then 4 …
    """

    names: tuple[str, ...]
    feature: NDArray[np.int64]
    border: Values
    asked: NDArray[np.int64]
    value: Values

    @classmethod
    def read(cls, text: str) -> Trees:
        """The trees of a JSON text; one of fewer questions than the deepest asks some that nothing answers with yes."""
        found = json.loads(text)
        trees = found["trees"]
        depth = max(len(tree["features"]) for tree in trees)
        numbers: dict[tuple[int, float], int] = {(0, np.inf): 0}
        asked = np.zeros((len(trees), depth), dtype=np.int64)
        value = np.zeros((len(trees), 2**depth))
        for i, tree in enumerate(trees):
            for level, question in enumerate(zip(tree["features"], tree["borders"], strict=True)):
                asked[i, level] = numbers.setdefault(question, len(numbers))
            value[i, : len(tree["values"])] = tree["values"]
        feature, border = zip(*numbers, strict=True)
        if 2 * depth <= _DEEPEST:
            asked, value = _in_twos(asked, value)
        return cls(tuple(found["features"]), np.array(feature), np.array(border), asked, value)

    def scores(self, features: Mapping[str, Values]) -> Values:
        """(n,) The sum of the trees for n records, given {name of a feature: (n,)}."""
        x = np.array([features[name] for name in self.names])
        yes = (x.take(self.feature, axis=0) > self.border[:, np.newaxis]).view(np.uint8)  # (q, n)
        count, leaves = self.value.shape
        leaf = np.zeros((count, x.shape[1]), dtype=np.min_scalar_type(leaves - 1))
        for asked in self.asked.T[::-1]:
            leaf += leaf
            leaf += yes.take(asked, axis=0)
        place = leaf + np.arange(0, count * leaves, leaves)[:, np.newaxis]
        total: Values = self.value.ravel().take(place).sum(axis=0)
        return total


def _in_twos(asked: NDArray[np.int64], value: Values) -> tuple[NDArray[np.int64], Values]:
    """The same of half as many trees: two of depth d are one of depth 2 d that adds the values of both."""
    if len(asked) % 2:
        asked, value = np.pad(asked, ((0, 1), (0, 0))), np.pad(value, ((0, 1), (0, 0)))
    both = value[::2, np.newaxis, :] + value[1::2, :, np.newaxis]
    return np.concatenate([asked[::2], asked[1::2]], axis=1), both.reshape(len(both), -1)
