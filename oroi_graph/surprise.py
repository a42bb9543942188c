"""Surprise (S6): how little a turn fits the topics that were lit before it, from vectors already made."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

TOPICS = 3  # the best fitting topics speak for the conversation: one that fits well is enough not to be surprised


def surprise(activation: ArrayLike, affinity: ArrayLike) -> float:
    """A graded signal in [0, 1]; 0 when nothing is lit.

    Parameters
    ----------
    activation: (n,) > 0, of the topics lit before the turn
    affinity: (n,) similarity of the turn's text to each topic in 0..1, as Neo4j's vector.similarity.cosine
        gives it: (1 + cosine) / 2

    The mean cosine of the TOPICS best fitting topics, weighted by activation, taken from 1.
    """
    lit = np.asarray(activation, dtype=np.float64)
    fit = np.clip(2.0 * np.asarray(affinity, dtype=np.float64) - 1.0, 0.0, 1.0)
    if lit.size == 0:
        return 0.0
    best = np.argsort(-fit, kind="stable")[:TOPICS]
    return float(np.clip(1.0 - np.average(fit[best], weights=lit[best]), 0.0, 1.0))
