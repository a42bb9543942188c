"""OpenAI Agents SDK: a `Session` whose conversation is remembered beyond it.

    session = OroiSession("chat-1", memory, speaker="Ana")
    await Runner.run(agent, "Where does my sister live?", session=session, run_config=session.run_config())

The session's items come back exactly; what user and assistant say in them are turns of the memory. `run_config` adds,
to the user's last words, what the memory brings back from all conversations. An item that is popped is forgotten; a
session that is cleared is only closed: the memory stays.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, cast

from oroi_graph.interfaces.adapters.talk import Talk, answering, missing
from oroi_graph.interfaces.items.kept import Entry, Items
from oroi_graph.memory import Memory

try:
    from agents import RunConfig, TResponseInputItem
    from agents.memory.session import SessionABC
    from agents.memory.session_settings import SessionSettings, resolve_session_limit
    from agents.run_config import CallModelData, ModelInputData
except ImportError as error:
    raise missing("openai-agents", error) from error


class OroiSession(SessionABC):
    """One conversation. speaker: whom the user's words belong to; None: the memory's only protagonist."""

    session_settings: SessionSettings | None = None

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        speaker: str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._talk = Talk(memory, session_id, speaker)
        self._items = Items(memory)
        self._namespace = ("openai-agents", session_id)
        self._lock = asyncio.Lock()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items in their order; with a limit, the last ones."""
        most = resolve_session_limit(limit, self.session_settings)
        found = await asyncio.to_thread(self._items.within, self._namespace, most)
        return [one.value["item"] for one in found]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keep items; what somebody says in them is perceived."""
        async with self._lock:
            await asyncio.to_thread(self._add, items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item away; what it said is forgotten."""
        async with self._lock:
            return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Take all items away; what was said stays in the memory."""
        async with self._lock:
            await asyncio.to_thread(self._clear)

    def run_config(self, **settings: Any) -> RunConfig:
        """A configuration of a run in which the model sees what the memory brings back."""
        return RunConfig(call_model_input_filter=self._recalling, **settings)

    async def _recalling(self, data: CallModelData[Any]) -> ModelInputData:
        found = data.model_data
        sent = await asyncio.to_thread(self._with_brief, found.input)
        return ModelInputData(input=sent, instructions=found.instructions)

    def _with_brief(self, items: Sequence[TResponseInputItem]) -> list[TResponseInputItem]:
        """The input with the brief behind the user's last words; the items themselves stay as they are."""
        sent = list(items)
        for place in range(len(sent) - 1, -1, -1):
            role, text = _said(sent[place])
            if role == "user" and text:
                brief = self._talk.brief(text)
                message = cast(dict[str, Any], deepcopy(sent[place]))
                if isinstance(message["content"], str):
                    message["content"] = answering(message["content"], brief)
                elif brief:
                    message["content"].append({"type": "input_text", "text": brief})
                sent[place] = cast(TResponseInputItem, message)
                break
        return sent

    def _add(self, items: Sequence[TResponseInputItem]) -> None:
        entries = []
        for item in items:
            role, text = _said(item)
            turn = None
            if text and role in ("user", "assistant"):
                say = self._talk.user if role == "user" else self._talk.assistant
                turn = say(text)
            entries.append(Entry(self._namespace, uuid.uuid4().hex, {"item": item, "turn": turn}))
        self._items.put(entries)

    def _pop(self) -> TResponseInputItem | None:
        last = self._items.within(self._namespace, 1)
        if not last:
            return None
        [found] = last
        self._items.drop(self._namespace, [found.key])
        if found.value["turn"]:
            self._talk.end()
            self._talk.memory.forget_turns([found.value["turn"]])
        return cast(TResponseInputItem, found.value["item"])

    def _clear(self) -> None:
        self._talk.end()
        self._items.drop(self._namespace, [one.key for one in self._items.within(self._namespace)])


def _said(item: TResponseInputItem) -> tuple[str, str]:
    """Role and text of an item; ("", "") for one that is no message."""
    given = cast(Mapping[str, Any], item)
    content = given.get("content")
    if given.get("type", "message") != "message":
        return "", ""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return str(given.get("role", "")), "\n".join(text for text in texts if isinstance(text, str)).strip()
