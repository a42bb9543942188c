"""What a model's answers are worth, by condition and group, beside the measures of recall in the results.

`answer_accuracy` is the share of right answers among those that have a verdict. An answer that the judge gave no usable
verdict on is neither right nor wrong: it is counted as `unjudged`, and left out of the pairs that are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from oroi_graph.evaluation.judging.answering import Reply
from oroi_graph.evaluation.report import Table, tables
from oroi_graph.evaluation.results import OURS, Comparison, ConditionResult, Group, Paired, Results, paired
from oroi_graph.evaluation.statistics import wilson

ACCURACY = "answer_accuracy"


def with_answers(results: Results, replies: Sequence[Reply]) -> Results:
    """The results with the answers' accuracy in every condition and group, and compared as recall is."""
    by_condition = {name: [reply for reply in replies if reply.condition == name] for name in results.conditions}
    verdicts = Counter(reply.verdict for reply in replies)
    others = [name for name in by_condition if name != OURS] if OURS in by_condition else []
    counts = {
        "answers": len(replies),
        "answers_unjudged": verdicts["unjudged"],
        "answers_empty": verdicts["unanswered"],
    }
    return replace(
        results,
        conditions={
            name: _with(found, by_condition[name], results.dataset.overall)
            for name, found in results.conditions.items()
        },
        answered=tuple(_compared(results, by_condition[OURS], by_condition[other], other) for other in others),
        counts={**results.counts, **counts},
    )


def answer_tables(results: Results) -> list[Table]:
    """The accuracy by group and the comparisons by it, for people; none without answers."""
    if not any(found.overall.answers for found in results.conditions.values()):
        return []
    view = replace(
        results, dataset=replace(results.dataset, headline=ACCURACY), comparisons=results.answered, answered=()
    )
    return [table for table in tables(view) if table.title.startswith(ACCURACY)]


def _with(found: ConditionResult, replies: Sequence[Reply], overall: str | None) -> ConditionResult:
    return replace(
        found,
        overall=_added(found.overall, _of(replies, overall)),
        groups={name: _added(group, _of(replies, name)) for name, group in found.groups.items()},
    )


def _added(group: Group, replies: Sequence[Reply]) -> Group:
    verdicts = Counter(reply.verdict for reply in replies)
    judged = len(replies) - verdicts["unjudged"]
    right = verdicts["correct"]
    return replace(
        group,
        metrics={**group.metrics, ACCURACY: right / judged if judged else 0.0},
        intervals={**group.intervals, ACCURACY: wilson(right, judged)},
        answers={"judged": judged, "unjudged": verdicts["unjudged"], "empty": verdicts["unanswered"]},
    )


def _of(replies: Sequence[Reply], group: str | None) -> list[Reply]:
    return [reply for reply in replies if group is None or group in reply.question.groups]


def _compared(results: Results, ours: Sequence[Reply], theirs: Sequence[Reply], other: str) -> Comparison:
    def part(group: str | None) -> Paired:
        pairs = zip(_of(ours, group), _of(theirs, group), strict=True)
        judged = [(a, b) for a, b in pairs if "unjudged" not in (a.verdict, b.verdict)]
        return paired([float(a.verdict == "correct") - float(b.verdict == "correct") for a, b in judged], results.seed)

    groups = {group: part(group) for group in results.dataset.groups if _of(ours, group)}
    return Comparison(OURS, other, ACCURACY, part(results.dataset.overall), groups)
