"""The texts of a table that answer some words, by BM25, and those that share, begin with or nearly spell a word.

The scores are those of Lucene's `BM25Similarity` (Robertson and Zaragoza 2009) over the texts of one memory: a word
that is rare in it counts more. So no other memory has a part in what is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from oroi_graph.language.normalize import search_words
from oroi_graph.language.stemming import content_words
from oroi_graph.working_set.words.inverted_index import Floats, Holding, Texts, split

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
    found = []
    for word in said:
        for stem in content_words(word, language):
            shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, stem, strict=False)))
            found.append(Term(word, WHOLE, word[:shared]) if shared >= least else Term(word))
    return found or [Term(word) for word in said]


def by_words(texts: Texts, terms: Sequence[Term], ids: Sequence[str], most: int) -> list[str]:
    """Ids of the `most` texts that answer some words best, the best first; among equals by id."""
    scores = np.zeros(texts.size)
    score = _Score(texts)
    for term in terms:
        pieces = split(term.word)
        for piece in pieces:
            holding = texts.holding(piece)
            scores[holding.places] += score.of(holding, term.boost)
        if term.prefix and len(pieces) == 1:
            scores[_any(texts, texts.beginning(term.prefix))] += 1.0
    places = np.flatnonzero(scores > 0)
    if len(places) > most:
        places = places[scores[places] >= np.partition(scores[places], -most)[-most]]
    return [ids[place] for place in _ranked(scores, places.tolist(), ids)[:most]]


def by_spelling(
    texts: Texts, spelling: Spelling, ids: Sequence[str], admits: Callable[[int], bool], most: int
) -> list[int]:
    """Places of the `most` texts that are admitted and spelled so, the best first; among equals by id."""
    scores = _every(texts, spelling) if spelling.every else _any_of(texts, spelling)
    ranked = _ranked(scores, np.flatnonzero(scores > 0).tolist(), ids)
    return list(islice(filter(admits, ranked), most))


class _Score:
    """BM25 of the texts that hold a word."""

    def __init__(self, texts: Texts) -> None:
        lengths = texts.lengths
        self._count = int(np.count_nonzero(lengths))
        mean = float(lengths.sum()) / max(self._count, 1)
        self._norms = SATURATION * (1 - BY_LENGTH + BY_LENGTH * lengths / max(mean, 1.0))

    def of(self, holding: Holding, weight: float = 1.0) -> Floats:
        """(k,) the score of each text of `holding`, in grains."""
        having = len(holding.places)
        rarity = math.log1p((self._count - having + 0.5) / (having + 0.5))
        found: Floats = weight * rarity * holding.counts / (holding.counts + self._norms[holding.places])
        return np.rint(found / GRAIN) * GRAIN


def _every(texts: Texts, spelling: Spelling) -> Floats:
    scores, held, score = np.zeros(texts.size), np.zeros(texts.size, dtype=np.int64), _Score(texts)
    pieces = list(dict.fromkeys(piece for word, _ in spelling.words for piece in split(word)))
    for piece in pieces:
        holding = texts.holding(piece)
        scores[holding.places] += score.of(holding)
        held[holding.places] += 1
    found: Floats = np.where(held == len(pieces), scores, 0.0)
    return found


def _any_of(texts: Texts, spelling: Spelling) -> Floats:
    scores, score = np.zeros(texts.size), _Score(texts)
    for said, edits in spelling.words:
        for word in split(said):
            whole = texts.holding(word)
            scores[whole.places] += score.of(whole)
            scores[_any(texts, texts.beginning(word))] += 1.0
            for other, distance in _near(texts, word, edits):
                holding = texts.holding(other)
                scores[holding.places] += score.of(holding, 1 - distance / len(word))
    return scores


def _near(texts: Texts, word: str, edits: int) -> list[tuple[str, int]]:
    """The words within some edits of a word, with how many they are; a swap of neighbours is one."""
    if not edits:
        return []
    found: dict[str, int] = {}
    for some in texts.of_length(len(word) - edits, len(word) + edits):
        for other, distance, _ in process.extract_iter(word, some, scorer=OSA.distance, score_cutoff=edits):
            found[other] = int(distance)
    return sorted(found.items())


def _any(texts: Texts, words: Iterable[str]) -> NDArray[np.bool_]:
    """(n,) whether each text holds any of some words."""
    found = np.zeros(texts.size, dtype=bool)
    for word in words:
        found[texts.holding(word).places] = True
    return found


def _ranked(scores: Floats, places: Iterable[int], ids: Sequence[str]) -> list[int]:
    return sorted(places, key=lambda place: (-scores[place], ids[place]))
