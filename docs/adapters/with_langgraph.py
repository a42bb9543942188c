"""LangGraph with a memory, offline: the node's answer is scripted.

pip install "oroi-graph[langgraph]" langgraph
python docs/adapters/with_langgraph.py
"""

from __future__ import annotations

from typing import TypedDict

from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore

from oroi_graph import Memory, connect
from oroi_graph.interfaces.adapters.langgraph import OroiStore

NOTES = ("notes", "ana")


class State(TypedDict):
    """What goes through the graph."""

    said: str
    answer: str


def companion(state: State, *, store: BaseStore) -> dict[str, str]:
    """Search what is known, answer from it, and keep what was said."""
    found = store.search(NOTES, query=state["said"], limit=1)
    if not state["said"].endswith("?"):
        store.put(NOTES, f"note-{len(store.search(NOTES, limit=1000))}", {"text": state["said"]})
    return {"answer": found[0].value["text"] if found else "I see."}


def run(memory: Memory) -> str:
    """Tell something, ask for it; the answer."""
    builder = StateGraph(State)
    builder.add_node("companion", companion)
    builder.add_edge(START, "companion")
    app = builder.compile(store=OroiStore(memory, speaker="Ana"))
    app.invoke({"said": "My sister Leire lives in Gernika.", "answer": ""})
    return str(app.invoke({"said": "Where does my sister live?", "answer": ""})["answer"])


if __name__ == "__main__":
    with connect() as graph:
        print(run(graph.memory("langgraph-example")))  # noqa: T201
