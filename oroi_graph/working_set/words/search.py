"""The texts of a table that answer some words, by BM25, and those that share, begin with or nearly spell a word.

The scores are those of Lucene's `BM25Similarity` (Robertson and Zaragoza 2009) over the texts of one memory: a word
that is rare in it counts more. So no other memory has a part in what is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from oroi_graph.language.normalize import search_words
from oroi_graph.language.stemming import content_words
from oroi_graph.working_set.words.inverted_index import Floats, Holding, Places, Texts, split

SATURATION = 1.2  # k1 of BM25: how soon a word that is repeated counts no more (Lucene's default)
BY_LENGTH = 0.75  # b of BM25: how much a long text counts less (Lucene's default)
GRAIN = 2.0**-32  # scores are multiples of it: their sums are exact, so equal texts tie in whatever order it is summed
WHOLE = 2.0  # weight of a word as written, beside 1 for any word that begins as its forms do


@dataclass(frozen=True, slots=True)
class Term:
    """A folded word that is looked for. boost: of its score. prefix: a text with a word that begins so scores 1 more;
    "" looks for none."""

    word: str
    boost: float = 1.0
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Spelling:
    """Words by which a label is looked for: (word, how many slips it may have). every: whether the label must hold all
    of them as they are; else any of them, or a word that begins with one, or nearly spells one."""

    words: Sequence[tuple[str, int]]
    every: bool


def terms_of(text: str, language: str, least: int) -> list[Term]:
    """A question's content words, each with the prefix that it shares with its other forms.

    least: letters of a prefix.
    """
    said = search_words(text).split()
    return [term for word in said for term in _terms(word, language, least)] or [Term(word) for word in said]


@lru_cache(maxsize=20_000)  # questions share most of their words
def _terms(word: str, language: str, least: int) -> tuple[Term, ...]:
    found = []
    for stem in content_words(word, language):
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, stem, strict=False)))
        found.append(Term(word, WHOLE, word[:shared]) if shared >= least else Term(word))
    return tuple(found)


def by_words(texts: Texts, terms: Sequence[Term], ids: Sequence[str], most: int) -> list[str]:
    """Ids of the `most` texts that answer some words best, the best first; among equals by id."""
    scores = np.zeros(texts.size)
    for term in terms:
        pieces = _pieces(term.word)
        for piece in pieces:
            holding = texts.holding(piece)
            scores[holding.places] += _score(texts, holding, term.boost)
        if term.prefix and len(pieces) == 1:
            scores[_any(texts, texts.beginning(term.prefix))] += 1.0
    places = np.flatnonzero(scores > 0)
    found = scores[places]
    if len(places) > most:
        best = found >= np.partition(found, -most)[-most]
        places, found = places[best], found[best]
    return [ids[place] for place in _ranked(places, found, ids)[:most]]


def by_spelling(
    texts: Texts, spelling: Spelling, ids: Sequence[str], admits: Callable[[int], bool], most: int
) -> list[int]:
    """Places of the `most` texts that are admitted and spelled so, the best first; among equals by id."""
    places, scores = _every(texts, spelling) if spelling.every else _any_of(texts, spelling)
    return list(islice(filter(admits, _ranked(places, scores, ids)), most))


@lru_cache(maxsize=20_000)  # questions share most of their words
def _pieces(word: str) -> tuple[str, ...]:
    """The words of which a word of a question or a label is made, as texts have them."""
    return tuple(split(word))


def _score(texts: Texts, holding: Holding, weight: float = 1.0) -> Floats:
    """(k,) BM25 of each text of `holding`, in grains."""
    having, mean = len(holding.places), texts.total / max(texts.worded, 1)
    rarity = math.log1p((texts.worded - having + 0.5) / (having + 0.5))
    norms = SATURATION * (1 - BY_LENGTH + BY_LENGTH * texts.lengths[holding.places] / max(mean, 1.0))
    found: Floats = weight * rarity * holding.counts / (holding.counts + norms)
    return np.rint(found / GRAIN) * GRAIN


def _every(texts: Texts, spelling: Spelling) -> tuple[Places, Floats]:
    """(k,) the texts that hold all the words, and their scores."""
    pieces = dict.fromkeys(piece for word, _ in spelling.words for piece in _pieces(word))
    holdings = sorted(map(texts.holding, pieces), key=lambda holding: len(holding.places))
    places = holdings[0].places if holdings else np.zeros(0, dtype=np.int64)
    for holding in holdings[1:]:  # the rarest first: often few texts, or none, are left
        if not len(places):
            break
        there = np.zeros(texts.size, dtype=bool)
        there[holding.places] = True
        places = places[there[places]]
    scores = np.zeros(len(places))
    if len(places):
        for holding in holdings:
            scores += _score(texts, holding)[np.searchsorted(holding.places, places)]
    return places, scores


def _any_of(texts: Texts, spelling: Spelling) -> tuple[Places, Floats]:
    """(k,) the texts that hold any of the words, or one that begins so or is nearly so, and their scores."""
    scores = np.zeros(texts.size)
    for said, edits in spelling.words:
        for word in _pieces(said):
            whole = texts.holding(word)
            scores[whole.places] += _score(texts, whole)
            scores[_any(texts, texts.beginning(word))] += 1.0
            for other, distance in _near(texts, word, edits):
                holding = texts.holding(other)
                scores[holding.places] += _score(texts, holding, 1 - distance / len(word))
    places = np.flatnonzero(scores > 0)
    return places, scores[places]


def _near(texts: Texts, word: str, edits: int) -> list[tuple[str, int]]:
    """The words within some edits of a word, with how many they are; a swap of neighbours is one."""
    if not edits:
        return []
    found: dict[str, int] = {}
    for some in texts.of_length(len(word) - edits, len(word) + edits):
        for other, distance, _ in process.extract_iter(word, some, scorer=OSA.distance, score_cutoff=edits):
            found[other] = int(distance)
    return sorted(found.items())


def _any(texts: Texts, words: Iterable[str]) -> Places:
    """The texts that hold any of some words."""
    holdings = [texts.holding(word).places for word in words]
    if len(holdings) == 1:
        return holdings[0]
    found = np.zeros(texts.size, dtype=bool)
    for places in holdings:
        found[places] = True
    return np.flatnonzero(found)


def _ranked(places: Places, scores: Floats, ids: Sequence[str]) -> list[int]:
    """Some places by their scores, (k,) each, the best first; among equals by id."""
    listed = places.tolist()
    return [place for *_, place in sorted(zip((-scores).tolist(), map(ids.__getitem__, listed), listed, strict=True))]
