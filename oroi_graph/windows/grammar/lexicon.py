"""The data files of a language's time words and rules, read once.

A rule is a list of elements: what stands at each place, "?" if it may be missing, "name:" before what the action gets.
Small letters are words of the question, capitals terminals (classes of words, of the file's `terms`) or parts that
other rules make; "|" joins what fits at one place.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import chain, product

from oroi_graph.language.detection import Language
from oroi_graph.language.lexicons.by_language import LEXICONS
from oroi_graph.language.lexicons.tables import common_words, table, tables, text
from oroi_graph.language.normalize import fold
from oroi_graph.language.numbers import NUMBERS
from oroi_graph.language.verbs.forms import verb
from oroi_graph.windows.grammar.holidays import holidays

_PIECE = re.compile(r"\d+|[^\W\d_]+|['’](?:s|d|ll|ve|re|m|t)(?![^\W_])|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Element:
    """One place of a rule: the categories or words that fit there, and the name under which the action gets it."""

    fits: tuple[str, ...]
    name: str
    words: frozenset[str] = field(init=False)
    categories: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        words = frozenset(fit for fit in self.fits if not fit[0].isupper())
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "categories", frozenset(self.fits) - words)


@dataclass(frozen=True, slots=True)
class Rule:
    """What the action `action` is called for."""

    action: str
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Openings:
    """The rules that begin with one word or category. alone, followed: the places in `rules` of those that end with it,
    and of the others by what fits at their second place, where most of them turn out not to fit."""

    rules: tuple[Rule, ...]
    alone: tuple[int, ...] = field(init=False)
    followed: Mapping[str, tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        followed: dict[str, list[int]] = {}
        for at, rule in enumerate(self.rules):
            for fit in rule.elements[1].fits if len(rule.elements) > 1 else ():
                followed.setdefault(fit, []).append(at)
        object.__setattr__(self, "alone", tuple(i for i, rule in enumerate(self.rules) if len(rule.elements) == 1))
        object.__setattr__(self, "followed", {fit: tuple(places) for fit, places in followed.items()})

    def before(self, following: Sequence[str]) -> list[Rule]:
        """The rules that may go on, in order. following: the word that stands next, and the categories of what does."""
        fitting = [self.followed[fit] for fit in following if fit in self.followed]
        places = sorted({*self.alone, *chain.from_iterable(fitting)}) if fitting else self.alone
        return [self.rules[at] for at in places]


Meant = tuple[tuple[str, str], ...]  # (terminal, value)


@dataclass(frozen=True, slots=True)
class TimeLexicon:
    """What a language's questions are read with.

    `phrases`: the words of each phrase and what it means, by its first word, the longest first; `rules` by what may
    begin them; `context`: the lists of `[context]`; `correctable`: the words that misspelled ones are taken
    for; `known`: words that are spelled rightly, though they be no words of time; `function`: words of grammar."""

    language: Language
    phrases: Mapping[str, Sequence[tuple[list[str], Meant]]]
    rules: Mapping[str, Openings]
    context: Mapping[str, frozenset[str]]
    correctable: tuple[str, ...]
    known: frozenset[str]
    function: frozenset[str]


def pieces(said: str) -> Iterator[re.Match[str]]:
    """The words, numbers and signs of a text."""
    return _PIECE.finditer(said)


@cache
def time_lexicon(language: Language) -> TimeLexicon:
    """The lexicon of a language."""
    rows = tomllib.loads((files("oroi_graph.windows") / "lexicons" / f"{language}.toml").read_text("utf-8"))
    phrases: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for terminal, value, phrase in _terms(rows["terms"], language):
        words = tuple(fold(piece.group()) for piece in pieces(phrase))
        meant = phrases.setdefault(words, [])
        if (terminal, value) not in meant:
            meant.append((terminal, value))
    common = tomllib.loads((files("oroi_graph.windows") / "lexicons" / "common.toml").read_text("utf-8"))["rules"]
    rules: dict[str, list[Rule]] = {}
    for action, listed in [*common.items(), *rows["rules"].items()]:
        for written in listed:
            for elements in _variants(written):
                for first in elements[0].fits:
                    rules.setdefault(first, []).append(Rule(action, elements))
    lexicon = LEXICONS[language]
    function = {fold(word) for word in lexicon.grammatical | lexicon.adverbs | lexicon.interjections | lexicon.clitics}
    listed_words = [*rows["context"].items(), *rows["regions"].items()]
    context = {name: frozenset(fold(written).split()) for name, written in listed_words}
    spelled = {word for phrase in phrases for word in phrase if word.isalpha()}
    # "senhora" is a word of a holiday's name, but no word of time
    repairable = {
        word
        for phrase, meant in phrases.items()
        for word in phrase
        if word.isalpha() and (len(phrase) == 1 or any(terminal != "HOL" for terminal, _ in meant))
    }
    literal = {fit for listed in rules.values() for rule in listed for e in rule.elements for fit in e.fits}
    return TimeLexicon(
        language=language,
        phrases=_by_first_word(phrases),
        rules={first: Openings(tuple(dict.fromkeys(listed))) for first, listed in rules.items()},
        context=context,
        correctable=tuple(sorted(word for word in repairable if len(word) >= 4 and word not in function)),
        known=frozenset({fold(word) for word in common_words(language)} | function | spelled | literal)
        | frozenset(fold(word) for word in NUMBERS[language]),
        function=frozenset(function) | context.get("function", frozenset()),
    )


def _by_first_word(
    phrases: Mapping[tuple[str, ...], Sequence[tuple[str, str]]],
) -> dict[str, Sequence[tuple[list[str], Meant]]]:
    found: dict[str, list[tuple[list[str], Meant]]] = {}
    for words in sorted(phrases, key=len, reverse=True):
        found.setdefault(words[0], []).append((list(words), tuple(phrases[words])))
    return {first: tuple(listed) for first, listed in found.items()}


def _terms(rows: Mapping[str, Mapping[str, str]], language: Language) -> Iterator[tuple[str, str, str]]:
    """(terminal, value, phrase): of the file, of the lexicon that all readers of dates share, of the holidays."""
    dates = table(table(tables("values"), "dates"), language)
    for terminal, name in (("WD", "weekdays"), ("MO", "months")):
        for i, listed in enumerate(text(dates, name).split()):
            for spelling in listed.split("/"):
                yield terminal, str(i + (terminal == "MO")), spelling
    for terminal, values in rows.items():
        for value, listed in values.items():
            for phrase in listed.split():
                yield terminal, value, phrase.replace("_", " ")
    for name in holidays(language):
        yield "HOL", name, name
    if language == "en":
        for i, listed in enumerate(text(dates, "weekdays").split()):
            yield "WDS", str(i), f"{listed}s"


def _variants(written: str) -> Iterator[tuple[Element, ...]]:
    """The rules that a written one stands for: with and without what may be missing."""
    places = []
    for part in written.split():
        optional = len(part) > 1 and part.endswith("?")
        name, colon, fits = part.rstrip("?" if optional else "").partition(":")
        if not colon or not fits:
            name, fits = "", part.rstrip("?" if optional else "")
        element = Element(tuple(fits.split("|")), name)
        places.append([element, None] if optional else [element])
    for chosen in product(*places):
        kept = tuple(element for element in chosen if element is not None)
        if kept:
            yield kept


@cache
def is_verb(word: str, language: Language) -> bool:
    """Whether the tables of verbs have a form."""
    return verb(word, language) is not None
