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
    order = _in_order(hits)
    places = [(hits[i].session, hits[i].turn) for i in order]
    least = float(near.min())
    found: dict[str, Values] = {}
    for name, step in (("near before", 1), ("near after", -1), ("near two before", 2)):
        values = np.full(len(hits), least)
        for place, i in enumerate(order):
            other = place - step
            if 0 <= other < len(order) and _are_close(places[other], places[place], abs(step)):
                values[i] = near[order[other]]
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
    turns = np.array([hit.turn for hit in hits])
    _, session = np.unique([hit.session or "" for hit in hits], return_inverse=True)
    before = (turns[np.newaxis, :] < turns[:, np.newaxis]) & (session[np.newaxis, :] != session[:, np.newaxis])
    found: Values = before @ mass / total
    return found


def _are_close(a: tuple[str | None, int], b: tuple[str | None, int], turns: int) -> bool:
    """Whether two records, each a session and a turn, are of one session and at most this many turns apart."""
    return a[0] == b[0] and abs(a[1] - b[1]) <= turns


def _in_order(hits: Sequence[RecordHit]) -> NDArray[np.int64]:
    """The positions of the hits in the order in which they were said."""
    return np.lexsort(([hit.role == "assistant" for hit in hits], [hit.turn for hit in hits]))
