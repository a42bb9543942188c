"""Microsoft Agent Framework: a context provider that remembers.

    agent = Agent(client=client, context_providers=[OroiContextProvider(memory, speaker="Ana")])

Before a run, what the memory brings back for the user's words is added to the context; after it, words and answer
become a turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from oroi_graph.interfaces.adapters.talk import Talk, missing
from oroi_graph.memory import Memory

try:
    from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun
except ImportError as error:
    raise missing("agent-framework", error) from error


class OroiContextProvider(ContextProvider):
    """A memory for an agent. speaker: whom the user's words belong to; None: the memory's only protagonist."""

    def __init__(self, memory: Memory, *, speaker: str | None = None, source_id: str = "oroi-graph") -> None:
        super().__init__(source_id)
        self._memory, self._speaker = memory, speaker

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Add the brief to the context, as a message of the user: instructions are the developer's alone."""
        said = _words(context.input_messages, "user")
        talk = self._talk(context)
        brief = await asyncio.to_thread(talk.brief, said) if said else ""
        if brief:
            context.extend_messages(self.source_id, [Message("user", [brief])])

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Remember what was said."""
        said = _words(context.input_messages, "user")
        answer = _words(context.response.messages if context.response else (), "assistant")
        await asyncio.to_thread(self._remember, self._talk(context), said, answer)

    def _talk(self, context: SessionContext) -> Talk:
        return Talk(self._memory, context.session_id, self._speaker)

    @staticmethod
    def _remember(talk: Talk, said: str, answer: str) -> None:
        if said:
            talk.user(said)
        if answer:
            talk.assistant(answer)
        talk.end()


def _words(messages: Iterable[Message], role: str) -> str:
    return "\n".join(one.text for one in messages if str(one.role) == role and one.text).strip()
