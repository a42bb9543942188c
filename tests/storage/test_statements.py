"""Every Cypher statement: valid on the real server, explained, and bound to its memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
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

_COMMENT = re.compile(r"//.*")
_OF_A_MEMORY = re.compile(r":(?:Concept|Record|Episode|ASSOCIATED|MENTIONS|COINCIDED|Memory)\b|fulltext|VECTOR INDEX")
# One reading of nodes or relationships, up to the next clause that starts another.
_MATCHES = re.compile(r"\b(?:MATCH|MERGE)\b.*?(?=\b(?:MATCH|MERGE|CALL|UNWIND|UNION|CREATE)\b|\Z)", re.DOTALL)


def body(name: str) -> str:
    """The statement without its comments."""
    return _COMMENT.sub("", (statements.folder() / f"{name}.cypher").read_text(encoding="utf-8"))


def test_there_are_statements_for_every_verb() -> None:
    assert {name.split("/")[0] for name in NAMES} >= {"activation", "explore", "perception", "storage", "working_set"}
    assert sum(name.startswith("explore/") for name in NAMES) >= 10


@pytest.mark.long
@table("name", NAMES)
def test_server_plans_it(store: Store, name: str) -> None:
    """What a turn sends seeks what it needs whatever the statistics say: a plan that was made while the database was
    empty is kept when it no longer is."""
    found = [(step["operatorType"], step["args"].get("Details", "")) for step in steps(store.plan(name))]
    assert found
    if name in OF_A_TURN:
        assert [at for at in found if "Scan" in at[0] or re.search(r":(Concept|Record)\(memory\)", at[1])] == []


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


@table("name", [name for name in NAMES if name.startswith("explore/")])
def test_explore_is_ready_to_paste(store: Store, name: str) -> None:
    """The header says how to set each parameter; it reads only; it runs as it is, in the database's own language."""
    text = (statements.folder() / f"{name}.cypher").read_text(encoding="utf-8")
    for parameter in set(re.findall(r"\$(\w+)", body(name))):
        assert f":param {parameter} => " in text
    store.explore(text, memory="nobody", concept="nothing")


# Asked only if more is known than they want (`working_set/vectors`, Indexed.nearest).
GUARDED_BY_CALLER = {"working_set/near_concepts", "working_set/near_records"}


@table("name", [name for name in NAMES if "VECTOR INDEX" in body(name) and name not in GUARDED_BY_CALLER])
def test_vector_search_is_not_asked_for_more_than_there_is(name: str) -> None:
    """Neo4j 2026.08 answers "Index 33554431 out of bounds" when a search's filter matches fewer nodes than its LIMIT
    and the last segment of the index has deletions: as in a small memory after another one was deleted."""
    searches = re.findall(r"size\((?:few|some)\) >?= (\S+)\s+(?:MATCH[^\n]*\n\s+)SEARCH[^)]*LIMIT (\S+)\)", body(name))
    assert len(searches) == body(name).count("VECTOR INDEX")
    for enough, limit in searches:
        assert enough == limit or int(enough) >= int(limit)
    assert len(re.findall(r"UNWIND (?:few|some) AS", body(name))) == len(searches)


def test_unknown_statement_is_named() -> None:
    with pytest.raises(StoreError, match="no Cypher statement named 'perception/nothing'"):
        statements.load("perception/nothing")
