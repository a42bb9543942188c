"""What the offline extractor must know of a language's words to read its sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from oroi_graph.language.lexicons.tables import by_word, entries, patterns, tables, text, words


@dataclass(frozen=True, kw_only=True, eq=False)
class Lexicon:
    """Lower-case words of one language by what they do in a clause.

    `romance`: verbs are marked for person, their subjects may be left out, pronouns stand before them. `me`: how
    the speaker is written as the source of a relation. `named`, `lives`: the relations of "a dog called Max" and
    of the place that somebody leaves. `copula`, `kind`, `cost`: those from a thing to what it is, to its kind and to
    its price. `corrects`, `switches`: patterns (any case) of what announces a correction, and of what says that
    something is so in place of what was so before."""

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
    corrects: str
    switches: str
    determiners: frozenset[str]
    possessives: Mapping[str, str]  # "my" → owner "I"; third persons own nothing we can name: ""
    mine: Mapping[str, str]  # "your" → "my", when the one addressed speaks
    his: frozenset[str]  # possessives of a person spoken of before
    pronouns: frozenset[str]
    prepositions: frozenset[str]
    contractions: Mapping[str, str] = field(default_factory=dict)  # "del" → "de"
    conjunctions: frozenset[str]
    coordinating: frozenset[str]
    subordinators: frozenset[str]
    conditionals: frozenset[str]
    modals: frozenset[str] = frozenset()
    negations: frozenset[str]
    before_verb: frozenset[str]  # adverbs that may stand before a verb
    adverbs: frozenset[str]
    interjections: frozenset[str]
    evaluative: frozenset[str]  # adjectives of praise and mood: neither kept in labels nor worth a concept
    junk: frozenset[str]  # nouns that name nothing
    common: frozenset[str]  # written with capitals, but no names, wherever they stand
    attributes: frozenset[str]  # nouns with one value: "my name is", "my birthday is"
    kinship: frozenset[str]  # whose they are is a fact of its own: "Ana's brother"
    of: frozenset[str]
    titles: frozenset[str]  # abbreviated, before a name: "dr."
    courtesy: frozenset[str] = frozenset()  # before a name, even in small letters: "doña Elvira"
    offices: frozenset[str] = frozenset()  # before a name: "la doctora Liaño"
    links: frozenset[str]  # within a name: "María de la Cruz"
    and_link: frozenset[str] = frozenset()  # those of `links` that do not begin the rest of a name
    clitics: frozenset[str] = frozenset()
    clitics_object: frozenset[str] = frozenset()  # "lo", "la": the object, said before
    clitics_third: frozenset[str] = frozenset()  # "le": to somebody spoken of before
    auxiliaries: Mapping[str, frozenset[str]] = field(default_factory=dict)  # "part" → verbs it follows
    verb_links: frozenset[str] = frozenset()  # between a verb and its infinitive: "voy a", "gosto de"
    experience: frozenset[str] = frozenset()  # verbs whose subject is what is felt: "me gusta el café"

    @cached_property
    def grammatical(self) -> frozenset[str]:
        """Words of grammar: no noun phrase holds one."""
        phrases = (self.determiners, self.possessives, self.pronouns, self.prepositions)
        clauses = (self.conjunctions, self.subordinators, self.conditionals, self.modals, self.negations)
        return frozenset().union(*phrases, *clauses)


_TEXTS = ("language", "me", "named", "lives", "copula", "kind", "cost")
_PATTERNS = ("corrects", "switches")
_BY_WORD = ("possessives", "mine", "contractions")
_OTHERS = frozenset({*_TEXTS, *_PATTERNS, *_BY_WORD, "romance", "auxiliaries"})


def read_lexicon(language: str) -> Lexicon:
    """The lexicon in the data file of `language`."""
    rows = tables(language)
    values: dict[str, Any] = {f.name: words(rows, f.name) for f in fields(Lexicon) if f.name not in _OTHERS}
    values |= {name: text(rows, name) for name in _TEXTS}
    values |= {name: rf"\b(?:{'|'.join(patterns(rows, name))})\b" for name in _PATTERNS}
    values |= {name: by_word(rows, name) for name in _BY_WORD}
    values["romance"] = rows["romance"]
    values["auxiliaries"] = {form: frozenset(verbs.split()) for form, verbs in entries(rows, "auxiliaries")}
    return Lexicon(**values)
