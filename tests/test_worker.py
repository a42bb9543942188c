"""Workers on the real server: what is due, what becomes of it, and several processes that share it, one killed."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest_cli import Ran, cli_environment, oroi, spawn
from graph_view import stating, tell
from waiting import PATIENCE, waited

from oroi_graph import Graph, Memory, OfflineExtractor, ScriptedEmbedder
from oroi_graph.cli.sleep import LOGS, LONGEST_LOG, logged
from oroi_graph.consolidation.pipeline import SleepReport, SleepRun, consolidate
from oroi_graph.consolidation.schedule import CronSchedule, Schedule
from oroi_graph.errors import (
    BusyError,
    InputError,
    LeaseLostError,
    MemoryNotFoundError,
    ProviderError,
    SettingsError,
    StoreError,
)
from oroi_graph.storage.lease import acquire
from oroi_graph.storage.store import Store
from oroi_graph.transfer.archive import export_memory, import_memory
from oroi_graph.worker import LONGEST, REST, Due, SleepOutcome, Worker

__all__ = ["cli_environment", "oroi", "spawn"]

YEARLY = "0 0 1 1 *"
NIGHT = CronSchedule(YEARLY, UTC)
NEVER = threading.Event()


@pytest.fixture
def own(graph: Graph) -> Graph:
    """A graph whose embedder costs nothing."""
    return Graph(graph.store, ScriptedEmbedder(), OfflineExtractor())


@pytest.fixture
def memories(own: Graph) -> Iterator[Callable[..., list[str]]]:
    """Make memories of some turns each, said two years ago; deleted afterwards."""
    made: list[str] = []

    def make(count: int = 1, turns: int = 3, graph: Graph = own) -> list[str]:
        names = [f"work-{uuid.uuid4().hex[:10]}" for _ in range(count)]
        made.extend(names)
        for name in names:
            memory = graph.memory(name)
            for i in range(turns):
                say(memory, i)
            backdate(own.store, name, days=800)
        return names

    yield make
    for name in made:
        assert own.delete(name) == 0


def say(memory: Memory, i: int) -> None:
    """One turn, closed."""
    said = stating(("I", "visited", f"Town {i}"), names=[f"Town {i}", "Marta"], concepts=["shared road"])
    tell(memory, f"I visited Town {i} with Marta by the shared road.", said, id=f"turn-{i}-{uuid.uuid4().hex[:6]}")


def backdate(store: Store, name: str, turn: int | None = None, **ago: float) -> None:
    """Let it have been said some time ago, by the database's clock: all of it, or one turn's record only."""
    store.schema(
        "MATCH (r:Record {memory: $name}) WHERE $turn IS NULL OR r.turn = $turn SET r.created_at = datetime() - $ago",
        name=name, turn=turn, ago=timedelta(**ago),
    )  # fmt: skip
    if turn is None:
        store.schema(
            "MATCH (m:Memory {name: $name}) SET m.heard_at = datetime() - $ago", name=name, ago=timedelta(**ago)
        )


def run_record(store: Store, name: str, **properties: Any) -> None:
    """A run record with these properties, in place of those there were; `ago`: seconds since it started."""
    ago = properties.pop("ago", 0)
    store.schema("MATCH (s:Sleep {memory: $name}) DELETE s", name=name)
    store.schema(
        "CREATE (s:Sleep {memory: $name, turn: 3, attempts: 1}) SET s += $properties, "
        "s.started_at = datetime() - duration({seconds: $ago})",
        name=name, properties=properties, ago=ago,
    )  # fmt: skip


def due(graph: Graph, names: list[str], **schedule: Any) -> list[Due]:
    """What a worker with this schedule finds due among the named."""
    return Worker(graph, Schedule(**{"night": None, **schedule}), memories=names).due()


def report(memory: str, state: str = "done", **more: Any) -> SleepReport:
    return SleepReport(memory, state, 3, 0, **more)


# -- what is due ------------------------------------------------------------------------------------------------


def test_said_before_the_night_is_due_and_said_after_is_not(own: Graph, memories: Any) -> None:
    [before] = memories()
    [after] = memories()
    backdate(own.store, after, seconds=1)
    tonight = NIGHT.latest(datetime.now(UTC))
    assert due(own, [before, after], night=NIGHT) == [Due(before, 3, "scripted", "night", tonight)]


def test_what_was_said_before_a_missed_night_is_due_though_they_still_speak(own: Graph, memories: Any) -> None:
    [name] = memories()
    backdate(own.store, name, seconds=1)
    assert due(own, [name], night=NIGHT) == []
    backdate(own.store, name, turn=1, days=800)
    assert [found.reason for found in due(own, [name], night=NIGHT)] == ["night"]
    own.store.schema("MATCH (m:Memory {name: $name}) SET m.slept_turn = 1", name=name)
    assert due(own, [name], night=NIGHT) == []


def test_a_night_that_is_done_is_not_done_again(own: Graph, memories: Any) -> None:
    [name] = memories()
    tonight = NIGHT.latest(datetime.now(UTC))
    assert tonight is not None
    run_record(own.store, name, state="done", turn=1, due=tonight)
    assert due(own, [name], night=NIGHT) == []
    run_record(own.store, name, state="done", turn=1, due=tonight - timedelta(days=365))
    assert len(due(own, [name], night=NIGHT)) == 1
    run_record(own.store, name, state="done", turn=1)
    assert len(due(own, [name], night=NIGHT)) == 1, "a sleep for another reason is none of this night's"


def test_without_a_new_turn_nothing_is_due(own: Graph, memories: Any) -> None:
    [name] = memories()
    own.store.schema("MATCH (m:Memory {name: $name}) SET m.slept_turn = m.turn", name=name)
    everything = {"night": NIGHT, "idle": 0.0, "grown": 1}
    assert due(own, [name], **everything) == []
    own.memory(name).perceive("I am still speaking.", extraction=stating())
    assert due(own, [name], **everything) == [], "an open turn is no closed one"
    own.memory(name).perceive("Now the last one is closed.", extraction=stating())
    assert len(due(own, [name], **everything)) == 1


def test_idle_is_counted_since_anybody_spoke(own: Graph, memories: Any) -> None:
    [name] = memories()
    backdate(own.store, name, minutes=10)
    assert due(own, [name], idle=9.5) == [Due(name, 3, "scripted", "idle")]
    assert due(own, [name], idle=10.5) == []
    say(own.memory(name), 9)
    assert due(own, [name], idle=9.5) == []


def test_grown_is_counted_since_the_last_sleep(own: Graph, memories: Any) -> None:
    [name] = memories()
    assert due(own, [name], grown=3) == [Due(name, 3, "scripted", "grown")]
    assert due(own, [name], grown=4) == []
    own.store.schema("MATCH (m:Memory {name: $name}) SET m.slept_turn = 1", name=name)
    assert due(own, [name], grown=3) == []
    assert len(due(own, [name], grown=2)) == 1


def test_what_somebody_is_at_is_not_due_until_the_lease_has_run_out(own: Graph, memories: Any) -> None:
    [name] = memories()
    acquire(own.store, name, "somebody", seconds=60)
    assert due(own, [name], grown=1) == []
    own.store.schema("MATCH (m:Memory {name: $name}) SET m.lease_until = datetime() - duration('PT1S')", name=name)
    assert len(due(own, [name], grown=1)) == 1


@pytest.mark.parametrize("mark", ["deleting", "reembedding", "importing"])
def test_what_is_unusable_is_not_due(own: Graph, memories: Any, mark: str) -> None:
    [name] = memories()
    own.store.schema(f"MATCH (m:Memory {{name: $name}}) SET m.{mark} = true", name=name)
    assert due(own, [name], grown=1) == []
    own.store.schema(f"MATCH (m:Memory {{name: $name}}) REMOVE m.{mark}", name=name)


@pytest.mark.parametrize(
    ("state", "attempts", "rest"),
    [
        ("failed", 1, REST),
        ("failed", 2, 2 * REST),
        ("failed", 4, 8 * REST),
        ("failed", 60, LONGEST),
        ("running", 1, 0),  # what a dead worker left is taken up at once …
        ("running", 2, REST),  # … but not if one worker after the other dies of it
        ("running", 4, 4 * REST),
    ],
)
def test_what_failed_rests_twice_as_long_each_time(
    own: Graph, memories: Any, state: str, attempts: int, rest: int
) -> None:
    [name] = memories()
    if rest:
        run_record(own.store, name, state=state, attempts=attempts, ago=rest - 20)
        assert due(own, [name], grown=1) == []
    run_record(own.store, name, state=state, attempts=attempts, ago=rest + 1)
    assert len(due(own, [name], grown=1)) == 1


def test_a_memory_of_another_model_is_skipped_and_that_is_said_once(
    own: Graph, memories: Any, caplog: pytest.LogCaptureFixture
) -> None:
    [name] = memories()
    [other] = memories(graph=Graph(own.store, ScriptedEmbedder(model="another"), OfflineExtractor()))
    worker = Worker(own, Schedule(night=None, grown=1), memories=[name, other])
    with caplog.at_level(logging.INFO):
        assert [[found.memory for found in worker.due()] for _ in range(3)] == [[name]] * 3
    said = [record.getMessage() for record in caplog.records if "sleep.skipped" in record.getMessage()]
    assert len(said) == 1
    assert f"memory={other}" in said[0]
    assert "pinned_to=another" in said[0]


def test_all_memories_are_looked_after_where_none_is_named(own: Graph, memories: Any) -> None:
    names = memories(2)
    found = [one.memory for one in Worker(own, Schedule(night=None, grown=1)).due()]
    assert set(names) <= set(found)
    assert len(found) == len(set(found))


def test_the_order_is_left_to_chance(own: Graph, memories: Any) -> None:
    names = memories(6, turns=1)
    worker = Worker(own, Schedule(night=None, grown=1), memories=names)
    orders = {tuple(found.memory for found in worker.due()) for _ in range(10)}
    assert len(orders) > 1
    assert {frozenset(order) for order in orders} == {frozenset(names)}


def test_unusable_arguments(own: Graph) -> None:
    with pytest.raises(MemoryNotFoundError):
        Worker(own, Schedule(), memories=["nobody-of-that-name"])
    with pytest.raises(SettingsError, match="lease must be seconds above 0"):
        Worker(own, Schedule(), lease=0)


# -- what becomes of it ----------------------------------------------------------------------------------------


def outcomes(graph: Graph, names: list[str], work: Callable[..., SleepReport], **given: Any) -> dict[str, SleepOutcome]:
    worker = Worker(graph, Schedule(night=NIGHT), memories=names, work=work, **given)
    return {outcome.memory: outcome for outcome in worker.once(NEVER)}


def test_a_pass_consolidates_what_is_due_and_nothing_twice(own: Graph, memories: Any) -> None:
    names = memories(2)
    found = outcomes(own, names, consolidate)
    assert {name: found[name].state for name in names} == dict.fromkeys(names, "done")
    assert outcomes(own, names, consolidate) == {}
    tonight = NIGHT.latest(datetime.now(UTC))
    for name in names:
        [run] = own.store.schema("MATCH (s:Sleep {memory: $name}) RETURN s.state AS state, s.due AS due", name=name)
        assert (run["state"], run["due"].to_native()) == ("done", tonight)


def test_a_judge_and_a_summarizer_are_handed_on(own: Graph, memories: Any) -> None:
    [name] = memories()
    given: dict[str, Any] = {}

    def work(store: Store, memory: str, embedder: Any, options: Any, run: SleepRun) -> SleepReport:
        given.update(memory=memory, options=options, run=run)
        return report(memory)

    own.judge = judge = object()  # type: ignore[assignment]
    outcomes(own, [name], work, lease=7.0)
    assert given["run"].judge is judge
    assert given["run"].summarizer is own.summarizer
    assert given["run"].seconds == 7.0
    assert given["memory"] == name
    assert given["options"] is own.options
    assert given["run"].due == NIGHT.latest(datetime.now(UTC))


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (lambda name: BusyError(name, "somebody", "2026-01-01T00:00:00Z"), "busy"),
        (lambda name: LeaseLostError(name), "lost"),
        (lambda name: MemoryNotFoundError(name), "gone"),
        (lambda name: ProviderError("Marta has a secret"), "failed"),
        (lambda name: StoreError("Marta has a secret"), "failed"),
        (lambda name: ZeroDivisionError("Marta has a secret"), "failed"),
    ],
)
def test_trouble_with_one_memory_is_not_the_others(
    own: Graph, memories: Any, caplog: pytest.LogCaptureFixture, error: Any, state: str
) -> None:
    names = memories(3, turns=1)
    asked: list[str] = []

    def work(store: Store, memory: str, *_: Any, **__: Any) -> SleepReport:
        asked.append(memory)
        if len(asked) == 2:
            raise error(memory)
        return report(memory)

    with caplog.at_level(logging.DEBUG):
        found = outcomes(own, names, work)
    assert sorted(asked) == sorted(names)
    assert [found[name].state for name in asked] == ["done", state, "done"]
    assert f"sleep.{state}" in caplog.text
    assert "secret" not in caplog.text
    assert "secret" not in str(found)


def test_what_others_did_meanwhile_is_left_alone(own: Graph, memories: Any) -> None:
    names = memories(4, turns=1)
    asked: list[str] = []

    def work(store: Store, memory: str, *_: Any, **__: Any) -> SleepReport:
        asked.append(memory)
        others = [name for name in names if name != memory]
        store.schema("MATCH (m:Memory) WHERE m.name IN $names SET m.slept_turn = m.turn", names=others)
        return report(memory)

    outcomes(own, names, work)
    assert len(asked) == 1


def test_no_new_sleep_begins_once_it_is_asked_to_stop(own: Graph, memories: Any) -> None:
    names = memories(3, turns=1)
    stop = threading.Event()

    def work(store: Store, memory: str, embedder: Any, options: Any, run: SleepRun) -> SleepReport:
        assert run.stop is stop
        stop.set()
        return report(memory, "interrupted")

    worker = Worker(own, Schedule(night=NIGHT), memories=names, work=work)
    worker.run(stop)
    assert [outcome.state for outcome in worker.once(stop)] == []


def test_a_database_that_does_not_answer_is_asked_again(
    own: Graph, memories: Any, store_settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The driver of the worker is closed under it for a while, as if the network were gone."""
    [name] = memories()
    stop = threading.Event()
    store = Store(store_settings.uri, store_settings.user, store_settings.password, patience=0.5)
    cut = Graph(store, own.embedder, own.extractor)
    worker = Worker(cut, Schedule(night=NIGHT, poll=0.2), memories=[name], work=consolidate)
    store.close()
    with caplog.at_level(logging.INFO):
        thread = threading.Thread(target=worker.run, args=(stop,))
        thread.start()
        waited(lambda: "store.failed" in caplog.text)
        cut.store = own.store
        waited(lambda: "sleep.done" in caplog.text)
        stop.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()
    assert "worker.stopped" in caplog.text


# -- the command ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--at", "at three"), "cron expression 'at three' must have five fields"),
        (("--at", "0 25 * * *"), "unusable cron expression"),
        (("--poll", "0"), "poll must be seconds above 0"),
        (("--lease", "-1"), "lease must be seconds above 0"),
        (("--idle", "-1"), "idle must be minutes from 0"),
        (("nobody-of-that-name",), "no memory named"),
        (("bad name",), "bad memory name"),
    ],
)
def test_unusable_options_are_refused_in_one_line(oroi: Callable[..., Ran], arguments: Any, says: str) -> None:
    assert says in oroi("worker", "--once", *arguments).failed()


def test_numbers_are_counts(oroi: Callable[..., Ran]) -> None:
    assert "0 is not in the range" in oroi("worker", "--once", "--grown", "0").failed(2)


def test_a_log_file_is_rotated(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    with logged(False, logging.INFO, log):
        for _ in range(LOGS + 2):
            logging.getLogger("oroi_graph.worker").info("x" * (LONGEST_LOG - 100))
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["worker.log", *(f"worker.log.{number}" for number in range(1, LOGS))]
    assert all(path.stat().st_size <= LONGEST_LOG for path in tmp_path.iterdir())
    with pytest.raises(InputError, match="cannot write"), logged(False, logging.INFO, tmp_path):
        pass


def test_once_prints_what_it_did(oroi: Callable[..., Ran], memories: Any, graph: Graph) -> None:
    first, second = memories(2, graph=graph)
    ran = oroi("worker", "--once", "--json", "--at", YEARLY, first)
    assert (ran.code, ran.err) == (0, "")
    [found] = ran.json
    assert (found["memory"], found["reason"], found["state"]) == (first, "night", "done")
    assert found["report"]["turn"] == 3
    ran = oroi("worker", "--once", "--grown", "2", first, second)
    assert ran.code == 0
    assert second in ran.out
    assert first not in ran.out
    assert "grown" in ran.out
    ran = oroi("worker", "--once", "--grown", "2", first, second)
    assert (ran.code, ran.out, ran.err) == (0, "", "no memory is due\n")
    assert oroi("worker", "--once", "--json", "--grown", "2", first).json == []


def started(spawn: Any, folder: Path, name: str, *arguments: str) -> tuple[subprocess.Popen[bytes], Path]:
    log = folder / f"{name}.log"
    with log.open("wb") as file:
        return spawn("worker", "--json", *arguments, stderr=file), log


def events(log: Path) -> list[dict[str, Any]]:
    whole = log.read_text().rpartition("\n")[0]
    return [json.loads(line) for line in whole.splitlines()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_well_when_it_is_asked_to(spawn: Any, memories: Any, graph: Graph, tmp_path: Path, number: int) -> None:
    [name] = memories(graph=graph)
    process, log = started(spawn, tmp_path, "one", "--at", YEARLY, "--poll", "0.5", name)
    waited(lambda: [event for event in events(log) if event["event"] == "sleep.done"])
    process.send_signal(number)
    assert process.wait(PATIENCE) == 0
    out, _ = process.communicate()
    assert out == b""
    assert [event["event"] for event in events(log)] == [
        "worker.started",
        "sleep.started",
        "sleep.done",
        "worker.stopped",
    ]
    assert {event["memory"] for event in events(log) if "memory" in event} == {name}
    assert "Town" not in log.read_text()
    assert "Marta" not in log.read_text()


def test_processes_share_the_night_and_one_is_killed(spawn: Any, memories: Any, graph: Graph, tmp_path: Path) -> None:
    store = graph.store
    [template] = memories(turns=6, graph=graph)
    export_memory(store, template, tmp_path / "template.jsonl")
    names = [f"{template}-{number}" for number in range(12)]
    undisturbed = f"{template}-alone"
    for name in (*names, undisturbed):
        import_memory(store, tmp_path / "template.jsonl", name)
        backdate(store, name, days=800)
    try:
        assert consolidate(store, undisturbed, graph.embedder).state == "done"
        expected = strengths(store, undisturbed)
        assert any(row["strength"] > 0 for row in expected)
        options = ("--at", YEARLY, "--poll", "0.5", "--lease", "1.5", *names)
        # The victim begins alone: beside the others a slow one may find no memory left to be struck in.
        workers = [started(spawn, tmp_path, "0", *options)]
        victim = workers[0][0]
        waited(lambda: victim.poll() is not None or struck(store, victim, names))
        workers += [started(spawn, tmp_path, str(number), *options) for number in (1, 2)]
        victim.wait(PATIENCE)
        query = "MATCH (s:Sleep {state: 'done'}) WHERE s.memory IN $names RETURN count(s) AS n"
        waited(lambda: store.schema(query, names=names)[0]["n"] >= len(names))
        for process, _ in workers[1:]:
            process.send_signal(signal.SIGTERM)
        assert [process.wait(PATIENCE) for process, _ in workers] == [-signal.SIGKILL, 0, 0]
        runs = store.schema("MATCH (s:Sleep) WHERE s.memory IN $names RETURN s {.*} AS s", names=names)
        assert sorted(row["s"]["memory"] for row in runs) == sorted(names)
        tonight = NIGHT_HERE.latest(datetime.now(UTC))
        assert {(row["s"]["state"], row["s"]["due"].to_native()) for row in runs} == {("done", tonight)}
        assert sum(row["s"]["attempts"] for row in runs) == len(names) + 1, "the killed one's was taken up"
        leased = "MATCH (m:Memory) WHERE m.name IN $names AND m.lease_owner IS NOT NULL RETURN m.name"
        assert store.schema(leased, names=names) == []
        for name in names:
            assert strengths(store, name) == expected
    finally:
        for process, _ in workers:
            process.kill()
            process.communicate()
        for name in (*names, undisturbed):
            assert graph.delete(name) == 0


NIGHT_HERE = CronSchedule(YEARLY)  # in the zone that the processes are in


def struck(store: Store, process: subprocess.Popen[bytes], names: list[str]) -> bool:
    """`kill -9` in the middle of a sleep, if it is in one now."""
    process.send_signal(signal.SIGSTOP)
    query = (
        "MATCH (m:Memory) WHERE m.name IN $names AND m.lease_owner CONTAINS $pid "
        "MATCH (s:Sleep {memory: m.name, state: 'running', fence: m.lease_fence}) RETURN count(s) AS n"
    )
    running = store.schema(query, names=names, pid=f":{process.pid}:")[0]["n"]
    process.send_signal(signal.SIGKILL if running else signal.SIGCONT)
    return bool(running)


def strengths(store: Store, name: str) -> list[dict[str, Any]]:
    """What a sleep changes, and would change again if it were applied twice."""
    return store.schema(
        "MATCH (c:Concept {memory: $name}) "
        "RETURN c.label AS label, c.strength AS strength, c.exposure AS exposure, c.slept AS slept, "
        "count {(c)--()} AS degree ORDER BY label",
        name=name,
    )
