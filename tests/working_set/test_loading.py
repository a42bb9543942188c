"""A load pauses the collector of cyclic garbage, and gives it back as it was."""

from __future__ import annotations

import gc
import threading

import pytest

from oroi_graph.working_set.snapshot import _Collector


def test_the_collector_waits_for_all_loads_and_is_given_back() -> None:
    collector, within, done = _Collector(), threading.Event(), threading.Event()

    def load() -> None:
        with collector.paused():
            within.set()
            done.wait(10)

    other = threading.Thread(target=load)
    assert gc.isenabled()
    with collector.paused():
        other.start()
        within.wait(10)
        assert not gc.isenabled()
    assert not gc.isenabled(), "the other one still loads"
    done.set()
    other.join()
    assert gc.isenabled()


def test_a_load_that_fails_gives_it_back_and_none_turns_it_on() -> None:
    collector = _Collector()
    with pytest.raises(ValueError, match="unreadable"), collector.paused():
        raise ValueError("unreadable")
    assert gc.isenabled()
    gc.disable()
    try:
        with collector.paused():
            pass
        assert not gc.isenabled(), "whoever turned it off wants it off"
    finally:
        gc.enable()
