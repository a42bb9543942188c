"""Long runs of what the suite does in small: hostile inputs, and a server that is killed again and again.

    python benchmarks/faults.py fuzz --count 20000 --seed 1
    python benchmarks/faults.py kills --count 200 --seed 1

`fuzz` calls the façade with random texts (`tests/support/hostile.py`): each call must answer or raise an error of ours
in one line, and a refused call must leave the memory as it was. `kills` kills the managed server at random moments of
turns: every turn that was acknowledged must be there afterwards, and none twice. Both print one line of JSON and end
with 1 if something is wrong. They use a data folder of their own.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from graph_view import checksum_without_lock, stating
from hostile import CALLS, hostile_text

from oroi_graph import Memory, connect
from oroi_graph.errors import LONGEST, OroiError
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings

SHOWN = 5  # faults that are printed


def main() -> int:
    """Run what is named; 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("fuzz", "kills"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    logging.getLogger("neo4j").addHandler(logging.NullHandler())  # it would tell of each connection that was cut
    with tempfile.TemporaryDirectory(prefix="oroi-faults-") as folder:
        settings = Settings(data_dir=Path(folder), server_heap="256m", server_page_cache="64m")
        server = ManagedServer.from_settings(settings)
        try:
            run = fuzz if asked.what == "fuzz" else kills
            found = run(settings, server, random.Random(asked.seed), asked.count)
        finally:
            server.stop()
    print(json.dumps({"what": asked.what, "count": asked.count, "seed": asked.seed, **found}, ensure_ascii=False))
    return 1 if found["faults"] else 0


def fuzz(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
    """How many calls answered and how many were refused; the first faults."""
    outcomes: Counter[str] = Counter()
    faults: list[str] = []
    with connect(settings=settings) as graph:
        memory = graph.memory("fuzz")
        memory.perceive("I live in Bilbao.", speaker="Ana", extraction=stating(("I", "lives in", "Bilbao"))).close()
        for number in range(count):
            name, call = choose.choice(list(CALLS.items()))
            text = hostile_text(choose)
            before = checksum_without_lock(memory) if number % 20 == 0 else None
            try:
                call(memory, text)
                outcomes["answered"] += 1
            except OroiError as error:
                outcomes["refused"] += 1
                changed = before is not None and checksum_without_lock(memory) != before
                if "\n" in str(error) or len(str(error)) > LONGEST or changed:
                    faults.append(f"{number} {name}: {'left something' if changed else 'bad message'}")
            except Exception as error:  # any other error is what this looks for
                faults.append(f"{number} {name}: {type(error).__name__}")
    return {**outcomes, "faults": len(faults), "first": faults[:SHOWN]}


def kills(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
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
        kept = _turns(graph.memory("kills"))
    faults = [f"{id}: {kept[id]} times" for id in acknowledged if kept[id] != 1]
    faults += [f"{id}: {times} times" for id, times in kept.items() if times > 1]
    return {"acknowledged": len(acknowledged), "interrupted": refused, "faults": len(faults), "first": faults[:SHOWN]}


def _kill(server: ManagedServer) -> None:
    pid = server.status().pid
    if pid is not None:
        psutil.Process(pid).kill()


def _turns(memory: Memory) -> Counter[str]:
    """How often each turn of the user is there."""
    query = "MATCH (r:Record {memory: $m, role: 'user'}) RETURN r.turn_id, count(*)"
    return Counter({str(row[0]): int(row[1]) for row in memory.graph.store.explore(query, m=memory.name)[1]})


if __name__ == "__main__":
    sys.exit(main())
