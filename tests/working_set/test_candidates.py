"""Candidates: what of a memory's records questions rank, made once and made anew where something changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from oroi_graph.model import EntryNote, NoteSource
from oroi_graph.storage.store import Transaction
from oroi_graph.working_set.candidates import Candidate, candidates_of
from oroi_graph.working_set.snapshot import Snapshot, empty
from oroi_graph.working_set.transactions import Reading


def row(*records: tuple[str, int, str, str | None], concepts: Sequence[str] = ("c",), entry: Sequence[Any] = ()) -> Any:
    """Records (id, turn, role, speaker) as statements return them; concepts and entry are of each."""
    n = len(records)
    return {
        "ids": [id for id, *_ in records],
        "said": [[f"turn {turn}", turn, role, who, "s", None, "words", role] for _, turn, role, who in records],
        "entries": [list(entry)] * n, "gists": [False] * n, "resting": [False] * n,
        "associations": [[]] * n, "concepts": [list(concepts)] * n, "vectors": [-1] * n,
    }  # fmt: skip


def holding(rows: Any) -> Snapshot:
    return replace(empty(), records=empty().records.updated(rows))


def found(held: Snapshot, *ids: str) -> list[Candidate]:
    reading = Reading(Transaction(None, None), held)  # type: ignore[arg-type]  # nothing is asked of the database
    _, records = candidates_of(
        reading, memory="m", facts=(), found=ids, cosines={}, concepts=(), period=None, central=0, around=0
    )
    return records


def test_candidates_come_in_the_order_they_were_said_and_know_who_said_them() -> None:
    held = holding(
        row(("b", 2, "user", "Ana"), ("a", 1, "assistant", "it"), ("c", 1, "user", "Ana"), ("d", 3, "user", None))
    )
    assert [one.id for one in found(held, "d", "b", "a", "c", "gone")] == ["c", "a", "b"]


def test_a_candidate_is_made_once_and_anew_where_its_concepts_changed() -> None:
    held = holding(row(("a", 1, "user", "Ana"), ("b", 2, "user", "Ana")))
    before = found(held, "a", "b")
    assert [one.concepts for one in before] == [("c",), ("c",)]
    later = replace(held, records=held.records.updated(row(("a", 1, "user", "Ana"), concepts=("c", "d"))))
    after = found(later, "a", "b")
    assert [one.concepts for one in after] == [("c", "d"), ("c",)]
    assert after[1] is before[1]
    assert found(held, "a")[0].concepts == ("c",), "who reads the state before is told nothing of what came later"


def test_an_entry_is_superseded_and_a_note_is_cited() -> None:
    entry = ("e", -2, "entry", "Ana")
    held = holding(row(entry, entry=["decision", "price", False, False]))
    assert found(held, "e")[0].entry == EntryNote("decision", "price", False, False)
    later = replace(held, records=held.records.updated(row(entry, entry=["decision", "price", True, False])))
    [now] = found(later, "e")
    assert (now.entry, now.session) == (EntryNote("decision", "price", True, False), "entry e")
    [note] = found(holding(row(("n", -4, "note", "Ana"), entry=["memory/a.md", 3, 5])), "n")
    assert (note.note, note.entry, note.session) == (NoteSource("memory/a.md", 3, 5), None, "note n")
