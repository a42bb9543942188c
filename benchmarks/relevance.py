"""How likely a record helps to answer: fits the trees of `oroi_graph.recall.ranking.relevance` on scenarios.

    pip install catboost
    python benchmarks/relevance.py --embedder e5-small:1 --embedder minilm:0.5 \
        corpora/natural-dev.jsonl:offline:2 corpora/authored.jsonl:offline:0.5 …

A set is FILE:EXTRACTION or FILE:EXTRACTION:TIMES, how often it counts; --embedder NAME or NAME:TIMES, by which models
memories are embedded, so that the trees hold for each of them. Every scenario is perceived, every probe asked; a record
that holds something required and nothing forbidden is what helps. Boosting maximises the probability of these records
(listwise: the softmax over the records of a question) with the signs that the features must have. Printed: how often
the k most likely records hold everything required, by trees fitted without their own scenario; `--write` writes
those fitted on everything. They are fitted on what the weights of symbolic features leave. All of this is without what
follows: where a ranking stands out, its own order counts besides (decision 1942).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import click
import numpy as np
from numpy.typing import NDArray

import oroi_graph
from oroi_graph.evaluation.baselines.memory import world_of
from oroi_graph.evaluation.datasets.dataset import Question
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.scoring import says
from oroi_graph.memory import Graph
from oroi_graph.recall.answering import judging
from oroi_graph.recall.ranking.relevance import TREES, Probabilities, Ranked, features, weighed
from oroi_graph.recall.ranking.trees import Trees
from oroi_graph.recall_options import Selection
from oroi_graph.settings import Settings

NAMES = TREES.names
AGAINST = frozenset({"asks", "assistant", "unnamed", "outdated"})  # features that speak against a record
EITHER = frozenset({"near before", "near after", "near two before"})  # features of either sign
TREE_COUNT, DEPTH, RATE, RIDGE, SHARE = 300, 3, 0.1, 5.0, 0.5  # SHARE of the features is looked at for a question
FOLDS = 7
DEPTHS = (1, 3, 5, 8, 10)

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One probe. x: (n, features) of its ranked records; helps, misleads: (n,) bool; times: how often it counts."""

    scenario: str
    question: Question
    ranked: Ranked
    x: Values
    helps: NDArray[np.bool_]
    misleads: NDArray[np.bool_]
    times: float


@contextmanager
def ranked_records() -> Iterator[list[Ranked]]:
    """What recall computes probabilities of, meanwhile."""
    seen: list[Ranked] = []
    compute = judging.probabilities

    def noting(ranked: Ranked, selection: Selection) -> Probabilities:
        seen.append(ranked)
        return compute(ranked, selection)

    with patch.object(judging, "probabilities", noting):
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
    texts = [hit.text for hit in ranked.hits]
    required, forbidden = (
        np.array([any(says(text, some) for some in phrases) for text in texts])
        for phrases in (question.required, question.forbidden)
    )
    return Asked(
        scenario=scenario,
        question=question,
        ranked=ranked,
        x=np.stack([np.broadcast_to(found[name], n) for name in NAMES], axis=1).astype(np.float64),
        helps=required & ~forbidden,
        misleads=forbidden & ~required,
        times=times,
    )


def fitted(asked: Sequence[Asked]) -> str:
    """The trees as `Trees.read` reads them, by boosting (Prokhorenkova et al. 2018, CatBoost, loss `QuerySoftMax`)."""
    try:
        from catboost import CatBoost, Pool
    except ImportError:
        raise click.ClickException("fitting needs CatBoost: pip install catboost") from None
    useful = [one for one in asked if one.helps.any()]
    place = np.repeat(np.arange(len(useful)), [len(one.ranked.hits) for one in useful])
    pool = Pool(
        np.concatenate([one.x for one in useful]),
        np.concatenate([one.helps / one.helps.sum() for one in useful]),
        group_id=place,
        group_weight=np.array([one.times for one in useful])[place],
        baseline=np.concatenate([weighed(_columns(one), Selection()) for one in useful]),
    )
    signs = [0 if name in EITHER else -1 if name in AGAINST else 1 for name in NAMES]
    boosted = CatBoost({
        "loss_function": "QuerySoftMax", "iterations": TREE_COUNT, "depth": DEPTH, "learning_rate": RATE,
        "l2_leaf_reg": RIDGE, "rsm": SHARE, "monotone_constraints": signs, "random_seed": 0, "thread_count": 1,
        "verbose": False, "allow_writing_files": False,
    })  # fmt: skip
    boosted.fit(pool)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trees.json"
        boosted.save_model(str(path), format="json")
        return _as_text(json.loads(path.read_text("utf-8")))


def _as_text(model: Mapping[str, Any]) -> str:
    """CatBoost's own file as `Trees` reads it, a tree a line."""
    scale = model["scale_and_bias"][0]
    trees = [
        {
            "features": [split["float_feature_index"] for split in tree["splits"]],
            "borders": [round(split["border"], 6) for split in tree["splits"]],
            "values": [round(scale * value, 4) for value in tree["leaf_values"]],
        }
        for tree in model["oblivious_trees"]
    ]
    lines = ",\n".join(json.dumps(tree) for tree in trees)
    return f'{{"features": {json.dumps(NAMES)}, "trees": [\n{lines}\n]}}\n'


def _columns(one: Asked) -> dict[str, Values]:
    """{feature: (n,)}, as recall computes them."""
    return dict(zip(NAMES, one.x.T, strict=True))


def told(one: Asked, trees: Trees) -> Values:
    """(n,) What weights and trees say of the records."""
    found = _columns(one)
    total: Values = weighed(found, Selection()) + trees.scores(found)
    return total


def evidence(one: Asked, score: Values, depth: int) -> bool:
    """Whether the `depth` most likely records hold everything required. score: (n,) of the records."""
    best = np.argsort(-score, kind="stable")[:depth]
    held = "\n".join(one.ranked.hits[i].text for i in best)
    return all(says(held, some) for some in one.question.required)


def ask_all(sets: Sequence[str], embedders: Sequence[str]) -> dict[str, list[Asked]]:
    """{set, embedder: its probes}; sets, embedders: as `main` reads them."""
    asked: dict[str, list[Asked]] = {}
    settings = Settings.from_env()
    for given in embedders or (settings.embedder,):
        embedder, *share = given.split(":")
        with oroi_graph.connect(settings=replace(settings, embedder=embedder)) as graph:
            for name in sets:
                file, extraction, *times = name.split(":")
                counts = prod(map(float, [*share, *times]), start=1.0)
                asked[f"{name}, {embedder}"] = list(ask(graph, Path(file), extraction, counts))
    return asked


def folded(asked: Iterable[Asked]) -> dict[str, int]:
    """{scenario: its fold}, at random."""
    scenarios = np.random.default_rng(0).permutation(sorted({one.scenario for one in asked}))
    return {str(scenario): i % FOLDS for i, scenario in enumerate(scenarios)}


def without_each(everything: Sequence[Asked], fold: Mapping[str, int]) -> list[Trees]:
    """For each fold the trees that are fitted on all others."""
    return [Trees.read(fitted([one for one in everything if fold[one.scenario] != i])) for i in range(FOLDS)]


@click.command()
@click.argument("sets", nargs=-1, required=True)
@click.option(
    "--embedder", "embedders", multiple=True, help="NAME or NAME:TIMES; may be repeated. Default: as the settings say."
)
@click.option("--write", type=click.Path(path_type=Path), help="Write the trees that are fitted on all SETS.")
def main(sets: Sequence[str], embedders: Sequence[str], write: Path | None) -> None:
    """Fit on SETS, each FILE:EXTRACTION or FILE:EXTRACTION:TIMES, and print."""
    asked = ask_all(sets, embedders)
    everything = [one for found in asked.values() for one in found]
    fold = folded(everything)
    without = without_each(everything, fold)
    for name, found in asked.items():
        answerable = [one for one in found if one.question.required]
        shares = [
            np.mean([evidence(one, told(one, without[fold[one.scenario]]), depth) for one in answerable])
            for depth in DEPTHS
        ]
        held = ", ".join(f"{share:.2f} of {depth}" for depth, share in zip(DEPTHS, shares, strict=True))
        click.echo(f"{name}: {len(answerable)} probes, evidence in the most likely records: {held}")
    if write is not None:
        write.write_text(fitted(everything), "utf-8")


if __name__ == "__main__":
    main()
