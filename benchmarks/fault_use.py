"""Long use: a process and a server that go on and on keep the same descriptors, threads, memory and logs."""

from __future__ import annotations

import random
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import psutil
from fault_life import OPTIONS

from oroi_graph import connect
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings

MINUTES_A_TURN = 5  # of simulated time
TURNS_A_SAMPLE = 12
KEPT = 30  # memories are deleted and begun anew, so that what grows is not the content
BEGAN = datetime(2026, 1, 10, 8, tzinfo=UTC)


@dataclass(frozen=True)
class Sample:
    """Of client and server. Memory in MB; logs: MB of the server's logs and of its transaction logs."""

    descriptors: int
    threads: int
    memory: float
    server_descriptors: int
    server_threads: int
    server_memory: float
    logs: float
    transaction_logs: float


def use(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
    """`count` simulated hours of turns, questions, sleeps, forgettings; what grows from the second third to the last
    by more than a tenth (and more than noise) is a fault."""
    samples: list[Sample] = []
    at, number = BEGAN, 0
    began = time.monotonic()
    with connect(settings=settings, options=OPTIONS) as graph:
        pid = server.status().pid
        assert pid is not None
        while at < BEGAN + timedelta(hours=count):
            name = f"day-{number // (TURNS_A_SAMPLE * KEPT)}"
            memory = graph.memory(name)
            place = f"Town {choose.randrange(40)}"
            memory.perceive(f"I met friend {number % 60} in {place}.", speaker="Ana", at=at).close("I see.")
            memory.recall(f"Where did I meet friend {choose.randrange(60)}?", speaker="Ana", at=at)
            if number % 24 == 23:
                memory.consolidate()
                memory.forget(place, speaker="Ana")
            number += 1
            at += timedelta(minutes=MINUTES_A_TURN)
            if number % TURNS_A_SAMPLE == 0:
                samples.append(_sample(psutil.Process(), psutil.Process(pid), server))
            if number % (TURNS_A_SAMPLE * KEPT) == 0:
                graph.delete(name)
    third = len(samples) // 3
    before, after = samples[third : 2 * third], samples[2 * third :]
    faults, medians = [], {}
    for field, room in ROOM.items():
        old, new = (median(getattr(one, field) for one in part) for part in (before, after))
        medians[field] = [round(old, 1), round(new, 1)]
        if new > old * 1.1 + room:
            faults.append(f"{field} grew from {old} to {new}")
    return {
        "turns": number, "seconds": round(time.monotonic() - began), "medians": medians,
        "last": asdict(samples[-1]), "faults": len(faults), "first": faults,
    }  # fmt: skip


# What may come and go beside a tenth: connections, pages, threads of a pool.
ROOM = {
    "descriptors": 4, "threads": 2, "memory": 15, "server_descriptors": 40, "server_threads": 10, "server_memory": 60,
    "logs": 1, "transaction_logs": 8,
}  # fmt: skip


def _sample(client: psutil.Process, server: psutil.Process, managed: ManagedServer) -> Sample:
    return Sample(
        client.num_fds(), client.num_threads(), client.memory_info().rss / 1e6,
        server.num_fds(), server.num_threads(), server.memory_info().rss / 1e6,
        _size(managed.log_path.parent), _size(managed.data_folder / "transactions"),
    )  # fmt: skip


def _size(folder: Path) -> float:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:  # pruned meanwhile
            continue
    return total / 1e6
