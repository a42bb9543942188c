"""From labels to mentions: who "I" is, whose "my boss" is, which value a text is, what kind a label has."""

from __future__ import annotations

from graph_view import NOON, stating
from tables import table

from oroi_graph import ExtractedRelation, Extraction, Replaced
from oroi_graph.entities.mentions import Mention, Reader, read
from oroi_graph.language.parsed_text import parse


def mention(label: str, *, speaker: str = "Ana", text: str = "", extraction: Extraction | None = None) -> Mention:
    found = Reader(extraction or Extraction(), speaker, parse(text or label, NOON)).mention(label)
    assert found is not None
    return found


@table("label", ["I", "me", "Me", "yo", "myself", "Ana", "ANA", " ana "])
def test_the_speaker_is_a_self(label: str) -> None:
    found = mention(label)
    assert (found.label, found.key, found.kind) == ("Ana", "ana", "self")


@table(
    ("label", "name", "owner"),
    [
        ("my boss", "boss of Ana", "Ana"),
        ("My boss", "boss of Ana", "Ana"),
        ("our house", "house of Ana", "Ana"),
        ("mi jefe", "jefe de Ana", "Ana"),
        ("mis padres", "padres de Ana", "Ana"),
        ("Marta's brother", "brother of Marta", "Marta"),
        ("Marta’s brother", "brother of Marta", "Marta"),
        ("brother of Marta", "brother of Marta", "Marta"),
        ("hermano de Marta", "hermano de Marta", "Marta"),
        ("Ana's boss", "boss of Ana", "Ana"),
    ],
)
def test_what_is_somebodys_is_named_by_its_owner(label: str, name: str, owner: str) -> None:
    found = mention(label)
    assert (found.label, found.kind) == (name, "concept")
    assert found.owner is not None
    assert found.owner.label == owner


def test_an_owner_can_be_owned() -> None:
    found = mention("my sister's husband")
    assert found.label == "husband of sister of Ana"
    assert found.owner is not None
    assert found.owner.label == "sister of Ana"
    assert found.owner.owner is not None
    assert found.owner.owner.kind == "self"


def test_an_alias_is_kept_for_the_speakers_own() -> None:
    assert mention("my boss").alias == "my boss"
    assert mention("Marta's brother").alias is None


@table(
    ("label", "kind"),
    [
        ("Madrid", "name"),
        ("Ana Ruiz", "name"),
        ("guitar lessons", "concept"),
        ("15,000 euros", "value"),
        ("2026-03-01", "value"),
        ("yesterday", "value"),
    ],
)
def test_a_label_without_a_kind_is_judged_by_its_look(label: str, kind: str) -> None:
    assert mention(label).kind == kind


def test_the_extractors_kind_goes_first() -> None:
    assert mention("Friday", extraction=stating(names=["Friday"])).kind == "name"
    assert mention("madrid", extraction=stating(names=["Madrid"])).kind == "name"
    assert mention("tall order", extraction=stating(values=["tall order"])).kind == "value"


@table(
    ("a", "a_text", "b", "b_text"),
    [
        ("15,000 euros", "It costs 15,000 euros.", "15.000 €", "Cuesta 15.000 € en la tienda."),
        ("15,000 EUR", "It costs 15,000 EUR.", "€15,000", "It was €15,000 then."),
        ("yesterday", "It was yesterday.", "1 March 2026", "It was on 1 March 2026."),
        ("ayer", "Fue ayer por la tarde.", "2026-03-01", "On 2026-03-01."),
    ],
)
def test_one_value_in_two_spellings(a: str, a_text: str, b: str, b_text: str) -> None:
    assert mention(a, text=a_text).key == mention(b, text=b_text).key


def test_the_turns_language_reads_the_digits() -> None:
    spanish = mention("1.500 m", text="El camino de la playa mide 1.500 m.")
    english = mention("1.500 m", text="The tube is 1.500 m long and that is all.")
    assert spanish.key != english.key


def test_a_label_of_punctuation_is_nothing() -> None:
    assert Reader(Extraction(), "Ana", parse("…", NOON)).mention("   ") is None
    mentions, relations, _ = read(stating(("I", "says", " "), concepts=["  "]), "Ana", parse("…", NOON))
    assert (mentions, relations) == ([], [])


def test_owners_are_mentioned_and_related() -> None:
    mentions, relations, _ = read(stating(concepts=["my boss"]), "Ana", parse("My boss.", NOON))
    assert [(m.label, m.kind) for m in mentions] == [("boss of Ana", "concept"), ("Ana", "self")]
    assert [(r.source.label, r.relation, r.target.label, r.implied) for r in relations] == [
        ("Ana", "has", "boss of Ana", True)
    ]


def test_what_a_correction_replaces_is_only_looked_up() -> None:
    replaced = ExtractedRelation("I", "lives in", "Valencia", replaces=Replaced("lives in", "Bilbao"))
    mentions, _, lookups = read(stating(replaced), "Ana", parse("Valencia, not Bilbao.", NOON))
    assert {m.label for m in mentions} == {"Ana", "Valencia"}
    assert [m.label for m in lookups] == ["Bilbao"]


def test_a_relation_to_oneself_is_dropped() -> None:
    _, relations, _ = read(stating(("I", "trusts", "me"), ("I", "is", "Ana")), "Ana", parse("…", NOON))
    assert relations == []


def test_mentions_are_distinct_in_order() -> None:
    mentions, _, _ = read(stating(concepts=["pear", "plum", "Pear", "pear"]), "Ana", parse("…", NOON))
    assert [m.surface for m in mentions] == ["pear", "plum"]
