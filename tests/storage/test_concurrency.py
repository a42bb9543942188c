"""Several writers at once: numbers unique and without gaps, nothing lost, no deadlock reaches a caller."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from graph_view import NOON, association, clock, concepts, current, records, stating, tell
from locations import SUPPORT

from oroi_graph import Graph, Memory, OfflineExtractor, ScriptedEmbedder

WRITER = SUPPORT / "write_turns.py"
TURNS = 25


@pytest.fixture
def shared(graph: Graph) -> Iterator[Memory]:
    """A memory whose embedder costs nothing, so that the writers meet in the database."""
    own = Graph(graph.store, ScriptedEmbedder(), OfflineExtractor())
    memory = own.memory(f"test-{uuid.uuid4().hex[:12]}")
    yield memory
    assert own.delete(memory.name) == 0


def test_two_processes_write_into_one_memory(shared: Memory, store_settings: Any) -> None:
    environment = {
        **os.environ,
        "WRITER_USER": store_settings.user,
        "WRITER_PASSWORD": store_settings.password,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    writers = [
        subprocess.Popen(
            [sys.executable, str(WRITER), store_settings.uri, shared.name, speaker, str(TURNS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for speaker in ("Ana", "Bob")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n", writer.communicate()[1]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    told = []
    for writer in writers:
        out, error = writer.communicate(timeout=300)
        assert writer.returncode == 0, error
        told.append([int(line) for line in out.split()])
    assert [len(numbers) for numbers in told] == [TURNS, TURNS]
    assert sorted(told[0] + told[1]) == list(range(1, 2 * TURNS + 1))
    assert told[0] == sorted(told[0])
    assert max(told[0]) > min(told[1]), "they did write at the same time"
    assert max(told[1]) > min(told[0])
    assert clock(shared) == 2 * TURNS
    kept = Counter((r["role"], r["turn"]) for r in records(shared))
    assert kept == {(role, n): 1 for role in ("user", "assistant") for n in range(1, 2 * TURNS + 1)}
    found = concepts(shared)
    assert set(found) == {"Ana", "Bob", "Marta", "shared road", *(f"Town {i}" for i in range(TURNS))}
    assert found["Marta"]["mentions"] == found["shared road"]["mentions"] == 2 * TURNS
    assert len(current(shared)) == 2 * TURNS + 2
    assert association(shared, "Marta", "Ana")["count"] == association(shared, "Marta", "Bob")["count"] == TURNS


def test_threads_share_one_memory(shared: Memory) -> None:
    numbers: list[int | None] = []

    def write(who: int) -> None:
        for i in range(5):
            extraction = stating(("I", "visited", f"Town {i}"), names=[f"Town {i}"])
            numbers.append(tell(shared, f"Town {i}.", extraction, f"Speaker{who}", id=f"{who}-{i}").number)

    assert in_threads(write, 6) == []
    assert sorted(n for n in numbers if n) == list(range(1, 31))
    assert clock(shared) == 30


def test_the_same_turn_from_several_threads_is_one_turn(shared: Memory) -> None:
    numbers: list[int | None] = []

    def write(who: int) -> None:
        extraction = stating(("I", "lives in", "Valencia"), names=["Valencia"])
        numbers.append(
            shared.perceive("I live in Valencia.", speaker="Ana", id="one", at=NOON, extraction=extraction).number
        )

    assert in_threads(write, 6) == []
    assert numbers == [1] * 6
    assert concepts(shared)["Valencia"]["mentions"] == 1
    assert association(shared, "Ana", "Valencia")["count"] == 1


def test_threads_on_memories_of_their_own(graph: Graph) -> None:
    own = Graph(graph.store, ScriptedEmbedder(), OfflineExtractor())
    names = [f"test-{uuid.uuid4().hex[:12]}" for _ in range(8)]
    found: dict[int, tuple[set[tuple[str, str, str]], int]] = {}

    def write(who: int) -> None:
        memory = own.memory(names[who])
        for i in range(4):
            extraction = stating(("I", "lives in", f"Town {who} {i}"), names=[f"Town {who} {i}"])
            tell(memory, f"I live in Town {who} {i}.", extraction)
        found[who] = current(memory), clock(memory)

    try:
        assert in_threads(write, 8) == []
        assert found == {who: ({("Ana", "lives in", f"Town {who} 3")}, 4) for who in range(8)}
    finally:
        for name in names:
            assert own.delete(name) == 0


def test_several_threads_create_one_memory(graph: Graph) -> None:
    name = f"test-{uuid.uuid4().hex[:12]}"
    try:
        assert in_threads(lambda _: graph.memory(name), 8) == []
        assert [m.name for m in graph.memories()].count(name) == 1
    finally:
        graph.delete(name)


def in_threads(work: Any, count: int) -> list[BaseException]:
    """Run `work(0..count-1)` at once; the errors it raised."""
    errors: list[BaseException] = []
    start = threading.Barrier(count)

    def run(who: int) -> None:
        try:
            start.wait()
            work(who)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(who,)) for who in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors
