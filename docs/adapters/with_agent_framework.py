"""Microsoft Agent Framework with a memory, offline: the chat client is scripted.

pip install "oroi-graph[agent-framework]"
python docs/adapters/with_agent_framework.py
"""

from __future__ import annotations

import asyncio
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

from oroi_graph import Memory, connect
from oroi_graph.interfaces.adapters.agent_framework import OroiContextProvider


class Echo(BaseChatClient):
    """Says what it was shown."""

    def _inner_get_response(self, *, messages: Any, stream: bool = False, options: Any = None, **_: Any) -> Any:
        async def answer() -> ChatResponse:
            shown = " | ".join(message.text for message in messages)
            return ChatResponse(messages=[Message("assistant", [f"I was shown: {shown}"])])

        return answer()


def run(memory: Memory) -> str:
    """Tell something in one run, ask for it in another; the answer."""
    agent = Agent(client=Echo(), context_providers=[OroiContextProvider(memory, speaker="Ana")])

    async def talk() -> str:
        await agent.run("My sister Leire lives in Gernika.")
        return (await agent.run("Where does my sister live?")).text

    return asyncio.run(talk())


if __name__ == "__main__":
    with connect() as graph:
        print(run(graph.memory("agent-framework-example")))  # noqa: T201
