"""The memory contract under load: concurrency, kills, malformed entries, and how it behaves with many entries.

    python benchmarks/contract.py --json contract.json                   # all parts, 100,000 entries
    python benchmarks/contract.py --parts writers --writes 100           # 8 processes on one key and on eight
    python benchmarks/contract.py --parts kills --kills 20               # kill -9 of clients, then of the server
    python benchmarks/contract.py --parts fuzz --malformed 10000
    python benchmarks/contract.py --parts large --entries 5000           # a first look
    python benchmarks/contract.py --parts large --managed FOLDER --keep  # can be ended, and goes on where it was
    python benchmarks/contract.py --parts recall --turns 1000 --beside 1000

Parts: `writers` checks every history against a serial order, `kills` that acknowledged entries are there, `fuzz` that
malformed entries are refused with a pointer and leave nothing. `large` measures a contract with many entries: with an
embedder that costs nothing, so that the times are the database's and ours, then a smaller one (`--real`) with the local
model. `recall` compares the time of questions to a memory without entries, with repetitive ones and with varied ones.
See `contract_size.py`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
from contract_size import Sizes
from contract_values import AUTHORS
from contract_writers import Reader, run, start
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from figures import quantiles
from serial_order import Call, faults
from servers import add_arguments, prepare_schema, read_settings

from oroi_graph.contract.comparison import FieldRule, Thresholds, canonical_value, compare
from oroi_graph.contract.document import template
from oroi_graph.contract.entry import EntryRefusedError
from oroi_graph.contract.intake.decision import COMPARED
from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.errors import StoreError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph
from oroi_graph.providers.minilm import MiniLM
from oroi_graph.providers.scripted import ScriptedEmbedder
from oroi_graph.server.fetch import ensure_minilm
from oroi_graph.server.managed import ManagedServer, ServerAddress, ServerOptions
from oroi_graph.storage.store import Store

WARM_UP = 40  # writes
PARTS = ("writers", "kills", "fuzz", "large", "recall")
KEYS = tuple(f"topic_{i}" for i in range(8))
THINGS = ("server", "invoice", "contract", "garden", "bridge", "archive", "engine", "library", "harbour", "school")
STATES = ("needs repair", "was inspected", "is closed for the winter", "costs more than planned", "has a new owner",
          "was moved to the north", "is open again", "is praised by everybody")  # fmt: skip
TOWNS = ("Bilbao", "Irun", "Vitoria", "Gernika", "Durango", "Zarautz", "Getaria", "Lekeitio")


def values(count: int, seed: int) -> Iterator[str]:
    """Claims that differ, some of which resemble each other."""
    chance = random.Random(seed)
    for number in range(count):
        thing, state, town = chance.choice(THINGS), chance.choice(STATES), chance.choice(TOWNS)
        yield f"The {thing} of {town} {state}, says report {number} of that year."


class Bench:
    """One server, and what the parts share."""

    def __init__(self, arguments: argparse.Namespace, server: ManagedServer) -> None:
        self.arguments, self.server = arguments, server
        self.address: ServerAddress = server.start()
        self.key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"the benchmark's authority").digest())
        self.scripted = ScriptedEmbedder()

    def store(self) -> Store:
        """A new connection."""
        at = self.address
        return Store(at.uri, at.user, at.password, at.database)

    def memory(self, graph: Graph, name: str) -> MemoryContract:
        """A memory with a contract of eight keys."""
        contract = graph.contract(name)
        contract.publish(template(AUTHORS, [*KEYS, "warm_up"]), self.key)
        return contract

    def entry(self, contract: MemoryContract, number: int, value: str) -> dict[str, Any]:
        """A submission."""
        return {
            "ia_author": AUTHORS[number % len(AUTHORS)], "entry_type": "fact", "field_key": KEYS[number % len(KEYS)],
            "field_value": value, "confidence_score": 0.8, "schema_hash": contract.active().schema_hash,
        }  # fmt: skip

    # -- writers --------------------------------------------------------------------------------------------------

    def writers(self) -> dict[str, Any]:
        """Eight processes on one key and on eight: every history is serial."""
        found: dict[str, Any] = {}
        for title, keys in (("one key", KEYS[:1]), ("eight keys", KEYS)):
            with self.store() as store:
                contract = self.memory(Graph(store, self.scripted, OfflineExtractor()), f"writers-{len(keys)}")
                for number, value in enumerate(values(WARM_UP, 5)):  # a cold server makes plans and compiles
                    contract.write(self.entry(contract, number, value) | {"field_key": "warm_up"})
                began = time.perf_counter()
                some = run(self.address, contract, keys, self.arguments.writes)
                calls = [call for own in some for call in own]
                seconds = time.perf_counter() - began
                chain = [entry for entry in self._chain(contract) if entry["field_key"] != "warm_up"]
                first = min(entry["seq"] for entry in chain) - 1
                moved = [entry | {"seq": entry["seq"] - first} for entry in chain]
                replies = [_moved(call, first) for call in calls]
                wrong = faults(replies, moved, self._judge())
                found[title] = {
                    "writes": len(calls), "seconds": round(seconds, 1), "faults": wrong[:5],
                    "write_ms": quantiles([call.ended - call.began for call in calls]),
                    "valid": contract.verify().valid,
                    "outcomes": {name: sum(c.reply["outcome"] == name for c in calls) for name in
                                 ("inserted", "equivalent", "compatible", "critical", "contradiction")},
                }  # fmt: skip
                Graph(store, self.scripted, OfflineExtractor()).delete(contract.name)
        return found

    def _chain(self, contract: MemoryContract) -> list[dict[str, Any]]:
        return [item.entry.to_json() for item in contract.read(history=True).items if item.entry]

    def _judge(self) -> Callable[[str, str, Sequence[str]], list[str]]:
        """As the contract says: the same text anywhere, else the nearest 32 by meaning."""
        vectors: dict[str, Any] = {}
        rule = FieldRule(key="topic")

        def vector(text: str) -> Any:
            if text not in vectors:
                [vectors[text]] = self.scripted.embed([text])
            return vectors[text]

        def judge(key: str, new: str, olds: Sequence[str]) -> list[str]:
            if any(canonical_value(new) == canonical_value(old) for old in olds):
                return ["equivalent"]
            near = sorted(((float(vector(new) @ vector(old)), old) for old in olds), reverse=True)[:COMPARED]
            return [compare(new, old, field=rule, cosine=c, thresholds=Thresholds()).relation for c, old in near]

        return judge

    # -- kills ----------------------------------------------------------------------------------------------------

    def kills(self) -> dict[str, Any]:
        """Clients, then the server, killed in the middle of writing: acknowledged entries are there."""
        chance = random.Random(0)
        with self.store() as store:
            contract = self.memory(Graph(store, self.scripted, OfflineExtractor()), "kills")
            name = contract.name
            acknowledged: list[str] = []
            for number in range(self.arguments.kills):
                writer = start(self.address, contract, number, 10_000, KEYS[:2])
                reader = Reader(writer, go=True)
                reader.wait_for(2)
                time.sleep(chance.uniform(0.0, 0.5))
                writer.kill()
                acknowledged += [call.reply["entry"]["id"] for call in reader.result()]
            of_clients = self._proof(contract, acknowledged)
        acknowledged = []
        for number in range(self.arguments.kills):
            with self.store() as store:
                contract = Graph(store, self.scripted, OfflineExtractor()).contract(name)
                writer = start(self.address, contract, 1_000 + number, 10_000, KEYS[:2])
            reader = Reader(writer, go=True)
            reader.wait_for(2)
            time.sleep(chance.uniform(0.0, 0.5))
            process = psutil.Process(self.server.status().pid)
            process.kill()
            process.wait(30)
            self.address = self.server.start()
            time.sleep(chance.uniform(0.2, 1.0))
            writer.kill()
            acknowledged += [call.reply["entry"]["id"] for call in reader.result()]
        with self.store() as store:
            graph = Graph(store, self.scripted, OfflineExtractor())
            of_servers = self._proof(graph.contract(name), acknowledged)
            graph.delete(name)
        return {"clients": of_clients, "server": of_servers}

    def _proof(self, contract: MemoryContract, acknowledged: Sequence[str]) -> dict[str, Any]:
        chain = self._chain(contract)
        verified = contract.verify()
        return {
            "kills": self.arguments.kills, "acknowledged": len(acknowledged), "entries": len(chain),
            "missing": len(set(acknowledged) - {entry["id"] for entry in chain}), "valid": verified.valid,
            "faults": [fault.to_json() for fault in verified.faults[:5]],
        }  # fmt: skip

    # -- fuzz -----------------------------------------------------------------------------------------------------

    def fuzz(self) -> dict[str, Any]:
        """Malformed entries: each refused with a pointer, nothing written."""
        chance = random.Random(0)
        with self.store() as store:
            graph = Graph(store, self.scripted, OfflineExtractor())
            contract = self.memory(graph, "fuzz")
            entries = [self._malformed(contract, chance) for _ in range(self.arguments.malformed)]
            began = time.perf_counter()
            replies = list(contract.write_all(entries))
            seconds = time.perf_counter() - began
            refused = [one for one in replies if isinstance(one, EntryRefusedError)]
            pointed = sum(
                all(p.pointer == "" or p.pointer.startswith("/") for p in one.problems) and bool(one.problems)
                for one in refused
            )
            left = store.explore("MATCH (n) WHERE n.memory = $m AND NOT n:Contract RETURN count(n)", m="fuzz")[1]
            graph.delete("fuzz")
        return {
            "malformed": len(entries), "refused": len(refused), "with_pointer": pointed, "nodes_left": left[0][0],
            "seconds": round(seconds, 1),
        }  # fmt: skip

    def _malformed(self, contract: MemoryContract, chance: random.Random) -> object:
        """An entry with at least one thing wrong."""
        entry = self.entry(contract, chance.randrange(8), f"The bridge of Irun {chance.random()}.")
        junk: list[object] = [
            None,
            True,
            -1,
            7,
            1e308,
            float("nan"),
            "",
            "\0",
            "\ud800",
            [],
            {},
            ["x"],
            {"a": 1},
            "x" * 30_000,
        ]
        wrong: dict[str, Sequence[object]] = {
            "ia_author": [*junk, "nobody", "Claude ", "oroi"], "entry_type": [*junk, "rumour"],
            "field_key": [*junk, "topic_9"], "field_value": [one for one in junk if one not in ("x",)],
            "confidence_score": [one for one in junk if one not in (True,)] + ["0.5", 1.0001, -0.0001],
            "schema_hash": [*junk, "v1.0", "0" * 64], "parent_entry_id": ["x", 5, [5], {"a": 1}, ["0" * 36]],
            "kind": [*junk, "rumour"], "idempotency_key": [5, "", ["x"], "x" * 201],
        }  # fmt: skip
        kind = chance.randrange(10)
        if kind == 0:
            return chance.choice(junk)
        if kind == 1:
            del entry[chance.choice(list(entry))]
            return entry
        if kind == 2:
            return entry | {chance.choice(["id", "created_at", "embedding", "a/b", "~", ""]): chance.choice(junk)}
        for field in chance.sample(list(wrong), chance.randint(1, 3)):
            entry[field] = chance.choice(wrong[field])
        return entry

    # -- sizes ----------------------------------------------------------------------------------------------------

    def large(self) -> dict[str, Any]:
        """Many entries; fewer with the local model."""
        found = {"database": self.sizes().large("large", self.scripted, self.arguments.entries, real=False)}
        if self.arguments.real:
            found["with_model"] = self.sizes().large("large-real", self.model(), self.arguments.real, real=True)
        return found

    def recall(self) -> dict[str, Any]:
        """Questions without and with entries."""
        embedder = self.scripted if self.arguments.scripted else self.model()
        return self.sizes().recall(embedder, self.arguments.turns, self.arguments.beside)

    def sizes(self) -> Sizes:
        """What measures memories with many entries."""
        return Sizes(self.server, self.address, self.key, every=self.arguments.timed, keep=self.arguments.keep)

    def model(self) -> MiniLM:
        """The local model."""
        return MiniLM(ensure_minilm(read_settings().cache_dir))


def _moved(call: Call, first: int) -> Call:
    """The call as if the chain began after its first entries."""
    entry = call.reply["entry"] | {"seq": call.reply["entry"]["seq"] - first}
    return replace(call, reply=call.reply | {"entry": entry})


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--entries", type=int, default=100_000, help="claims of `large`")
    parser.add_argument("--real", type=int, default=5_000, help="claims of `large` with the local model; 0: none")
    parser.add_argument("--turns", type=int, default=10_000, help="of `recall`")
    parser.add_argument("--beside", type=int, default=10_000, help="claims of `recall`")
    parser.add_argument("--timed", type=int, default=96, help="single writes, and questions, that are timed")
    parser.add_argument("--writes", type=int, default=100, help="of each of 8 processes")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--malformed", type=int, default=10_000)
    parser.add_argument("--scripted", action="store_true", help="`recall` without a model")
    parser.add_argument(
        "--keep", action="store_true", help="leave what `large` and `recall` loaded: the next run goes on there"
    )
    add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.uri:
        parser.error("this benchmark kills its server: it takes --managed, not --uri")
    settings = read_settings()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        sizes = ServerOptions(heap=settings.server_heap, page_cache=settings.server_page_cache)
        server = ManagedServer(arguments.managed or Path(folder), settings.cache_dir, sizes)
        try:
            bench = Bench(arguments, server)
            with bench.store() as store:
                prepare_schema(store, 384)
            for part in arguments.parts.split(","):
                figures[part] = getattr(bench, part)()
                print(json.dumps({part: figures[part]}, indent=2), flush=True)
        finally:
            server.stop()
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    try:
        main()
    except StoreError as error:
        sys.exit(str(error))
