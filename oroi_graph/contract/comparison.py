"""What two values of one key are to each other: equivalent, compatible, critical or contradicting."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from oroi_graph.contract.conflicts import Findings, find
from oroi_graph.contract.reading.alignment import Alignment, align, exclusive, interchangeable, of_one_kind
from oroi_graph.contract.reading.clauses import Clause, Reading, Word, read
from oroi_graph.contract.reading.text import canonical
from oroi_graph.contract.reading.words import Words, key
from oroi_graph.errors import SettingsError
from oroi_graph.language.detection import READ, Language, detect
from oroi_graph.language.lexicons.tables import common_words
from oroi_graph.language.normalize import fold

Relation = Literal["equivalent", "compatible", "critical", "contradiction"]

_CLOSE = 0.9  # of the cosine of equivalent values: from there on, other verbs may say the same
_FIRST, _SECOND = "the first says more", "the second says more"
_STATEMENT = 3  # content words below which the cosine of two listed values says nothing
_KEY_WORDS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """What a contract says of one key.

    single_valued: True: any other value contradicts. False: several values may stand side by side. None: the contract
    does not say; values that exclude each other although they resemble each other contradict.
    language: of the values ("en", "es", "pt"), where their own words do not tell; it decides whether 1.500 is 1500.
    """

    key: str
    single_valued: bool | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Cosines from which two values are equivalent or compatible, -1 <= compatible < equivalent <= 1.

    languages: thresholds of single languages, for models that know some better than others. Raises SettingsError.
    """

    equivalent: float = 0.88
    compatible: float = 0.20
    languages: Mapping[str, Thresholds] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if not -1 <= self.compatible < self.equivalent <= 1:
            raise SettingsError(
                f"thresholds must be -1 <= compatible < equivalent <= 1, got {self.compatible} and {self.equivalent}"
            )

    def of(self, language: str) -> Thresholds:
        """Those of one language, these where it has none."""
        return self.languages.get(language, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The relation of two values, their cosine (None: one has no vector), and in a few words what decided."""

    relation: Relation
    cosine: float | None
    reason: str


def canonical_value(text: str) -> str:
    """The text that the semantic hash is made of: equal for two texts that differ only in what carries nothing.

    Without effect are case, kinds of blanks, quotes and dashes, Unicode compatibility forms, invisible characters, and
    quotes and punctuation at both ends. Everything else tells, so no two numbers, signs, units, names or negations
    become one. Idempotent.
    """
    return canonical(text)


def compare(new: str, old: str, *, field: FieldRule, cosine: float | None, thresholds: Thresholds) -> Comparison:
    """What `new` is to `old`, two values of the key of `field`. cosine: of their vectors, None without one.

    The relation does not depend on which of the two is the new one. The order of the rules is that of
    docs/contract-comparison.md.
    """
    turned = canonical_value(new) > canonical_value(old)  # one order, so that the same two values get one answer
    first, second = (old, new) if turned else (new, old)
    relation, reason = _decide(first, second, field, cosine, thresholds)
    says_more = {_FIRST: "the old value says more", _SECOND: "the new value says more"}
    if not turned:
        says_more = {_FIRST: "the new value says more", _SECOND: "the old value says more"}
    return Comparison(relation=relation, cosine=cosine, reason=says_more.get(reason, reason))


def language_of(new: str, old: str, field: FieldRule) -> Language:
    """The language in which two values are read: that of both together, the field's where they do not tell."""
    both = f"{new}\n{old}"
    tied = [language for language in READ if detect(both, language) == language]
    if field.language in tied:
        return next(language for language in tied if language == field.language)
    if len(tied) == 1:
        return tied[0]
    said = {word.casefold() for word in _KEY_WORDS.findall(both)}
    said |= {word.removesuffix("s") for word in said}
    return max(tied, key=lambda language: len(said & common_words(language)))


def forget_values() -> None:
    """Drop what this process remembers of compared values: one was erased, and any may hold it."""
    read.cache_clear()


def _decide(
    first: str, second: str, field: FieldRule, cosine: float | None, thresholds: Thresholds
) -> tuple[Relation, str]:
    if canonical_value(first) == canonical_value(second):
        return "equivalent", "the same text"
    language = language_of(first, second, field)
    thresholds = thresholds.of(language)
    about = _keys(field.key, language) - (_keys(first, language) & _keys(second, language))
    a, b = (read(text, language, about) for text in (first, second))
    answers = _answer(a), _answer(b)
    if None not in answers:
        same = answers[0] == answers[1]
        return ("equivalent", "the same answer") if same else ("contradiction", "yes and no")
    several = None if field.single_valued is None else not field.single_valued
    close = cosine is not None and cosine >= _CLOSE * thresholds.equivalent
    findings = find(a, b, several, close)
    if findings.conflicts:
        return "contradiction", findings.conflicts[0]
    match = align(a.whole, b.whole, a.lists)
    likeness = _likeness(match, a.lists, findings, cosine, thresholds)
    if likeness is not None and (likeness[0] != "equivalent" or a.signs == b.signs):
        return likeness
    if field.single_valued:
        return "contradiction", "the key takes one value"
    shared = bool(match.shared or match.same_names)
    return _apart(match, shared, field, cosine, thresholds)


def _keys(text: str, language: Language) -> frozenset[str]:
    """What the words of a text are compared by."""
    return frozenset(key(word, language) for word in _KEY_WORDS.findall(text.casefold()))


def _likeness(
    match: Alignment, lists: Words, findings: Findings, cosine: float | None, thresholds: Thresholds
) -> tuple[Relation, str] | None:
    """Equivalent, or compatible because one value says more than the other; None if neither."""
    loose = [pair for pair in match.shared if not interchangeable(*pair)]
    only_a, only_b = (
        tuple(w for w in (*only, *(pair[side] for pair in loose)) if w not in findings.settled)
        for side, only in enumerate((match.only_a, match.only_b))
    )
    words = _says_more(match.a, match.b, only_a, only_b, lists), _says_more(match.b, match.a, only_b, only_a, lists)
    extra_a = bool(match.names_a or match.amounts_a or match.other_amounts)
    extra_b = bool(match.names_b or match.amounts_b or match.other_amounts)
    finer = bool(match.finer_names or match.finer_amounts)
    if not finer and not extra_a and not extra_b and findings.agreed:
        if not any(words) and (match.shared or match.same_names or match.same_amounts or findings.settled):
            return ("equivalent", "the same words") if _same_order(match) else ("compatible", "in another order")
        kept = not any(of_one_kind(x, y) or exclusive(x, y, lists) for x in match.a.words for y in match.b.words)
        # A noun in place of another one is another thing, however near the vectors are: "per person", "per boat".
        kept = kept and all(w.verb for w in (*match.only_a, *match.only_b))
        if all(words) and kept and cosine is not None and cosine >= thresholds.equivalent:
            return "equivalent", "the same in other words"
    shared = match.shared or match.same_names or match.same_amounts or finer
    if shared and not (words[0] or extra_a) and findings.agreed:
        return "compatible", _SECOND
    if shared and not (words[1] or extra_b) and findings.agreed:
        return "compatible", _FIRST
    return None


def _says_more(clause: Clause, other: Clause, only: tuple[Word, ...], beside: tuple[Word, ...], lists: Words) -> bool:
    """Whether a clause says something that the other one does not, a verb in place of another one included.

    only, beside: the content words of the clause and of the other one without counterpart.
    """
    function = [w for w in clause.words if not w.content and w.key not in other.link]
    exempt = lists.negators | lists.version
    marks = [w for w in function if w.text.casefold() not in lists.harmless and w.folded not in exempt]
    return bool(only or marks) or (any(w.verb for w in function) and any(w.verb for w in beside))


def _same_order(match: Alignment) -> bool:
    """Whether names, amounts and opposed words stand in one order in both, or in a list, where order tells nothing."""
    pairs = [(x.start, y.start) for x, y in match.same_names]
    pairs += [(x.start, y.start) for x, y in match.same_amounts]
    pairs += [(x.start, y.start) for x, y in match.shared if x.poles]
    marks = [[w.key for w in clause.words if w.poles and not w.content] for clause in (match.a, match.b)]
    if sorted(marks[0]) == sorted(marks[1]) and marks[0] != marks[1]:
        return False  # "… is up and … is down", "… is down and … is up"
    ordered = [b for _, b in sorted(pairs)]
    return ordered == sorted(ordered) or not (match.same_amounts or any(x.poles for x, _ in match.shared))


def _apart(
    match: Alignment, shared: bool, field: FieldRule, cosine: float | None, thresholds: Thresholds
) -> tuple[Relation, str]:
    """Critical for values that have nothing to do with each other, else compatible."""
    if cosine is None:
        return "compatible", "not compared by meaning: a value has no vector"
    kinds = [{amount.kind for amount in clause.amounts} for clause in (match.a, match.b)]
    finer = match.finer_names or match.finer_amounts
    alike = shared or finer or (match.a.bare and match.b.bare and kinds[0] & kinds[1])
    short = field.single_valued is False and min(len(c.content) for c in (match.a, match.b)) < _STATEMENT
    if cosine < thresholds.compatible and not alike and not short:
        return "critical", "the values have nothing to do with each other"
    return "compatible", "both may hold"


def _answer(reading: Reading) -> bool | None:
    """True or False for a value that is nothing but yes or no."""
    said = fold(canonical(reading.text))
    return True if said in reading.lists.yes else False if said in reading.lists.no else None
