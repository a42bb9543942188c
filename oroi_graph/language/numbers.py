"""Number words, scales and units of English, Spanish and Portuguese."""

from __future__ import annotations

import re
from collections.abc import Iterable

from oroi_graph.language.tokens import word_list

NUMBERS_EN = {
    word: value
    for value, word in enumerate(
        word_list(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
            "sixteen seventeen eighteen nineteen"
        )
    )
} | {word: 20 + 10 * i for i, word in enumerate(word_list("twenty thirty forty fifty sixty seventy eighty ninety"))}
NUMBERS_ES = (
    {
        word: value
        for value, word in enumerate(
            word_list(
                "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
                "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés "
                "veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
            )
        )
    }
    | {
        word: 30 + 10 * i
        for i, word in enumerate(word_list("treinta cuarenta cincuenta sesenta setenta ochenta noventa"))
    }
    | {
        word: 100 * (i + 2)
        for i, word in enumerate(
            word_list("doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos")
        )
    }
    | {"un": 1, "una": 1, "cien": 100, "ciento": 100}
)
_TEENS_PT = "dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove"
NUMBERS_PT = (
    {
        word: value
        for value, word in enumerate(word_list(f"zero um dois três quatro cinco seis sete oito nove {_TEENS_PT}"))
    }
    | {
        word: 20 + 10 * i
        for i, word in enumerate(word_list("vinte trinta quarenta cinquenta sessenta setenta oitenta noventa"))
    }
    | {
        word: 100 * (i + 2)
        for i, word in enumerate(
            word_list("duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos")
        )
    }
    | {"uma": 1, "duas": 2, "quatorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19, "cem": 100, "cento": 100}
)
NUMBERS = {"en": NUMBERS_EN, "es": NUMBERS_ES, "pt": NUMBERS_PT}
SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9,
    "mil": 1000, "millón": 10**6, "millones": 10**6, "millon": 10**6, "k": 1000, "m": 10**6, "bn": 10**9,
    "milhão": 10**6, "milhões": 10**6, "milhao": 10**6,
}  # fmt: skip
SINGLE = {"one", "uno", "un", "una", "a", "um", "uma"}  # articles and pronouns when they stand alone
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
