"""Long runs of what the suite does in small: hostile inputs, kills, a bad network, a full disk, wrong clocks, long use.

    python benchmarks/faults.py fuzz --count 20000     random texts, files and commands
    python benchmarks/faults.py kills --count 200      kills of server and client in a life of all that can be done
    python benchmarks/faults.py turns --count 20       kills of the server in turns that follow each other closely
    python benchmarks/faults.py writers --count 50     eight processes on one memory, with sleep, forgetting and export
    python benchmarks/faults.py network --count 3      connections cut, slow, delayed, refused, half-open
    python benchmarks/faults.py disk --count 5         a disk that fills up while turns are said (root, Linux)
    python benchmarks/faults.py clock --count 5        processes whose clocks jump (needs the program faketime)
    python benchmarks/faults.py use --count 240        simulated hours of use

Each prints one line of JSON and ends with 1 if something is wrong: an error that is not ours or has more than a line,
an acknowledged turn that is lost or doubled, a memory that differs from an undisturbed one, something that grows. Each
uses a data folder of its own and talks to this machine only.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import logging
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from typing import ClassVar

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from fault_clock import clock
from fault_disk import disk
from fault_kills import kills
from fault_life import settings as settings_of
from fault_life import turns_of
from fault_network import network
from fault_use import use
from fault_writers import writers
from graph_view import checksum_without_lock, stating
from hostile import CALLS, COMMANDS, hostile_archive, hostile_text

from oroi_graph import Graph, connect
from oroi_graph.cli import main as command
from oroi_graph.errors import LONGEST, OroiError
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings
from oroi_graph.transfer.archive import export_memory, import_memory

SHOWN = 5  # faults that are printed
SLOWEST = 30.0  # seconds of one hostile call, on a busy machine
GROWN = 150  # MB by which memory may grow in the second half of the inputs


def main() -> int:
    """Run what is named; 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=RUNS)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    logging.getLogger("neo4j").addHandler(logging.NullHandler())  # it would tell of each connection that was cut
    with tempfile.TemporaryDirectory(prefix="oroi-faults-") as folder:
        settings = settings_of(Path(folder))
        server = ManagedServer.from_settings(settings)
        began = time.monotonic()
        try:
            found = RUNS[asked.what](settings, server, random.Random(asked.seed), asked.count)
        finally:
            server.stop()
    told = {"what": asked.what, "count": asked.count, "seed": asked.seed, "s": round(time.monotonic() - began)}
    print(json.dumps(told | found, ensure_ascii=False))
    return 1 if found["faults"] else 0


def fuzz(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
    """How many calls, files and commands were answered and how many refused; the first faults."""
    outcomes: Counter[str] = Counter()
    faults: list[str] = []
    slowest, memory_before = ("", 0.0), 0
    # Another process looks at the whole memory, so that what that takes is not counted as what this one takes.
    looking = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_Looking.begin, initargs=(settings,))
    with connect(settings=settings) as graph, looking:
        memory = graph.memory("fuzz")
        memory.perceive("I live in Bilbao.", speaker="Ana", extraction=stating(("I", "lives in", "Bilbao"))).close()
        exported = StringIO()
        export_memory(graph.store, memory.name, exported)
        run_command = _Commands(settings, choose)
        for number in range(count):
            kind = choose.random()
            if kind < 0.15:
                name, call = "archive", partial(_import, graph, hostile_archive(choose, exported.getvalue()))
            elif kind < 0.3:
                name, call = run_command.next(memory.name)
            else:
                name, hostile = choose.choice(list(CALLS.items()))
                call = partial(hostile, memory, hostile_text(choose))
            before = looking.submit(_Looking.checksum).result() if number % 20 == 0 else None
            began = time.monotonic()
            try:
                call()
                outcomes["answered"] += 1
            except OroiError as error:
                outcomes["refused"] += 1
                changed = before is not None and looking.submit(_Looking.checksum).result() != before
                if "\n" in str(error) or len(str(error)) > LONGEST or changed:
                    faults.append(f"{number} {name}: {'left something' if changed else 'bad message'}")
            except Exception as error:  # any other error is what this looks for
                faults.append(f"{number} {name}: {type(error).__name__}: {str(error)[:200]}")
            took = time.monotonic() - began
            slowest = max(slowest, (name, took), key=lambda one: one[1])
            if took > SLOWEST:
                faults.append(f"{number} {name}: {took:.0f} s")
            if number == count // 2:
                memory_before = _in_use()
        grown = (_in_use() - memory_before) // 1_000_000
        half = [one.name for one in graph.memories() if one.name.startswith("import-")]
        faults += [f"{name} was left half-imported" for name in half]
    if grown > GROWN:
        faults.append(f"memory grew by {grown} MB in the second half")
    return {
        **outcomes, "slowest": [slowest[0], round(slowest[1], 1)], "grown_mb": grown, "faults": len(faults),
        "first": faults[:SHOWN],
    }  # fmt: skip


def _in_use() -> int:
    """Bytes of memory that this process uses, without garbage and what its allocator keeps for reuse (glibc): every
    command of the line loads its model anew here, and collects late, since a person's ends its process soon."""
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
    return psutil.Process().memory_info().rss


def _import(graph: Graph, text: str) -> None:
    """Import a file as a memory that must not be there if it is refused; delete it if it is not."""
    name = "import-of-a-file"
    import_memory(graph.store, StringIO(text), name)
    graph.delete(name)


class _Looking:
    """What the other process holds: the graph of the fuzzed memory."""

    graph: ClassVar[Graph]

    @classmethod
    def begin(cls, settings: Settings) -> None:
        """Connect, for as long as the process lives."""
        cls.graph = connect(settings=settings)

    @classmethod
    def checksum(cls) -> str:
        """Of all that the memory holds now."""
        return checksum_without_lock(cls.graph.memory("fuzz"))


class _Commands:
    """Command lines with a hostile text, in this process; a command that ends badly raises AssertionError."""

    def __init__(self, settings: Settings, choose: random.Random) -> None:
        self._choose = choose
        os.environ["OROI_DATA_DIR"] = str(settings.data_dir)  # the settings of commands are the environment's
        os.environ["OROI_SERVER_HEAP"], os.environ["OROI_SERVER_PAGE_CACHE"] = "256m", "64m"

    def next(self, memory: str) -> tuple[str, Callable[[], None]]:
        """The name of a command, and what runs it."""
        line = [
            hostile_text(self._choose) if part == "?" else memory if part == "MEMORY" else part
            for part in self._choose.choice(COMMANDS)
        ]
        return f"oroi {line[0]}", partial(self._run, line)

    @staticmethod
    def _run(line: list[str]) -> None:
        out, said = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(said):
            code = command(line)
        told = said.getvalue()
        if code and not (code in (1, 2) and told.startswith("oroi: ") and len(told) < 2 * LONGEST):
            raise AssertionError(f"{code} {told[:150]!r}")


def turns(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
    """How many turns were acknowledged; turns that were lost or doubled are faults."""
    acknowledged: list[str] = []
    refused = 0
    for number in range(count):
        with connect(settings=settings) as graph:
            memory = graph.memory("kills")
            killer = threading.Timer(choose.uniform(0.05, 8.0), _kill, [server])
            killer.start()
            try:
                for turn in range(50):
                    id = f"{number}-{turn}"
                    memory.perceive(f"I met friend {turn} of day {number}.", speaker="Ana", id=id).close("Fine.")
                    acknowledged.append(id)
            except OroiError:
                refused += 1
            finally:
                killer.join()
    with connect(settings=settings) as graph:
        kept = turns_of(graph.memory("kills"))
    faults = [f"{id}: {kept[id]} times" for id in acknowledged if kept[id] != 1]
    faults += [f"{id}: {times} times" for id, times in kept.items() if times > 1]
    return {"acknowledged": len(acknowledged), "interrupted": refused, "faults": len(faults), "first": faults[:SHOWN]}


def _kill(server: ManagedServer) -> None:
    pid = server.status().pid
    if pid is not None:
        psutil.Process(pid).kill()


Run = Callable[[Settings, ManagedServer, random.Random, int], dict[str, object]]
RUNS: dict[str, Run] = {
    "fuzz": fuzz, "kills": kills, "turns": turns, "writers": writers, "network": network, "disk": disk,
    "clock": clock, "use": use,
}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
