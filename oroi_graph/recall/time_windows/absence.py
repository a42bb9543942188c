"""Windows in which nothing was said: the brief says so, and what is nearest to them."""

from __future__ import annotations

from dataclasses import replace

from oroi_graph.recall.ranking.features import Candidate, candidates
from oroi_graph.recall.request import RecallRequest
from oroi_graph.recall.selection import Chosen
from oroi_graph.recall.time_windows.digest import best_of
from oroi_graph.recall.time_windows.scope import Scope
from oroi_graph.recall.time_windows.search import days_between
from oroi_graph.storage.store import Transaction

_AROUND = 24  # records read before and after each window
_QUOTED = 2  # of the nearest day


def nearest_day(tx: Transaction, memory: str, scope: Scope, request: RecallRequest) -> list[Candidate]:
    """The records of the day nearest to the windows, of two as near the earlier; none if nothing was ever said."""
    filters, excluded = request.filters, request.exclude[1] if request.exclude else frozenset[str]()
    row = tx.one(
        "recall/nearest",
        memory=memory,
        spans=scope.spans,
        around=_AROUND,
        session=filters.session,
        speaker=filters.speaker,
        kind=filters.kind,
        since=filters.since,
        until=filters.until,
    )
    said = [one for one in candidates(row["records"]) if one.at and one.id not in excluded]
    if not said:
        return []
    day = min((days_between(one.at or "", scope.windows), (one.at or "")[:10]) for one in said)[1]
    return [one for one in said if (one.at or "").startswith(day)]


def absent(chosen: Chosen, near: list[Candidate], scope: Scope) -> Chosen:
    """That nothing was said in the windows, then what was chosen by its theme, else what is nearest in time."""
    wording = scope.wording
    if chosen.records or not near:
        return replace(chosen, notes=(wording.nothing(),))
    day = (near[0].at or "")[:10]
    notes = (wording.nothing(), wording.nearest(day))
    return Chosen((), tuple(best_of(near, scope.language)[:_QUOTED]), notes)
