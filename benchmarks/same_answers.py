"""Are all answers and the graph the same, whatever a process keeps in memory?

    python benchmarks/same_answers.py record OUT [--steps 400] [--seeds 0 1 2]   # the reference
    python benchmarks/same_answers.py compare OUT [--modes kept none two]         # against a reference

A scripted life (tests/support/scripted_life.py) is lived once for each seed. Every recall (brief, ranking, facts,
cues, reasons) and, every few steps, the numbers of the graph are written down. `compare` lives the same lives
again and prints where they differ by more than 1e-9 (rankings that tie may change places). Modes: **kept**, with
working sets; **none**, loading for each call (`OROI_WORKING_SET=0`); **two**, two processes that take turns.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from scripted_life import OPTIONS, LifeProcess, ScriptedLife, differences, graph_of
from servers import Address, add_arguments, prepare_schema, read_settings, serving

from oroi_graph.connection import open_embedder
from oroi_graph.errors import MemoryNotFoundError, OroiError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.storage.store import Store

EVERY = 10  # steps between two looks at the graph


def lived(graph: Graph, seed: int, steps: int, taken: Callable[[ScriptedLife, int], Any]) -> list[dict[str, Any]]:
    """Live one life in a memory of its own; what was seen, step by step. taken: takes one step."""
    name = f"scripted-{seed}"
    with suppress(MemoryNotFoundError):
        graph.delete(name)
    life = ScriptedLife(graph.memory(name), seed, steps)
    seen = []
    for number in range(steps):
        seen.append(taken(life, number))
        if number % EVERY == EVERY - 1:
            seen.append({"step": number, "kind": "graph", "found": graph_of(life.memory)})
    graph.delete(name)
    return seen


def lived_in(mode: str, graph: Graph, address: Address, seed: int, steps: int, embedder: str) -> list[dict[str, Any]]:
    """Live one life in one of the modes. embedder: as `OROI_EMBEDDER`, for processes that are begun."""
    if mode != "two":
        return lived(graph, seed, steps, ScriptedLife.take)
    with ExitStack() as opened:
        lives = [opened.enter_context(LifeProcess(address, seed, steps, embedder=embedder)) for _ in range(2)]
        return lived(graph, seed, steps, lambda _, number: lives[number % 2].take(number))


def main() -> int:
    """Record or compare; 0 if nothing differs."""
    parser = argparse.ArgumentParser(description="The same answers, whatever is kept in memory.")
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--modes", choices=("kept", "none", "two"), nargs="+", default=["kept"])
    parser.add_argument("--within", type=float, default=1e-9)
    add_arguments(parser)
    arguments = parser.parse_args()
    wanted: dict[str, Any] = {}
    if arguments.what == "compare":
        wanted = json.loads(arguments.file.read_text(encoding="utf-8"))
        unknown = sorted(set(map(str, arguments.seeds)) - wanted.keys())
        if unknown:
            parser.error(f"{arguments.file} holds no life of seed {', '.join(unknown)}: give --seeds")
    settings = read_settings()
    embedder = CachedEmbedder(open_embedder(settings))
    with (
        serving(arguments, settings) as address,
        Store(address.uri, address.user, address.password, address.database or None) as store,
    ):
        prepare_schema(store, embedder.dimensions)
        failed = 0
        for mode in arguments.modes:
            kept = {"working_set": 0} if mode == "none" else {}
            graph = Graph(store, embedder, OfflineExtractor(), OPTIONS, **kept)
            found = {
                str(seed): lived_in(mode, graph, address, seed, arguments.steps, settings.embedder)
                for seed in arguments.seeds
            }
            if arguments.what == "record":
                arguments.file.write_text(json.dumps(found), encoding="utf-8")
                return 0
            failed += _compared(mode, wanted, found, arguments.within)
            print(graph.stats(), flush=True)
    return 1 if failed else 0


def _compared(mode: str, wanted: dict[str, Any], found: dict[str, Any], within: float) -> int:
    """Print how one mode's lives differ from the reference; how often."""
    failed = 0
    for seed, seen in found.items():
        lines = [
            f"{mode}, seed {seed}, step {a['step']} {a['kind']}{line}"
            for a, b in zip(wanted[seed], json.loads(json.dumps(seen)), strict=True)
            for line in differences(a["found"], b["found"], within)
        ]
        failed += len(lines)
        print(f"{mode}, seed {seed}: {len(seen)} observations, {len(lines)} differences")
        print("\n".join(lines[:20]), flush=True)
    return failed


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OroiError as error:
        sys.exit(str(error))
