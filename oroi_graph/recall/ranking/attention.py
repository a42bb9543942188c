"""How well records answer a question, and whether they mislead, by networks that read the words of both.

A decomposable attention model (Parikh et al. 2016) over the packed words that are kept for late interaction: each word
of the question attends to the words of a record and is compared with what it finds there; each word of the record is
compared with what the question asks for. Then each record attends to those that were said later, and to those said
earlier, the more the likelier they are to answer and the more they have in common: "the vet in Kilrush" tells that
"Seamus did the last calf" may be over. Two numbers a record come of it: one is added to what the trees of `relevance`
say, the other says how likely the record misleads, as what was so before does, or what is somebody else's. A number of
the question comes of all records together: how likely none of them answers it, as nothing does that was never said.
Cosines tell what is near; which near record is an answer ("where" and a place, "who minds" and a sister who picks up)
has to be learnt from questions that were answered (`benchmarks/attention.py`, decisions 1970, 1972, 1973 and 1974).

The words are those of a second reading of each text, whose states were fitted together with the networks
(`providers.e5`).

Networks are those of one embedding model, whose words they were fitted on; other models have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.providers.word_vectors import read_bits
from oroi_graph.recall.ranking.features import Values

ASKED, READ = 20, 56  # words of a question and of a record that are read; what follows is not
# By the model whose words they read, which is not imported, as it loads what runs it.
_FILES = {"multilingual-e5-small-q4-centred": "attention-e5-small.npz"}
ROWS = 8  # of a product at a time: OpenBLAS spreads what takes more than 4 · 65536 multiplications
CLOSE = 3.0  # weight of the best cosine of a word beside what is compared
LEAST, TINY = 1e-4, 1e-9  # added to a probability before its logarithm is taken, as a feature and for the entropy
SAID, LIKELY = 2.0, 0.3  # weights of what was said later or earlier, and of how likely a record is, beside the rest

Numbers = NDArray[np.float32]


class Scores(NamedTuple):
    """How well each record answers, in log odds, and the probability that it misleads, 0..1: (n,) each.

    silent: the probability that none of them answers, 0..1.
    """

    answering: Values
    misleading: Values
    silent: float


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """Several networks, whose mean counts.

    weights: of all m networks, by name. question_words, record_words: (m, d, h) the words' projections; gate: (m, h, 1)
    which words of a question count; compare: (m, 4 h + 1, h) a word of the question beside what it found; answer:
    (m, 3 h, h) a word of a record beside the question; joined: (m, 3 h + 3, h) all of that, and whether the past is
    asked for, when and by whom a record was said; score: (m, h, 1). alike: (m, h, h) what records have in common;
    again: (m, 3 h + 4, h) a record beside what it found later and earlier; again_score: (m, h, 1); misleads and
    misleads_score: the same for whether it misleads, to which misleads_level, (m,), is added. silent: (m, 4 h + 6, s)
    a record, likewise, beside its two numbers and what comes of its words; silent_whole: (m, 2 s + h + 4, s) all
    records beside the question; silent_score: (m, s, 1); silent_level: (m,). Names with "_bias", (m, h) or (m, s), are
    what is added. sharp, near: (m,), how much attention goes to the nearest word, by projections and by
    cosines; alike_sharp, alike_bias: (m,), how much to what is alike, and to any other record rather than to none.
    """

    weights: Mapping[str, Numbers]

    @classmethod
    def of(cls, networks: Sequence[Mapping[str, Numbers]]) -> Attention:
        """networks: the weights of each, by name."""
        return cls({name: np.stack([one[name] for one in networks]) for name in networks[0]})

    def scores(self, question: str, records: Sequence[str], about: Numbers, told: Values) -> Scores:
        """What n records are worth.

        question, records: packed words. about: (n, 3) when each record was said among the others, from -0.5, the
        first, to 0.5; whether an assistant said it; whether the past is asked for. told: (n,) what all else says of the
        records, in log odds.
        """
        dimensions = self.weights["question_words"].shape[1]
        asked = signs([question], dimensions)[0][:ASKED]
        texts = [one[:READ] for one in signs(records, dimensions)]
        read = _read(self.weights, asked, texts, about)
        each = _by(read.joined, self.weights["score"])
        beside = _beside(self.weights, read, about, told + each)
        each = each + _by(_seen(self.weights, "again", beside), self.weights["again_score"])
        misleads = _by(_seen(self.weights, "misleads", beside), self.weights["misleads_score"])
        misleads += self.weights["misleads_level"][:, np.newaxis]
        silent = _silent(self.weights, read, beside, about, told + each, misleads)
        answering: Values = np.mean(each, axis=0, dtype=np.float64)
        return Scores(answering, _probability(np.mean(misleads, axis=0, dtype=np.float64)), float(_probability(silent)))


@cache
def shipped(model: str) -> Attention | None:
    """The networks that read the words of an embedding model, None where there are none."""
    if model not in _FILES:
        return None
    with (files(__package__) / _FILES[model]).open("rb") as file, np.load(file) as found:
        return Attention({name: found[name].astype(np.float32) for name in found.files})


def signs(packed: Sequence[str], dimensions: int) -> list[Numbers]:
    """The second reading of each text's words, (words, d), as +1 and -1."""
    words, counts = read_bits(packed, dimensions)
    found = np.unpackbits(words, axis=1).astype(np.float32) * 2 - 1
    return np.split(found, np.cumsum(counts)[:-1])


class _Read(NamedTuple):
    """What comes of the words of a question and of n records: joined, (m, n, h), of each record beside the question;
    answers, (m, n, h), of the words of each record beside it; content, (m, n, h), what each record is about; whole,
    (m, h), what the question is about."""

    joined: Numbers
    answers: Numbers
    content: Numbers
    whole: Numbers


def _read(w: Mapping[str, Numbers], asked: Numbers, texts: Sequence[Numbers], about: Numbers) -> _Read:
    """asked: (a, d); texts: (words, d) of each record."""
    starts = np.cumsum([0, *map(len, texts)])
    begins = starts[:-1]
    words: Numbers = np.concatenate(texts)  # (t, d)
    cosines = _product(words, asked.T) / asked.shape[1]  # (t, a)
    q = _scaled(_product(asked, w["question_words"]) + w["question_words_bias"][:, np.newaxis])  # (m, a, h)
    r = _scaled(_product(words, w["record_words"]) + w["record_words_bias"][:, np.newaxis])  # (m, t, h)
    sharp, near = w["sharp"][:, np.newaxis, np.newaxis], w["near"][:, np.newaxis, np.newaxis]
    # Rows have a mean square of 1, so that no power overflows.
    attending = np.exp(_product(r, (q * (sharp / q.shape[-1] ** 0.5)).swapaxes(1, 2)) + near * cosines)
    to_words = attending.swapaxes(1, 2)  # (m, a, t)
    found = np.stack([to_words[:, :, i:j] @ r[:, i:j] for i, j in pairwise(starts)], axis=1)
    found /= np.add.reduceat(attending, begins, axis=1)[..., np.newaxis]  # (m, n, a, h)
    compared = _compared(w, q, found, np.maximum.reduceat(cosines, begins))
    counts = np.exp((q @ w["gate"])[..., 0])
    counts /= counts.sum(axis=1, keepdims=True)
    whole = np.einsum("ma,mah->mh", counts, q)
    a, b, c = np.split(w["answer"], 3, axis=1)
    answers = np.maximum.reduceat(_product(r, a + whole[..., np.newaxis] * c), begins, axis=1)
    answers += (np.einsum("mh,mhj->mj", whole, b) + w["answer_bias"])[:, np.newaxis]
    answers = np.maximum(answers, 0.0)
    of_all = [np.einsum("ma,mnah->mnh", counts, compared), answers]
    told = [np.broadcast_to(whole[:, np.newaxis], answers.shape), np.broadcast_to(about, (len(whole), *about.shape))]
    joined = _seen(w, "joined", np.concatenate([*of_all, *told], axis=2))
    return _Read(joined, answers, _scaled(np.add.reduceat(r, begins, axis=1)), whole)


def _beside(w: Mapping[str, Numbers], read: _Read, about: Numbers, odds: Values) -> Numbers:
    """(m, n, 3 h + 4) Each record beside what it finds among those that were said after and before it.

    odds: (m, n) of the first look and all else.
    """
    likely = _likely(odds)
    known = np.log(likely + LEAST)
    alike = _product(read.content, w["alike"])
    sharp, rather = w["alike_sharp"][:, np.newaxis, np.newaxis], w["alike_bias"][:, np.newaxis, np.newaxis]
    draws = alike @ alike.swapaxes(1, 2) * (sharp / alike.shape[-1]) + known[:, np.newaxis] + rather
    at = about[:, 0]
    later = at[np.newaxis, :] > at[:, np.newaxis]
    beside, said = [read.joined], []
    for others in (later, later.T):
        beside.append(_shares(np.where(others, draws, -np.inf)) @ read.joined)
        said.append(SAID * np.einsum("ij,mj->mi", others.astype(np.float32), likely))
    past = np.broadcast_to(about[:, 2], known.shape)
    rest = np.stack([*said, LIKELY * known, past], axis=2)
    joined: Numbers = np.concatenate([*beside, rest], axis=2)
    return joined


def _silent(
    w: Mapping[str, Numbers], read: _Read, beside: Numbers, about: Numbers, odds: Values, misleads: Numbers
) -> float:
    """The log odds that no record answers, the mean of all networks.

    beside: of `_beside`; odds: (m, n) that each record answers, all else included; misleads: (m, n) log odds.
    """
    likely = _likely(odds)
    numbers = np.stack([misleads, LIKELY * np.log(likely + LEAST)], axis=2)
    rows = _seen(w, "silent", np.concatenate([beside, numbers, read.answers], axis=2))
    spread = -(likely * np.log(likely + TINY)).sum(axis=1)
    misleading = (likely * _probability(misleads)).sum(axis=1)
    past = np.full_like(spread, about[0, 2])
    rest = np.stack([spread, likely.max(axis=1), misleading, past], axis=1)
    whole = np.concatenate([rows.max(axis=1), np.einsum("mn,mns->ms", likely, rows), read.whole, rest], axis=1)
    seen = _seen(w, "silent_whole", whole[:, np.newaxis])
    return float(np.mean(_by(seen, w["silent_score"])[:, 0] + w["silent_level"], dtype=np.float64))


def _likely(odds: Values) -> Numbers:
    """(m, n) Probabilities that sum to 1 over the records. odds: (m, n)."""
    likely = np.exp(odds - odds.max(axis=1, keepdims=True))
    shares: Numbers = (likely / likely.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares


def _probability(odds: NDArray[Any] | float) -> NDArray[Any]:
    """Of log odds."""
    found: NDArray[Any] = 1.0 / (1.0 + np.exp(-odds))
    return found


def _seen(w: Mapping[str, Numbers], name: str, rows: Numbers) -> Numbers:
    """(m, n, h) What a layer makes of rows, (m, n, k)."""
    joined: Numbers = np.maximum(_product(rows, w[name]) + w[f"{name}_bias"][:, np.newaxis], 0.0)
    return joined


def _shares(draws: Numbers) -> Numbers:
    """(m, n, n) How much of each record's attention goes to each other one.

    draws: (m, n, n), minus infinity for those that it does not see. What is left goes to none, which draws with 0.
    """
    top = np.maximum(draws.max(axis=2, keepdims=True), 0.0)  # no power overflows
    shares = np.exp(draws - top)
    of_all: Numbers = shares / (shares.sum(axis=2, keepdims=True) + np.exp(-top))
    return of_all


def _by(rows: Numbers, weights: Numbers) -> Numbers:
    """(m, n) The weighted sum of each row. rows: (m, n, h); weights: (m, h, 1)."""
    summed: Numbers = (rows @ weights)[..., 0]
    return summed


def _compared(w: Mapping[str, Numbers], q: Numbers, found: Numbers, best: Numbers) -> Numbers:
    """(m, n, a, h) What comes of each word of the question and what it found in each record.

    q: (m, a, h); found: (m, n, a, h); best: (n, a) the cosine of the nearest word.
    """
    width, one = q.shape[-1], q[:, np.newaxis]
    closest = CLOSE * np.broadcast_to(best[..., np.newaxis], (*found.shape[:-1], 1))
    beside = np.concatenate([found, one * found, np.abs(one - found), closest], axis=-1)
    by_word = q @ w["compare"][:, :width] + w["compare_bias"][:, np.newaxis]
    compared: Numbers = beside @ w["compare"][:, np.newaxis, width:] + by_word[:, np.newaxis]
    return np.maximum(compared, 0.0, out=compared)


def _product(rows: Numbers, matrix: Numbers) -> Numbers:
    """(…, n, j) rows @ matrix, by one thread. rows: (…, n, k); matrix: (…, k, j).

    Some rows at a time: a larger product is spread over threads, which gains nothing here, and the others then wait for
    the next one in a loop that takes the processor for some ms (decision 1971).
    """
    *shape, n, k = rows.shape
    padded = np.zeros((*shape, -(-n // ROWS) * ROWS, k), dtype=rows.dtype)
    padded[..., :n, :] = rows
    blocks = padded.reshape(*shape, -1, ROWS, k) @ matrix[..., np.newaxis, :, :]
    product: Numbers = blocks.reshape(*blocks.shape[:-3], -1, matrix.shape[-1])[..., :n, :]
    return product


def _scaled(x: Numbers) -> Numbers:
    """Rows of a mean square of 1."""
    squares = np.einsum("...h,...h->...", x, x)[..., np.newaxis]
    scaled: Numbers = x / np.sqrt(squares / x.shape[-1] + 1e-6)
    return scaled
