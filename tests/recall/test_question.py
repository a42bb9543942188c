"""The cues of a question: names, spans, values and speakers, read without a language model."""

from __future__ import annotations

from typing import Any

import pytest
from graph_view import NOON, current, stating, tell
from tables import table

from oroi_graph import Extraction, Memory, OfflineExtractor
from oroi_graph.recall.entity_linking import kin_keys, link, query_rows, specificity
from oroi_graph.recall.question import Question, read_question
from oroi_graph.recall_options import Search

READER, SEARCH = OfflineExtractor(), Search()
LEAST = SEARCH.least_specificity


def read(text: str, speaker: str = "Ana") -> Question:
    return read_question(text, speaker, NOON, READER)


def spans(text: str, speaker: str = "Ana") -> set[tuple[str, str]]:
    return {(span.label, span.kind) for span in read(text, speaker).spans}


def candidates(**found: list[dict[str, Any]]) -> dict[str, Any]:
    """A row of `working_set.entry.seeds` with candidates for its first span."""
    return {"clock": 10, "found": [{"i": 0, "exact": [], "lexical": [], "similar": [], **found}], "lit": []}


@table(
    ("text", "expected"),
    [
        ("Where does Marta work?", ("Marta", "name")),
        ("What does Carlos Ruiz do?", ("Carlos Ruiz", "name")),
        ("¿Dónde trabaja Marta?", ("Marta", "name")),
        ("Where do I live?", ("Ana", "self")),
        ("Where does Ana live?", ("Ana", "self")),
        ("¿Dónde vivo?", ("Ana", "self")),
        ("¿Dónde trabajo?", ("Ana", "self")),
        ("¿Cuándo nací?", ("Ana", "self")),
        ("¿En qué calle vivíamos antes?", ("Ana", "self")),
        ("What is my boss called?", ("boss of Ana", "concept")),
        ("What is our dog called?", ("dog of Ana", "concept")),
        ("what are the twins called", ("twins", "concept")),
        ("¿Cómo se llama mi jefe?", ("jefe de Ana", "concept")),
    ],
)
def test_what_a_question_names(text: str, expected: tuple[str, str]) -> None:
    assert expected in spans(text)


@table(
    "text",
    [
        "Where does Marta work?",
        "¿Dónde trabaja Marta?",
        "¿Dónde vivía Marta?",
        "¿Cuánto cuesta el libro?",
        "What about the trip?",
    ],
)
def test_the_asker_is_no_cue_of_what_somebody_else_does(text: str) -> None:
    assert ("Ana", "self") not in spans(text)


@pytest.mark.parametrize("text", ["¿Dónde vivo?", "¿Cuál es el teléfono de Marta?", "¿Cómo está Marta?"])
def test_a_question_word_is_no_name(text: str) -> None:
    assert not {label for label, _ in spans(text)} & {"Dónde", "Cuál", "Cómo"}


def test_values_are_cues_by_identity() -> None:
    keys = [
        {span.key for span in read(text).spans if span.kind == "value"}
        for text in ("What costs 15,000 euros?", "¿Qué cuesta 15.000 €?")
    ]
    assert keys[0] == keys[1]
    assert len(keys[0]) == 1


def test_dates_are_cues_resolved_against_the_time_of_asking() -> None:
    assert "2026-03-01" in {span.key for span in read("What did we do yesterday?").spans}


@table(
    ("text", "past"),
    [
        ("Where did I live before?", True),
        ("Where did I use to live?", True),
        ("Where did Ana live?", True),
        ("¿Dónde vivía antes?", True),
        ("Which tablets did I take up till this one?", True),
        ("Who threw the ball back when the season began?", True),
        ("What was my old address?", True),
        ("Which was Ana's first car?", True),
        ("Where did I live first?", True),
        ("Em que banco tinha eu a conta dantes?", True),
        ("Que faculdade fazia ela até há pouco?", True),
        # What is asked for again, or says another time, is asked for as it is now.
        ("¿Cómo era que se llamaba el café que tiene terraza?", False),
        ("Qual era o restaurante que tinha duches?", False),
        ("Who shows up before daylight?", False),
        ("How old is Bluey?", False),
        ("Who restores old clocks?", False),
        ("Any previous reaction to the vaccine, what do I write?", False),
        ("He takes Chebet first. What is her problem?", False),
        ("O que devo levar no primeiro ano de escola?", False),
        ("Where do I live?", False),
        ("¿Dónde vivo?", False),
        ("Where is Marta?", False),
    ],
)
def test_whether_the_past_is_asked(text: str, past: bool) -> None:
    assert read(text).past is past


@table(
    ("text", "name"),
    [
        ("Where does Marta live?", "lives in"),
        ("¿Dónde vive Marta?", "lives in"),
        ("Where does she work?", "works at"),
        ("How old is Marta's car, and where is it?", None),
    ],
)
def test_relation_classes_of_a_question(text: str, name: str | None) -> None:
    classes = read(text).classes
    assert name in classes if name else "lives in" not in classes


def test_rarity_makes_a_cue_specific() -> None:
    values = [specificity(mentions, 100, LEAST) for mentions in (1, 2, 10, 50, 100)]
    assert values[0] == pytest.approx(1.0, abs=0.01)
    assert values == sorted(values, reverse=True)
    assert values[-1] >= 0.05
    assert 0 < specificity(10_000, 0, LEAST) <= 1


def test_an_alias_is_found_before_anything_alike() -> None:
    question = read("Where is Bubbles?")
    boat = {"id": "1", "label": "Great Whale", "kind": "name", "aliases": ["bubbles"], "mentions": 1}
    row = candidates(lexical=[{**boat, "id": "2", "label": "Bubble", "aliases": []}, boat])
    assert [(cue.label, cue.method) for cue in link(question, row, SEARCH)] == [("Great Whale", "alias")]


def test_a_misspelled_name_is_rescued_and_part_of_one_is_worth_less() -> None:
    museum = {"id": "1", "label": "Guggenheim Museum", "kind": "name", "aliases": [], "mentions": 1}
    (rescued,) = link(read("Where is the Guggen?"), candidates(lexical=[museum]), SEARCH)
    assert (rescued.method, rescued.weight < 1) == ("rescue", True)
    (part,) = link(read("Where is Guggenheim?"), candidates(lexical=[museum]), SEARCH)
    assert part.method == "part"
    assert part.weight == pytest.approx(0.7 * specificity(1, 10, LEAST))


def test_a_question_that_names_nothing_recognises_what_is_still_lit() -> None:
    lit = [
        {"id": "1", "label": "cello", "kind": "concept", "activation": 1.0, "affinity": 0.6, "mentions": 1},
        {"id": "2", "label": "rain", "kind": "concept", "activation": 3.0, "affinity": 0.1, "mentions": 1},
    ]
    question = read("So how does it sound?")
    row = {"clock": 10, "found": [{"i": i, "exact": [], "lexical": [], "similar": []} for i in range(9)], "lit": lit}
    assert [(cue.label, cue.method) for cue in link(question, row, SEARCH)] == [("cello", "recognition")]


def test_what_is_lit_does_not_speak_where_something_is_named(memory: Memory) -> None:
    tell(memory, "Marta plays the cello.", stating(("Marta", "plays", "cello"), names=["Marta"]))
    tell(memory, "Bruno plays the piano.", stating(("Bruno", "plays", "piano"), names=["Bruno"]))
    cues = memory.recall("What does Bruno play?", speaker="Ana").cues
    assert {cue.label for cue in cues} == {"Bruno"}
    assert {cue.method for cue in cues} == {"exact"}


def test_a_self_is_found_as_a_cue_and_weighs_less_the_more_often_it_is_mentioned(memory: Memory) -> None:
    weights = []
    for i in range(6):
        extraction = (
            stating(("I", "likes", "pears"), concepts=["pears"]) if i == 0 else stating(("I", "saw", f"bird {i}"))
        )
        tell(memory, f"Sentence {i}.", extraction, id=f"t{i}")
        (cue,) = [c for c in memory.recall("What do I like?", speaker="Ana").cues if c.kind == "self"]
        weights.append(cue.weight)
    assert cue.label == "Ana"
    assert weights[-1] < weights[0]
    rare = [c for c in memory.recall("Do I like pears?", speaker="Ana").cues if c.label == "pears"]
    assert rare[0].weight > weights[-1]


def test_i_is_whoever_asks(memory: Memory) -> None:
    tell(memory, "I live in Rome.", stating(("I", "lives in", "Rome"), names=["Rome"]), "Ana")
    tell(memory, "I live in Oslo.", stating(("I", "lives in", "Oslo"), names=["Oslo"]), "Bob")
    assert current(memory) == {("Ana", "lives in", "Rome"), ("Bob", "lives in", "Oslo")}
    for speaker, home, elsewhere in (("Ana", "Rome", "Oslo"), ("Bob", "Oslo", "Rome")):
        text = memory.recall("Where do I live?", speaker=speaker).brief.text
        assert home in text
        assert elsewhere not in text


@pytest.mark.parametrize("reply", ["Fine.", None])
@table(
    ("told", "question", "label", "relation"),
    [
        ("My boss is called {}.", "What is my boss called?", "my boss", "is called"),
        ("Mi jefe se llama {}.", "¿Cómo se llama mi jefe?", "mi jefe", "se llama"),
        ("O meu chefe chama-se {}.", "Como se chama o meu chefe?", "o meu chefe", "chama-se"),
    ],
)
def test_my_boss_is_whose_it_is(
    memory: Memory, told: str, question: str, label: str, relation: str, reply: str | None
) -> None:
    for speaker, boss in (("Ana", "Laura"), ("Bob", "Peter")):
        said = stating((label, relation, boss), names=[boss])
        memory.perceive(told.format(boss), speaker=speaker, at=NOON, extraction=said).close(reply)
    for speaker, boss, other in (("Ana", "Laura", "Peter"), ("Bob", "Peter", "Laura")):
        text = memory.recall(question, speaker=speaker).brief.text
        assert boss in text
        assert other not in text


@table(
    ("said", "named", "question"),
    [
        ("Our dog sleeps a lot.", "Our dog is called Rex.", "What is our dog called?"),
        ("Nuestro perro duerme mucho.", "Nuestro perro se llama Rex.", "¿Cómo se llama nuestro perro?"),
        ("O nosso cão dorme muito.", "O nosso cão chama-se Rex.", "Como se chama o nosso cão?"),
    ],
)
def test_our_dog_may_be_the_same_ones(memory: Memory, said: str, named: str, question: str) -> None:
    for speaker, text in (("Ana", said), ("Bob", named)):
        memory.perceive(text, speaker=speaker, at=NOON, extraction=Extraction()).close("Ok.")
    assert "Rex" in memory.recall(question, speaker="Ana").brief.text


def test_who_alone_said_it_is_asked(memory: Memory) -> None:
    memory.perceive("My daughter is called Lía.", speaker="Bob", at=NOON, extraction=Extraction())
    assert "Lía" in memory.recall("What is my daughter called?", speaker="Ana").brief.text


def test_a_question_creates_nothing(memory: Memory) -> None:
    memory.recall("Where does Marta live?", speaker="Ana")
    assert memory.stats().concepts == 0
    assert memory.perceive("ok", speaker="Ana", extraction=Extraction()).number == 1


@table(
    ("text", "found", "label"),
    [
        # what kind of thing is asked for is no cue by resembling one of the kind
        ("Which country does my uncle come from?", "Uruguay", None),
        ("Tell me about the country.", "Uruguay", "Uruguay"),
        # "home" asks for a relation; another thing of the same owner only resembles it
        ("Where is my home?", "building of Ana", None),
        ("Where is my office?", "building of Ana", "building of Ana"),
        # what is somebody's is never that somebody
        ("When is my departure?", "Ana", None),
    ],
)
def test_what_a_span_may_resemble(text: str, found: str, label: str | None) -> None:
    question = read(text)
    i = next(i for i, span in enumerate(question.spans) if span.kind == "concept")
    row = candidates(similar=[{"id": "c", "label": found, "kind": "concept", "mentions": 1, "score": 0.82}])
    row["found"] = [
        {"i": j, "exact": [], "lexical": [], "similar": row["found"][0]["similar"] if j == i else []}
        for j in range(len(question.spans))
    ]
    assert [cue.label for cue in link(question, row, SEARCH)] == ([label] if label else [])


def test_of_what_is_lit_that_speaks_whose_words_are_said() -> None:
    question = read("¿Con quién aprendo inglés?")
    lit = [
        {"id": "a", "label": "clase de inglés", "kind": "concept", "mentions": 1, "affinity": 0.45},
        {"id": "b", "label": "clase de francés", "kind": "concept", "mentions": 1, "affinity": 0.55},
    ]
    nothing = [{"i": i, "exact": [], "lexical": [], "similar": []} for i in range(len(question.spans))]
    cues = link(question, {"clock": 10, "found": nothing, "lit": lit}, SEARCH)
    assert [cue.label for cue in cues] == ["clase de inglés"]


@table(
    ("text", "owned"),
    [
        ("What does the husband of my daughter's coach collect?", "husband of coach of daughter of Ana"),
        ("Which language does the mother of my son's desk neighbour use?", "mother of desk neighbour of son of Ana"),
        ("Where does the partner of Diego's aunt live?", "partner of aunt of Diego"),
        ("What is the name of Diego's childhood dog?", "name of childhood dog of Diego"),
    ],
)
def test_owners_of_owners(text: str, owned: str) -> None:
    assert (owned, "concept") in spans(text)


@table(
    ("text", "name"),
    [
        ("How much do they want for the car?", "price"),
        ("¿Cuánto me piden por el coche?", "price"),
        ("¿Qué idioma está aprendiendo Nora?", "studies"),
        ("Who pays my salary?", "works at"),
    ],
)
def test_other_words_for_a_relation(text: str, name: str) -> None:
    assert name in read(text).classes


@table(
    ("text", "asked"),
    [
        ("¿De dónde es Josu?", True),
        ("De onde é o Rui?", True),
        ("Where is Josu from?", True),
        ("¿Es de Bilbao Josu?", True),
        # "Es" and "é" are in most questions, and so is "de".
        ("¿Cuál es mi talla de zapato?", False),
        ("¿Quién es la hermana de Ana?", False),
        ("Quem é meu chefe?", False),
        ("¿Quiénes somos?", False),
        ("Where was the picture from Rome taken?", False),
    ],
)
def test_where_somebody_is_from(text: str, asked: bool) -> None:
    assert ("is from" in read(text).classes) is asked


def test_a_day_of_the_week_is_what_is_on_such_days() -> None:
    assert "sundays" in {row["key"] for row in query_rows(read("Who has time on a Sunday?"), {})}


@table(
    ("text", "asks"),
    [
        ("What's my sister called?", True),
        ("What are my kids called?", True),
        ("what's my daughter's name", True),
        ("¿Quién es mi hermana?", True),
        ("¿Cómo se llaman mis hijos?", True),
        ("Como se chama a minha irmã?", True),
        ("Como se chamam os meus filhos?", True),
        ("Where does my sister live?", False),
        ("Who is my boss?", False),  # a new one takes the place of the one before
        ("What is my boat called?", False),
    ],
)
def test_who_kin_are_and_nothing_else_of_them(text: str, asks: bool) -> None:
    assert read(text).names_kin is asks


@table(
    ("text", "keys"),
    [
        ("Who is my husband?", {"husband of ana", "marido de ana", "esposo de ana"}),
        ("What is my sister called?", {"sister of ana", "hermana de ana", "irmã de ana"}),
        ("¿Quién es mi jefa?", {"boss of ana", "jefe de ana", "chefe de ana"}),
        ("What is my old boat called?", set()),
        ("Who is Marta?", set()),
    ],
)
def test_kin_have_the_same_name_in_all_languages(text: str, keys: set[str]) -> None:
    found = {key for span in read(text).spans for key in kin_keys(span)}
    assert found >= keys
    assert bool(found) is bool(keys)


def test_kin_are_found_by_whoever_asks_in_another_language(memory: Memory) -> None:
    for text in ("Mi marido se llama Gorka.", "Tenemos una niña, Nahia, de 4 años.", "My brother Sam keeps bees."):
        memory.perceive(text, speaker="Ana", at=NOON).close()
    for question, line in (
        ("who is my husband", "- El marido de Ana se llama Gorka."),
        ("what is my daughter called", "- La hija de Ana es Nahia."),
        ("¿cómo se llama mi hermano?", "- Ana's brother is Sam."),
        ("como se chama o meu irmão", "- Ana's brother is Sam."),
    ):
        assert line in memory.recall(question, speaker="Ana", at=NOON).brief.text.splitlines()


def test_a_relation_is_asked_for_in_another_language(memory: Memory) -> None:
    """A model states "Ana –marido→ Gorka" without a concept "marido de Ana"."""
    tell(memory, "Gorka y yo nos casamos en junio.", stating(("yo", "marido", "Gorka"), names=["Gorka"]))
    tell(memory, "Odio la coliflor.", stating(("yo", "odia", "coliflor")))
    assert "- El marido de Ana es Gorka." in memory.recall("who is my husband", speaker="Ana", at=NOON).brief.text


def test_several_kinds_of_kin_are_found_by_one_word(memory: Memory) -> None:
    for text in ("We have a daughter, Nahia.", "My son Leo plays chess.", "We have a dog called Rex.", "I hate leeks."):
        memory.perceive(text, speaker="Ana", at=NOON).close()
    labels = {cue.label for cue in memory.recall("What are my kids called?", speaker="Ana", at=NOON).cues}
    assert labels == {"daughter of Ana", "son of Ana"}
    for question, facts in (
        ("¿Cómo se llaman mis hijos?", {"- Ana's daughter is Nahia.", "- Ana's son is Leo."}),
        ("What pets do I have?", {"- Ana's dog is Rex."}),
        ("What is my son called?", {"- Ana's son is Leo."}),
    ):
        told = set(memory.recall(question, speaker="Ana", at=NOON).brief.text.splitlines())
        assert facts <= told
    assert "- Ana's daughter is Nahia." not in told
