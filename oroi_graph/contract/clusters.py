"""Topics: clusters of unit vectors that stay where they are while entries are added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Topic:
    """A cluster. id: stays while the cluster exists. centroid: (d,) unit vector. size: entries in it."""

    id: str
    centroid: NDArray[np.float32]
    size: int


@dataclass(frozen=True, slots=True)
class Clustering:
    """topics: in the order they were made. labels: the topic id of each vector, in the order given."""

    topics: tuple[Topic, ...]
    labels: tuple[str, ...]


def cluster(
    ids: Sequence[str], vectors: NDArray[np.float32], *, known: Sequence[Topic] = (), threshold: float | None = None
) -> Clustering:
    """The topics of (n, d) unit vectors, given the topics known so far; ids name the entries."""
    raise NotImplementedError
