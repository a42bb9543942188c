"""How gathered records are judged: their order, how likely each helps to answer, and what a later one replaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from oroi_graph.model import Fact, RecordHit
from oroi_graph.recall.answering.gathering import Gathered, known
from oroi_graph.recall.answering.inquiry import Inquiry
from oroi_graph.recall.answering.still_so import still_so
from oroi_graph.recall.question import tells_kin
from oroi_graph.recall.ranking.ranker import Met, ShortList, Words, rank, shortlist
from oroi_graph.recall.ranking.relevance import Ranked, probabilities
from oroi_graph.recall.ranking.supersession import Successor, passed_on, successors
from oroi_graph.recall.time_windows.fitting import in_time
from oroi_graph.storage.store import Row
from oroi_graph.working_set.candidates import Candidate, stage_two_rows


@dataclass(frozen=True, slots=True)
class Judged:
    """The records of one question, judged.

    ranked: the short list, the best first, each with its "probability" and how likely it is "misleading" among its
    features; those that a later one may have replaced are `outdated`. eligible: those of them that may enter a brief.
    considered: the candidates of the short list, with their `words`. likely: {id of a ranked record: that it helps to
    answer}, which sum to 1. silent: the probability that none answers. superseded: ids of records that state what was
    replaced. facts: the gathered ones that no later record replaces.
    """

    ranked: Sequence[RecordHit]
    eligible: Sequence[RecordHit]
    considered: Sequence[Candidate]
    words: Words
    likely: Mapping[str, float]
    silent: float
    superseded: frozenset[str]
    facts: Sequence[Fact]

    @property
    def valid(self) -> list[RecordHit]:
        """The eligible records that still hold."""
        return [hit for hit in self.eligible if hit.id not in self.superseded]


def judge(inquiry: Inquiry, gathered: Gathered, *, windows: bool) -> Judged:
    """Rank and weigh what was gathered. windows: whether the question names a time, whose windows were searched."""
    ranking, selection, records = inquiry.options.ranking, inquiry.options.selection, gathered.records
    met = Met(list(records.values()), gathered.cosines, gathered.found, gathered.stating & records.keys())
    short = shortlist(inquiry.question, gathered.evocation, met, ranking)
    details = _second_stage(inquiry, short, gathered.cosines)
    words = Words(inquiry.asked.words, dict(details["held"]), inquiry.asked.dimensions, inquiry.asked.model)
    ranked = rank(short, words, known(details["compared"]), ranking)
    ranked, gone = _still_so(inquiry, ranked, details["superseded"])
    replaced = (id for id, record in records.items() if record.entry is not None and record.entry.superseded)
    superseded = frozenset([*gone, *replaced])
    likely, misleading, silent = probabilities(
        Ranked(
            inquiry.question,
            gathered.evocation,
            gathered.evidence,
            ranked,
            records,
            words,
            gathered.stating,
            superseded,
        ),
        selection,
    )
    if windows:
        likely = in_time(likely, ranked, selection.in_time)
    may_enter = set(short.eligible)
    holding = [hit for hit in ranked if hit.id in may_enter and hit.id not in superseded]
    later = _successors(inquiry, holding, likely, gathered.facts)
    likely = passed_on(likely, later)
    earlier = {id for id, one in later.items() if one.probability >= selection.earlier}
    superseded |= {id for id, one in later.items() if one.probability >= selection.superseded}
    ranked = [replace(hit, outdated=True) if hit.id in earlier else hit for hit in ranked]
    numbers = np.round([(likely[hit.id], misleading[hit.id]) for hit in ranked], 6).tolist()
    for hit, (probability, misleads) in zip(ranked, numbers, strict=True):
        features = cast("dict[str, float]", hit.features)
        features["probability"], features["misleading"] = probability, misleads
    facts = [fact for fact in gathered.facts if not fact.records or not earlier.issuperset(fact.records)]
    eligible = [hit for hit in ranked if hit.id in may_enter]
    return Judged(ranked, eligible, short.said, words, likely, silent, superseded, facts)


def _second_stage(inquiry: Inquiry, short: ShortList, cosines: Mapping[str, float]) -> Row:
    """The words of the short list, missing cosines, and which eligible records state replaced facts.

    If the embedder knows no words, the second stage needs the cosines of all records, else of the eligible ones.
    cosines: {id: to the question} as far as they are known.
    """
    compared = set(short.eligible) if inquiry.asked.words else {candidate.id for candidate in short.said}
    return stage_two_rows(
        inquiry.tx,
        memory=inquiry.memory,
        records=[candidate.id for candidate in short.said],
        eligible=short.eligible,
        unknown=[c.id for c in short.said if c.id not in cosines and c.id in compared],
        vector=inquiry.asked.vector,
    )


def _still_so(
    inquiry: Inquiry, ranked: list[RecordHit], replaced: Mapping[str, Row]
) -> tuple[list[RecordHit], list[str]]:
    """The records, those that state something replaced and something that holds cut to what holds, and the ids of
    the others that state something replaced.

    None is cut if the past is asked for, or if what was replaced is asked for: the rest is then beside the point.
    """
    asked = set(inquiry.question.classes)
    left: dict[str, str] = {}
    for hit in ranked if not inquiry.question.past else ():
        found = replaced.get(hit.id)
        if found is not None and found["ends"] and asked.isdisjoint(found["classes"]):
            rest = still_so(hit.text, found["ends"])
            if rest is not None:
                left[hit.id] = rest
    cut = [replace(hit, text=left[hit.id]) if hit.id in left else hit for hit in ranked]
    return cut, [id for id in replaced if id not in left]


def _successors(
    inquiry: Inquiry, hits: Sequence[RecordHit], likely: Mapping[str, float], facts: Sequence[Fact]
) -> Mapping[str, Successor]:
    """What most likely replaces each record; nothing if the question names a time: it may be the old one's.

    Nor of the records that surely say who the kin are that are asked for: no later record replaces them unread.
    """
    if inquiry.scope is not None:
        return {}
    later = successors(inquiry.question, hits, likely, inquiry.options.selection)
    if not inquiry.question.names_kin:
        return later
    sure = inquiry.options.selection.sure_fact
    kin = (fact for fact in facts if fact.current and fact.confidence >= sure and tells_kin(fact))
    lasting = {record for fact in kin for record in fact.records}
    return {id: one for id, one in later.items() if id not in lasting}
