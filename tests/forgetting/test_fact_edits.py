"""One fact by id: listed, corrected by a person, deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from graph_view import (
    NOON,
    association,
    checksum_without_lock,
    concepts,
    concepts_by_kind,
    current,
    records,
    stating,
    tell,
)
from references import dangling

from oroi_graph import Extraction, InputError, Memory
from oroi_graph.errors import MemoryNotFoundError
from oroi_graph.forgetting import fact_edits
from oroi_graph.forgetting.fact_edits import list_facts


@pytest.fixture
def told(memory: Memory) -> Iterator[Memory]:
    """Ana lives in Bilbao, then in Gernika; her boss is Koldo. Nothing dangles at the end."""
    tell(memory, "I live in Bilbao.", stating(("I", "live in", "Bilbao"), names=["Bilbao"]))
    tell(memory, "I live in Gernika.", stating(("I", "live in", "Gernika"), names=["Gernika"]))
    tell(memory, "My boss is Koldo.", stating(("my boss", "is", "Koldo"), names=["Koldo"], concepts=["my boss"]))
    yield memory
    assert dangling(memory) == []


def test_what_holds_comes_first(told: Memory) -> None:
    found = told.facts("me", speaker="Ana")
    assert [(fact.target, fact.current) for fact in found] == [("Gernika", True), ("Bilbao", False)]
    assert [fact.target for fact in told.facts("my boss", speaker="Ana")] == ["Koldo"]
    assert told.facts(concepts(told)["Koldo"]["id"]) == told.facts("koldo") == told.facts("my boss", speaker="Ana")
    assert json.loads(json.dumps(found[0].to_json()))["relation"] == "live in"
    everything = [(fact.target, fact.current) for fact in told.facts()]
    assert sorted(everything[:-1]) == [("Gernika", True), ("Koldo", True)]
    assert everything[-1] == ("Bilbao", False)


@pytest.mark.parametrize("name", ["Nobody", "my chief", "Kold", ""])
def test_what_is_not_known(told: Memory, name: str) -> None:
    with pytest.raises(InputError, match="knows nothing called"):
        told.facts(name, speaker="Ana")


def test_a_fact_is_named_by_the_beginning_of_its_id(told: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    one = told.facts("my boss", speaker="Ana")[0]
    with pytest.raises(InputError, match="has no fact"):
        told.edit_fact(one.id[:3], target="Iker")  # too short to be meant
    assert told.edit_fact(one.id[:6], target="Iker", by="Ana").target == "Iker"
    monkeypatch.setattr(fact_edits, "SHORTEST", 0)
    with pytest.raises(InputError, match=r"several facts .* begins with ''"):
        told.delete_fact("")


def test_a_memory_that_is_not_there(told: Memory) -> None:
    with pytest.raises(MemoryNotFoundError):
        list_facts(told.graph.store, "nobody-here", "Ana", "Ana")


def test_a_correction_by_a_person(told: Memory) -> None:
    old = association(told, "Ana", "Gernika")
    fact = told.edit_fact(old["id"], target="Getxo", when="2026-03", by="Ana")
    assert (fact.source, fact.relation, fact.target, fact.when, fact.current) == (
        "Ana", "live in", "Getxo", "2026-03", True,
    )  # fmt: skip
    new = association(told, "Ana", "Getxo")
    assert (new["edited"], new["edited_by"], new["consolidated"], new["records"]) == (True, "Ana", True, [])
    assert (new["class"], new["first_turn"]) == (old["class"], 3)
    old = association(told, "Ana", "Gernika")
    assert (old["superseded_by"], old["superseded_turn"]) == (new["id"], 3)
    assert concepts(told)["Getxo"]["kind"] == "name"
    # A later turn finds and replaces it as any other, and a question is answered with it.
    assert "Getxo" in told.recall("Where do I live?", speaker="Ana").brief.text
    turn = told.perceive("Where do I live?", speaker="Ana", at=NOON, extraction=Extraction())
    assert "Getxo" in turn.brief.text
    turn.close()
    tell(told, "I live in Bilbao again.", stating(("I", "live in", "Bilbao"), names=["Bilbao"]))
    assert ("Ana", "live in", "Bilbao") in current(told)
    assert ("Ana", "live in", "Getxo") not in current(told)


def test_the_same_edit_twice_is_one(told: Memory) -> None:
    id = association(told, "Ana", "Gernika")["id"]
    first = told.edit_fact(id, target="Getxo", by="Ana")
    before = checksum_without_lock(told)
    assert told.edit_fact(id, target="Getxo", by="Ana") == first
    assert checksum_without_lock(told) == before


def test_the_target_is_recognised_as_in_a_turn(told: Memory) -> None:
    id = association(told, "Ana", "Gernika")["id"]
    assert told.edit_fact(id, target="bilbao", by="Ana").target == "Bilbao"
    assert len(concepts_by_kind(told, "name")) == 3
    id = association(told, "boss of Ana", "Koldo")["id"]
    assert told.edit_fact(id, target="Marta", by="Ana").target == "Marta"


def test_what_another_fact_says_already_is_not_said_twice(told: Memory) -> None:
    tell(told, "I work in Gernika.", stating(("I", "work in", "Gernika"), names=["Gernika"]))
    home = next(f for f in told.facts("me", speaker="Ana") if f.relation == "live in" and f.current)
    work = next(f for f in told.facts("me", speaker="Ana") if f.relation == "work in")
    assert told.edit_fact(work.id, relation="live in", by="Ana").id == home.id
    assert [f.relation for f in told.facts("me", speaker="Ana") if f.current] == ["live in"]


def test_nothing_changed_changes_nothing(told: Memory) -> None:
    old = association(told, "Ana", "Gernika")
    before = checksum_without_lock(told)
    assert told.edit_fact(old["id"], target="Gernika", by="Ana").id == old["id"]
    assert checksum_without_lock(told) == before


@pytest.mark.parametrize(
    ("edit", "error"),
    [
        ({}, "nothing to change"),
        ({"target": "…"}, "the target is empty"),
        ({"relation": " "}, "the relation is empty"),
        ({"when": "soon"}, "bad time 'soon'"),
        ({"when": "2026-13"}, "bad time"),
        ({"when": "2026-02-30/2026-03"}, "bad time"),
        ({"target": "me"}, "a fact needs two ends"),
    ],
)
def test_an_edit_that_cannot_be(told: Memory, edit: dict[str, str], error: str) -> None:
    before = checksum_without_lock(told)
    with pytest.raises(InputError, match=error):
        told.edit_fact(association(told, "Ana", "Gernika")["id"], by="Ana", **edit)
    assert checksum_without_lock(told) == before


def test_when_can_be_taken_away(told: Memory) -> None:
    dated = told.edit_fact(association(told, "Ana", "Gernika")["id"], when="2026-03-01/2026-05", by="Ana")
    assert told.edit_fact(dated.id, when="", by="Ana").when is None


def test_history_is_not_edited(told: Memory) -> None:
    with pytest.raises(InputError, match="holds no longer"):
        told.edit_fact(association(told, "Ana", "Bilbao")["id"], target="Getxo")
    with pytest.raises(InputError, match="has no fact 'abc'"):
        told.edit_fact("abc", target="Getxo")
    with pytest.raises(InputError, match="has no fact 'abc'"):
        told.delete_fact("abc")


def test_deleting_a_fact_keeps_the_words(told: Memory) -> None:
    fact = association(told, "Ana", "Gernika")
    assert told.delete_fact(fact["id"]).target == "Gernika"
    assert "I live in Gernika." in [record["text"] for record in records(told)]
    assert all(fact["id"] not in record["associations"] for record in records(told))
    old = association(told, "Ana", "Bilbao")
    assert (old["superseded_turn"], old.get("superseded_by")) == (2, None)
    assert not any(source == "Ana" for source, _, _ in current(told))


def test_undo_of_the_turn_whose_fact_was_edited(told: Memory) -> None:
    told.edit_fact(association(told, "boss of Ana", "Koldo")["id"], target="Marta", by="Ana")
    told.undo()
    assert ("boss of Ana", "is", "Marta") in current(told)


def test_an_edited_fact_tells_who_edited_it_when_and_who_said_it(told: Memory) -> None:
    [first] = told.facts("my boss", speaker="Ana")
    [said] = told.provenance(first)
    second = told.edit_fact(first.id, target="Iker", by="Marta")
    third = told.edit_fact(second.id, when="2026-03", by="Jon")
    found = told.provenance(third)
    assert found[0] == said
    assert [(one.role, one.speaker) for one in found[1:]] == [("edit", "Marta"), ("edit", "Jon")]
    assert all(one.at and datetime.now(UTC) - datetime.fromisoformat(one.at) < timedelta(hours=1) for one in found[1:])
    assert str(found[1]).startswith("edited by Marta in turn 3 on 20")
    assert told.provenance(first) == [said], "the fact that was edited has its own"
