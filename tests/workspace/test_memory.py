"""Notes in the rest of the memory: recalled and cited, forgotten with proof, left out of archives, kept by sleep."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest_workspace import QUIET
from working_sets import content

from oroi_graph import Graph, Memory
from oroi_graph.errors import InputError
from oroi_graph.recall.request import Filters
from oroi_graph.transfer import archive
from oroi_graph.transfer.reembed import reembed
from oroi_graph.working_set.snapshot import load
from oroi_graph.working_set.transactions import stands_at
from oroi_graph.workspace.index import linking
from oroi_graph.workspace.pipeline import Workspace

NOON = datetime(2026, 2, 11, 12, tzinfo=UTC)


@dataclass
class Told:
    """A conversation about Leire, and notes about her project."""

    graph: Graph
    memory: Memory
    workspace: Workspace


@pytest.fixture
def told(graph: Graph, memory: Memory, tmp_path: Path) -> Told:
    """Turns and notes of one memory."""
    memory.perceive("My sister Leire lives in Bilbao.", speaker="Ana", id="t1", at=NOON).close("Nice.")
    memory.perceive("I like tea.", speaker="Ana", id="t2", at=NOON).close("Good.")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-02-10.md").write_text("# Tuesday\n\nLeire leads the Harbour project now.\n")
    (tmp_path / "memory/harbour.md").write_text("The Harbour project uses PostgreSQL.\n")
    workspace = graph.workspace(memory.name, tmp_path, config=QUIET)
    workspace.sync()
    return Told(graph, memory, workspace)


def test_a_question_reaches_turns_and_notes_and_cites_path_and_lines(told: Told) -> None:
    found = told.memory.recall("Who leads the Harbour project?", speaker="Ana", at=NOON)
    assert "2026-02-10, memory/2026-02-10.md#L1-L3:" in found.brief.text
    hit = next(hit for hit in found.ranked if hit.note is not None)
    assert (hit.role, hit.speaker, hit.session) == ("note", "notes", None)
    assert hit.to_json()["note"] == {"path": "memory/2026-02-10.md", "start": 1, "end": 3}
    assert all("note" not in one.to_json() for one in found.ranked if one.role == "user")


def test_concepts_lead_from_what_was_said_to_notes(told: Told) -> None:
    _, rows = told.graph.store.explore(
        "MATCH (n:Note {memory: $m})-[:MENTIONS]->(c {label: 'Leire'})<-[:MENTIONS]-(r:Episode) RETURN n.path",
        m=told.memory.name,
    )
    assert rows == [["memory/2026-02-10.md"]]
    hits = told.workspace.search("What does my sister lead?", profile="associative").hits
    assert hits[0].path == "memory/2026-02-10.md"


def test_the_kind_of_record_is_a_filter(told: Told) -> None:
    for kind, roles in (("note", {"note"}), ("episode", {"user", "assistant"})):
        found = told.memory.recall("Harbour project of Leire", speaker="Ana", at=NOON, filters=Filters(kind=kind))
        assert {hit.role for hit in found.ranked} <= roles
        assert found.ranked
    with pytest.raises(InputError, match="episode, entry, note"):
        Filters(kind="file")


def test_a_question_about_a_day_finds_its_log(told: Told) -> None:
    found = told.memory.recall("What happened to the project on 10 February 2026?", speaker="Ana", at=NOON)
    assert "Harbour" in found.brief.text


def test_a_time_holds_what_notes_say_beside_turns(told: Told) -> None:
    at = datetime(2026, 2, 10, 9, tzinfo=UTC)
    told.memory.perceive("On the ferry I saw dolphins.", speaker="Ana", id="t3", at=at, session="trip").close("Oh.")
    cited = '2026-02-10, memory/2026-02-10.md#L1-L3: "# Tuesday Leire leads the Harbour project now."'

    def brief(question: str, kind: str | None = None) -> str:
        return told.memory.recall(question, speaker="Ana", at=NOON, filters=Filters(kind=kind)).brief.text

    yesterday = brief("What did we talk about yesterday?")
    assert "Said on 2026-02-10: 1 session, 2 turns, 1 note." in yesterday
    assert "2026-02-10 (trip, 2 turns)" in yesterday
    assert "dolphins" in yesterday
    assert cited in yesterday
    notes = brief("What did we talk about yesterday?", "note")
    assert "Said on 2026-02-10: 1 note." in notes
    assert cited in notes
    assert "dolphins" not in notes
    assert cited in brief("What did we say yesterday about the Harbour project?")
    empty = brief("What did we talk about last month?", "note")
    assert "Nothing that passes the filters was said from 2026-01-01 to 2026-01-31." in empty
    assert cited in empty, "the nearest note, though it belongs to no turn"


def test_notes_are_no_turns(told: Told) -> None:
    stats = told.memory.stats()
    assert (stats.turns, stats.episodes, stats.notes, stats.recallable) == (2, 2, 2, 6)
    assert told.memory.undo().turn == 2
    assert told.memory.stats().notes == 2
    profile = told.memory.profile("Leire", speaker="Ana")
    assert any("Bilbao" in hit.text for hit in profile.said)


def test_what_a_process_keeps_follows_the_notes(told: Told) -> None:
    question = "What does the Harbour project use?"
    assert "PostgreSQL" in told.memory.recall(question, at=NOON).brief.text
    path = told.workspace.layout.root / "memory/harbour.md"
    path.write_text("A line before.\nThe Harbour project uses SQLite these days.\n")
    told.workspace.sync()
    text = told.memory.recall(question, at=NOON).brief.text
    assert "PostgreSQL" not in text
    assert "memory/harbour.md#L1-L2" in text
    path.unlink()
    told.workspace.sync()
    assert "SQLite" not in told.memory.recall(question, at=NOON).brief.text


def test_to_forget_takes_notes_along_and_they_stay_away(told: Told) -> None:
    log = told.workspace.layout.root / "memory/2026-02-10.md"
    done = told.memory.forget("Leire", speaker="Ana", by="request")
    assert done.remains == 0
    assert "Leire" in log.read_text(), "files are their owner's"
    told.workspace.sync(full=True)
    assert [hit.path for hit in told.workspace.search("Leire Harbour").hits] == ["memory/harbour.md"]
    assert told.workspace.status().cached == 0
    assert "Leire" not in told.memory.recall("Who leads the Harbour project?", at=NOON).brief.text


def test_archives_hold_no_notes_and_their_concepts_count_without_them(told: Told) -> None:
    file = io.StringIO()
    counts = archive.export_memory(told.graph.store, told.memory.name, file)
    assert counts.records == 4
    assert "PostgreSQL is" not in file.getvalue()
    assert "uses PostgreSQL" not in file.getvalue()
    file.seek(0)
    copy = f"{told.memory.name}-copy"
    try:
        assert archive.import_memory(told.graph.store, file, copy) == counts
        again = io.StringIO()
        archive.export_memory(told.graph.store, copy, again)
        file.seek(0)
        assert again.getvalue().splitlines()[1:] == file.getvalue().splitlines()[1:]
        workspace = told.graph.workspace(copy, told.workspace.layout.root, config=QUIET)
        workspace.sync()
        assert workspace.search("PostgreSQL").hits[0].path == "memory/harbour.md"
    finally:
        assert told.graph.delete(copy) == 0


def test_reembedding_takes_notes_along(told: Told) -> None:
    reembed(told.graph.store, told.memory.name, told.graph.embedder)
    workspace = told.graph.workspace(told.memory.name, told.workspace.layout.root, config=QUIET)
    found = workspace.search("Which database does the Harbour use?")
    assert (found.fallback, found.hits[0].path) == (None, "memory/harbour.md")


def test_sleep_and_merges_leave_notes_findable(told: Told) -> None:
    told.memory.consolidate()
    assert told.memory.stats().notes == 2
    assert "Leire leads" in told.memory.recall("Who leads the Harbour project?", at=NOON).brief.text


def test_users_see_only_their_own_notes(told: Told, graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = f"{told.memory.name}-other"
    folder = tmp_path_factory.mktemp("other")
    workspace = graph.workspace(other, folder, config=QUIET)
    try:
        (folder / "MEMORY.md").write_text("The Harbour project is secret.\n")
        workspace.sync()
        assert [hit.path for hit in workspace.search("Harbour project").hits] == ["MEMORY.md"]
        assert "secret" not in " ".join(hit.text for hit in told.workspace.search("secret Harbour project").hits)
        assert "secret" not in told.memory.recall("What of the Harbour project is secret?", at=NOON).brief.text
    finally:
        assert graph.delete(other) == 0


def test_linking_many_notes_brings_copies_of_the_memory_up_to_date(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking, "PAGE", 8)  # embedding more than a page of long notes is what takes the time
    sets, name = told.graph.sets, told.memory.name
    days = "\n\n".join(f"# Day {i}\n\n" + f"Nerea met Jon{i} at the harbour. " * 60 for i in range(10))
    (told.workspace.layout.root / "memory/people.md").write_text(days)
    told.workspace.sync(linked=False)
    told.memory.recall("Who met Jon3?", at=NOON)
    told.workspace.indexer.hand_over()
    assert sets.store.rows("workspace/unlinked", memory=name, page=99)[linking.PAGE :], "more than a page"
    before = told.graph.stats()
    linking.link(sets, name, told.graph.embedder, told.graph.question_extractor)
    told.memory.recall("Who met Jon3?", at=NOON)
    after = told.graph.stats()
    held = sets.read(name, lambda tx: tx.held)
    assert content(held) == content(sets.store.read(lambda tx: load(tx, name, stands_at(tx, name, None))))
    assert after.loads <= before.loads + 1, "a page of links costs no copy its life"
    assert after.updates > before.updates


def test_an_edited_and_a_deleted_note_bring_copies_of_the_memory_up_to_date(told: Told) -> None:
    """Neither costs a copy its life, and what a copy then knows is what a load would find."""
    sets, name, root = told.graph.sets, told.memory.name, told.workspace.layout.root

    def same() -> bool:
        held = sets.read(name, lambda tx: tx.held)
        return content(held) == content(sets.store.read(lambda tx: load(tx, name, stands_at(tx, name, None))))

    assert "Leire leads" in told.memory.recall("Who leads the Harbour project?", at=NOON).brief.text
    before = told.graph.stats()
    text = (root / "memory/harbour.md").read_text()
    (root / "memory/harbour.md").write_text(text + "\nNerea leads the Marina project.\n")
    told.workspace.sync()
    assert "Nerea" in told.memory.recall("Who leads the Marina project?", at=NOON).brief.text
    assert same()
    (root / "memory/harbour.md").unlink()
    told.workspace.sync()
    assert "Nerea" not in told.memory.recall("Who leads the Marina project?", at=NOON).brief.text
    assert same()
    (root / "memory/harbour.md").write_text(text)
    told.workspace.sync()
    assert "PostgreSQL" in told.memory.recall("Which database does the Harbour use?", at=NOON).brief.text
    assert same()
    after = told.graph.stats()
    assert (after.loads, after.updates > before.updates) == (before.loads, True)
