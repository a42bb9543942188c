"""One question answered: from its windows and what it meets in the graph to what may enter the brief."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from oroi_graph.model import LeftOut, RecordHit
from oroi_graph.recall.answering.gathering import Gathered, Gathering
from oroi_graph.recall.answering.inquiry import Inquiry
from oroi_graph.recall.answering.judging import Judged, judge
from oroi_graph.recall.brief import Explainer
from oroi_graph.recall.decomposition import meeting_all
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.request import WindowContents
from oroi_graph.recall.selection import Chosen, Selector
from oroi_graph.recall.time_windows.absence import absent, nearest_day
from oroi_graph.recall.time_windows.fitting import Fitting
from oroi_graph.recall.time_windows.scope import Scope
from oroi_graph.recall.time_windows.search import Inside, search_windows
from oroi_graph.recall.time_windows.time_alone import NOTHING, TimeAlone


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question brought back. eligible: the ranked records that may enter the brief.

    likely: {record id: probability}. superseded: ids of records that state a replaced fact. contents: what its windows
    held, if it has any. failure: why a reranker had no say. barred: records that may not enter, the nearest first.
    silent: the probability that no record answers, 0..1; 0 where no network reads them.
    """

    chosen: Chosen
    evocation: Evocation
    explainer: Explainer
    ranked: Sequence[RecordHit]
    eligible: Sequence[RecordHit] = ()
    likely: Mapping[str, float] = field(default_factory=dict)
    superseded: frozenset[str] = frozenset()
    contents: WindowContents | None = None
    failure: str | None = None
    barred: Sequence[LeftOut] = ()
    silent: float = 0.0


def answer(inquiry: Inquiry) -> Answer:
    """From the question to what may enter the brief."""
    scope, selection = inquiry.scope, inquiry.options.selection
    inside = None
    if scope is not None:
        inside = search_windows(inquiry.tx, inquiry.memory, scope, inquiry.asked.vector, inquiry.request)
        if scope.alone:
            return _summed_up(inquiry, scope, inside)
    gathered = Gathering(inquiry, inside).gather()
    judged = judge(inquiry, gathered, windows=inside is not None)
    chosen = _chosen(inquiry, gathered, judged)
    eligible, contents = judged.eligible, None
    if inside is not None and scope is not None:
        contents = inside.contents(scope)
        # "Before we sail on Saturday": what is to be remembered by then may be said at any time.
        if not (chosen.reminders.records and scope.happened):
            eligible = list(judged.eligible) if inquiry.question.past else judged.valid
            fitting = Fitting(scope, inquiry.question.stems, inside, gathered.records, judged.likely, selection)
            chosen = fitting.restricted(chosen, eligible, gathered.in_time)
            if fitting.lacks(chosen):
                near = nearest_day(inquiry.tx, inquiry.memory, scope, inquiry.request)
                chosen = absent(chosen, near, scope)
                gathered.records.update((record.id, record) for record in near)  # which the explanation looks up
    return Answer(
        chosen,
        gathered.evocation,
        Explainer(gathered.evocation, gathered.paths, gathered.records, inquiry.said),
        judged.ranked,
        eligible,
        judged.likely,
        judged.superseded,
        contents,
        barred=gathered.barred,
        silent=judged.silent,
    )


def _chosen(inquiry: Inquiry, gathered: Gathered, judged: Judged) -> Chosen:
    """What may enter, whenever it was said."""
    selection = inquiry.options.selection
    selector = Selector(
        inquiry.question,
        gathered.evocation,
        gathered.evidence,
        judged.likely,
        selection,
        several=inquiry.whole is not None,
        silent=judged.silent,
    )
    chosen = selector.choose(judged.facts, judged.eligible, gathered.records, judged.superseded)
    if len(judged.eligible) < len(judged.ranked):
        may_enter = {hit.id for hit in judged.eligible}
        others = (hit for hit in judged.ranked if hit.id not in may_enter)
        chosen = chosen.without(others, "not among the best by the first stage")
    if inquiry.asked.criteria and not gathered.evidence.converged and not chosen.reminders.records:
        valid = [candidate for candidate in judged.considered if candidate.id not in judged.superseded]
        meeting = meeting_all(
            inquiry.asked.criteria,
            valid,
            judged.words.held,
            gathered.evocation.selves,
            judged.words.dimensions,
            selection.criteria_lead,
        )
        # Records that hardly help to answer were not what is meant by the criteria.
        if meeting and sum(judged.likely[id] for id in meeting) >= selection.decided:
            chosen = chosen.meeting_all(meeting, judged.ranked, judged.superseded)
    return chosen


def _summed_up(inquiry: Inquiry, scope: Scope, inside: Inside) -> Answer:
    """The answer to a question for a time alone."""
    request, options = inquiry.request, inquiry.options
    budget = options.brief_tokens if request.budget is None else request.budget
    told = TimeAlone(inquiry.tx, inquiry.memory, scope, request).told(inside, budget, options)
    explainer = Explainer(NOTHING, {}, told.candidates, inquiry.said)
    return Answer(told.chosen, NOTHING, explainer, told.ranked, contents=inside.contents(scope))
