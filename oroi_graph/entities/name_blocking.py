"""Namesakes: which names, and which concepts by the forms of their words, are worth comparing.

Never every one with every other one: by dictionaries of their words, so that the cost grows with the number of
names, and with the square of the number of different words at the speed of C only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from oroi_graph.entities.label_similarity import forms, name_words
from oroi_graph.entities.linker import CUT, SHORTEST
from oroi_graph.entities.resolution import MOST_LINKS

Pair = tuple[str, str]

_MOST_WORDS = 5  # of a name, of which every subset is looked up
_MOST_FORMS = 12  # labels of the same forms that are paired with each other
_EDITS = 2
_BLOCK = 1024


def same_forms(labels: Mapping[str, str], new: frozenset[str]) -> set[Pair]:
    """Pairs of concepts ({id: label}) whose words are forms of the same words, one of `new` in each."""
    by_form: dict[str, list[str]] = defaultdict(list)
    for id in sorted(labels):
        for form in forms(labels[id]):
            by_form[form].append(id)
    return {pair for ids in by_form.values() for pair in _pairs(ids, new)}


def alike_names(labels: Mapping[str, str], new: frozenset[str]) -> set[Pair]:
    """Pairs of names ({id: label}), one of `new` in each, that spell, begin or contain one another.

    A short name that is part of many longer ones is paired with MOST_LINKS of them: nothing tells which it is.
    """
    names = {id: frozenset(name_words(labels[id])) for id in sorted(labels)}
    near = _near_words(names, new)
    by_words: dict[frozenset[str], list[str]] = defaultdict(list)
    written: dict[str, list[str]] = defaultdict(list)
    asked: dict[frozenset[str], list[str]] = defaultdict(list)
    for id, words in names.items():
        by_words[words].append(id)
        written["".join(name_words(labels[id]))].append(id)
        if id in new:
            for variant in _variants(words, near):
                asked[variant].append(id)
    pairs = {p for ids in written.values() for p in _pairs(ids, new)}
    links: dict[tuple[str, bool], int] = defaultdict(int)
    for id, words in names.items():
        for part in _parts(words):
            found = list(asked.get(part, ()))
            if id in new:
                found += [other for variant in _variants(part, near) for other in by_words.get(variant, ())]
            for other in dict.fromkeys(found):
                pair = (min(id, other), max(id, other))
                if id == other or pair in pairs:
                    continue
                if part != words:  # `other` is the shorter one
                    if links[other, False] >= MOST_LINKS:
                        continue
                    links[other, False] += 1
                pairs.add(pair)
    return pairs


def _pairs(ids: Sequence[str], new: frozenset[str]) -> Iterator[Pair]:
    return (p for p in combinations(sorted(ids)[:_MOST_FORMS], 2) if p[0] in new or p[1] in new)


def _parts(words: frozenset[str]) -> Iterator[frozenset[str]]:
    """The subsets of a name's words, itself first; of a very long name only itself."""
    yield words
    if len(words) <= _MOST_WORDS:
        for size in range(len(words) - 1, 0, -1):
            for part in combinations(sorted(words), size):
                yield frozenset(part)


def _variants(words: frozenset[str], near: Mapping[str, Sequence[str]]) -> Iterator[frozenset[str]]:
    """The words, and the words with one of them spelled otherwise."""
    yield words
    for word in sorted(words):
        for other in near.get(word, ()):
            yield words - {word} | {other}


def _near_words(names: Mapping[str, frozenset[str]], new: frozenset[str]) -> dict[str, list[str]]:
    """For each word of a new name the words of other names that spell it otherwise, begin it or go on from it."""
    known = sorted({word for words in names.values() for word in words})
    asked = sorted({word for id in new for word in names.get(id, ())})
    near: dict[str, set[str]] = defaultdict(set)
    for word in known:
        for other in _beginning_with(word, known):
            near[word].add(other)
            near[other].add(word)
    by_initial = _by_initial(known)
    for initial, words in _by_initial(asked).items():
        for a, b in _within(words, by_initial[initial]):
            near[a].add(b)
    return {word: sorted(near[word]) for word in asked if word in near}


def _by_initial(words: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for word in words:
        if len(word) >= SHORTEST:
            found[word[0]].append(word)
    return found


def _beginning_with(word: str, known: Sequence[str]) -> Iterator[str]:
    """Words that `word` may be a truncation of."""
    if len(word) < 4:
        return
    at = bisect_left(known, word) + 1
    while at < len(known) and known[at].startswith(word):
        if len(known[at]) - len(word) >= CUT:
            yield known[at]
        at += 1


def _within(words: Sequence[str], others: Sequence[str]) -> Iterator[Pair]:
    """Pairs of different words at most _EDITS edits apart, compared in blocks."""
    for i in range(0, len(words), _BLOCK):
        for j in range(0, len(others), _BLOCK):
            some, more = words[i : i + _BLOCK], others[j : j + _BLOCK]
            distances = cdist(some, more, scorer=OSA.distance, score_cutoff=_EDITS, dtype=np.uint8)
            for row, column in zip(*np.nonzero(distances <= _EDITS), strict=True):
                if some[row] != more[column]:
                    yield some[row], more[column]
