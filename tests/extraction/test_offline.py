"""The offline extractor: a table of must-pass sentences per language, and what no input may do to it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locations import DATA
from tables import table

from oroi_graph.extraction.clauses import MAX_ANALYSED, MAX_CONCEPTS
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.extraction.tokenizer import expand
from oroi_graph.model import Extraction, Replaced, Utterance
from oroi_graph.providers.protocols import Extractor

LANGUAGES = ("en", "es", "pt")


def _lines(language: str) -> list[Any]:
    text = (DATA / f"offline_{language}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _utterance(data: dict[str, Any], at: datetime | None) -> Utterance:
    return Utterance(data["text"], data.get("speaker", "User"), data.get("role", "user"), at)


def _extract(line: dict[str, Any]) -> Extraction:
    at = datetime.fromisoformat(line["at"]) if line.get("at") else None
    window = [_utterance(u, at) for u in line.get("window", ())]
    return OfflineExtractor().extract(_utterance(line, at), window)


def _fold(relation: dict[str, Any]) -> dict[str, Any]:
    """A relation as the table writes it: absent flags are false, an absent `when` is not compared."""
    folded = {k: v.casefold() if isinstance(v, str) else v for k, v in relation.items()}
    if isinstance(folded.get("replaces"), dict):
        folded["replaces"] = {k: v.casefold() for k, v in folded["replaces"].items()}
    return {"negated": False, "replaces": False, **folded}


def _has(relations: list[dict[str, Any]], wanted: dict[str, Any]) -> bool:
    return any(all(have.get(k) == v for k, v in _fold(wanted).items()) for have in map(_fold, relations))


def _complaints(line: dict[str, Any], found: dict[str, Any]) -> list[str]:
    expect = dict(line["expect"])
    concepts = {(c["label"].casefold(), c["kind"]) for c in found["concepts"]}
    wrong = [
        f"missing concept {c['label']!r} ({c['kind']})"
        for c in expect.pop("concepts", ())
        if (c["label"].casefold(), c["kind"]) not in concepts
    ]
    labels = {label for label, _ in concepts}
    wrong += [f"unwanted concept {c!r}" for c in expect.pop("absent_concepts", ()) if c.casefold() in labels]
    for key in ("relations", "uptake"):
        wrong += [f"missing in {key}: {r}" for r in expect.pop(key, ()) if not _has(found[key], r)]
    wrong += [f"unwanted {r}" for r in expect.pop("absent_relations", ()) if _has(found["relations"], r)]
    if expect.pop("no_relations", False) and found["relations"]:
        wrong.append("relations should be empty")
    if expect.pop("no_concepts", False) and found["concepts"]:
        wrong.append("concepts should be empty")
    least = expect.pop("charge_at_least", None)
    if least is not None and found["charge"] < least:
        wrong.append(f"charge {found['charge']} is below {least}")
    wanted = {"remember": False, "forget": None, "store": True} | expect
    unknown = set(wanted) - {"remember", "forget", "store"}
    assert not unknown, f"unknown expectation {unknown}"
    wrong += [f"{k} is {found[k]!r}, not {v!r}" for k, v in wanted.items() if found[k] != v]
    return wrong


@table("line", [line for language in LANGUAGES for line in _lines(language)])
def test_must_pass_sentence(line: dict[str, Any]) -> None:
    found = _extract(line).to_json()
    wrong = _complaints(line, found)
    if wrong:
        shown = "\n  ".join(
            [f"{line['text']!r}", *wrong, "found:", *(f"  {c}" for c in found["concepts"]),
             *(f"  {r}" for r in found["relations"]), *(f"  uptake {r}" for r in found["uptake"])]
        )  # fmt: skip
        pytest.fail(shown, pytrace=False)


def test_table_has_forty_sentences_of_each_language() -> None:
    assert all(len(_lines(language)) >= 40 for language in LANGUAGES)


def test_is_an_extractor() -> None:
    assert isinstance(OfflineExtractor(), Extractor)
    assert OfflineExtractor().name == "offline"


@table(
    "text",
    [
        "",
        " \n\t ",
        "😀😀 🎉🎉🎉 !!! ??? …",
        "\x00\x01\x02 Ana \x00lives in\u200b Madrid\ufeff",
        "def f(x):\n    return {k: v for k, v in x.items() if k != 'a'}\n" * 40,
        "' '' 's 's 't \" “ ” « » ’",
        "((((((((((" * 500,
        "A" * 5000,
        "Ana's " * 800,
        "and and and and " * 300,
        "de la de la de la " * 300,
        "不客气，我住在北京。",
        "1.1.1.1.1.1.1 2/2/2/2 +1 (2) 3-3-3-3 99999999999999999999999999",
        "\ud800 lone surrogate",
    ],
)
def test_garbage_is_read_without_a_crash(text: str) -> None:
    found = OfflineExtractor().extract(Utterance(text, "User"), [Utterance(text, "Assistant", "assistant")])
    assert len(found.concepts) <= MAX_CONCEPTS
    assert all(c.label.strip() and c.kind in ("concept", "name", "value") for c in found.concepts)
    assert Extraction.from_json(found.to_json()) == found


def test_a_speaker_whose_name_is_an_auxiliary_is_read() -> None:
    found = OfflineExtractor().extract(Utterance("Not Will.", "Will"))
    assert [(c.label, c.kind) for c in found.concepts] == [("Will", "name")]


def test_a_megabyte_is_read_only_at_its_beginning() -> None:
    start = "I live in Valencia. "
    filler = "x" * (MAX_ANALYSED - len(start))
    found = OfflineExtractor().extract(Utterance(start + filler + " I live in Oslo." * 70_000, "User"))
    targets = [r.target for r in found.relations]
    assert "Valencia" in targets
    assert "Oslo" not in targets


@table(
    ("text", "forbidden"),
    [
        ("If I win the lottery, I will buy a boat.", "boat"),
        ("Si gano la lotería, compro un barco.", "barco"),
        ("I don't think Ana lives in Paris.", "Paris"),
        ("Have you ever been to Rome?", "Rome"),
        ("I would buy a castle.", "castle"),
        ("Let's visit Lisbon!", "Lisbon"),
        ("He lives in Dublin.", "Dublin"),
    ],
)
def test_what_is_not_stated_is_not_asserted(text: str, forbidden: str) -> None:
    found = OfflineExtractor().extract(Utterance(text, "User"))
    assert forbidden not in {r.target for r in found.relations}
    assert forbidden in {c.label for c in found.concepts}


def test_confirmation_of_a_user_is_no_uptake() -> None:
    window = [Utterance("You live in Valencia.", "Marta", "user")]
    assert OfflineExtractor().extract(Utterance("Yes, exactly.", "User"), window).uptake == ()


def test_unrelated_answer_takes_nothing_up() -> None:
    window = [Utterance("You live in Valencia.", "Assistant", "assistant")]
    assert OfflineExtractor().extract(Utterance("The soup is cold.", "User"), window).uptake == ()


@table(
    ("text", "what"),
    [
        ("Please forget what I said about Koldo.", "I said about Koldo"),
        ("Can you delete my phone number?", "my phone number"),
        ("Olvídate de Koldo.", "Koldo"),
        ("¿Puedes olvidar que vivo en Bilbao?", "vivo en Bilbao"),
        ("Quiero que borres mi número.", "mi número"),
        ("Bórralo.", "that"),
        ("Esquece isso.", "that"),
        ("Esqueça o meu chefe.", "o meu chefe"),
        ("pls forget my salary", "my salary"),
        ("Quero que você esqueça o meu chefe.", "o meu chefe"),
        ("Forget it.", None),
        ("Olvídalo, no importa.", None),
        ("Forget-me-nots are blue.", None),
        ("No olvides mi cumpleaños.", None),
    ],
)
def test_what_is_to_be_forgotten(text: str, what: str | None) -> None:
    assert OfflineExtractor().extract(Utterance(text, "User"), ()).forget == what


def test_forget_that_names_nothing() -> None:
    window = [Utterance("My PIN is 4321.", "User"), Utterance("Noted.", "Assistant", "assistant")]
    assert OfflineExtractor().extract(Utterance("Forget that.", "User"), window).forget == "that"


@table(
    ("text", "remember"),
    [
        ("Don't forget I'm allergic to nuts", True),
        ("dont forget my birthday is in June", True),  # chat leaves apostrophes out
        ("pls remember that I'm vegan, ok?", True),
        ("Recuerda que soy vegano, ¿vale?", True),
        ("Remember my friend Dawn? She moved.", False),
        ("Lembra que eu te falei da Bia?", False),
    ],
)
def test_a_question_is_no_order_to_remember(text: str, remember: bool) -> None:
    assert OfflineExtractor().extract(Utterance(text, "User")).remember == remember


@table(
    ("text", "store"),
    [
        ("dont save this but I hate my boss", False),
        ("Oh please do not store that.", False),
        ("Não guarda isso: odeio meu chefe", False),
        ("I don't remember that restaurant's name", True),
        ("They don't keep this in stock.", True),
        ("Ele não guarda isso.", True),
    ],
)
def test_who_says_what_is_not_kept_orders_nothing(text: str, store: bool) -> None:
    assert OfflineExtractor().extract(Utterance(text, "User")).store == store


@pytest.mark.parametrize("text", ["I'll never forget that day.", "Do you remember me?", "I forgot my keys."])
def test_ordinary_forgetting_and_remembering_are_no_orders(text: str) -> None:
    found = OfflineExtractor().extract(Utterance(text, "User"))
    assert (found.forget, found.remember) == (None, False)


def test_at_most_eight_concepts_names_and_facts_first() -> None:
    text = "Ana has " + ", ".join(f"a {noun}" for noun in ("boat", "piano", "lamp", "desk")) + ". " + (
        "Bread, cheese, wine, apples, oranges, lemons and carrots. I live in Madrid."
    )  # fmt: skip
    labels = [c.label for c in OfflineExtractor().extract(Utterance(text, "User")).concepts]
    assert len(labels) == MAX_CONCEPTS
    assert {"Ana", "Madrid", "boat", "piano", "lamp", "desk"} <= set(labels)


_SCRAPS = st.sampled_from(
    (
        "I my Ana Luis the a lives in to and 's not is was que de la mi yo en vive tiene 15,000 euros yesterday "
        "ayer , . ? ! \" ' ( ) it she who because if but named like se me le gusta of going been have 3 March"
    ).split()
)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(st.one_of(st.text(max_size=200), st.lists(_SCRAPS, max_size=40).map(" ".join)), st.text(max_size=60))
def test_whatever_is_said_the_answer_follows_the_schema(text: str, before: str) -> None:
    window = [Utterance(before, "Marta"), Utterance(text, "Assistant", "assistant")]
    found = OfflineExtractor().extract(Utterance(text, "User"), window)
    assert Extraction.from_json(found.to_json()) == found
    assert all(r.source != r.target for r in found.relations)
    assert found == OfflineExtractor().extract(Utterance(text, "User"), window)


@table(
    ("text", "stated"),
    [
        ("Karl works on Tuesdays.", ("Karl", "works on", "Tuesdays", False)),
        ("Matilde ensaya los martes.", ("Matilde", "ensaya", "martes", False)),
        ("Begoña practica tiro con arco.", ("Begoña", "practica", "tiro", False)),
        ("Nuria practica judo con su hijo.", ("Nuria", "practica", "judo", False)),
        ("The wifi password is tulip22.", ("wifi password", "is", "tulip22", False)),
        ("From now on our club meets on Fridays.", ("our club", "meets on", "Fridays", True)),
        ("Our club meets on Fridays instead of Mondays.", ("our club", "meets on", "Fridays", "Mondays")),
        ("I started working at Corvita.", ("I", "works at", "Corvita", False)),
        ("Mi clase de inglés la da Kevin.", ("mi clase de inglés", "la da", "Kevin", False)),
        ("Mi clase de inglés la da ahora Fiona.", ("mi clase de inglés", "la da", "Fiona", True)),
        ("The husband of my son's coach is Hugh.", ("husband of my son's coach", "is", "Hugh", False)),
        ("I drive a Volvo now.", ("I", "drives", "Volvo", True)),
        ("We eat tofu these days.", ("I", "eats", "tofu", True)),
        ("We eat tofu now.", ("I", "eats", "tofu", False)),
        ("Poppy got bored and plays the drums instead.", ("Poppy", "plays", "drums", True)),
        ("I report to Castellanos from this week on.", ("I", "reports to", "Castellanos", True)),
        ("They moved the meeting to Friday.", ("meeting", "is on", "2026-02-06", True)),
        ("The grant proposal is due on 14 April.", ("grant proposal", "is on", "2026-04-14", True)),
        ("The wedding takes place in Lisbon.", ("wedding", "takes place in", "Lisbon", False)),
        ("The roof is being repaired, so the dog sleeps in the hall.", ("dog", "sleeps in", "hall", False)),
        ("What I drive is a Toyota.", ("I", "drives", "Toyota", False)),
        ("Thaddeus does fencing.", ("Thaddeus", "does", "fencing", False)),
        ("Miriam turned out to be a notary.", ("Miriam", "is a", "notary", False)),
        ("My daughter April lives in Leeds.", ("April", "lives in", "Leeds", False)),
        ("The leak was fixed by a firm called Drysdale.", ("Drysdale", "fixed", "leak", False)),
        ("I have a dog called Max.", ("I", "dog", "Max", False)),
        ("Ahora jugamos al pádel en el club.", ("yo", "juega en", "club", True)),
        ("Ayer jugamos al pádel.", ("yo", "jugó a", "pádel", False)),
        ("El gato come pavo a partir de hoy.", ("gato", "come", "pavo", True)),
        ("El tren sale a partir de las ocho.", ("tren", "sale desde", "las ocho", True)),
        ("El ensayo del coro es los jueves.", ("ensayo del coro", "es", "jueves", True)),
        ("Mi médico es la doctora Liaño.", ("mi médico", "es", "doctora Liaño", True)),
        ("Julio reside en Tarifa.", ("Julio", "reside en", "Tarifa", False)),
        ("Lo que toca Ana es el oboe.", ("Ana", "toca", "oboe", False)),
        ("La llave de repuesto del piso la tiene Paqui.", ("llave de repuesto", "la tiene", "Paqui", False)),
        ("A mi nieta le da clase doña Elvira.", ("mi nieta", "le da", "doña Elvira", False)),
        ("A partir de hoje o gato come salmão.", ("gato", "come", "salmão", True)),
        ("He afilado los cuchillos.", ("yo", "ha afilado", "cuchillos", False)),
        ("Jacobo cría palomas.", ("Jacobo", "cría", "palomas", False)),
        ("im allergic to nuts", ("I", "is allergic to", "nuts", False)),
        ("my dads a plumber", ("my dad", "is a", "plumber", False)),
        ("my mother in law is called Rose", ("my mother-in-law", "is called", "Rose", False)),
        ("Mi suegra vive con nosotros y se llama Rosa.", ("mi suegra", "se llama", "Rosa", False)),
        ("Project Aurora is called Boreas now.", ("Project Aurora", "is called", "Boreas", True)),
        ("The wifi password is blue-otter-42.", ("wifi password", "is", "blue-otter-42", False)),
        ("I live in Leeds with my partner, Dev.", ("I", "partner", "Dev", False)),
        ("Vivo en Gijón con mi pareja, Dani.", ("yo", "pareja", "Dani", False)),
        ("Moro em Braga com o meu companheiro, o Dinis.", ("eu", "companheiro", "Dinis", False)),
        ("Doy clases en un instituto que se llama Parque Norte.", ("yo", "da clases en", "Parque Norte", False)),
        ("Dou aulas numa escola chamada Parque Norte.", ("eu", "dá aulas em", "Parque Norte", False)),
        ("My sister married a nurse who is called Olga.", ("Olga", "is a", "nurse", False)),
        ("La novia de Luis es una enfermera que se llama Olga.", ("Olga", "es", "enfermera", False)),
        ("Soy alérgica a las nueces, me enteré en una boda.", ("yo", "se enteró en", "boda", False)),
        ("The plumber we like is called Gary.", ("plumber", "is called", "Gary", False)),
        ("The book I'm reading is about whales.", ("book", "is about", "whales", False)),
        ("I keep the spare key under the blue pot.", ("I", "keeps", "spare key", False)),
        ("My favourite band is Big Thief.", ("I", "favourite band is", "Big Thief", True)),
        ("I've moved to nights.", ("I", "changed to", "nights", False)),
        ("We moved to a bigger flat.", ("I", "moved to", "flat", True)),
        ("Me he mudado a otro piso.", ("yo", "se ha mudado a", "piso", True)),
        ("O Rui faz 9 anos em abril.", ("Rui", "faz", "9 anos", False)),
        ("Mudei para o turno da noite.", ("eu", "passou para", "turno", False)),
        ("Mudei para florianopolis.", ("eu", "mudou para", "florianopolis", True)),
        ("Se me ha caído el móvil al río.", ("móvil", "se ha caído a", "río", False)),
        ("Mi hermana vive en Buenos Aires.", ("mi hermana", "vive en", "Buenos Aires", False)),
        ("Viajei para a Boa Vista.", ("eu", "viajou para", "Boa Vista", False)),
        ("Al final de la calle vive Eva.", ("final de la calle", "vive", "Eva", False)),
        ("O Teo é doido por dinossauros.", ("Teo", "é doido por", "dinossauros", False)),
        ("Mudámo-nos para o Minho.", ("eu", "se mudou para", "Minho", True)),
        (
            "A Joana trabalha na biblioteca da rua do Souto.",
            ("Joana", "trabalha em", "biblioteca da rua do Souto", False),
        ),
    ],
)
def test_further_wordings(text: str, stated: tuple[str, str, str, bool | str]) -> None:
    found = OfflineExtractor().extract(Utterance(text, "User", at=datetime(2026, 2, 1, tzinfo=UTC)))
    said = {
        (r.source, r.relation, r.target): r.replaces.target if isinstance(r.replaces, Replaced) else r.replaces
        for r in found.relations
    }
    assert said[stated[:3]] == stated[3]


@table(
    ("text", "denied"),
    [
        ("I have no children.", ("I", "has", "children")),
        ("The cottage allows no pets.", ("cottage", "allows", "pets")),
        ("No dogs live in the flat.", ("dogs", "lives in", "flat")),
        ("Ana no tiene ninguna hermana.", ("Ana", "tiene", "hermana")),
        ("A Ana não tem nenhuma irmã.", ("Ana", "tem", "irmã")),
        ("i dont eat meat", ("I", "eats", "meat")),  # chat leaves apostrophes out
        ("my brother wont come to the party", ("my brother", "will come to", "party")),
        ("Ana aint a doctor", ("Ana", "is a", "doctor")),
    ],
)
def test_what_there_is_none_of_is_denied(text: str, denied: tuple[str, str, str]) -> None:
    found = OfflineExtractor().extract(Utterance(text, "User"))
    assert [(r.source, r.relation, r.target) for r in found.relations if r.negated] == [denied]
    assert not [r for r in found.relations if not r.negated]


ANA = ("User", "My sister Ana is a vet.")
OK = ("Assistant", "Good to know.")
MEAT = ("User", "She doesn't eat meat.")


@table(
    ("before", "text", "who"),
    [
        ([ANA], "She hates cheese.", {"Ana"}),
        ([ANA, ("User", "It rained.")], "She hates cheese.", set()),  # no reply
        ([ANA, OK], "She hates cheese.", {"Ana"}),  # behind a reply that names nobody
        ([ANA, OK, MEAT, OK], "She hates cheese.", {"Ana"}),  # who "she" was before
        ([ANA, ("Assistant", "Does Bea like her job?")], "She hates cheese.", {"Bea"}),
        ([ANA, ("User", "It rained."), OK], "She hates cheese.", set()),  # too far
        ([("User", "I was in Lyon."), OK], "She hates cheese.", set()),  # named, but nothing was said of it
        ([("User", "Ana es veterinaria."), ("Assistant", "Vale.")], "Ella odia el queso.", {"Ana"}),
        ([("User", "Ana es veterinaria."), ("Assistant", "Vale.")], "Han abierto una heladería.", set()),
        ([("User", "Comprei uma bicicleta."), ("Assistant", "ok")], "Custou 300 euros.", {"bicicleta"}),
        ([("User", "My sisters are Ana and Bea."), OK], "She hates cheese.", set()),
    ],
)
def test_whom_a_pronoun_means_in_the_turns_before(before: list[tuple[str, str]], text: str, who: set[str]) -> None:
    window = [Utterance(said, by, "user" if by == "User" else "assistant") for by, said in before]
    found = OfflineExtractor().extract(Utterance(text, "User"), window)
    assert {relation.source for relation in found.relations} == who


@table(
    ("text", "language", "written"),
    [
        ("thats what theyre here for", "en", "that is what they are here for"),
        ("he is wont to sing", "en", "he is wont to sing"),
        ("its well were id", "en", "its well were id"),
        ("manda no whats", "pt", "manda no whats"),  # no contraction
    ],
)
def test_apostrophes_that_were_left_out(text: str, language: str, written: str) -> None:
    assert expand(text, language) == written


@table(
    "text",
    [
        "Había muchísimo tráfico.",
        "Hay cola en correos.",
        "April was rainy.",
        "Lo vi en julio.",
        "She said what to do is rest.",
    ],
)
def test_what_is_nobodys_is_said_of_nobody(text: str) -> None:
    assert not OfflineExtractor().extract(Utterance(text, "User", at=datetime(2026, 2, 1, tzinfo=UTC))).relations


@table(
    ("text", "nothing"),
    [
        ("I went to Spain with my sister, Ana and Luis.", ("I", "sister", "Ana")),  # one more of a list
        ("Tocamos no bar do tio do Tiago.", ("Tiago", "bar do tio", "bar do tio do Tiago")),  # no uncle
        ("Soy alérgica a las nueces, me enteré en una boda.", ("yo", "es alérgica a", "enteré")),
        ("Tengo una hermana en La Florida que se llama Olga.", ("La Florida", "se llama", "Olga")),
        ("Al final me han pasado a noches.", ("final", "ha pasado a", "noches")),
        ("Estoy leyendo La Regenta, se me hace lenta.", ("yo", "hace", "lenta")),
        ("Candela vino ayer. Se me ha quemado el sofrito.", ("Candela", "ha quemado", "sofrito")),
        ("Uf, se ha roto la caldera.", ("Uf", "se ha roto", "caldera")),
        ("Javi tiene novia. Se llama Irene.", ("Javi", "se llama", "Irene")),
        ("Tengo un perro criollo, se llama Rex.", ("yo", "se llama", "Rex")),
        ("Mi hermana tiene un perro, se llama Rex.", ("mi hermana", "se llama", "Rex")),
        ("O Diego tem uma irmã. Ela se chama Carla.", ("Diego", "se chama", "Carla")),
        ("Met Ruth's new fella, he's called Conrad.", ("Ruth", "is called", "Conrad")),
        ("She has a yarn shop on Eighth Street called Needles.", ("Eighth Street", "is called", "Needles")),
    ],
)
def test_what_only_looks_like_it_is_not_stated(text: str, nothing: tuple[str, str, str]) -> None:
    found = OfflineExtractor().extract(Utterance(text, "User")).relations
    assert nothing not in {(r.source, r.relation, r.target) for r in found}


@table(
    ("text", "relation", "when"),
    [
        ("Nos mudamos a Laredo en abril.", "se muda a", "2026-04"),
        ("En abril nos mudamos a Laredo.", "se muda a", "2026-04"),
        ("Nos mudamos a Laredo mañana.", "se muda a", "2026-02-02"),
        ("Nos mudamos a Laredo la semana que viene.", "se muda a", "2026-02-02/2026-02-08"),
        ("Viajamos a Laredo en 2027.", "viaja a", "2027"),
        ("Mudamos para Braga em abril.", "muda para", "2026-04"),
        ("Nos mudamos a Laredo en diciembre.", "se mudó a", "2025-12"),  # as many days behind as "we" tell of
        ("Viajamos a Laredo en julio.", "viajó a", "2025-07"),  # not much nearer ahead
        ("Viajamos a Laredo el lunes.", "viajó a", "2026-01-26"),
        ("Viajamos a Laredo en 2015.", "viajó a", "2015"),
        ("La semana pasada viajamos a Laredo.", "viajó a", "2026-01-19/2026-01-25"),
    ],
)
def test_what_we_do_or_did_is_what_its_date_says(text: str, relation: str, when: str) -> None:
    found = OfflineExtractor().extract(Utterance(text, "User", at=datetime(2026, 2, 1, tzinfo=UTC)))
    assert {(r.relation, r.when) for r in found.relations if r.target in ("Laredo", "Braga")} == {(relation, when)}


@table(
    ("text", "past"),
    [
        ("We moved to England when I was six.", True),
        ("As a child I lived in Cork.", True),
        ("I grew up in Cork, and now I live in Leeds.", False),
        ("We moved to England when I was promoted.", False),
        ("Cuando tenía seis años nos mudamos a Asturias.", True),
        ("Vivo en Gijón desde que era pequeña, cuando era niña.", False),
        ("A los veinte años me mudé a Madrid.", True),
        ("Aos vinte anos mudei-me para Lisboa.", True),
        ("Em criança morei em Faro.", True),
        ("Moro em Braga.", False),
    ],
)
def test_what_was_long_ago(text: str, past: bool) -> None:
    relations = OfflineExtractor().extract(Utterance(text, "User")).relations
    assert {r.past for r in relations if r.relation.split()[-1] in {"in", "to", "a", "en", "em", "para"}} == {past}


def test_days_of_every_week_are_no_names_and_no_dates() -> None:
    for text, day in (("Karl works on Tuesdays.", "Tuesdays"), ("Matilde ensaya los martes.", "martes")):
        found = OfflineExtractor().extract(Utterance(text, "User", at=datetime(2026, 2, 1, tzinfo=UTC)))
        assert {c.kind for c in found.concepts if c.label == day} == {"concept"}
        assert not any(r.when for r in found.relations)


@table(
    ("text", "own", "kin", "names"),
    [
        ("We have a daughter, Nahia, who lives in York.", "my daughter", "daughter", ["Nahia"]),
        ("I've got a little girl, Mia, and she loves frogs.", "my daughter", "daughter", ["Mia"]),
        ("I have a sister who is called Kate.", "my sister", "sister", ["Kate"]),
        ("We have two kids, Ola and Max.", "my kids", "kids", ["Ola", "Max"]),
        ("We've got three cats, Tom, Ada and Bob.", "my cats", "cats", ["Tom", "Ada", "Bob"]),
        ("Tenemos una niña, Nahia, de 4 años.", "mi hija", "hija", ["Nahia"]),
        ("Tengo un perro que se llama Rex.", "mi perro", "perro", ["Rex"]),
        ("Tengo tres hermanas, Ana, Eva y Luz.", "mis hermanas", "hermanas", ["Ana", "Eva", "Luz"]),
        ("Tenho uma filha, a Inês, que vive em Gante.", "minha filha", "filha", ["Inês"]),
        ("Temos um cão chamado Rex.", "meu cão", "cão", ["Rex"]),
        ("Temos dois filhos, o Leo e a Marta.", "meus filhos", "filhos", ["Leo", "Marta"]),
        ("Tenho duas irmãs, a Rita e a Inês.", "minhas irmãs", "irmãs", ["Rita", "Inês"]),
    ],
)
def test_who_somebody_says_to_have_is_theirs(text: str, own: str, kin: str, names: list[str]) -> None:
    """Said so, it is as good as "my daughter Nahia": what is asked of "my daughter" is found, and she is told of."""
    found = OfflineExtractor().extract(Utterance(text, "User", at=datetime(2026, 2, 1, tzinfo=UTC)))
    stated = {(r.source, r.relation, r.target) for r in found.relations}
    me = {"my": "I", "mi": "yo", "mis": "yo"}.get(own.split()[0], "eu")
    for name in names:
        assert (me, kin, name) in stated
        assert any(source == own and target == name for source, _, target in stated)
    assert not [relation for source, relation, _ in stated if source == me and relation != kin]
    if len(names) == 1:
        assert all(r.confidence > 0.75 for r in found.relations if r.target == names[0])


@table(
    "text",
    [
        "I have a question, Claude.",
        "Tengo una duda, Marta.",
        "I had a dog called Rex.",
        "De niña tuve una tortuga llamada Pancracia.",
        "O menino tinha um irmão, o Olavo.",
        "Do you know I have a sister, Kate?",
        "I don't have a brother, Sam does.",
        "Luis has a dog, Rex.",
        "Mi prima tiene un perro, Rex.",
        "I have a brother, he lives in Leeds.",
    ],
)
def test_whom_nobody_has_is_not_theirs(text: str) -> None:
    """Not so what is no kin, what was, what is asked, denied, or another's."""
    found = OfflineExtractor().extract(Utterance(text, "User", at=datetime(2026, 2, 1, tzinfo=UTC)))
    assert not [r for r in found.relations if r.relation in ("is", "es", "é") and r.target[:1].isupper()]
    assert not [r for r in found.relations if r.source in ("I", "yo", "eu") and r.target in ("Claude", "Marta", "Rex")]


def test_a_name_leaves_the_clause_at_its_own_place() -> None:
    text = "Like Kate I have a daughter called Kate."
    found = OfflineExtractor().extract(Utterance(text, "User", at=datetime(2026, 2, 1, tzinfo=UTC)))
    stated = {(r.source, r.relation, r.target) for r in found.relations}
    assert stated == {("I", "daughter", "Kate"), ("my daughter", "is", "Kate")}


def test_what_an_assistant_has_is_not_the_users() -> None:
    said = Utterance("I have a dog called Rex.", "Oroi", "assistant", at=datetime(2026, 2, 1, tzinfo=UTC))
    found = OfflineExtractor().extract(Utterance("Yes!", "User", at=datetime(2026, 2, 1, tzinfo=UTC)), (said,))
    assert not [r for r in found.uptake if r.target == "Rex" and r.relation != "is called"]
