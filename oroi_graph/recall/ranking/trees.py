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

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """t trees of depth d over named features.

    names: of the features. feature: (t, d) the place of the feature that each depth asks about; border: (t, d) above
    which the answer is yes; value: (t, 2 ** d) what a tree adds, by its answers, the first one counting 1, the next 2 …
    """

    names: tuple[str, ...]
    feature: NDArray[np.int64]
    border: Values
    value: Values

    @classmethod
    def read(cls, text: str) -> Trees:
        """The trees of a JSON text; one of fewer questions than the deepest asks some that nothing answers with yes."""
        found = json.loads(text)
        trees = found["trees"]
        depth = max(len(tree["features"]) for tree in trees)
        feature = np.zeros((len(trees), depth), dtype=np.int64)
        border = np.full((len(trees), depth), np.inf)
        value = np.zeros((len(trees), 2**depth))
        for i, tree in enumerate(trees):
            asked = len(tree["features"])
            feature[i, :asked], border[i, :asked] = tree["features"], tree["borders"]
            value[i, : 2**asked] = tree["values"]
        return cls(tuple(found["features"]), feature, border, value)

    def scores(self, features: Mapping[str, Values]) -> Values:
        """(n,) The sum of the trees for n records, given {name of a feature: (n,)}."""
        x = np.array([features[name] for name in self.names])
        yes = x[self.feature] > self.border[:, :, np.newaxis]  # (t, d, n)
        leaf = np.tensordot(2 ** np.arange(self.border.shape[1]), yes, axes=(0, 1))
        total: Values = np.take_along_axis(self.value, leaf, axis=1).sum(axis=0)
        return total
