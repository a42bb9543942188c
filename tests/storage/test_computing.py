"""One thread computes at a time, and nobody waits for long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import pytest

from oroi_graph import Memory
from oroi_graph.storage import computing as turns
from oroi_graph.storage.computing import computing, waiting
from oroi_graph.storage.store import Transaction

LONG = 60.0  # seconds after which a thread counts as stranded


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadPoolExecutor]:
    """A second thread; nobody computes out of turn."""
    monkeypatch.setattr(turns, "PATIENCE", LONG)
    with ThreadPoolExecutor(1) as pool:
        yield pool


def computes(began: threading.Event | None = None) -> bool:
    """Whether it was this thread's turn."""
    with computing():
        if began is not None:
            began.set()
        return turns._mine.holds


def test_a_second_thread_waits_until_the_first_has_computed(other: ThreadPoolExecutor) -> None:
    began = threading.Event()
    with computing():
        computed = other.submit(computes, began)
        assert not began.wait(0.2)
    assert computed.result(LONG)


def test_a_thread_that_waits_lets_others_compute(other: ThreadPoolExecutor) -> None:
    with computing():
        with waiting():
            assert other.submit(computes).result(LONG)
        assert turns._mine.holds


def test_an_inner_block_keeps_the_turn(other: ThreadPoolExecutor) -> None:
    began = threading.Event()
    with computing():
        assert computes()
        computed = other.submit(computes, began)
        assert not began.wait(0.2)
    assert computed.result(LONG)


@pytest.mark.parametrize("inside", [computing, waiting])
def test_an_error_ends_the_turn(other: ThreadPoolExecutor, inside: Callable[[], AbstractContextManager[None]]) -> None:
    with pytest.raises(ZeroDivisionError), computing(), inside():
        raise ZeroDivisionError
    assert other.submit(computes).result(LONG)
    assert computes()


def test_a_thread_computes_although_another_one_does_for_long(
    other: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    with computing():
        assert other.submit(computes).result(LONG) is False
        assert turns._mine.holds
    assert other.submit(computes).result(LONG)


def test_who_has_no_patience_computes_at_once(other: ThreadPoolExecutor) -> None:
    def at_once() -> bool:
        with computing(patience=0.0):
            return turns._mine.holds

    with computing():
        assert other.submit(at_once).result(LONG) is False
    assert other.submit(at_once).result(LONG)


def test_outside_of_a_turn_waiting_does_nothing(other: ThreadPoolExecutor) -> None:
    with waiting():
        assert computes()
    assert other.submit(computes).result(LONG)


def test_who_waits_for_the_server_lets_others_compute(memory: Memory, other: ThreadPoolExecutor) -> None:
    """A statement waits for a lock that another transaction has."""
    asked, store = threading.Event(), memory.graph.store
    named: dict[str, object] = {"memory": memory.name, "at": 0, "version": 0, "stamp": "", "kept": 0}

    def lock(tx: Transaction) -> None:
        with computing():
            asked.set()
            tx.run("working_set/lock", **named)

    with store.holding("working_set/lock", **named):
        locked = other.submit(store.write, lock)
        assert asked.wait(LONG)
        assert computes()
        assert not locked.done()
    locked.result(LONG)
