"""Which records a later one replaces: fits the weights of `oroi_graph.recall.ranking.supersession` on scenarios.

    python benchmarks/supersession.py corpora/updates-dev.jsonl corpora/newcomers-dev.jsonl …

Every scenario is perceived by the offline extractor, every probe asked that requires something. A pair of an older and
a later record is a replacement if the older one says something forbidden and the later one what is required, and none
if the later one lacks something required that the older one says; other pairs tell nothing. Printed: the weights, and
of the older records that say something forbidden, and of those that are required, how many are taken for replaced, each
by weights fitted without its own scenario.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import click
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import oroi_graph
from oroi_graph.evaluation.baselines.memory import world_of
from oroi_graph.evaluation.datasets.dataset import Question as Probe
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.scoring import says
from oroi_graph.memory import Graph
from oroi_graph.model import RecordHit
from oroi_graph.recall.answering import judging
from oroi_graph.recall.question import Question
from oroi_graph.recall.ranking.supersession import Pairs, Successor
from oroi_graph.recall_options import Selection

NAMES = tuple(Selection().superseding)
RIDGE = 1.0  # of weights of features in standard deviations
FOLDS = 7
LINES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair. older: which record of which probe. outdated: whether that one says something forbidden and nothing
    required. replaces: whether the later one replaces it, None if nobody knows."""

    scenario: str
    older: tuple[str, str, str]
    x: Values
    outdated: bool
    replaces: bool | None


@contextmanager
def _compared() -> Iterator[list[Pairs]]:
    """The pairs that recall compares meanwhile."""
    seen: list[Pairs] = []

    def noting(
        question: Question, hits: Sequence[RecordHit], likely: Mapping[str, float], selection: Selection
    ) -> dict[str, Successor]:
        if not question.past:
            seen.append(Pairs(question, hits, likely, selection.superseding_records))
        return {}

    with patch.object(judging, "successors", noting):
        yield seen


def pairs_of(graph: Graph, path: Path) -> Iterator[Pair]:
    """Perceive the scenarios of a file and ask their probes."""
    dataset = read_scenarios(path, "offline")
    with _compared() as seen, click.progressbar(dataset.cases, label=path.name) as cases:
        for case in cases:
            with world_of(case, dataset.name, graph) as world:
                for probe in case.questions:
                    seen.clear()
                    world.memory.recall(probe.text, at=world.at)
                    if seen and seen[0].older and probe.required:
                        yield from _labelled(case.name, probe, seen[0])


def _labelled(scenario: str, probe: Probe, pairs: Pairs) -> Iterator[Pair]:
    found = pairs.features()
    x = np.stack([found[name] for name in NAMES], axis=1)
    for old, new, row in zip(pairs.older, pairs.newer, x, strict=True):
        told = [some for some in probe.required if says(old.text, some)]
        outdated = not told and any(says(old.text, some) for some in probe.forbidden)
        replaces = None
        if told and not all(says(new.text, some) for some in told):
            replaces = False
        elif outdated and not any(says(new.text, some) for some in probe.forbidden):
            replaces = True if any(says(new.text, some) for some in probe.required) else None
        yield Pair(scenario, (scenario, probe.text, old.id), row, outdated, replaces)


def fitted(pairs: Sequence[Pair]) -> Values:
    """The weights, by NAMES."""
    known = [pair for pair in pairs if pair.replaces is not None]
    x, y = np.stack([pair.x for pair in known]), np.array([float(pair.replaces or 0) for pair in known])
    scale = x.std(axis=0)
    scale[scale == 0] = 1.0
    ridge = RIDGE * np.array([name != "always" for name in NAMES])

    def loss(weights: Values) -> tuple[float, Values]:
        z = x / scale @ weights
        total = np.logaddexp(0.0, z).sum() - y @ z + ridge @ weights**2 / 2
        return float(total), (1 / (1 + np.exp(-z)) - y) @ (x / scale) + ridge * weights

    return np.asarray(minimize(loss, np.zeros(len(NAMES)), jac=True, method="L-BFGS-B").x) / scale


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def main(files: Sequence[Path]) -> None:
    """Fit on the scenarios of FILES, and print."""
    with oroi_graph.connect() as graph:
        pairs = [pair for path in files for pair in pairs_of(graph, path)]
    for name, weight in zip(NAMES, fitted(pairs), strict=True):
        click.echo(f"{name:16s} {weight:6.2f}   in use {Selection().superseding[name]:6.2f}")
    scenarios = np.random.default_rng(0).permutation(sorted({pair.scenario for pair in pairs}))
    fold = {str(scenario): i % FOLDS for i, scenario in enumerate(scenarios)}
    without = [fitted([pair for pair in pairs if fold[pair.scenario] != i]) for i in range(FOLDS)]
    best: dict[tuple[str, str, str], float] = {}
    outdated, required = set(), set()
    for pair in pairs:
        odds = float(pair.x @ without[fold[pair.scenario]])
        best[pair.older] = max(odds, best.get(pair.older, -np.inf))
        if pair.outdated and pair.replaces:
            outdated.add(pair.older)
        elif pair.replaces is False:
            required.add(pair.older)
    for line in LINES:
        taken = {older for older, odds in best.items() if odds >= np.log(line / (1 - line))}
        others = len(best) - len(outdated) - len(required)
        click.echo(
            f"probability {line}: taken for replaced {len(taken & outdated)} of {len(outdated)} that are,"
            f" {len(taken & required)} of {len(required)} that are required,"
            f" {len(taken - outdated - required)} of {others} others"
        )


if __name__ == "__main__":
    main()
