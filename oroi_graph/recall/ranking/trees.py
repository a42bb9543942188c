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


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """t trees of depth d over named features.

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
        return cls(tuple(found["features"]), np.array(feature), np.array(border), asked, value)

    def scores(self, features: Mapping[str, Values]) -> Values:
        """(n,) The sum of the trees for n records, given {name of a feature: (n,)}."""
        x = np.array([features[name] for name in self.names])
        yes = (x[self.feature] > self.border[:, np.newaxis]).astype(np.intp)  # (q, n)
        place = np.arange(len(self.value))[:, np.newaxis] * self.value.shape[1]
        for level in range(self.asked.shape[1]):
            place = place + (yes[self.asked[:, level]] << level)
        total: Values = self.value.ravel()[place].sum(axis=0)
        return total
