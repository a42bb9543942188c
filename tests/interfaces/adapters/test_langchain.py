"""LangChain: its own integration suites for retrievers and vector stores, and what they do not ask."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from oroi_graph.memory import Graph, Memory

pytest.importorskip("langchain_tests", reason="pip install 'oroi-graph[test-adapters]'")

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

from oroi_graph.interfaces.adapters.langchain import OroiRetriever, OroiVectorStore


class TestRetriever(RetrieversIntegrationTests):
    """The suite for retrievers, over a memory with a life in it."""

    @pytest.fixture(autouse=True)
    def _memory(self, diary: Memory) -> None:
        self.diary = diary

    @property
    def retriever_constructor(self) -> type[OroiRetriever]:
        return OroiRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.diary, "speaker": "Ana"}

    @property
    def retriever_query_example(self) -> str:
        return "Where does my sister live?"


class TestVectorStore(VectorStoreIntegrationTests):
    """The suite for vector stores; our store embeds by itself."""

    @pytest.fixture
    def vectorstore(self, documents: VectorStore) -> Iterator[VectorStore]:
        yield documents
        documents.delete()


@pytest.fixture(scope="module")
def documents(graph: Graph) -> Iterator[VectorStore]:
    memory = graph.memory(f"test-{uuid.uuid4().hex[:12]}")
    yield OroiVectorStore(memory)
    assert graph.delete(memory.name) == 0


def test_the_brief_comes_first_where_it_is_wanted(diary: Memory) -> None:
    found = OroiRetriever(memory=diary, speaker="Ana", k=1, facts=True).invoke("Where does my sister live?")
    assert [document.metadata["kind"] for document in found] == ["brief", "record"]
    assert "Gernika" in found[0].page_content
    assert found[1].page_content == "My sister Leire lives in Gernika."


def test_documents_are_part_of_the_memory_and_state_nothing(diary: Memory) -> None:
    store = OroiVectorStore.from_texts(["Ana lives in Madrid."], memory=diary, ids=["deed"])
    assert store.similarity_search("Who lives in Madrid?", k=1) == [
        Document(id="deed", page_content="Ana lives in Madrid.", metadata={})
    ]
    assert "Madrid" not in {fact.target for fact in diary.facts("Ana")}
    with pytest.raises(ValueError, match="equally many"):
        store.add_texts(["a", "b"], ids=["one"])
    with pytest.raises(ValueError, match="say which memory"):
        OroiVectorStore.from_texts(["x"])
    store.delete(["deed"])
    assert store.similarity_search("Madrid") == []
