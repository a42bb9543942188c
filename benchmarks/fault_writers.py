"""Many processes on one memory: each says its turns while others sleep on it, forget in it and export it."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

from fault_life import LEASE, OPTIONS, turns_of
from fault_life import settings as settings_of

from oroi_graph import connect
from oroi_graph.consolidation.pipeline import SleepRun, consolidate
from oroi_graph.errors import BusyError, LeaseLostError, OroiError
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings
from oroi_graph.transfer.archive import export_memory

PROCESSES, NAME = 8, "shared"
FORGOTTEN = "Gaizka"


def writers(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
    """`count` turns of each of eight processes; errors that reached a caller, and turns lost or doubled, are faults."""
    server.start()
    with connect(settings=settings) as graph:
        graph.memory(NAME)
    command = [sys.executable, __file__, str(settings.data_dir)]
    started = [
        subprocess.Popen([*command, what, str(count)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for what in (*(f"writer-{number}" for number in range(PROCESSES)), "sleep", "forget", "export")
    ]
    said = [process.communicate()[1] for process in started[:PROCESSES]]
    (settings.data_dir / "enough").touch()
    others = [process.communicate() for process in started[PROCESSES:]]
    faults = [line for text in (*said, *(error for _, error in others)) for line in text.splitlines()]
    faults += [
        f"process {i} ended with {process.returncode}" for i, process in enumerate(started) if process.returncode
    ]
    with connect(settings=settings) as graph:
        kept = turns_of(graph.memory(NAME))
        expected = {f"writer-{number}-{turn}" for number in range(PROCESSES) for turn in range(count)}
        gone = {id for id in expected if int(id.rpartition("-")[2]) % 10 == 9}  # what named the forgotten one
        faults += [f"lost {id}" for id in expected - gone if not kept[id]]
        faults += [f"{id} {n} times" for id, n in kept.items() if n > 1]
        if graph.memory(NAME).forget(FORGOTTEN, speaker="Ana").remains:
            faults.append("forgotten words remain")
    done = {name: out.strip() for name, (out, _) in zip(("sleeps", "forgettings", "exports"), others, strict=True)}
    return {"turns": sum(kept.values()), **done, "faults": len(faults), "first": faults[:20]}


def _write(folder: Path, what: str, count: int) -> None:
    """One process's part. Each error is told by a line on standard error."""
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    done = 0
    enough = folder / "enough"
    with connect(settings=settings_of(folder), options=OPTIONS) as graph:
        memory = graph.memory(NAME)
        while done < count if what.startswith("writer") else not enough.exists():
            try:
                if what == "sleep":
                    consolidate(graph.store, NAME, graph.embedder, OPTIONS, SleepRun(seconds=LEASE))
                elif what == "forget":
                    memory.forget(FORGOTTEN, speaker="Ana")
                elif what == "export":
                    export_memory(graph.store, NAME, StringIO())
                else:
                    about = FORGOTTEN if done % 10 == 9 else f"neighbour {done}"
                    text = f"I saw {about} at the harbour of {what}."
                    memory.perceive(text, speaker="Ana", id=f"{what}-{done}").close("I see.")
            except (BusyError, LeaseLostError):  # two that sleep at once: told, and tried again
                time.sleep(0.2)
            except OroiError as error:
                print(f"{what} {done}: {type(error).__name__}: {error}", file=sys.stderr)
            done += 1
            if not what.startswith("writer"):
                time.sleep(0.5)
    print(done)


if __name__ == "__main__":
    _write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
