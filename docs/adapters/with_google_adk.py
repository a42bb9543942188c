"""Google ADK's memory service, offline: sessions are made by hand, and the answer is the search's own.

pip install "oroi-graph[google-adk]"
python docs/adapters/with_google_adk.py
"""

from __future__ import annotations

import asyncio

from google.adk.events.event import Event
from google.adk.sessions.session import Session
from google.genai import types

from oroi_graph import Memory, connect
from oroi_graph.interfaces.adapters.adk import OroiMemoryService


async def talk(memory: Memory) -> str:
    """Add a session, ask in another; what is found."""
    service = OroiMemoryService(memory.graph, named=lambda app, user: memory.name)
    said = types.Content(role="user", parts=[types.Part(text="My sister Leire lives in Gernika.")])
    events = [Event(author="user", content=said)]
    await service.add_session_to_memory(Session(id="monday", app_name="app", user_id="Ana", events=events))
    found = await service.search_memory(app_name="app", user_id="Ana", query="Where does my sister live?")
    return str((found.memories[0].content.parts or [types.Part(text="")])[0].text)


def run(memory: Memory) -> str:
    """The same, not awaited."""
    return asyncio.run(talk(memory))


if __name__ == "__main__":
    with connect() as graph:
        print(run(graph.memory("adk-example")))  # noqa: T201
