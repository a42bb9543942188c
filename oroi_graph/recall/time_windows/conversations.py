"""The relevance filter of a model: which of the sessions that were found are needed to answer the question.

Without a model the probabilities decide alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from oroi_graph.errors import ProviderError
from oroi_graph.model import Exclusion, RecordHit
from oroi_graph.providers.protocols import FoundConversation, RelevanceFilter
from oroi_graph.recall.request import WindowContents
from oroi_graph.recall.selection import Chosen
from oroi_graph.recall_options import Selection


@dataclass(frozen=True, slots=True)
class Asking:
    """What a model is asked about. at: the moment of asking. hits: records that may enter the brief, best first.

    likely: {record id: probability}.
    """

    question: str
    at: datetime | None
    hits: Sequence[RecordHit]
    likely: Mapping[str, float]
    options: Selection

    @property
    def sessions(self) -> list[list[RecordHit]]:
        """The likeliest sessions, each in the order of the conversation; records without a session go by their day."""
        groups: dict[str, list[RecordHit]] = {}
        for hit in self.hits:
            groups.setdefault(hit.session or (hit.at or "")[:10], []).append(hit)
        likeliest = sorted(groups, key=lambda key: (-sum(self.likely[hit.id] for hit in groups[key]), key))
        return [
            sorted(groups[key], key=lambda hit: (hit.turn, hit.role == "assistant", hit.id))
            for key in likeliest[: self.options.conversations]
        ]


def keep_relevant(
    chosen: Chosen, contents: WindowContents, relevance: RelevanceFilter, asking: Asking
) -> tuple[Chosen, WindowContents]:
    """The chosen records of the sessions that the model keeps, and how many those are.

    A kept session without a chosen record brings its likeliest one. If the model fails, everything stays.
    """
    sessions = asking.sessions
    shown = [
        FoundConversation((hits[0].at or "")[:10], tuple(f"{hit.speaker}: {hit.text}" for hit in hits))
        for hits in sessions
    ]
    day = asking.at.date() if asking.at else None
    try:
        kept = [sessions[i] for i in relevance.relevant(asking.question, day, shown)]
    except ProviderError as error:
        return chosen, replace(contents, failure=contents.failure or str(error))
    told = {hit.id for hit in chosen.records}
    records = []
    for hits in kept:
        likeliest = max(hits, key=lambda hit: (asking.likely[hit.id], hit.id))
        records += [hit for hit in hits if hit.id in told] or [likeliest]
    records.sort(key=lambda hit: (-asking.likely[hit.id], hit.id))
    notes = chosen.notes if records or not chosen.records else ()
    refused: dict[str, Exclusion] = dict.fromkeys(told, "not chosen by a model")
    return chosen.by_model(records, notes, refused), replace(contents, kept=(len(kept), len(sessions)))
