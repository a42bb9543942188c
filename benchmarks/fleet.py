"""What working sets save when many processes serve many memories: a simulation.

    python benchmarks/fleet.py [--memories 1000 1000000] [--processes 1 4 16] [--turns 200000] [--json OUT]

People hold sessions of some turns with a memory of their own; `--sessions` of them are held at a time, their turns in
random order. Who comes back is drawn by Zipf's law. Each process keeps the working sets that it used last (LRU), as
many as have room. **sticky**: all turns of a memory go to one process; **spread**: each turn goes to any process.

A turn finds its set **fresh**; or **behind** by no more than the changes whose marks a memory keeps
(`storage.changes.KEPT`; a turn makes two), which costs an update; or it is not kept, or too far behind, and is
**loaded**. `wait_ms` is what updates and loads add to a turn on average, from the costs of one of each. These are
options: their defaults, and where they were measured, are in docs/cost.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from oroi_graph.storage.changes import KEPT

CHANGES = 2  # of a memory's number, a turn: it is opened and closed


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """memories, processes; kept: working sets a process has room for; sessions: at a time; length: turns of a session;
    zipf: exponent of the law by which memories are chosen (0: all alike); sticky: see above."""

    memories: int
    processes: int
    sticky: bool
    kept: int
    sessions: int
    length: int
    zipf: float


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of turns, each 0..1."""

    fresh: float
    behind: float
    loaded: float


def simulate(fleet: Fleet, turns: int, seed: int = 0) -> Shares:
    """The second half of `turns`; the first one fills the processes."""
    random = np.random.default_rng(seed)
    popularity = np.arange(1, fleet.memories + 1, dtype=np.float64) ** -fleet.zipf
    cumulated = np.cumsum(popularity) / popularity.sum()
    drawn = np.searchsorted(cumulated, random.random(fleet.sessions + turns))
    chosen = iter(np.minimum(drawn, fleet.memories - 1).tolist())
    held = [next(chosen) for _ in range(fleet.sessions)]
    left = random.integers(1, fleet.length + 1, fleet.sessions).tolist()
    sessions = random.integers(0, fleet.sessions, turns).tolist()
    any_of_them = random.integers(0, fleet.processes, turns).tolist()
    version: dict[int, int] = {}
    processes: list[OrderedDict[int, int]] = [OrderedDict() for _ in range(fleet.processes)]
    counts = {"fresh": 0, "behind": 0, "loaded": 0}
    for turn in range(turns):
        session = sessions[turn]
        memory = held[session]
        kept = processes[memory % fleet.processes if fleet.sticky else any_of_them[turn]]
        now = version.get(memory, 0)
        known = kept.pop(memory, None)
        if turn >= turns // 2:
            counts[_found(now, known)] += 1
        version[memory] = kept[memory] = now + CHANGES
        if len(kept) > fleet.kept:
            kept.popitem(last=False)
        left[session] -= 1
        if not left[session]:
            held[session], left[session] = next(chosen), fleet.length
    counted = sum(counts.values())
    return Shares(*(counts[name] / counted for name in ("fresh", "behind", "loaded")))


def _found(now: int, known: int | None) -> str:
    if known is None or now - known > KEPT:
        return "loaded"
    return "fresh" if known == now else "behind"


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What working sets save in a fleet of processes.")
    add = parser.add_argument
    add("--memories", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    add("--processes", type=int, nargs="+", default=[1, 4, 16])
    add("--turns", type=int, default=200_000)
    add("--sessions", type=int, default=200, help="held at a time (default 200)")
    add("--length", type=int, default=12, help="turns of a session (default 12)")
    add("--zipf", type=float, default=0.8, help="exponent of popularity (default 0.8)")
    add("--room", type=float, default=512.0, help="MB of working sets a process (default 512)")
    add("--size", type=float, default=1.6, help="MB of one working set (default 1.6)")
    add("--update", type=float, default=8.0, help="ms of an update (default 8)")
    add("--load", type=float, default=150.0, help="ms of a load (default 150)")
    add("--json", type=Path, help="write the figures to this file")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Simulate each combination; print and write the figures."""
    arguments = _arguments(given)
    kept = max(1, int(arguments.room / arguments.size))
    rows = []
    print(
        f"{'memories':>9}  {'processes':>9}  {'routing':7}  {'fresh':>6}  {'behind':>6}  {'loaded':>6}  {'wait ms':>7}"
    )
    for memories in arguments.memories:
        for processes in arguments.processes:
            for sticky in (True, False) if processes > 1 else (True,):
                fleet = Fleet(
                    memories=memories, processes=processes, sticky=sticky, kept=kept, sessions=arguments.sessions,
                    length=arguments.length, zipf=arguments.zipf,
                )  # fmt: skip
                found = simulate(fleet, arguments.turns)
                wait = found.behind * arguments.update + found.loaded * arguments.load
                routing = "sticky" if sticky else "spread"
                print(
                    f"{memories:9d}  {processes:9d}  {routing:7}  {found.fresh:6.1%}  {found.behind:6.1%}  "
                    f"{found.loaded:6.1%}  {wait:7.1f}",
                    flush=True,
                )
                rows.append(asdict(fleet) | asdict(found) | {"wait_ms": round(wait, 2)})
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
