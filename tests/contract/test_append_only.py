"""No statement of the room changes or deletes an entry: every one is read. Erasure is the one exception."""

from __future__ import annotations

import re

import pytest
from contracts import Shared
from tables import table

from oroi_graph.storage import statements

NAMES = [name for name in statements.names() if name.startswith("contract/")]
ERASURE = "contract/erase"
_COMMENT = re.compile(r"//.*")
_ENTRY = re.compile(r"\((\w+):(?:\w+:)*Entry\b|\((\w+):Record\b")
_CLAUSE = re.compile(
    r"\b(SET|REMOVE|DETACH DELETE|DELETE)\b(.*?)(?=\b(?:MATCH|MERGE|CREATE|WITH|RETURN|CALL|UNWIND|SET|REMOVE|DELETE|"
    r"DETACH|WHERE|FOREACH|ON)\b|\}|\)\s*$|\Z)",
    re.DOTALL,
)


def body(name: str) -> str:
    return _COMMENT.sub("", (statements.folder() / f"{name}.cypher").read_text(encoding="utf-8"))


def changes(text: str) -> list[str]:
    """What a statement does to nodes that it found as entries, rather than created."""
    made = set(re.findall(r"CREATE \((\w+):", text))
    found = {name for pair in _ENTRY.findall(text) for name in pair if name} - made
    hits = []
    for verb, rest in _CLAUSE.findall(text):
        touched = set(re.findall(r"\b(\w+)(?=[.:\s,=}]|$)", rest)) if "DELETE" in verb else set(
            re.findall(r"(?:^|,)\s*(\w+)(?=\s*[.:=+])", rest)
        )  # fmt: skip
        hits += [f"{verb} {rest.strip()}" for name in sorted(touched & found)]
    return hits


@table("name", [name for name in NAMES if name != ERASURE])
def test_entries_are_never_changed(name: str) -> None:
    assert changes(body(name)) == []


@table(
    "text",
    [
        "MATCH (e:Entry {memory: $memory}) SET e.text = $text",
        "MATCH (e:Record:Entry {memory: $memory}) SET e += $row",
        "MATCH (e:Entry {memory: $memory}) SET e:Gone RETURN e",
        "MATCH (m:Memory), (e:Entry) SET m.lock = 1, e.seq = 2",
        "MATCH (e:Entry {memory: $memory}) REMOVE e.text",
        "MATCH (e:Entry {memory: $memory}) DETACH DELETE e",
        "MATCH (r:Record {memory: $memory}) DELETE r",
    ],
)
def test_the_reader_sees_what_it_looks_for(text: str) -> None:
    assert changes(text)


def test_there_is_one_exception_and_it_keeps_hash_and_tombstone() -> None:
    assert len(NAMES) > 25
    text = body(ERASURE)
    assert changes(text)
    assert not re.search(r"DELETE e\b", text)
    for kept in ("hash", "previous", "value_hash", "seq", "ia_author", "id"):
        assert not re.search(rf"\be\.{kept}\s*=", text), kept
    assert "e.erased_at = datetime()" in text


def test_a_life_of_writes_changes_no_entry(shared: Shared) -> None:
    """What every kind of call leaves of an entry is what was written, but for its erasure."""
    first = shared.write("claude", "project_status", "Phase 2 runs in Bilbao.").entry
    query = "MATCH (e:Entry {memory: $m, id: $id}) RETURN e {.*, forgetting: null}"
    before = shared.graph.store.explore(query, m=shared.name, id=first.id)[1]
    second = shared.write("gemini", "project_status", "Phase 3 runs.").entry
    shared.contract.settle([second.id], {"ia_author": "kimi", "field_value": "Phase 4.", "confidence_score": 1})
    shared.contract.compress()
    shared.contract.checkpoint(shared.key)
    shared.graph.memory(shared.name).recall("Which phase runs in Bilbao?")
    assert shared.graph.store.explore(query, m=shared.name, id=first.id)[1] == before
    shared.contract.erase([first.id], by="Ana")
    [[after]] = shared.graph.store.explore(query, m=shared.name, id=first.id)[1]
    assert {key for key in before[0][0] if after.get(key) != before[0][0][key]} == {
        "text", "salt", "semantic_hash", "embedding", "vector_bytes",
    } | ({"words"} if before[0][0].get("words") else set())  # fmt: skip
    assert after["erased_by"] == "Ana"


def test_the_database_refuses_a_second_entry_at_one_place(shared: Shared) -> None:
    shared.write("claude", "risk", "Fire.")
    with pytest.raises(Exception, match="already exists"):
        shared.graph.store.schema(
            "MATCH (m:Memory {name: $m}) CREATE (:Entry {memory: $m, id: 'x', seq: 1})", m=shared.name
        )
