"""Canonical values: the same thing said differently is one value, different things are not."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

from tables import table

from oroi_graph.language.dates import resolve_date
from oroi_graph.language.values import canonical_value, find_values

AT = datetime(2026, 3, 11, 10, 0, tzinfo=UTC)  # a Wednesday


@table(
    ("surface", "language", "canonical"),
    [
        ("15,000 euros", "en", "EUR 15000"), ("15.000 €", "es", "EUR 15000"),
        ("15,000 EUR", "en", "EUR 15000"),
        ("15,000 EUR", "es", "EUR 15000"), ("€15k", "en", "EUR 15000"),
        ("quince mil euros", "es", "EUR 15000"),
        ("fifteen thousand euros", "en", "EUR 15000"), ("60,000 euros", "en", "EUR 60000"),
        ("dos millones de euros", "es", "EUR 2000000"), ("$1.5 million", "en", "USD 1500000"),
        ("1,234.56 dollars", "en", "USD 1234.56"), ("1.234,56 dólares", "es", "USD 1234.56"),
        ("1.500", "es", "1500"), ("1.500", "en", "1.5"), ("1,500", "en", "1500"), ("1,500", "es", "1.5"),
        ("3,5 kg", "es", "3.5 kg"), ("3.5 kilos", "en", "3.5 kg"), ("10 años", "es", "10 year"),
        ("ten years", "en", "10 year"), ("twenty-five years", "en", "25 year"),
        ("two hundred and five", "en", "205"),
        ("3 cats", "en", "3 cat"), ("two cats", "en", "2 cat"), ("dos gatos", "es", "2 gato"),
        ("5%", "en", "5%"), ("5 %", "es", "5%"), ("cinco por ciento", "es", "5%"),
        ("5 pm", "en", "17:00"), ("5:30 p.m.", "en", "17:30"), ("17:00", "es", "17:00"),
        ("las cinco y media de la tarde", "es", "17:30"), ("las cinco menos cuarto", "es", "04:45"),
        ("R$ 1.500,00", "pt", "BRL 1500"), ("quinze mil euros", "pt", "EUR 15000"),
        ("2 milhões de reais", "pt", "BRL 2000000"), ("dois gatos", "pt", "2 gato"), ("três cães", "pt", "3 cão"),
        ("5 por cento", "pt", "5%"), ("10 anos", "pt", "10 year"), ("1.500", "pt", "1500"), ("17h30", "pt", "17:30"),
        ("às cinco e meia da tarde", "pt", "17:30"), ("meio-dia", "pt", "12:00"),
        ("11 98765-4321", "pt", "11987654321"),
        ("noon", "en", "12:00"), ("12 am", "en", "00:00"),
        ("+34 600 123 456", "en", "+34600123456"), ("600 123 456", "es", "600123456"),
        ("Ana@Example.org", "en", "ana@example.org"),
        ("https://Example.org/A/", "en", "https://example.org/A"),
    ],
)  # fmt: skip
def test_amounts_quantities_and_addresses(surface: str, language: str, canonical: str) -> None:
    assert canonical_value(surface, language, AT) == canonical


@table(
    ("surface", "language", "canonical"),
    [
        ("yesterday", "en", "2026-03-10"), ("the day before yesterday", "en", "2026-03-09"),
        ("tomorrow", "en", "2026-03-12"), ("last Friday", "en", "2026-03-06"),
        ("next Friday", "en", "2026-03-13"),
        ("this Friday", "en", "2026-03-13"), ("Friday", "en", "2026-03-06"),
        ("Wednesday", "en", "2026-03-11"),
        ("last Wednesday", "en", "2026-03-04"), ("3 March", "en", "2026-03-03"),
        ("12 May", "en", "2025-05-12"),
        ("March 3rd, 2026", "en", "2026-03-03"), ("the 5th of June", "en", "2025-06-05"),
        ("March 2026", "en", "2026-03"), ("March", "en", "2026-03"), ("next month", "en", "2026-04"),
        ("last year", "en", "2025"), ("in 2019", "en", "2019"), ("2019", "en", "2019"),
        ("last week", "en", "2026-03-02/2026-03-08"), ("last weekend", "en", "2026-03-07/2026-03-08"),
        ("two weeks ago", "en", "2026-02-23/2026-03-01"), ("3 days ago", "en", "2026-03-08"),
        ("a month ago", "en", "2026-02"), ("in 3 days", "en", "2026-03-14"), ("3/4/2026", "en", "2026-03-04"),
        ("2026-03-05", "en", "2026-03-05"),
        ("ayer", "es", "2026-03-10"), ("anteayer", "es", "2026-03-09"), ("pasado mañana", "es", "2026-03-13"),
        ("el 3 de marzo", "es", "2026-03-03"), ("5 de junio de 2020", "es", "2020-06-05"),
        ("marzo de 2026", "es", "2026-03"), ("el viernes pasado", "es", "2026-03-06"),
        ("el próximo viernes", "es", "2026-03-13"), ("la semana pasada", "es", "2026-03-02/2026-03-08"),
        ("hace dos semanas", "es", "2026-02-23/2026-03-01"), ("dentro de tres días", "es", "2026-03-14"),
        ("el mes que viene", "es", "2026-04"), ("el año que viene", "es", "2027"),
        ("3/4/2026", "es", "2026-04-03"),
        ("ontem", "pt", "2026-03-10"), ("anteontem", "pt", "2026-03-09"), ("depois de amanhã", "pt", "2026-03-13"),
        ("3 de março", "pt", "2026-03-03"), ("5 de junho de 2020", "pt", "2020-06-05"),
        ("março de 2026", "pt", "2026-03"),
        ("sexta-feira passada", "pt", "2026-03-06"), ("a semana passada", "pt", "2026-03-02/2026-03-08"),
        ("há duas semanas", "pt", "2026-02-23/2026-03-01"), ("dois meses atrás", "pt", "2026-01"),
        ("daqui a três dias", "pt", "2026-03-14"), ("o mês que vem", "pt", "2026-04"), ("3/4/2026", "pt", "2026-04-03"),
        ("el fin de semana pasado", "es", "2026-03-07/2026-03-08"),
    ],
)  # fmt: skip
def test_dates_resolve_against_the_turn(surface: str, language: str, canonical: str) -> None:
    assert canonical_value(surface, language, AT) == canonical


@table("surface", ["plumber", "", "  ", "a", "one", "un gato", "may", "Ana", "x" * 500, "a few years ago"])
def test_what_is_no_value(surface: str) -> None:
    assert canonical_value(surface, "en", AT) is None


def test_without_a_moment_only_what_needs_none_is_resolved() -> None:
    assert canonical_value("yesterday", "en", None) is None
    assert canonical_value("last Friday", "en", None) is None
    assert canonical_value("3 March", "en", None) == "--03-03"
    assert canonical_value("3 de marzo de 2026", "es", None) == "2026-03-03"


def test_future_sentences_look_ahead() -> None:
    assert resolve_date("Friday", "en", AT) == "2026-03-06"
    assert resolve_date("Friday", "en", AT, "ahead") == "2026-03-13"
    assert resolve_date("12 May", "en", AT, "ahead") == "2026-05-12"
    assert resolve_date("31 February 2026", "en", AT) is None


def test_spans_are_where_they_say_and_do_not_overlap() -> None:
    text = "I paid 15,000 euros on 3 March 2026 for 2 dogs, in May. I may call +34 600 123 456 at 5 pm tomorrow."
    found = find_values(text, "en", AT)
    assert [canonical for *_, canonical in found] == [
        "EUR 15000", "2026-03-03", "2 dog", "2025-05", "+34600123456", "17:00", "2026-03-12",
    ]  # fmt: skip
    assert all(text[start:end] == surface for start, end, surface, _ in found)
    assert all(a[1] <= b[0] for a, b in pairwise(found))


def test_morning_is_not_tomorrow() -> None:
    found = find_values("Corro por la mañana y mañana descanso.", "es", AT)
    assert [(surface, canonical) for _, _, surface, canonical in found] == [("mañana", "2026-03-12")]


def test_a_day_after_a_number_is_still_found() -> None:
    assert [v[3] for v in find_values("I turned 40 yesterday.", "en", AT)] == ["40", "2026-03-10"]


@table("unit", ["1 ", "1.", "one ", "-1", "+1 (", "x@", "http://", "a ", "3 March "])
def test_repetition_is_read_to_the_end(unit: str) -> None:
    text = unit * 1000
    for language in ("en", "es"):
        assert all(0 <= a < b <= len(text) for a, b, *_ in find_values(text, language, AT))
