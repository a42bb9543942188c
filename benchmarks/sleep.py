"""A night of a large memory: how long it takes, how much memory, and what users' turns notice of it.

    python benchmarks/sleep.py [--concepts 10000] [--duplicates 1000] [--turns 100] [--json OUT]

A synthetic memory (see graphs.py) of which some concepts are others in other words, their vectors turned to a cosine of
0.90 to 0.99. It is written twice: one sleeps alone, the other one while a user talks to it without a pause, each in a
process of its own, as a worker's would be. A turn is `Memory.perceive`, its recall
and its close, all texts embedded beforehand. `ratio` is the p95 of the turns during the sleep over that of the turns
before it, in the same memory. Peak memory is what the sleeping process grew by.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from figures import quantiles
from graphs import SPEAKER, SyntheticGraph, Vocabulary, make, write
from latency import AT, script
from neo4j.vector import Vector
from servers import Address, add_arguments, prepare_schema, read_settings, serving

from oroi_graph.connection import open_embedder
from oroi_graph.consolidation.pipeline import consolidate
from oroi_graph.errors import OroiError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.language.normalize import label_key, without_names
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import TurnInput
from oroi_graph.perception.pipeline import prepare
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.settings import Settings
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Store

MOST_RATIO = 3.0
WARM_UP = 30


def planted(graph: SyntheticGraph, duplicates: int) -> SyntheticGraph:
    """The graph with some things renamed to others in other words, and near to them."""
    random = np.random.default_rng(11)
    things = graph.of_kind("concept")
    chosen = random.permutation(things)[: 2 * duplicates]
    concepts = list(graph.concepts)
    for k, (i, j) in enumerate(zip(chosen[:duplicates], chosen[duplicates:], strict=True)):
        vector = np.array(concepts[i]["vector"].to_native(), dtype=np.float32)
        noise = random.standard_normal(len(vector))
        noise *= random.uniform(0.14, 0.48) / np.linalg.norm(noise)
        near = (vector + noise) / np.linalg.norm(vector + noise)
        label = graph.labels[i]
        label = f"the {label}" if k % 2 else f"{label}s"
        properties = {"label": label, "label_key": label_key(label), "label_text": label}
        concepts[j] = {
            "properties": concepts[j]["properties"] | properties,
            "vector": Vector.from_numpy(near.astype(np.float32)),
        }
    return replace(graph, concepts=tuple(concepts))


def night(address: Address, name: str, cache: Path, sent: Any) -> None:
    """Sleep one memory in this process; send what it did, how long it took (s) and by how much memory grew (MB)."""
    settings = Settings(cache_dir=cache)
    embedder = open_embedder(settings)
    embedder.embed(["warm"])
    with Store(address.uri, address.user, address.password, address.database) as store:
        store.verify()
        process = psutil.Process()
        before, most, ended = process.memory_info().rss, [0], threading.Event()

        def watch() -> None:
            while not ended.wait(0.02):
                most.append(max(most.pop(), process.memory_info().rss))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        begin = time.perf_counter()
        report = consolidate(store, name, embedder)
        seconds = time.perf_counter() - begin
        ended.set()
        watcher.join()
    grown = (most[0] - before) / 1e6
    sent.put({"seconds": seconds, "peak_mb": grown, "counts": report.counts, "state": report.state})


class Talk:
    """A user's turns, embedded beforehand, and how long each took."""

    def __init__(self, memory: Memory, graph: SyntheticGraph, turns: int, seed: int) -> None:
        self.memory = memory
        self.script = list(script(graph, turns, seed))
        self.said = 0
        for i, said in enumerate(self.script):
            turn = TurnInput(said.text, f"{seed}-{i}", SPEAKER, "user", AT)
            prepare([turn], [(said.extraction, None)], "given", memory.graph.embedder)
            memory.graph.embedder.embed([without_names(text, {SPEAKER}) for text in (said.reply, said.text)])

    def turn(self) -> float:
        """One turn with its recall and its close, in seconds."""
        said = self.script[self.said % len(self.script)]
        begin = time.perf_counter()
        turn = self.memory.perceive(said.text, speaker=SPEAKER, at=AT, extraction=said.extraction)
        brief = turn.brief
        turn.close(said.reply, injected=brief)
        self.said += 1
        return time.perf_counter() - begin


def run(address: Address, concepts: int, duplicates: int, turns: int, settings: Settings) -> dict[str, Any]:
    """Measure one size."""
    embedder = CachedEmbedder(open_embedder(settings))
    vocabulary = Vocabulary.embedded(embedder)
    found: dict[str, Any] = {"concepts": concepts, "duplicates": duplicates}
    spawn = multiprocessing.get_context("spawn")
    with Store(address.uri, address.user, address.password, address.database) as store:
        prepare_schema(store, embedder.dimensions)
        graph = Graph(store, embedder, OfflineExtractor())
        for name in ("sleep-alone", "sleep-talk"):
            if catalog.describe(store, name) is not None:
                catalog.delete(store, name)
            made = planted(make(name, concepts, vocabulary, 5), duplicates)
            catalog.create(store, name, embedder.model, embedder.dimensions)
            write(store._driver, store.database, name, made)
        found["alone"] = _night(spawn, address, "sleep-alone", settings)
        memory = graph.memory("sleep-talk", create=False)
        talk = Talk(memory, made, 4 * turns, 3)
        for _ in range(WARM_UP):
            talk.turn()
        found["idle"] = quantiles([talk.turn() for _ in range(turns)])
        sent = spawn.Queue()
        process = spawn.Process(target=night, args=(address, "sleep-talk", settings.cache_dir, sent))
        process.start()
        while store.explore("MATCH (s:Sleep {memory: 'sleep-talk'}) RETURN s.state")[1] == []:
            time.sleep(0.05)
        during = []
        while process.is_alive() and sent.empty():
            during.append(talk.turn())
        found["asleep"] = sent.get() | {"turns": len(during)}
        process.join()
        found["during"] = quantiles(during)
        found["after"] = quantiles([talk.turn() for _ in range(turns)])
        for name in ("sleep-alone", "sleep-talk"):
            catalog.delete(store, name)
    found["ratio"] = {q: found["during"][q] / found["idle"][q] for q in ("p50", "p95")}
    return found


def _night(spawn: Any, address: Address, name: str, settings: Settings) -> dict[str, Any]:
    sent = spawn.Queue()
    process = spawn.Process(target=night, args=(address, name, settings.cache_dir, sent))
    process.start()
    done: dict[str, Any] = sent.get()
    process.join()
    return done


def table(found: dict[str, Any]) -> str:
    """The figures for people."""
    lines = [f"{found['concepts']} concepts, {found['duplicates']} of them others in other words"]
    for name, label in (("alone", "slept alone"), ("asleep", "slept beside turns")):
        night_ = found[name]
        counts = ", ".join(f"{n} {what}" for what, n in night_["counts"].items())
        lines.append(f"{label:<20} {night_['seconds']:.1f} s, grew by {night_['peak_mb']:.0f} MB: {counts}")
    for name, label in (("idle", "turns before"), ("during", "turns during"), ("after", "turns after")):
        lines.append(f"{label:<20} p50 {found[name]['p50']:.0f} ms, p95 {found[name]['p95']:.0f} ms")
    lines.append(f"{'during / before':<20} p50 {found['ratio']['p50']:.2f}, p95 {found['ratio']['p95']:.2f}")
    return "\n".join(lines)


def main() -> int:
    """Run; 0 when the goal is reached, else 1."""
    parser = argparse.ArgumentParser(description="A night of a large memory.")
    parser.add_argument("--concepts", type=int, default=10_000)
    parser.add_argument("--duplicates", type=int, default=1_000)
    parser.add_argument("--turns", type=int, default=100, help="turns measured before and after the sleep")
    add_arguments(parser)
    arguments = parser.parse_args()
    settings = read_settings()
    with serving(arguments, settings) as address:
        found = run(address, arguments.concepts, arguments.duplicates, arguments.turns, settings)
    print(table(found))
    ok = found["ratio"]["p95"] <= MOST_RATIO
    print(f"{'reached' if ok else 'MISSED '}  p95 of turns during sleep ≤ {MOST_RATIO:g} × that of idle turns")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0 if ok else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OroiError as error:
        sys.exit(str(error))
