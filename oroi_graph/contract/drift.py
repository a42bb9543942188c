"""Semantic drift: whether the meaning under one key differs between authors or moves over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class DriftEntry:
    """One entry of a key. at: when it was written. vector: (d,) unit vector."""

    id: str
    author: str
    at: datetime
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDrift:
    """How far two authors are apart. p: adjusted for the number of pairs."""

    authors: tuple[str, str]
    statistic: float
    p: float
    drifted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftReport:
    """Whether one key drifts.

    drifted: one of the tests is significant at `level` as a family. statistic, p: of the test between authors;
    time_statistic, time_p: of the test over time (None where there are too few entries). moved: ids of the entries
    that lie nearer to another group than to their own past, furthest first.
    """

    entries: int
    authors: tuple[str, ...]
    level: float
    permutations: int
    drifted: bool
    statistic: float | None
    p: float | None
    time_statistic: float | None
    time_p: float | None
    pairs: tuple[PairDrift, ...]
    moved: tuple[str, ...]
    reason: str

    def to_json(self) -> dict[str, object]:
        """The report as JSON values."""
        raise NotImplementedError


def drift(entries: Sequence[DriftEntry], *, permutations: int = 999, seed: int = 0, level: float = 0.05) -> DriftReport:
    """The drift of one key's entries, in any order."""
    raise NotImplementedError
