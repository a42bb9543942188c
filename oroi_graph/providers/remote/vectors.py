"""Unit vectors out of what services answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import ProviderError
from oroi_graph.providers.protocols import Vectors

MAX_BYTES = 8_000  # of one embedded text


def unit_vectors(rows: Sequence[NDArray[np.float64]], model: str, dimensions: int, *, cut: bool = False) -> Vectors:
    """(n,) vectors → (n, dimensions) float32 of length 1. cut: longer ones may be cut to their first dimensions.

    Raises ProviderError for a vector of another length, zero, or not finite.
    """
    for vector in rows:
        if vector.ndim != 1 or vector.size < dimensions or (vector.size > dimensions and not cut):
            raise ProviderError(
                f"{model!r} answered with {vector.size} dimensions, not {dimensions}: "
                "set OROI_EMBEDDING_DIMENSIONS to what the model gives"
            )
    matrix = np.stack([vector[:dimensions] for vector in rows]) if rows else np.empty((0, dimensions))
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not (np.isfinite(norms) & (norms > 0)).all():
        raise ProviderError(f"{model!r} answered with a vector that is zero or not finite")
    unit: Vectors = (matrix / norms).astype(np.float32)
    return unit


def embeddable(text: str) -> str:
    """A text as services take it: at most MAX_BYTES bytes; a full stop in place of a blank one, which they refuse."""
    shortened = text.encode("utf-8", "replace")[:MAX_BYTES].decode("utf-8", "ignore")
    return shortened if shortened.strip() else "."
