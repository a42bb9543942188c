"""Kill the server with `kill -9` at random moments of an import, restart it, resume: is the graph the same?

    python benchmarks/kill.py --kills 20

Each kill interrupts an import of the sample conversation; after the last one the import is resumed to its end, and the
memory is compared with that of an undisturbed import: all nodes, relationships and properties but `created_at` and
`heard_at`, numbers to 1e-9. The test suite does the same with one kill.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from oroi_graph.errors import StoreError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph
from oroi_graph.providers.minilm import MiniLM
from oroi_graph.providers.protocols import Embedder
from oroi_graph.server.fetch import ensure_minilm
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings
from oroi_graph.storage import migrations
from oroi_graph.storage.store import Store
from oroi_graph.transfer.bulk_import import ingest
from oroi_graph.transfer.chats.recognition import read_turns
from oroi_graph.transfer.conversation_file import Scripted

SAMPLE = Path(__file__).resolve().parents[1] / "docs" / "demo" / "conversation.jsonl"
LATEST = 0.06  # seconds after a turn's end by which the kill comes: anywhere within the next turn
NEAR = 1e-9

WHEN = ("created_at", "heard_at", "stamp", "version", "touched_")  # the clock's, and how many commits there were
INDEXING = {"Unindexed", "IndexedConcept", "IndexedRecord"}  # labels: nodes join the indexes in batches
NODES = """
MATCH (n) WHERE n.memory = $memory OR (n:Memory AND n.name = $memory)
RETURN coalesce(n.id, n.name) AS key, labels(n) AS labels, properties(n) AS properties
"""
RELATIONSHIPS = """
MATCH (a)-[r]->(b) WHERE a.memory = $memory
RETURN a.id + ' ' + type(r) + ' ' + b.id + ' ' + coalesce(r.id, '') AS key, properties(r) AS properties
"""


@dataclass(frozen=True)
class Outcome:
    """What happened: kills that interrupted an import, and the differences found at the end."""

    kills: int
    turns: int
    things: int
    differences: tuple[str, ...]


def sample(count: int | None = None) -> list[Scripted]:
    """The first turns of the sample conversation (all of it by default)."""
    return list(read_turns(SAMPLE).turns)[:count]


def undisturbed(store: Store, name: str, embedder: Embedder, turns: Sequence[Scripted]) -> dict[str, dict[str, Any]]:
    """The state of a memory after an import that nothing disturbed; the memory is deleted again."""
    graph = Graph(store, embedder, OfflineExtractor())
    ingest(graph.memory(name), turns)
    state = state_of(store, name)
    graph.delete(name)
    return state


def disturbed(
    server: ManagedServer, name: str, embedder: Embedder, turns: Sequence[Scripted], kills: int, seed: int
) -> tuple[int, Store]:
    """Import while the server is killed `kills` times; the count of kills that interrupted, and an open store."""
    chance = random.Random(seed)
    interrupted = 0
    step = len(turns) // (kills + 1)
    for _ in range(kills):
        store = _opened(server)
        # Each run gets at most one step further, so that there is something left to interrupt for every kill.
        killer = _Killer(server, chance.randrange(1, max(step - 3, 2)), chance.uniform(0, LATEST))
        try:
            ingest(Graph(store, embedder, OfflineExtractor()).memory(name), turns, progress=killer)
        except StoreError:
            interrupted += 1
        store.close()
        killer.wait()
    store = _opened(server)
    ingest(Graph(store, embedder, OfflineExtractor()).memory(name), turns)
    return interrupted, store


class _Killer:
    """A progress callback that kills the server some milliseconds after the run has written `turn` turns."""

    def __init__(self, server: ManagedServer, turn: int, delay: float) -> None:
        self._pid = server.status().pid
        self._turn, self._delay = turn, delay
        self._timer: threading.Timer | None = None

    def __call__(self, done: int, total: int, label: str) -> None:
        if done >= self._turn and self._timer is None:
            self._timer = threading.Timer(self._delay, self._kill)
            self._timer.start()

    def wait(self) -> None:
        """Until the server is dead."""
        if self._timer is not None:
            self._timer.join(60)

    def _kill(self) -> None:
        process = psutil.Process(self._pid)
        process.kill()
        process.wait(30)


def state_of(store: Store, name: str) -> dict[str, dict[str, Any]]:
    """Every node and relationship of a memory with its properties, by a key of its own; without those of WHEN."""
    state: dict[str, dict[str, Any]] = {}
    for query, kind in ((NODES, "node"), (RELATIONSHIPS, "relationship")):
        for row in store.schema(query, memory=name):
            properties = {key: value for key, value in row["properties"].items() if not key.startswith(WHEN)}
            labels = sorted({*row.get("labels", [])} - INDEXING)
            state[f"{kind} {row['key']}"] = {"labels": labels, **properties}
    return state


def differences(expected: dict[str, dict[str, Any]], found: dict[str, dict[str, Any]]) -> Iterator[str]:
    """One line for each thing missing, left over or different; numbers may differ by NEAR."""
    for key in sorted(expected.keys() | found.keys()):
        if key not in found:
            yield f"missing: {key}"
        elif key not in expected:
            yield f"left over: {key}"
        else:
            a, b = expected[key], found[key]
            names = (name for name in sorted(a.keys() | b.keys()) if not _same(a.get(name), b.get(name)))
            yield from (f"{key}: {name} is {str(b.get(name))[:60]}, not {str(a.get(name))[:60]}" for name in names)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= NEAR
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def _opened(server: ManagedServer) -> Store:
    address = server.start()
    store = Store(address.uri, address.user, address.password, address.database, patience=1)
    migrations.migrate(store, 384)
    return store


def run(server: ManagedServer, embedder: Embedder, kills: int, seed: int, turns: Sequence[Scripted]) -> Outcome:
    """The whole trial on one server."""
    name = "killed"
    with _opened(server) as store:
        expected = undisturbed(store, name, embedder, turns)
    interrupted, store = disturbed(server, name, embedder, turns, kills, seed)
    with store:
        found = tuple(differences(expected, state_of(store, name)))
    return Outcome(interrupted, len(turns), len(expected), found)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    cache = Settings.from_env().cache_dir
    with tempfile.TemporaryDirectory() as folder:
        server = ManagedServer(Path(folder), cache)
        try:
            outcome = run(server, MiniLM(ensure_minilm(cache)), arguments.kills, arguments.seed, sample())
        finally:
            server.stop()
    print(f"{outcome.kills} of {arguments.kills} kills interrupted an import of {outcome.turns} turns")
    print(f"{outcome.things} nodes and relationships compared, {len(outcome.differences)} differences")
    for line in outcome.differences[:20]:
        print(f"  {line}")
    raise SystemExit(bool(outcome.differences))


if __name__ == "__main__":
    main()
