"""What stands around a record in the conversation, and what was said of the same before and after it.

Nearness is that of `features.late_features`: the mean cosine of the question's words with the nearest word of a record.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oroi_graph.model import RecordHit
from oroi_graph.recall.ranking.features import Values, z_scores

_STEEP = 2.0  # of the logistic curve by which a record counts as near: 1 standard deviation above the mean is half


def around(hits: Sequence[RecordHit], near: Values) -> dict[str, Values]:
    """How near the neighbours of each record are to the question: {name: (n,) float64}.

    near: (n,) of each record. One before, one after, two before, among the hits of one session at most as many turns
    apart; the least nearness where there is none.
    """
    session, turn = _sessions(hits), np.array([hit.turn for hit in hits])
    order = np.lexsort((np.array([hit.role == "assistant" for hit in hits]), turn))
    session, turn, ordered = session[order], turn[order], near[order]
    found: dict[str, Values] = {}
    for name, step in (("near before", 1), ("near after", -1), ("near two before", 2)):
        one, other = (slice(step, None), slice(None, -step)) if step > 0 else (slice(None, step), slice(-step, None))
        close = (session[one] == session[other]) & (np.abs(turn[one] - turn[other]) <= abs(step))
        values = np.full(len(hits), float(near.min()))
        values[order[one][close]] = ordered[other][close]
        found[name] = values
    return found


def progress(hits: Sequence[RecordHit], near: Values) -> Values:
    """(n,) How much of what is near the question was said in other sessions before each record, 0..1.

    What is said of one thing last is likelier to hold; what is said first, likelier to be what was so before.
    """
    said = np.array([hit.role != "assistant" for hit in hits])
    mass = said / (1 + np.exp(-_STEEP * (z_scores(near) - 1)))
    total = float(mass.sum())
    if not total:
        return np.zeros(len(hits))
    turns, session = np.array([hit.turn for hit in hits]), _sessions(hits)
    before = (turns[np.newaxis, :] < turns[:, np.newaxis]) & (session[np.newaxis, :] != session[:, np.newaxis])
    found: Values = before @ mass / total
    return found


def _sessions(hits: Sequence[RecordHit]) -> NDArray[np.int64]:
    """(n,) The number of the session of each record."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(hit.session or "", len(numbers)) for hit in hits], dtype=np.int64)
