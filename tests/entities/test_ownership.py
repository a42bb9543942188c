"""What somebody said of himself: nobody else's words replace or deny it; both stay, attributed and contested."""

from __future__ import annotations

import json

import pytest
from graph_view import NOON, association, associations, current, stating, tell

from oroi_graph import ExtractedRelation, Extraction, Memory, Replaced
from oroi_graph.entities.fact_updates import Current, Stated, decide

HOME = stating(("I", "lives in", "Bilbao"), names=["Bilbao"])


def of_ana(target: str, **flags: object) -> Extraction:
    return stating(ExtractedRelation("Ana", "lives in", target, **flags), names=["Ana", target])  # type: ignore[arg-type]


@pytest.fixture
def told(memory: Memory) -> Memory:
    tell(memory, "I live in Bilbao. My sister lives in Irun.", stating(
        ("I", "lives in", "Bilbao"), ("my sister", "lives in", "Irun"), names=["Bilbao", "Irun"], concepts=["my sister"]
    ))  # fmt: skip
    return memory


@pytest.mark.parametrize(
    "claim",
    [
        of_ana("Madrid"),
        of_ana("Madrid", replaces=True),
        of_ana("Madrid", replaces=Replaced("lives in", "Bilbao")),
        of_ana("Bilbao", negated=True),
        stating(ExtractedRelation("Ana", "has moved to", "Madrid"), names=["Ana", "Madrid"]),
    ],
)
def test_nobody_replaces_what_somebody_said_of_himself(told: Memory, claim: Extraction) -> None:
    tell(told, "Ana …", claim, speaker="Mallory")
    own = association(told, "Ana", "Bilbao") if not claim.relations[0].negated else next(
        row for row in associations(told) if row["target"] == "Bilbao" and not row["negated"]
    )  # fmt: skip
    assert own.get("superseded_turn") is None
    assert own["contested"] is True
    assert len([fact for fact in current(told) if fact[0] == "Ana"]) >= 2
    brief = told.recall("Where does Ana live?", speaker="Iker").brief.text
    assert "Bilbao" in brief


def test_nor_of_what_is_his(told: Memory) -> None:
    tell(
        told, "Ana's sister lives in Rome.", stating(("Ana's sister", "lives in", "Rome"), names=["Rome"]), speaker="M"
    )
    assert {("sister of Ana", "lives in", "Irun"), ("sister of Ana", "lives in", "Rome")} <= current(told)


def test_he_himself_replaces_what_others_say(told: Memory) -> None:
    tell(told, "Ana lives in Madrid.", of_ana("Madrid"), speaker="Mallory")
    tell(told, "I live in Getxo.", stating(("I", "lives in", "Getxo"), names=["Getxo"]))
    assert {target for source, _, target in current(told) if source == "Ana"} & {"Bilbao", "Madrid", "Getxo"} == {
        "Getxo"
    }


def test_what_only_others_said_of_him_is_replaced_by_others(memory: Memory) -> None:
    tell(memory, "Hello.", Extraction())
    tell(memory, "Ana lives in Madrid.", of_ana("Madrid"), speaker="Mallory")
    tell(memory, "Ana lives in Rome.", of_ana("Rome"), speaker="Iker")
    assert {target for source, _, target in current(memory) if source == "Ana"} == {"Rome"}


def test_of_third_people_the_latest_word_counts(told: Memory) -> None:
    for speaker, city in (("Ana", "Vigo"), ("Mallory", "Rome")):
        tell(told, "Marta …", stating(("Marta", "lives in", city), names=["Marta", city]), speaker=speaker)
    assert {target for source, _, target in current(told) if source == "Marta"} == {"Rome"}


def test_a_fact_tells_who_said_it(told: Memory) -> None:
    tell(told, "Ana lives in Bilbao.", of_ana("Bilbao"), speaker="Mallory")
    fact = next(one for one in told.facts("Ana") if one.target == "Bilbao")
    assert [(one.speaker, one.role, one.turn) for one in told.provenance(fact)] == [
        ("Ana", "user", 1),
        ("Mallory", "user", 2),
    ]
    assert str(told.provenance(fact)[0]) == "said by Ana in turn 1"
    assert json.loads(json.dumps(told.provenance(fact)[0].to_json()))["at"] == NOON.isoformat()


def test_deciding_needs_no_database() -> None:
    mine = Current("f", "ana", "lives in", "bilbao", "name", False, "s", 1, ["Ana"])
    theirs = Current("g", "ana", "lives in", "rome", "name", False, "s", 1, ["Mallory"])
    stated = Stated("ana", "lives in", "madrid", "name", False, False, None, "s", "ana")
    outcome = decide(stated, [mine, theirs], lambda a, b: 0.0)
    assert (outcome.supersedes, outcome.contested) == (("g",), ("f",))
