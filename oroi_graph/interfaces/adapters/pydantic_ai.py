"""Pydantic AI: a capability that gives an agent a memory.

    agent = Agent(model, capabilities=[OroiMemory(memory, speaker="Ana")])

Before each call of the model, what the memory brings back stands behind the user's words, for that call only: the
history stays as it was said. When a run ends, prompt and answer become a turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from oroi_graph.interfaces.adapters.talk import Talk, answering, missing
from oroi_graph.memory import Memory

try:
    from pydantic_ai import RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult
except ImportError as error:
    raise missing("pydantic-ai", error) from error


@dataclass
class OroiMemory(AbstractCapability[Any]):
    """A memory for an agent. speaker: whom the prompts belong to. session: which conversation; None: the run's own."""

    memory: Memory
    speaker: str | None = None
    session: str | None = None
    _talk: Talk = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._talk = Talk(self.memory, self.session, self.speaker)

    async def for_run(self, ctx: RunContext[Any]) -> OroiMemory:
        """One conversation for each run, so that runs beside each other do not answer one another's turns."""
        return OroiMemory(self.memory, self.speaker, self.session or ctx.conversation_id)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Put the brief behind the user's last words."""
        messages = await asyncio.to_thread(self._with_brief, request_context.messages)
        return replace(request_context, messages=messages)

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Remember what was said in this run."""
        await asyncio.to_thread(self._remember, result)
        return result

    def _with_brief(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        sent = list(messages)
        for place in range(len(sent) - 1, -1, -1):
            message = sent[place]
            prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
            text = _words(prompts)
            if isinstance(message, ModelRequest) and text:
                brief = self._talk.brief(text)
                last = prompts[-1]
                content = (
                    [*last.content, brief] if not isinstance(last.content, str) else answering(last.content, brief)
                )
                parts = [replace(one, content=content) if one is last and brief else one for one in message.parts]
                sent[place] = replace(message, parts=parts)
                break
        return sent

    def _remember(self, result: AgentRunResult[Any]) -> None:
        new = result.new_messages()
        said = _words([part for one in new for part in one.parts if isinstance(part, UserPromptPart)])
        if said:
            self._talk.user(said)
        if isinstance(result.output, str) and result.output.strip():
            self._talk.assistant(result.output)
        self._talk.end()


def _words(prompts: Sequence[UserPromptPart]) -> str:
    """The text of prompts; pictures and files have none."""
    found = [[part.content] if isinstance(part.content, str) else part.content for part in prompts]
    return "\n".join(text for each in found for text in each if isinstance(text, str)).strip()
