"""Re-embedding: every vector is of the new model, it can be resumed, and the half-way memory stays closed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence

import pytest
from graph_state import live_and_sleep

from oroi_graph.errors import EmbeddingModelError, MemoryNotFoundError, ProviderError, SchemaError, StoreError
from oroi_graph.memory import Graph
from oroi_graph.model import ExtractedConcept, ExtractedRelation, Extraction
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.scripted import ScriptedEmbedder, ScriptedExtractor
from oroi_graph.storage.store import Store
from oroi_graph.transfer.reembed import reembed

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


class Other(ScriptedEmbedder):
    """Another model: it reads every other letter, so that other texts resemble each other."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed([text[::2] for text in texts])


@pytest.fixture
def slept(store: Store) -> Iterator[str]:
    """A memory of the old model with merges, gists, records that rest and a pair in doubt."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    graph = Graph(store, ScriptedEmbedder(384, model="old"), ScriptedExtractor({}))
    live_and_sleep(graph.memory(name))
    yield name
    graph.delete(name)


TEXTS = """
MATCH (n) WHERE n.memory = $memory AND (n:Concept OR n:Merged OR n:Record)
RETURN n.id AS id, labels(n)[0] AS label, coalesce(n.text, n.label) AS text, n.embedding AS vector, n.resting AS rests,
       n.verbatim IS NOT NULL AS verbatim
"""


def test_what_sleep_left_is_embedded_as_it_reads_now(store: Store, slept: str) -> None:
    """Absorbed concepts by their labels, gists by what they say; what rests has no vector before or after."""
    new = Other(384, model="new")
    reembed(store, slept, new)
    rows = store.schema(TEXTS, memory=slept)
    assert {row["label"] for row in rows} >= {"Concept", "Merged", "Record"}
    assert any(row["verbatim"] and not row["rests"] for row in rows)
    assert any(row["rests"] for row in rows)
    for row in rows:
        if row["rests"]:
            assert row["vector"] is None
        elif row["label"] != "Record":  # the text of records is embedded without the names of who speaks
            assert row["vector"] == pytest.approx(list(new.embed([row["text"]])[0]), abs=1e-6), row["text"]
        else:
            assert row["vector"] is not None


def test_an_absorbed_concept_comes_back_with_the_new_model(store: Store, slept: str) -> None:
    new = Graph(store, Other(384, model="new"), ScriptedExtractor({}))
    reembed(store, slept, new.embedder)
    memory = new.memory(slept)
    merges = [merge for merge in memory.merges() if merge.state == "in force"]
    for merge in merges:
        memory.undo_merge(merge.id)
    rows = {row["text"]: row["vector"] for row in store.schema(TEXTS, memory=slept) if row["label"] == "Concept"}
    for merge in merges:
        assert rows[merge.absorbed] == pytest.approx(list(new.embedder.embed([merge.absorbed])[0]), abs=1e-6)


COMPARED = """
MATCH (a:Concept {memory: $memory})-[k:COMPARED]->(b)
RETURN k.verdict AS verdict, k.score AS score, a.label AS a, b.label AS b
"""


def test_pairs_in_doubt_are_measured_anew_and_pairs_apart_stay(store: Store, slept: str) -> None:
    store.schema("MATCH (:Concept {memory: $memory})-[k:COMPARED]->() SET k.score = 0.75", memory=slept)
    before = {row["verdict"]: row for row in store.schema(COMPARED, memory=slept)}
    assert before.keys() == {"apart", "doubtful"}
    new = Other(384, model="new")
    reembed(store, slept, new)
    after = {row["verdict"]: row for row in store.schema(COMPARED, memory=slept)}
    a, b = new.embed([after["doubtful"]["a"], after["doubtful"]["b"]])
    assert after["doubtful"]["score"] == pytest.approx(float(a @ b), abs=1e-5)
    assert after["apart"] == before["apart"]


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
