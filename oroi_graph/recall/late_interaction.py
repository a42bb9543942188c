"""Late interaction: a question's words meet a record's words one by one (Khattab and Zaharia, "ColBERT", 2020).

One vector for a whole turn blurs its words. Here each of the question's words looks for the record's word that is
nearest in meaning. Of a word's vector only the signs are kept, one bit a dimension: the share of equal signs tells the
angle (Charikar 2002). That is 48 bytes for 384 dimensions, on no index.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oroi_graph.providers.word_vectors import bits


def best_words(question: str | None, records: Sequence[str | None], dimensions: int) -> NDArray[np.float64] | None:
    """(question's words, n) float64: the best cosine of signs, -1..1, of each with a word of each record.

    question, records: packed words, None if the embedder knows none. dimensions: of the embedder. A record without
    words gets the mean of the others. None if the question or all records have none.
    """
    known = [i for i, packed in enumerate(records) if packed]
    if not question or not known:
        return None
    asked, _ = bits([question])
    words, counts = bits([packed for packed in records if packed])
    starts = np.cumsum([0, *counts[:-1]])
    found = np.empty((len(asked), len(records)))
    for row, word in enumerate(asked):
        differing = np.bitwise_count(words ^ word).sum(axis=1, dtype=np.int64)
        least = np.minimum.reduceat(differing, starts)
        best = 1.0 - 2.0 * least / dimensions
        found[row] = best.mean()
        found[row, known] = best
    return found
