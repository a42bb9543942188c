"""Word lists by language: negation, opposites, words of one kind, bounds, abbreviations. Data files: `data/`."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from oroi_graph.language.detection import READ, Language
from oroi_graph.language.lexicons.tables import Value, entries, patterns, table, text, words
from oroi_graph.language.normalize import fold
from oroi_graph.language.stemming import stem
from oroi_graph.language.verbs.forms import forms_of, verb

_FOREIGN = 5  # letters from which a word of another language is looked up

Pole = tuple[str, int]  # a scale, and the place of a pole in it


@lru_cache(50_000)
def key(word: str, language: str) -> str:
    """What a word is compared by: the stem of a verb's infinitive, else of the word itself, without accents."""
    form = verb(word, language)
    inflected = form is not None and (form.person if language != "en" else form.tense in ("past", "part"))
    return fold(stem(form.lemma if form is not None and inflected else word, language))


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The lists of one language. Sets of words are folded; tables go from `key` to what the word stands for."""

    language: Language
    function: frozenset[str]  # as written, like the next
    harmless: frozenset[str]
    auxiliaries: frozenset[str]
    singular: frozenset[str]
    before_noun: frozenset[str]
    copulas: frozenset[str]
    belonging: frozenset[str]  # between a part and its whole
    directions: frozenset[str]
    negators: frozenset[str]
    existential: frozenset[str]
    every: frozenset[str]
    yes: frozenset[str]
    no: frozenset[str]
    conjunctions: frozenset[str]
    titles: frozenset[str]
    version: frozenset[str]
    dozen: frozenset[str]
    half: frozenset[str]
    prefixes: tuple[str, ...]
    no_opposites: frozenset[str]
    only: frozenset[str]
    additive: frozenset[str]  # every form of its verbs but English participles ("written in Go")
    exclusive: frozenset[str]  # keys, like the next
    holders: frozenset[str]
    same: Mapping[str, frozenset[int]]
    opposites: Mapping[str, frozenset[Pole]]
    siblings: Mapping[str, frozenset[Pole]]
    antonyms: Mapping[str, frozenset[str]]  # of pairs from a dictionary, folded words
    abbreviations: Mapping[str, frozenset[str]]  # folded words between single spaces
    planned: re.Pattern[str]  # of what was to be
    again: re.Pattern[str]
    denying: re.Pattern[str]
    not_denying: re.Pattern[str]
    but: re.Pattern[str]
    bounds: Mapping[str, re.Pattern[str]]  # "about", "min", "max": what stands before a number
    between: re.Pattern[str]  # before the first number of a range
    to: re.Pattern[str]  # between two numbers of a range
    per: re.Pattern[str]


@cache
def _rows_of(language: Language) -> Mapping[str, Value]:
    return tomllib.loads(_read(f"{language}.toml"))


@cache
def words_of(language: Language) -> Words:
    """The lists of "en", "es" or "pt". Answers, bounds and abbreviations are those of all: short values rarely tell
    their language."""
    rows = _rows_of(language)

    def plain(name: str) -> frozenset[str]:
        return frozenset(map(fold, words(rows, name)))

    def keys(name: str) -> frozenset[str]:
        return frozenset(key(word, language) for word in words(rows, name))

    same = table(rows, "same")
    return Words(
        language=language,
        function=words(rows, "function"),
        harmless=words(rows, "harmless"),
        auxiliaries=plain("auxiliaries"),
        singular=plain("singular"),
        before_noun=plain("before_noun"),
        copulas=plain("copulas"),
        belonging=plain("belonging"),
        directions=plain("directions"),
        negators=plain("negators"),
        existential=plain("existential"),
        every=plain("all"),
        yes=frozenset(fold(word) for other in READ for word in words(_rows_of(other), "yes")),
        no=frozenset(fold(word) for other in READ for word in words(_rows_of(other), "no")),
        conjunctions=plain("and"),
        titles=plain("titles"),
        version=plain("version"),
        dozen=plain("dozen"),
        half=plain("half"),
        prefixes=tuple(sorted(map(fold, words(rows, "prefixes")), key=len, reverse=True)),
        no_opposites=plain("no_opposites"),
        only=plain("only"),
        additive=_forms(plain("additive"), language),
        exclusive=keys("one_at_a_time"),
        holders=keys("one_holder"),
        same=_rows(patterns(same, "row"), language),
        opposites=_scales(rows, "opposites", language),
        siblings=_scales(rows, "siblings", language),
        antonyms=_antonyms(language),
        abbreviations=_abbreviations(),
        planned=_phrases(patterns(rows, "planned")),
        again=_phrases(patterns(rows, "again")),
        denying=_phrases(patterns(rows, "denying")),
        not_denying=_phrases(patterns(rows, "not_denying")),
        but=_phrases(text(rows, "but").split()),
        bounds={
            name: _before_number([phrase for other in READ for phrase in patterns(_rows_of(other), listed)])
            for name, listed in (("min", "at_least"), ("max", "at_most"), ("about", "about"))
        },
        between=_before_number(patterns(rows, "between")),
        to=re.compile(rf"\s*(?:-|/|{_any(patterns(rows, 'to'))})\s*"),
        per=re.compile(rf"\s?(?:/|{_any(patterns(rows, 'per'))}\s)\s?([^\W\d_]+)"),
    )


def _forms(listed: frozenset[str], language: Language) -> frozenset[str]:
    """Folded words and the other forms of the verbs among them that are no function words."""
    found = set(listed)
    for word in listed:
        form = verb(word, language)
        if form is not None and form.tense not in ("part", "ing"):
            found |= {fold(other) for other in forms_of(form.lemma, language) if _finite(other, language)}
    return frozenset(found)


def _finite(word: str, language: Language) -> bool:
    form = verb(word, language)
    return (
        form is not None
        and form.tense not in ("part", "ing")
        and not {word, fold(word)} & words(_rows_of(language), "function")
    )


@cache
def units() -> Mapping[str, tuple[str, float]]:
    """Each spelling of a unit, with its dimension and how many of the dimension's first unit it is."""
    rows = tomllib.loads(_read("units.toml"))
    return {
        fold(spelling): (dimension, float(factor))
        for dimension, listed in rows.items()
        for factor, spellings in listed.values()
        for spelling in spellings.split()
    }


def _read(name: str) -> str:
    return (files(__package__) / "data" / name).read_text("utf-8")


def _any(phrases: Iterable[str]) -> str:
    return "|".join(re.escape(fold(phrase)) for phrase in sorted(phrases, key=len, reverse=True))


def _phrases(phrases: Iterable[str]) -> re.Pattern[str]:
    """Any of the phrases as whole words, in folded text."""
    return re.compile(rf"(?<!\w)(?:{_any(phrases)})(?!\w)")


def _before_number(phrases: Iterable[str]) -> re.Pattern[str]:
    """Any of the phrases at the end of the folded text before a number."""
    return re.compile(rf"(?<!\w)(?:{_any(phrases)})\s*(?::|the|of|de)?\s*\Z")


def _scales(rows: Mapping[str, Value], name: str, language: str) -> dict[str, frozenset[Pole]]:
    found: dict[str, set[Pole]] = defaultdict(set)
    for scale, poles in entries(rows, name):
        for place, listed in enumerate(poles.split("/")):
            for word in listed.split():
                found[key(word, language)].add((scale, place))
    return {word: frozenset(poles) for word, poles in found.items()}


def _rows(rows: Iterable[str], language: str) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for place, listed in enumerate(rows):
        for word in listed.split():
            found[key(word, language)].add(place)
    return {word: frozenset(places) for word, places in found.items()}


def _antonyms(language: str) -> dict[str, frozenset[str]]:
    if language != "en":
        return {}
    found: dict[str, set[str]] = defaultdict(set)
    for line in _read("opposites_en.txt").splitlines():
        a, b = line.split()
        found[a].add(b)
        found[b].add(a)
    return {word: frozenset(others) for word, others in found.items()}


@cache
def _abbreviations() -> dict[str, frozenset[str]]:
    """Those of all languages: short values rarely tell theirs."""
    found: dict[str, set[str]] = defaultdict(set)
    for language in READ:
        for entry in patterns(_rows_of(language), "abbreviations"):
            short, long = entry.split("=")
            found[fold(short)].add(fold(long))
    return {short: frozenset(longs) for short, longs in found.items()}


def poles(word: str, known: str, lists: Words) -> tuple[frozenset[Pole], frozenset[Pole]]:
    """The poles of a word among opposites and among siblings; of another language where its own has none."""
    own = lists.opposites.get(known, frozenset()), lists.siblings.get(known, frozenset())
    if any(own) or len(word) < _FOREIGN:
        return own
    for language in READ:
        other = words_of(language)
        foreign = key(word, language)
        found = other.opposites.get(foreign, frozenset()), other.siblings.get(foreign, frozenset())
        if language != lists.language and any(found):
            return found
    return own
