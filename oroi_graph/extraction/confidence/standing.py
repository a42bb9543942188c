"""Where the parts of a relation stand among the words of the text that it was read from."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from oroi_graph.extraction.tokenizer import expand
from oroi_graph.language.lexicons.by_language import LEXICONS
from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.verbs.forms import verb_at_start
from oroi_graph.language.verbs.verb_form import VerbForm
from oroi_graph.model import ExtractedRelation

_WORD = re.compile(r"\w+(?:-\w+)*|'\w+|[^\w\s]")
_SHORTENED = frozenset({"is", "has"})  # "Ana's"
_BEHIND = 50  # words that an object before its verb counts as further away

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, in small letters, or a mark of punctuation, and the verb form that it may be."""

    text: str
    form: VerbForm | None

    @property
    def is_mark(self) -> bool:
        """Whether it is no word."""
        return not self.text[-1].isalnum()


@lru_cache(maxsize=64)
def words_of(text: str, language: str) -> tuple[Word, ...]:
    """The words and marks of a text, contractions written out."""
    return tuple(
        Word(word, verb_at_start(word, language) if word[0].isalpha() else None)
        for word in _parts(expand(text, language))
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """The words of a text, and where in it the first words of a relation's parts stand; None if they do not.

    Of several places those of a verb and an object close behind it count, and of the subject the last one before the
    verb.
    """

    words: Sequence[Word]
    lexicon: Lexicon
    source: int | None
    verb: int | None
    target: int | None
    lengths: tuple[int, int]  # of subject and object, in words

    @classmethod
    def of(cls, relation: ExtractedRelation, text: str, language: str) -> Standing:
        """Where a relation stands in the text."""
        words = words_of(text, language)
        said = tuple(word.text for word in words)
        source, target = (_parts(part) for part in (relation.source, relation.target))
        places = list(_places(target, said))
        wanted = _verb_of(relation.relation, language)
        verbs = [i for i, word in enumerate(words) if _is_verb(word, wanted)]
        pairs = [(_far(verb, place), verb, place) for place in places for verb in _around(place, verbs)]
        _, verb, place = min(pairs, default=(0, next(iter(verbs), None), next(iter(places), None)))
        sources = list(_places(source, said))
        before = [i for i in sources if verb is None or i < verb]
        subject = before[-1] if before else next(iter(sources), None)
        return cls(words, LEXICONS[language], subject, verb, place, (len(source), len(target)))

    @property
    def form(self) -> VerbForm | None:
        """The form of the verb."""
        return None if self.verb is None else self.words[self.verb].form

    @property
    def before(self) -> Sequence[Word]:
        """The words of the clause before the verb, back to a mark."""
        if self.verb is None:
            return ()
        first = self.verb
        while first and not self.words[first - 1].is_mark:
            first -= 1
        return self.words[first : self.verb]

    @property
    def between(self) -> Sequence[Word]:
        """What stands between the verb and the object behind it."""
        if self.verb is None or self.target is None:
            return ()
        return self.words[self.verb + 1 : self.target]

    @property
    def gap(self) -> Sequence[Word]:
        """What stands between the subject and the verb behind it."""
        if self.verb is None or self.source is None:
            return ()
        return self.words[self.source + self.lengths[0] : self.verb]

    @property
    def behind(self) -> Word | None:
        """What stands behind the object."""
        if self.target is None or self.target + self.lengths[1] >= len(self.words):
            return None
        return self.words[self.target + self.lengths[1]]

    def ahead_of(self, place: int | None) -> Word | None:
        """The word before a place; None at the beginning, behind a mark or where there is no place."""
        if not place or self.words[place - 1].is_mark:
            return None
        return self.words[place - 1]

    @property
    def marks_before(self) -> int:
        """How many marks the text has before the verb."""
        return sum(word.is_mark for word in self.words[: self.verb or 0])


def _parts(label: str) -> Words:
    return tuple(word.casefold() for word in _WORD.findall(label))


def _places(part: Words, said: Words) -> Iterator[int]:
    """Where a part stands word by word."""
    first = part[0] if part else None
    return (i for i, word in enumerate(said) if word == first and said[i : i + len(part)] == part)


@lru_cache(maxsize=4096)
def _verb_of(relation: str, language: str) -> frozenset[str]:
    """How the verb that a relation begins with may be written, and its lemma: "se mudó a" is of "mudar"."""
    words = relation.casefold().split() or [""]
    first = next((word for word in words if word not in LEXICONS[language].clitics), words[0])
    form = verb_at_start(first, language)
    return frozenset((first, form.lemma)) if form is not None else frozenset((first,))


def _is_verb(word: Word, wanted: frozenset[str]) -> bool:
    """Whether a word is a verb, in whatever person and tense."""
    if word.text == "'s":  # behind a name, where it is no contraction by itself
        return not _SHORTENED.isdisjoint(wanted)
    form = word.form
    return word.text in wanted or (form is not None and (form.lemma in wanted or form.third in wanted))


def _around(place: int, verbs: Sequence[int]) -> Sequence[int]:
    """The last verb before a place and the first one behind it."""
    behind = bisect_left(verbs, place)
    return verbs[max(behind - 1, 0) : behind + 1]


def _far(verb: int, target: int) -> int:
    return target - verb if target > verb else verb - target + _BEHIND
