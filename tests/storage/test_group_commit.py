"""Several agents, one commit: who is taken along, whose failure is whose, and nobody left waiting."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from neo4j.exceptions import TransientError
from tables import table

from oroi_graph.errors import StoreError
from oroi_graph.storage.group_commit import GroupCommit, Work
from oroi_graph.storage.store import Store, Transaction

PATIENCE = 60.0  # seconds after which a thread counts as stranded


class Writing:
    """A group commit whose transactions are lists of results, and which notes how each work was run."""

    def __init__(self, **options: int) -> None:
        self.groups: list[int] = []
        self.alone = 0
        self.commits = GroupCommit(self._alone, self._together, **options)
        self.outcomes: dict[str, Any] = {}
        self.threads: list[threading.Thread] = []
        self.refused: BaseException | None = None

    def _alone(self, work: Work[Any]) -> Any:
        self.alone += 1
        return work("alone")

    def _together(self, works: Sequence[Work[Any]]) -> list[Any]:
        self.groups.append(len(works))
        if self.refused is not None:
            raise self.refused
        return [work("together") for work in works]

    def start(self, name: str, work: Work[Any], memory: str | None = None) -> None:
        """Write in a thread of its own, and wait until it is under way or in the queue."""

        def run() -> None:
            try:
                self.outcomes[name] = self.commits.write(work, memory or name)
            except BaseException as error:
                self.outcomes[name] = error

        self.threads.append(threading.Thread(target=run, name=name))
        seen = self.seen()
        self.threads[-1].start()
        wait(lambda: self.seen() > seen)

    def seen(self) -> int:
        """Works that wait, are under way, or are over."""
        commits = self.commits
        with commits._lock:
            return len(commits._queue) + len(commits._busy) + len(self.outcomes)

    def end(self) -> None:
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), f"{thread.name} was left waiting"
        assert (self.commits._queue, self.commits._busy, self.commits._under_way) == ([], set(), 0)


def wait(until: Callable[[], bool]) -> None:
    for _ in range(int(PATIENCE * 200)):
        if until():
            return
        threading.Event().wait(0.005)
    raise AssertionError("it never happened")


@pytest.fixture
def held() -> threading.Event:
    """Keeps whoever goes first in its transaction, so that the others meet behind it."""
    return threading.Event()


def first(writing: Writing, held: threading.Event, name: str = "first") -> None:
    writing.start(name, lambda tx: (held.wait(PATIENCE), tx)[1])


def test_who_writes_alone_goes_at_once_and_alone() -> None:
    writing = Writing()
    assert writing.commits.write(lambda tx: tx, "a") == "alone"
    assert (writing.alone, writing.groups) == (1, [])
    writing.end()


def test_those_who_wait_go_together_and_each_has_its_own_result(held: threading.Event) -> None:
    writing = Writing(flights=1, most=3)
    first(writing, held)
    for name in "abcde":
        writing.start(name, lambda tx, name=name: f"{tx} {name}")
    held.set()
    writing.end()
    assert writing.groups == [3, 2]
    assert writing.outcomes == {"first": "alone", **{name: f"together {name}" for name in "abcde"}}


def test_two_may_be_under_way(held: threading.Event) -> None:
    writing = Writing(flights=2)
    first(writing, held)
    assert writing.commits.write(lambda tx: tx, "second") == "alone"
    held.set()
    writing.end()


def test_a_group_holds_one_work_a_memory_in_the_order_of_coming(held: threading.Event) -> None:
    writing, order = Writing(flights=1), list[str]()
    first(writing, held)
    for name, memory in (("a1", "a"), ("a2", "a"), ("b1", "b"), ("a3", "a")):
        writing.start(name, lambda tx, name=name: order.append(name), memory)
    held.set()
    writing.end()
    assert writing.groups == [2]
    assert [name for name in order if name[0] == "a"] == ["a1", "a2", "a3"]


def test_a_memory_is_in_one_transaction_at_a_time(held: threading.Event) -> None:
    writing = Writing(flights=2)
    first(writing, held, "a")
    writing.start("again", lambda tx: tx, "a")
    assert writing.commits.write(lambda tx: tx, "b") == "alone"
    assert "again" not in writing.outcomes
    held.set()
    writing.end()
    assert writing.outcomes["again"] == "alone"


def test_a_group_takes_its_memories_in_the_order_of_their_names(held: threading.Event) -> None:
    writing, order = Writing(flights=1), list[str]()
    first(writing, held)
    for name in "cab":
        writing.start(name, lambda tx, name=name: order.append(name))
    held.set()
    writing.end()
    assert order == ["a", "b", "c"]


@pytest.mark.parametrize("error", [ValueError("mine"), StoreError("mine")])
def test_a_failure_stays_its_own(held: threading.Event, error: Exception) -> None:
    writing = Writing(flights=1)
    first(writing, held)

    def fail(tx: Any) -> None:
        raise error

    writing.start("a", lambda tx: tx)
    writing.start("b", fail)
    writing.start("c", lambda tx: tx)
    held.set()
    writing.end()
    assert writing.groups == [3]
    assert writing.outcomes == {"first": "alone", "a": "alone", "b": error, "c": "alone"}


def test_a_commit_that_fails_leaves_each_to_itself(held: threading.Event) -> None:
    writing = Writing(flights=1)
    writing.refused = TransientError("deadlock")
    first(writing, held)
    for name in "ab":
        writing.start(name, lambda tx: tx)
    held.set()
    writing.end()
    assert writing.outcomes == {"first": "alone", "a": "alone", "b": "alone"}


def test_an_interrupted_leader_strands_nobody(held: threading.Event) -> None:
    writing = Writing(flights=1)
    first(writing, held)

    def interrupted(tx: Any) -> str:
        if tx == "together":
            raise KeyboardInterrupt
        return str(tx)

    for name in "abc":
        writing.start(name, interrupted)
    held.set()
    writing.end()
    assert writing.groups == [3]
    assert isinstance(writing.outcomes["a"], KeyboardInterrupt)
    assert [writing.outcomes[name] for name in "bc"] == ["alone", "alone"]
    assert writing.commits.write(lambda tx: tx, "later") == "alone"


def test_many_threads_are_all_served() -> None:
    writing = Writing(flights=2, most=3)
    counted: dict[str, int] = {}

    def work(memory: str) -> Work[int]:
        def add(tx: Any) -> int:
            counted[memory] = counted.get(memory, 0) + 1  # safe only because a memory has one writer
            return counted[memory]

        return add

    def run(who: int) -> None:
        for i in range(200):
            memory = f"m{(who + i) % 5}"
            writing.commits.write(work(memory), memory)

    writing.threads = [threading.Thread(target=run, args=(who,)) for who in range(12)]
    for thread in writing.threads:
        thread.start()
    writing.end()
    assert sum(counted.values()) == 12 * 200
    assert writing.alone + sum(writing.groups) == 12 * 200


# -- in the database --------------------------------------------------------------------------------------------


def create(name: str) -> Callable[[Transaction], str]:
    def work(tx: Transaction) -> str:
        tx.run("storage/create_memory", memory=name, model="m", dimensions=1, memory_key="k")
        return name

    return work


def test_one_commit_for_two_and_none_for_the_one_who_fails(store: Store) -> None:
    names = [f"test-{uuid.uuid4().hex[:12]}" for _ in range(3)]

    def half(tx: Transaction) -> None:
        create(names[2])(tx)
        raise ValueError("half-way")

    try:
        assert store._write_together([create(name) for name in names[:2]]) == names[:2]
        with pytest.raises(ValueError, match="half-way"):
            store._write_together([create(names[0]), half])
        found = [store.rows("storage/read_memory", memory=name) for name in names]
        assert [len(rows) for rows in found] == [1, 1, 0]
    finally:
        for name in names:
            store.write_rows("storage/delete_memory", memory=name)


def test_a_write_that_may_share_raises_what_it_would_raise_alone(store: Store) -> None:
    with pytest.raises(StoreError, match="storage/read_memory returned 0 rows"):
        store.write(lambda tx: tx.one("storage/read_memory", memory="nobody"), memory="nobody")


@table(
    ("uri", "shared"),
    [
        ("bolt://127.0.0.1:17600", True),
        ("neo4j://localhost", True),
        ("bolt://[::1]:7687", True),
        ("bolt://db:7687", False),
        ("neo4j+s://x.databases.neo4j.io", False),
    ],
)
def test_only_a_database_of_this_machine_is_written_in_groups(uri: str, shared: bool) -> None:
    with Store(uri, "neo4j", "secret") as opened:
        assert (opened._commits is not None) == shared
