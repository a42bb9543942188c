"""Recall while the memory changes under it: the answer is that of the moment at which it was asked.

Only packed words are read when they are needed: a record that is gone by then is left out.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from graph_view import NOON, concepts, edit, records, rows, stating

from oroi_graph import Graph, Memory, Recall
from oroi_graph.recall import pipeline
from oroi_graph.recall.request import Readers, RecallRequest
from oroi_graph.working_set.kept import Reading, WorkingSets

STATEMENTS = ("version", "packed_words")
QUESTION = "Where is Iberdata, the firm that Carlos works for?"


class Meanwhile(Reading):
    """A reading in whose middle, after one statement, something is done by somebody else."""

    def __init__(self, tx: Reading, after: str, work: Callable[[], object]) -> None:
        super().__init__(tx, tx.held)
        self._after, self._work = f"working_set/{after}", work

    def run(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        found = super().run(name, **parameters)
        if name == self._after:
            self._work()
        return found


@pytest.fixture
def town(graph: Graph) -> Iterator[Memory]:
    """Two facts of one firm, one of somebody else; deleted by the tests themselves, or here."""
    memory = graph.memory(f"test-{uuid.uuid4().hex[:12]}")
    said = (
        ("Marta works at Iberdata.", stating(("Marta", "works at", "Iberdata"), names=["Marta", "Iberdata"])),
        ("Iberdata is based in Bilbao.", stating(("Iberdata", "is based in", "Bilbao"), names=["Iberdata", "Bilbao"])),
        ("Carlos is a lawyer.", stating(("Carlos", "is", "lawyer"), names=["Carlos"])),
        ("Carlitos is a lawyer.", stating(("Carlitos", "is", "lawyer"), names=["Carlitos"])),
    )
    for number, (text, extraction) in enumerate(said):
        memory.perceive(text, speaker="Ana", id=f"t{number}", at=NOON, extraction=extraction).close()
    yield memory
    if memory.name in [found.name for found in graph.memories()]:
        assert graph.delete(memory.name) == 0


def asked(memory: Memory, after: str, work: Callable[[], object]) -> Recall:
    """The question, asked while something happens after one of its statements; the reading is not tried again."""
    graph, done = memory.graph, list[bool]()
    sets = WorkingSets(graph.store)  # without the words that another reading has fetched

    def once() -> None:
        assert not done
        done.append(True)
        work()

    def read(reading: Callable[[Reading], Any]) -> Any:
        def meanwhile(tx: Reading) -> Any:
            if after == "version":
                once()
            return reading(Meanwhile(tx, after, once))

        return sets.read(memory.name, meanwhile)

    request = RecallRequest(QUESTION, speaker="Ana", at=NOON)
    readers = Readers(embedder=graph.embedder, extractor=graph.question_extractor)
    found = pipeline.recall(read, memory.name, request, readers, graph.options)
    assert done
    return found


def erase(memory: Memory, query: str) -> Callable[[], object]:
    """A deletion in a session of its own."""
    return lambda: edit(memory, query)


def test_undisturbed(town: Memory) -> None:
    found = asked(town, "version", lambda: None)
    assert {fact.target for fact in found.facts} >= {"Bilbao", "lawyer"}
    assert found.brief.text == town.recall(QUESTION, speaker="Ana", at=NOON).brief.text


@pytest.mark.parametrize("after", STATEMENTS)
def test_a_cue_is_deleted(town: Memory, after: str) -> None:
    """It still speaks for this answer, and not for the next one."""
    work = erase(town, "MATCH (c:Concept {memory: $memory, label: 'Iberdata'}) DETACH DELETE c")
    found = asked(town, after, work)
    assert "Carlos is lawyer" in found.brief.text
    assert "Bilbao" in {fact.target for fact in found.facts}
    again = town.recall(QUESTION, speaker="Ana", at=NOON)
    assert "Carlos is lawyer" in again.brief.text
    assert "Bilbao" not in {fact.target for fact in again.facts}


@pytest.mark.parametrize("after", STATEMENTS)
def test_the_end_of_a_fact_is_deleted(town: Memory, after: str) -> None:
    work = erase(town, "MATCH (c:Concept {memory: $memory, label: 'lawyer'}) DETACH DELETE c")
    found = asked(town, after, work)
    assert "Bilbao" in found.brief.text
    assert "lawyer" not in {fact.target for fact in town.recall(QUESTION, speaker="Ana", at=NOON).facts}


@pytest.mark.parametrize("after", STATEMENTS)
def test_a_fact_is_deleted(town: Memory, after: str) -> None:
    work = erase(town, "MATCH (c:Concept {memory: $memory, label: 'Carlos'})-[a:ASSOCIATED]-() DELETE a")
    assert "Bilbao" in asked(town, after, work).brief.text


@pytest.mark.parametrize("after", STATEMENTS)
def test_a_record_is_deleted(town: Memory, after: str) -> None:
    work = erase(town, "MATCH (r:Record {memory: $memory, turn_id: 't1'}) DETACH DELETE r")
    found = asked(town, after, work)
    assert ("t1" in {record.turn_id for record in found.ranked}) == (after == STATEMENTS[-1])
    assert "t1" not in {record.turn_id for record in town.recall(QUESTION, speaker="Ana", at=NOON).ranked}
    assert "t2" in {record.turn_id for record in found.ranked}


@pytest.mark.parametrize("after", STATEMENTS)
def test_a_record_goes_to_rest(town: Memory, after: str) -> None:
    """No text, no vector: it is not ranked from then on, and nothing stumbles over it."""
    work = erase(
        town,
        "MATCH (r:Record {memory: $memory, turn_id: 't1'}) "
        "SET r.verbatim = r.text, r.text = '', r.resting = true, r.embedding = null",
    )
    found = asked(town, after, work)
    assert "t1" in {record.turn_id for record in found.ranked}
    assert "Carlos" in found.brief.text
    assert "t1" not in {record.turn_id for record in town.recall(QUESTION, speaker="Ana", at=NOON).ranked}


@pytest.mark.parametrize("after", STATEMENTS)
@pytest.mark.parametrize(("survivor", "absorbed"), [("Carlos", "Carlitos"), ("Carlitos", "Carlos")])
def test_a_cue_is_merged(town: Memory, after: str, survivor: str, absorbed: str) -> None:
    """Whichever of the two is absorbed, and in whichever order they are named."""
    found = asked(town, after, lambda: town.merge(survivor, absorbed))
    assert "Bilbao" in found.brief.text
    assert [merge.state for merge in town.merges()] == ["in force"]
    again = town.recall("What is Carlos?", speaker="Ana", at=NOON)
    assert "lawyer" in {fact.target for fact in again.facts}


@pytest.mark.parametrize("after", STATEMENTS)
def test_a_merge_is_undone(town: Memory, after: str) -> None:
    id = town.merge("Carlos", "Carlitos").id
    assert "Bilbao" in asked(town, after, lambda: town.undo_merge(id)).brief.text


@pytest.mark.parametrize("after", STATEMENTS)
def test_the_whole_memory_is_deleted(town: Memory, after: str) -> None:
    found = asked(town, after, lambda: town.graph.delete(town.name))
    assert "Bilbao" in {fact.target for fact in found.facts}
    assert not town.recall(QUESTION, speaker="Ana", at=NOON).ranked


def test_recall_and_merges_at_once(town: Memory) -> None:
    """Not between statements only: a merge is committed whenever it likes."""
    stop = threading.Event()
    failures: list[BaseException] = []

    def restless() -> None:
        try:
            while not stop.is_set():
                town.undo_merge(town.merge("Carlos", "Carlitos").id)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=restless)
    thread.start()
    try:
        found = [town.recall(QUESTION, speaker="Ana", at=NOON) for _ in range(60)]
    finally:
        stop.set()
        thread.join()
    assert not failures
    assert all("Bilbao" in recall.brief.text for recall in found)
    assert concepts(town).keys() >= {"Carlos", "Carlitos"}
    assert len(records(town)) == 4
    assert not rows(town, "MATCH (c:Merged {memory: $memory}) RETURN c.id AS id")
