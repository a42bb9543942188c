"""Everything that lies in the windows of a question: records by when they were said, associations by what they date.

Nothing is cut silently: every record is counted, and each is a candidate unless there are very many. Then every session
and day keeps its nearest records, so that none goes unseen, and the rest of the places goes to the nearest of all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from oroi_graph.recall.request import RecallRequest, WindowContents
from oroi_graph.recall.time_windows.scope import Scope
from oroi_graph.windows import Window
from oroi_graph.working_set.candidates import Candidate, candidates_of, cosines_of, said_between
from oroi_graph.working_set.tables import Associations, Records
from oroi_graph.working_set.transactions import Reading

_LONGEST_EVENT = timedelta(days=366)  # an association that dates something longer is no event


@dataclass(frozen=True, slots=True)
class Said:
    """One record of a window. length: characters. mentions: how many concepts it mentions.

    cosine: to the question, None without a vector or without a theme.
    """

    id: str
    session: str | None
    at: str
    role: str
    length: int
    mentions: int
    cosine: float | None = None

    @property
    def day(self) -> str:
        """The local day on which it was said, in ISO."""
        return self.at[:10]


@dataclass(frozen=True, slots=True)
class Inside:
    """What lies in the windows. said: in the order of the conversation, without what rests.

    rests: how many records of the windows rest. facts: ids of associations whose date lies in them; stating: ids of the
    records that state those.
    """

    said: tuple[Said, ...]
    rests: int
    facts: tuple[str, ...]
    stating: frozenset[str]

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions in the order of the conversation; what has none counts by its day."""
        return tuple(dict.fromkeys(one.session or one.day for one in self.said))

    @property
    def cosines(self) -> dict[str, float]:
        """{record id: cosine} of those that have a vector."""
        return {one.id: one.cosine for one in self.said if one.cosine is not None}

    def contents(self, scope: Scope) -> WindowContents:
        """What callers are told of it."""
        sessions = self.sessions
        said = len(self.said)
        return WindowContents(
            scope.reading, said, len(sessions), self.rests, len(self.facts), sessions, failure=scope.failure
        )

    def candidates(self, most: int) -> list[str]:
        """Ids of all records if they are at most `most`, else of the nearest by session and day, and overall."""
        if len(self.said) <= most:
            return [one.id for one in self.said]
        by_cosine = sorted(self.said, key=lambda one: (-(one.cosine if one.cosine is not None else -1.0), one.id))
        places: dict[tuple[str | None, str], int] = {}
        ranked = []
        for one in by_cosine:
            group = one.session, one.day
            places[group] = place = places.get(group, -1) + 1
            ranked.append((place, one.id))
        each = [id for _, id in sorted(ranked, key=lambda pair: pair[0])]  # stable: the nearest first in each place
        return list(dict.fromkeys([*each[: most // 2], *(one.id for one in by_cosine)]))[:most]


def search_windows(
    tx: Reading, memory: str, scope: Scope, vector: NDArray[np.float32], request: RecallRequest
) -> Inside:
    """What lies in the windows and passes the filters, but for excluded records; read from the working set.

    vector: (d,) of the question, which the working set's are compared with; not for one about a time alone.
    """
    held, records = tx.held, tx.held.records
    excluded = request.exclude[1] if request.exclude else frozenset()
    places = said_between(held, scope.spans, request.filters.passes if request.filters else None)
    places = [place for place in places if records.ids[place] not in excluded]
    awake = [place for place in places if not records.resting[place]]
    cosines = {} if scope.alone else cosines_of(tx, memory, awake, vector)
    dated = _dated(held.associations, scope) if scope.happened else {}
    return Inside(
        said=tuple(_said(records, place, cosines) for place in awake),
        rests=len(places) - len(awake),
        facts=tuple(dated),
        stating=frozenset(record for stated in dated.values() for record in stated),
    )


def _said(records: Records, place: int, cosines: Mapping[str, float]) -> Said:
    id, (_, _, role, _, session, at, text, _) = records.ids[place], records.said[place]
    return Said(id, session, at, role, len(text), len(records.concepts[place]), cosines.get(id))


def _dated(associations: Associations, scope: Scope) -> dict[str, tuple[str, ...]]:
    """{id: ids of the records that state it} of the associations whose date lies in the windows."""
    places = dict.fromkeys(p for window in scope.windows for p in associations.dated(*_beginnings(window)))
    return {associations.ids[at]: associations.records[at] for at in places if scope.covers(associations.times[at])}


def read(tx: Reading, memory: str, ids: Sequence[str]) -> list[Candidate]:
    """Records by their ids, in the order in which they were said; those that rest or are gone are left out."""
    _, records = candidates_of(
        tx, memory=memory, facts=(), found=ids, cosines={}, concepts=(), period=None, central=0, around=0
    )
    return records


def _beginnings(window: Window) -> list[str]:
    """Between which texts an ISO date begins that may lie in a window: "2026" and "2026-03" sort before their days."""
    earliest = window.start - _LONGEST_EVENT if window.start - date.min > _LONGEST_EVENT else date.min
    return [f"{earliest.year:04d}", f"{window.end.isoformat()}~"]


def days_between(at: str, windows: Sequence[Window]) -> int:
    """Days from a record's local day to the nearest window; 0 inside one."""
    day = date.fromisoformat(at[:10])
    return min(max((window.start - day).days, (day - window.end).days, 0) for window in windows)
