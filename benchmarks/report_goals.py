"""What was aimed at, and whether the results reach it. The aims were set before anything was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import report_tables as tables
from report_inputs import INPUTS, Found

_TITLES = {given.stem: given.title for given in INPUTS}
_CONTEXT = "recall_at_context"


@dataclass(frozen=True, slots=True)
class Goal:
    """A metric of the product that should be at least so much, over all questions or a group."""

    stem: str
    metric: str
    least: float
    group: str | None = None


_PHENOMENA: Mapping[str, float] = {
    **dict.fromkeys(("recurrence", "multi-session", "multi-hop", "three-hop"), 31 / 32),
    **dict.fromkeys(("updating", "convergence", "distractors"), 30 / 32),
}
GOALS: tuple[Goal, ...] = (
    *(
        Goal(f"scenarios-gold-{seed}", _CONTEXT, least, group)
        for seed in ("sealed", "final")
        for group, least in ((None, 0.95), *_PHENOMENA.items())
    ),
    *(Goal(f"scenarios-offline-{seed}", _CONTEXT, 0.85) for seed in ("sealed", "final")),
    Goal("scenarios-natural-sealed-offline", _CONTEXT, 0.75),
    Goal("scenarios-natural-sealed-offline", "evidence", 0.90),
    Goal("scenarios-natural-sealed", _CONTEXT, 0.85),
    Goal("scenarios-natural-sealed", "evidence", 0.92),
    *(
        Goal(f"chosen-{name}", metric, least)
        for name in ("natural-sealed", "natural-unseen", "natural-fresh", "natural-later", "newcomers-unseen")
        for metric, least in ((_CONTEXT, 0.85), ("evidence", 0.92))
    ),
    Goal("scenarios-authored-offline", _CONTEXT, 0.80),
    Goal("scenarios-authored-unseen-offline", _CONTEXT, 0.80),
    Goal("long", _CONTEXT, 0.90),
    Goal("past", _CONTEXT, 0.90),
    Goal("locomo", "recall@5", 0.73),
    Goal("locomo", "recall@10", 0.82),
    Goal("locomo", "recall@20", 0.87),
    Goal("locomo", "recall@10", 0.58, "1"),
    Goal("locomo-facts", "recall@5", 0.76),
    Goal("locomo-facts", "recall@10", 0.84),
    Goal("locomo-facts", "recall@20", 0.90),
    Goal("musique", "recall@5", 0.82),
    Goal("musique", "all@5", 0.62),
    Goal("musique", "recall@10", 0.90),
)
EXACT, NONE_RIGHT = 0.95, 0.98  # of questions' times: of each language; of questions without a time
PROTOCOL: Mapping[str, float] = {"g": 0.95, "filtered": 0.90}  # of dialogues by time and theme
NOT_BELOW = ("scenarios-offline-sealed", "scenarios-offline-final")
BASELINE = "hybrid"  # the product should be below this condition in no group of the measurements of NOT_BELOW


@dataclass(frozen=True, slots=True)
class Row:
    """A goal beside what was measured; reached None: it was not measured."""

    where: str
    what: str
    aim: str
    measured: str
    reached: bool | None


def rows(found: Found) -> list[Row]:
    """Every goal: of the metrics, of windows, of the contexts' size, and those that the benchmarks judge themselves."""
    return [*_metrics(found), *_dates(found), *_dialogues(found), *_not_below(found), *_tokens(found), *_judged(found)]


def table(goals: list[Row]) -> str:
    """The goals for people."""
    said = {True: "yes", False: "**no**", None: "not measured"}
    return tables.markdown(
        ("measurement", "what", "goal", "measured", "reached"),
        [(row.where, row.what, row.aim, row.measured, said[row.reached]) for row in goals],
        text=2,
    )


def _metrics(found: Found) -> Iterator[Row]:
    for goal in GOALS:
        what = f"{goal.metric}, {goal.group or tables.ALL}"
        aim = f"≥ {tables.share(goal.least)}"
        results = found.get(goal.stem)
        if results is None or not _told(results, goal):
            yield Row(_TITLES[goal.stem], what, aim, "", None)
            continue
        part = tables.part(results, tables.OURS, goal.group)
        value = part[goal.metric]
        sure = tables.between(part["intervals"].get(goal.metric))
        # Results are rounded to four digits, 31 of 32 among them.
        reached = value >= round(goal.least, 4)
        yield Row(_TITLES[goal.stem], what, aim, f"{tables.share(value)} {sure}, n = {part['n']}", reached)


def _dates(found: Found) -> Iterator[Row]:
    for given, results in found.of("dates").items():
        aims = {name: ("exact", one, EXACT) for name, one in results["languages"].items()}
        aims[tables.ALL] = ("none_right", results["overall"], NONE_RIGHT)
        for name, (metric, part, least) in aims.items():
            one, n = part[metric], part["n_without" if metric == "none_right" else "n"]
            if one["value"] is not None:
                told = f"{tables.share(one['value'])} {tables.between(one['interval'])}, n = {n}"
                yield Row(given.title, f"{metric}, {name}", f"≥ {tables.share(least)}", told, one["value"] >= least)


def _dialogues(found: Found) -> Iterator[Row]:
    for given, results in found.of("windows").items():
        test = results["conditions"][results["chosen"]]["groups"]["test"]
        for metric, least in PROTOCOL.items():
            aim = f"≥ {tables.share(least)}"
            yield Row(given.title, f"{metric}, test", aim, f"{tables.share(test[metric])}", test[metric] >= least)


def _told(results: tables.Results, goal: Goal) -> bool:
    """Whether results say what a goal asks for."""
    return (
        tables.OURS in results["conditions"]
        and goal.metric in tables.metrics(results)
        and (goal.group is None or goal.group in tables.groups(results))
    )


def _not_below(found: Found) -> Iterator[Row]:
    what, aim = f"groups below {BASELINE}", "none"
    for stem in NOT_BELOW:
        results = found.get(stem)
        if results is None or not {tables.OURS, BASELINE} <= set(results["conditions"]):
            yield Row(_TITLES[stem], what, aim, "", None)
            continue
        metric = tables.headline(results)
        below = [
            group
            for group in tables.groups(results)
            if tables.part(results, tables.OURS, group)[metric] < tables.part(results, BASELINE, group)[metric]
        ]
        yield Row(_TITLES[stem], what, aim, ", ".join(below) or "none", not below)


def _tokens(found: Found) -> Iterator[Row]:
    for given, results in found.of("evaluation").items():
        conditions = results["conditions"]
        if {tables.OURS, "hybrid"} <= set(conditions):
            ours, theirs = (conditions[name]["context_tokens_mean"] for name in (tables.OURS, "hybrid"))
            yield Row(given.title, "tokens of a context", f"≤ {theirs:.0f} (hybrid)", f"{ours:.0f}", ours <= theirs)


def _judged(found: Found) -> Iterator[Row]:
    for kind in ("latency", "throughput"):
        measured = found.get(kind)
        if measured is None:
            yield Row(_TITLES[kind], "all of it", "", "", None)
            continue
        for goal, reached in measured["goals"].items():
            yield Row(_TITLES[kind], goal, "", "", bool(reached))
