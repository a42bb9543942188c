"""LangChain with a memory, offline: the model is a scripted function.

pip install "oroi-graph[langchain]"
python docs/adapters/with_langchain.py
"""

from __future__ import annotations

from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from oroi_graph import Memory, connect
from oroi_graph.interfaces.adapters.langchain import OroiRetriever


def run(memory: Memory) -> str:
    """Tell something, ask for it through a chain; the answer."""
    memory.perceive("My sister Leire lives in Gernika.", speaker="Ana").close("A fine town.")
    retriever = OroiRetriever(memory=memory, speaker="Ana", k=2, facts=True)
    model = RunnableLambda(lambda asked: f"I was shown: {asked['known'][0].page_content}")
    chain = {"known": retriever, "question": RunnablePassthrough()} | model
    return str(chain.invoke("Where does my sister live?"))


if __name__ == "__main__":
    with connect() as graph:
        print(run(graph.memory("langchain-example")))  # noqa: T201
