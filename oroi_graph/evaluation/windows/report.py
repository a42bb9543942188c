"""What the evaluation of windows writes: JSON that is the same for every run of one setting, and a table for people.

k and theme are chosen on the first two folds; the test fold is reported for that choice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oroi_graph.evaluation.report import Table
from oroi_graph.evaluation.windows.dialogues import FOLDS, TODAY, WindowData
from oroi_graph.evaluation.windows.metrics import mean
from oroi_graph.evaluation.windows.protocol import CONDITIONS, ScoredQuestion

TEST = "test"
METRICS = (
    "f", "g", "found", "candidates", "filtered", "kept", "rouge_l_recall", "bertscore_precision",
)  # fmt: skip
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class WindowResults:
    """The scored questions of every condition."""

    data: WindowData
    embedder: str
    seed: int
    scored: Mapping[str, Sequence[ScoredQuestion]]

    @property
    def chosen(self) -> str:
        """The condition with windows and vectors that filters best on the folds before the test fold.

        Equal ones: the one that finds more, then the smaller k, then the plainer theme.
        """
        among = [condition for condition in CONDITIONS if condition.windows and condition.k]

        def worth(name: str) -> tuple[float, float]:
            before = [one for one in self.scored[name] if one.question.fold != TEST]
            return tuple(mean([one.values[metric] for one in before]) for metric in ("filtered", "found"))  # type: ignore[return-value]

        best = max(worth(condition.name) for condition in among)
        equal = [condition for condition in among if worth(condition.name) == best]
        return min(equal, key=lambda condition: (condition.k, CONDITIONS.index(condition))).name

    def metrics(self, name: str, fold: str | None = None) -> dict[str, float]:
        """The means of one condition, over a fold or everything."""
        among = [one for one in self.scored[name] if fold is None or one.question.fold == fold]
        told = {metric: [one.values[metric] for one in among if metric in one.values] for metric in METRICS}
        return {metric: round(mean(values), _DIGITS) for metric, values in told.items() if values}

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object; only "timings" differs between two runs."""
        return {
            "dataset": self.data.name,
            "n": len(self.data.questions),
            "embedder": self.embedder,
            "seed": self.seed,
            "dialogues": len(self.data.dialogues),
            "today": TODAY.isoformat(),
            "folds": FOLDS,
            "token_embeddings": f"{self.embedder}, signs of the last states",
            "chosen": self.chosen,
            "test": {name: self.metrics(name, TEST) for name in (self.chosen, "recall", "recall-no-windows")},
            "conditions": {
                name: {
                    "metrics": self.metrics(name),
                    "groups": {
                        fold: {**self.metrics(name, fold), "n": FOLDS[fold]}
                        for fold in FOLDS
                    },
                }
                for name in self.scored
            },
            "questions": [self._told(i) for i in range(len(self.data.questions))],
            "timings": {
                name: {"read_ms": _percentiles([one.milliseconds for one in self.scored[name]])}
                for name in ("recall", "recall-no-windows")
            },
        }  # fmt: skip

    def text(self) -> str:
        """The JSON as it is written to a file."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=2) + "\n"

    def tables(self) -> list[Table]:
        """The test fold by condition."""
        names = [self.chosen, *(name for name in self.scored if name != self.chosen)]
        rows = []
        for name in names:
            found = self.metrics(name, TEST)
            rows.append((name, *(f"{found[metric]:.2f}" if metric in found else "-" for metric in METRICS)))
        return [Table(f"{self.data.name}, test fold; chosen: {self.chosen}", ("condition", *METRICS), tuple(rows))]

    def _told(self, i: int) -> dict[str, Any]:
        question = self.data.questions[i]
        return {
            "id": question.id,
            "question": question.text,
            "language": question.language,
            "kind": question.kind,
            "right_time": question.right_time,
            "window": question.window.to_json(),
            "target": question.target,
            "kept": {name: list(self.scored[name][i].kept) for name in (self.chosen, "recall")},
            "values": {name: dict(self.scored[name][i].values) for name in (self.chosen, "recall")},
        }


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    return {name: round(float(np.percentile(values, at)), 2) for name, at in (("p50", 50), ("p95", 95))}
