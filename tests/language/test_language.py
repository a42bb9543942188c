"""Language, persons, questions, small talk, content words and relation classes."""

from __future__ import annotations

import pytest
from tables import table

from oroi_graph.entities import fact_updates
from oroi_graph.language.detection import READ, detect
from oroi_graph.language.lexicons.pronouns import is_first_person, possessive
from oroi_graph.language.relations import SINGLE_VALUED, is_single_valued, relation_class
from oroi_graph.language.sentences import is_question, is_small_talk
from oroi_graph.language.stemming import content_words, stop_words
from oroi_graph.language.verbs.english import english_past, english_verb
from oroi_graph.language.verbs.forms import verb, verb_at_start


@table(
    ("text", "language"),
    [
        ("I live in Madrid.", "en"), ("Vivo en Madrid.", "es"), ("Compré una cámara.", "es"),
        ("No como carne.", "es"),
        ("Ana es fontanera.", "es"), ("Ana is a plumber.", "en"), ("vale, gracias", "es"),
        ("ok, thanks", "en"),
        ("¿Dónde?", "es"), ("", "en"), ("12345", "en"),
    ],
)  # fmt: skip
def test_detect(text: str, language: str) -> None:
    assert detect(text) == language


@table(
    ("text", "language"),
    [
        ("Moro em Recife.", "pt"), ("Não como carne.", "pt"), ("A Ana é encanadora.", "pt"), ("obrigado!", "pt"),
        ("Meu irmão chama-se Rui.", "pt"), ("Trabalho no banco.", "pt"), ("mora em", "pt"), ("Onde eu morava?", "pt"),
        ("Vivo en Madrid.", "es"), ("Ana tiene dos gatos.", "es"), ("Hugo estudia medicina.", "es"),
        ("Leo tiene una moto.", "es"), ("vive en", "es"), ("Raúl plays chess.", "en"), ("Ana is a plumber.", "en"),
        ("lives in", "en"), ("", "en"),
    ],
)  # fmt: skip
def test_the_three_languages_that_are_read(text: str, language: str) -> None:
    assert detect(text, among=READ) == language


def test_only_what_is_asked_for_is_detected() -> None:
    assert detect("Moro em Recife.", among=("en", "es")) in ("en", "es")


def test_a_tie_goes_to_the_hint() -> None:
    assert detect("Ok", "es") == "es"
    assert detect("Ok") == "en"
    assert detect("I live in Madrid.", "es") == "en"


def test_persons() -> None:
    assert all(is_first_person(x) for x in ("I", "me", "Myself", "yo", "mí", "We", "nosotros"))
    assert not any(is_first_person(x) for x in ("you", "Ana", "my boss", "mi"))
    assert possessive("my boss") == ("en", "boss")
    assert possessive("Mis padres") == ("es", "padres")
    assert possessive("my old boss") == ("en", "old boss")
    assert possessive("Ana's boss") is None
    assert possessive("my") is None
    assert all(is_first_person(x) for x in ("eu", "mim", "Nós", "a gente"))
    assert possessive("minha irmã") == ("pt", "irmã")
    assert possessive("o meu chefe") == ("pt", "chefe")
    assert possessive("o chefe") is None


@table(
    "text",
    [
        "¿Vive aquí?",
        "Do you live here",
        "What is it",
        "Dónde está",
        "Really?",
        "Is it far",
        "Onde fica o hotel",
        "Qual é o preço",
    ],
)
def test_questions(text: str) -> None:
    assert is_question(text)


@table(
    "text",
    [
        "When I was young I ran.",
        "I know what it costs.",
        "Donde vivo llueve.",
        "",
        "Como carne.",
        "Quando era novo corria.",
    ],
)
def test_statements_are_no_questions(text: str) -> None:
    assert not is_question(text)


@table(
    "text",
    ["ok, thanks", "Vale, gracias.", "hola", "Thank you so much!", "👍", "", "muito obrigada!", "Tudo bem, tchau."],
)
def test_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ["ok, Madrid", "Thanks, I moved.", "hola, soy Ana"])
def test_talk_with_content_is_not_small(text: str) -> None:
    assert not is_small_talk(text)


def test_content_words_are_stems_without_stop_words() -> None:
    assert content_words("The dogs are running to my house", "en") == content_words("dog run house", "en")
    assert content_words("Los perros de mi hermana", "es") == content_words("perro hermana", "es")
    assert content_words("Os cachorros da minha irmã", "pt") == content_words("cachorro irmã", "pt")
    assert content_words("Ana's brother", "en") == content_words("Ana brother", "en")
    assert "computer" not in stop_words("en")
    assert "the" in stop_words("en")


@table(
    ("phrases", "name"),
    [
        (("lives in", "live in", "moved to", "resides in", "vive en", "vivo en", "se mudó a", "me mudé a",
          "se ha mudado a", "mora em", "moro no", "me mudei para", "mudou-se para", "está morando em"), "lives in"),
        (("works at", "works for", "trabaja en", "trabajo para", "trabalho na", "trabalha para"), "works at"),
        (("works as", "job is", "trabaja como"), "works as"),
        (("is called", "name is", "se llama", "me llamo", "se chama", "me chamo", "chama-se"), "is called"),
        (("birthday is", "was born on", "nació", "cumpleaños es"), "birthday"),
        (("is married to", "está casada con"), "is married to"),
        (("phone number is", "phone is", "teléfono es"), "phone"),
        (("e-mail is", "email is", "correo es"), "e-mail"),
        (("is in", "is located in", "está en"), "is located in"),
        (("costs", "cost", "costó", "price is"), "price"),
        (("likes", "loves", "enjoys", "le gusta", "me encanta", "gosto de", "adora"), "likes"),
        (("has", "owns", "tiene", "tengo", "tenho", "possui"), "has"),
        (("is", "is a", "es", "é", "sou"), "is a"),
        (("speaks", "habla"), "speaks"),
        (("plays", "juega a", "toca"), "plays"),
        (("favourite colour is", "favorite color is"), "favourite color"),
    ],
)  # fmt: skip
def test_relation_classes(phrases: tuple[str, ...], name: str) -> None:
    assert {phrase: relation_class(phrase) for phrase in phrases} == dict.fromkeys(phrases, name)


@table(
    "phrase", ["lived in", "used to live in", "vivía en", "went to", "brother", "was born in", "", "morava em", "foi a"]
)
def test_past_states_and_events_are_in_no_class(phrase: str) -> None:
    assert relation_class(phrase) is None


def test_single_valued() -> None:
    assert {"lives in", "works at", "is called", "birthday", "phone", "price"} <= SINGLE_VALUED
    assert is_single_valued("favourite color")
    assert not is_single_valued("likes")
    assert not is_single_valued("has")
    assert not is_single_valued(None)


def test_two_phrases_of_one_relation_have_one_class() -> None:
    def same(first: str, second: str) -> bool:
        return fact_updates.relation_class(first) == fact_updates.relation_class(second)

    assert same("lives in", "se mudó a")
    assert not same("lives in", "works at")
    assert same("painted", "is painting")
    assert not same("painted", "sold")
    assert not same("went to", "lives in")


@table(
    ("form", "third"),
    [
        ("vivo", "vive"), ("tuve", "tuvo"), ("pagué", "pagó"), ("busqué", "buscó"), ("leí", "leyó"),
        ("conozco", "conoce"), ("prefiero", "prefiere"), ("conseguimos", "consiguió"), ("juego", "juega"),
        ("fui", "fue"), ("sigo", "sigue"), ("compraron", "compró"), ("vivía", "vivía"),
    ],
)  # fmt: skip
def test_spanish_forms(form: str, third: str) -> None:
    found = verb_at_start(form, "es")
    assert found is not None
    assert found.third == third


@table(
    ("form", "third"),
    [
        ("moro", "mora"), ("mudei", "mudou"), ("fiquei", "ficou"), ("comecei", "começou"), ("conheço", "conhece"),
        ("prefiro", "prefere"), ("durmo", "dorme"), ("sigo", "segue"), ("dirijo", "dirige"), ("passeio", "passeia"),
        ("tenho", "tem"), ("fui", "foi"), ("pus", "pôs"), ("peço", "pede"), ("falámos", "falou"), ("moramos", "mora"),
    ],
)  # fmt: skip
def test_portuguese_forms(form: str, third: str) -> None:
    found = verb_at_start(form, "pt")
    assert found is not None
    assert found.third == third


def test_nouns_are_verbs_only_where_a_verb_is_due() -> None:
    assert verb("trabajo", "es") is None
    assert verb_at_start("trabajo", "es") is not None


@table(
    ("form", "lemma", "third"),
    [("live", "live", "lives"), ("bought", "buy", "bought"), ("studies", "study", "studies"),
    ("am", "be", "is"),
     ("were", "be", "was"), ("stopped", "stop", "stopped"), ("have", "have", "has")],
)  # fmt: skip
def test_english_forms(form: str, lemma: str, third: str) -> None:
    verb = english_verb(form)
    assert verb is not None
    assert (verb.lemma, verb.third) == (lemma, third)


def test_english_past() -> None:
    assert [english_past(b) for b in ("buy", "be", "adopt", "try", "read")] == [
        "bought",
        "was",
        "adopted",
        "tried",
        "read",
    ]
