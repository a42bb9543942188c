"""Entries are records: a question reaches them beside what was said, cited as what they are; they can be forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from contracts import Shared, shared_memory
from working_sets import content

from oroi_graph import ExtractedConcept, Extraction, Filters, Graph
from oroi_graph.contract.intake.transaction import MARKED
from oroi_graph.errors import InputError
from oroi_graph.transfer.reembed import reembed
from oroi_graph.working_set.kept import WorkingSets
from oroi_graph.working_set.snapshot import load
from oroi_graph.working_set.transactions import stands_at


@pytest.fixture
def told(graph: Graph) -> Iterator[Shared]:
    """Turns about Leire, and entries of agents about her project."""
    with shared_memory(graph) as shared:
        memory = graph.memory(shared.name)
        memory.perceive("My sister Leire lives in Gernika.", speaker="Ana", id="t1").close("I see.")
        memory.perceive("She repairs old radios.", speaker="Ana", id="t2").close("Nice.")
        shared.write("claude", "decision", "Leire leads the Harbour project from October on.")
        shared.write("gemini", "technology", "The Harbour project uses PostgreSQL.")
        yield shared


def test_one_question_reaches_turns_and_entries(told: Shared) -> None:
    memory = told.graph.memory(told.name)
    found = memory.recall("Who leads the Harbour project?", speaker="Ana")
    assert 'claude (fact, decision): "Leire leads the Harbour project from October on."' in found.brief.text
    [hit] = [hit for hit in found.ranked if "leads" in hit.text]
    assert (hit.role, hit.speaker, hit.session) == ("entry", "claude", None)
    assert hit.to_json()["entry"] == {
        "entry_type": "fact", "field_key": "decision", "superseded": False, "disputed": False
    }  # fmt: skip
    assert "lives in Gernika" in memory.recall("Where does Leire live?", speaker="Ana").brief.text


def test_concepts_lead_from_what_was_said_to_entries(told: Shared) -> None:
    """The entry about Leire mentions the very concept that the turn made."""
    rows = told.graph.store.explore(
        "MATCH (e:Entry {memory: $m})-[:MENTIONS]->(c:Concept)<-[:MENTIONS]-(r:Episode) RETURN DISTINCT c.label",
        m=told.name,
    )[1]
    assert ["Leire"] in rows


def test_the_kind_of_record_is_a_filter(told: Shared) -> None:
    memory = told.graph.memory(told.name)
    for kind, roles in (("entry", {"entry"}), ("episode", {"user", "assistant"})):
        found = memory.recall("What is known of Leire?", speaker="Ana", filters=Filters(kind=kind))
        assert found.ranked
        assert {hit.role for hit in found.ranked} <= roles
        assert (found.facts != ()) == (kind == "episode")
    with pytest.raises(InputError, match="kind of record"):
        Filters(kind="rumour")


def test_a_time_holds_entries_beside_turns(told: Shared) -> None:
    memory, now = told.graph.memory(told.name), datetime.now(UTC)
    decided = 'claude (fact, decision): "Leire leads the Harbour project from October on."'

    def brief(question: str, kind: str | None = None) -> str:
        return memory.recall(question, speaker="Ana", at=now, filters=Filters(kind=kind)).brief.text

    today = brief("What did we talk about today?")
    assert "1 session, 4 turns, 2 entries." in today
    assert decided in today
    assert "lives in Gernika" in today
    entries = brief("What did we talk about today?", "entry")
    assert ": 2 entries." in entries
    assert decided in entries
    assert "lives in Gernika" not in entries
    assert decided in brief("What was decided today about the Harbour project?")
    assert decided in brief("What did claude write today?"), "who wrote it is named, though no word of it"
    late = brief("What was decided last week about the Harbour project?")
    assert "Nothing was said from" in late
    assert decided in late


def test_disputed_entries_are_cited_as_such_and_superseded_ones_left_out(told: Shared) -> None:
    memory = told.graph.memory(told.name)
    told.write("claude", "project_status", "The Harbour project is in phase 2.")
    told.write("gemini", "project_status", "The Harbour project is in phase 3.")
    question = "In which phase is the Harbour project?"
    assert (
        'gemini (fact, project_status, disputed): "The Harbour project is in phase 3."'
        in memory.recall(question).brief.text
    )
    [dispute] = told.contract.conflicts()
    settled = {"ia_author": "kimi", "field_value": "The Harbour project is in phase 3.", "confidence_score": 1}
    told.contract.settle([dispute.id], settled)
    brief = memory.recall(question).brief.text
    assert 'kimi (fact, project_status): "The Harbour project is in phase 3."' in brief
    assert "phase 2" not in brief


def test_working_sets_keep_up_with_entries(told: Shared) -> None:
    """A write says what it touches: what was loaded once is brought up to date, and equals what would be loaded."""
    sets = WorkingSets(told.graph.store)

    def check() -> None:
        held = sets.read(told.name, lambda tx: tx.held)
        loaded = told.graph.store.read(lambda tx: load(tx, told.name, stands_at(tx, told.name, None)))
        assert content(held) == content(loaded)

    check()
    first = told.write("claude", "project_status", "The Harbour project is in phase 2.").entry
    check()
    told.write("gemini", "project_status", "The Harbour project is in phase 3.")
    told.write("kimi", "project_status", "The Harbour project is in phase 4.")
    check()
    told.write("claude", "project_status", "Gernika has begun phase 5.", parent_entry_id=first.id)
    check()
    ids = [one.id for one in told.contract.conflicts()]
    told.contract.settle(ids, {"ia_author": "kimi", "field_value": "Phase 5 of Gernika.", "confidence_score": 1})
    check()
    told.contract.compress()
    list(told.contract.write_all([told.entry("claude", "risk", f"Crane {i} may rust.") for i in range(MARKED // 2)]))
    check()
    assert (sets.stats().loads, sets.stats().updates) == (1, 5)
    list(told.contract.write_all([told.entry("claude", "risk", f"Pump {i} may rust.") for i in range(MARKED + 1)]))
    check()


def test_entries_are_no_turns(told: Shared) -> None:
    memory = told.graph.memory(told.name)
    assert memory.stats().turns == 2
    assert memory.stats().entries == 2
    assert [said.text for said in memory.window()] == [
        "My sister Leire lives in Gernika.", "I see.", "She repairs old radios.", "Nice.",
    ]  # fmt: skip
    memory.consolidate()
    assert memory.stats().entries == 2
    memory.perceive("Leire leads a choir.", speaker="Ana", id="t3").close("Oh.")
    assert memory.undo().turn == 3
    assert told.contract.verify().valid
    assert "leads the Harbour" in memory.recall("Who leads the Harbour project?").brief.text


def test_to_forget_is_to_erase(told: Shared) -> None:
    memory = told.graph.memory(told.name)
    done = memory.forget("Leire", speaker="Ana", by="request")
    assert done.remains == 0
    found = told.contract.verify()
    assert (found.valid, found.erased) == (True, 1)
    assert "Leire" not in memory.recall("Who leads the Harbour project?").brief.text
    values = [item.entry.field_value for item in told.contract.read(history=True).items if item.entry]
    assert "The Harbour project uses PostgreSQL." in values
    assert None in values


def test_a_large_deletion_erases_entries_too(told: Shared) -> None:
    from oroi_graph.forgetting import delete
    from oroi_graph.forgetting.request import parse_request

    options = told.graph.options.dynamics
    done = delete.forget(told.graph.store, told.name, parse_request("Leire", "Ana"), options, small=1)
    assert (done.finished, done.remains) == (True, 0)
    assert told.contract.verify().erased == 1


def test_reembedding_keeps_the_chain(told: Shared) -> None:
    before = told.contract.verify()
    assert reembed(told.graph.store, told.name, told.graph.embedder) > 2
    assert told.contract.verify() == before
    assert told.write("kimi", "technology", "The Harbour project uses PostgreSQL.").outcome == "equivalent"


def test_merging_and_unmerging_concepts_leaves_entries_alone(told: Shared) -> None:
    memory, store = told.graph.memory(told.name), told.graph.store
    told.write("kimi", "risk", "The old engine of the Harbour project may fail.")
    mentioned = (
        "MATCH (e:Entry {memory: $m, field_key: 'risk'})-[:MENTIONS]->(c:Concept {kind: 'concept'}) "
        "RETURN c.label ORDER BY c.label"
    )
    [[label], *_] = store.explore(mentioned, m=told.name)[1]
    extraction = Extraction((ExtractedConcept("gadget"),))
    memory.perceive("The gadget.", speaker="Ana", id="t4", extraction=extraction).close("Good.")
    merge = memory.merge(label, "gadget")
    before = told.contract.verify()
    memory.undo_merge(merge.id)
    assert [label] in store.explore(mentioned, m=told.name)[1]
    assert told.contract.verify() == before
    assert before.valid
    assert told.write("kimi", "risk", "The old engine of the Harbour project may fail.").outcome == "equivalent"
