"""How sure relations of the offline extractor are: fits the weights of `oroi_graph.extraction.confidence`.

    python benchmarks/fact_confidence.py    # prints weights, and precision and recall by line of confidence

Reads `labels/relations.jsonl`: relations that the extractor read from natural and plain conversations, each
judged as right or wrong by a reader; those with a day of judging are of a later extractor. Figures are cross-validated
by conversation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from oroi_graph.extraction.confidence import WEIGHTS, signals
from oroi_graph.model import ExtractedRelation

JUDGED = Path(__file__).parent / "labels" / "relations.jsonl"
FOLDS = 10
RIDGE = 2.0  # of the weights, each in units of its signal's standard deviation
LINES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85)

Values = NDArray[np.float64]


def read(path: Path = JUDGED) -> list[dict[str, Any]]:
    """The judged relations."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def design(judged: Sequence[dict[str, Any]]) -> Values:
    """(n, signals) float64, in the order of WEIGHTS."""
    rows = []
    for one in judged:
        named = (one["source"], one["relation"], one["target"], one["negated"], one["replaces"], one["when"])
        found = signals(ExtractedRelation(*named), one["text"], one["language"])
        rows.append([found.get(name, 0.0) for name in WEIGHTS])
    return np.array(rows)


def fitted(x: Values, right: Values) -> Values:
    """Weights of a ridge-regularised logistic regression."""
    scale = np.where(x.std(axis=0) > 0, x.std(axis=0), 1.0)
    z = x / scale

    def loss(weights: Values) -> tuple[float, Values]:
        p = 1 / (1 + np.exp(-(z @ weights)))
        likelihood = right * np.log(p + 1e-12) + (1 - right) * np.log(1 - p + 1e-12)
        return float(RIDGE / 2 * weights @ weights - likelihood.sum()), z.T @ (p - right) + RIDGE * weights

    return np.asarray(minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x) / scale


def validated(x: Values, right: Values, groups: Sequence[str]) -> Values:
    """(n,) confidences, each from weights fitted without its own conversation."""
    order = np.random.default_rng(0).permutation(sorted(set(groups)))
    fold = {str(group): i % FOLDS for i, group in enumerate(order)}
    folds = np.array([fold[group] for group in groups])
    found = np.zeros(len(right))
    for i in range(FOLDS):
        weights = fitted(x[folds != i], right[folds != i])
        found[folds == i] = 1 / (1 + np.exp(-(x[folds == i] @ weights)))
    return found


def _kind(one: Mapping[str, Any]) -> str:
    return f"{'natural' if 'natural' in one['source_set'] else 'plain'}{', later' if 'judged' in one else ''}"


@click.command()
def main() -> None:
    """Fit, validate and print."""
    judged = read()
    x, right = design(judged), np.array([one["right"] for one in judged], dtype=np.float64)
    sure = validated(x, right, [one["source_set"] for one in judged])
    for name, weight in zip(WEIGHTS, fitted(x, right), strict=True):
        click.echo(f"{name:28s} {weight:6.2f}   in use {WEIGHTS[name]:6.2f}")
    kinds = [f"{one['language']}, {_kind(one)}" for one in judged]
    for kind in sorted(set(kinds)):
        of_kind = np.array([one == kind for one in kinds])
        click.echo(f"{kind}: {of_kind.sum()} relations, {right[of_kind].mean():.2f} right")
        for line in LINES:
            shown = of_kind & (sure >= line)
            precision = right[shown].mean() if shown.any() else float("nan")
            found = right[shown].sum() / right[of_kind].sum()
            click.echo(f"  from {line}: {shown.sum():4d} shown, precision {precision:.2f}, recall {found:.2f}")


if __name__ == "__main__":
    main()
