"""How well records answer a question, by small networks that read the words of both against each other.

A decomposable attention model (Parikh et al. 2016) over the packed words that are kept for late interaction: each word
of the question attends to the words of a record and is compared with what it finds there; each word of the record is
compared with what the question asks for. What comes of it is one number a record, which is added to what the trees of
`relevance` say. Cosines tell what is near; which near record is an answer ("where" and a place, "who minds" and a
sister who picks up) has to be learnt from questions that were answered (`benchmarks/attention.py`, decision 1970).

Networks are those of one embedding model, whose words they were fitted on; other models have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from oroi_graph.providers.word_vectors import bits
from oroi_graph.recall.ranking.features import Values

ASKED, READ = 20, 56  # words of a question and of a record that are read; what follows is not
# By the model whose words they read, which is not imported, as it loads what runs it.
_FILES = {"multilingual-e5-small-q4-centred": "attention-e5-small.npz"}
CLOSE = 3.0  # weight of the best cosine of a word beside what is compared

Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """Several networks, whose mean counts.

    weights: of each, by name. question_words, record_words: (d, h) the words' projections; gate: (h, 1) which words of
    a question count; compare: (4 h + 1, h) a word of the question beside what it found; answer: (3 h, h) a word of a
    record beside the question; joined: (3 h + 3, h) all of that, and whether the past is asked for, when and by whom a
    record was said; score: (h, 1). Names with "_bias" are what is added. sharp, near: (), how much attention goes to
    the nearest word, by projections and by cosines.
    """

    weights: Sequence[Mapping[str, Numbers]]

    def scores(self, question: str, records: Sequence[str], about: Numbers) -> Values:
        """(n,) How well each record answers, in log odds.

        question, records: packed words. about: (n, 3) when each record was said among the others, from -0.5, the
        first, to 0.5; whether an assistant said it; whether the past is asked for.
        """
        asked = signs([question])[0][:ASKED]
        texts = [one[:READ] for one in signs(records)]
        starts = np.cumsum([0, *map(len, texts)])
        words: Numbers = np.concatenate(texts)
        cosines: Numbers = words @ asked.T / asked.shape[1]
        both = [_read(network, asked, words, starts, cosines, about) for network in self.weights]
        mean: Values = np.mean(both, axis=0, dtype=np.float64)
        return mean


@cache
def shipped(model: str) -> Attention | None:
    """The networks that read the words of an embedding model, None where there are none."""
    if model not in _FILES:
        return None
    with (files(__package__) / _FILES[model]).open("rb") as file, np.load(file) as found:
        stacked = {name: found[name].astype(np.float32) for name in found.files}
    count = len(next(iter(stacked.values())))
    return Attention([{name: values[i] for name, values in stacked.items()} for i in range(count)])


def signs(packed: Sequence[str]) -> list[Numbers]:
    """The words of each text, (words, d), as +1 and -1."""
    words, counts = bits(packed)
    found = np.unpackbits(words.view(np.uint8), axis=1).astype(np.float32) * 2 - 1
    return np.split(found, np.cumsum(counts)[:-1])


def _read(
    w: Mapping[str, Numbers],
    asked: Numbers,
    words: Numbers,
    starts: NDArray[np.int64],
    cosines: Numbers,
    about: Numbers,
) -> Numbers:
    """(n,) One network's scores.

    asked: (a, d); words: (t, d) of all records, one behind the other, and starts: (n + 1,) where each begins, and the
    end; cosines: (t, a).
    """
    q = _scaled(asked @ w["question_words"] + w["question_words_bias"])
    r = _scaled(words @ w["record_words"] + w["record_words_bias"])
    width, begins = q.shape[1], starts[:-1]
    # Rows have a mean square of 1, so that no power overflows.
    attending = np.exp(r @ q.T * (w["sharp"] / width**0.5) + w["near"] * cosines)
    found: Numbers = np.stack([attending[i:j].T @ r[i:j] for i, j in pairwise(starts)])  # (n, a, h)
    found /= np.add.reduceat(attending, begins)[..., np.newaxis]
    a, b, c, d = np.split(w["compare"][:-1], 4)
    compared = q @ a + found @ b + (q * found) @ c + np.abs(q - found) @ d
    best = CLOSE * np.maximum.reduceat(cosines, begins)[..., np.newaxis]
    compared = _positive(compared + best * w["compare"][-1] + w["compare_bias"])
    counts = np.exp((q @ w["gate"])[:, 0])
    counts /= counts.sum()
    whole: Numbers = counts @ q  # (h,)
    a, b, c = np.split(w["answer"], 3)
    answers = _positive(r @ (a + whole[:, np.newaxis] * c) + whole @ b + w["answer_bias"])
    answers = np.maximum.reduceat(answers, begins)
    together = np.concatenate([counts @ compared, answers, np.broadcast_to(whole, answers.shape), about], axis=1)
    scores: Numbers = (_positive(together @ w["joined"] + w["joined_bias"]) @ w["score"])[:, 0]
    return scores


def _scaled(x: Numbers) -> Numbers:
    """Rows of a mean square of 1."""
    scaled: Numbers = x / np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + 1e-6)
    return scaled


def _positive(x: Numbers) -> Numbers:
    found: Numbers = np.maximum(x, 0.0)
    return found
