"""LlamaIndex with a memory, offline: the model is LlamaIndex's own mock, which repeats its prompt.

pip install "oroi-graph[llama-index]"
python docs/adapters/with_llamaindex.py
"""

from __future__ import annotations

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM

from oroi_graph import Memory, connect
from oroi_graph.interfaces.adapters.llamaindex import OroiMemory


def run(memory: Memory) -> str:
    """Tell something in one chat, ask for it in another; the answer."""
    for session, said in (("monday", "My sister Leire lives in Gernika."), ("friday", "Where does my sister live?")):
        kept = OroiMemory(memory=memory, session=session, speaker="Ana")
        engine = SimpleChatEngine(llm=MockLLM(), memory=kept, prefix_messages=[])
        answer = engine.chat(said)
    return str(answer)


if __name__ == "__main__":
    with connect() as graph:
        print(run(graph.memory("llamaindex-example")))  # noqa: T201
