"""Surprise: how little a turn fits what was lit before it, from vectors already made.

Two witnesses can say that a turn was to be expected, and either is enough: a turn said shortly before that means
something similar, or a lit concept that its text is close to. Turns are compared after the memory's mean has been taken
from them: what everything in a memory has in common (chatting, its language) says nothing about the topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

SAMPLE = 16  # turns, spread evenly over the memory, that its mean is taken from
RECENT = 8  # turns: beyond them, half a weight a turn is less than a hundredth
MOST = 4 * RECENT  # records of the recent turns that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What a witness counts. None is sharp: half or double changes the ranking of turns little (benchmarks)."""

    fading: float = 0.5  # of a turn's words for each turn since, 0..1: one answers what was said last
    concept: float = 0.5  # of a lit concept, 0..1: a label out of its sentence is half a witness
    prior: float = 10.0  # vectors of nothing that the memory's mean begins with: a few turns are no sample
    terse: float = 3.0  # tokens of a turn that counts half ("Thanks!"): what says little is little news


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """What was there before the turn.

    activation: (n,) > 0, of the concepts lit (selves and values are no topics)
    affinity: (n,) similarity of the turn's text to each, 0..1 as Neo4j's vector.similarity.cosine: (1 + cosine) / 2
    ages: (m,) turns between each recent record and the turn, 0 for the last one
    said: (m, d) vectors of these records
    sample: (k, d) vectors of records spread over the memory
    """

    activation: ArrayLike = ()
    affinity: ArrayLike = ()
    ages: ArrayLike = ()
    said: ArrayLike = ()
    sample: ArrayLike = ()


DEFAULT = Weights()


def surprise(text: NDArray[np.floating[Any]], tokens: int, before: Before, weights: Weights = DEFAULT) -> float:
    """A graded signal in [0, 1]; 0 when nothing is lit.

    text: (d,) the turn's vector; tokens: its length. What neither witness accounts for, (1 − fit to what was said) ·
    (1 − fit to the concepts), times how much the turn says at all, tokens / (tokens + terse).
    """
    if np.size(before.activation) == 0:
        return 0.0
    said, concepts = _fit_said(text, before, weights), _fit_concepts(before, weights)
    says = tokens / (tokens + weights.terse)
    return float(np.clip(says * (1.0 - said) * (1.0 - concepts), 0.0, 1.0))


def sampled(turn: int) -> list[int]:
    """The turns before `turn`, SAMPLE at most and evenly spread, that stand for the whole memory."""
    if turn <= 1:
        return []
    spread = np.linspace(1, turn - 1, min(SAMPLE, turn - 1)).round()
    return [int(number) for number in np.unique(spread)]


def _fit_said(text: NDArray[np.floating[Any]], before: Before, weights: Weights) -> float:
    """Of the recent record that fits best: cosine without the memory's mean, faded by its age; 0 if there is none."""
    said = np.asarray(before.said, dtype=np.float64)
    if said.size == 0:
        return 0.0
    sample = np.asarray(before.sample, dtype=np.float64).reshape(-1, said.shape[1])
    mean = sample.sum(axis=0) / (len(sample) + weights.prior)
    cosines = _unit(said - mean) @ _unit(np.asarray(text, dtype=np.float64) - mean)
    return float(np.max(weights.fading ** np.asarray(before.ages, dtype=np.float64) * np.clip(cosines, 0.0, 1.0)))


def _fit_concepts(before: Before, weights: Weights) -> float:
    """Of the lit concept that fits best: cosine to the text, less where it is hardly lit any more."""
    lit = np.minimum(np.asarray(before.activation, dtype=np.float64), 1.0)
    cosines = np.clip(2.0 * np.asarray(before.affinity, dtype=np.float64) - 1.0, 0.0, 1.0)
    return float(weights.concept * np.max(lit * cosines))


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scaled to length 1; a vector of nothing stays what it is."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: NDArray[np.float64] = vectors / np.where(lengths > 0, lengths, 1.0)
    return unit
