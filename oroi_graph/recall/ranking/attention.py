"""How well records answer a question, and whether they mislead, by a network that reads the words of both.

A decomposable attention model (Parikh et al. 2016) over the packed words that are kept for late interaction: each word
of the question attends to the words of a record and is compared with what it finds there; each word of the record is
compared with what the question asks for. Then each record attends to those that were said later, and to those said
earlier, the more the likelier they are to answer and the more they have in common: "the vet in Kilrush" tells that
"Seamus did the last calf" may be over. And to those with which it shares a rare word that the question does not say:
where a place is asked for that has parking and cooks for vegans, one may tell of the parking and another one of the
kitchen of the same house.

Two numbers a record come of it: one is added to what the trees of `relevance` say, the other says how likely the record
misleads, as what was so before does, or what is somebody else's. A number of the question comes of all records
together: how likely none of them answers it, as nothing does that was never said. Cosines tell what is near; which near
record is an answer ("where" and a place, "who minds" and a sister who picks up) has to be learnt from questions that
were answered (`benchmarks/attention.py`, decisions 1970, 1972 to 1975, 1977, 1984 and 1987).

The words are those of a second reading of each text, whose states were fitted together with it (`providers.e5`).

The network is that of one embedding model, on whose words it was fitted; other models have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.providers.word_vectors import read_bits
from oroi_graph.recall.ranking import layers
from oroi_graph.recall.ranking.features import Values
from oroi_graph.recall.ranking.layers import Numbers

Signs = NDArray[np.uint8]

ASKED, READ = 20, 56  # words of a question and of a record that are read; what follows is not
# By the model whose words they read, which is not imported, as it loads what runs it.
_FILES = {"multilingual-e5-small-q4-centred": "attention-e5-small.npz"}
CLOSE = 3.0  # weight of the best cosine of a word beside what is compared
LEAST, TINY = 1e-4, 1e-9  # added to a probability before its logarithm is taken, as a feature and for the entropy
SAID, LIKELY = 2.0, 0.3  # weights of what was said later or earlier, and of how likely a record is, beside the rest


class Scores(NamedTuple):
    """How well each record answers, in log odds, and the probability that it misleads, 0..1: (n,) each.

    silent: the probability that none of them answers, 0..1. by_network: whether a network read any.
    """

    answering: Values
    misleading: Values
    silent: float
    by_network: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """A network.

    weights: by name, of h hidden numbers. question_words, record_words: (d, h) the words' projections; gate: (h, 1)
    which words of a question count; compare: (4 h + 1, h) a word of the question beside what it found; answer:
    (3 h, h) a word of a record beside the question; joined: (3 h + 3, h) all of that, and whether the past is asked
    for, when and by whom a record was said; score: (h, 1). alike: (h, h) what records have in common; tied: (h, h) the
    same of records that share a rare word; together: (2 h, h) a word of the question compared with a record beside what
    it found in those; again: (5 h + 5, h) a record beside what it found later, earlier and in those; again_score:
    (h, 1); misleads and misleads_score: the same for whether it misleads, to which misleads_level is added. silent:
    (6 h + 7, s) a record, likewise, beside its two numbers and what comes of its words; silent_whole:
    (2 s + h + 4, s) all records beside the question; silent_score: (s, 1); silent_level. Names with "_bias", (h,) or
    (s,), are what is added. sharp, near: how much attention goes to the nearest word, by projections and by cosines;
    alike_sharp, alike_bias: how much to what is alike, and to any other record rather than to none; tied_sharp,
    tied_level: the same of records that share a rare word, tied_rarest, tied_rarity, tied_likely: how much for the
    rarest one, for all, and for a likely record.
    """

    weights: Mapping[str, Numbers]

    def scores(self, question: str, records: Sequence[str], about: Numbers, ties: Numbers, told: Values) -> Scores:
        """What n records are worth.

        question, records: packed words. about: (n, 3) when each record was said among the others, from -0.5, the
        first, to 0.5; whether an assistant said it; whether the past is asked for. ties: (n, n, 2) how rare the words
        are that two records share, the rarest and the sum (`links.Things.ties`). told: (n,) what all else says of
        the records, in log odds.
        """
        w = self.weights
        asked = heard(w, "question_words", signs(question, len(w["question_words"]), ASKED))
        read = _read(w, asked, [_heard(self, record) for record in records], about)
        each = _sum(read.joined, w["score"])
        beside = _beside(w, read, about, ties, told + each)
        each = each + _sum(layers.layer(w, "again", beside), w["again_score"])
        misleads = _sum(layers.layer(w, "misleads", beside), w["misleads_score"]) + float(w["misleads_level"])
        silent = _silent(w, read, beside, about, told + each, misleads)
        return Scores(each, layers.sigmoid(misleads), float(layers.sigmoid(silent)))


@cache
def shipped(model: str) -> Attention | None:
    """The network that reads the words of an embedding model, None where there is none."""
    if model not in _FILES:
        return None
    with (files(__package__) / _FILES[model]).open("rb") as file, np.load(file) as found:
        return Attention({name: found[name].astype(np.float32) for name in found.files})


def signs(packed: str, dimensions: int, most: int) -> Signs:
    """The second reading of the first words of a text, (words, d / 8), eight dimensions a byte; most: words."""
    return read_bits([packed], dimensions)[0][:most]


class Heard(NamedTuple):
    """What a network hears in w words of one text, whatever else is said.

    bits: (d / 64, w) their signs, one bit a dimension, the last of the 64 bits 0 where 64 does not divide d. words:
    (w, h) their projections. content: (h,) what they are about.
    """

    bits: NDArray[np.uint64]
    words: Numbers
    content: Numbers


def heard(w: Mapping[str, Numbers], name: str, words: Signs) -> Heard:
    """name: of the projection, "question_words" or "record_words"; words: of `signs`."""
    signs = np.unpackbits(words, axis=1, count=len(w[name])).astype(np.float32) * 2 - 1
    projected = layers.scaled(layers.product(signs, w[name]) + w[f"{name}_bias"])
    bits = np.zeros((len(words), 8 * -(-words.shape[1] // 8)), dtype=np.uint8)
    bits[:, : words.shape[1]] = words
    return Heard(np.ascontiguousarray(bits.view(np.uint64).T), projected, layers.scaled(projected.sum(axis=0)))


@lru_cache(maxsize=2048)  # many questions reach the same records; 8 kB for 24 words, 17 for 56
def _heard(network: Attention, packed: str) -> Heard:
    w = network.weights
    return heard(w, "record_words", signs(packed, len(w["record_words"]), READ))


class _Read(NamedTuple):
    """What comes of the words of a question and of n records.

    joined: (n, h) of each record beside the question; answers: (n, h) of the words of each record beside it; content:
    (n, h) what each record is about; compared: (a, n, h) each word of the question with each record; whole: (h,) what
    the question is about; counts: (a,) how much each of its words is.
    """

    joined: Numbers
    answers: Numbers
    content: Numbers
    compared: Numbers
    whole: Numbers
    counts: Numbers


def _read(w: Mapping[str, Numbers], asked: Heard, records: Sequence[Heard], about: Numbers) -> _Read:
    """asked: of a words; records: of t words in all."""
    ends = np.cumsum([len(record.words) for record in records])
    begins = np.concatenate([[0], ends[:-1]])
    q, r = asked.words, np.concatenate([record.words for record in records])
    bits = np.concatenate([record.bits for record in records], axis=1)
    cosines = _cosines(asked.bits, bits, len(w["question_words"]))  # (a, t)
    # Rows have a mean square of 1, so that no power overflows.
    attending = layers.product(r, (q * (w["sharp"] / q.shape[1] ** 0.5)).T).T + w["near"] * cosines
    attending = np.exp(attending, out=attending)
    found = np.empty((len(q), len(records), q.shape[1]), dtype=np.float32)
    for i, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        np.matmul(attending[:, begin:end], r[begin:end], out=found[:, i])
    found /= np.add.reduceat(attending, begins, axis=1)[..., np.newaxis]
    compared = _compared(w, q, found, np.maximum.reduceat(cosines, begins, axis=1))
    counts = np.exp((q @ w["gate"])[:, 0])
    counts /= counts.sum()
    whole = counts @ q
    a, b, c = np.split(w["answer"], 3)
    answers = np.maximum.reduceat(layers.product(r, a + whole[:, np.newaxis] * c), begins)
    answers = np.maximum(answers + whole @ b + w["answer_bias"], 0.0)
    beside = np.broadcast_to(whole, answers.shape)
    joined = layers.layer(w, "joined", np.concatenate([_counted(counts, compared), answers, beside, about], axis=1))
    return _Read(joined, answers, np.array([record.content for record in records]), compared, whole, counts)


def _cosines(asked: NDArray[np.uint64], said: NDArray[np.uint64], dimensions: int) -> Numbers:
    """(a, t) The cosines of the signs of words with those of others, -1..1. asked: (d / 64, a); said: (d / 64, t)."""
    apart = np.bitwise_count(said[:, np.newaxis] ^ asked[..., np.newaxis])
    differing = np.add.reduce(apart, axis=0, dtype=np.uint16)
    cosines: Numbers = np.float32(1) - differing * np.float32(2 / dimensions)
    return cosines


def _beside(w: Mapping[str, Numbers], read: _Read, about: Numbers, ties: Numbers, odds: Values) -> Numbers:
    """(n, 5 h + 5) Each record beside what it finds among those that were said after and before it, and among those
    that share a rare word with it.

    odds: (n,) of the first look and all else.
    """
    likely = layers.softmax(odds)
    known = np.log(likely + LEAST)
    draws = layers.alike(w, read.content, "alike") + known + w["alike_bias"]
    at = about[:, 0]
    later = at > at[:, np.newaxis]
    beside, said = [read.joined], []
    for others in (later, later.T):
        beside.append(layers.shared_out(np.where(others, draws, -np.inf)) @ read.joined)
        said.append(SAID * (others @ likely))
    rest = np.stack([*said, LIKELY * known, about[:, 2]], axis=1)
    shares = _tied(w, read.content, ties, known)
    shared = [shares @ read.joined, _together(w, read, shares), shares.sum(axis=1, keepdims=True)]
    joined: Numbers = np.concatenate([*beside, rest, *shared], axis=1)
    return joined


def _tied(w: Mapping[str, Numbers], content: Numbers, ties: Numbers, known: Numbers) -> Numbers:
    """(n, n) How much of each record's attention goes to each one that shares a rare word with it.

    known: (n,) the logarithm of how likely each is.
    """
    rarest, rarity = ties[..., 0], ties[..., 1]
    draws = layers.alike(w, content, "tied") + w["tied_rarest"] * rarest + w["tied_rarity"] * rarity
    draws += w["tied_likely"] * known + w["tied_level"]
    return layers.shared_out(np.where(rarest > 0, draws, -np.inf))


def _together(w: Mapping[str, Numbers], read: _Read, shares: Numbers) -> Numbers:
    """(n, h) What the words of the question find in a record and in those that share a rare word with it, which may
    tell what the record does not. shares: of `_tied`."""
    own, others = np.split(w["together"], 2)
    a, n, h = read.compared.shape
    compared = read.compared.reshape(a * n, h)
    of_others = shares @ layers.product(compared, others).reshape(a, n, h)
    words = layers.product(compared, own).reshape(a, n, h) + of_others + w["together_bias"]
    return _counted(read.counts, np.maximum(words, 0.0, out=words))


def _silent(
    w: Mapping[str, Numbers], read: _Read, beside: Numbers, about: Numbers, odds: Values, misleads: Values
) -> float:
    """The log odds that no record answers.

    beside: of `_beside`; odds: (n,) that each record answers, all else included; misleads: (n,) log odds.
    """
    likely = layers.softmax(odds)
    numbers = np.stack([misleads, LIKELY * np.log(likely + LEAST)], axis=1).astype(np.float32)
    rows = layers.layer(w, "silent", np.concatenate([beside, numbers, read.answers], axis=1))
    spread, misleading = -likely @ np.log(likely + TINY), likely @ layers.sigmoid(misleads)
    rest = np.array([spread, likely.max(), misleading, about[0, 2]], dtype=np.float32)
    whole = np.concatenate([rows.max(axis=0), likely @ rows, read.whole, rest])
    seen = layers.layer(w, "silent_whole", whole[np.newaxis])
    return float(_sum(seen, w["silent_score"])[0] + w["silent_level"])


def _counted(counts: Numbers, words: Numbers) -> Numbers:
    """(n, h) The mean of what comes of each word of the question, (a, n, h), by how much it is."""
    mean: Numbers = (counts @ words.reshape(len(words), -1)).reshape(words.shape[1:])
    return mean


def _sum(rows: Numbers, weights: Numbers) -> Values:
    """(n,) The weighted sum of each row. rows: (n, h); weights: (h, 1)."""
    return (rows @ weights)[:, 0].astype(np.float64)


def _compared(w: Mapping[str, Numbers], q: Numbers, found: Numbers, best: Numbers) -> Numbers:
    """(a, n, h) What comes of each word of the question and what it found in each record.

    q: (a, h); found: (a, n, h); best: (a, n) the cosine of the nearest word.
    """
    width = q.shape[1]
    of_word, of_found, of_both, of_gap = np.split(w["compare"][:-1], 4)
    gaps = np.abs(found - q[:, np.newaxis])
    # What is found, times the word or not, times the weights of each: the word can be multiplied into the weights.
    compared: Numbers = found @ (of_found + q[..., np.newaxis] * of_both)
    compared += layers.product(gaps.reshape(-1, width), of_gap).reshape(compared.shape)
    compared += (q @ of_word + w["compare_bias"])[:, np.newaxis]
    compared += CLOSE * best[..., np.newaxis] * w["compare"][-1]
    return np.maximum(compared, 0.0, out=compared)
