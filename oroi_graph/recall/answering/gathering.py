"""What a question meets in the graph: cues, evidence, facts on the way to it, and candidate records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from math import ceil, inf
from typing import NamedTuple

import numpy as np

from oroi_graph.model import Exclusion, Fact, LeftOut
from oroi_graph.recall.answering.inquiry import Inquiry
from oroi_graph.recall.entity_linking import Cue, link, query_rows
from oroi_graph.recall.graph.evidence import Evidence, gather
from oroi_graph.recall.graph.paths import Path
from oroi_graph.recall.graph.search import Affinity, Evocation, association_affinity, evoke
from oroi_graph.recall.selection import fact_paths
from oroi_graph.recall.time_windows import time_match
from oroi_graph.recall.time_windows.search import Inside
from oroi_graph.storage.store import Row
from oroi_graph.working_set.candidates import Candidate, Period, candidates_of
from oroi_graph.working_set.entry import seeds
from oroi_graph.working_set.neighbourhood import surround
from oroi_graph.working_set.words.search import terms_of

_SEEN: Exclusion = "before the model's eyes already"


@dataclass(frozen=True, slots=True)
class Gathered:
    """What one question met. paths: {id of an association: the best path it lies on}, the best first.

    facts: those on the paths that may be told, in their order. records: {id: candidate} that may be ranked, in the
    order in which they were said. cosines: {id of a record: to the question} as far as the search compared them.
    found: ids of the records that the search found, not their neighbours. stating: ids of records that state one of
    the facts. in_time: facts of the windows of the question. barred: records that may not be ranked, the nearest first.
    """

    evocation: Evocation
    evidence: Evidence
    paths: Mapping[str, Path]
    facts: Sequence[Fact]
    records: dict[str, Candidate]
    cosines: Mapping[str, float]
    found: frozenset[str]
    stating: frozenset[str]
    in_time: Sequence[Fact]
    barred: Sequence[LeftOut]


class _Candidates(NamedTuple):
    """The facts that may be told, the candidate records, and {id: cosine to the question} of what was compared."""

    facts: Sequence[Row]
    records: Sequence[Candidate]
    cosines: Mapping[str, float]


class Gathering:
    """Gathers for one question. inside: what lies in the windows of the question, if it has any."""

    def __init__(self, inquiry: Inquiry, inside: Inside | None = None) -> None:
        self._inquiry, self._inside = inquiry, inside
        self._question, self._asked = inquiry.question, inquiry.asked
        self._request, self._search = inquiry.request, inquiry.options.search

    def gather(self) -> Gathered:
        """From the cues to what may be ranked and told."""
        evocation = self._evoked()
        self._inquiry.tx.prove_if_known()  # what a set that is behind leads to would be ranked for nothing
        evidence = gather(evocation, self._inquiry.options)
        paths = fact_paths(evocation, evidence, self._inquiry.options.selection.facts)
        candidates = self._candidates(paths, evocation)
        bars = self._bars(candidates.records)
        records = {one.id: one for one in self._fitted(candidates.records) if one.id not in bars}
        facts = self._told(candidates.facts, paths, records)
        stating = frozenset(record for fact in facts for record in fact.records)
        found = {*(id for id, _ in self._row["alike"]), *self._row["saying"], *stating}
        in_time: list[Fact] = []
        if self._inside is not None:
            found |= {*(one.id for one in self._inside.said), *self._inside.stating}
            in_time = self._told(candidates.facts, self._inside.facts, records)
        return Gathered(
            evocation, evidence, paths, facts, records, candidates.cosines, frozenset(found), stating, in_time,
            self._barred(candidates, bars),
        )  # fmt: skip

    @cached_property
    def cues(self) -> list[Cue]:
        """Where the question enters the graph."""
        return link(self._question, self._row, self._search)

    def admitted(self, record: Candidate) -> bool:
        """Whether a record passes the filters and is not before the model's eyes."""
        return self._bar(record) is None

    @cached_property
    def _row(self) -> Row:
        """Where the question enters the graph, and records by meaning and words."""
        return seeds(
            self._inquiry.tx,
            memory=self._inquiry.memory,
            rows=query_rows(self._question, self._asked.spans),
            vector=self._asked.vector,
            most=self._search.span_candidates,
            said=terms_of(self._asked.bare, self._question.language, self._search.prefix),
            limit=self._search.records,
            passes=self._request.filters.passes if self._request.filters else None,
        )

    def _evoked(self) -> Evocation:
        """The neighbourhood of the cues, searched."""
        search, row, exclude = self._search, self._row, self._request.exclude
        fan_out = search.nested_fan_out if self._question.nested else search.fan_out
        affinity = Affinity(known(row["near"]), association_affinity(row["alike"], row["stating"], search))
        around = surround(
            self._inquiry.tx,
            cues=[cue.concept_id for cue in self.cues],
            near=affinity.concepts,
            nearest=_best(affinity.concepts, search.hub_targets),
            classes=list(self._question.classes),
            fan=list(fan_out),
            alike=[ceil(search.relation_share * places) for places in fan_out],
            hub=search.hub_degree,
            stated=_best(affinity.associations, search.hub_targets),
            searched=search.hub_associations,
            past=self._question.past,
            exclude=exclude[0] if exclude else None,
        )
        return evoke(self.cues, self._question, around, affinity, self._inquiry.options)

    def _candidates(self, facts: Iterable[str], evocation: Evocation) -> _Candidates:
        """The facts and the candidate records with what the first stage needs."""
        row, inside = self._row, self._inside
        found, alike = _fused([id for id, _ in row["alike"]], row["saying"], self._search.records), row["alike"]
        if inside is not None:
            facts = dict.fromkeys([*facts, *inside.facts])
            found = list(dict.fromkeys([*found, *inside.candidates(self._search.window_records), *inside.stating]))
            alike = [*inside.cosines.items(), *alike]
        cosines = known(alike)
        told, records = candidates_of(
            self._inquiry.tx,
            memory=self._inquiry.memory,
            facts=list(facts),
            found=found,
            cosines=cosines,
            concepts=_most_active(evocation, self._search.mentioned_concepts),
            period=self._period() if inside is None else None,
            central=self._search.central_records,
            around=self._search.neighbour_turns,
        )
        return _Candidates(told, records, cosines)

    def _period(self) -> Period | None:
        """The first period of the question that is short enough."""
        for value in self._question.values:
            days = time_match.days(value)
            if days and date.fromisoformat(days[1]) - date.fromisoformat(days[0]) <= timedelta(
                days=self._search.longest_period
            ):
                return Period(*days, self._asked.vector)
        return None

    def _fitted(self, records: Sequence[Candidate]) -> Sequence[Candidate]:
        """Candidates with how well they fit the windows of the question, if it has any."""
        inside, scope, ranking = self._inside, self._inquiry.scope, self._inquiry.options.ranking
        if inside is None or scope is None:
            return records
        return [record._replace(fit=scope.fit(record, inside.stating, ranking)) for record in records]

    def _told(self, rows: Sequence[Row], order: Iterable[str], records: Mapping[str, Candidate]) -> list[Fact]:
        """The facts that may enter, in `order` (ids): not those stated only by excluded or filtered records."""
        filters, exclude = self._request.filters, self._request.exclude
        found = {row["id"]: row for row in rows}
        facts = [Fact(**found[id]) for id in order if id in found]
        if exclude:
            # A fact without records (promoted, edited, its words forgotten) was not stated by an excluded one.
            facts = [fact for fact in facts if not (fact.records and exclude[1].issuperset(fact.records))]
        if filters:
            facts = [fact for fact in facts if not records.keys().isdisjoint(fact.records)]
        return facts

    def _bars(self, records: Iterable[Candidate]) -> dict[str, Exclusion]:
        """{id of a record that may not be ranked: what keeps it from that}."""
        if not self._request.filters:
            return {record.id: _SEEN for record in records if record.id in self._seen}
        return {record.id: bar for record in records if (bar := self._bar(record)) is not None}

    @cached_property
    def _seen(self) -> frozenset[str]:
        """Ids of the records that the model has before its eyes."""
        return self._request.exclude[1] if self._request.exclude else frozenset()

    def _bar(self, record: Candidate) -> Exclusion | None:
        """What keeps a record from being ranked at all."""
        filters = self._request.filters
        if record.id in self._seen:
            return _SEEN
        return None if not filters or filters.admit(record) else "does not pass the filters"

    def _barred(self, found: _Candidates, bars: Mapping[str, Exclusion]) -> list[LeftOut]:
        """Records that may not be ranked, the nearest to the question first; not more than it is told of."""
        if not bars:
            return []
        cosines = {id: found.cosines.get(id, -1.0) for id in bars}
        nearest = _best(cosines, self._inquiry.options.selection.left_out)
        records = {record.id: record for record in found.records if record.id in bars}
        return [LeftOut(records[id].hit(0.0, {"meaning": round(cosines[id], 6)}), bars[id], None) for id in nearest]


def known(pairs: Sequence[tuple[str | None, float | None]]) -> dict[str, float]:
    """{id: cosine} without what has no vector or was deleted meanwhile."""
    return {id: cosine for id, cosine in pairs if id is not None and cosine is not None}


def _best(scores: Mapping[str, float], most: int) -> list[str]:
    """The ids with the highest scores, the best first."""
    least = sorted(scores.values())[-most] if 0 < most < len(scores) else -inf
    return [id for _, id in sorted([(-score, id) for id, score in scores.items() if score >= least])[:most]]


def _most_active(evocation: Evocation, most: int) -> list[str]:
    """The ids of the concepts with the highest scores that are no speakers, the best first."""
    score, wanted = evocation.score, most + len(evocation.selves)
    places = (
        np.flatnonzero(score >= np.partition(score, -wanted)[-wanted]) if wanted < len(score) else range(len(score))
    )
    return _best({evocation.ids[at]: float(score[at]) for at in places if evocation.kinds[at] != "self"}, most)


def _fused(alike: Sequence[str | None], saying: Sequence[str | None], k: int) -> list[str]:
    """Two rankings as one by reciprocal rank fusion (Cormack et al. 2009), the best first."""
    scores: dict[str, float] = {}
    for ranking in (alike, saying):
        for place, id in enumerate(ranking):
            if id is not None:
                scores[id] = scores.get(id, 0.0) + 1 / (k + place)
    return _best(scores, len(scores))
