"""What is written joins the vector and full-text indexes in batches, and recall never waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from graph_view import INDEXING, rows, stating

from oroi_graph import Graph, Memory
from oroi_graph.consolidation.pipeline import consolidate
from oroi_graph.errors import OroiError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.storage.store import EVERY, Store, vector
from oroi_graph.working_set.entry import seeds
from oroi_graph.working_set.kept import WorkingSets
from oroi_graph.working_set.vectors import Indexed

FOUND = "MATCH (n) WHERE n.memory = $memory AND (n:Concept OR n:Record) "


@pytest.fixture
def own(memory: Memory, store_settings: Any) -> Iterator[Memory]:
    """The memory by a store of its own, which has written nothing yet."""
    at = store_settings
    with Store(at.uri, at.user, at.password, at.database) as store:
        yield Graph(store, memory.graph.embedder, OfflineExtractor()).memory(memory.name)


def say(memory: Memory, number: int) -> None:
    said = stating(("Marta", "works at", f"firm {number}"), names=["Marta"])
    memory.perceive(f"Marta works at firm {number}.", speaker="Ana", id=f"t{number}", extraction=said).close("I see.")


def indexed(memory: Memory) -> tuple[int, int]:
    """How many concepts and records the indexes have, and how many they have not; none is in between."""
    [row] = rows(
        memory,
        f"{FOUND} RETURN count(CASE WHEN n:IndexedConcept OR n:IndexedRecord THEN 1 END) AS inside, "
        "count(CASE WHEN n:Unindexed THEN 1 END) AS outside, count(n) AS all",
    )
    assert row["inside"] + row["outside"] == row["all"] > 0
    return row["inside"], row["outside"]


def test_what_is_written_waits_for_others(own: Memory) -> None:
    for number in range(EVERY // 2 - 1):
        say(own, number)
    inside, outside = indexed(own)
    assert inside == 0
    assert outside > EVERY
    say(own, EVERY // 2)
    inside, outside = indexed(own)
    assert inside > EVERY
    assert outside == 0


def test_closing_the_store_indexes_what_it_wrote(own: Memory, memory: Memory) -> None:
    say(own, 0)
    assert indexed(memory)[0] == 0
    own.graph.store.close()
    assert indexed(memory)[1] == 0


def test_a_process_that_ends_suddenly_leaves_it_to_the_next_one(own: Memory, memory: Memory) -> None:
    say(own, 0)
    own.graph.store._driver.close()  # as a process that is killed: what it wrote is in no index
    say(memory, 1)
    memory.graph.store.index(memory.name)
    assert indexed(memory)[1] == 0


def test_a_sleep_finds_what_was_just_said(own: Memory) -> None:
    say(own, 0)
    consolidate(own.graph.store, own.name, own.graph.embedder)
    assert indexed(own)[1] == 0


def test_what_cannot_be_indexed_now_is_no_error(own: Memory) -> None:
    say(own, 0)
    own.graph.store.close()
    own.graph.store.index(own.name)
    with pytest.raises(OroiError, match="closed"):
        own.graph.store.one("storage/read_schema")


def test_a_memory_whose_vectors_have_no_room_finds_both(own: Memory, memory: Memory) -> None:
    """By the index, and beside it: what was written here, and what another process wrote."""
    for number in range(20):
        say(own, number)
    own.graph.store.index(own.name)
    say(own, 20)
    sets = WorkingSets(own.graph.store, limit=2_000)
    query = own.graph.embedder.embed(["Marta works at firm 20."])[0].astype(np.float32)

    def alike() -> list[str]:
        def work(tx: Any) -> list[str]:
            assert isinstance(tx.held.records.vectors, Indexed)
            found = seeds(tx, memory=own.name, rows=[], vector=query, most=5, said=(), limit=50, passes=None)
            return [tx.held.records.said[tx.held.records.at[id]][6] for id, _ in found["alike"]]

        return [text for text in sets.read(own.name, work) if text != "I see."]

    assert alike()[0] == "Marta works at firm 20."
    assert sorted(alike()) == sorted(f"Marta works at firm {number}." for number in range(21))
    say(memory, 21)
    assert "Marta works at firm 21." in alike()
    asked = {"queries": [vector(query)], "most": 100, "compared": []}
    [near] = own.graph.store.one("working_set/near_records", memory=own.name, **asked)["near"]
    [row] = rows(own, "MATCH (r:IndexedRecord {memory: $memory}) RETURN count(r) AS n")
    assert len(near) == row["n"] == 40


def test_a_merged_or_deleted_concept_leaves_the_index(own: Memory) -> None:
    for number, end in enumerate(("Iberdata", "Zenith")):
        said = stating(("Marta", "works at", end), names=["Marta", end])
        own.perceive(f"Marta works at {end}.", speaker="Ana", id=f"m{number}", extraction=said).close()
    own.graph.store.index(own.name)
    own.merge("Iberdata", "Zenith")
    [row] = rows(own, "MATCH (n:Merged {memory: $memory}) RETURN labels(n) AS labels")
    assert INDEXING.isdisjoint(row["labels"])
