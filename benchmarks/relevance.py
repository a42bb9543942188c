"""How likely a record helps to answer: fits the weights of `oroi_graph.recall.ranking.relevance` on scenarios.

    python benchmarks/relevance.py corpora/natural-dev.jsonl:offline:3 corpora/authored.jsonl:gold …

A set is FILE:EXTRACTION or FILE:EXTRACTION:TIMES, how often it counts. Every scenario is perceived, every probe asked;
a record that holds something required and nothing forbidden is what helps. The weights maximise the probability of
these records (listwise logistic regression), and that the best of them scores above each record that says something
forbidden (pairwise), with the signs that the features must have. Printed: the weights, and how often the k most likely
records hold everything required, each from weights fitted without its own scenario. All of this is by the weights
alone: where a ranking stands out, its own order counts besides (decision 1942).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from oroi_graph.evaluation.datasets.dataset import Question
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.scoring import says
from oroi_graph.memory import Graph
from oroi_graph.recall import pipeline
from oroi_graph.recall.ranking.relevance import Ranked, features
from oroi_graph.recall_options import Selection

NAMES = tuple(Selection().relevance)
AGAINST = frozenset({"asks", "assistant", "unnamed", "outdated"})  # features that speak against a record
EITHER = frozenset({"near before", "near after", "near two before"})  # features of either sign
RIDGE = 2.0
FOLDS = 7
DEPTHS = (1, 3, 5, 10)

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One probe. x: (n, features) of its ranked records; helps, misleads: (n,) bool; times: how often it counts."""

    scenario: str
    question: Question
    texts: tuple[str, ...]
    x: Values
    helps: NDArray[np.bool_]
    misleads: NDArray[np.bool_]
    times: float


@contextmanager
def ranked_records() -> Iterator[list[Ranked]]:
    """What recall computes probabilities of, meanwhile."""
    seen: list[Ranked] = []
    compute = pipeline.probabilities

    def noting(ranked: Ranked, selection: Selection) -> dict[str, float]:
        seen.append(ranked)
        return compute(ranked, selection)

    with patch.object(pipeline, "probabilities", noting):
        yield seen


def ask(graph: Graph, path: Path, extraction: str, times: float) -> Iterator[Asked]:
    """Perceive the scenarios of a file and ask their probes."""
    dataset = read_scenarios(path, extraction)
    with ranked_records() as seen, click.progressbar(dataset.cases, label=f"{path.name}, {extraction}") as cases:
        for case in cases:
            with world_of(case, dataset.name, graph) as world:
                for question in case.questions:
                    seen.clear()
                    world.memory.recall(question.text, at=world.at)
                    if seen and seen[0].hits:
                        yield _asked(case.name, question, seen[0], times)


def _asked(scenario: str, question: Question, ranked: Ranked, times: float) -> Asked:
    found, n = features(ranked), len(ranked.hits)
    texts = tuple(hit.text for hit in ranked.hits)
    required, forbidden = (
        np.array([any(says(text, some) for some in phrases) for text in texts])
        for phrases in (question.required, question.forbidden)
    )
    return Asked(
        scenario=scenario,
        question=question,
        texts=texts,
        x=np.stack([np.broadcast_to(found[name], n) for name in NAMES], axis=1).astype(np.float64),
        helps=required & ~forbidden,
        misleads=forbidden & ~required,
        times=times,
    )


def fitted(asked: Sequence[Asked]) -> Values:
    """The weights, by NAMES."""
    scale = np.concatenate([one.x for one in asked]).std(axis=0)
    scale[scale == 0] = 1.0
    useful = [(one.x / scale, one) for one in asked if one.helps.any()]

    def loss(weights: Values) -> tuple[float, Values]:
        total, slope = RIDGE / 2 * float(weights @ weights), RIDGE * weights
        for x, one in useful:
            score = x @ weights
            odds = np.exp(score - score.max())
            p = odds / odds.sum()
            best = int(np.flatnonzero(one.helps)[np.argmax(score[one.helps])])
            behind = score[one.misleads] - score[best]
            total += one.times * float(np.logaddexp(0.0, behind).sum() - np.log(p[one.helps] + 1e-12).mean())
            wrong = 1 / (1 + np.exp(-behind))
            slope = slope + one.times * (p @ x - x[one.helps].mean(axis=0) + wrong @ (x[one.misleads] - x[best]))
        return total, slope

    signs = {**dict.fromkeys(AGAINST, (None, 0)), **dict.fromkeys(EITHER, (None, None))}
    bounds = [signs.get(name, (0, None)) for name in NAMES]
    return np.asarray(minimize(loss, np.zeros(len(NAMES)), jac=True, bounds=bounds, method="L-BFGS-B").x) / scale


def evidence(one: Asked, weights: Values, depth: int) -> bool:
    """Whether the `depth` most likely records hold everything required."""
    best = np.argsort(-(one.x @ weights), kind="stable")[:depth]
    told = "\n".join(one.texts[i] for i in best)
    return all(says(told, some) for some in one.question.required)


@click.command()
@click.argument("sets", nargs=-1, required=True)
def main(sets: Sequence[str]) -> None:
    """Fit on SETS, each FILE:EXTRACTION or FILE:EXTRACTION:TIMES, and print."""
    asked: dict[str, list[Asked]] = {}
    with oroi_graph.connect() as graph:
        for name in sets:
            file, extraction, *times = name.split(":")
            asked[name] = list(ask(graph, Path(file), extraction, float(times[0]) if times else 1.0))
    everything = [one for found in asked.values() for one in found]
    for name, weight in zip(NAMES, fitted(everything), strict=True):
        click.echo(f"{name:16s} {weight:6.2f}   in use {Selection().relevance[name]:6.2f}")
    scenarios = np.random.default_rng(0).permutation(sorted({one.scenario for one in everything}))
    fold = {str(scenario): i % FOLDS for i, scenario in enumerate(scenarios)}
    without = [fitted([one for one in everything if fold[one.scenario] != i]) for i in range(FOLDS)]
    for name, found in asked.items():
        answerable = [one for one in found if one.question.required]
        shares = [
            np.mean([evidence(one, without[fold[one.scenario]], depth) for one in answerable]) for depth in DEPTHS
        ]
        told = ", ".join(f"{share:.2f} of {depth}" for depth, share in zip(DEPTHS, shares, strict=True))
        click.echo(f"{name}: {len(answerable)} probes, evidence in the most likely records: {told}")


if __name__ == "__main__":
    main()
