"""Extractive summaries of entries: what stands for most of them, in their own words, within a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Digest:
    """short, full: within their token counts. used: indices of the texts that `full` takes from, in its order."""

    short: str
    full: str
    used: tuple[int, ...]


def digest(texts: Sequence[str], vectors: NDArray[np.float32] | None, *, short: int = 60, full: int = 240) -> Digest:
    """A digest of texts, oldest first, with their (n, d) unit vectors (None without); tokens as `count_tokens`."""
    raise NotImplementedError
