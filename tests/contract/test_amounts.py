"""What is read of a value: amounts, names, negations."""

from __future__ import annotations

import pytest
from tables import table

from oroi_graph.contract.reading.amounts import find_amounts
from oroi_graph.contract.reading.clauses import read
from oroi_graph.contract.reading.text import readable
from oroi_graph.contract.reading.words import units, words_of
from oroi_graph.language.detection import Language


@table(
    "text, language, kind, low, unit",
    [
        ("5 kg", "en", "quantity", 5000, "mass"),
        ("-5 °C", "en", "quantity", -5, "temperature"),
        ("98.6 °F", "en", "quantity", 37, "temperature"),
        ("36 km/h", "en", "quantity", 10, "length/time"),
        ("6 mmol/L", "en", "quantity", 0.006, "substance/volume"),
        ("120 requests per minute", "en", "quantity", 2, "/time"),
        ("three dozen crates", "en", "number", 36, ""),
        ("media docena", "es", "number", 6, ""),
        ("1.200 pacientes", "es", "number", 1200, ""),
        ("1.200 patients", "en", "number", 1.2, ""),
        ("quince licencias", "es", "number", 15, ""),
        ("2.5M users", "en", "number", 2_500_000, ""),
        ("USD 15,000", "en", "money", 15000, "USD"),
        ("R$ 89,90", "pt", "money", 89.9, "BRL"),
        ("12 %", "en", "percent", 12, ""),
        ("6:30 pm", "en", "time", 18 * 60 + 30, ""),
    ],
)
def test_numbers_with_their_units(text: str, language: Language, kind: str, low: float, unit: str) -> None:
    (amount,) = find_amounts(text, words_of(language))
    assert (amount.kind, amount.unit) == (kind, unit)
    assert amount.low == amount.high == pytest.approx(low)


@table(
    "text, kind, canonical",
    [
        ("10.0.0.1", "identifier", "10.0.0.1"),
        ("db-eu-2.internal", "identifier", "db-eu-2.internal"),
        ("j.larkin@example.org", "identifier", "j.larkin@example.org"),
        ("/var/log/app", "identifier", "/var/log/app"),
        ("v2.4.0", "version", "2.4"),
        ("1.8.2", "version", "1.8.2"),
        ("3 March 2026", "date", "2026-03-03"),
        ("September 9", "date", "--09-09"),
    ],
)
def test_codes_and_dates(text: str, kind: str, canonical: str) -> None:
    (amount,) = find_amounts(text, words_of("en"))
    assert (amount.kind, amount.text) == (kind, canonical)


@table(
    "text, language, bound, low, high",
    [
        ("between 4 and 6 kg", "en", "range", 4000, 6000),
        ("2-8 °C", "en", "range", 2, 8),
        ("de 2 a 8 °C", "es", "range", 2, 8),
        ("at least 4 GB", "en", "min", 4e9, 4e9),
        ("até 5 kg", "pt", "max", 5000, 5000),
        ("unos 100 km", "es", "about", 100_000, 100_000),
        ("< 5 kg", "en", "max", 5000, 5000),
    ],
)
def test_ranges_and_bounds(text: str, language: Language, bound: str, low: float, high: float) -> None:
    (amount,) = find_amounts(text, words_of(language))
    assert (amount.bound, amount.low, amount.high) == (bound, pytest.approx(low), pytest.approx(high))


@table("text", ["two-factor login", "covid cases", "in a row", "Rua das Flores"])
def test_what_is_no_amount(text: str) -> None:
    assert [a for a in find_amounts(text, words_of("en")) if a.kind not in ("identifier",)] == []


def test_units_of_one_spelling_are_one_unit() -> None:
    assert units()["kg"] == ("mass", 1000.0)
    assert units()["milligrams"] == units()["mg"]


@table(
    "text, language, names",
    [
        ("The owner is Dr. Ana Ruiz", "en", [("ana", "ruiz")]),
        ("New York City", "en", [("new", "york", "city")]),
        ("O Miguel mora em Faro", "pt", [("miguel",), ("faro",)]),
        ("Firefox, Chrome y Safari", "es", [("firefox",), ("chrome",), ("safari",)]),
        ("The meeting is on Monday", "en", []),
        ("Invoices are paid late", "en", []),
        ("I like U.S.A. and the UK", "en", [("usa",), ("uk",)]),
    ],
)
def test_names(text: str, language: Language, names: list[tuple[str, ...]]) -> None:
    assert [name.words for name in read(text, language).whole.names] == names


@table(
    "text, language, scopes",
    [
        ("The pump is not deployed", "en", [["deployed"]]),
        ("El módulo ya no está desplegado", "es", [["desplegado"]]),
        ("She is a non-smoker", "en", [["smoker"]]),
        ("Not only fast but cheap", "en", []),
        ("Paid without penalty", "en", [["penalty"]]),
        ("isn't deployed", "en", [["deployed"]]),
    ],
)
def test_negations(text: str, language: Language, scopes: list[list[str]]) -> None:
    found = read(text, language).whole.negations
    assert [[word.text for word in negation.scope] for negation in found] == scopes


def test_shouting_is_read_as_speech() -> None:
    assert readable("THE PUMP IS OFF") == "the pump is off"
    assert readable("MSKU-4410827") == "MSKU-4410827"
