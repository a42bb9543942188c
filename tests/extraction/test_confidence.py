"""How sure a read relation is: what speaks for it and against it, and that the graph and its facts carry it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from graph_view import association, associations, stating, tell
from tables import table

from oroi_graph import ExtractedRelation, Extraction, ExtractionError, Memory, OfflineExtractor, Utterance
from oroi_graph.consolidation.merge import added_up
from oroi_graph.extraction.confidence import WEIGHTS, confidence, rated, signals
from oroi_graph.language.detection import READ, detect
from oroi_graph.options import Dynamics
from oroi_graph.recall_options import Selection

WORKS = ExtractedRelation("Marta", "works at", "Iberdata")
UNSURE = replace(WORKS, confidence=0.3)
NAMES = ["Marta", "Iberdata"]
ASKED = "Where does Marta work?"


def read(text: str) -> list[ExtractedRelation]:
    return list(OfflineExtractor().extract(Utterance(text, "Ana")).relations)


def brief(memory: Memory) -> str:
    return memory.recall(ASKED, speaker="Ana").brief.text


# --- what speaks for a relation and against it -----------------------------------------------------------------


@table(
    "text",
    ["Marta works at Iberdata.", "My dog is called Rex.", "I live in Valencia.", "Vivo en Sevilla.", "Moro em Braga."],
)
def test_what_is_said_plainly_is_surely_read(text: str) -> None:
    (relation,) = read(text)
    assert Selection().sure_fact <= relation.confidence < 1


@table(
    "text",
    [
        "yeah so we went and mom like front row tickets lol",
        "ok my sister eats nothing but like crisps at home",
    ],
)
def test_what_is_read_out_of_chatter_decides_nothing(text: str) -> None:
    found = read(text)
    assert found
    assert max(relation.confidence for relation in found) < Selection().sure_step


@table(
    ("surer", "text", "less_sure", "instead"),
    [
        (WORKS, "Marta works at Iberdata.", WORKS, "marta works at iberdata"),
        (WORKS, "Marta works at Iberdata.", WORKS, "Marta works sadly underpaid hours at Iberdata."),
        (WORKS, "Marta works at Iberdata.", WORKS, "Yesterday evening rain Marta works at Iberdata."),
        (WORKS, "Marta works at Iberdata.", WORKS, "Marta works at Iberdata headquarters."),
        (WORKS, "Marta works at Iberdata.", replace(WORKS, target="Bilbao"), "Marta works at Iberdata."),
        (WORKS, "Marta works at Iberdata.", replace(WORKS, source="Jon"), "Marta works at Iberdata."),
        (WORKS, "Marta works at Iberdata.", replace(WORKS, negated=True), "Marta works at Iberdata."),
        (WORKS, "Marta works at Iberdata.", replace(WORKS, when="2026"), "Marta works at Iberdata."),
        (WORKS, "Marta works at Iberdata.", WORKS, "It rained. It poured. It snowed. Marta works at Iberdata."),
        (WORKS, "Marta works at Iberdata.", WORKS, "Marta works for her at Iberdata."),
    ],
)
def test_what_makes_a_relation_less_sure(
    surer: ExtractedRelation, text: str, less_sure: ExtractedRelation, instead: str
) -> None:
    assert confidence(surer, text, "en") > confidence(less_sure, instead, "en")


def test_only_the_clause_that_holds_a_relation_counts() -> None:
    plain, beside = (
        signals(WORKS, text, "en")
        for text in ("Marta works at Iberdata.", "The weather got worse, but Marta works at Iberdata.")
    )
    apart = {name for name in plain | beside if plain.get(name) != beside.get(name)}
    assert apart == {"words", "clause: marks before", "clause: words before"}


@table(
    ("relation", "text", "name", "value"),
    [
        (("I", "lives in", "Valencia"), "I live in Valencia.", "subject: said", 1.0),
        (("I", "lives in", "Valencia"), "Live in Valencia.", "subject: said", 0.0),
        (("my dog", "is called", "Rex"), "My dog is called Rex.", "subject: owned", 1.0),
        (("row", "is about", "boxes"), "They had row is about boxes.", "subject: bare", 1.0),
        (("row", "is about", "boxes"), "The row is about boxes.", "subject: bare", 0.0),
        (("madre", "vive en", "Jaca"), "Su madre vive en Jaca.", "subject: bare", 1.0),
        (("mãe", "mora em", "Faro"), "A sua mãe mora em Faro.", "subject: bare", 1.0),
        (("madre de Ana", "vive en", "Jaca"), "Ana está mal, su madre vive en Jaca.", "subject: bare", 0.0),
        (("agua", "sale de", "Soria"), "De agua sale de Soria.", "subject: after a preposition", 1.0),
        (("quiero", "es", "bueno"), "Lo que quiero es bueno.", "subject: a verb", 1.0),
        (("Marta", "works at", "Iberdata"), "Marta, they say, works at Iberdata.", "gap: marks", 1.0),
        (("Marta", "works at", "Iberdata"), "Ask Marta, I say, as Marta works at Iberdata.", "gap: marks", 0.0),
        (("Marta", "works at", "Iberdata"), "Marta works at Iberdata.", "verb: known relation", 1.0),
        (("Marta", "frobnicates", "Iberdata"), "Marta frobnicates Iberdata.", "verb: known relation", 0.0),
        (("Marta", "has", "cats"), "Marta has cats.", "verb: has", 1.0),
        (("Marta", "is", "lawyer"), "Marta is a lawyer.", "verb: copula", 1.0),
        (("Marta", "is", "lawyer"), "Marta, a lawyer.", "verb: none", 1.0),
        (("Marta", "is", "lawyer"), "Marta's a lawyer.", "verb: none", 0.0),
        (("I", "bought", "house"), "We didn't buy the house.", "verb: none", 0.0),
        (("my wife", "is called", "Filipa"), "My wife's called Filipa.", "verb: none", 0.0),
        (("I", "is allergic to", "nuts"), "im allergic to nuts", "verb: none", 0.0),
        (("yo", "se mudó a", "Jaca"), "Me mudé a Jaca.", "verb: none", 0.0),
        (("my feet", "between", "patients"), "He touched my feet between patients.", "verb: a preposition", 1.0),
        (("yo", "vive en", "Jaca"), "Vivo en Jaca.", "verb: of the speaker", 1.0),
        (("yo", "vive en", "Jaca"), "Vive en Jaca.", "verb: of somebody else", 1.0),
        (("Ana", "vive en", "Jaca"), "Vivo en Jaca, Ana.", "verb: of somebody else", 1.0),
        (("yo", "vivía en", "Jaca"), "Vivía en Jaca.", "verb: imperfect", 1.0),
        (("eu", "gosta de", "pão"), "Gosto de pão.", "verb: of", 1.0),
        (("I", "sold for", "a song"), "I sold it for a song.", "between: a pronoun", 1.0),
        (("yo", "se compró en", "Jaca"), "Lo compré en Jaca.", "between: a pronoun", 1.0),
        (("yo", "compra en", "Jaca"), "Compro pan en Jaca.", "between: a pronoun", 0.0),
        (("Marta", "works", "hard"), "Marta works, and how, hard.", "between: marks", 1.0),
        (("Marta", "knows", "Ana"), "Marta knows who Ana is.", "between: a clause", 1.0),
        (("I", "drank", "water"), "I drank the water.", "object: determined", 1.0),
        (("I", "drank", "water"), "I drank water.", "object: determined", 0.0),
        (("I", "drank", "water"), "Water drank I, the water.", "object: determined", 1.0),
        (("I", "eats at", "8"), "I eat at 8.", "object: a number", 1.0),
        (("I", "eats at", "8"), "I eat at 8.", "object: short", 1.0),
        (("I", "saw", "the"), "I saw the sea.", "object: no noun", 1.0),
        (("I", "drank", "water"), "I drank water and slept.", "object: closed", 1.0),
        (("I", "drank", "water"), "I drank water bottles.", "object: closed", 0.0),
        (("I", "drank", "glass"), "I drank a glass of wine.", "object: closed", 0.0),
        (("Marta", "works at", "Iberdata"), "She might say Marta works at Iberdata.", "clause: supposes", 1.0),
        (("Marta", "works at", "Iberdata"), "Maybe Marta works at Iberdata.", "clause: supposes", 1.0),
        (("Marta", "works at", "Iberdata"), "Marta works at Iberdata perhaps.", "clause: supposes", 1.0),
        (("Marta", "works at", "Iberdata"), "I bet Marta works at Iberdata.", "clause: supposes", 1.0),
        (("Marta", "works at", "Iberdata"), "It's not true that Marta works at Iberdata.", "clause: supposes", 1.0),
        (("Marta", "vive en", "Jaca"), "Soñé que Marta vive en Jaca.", "clause: supposes", 1.0),
        (("Marta", "works at", "Iberdata"), "Maybe not. Marta works at Iberdata.", "clause: supposes", 0.0),
        (("Marta", "vive en", "Jaca"), "A lo mejor Marta vive en Jaca.", "clause: supposes", 1.0),
        (("Marta", "mora em", "Faro"), "Será que a Marta mora em Faro", "clause: supposes", 1.0),
        (("I", "partner", "Dev"), "I live with my partner Dev.", "kin beside its name", 1.0),
        (("minha irmã", "é", "Rita"), "Fui com a minha irmã, a Rita.", "kin beside its name", 1.0),
        (("my sister", "is", "Rita"), "My sister met Rita.", "kin beside its name", 0.0),
        (("my car", "is", "Rita"), "My car Rita broke down.", "kin beside its name", 0.0),
        (("Marta", "works at", "Iberdata"), "Marta works at Iberdata.", "apart", 0.0),
        (("Marta", "works at", "Iberdata"), "Marta works very far away from here at Iberdata.", "apart", 1.0),
        (("Marta", "works at", "Iberdata"), "Marta works at Iberdata headquarters.", "cut off", 1.0),
        (("Marta", "works at", "Iberdata"), "Marta works at Iberdata.", "tidy", 1.0),
        (("Marta", "works at", "Iberdata"), "Marta works at Iberdata", "tidy", 0.0),
    ],
)
def test_what_the_model_sees(relation: tuple[str, str, str], text: str, name: str, value: float) -> None:
    assert name in WEIGHTS
    assert signals(ExtractedRelation(*relation), text, detect(text, None, READ)).get(name, 0.0) == value


@table("text", ["", "...", "¿?", "and but so", "x" * 5_000, "Marta " * 500])
@table("language", ["en", "es", "pt"])
def test_any_text_gives_a_probability(text: str, language: str) -> None:
    assert 0 < confidence(WORKS, text, language) < 1
    assert set(signals(WORKS, text, language)) <= set(WEIGHTS)


def test_what_rules_read_is_never_certain() -> None:
    assert max(relation.confidence for relation in read("I live with my partner Dev.")) == 0.99


def test_rating_changes_nothing_else() -> None:
    (relation,) = rated([WORKS], "Marta works at Iberdata.", "en")
    assert replace(relation, confidence=1.0) == WORKS
    assert relation.confidence == confidence(WORKS, "Marta works at Iberdata.", "en") == round(relation.confidence, 3)


# --- as JSON ---------------------------------------------------------------------------------------------------


def test_a_rated_relation_survives_json_and_an_unrated_one_says_nothing() -> None:
    extraction = stating(UNSURE, ("Marta", "plays", "oboe"), uptake=[UNSURE])
    data: Any = extraction.to_json()
    assert ["confidence" in relation for relation in data["relations"]] == [True, False]
    assert Extraction.from_json(data) == extraction


@table("value", [-0.1, 1.1, "0.5", True, None, float("nan")])
def test_a_confidence_that_is_none_is_refused(value: object) -> None:
    relation = {"source": "Marta", "relation": "works at", "target": "Iberdata", "confidence": value}
    with pytest.raises(ExtractionError, match="confidence must be a number from 0 to 1"):
        Extraction.from_json({"relations": [relation]})


# --- in the graph ----------------------------------------------------------------------------------------------


def test_the_association_and_its_fact_carry_it(memory: Memory) -> None:
    sure = ("Marta", "plays", "oboe")
    tell(memory, "Marta works at Iberdata.", stating(replace(UNSURE, confidence=0.8), sure, names=NAMES))
    assert association(memory, "Marta", "Iberdata")["confidence"] == 0.8
    assert "confidence" not in association(memory, "Marta", "oboe"), "what nobody rates is sure"
    facts = {
        fact.target: fact.confidence for asked in (ASKED, "What does Marta play?")
        for fact in memory.recall(asked, speaker="Ana").facts
    }  # fmt: skip
    assert facts == {"Iberdata": 0.8, "oboe": 1.0}


def test_the_offline_extractor_rates_what_it_stores(memory: Memory) -> None:
    memory.perceive("Marta works at Iberdata.", speaker="Ana").close()
    (stored,) = associations(memory)
    assert stored["confidence"] == read("Marta works at Iberdata.")[0].confidence


def test_a_fact_of_low_confidence_is_quoted_never_stated(memory: Memory) -> None:
    tell(memory, "marta iberdata works i guess", stating(UNSURE, names=NAMES))
    recall = memory.recall(ASKED, speaker="Ana")
    assert '"marta iberdata works i guess"' in recall.brief.text
    assert "Marta works at Iberdata" not in recall.brief.text
    assert recall.facts == ()
    assert recall.brief.fact_ids == ()


@pytest.mark.parametrize(("value", "stated"), [(0.74, False), (0.75, True)])
def test_from_where_a_fact_is_stated(memory: Memory, value: float, stated: bool) -> None:
    tell(memory, "So she works at Iberdata.", stating(replace(WORKS, confidence=value), names=NAMES))
    assert ("Marta works at Iberdata" in brief(memory)) is stated


def test_what_is_said_again_plainly_is_sure(memory: Memory) -> None:
    tell(memory, "marta iberdata works i guess", stating(UNSURE, names=NAMES))
    tell(memory, "Marta works at Iberdata.", stating(WORKS, names=NAMES))
    assert "Marta works at Iberdata." in brief(memory).replace("As told in March 2026, ", "").split('"')[0]


def test_what_is_said_again_vaguely_stays_sure(memory: Memory) -> None:
    tell(memory, "Marta works at Iberdata.", stating(WORKS, names=NAMES))
    tell(memory, "marta iberdata works i guess", stating(UNSURE, names=NAMES))
    assert "confidence" not in association(memory, "Marta", "Iberdata")


def test_what_merging_adds_up_is_as_sure_as_the_surer() -> None:
    host: dict[str, Any] = {"weight": 1.0, "count": 1, "first_turn": 1, "last_turn": 1, "records": ["a"]}
    added = host | added_up(host | {"confidence": 0.3}, host | {"records": ["b"]}, Dynamics())
    assert added.get("confidence", 0.3) in (1.0, None)


def test_a_listed_fact_carries_it_too(memory: Memory) -> None:
    tell(memory, "marta iberdata works i guess", stating(UNSURE, names=NAMES))
    assert [fact.confidence for fact in memory.facts("Marta")] == [0.3]


@table(
    ("beside", "apart"),
    [
        ("I live in Leeds with my partner Dev.", "I live in Leeds with my partner, Dev."),
        ("Moro em Braga com o meu companheiro Dinis.", "Moro em Braga com o meu companheiro, o Dinis."),
    ],
)
def test_the_comma_of_an_apposition_sets_nothing_apart(beside: str, apart: str) -> None:
    without, with_ = ({(r.source, r.relation, r.target): r.confidence for r in read(text)} for text in (beside, apart))
    roles = [
        key for key in without if key[1] in ("partner", "companheiro") or key[0] in ("my partner", "meu companheiro")
    ]
    assert len(roles) == 2
    assert all(with_[key] > without[key] - 0.05 for key in roles)


@table(
    ("text", "surely"),
    [
        ("We moved to England.", True),
        ("We moved to England when I was six.", False),
        ("We moved to England in 1998, when I was six.", True),  # a sentence with its time
        ("I broke my leg when I was six.", True),  # nothing that lasts
    ],
)
def test_what_lasted_long_ago_is_not_told_as_lasting(text: str, surely: bool) -> None:
    assert (max(r.confidence for r in read(text) if r.target in ("England", "my leg")) > 0.5) is surely


@table("text", ["I live in Leeds with my partner Dev.", "Vivo en Gijón con mi pareja, Dani.", "My boss is Marta."])
def test_who_somebody_is_to_somebody_is_equally_sure_both_ways(text: str) -> None:
    found = {r.relation: r.confidence for r in read(text) if r.relation in ("is", "es", "partner", "pareja", "boss")}
    assert len(found) == 2
    assert len(set(found.values())) == 1


def test_how_a_name_is_introduced_is_no_word_that_is_left_unread() -> None:
    ways = ("una enfermera llamada Olga", "una enfermera que se llama Olga")
    found = [next(r for r in read(f"La novia de Luis es {way}.") if r.source == "Olga") for way in ways]
    assert all(r.confidence > 0.5 for r in found)


@table(
    ("text", "name", "stated"),
    [
        ("We have two children, Aida and Leo.", "Aida", False),
        ("Tenemos dos hijos, Aitana y Teo.", "Teo", False),
        ("Temos dois filhos, a Aida e o Teo.", "Teo", False),
        ("Tengo un Corsa.", "Corsa", True),
        ("Tenemos dos gatos y un Corsa.", "Corsa", True),
    ],
)
def test_names_that_explain_a_number_are_not_had(text: str, name: str, stated: bool) -> None:
    had = [r.confidence > 0.5 for r in read(text) if r.target == name and r.relation in ("has", "tiene", "tem")]
    assert any(had) is stated


def test_a_son_is_kin_although_son_is_a_copula_in_spanish() -> None:
    assert next(r.confidence for r in read("My son Peter lives in Leeds.") if r.relation == "son") > 0.9
