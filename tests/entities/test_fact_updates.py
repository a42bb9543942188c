"""Correction: what a newly stated relation does to those that held, in the graph and in the brief."""

from __future__ import annotations

from datetime import timedelta

import pytest
from graph_view import NOON, activations, association, associations, current, own_memory, records, stating, tell

from oroi_graph import ExtractedRelation, Extraction, Graph, Memory, Replaced
from oroi_graph.entities.fact_updates import Current, Stated, decide

EMPTY = Extraction()


def lives(city: str, **flags: object) -> Extraction:
    return stating(ExtractedRelation("I", "lives in", city, **flags), names=[city])  # type: ignore[arg-type]


# --- single-valued relations --------------------------------------------------------------------------------


def test_a_single_valued_relation_has_one_value_at_a_time(memory: Memory) -> None:
    tell(memory, "I live in Madrid.", lives("Madrid"))
    tell(memory, "I live in Valencia.", lives("Valencia"))
    assert current(memory) == {("Ana", "lives in", "Valencia")}
    old, new = association(memory, "Ana", "Madrid"), association(memory, "Ana", "Valencia")
    assert (old["superseded_turn"], old["superseded_by"]) == (2, new["id"])
    assert (old["first_turn"], old["records"]) == (1, [records(memory)[0]["id"]]), "its history is kept"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("lives in", "has moved to"),
        ("vive en", "se mudó a"),
        ("lives in", "vive en"),
        ("works at", "works for"),
        ("trabaja en", "works at"),
        ("is called", "se llama"),
        ("birthday is", "was born on"),
        ("is married to", "married"),
        ("phone number is", "phone is"),
        ("favourite colour is", "favorite color is"),
    ],
)
def test_equivalent_phrases_are_one_relation(memory: Memory, first: str, then: str) -> None:
    tell(memory, "Marta …", stating(("Marta", first, "Alpha"), names=["Marta", "Alpha"]))
    tell(memory, "Marta …", stating(("Marta", then, "Omega"), names=["Marta", "Omega"]))
    assert {target for _, _, target in current(memory)} == {"Omega"}


@pytest.mark.parametrize("relation", ["has", "likes", "plays", "speaks", "owns", "tiene", "visited", "knows"])
def test_a_multi_valued_relation_is_never_replaced_without_being_named(memory: Memory, relation: str) -> None:
    tell(memory, "I … a dog.", stating(("I", relation, "dog")))
    tell(memory, "I also … a cat.", stating(("I", relation, "cat")))
    assert {target for _, _, target in current(memory)} == {"dog", "cat"}


@pytest.mark.parametrize(
    ("when", "past", "held"),
    [
        ("1998", False, True),
        ("2024-01-01/2024-12-31", False, True),
        ("2025", False, False),
        ("2025-12", False, False),  # dates are vague: less than a year before what was said
        (None, True, True),
        (None, False, False),
    ],
)
def test_what_happened_long_before_replaces_nothing(memory: Memory, when: str | None, past: bool, held: bool) -> None:
    tell(memory, "I live in Madrid.", lives("Madrid"))
    then = ExtractedRelation("I", "moved to", "Spain", replaces=True, when=when, past=past)
    tell(memory, "We moved to Spain.", stating(then, names=["Spain"]))
    assert {target for _, _, target in current(memory)} == ({"Madrid", "Spain"} if held else {"Spain"})
    tell(memory, "I live in Rome.", lives("Rome"))
    assert current(memory) == {("Ana", "lives in", "Rome")}, "what is so now replaces both"


@pytest.mark.parametrize(("past", "superseded"), [(False, ("f",)), (True, ())])
def test_what_was_long_ago_replaces_no_like_relation_either(past: bool, superseded: tuple[str, ...]) -> None:
    held = Current("f", "flat", "belongs to", "eva", "name", False, "s", 1)
    then = Stated("flat", "is owned by", "luis", "name", False, True, None, "other", past=past)
    assert decide(then, [held], lambda a, b: 1.0).supersedes == superseded


def test_a_date_of_long_ago_as_a_value_is_what_is_stated(memory: Memory) -> None:
    tell(memory, "Marta …", stating(("Marta", "birthday is", "3 May"), names=["Marta"], values=["3 May"]))
    known = ExtractedRelation("Marta", "birthday is", "4 May 1990", when="1990-05-04")
    tell(memory, "Marta …", stating(known, names=["Marta"], values=["4 May 1990"]))
    assert {target for _, _, target in current(memory)} == {"4 May 1990"}


@pytest.mark.parametrize(("when", "superseded"), [("2026", ("f",)), ("1998", ())])
def test_what_happened_long_before_replaces_no_like_relation_either(when: str, superseded: tuple[str, ...]) -> None:
    held = Current("f", "flat", "belongs to", "eva", "name", False, "s", 1, since="2026-11-27")
    then = Stated("flat", "is owned by", "luis", "name", False, True, None, "other", when=when)
    assert decide(then, [held], lambda a, b: 1.0).supersedes == superseded


def test_what_happened_later_replaces_what_happened_before(memory: Memory) -> None:
    tell(memory, "…", stating(ExtractedRelation("I", "moved to", "Spain", when="1998"), names=["Spain"]))
    tell(memory, "…", stating(ExtractedRelation("I", "moved to", "Italy", when="2005"), names=["Italy"]))
    tell(memory, "…", stating(ExtractedRelation("I", "moved to", "Malta", when="2001"), names=["Malta"]))
    assert {target for _, _, target in current(memory)} == {"Italy", "Malta"}


def test_a_correction_that_names_what_was_wrong_is_obeyed_whenever_it_happened(memory: Memory) -> None:
    tell(memory, "I live in Madrid.", lives("Madrid"))
    wrong = ExtractedRelation("I", "moved to", "Rome", replaces=Replaced("lives in", "Madrid"), when="1998", past=True)
    tell(memory, "…", stating(wrong, names=["Madrid", "Rome"]))
    assert {target for _, _, target in current(memory)} == {"Rome"}


@pytest.mark.parametrize(
    ("now", "then", "asked", "home"),
    [
        ("I live in Leeds.", "I was born in Cork but we moved to England when I was six.", "Where do I live?", "Leeds"),
        ("Vivo en Gijón.", "De pequeña me mudé a Asturias.", "¿Dónde vivo?", "Gijón"),
        ("Moro em Braga.", "Mudámo-nos para o Minho quando eu tinha seis anos.", "Onde moro?", "Braga"),
    ],
)
def test_childhood_does_not_move_anybody(memory: Memory, now: str, then: str, asked: str, home: str) -> None:
    for said in (now, then):
        memory.perceive(said, speaker="Ana", at=NOON).close("OK.")
    lines = memory.recall(asked, speaker="Ana").brief.text.splitlines()
    facts = [line for line in lines if line.startswith("- ") and '"' not in line]
    assert any(home in line for line in facts)
    assert not any("moved" in line or "mud" in line for line in facts), "it would be told as if it were so now"


def test_another_source_and_another_relation_are_left_alone(memory: Memory) -> None:
    tell(memory, "I live in Madrid.", lives("Madrid"))
    tell(memory, "I work at Acme.", stating(("I", "works at", "Acme"), names=["Acme"]))
    tell(memory, "Bob lives in Rome.", stating(("Bob", "lives in", "Rome"), names=["Bob", "Rome"]))
    tell(memory, "I live in Valencia.", lives("Valencia"))
    assert current(memory) == {
        ("Ana", "works at", "Acme"),
        ("Bob", "lives in", "Rome"),
        ("Ana", "lives in", "Valencia"),
    }


def test_a_value_does_not_replace_a_thing(memory: Memory) -> None:
    tell(memory, "I live in Madrid.", lives("Madrid"))
    tell(memory, "I live in 46001.", stating(("I", "lives in", "46001"), values=["46001"]))
    assert ("Ana", "lives in", "Madrid") in current(memory)


def test_there_and_back_again_makes_a_third_association(memory: Memory) -> None:
    for city in ("Madrid", "Valencia", "Madrid"):
        tell(memory, f"I live in {city}.", lives(city))
    found = [a for a in associations(memory) if a["relation"] == "lives in"]
    assert [(a["target"], a["first_turn"], a.get("superseded_turn")) for a in found] == [
        ("Madrid", 1, 2),
        ("Valencia", 2, 3),
        ("Madrid", 3, None),
    ]
    assert found[1]["superseded_by"] == found[2]["id"]


def test_saying_the_same_again_strengthens_what_is_there(memory: Memory) -> None:
    tell(memory, "I live in Madrid.", lives("Madrid"))
    tell(memory, "I live in Madrid.", lives("Madrid"))
    (found,) = associations(memory)
    assert (found["count"], found["first_turn"], found["last_turn"]) == (2, 1, 2)
    assert found["weight"] > 1.0
    assert found["records"] == [r["id"] for r in records(memory)]
    assert all(r["associations"] == [found["id"]] for r in records(memory))


def test_the_record_list_of_a_much_repeated_fact_keeps_the_first_and_the_last(memory: Memory) -> None:
    for i in range(12):
        tell(memory, "I live in Madrid.", lives("Madrid"), id=f"t{i}")
    ids = [r["id"] for r in records(memory)]
    kept = association(memory, "Ana", "Madrid")["records"]
    assert kept[0] == ids[0]
    assert kept[1:] == ids[-(len(kept) - 1) :]
    assert 4 <= len(kept) <= 9


# --- corrections that say so --------------------------------------------------------------------------------


def test_replaces_with_one_candidate_replaces_it(memory: Memory) -> None:
    tell(memory, "I have a red bike.", stating(("I", "rides", "red bike")))
    tell(memory, "Actually, a blue one.", stating(ExtractedRelation("I", "rides", "blue scooter", replaces=True)))
    assert current(memory) == {("Ana", "rides", "blue scooter")}


def test_replaces_with_several_candidates_keeps_all_and_marks_them(memory: Memory) -> None:
    tell(memory, "I have a dog.", stating(("I", "has", "dog")))
    tell(memory, "I have a cat.", stating(("I", "has", "cat")))
    tell(memory, "Actually a parrot.", stating(ExtractedRelation("I", "has", "parrot", replaces=True)))
    assert {target for _, _, target in current(memory)} == {"dog", "cat", "parrot"}
    assert {a["target"]: a["contested"] for a in associations(memory)} == {"dog": True, "cat": True, "parrot": True}


def test_contested_facts_are_said_newest_first(memory: Memory) -> None:
    tell(memory, "I play the oboe.", stating(("I", "plays", "oboe")))
    tell(memory, "I play the harp.", stating(("I", "plays", "harp")))
    tell(memory, "Actually the flute.", stating(ExtractedRelation("I", "plays", "flute", replaces=True)))
    text = memory.recall("What do I play?", speaker="Ana").brief.text
    lines = [line for line in text.splitlines() if "Ana plays" in line]
    assert [line.split()[3] for line in lines] == ["flute", "harp", "oboe"]
    assert all("accounts differ" in line for line in lines)


def test_a_named_replacement_replaces_what_it_names_only(memory: Memory) -> None:
    tell(memory, "I have a dog.", stating(("I", "has", "dog")))
    tell(memory, "I have a cat.", stating(("I", "has", "cat")))
    replaced = ExtractedRelation("I", "has", "parrot", replaces=Replaced("has", "dog"))
    tell(memory, "Not a dog but a parrot.", stating(replaced))
    assert {target for _, _, target in current(memory)} == {"cat", "parrot"}
    assert {a["contested"] for a in associations(memory)} == {False}


def test_a_named_replacement_that_is_unknown_creates_no_concept(memory: Memory) -> None:
    replaced = ExtractedRelation("I", "lives in", "Valencia", replaces=Replaced("lives in", "Bilbao"))
    tell(memory, "I live in Valencia, not Bilbao.", stating(replaced, names=["Valencia"]))
    assert current(memory) == {("Ana", "lives in", "Valencia")}
    assert {a["target"] for a in associations(memory)} == {"Valencia"}
    assert "Bilbao" not in {a["source"] for a in associations(memory)}


def test_a_phrase_of_no_known_class_is_equivalent_by_meaning(memory: Memory) -> None:
    tell(memory, "I supervise the archive.", stating(("I", "supervises", "archive")))
    tell(memory, "No, I oversee the library.", stating(ExtractedRelation("I", "supervised", "library", replaces=True)))
    assert {target for _, _, target in current(memory)} == {"library"}


def test_a_correction_that_repeats_a_fact_compares_it_with_the_others(memory: Memory) -> None:
    """Nothing of its own class is left to replace, so the other relations of the turn are looked at."""
    said = stating(ExtractedRelation("engine", "likes", "Bilbao", replaces=True), ("engine", "lives in", "Irun"))
    tell(memory, "The engine likes Bilbao, and lives in Irun.", said)
    tell(memory, "No, the engine likes Bilbao, and lives in Irun.", said)
    assert current(memory) == {("engine", "likes", "Bilbao"), ("engine", "lives in", "Irun")}
    assert {fact["count"] for fact in associations(memory)} == {2}


def test_a_correction_leaves_unrelated_relations_alone(memory: Memory) -> None:
    tell(memory, "I painted the fence.", stating(("I", "painted", "fence")))
    tell(memory, "Actually I eat pears.", stating(ExtractedRelation("I", "eats", "pears", replaces=True)))
    assert {target for _, _, target in current(memory)} == {"fence", "pears"}


# --- negation -----------------------------------------------------------------------------------------------


def test_a_negation_supersedes_the_matching_positive(memory: Memory) -> None:
    tell(memory, "I like jazz.", stating(("I", "likes", "jazz")))
    tell(memory, "I like opera.", stating(("I", "likes", "opera")))
    tell(memory, "I don't like jazz.", stating(ExtractedRelation("I", "likes", "jazz", negated=True)))
    assert current(memory) == {("Ana", "likes", "opera"), ("Ana", "not likes", "jazz")}


def test_a_positive_supersedes_the_matching_negation(memory: Memory) -> None:
    tell(memory, "I don't like jazz.", stating(ExtractedRelation("I", "likes", "jazz", negated=True)))
    tell(memory, "I love jazz now.", stating(("I", "loves", "jazz")))
    assert current(memory) == {("Ana", "loves", "jazz")}


def test_a_negation_of_one_value_leaves_another_value_alone(memory: Memory) -> None:
    tell(memory, "I live in Madrid.", lives("Madrid"))
    tell(memory, "I don't live in Bilbao.", lives("Bilbao", negated=True))
    assert current(memory) == {("Ana", "lives in", "Madrid"), ("Ana", "not lives in", "Bilbao")}


def test_a_negation_is_said_as_one(memory: Memory) -> None:
    tell(memory, "I don't like jazz.", stating(ExtractedRelation("I", "likes", "jazz", negated=True)))
    text = memory.recall("Do I like jazz?", speaker="Ana").brief.text
    assert "not like" in text
    assert "Ana likes jazz" not in text


# --- what is superseded ---------------------------------------------------------------------------------------


def test_a_superseded_association_conducts_nothing(graph: Graph) -> None:
    with own_memory(graph, decay=0.0) as memory:
        tell(memory, "Marta lives in Madrid.", stating(("Marta", "lives in", "Madrid"), names=["Marta", "Madrid"]))
        tell(memory, "Marta lives in Rome.", stating(("Marta", "lives in", "Rome"), names=["Marta", "Rome"]))
        tell(memory, "…", EMPTY)
        memory.perceive("Marta called.", speaker="Ana", extraction=stating(names=["Marta"]))
        assert set(activations(memory)) == {"Marta", "Rome"}


def test_a_superseded_association_learns_nothing(graph: Graph) -> None:
    with own_memory(graph) as memory:
        tell(memory, "Marta lives in Madrid.", stating(("Marta", "lives in", "Madrid"), names=["Marta", "Madrid"]))
        tell(memory, "Marta lives in Rome.", stating(("Marta", "lives in", "Rome"), names=["Marta", "Rome"]))
        before = association(memory, "Marta", "Madrid")["weight"]
        tell(memory, "Marta, Madrid and Rome.", stating(names=["Marta", "Madrid", "Rome"]))
        assert association(memory, "Marta", "Madrid")["weight"] == before
        assert association(memory, "Marta", "Rome")["weight"] > 1.0


@pytest.fixture
def moved(memory: Memory) -> Memory:
    """Ana moved from Madrid to Valencia."""
    tell(memory, "I live in Madrid.", lives("Madrid"))
    tell(memory, "I moved to Valencia.", lives("Valencia"), at=NOON + timedelta(days=40))
    return memory


@pytest.mark.parametrize("question", ["Where do I live?", "¿Dónde vivo?", "Which city does Ana live in?"])
def test_what_is_superseded_stays_out_of_the_brief(moved: Memory, question: str) -> None:
    text = moved.recall(question, speaker="Ana").brief.text
    assert "Valencia" in text
    assert "Madrid" not in text, "neither the fact nor the record all of whose associations are superseded"


@pytest.mark.parametrize(
    "question", ["Where did I live before?", "Where did I use to live?", "Where did I live at first?"]
)
def test_what_is_superseded_comes_back_when_the_past_is_asked(moved: Memory, question: str) -> None:
    text = moved.recall(question, speaker="Ana").brief.text
    assert "Madrid" in text
    assert "no longer so" in text


def test_the_past_is_asked_in_spanish(memory: Memory) -> None:
    tell(memory, "Vivo en Madrid.", stating(("yo", "vive en", "Madrid"), names=["Madrid"]))
    tell(memory, "Me he mudado a Valencia.", stating(("yo", "se ha mudado a", "Valencia"), names=["Valencia"]))
    now, past = (memory.recall(asked, speaker="Ana").brief.text for asked in ("¿Dónde vivo?", "¿Dónde vivía antes?"))
    assert ("Valencia" in now, "Madrid" in now) == (True, False)
    assert "Ana vive en Madrid (ya no es así)" in past


def test_a_mixed_record_enters_only_as_the_prose_of_what_still_holds(memory: Memory) -> None:
    said = "I live in Madrid and my sister Eva plays the oboe."
    both = stating(("I", "lives in", "Madrid"), ("my sister", "plays", "oboe"), names=["Madrid"])
    tell(memory, said, both)
    tell(memory, "I live in Valencia.", lives("Valencia"))
    text = memory.recall("What does my sister play?", speaker="Ana").brief.text
    assert "Ana's sister plays oboe." in text
    assert "Madrid" not in text


def test_a_reply_whose_words_were_taken_up_and_replaced_stays_out_too(memory: Memory) -> None:
    desk = ExtractedRelation("my desk", "is in", "the attic")
    memory.perceive("Where is my desk?", speaker="Ana", at=NOON, extraction=EMPTY).close("Your desk is in the attic.")
    tell(memory, "Right.", stating(uptake=[desk]))
    assert "attic" in memory.recall("Where is my desk?", speaker="Ana").brief.text
    tell(memory, "My desk is in the cellar.", stating(("my desk", "is in", "the cellar")))
    text = memory.recall("Where is my desk?", speaker="Ana").brief.text
    assert "cellar" in text
    assert "attic" not in text


# --- the decision by itself -----------------------------------------------------------------------------------


def held(
    target: str, *, relation: str = "has", negated: bool = False, slot: str = "s", kind: str = "concept"
) -> Current:
    return Current(f"id-{target}", "me", relation, target, kind, negated, slot, 1)  # type: ignore[arg-type]


def said(target: str, *, relation: str = "has", replaces: bool | Replaced = False, slot: str = "s") -> Stated:
    return Stated("me", relation, target, "concept", False, replaces, None, slot)


def test_closeness_is_asked_only_for_a_correction_without_a_relation_of_its_class() -> None:
    asked: list[tuple[str, str]] = []

    def closeness(a: str, b: str) -> float:
        asked.append((a, b))
        return 0.8 if a == "keeps" else 0.2

    facts = [held("dog", relation="keeps", slot="other"), held("pears", relation="eats", slot="third")]
    assert decide(said("cat"), facts, closeness).supersedes == ()
    assert asked == []
    assert decide(said("cat", replaces=True), facts, closeness).supersedes == ("id-dog",)
    assert len(asked) == 2


def test_another_sources_facts_are_never_touched() -> None:
    other = Current("x", "you", "lives in", "rome", "name", False, "s", 1)
    outcome = decide(said("cat", relation="lives in"), [other], lambda a, b: 1.0)
    assert (outcome.repeats, outcome.supersedes, outcome.contested) == (None, (), ())


def test_repeating_what_holds_still_replaces_what_it_names() -> None:
    facts = [held("cat"), held("dog")]
    outcome = decide(said("cat", replaces=True), facts, lambda a, b: 0.0)
    assert (outcome.repeats, outcome.supersedes) == ("id-cat", ("id-dog",))
