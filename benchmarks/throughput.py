"""Throughput: how many turns a second do concurrent agents get through?

    python benchmarks/throughput.py [--agents 1 8 32] [--turns 60] [--processes 1 2] [--vectors FILE] [--embed]
                                    [--warm-up 3000] [--json OUT]
    python benchmarks/throughput.py --memories many --agents 32 [--many 1000] [--kept 200]   # more memories than room

Each agent holds a conversation: `Memory.perceive`, the turn's brief, `Turn.close` with the reply and the brief as
injected, then the next turn without a pause. **distinct**: every agent has a memory of its own; **one**: all share a
memory, whose writers the database serialises; **many**: the agents together touch `--many` memories in turn, each turn
in another one, and a process has room for the working sets of `--kept`. Every memory begins with a synthetic graph
(graphs.py).

Agents are threads of one process (`--processes 1`) or spread over several; Python's lock allows one thread at a time
to compute, so the difference is what Python itself costs. Each combination begins with new memories.

**What is timed.** All texts are embedded by the real model beforehand, by holding the same conversations once in a
memory of their own, and then looked up, as from a cache that has seen them all; the extractions are given. With
`--vectors FILE` the vectors are kept for later runs, which then need no rehearsal. With `--embed` each text is embedded
while the clock runs. Before the first clock the agents hold `--warm-up` turns in memories of their own, after which the
server's compiler has done most of its work; `--warm-up 0` measures a server that has just begun (decision 1803). The
clock of a combination runs from the first agent's first turn to the last one's last; starting processes and connections
is not in it, and it waits until the server has merged what was written beforehand. p50 and p95 are those of one turn.
At the end every memory must have counted its turns. `cpu_ms_per_turn` is what a turn costs while the clock runs: of the
server (all its threads, compilation included) and of the processes of the agents.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import neo4j
import numpy as np
import psutil
from figures import quantiles
from graphs import SPEAKER, SyntheticGraph, Vocabulary, make, write
from latency import AT, Said, script
from servers import Address, add_arguments, prepare_schema, read_settings, serving

from oroi_graph.cli.session import seldom_collected
from oroi_graph.connection import open_embedder
from oroi_graph.errors import OroiError, ProviderError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph, Memory
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.protocols import Embedder, Vectors
from oroi_graph.settings import Settings
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Store
from oroi_graph.working_set.kept import DEFAULT as WORKING_SET

GOAL = (8, "distinct", 45.0)  # agents, memories, turns a second at least
SETTLED = 0.1  # cores that the server may be busy with before a clock starts …
SETTLES = 600.0  # … and seconds that it may take until then
WARM_UP = 10  # turns of each agent before the clock of a combination starts
MODES = ("distinct", "one", "many")
_DELETE = """CYPHER 25
MATCH (n) WHERE n.memory IN $names OR n:Memory AND n.name IN $names
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS"""


class EmbeddedBefore:
    """Looks up what was embedded beforehand; asked for anything else, it fails rather than cost time."""

    def __init__(self, model: str, dimensions: int, vectors: Mapping[str, Vectors]) -> None:
        self.model, self.dimensions, self.vectors = model, dimensions, dict(vectors)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions) float32."""
        try:
            return np.array([self.vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.dimensions)
        except KeyError as error:
            raise ProviderError(f"not embedded before the clock started: {error}") from error


class Noting:
    """An embedder that keeps every vector it has made, for `EmbeddedBefore`."""

    def __init__(self, embedder: Embedder) -> None:
        self.model, self.dimensions = embedder.model, embedder.dimensions
        self.vectors: dict[str, Vectors] = {}
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions) float32."""
        made = self._embedder.embed(texts)
        self.vectors |= {text: row.copy() for text, row in zip(texts, made, strict=True)}
        return made


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent: its number, its memories, through which its turns go in a circle, and what it will say."""

    number: int
    memories: tuple[str, ...]
    script: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """What one agent measured: when its clock began and ended (of the machine, s), the seconds of each turn.

    process, cpu: its process, and the CPU seconds that this and the server had used at the beginning and at the end.
    """

    begin: float
    end: float
    turns: tuple[float, ...]
    process: int
    cpu: tuple[tuple[float, float], tuple[float, float]]


def server_process(address: Address) -> psutil.Process | None:
    """The process that listens at an address on this machine; None if it is not on this machine, or not ours to see."""
    port = urlsplit(address.uri).port
    with suppress(psutil.Error):
        for found in psutil.net_connections("tcp"):
            if found.status == psutil.CONN_LISTEN and found.laddr.port == port and found.pid:
                return psutil.Process(found.pid)
    return None


def used(server: psutil.Process | None) -> tuple[float, float]:
    """CPU seconds so far: of this process, of the server."""
    times = server.cpu_times() if server else None
    return time.process_time(), times.user + times.system if times else 0.0


def settle(server: psutil.Process | None) -> None:
    """Wait until the server has merged what was written into its indexes: that work is not of the turns."""
    deadline = time.monotonic() + SETTLES
    while server is not None and time.monotonic() < deadline and server.cpu_percent(2.0) > 100 * SETTLED:
        pass


def hold(
    memories: Sequence[Memory],
    agent: Agent,
    turns: range,
    at_rest: threading.Barrier | None = None,
    server: psutil.Process | None = None,
) -> Held:
    """Hold the conversation's `turns`; the agents wait for one another at `at_rest`, before the clock starts."""
    if at_rest:
        at_rest.wait()
    begin, took, before = time.monotonic(), [], used(server)
    for k in turns:
        said, start = agent.script[k], time.monotonic()
        turn = memories[k % len(memories)].perceive(
            said.text,
            speaker=SPEAKER,
            id=f"agent-{agent.number}-{k}",
            at=AT + timedelta(minutes=k),
            session=f"agent-{agent.number}",
            extraction=said.extraction,
        )
        turn.close(said.reply, injected=turn.brief)
        took.append(time.monotonic() - start)
    return Held(begin, time.monotonic(), tuple(took), os.getpid(), (before, used(server)))


def cpu_ms_per_turn(held: Sequence[Held]) -> dict[str, float]:
    """CPU of the server and of the agents' processes, per turn, from the first beginning to the last end."""
    turns = sum(len(each.turns) for each in held)
    apart = {each.process: [one for one in held if one.process == each.process] for each in held}
    clients = sum(max(one.cpu[1][0] for one in some) - min(one.cpu[0][0] for one in some) for some in apart.values())
    server = max(one.cpu[1][1] for one in held) - min(one.cpu[0][1] for one in held)
    return {"server": round(1000 * server / turns, 1), "clients": round(1000 * clients / turns, 1)}


def work(address: Address, embedder: Embedder, agents: Sequence[Agent], at_rest: Any, room: int) -> list[Held]:
    """Some agents as threads of this process, each with memory objects of its own, over one connection pool.

    room: bytes of all working sets. The collector of cyclic garbage is set as `oroi serve` sets it.
    """
    with (
        Store(address.uri, address.user, address.password, address.database or None) as store,
        ThreadPoolExecutor(len(agents)) as pool,
        seldom_collected(),
    ):
        graph, server = Graph(store, embedder, OfflineExtractor(), working_set=room), server_process(address)

        def held(agent: Agent) -> Held:
            memories = [graph.memory(name) for name in agent.memories]
            hold(memories, agent, range(WARM_UP))
            return hold(memories, agent, range(WARM_UP, len(agent.script)), at_rest, server)

        return list(pool.map(held, agents))


def work_apart(
    address: Address,
    settings: Settings,
    known: EmbeddedBefore | None,
    agents: Sequence[Agent],
    at_rest: Any,
    room: int,
    sent: Any,
) -> None:
    """`work` in a process of its own; sends what was held, or the error. `known` None: embed while the clock runs."""
    try:
        sent.send(work(address, known or open_embedder(settings), agents, at_rest, room))
    except BaseException as error:
        at_rest.abort()
        sent.send(f"{type(error).__name__}: {error}")
        raise


@dataclass(frozen=True, slots=True)
class Bench:
    """One database and what it takes to fill it."""

    address: Address
    settings: Settings
    driver: neo4j.Driver
    graph: Graph
    content: SyntheticGraph
    many: int  # memories of the mode of this name
    kept: int  # of them, those whose working sets a process has room for

    @contextmanager
    def memories(self, names: Sequence[str]) -> Iterator[None]:
        """New memories of these names with the synthetic graph in them; deleted afterwards."""
        try:
            self._delete(names)  # what a killed run may have left
            for name in names:
                self.graph.memory(name)
                write(self.driver, self.address.database or None, name, self.content)
            yield
        finally:
            self._delete(names)

    def _delete(self, names: Sequence[str]) -> None:
        """All at once: `Graph.delete` reads the whole database to prove that nothing of a memory is left."""
        self.graph.sets.clear()
        with self.driver.session(database=self.address.database or None) as session:
            session.run(_DELETE, names=names).consume()

    def rehearse(self, scripts: Sequence[tuple[Said, ...]]) -> None:
        """Hold every conversation once, eight agents at a time, so that all that will be embedded has been."""
        agents = [Agent(i, (f"throughput-rehearsal-{i % 8}",), said) for i, said in enumerate(scripts)]
        with self.memories([agent.memories[0] for agent in agents[:8]]), ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda a: hold([self.graph.memory(a.memories[0])], a, range(len(a.script))), agents))

    def _agents(self, mode: str, scripts: Sequence[tuple[Said, ...]]) -> list[Agent]:
        step = len(scripts)
        places = {
            "distinct": lambda i: [i],
            "one": lambda i: [0],
            "many": lambda i: [(i + k * step) % self.many for k in range(len(scripts[i]))],
        }[mode]
        return [Agent(i, tuple(f"throughput-{place}" for place in places(i)), said) for i, said in enumerate(scripts)]

    def _room(self, mode: str, name: str) -> int:
        """Bytes for all working sets of a process. name: a memory like all the others."""
        if mode != "many":
            return WORKING_SET
        self.graph.sets.clear()  # of memories that were made a moment ago nearly empty sets are kept
        self.graph.sets.read(name, lambda tx: None)
        return self.kept * self.graph.stats().bytes

    def measure(
        self, mode: str, scripts: Sequence[tuple[Said, ...]], processes: int, known: EmbeddedBefore | None
    ) -> dict[str, Any]:
        """Turns a second and the times of a turn, for as many agents as there are scripts."""
        agents = self._agents(mode, scripts)
        names = sorted({name for agent in agents for name in agent.memories})
        with self.memories(names):
            before = {name: catalog.stats(self.graph.store, name).turns for name in names}
            settle(server_process(self.address))
            held = self._held(agents, processes, known, self._room(mode, names[0]))
            turns = sum(catalog.stats(self.graph.store, name).turns - before[name] for name in names)
        said = sum(len(agent.script) for agent in agents)
        if turns != said:
            raise OroiError(f"{said} turns were held in {mode} memories, and {turns} are counted there")
        seconds = [took for each in held for took in each.turns]
        elapsed = max(each.end for each in held) - min(each.begin for each in held)
        return {
            "memories": mode,
            "agents": len(agents),
            "processes": processes,
            "turns": len(seconds),
            "turns_per_s": round(len(seconds) / elapsed, 2),
            "turn_ms": quantiles(seconds),
            "cpu_ms_per_turn": cpu_ms_per_turn(held),
        }

    def warm_up(self, turns: int, scripts: Sequence[tuple[Said, ...]], known: EmbeddedBefore | None) -> None:
        """Hold at least so many turns in memories of their own, unmeasured."""
        for _ in range(-(-turns // sum(map(len, scripts)))):
            self.measure("distinct", scripts, 1, known)

    def _held(self, agents: Sequence[Agent], processes: int, known: EmbeddedBefore | None, room: int) -> list[Held]:
        if processes == 1:
            embedder = known or open_embedder(self.settings)
            return work(self.address, embedder, agents, threading.Barrier(len(agents)), room)
        context = multiprocessing.get_context("spawn")  # threads and connections do not survive a fork
        at_rest = context.Barrier(len(agents))
        running = []
        for k in range(processes):
            receiver, sender = context.Pipe(duplex=False)
            given = (self.address, self.settings, known, agents[k::processes], at_rest, room, sender)
            process = context.Process(target=work_apart, args=given)
            process.start()
            sender.close()
            running.append((process, receiver))
        answers = [receiver.recv() for _, receiver in running]
        for process, _ in running:
            process.join()
        failures = [answer for answer in answers if isinstance(answer, str)]
        if failures:
            raise OroiError(f"an agent failed: {failures[0]}")
        return [held for answer in answers for held in answer]


def embedded_before(
    bench: Bench, scripts: Sequence[tuple[Said, ...]], embedder: Noting, file: Path | None
) -> EmbeddedBefore:
    """The vectors of all that will be embedded: of the file, if it was made for as many agents and turns, else made."""
    made_for = [embedder.model, len(bench.content.labels), len(scripts), len(scripts[0])]
    if file is not None and file.exists():
        with np.load(file) as found:
            model, concepts, agents, turns = json.loads(str(found["made_for"]))
            if [model, concepts] == made_for[:2] and agents >= len(scripts) and turns >= len(scripts[0]):
                vectors = dict(zip(found["texts"].tolist(), found["vectors"], strict=True))
                return EmbeddedBefore(embedder.model, embedder.dimensions, vectors)
    print("holding every conversation once …", file=sys.stderr, flush=True)
    bench.rehearse(scripts)
    if file is not None:
        texts, rows = list(embedder.vectors), np.stack(list(embedder.vectors.values()))
        np.savez(file, made_for=json.dumps(made_for), texts=np.array(texts), vectors=rows)
    return EmbeddedBefore(embedder.model, embedder.dimensions, embedder.vectors)


def goals(rows: Sequence[dict[str, Any]]) -> dict[str, bool]:
    """The goal, by name: reached by the best number of processes or not."""
    agents, mode, least = GOAL
    found = [row["turns_per_s"] for row in rows if (row["agents"], row["memories"]) == (agents, mode)]
    if not found:
        return {}
    return {f"{agents} agents on {mode} memories: {max(found):.1f} turns/s, at least {least:.0f}": max(found) >= least}


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The figures for people."""
    head = f"{'memories':9}  {'agents':>6}  {'processes':>9}  {'turns/s':>8}  {'turn p50':>9}  {'p95':>8}  "
    head += f"{'CPU a turn: server':>18}  {'clients':>7}"
    lines = [head, "-" * len(head)]
    for row in rows:
        took = row["turn_ms"]
        lines.append(
            f"{row['memories']:9}  {row['agents']:6d}  {row['processes']:9d}  {row['turns_per_s']:8.1f}  "
            f"{took['p50']:9.1f}  {took['p95']:8.1f}  {row['cpu_ms_per_turn']['server']:18.1f}  "
            f"{row['cpu_ms_per_turn']['clients']:7.1f}"
        )
    return "\n".join(lines)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Turns a second of concurrent agents.")
    add = parser.add_argument
    add("--agents", type=int, nargs="+", default=[1, 8, 32], help="concurrent agents (default 1 8 32)")
    add("--memories", choices=MODES, nargs="+", default=list(MODES[:2]), help="a memory each, one for all, many")
    add("--many", type=int, default=1000, help="memories of the mode many (default 1000)")
    add("--kept", type=int, default=200, help="of many, those whose working sets have room (default 200)")
    add("--vectors", type=Path, help="keep what was embedded beforehand in this file, for later runs")
    add(
        "--processes",
        type=int,
        nargs="+",
        default=[1, os.cpu_count() or 1],
        help="processes that agents are spread over",
    )
    add("--turns", type=int, default=60, help="measured turns of each agent (default 60)")
    add("--warm-up", type=int, default=3000, help="turns that the server serves before the first clock (default 3000)")
    add("--concepts", type=int, default=200, help="concepts that a memory begins with (default 200)")
    add("--embed", action="store_true", help="embed while the clock runs")
    add_arguments(parser)
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run; 0 when the goal is reached or was not measured, else 1."""
    arguments = _arguments(given)
    settings = read_settings()
    embedder = Noting(open_embedder(settings))
    content = make("throughput", arguments.concepts, Vocabulary.embedded(embedder), seed=0)
    turns = arguments.turns + WARM_UP
    scripts = [tuple(script(content, turns, seed=i)) for i in range(max(arguments.agents))]
    rows = []
    with (
        serving(arguments, settings) as address,
        Store(address.uri, address.user, address.password, address.database or None) as store,
        neo4j.GraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver,
    ):
        graph = Graph(store, CachedEmbedder(embedder), OfflineExtractor())
        prepare_schema(store, embedder.dimensions)
        bench = Bench(address, settings, driver, graph, content, arguments.many, arguments.kept)
        known = None if arguments.embed else embedded_before(bench, scripts, embedder, arguments.vectors)
        if arguments.warm_up:
            print("warming the server up …", file=sys.stderr, flush=True)
            bench.warm_up(arguments.warm_up, scripts, known)
        for mode in arguments.memories:
            for agents in arguments.agents:
                for processes in sorted({min(agents, n) for n in arguments.processes}):
                    print(f"{agents} agents, {processes} processes, {mode} …", file=sys.stderr, flush=True)
                    rows.append(bench.measure(mode, scripts[:agents], processes, known))
                    print(table(rows[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    reached = goals(rows)
    print(table(rows))
    print("\n".join(f"{'reached' if ok else 'MISSED '}  {name}" for name, ok in reached.items()))
    if arguments.json:
        embedded = "during" if arguments.embed else "before"
        report = {"embedded": embedded, "warm_up": arguments.warm_up, "rows": rows, "goals": reached}
        arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0 if all(reached.values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OroiError as error:
        sys.exit(str(error))
