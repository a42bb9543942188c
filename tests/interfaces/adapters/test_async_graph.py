"""`AsyncGraph`: the same façade, awaited."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from oroi_graph.errors import InputError
from oroi_graph.interfaces.async_graph import READING, AsyncGraph, Asynchronous
from oroi_graph.memory import Graph, Memory, Turn


def test_a_memory_is_taught_and_asked(graph: Graph, memory: Memory) -> None:
    async def talk() -> None:
        opened = await AsyncGraph(graph).memory(memory.name)
        turn = await opened.perceive("My sister Leire lives in Gernika.", speaker="Ana")
        assert (turn.number, await turn.forgotten) == (1, None)
        await turn.close("A fine town.")
        asked = await opened.perceive("Where does my sister live?", speaker="Ana", session="later")
        assert "Gernika" in (await asked.brief).text
        found = await asyncio.gather(*(opened.recall("Where does my sister live?", speaker="Ana") for _ in range(4)))
        assert {"Gernika" in one.brief.text for one in found} == {True}
        with pytest.raises(InputError):
            await opened.perceive("")
        with pytest.raises(AttributeError):
            opened.absent  # noqa: B018
        assert (opened.name, isinstance(opened, Asynchronous), opened.sync.name) == (memory.name, True, memory.name)

    asyncio.run(talk())


def test_every_property_that_reads_is_awaited() -> None:
    """A property of a turn that is new is either plain, or listed as one that reads."""
    plain = {"id", "number", "surprise", "matches", "redacted"}
    found = {name for name, value in inspect.getmembers(Turn) if isinstance(value, property)}
    assert found == READING | plain
