"""LangGraph's store: ours and LangGraph's own in-memory one go through the same tests."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from oroi_graph.memory import Graph, Memory

pytest.importorskip("langgraph.store.base", reason="pip install 'oroi-graph[langgraph]'")

from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from oroi_graph.interfaces.adapters.langgraph import OroiStore

USERS = ("users", "ana")


@pytest.fixture(scope="module", params=["ours", "theirs"])
def opened(request: pytest.FixtureRequest, graph: Graph) -> Iterator[BaseStore]:
    if request.param == "theirs":
        yield InMemoryStore()
        return
    memory = graph.memory(f"test-{uuid.uuid4().hex[:12]}")
    yield OroiStore(memory)
    assert graph.delete(memory.name) == 0


@pytest.fixture
def kept(opened: BaseStore) -> Iterator[BaseStore]:
    """An empty store; theirs goes on listing the namespaces of deleted items, so that it is a new one."""
    if isinstance(opened, InMemoryStore):
        yield InMemoryStore()
        return
    yield opened
    for item in opened.search((), limit=1000):
        opened.delete(item.namespace, item.key)


def keys(found: list[Any]) -> list[str]:
    return sorted(item.key for item in found)


def test_items_are_put_got_replaced_and_deleted(kept: BaseStore) -> None:
    assert kept.get(USERS, "a") is None
    kept.put(USERS, "a", {"text": "tea", "n": {"deep": [1, None]}}, index=False)
    first = kept.get(USERS, "a")
    assert first is not None
    assert (first.namespace, first.key, first.value) == (USERS, "a", {"text": "tea", "n": {"deep": [1, None]}})
    kept.put(USERS, "a", {"text": "coffee"}, index=False)
    again = kept.get(USERS, "a")
    assert again is not None
    assert again.value == {"text": "coffee"}
    assert first.created_at <= again.created_at <= again.updated_at  # theirs makes the item anew
    kept.delete(USERS, "a")
    kept.delete(USERS, "a")
    assert kept.get(USERS, "a") is None


def test_a_batch_reads_before_it_writes_and_the_last_put_counts(kept: BaseStore) -> None:
    results = kept.batch([
        PutOp(USERS, "a", {"n": 1}, False), ListNamespacesOp(),  # theirs lists a namespace that was asked for a key
        GetOp(USERS, "a"), PutOp(USERS, "a", {"n": 2}, False), SearchOp(USERS),
    ])  # fmt: skip
    assert results == [None, [], None, None, []]
    last = kept.get(USERS, "a")
    assert last is not None
    assert last.value == {"n": 2}
    [[found]] = asyncio.run(kept.abatch([SearchOp(USERS)]))  # type: ignore[misc]
    assert found.value == {"n": 2}


def test_search_filters_pages_and_keeps_to_its_prefix(kept: BaseStore) -> None:
    for n in range(5):
        kept.put(USERS, f"k{n}", {"n": n, "kind": "odd" if n % 2 else "even", "deep": {"x": n}}, index=False)
    kept.put(("users", "anabel"), "k9", {"n": 9}, index=False)
    assert keys(kept.search(("users",))) == ["k0", "k1", "k2", "k3", "k4", "k9"]
    assert keys(kept.search(USERS)) == ["k0", "k1", "k2", "k3", "k4"]
    assert len(kept.search(USERS, limit=2)) == len(kept.search(USERS, limit=2, offset=2)) == 2
    for wanted, expected in [
        ({"kind": "odd"}, ["k1", "k3"]), ({"kind": {"$ne": "odd"}}, ["k0", "k2", "k4"]),
        ({"n": {"$gte": 1, "$lt": 3}}, ["k1", "k2"]), ({"n": {"$gt": 2}, "kind": "even"}, ["k4"]),
        ({"n": {"$lte": 0}}, ["k0"]), ({"n": {"$eq": 2}}, ["k2"]), ({"absent": 1}, []),
    ]:  # fmt: skip
        assert keys(kept.search(USERS, filter=wanted)) == expected, wanted
    with pytest.raises(ValueError, match="operator"):
        kept.search(USERS, filter={"n": {"$near": 1}})


def test_namespaces_are_listed_by_prefix_suffix_and_depth(kept: BaseStore) -> None:
    for namespace in [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("z",), ("a", "b/c")]:
        kept.put(namespace, "k", {"n": 1}, index=False)
    assert kept.list_namespaces() == [("a", "b", "c"), ("a", "b", "d"), ("a", "b/c"), ("a", "x", "c"), ("z",)]
    assert kept.list_namespaces(prefix=("a", "b")) == [("a", "b", "c"), ("a", "b", "d")]
    assert kept.list_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c"), ("a", "x", "c")]
    assert kept.list_namespaces(suffix=("c",)) == [("a", "b", "c"), ("a", "x", "c")]
    assert kept.list_namespaces(max_depth=2) == [("a", "b"), ("a", "b/c"), ("a", "x"), ("z",)]
    assert kept.list_namespaces(limit=2, offset=1) == [("a", "b", "d"), ("a", "b/c")]


def test_bad_namespaces_are_refused(kept: BaseStore) -> None:
    for namespace in [(), ("a.b",), ("",), ("langgraph", "x")]:
        with pytest.raises(InvalidNamespaceError):
            kept.put(namespace, "k", {"n": 1})


def test_a_query_ranks_by_what_the_memory_knows(diary: Memory) -> None:
    """What theirs does only with an embedding model, ours does with its own."""
    ours = OroiStore(diary)
    ours.put(("notes",), "boat", {"text": "The boat lies in Bermeo."})
    ours.put(("notes",), "bread", {"text": "The baker opens at seven."})
    ours.put(("notes",), "secret", {"text": "The boat is called Izarra."}, index=False)
    found = ours.search(("notes",), query="Where does the boat lie?")
    assert (found[0].key, len(found)) == ("boat", 3)
    assert found[0].score is not None
    assert "Izarra" not in " ".join(episode.text for episode in diary.timeline())
    assert "Gernika" in diary.recall("Where does my sister live?", speaker="Ana").brief.text
