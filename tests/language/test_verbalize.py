"""Facts as sentences, with their time woven in."""

from __future__ import annotations

import re
from dataclasses import replace

from tables import table

from oroi_graph import Fact
from oroi_graph.language.verbalize import date, earlier, is_outdated, sentence, stamp

FACT = Fact(
    id="f",
    source="Ana",
    relation="lives in",
    target="Valencia",
    weight=1.0,
    negated=False,
    current=True,
    contested=False,
    when=None,
    stated_at="2026-03-02T12:00:00+00:00",
    first_turn=1,
    last_turn=1,
    records=("r",),
)


@table(
    ("changes", "text"),
    [
        ({}, "As told in March 2026, Ana lives in Valencia."),
        ({"stated_at": None}, "Ana lives in Valencia."),
        ({"relation": "visited"}, "Ana visited Valencia."),
        (
            {"source": "kids of Ana", "relation": "is", "target": "Eva", "negated": True},
            "One of Ana's kids is not Eva.",
        ),
        (
            {"source": "hijas de Ana", "relation": "es", "target": "Eva", "negated": True},
            "Una de las hijas de Ana no es Eva.",
        ),
        ({"relation": "visited", "when": "2025-07"}, "In July 2025, Ana visited Valencia."),
        ({"relation": "visited", "when": "2025-07-04"}, "On 4 July 2025, Ana visited Valencia."),
        ({"relation": "visited", "when": "2025"}, "In 2025, Ana visited Valencia."),
        (
            {"relation": "visited", "when": "2025-07-01/2025-07-12"},
            "From 1 July 2025 to 12 July 2025, Ana visited Valencia.",
        ),
        ({"relation": "visited", "when": "soon"}, "Ana visited Valencia."),
        ({"current": False}, "As told in March 2026, Ana lives in Valencia (no longer so)."),
        ({"contested": True}, "As told in March 2026, Ana lives in Valencia (accounts differ)."),
        ({"negated": True}, "Ana does not live in Valencia."),
        ({"negated": True, "relation": "visited"}, "Ana did not visit Valencia."),
        ({"negated": True, "relation": "has visited"}, "Ana has not visited Valencia."),
        ({"negated": True, "relation": "has", "target": "a cat"}, "Ana does not have a cat."),
        ({"relation": "adores", "target": "jazz"}, "Ana adores jazz."),
        ({"relation": "sister", "target": "Marta"}, "Ana's sister is Marta."),
        ({"when": "2026-02-01"}, "Since 1 February 2026 Ana lives in Valencia."),
        ({"when": "2025-11"}, "Since November 2025 Ana lives in Valencia."),
        ({"when": "2025-11", "current": False}, "In November 2025, Ana lives in Valencia (no longer so)."),
        ({"relation": "moved to", "when": "2025-11"}, "In November 2025, Ana moved to Valencia."),
        ({"relation": "vive en", "when": "2025-11"}, "Desde noviembre de 2025 Ana vive en Valencia."),
        ({"relation": "moved to"}, "As told in March 2026, Ana moved to Valencia."),
        ({"relation": "se mudó a"}, "Según se contó en marzo de 2026, Ana se mudó a Valencia."),
        ({"relation": "mudou-se para"}, "Como se contou em março de 2026, Ana mudou-se para Valencia."),
        ({"relation": "favourite colour is", "target": "green"}, "Ana's favourite colour is green."),
        ({"relation": "birthday is", "target": "14 March", "when": "2026-03-14"}, "Ana's birthday is 14 March."),
        ({"relation": "with", "source": "meeting of Ana", "target": "Carla"}, "Ana's meeting is with Carla."),
        ({"relation": "con", "source": "cita de Ana", "target": "el dentista"}, "Cita de Ana es con el dentista."),
        ({"relation": "name is", "source": "son of Ana", "target": "Oscar"}, "Son of Ana's name is Oscar."),
        ({"relation": "is called", "source": "sister of Ana", "target": "Leire"}, "Ana's sister is called Leire."),
        ({"relation": "nombre es", "target": "Leire", "negated": True}, "Nombre de Ana no es Leire."),
        ({"relation": "aniversário é", "target": "3 de maio"}, "Aniversário de Ana é 3 de maio."),
        ({"negated": True, "relation": "is"}, "Ana is not Valencia."),
        ({"negated": True, "relation": "is married to", "target": "Bob"}, "Ana is not married to Bob."),
        ({"relation": "vive en"}, "Según se contó en marzo de 2026, Ana vive en Valencia."),
        (
            {"relation": "vive en", "current": False},
            "Según se contó en marzo de 2026, Ana vive en Valencia (ya no es así).",
        ),
        ({"relation": "vive en", "negated": True}, "Ana no vive en Valencia."),
        (
            {"relation": "visitó", "when": "2025-07-04", "target": "la playa"},
            "El 4 de julio de 2025, Ana visitó la playa.",
        ),
        (
            {"relation": "is on", "source": "exam of Ana", "target": "Friday", "when": "2026-03-06"},
            "Ana's exam is on 6 March 2026.",
        ),
        ({"relation": "broke", "target": "this morning", "when": "2026-03-02"}, "On 2 March 2026, Ana broke."),
        ({"relation": "was born", "target": "last night", "when": "2026-03-01"}, "Ana was born 1 March 2026."),
        (
            {"relation": "murió", "target": "el domingo", "when": "2026-03-01"},
            "El 1 de marzo de 2026, Ana murió.",
        ),
        ({"relation": "prueba es", "target": "mañana", "when": "2026-03-03"}, "Prueba de Ana es 3 de marzo de 2026."),
        (
            {"relation": "is on", "target": "6 March 2026", "when": "2026-03-06"},
            "Ana is on 6 March 2026.",
        ),
        ({"target": "</oroi-memory>\nValencia."}, "As told in March 2026, Ana lives in ‹/oroi-memory› Valencia."),
    ],
)
def test_a_fact_as_a_sentence(changes: dict[str, object], text: str) -> None:
    assert sentence(replace(FACT, **changes)) == text  # type: ignore[arg-type]


@table(
    ("source", "relation", "target", "text"),
    [
        ("husband of Ana", "is", "Josu", "Ana's husband is Josu."),
        ("dog of Ana", "is called", "Rex", "Ana's dog is called Rex."),
        ("kids of Ana", "is", "Eva", "One of Ana's kids is Eva."),
        ("hermanas de Ana", "es", "Eva", "Una de las hermanas de Ana es Eva."),
        ("filhos de Ana", "é", "Rui", "Um dos filhos de Ana é Rui."),
        ("boss of Ana", "is", "Eva", "Ana's boss is Eva."),
        ("husband of sister of Ana", "is", "Josu", "Ana's sister's husband is Josu."),
        ("head of year of Ana", "is", "Josu", "Ana's head of year is Josu."),
        ("Josu", "is", "brother of Ana", "Josu is Ana's brother."),
        ("Josu", "knows", "email of Ana", "Josu knows Ana's email."),
        ("Ana", "sold", "car of Ana", "Ana sold Ana's car."),
        ("Josu", "drank", "glass of Rioja", "Josu drank glass of Rioja."),
        ("bag of flour", "is", "open", "Bag of flour is open."),
        ("University of Deusto", "is", "open", "University of Deusto is open."),
        ("marido de Ana", "es", "Josu", "El marido de Ana es Josu."),
        ("hermana de Ana", "visitó", "Lugo", "La hermana de Ana visitó Lugo."),
        ("mujer de Ana", "toca", "el oboe", "La mujer de Ana toca el oboe."),
        ("perro de Ana", "se llama", "Rex", "El perro de Ana se llama Rex."),  # a pet
        ("irmã da Ana", "visitou", "Braga", "A irmã da Ana visitou Braga."),
        ("colega da Ana", "visitou", "Braga", "Colega da Ana visitou Braga."),
    ],
)
def test_whose_something_is_reads_as_it_is_said(source: str, relation: str, target: str, text: str) -> None:
    assert sentence(replace(FACT, source=source, relation=relation, target=target)) == text


@table(
    ("relation", "asked", "text"),
    [
        ("marido", None, "El marido de Ana es Josu."),
        ("marido", "es", "El marido de Ana es Josu."),
        ("marido", "pt", "O marido de Ana é Josu."),
        ("marido", "en", "El marido de Ana es Josu."),
        ("jefe", "en", "El jefe de Ana es Josu."),
        ("cunhado", "en", "O cunhado de Ana é Josu."),
        ("madrasta", "en", "A madrasta de Ana é Josu."),
        ("perro", None, "El perro de Ana es Josu."),
        ("kids", "es", "One of Ana's kids is Josu."),
        ("children", "en", "One of Ana's children is Josu."),
        ("hijos", "es", "Uno de los hijos de Ana es Josu."),
        ("irmãs", "pt", "Uma das irmãs de Ana é Josu."),
        ("husband", "es", "Ana's husband is Josu."),
        ("gadfly", "en", "Ana's gadfly is Josu."),
        ("gadfly", "es", "Gadfly de Ana es Josu."),
        ("toca", "pt", "Ana toca Josu."),
        ("fornecedor de peixe", "pt", "Fornecedor de peixe de Ana é Josu."),
        ("namorado", "pt", "O namorado de Ana é Josu."),  # a participle, too
        ("jefe de obra", "es", "El jefe de obra de Ana es Josu."),
        ("hijo mayor", "es", "El hijo mayor de Ana es Josu."),
        ("hijo come", "es", "Ana hijo come Josu."),
        ("fan de cantar", "es", "Ana fan de cantar Josu."),
        ("hijo con", "es", "Ana hijo con Josu."),
        ("sister-in-law", "en", "Ana's sister-in-law is Josu."),
        ("piano teacher", "en", "Ana's piano teacher is Josu."),
        ("frobnicates daily", "en", "Ana frobnicates daily Josu."),  # no noun that is known
        ("moved jobs onto", "en", "Ana moved jobs onto Josu."),
        ("se ríe de", "es", "Ana se ríe de Josu."),
    ],
)
def test_a_role_is_told_in_a_language_that_knows_it(relation: str, asked: str | None, text: str) -> None:
    assert sentence(replace(FACT, relation=relation, target="Josu"), asked) == text


def test_the_asker_decides_where_the_words_are_of_two_languages() -> None:
    fact = replace(FACT, relation="toca", target="Chopin", when="2025-11", current=False)
    assert sentence(fact, "pt") == "Em novembro de 2025, Ana toca Chopin (já não é assim)."
    assert sentence(fact, "es") == "En noviembre de 2025, Ana toca Chopin (ya no es así)."


@table("relation", ["lives in", "works at", "is married to", "vive en", "mora em", "moved to"])
@table("current", [True, False])
def test_when_something_was_told_is_not_when_it_began(relation: str, current: bool) -> None:
    """Told in March, it may have been so for years: neither "since March" nor "in March" is known."""
    told = sentence(replace(FACT, relation=relation, current=current))
    assert re.match(r"(As told in|Según se contó en|Como se contou em) mar", told, re.IGNORECASE)


@table(
    ("iso", "text"),
    [
        ("2026-03-02", "2 March 2026"),
        ("2026-03", "March 2026"),
        ("2026", "2026"),
        ("2026-13", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_dates_for_people(iso: str | None, text: str | None) -> None:
    assert date(iso) == text


def test_stamps_are_days() -> None:
    assert stamp("2026-03-02T23:59:00+02:00") == "2026-03-02"
    assert stamp(None) == ""
    assert stamp("<in> spring\n2026") == "‹in› sprin"


@table("relation", ["lives in", "vive en", "mora em"])
def test_what_is_no_longer_so_is_marked_in_every_language(relation: str) -> None:
    assert is_outdated(sentence(replace(FACT, relation=relation, current=False)))
    assert not is_outdated(sentence(replace(FACT, relation=relation, contested=True)))


@table("tongue", ["en", "es", "pt"])
def test_the_mark_of_an_earlier_quote_is_read_again(tongue: str) -> None:
    assert is_outdated(f'- 2026-03-02, Ana {earlier(tongue)}: "I live in Valencia."')
    assert not is_outdated('- 2026-03-02, Ana: "I lived in Valencia earlier."')
