"""Moves the vector of a question towards those of statements that answer it.

Sentence embedders put alike texts near to each other, and a question is not like its answer. For the embedders that
have one, a low-rank projection q' = q + V Uᵀ q is kept in `projections/‹model›.npz`; it was fitted on questions and the
turns that answer them (`benchmarks/question_projection.py`, decision 0605). Stored vectors stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from oroi_graph.providers.protocols import Vectors

FOLDER = files(__package__) / "projections"


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """A projection of one embedder. down, up: (d, r) float32, U and V."""

    down: Vectors
    up: Vectors

    def __call__(self, questions: Vectors) -> Vectors:
        """(n, d) unit vectors of questions → (n, d) float32 unit vectors."""
        moved = questions + questions @ self.down @ self.up.T
        return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), dtype=np.float32)


@cache
def projection(model: str) -> Projection | None:
    """The projection of an embedder by its model's name; None if none was fitted for it."""
    known = {path.name: path for path in FOLDER.iterdir()}
    path = known.get(f"{model}.npz")
    if path is None:
        return None
    with path.open("rb") as file, np.load(file) as kept:
        return Projection(kept["down"], kept["up"])
