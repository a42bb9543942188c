"""The profile of somebody or something, by name and as a question."""

from __future__ import annotations

from datetime import timedelta

import pytest
from graph_view import NOON, checksum, stating, tell
from tables import table

from oroi_graph import ExtractedConcept, ExtractedRelation, Extraction, Filters, InputError, Memory
from oroi_graph.recall.profile import asked_about


@pytest.fixture
def known(memory: Memory) -> Memory:
    """What Ana told about herself and her sister; one relation that was not surely read, one that was replaced."""
    said = [
        ("I live in Bilbao.", stating(("I", "live in", "Bilbao"), names=["Bilbao"])),
        ("I moved to Durango.", stating(("I", "live in", "Durango"), names=["Durango"])),
        ("My sister is called Leire.", stating(("my sister", "is called", "Leire"), names=["Leire"])),
        ("Leire works at Iberdata.", stating(("Leire", "works at", "Iberdata"), names=["Leire", "Iberdata"])),
        ("I like jazz.", stating(("I", "like", "jazz"), concepts=["jazz"])),
        ("Koldo lives in Eibar.", stating(("Koldo", "lives in", "Eibar"), names=["Koldo", "Eibar"])),
        ("dunno, saw front", Extraction(relations=(ExtractedRelation("I", "saw", "front", confidence=0.3),))),
        ("What do you know about me?", Extraction()),
    ]
    for i, (text, extraction) in enumerate(said):
        memory.perceive(text, speaker="Ana", at=NOON + timedelta(days=i), extraction=extraction).close()
    return memory


def test_who_speaks_by_theme_then_what_was_said_last(known: Memory) -> None:
    before = checksum(known)
    found = known.profile()
    assert found.about == "Ana"
    told = {theme: [(fact.relation, fact.target) for fact in facts] for theme, facts in found.themes.items()}
    assert told == {"home": [("live in", "Durango")], "likes": [("like", "jazz")]}
    assert [record.text for record in found.said][:2] == ["dunno, saw front", "Koldo lives in Eibar."]
    assert "What do you know about me?" not in [record.text for record in found.said]
    assert "Ana lives in Durango." in found.brief.text
    assert "saw front." not in found.brief.text
    assert checksum(known) == before


@pytest.mark.parametrize("about", ["Leire", "my sister"])
def test_somebody_by_name_and_by_role(known: Memory, about: str) -> None:
    found = known.profile(about)
    assert {fact.target for facts in found.themes.values() for fact in facts} == {"Leire", "Iberdata"}
    assert {record.text for record in found.said} == {"My sister is called Leire.", "Leire works at Iberdata."}


@pytest.mark.parametrize(
    ("said", "about", "told"),
    [
        (
            ("Leire is my sister.", "My sister is called Leire.", "My sister Leire came."),
            "Leire",
            "Leire is Ana's sister.",
        ),
        (("Luis es mi hermano.", "Tengo un hermano, Luis."), "Luis", "Luis es hermano de Ana."),
        (("O João é meu irmão.", "O João é irmão da Ana."), "João", "João é irmão de Ana."),
    ],
)
def test_a_fact_that_was_told_from_both_sides_is_told_once(
    memory: Memory, said: tuple[str, ...], about: str, told: str
) -> None:
    for text in said:
        memory.perceive(text, speaker="Ana", at=NOON).close()
    found = memory.profile(about, speaker="Ana")
    assert len(found.themes["who"]) == sum(map(len, found.themes.values())) == 1
    assert [item.text for item in found.brief.items if item.kind == "fact"] == [told]


def test_a_question_for_everything_gets_the_profile(known: Memory) -> None:
    asked = known.recall("¿Qué sabes de mí?", speaker="Ana")
    assert asked.brief.text == known.profile().brief.text
    assert asked.question == "¿Qué sabes de mí?"
    assert known.recall("What do you know about Leire?").facts == known.recall("what do you remember about Leire").facts


def test_filters_and_budget_hold(known: Memory) -> None:
    late = Filters(since=(NOON + timedelta(days=5)).date().isoformat())
    found = known.recall("What do you know about me?", speaker="Ana", filters=late)
    assert {record.text for record in found.ranked} == {"Koldo lives in Eibar.", "dunno, saw front"}
    assert found.facts == ()
    early = Filters(until=(NOON + timedelta(days=2)).date().isoformat())
    found = known.recall("What do you know about me?", speaker="Ana", filters=early)
    assert [fact.target for fact in found.facts] == ["Durango"]
    assert 0 < known.profile(budget=60).brief.tokens <= 60


def test_of_what_is_not_known_it_is_empty(known: Memory, memory: Memory) -> None:
    found = known.profile("Nobody")
    assert (bool(found), found.brief.text) == (False, "")
    with pytest.raises(InputError, match="the text is empty"):
        known.profile(" ")


def test_an_empty_memory_has_an_empty_profile(memory: Memory) -> None:
    assert not memory.profile()
    assert memory.recall("What do you know about me?").brief.text == ""


def test_facts_are_told_in_the_language_of_what_was_said_last(memory: Memory) -> None:
    amiga = ExtractedRelation("eu", "amiga", "Bia")  # a word of Spanish, too
    comer = ExtractedRelation("Diego", "come", "carne")  # a verb of three languages
    names = tuple(ExtractedConcept(name, "name") for name in ("Bia", "Diego"))
    said = Extraction(names, (amiga, comer))
    memory.perceive("minha amiga Bia cozinha, o Diego come carne", speaker="Rafa", extraction=said).close()
    assert "A amiga de Rafa é Bia." in memory.profile().brief.text
    assert "A amiga de Rafa é Bia." in memory.recall("What do you know about me?").brief.text
    assert "Diego come carne." in memory.profile("Diego").brief.text


def test_another_memory_tells_nothing(known: Memory) -> None:
    other = known.graph.memory(f"{known.name}-other")
    try:
        tell(other, "I live in Lisbon.", stating(("I", "live in", "Lisbon"), names=["Lisbon"]))
        assert "Lisbon" not in known.profile().brief.text
        assert [fact.target for fact in other.profile().themes["home"]] == ["Lisbon"]
    finally:
        other.graph.delete(other.name)


@table(
    ("question", "about"),
    [
        ("What do you know about me?", "me"),
        ("so what do you remember about Maureen so far", "Maureen"),
        ("Tell me everything you know about my sister.", "my sister"),
        ("¿Qué sabes de mí?", "mí"),
        ("que recuerdas sobre mi hermana", "mi hermana"),
        ("O que é que sabes da Inês?", "Inês"),
        ("me conta tudo o que você sabe sobre o Rui", "o Rui"),
        ("Who is Jon?", "Jon"),
        ("who's Jon Ander again", "Jon Ander"),
        ("¿Quién es Leire?", "Leire"),
        ("Quem é a Marta?", "Marta"),
        ("Who is the owner of Acme?", None),
        ("who is my boss now?", None),
        ("Do you know about the party on Friday?", None),
        ("What do you know?", None),
        ("Tell me about the trip", None),
        ("What did we say about the roof?", None),
        ("", None),
    ],
)
def test_questions_for_everything(question: str, about: str | None) -> None:
    assert asked_about(question) == about
