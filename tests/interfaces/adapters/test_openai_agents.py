"""The Agents SDK's session: ours and its SQLite one through the same tests; then a run with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from typing import Any, cast

import pytest

from oroi_graph.memory import Memory

pytest.importorskip("agents", reason="pip install 'oroi-graph[openai-agents]'")

from agents import SQLiteSession
from agents.memory.session import Session
from agents.memory.session_settings import SessionSettings

from oroi_graph.interfaces.adapters.openai_agents import OroiSession

TALK: list[Any] = [
    {"role": "user", "content": "I keep a boat in Bermeo."},
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "ok"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Nice.", "annotations": []}]},
]  # fmt: skip


@pytest.fixture(params=["ours", "theirs"])
def session(request: pytest.FixtureRequest, diary: Memory) -> Iterator[Session]:
    if request.param == "theirs":
        with closing(SQLiteSession("s", session_settings=SessionSettings(limit=3))) as theirs:
            yield theirs
        return
    yield OroiSession("s", diary, speaker="Ana", session_settings=SessionSettings(limit=3))


def test_items_come_back_in_order_and_are_popped(session: Session) -> None:
    async def talk() -> None:
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.add_items([])
        await session.add_items(TALK[:2])
        await session.add_items(TALK[2:])
        assert await session.get_items(10) == TALK
        assert await session.get_items() == TALK[-3:]
        assert await session.get_items(1) == TALK[-1:]
        assert await session.pop_item() == TALK[-1]
        assert await session.get_items(10) == TALK[:3]
        await session.clear_session()
        assert await session.get_items() == []

    asyncio.run(talk())


def test_what_is_said_is_remembered_what_is_popped_is_not(memory: Memory) -> None:
    async def talk() -> None:
        session = OroiSession("s", memory, speaker="Ana")
        await session.add_items(TALK)
        await session.clear_session()
        await session.add_items([cast(Any, {"role": "user", "content": "I live in Durango."})])
        await session.pop_item()

    asyncio.run(talk())
    assert "Bermeo" in memory.recall("Where do I keep a boat?", speaker="Ana").brief.text
    assert [episode.text for episode in memory.timeline()] == ["Nice.", "I keep a boat in Bermeo."]
