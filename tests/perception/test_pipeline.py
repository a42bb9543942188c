"""Perceiving a turn: numbers and repetition, speakers, values, names, the assistant, remembering, refusing."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from graph_view import (
    NOON,
    activations,
    association,
    associations,
    checksum,
    checksum_without_lock,
    clock,
    concepts,
    concepts_by_kind,
    counter,
    current,
    mentions,
    own_memory,
    records,
    rows,
    stating,
    tell,
)

from oroi_graph import (
    Dynamics,
    ExtractedRelation,
    Extraction,
    Graph,
    InputError,
    Memory,
    MemoryNotFoundError,
    ScriptedEmbedder,
    ScriptedExtractor,
)

LIVES = stating(("I", "lives in", "Valencia"), names=["Valencia"])
EMPTY = Extraction()


# --- numbers, ids, repetition -------------------------------------------------------------------------------


def test_turns_are_numbered_in_the_order_in_which_they_are_opened(memory: Memory) -> None:
    turns = []
    for i in range(3):
        turn = memory.perceive(f"Sentence number {i}.", speaker="Ana", extraction=EMPTY)
        turn.close()
        turns.append(turn)
    assert [turn.number for turn in turns] == [1, 2, 3]
    assert len({turn.id for turn in turns}) == 3
    assert clock(memory) == 3
    assert [(r["turn"], r["turn_id"], r["text"]) for r in records(memory)] == [
        (i + 1, turn.id, f"Sentence number {i}.") for i, turn in enumerate(turns)
    ]


def test_the_same_id_is_the_same_turn_while_it_is_open(memory: Memory) -> None:
    first = memory.perceive("I live in Valencia.", speaker="Ana", id="t-1", at=NOON, extraction=LIVES)
    before = checksum_without_lock(memory)
    again = memory.perceive("I live in Valencia.", speaker="Ana", id="t-1", at=NOON, extraction=LIVES)
    assert again.number == first.number == 1
    assert again.surprise == first.surprise
    assert again.opened.repeated
    assert checksum_without_lock(memory) == before


def test_the_same_id_is_the_same_turn_after_its_close_and_after_others(memory: Memory) -> None:
    memory.perceive("I live in Valencia.", speaker="Ana", id="t-1", extraction=LIVES).close("A fine city.")
    memory.perceive("It rains.", speaker="Ana", id="t-2", extraction=EMPTY).close()
    before = checksum_without_lock(memory)
    again = memory.perceive("I live in Valencia.", speaker="Ana", id="t-1", extraction=LIVES)
    again.close("A fine city.")
    assert again.number == 1
    assert checksum_without_lock(memory) == before


def test_a_repeated_turn_that_was_never_closed_can_be_closed(memory: Memory) -> None:
    memory.perceive("I live in Valencia.", speaker="Ana", id="t-1", extraction=LIVES)
    memory.perceive("I live in Valencia.", speaker="Ana", id="t-1", extraction=LIVES).close("Nice.")
    assert clock(memory) == 1
    assert [r["text"] for r in records(memory)] == ["I live in Valencia.", "Nice."]


def test_another_memory_object_knows_the_turn_too(graph: Graph, memory: Memory) -> None:
    memory.perceive("I live in Valencia.", speaker="Ana", id="t-1", extraction=LIVES).close()
    other = graph.memory(memory.name)
    assert other.protagonist == "Ana"
    assert other.perceive("I live in Valencia.", speaker="Ana", id="t-1", extraction=LIVES).number == 1
    assert other.perceive("Yes.", speaker="Ana", id="t-2", extraction=EMPTY).number == 2


def test_a_repeated_assistant_turn_does_not_end_a_later_one(memory: Memory) -> None:
    memory.perceive("Hello there.", speaker="Ana", id="u1", extraction=EMPTY)
    said = memory.perceive("Hello, Ana.", role="assistant", id="a1")
    later = memory.perceive("I live in Valencia.", speaker="Ana", id="u2", extraction=LIVES)
    again = memory.perceive("Hello, Ana.", role="assistant", id="a1")
    assert (said.number, again.number) == (1, 1)
    assert clock(memory) == 1, "the repeated reply must not close the turn that is open now"
    later.close("Noted.")
    assert [r["text"] for r in records(memory)] == ["Hello there.", "Hello, Ana.", "I live in Valencia.", "Noted."]


def test_a_repeated_mention_in_one_turn_counts_once(memory: Memory) -> None:
    extraction = stating(("I", "lives in", "Valencia"), ("I", "lives in", "Valencia"), names=["Valencia", "VALENCIA"])
    memory.perceive("I live in Valencia, yes, VALENCIA.", speaker="Ana", extraction=extraction)
    assert concepts(memory)["Valencia"]["mentions"] == 1
    assert len(associations(memory)) == 1


@pytest.mark.parametrize("text", ["", "   \n", "a\0b", "\ud800"])
def test_unusable_text_is_refused_and_nothing_is_stored(memory: Memory, text: str) -> None:
    before = checksum(memory)
    with pytest.raises(InputError):
        memory.perceive(text, speaker="Ana", extraction=EMPTY)
    assert checksum(memory) == before


def test_a_deleted_memory_takes_no_turn(graph: Graph) -> None:
    gone = graph.memory(f"test-{uuid.uuid4().hex[:12]}")
    graph.delete(gone.name)
    with pytest.raises(MemoryNotFoundError, match=gone.name):
        gone.perceive("Hello.", speaker="Ana", extraction=EMPTY)


def test_the_window_of_one_memory_object_is_the_window_of_the_memory(graph: Graph, memory: Memory) -> None:
    """Kept in step in process, read afresh by another process: both must show an extractor the same turns."""
    first = memory.perceive("One.", speaker="Ana", extraction=EMPTY)
    memory.window()
    first.close("Reply one.")
    first.close("Reply one.")
    second = memory.perceive("Two.", speaker="Bob", extraction=EMPTY)
    third = memory.perceive("Three.", speaker="Ana", extraction=EMPTY)
    second.close("Late reply two.")
    third.close()
    memory.perceive("An aside.", role="assistant", at=NOON)
    memory.perceive("Another aside.", role="assistant", at=NOON + timedelta(minutes=1))
    memory.perceive("One.", speaker="Ana", id=first.id, extraction=EMPTY)
    expected = ["Two.", "Late reply two.", "Three.", "An aside.", "Another aside."]
    assert [u.text for u in graph.memory(memory.name).window()][-5:] == expected
    assert [u.text for u in memory.window()] == [u.text for u in graph.memory(memory.name).window()]


def test_the_window_goes_on_with_what_other_objects_of_the_process_said(graph: Graph, memory: Memory) -> None:
    """Agents that take turns in one memory: each shows its extractor the same turns, not read again."""
    other = graph.memory(memory.name)
    for agent in (memory, other):
        agent.window()
    for k in range(graph.options.window):
        for agent in (memory, other):
            agent.perceive(f"{k}.", speaker="Ana", at=NOON, extraction=EMPTY).close(f"Reply {k}." if k % 3 else None)
    late = memory.perceive("And now?", speaker="Ana", at=NOON, extraction=EMPTY)
    other.perceive("Later.", speaker="Ana", at=NOON, extraction=EMPTY)
    late.close("Now.")
    memory.perceive("Again.", speaker="Ana", at=NOON, extraction=EMPTY)
    sent = counter(memory)
    shown = memory.window()
    assert sent() == 1
    assert shown == graph.memory(memory.name).window()
    assert [u.text for u in shown][-4:] == ["And now?", "Now.", "Later.", "Again."]


# --- the open transaction: pulse and spread -----------------------------------------------------------------


def test_a_mention_pulses_and_a_known_relation_pulses_more(graph: Graph) -> None:
    with own_memory(graph, rounds=0) as memory:
        memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES)
        assert activations(memory) == {"Ana": 1.0, "Valencia": 1.0}
        memory.perceive("I do live in Valencia.", speaker="Ana", extraction=LIVES)
        # One implicit close in between: 0.8 each, then 1 for the mention and 0.5 for the relation known already.
        assert activations(memory) == pytest.approx({"Ana": 2.3, "Valencia": 2.3})
        assert association(memory, "Ana", "Valencia")["count"] == 2
        strengthened = 1.0 + 0.05 * 0.64 * (1 - 1 / 5)
        assert association(memory, "Ana", "Valencia")["weight"] == pytest.approx(
            strengthened + 0.5 * (1 - strengthened / 5)
        )


def test_the_pulse_spreads_to_what_is_associated_and_nothing_is_created(graph: Graph) -> None:
    with own_memory(graph, decay=0.0) as memory:
        tell(memory, "Marta plays the cello.", stating(("Marta", "plays", "cello"), names=["Marta"]))
        tell(memory, "Nothing else.", EMPTY)
        assert activations(memory) == {}
        memory.perceive("Marta called.", speaker="Ana", extraction=stating(names=["Marta"]))
        lit = activations(memory)
        assert sum(lit.values()) == pytest.approx(1.0, abs=1e-9)
        assert 0 < lit["cello"] <= lit["Marta"], "what merely received stays at or below what was perceived"


def test_surprise_is_measured_before_the_pulse(memory: Memory) -> None:
    """A first turn finds nothing lit, whatever it mentions itself."""
    assert memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES).surprise == 0.0


def test_coincidences_count_what_is_said_together_without_a_relation(memory: Memory) -> None:
    together = stating(("Marta", "plays", "cello"), names=["Marta"], concepts=["cello", "rain"])
    for i in range(2):
        memory.perceive("Marta plays the cello in the rain.", speaker="Ana", id=f"t{i}", extraction=together).close()
    found = rows(
        memory,
        "MATCH (a:Concept {memory: $memory})-[c:COINCIDED]->(b) "
        "RETURN a.label AS a, b.label AS b, c.count AS count, c.last_turn AS last",
    )
    assert {frozenset((row["a"], row["b"])) for row in found} == {
        frozenset(("Marta", "rain")),
        frozenset(("cello", "rain")),
    }
    assert {(row["count"], row["last"]) for row in found} == {(2, 2)}


def test_coincidences_of_one_turn_are_capped(memory: Memory) -> None:
    crowd = [f"thing number {word}" for word in "one two three four five six seven eight".split()]
    memory.perceive("A list of things.", speaker="Ana", extraction=stating(concepts=crowd))
    found = rows(memory, "MATCH (:Concept {memory: $memory})-[c:COINCIDED]->() RETURN count(c) AS n")
    assert found[0]["n"] == Dynamics().coincidence_pairs < 8 * 7 / 2


# --- speakers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["I", "me", "yo", "Yo", "myself"])
def test_first_persons_are_the_speaker(memory: Memory, word: str) -> None:
    memory.perceive("…", speaker="Ana", extraction=stating((word, "lives in", "Valencia"), names=["Valencia"]))
    assert current(memory) == {("Ana", "lives in", "Valencia")}
    assert concepts(memory)["Ana"]["kind"] == "self"


def test_my_boss_is_the_boss_of_the_speaker(memory: Memory) -> None:
    memory.perceive(
        "My boss is called Laura.",
        speaker="Ana",
        extraction=stating(("my boss", "is called", "Laura"), names=["Laura"]),
    )
    boss = concepts(memory)["boss of Ana"]
    assert boss["aliases"] == ["my boss"]
    assert boss["kind"] == "concept"
    assert ("boss of Ana", "is called", "Laura") in current(memory)
    assert association(memory, "Ana", "boss of Ana")["implied"] is True


def test_mi_jefe_is_the_same_for_the_same_speaker_only(memory: Memory) -> None:
    said = stating(("mi jefe", "se llama", "Luis"), names=["Luis"])
    memory.perceive("Mi jefe se llama Luis.", speaker="Ana", extraction=said)
    memory.perceive("Mi jefe se llama Luis, claro.", speaker="Ana", extraction=said)
    assert concepts(memory)["jefe de Ana"]["mentions"] == 2


@pytest.mark.parametrize(("one", "other"), [("Ana", "Bob"), ("Marta", "Maria"), ("Ana", "Anna"), ("Julio", "Julia")])
def test_two_protagonists_bosses_stay_apart(memory: Memory, one: str, other: str) -> None:
    memory.perceive(
        "My boss is Laura.", speaker=one, extraction=stating(("my boss", "is called", "Laura"), names=["Laura"])
    ).close()
    memory.perceive(
        "My boss is Peter.", speaker=other, extraction=stating(("my boss", "is called", "Peter"), names=["Peter"])
    ).close()
    assert {s for s, _, _ in current(memory)} == {f"boss of {one}", f"boss of {other}"}
    assert current(memory) == {
        (f"boss of {one}", "is called", "Laura"),
        (f"boss of {other}", "is called", "Peter"),
    }


def test_a_protagonist_who_is_named_by_another_is_the_same_person(memory: Memory) -> None:
    memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES).close()
    memory.perceive(
        "Ana plays chess.", speaker="Bob", extraction=stating(("Ana", "plays", "chess"), names=["Ana"])
    ).close()
    assert current(memory) == {("Ana", "lives in", "Valencia"), ("Ana", "plays", "chess")}
    assert [label for label, c in concepts(memory).items() if c["kind"] == "self"] == ["Ana"]


def test_a_self_does_not_relay_a_wave_that_it_did_not_start(graph: Graph) -> None:
    with own_memory(graph, decay=0.0) as memory:
        tell(memory, "I play chess.", stating(("I", "plays", "chess")))
        tell(memory, "I live in Valencia.", LIVES)
        tell(memory, "…", EMPTY)
        assert activations(memory) == {}
        memory.perceive("Chess was invented in India.", speaker="Bob", extraction=stating(concepts=["chess"]))
        lit = activations(memory)
        assert lit["Ana"] > 0
        assert "Valencia" not in lit


def test_a_self_that_started_the_wave_does_spread_it(graph: Graph) -> None:
    with own_memory(graph, decay=0.0) as memory:
        tell(memory, "I play chess.", stating(("I", "plays", "chess")))
        tell(memory, "…", EMPTY)
        memory.perceive("I am here.", speaker="Ana", extraction=stating(("I", "is in", "kitchen")))
        assert activations(memory)["chess"] > 0


# --- values and dates ---------------------------------------------------------------------------------------


def test_values_are_one_only_if_they_are_the_same_amount(memory: Memory) -> None:
    price = ("the car", "price is")
    memory.perceive("The car costs 15,000 euros.", speaker="Ana", extraction=stating((*price, "15,000 euros"))).close()
    memory.perceive(
        "The house costs 60,000 euros.",
        speaker="Ana",
        extraction=stating(("the house", "price is", "60,000 euros"), values=["60,000 euros"]),
    ).close()
    memory.perceive(
        "El coche cuesta 15.000 €, ya lo sabes.",
        speaker="Ana",
        extraction=stating(("the car", "price is", "15.000 €"), values=["15.000 €"]),
    ).close()
    memory.perceive(
        "The loan was 15,000 EUR.",
        speaker="Ana",
        extraction=stating(("the loan", "was", "15,000 EUR"), values=["15,000 EUR"]),
    ).close()
    values = {label: c["mentions"] for label, c in concepts(memory).items() if c["kind"] == "value"}
    assert values == {"15,000 euros": 3, "60,000 euros": 1}
    assert {(m[2], m[3]) for m in mentions(memory) if m[1] == "15,000 euros"} == {
        ("15,000 euros", "new"),
        ("15.000 €", "value"),
        ("15,000 EUR", "value"),
    }


def test_the_same_digits_in_spanish_and_english_differ(memory: Memory) -> None:
    memory.perceive(
        "The tube is 1.500 m long and that is all.",
        speaker="Ana",
        extraction=stating(("tube", "measures", "1.500 m"), values=["1.500 m"]),
    ).close()
    memory.perceive(
        "El camino de la playa mide 1.500 m.",
        speaker="Ana",
        extraction=stating(("camino", "mide", "1.500 m"), values=["1.500 m"]),
    ).close()
    found = rows(memory, "MATCH (c:Concept {memory: $memory, kind: 'value'}) RETURN c.label_key AS key")
    assert len({row["key"] for row in found}) == 2


def test_dates_are_resolved_against_the_time_of_the_turn(memory: Memory) -> None:
    for day, said in ((2, "yesterday"), (1, "today"), (3, "March 1, 2026")):
        memory.perceive(
            f"The party was {said}.",
            speaker="Ana",
            at=datetime(2026, 3, day, 12, tzinfo=UTC),
            extraction=stating(("the party", "was", said), values=[said]),
        ).close()
    assert [c["label_key"] for c in concepts_by_kind(memory, "value")] == ["2026-03-01"]


def test_the_turns_time_dates_what_was_stated(memory: Memory) -> None:
    memory.perceive("I live in Valencia.", speaker="Ana", at=NOON, extraction=LIVES)
    assert association(memory, "Ana", "Valencia")["stated_at"] == NOON.isoformat()
    assert records(memory)[0]["at"] == NOON.isoformat()


# --- names --------------------------------------------------------------------------------------------------


def test_a_truncated_name_is_rescued_and_the_match_says_so(memory: Memory) -> None:
    tell(
        memory, "I saw the Guggenheim Museum.", stating(("I", "saw", "Guggenheim Museum"), names=["Guggenheim Museum"])
    )
    tell(memory, "The Guggen is big.", stating(("Guggen", "is", "big"), names=["Guggen"]))
    assert "Guggen" not in concepts(memory)
    (found,) = [m for m in mentions(memory) if m[2] == "Guggen"]
    assert found[:4] == (2, "Guggenheim Museum", "Guggen", "rescue")
    assert 0 < found[4] < 1


def test_every_match_stores_its_surface_method_and_score(memory: Memory) -> None:
    tell(memory, "My dog and a violin.", stating(concepts=["my dog", "violin"], names=["Zürich"]))
    tell(memory, "The violin of ZURICH.", stating(concepts=["Violin", "violins"], names=["ZURICH"]))
    assert mentions(memory) == [
        (1, "Ana", "Ana", "new", 1.0),
        (1, "Zürich", "Zürich", "new", 1.0),
        (1, "dog of Ana", "my dog", "new", 1.0),
        (1, "violin", "violin", "new", 1.0),
        (2, "Zürich", "ZURICH", "rescue", pytest.approx(1.0)),
        (2, "violin", "Violin", "exact", 1.0),
    ]


def test_a_similar_concept_is_recognised_by_meaning_with_its_cosine(memory: Memory) -> None:
    tell(memory, "I take guitar lessons.", stating(concepts=["guitar lessons"]))
    tell(memory, "The lessons of guitar are hard.", stating(concepts=["lessons of guitar"]))
    assert list(concepts(memory)) == ["guitar lessons"]
    (found,) = [m for m in mentions(memory) if m[0] == 2]
    assert found[3] == "similar"
    assert 0.6 <= found[4] < 1.0


def test_part_of_a_name_stays_apart_joined_by_a_weak_link_that_conducts(graph: Graph) -> None:
    with own_memory(graph, decay=0.0) as memory:
        tell(memory, "Ana Ruiz plays chess.", stating(("Ana Ruiz", "plays", "chess"), names=["Ana Ruiz"]), "Bob")
        tell(memory, "Ana called.", stating(names=["Ana"]), "Bob")
        link = association(memory, "Ana", "Ana Ruiz")
        assert link["relation"] == "maybe same"
        assert link["weight"] == Dynamics().link_weight < Dynamics().weight_initial
        tell(memory, "…", EMPTY, "Bob")
        memory.perceive("Ana is here.", speaker="Bob", extraction=stating(names=["Ana"]))
        lit = activations(memory)
        assert lit["Ana"] > lit["Ana Ruiz"] > 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("FedEx", "FedEx Office"),
        ("Marta", "Maria"),
        ("Barcelona", "Madrid"),
        ("Slovakia", "Slovenia"),
        ("New York", "New Jersey"),
        ("Niger", "Nigeria"),
        ("Paris (city)", "Paris (person)"),
    ],
)
def test_different_names_are_never_one_however_alike(memory: Memory, one: str, other: str) -> None:
    tell(memory, f"I know {one}.", stating(("I", "know", one), names=[one]))
    tell(memory, f"I know {other}.", stating(("I", "know", other), names=[other]))
    assert {one, other} <= set(concepts(memory))


def test_names_are_never_merged_by_meaning(graph: Graph, memory: Memory) -> None:
    """Even where the vectors are the same, two names are two."""
    vector = [1.0] + [0.0] * 383
    embedder = ScriptedEmbedder(
        vectors={"Robert": vector, "Wilhelm": vector, "cheap": vector, "inexpensive": vector},
        model=graph.embedder.model,
    )
    twin = Graph(graph.store, embedder, graph.extractor).memory(memory.name)
    tell(twin, "…", stating(names=["Robert"], concepts=["cheap"]))
    tell(twin, "…", stating(names=["Wilhelm"], concepts=["inexpensive"]))
    assert set(concepts(memory)) == {"Robert", "Wilhelm", "cheap"}


def test_a_spelling_of_one_key_is_one_concept(memory: Memory) -> None:
    tell(memory, "…", stating(names=["Ｖalencia", "O’Hara"]))
    tell(memory, "…", stating(names=["VALENCIA", "O'Hara", "val\u200bencia"]))
    assert {label: c["mentions"] for label, c in concepts(memory).items()} == {"Valencia": 2, "O’Hara": 2}


# --- turns that only ask ------------------------------------------------------------------------------------


def test_a_turn_that_only_asks_makes_no_concept(memory: Memory) -> None:
    """The issue: the question's own concept kept the answer from being found."""
    memory.perceive("My dog is called Rex", speaker="Ana", session="1").close()
    known = set(concepts(memory))
    assert "Rex" in known
    turn = memory.perceive("What is my dog called?", speaker="Ana", session="2")
    turn.close()
    assert set(concepts(memory)) == known
    assert "Rex" in turn.brief.text
    assert "Rex" in memory.recall("What is my dog called?", speaker="Ana").brief.text


def test_what_a_question_mentions_is_recognised_and_lit(memory: Memory) -> None:
    tell(memory, "My sister plays the oboe.", stating(("my sister", "plays", "oboe"), concepts=["my sister"]))
    for i in range(6):
        tell(memory, "…", EMPTY, id=f"f{i}")
    before = activations(memory).get("oboe", 0.0)
    turn = memory.perceive(
        "Who plays the oboe in Turin?", speaker="Ana", extraction=stating(concepts=["oboe", "Turin"])
    )
    assert [match.label for match in turn.matches] == ["oboe"]
    assert activations(memory)["oboe"] > before
    assert "Turin" not in concepts(memory)


@pytest.mark.parametrize("text", ["Where is Turin?", "¿Dónde está Turin", "where is Turin", "Onde fica Turin?"])
def test_a_question_is_known_by_its_form(memory: Memory, text: str) -> None:
    tell(memory, text, stating(names=["Turin"]))
    assert concepts(memory) == {}
    assert records(memory)[0]["text"] == text


def test_a_question_that_states_something_is_heard(memory: Memory) -> None:
    tell(memory, "I live in Turin, is that far?", stating(("I", "lives in", "Turin"), names=["Turin"]))
    assert current(memory) == {("Ana", "lives in", "Turin")}


def test_the_possession_inside_a_question_states_nothing(memory: Memory) -> None:
    tell(memory, "Where is my boss's car?", stating(concepts=["my boss's car", "my boss"]))
    assert concepts(memory) == {}
    assert associations(memory) == []


def test_what_is_introduced_before_a_question_is_heard(memory: Memory) -> None:
    memory.perceive("Meet Kiko, my parrot. Isn't he cute?", speaker="Ana").close()
    assert "Kiko" in concepts(memory)


# --- what the caller's model has in sight -------------------------------------------------------------------

FERRY = "The ferry to Naxos leaves at noon."
WHEN = "When does the ferry to Naxos leave?"


def brief_of(memory: Memory, text: str = WHEN, **details: Any) -> str:
    """The brief of a turn that is perceived and closed."""
    turn = tell(memory, text, EMPTY, **details)
    return turn.brief.text


def test_without_sessions_only_the_last_exchange_is_in_sight(memory: Memory) -> None:
    tell(memory, FERRY, EMPTY)
    assert "noon" not in brief_of(memory)


def test_a_conversation_without_session_names_does_not_fall_silent(memory: Memory) -> None:
    """A caller that names no session may show its model nothing but the last exchange."""
    for text in (FERRY, "It rained all day.", "We had pancakes."):
        memory.perceive(text, speaker="Ana", at=NOON, extraction=EMPTY).close("I see.")
    assert "noon" in brief_of(memory)


def test_the_reply_before_is_in_sight_with_what_it_answers(memory: Memory) -> None:
    tell(memory, "It rained all day.", EMPTY)
    memory.perceive("Tell me about ferries.", speaker="Ana", at=NOON, extraction=EMPTY).close(FERRY)
    turn = memory.perceive(WHEN, speaker="Ana", at=NOON, extraction=EMPTY)
    said = {record["id"]: record["text"] for record in records(memory)}
    assert {said[id] for id in turn.in_sight} == {"Tell me about ferries.", FERRY}
    assert "noon" not in turn.brief.text


@pytest.mark.parametrize("session", [None, "1"])
def test_a_caller_that_was_started_again_has_nothing_in_sight(
    graph: Graph, memory: Memory, session: str | None
) -> None:
    tell(memory, FERRY, EMPTY, session=session)
    again = Graph(graph.store, graph.embedder, graph.extractor).memory(memory.name)
    assert "noon" in brief_of(again, session=session)
    assert "noon" in brief_of(graph.memory(memory.name), session=session)


@pytest.mark.parametrize(("minutes", "seen"), [(29, True), (30, True), (31, False), (60 * 24, False)])
@pytest.mark.parametrize("session", [None, "1"])
def test_a_pause_ends_what_is_in_sight(memory: Memory, session: str | None, minutes: int, seen: bool) -> None:
    tell(memory, FERRY, EMPTY, session=session)
    text = brief_of(memory, at=NOON + timedelta(minutes=minutes), session=session)
    assert ("noon" not in text) is seen


def test_a_pause_ends_what_lies_before_it_too(memory: Memory) -> None:
    tell(memory, FERRY, EMPTY, session="1")
    tell(memory, "It rained.", EMPTY, session="1", at=NOON + timedelta(hours=2))
    assert "noon" in brief_of(memory, session="1", at=NOON + timedelta(hours=2, minutes=1))


def test_a_pause_is_measured_between_any_two_clocks(memory: Memory) -> None:
    tell(memory, FERRY, EMPTY, session="1")
    naive = NOON.replace(tzinfo=None) + timedelta(minutes=5)
    assert "noon" not in brief_of(memory, session="1", at=naive)


def test_another_session_between_ends_what_is_in_sight(memory: Memory) -> None:
    tell(memory, FERRY, EMPTY, session="1")
    tell(memory, "It rained.", EMPTY, session="2")
    assert "noon" in brief_of(memory, session="1")


def test_a_caller_may_say_what_its_model_sees(memory: Memory) -> None:
    tell(memory, FERRY, EMPTY, session="1")
    (ferry,) = (record["id"] for record in records(memory))
    nothing = memory.perceive(WHEN, speaker="Ana", at=NOON, session="1", extraction=EMPTY, in_sight=())
    assert "noon" in nothing.brief.text
    nothing.close()
    for i in range(memory.graph.options.window):
        tell(memory, f"Filler {i}.", EMPTY, id=f"f{i}")
    seen = memory.perceive(WHEN, speaker="Ana", at=NOON, session="9", extraction=EMPTY, in_sight=[ferry])
    assert "noon" not in seen.brief.text


# --- the assistant ------------------------------------------------------------------------------------------


def test_the_assistants_words_are_kept_and_state_nothing(memory: Memory) -> None:
    turn = memory.perceive("Where should I go?", speaker="Ana", extraction=EMPTY)
    turn.close("Lisbon has good trams.", speaker="Oroi")
    assert [(r["role"], r["speaker"], r["turn"], r["text"]) for r in records(memory)][1] == (
        "assistant",
        "Oroi",
        1,
        "Lisbon has good trams.",
    )
    assert concepts(memory) == {}
    assert memory.protagonist == "Ana"


def test_an_assistant_turn_by_itself_pulses_nothing(memory: Memory) -> None:
    memory.perceive("Lisbon has good trams.", role="assistant")
    assert concepts(memory) == {}
    assert [r["role"] for r in records(memory)] == ["assistant"]


def test_what_the_protagonist_takes_up_has_both_records_as_provenance(memory: Memory) -> None:
    trams = ("Lisbon", "has", "good trams")
    memory.perceive("Where should I go?", speaker="Ana", extraction=EMPTY).close("Lisbon has good trams.")
    memory.perceive("Exactly.", speaker="Ana", extraction=stating(names=["Lisbon"], uptake=[trams])).close()
    question, reply, taken = records(memory)
    fact = association(memory, "Lisbon", "good trams")
    assert fact["records"] == [reply["id"], taken["id"]]
    assert fact["first_turn"] == 2
    assert taken["associations"] == [fact["id"]]
    assert reply["associations"] == [fact["id"]], "provenance goes both ways"
    assert question["associations"] == []


def test_what_an_older_reply_said_is_not_credited_to_it(memory: Memory) -> None:
    trams = ("Lisbon", "has", "good trams")
    memory.perceive("Where should I go?", speaker="Ana", extraction=EMPTY).close("Lisbon has good trams.")
    memory.perceive("Hm.", speaker="Ana", extraction=EMPTY).close()
    memory.perceive("Lisbon has good trams, yes.", speaker="Ana", extraction=stating(uptake=[trams])).close()
    assert association(memory, "Lisbon", "good trams")["records"] == [records(memory)[-1]["id"]]


# --- remember, charge, refusing to store --------------------------------------------------------------------


def test_remember_fixes_what_was_said_at_once(memory: Memory) -> None:
    memory.perceive("Remember that I live in Valencia.", speaker="Ana", extraction=replace(LIVES, remember=True))
    found = concepts(memory)
    assert (found["Valencia"]["strength"], found["Valencia"]["fixed"]) == (1.0, True)
    assert (found["Ana"]["strength"], found["Ana"]["fixed"]) == (0.0, False)
    assert records(memory)[0]["fixed"] is True


def test_the_facade_remembers_too(memory: Memory) -> None:
    turn = memory.remember("I live in Valencia.", speaker="Ana", id="r-1")
    assert turn.number == clock(memory) == 1
    assert concepts(memory)["Valencia"]["strength"] == 1.0


@pytest.mark.parametrize(("charge", "strength"), [(0.59, 0.0), (0.6, 0.6), (0.9, 0.9)])
def test_a_strong_charge_fixes_and_a_weak_one_does_not(memory: Memory, charge: float, strength: float) -> None:
    memory.perceive("I live in Valencia!", speaker="Ana", extraction=replace(LIVES, charge=charge))
    assert concepts(memory)["Valencia"]["strength"] == pytest.approx(strength)
    assert records(memory)[0]["fixed"] is (strength > 0)


def test_an_ordinary_turn_raises_no_strength(memory: Memory) -> None:
    memory.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES).close()
    assert {c["strength"] for c in concepts(memory).values()} == {0.0}


def test_strength_once_given_is_not_lowered_by_a_weaker_charge(memory: Memory) -> None:
    memory.perceive("Remember: Valencia.", speaker="Ana", extraction=replace(LIVES, remember=True)).close()
    memory.perceive("Valencia!", speaker="Ana", extraction=replace(LIVES, charge=0.7)).close()
    assert concepts(memory)["Valencia"]["strength"] == 1.0


def test_dont_store_this_stores_nothing_at_all(memory: Memory) -> None:
    tell(memory, "I live in Valencia.", LIVES)
    before = checksum(memory)
    turn = memory.perceive(
        "Don't store this: my pin is 1234.",
        speaker="Zoe",
        extraction=stating(("my pin", "is", "1234"), values=["1234"], store=False),
    )
    turn.close("I won't.")
    assert turn.number is None
    assert checksum(memory) == before
    assert memory.protagonist == "Ana"
    assert "pin" not in " ".join(u.text for u in memory.window())
    assert tell(memory, "Next.", EMPTY).number == 2


# --- recalled text ------------------------------------------------------------------------------------------


def test_a_brief_pasted_into_a_turn_is_not_perceived(memory: Memory) -> None:
    extractor = ScriptedExtractor({}, default=EMPTY)
    own = Graph(memory.graph.store, memory.graph.embedder, extractor).memory(memory.name)
    tell(own, "I live in Valencia.", LIVES)
    brief = own.recall("Where do I live?", speaker="Ana").brief
    assert "Valencia" in brief.text
    own.perceive(f"{brief}\n\nWhat should I cook today?", speaker="Ana").close(f"Paella. {brief}")
    assert [turn.text for turn, _ in extractor.calls] == ["What should I cook today?"]
    assert [r["text"] for r in records(memory)][1:] == ["What should I cook today?", "Paella."]


def test_the_extractor_sees_the_window_and_no_known_concepts(memory: Memory) -> None:
    extractor = ScriptedExtractor({}, default=EMPTY)
    own = Graph(memory.graph.store, memory.graph.embedder, extractor).memory(memory.name)
    own.perceive("I live in Valencia.", speaker="Ana", extraction=LIVES).close("Lovely.")
    own.perceive("It is sunny there.", speaker="Bob", at=NOON)
    ((turn, window),) = extractor.calls
    assert (turn.text, turn.speaker, turn.at) == ("It is sunny there.", "Bob", NOON)
    assert [(u.speaker, u.role) for u in window] == [("Ana", "user"), ("Assistant", "assistant")]


# --- what it costs ------------------------------------------------------------------------------------------


def test_statements_of_an_ordinary_turn(memory: Memory) -> None:
    tell(
        memory,
        "I live in Madrid. Marta paid 20 euros.",
        stating(
            ("I", "lives in", "Madrid"),
            ("Marta", "paid", "20 euros"),
            names=["Madrid", "Marta"],
            values=["20 euros"],
        ),
    )
    moved = ExtractedRelation("I", "lives in", "Valencia", replaces=True)
    extraction = stating(
        moved,
        ("Marta Ruiz", "paid", "30 euros"),
        names=["Valencia", "Marta Ruiz"],
        values=["30 euros"],
        concepts=["moving van"],
    )
    count = counter(memory)
    turn = memory.perceive("I moved to Valencia, Marta Ruiz paid 30 euros.", speaker="Ana", extraction=extraction)
    assert count() <= 9
    count = counter(memory)
    assert turn.recall is turn.recall
    assert count() <= 10, "the memory is loaded"
    count = counter(memory)
    turn.close("All right.", injected=turn.brief)
    assert count() <= 5
    assert ("Ana", "lives in", "Valencia") in current(memory)


def test_a_correction_that_names_no_known_relation_costs_one_statement_more_and_no_second_transaction(
    memory: Memory,
) -> None:
    tell(memory, "I adore jazz.", stating(("I", "adores deeply", "jazz")))
    count = counter(memory)
    memory.perceive(
        "Actually I admire opera.",
        speaker="Ana",
        extraction=stating(ExtractedRelation("I", "admires strongly", "opera", replaces=True)),
    )
    assert count() <= 14
