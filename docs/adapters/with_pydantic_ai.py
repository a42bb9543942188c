"""Pydantic AI with a memory, offline: the model is a scripted function.

pip install "oroi-graph[pydantic-ai]"
python docs/adapters/with_pydantic_ai.py
"""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from oroi_graph import Memory, connect
from oroi_graph.interfaces.adapters.pydantic_ai import OroiMemory


def echo(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Says what it was shown."""
    return ModelResponse(parts=[TextPart(f"I was shown: {messages[-1].parts[-1]}")])


def run(memory: Memory) -> str:
    """Tell something in one run, ask for it in another; the answer."""
    agent = Agent(FunctionModel(echo), capabilities=[OroiMemory(memory, speaker="Ana")])
    agent.run_sync("My sister Leire lives in Gernika.")
    return agent.run_sync("Where does my sister live?").output


if __name__ == "__main__":
    with connect() as graph:
        print(run(graph.memory("pydantic-example")))  # noqa: T201
