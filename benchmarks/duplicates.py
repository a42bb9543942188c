"""Near-duplicates: what cosine and words are worth on labelled pairs, and what finding them costs.

    python benchmarks/duplicates.py [--pairs-only] [--concepts 10000] [--json OUT] [--uri URI | --managed DIR]

**Pairs.** Precision and recall on tests/data/merge_pairs.jsonl, by language: of every threshold of the cosine alone;
of the same threshold where the words must allow it, too (`entities.label_similarity`); of perception, which
decides about single mentions; at the operating point, with the 95 % interval of Wilson. "With a judge" counts what is
doubtful as found: the most that a judge who never errs can reach.

**Finding.** A memory of concepts with the vectors of real phrases, turned by noise, and 1,000 pairs of which one is the
other in other words (plural, article, word order, a slip of the hand), its vector turned to a cosine of 0.90 to 0.99.
Neighbours are found by the vector index and blockwise; how many of the pairs are found, in what time, with how much
memory (tracemalloc's peak, in a run of its own, since tracing is slow).

**Crossover.** Seconds of both ways for more and more new concepts: where they meet is `neighbours.SEARCH_COST`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import neo4j
import numpy as np
from graphs import SyntheticGraph, write
from neo4j.vector import Vector
from numpy.typing import NDArray
from servers import Address, add_arguments, prepare_schema, read_settings, serving

from oroi_graph.connection import open_embedder
from oroi_graph.consolidation.candidate_pairs import Method, near_duplicates
from oroi_graph.entities import nearest_neighbors
from oroi_graph.entities.label_similarity import LEAST, grade
from oroi_graph.entities.linker import rescue
from oroi_graph.entities.resolution import same_concept
from oroi_graph.errors import OroiError
from oroi_graph.evaluation.statistics import wilson
from oroi_graph.language.normalize import digest, label_key
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.protocols import Embedder
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Store

PAIRS = Path(__file__).resolve().parents[1] / "tests" / "data" / "merge_pairs.jsonl"
THRESHOLDS = (0.60, 0.70, 0.80, 0.85, 0.90, 0.95, 0.98)
PRECISION = 0.99
PLANTED = 1_000
NEW = (5, 10, 25, 50, 100, 250, 1_000)
QUALITIES = (
    "green red old broken cheap heavy quiet electric narrow borrowed leather portable noisy rented garden".split()
)
THINGS = (
    "bicycle piano kettle notebook camera ladder guitar umbrella suitcase telescope printer greenhouse mortgage violin "
    "cupboard motorbike passport balcony aquarium hammock projector saucepan typewriter trampoline accordion"
).split()
PLACES = (
    "harbour attic market station library valley cellar school hospital village museum gym allotment theatre garage"
).split()


def figures(truth: Sequence[bool], said: Sequence[bool]) -> dict[str, Any]:
    """Precision (1 where nothing was said), its interval, and recall."""
    right = sum(t and s for t, s in zip(truth, said, strict=True))
    low, high = wilson(right, sum(said))
    return {
        "said": sum(said),
        "precision": round(right / sum(said), 4) if any(said) else 1.0,
        "interval": [round(low, 3), round(high, 3)],
        "recall": round(right / sum(truth), 4),
    }


def on_pairs(embedder: Embedder) -> dict[str, Any]:
    """The figures of the labelled pairs, by kind and language."""
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    labels = list(dict.fromkeys(label for pair in pairs for label in (pair["a"], pair["b"])))
    vectors = dict(zip(labels, embedder.embed(labels), strict=True))
    report: dict[str, Any] = {}
    for kind in ("concept", "name"):
        for language in ("en", "es", "pt"):
            some = [p for p in pairs if p["kind"] == kind and p["language"] == language]
            cosines = [float(vectors[p["a"]] @ vectors[p["b"]]) for p in some]
            likes = [grade(p["a"], p["b"], kind, cosine) for p, cosine in zip(some, cosines, strict=True)]
            automatic = [like is not None and like.grade == "automatic" for like in likes]
            truth = [p["same"] for p in some]
            found: dict[str, Any] = {
                "n": len(some),
                "same": sum(truth),
                "automatic": figures(truth, automatic),
                "judged": figures(truth, [like is not None for like in likes]),
            }
            found["resonance"] = figures(
                truth, [_resonates(p, cosine) for p, cosine in zip(some, cosines, strict=True)]
            )
            if kind == "concept":
                found["cosine"] = {t: figures(truth, [c >= t for c in cosines]) for t in THRESHOLDS}
                found["guarded"] = {
                    t: figures(truth, [c >= t and a for c, a in zip(cosines, automatic, strict=True)])
                    for t in THRESHOLDS
                }
            report[f"{kind} {language}"] = found
    return report


def _resonates(pair: dict[str, Any], cosine: float) -> bool:
    """Whether perception would take the second for the first, the rules of one mention being laxer."""
    a, b = pair["a"], pair["b"]
    if pair["kind"] == "concept":
        return same_concept(a, b, cosine)
    return rescue(a, [b]) is not None or rescue(b, [a]) is not None


class Bench:
    """One memory of concepts without anything else, and the two ways of finding duplicates in it."""

    def __init__(self, address: Address, embedder: Embedder) -> None:
        self.store = Store(address.uri, address.user, address.password, address.database)
        self.driver = neo4j.GraphDatabase.driver(address.uri, auth=(address.user, address.password))
        self.database = address.database
        self.embedder = embedder
        self.phrases = [f"{quality} {thing}" for quality in QUALITIES for thing in THINGS]
        self.vectors = embedder.embed(self.phrases)

    def close(self) -> None:
        """Close the connections."""
        self.driver.close()
        self.store.close()

    def prepare(self) -> None:
        """Migrate, if the database is for tests. Raises SettingsError if it is not."""
        prepare_schema(self.store, self.embedder.dimensions)

    @contextmanager
    def memory(self, labels: Sequence[str], vectors: NDArray[np.float32], turns: Sequence[int]) -> Iterator[str]:
        """A memory of those concepts, each first mentioned in its turn; deleted afterwards."""
        name = f"bench-duplicates-{len(labels)}"
        catalog.create(self.store, name, self.embedder.model, self.embedder.dimensions)
        try:
            concepts = tuple(map(_concept, range(len(labels)), labels, vectors, turns))
            kinds = ("concept",) * len(labels)
            nothing: tuple[dict[str, Any], ...] = ()
            content = SyntheticGraph(
                2, tuple(labels), kinds, np.ones(len(labels)), concepts, nothing, nothing, nothing, nothing
            )
            write(self.driver, self.database, name, content)
            yield name
        finally:
            catalog.delete(self.store, name)

    def planted(self, n: int) -> dict[str, Any]:
        """Find PLANTED duplicates among `n` concepts, once as the only new ones, once with everything new."""
        labels, vectors, pairs = made(self.phrases, self.vectors, n, min(PLANTED, n // 4))
        turns = [1] * (n - len(pairs)) + [2] * len(pairs)
        wanted = {tuple(sorted((_id(a), _id(b)))) for a, b in pairs}
        report: dict[str, Any] = {}
        with self.memory(labels, vectors, turns) as name:
            self.find(name, 1, "blockwise", wanted)  # a cold server is slower
            for what, since in (("new only", 1), ("all new", 0)):
                for method in ("blockwise", "index"):
                    report[f"{method}, {what}"] = self.find(name, since, method, wanted)
        return report

    def find(self, name: str, since: int, method: Method, wanted: set[tuple[str, ...]]) -> dict[str, Any]:
        """Time, memory and what was found."""
        begin = time.perf_counter()
        found = near_duplicates(self.store, name, since, method=method)
        seconds = time.perf_counter() - begin
        tracemalloc.start()
        near_duplicates(self.store, name, since, method=method)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        graded: dict[tuple[str, ...], str] = {(near.a, near.b): near.grade for near in found.pairs}
        return {
            "new": found.new,
            "among": found.among,
            "seconds": round(seconds, 2),
            "peak_mb": round(peak / 1e6, 1),
            "found": len(wanted & graded.keys()),
            "missed": len(wanted - graded.keys()),
            "automatic": sum(graded.get(pair) == "automatic" for pair in wanted),
            "others_automatic": sum(g == "automatic" for pair, g in graded.items() if pair not in wanted),
            "others_doubtful": sum(g == "doubtful" for pair, g in graded.items() if pair not in wanted),
        }

    def crossover(self, n: int) -> dict[str, Any]:
        """Seconds of both ways by the number of new concepts among `n`, the median of three."""
        labels, vectors, _ = made(self.phrases, self.vectors, n, 0)
        report: dict[str, Any] = {}
        with self.memory(labels, vectors, range(1, n + 1)) as name:
            for new in NEW:
                ids = sorted(_id(i) for i in range(n - new, n))
                index = _median(lambda ids=ids: nearest_neighbors.by_index(self.store, name, ids, LEAST, _go_on))  # type: ignore[misc]
                block = _median(
                    lambda since=n - new: nearest_neighbors.blockwise(  # type: ignore[misc]
                        self.store, name, self.embedder.dimensions, since, LEAST, _go_on
                    )
                )
                chosen = "index" if nearest_neighbors.few(new, n) else "blockwise"
                report[str(new)] = {"index": round(index, 3), "blockwise": round(block, 3), "chosen": chosen}
        return report


def made(
    things: Sequence[str], base: NDArray[np.float32], n: int, duplicates: int
) -> tuple[list[str], NDArray[np.float32], list[tuple[int, int]]]:
    """(labels, unit vectors, pairs of positions): the last `duplicates` are others in other words."""
    random = np.random.default_rng(7)
    plain = n - duplicates
    places = [f"{a} {b}" for a in PLACES for b in PLACES]
    chosen = random.permutation(len(things) * len(places))[:plain]
    labels = [f"{things[i % len(things)]} of the {places[i // len(things)]}" for i in chosen]
    vectors = _turned(base[chosen % len(things)], np.full(plain, 0.6), random)
    whose = random.permutation(plain)[:duplicates]
    again = [_reworded(labels[i], k) for k, i in enumerate(whose)]
    # Noise of length r leaves a cosine of 1 / sqrt(1 + r²): 0.90 to 0.99.
    near = _turned(vectors[whose], random.uniform(0.14, 0.48, duplicates), random)
    pairs = [(int(i), plain + k) for k, i in enumerate(whose)]
    return labels + again, np.concatenate([vectors, near]), pairs


def _reworded(label: str, k: int) -> str:
    head, _, place = label.partition(" of the ")
    if k % 4 == 0:
        return f"{head}s of the {place}"
    if k % 4 == 1:
        return f"the {head} of {place}"
    if k % 4 == 2:
        return f"{place} {head}"
    word = max(label.split(), key=len)
    at = next(i for i in range(len(word) // 2, len(word)) if word[i] != word[i - 1])
    return label.replace(word, word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :], 1)


def _turned(
    vectors: NDArray[np.float32], lengths: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.float32]:
    noise = random.standard_normal(vectors.shape)
    noise *= lengths[:, None] / np.linalg.norm(noise, axis=1, keepdims=True)
    turned = vectors + noise
    unit: NDArray[np.float32] = (turned / np.linalg.norm(turned, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _id(i: int) -> str:
    return digest("duplicates", i)


def _concept(i: int, label: str, vector: NDArray[np.float32], turn: int) -> dict[str, Any]:
    properties = {
        "id": _id(i),
        "label": label,
        "label_key": label_key(label),
        "label_text": label,
        "aliases": [],
        "kind": "concept",
        "activation": 0.0,
        "strength": 0.0,
        "exposure": 0.0,
        "mentions": 1,
        "fixed": False,
        "first_turn": turn,
        "last_turn": turn,
    }
    return {"properties": properties, "vector": Vector.from_numpy(vector)}


def _go_on() -> None:
    """Nobody stops a benchmark."""


def _median(work: Callable[[], Any], times: int = 3) -> float:
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return float(np.median(taken))


def table(report: dict[str, Any]) -> str:
    """The figures for people."""
    lines = ["pairs                        said  precision (95 %)          recall"]
    for group, found in report["pairs"].items():
        rows = [(f"{what} >= {t:.2f}", f) for what in ("cosine", "guarded") for t, f in found.get(what, {}).items()]
        for what, row in [
            *rows,
            ("perception", found["resonance"]),
            ("AUTOMATIC", found["automatic"]),
            ("with a judge", found["judged"]),
        ]:
            low, high = row["interval"]
            lines.append(
                f"{group:11} {what:16} {row['said']:4d}  {row['precision']:.3f} ({low:.3f}-{high:.3f})  "
                f"{row['recall']:13.3f}"
            )
    for n, rows in report.get("found", {}).items():
        lines.append(
            f"\n{n} concepts           new  seconds  peak MB  found missed automatic  others: automatic doubtful"
        )
        for what, row in rows.items():
            lines.append(
                f"{what:20} {row['new']:6d} {row['seconds']:8.2f} {row['peak_mb']:8.1f} {row['found']:6d} "
                f"{row['missed']:6d} {row['automatic']:9d} {row['others_automatic']:18d} {row['others_doubtful']:8d}"
            )
    for n, rows in report.get("crossover", {}).items():
        lines.append(f"\n{n} concepts: new    index  blockwise  chosen")
        lines += [
            f"{new:>17} {row['index']:9.3f} {row['blockwise']:9.3f}  {row['chosen']}" for new, row in rows.items()
        ]
    return "\n".join(lines)


def goals(report: dict[str, Any]) -> dict[str, bool]:
    """The goals, by name: reached or not."""
    reached = {}
    for group, found in report["pairs"].items():
        precision = found["automatic"]["precision"]
        reached[f"{group}: automatic precision {precision:.3f}, at least {PRECISION}"] = precision >= PRECISION
    return reached


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Near-duplicates: precision on labelled pairs, cost of finding them.")
    add = parser.add_argument
    add("--pairs-only", action="store_true", help="no database: only the labelled pairs")
    add("--concepts", type=int, nargs="+", default=[1_000, 10_000], help="sizes of the memories (default 1000 10000)")
    add_arguments(parser)
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run; 0 when every goal is reached, else 1."""
    arguments = _arguments(given)
    settings = read_settings()
    embedder = CachedEmbedder(open_embedder(settings))
    report: dict[str, Any] = {"embedder": embedder.model, "pairs": on_pairs(embedder)}
    if not arguments.pairs_only:
        with serving(arguments, settings) as address:
            bench = Bench(address, embedder)
            try:
                bench.prepare()
                report["found"] = {str(n): bench.planted(n) for n in arguments.concepts}
                report["crossover"] = {str(n): bench.crossover(n) for n in arguments.concepts}
            finally:
                bench.close()
    reached = goals(report)
    print(table(report))
    print("\n".join(f"{'reached' if ok else 'MISSED '}  {name}" for name, ok in reached.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(report | {"goals": reached}, indent=1) + "\n", encoding="utf-8")
    return 0 if all(reached.values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OroiError as error:
        sys.exit(str(error))
