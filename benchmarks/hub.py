"""Recall in a memory with a hub: one person with thousands of facts.

    python benchmarks/hub.py [--facts 5000] [--samples 20] [--json OUT]

A person owns and has visited that many things, said in turns of fifty; two more turns say where and with whom he
lives. Five questions about him are asked in turns, after one that warms up. Told are processor time of this process and
time by the clock, in ms, median and 95th percentile, and whether what is asked for is in the briefs.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from figures import quantiles
from servers import add_arguments, prepare_schema, read_settings, serving

from oroi_graph.connection import open_embedder
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import Extraction
from oroi_graph.storage.store import Store

WORDS = (
    "boat red river stone lamp glass paper cloud horse piano apple wheel tower bridge garden silver copper velvet "
    "candle mirror"
).split()
TURN = 50  # facts that one turn states
QUESTIONS = {
    "Where does Ana live?": "Bilbao",
    "Who does Ana live with?": "Iker",
    "What does Ana own?": "Ana",
    "What has Ana visited?": "Ana",
    "Tell me about Ana.": "Ana",
}


def main() -> None:
    """Make the hub, ask, tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--facts", type=int, default=5_000)
    parser.add_argument("--samples", type=int, default=20)
    given = parser.parse_args()
    settings = read_settings()
    with serving(given, settings) as at, Store(at.uri, at.user, at.password, at.database) as store:
        embedder = open_embedder(settings)
        prepare_schema(store, embedder.dimensions)
        graph = Graph(store, embedder, OfflineExtractor())
        name = f"hub-{time.time_ns()}"
        try:
            memory = graph.memory(name)
            tell(memory, given.facts)
            found = measure(memory, given.samples)
        finally:
            graph.delete(name)
    found["facts"] = given.facts
    print(json.dumps(found, indent=1))
    if given.json:
        given.json.write_text(json.dumps(found) + "\n", "utf-8")


def tell(memory: Memory, facts: int) -> None:
    """Say the facts of the hub."""
    for start in range(0, facts, TURN):
        things = [thing(number) for number in range(start, min(start + TURN, facts))]
        said = {
            "concepts": [{"label": "Ana", "kind": "name"}, *({"label": one} for one in things)],
            "relations": [
                {"source": "Ana", "relation": "owns" if place % 2 else "has visited", "target": one}
                for place, one in enumerate(things)
            ],
        }
        turn = memory.perceive(
            f"Ana knows {', '.join(things)}.", speaker="Jon", id=f"t{start}", extraction=Extraction.from_json(said)
        )
        turn.close("I see.")
    memory.perceive("Ana lives in Bilbao.", speaker="Jon", id="home").close()
    memory.perceive("Ana lives with Iker.", speaker="Jon", id="brother").close()


def thing(number: int) -> str:
    """A thing of its own."""
    return f"{WORDS[number % 20]} {WORDS[number // 20 % 20]} {number}"


def measure(memory: Memory, samples: int) -> dict[str, Any]:
    """The questions, asked in turns."""
    memory.recall("Good morning, Jon!", speaker="Jon")
    busy: dict[str, list[float]] = {question: [] for question in QUESTIONS}
    clock: dict[str, list[float]] = {question: [] for question in QUESTIONS}
    answered: dict[str, bool] = {}
    for _ in range(samples):
        for question, wanted in QUESTIONS.items():
            cpu, wall = time.process_time(), time.perf_counter()
            brief = memory.recall(question, speaker="Jon").brief.text
            busy[question].append(time.process_time() - cpu)
            clock[question].append(time.perf_counter() - wall)
            answered[question] = wanted in brief
    return {
        question: {
            "cpu_ms": quantiles(busy[question]),
            "wall_ms": quantiles(clock[question]),
            "told": answered[question],
        }
        for question in QUESTIONS
    }


if __name__ == "__main__":
    main()
