"""Vectors of a working set: which rows are nearest to a query, exactly.

Products in float32 choose, with some to spare; what they chose is compared in float64, row by row. So a cosine depends
on its two vectors only, never on where a row stands or how many others there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SPARE = 16  # rows that the product in float32 offers beyond those that are asked for

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """(n, d) unit rows. known: (n,) rows that have a vector; the others are zero.

    buffer: the rows with room for more behind them, which later states of the same set share.
    """

    known: NDArray[np.bool_]
    buffer: NDArray[np.float32]

    @classmethod
    def of(cls, rows: Sequence[Any], dimensions: int) -> Vectors:
        """rows: driver vectors; numbers where there is none."""
        return cls(np.zeros(0, dtype=bool), np.zeros((0, dimensions), dtype=np.float32)).extended(rows)

    def extended(self, rows: Sequence[Any]) -> Vectors:
        """These vectors and more behind them. The latest state may be extended, once; others keep their rows."""
        n, more = len(self.known), len(rows)
        if not more:
            return self
        known = np.concatenate([self.known, [not isinstance(row, int) for row in rows]])
        buffer = self.buffer
        if n + more > len(buffer):
            buffer = np.zeros((n + more + (n + more) // 8 * (n > 0), buffer.shape[1]), dtype=np.float32)
            buffer[:n] = self.buffer[:n]
        for place, row in enumerate(rows, n):
            if isinstance(row, int):
                buffer[place] = 0.0
            else:
                values = row.to_numpy()
                buffer[place] = values / max(float(np.linalg.norm(values)), 1e-12)
        return Vectors(known, buffer)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.buffer.nbytes + self.known.nbytes

    def cosines(self, places: Places, query: Floats) -> Floats:
        """(k,) cosines of these rows with a unit query."""
        found: Floats = (self.buffer[places].astype(np.float64) * query).sum(axis=1)
        return found

    def nearest(self, query: Floats, most: int) -> tuple[Places, Floats]:
        """The places of at least the `most` nearest rows that have a vector, and their cosines; in no order."""
        n, wanted = len(self.known), most + SPARE
        if int(self.known.sum()) <= wanted:
            places = np.flatnonzero(self.known)
        else:
            scores = self.buffer[:n] @ query.astype(np.float32)
            scores[~self.known] = -np.inf
            places = np.argpartition(-scores, wanted)[:wanted]
        return places, self.cosines(places, query)


def unit(values: NDArray[np.float32]) -> Floats:
    """A query as (d,) float64 of length 1; zeros stay zeros."""
    wide = values.astype(np.float64)
    found: Floats = wide / max(float(np.linalg.norm(wide)), 1e-12)
    return found
