"""Drift of contract entries: how often it is a false alarm, how often it is found; topics: time and stability.

    python benchmarks/contract_drift.py --json OUT

Null: real values (the English ones of labels/contract_pairs.jsonl) at random authors and times. Bursts: the null with
three entries in a row about nearly the same, which breaks exchangeability, as people who work at one thing for a while
do. Power: one author of three, or all from the middle on, writes of another domain with some of the entries. Topics:
perturbed vectors of the same values, up to 100,000.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from contract_pairs import PAIRS, wilson

from oroi_graph.contract.clusters import cluster
from oroi_graph.contract.drift import DriftEntry, drift
from oroi_graph.providers.minilm import MiniLM
from oroi_graph.providers.protocols import Vectors
from oroi_graph.server.fetch import ensure_minilm
from oroi_graph.settings import Settings

START = datetime(2026, 1, 1, tzinfo=UTC)
SIZES = ((8, 2), (24, 3), (60, 4), (200, 5))
PERMUTATIONS = 199
SHARES = (0.25, 0.5, 1.0)
Draw = Callable[[np.random.Generator], tuple[Vectors, Sequence[str]]]


def rate(draw: Draw, runs: int) -> dict[str, object]:
    """The share of drawn keys that drift at level 0.05, with its interval."""
    found = 0
    for run in range(runs):
        vectors, authors = draw(np.random.default_rng(run))
        entries = [
            DriftEntry(f"{i:04}", author, START + timedelta(hours=i), vector)
            for i, (vector, author) in enumerate(zip(vectors, authors, strict=True))
        ]
        found += drift(entries, permutations=PERMUTATIONS, seed=run).drifted
    return {"share": round(found / runs, 4), "interval": wilson(found, runs), "runs": runs}


def names(random: np.random.Generator, n: int, authors: int) -> list[str]:
    """Authors in random order, equally many entries each."""
    return [f"author {i}" for i in random.permutation(np.arange(n) % authors)]


def null(values: Vectors, n: int, authors: int) -> Draw:
    """Values at random."""
    return lambda random: (values[random.choice(len(values), n, replace=n > len(values))], names(random, n, authors))


def bursts(values: Vectors, n: int, authors: int) -> Draw:
    """Three entries in a row, by one author, that are nearly the same."""

    def draw(random: np.random.Generator) -> tuple[Vectors, list[str]]:
        base = np.repeat(values[random.choice(len(values), n // 3)], 3, axis=0)
        near = base + random.normal(scale=0.02, size=base.shape)
        near /= np.linalg.norm(near, axis=1, keepdims=True)
        return near.astype(np.float32), [name for name in names(random, n // 3, authors) for _ in range(3)]

    return draw


def power(here: Vectors, there: Vectors, n: int, share: float, over_time: bool) -> Draw:
    """Values of one domain; those of one author, or from the middle on, are of another one with probability `share`."""

    def draw(random: np.random.Generator) -> tuple[Vectors, list[str]]:
        authors = names(random, n, 3)
        moved = np.arange(n) >= n // 2 if over_time else np.array([name == "author 0" for name in authors])
        moved &= random.random(n) < share
        mine, other = (values[random.choice(len(values), n)] for values in (here, there))
        return np.where(moved[:, None], other, mine).astype(np.float32), authors

    return draw


def topics(values: Vectors, sizes: Sequence[int]) -> list[dict[str, object]]:
    """Seconds of clustering, topics, and entries that move when a tenth more arrives."""
    found = []
    for n in sizes:
        random = np.random.default_rng(n)
        base = values[random.integers(len(values), size=n + n // 10)]
        vectors = base + random.normal(scale=0.03, size=base.shape)
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        ids = [str(i) for i in range(len(vectors))]
        began = time.perf_counter()
        first = cluster(ids[:n], vectors[:n])
        seconds = time.perf_counter() - began
        kept = cluster(ids, vectors, known=first.topics).labels
        anew = cluster(ids, vectors).labels
        moved = [sum(a != b for a, b in zip(first.labels, labels[:n], strict=True)) / n for labels in (kept, anew)]
        found.append(
            {
                "entries": n,
                "seconds": round(seconds, 2),
                "topics": len(first.topics),
                "moved_with_known_topics": moved[0],
                "moved_from_scratch": round(moved[1], 5),
            }
        )
    return found


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="where the figures go")
    parser.add_argument("--runs", type=int, default=1000, help="simulated keys for each figure (default 1000)")
    args = parser.parse_args()
    embedder = MiniLM(ensure_minilm(Settings.from_env().cache_dir))
    rows = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["language"] == "en"]
    texts = sorted({row[side] for row in rows for side in ("new", "old")})
    values = embedder.embed(texts)
    domains = {
        domain: embedder.embed(sorted({row["old"] for row in rows if row["domain"] == domain}))
        for domain in ("configuration", "medicine")
    }
    here, there = domains["configuration"], domains["medicine"]
    result = {
        "permutations": PERMUTATIONS,
        "level": 0.05,
        "null": {f"{n} entries, {a} authors": rate(null(values, n, a), args.runs) for n, a in SIZES},
        "bursts": {"60 entries, 4 authors": rate(bursts(values, 60, 4), args.runs)},
        "power": {
            f"{n} entries, {'time' if over_time else 'author'}, share {share:g}": rate(
                power(here, there, n, share, over_time), max(50, args.runs // 5)
            )
            for n in (12, 24, 60)
            for over_time in (False, True)
            for share in SHARES
        },
        "topics": topics(values, (1_000, 10_000, 100_000)),
    }
    text = json.dumps(result, indent=1)
    if args.json:
        args.json.write_text(f"{text}\n", "utf-8")
    print(text)


if __name__ == "__main__":
    main()
