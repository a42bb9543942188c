"""One thread of a process computes at a time; the others wait for their turn, or for the server.

Python runs one thread at a time, and numpy lets another one run in every operation on more than some hundred numbers.
Where several threads compute, each of these operations hands the processor from one to another, which costs more than
the operation: with eight threads a turn took half as much processor time again
([decision 1927](../../docs/decisions/1927-one-thread-computes.md)). So whoever computes over a working set keeps the
others from it as long as it computes, and lets them while it waits for the server. Who writes a memory waits for nobody
here, since others wait for it: it keeps them off if it can. Works that may take long do not take part.

Nothing depends on it: a thread that does not get its turn within `PATIENCE` computes all the same, so two that wait for
each other go on.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 0.25  # seconds after which a thread computes although another one does

_turn = threading.Lock()


class _Thread(threading.local):
    """Whether this thread is inside `computing`, and whether it is its turn."""

    computes = False
    holds = False
    patience = PATIENCE


_mine = _Thread()


@contextmanager
def computing(*, patience: float | None = None) -> Iterator[None]:
    """Wait for this thread's turn, and compute until the block ends. Within another such block: nothing.

    patience: seconds, `PATIENCE` by default; 0 for who holds what others wait for.
    """
    if _mine.computes:
        yield
        return
    _mine.computes, _mine.patience = True, PATIENCE if patience is None else patience
    _take()
    try:
        yield
    finally:
        _mine.computes = False
        _give()


@contextmanager
def waiting() -> Iterator[None]:
    """Let others compute until the block ends; outside of `computing`: nothing."""
    _give()
    try:
        yield
    finally:
        if _mine.computes:
            _take()


def awaited(future: Future[T]) -> T:
    """What a future brings; others compute until it is there."""
    with nullcontext() if future.done() else waiting():
        return future.result()


def _take() -> None:
    _mine.holds = _turn.acquire(timeout=_mine.patience)


def _give() -> None:
    if _mine.holds:
        _mine.holds = False
        _turn.release()
