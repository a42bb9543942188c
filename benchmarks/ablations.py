"""Ablations: what does each mechanism of the product earn?

    python benchmarks/ablations.py scenarios FILE [--extraction gold|offline] [--only NAME…] [--reading] [--json OUT]
    python benchmarks/ablations.py locomo FILE [--facts] [--only NAME…] [--json OUT]
    python benchmarks/ablations.py musique CORPUS QUESTIONS [--only NAME…] [--json OUT]
    python benchmarks/ablations.py list

The questions and their scores are those of `oroi evaluate`, asked of the product as it is ("oroi") and of variants in
which one mechanism is missing or different (`variants.py`). Variants that only recall differently read the same memory
as the product; those that perceive differently build one of their own each, one after the other and under the same
name, so that ids, which decide between equals, are the same. Every memory is deleted before the next is built; one
that is in the way stops the run.

The difference is oroi − variant: what the mechanism earns, question by question, with the interval of the paired
bootstrap and the p of the exact sign test (McNemar's, where answers are right or wrong).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from servers import add_arguments, prepare_schema, read_settings, serving
from tqdm import tqdm
from variants import Variant, chosen, variants

from oroi_graph.cli.output import table as aligned
from oroi_graph.connection import open_embedder
from oroi_graph.errors import OroiError
from oroi_graph.evaluation.baselines.conditions import CONDITIONS, Baseline
from oroi_graph.evaluation.baselines.memory import EvaluationMemory, world_of
from oroi_graph.evaluation.datasets.dataset import Case, Dataset
from oroi_graph.evaluation.datasets.locomo import read_conversations
from oroi_graph.evaluation.datasets.musique import read_passages
from oroi_graph.evaluation.datasets.scenarios import read_scenarios
from oroi_graph.evaluation.results import OURS, check_writable, compared, summarise, write_text
from oroi_graph.evaluation.scoring import Scored, scored
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.storage.store import Store

Answered = Mapping[str, Sequence[Scored]]
Progress = Callable[[int], object]  # steps done: turns perceived and questions asked


def measure(
    graph: Graph,
    dataset: Dataset,
    variants: Sequence[Variant],
    *,
    seed: int = 0,
    progress: Progress = lambda steps: None,
) -> dict[str, Any]:
    """The results as `oroi evaluate` writes them, a condition for each variant, with `ablations` to say what they are.

    Where recall@k is compared, `depths` has what each variant loses of it at the other k, over all questions.

    Raises EvaluationError if a memory is in the way or changes while it is read; the one under way is deleted.
    """
    answers: dict[str, list[Scored]] = {OURS: [], **{variant.name: [] for variant in variants}}
    counts: Counter[str] = Counter()
    different = [variant for variant in variants if variant.changes(graph.options)]
    for case in dataset.cases:
        with _built(case, dataset, graph, progress) as world:
            counts.update(memory_concepts=len(world.concepts), memory_facts=len(world.facts))
            asked = {OURS: _ask(case, world, dataset, progress)}
            for variant in different:
                if not variant.rebuilt:
                    with variant.applied(graph):
                        asked[variant.name] = _ask(case, world, dataset, progress)
        for variant in different:
            if variant.rebuilt:
                with variant.applied(graph), _built(case, dataset, graph, progress) as world:
                    asked[variant.name] = _ask(case, world, dataset, progress)
        for name, found in answers.items():
            found += asked.get(name, asked[OURS])  # what changes nothing answers the same
    results = summarise(dataset, answers, graph.embedder.model, seed, counts).to_json()
    others = [f"recall@{k}" for k in dataset.depths if f"recall@{k}" != dataset.headline]
    depths = {
        metric: {one.b: one.overall.to_json() for one in compared(dataset, metric, answers, seed)} for metric in others
    }
    told = {v.name: {"what": v.what, "origin": v.origin, "rebuilt": v.rebuilt} for v in variants}
    return {"dataset": results.pop("dataset"), "ablations": told, **results, "depths": depths}


def steps(dataset: Dataset, variants: Sequence[Variant]) -> int:
    """How many turns will be perceived and questions asked, at most."""
    builds, askings = 1 + sum(v.rebuilt for v in variants), 1 + len(variants)
    return sum(builds * len(case.turns) + askings * len(case.questions) for case in dataset.cases)


def _built(case: Case, dataset: Dataset, graph: Graph, progress: Progress) -> Any:
    done = 0

    def perceived(turns: int, total: int, label: str) -> None:
        nonlocal done
        progress(turns - done)
        done = turns

    return world_of(case, f"ablation-{dataset.name}", graph, progress=perceived)


def _ask(case: Case, world: EvaluationMemory, dataset: Dataset, progress: Progress) -> list[Scored]:
    """The product's answers to every question of a case."""
    ask, turn_ids = CONDITIONS[OURS](Baseline(world)), world.turn_ids
    found = []
    for question in case.questions:
        began = time.perf_counter()
        answer = ask(question.text, question.budget)
        found.append(scored(dataset, question, answer, turn_ids, 1000 * (time.perf_counter() - began)))
        progress(1)
    return found


def table(results: Mapping[str, Any]) -> str:
    """What each mechanism earns, the most first, in points; with the groups beside it."""
    rows = sorted(results["comparisons"], key=lambda row: (-row["difference"], row["b"]))
    groups = list(rows[0]["groups"]) if rows else []
    columns = ("without", "origin", "earns", "95 %", "p", "wins", "losses", "tokens", *groups)
    lines = [
        (
            row["b"],
            results["ablations"][row["b"]]["origin"],
            _points(row["difference"]),
            f"{_points(row['interval'][0])} … {_points(row['interval'][1])}",
            f"{row['p']:.2g}",
            str(row["wins"]),
            str(row["losses"]),
            f"{results['conditions'][row['b']]['context_tokens_mean']:.0f}",
            *(_points(row["groups"][group]["difference"]) for group in groups),
        )
        for row in rows
    ]
    ours = results["conditions"][OURS]["metrics"]
    head = ", ".join(f"{name} {100 * value:.1f}" for name, value in ours.items())
    return f"{results['dataset']}, n = {results['n']}: {head}\n{aligned(columns, lines)}"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    shared = argparse.ArgumentParser(add_help=False)
    add = shared.add_argument
    add("--only", nargs="+", default=[], metavar="NAME", help="these variants (`list` names them); all by default")
    add("--reading", action="store_true", help="only variants that read the product's own memory: much faster")
    add("--limit", type=int, help="only the first so many scenarios, conversations or questions")
    add("--seed", type=int, default=0, help="of the resampling behind the intervals")
    add_arguments(shared)
    parser = argparse.ArgumentParser(description="What each mechanism of the product earns.")
    kinds = parser.add_subparsers(dest="kind", required=True)
    scenarios = kinds.add_parser("scenarios", parents=[shared], help="Recall@context of the scenarios in FILE")
    scenarios.add_argument("file", type=Path)
    scenarios.add_argument("--extraction", choices=["gold", "offline"], default="gold")
    locomo = kinds.add_parser("locomo", parents=[shared], help="recall of evidence in LoCoMo's conversations")
    locomo.add_argument("file", type=Path)
    locomo.add_argument("--facts", action="store_true", help="turns state what the data set observes of them")
    musique = kinds.add_parser("musique", parents=[shared], help="recall of supporting passages")
    musique.add_argument("corpus", type=Path)
    musique.add_argument("questions", type=Path)
    kinds.add_parser("list", help="the variants and what they are")
    return parser.parse_args(given)


def _read(arguments: argparse.Namespace) -> Dataset:
    if arguments.kind == "scenarios":
        return read_scenarios(arguments.file, arguments.extraction, arguments.limit)
    if arguments.kind == "locomo":
        return read_conversations(arguments.file, OfflineExtractor() if arguments.facts else None, arguments.limit)
    return read_passages(arguments.corpus, arguments.questions, arguments.limit)


def main(given: Sequence[str] | None = None) -> int:
    """Run, print the table, write the JSON."""
    arguments = _arguments(given)
    if arguments.kind == "list":
        rows = [(v.name, v.origin, "built anew" if v.rebuilt else "", v.what) for v in variants()]
        print(aligned(("variant", "origin", "memory", "what"), rows))
        return 0
    wanted = [one for one in chosen(arguments.only) if not (arguments.reading and one.rebuilt)]
    if arguments.json:
        check_writable(arguments.json)
    dataset, settings = _read(arguments), read_settings()
    embedder = CachedEmbedder(open_embedder(settings))
    with (
        serving(arguments, settings) as address,
        Store(address.uri, address.user, address.password, address.database or None) as store,
        tqdm(total=steps(dataset, wanted), unit=" steps", file=sys.stderr, mininterval=1.0) as bar,
    ):
        prepare_schema(store, embedder.dimensions)
        results = measure(
            Graph(store, embedder, OfflineExtractor()), dataset, wanted, seed=arguments.seed, progress=bar.update
        )
    if arguments.json:
        write_text(arguments.json, json.dumps(results, ensure_ascii=False, indent=2) + "\n")
    print(table(results))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OroiError as error:
        sys.exit(str(error))
