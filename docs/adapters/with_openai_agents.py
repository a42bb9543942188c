"""OpenAI Agents SDK with a memory, offline: a scripted model stands in for a service.

    pip install "oroi-graph[openai-agents]"
    python docs/adapters/with_openai_agents.py

With a real model, leave `model=` out of the agent and set OPENAI_API_KEY.
"""

from __future__ import annotations

import asyncio
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from oroi_graph import Memory, connect
from oroi_graph.interfaces.adapters.openai_agents import OroiSession


class Echo(Model):
    """Says what it was shown, so that one sees what a model would see."""

    async def get_response(self, system_instructions: str | None, input: Any, *args: Any, **how: Any) -> ModelResponse:
        """One answer."""
        shown = input if isinstance(input, str) else str(input[-1]["content"])
        text = ResponseOutputText(text=f"I was shown: {shown}", type="output_text", annotations=[])
        message = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **how: Any) -> Any:
        """Not needed here."""
        raise NotImplementedError


async def talk(memory: Memory) -> str:
    """Tell something in one session, ask for it in another; what the model answered at last."""
    agent = Agent(name="Companion", instructions="Be brief.", model=Echo())
    monday = OroiSession("monday", memory, speaker="Ana")
    options = {"tracing_disabled": True}
    said = "My sister Leire lives in Gernika."
    await Runner.run(agent, said, session=monday, run_config=monday.run_config(**options))
    friday = OroiSession("friday", memory, speaker="Ana")
    asked = "Where does my sister live?"
    result = await Runner.run(agent, asked, session=friday, run_config=friday.run_config(**options))
    return str(result.final_output)


def run(memory: Memory) -> str:
    """The same, not awaited."""
    return asyncio.run(talk(memory))


if __name__ == "__main__":
    with connect() as graph:
        print(run(graph.memory("agents-example")))  # noqa: T201
