"""Which relation phrases say the same: patterns of English, Spanish and Portuguese, in the third person.

A phrase is in the first class that one of its patterns matches as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache, lru_cache

from oroi_graph.language import relations
from oroi_graph.language.detection import Language
from oroi_graph.language.lexicons.tables import LANGUAGES, table, tables, words
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.english import english_verb
from oroi_graph.language.verbs.forms import forms_of, verb_at_start

_BE = r"(?:is|are|am|es|son|soy|é|são|sou)"
_IN = r"(?:em|no|na|nos|nas|num|numa)"  # Portuguese "in", with its articles
_OF = r"d(?:e|[oa]s?)"
_TO = r"(?:a|à|ao|às|aos)"

RELATION_CLASSES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile("|".join(patterns)))
    for name, *patterns in (
        (
            "lives in",
            r"(?:lives|resides|is living|is based|is settled) (?:now )?(?:in|at)",
            r"(?:has )?(?:moved|relocated) (?:back )?(?:to|into)",
            r"(?:vive|reside|está viviendo) en|se (?:ha )?(?:mudó|mudado|trasladó|trasladado) a",
            rf"(?:mora|vive|reside|está (?:morando|vivendo)|está a (?:morar|viver)) {_IN}",
            r"(?:se )?(?:mudou|transferiu)(?:-se)? (?:para|pra)",
        ),
        (
            "works at",
            r"(?:works|is working|is employed) (?:now )?(?:at|for|with|in|by)|employer is|joined as employee",
            r"(?:trabaja|está trabajando) (?:en|para)|(?:empresa|empleador) es",
            rf"(?:trabalha|está trabalhando|está a trabalhar) (?:{_IN}|para|pra)|(?:empresa|empregador) é",
        ),
        (
            "works as",
            r"(?:works|is working|is employed) as(?: an?)?|(?:job|profession|occupation) is(?: an?)?",
            r"(?:trabaja|está trabajando) (?:como|de)|se dedica a|(?:profesión|oficio|trabajo) es",
            r"(?:trabalha|está trabalhando|está a trabalhar) (?:como|de)|(?:profissão|ofício|trabalho|ocupação) é",
        ),
        (
            "is called",
            r"is (?:called|named)|(?:full )?name is|goes by",
            r"se llama|nombre (?:completo )?es|es llamad[oa]",
            r"se chama|chama-se|nome (?:completo )?é|é chamad[oa]",
        ),
        (
            "birthday",
            r"(?:birthday|birth date|date of birth) is(?: on)?|(?:was|is) born(?: on)?",
            r"nació(?: el)?|(?:cumpleaños|fecha de nacimiento) es(?: el)?|cumple(?: años)?(?: el)?",
            rf"nasceu(?: a)?|(?:aniversário|data de nascimento) é(?: {_IN}| a)?|faz (?:anos|aniversário)(?: {_IN}| a)?",
        ),
        (
            "age",
            r"(?:age|edad) (?:is|es)|is aged|turned|tiene años|cumplió",
            r"idade é|tem anos|fez anos|completou",
        ),
        (
            "is married to",
            r"is married (?:to|with)|(?:has )?married|(?:wife|husband|spouse) (?:is|es)",
            r"está casad[oa] con|es (?:el marido|la mujer|esposa|esposo) de|se (?:ha )?(?:casó|casado) con",
            r"(?:marido|esposa|esposo) es",
            r"(?:é|está) casad[oa] com|(?:se )?casou(?:-se)? com|(?:marido|esposa|esposo) é",
        ),
        (
            "phone",
            r"(?:phone|telephone|mobile|cell)(?: number)? is|(?:(?:número de )?teléfono|móvil|celular) es",
            r"(?:número (?:de|do) )?(?:telefone|telemóvel|celular) é",
        ),
        (
            "e-mail",
            r"e-?mail(?: address)? is|(?:correo(?: electrónico)?|e-?mail) es|(?:e-?mail|correio eletr[óô]nico) é",
        ),
        ("address", r"(?:home |postal )?address is|(?:dirección|domicilio) es|(?:endereço|morada|domicílio) é"),
        (
            "is located in",
            rf"(?:{_BE} )?(?:located|situated|based) (?:in|at)|{_BE} (?:in|at)|lies in",
            r"está(?: situad[oa]| ubicad[oa])? en|queda en|se (?:encuentra|ubica) en",
            rf"(?:está(?: situad[oa]| localizad[oa])?|fica|é) {_IN}|se (?:encontra|localiza|situa) {_IN}",
        ),
        ("price", r"costs?|price is|is worth|cuesta|costó|vale|precio es|custa|custou|preço é"),
        (
            "likes",
            r"(?:really )?(?:likes|loves|enjoys|adores)|is (?:fond of|into|keen on|a fan of)",
            r"(?:le |les |me |nos )?(?:gusta|gustan|encanta|encantan)|adora|disfruta(?: de)?|ama",
            rf"gosta(?: {_OF})?|curte|é fã {_OF}",
        ),
        (
            "dislikes",
            r"hates|dislikes|detests|can't (?:stand|bear)|odia|detesta|no (?:soporta|aguanta)|odeia|"
            r"não (?:suporta|aguenta)",
        ),
        ("has", r"has|has got|owns|possesses|tiene|posee|tem|possui"),
        ("drives", r"drives|conduce|maneja|dirige|conduz"),
        ("speaks", r"speaks|habla|fala"),
        (
            "studies at",
            r"(?:studies|is studying) (?:at|in)|attends|goes to school at|(?:estudia|está estudiando) en",
            rf"(?:estuda|está estudando|está a estudar) {_IN}",
        ),
        (
            "studies",
            r"studies|is studying|majors in|estudia|está estudiando|estuda|está estudando|está a estudar|cursa",
        ),
        ("plays", rf"plays|is playing|juega a|juega|toca|joga(?: {_TO})?"),
        ("eats", r"eats|come"),
        (
            "is allergic to",
            r"is allergic to|has an allergy to|es alérgic[oa] a|tiene alergia a",
            rf"(?:é|tem) al[eé]rg(?:ic[oa]|ia) {_TO}",
        ),
        ("is from", rf"(?:is|comes) from|es de|viene de|was born at|(?:é|vem) {_OF}"),
        ("is a", rf"{_BE}(?: an?| the| un| una| el| la| uma?| o)?"),
        ("wants", r"wants|would like|quiere|desea|quer|deseja"),
        ("needs", rf"needs|necesita|precisa(?: {_OF})?|necessita(?: {_OF})?"),
        ("prefers", r"prefers|prefiere|prefere"),
    )
)
FAVOURITE = re.compile(
    r"(?:favou?rite) (?P<en>[\w' -]+?) (?:is|are)(?: an?| the)?|(?P<es>[\w' -]+?) "
    r"(?:favorit|preferid)[oa]s? (?:es|son|é|são)"
)

SINGLE_VALUED = word_set("age birthday phone e-mail address price") | {
    "favourite",
    "is called",
    "is located in",
    "is married to",
    "lives in",
    "works as",
    "works at",
}


def is_single_valued(name: str | None) -> bool:
    """Whether a class has one value at a time; every "favourite ‹something›" has."""
    return name is not None and (name in SINGLE_VALUED or name.startswith("favourite "))


@lru_cache(maxsize=20_000)
def relation_class(relation: str) -> str | None:
    """The canonical class of a relation phrase of any language, in any person ("se mudó a" → "lives in"); None for
    phrases in no class. Past states ("lived in", "used to live in") are in none."""
    said = " ".join(relation.casefold().split())
    favourite = FAVOURITE.fullmatch(said)
    if favourite:
        kind = (favourite["en"] or favourite["es"]).replace("colour", "color")
        return f"favourite {kind}"
    for phrase in (said, _third_person(said)):  # "name is" before "name" is taken for a verb
        found = next((name for name, pattern in RELATION_CLASSES if pattern.fullmatch(phrase)), None)
        if found:
            return found
    return None


def _third_person(phrase: str) -> str:
    first, _, rest = phrase.partition(" ")
    if first in {"me", "te", "nos"} and rest:
        word, _, tail = rest.partition(" ")
        for language in _ROMANCE:
            form = verb_at_start(word, language)
            if form and form.person in (1, 2, 4, 5):
                return " ".join(filter(None, ("se", form.third, tail)))
        return phrase
    form = english_verb(first)
    if form is None or form.tense not in {"base", "s"}:
        form = next((f for tongue in _ROMANCE if (f := verb_at_start(first, tongue)) and f.person), None)
    return " ".join(filter(None, (form.third, rest))) if form else phrase


_ROMANCE: tuple[Language, ...] = ("es", "pt")

ASKED = tuple(table(tables("en"), "asked"))  # the classes that questions ask for in words of their own


def asked_relations(said: Collection[str]) -> list[str]:
    """The classes that a question of these words asks for ("Who is my employer?": where somebody works).

    `said`: lower case, of any language. The words are in the lexicons' data files."""
    return [name for name in ASKED if not _asking(name).isdisjoint(said)]


@cache
def _asking(name: str) -> frozenset[str]:
    return frozenset(word for language in LANGUAGES for word in _asking_in(name, language))


def _asking_in(name: str, language: str) -> Iterator[str]:
    listed = table(table(tables(language), "asked"), name)
    yield from words(listed, "words")
    for lemma in words(listed, "verbs"):
        yield from forms_of(lemma, language)


def single_valued(relation: str) -> bool:
    """Whether a source has one value at a time for this relation (lives in, works at, is called …)."""
    return relations.is_single_valued(relations.relation_class(relation))
