"""LlamaIndex: a chat memory that keeps its history exactly and brings back what earlier conversations said.

    memory = OroiMemory(memory=connect().memory("diary"), session="chat-1", speaker="Ana")
    agent = FunctionAgent(llm=llm); await agent.run("Where does my sister live?", memory=memory)

`get` gives the history; what the memory brings back for the user's last words comes before it, as a system message.
"""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from oroi_graph.interfaces.adapters.talk import Talk, missing
from oroi_graph.interfaces.items.kept import Entry, Items
from oroi_graph.memory import Memory

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.memory.types import BaseMemory
    from pydantic import ConfigDict, Field, PrivateAttr
except ImportError as error:
    raise missing("llama-index", error) from error


class OroiMemory(BaseMemory):
    """One conversation. speaker: whom the user's words belong to. last: messages of history that `get` gives."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory = Field(exclude=True)
    session: str = "chat"
    speaker: str | None = None
    last: int | None = None
    _talk: Talk = PrivateAttr()
    _items: Items = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Open the conversation."""
        super().model_post_init(context)
        self._talk = Talk(self.memory, self.session, self.speaker)
        self._items = Items(self.memory)

    @classmethod
    def class_name(cls) -> str:
        """Its name in serialised form."""
        return "OroiMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> OroiMemory:
        """The same as the constructor."""
        return cls(**kwargs)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """What is brought back for `input`, or for the user's last words, and the history."""
        history = [self._message(one.value) for one in self._items.within(self._namespace, self.last)]
        said = [one.content for one in history if one.role == MessageRole.USER and one.content]
        question = input or (said[-1] if said else None)
        brief = self._talk.brief(question) if question else ""
        return [ChatMessage(role=MessageRole.SYSTEM, content=brief), *history] if brief else history

    async def aget(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """The same in a thread."""
        return await asyncio.to_thread(self.get, input, **kwargs)

    def get_all(self) -> list[ChatMessage]:
        """The whole history, and nothing else."""
        return [self._message(one.value) for one in self._items.within(self._namespace)]

    def put(self, message: ChatMessage) -> None:
        """Keep a message; what user and assistant say is perceived."""
        text = (message.content or "").strip()
        if text and message.role == MessageRole.USER:
            self._talk.user(text)
        elif text and message.role == MessageRole.ASSISTANT:
            self._talk.assistant(text)
        self._keep([message])

    async def aput(self, message: ChatMessage) -> None:
        """The same in a thread."""
        await asyncio.to_thread(self.put, message)

    def set(self, messages: list[ChatMessage]) -> None:
        """Put another history in place of this one; it is not perceived: it was said before, or is a summary."""
        self.reset()
        self._keep(messages)

    def reset(self) -> None:
        """Begin a new history; what was said stays in the memory."""
        self._talk.end()
        self._items.drop(self._namespace, [one.key for one in self._items.within(self._namespace)])

    @property
    def _namespace(self) -> tuple[str, ...]:
        return ("llama-index", self.session)

    def _keep(self, messages: list[ChatMessage]) -> None:
        self._items.put([Entry(self._namespace, uuid.uuid4().hex, one.model_dump(mode="json")) for one in messages])

    @staticmethod
    def _message(value: Any) -> ChatMessage:
        return ChatMessage.model_validate(value)
