"""Number words, scales and units of English, Spanish and Portuguese."""

from __future__ import annotations

import re
from collections.abc import Iterable

from text_to_num import text2num  # type: ignore[import-untyped]

from oroi_graph.language.lexicons.tables import LANGUAGES, tables, text

# The words that numbers below a thousand are built of, with their values.
NUMBERS = {
    language: {word: text2num(word, language) for word in text(tables(language), "numbers").split()}
    for language in LANGUAGES
}
NUMBERS_EN, NUMBERS_ES, NUMBERS_PT = (NUMBERS[language] for language in LANGUAGES)
SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9,
    "mil": 1000, "millón": 10**6, "millones": 10**6, "millon": 10**6, "k": 1000, "m": 10**6, "bn": 10**9,
    "milhão": 10**6, "milhões": 10**6, "milhao": 10**6,
}  # fmt: skip
SINGLE = {"one", "uno", "un", "una", "a", "um", "uma"}  # articles and pronouns when they stand alone
_ARTICLES = SINGLE - {"one", "uno"}
UNITS = {
    form: unit
    for unit, forms in {
        "kg": "kg kilo kilos kilogram kilograms kilogramo kilogramos quilo quilos quilograma quilogramas",
        "g": "g gram grams gramo gramos grama gramas",
        "km": "km kms kilometer kilometers kilometre kilometres kilómetro kilómetros "
        "quilômetro quilômetros quilómetro quilómetros",
        "m": "meter meters metre metres metro metros", "cm": "cm centímetros centimeters centimetres",
        "mm": "mm", "mile": "mile miles milla millas milha milhas", "lb": "lb lbs pound pounds libra libras",
        "ft": "ft foot feet", "inch": "inch inches pulgada pulgadas polegada polegadas",
        "l": "l liter liters litre litres litro litros",
        "hour": "hour hours hr hrs hora horas", "minute": "minute minutes min mins minuto minutos",
        "second": "seconds segundos", "day": "day days día días dia dias", "week": "week weeks semana semanas",
        "month": "month months mes meses mês", "year": "year years año años ano anos",
        "GB": "gb", "MB": "mb", "TB": "tb",
        "°C": "°c", "degree": "degree degrees grado grados grau graus",
    }.items()
    for form in forms.split()
}  # fmt: skip


def any_of(words: Iterable[str]) -> str:
    """A pattern of alternatives, longest first."""
    return "|".join(sorted((re.escape(w) for w in words), key=len, reverse=True))


SCALES_EN = ("hundred", "thousand", "million", "billion")
_WORD_EN = rf"(?:a (?=hundred|thousand|million)|(?:{any_of([*NUMBERS_EN, *SCALES_EN])})(?!\w))"
_WORD_ES = rf"(?:{any_of([*NUMBERS_ES, 'mil', 'millón', 'millones'])})(?!\w)"
_WORD_PT = rf"(?:{any_of([*NUMBERS_PT, 'mil', 'milhão', 'milhões'])})(?!\w)"
NUMBER_WORDS = {
    "en": rf"\b{_WORD_EN}(?:(?: and |[ -]){_WORD_EN}|(?<=a ){_WORD_EN}){{0,8}}",
    "es": rf"\b{_WORD_ES}(?: y {_WORD_ES}| {_WORD_ES}){{0,8}}",
    "pt": rf"\b{_WORD_PT}(?: e {_WORD_PT}| {_WORD_PT}){{0,8}}",
}


def number_in_words(said: str, language: str) -> int | None:
    """The value of a number in words ("quince mil", "two hundred and five"); None for what is no one number."""
    said = said.casefold()
    article, _, rest = said.partition(" ")
    for words in (said, rest) if article in _ARTICLES else (said,):  # "a hundred", "un veinte por ciento"
        try:
            return int(text2num(words, language))
        except ValueError:
            continue
    return None
