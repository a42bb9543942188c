"""Windows in which nothing was said: the brief says so, and what is nearest to them."""

from __future__ import annotations

from dataclasses import replace

from oroi_graph.recall.request import RecallRequest
from oroi_graph.recall.selection import Chosen
from oroi_graph.recall.time_windows.digest import best_of
from oroi_graph.recall.time_windows.scope import Scope
from oroi_graph.recall.time_windows.search import days_between, read
from oroi_graph.working_set.candidates import Candidate
from oroi_graph.working_set.transactions import Reading

_AROUND = 24  # records read before and after each window
_QUOTED = 2  # of the nearest day


def nearest_day(tx: Reading, memory: str, scope: Scope, request: RecallRequest) -> list[Candidate]:
    """The records of the day nearest to the windows, of two as near the earlier; none if nothing was ever said."""
    filters, excluded = request.filters, request.exclude[1] if request.exclude else frozenset[str]()
    row = tx.one(
        "recall/nearest",
        memory=memory,
        spans=[list(span) for span in scope.spans],
        around=_AROUND,
        session=filters.session,
        speaker=filters.speaker,
        kind=filters.kind,
        since=filters.since,
        until=filters.until,
    )
    said = [(id, at) for id, at in row["said"] if id not in excluded]
    if not said:
        return []
    day = min((days_between(at, scope.windows), at[:10]) for _, at in said)[1]
    return read(tx, memory, [id for id, at in said if at.startswith(day)])


def absent(chosen: Chosen, near: list[Candidate], scope: Scope) -> Chosen:
    """That nothing was said in the windows, then what was chosen by its theme, else what is nearest in time."""
    wording = scope.wording
    if chosen.records or not near:
        return replace(chosen, notes=(wording.nothing(),))
    day = (near[0].at or "")[:10]
    notes = (wording.nothing(), wording.nearest(day))
    nearest = tuple(best_of(near, scope.language)[:_QUOTED])
    return Chosen((), nearest, notes, {hit.id: "nearest to the time asked for" for hit in nearest}, chosen.left_out)
