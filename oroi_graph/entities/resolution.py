"""Resonance: which existing concept a mention is, or that it is new (S2).

In this order: exact label key; alias; a value by its canonical identity only; a concept by meaning (cosine ≥ τ,
with lexical guards); a name never by meaning, but by lexical rescue when truncated or misspelled. Whole-token
subsets of names ("FedEx" / "FedEx Office") stay apart and are joined by a weak "maybe same" link.

τ and the guards were set on the labelled pairs of tests/data/resonance_pairs.jsonl at precision ≥ 0.99 per
language; `tests/test_resonance.py` computes and checks the figures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rapidfuzz.distance import OSA

from oroi_graph.entities.linker import candidate_row, exact_or_alias, rescued, whole_token_subset
from oroi_graph.entities.mentions import Mention
from oroi_graph.language import detection
from oroi_graph.language.normalize import tokens
from oroi_graph.language.stemming import stem
from oroi_graph.model import ConceptKind, Match
from oroi_graph.storage.store import Row

SIMILAR = 0.90  # τ: cosine of all-MiniLM-L6-v2 from which two concept labels are one concept
SAME_STEMS = 0.60  # enough when both labels have the same content stems ("guitar lessons", "lessons of guitar")
RESPELLED = 2  # edits between two spellings of one word: "theatre" / "theater"
MAYBE_SAME = "maybe same"
MOST_LINKS = 3
CANDIDATES = 8

# Articles and the prepositions of possession; folded, as `tokens` gives them.
_EMPTY = frozenset("a an the of el la los las un una unos unas de del".split())
# Prepositions that say no more than "of" does when all else is equal.
_LINKS = frozenset("for with con para sobre".split())

_KINDS: Mapping[str, tuple[str, ...]] = {
    "value": ("value",),
    "self": ("self", "name"),
    "name": ("name", "self", "concept"),
    "concept": ("concept", "name", "self"),
}


@dataclass(frozen=True, slots=True)
class Resonance:
    """The outcome for one mention: its match (None: new), and the names it may be the same as (ids)."""

    mention: Mention
    match: Match | None
    maybe_same: tuple[str, ...] = field(default=())


def rows(mentions: Sequence[Mention], vectors: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The parameter rows of `entities/resonate`: `vectors` by label, `key` the memory's full-text token."""
    return [candidate_row(i, mention, _KINDS[mention.kind], vectors, key) for i, mention in enumerate(mentions)]


def decide(mention: Mention, row: Row) -> Resonance:
    """What `mention` is, given its candidates (one row of `entities/resonate`)."""
    said = exact_or_alias(mention, row)
    if said:
        order = _KINDS[mention.kind]
        preferred = min(said, key=lambda link: order.index(link.candidate["kind"]))
        method = "value" if mention.kind == "value" else preferred.method
        return Resonance(mention, _match(mention, preferred.candidate, method, 1.0))
    if mention.kind == "value":
        return Resonance(mention, None)
    if mention.kind == "concept":
        for candidate in row["similar"]:
            if same_concept(mention.label, candidate["label"], candidate["score"]):
                return Resonance(mention, _match(mention, candidate, "similar", candidate["score"]))
        return Resonance(mention, None)
    names = [c for c in row["lexical"] if c["kind"] in ("name", "self")]
    link = rescued(mention.label, names)
    if link is not None:
        return Resonance(mention, _match(mention, link.candidate, link.method, link.score))
    maybe = [c["id"] for c in names if whole_token_subset(mention.label, c["label"])]
    return Resonance(mention, None, tuple(maybe[:MOST_LINKS]))


def same_concept(a: str, b: str, cosine: float) -> bool:
    """Whether two labels of kind `concept` name one concept, given the cosine of their vectors.

    Meaning alone confuses what differs in one telling word ("left knee" / "right knee" lie at 0.94), so: the same
    word stems in another order or inflection are one concept, unless a word changed its gender; labels that share
    some words and differ in others are apart; only labels without a common word are judged by meaning.
    """
    if cosine < SAME_STEMS:  # the least that any of what follows asks for
        return False
    words_a, words_b = _words(a), _words(b)
    if _numbers(a) != _numbers(b):
        return False
    stems_a, stems_b = _stems(words_a, a, b), _stems(words_b, a, b)
    if stems_a == stems_b:
        return cosine >= SAME_STEMS and not _regendered(words_a, words_b)
    if stems_a & stems_b:
        return cosine >= SIMILAR and _respelled(words_a - words_b - _LINKS, words_b - words_a - _LINKS)
    return cosine >= SIMILAR


def _match(mention: Mention, candidate: Row, method: str, score: float) -> Match:
    # A name that turns out to speak is a speaker.
    kind: ConceptKind = "self" if mention.kind == "self" else candidate["kind"]
    return Match(candidate["id"], candidate["label"], kind, mention.surface, method, round(score, 6))


def _words(label: str) -> frozenset[str]:
    """The words of a label that tell it from others: all but articles and "of" (whose side changes no meaning)."""
    said = frozenset(re.sub(r"['’]s?$", "", word) for word in tokens(label))
    return said - _EMPTY or said


def _stems(words: frozenset[str], a: str, b: str) -> frozenset[str]:
    tongue = detection.detect(f"{a} {b}")
    return frozenset(stem(word, tongue) for word in words)


def _respelled(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether the words that two labels do not share are the same words in another spelling ("grey", "gray")."""
    if len(a) != len(b):
        return False
    return all(len(x) >= 4 and any(x[0] == y[0] and OSA.distance(x, y) <= RESPELLED for y in b) for x in a)


def _regendered(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether a word of one label is a word of the other with o for a: "hermano" / "hermana"."""
    ends = {"o": "a", "a": "o"}
    singular_a, singular_b = {w.rstrip("s") for w in a - b}, {w.rstrip("s") for w in b - a}
    return any(w[-1:] in ends and w[:-1] + ends[w[-1]] in singular_b for w in singular_a)


def _numbers(label: str) -> frozenset[str]:
    return frozenset(word for word in tokens(label) if any(char.isdigit() for char in word))
