"""Google ADK: a memory service in which each user of each application has a memory of his own.

    runner = Runner(agent=agent, app_name="app", session_service=sessions,
                    memory_service=OroiMemoryService(connect()))

Events of a session become turns, once each, however often the session is added. A search gives the brief first, then
what was said, best first. `named` makes the name of a memory; by default "adk-app-user", with a hash where that is no
name.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from oroi_graph.errors import InputError
from oroi_graph.interfaces.adapters.talk import Talk, missing
from oroi_graph.interfaces.items.kept import Entry, Items
from oroi_graph.language.normalize import check_memory_name, digest
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import RecordHit

try:
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.session import Session
    from google.genai import types
except ImportError as error:
    raise missing("google-adk", error) from error

_GONE = ("google-adk", "deleted")  # ids of events that are not to come back with their session
FOUND = 10  # records of an answer, as ADK's own service


def memory_name(app_name: str, user_id: str) -> str:
    """The memory of one user of one application; never that of another pair."""
    name = f"adk-{app_name}-{user_id}"
    if re.fullmatch(r"[A-Za-z0-9_]+", app_name) and re.fullmatch(r"[A-Za-z0-9_-]+", user_id):
        try:
            return check_memory_name(name)
        except InputError:
            pass
    return f"adk-{digest(app_name, user_id)[:32]}"


class OroiMemoryService(BaseMemoryService):
    """A service over one graph. named: the memory of (app_name, user_id)."""

    def __init__(self, graph: Graph, named: Callable[[str, str], str] = memory_name) -> None:
        self._graph, self._named = graph, named

    async def add_session_to_memory(self, session: Session) -> None:
        """Perceive the events of a session that were not perceived before."""
        await asyncio.to_thread(self._add, session.app_name, session.user_id, session.events, session.id)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """The same for some events."""
        await asyncio.to_thread(self._add, app_name, user_id, events, session_id)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Perceive entries as turns of their own: of the user, or of whoever their author is."""
        await asyncio.to_thread(self._add_entries, self._memory(app_name, user_id), user_id, memories)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """The brief, and the best records."""
        return await asyncio.to_thread(self._search, self._memory(app_name, user_id), user_id, query)

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget one entry by its id, which never comes back; None forgets nothing, as in ADK's own service."""
        if memory_id:
            memory = self._memory(app_name, user_id)
            await asyncio.to_thread(_delete, memory, memory_id, user_id)

    def _memory(self, app_name: str, user_id: str) -> Memory:
        return self._graph.memory(self._named(app_name, user_id))

    def _add(self, app_name: str, user_id: str, events: Sequence[Event], session: str | None) -> None:
        memory = self._memory(app_name, user_id)
        talk = Talk(memory, session, user_id)
        gone = Items(memory).get(_GONE, [event.id for event in events])
        for event in events:
            text = _words(event.content)
            if not text or event.partial or event.id in gone:
                continue
            at = datetime.fromtimestamp(event.timestamp, UTC)
            if event.author == "user":
                talk.user(text, event.id, at)
            else:
                talk.assistant(text, event.id, at)
        talk.end()

    def _add_entries(self, memory: Memory, user_id: str, entries: Sequence[MemoryEntry]) -> None:
        for entry in entries:
            text = _words(entry.content)
            if text:
                by = user_id if entry.author in (None, "user") else entry.author
                at = datetime.fromisoformat(entry.timestamp).astimezone() if entry.timestamp else None
                memory.perceive(text, speaker=by, id=entry.id or uuid.uuid4().hex, at=at).close()

    def _search(self, memory: Memory, user_id: str, query: str) -> SearchMemoryResponse:
        try:
            found = memory.recall(query, speaker=user_id)
        except InputError:  # a query without words
            return SearchMemoryResponse(memories=[])
        entries = [_entry(hit, user_id) for hit in found.ranked[:FOUND]]
        if found.brief:
            content = types.Content(role="user", parts=[types.Part(text=found.brief.text)])
            entries.insert(0, MemoryEntry(content=content, author="memory", custom_metadata={"kind": "brief"}))
        return SearchMemoryResponse(memories=entries)


def _delete(memory: Memory, id: str, by: str) -> None:
    Items(memory).put([Entry(_GONE, id, True)])
    memory.forget_turns([id], by=by)


def _entry(hit: RecordHit, user_id: str) -> MemoryEntry:
    role = "user" if hit.role == "user" else "model"
    author = "user" if hit.speaker == user_id else hit.speaker
    content = types.Content(role=role, parts=[types.Part(text=hit.text)])
    return MemoryEntry(id=hit.turn_id, content=content, author=author, timestamp=hit.at)


def _words(content: types.Content | None) -> str:
    parts = content.parts if content is not None and content.parts else []
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()
