"""Entity linking: which stored concepts a mention may be. Perception and questions share these rules.

Candidates come from the working set (`working_set/entry`), one row a mention:

- `exact`: concepts with the mention's label key.
- `similar`: concepts near to the mention's vector, with their cosine as `score`. Filled when `exact` is empty.
- `lexical`: concepts whose label or aliases share, begin with or nearly spell a word. Filled when `exact` is empty.

The rules, in the order in which callers ask: `exact_or_alias`, then `rescued` for a name that is truncated or
misspelled. Callers decide what else counts: perception merges and must be sure, a question only starts to search.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from rapidfuzz.distance import OSA, Levenshtein
from rapidfuzz.fuzz import ratio

from oroi_graph.entities.known_words import accent_tells, known_folded, known_words
from oroi_graph.entities.label_numbers import numbered_apart
from oroi_graph.entities.mentions import Mention
from oroi_graph.language import detection
from oroi_graph.language.lexicons.tables import tables, words
from oroi_graph.language.normalize import fold, label_key, search_words, tokens
from oroi_graph.language.stemming import stem
from oroi_graph.storage.store import Row
from oroi_graph.working_set.words.search import Spelling

SIMILAR = 0.90  # τ: cosine of all-MiniLM-L6-v2 from which two concept labels are one concept
SAME_STEMS = 0.60  # enough when both labels have the same content stems ("guitar lessons", "lessons of guitar")
RESPELLED = 2  # edits between two spellings of one word: "theatre" / "theater"
MARGIN = 0.08  # a rescue must beat the next candidate by this much of 0..1 similarity
SHORTEST, LONG, CUT = 5, 8, 3  # letters: none may be wrong below, two may from; and what a truncated word must lack
TRUNCATED, SHORTEST_KNOWN = 4, 3  # letters from which a word may be a truncated one, and of the shortest known word
TWO_SLIPS = 10  # letters from which merging allows two edits in a word

_ROWS = tables("labels")
_OPPOSITES = [pair.split(":") for pair in words(_ROWS, "opposites")]
_NAME_ENDINGS, _EMPTY, _LINKS = (words(_ROWS, name) for name in ("name_endings", "empty", "links"))
_WORD = re.compile(r"[^\W_]+")
_VOWELS = frozenset("aeiouy")
_DOUBLED = re.compile(r"(.)\1")
_LETTERS = re.compile("[ñçãõ]")  # letters of their own rather than accented ones

Method = Literal["exact", "alias", "rescue", "part", "similar"]


@dataclass(frozen=True, slots=True)
class Link:
    """A candidate that a mention may be: its row, the rule that found it, and how sure it is (0..1)."""

    candidate: Row
    method: Method
    score: float


def candidate_row(i: int, mention: Mention, kinds: Sequence[str], vectors: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with which the candidates of a mention are searched for.

    i: names the row in the result. kinds: of the concepts that may be found. vectors: (d,) by label; only a
    mention of kind "concept" is searched by meaning.
    """
    return {
        "i": i,
        "key": mention.key,
        "kinds": list(kinds),
        "vector": vectors.get(mention.label) if mention.kind == "concept" else None,
        "spelling": spelling_of(mention),
    }


def spelling_of(mention: Mention) -> Spelling | None:
    """How the label of a mention is looked for by words; None for a value, and without words.

    A name may be part of a label, and misspelled; a phrase is in a label with all its words.
    """
    words = [] if mention.kind == "value" else _spelled(mention)
    return Spelling(words, every=mention.kind == "concept") if words else None


def _spelled(mention: Mention) -> list[tuple[str, int]]:
    """The words by which a label is looked for, and how many slips each may have."""
    words = [word for word in search_words(mention.label, 6).split() if len(word) > 1]
    return [(word, _edits(len(word))) for word in words]


def exact_or_alias(mention: Mention, row: Row) -> list[Link]:
    """All candidates with the mention's key, else the first one that has it as an alias, else none."""
    if row["exact"]:
        return [Link(candidate, "exact", 1.0) for candidate in row["exact"]]
    aliased = (c for c in row["lexical"] if mention.key in {label_key(alias) for alias in c["aliases"]})
    return [Link(candidate, "alias", 1.0) for candidate in aliased][:1]


def rescued(label: str, candidates: Sequence[Row], *, strict: bool = False) -> Link | None:
    """The candidate whose name `label` truncates or misspells (see `rescue`), or None."""
    found = rescue(label, [candidate["label"] for candidate in candidates], strict=strict)
    return Link(candidates[found[0]], "rescue", found[1]) if found else None


def rescue(label: str, candidates: Sequence[str], *, strict: bool = False) -> tuple[int, float] | None:
    """The one candidate name that `label` truncates or misspells: (position, similarity in 0..1), or None.

    Every word of the label must be a word of the candidate, begin one, or misspell one; a label whose words all are
    whole words of a longer name is a subset, not a misspelling. Different digits are different names. The best
    candidate must lead by MARGIN. strict: for merging; a word that is a name or a frequent word by itself is no slip.
    """
    spelled = [(i, name) for i, name in enumerate(candidates) if _spells(label, name, strict)]
    scored = sorted(((ratio(fold(label), fold(name)) / 100, -i) for i, name in spelled), reverse=True)
    if not scored or (len(scored) > 1 and scored[0][0] - scored[1][0] < MARGIN):
        return None
    return -scored[0][1], scored[0][0]


def same_concept(a: str, b: str, cosine: float) -> bool:
    """Whether two labels of kind `concept` name one concept, given the cosine of their vectors.

    Meaning alone confuses what differs in one telling word ("left knee" / "right knee" lie at 0.94), so: the same
    word stems in another order or inflection are one concept, unless a word changed its gender; labels that share
    some words and differ in others are apart; only labels without a common word are judged by meaning.
    """
    if cosine < SAME_STEMS:  # the least that any of what follows asks for
        return False
    words_a, words_b = _words(a), _words(b)
    if numbered_apart(a, b) or _opposed(words_a, words_b):
        return False
    stems_a, stems_b = _stems(words_a, a, b), _stems(words_b, a, b)
    if stems_a == stems_b:
        return cosine >= SAME_STEMS and not _regendered(words_a, words_b)
    if stems_a & stems_b:
        return cosine >= SIMILAR and _respelled(words_a - words_b - _LINKS, words_b - words_a - _LINKS)
    return cosine >= SIMILAR


def whole_token_subset(a: str, b: str) -> bool:
    """Whether the words of one name are all words of the other, longer one."""
    words_a, words_b = set(tokens(a)), set(tokens(b))
    return bool(words_a and words_b) and (words_a < words_b or words_b < words_a)


def _spells(label: str, name: str, strict: bool) -> bool:
    said, meant = tokens(label), tokens(name)
    if not said or len(said) > len(meant) or numbered_apart(label, name):
        return False
    if said == meant:  # accents and punctuation only
        return not (strict and _another_letter(label, name))
    inexact = False
    rest = list(meant)
    for word in said:
        if word in rest:
            rest.remove(word)
            continue
        near = next((other for other in rest if word not in meant and _near(word, other, strict)), None)
        if near is None:
            return False
        rest.remove(near)
        inexact = True
    # What is left over may only follow a truncated word: "Guggen" for "Guggenheim Museum".
    return inexact


def _another_letter(a: str, b: str) -> bool:
    """Whether two names that differ in accents only differ in a letter that makes another name ("Pino", "Piño")."""
    for x, y in zip(_WORD.findall(a.casefold()), _WORD.findall(b.casefold()), strict=False):
        if _LETTERS.findall(x) != _LETTERS.findall(y):
            bare = fold(x)
            if len(bare) < SHORTEST_KNOWN or accent_tells(bare) or bare in known_words():
                return True
    return False


def _near(word: str, other: str, strict: bool) -> bool:
    if word.isdigit() or other.isdigit():
        return False
    if strict and (word in known_folded() or len(word) < SHORTEST):
        return False
    # A name that lacks one or two letters at its end is rather another name: "Niger", "Martin", "Erik".
    truncated = len(word) >= TRUNCATED and other.startswith(word) and len(other) - len(word) >= CUT
    if truncated and strict:
        return other[len(word) :] not in _NAME_ENDINGS
    return truncated or _typo(word, other, strict)


def _typo(a: str, b: str, strict: bool) -> bool:
    """Whether two words differ as a slip of the hand does: one edit at 5-7 letters, two from 8.

    A short name may lose, double or swap letters but not exchange one ("Marta", "Maria") nor change its end ("Julio",
    "Julia"). A long one may exchange one letter ("Slovakia", "Slovenia" exchange two), but never end in o for a.
    strict: an exchanged letter needs a known `b` and is no vowel for a vowel ("Jacobsen"); two edits need ten letters;
    no final vowel changes ("Gabriele"); no letter of a short name is doubled ("Rosanna"), and no other letter comes in
    ("Cristiana").
    """
    shorter = min(len(a), len(b))
    allowed = min(_edits(shorter), 1 if strict and shorter < TWO_SLIPS else 2)
    if not allowed or a[0] != b[0] or OSA.distance(a, b) > allowed:
        return False
    doubled = _DOUBLED.sub(r"\1", a) == _DOUBLED.sub(r"\1", b)
    if strict and (abs(len(a) - len(b)) > 1 or (shorter < LONG if doubled else len(a) > len(b))):
        return False
    ends = {a[-1], b[-1]}
    if ends == {"o", "a"} or (strict and len(ends) == 2 and ends <= _VOWELS):
        return False
    swapped = OSA.distance(a, b) < Levenshtein.distance(a, b)
    replaced = [(a[op.src_pos], b[op.dest_pos]) for op in Levenshtein.editops(a, b) if op.tag == "replace"]
    exchanged = len(replaced)
    if shorter < LONG:
        return a[-1] == b[-1] and (swapped or (exchanged == 0 and shorter > SHORTEST))
    if strict and exchanged == 1 and not swapped:
        return b in known_folded() and not _VOWELS.issuperset(replaced[0])
    return swapped or exchanged <= 1


def _edits(length: int) -> int:
    return 0 if length < SHORTEST else 1 if length < LONG else 2


@lru_cache(maxsize=20_000)  # once a label: many turns and questions are near it
def _words(label: str) -> frozenset[str]:
    """The words of a label that tell it from others: all but articles and "of" (whose side changes no meaning)."""
    said = frozenset(re.sub(r"['’]s?$", "", word) for word in tokens(label))
    return said - _EMPTY or said


def _opposed(words_a: frozenset[str], words_b: frozenset[str]) -> bool:
    """Whether a word of one label is the opposite of one of the other, by its prefix."""
    turned = {
        there + word.removeprefix(here)
        for pair in _OPPOSITES
        for here, there in (pair, pair[::-1])
        for word in words_a
        if word.startswith(here)
    }
    return bool(turned & words_b)


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
