"""Workers that share a night: four processes, 200 memories, two of them killed with `kill -9` half-way.

    python benchmarks/workers.py --uri bolt://127.0.0.1:7687 --json workers.json

Each memory first sleeps alone, undisturbed; its state is kept, and it is made anew. Then the workers share all of them,
while one is paused for longer than its lease lasts and two are killed, each in the middle of somebody's sleep. In the
end there must be exactly one completed run for the due date and each memory, every memory must be as after the
undisturbed sleep (all nodes, relationships and properties, numbers to 1e-9; so no step was applied twice), whoever was
fenced out must have written nothing, and no lease may be left. User and password: OROI_NEO4J_USER, OROI_NEO4J_PASSWORD;
the database must be empty or hold a (:TestDatabase) node. Without --uri a managed server of its own is used.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import kill
from servers import Address, add_arguments, environment, prepare_schema, read_settings, serving

from oroi_graph import ExtractedConcept, ExtractedRelation, Extraction, Graph, OfflineExtractor, ScriptedEmbedder
from oroi_graph.cli.session import stopping
from oroi_graph.cli.sleep import logged
from oroi_graph.consolidation.pipeline import consolidate
from oroi_graph.consolidation.schedule import CronSchedule, Schedule
from oroi_graph.errors import LeaseLostError, OroiError
from oroi_graph.options import Options, Sleep
from oroi_graph.storage.lease import Lease, acquire
from oroi_graph.storage.store import Store
from oroi_graph.transfer.archive import export_memory, import_memory
from oroi_graph.worker import Worker

PREFIX = "night-"
TEMPLATES = 10
LEASE = 3.0  # seconds
NIGHT = CronSchedule("0 0 1 1 *", UTC)  # the start of the year: one due date for the whole run
PATIENCE = 900.0  # seconds after which the run is given up
# Small pages and long rests: a sleep of many short transactions, most of it spent between two of them.
OPTIONS = Options(
    sleep=Sleep(page=4, courtesy=1.0, recurrence=2, prune_after=4, gist_after=4, gist_length=60, rest_after=10_000)
)
# What says who did it and when, not what was done.
ONE, OTHER = "harbour gallery", "harbor galleries"
States = dict[str, dict[str, dict[str, Any]]]
OPERATIONAL = {"lock", "heard_at", "lease_owner", "lease_until", "lease_fence", "created_at", "stamp", "version"}


# -- the memories ------------------------------------------------------------------------------------------


def embedder() -> ScriptedEmbedder:
    """Two spellings of one thing that lie too far apart to be taken for one while they are said."""
    return ScriptedEmbedder(384, {ONE: [1.0, *[0.0] * 383], OTHER: [0.7, 0.7, *[0.0] * 382]})


def make_template(graph: Graph, number: int, turns: int) -> str:
    """A memory in which something recurs, something is said twice in other words, and most is trivia."""
    name = f"{PREFIX}template-{number}"
    memory = graph.memory(name)
    for i in range(turns):
        place = ONE if i % 2 else OTHER
        trivia = f"trifle {chr(97 + i)}{number}"
        said = Extraction(
            concepts=(
                ExtractedConcept(place, "concept"),
                ExtractedConcept("Leire", "name"),
                ExtractedConcept("old bridge", "concept"),
                ExtractedConcept(trivia, "concept"),
            ),
            relations=(ExtractedRelation("I", "enjoy", place), ExtractedRelation("Leire", "noticed", trivia)),
        )
        text = f"I enjoy the {place} by the old bridge. Leire noticed {trivia} there, and we spoke of nothing else."
        turn = memory.perceive(
            text, speaker="Ana", id=f"t{i}", at=datetime(2025, 1, 1 + i, tzinfo=UTC), extraction=said
        )
        turn.close("How nice.")
    return name


def make(store: Store, names: Sequence[str], files: Sequence[Path]) -> None:
    """The memories, said long before the due date."""
    for number, name in enumerate(names):
        import_memory(store, files[number % len(files)], name)
    long_ago = datetime.now(UTC) - timedelta(days=800)
    for query in (
        "MATCH (m:Memory) WHERE m.name IN $names SET m.heard_at = $at",
        "MATCH (r:Record) WHERE r.memory IN $names SET r.created_at = $at",
    ):
        store.schema(query, names=list(names), at=long_ago)


def remove(graph: Graph, name: str) -> None:
    """Delete a memory with its run records: the next one of that name must not find them."""
    if left := graph.delete(name):
        raise SystemExit(f"{left} things of {name} are left after its deletion")


def state(store: Store, name: str) -> dict[str, dict[str, Any]]:
    """All of a memory but its run records and what says who did it and when."""
    found = kill.state_of(store, name)
    return {
        key: {
            k: v
            for k, v in properties.items()
            if k not in OPERATIONAL and not k.startswith("touched_") and not (k == "at" and "relat" in key[:6])
        }
        for key, properties in found.items()
        if properties["labels"] != ["Sleep"]
    }


def undisturbed(graph: Graph, names: Sequence[str], files: Sequence[Path]) -> tuple[States, dict[str, int]]:
    """Each memory's state after a sleep alone, and what those sleeps did; the memories are deleted again."""
    expected = {}
    done: Counter[str] = Counter()
    for start in range(0, len(names), 50):
        part = names[start : start + 50]
        make(graph.store, part, [files[(start + i) % len(files)] for i in range(len(files))])
        for name in part:
            report = consolidate(graph.store, name, graph.embedder, OPTIONS)
            if report.state != "done":
                raise SystemExit(f"the undisturbed sleep of {name} is {report.state}: {report.failures}")
            done.update(report.counts)
            expected[name] = state(graph.store, name)
            remove(graph, name)
        print(f"  {len(expected)} of {len(names)} slept alone", file=sys.stderr)
    return expected, dict(sorted(done.items()))


# -- the workers -------------------------------------------------------------------------------------------


def work() -> None:
    """What a worker's process runs: the loop of `oroi worker`, with an embedder that needs no model."""
    at = [os.environ[f"OROI_NEO4J_{name}"] for name in ("URI", "USER", "PASSWORD", "DATABASE")]
    with Store(*at) as store:
        graph = Graph(store, embedder(), OfflineExtractor(), OPTIONS)
        with stopping() as stop, logged(True, logging.INFO):
            Worker(graph, Schedule(night=NIGHT, poll=1.0), lease=LEASE).run(stop)


@dataclass
class Fleet:
    """The workers' processes, and what was done to them."""

    store: Store
    address: Address
    names: list[str]
    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    killed: list[int] = field(default_factory=list)
    paused: list[int] = field(default_factory=list)

    def start(self, count: int) -> None:
        """Start `count` workers, each with a log of its own."""
        for number in range(count):
            with (self.folder / f"{number}.log").open("wb") as log:
                command = [sys.executable, __file__, "--work"]
                self.processes.append(subprocess.Popen(command, stderr=log, env=environment(self.address)))

    def done(self) -> int:
        """Memories whose run is completed."""
        return int(
            self._one("MATCH (s:Sleep {state: 'done'}) WHERE s.memory IN $names RETURN count(DISTINCT s.memory)")
        )

    def running(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether this worker is in the middle of a sleep, some of which is written."""
        query = (
            "MATCH (m:Memory) WHERE m.name IN $names AND m.lease_owner CONTAINS $pid "
            "MATCH (s:Sleep {memory: m.name, state: 'running', fence: m.lease_fence}) WHERE s.report IS NOT NULL "
            "RETURN count(*)"
        )
        return bool(self._one(query, pid=f":{process.pid}:"))

    def strike(self, process: subprocess.Popen[bytes]) -> bool:
        """`kill -9` in the middle of a sleep; False if it was between two."""
        process.send_signal(signal.SIGSTOP)  # so that it does not end just now
        struck = self.running(process)
        process.send_signal(signal.SIGKILL if struck else signal.SIGCONT)
        if struck:
            process.wait(30)
            self.killed.append(process.pid)
        return struck

    def pause(self, process: subprocess.Popen[bytes]) -> bool:
        """Stop it in the middle of a sleep until somebody else has taken over; False if it was between two."""
        process.send_signal(signal.SIGSTOP)
        try:
            if not self.running(process):
                return False
            until = time.monotonic() + 4 * LEASE
            while self.running(process):
                if time.monotonic() > until:  # stopped within a transaction, which keeps everybody else waiting
                    return False
                time.sleep(0.1)
            self.paused.append(process.pid)
            return True
        finally:
            process.send_signal(signal.SIGCONT)

    def end(self) -> list[int]:
        """Ask those alive to stop; their exit codes."""
        alive = [process for process in self.processes if process.pid not in self.killed]
        for process in alive:
            process.send_signal(signal.SIGTERM)
        return [process.wait(60) for process in alive]

    def events(self) -> Counter[str]:
        """How often the workers logged what."""
        lines = [line for path in self.folder.glob("*.log") for line in path.read_text().splitlines()]
        return Counter(json.loads(line)["event"] for line in lines if line.startswith("{"))

    def _one(self, query: str, **parameters: Any) -> Any:
        return self.store.explore(query, names=self.names, **parameters)[1][0][0]


def disturb(fleet: Fleet, kills: int) -> float:
    """Wait until all is done; on the way pause one worker and kill others. Seconds."""
    began = time.monotonic()
    first, *others = fleet.processes
    targets = others[:kills]
    while (done := fleet.done()) < len(fleet.names):
        if time.monotonic() - began > PATIENCE:
            raise SystemExit(f"only {done} of {len(fleet.names)} memories slept")
        share = done / len(fleet.names)
        if share >= 0.1 and not fleet.paused:
            fleet.pause(first)
        if len(fleet.killed) < kills and share >= 0.3 + 0.1 * len(fleet.killed):
            fleet.strike(targets[len(fleet.killed)])
        time.sleep(0.05)
    seconds = time.monotonic() - began
    leases = "MATCH (m:Memory) WHERE m.name IN $names AND m.lease_owner IS NOT NULL RETURN count(m)"
    until = time.monotonic() + 2 * LEASE
    while fleet._one(leases) and time.monotonic() < until:
        time.sleep(0.1)
    return seconds


# -- the trial ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What happened, and what is wrong: from `exit_codes` on, everything must be 0, empty or True."""

    memories: int
    steps: dict[str, int]  # what was to be done in all of them together
    workers: int
    seconds: float
    kills: int
    killed: int  # in the middle of a sleep
    paused: int
    resumed: int  # runs that took a second attempt
    lost: int  # sleeps that ended because somebody else had taken over, as the workers logged them
    exit_codes: tuple[int, ...]
    wrong_runs: tuple[str, ...]  # memories without exactly one completed run for the due date
    differences: tuple[str, ...]
    leased: tuple[str, ...]
    fenced_out: bool  # a lease that had run out could write nothing
    events: dict[str, int]

    @property
    def good(self) -> bool:
        """Whether the goals are met."""
        wrong = self.wrong_runs or self.differences or self.leased or any(self.exit_codes)
        return self.fenced_out and self.killed == self.kills and not wrong


def run(store: Store, address: Address, memories: int, workers: int, kills: int, turns: int) -> Outcome:
    """The whole trial; all that it made is deleted."""
    graph = Graph(store, embedder(), OfflineExtractor(), OPTIONS)
    names = [f"{PREFIX}{number:03}" for number in range(memories)]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number in range(min(TEMPLATES, memories)):
            template = make_template(graph, number, turns)
            files.append(Path(folder) / f"{number}.jsonl")
            export_memory(store, template, files[-1])
            remove(graph, template)
        expected, steps = undisturbed(graph, names, files)
        make(store, names, files)
        fleet = Fleet(store, address, names, Path(folder))
        late = acquire(store, names[0], "slow", seconds=0.001)
        try:
            fleet.start(workers)
            seconds = disturb(fleet, kills)
            codes = fleet.end()
        finally:
            for process in fleet.processes:
                process.kill()
        outcome = judge(fleet, expected, steps, kills, seconds, codes, late)
    for name in names:
        remove(graph, name)
    return outcome


def judge(
    fleet: Fleet,
    expected: States,
    steps: dict[str, int],
    kills: int,
    seconds: float,
    codes: Sequence[int],
    late: Lease,
) -> Outcome:
    """Compare everything with what it must be."""
    store, names = fleet.store, fleet.names
    runs = store.schema(
        "MATCH (s:Sleep) WHERE s.memory IN $names "
        "RETURN s.memory AS memory, collect(s.state) AS states, collect(s.due) AS due, max(s.attempts) AS attempts",
        names=names,
    )
    due = NIGHT.latest(datetime.now(UTC))
    right = {
        row["memory"] for row in runs if row["states"] == ["done"] and [d.to_native() for d in row["due"]] == [due]
    }
    differences = []
    for name in names:
        differences += [f"{name}: {line}" for line in kill.differences(expected[name], state(store, name))]
    left = store.schema("MATCH (m:Memory) WHERE m.lease_owner IS NOT NULL RETURN m.name AS name")
    before = state(store, names[0])
    try:
        late.write(lambda tx: tx.run("consolidation/note_sleep", memory=names[0], turn=0, report="{}"))
        fenced = False
    except LeaseLostError:
        fenced = state(store, names[0]) == before
    events = fleet.events()
    return Outcome(
        memories=len(names),
        steps=steps,
        workers=len(fleet.processes),
        seconds=round(seconds, 1),
        kills=kills,
        killed=len(fleet.killed),
        paused=len(fleet.paused),
        resumed=sum(row["attempts"] > 1 for row in runs),
        lost=events["sleep.lost"],
        exit_codes=tuple(codes),
        wrong_runs=tuple(sorted(set(names) - right)),
        differences=tuple(differences),
        leased=tuple(row["name"] for row in left),
        fenced_out=fenced,
        events=dict(sorted(events.items())),
    )


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=200)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--turns", type=int, default=8, help="of each memory")
    add_arguments(parser)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work()
        return
    with serving(arguments, read_settings()) as at, Store(at.uri, at.user, at.password, at.database) as store:
        prepare_schema(store, 384)
        outcome = run(store, at, arguments.memories, arguments.workers, arguments.kills, arguments.turns)
    if arguments.json:
        arguments.json.write_text(json.dumps(asdict(outcome), indent=2) + "\n")
    for name, value in asdict(outcome).items():
        shown = f"{len(value)}: {', '.join(value[:5])}" if isinstance(value, tuple) and name != "exit_codes" else value
        print(f"{name:<14} {shown}")
    raise SystemExit(not outcome.good)


if __name__ == "__main__":
    try:
        main()
    except OroiError as error:
        sys.exit(str(error))
