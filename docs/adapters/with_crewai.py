"""CrewAI's storage, offline: records are saved and searched as a crew's memory does it, without a language model.

pip install "oroi-graph[crewai]"
python docs/adapters/with_crewai.py
"""

from __future__ import annotations

from crewai.memory.types import MemoryRecord

from oroi_graph import Memory, connect
from oroi_graph.interfaces.adapters.crewai import OroiStorage, embedder


def run(memory: Memory) -> str:
    """Keep something, search for it; what is found."""
    storage, embed = OroiStorage(memory, speaker="Ana"), embedder(memory)
    text = "My sister Leire lives in Gernika."
    storage.save([MemoryRecord(content=text, scope="/crew", embedding=embed([text])[0])])
    [(found, _score), *_] = storage.search(embed(["Where does my sister live?"])[0])
    return found.content


if __name__ == "__main__":
    with connect() as graph:
        print(run(graph.memory("crewai-example")))  # noqa: T201
