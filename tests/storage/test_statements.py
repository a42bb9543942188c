"""Every Cypher statement: valid on the real server, explained, and bound to its memory."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from neo4j.vector import Vector
from tables import table

from oroi_graph.errors import StoreError
from oroi_graph.storage import statements
from oroi_graph.storage.store import Store

NAMES = statements.names()
# These concern the database as a whole.
OF_ALL = {
    "storage/list_memories",
    "storage/read_schema",
    "storage/hold_schema",
    "consolidation/due_memories",
    "contract/stale",
    # A key opens several memories; it is found by its own id.
    "interfaces/begin_request",
    "interfaces/create_key",
    "interfaces/end_request",
    "interfaces/list_keys",
    "interfaces/read_key",
    "interfaces/revoke_key",
    "interfaces/use_key",
}

# What a turn may send, whose time must not grow with the memory.
OF_A_TURN = {
    *(name for name in NAMES if name.startswith("perception/") and name != "perception/failed_turns"),
    *(name for name in NAMES if name.startswith("activation/")),
}

# What turns, recalls, writes and searches send: it seeks, whatever else the database holds. What lists or changes a
# whole memory may scan what there is little of; `contract/calibrations` has a node for each model.
_OFTEN = {"activation", "contract", "interfaces", "perception", "working_set", "workspace"}
SEEKING = {name for name in NAMES if name.split("/")[0] in _OFTEN} | {"consolidation/merge_read"}
SEEKING -= {*OF_ALL, "contract/calibrations"}

_COMMENT = re.compile(r"//.*")
_OF_A_MEMORY = re.compile(r":(?:Concept|Record|Episode|ASSOCIATED|MENTIONS|COINCIDED|Memory)\b|fulltext|VECTOR INDEX")
# One reading of nodes or relationships, up to the next clause that starts another.
_MATCHES = re.compile(r"\b(?:MATCH|MERGE)\b.*?(?=\b(?:MATCH|MERGE|CALL|UNWIND|UNION|CREATE)\b|\Z)", re.DOTALL)


def body(name: str) -> str:
    """The statement without its comments."""
    return _COMMENT.sub("", (statements.folder() / f"{name}.cypher").read_text(encoding="utf-8"))


def test_a_vector_is_written_in_both_its_forms() -> None:
    """Loading reads one, indexes and people the other."""
    # v: the cache of notes' vectors, which is loaded by nothing.
    written = {
        name: (len(re.findall(r"\b[^v\W]\.embedding =", body(name))), body(name).count(".vector_bytes ="))
        for name in NAMES
    }
    assert not {name: both for name, both in written.items() if both[0] != both[1]}
    assert sum(forms for forms, _ in written.values()) >= 15


def test_there_are_statements_for_every_verb() -> None:
    assert {name.split("/")[0] for name in NAMES} >= {"activation", "explore", "perception", "storage", "working_set"}
    assert sum(name.startswith("explore/") for name in NAMES) >= 10


@pytest.mark.long
@table("name", NAMES)
def test_server_plans_it(store: Store, name: str) -> None:
    """What is sent often seeks what it needs whatever the statistics say: a plan that was made while the database was
    empty is kept when it no longer is."""
    found = [(step["operatorType"], step["args"].get("Details", "")) for step in steps(store.plan(name))]
    assert found
    if name in SEEKING:
        assert [at for at in found if "Scan" in at[0]] == []
    if name in OF_A_TURN:
        assert [at for at in found if re.search(r":(Concept|Record)\(memory\)", at[1])] == []


def steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("children", ()):
        yield from steps(child)


def test_planning_tells_a_bad_statement(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "load", lambda name, prefix="": f"CYPHER 25\n{prefix}MATCH (c:Concept RETURN c")
    with pytest.raises(StoreError, match="refused the statement"):
        store.plan("perception/open_turn")


@table("name", NAMES)
def test_header_says_what_it_does(name: str) -> None:
    first = (statements.folder() / f"{name}.cypher").read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(r"// [A-Z`].{20,}", first), first


@table("name", NAMES)
def test_it_is_one_statement_without_holes(name: str) -> None:
    text = body(name)
    assert ";" not in text
    assert not re.search(r"\{\{|%s|%\(|\$\{|\$\(", text), "values are parameters, names are constants"


@table("name", sorted(set(NAMES) - OF_ALL))
def test_it_is_bound_to_its_memory(name: str) -> None:
    text = body(name)
    assert not _OF_A_MEMORY.search(text) or "$memory" in text


@table("name", sorted(set(NAMES) - OF_ALL))
def test_whatever_it_finds_by_id_is_of_its_memory(name: str) -> None:
    """Ids repeat between memories (a copy has the ids of the original), so an id alone finds too much."""
    for reading in _MATCHES.findall(body(name)):
        if re.search(r"[(\[]\w*:\w+ \{(?:memory: \S+ )?(?:id|slot): ", reading) and "MERGE (s)" not in reading:
            assert "$memory" in reading, reading


@table("name", sorted(set(NAMES) - OF_ALL))
def test_every_index_is_asked_within_its_memory(name: str) -> None:
    """By an id alone, each look finds one thing in every copy of a memory."""
    assert re.findall(r"\bUSING INDEX\b[^(]*\((?!memory\b)[^)]*\)", body(name)) == []


@table("name", [name for name in NAMES if name.startswith("explore/")])
def test_explore_is_ready_to_paste(store: Store, name: str) -> None:
    """The header says how to set each parameter; it reads only; it runs as it is, in the database's own language."""
    text = (statements.folder() / f"{name}.cypher").read_text(encoding="utf-8")
    for parameter in set(re.findall(r"\$(\w+)", body(name))):
        assert f":param {parameter} => " in text
    store.explore(text, memory="nobody", concept="nothing")


def test_a_vector_search_may_ask_for_more_than_there_is(store: Store) -> None:
    """By default Neo4j 2026.08 answers "Index 33554431 out of bounds" where a search's filter matches fewer nodes than
    its LIMIT and the last segment of the index has deletions: as in a small memory after another one was deleted."""
    dimensions = store.schema("MATCH (m:Migration) RETURN max(m.dimensions) AS n")[0]["n"]
    rows = np.random.default_rng(0).standard_normal((310, dimensions)).astype(np.float32)
    names = [f"few {uuid.uuid4()}", f"many {uuid.uuid4()}"]
    try:
        store.schema(
            "UNWIND $rows AS row CREATE (c:Concept:IndexedConcept {memory: row.memory, id: row.id, kind: 'concept'}) "
            "SET c.label_key = row.id, c.embedding = toFloatList(row.vector)",
            rows=[
                {"memory": names[i >= 5], "id": f"c{i}", "vector": Vector.from_numpy(each)}
                for i, each in enumerate(rows[:305])
            ],
        )
        store.schema("MATCH (c:Concept {memory: $memory}) DETACH DELETE c", memory=names[1])
        for most in (5, 6, 20, 76, 300, 1000):
            asked = {"queries": [Vector.from_numpy(rows[305])], "most": most, "compared": []}
            [found] = store.one("working_set/near_concepts", memory=names[0], **asked)["near"]
            assert len(found) == 5
            assert store.one("working_set/near_concepts", memory=names[1], **asked)["near"] == [[]]
    finally:
        store.schema("MATCH (c:Concept) WHERE c.memory IN $names DETACH DELETE c", names=names)


def test_unknown_statement_is_named() -> None:
    with pytest.raises(StoreError, match="no Cypher statement named 'perception/nothing'"):
        statements.load("perception/nothing")
