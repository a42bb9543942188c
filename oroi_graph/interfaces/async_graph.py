"""`AsyncGraph`: the façade for asynchronous code. One implementation: each call runs the synchronous one in a thread.

    async with AsyncGraph(connect()) as graph:
        memory = await graph.memory("diary")
        turn = await memory.perceive("I live in Durango.", speaker="Ana")
        print(await turn.brief)
        await turn.close("Nice.")

Methods become coroutines, and so do the properties that read the database (`Turn.brief`, `recall`, `forgotten`,
`refused`); other attributes are as they are. What comes back as a memory or a turn is asynchronous again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, Generic, Self, TypeVar

from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.memory import Graph, Memory, Turn
from oroi_graph.workspace.pipeline import Workspace

READING = frozenset({"recall", "brief", "forgotten", "refused"})  # properties of a turn that read the database

T = TypeVar("T", Graph, Memory, Turn, MemoryContract, Workspace)


class Asynchronous(Generic[T]):
    """An object of the façade whose methods are coroutines; `sync` is the object itself."""

    def __init__(self, sync: T) -> None:
        self.sync: T = sync

    def __repr__(self) -> str:
        return f"Asynchronous({self.sync!r})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if isinstance(self.sync, Turn) and name in READING:
            return _later(lambda: getattr(self.sync, name))
        found = getattr(self.sync, name)
        return _coroutine(found) if callable(found) else _wrapped(found)


class AsyncGraph(Asynchronous[Graph]):
    """A graph whose calls are awaited; it closes the graph at the end of `async with`."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.sync.close)


def _coroutine(method: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    @wraps(method)
    async def call(*args: Any, **kwargs: Any) -> Any:
        plain = [one.sync if isinstance(one, Asynchronous) else one for one in args]
        return _wrapped(await asyncio.to_thread(method, *plain, **kwargs))

    return call


async def _later(work: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(work)


def _wrapped(value: Any) -> Any:
    return Asynchronous(value) if isinstance(value, Graph | Memory | Turn | MemoryContract | Workspace) else value
