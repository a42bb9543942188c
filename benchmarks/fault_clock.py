"""Clocks that jump: processes whose time is years off, back and forth, write to one memory and sleep on it.

The client's clock jumps, by the program `faketime`; leases and due dates are by the server's clock.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

from fault_life import LEASE, OPTIONS, turns_of
from fault_life import settings as settings_of

from oroi_graph import connect
from oroi_graph.consolidation.pipeline import SleepRun, consolidate
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings

JUMPS = ("-3000d", "-1d", "-90m", "-5", "+5", "+90m", "+1d", "+3000d")
TURNS = 5


def clock(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
    """`count` processes, each with a clock of its own; an error, a lost turn and a wrong order are faults."""
    program = shutil.which("faketime")
    if program is None:
        raise SystemExit("install the program faketime")
    server.start()
    with connect(settings=settings) as graph:
        graph.memory("clock")
    faults: list[str] = []
    for number in range(count):
        jump = choose.choice(JUMPS)
        command = [program, "-f", jump, sys.executable, __file__, str(settings.data_dir), str(number)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            faults.append(f"{number} at {jump}: {done.stderr.strip().splitlines()[-1:]}")
    with connect(settings=settings) as graph:
        memory = graph.memory("clock")
        kept = turns_of(memory)
        expected = [f"{number}-{turn}" for number in range(count) for turn in range(TURNS)]
        faults += [f"{id} is there {kept[id]} times" for id in expected if kept[id] != 1]
        said = [one.turn_id for one in memory.timeline(limit=10_000) if one.role == "user"]
        if sorted(said, key=expected.index) != said[::-1]:
            faults.append("the order of the turns is not the order in which they were said")
        last = memory.recall("Which town did I visit?", speaker="Ana").brief.text
        if not last:
            faults.append("nothing is recalled")
    return {"turns": len(said), "faults": len(faults), "first": faults[:20]}


def _write(folder: Path, number: int) -> None:
    """One process's part: turns, a question, a sleep."""
    with connect(settings=settings_of(folder), options=OPTIONS) as graph:
        memory = graph.memory("clock")
        for turn in range(TURNS):
            memory.perceive(f"I visited Town {number}{turn}.", speaker="Ana", id=f"{number}-{turn}").close("Fine.")
        memory.recall("Which town did I visit?", speaker="Ana")
        done = consolidate(graph.store, memory.name, graph.embedder, OPTIONS, SleepRun(seconds=LEASE))
        if done.state == "failed":
            raise SystemExit(json.dumps(done.failures))


if __name__ == "__main__":
    _write(Path(sys.argv[1]), int(sys.argv[2]))
