"""How the memory contract behaves with many entries: writing, reading, compressing, verifying, and questions beside.

The first entries are loaded, not written one by one: through the contract's own write transaction, hash and chain code,
with locks and mentions, but without comparing each with the others. What that would decide is given: most claims get a
summary, some contradict the claim before. Everything that is measured afterwards is written and read as usual.
"""

from __future__ import annotations

import resource
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
from contract_values import AUTHORS, KEYS, QUESTIONS, Claims, claims, varied_claims
from contract_writers import run
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from figures import quantiles

from oroi_graph.contract.comparison import Thresholds
from oroi_graph.contract.document import template
from oroi_graph.contract.entry import Conflict, Outcome, Submission
from oroi_graph.contract.intake.decision import Decision, Remark
from oroi_graph.contract.intake.standing import StandingCache
from oroi_graph.contract.intake.transaction import Prepared, Terms, WriteTransaction
from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.contract.retrieval.levels import Reading
from oroi_graph.entities import material
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import TurnInput
from oroi_graph.providers.protocols import Embedder
from oroi_graph.server.managed import ManagedServer, ServerAddress
from oroi_graph.storage.store import Row, Store
from oroi_graph.transfer.bulk_import import ingest
from oroi_graph.transfer.conversation_file import Scripted
from oroi_graph.transfer.copies import copy_memory
from oroi_graph.working_set.kept import WorkingSets

LOADED = 240  # entries of one transaction while loading; of more, working sets would be loaded again each time
CONTRADICTIONS = 100  # of so many loaded claims one contradicts the one before
BUDGETS = (500, 4_000)  # tokens
CLAIMS = "MATCH (e:Entry) WHERE e.memory = $m AND e.seq > 0 AND NOT e.generated RETURN count(e)"
READER = OfflineExtractor()


class _Loading(WriteTransaction):
    """A write transaction that is told what comes of its entries."""

    def _write(self, one: Prepared, locked: Row) -> Outcome:
        self._take_head()
        return self._kept(one, self._given(one), None)

    def _given(self, one: Prepared) -> Decision:
        state = self.states[one.given.field_key]
        before = [standing for standing, _ in state.vectors(3)]
        if not before:
            return Decision("inserted")
        last, key = before[-1], one.given.field_key
        if state.count % CONTRADICTIONS:
            text = " ".join([*(other.value or "" for other in before), one.given.field_value])
            covers = (one.id, *(other.id for other in before))
            parents = (state.summary,) if state.summary else ()
            return Decision("compatible", remark=Remark("summary", text, 0.8, covers, parents))
        against = Conflict(
            id=last.id, relation="contradiction", cosine=None, reason="loaded so", ia_author=last.author,
            field_value=last.value,
        )  # fmt: skip
        text = f"Entry {one.id} by {one.given.ia_author} on {key} contradicts {last.id}."
        return Decision("contradiction", None, (against,), Remark("conflict", text, 1.0, (one.id, last.id)))


def load(
    store: Store, contract: MemoryContract, embedder: Embedder, count: int, seed: int, said: Claims = claims
) -> float:
    """Load `count` claims, but for those that an earlier run has loaded; seconds."""
    began = time.perf_counter()
    active = contract.active()
    terms = Terms(active.document, Thresholds(), embedder.dimensions)
    done = store.explore(CLAIMS, m=contract.name)[1][0][0]
    cache, sets = StandingCache(embedder.dimensions, most=2**40), WorkingSets(store)
    for key in KEYS if done else ():
        cache.catch_up(store, contract.name, key)
    given = islice(submissions(contract, count, seed, said), done, None)
    while batch := [Submission.from_json(one) for one in islice(given, LOADED)]:
        made = material.prepare([(one.ia_author, one.field_value) for one in batch], embedder, READER)
        prepared = [Prepared(one, str(uuid.uuid4()), own, None) for one, own in zip(batch, made, strict=True)]
        mentions = material.mention_rows(sets, contract.name, [(one.id, one.material) for one in prepared])
        store.write(
            lambda tx, some=prepared, known=mentions: _Loading(tx, contract.name, some, terms, cache).run(known)
        )
        done += len(batch)
        if done % 5_000 < len(batch):
            print(f"  {done} entries, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return time.perf_counter() - began


def submissions(contract: MemoryContract, count: int, seed: int, said: Claims = claims) -> Iterator[dict[str, Any]]:
    """Entries to be written."""
    schema_hash = contract.active().schema_hash
    for author, key, value in said(count, seed):
        yield {
            "ia_author": author, "entry_type": "fact", "field_key": key, "field_value": value,
            "confidence_score": 0.8, "schema_hash": schema_hash,
        }  # fmt: skip


class Sizes:
    """The measurements; all on one server."""

    def __init__(
        self, server: ManagedServer, at: ServerAddress, key: Ed25519PrivateKey, *, every: int, keep: bool = False
    ) -> None:
        """every: single writes, and questions, that are timed. keep: leave the entries of `large` where they are."""
        self.server, self.at, self.key, self.every, self.keep = server, at, key, every, keep

    def large(self, name: str, embedder: Embedder, count: int, *, real: bool) -> dict[str, Any]:
        """A contract with `count` claims. real: writers in other processes embed by the local model, too."""
        with Store(self.at.uri, self.at.user, self.at.password, self.at.database) as store:
            graph = Graph(store, embedder, READER)
            contract = graph.contract(name)
            if store.one("contract/active", memory=name)["number"] is None:
                contract.publish(template(AUTHORS, KEYS), self.key)
            found: dict[str, Any] = {"claims": count, "embedder": embedder.model}
            found["load"] = self._cost(lambda: load(store, contract, embedder, count, 3))
            found |= self._writing(contract, real)
            found |= self._reading(contract)
            found |= self._settling(contract)
            verified: list[Any] = []
            found["verify"] = self._cost(lambda: verified.append(contract.verify()))
            found |= {"valid": verified[0].valid, "entries": verified[0].entries}
            found |= self._memory()
            if not self.keep:
                found["delete"] = self._cost(lambda: graph.delete(name))
        return found

    def _cost(self, work: Callable[[], object]) -> dict[str, float]:
        """What `work` takes: wall seconds, processor seconds here, in child processes that ended, and in the server,
        and the machine's load of the last minute."""
        server, here, children = psutil.Process(self.server.status().pid), time.process_time(), _children()
        before, wall = server.cpu_times(), time.perf_counter()
        work()
        wall, after = time.perf_counter() - wall, server.cpu_times()
        return {
            "seconds": round(wall, 2),
            "cpu": round(time.process_time() - here, 2),
            "children_cpu": round(_children() - children, 2),
            "server_cpu": round(after.user + after.system - before.user - before.system, 2),
            "load": round(psutil.getloadavg()[0], 1),
        }

    def _writing(self, contract: MemoryContract, real: bool) -> dict[str, Any]:
        alone = list(submissions(contract, len(KEYS) + self.every, 4))
        outcomes: list[Outcome] = []
        times: list[float] = []

        def write(some: Sequence[dict[str, Any]]) -> None:
            times.extend(seconds(lambda one=one: outcomes.append(contract.write(one))) for one in some)

        costs = [self._cost(lambda some=some: write(some)) for some in (alone[: len(KEYS)], alone[len(KEYS) :])]
        each = max(1, self.every // len(KEYS)) * len(KEYS)
        calls: list[list[Any]] = []
        costs.append(self._cost(lambda: calls.extend(run(self.at, contract, KEYS, len(KEYS) + each, real=real))))
        beside = [[call.ended - call.began for call in some] for some in calls]
        return {
            "first_write_of_a_key_ms": quantiles(times[: len(KEYS)]),
            "write_alone_ms": quantiles(times[len(KEYS) :]),
            "outcomes_alone": {kind: sum(one.outcome == kind for one in outcomes) for kind in
                               ("inserted", "equivalent", "compatible", "critical", "contradiction")},
            "first_write_of_a_key_8_writers_ms": quantiles([one for some in beside for one in some[: len(KEYS)]]),
            "write_8_writers_ms": quantiles([one for some in beside for one in some[len(KEYS) :]]),
            "cost_of_first_writes": costs[0], "cost_of_writes_alone": costs[1], "cost_of_8_writers": costs[2],
            "written_per_second_by_8": round(_rate([call for some in calls for call in some[len(KEYS) :]]), 1),
        }  # fmt: skip

    def _reading(self, contract: MemoryContract) -> dict[str, Any]:
        before: list[Reading] = []
        found: dict[str, Any] = {
            "read_4000_tokens_not_compressed": self._cost(lambda: before.append(contract.read(budget=4_000)))
        }
        found["covered_not_compressed"] = before[0].coverage.to_json()
        report: list[Any] = []
        found["compress"] = self._cost(lambda: report.append(contract.compress()))
        found["compressed"] = report[0].to_json()
        contract.write(next(iter(submissions(contract, 1, 5))))
        found["compress_again"] = self._cost(contract.compress)
        for budget in BUDGETS:
            reading = contract.read(budget=budget)
            found[f"read_{budget}_tokens"] = {
                "level": reading.level, "tokens": reading.tokens, "covered": round(reading.coverage.share, 3),
                **timed(lambda budget=budget: contract.read(budget=budget), 20),
            }  # fmt: skip
            contract.read(key=KEYS[0], budget=budget)
            found[f"read_{budget}_tokens_of_a_key"] = quantiles(
                [seconds(lambda key=key, budget=budget: contract.read(key=key, budget=budget)) for key in KEYS]
            )
        return found

    def _settling(self, contract: MemoryContract) -> dict[str, Any]:
        open_ones: list[Any] = []
        listing = seconds(lambda: open_ones.extend(contract.conflicts()))
        entry = {"ia_author": AUTHORS[0], "field_value": "Settled after a look at both.", "confidence_score": 0.9}
        some = open_ones[: min(20, len(open_ones))]
        times = [
            seconds(lambda one=one, i=i: contract.settle([one.id], entry | {"field_value": f"Settled as case {i}."}))
            for i, one in enumerate(some)
        ]
        return {"open_disputes": len(open_ones), "list_disputes_seconds": listing, "settle_ms": quantiles(times)}

    def _memory(self) -> dict[str, Any]:
        status = self.server.status()
        files = [path for path in Path(status.home).rglob("*") if path.is_file()]
        return {
            "client_mb": round(psutil.Process().memory_info().rss / 1e6),
            "server_mb": round(psutil.Process(status.pid).memory_info().rss / 1e6),
            "disk_mb": round(sum(path.stat().st_size for path in files) / 1e6),
        }

    def recall(self, embedder: Embedder, turns: int, entries: int) -> dict[str, Any]:
        """Questions to memories of the same turns: without entries, with entries that repeat themselves, with varied
        ones; then each after one more entry, or one more turn that another process wrote.

        They are asked in turn, so that what else the machine does touches all alike.
        """
        with Store(self.at.uri, self.at.user, self.at.password, self.at.database) as store:
            graph = Graph(store, embedder, READER)
            plain = graph.memory("recall-plain")
            ingest(plain, [_turn(i, text) for i, (_, _, text) in enumerate(claims(turns, 1))])
            found: dict[str, Any] = {"turns": turns, "claims": entries}
            contracts: dict[str, MemoryContract] = {}
            for name, said in (("repetitive", claims), ("varied", varied_claims)):
                contracts[name] = contract = self._copied(graph, plain.name, f"recall-{name}")
                found[f"load_{name}_seconds"] = round(load(store, contract, embedder, entries, 2, said), 1)
            memories = {"without": plain, **{name: graph.memory(one.name) for name, one in contracts.items()}}
            found["asked_in_turn"] = self._asked(memories)
            elsewhere = Graph(store, embedder, READER).memory(plain.name)
            found["after_each_write"] = self._asked(memories, self._one_more(contracts, elsewhere))
            if not self.keep:
                for memory in memories.values():
                    graph.delete(memory.name)
        return found

    def _copied(self, graph: Graph, plain: str, name: str) -> MemoryContract:
        """The contract of a copy of a memory, but for one that an earlier run has made."""
        if name not in {one.name for one in graph.memories()}:
            copy_memory(graph.store, plain, name)
        contract = graph.contract(name)
        if graph.store.one("contract/active", memory=name)["number"] is None:
            contract.publish(template(AUTHORS, KEYS), self.key)
        return contract

    def _one_more(self, contracts: dict[str, MemoryContract], plain: Memory) -> Callable[[], object]:
        """Writes an entry into each contract, and a turn into a memory that has none."""
        said = {"repetitive": claims, "varied": varied_claims}
        seed = time.time_ns()  # not what an earlier run has written
        more = {name: iter(submissions(one, 100_000, seed, said[name])) for name, one in contracts.items()}
        turns = claims(100_000, seed)

        def write() -> None:
            for name, contract in contracts.items():
                contract.write(next(more[name]))
            ingest(plain, [_turn(time.time_ns(), next(turns)[2])])

        for _ in KEYS:
            write()
        return write

    def _asked(self, memories: dict[str, Memory], before: Callable[[], object] = lambda: None) -> dict[str, Any]:
        """The times of questions to each, and their processor seconds here and in the server.

        before: done before each question, not timed.
        """
        server = psutil.Process(self.server.status().pid)
        times: dict[str, list[float]] = {name: [] for name in memories}
        used = {name: [0.0, 0.0] for name in memories}
        for memory in memories.values():
            for question in QUESTIONS:
                memory.recall(question)
        for place in range(self.every):
            before()
            for name, memory in list(memories.items())[:: 1 if place % 2 else -1]:
                here, there = time.process_time(), sum(server.cpu_times()[:2])
                times[name].append(seconds(lambda m=memory, p=place: m.recall(QUESTIONS[p % len(QUESTIONS)])))
                used[name][0] += time.process_time() - here
                used[name][1] += sum(server.cpu_times()[:2]) - there
        ms = {name: quantiles(some) for name, some in times.items()}
        cpu = {
            name: {"client": round(1e3 * here / self.every, 1), "server": round(1e3 * there / self.every, 1)}
            for name, (here, there) in used.items()
        }
        ratio = {
            name: {quantile: round(some[quantile] / ms["without"][quantile], 2) for quantile in some}
            for name, some in ms.items()
            if name != "without"
        }
        return {"ms": ms, "cpu_ms_each": cpu, "ratio": ratio, "load": round(psutil.getloadavg()[0], 1)}


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes."""
    began = time.perf_counter()
    work()
    return round(time.perf_counter() - began, 4)


def _children() -> float:
    """Processor seconds of the child processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(work: Callable[[], object], count: int) -> dict[str, float]:
    """How long it takes, `count` times."""
    return quantiles([seconds(work) for _ in range(count)])


def _rate(calls: Sequence[Any]) -> float:
    return len(calls) / (max(call.ended for call in calls) - min(call.began for call in calls))


def _turn(place: int, text: str) -> Scripted:
    return Scripted(TurnInput(text, f"t{place}", "Ana", "user", None, f"s{place // 50}"), None)
