"""Likeness: whether two labels of one kind call the same thing, for merging in sleep.

Stricter than resonance, which decides about one mention at a time and is put right by the next correction: a merge
moves everything that is known of a concept. So "automatic" takes two labels that are the same words, each as it is
or in another form (plural, accent left out, British or American spelling, a slip of the hand beside other words),
in the same order, or two labels without a common word that mean the same to the embedder. What only may be the same
is "doubtful" and waits for a judge. The figures are those of tests/data/merge_pairs.jsonl, by
`benchmarks/duplicates.py`: cosine alone reaches precision 0.99 at no threshold, in no language.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal

from rapidfuzz.distance import OSA

from oroi_graph.entities.known_words import accent_tells, known_words
from oroi_graph.entities.label_numbers import numbered_apart
from oroi_graph.entities.linker import SAME_STEMS, SIMILAR, rescue, same_concept, whole_token_subset
from oroi_graph.language.lexicons.tables import by_word, replacements, tables, words
from oroi_graph.language.normalize import fold, label_key

Grade = Literal["automatic", "doubtful"]
Why = Literal["similar", "spelling", "subset"]

DOUBTFUL = 0.80  # cosine from which two concepts without a common word are worth a judge's time
DOUBTFUL_SHARED = 0.85  # the same where they share some words and differ in others ("lab results")
LEAST = SAME_STEMS  # cosine below which nothing is looked at
SLIP, SLIP_ALONE, SWAP = 8, 9, 6  # letters a word must have for a slip of the hand in it to be one
MOST_FORMS = 64  # readings of one label as singulars

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]*)?")
_LEADING = re.compile(r"^(?:the|an?|el|los?|las?|un[ao]s?|un|os?|as?|uma?s?|uns)\s+(?=\S)")
_ROWS = tables("labels")
_ARTICLES, _OF, _CONTRACTED, _NEGATIONS, _MEASURES, _ANOTHER_IN_PLURAL, _ACCENTED = (
    words(_ROWS, name)
    for name in ("articles", "of", "contracted", "negations", "measures", "another_in_plural", "accented")
)
_IRREGULAR = by_word(_ROWS, "irregular")
_RESPELLINGS = replacements(_ROWS, "respellings")
_ENDINGS = [entry.split(":") for entry in words(_ROWS, "plural_endings")]

_KEPT = 50_000  # words and labels that are remembered: the same ones are compared over and over

_SAME, _FORM, _SLIP, _RISKY, _OTHER = range(5)  # how two words are alike, from best to worst


@dataclass(frozen=True, slots=True)
class MatchGrade:
    """How sure it is that two labels are one thing's, and what says so."""

    grade: Grade
    why: Why


def grade(a: str, b: str, kind: str, cosine: float) -> MatchGrade | None:
    """What two labels of one kind are to each other; None: apart, and no judge is asked.

    `cosine` of their vectors, -1..1, counts for kind "concept" only: a name is never like another one by meaning.
    Values and selves are never alike.
    """
    if kind not in ("concept", "name"):
        return None
    if label_key(a) == label_key(b):
        return MatchGrade("automatic", "spelling")
    if numbered_apart(a, b):
        return None
    return _concepts(a, b, cosine) if kind == "concept" else _names(a, b)


@lru_cache(_KEPT)
def name_words(label: str) -> tuple[str, ...]:
    """The words by which names are compared: folded, without apostrophes and full stops."""
    return tuple(fold(word) for word in _split(label))


def forms(label: str) -> frozenset[str]:
    """Keys of a concept's label: labels whose words are forms of the same words in the same order share one."""
    words, _ = _phrase(label.replace("-", " "))
    choices = [_readings(fold(word)) for word in words]
    # A long label with many readings counts as it is written.
    if math.prod(len(choice) for choice in choices) > MOST_FORMS:
        choices = [(_respelled(fold(word)),) for word in words]
    return frozenset("".join(reading) for reading in product(*choices))


def slipped(a: str, b: str, alone: bool) -> bool:
    """Whether one word is the other with a letter lost, doubled or swapped by a slip of the hand.

    Folded words. Never a letter exchanged ("Catalina", "Catarina") nor the last one lost ("Daniel", "Daniela").
    `alone`: nothing else confirms it, as when the word is the whole label; it must be longer then.
    """
    shorter = min(len(a), len(b))
    if a[:1] != b[:1] or OSA.distance(a, b) != 1:
        return False
    if len(a) != len(b):
        return a[-1] == b[-1] and shorter >= (SLIP_ALONE if alone else SLIP)
    swapped = sorted(a) == sorted(b)
    return swapped and (shorter >= SLIP or (shorter >= SWAP and a[-1] == b[-1] and not alone))


def _concepts(a: str, b: str, cosine: float) -> MatchGrade | None:
    words_a, words_b = _split(a), _split(b)
    if not words_a or not words_b or _negated(words_a) != _negated(words_b) or _regendered(words_a, words_b):
        return None
    alike = min(_alike(a, b), _alike(a.replace("-", ""), b.replace("-", "")))
    if alike <= _FORM or (alike == _SLIP and cosine >= LEAST):
        return MatchGrade("automatic", "spelling")
    rearranged = sorted(map(fold, words_a)) == sorted(map(fold, words_b))
    if alike <= _RISKY or rearranged or "".join(map(fold, words_a)) == "".join(map(fold, words_b)):
        return MatchGrade("doubtful", "spelling")
    if _content(words_a) & _content(words_b):
        return MatchGrade("doubtful", "similar") if cosine >= DOUBTFUL_SHARED else None
    if cosine >= SIMILAR and same_concept(a, b, cosine) and not _nearly_spelled(words_a, words_b):
        return MatchGrade("automatic", "similar")
    return MatchGrade("doubtful", "similar") if cosine >= DOUBTFUL else None


def _names(a: str, b: str) -> MatchGrade | None:
    words_a, words_b = name_words(a), name_words(b)
    if not words_a or not words_b:
        return None
    if words_a == words_b:
        telling = len(words_a) == 1 and _accents(_split(a)[0], _split(b)[0], names=True) == _RISKY
        return MatchGrade("doubtful" if telling else "automatic", "spelling")
    if sorted(words_a) == sorted(words_b) or "".join(words_a) == "".join(words_b):
        return MatchGrade("doubtful", "spelling")
    differing = [(x, y) for x, y in zip(words_a, words_b, strict=False) if x != y]
    if len(words_a) == len(words_b) and len(differing) == 1 and slipped(*differing[0], alone=len(words_a) == 1):
        return MatchGrade("automatic", "spelling")
    if whole_token_subset(a, b):
        return MatchGrade("doubtful", "subset")
    if rescue(a, [b]) is not None or rescue(b, [a]) is not None:
        return MatchGrade("doubtful", "spelling")
    return None


def _alike(a: str, b: str) -> int:
    """How alike two labels are word by word, in the order that their prepositions give: the worst of their words."""
    (words_a, links_a), (words_b, links_b) = _phrase(a), _phrase(b)
    if not words_a or len(words_a) != len(words_b):
        return _OTHER
    # "Album cover" is the "cover of the album"; any other difference of prepositions may tell.
    if links_a != links_b and not (links_a | links_b <= {"of"} or links_a | links_b <= {"for"}):
        return _OTHER
    alike = [_word(x, y) for x, y in zip(words_a, words_b, strict=True)]
    if links_a != links_b and {words_a[-1], words_b[-1]} & _MEASURES:
        alike.append(_RISKY)
    if _SLIP in alike and (alike.count(_SLIP) > 1 or len(alike) == 1):
        return _RISKY
    return max(alike)


@lru_cache(_KEPT)
def _phrase(label: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """A label's words in the order of a compound ("cover of the album" → album cover), and its prepositions."""
    words = _WORD.findall(_LEADING.sub("", unicodedata.normalize("NFC", label.casefold()).strip()))
    kept: list[str] = []
    head: list[str] = []
    links: set[str] = set()
    follows = False  # what stands after a preposition or an article loses its own article
    for word in words:
        bare, genitive = _ungenitive(word)
        if word in ("of", "for") and kept and not head:
            head, kept, follows = kept, [], True
            links.add(word)
        elif kept and (word in _OF or (word in _CONTRACTED and not follows)):
            links.add("de")
            follows = True
        elif follows and word in _ARTICLES:
            continue
        else:
            kept.append(bare)
            links |= {"of"} if genitive else set()
            follows = False
    return tuple(kept + head), frozenset(links)


@lru_cache(_KEPT)
def _word(x: str, y: str) -> int:
    """How alike two words are: _SAME, _FORM (the same word), _SLIP, _RISKY (maybe), _OTHER."""
    if x == y:
        return _SAME
    folded_x, folded_y = fold(x), fold(y)
    if folded_x == folded_y:
        return _accents(x, y)
    shared = _singulars(folded_x) & _singulars(folded_y)
    if shared:
        return _RISKY if shared & _ANOTHER_IN_PLURAL else _FORM
    if _respelled(folded_x) == _respelled(folded_y):
        return _FORM
    if min(len(x), len(y)) >= SLIP and slipped(folded_x, folded_y, alone=False):
        return _SLIP
    return _RISKY if _near(folded_x, folded_y) else _OTHER


def _near(x: str, y: str) -> bool:
    """Whether two words could be one misspelled, though they need not be."""
    shorter = min(len(x), len(y))
    return shorter >= 7 and x[:1] == y[:1] and x[-1] == y[-1] and OSA.distance(x, y) == 1


def _nearly_spelled(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether single words lie close for their letters rather than their meaning ("esposa", "esposas")."""
    return any(fold(x)[:4] == fold(y)[:4] and OSA.normalized_similarity(fold(x), fold(y)) > 0.7 for x in a for y in b)


def _accents(x: str, y: str, names: bool = False) -> int:
    """Whether two words that differ in their accents are one: somebody left them out, and they tell nothing."""
    folded = fold(x)
    if folded not in (x, y):
        return _RISKY  # two accents: "avô", "avó"
    accented = y if x == folded else x
    marked = unicodedata.normalize("NFD", accented)
    known = not known_words().isdisjoint((accented, accented.removesuffix("s")))
    # A tilde or cedilla makes another letter, but no Portuguese word ends in -ao where it could end in -ão.
    bare = re.sub(r"c?\u0327?a\u0303o(?=s?$)|c?\u0327?o\u0303es$|a\u0303es$", "", marked)
    if re.search(r"[\u0303\u0327]", bare) and (accent_tells(folded) or (len(folded) < SLIP and not known)):
        return _RISKY
    if names:
        return _FORM
    final = re.search(r"[aeiou][\u0300-\u0302\u0308]s?$", marked)
    return _RISKY if final or folded in _ACCENTED or accent_tells(folded) else _FORM


@lru_cache(_KEPT)
def _singulars(word: str) -> frozenset[str]:
    """The words that a folded word may be the plural of, itself included, in the three languages."""
    found = {word, _IRREGULAR.get(word, word)}
    for ending, singular in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) and len(word) >= 4:
            found.add(word[: -len(ending)] + singular)
    return frozenset(found)


@lru_cache(_KEPT)
def _readings(word: str) -> tuple[str, ...]:
    return tuple(sorted({_respelled(singular) for singular in _singulars(word)}))


@lru_cache(_KEPT)
def _respelled(word: str) -> str:
    for pattern, canonical in _RESPELLINGS:
        word = pattern.sub(canonical, word)
    return word


def _regendered(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether a word of one label is the other gender of a word in the same place of the other one."""
    return len(a) == len(b) and any(_genders(fold(x), fold(y)) for x, y in zip(a, b, strict=True))


def _genders(x: str, y: str) -> bool:
    for masculine, feminine in ((x, y), (y, x)):
        m, f = (word[:-1] if word.endswith("s") and len(word) > 3 else word for word in (masculine, feminine))
        if {m, f} == {"meu", "minha"} or (m[-1:] in ("o", "e") and len(m) > 2 and m[:-1] + "a" == f):
            return True
        if m[-1:] in ("r", "n", "l", "z") and len(m) > 3 and m + "a" == f:
            return True
        if m.endswith("ao") and f in (m[:-1], m[:-2] + "oa", m[:-2] + "ona"):
            return True
    return False


def _negated(words: Sequence[str]) -> bool:
    return any(fold(word) in _NEGATIONS for word in words)


def _content(words: Sequence[str]) -> frozenset[str]:
    said = frozenset(fold(word) for word in words)
    return said - _ARTICLES - _OF - _CONTRACTED - {"of", "for"}


@lru_cache(_KEPT)
def _split(label: str) -> tuple[str, ...]:
    """The words of a label, case folded, accents kept, apostrophes dropped."""
    return tuple(re.sub("['’]", "", word) for word in _WORD.findall(unicodedata.normalize("NFC", label.casefold())))


def _ungenitive(word: str) -> tuple[str, bool]:
    """ "neighbour's" → ("neighbour", True)."""
    bare = re.sub(r"['’]s?$", "", word)
    return (bare, True) if bare != word else (re.sub("['’]", "", word), False)
