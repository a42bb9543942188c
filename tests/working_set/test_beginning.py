"""A memory that this process has made needs no reading; and what making and deleting one costs."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from databases import TestDatabase
from graph_view import add_hub, stating, tell
from graphs import FEWEST, Vocabulary, make, write
from working_sets import content

from oroi_graph import Graph, Memory, OfflineExtractor
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Store


@pytest.fixture
def own(graph: Graph) -> Graph:
    """A graph with working sets of its own, as another process has."""
    return Graph(graph.store, graph.embedder, OfflineExtractor())


@pytest.fixture
def name(own: Graph) -> Iterator[str]:
    """The name of a memory that is not there yet."""
    made = f"test-{uuid.uuid4().hex[:12]}"
    yield made
    if catalog.describe(own.store, made):
        assert own.delete(made) == 0


def say(graph: Graph, name: str, what: str = "Iberdata") -> None:
    tell(graph.memory(name), f"Marta works at {what}.", stating(("Marta", "works at", what), names=["Marta", what]))


def test_the_first_turn_of_a_memory_reads_nothing_of_it(own: Graph, name: str) -> None:
    """The recent turns, the writing, which looks by itself whether anybody else was there."""
    before = own.store.sent
    memory = own.memory(name)
    assert own.store.sent == before + 2
    memory.perceive("Marta works at Iberdata.", speaker="Ana")
    assert own.store.sent == before + 4
    assert own.stats().loads == 0


def test_what_is_known_of_a_new_memory_is_what_would_be_read(own: Graph, name: str) -> None:
    own.memory(name)
    kept = own.sets.read(name, lambda tx: content(tx.held))
    assert own.stats().loads == 0
    own.sets.drop(name)
    assert own.sets.read(name, lambda tx: content(tx.held)) == kept
    assert own.stats().loads == 1


def test_what_is_written_by_hand_with_a_stamp_is_read(own: Graph, name: str) -> None:
    """As the benchmarks write memories that the same process has just made."""
    memory = own.memory(name)
    made = make(name, FEWEST, Vocabulary.embedded(own.embedder, per_kind=2), seed=0)
    write(own.store._driver, own.store.database, name, made)
    assert memory.stats().concepts == FEWEST
    assert own.sets.read(name, lambda tx: len(tx.held.concepts.ids)) == FEWEST


def test_who_did_not_make_a_memory_reads_it(own: Graph, graph: Graph, name: str) -> None:
    say(graph, name)
    found, stamp = catalog.create(own.store, name, own.embedder.model, own.embedder.dimensions)
    assert (found.turn, stamp) == (1, None)
    assert own.memory(name).recall("Where does Marta work?").facts[0].target == "Iberdata"
    assert own.stats().loads == 1


def test_who_made_a_memory_sees_what_others_wrote_first(own: Graph, graph: Graph, name: str) -> None:
    memory = own.memory(name)
    say(graph, name)
    assert [fact.target for fact in memory.recall("Where does Marta work?").facts] == ["Iberdata"]


def test_a_memory_that_is_being_deleted_is_read_each_time(own: Graph, name: str) -> None:
    """Parts of it go without notice: no copy may stand for it."""
    say(own, name)
    assert own.sets.read(name, lambda tx: len(tx.held.concepts.ids))
    own.store.write_rows("storage/begin_delete", memory=name)
    catalog.clear(own.store, name)
    assert own.sets.read(name, lambda tx: len(tx.held.concepts.ids)) == 0


def test_another_memory_of_the_name_begins_empty(own: Graph, graph: Graph, name: str) -> None:
    say(own, name)
    assert graph.delete(name) == 0
    graph.memory(name)
    assert own.memory(name).recall("Where does Marta work?").facts == ()


def test_only_what_a_memory_holds_is_deleted(own: Graph, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    batched = Store.batched

    def noted(self: Store, statement: str, **parameters: object) -> object:
        sent.append(statement.removeprefix("storage/delete_"))
        return batched(self, statement, **parameters)

    monkeypatch.setattr(Store, "batched", noted)
    own.memory(name)
    assert own.delete(name) == 0
    assert sent == ["memory"]
    sent.clear()
    say(own, name)
    own.memory(name).consolidate()
    assert own.delete(name) == 0
    assert sent == ["concepts", "records", "journal", "memory"]


def test_relationships_of_a_hub_are_deleted_before_it(memory: Memory) -> None:
    store = memory.graph.store
    for more, hubs in ((100, 0), (101, 1)):
        add_hub(memory, more)
        assert store.one("storage/held", memory=memory.name)["hubs"] == hubs
        catalog.clear(store, memory.name)
        assert catalog.remaining(store, memory.name) == 1


def test_nothing_of_a_deleted_memory_waits_to_be_indexed(store_settings: TestDatabase, graph: Graph, name: str) -> None:
    at = store_settings
    store = Store(at.uri, at.user, at.password, at.database)
    other = Graph(store, graph.embedder, OfflineExtractor())
    say(other, name)
    other.delete(name)
    sent = store.sent
    other.close()
    assert store.sent == sent
