"""Re-embedding: every vector is of the new model, it can be resumed, and the half-way memory stays closed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence

import pytest

from oroi_graph.errors import EmbeddingModelError, MemoryNotFoundError, ProviderError, SchemaError, StoreError
from oroi_graph.memory import Graph
from oroi_graph.model import ExtractedConcept, ExtractedRelation, Extraction
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.scripted import ScriptedEmbedder, ScriptedExtractor
from oroi_graph.reembed import reembed
from oroi_graph.store import Store

LIVES = Extraction((ExtractedConcept("Valencia", "name"),), (ExtractedRelation("I", "lives in", "Valencia"),))
VECTORS = "MATCH (n) WHERE n.memory = $memory AND n.embedding IS NOT NULL RETURN n.id AS id, n.embedding AS vector"


class Failing(ScriptedEmbedder):
    """Fails from its second call on, as a provider that goes away."""

    calls = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if self.calls > 1:
            raise ProviderError("gone")
        return super().embed(texts)


@pytest.fixture
def name(store: Store) -> Iterator[str]:
    """A memory made with another model than the default one."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    graph = Graph(store, ScriptedEmbedder(384, model="old"), ScriptedExtractor({}))
    graph.memory(name).perceive("I live in Valencia.", speaker="Ana", extraction=LIVES).close("Noted.")
    yield name
    graph.delete(name)


def vectors(store: Store, name: str) -> dict[str, list[float]]:
    """All vectors of a memory, by id."""
    return {row["id"]: row["vector"] for row in store.schema(VECTORS, memory=name)}


def test_every_vector_is_of_the_new_model(store: Store, name: str, graph: Graph) -> None:
    with pytest.raises(EmbeddingModelError, match="reembed"):
        graph.memory(name)
    before = vectors(store, name)
    assert reembed(store, name, graph.embedder) == len(before) == 4
    after = vectors(store, name)
    assert after.keys() == before.keys()
    assert all(after[id] != before[id] for id in before)
    assert "Valencia" in graph.memory(name).recall("Where do I live?", speaker="Ana").brief.text


def test_an_interrupted_run_keeps_the_memory_closed_and_is_finished_later(
    store: Store, name: str, graph: Graph
) -> None:
    with pytest.raises(ProviderError, match="gone"):
        reembed(store, name, Failing(384, model="newer"))
    with pytest.raises(StoreError, match="being re-embedded"):
        graph.memory(name)
    reembed(store, name, graph.embedder)
    assert graph.memory(name).recall("Where do I live?", speaker="Ana").brief
    assert store.schema("MATCH (n {memory: $memory}) WHERE n.reembedded RETURN n", memory=name) == []


def test_unknown_memory_and_other_dimension(store: Store, name: str, graph: Graph) -> None:
    with pytest.raises(MemoryNotFoundError):
        reembed(store, "test-nobody", graph.embedder)
    with pytest.raises(SchemaError, match="dimension 384"):
        reembed(store, name, ScriptedEmbedder(8))
