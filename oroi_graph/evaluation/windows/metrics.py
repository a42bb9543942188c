"""The metrics of the protocol: of answers (ROUGE-L recall, BERTScore precision) and of what was found (f, g).

f is 1 if the dialogue that a question means was found. g is 1 if it was found by the question's time, and that is
right; its mean is over the questions whose time is right, as the source's figures are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from oroi_graph.language.normalize import fold
from oroi_graph.providers.protocols import Embedder
from oroi_graph.providers.word_vectors import bits, embedded

_WORD = re.compile(r"\w+")


def rouge_l_recall(answer: str, reference: str) -> float:
    """The longest common subsequence of words, as a share of the reference's (Lin and Och 2004); 0 without words."""
    said, right = _words(answer), _words(reference)
    if not right:
        return 0.0
    row = [0] * (len(right) + 1)
    for word in said:
        before = 0
        for i, other in enumerate(right, start=1):
            before, row[i] = row[i], before + 1 if word == other else max(row[i], row[i - 1])
    return row[-1] / len(right)


def bert_precision(answer: str, reference: str, embedder: Embedder) -> float | None:
    """The mean over the answer's tokens of the best cosine with a token of the reference (Zhang et al. 2020).

    Tokens are those of the project's embedder in their sentence; of each only the signs are kept, so that a cosine is
    that of signs. None if the embedder knows no tokens; 0 for an empty answer.
    """
    if not answer.strip() or not reference.strip():
        return 0.0
    vectors, packed = embedded(embedder, [answer, reference])
    if packed[0] is None or packed[1] is None:
        return None
    dimensions = vectors.shape[1]
    said, _ = bits([packed[0]], dimensions)
    right, _ = bits([packed[1]], dimensions)
    best = [1.0 - 2.0 * int(np.bitwise_count(right ^ word).sum(axis=1).min()) / dimensions for word in said]
    return float(np.mean(best))


def mean(values: Sequence[float]) -> float:
    """Their mean; 0 for none."""
    return float(np.mean(values)) if values else 0.0


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))
