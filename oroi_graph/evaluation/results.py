"""The results of an evaluation: frozen values, and JSON that is the same for every run of the same setting.

Beside conditions and comparisons there are `counts` (what was read and what was left out: the denominators), the
setting of the run (`extraction`, `facts`), `intervals` in each condition and group, and in each comparison `metric`,
`difference`, `interval` and the same by `groups`. Where a model answers (`answered`), `answer_accuracy` is among the
metrics, each condition and group has `answers` (how many were judged), and there are comparisons by it and `model` (who
was asked, how often). Shares have Wilson's interval, means and differences that of the bootstrap over questions. Where
a data set has an overall group ("1-4" of LoCoMo), `n`, the global metrics, tokens and comparisons are over it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from oroi_graph import files
from oroi_graph.errors import InputError
from oroi_graph.evaluation.datasets.dataset import Dataset
from oroi_graph.evaluation.scoring import Scored
from oroi_graph.evaluation.statistics import Interval, bootstrap, sign_test, wilson

OURS = "oroi"  # the condition that the others are compared with
_DIGITS = 4
_ALWAYS_SHARES = ("recall_at_context", "evidence", "stale", "marked", "empty", "all@")


@dataclass(frozen=True, slots=True)
class Group:
    """The metrics of some questions with their intervals; n: how many questions.

    answers: how many a model answered, by verdict; empty without a model.
    """

    metrics: Mapping[str, float]
    intervals: Mapping[str, Interval]
    n: int
    answers: Mapping[str, int] = field(default_factory=dict)

    @property
    def told(self) -> dict[str, Any]:
        """What the JSON has of a model's answers."""
        return {"answers": dict(self.answers)} if self.answers else {}


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """One condition: over everything, and by group; the mean tokens of its contexts."""

    overall: Group
    groups: Mapping[str, Group]
    tokens: float


@dataclass(frozen=True, slots=True)
class Paired:
    """The same questions answered twice: how often the first was better and worse, by how much on average, how surely.

    p: of the sign test, which is McNemar's where answers are right or wrong.
    """

    wins: int
    losses: int
    p: float
    difference: float
    interval: Interval

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object, rounded."""
        return {
            "wins": self.wins,
            "losses": self.losses,
            "p": float(f"{self.p:.3g}"),
            "difference": round(self.difference, _DIGITS) + 0.0,
            "interval": _interval(self.interval),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Condition a against condition b by `metric`: over everything, and by group."""

    a: str
    b: str
    metric: str
    overall: Paired
    groups: Mapping[str, Paired]

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object, rounded."""
        return {"a": self.a, "b": self.b, **self.overall.to_json(), "metric": self.metric} | {
            "groups": {group: part.to_json() for group, part in self.groups.items()}
        }


@dataclass(frozen=True, slots=True)
class Results:
    """All that an evaluation found. timings: milliseconds of one answer by condition, {"p50": …, "p95": …}.

    answered: the conditions compared by the answers of a model; model: which models were asked, how often, and the
    tokens that took.
    """

    dataset: Dataset
    embedder: str
    seed: int
    conditions: Mapping[str, ConditionResult]
    comparisons: tuple[Comparison, ...]
    timings: Mapping[str, Mapping[str, float]]
    counts: Mapping[str, int]
    answered: tuple[Comparison, ...] = ()
    model: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object, rounded, its keys always in the same order."""
        return {
            "dataset": self.dataset.name,
            "n": next((found.overall.n for found in self.conditions.values()), 0),
            "embedder": self.embedder,
            "seed": self.seed,
            **self.dataset.setting,
            **({"model": dict(self.model)} if self.model else {}),
            "counts": dict(self.counts),
            "conditions": {
                name: {
                    "metrics": _rounded(found.overall.metrics),
                    "groups": {
                        group: {**_rounded(part.metrics), "n": part.n, "intervals": _intervals(part.intervals)}
                        | part.told
                        for group, part in found.groups.items()
                    },
                    "context_tokens_mean": round(found.tokens, 1),
                    "intervals": _intervals(found.overall.intervals),
                    **found.overall.told,
                }
                for name, found in self.conditions.items()
            },
            "comparisons": [one.to_json() for one in (*self.comparisons, *self.answered)],
            "timings": {name: {"read_ms": dict(found)} for name, found in self.timings.items()},
        }

    def text(self) -> str:
        """The JSON as it is written to a file."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=2) + "\n"


def summarise(
    dataset: Dataset, answers: Mapping[str, Sequence[Scored]], embedder: str, seed: int, counts: Mapping[str, int]
) -> Results:
    """The results of all conditions; answers: by condition, each with the same questions in the same order."""
    main = {name: _of(found, dataset.overall) for name, found in answers.items()}
    conditions = {
        name: ConditionResult(
            _group(dataset, main[name], seed),
            {group: _group(dataset, _of(found, group), seed) for group in dataset.groups if _of(found, group)},
            float(np.mean([one.tokens for one in main[name]])) if main[name] else 0.0,
        )
        for name, found in answers.items()
    }
    return Results(
        dataset=dataset,
        embedder=embedder,
        seed=seed,
        conditions=conditions,
        comparisons=compared(dataset, dataset.headline, answers, seed, dataset.groups),
        timings={name: _timing(found) for name, found in answers.items()},
        counts={**dataset.counts, **counts},
    )


def _of(answers: Sequence[Scored], group: str | None) -> list[Scored]:
    return [one for one in answers if group is None or group in one.question.groups]


def _group(dataset: Dataset, answers: Sequence[Scored], seed: int) -> Group:
    told = {name: [one.values[name] for one in answers if name in one.values] for name in dataset.metrics}
    values = {name: np.array(found) for name, found in told.items() if found or name == dataset.headline}
    return Group(
        metrics={name: float(found.mean()) if len(found) else 0.0 for name, found in values.items()},
        intervals={
            name: wilson(int(found.sum()), len(found)) if name.startswith(_ALWAYS_SHARES) else bootstrap(found, seed)
            for name, found in values.items()
        },
        n=len(answers),
    )


def compared(
    dataset: Dataset, metric: str, answers: Mapping[str, Sequence[Scored]], seed: int, groups: Sequence[str] = ()
) -> tuple[Comparison, ...]:
    """Ours against every other condition by `metric`, overall and by `groups`; none where ours was not asked."""
    if OURS not in answers:
        return ()

    def part(other: str, group: str | None) -> Paired:
        pairs = zip(_of(answers[OURS], group), _of(answers[other], group), strict=True)
        # Rounded, so that equal shares summed in another order are equal.
        return paired([round(one.values[metric] - its.values[metric], 9) for one, its in pairs], seed)

    asked = [group for group in groups if _of(answers[OURS], group)]
    return tuple(
        Comparison(OURS, other, metric, part(other, dataset.overall), {group: part(other, group) for group in asked})
        for other in answers
        if other != OURS
    )


def paired(found: Sequence[float], seed: int) -> Paired:
    """What differences, one a question, say; above 0 the first answer was the better one."""
    differences = np.array(found, dtype=np.float64)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    mean = float(differences.mean()) if len(differences) else 0.0
    return Paired(wins, losses, sign_test(wins, losses), mean, bootstrap(differences, seed))


def _timing(answers: Sequence[Scored]) -> dict[str, float]:
    times = [one.milliseconds for one in answers] or [0.0]
    return {name: round(float(np.percentile(times, at)), 2) for name, at in (("p50", 50), ("p95", 95))}


def _rounded(metrics: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, _DIGITS) for name, value in metrics.items()}


def _intervals(intervals: Mapping[str, Interval]) -> dict[str, list[float]]:
    return {name: _interval(found) for name, found in intervals.items()}


def _interval(interval: Interval) -> list[float]:
    # Adding 0 makes one zero of the two that floats have.
    return [round(end, _DIGITS) + 0.0 for end in interval]


def check_writable(path: Path) -> None:
    """Raise InputError now if `path` could not be written at the end of a long run."""
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder")
    with files.refusing(path, "write"), tempfile.NamedTemporaryFile(prefix=f".{path.name}.", dir=path.parent):
        pass


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole or not at all. Raises InputError."""
    with files.refusing(path, "write"):
        files.replace(path, text)
