"""What the offline extractor must know of a language's words to read its sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from oroi_graph.language.lexicons.phrases import Sought
from oroi_graph.language.lexicons.tables import Value, by_word, entries, patterns, tables, text, words


@dataclass(frozen=True, kw_only=True, eq=False)
class Lexicon:
    """Lower-case words of one language by what they do in a clause.

    `romance`: verbs are marked for person, their subjects may be left out, pronouns stand before them. `me`: how
    the speaker is written as the source of a relation. `named`, `lives`: the relations of "a dog called Max" and
    of the place that somebody leaves. `copula`, `kind`, `cost`: those from a thing to what it is, to its kind and to
    its price. `corrects`, `switches`, `long_ago`, `doubts`: patterns (any case) of what announces a correction, of what
    says that something is so in place of what was so before, of what tells of a time long ago, and of doubt
    or make-believe."""

    language: str
    romance: bool
    me: str
    you: frozenset[str]
    he: frozenset[str]  # pronouns of a person spoken of before
    named: str
    lives: str
    copula: str
    kind: str
    cost: str
    corrects: Sought
    switches: Sought
    long_ago: Sought
    doubts: Sought
    determiners: frozenset[str]
    possessives: Mapping[str, str]  # "my" → owner "I"; third persons own nothing we can name: ""
    mine: Mapping[str, str]  # "your" → "my", when the one addressed speaks
    his: frozenset[str]  # possessives of a person spoken of before
    pronouns: frozenset[str]
    prepositions: frozenset[str]
    contractions: Mapping[str, str]  # "del" → "de"
    conjunctions: frozenset[str]
    coordinating: frozenset[str]
    subordinators: frozenset[str]
    conditionals: frozenset[str]
    modals: frozenset[str]
    negations: frozenset[str]
    before_verb: frozenset[str]  # adverbs that may stand before a verb
    adverbs: frozenset[str]
    interjections: frozenset[str]
    evaluative: frozenset[str]  # adjectives of praise and mood: neither kept in labels nor worth a concept
    junk: frozenset[str]  # nouns that name nothing
    common: frozenset[str]  # written with capitals, but no names, wherever they stand
    places: frozenset[str]  # nouns of where one lives
    attributes: frozenset[str]  # nouns with one value: "my name is", "my birthday is"
    kinship: frozenset[str]  # whose they are is a fact of its own: "Ana's brother"
    children: Mapping[str, str]  # what one calls one's own: "girl" → "daughter"
    pets: frozenset[str]  # animals that are given names
    own: Mapping[str, str]  # "my" in the place of an article ("a"), of a number ("many", "many_as")
    of: frozenset[str]
    titles: frozenset[str]  # abbreviated, before a name: "dr."
    courtesy: frozenset[str]  # before a name, even in small letters: "doña Elvira"
    offices: frozenset[str]  # before a name: "la doctora Liaño"
    links: frozenset[str]  # within a name: "María de la Cruz"
    and_link: frozenset[str]  # those of `links` that do not begin the rest of a name
    clitics: frozenset[str]
    clitics_object: frozenset[str]  # "lo", "la": the object, said before
    clitics_third: frozenset[str]  # "le": to somebody spoken of before
    auxiliaries: Mapping[str, frozenset[str]]  # "part" → verbs it follows
    verb_links: frozenset[str]  # between a verb and its infinitive: "voy a", "gosto de"
    experience: frozenset[str]  # verbs whose subject is what is felt: "me gusta el café"

    @cached_property
    def grammatical(self) -> frozenset[str]:
        """Words of grammar: no noun phrase holds one."""
        phrases = (self.determiners, self.possessives, self.pronouns, self.prepositions)
        clauses = (self.conjunctions, self.subordinators, self.conditionals, self.modals, self.negations)
        return frozenset().union(*phrases, *clauses)


def _announcing(rows: Mapping[str, Value], name: str) -> Sought:
    return Sought.words("|".join(patterns(rows, name)))


def _by_form(rows: Mapping[str, Value], name: str) -> Mapping[str, frozenset[str]]:
    return {form: frozenset(listed.split()) for form, listed in entries(rows, name)}


# How an entry is read that fills a field of this type.
_READERS: Mapping[str, Callable[[Mapping[str, Value], str], Any]] = {
    "bool": lambda rows, name: rows[name],
    "str": text,
    "frozenset[str]": words,
    "Mapping[str, str]": by_word,
    "Mapping[str, frozenset[str]]": _by_form,
    "Sought": _announcing,
}


def read_lexicon(language: str) -> Lexicon:
    """The lexicon in the data file of `language`."""
    rows = tables(language)
    return Lexicon(**{item.name: _READERS[str(item.type)](rows, item.name) for item in fields(Lexicon)})
