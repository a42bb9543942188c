"""The parts of a small network, in numpy: products, layers, shares of attention.

Products are small and are computed by one thread.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

MOST = 4 * 65536  # multiplications of a product at a time: OpenBLAS spreads what takes more

Numbers = NDArray[np.float32]


def product(rows: Numbers, matrix: Numbers) -> Numbers:
    """(n, j) rows @ matrix, by one thread. rows: (n, k); matrix: (k, j).

    Some rows at a time: a larger product is spread over threads, which gains nothing here, and the others then wait for
    the next one in a loop that takes the processor for some ms (decision 1971).
    """
    n, most = len(rows), max(1, MOST // matrix.size)
    found: Numbers = np.empty((n, matrix.shape[1]), dtype=rows.dtype)
    for at in range(0, n, most):
        np.matmul(rows[at : at + most], matrix, out=found[at : at + most])
    return found


def scaled(x: Numbers) -> Numbers:
    """Rows of a mean square of 1."""
    squares = np.einsum("...h,...h->...", x, x)[..., np.newaxis]
    scaled: Numbers = x / np.sqrt(squares / x.shape[-1] + 1e-6)
    return scaled


def layer(w: Mapping[str, Numbers], name: str, rows: Numbers) -> Numbers:
    """(n, h) What a rectified layer makes of rows, (n, k). w: by name, with the layer's and its bias."""
    made: Numbers = np.maximum(product(rows, w[name]) + w[f"{name}_bias"], 0.0)
    return made


def alike(w: Mapping[str, Numbers], content: Numbers, name: str) -> Numbers:
    """(n, n) How much records have in common, by a projection of what they are about, (n, h)."""
    seen = product(content, w[name])
    found: Numbers = seen @ seen.T * (w[f"{name}_sharp"] / seen.shape[1])
    return found


def shared_out(draws: Numbers) -> Numbers:
    """(n, n) How much of each record's attention goes to each other one.

    draws: (n, n), minus infinity for those that it does not see. What is left goes to none, which draws with 0.
    """
    top = np.maximum(draws.max(axis=1, keepdims=True), 0.0)  # no power overflows
    shares = np.exp(draws - top)
    of_all: Numbers = shares / (shares.sum(axis=1, keepdims=True) + np.exp(-top))
    return of_all


def softmax(odds: NDArray[np.float64]) -> Numbers:
    """(n,) Probabilities that sum to 1."""
    shares = np.exp(odds - odds.max())
    of_all: Numbers = (shares / shares.sum()).astype(np.float32)
    return of_all


def sigmoid(odds: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """The probabilities of log odds."""
    found: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.asarray(odds, dtype=np.float64)))
    return found
