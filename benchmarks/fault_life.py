"""A life of a memory in steps that may each be cut off and repeated: what `faults.py` disturbs.

    python benchmarks/fault_life.py DATA_FOLDER MEMORY FIRST

Runs the steps from number FIRST on against the managed server of DATA_FOLDER, and prints the number of each step once
it is done and acknowledged. Ends with 3 where the database failed: whoever started it goes on with the step that was
not acknowledged. A step that was done but not acknowledged is found done when it is repeated.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from oroi_graph import Memory, connect
from oroi_graph.consolidation.pipeline import SleepRun, consolidate
from oroi_graph.errors import BusyError, InputError, LeaseLostError, OroiError
from oroi_graph.options import Options, Sleep
from oroi_graph.settings import Settings
from oroi_graph.transfer.bulk_import import ingest
from oroi_graph.transfer.chats.recognition import read_turns
from oroi_graph.transfer.copies import backup, read_backup

FAILED = 3  # exit code: the database was away
SAMPLE = Path(__file__).resolve().parents[1] / "docs" / "demo" / "conversation.jsonl"
BEGAN = datetime(2026, 1, 10, 18, tzinfo=UTC)
LEASE = 2.0  # seconds
OPTIONS = Options(sleep=Sleep(page=8, courtesy=0.0, recurrence=2, prune_after=4, gist_after=4, rest_after=10))
PLACES = ("Getxo", "Zarautz", "Ondarroa", "Bermeo", "Lekeitio", "Mundaka", "Orio", "Zumaia")


def settings(folder: Path) -> Settings:
    """Of a small server with data of its own."""
    return replace(Settings.from_env({}), data_dir=folder, server_heap="256m", server_page_cache="64m")


def steps() -> list[Callable[[Memory], object]]:
    """The life: turns, imports, sleeps, merges, forgettings and backups, in an order that mixes them."""
    found: list[Callable[[Memory], object]] = []
    imported = list(read_turns(SAMPLE).turns)
    for number, place in enumerate(PLACES):
        at = BEGAN + timedelta(days=30 + number)
        part = imported[number * 12 : number * 12 + 12]
        found.append(partial(ingest, turns=part))
        for said in range(5):
            text = f"I met colleague number {5 * number + said} in {place} and we talked about boats."
            found.append(partial(_say, text=text, at=at, id=f"{number}-{said}"))
        found.append(partial(_say, text=f"I like {place}.", at=at, id=f"{number}-x"))
        found.append(partial(_say, text=f"I like old {place}.", at=at, id=f"{number}-y"))
        found.append(partial(_merge, place=place))
        found.append(_sleep)
        found.append(_backup)
        if number % 2:
            found.append(partial(_forget, place=place))
    return found


def turns_of(memory: Memory) -> Counter[str]:
    """How often each turn of a user is there."""
    query = "MATCH (r:Record {memory: $m, role: 'user'}) RETURN r.turn_id, count(*)"
    return Counter({str(row[0]): int(row[1]) for row in memory.graph.store.explore(query, m=memory.name)[1]})


def _say(memory: Memory, text: str, at: datetime, id: str) -> None:
    memory.perceive(text, speaker="Ana", at=at, id=id).close("I see.")


def _merge(memory: Memory, place: str) -> None:
    with suppress(InputError):  # done before: one of the two labels is an alias now
        memory.merge(place, f"old {place}")


def _forget(memory: Memory, place: str) -> None:
    memory.forget(place, speaker="Ana")


def _sleep(memory: Memory) -> None:
    graph = memory.graph
    while True:
        try:
            done = consolidate(graph.store, memory.name, graph.embedder, OPTIONS, SleepRun(seconds=LEASE))
        except (BusyError, LeaseLostError):  # the lease of a process that was killed
            time.sleep(0.3)
        else:
            if done.state == "failed":
                raise SystemExit(f"a sleep failed: {done.failures}")
            return


def _backup(memory: Memory) -> None:
    folder = Path(sys.argv[1]) / "backups"
    backup(memory.graph.store, folder)
    read_backup(folder)  # raises where a file is not what its digest says


def main() -> int:
    """Live."""
    logging.getLogger("neo4j").addHandler(logging.NullHandler())  # as in `oroi`: we say what was lost in one line
    folder, name, first = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    life = steps()
    try:
        with connect(settings=settings(folder), options=OPTIONS) as graph:
            memory = graph.memory(name)
            for number in range(first, len(life)):
                life[number](memory)
                print(number, flush=True)
    except OroiError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
