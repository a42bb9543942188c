"""The memory contract under load: writing, reading, compressing, verifying, concurrency, kills and malformed entries.

    python benchmarks/contract.py --json contract.json                   # all parts, 100,000 entries
    python benchmarks/contract.py --parts writers --writes 100           # 8 processes on one key and on eight
    python benchmarks/contract.py --parts kills --kills 20               # kill -9 of clients, then of the server
    python benchmarks/contract.py --parts fuzz --malformed 10000
    python benchmarks/contract.py --parts size,recall --entries 2000     # a first look

Parts: `writers` checks every history against a serial order, `kills` that acknowledged entries are there, `fuzz` that
malformed entries are refused with a pointer and leave nothing, `size` measures a large contract, `recall` compares the
time of questions to a memory with and without entries.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
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
from oroi_graph.model import TurnInput
from oroi_graph.providers.minilm import MiniLM
from oroi_graph.providers.scripted import ScriptedEmbedder
from oroi_graph.server.fetch import ensure_minilm
from oroi_graph.server.managed import ManagedServer, ServerAddress, ServerOptions
from oroi_graph.storage.store import Store
from oroi_graph.transfer.bulk_import import ingest
from oroi_graph.transfer.conversation_file import Scripted

WARM_UP = 40  # writes
PARTS = ("writers", "kills", "fuzz", "recall", "size")
WRITER = Path(__file__).resolve().parents[1] / "tests" / "support" / "write_entries.py"
AUTHORS = ("claude", "gemini", "kimi", "grok")
KEYS = tuple(f"topic_{i}" for i in range(8))
THINGS = ("server", "invoice", "contract", "garden", "bridge", "archive", "engine", "library", "harbour", "school")
STATES = ("needs repair", "was inspected", "is closed for the winter", "costs more than planned", "has a new owner",
          "was moved to the north", "is open again", "is praised by everybody")  # fmt: skip
TOWNS = ("Bilbao", "Irun", "Vitoria", "Gernika", "Durango", "Zarautz", "Getaria", "Lekeitio")
QUESTIONS = tuple(f"What is known of the {thing} of {town}?" for thing, town in zip(THINGS, TOWNS, strict=False))


def values(count: int, seed: int) -> Iterator[str]:
    """Claims that differ, some of which resemble each other."""
    chance = random.Random(seed)
    for number in range(count):
        thing, state, town = chance.choice(THINGS), chance.choice(STATES), chance.choice(TOWNS)
        yield f"The {thing} of {town} {state}, says report {number} of that year."


def timed(work: Callable[[], object], count: int) -> dict[str, float]:
    """How long `work` takes, `count` times."""
    found = []
    for _ in range(count):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return quantiles(found)


class Bench:
    """One server, and what the parts share."""

    def __init__(self, arguments: argparse.Namespace, server: ManagedServer) -> None:
        self.arguments, self.server = arguments, server
        self.address: ServerAddress = server.start()
        self.key = Ed25519PrivateKey.generate()
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
                calls = self._run(contract, keys, self.arguments.writes)
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

    def _start(self, contract: MemoryContract, number: int, count: int, keys: Sequence[str]) -> subprocess.Popen[str]:
        at = self.address
        folder = Path(__file__).resolve().parents[1]
        environment = os.environ | {
            "WRITER_USER": at.user, "WRITER_PASSWORD": at.password,
            "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)]),
        }  # fmt: skip
        author, schema_hash = AUTHORS[number % len(AUTHORS)], contract.active().schema_hash
        arguments = [at.uri, contract.name, schema_hash, author, str(number), str(count), *keys]
        started = subprocess.Popen(
            [sys.executable, str(WRITER), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment,
        )  # fmt: skip
        assert started.stdout is not None
        assert started.stdout.readline() == "ready\n"
        return started

    def _run(self, contract: MemoryContract, keys: Sequence[str], count: int, processes: int = 8) -> list[Call]:
        writers = [self._start(contract, number, count, keys) for number in range(processes)]
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        readers = [_Reader(writer) for writer in writers]
        return [call for reader in readers for call in reader.result()]

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
                writer = self._start(contract, number, 10_000, KEYS[:2])
                reader = _Reader(writer, go=True)
                reader.wait_for(2)
                time.sleep(chance.uniform(0.0, 0.5))
                writer.kill()
                acknowledged += [call.reply["entry"]["id"] for call in reader.result()]
            of_clients = self._proof(contract, acknowledged)
        acknowledged = []
        for number in range(self.arguments.kills):
            with self.store() as store:
                contract = Graph(store, self.scripted, OfflineExtractor()).contract(name)
                writer = self._start(contract, 1_000 + number, 10_000, KEYS[:2])
            reader = _Reader(writer, go=True)
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

    # -- recall ---------------------------------------------------------------------------------------------------

    def recall(self) -> dict[str, Any]:
        """Questions to a memory of turns, before and after entries join it."""
        count = min(self.arguments.entries, 10_000)
        with self.store() as store:
            graph = Graph(store, self.model(), OfflineExtractor())
            memory = graph.memory("recall")
            turns = [
                Scripted(TurnInput(text, f"t{i}", "Ana", "user", None, f"s{i // 50}"), None)
                for i, text in enumerate(values(count, 1))
            ]
            ingest(memory, turns)
            ask = self._asking(memory)
            ask()
            without = timed(ask, 5)
            contract = self.memory(graph, "recall")
            self._fill(contract, count, 2)
            ask()
            with_entries = timed(ask, 5)
            graph.delete("recall")
        per = len(QUESTIONS)
        ms = [round(found["p50"] / per, 1) for found in (without, with_entries)]
        return {
            "turns": count,
            "entries": count,
            "question_ms": {"without": ms[0], "with": ms[1]},
            "ratio": round(ms[1] / ms[0], 2),
        }

    def _asking(self, memory: Any) -> Callable[[], None]:
        def ask() -> None:
            for question in QUESTIONS:
                memory.recall(question)

        return ask

    # -- size -----------------------------------------------------------------------------------------------------

    def size(self) -> dict[str, Any]:
        """A large contract: what writing, reading, compressing and verifying cost."""
        count = self.arguments.entries
        with self.store() as store:
            graph = Graph(store, self.model(), OfflineExtractor())
            contract = self.memory(graph, "size")
            bulk = self._fill(contract, count, 3)
            found: dict[str, Any] = {"entries": count, "bulk_per_second": round(count / bulk, 1)}
            alone = [self.entry(contract, i, value) for i, value in enumerate(values(100, 4))]
            contract.write(alone.pop())
            found["write_alone_ms"] = quantiles([self._seconds(contract.write, one) for one in alone])
            calls = self._run(contract, KEYS, 25)
            found["write_8_writers_ms"] = quantiles([call.ended - call.began for call in calls][8:])
            began = time.perf_counter()
            found["compressed"] = contract.compress().to_json()
            found["compress_seconds"] = round(time.perf_counter() - began, 1)
            contract.write(self.entry(contract, 0, "One more thing about the bridge of Irun."))
            found["compress_again_seconds"] = round(self._seconds(contract.compress), 1)
            for budget in (500, 4_000):
                found[f"read_{budget}_tokens_ms"] = timed(lambda budget=budget: contract.read(budget=budget), 20)
            began = time.perf_counter()
            found["valid"] = contract.verify().valid
            found["verify_seconds"] = round(time.perf_counter() - began, 1)
            found["client_mb"] = round(psutil.Process().memory_info().rss / 1e6)
            found["server_mb"] = round(psutil.Process(self.server.status().pid).memory_info().rss / 1e6)
            graph.delete("size")
        return found

    def _fill(self, contract: MemoryContract, count: int, seed: int) -> float:
        """Write entries as a file of them is written; seconds."""
        began = time.perf_counter()
        entries = (self.entry_of(contract, i, value) for i, value in enumerate(values(count, seed)))
        for number, reply in enumerate(contract.write_all(entries)):
            if isinstance(reply, EntryRefusedError):
                raise reply
            if number % 5_000 == 4_999:
                print(f"  {number + 1} entries, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        return time.perf_counter() - began

    def entry_of(self, contract: MemoryContract, number: int, value: str) -> dict[str, Any]:
        """A submission, the contract being known."""
        self._hash = getattr(self, "_hash", None) or contract.active().schema_hash
        return self.entry_with(number, value, self._hash)

    def entry_with(self, number: int, value: str, schema_hash: str) -> dict[str, Any]:
        """A submission for a contract."""
        return {
            "ia_author": AUTHORS[number % len(AUTHORS)], "entry_type": "fact", "field_key": KEYS[number % len(KEYS)],
            "field_value": value, "confidence_score": 0.8, "schema_hash": schema_hash,
        }  # fmt: skip

    @staticmethod
    def _seconds(work: Callable[..., object], *given: object) -> float:
        began = time.perf_counter()
        work(*given)
        return time.perf_counter() - began

    def model(self) -> Any:
        """The default embedder; the scripted one where asked for."""
        if self.arguments.scripted:
            return self.scripted
        if not hasattr(self, "_model"):
            self._model = MiniLM(ensure_minilm(read_settings().cache_dir))
        return self._model


def _moved(call: Call, first: int) -> Call:
    """The call as if the chain began after its first entries."""
    entry = call.reply["entry"] | {"seq": call.reply["entry"]["seq"] - first}
    return replace(call, reply=call.reply | {"entry": entry})


class _Reader:
    """Collects what a writer prints, so that it never waits for us."""

    def __init__(self, writer: subprocess.Popen[str], go: bool = False) -> None:
        self._writer, self._lines = writer, list[str]()
        if go:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        assert self._writer.stdout is not None
        for line in self._writer.stdout:
            self._lines.append(line)

    def wait_for(self, count: int) -> None:
        """Until that many calls were acknowledged."""
        while len(self._lines) < count and self._writer.poll() is None:
            time.sleep(0.01)

    def result(self) -> list[Call]:
        """The calls that were acknowledged; the writer has ended."""
        self._writer.wait()
        self._thread.join()
        return [Call(**json.loads(line)) for line in self._lines if line.endswith("}\n")]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--entries", type=int, default=100_000, help="of `size`; `recall` takes at most 10,000")
    parser.add_argument("--writes", type=int, default=100, help="of each of 8 processes")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--malformed", type=int, default=10_000)
    parser.add_argument("--scripted", action="store_true", help="vectors without a model")
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
