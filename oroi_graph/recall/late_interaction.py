"""Late interaction: a question's words meet a record's words one by one (Khattab and Zaharia, "ColBERT", 2020).

One vector for a whole turn blurs what its words say; here each of the question's words looks for the word that means it
best. Of a word's vector only the signs are kept, one bit a dimension (Charikar 2002: the share of equal signs tells the
angle): 48 bytes for 384 dimensions, on no index. On conversations, evidence recall by such words alone was 73 of 100 in
the ten best records, 75 with whole vectors, 66 with one vector for each turn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oroi_graph.providers.word_vectors import bits


def best_words(question: str | None, records: Sequence[str | None], dimensions: int) -> NDArray[np.float64] | None:
    """(question's words, n): for each of them the best cosine of signs, -1..1, with a word of each record.

    dimensions: of the embedder. A record whose words are not known gets the mean of the others, which says nothing;
    None where nothing is known.
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
