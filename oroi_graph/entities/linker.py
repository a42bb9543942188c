"""Entity linking: which stored concepts a mention may be. Perception and questions share these rules.

Candidates come from one database round trip (`entities/resonate`, `recall/find`), one row for each mention:

- `exact`: concepts with the mention's label key.
- `similar`: concepts near to the mention's vector, with their cosine as `score`. Filled when `exact` is empty.
- `lexical`: concepts whose label or aliases share, begin with or nearly spell a word. Filled when `exact` is empty.

The rules, in the order in which callers ask: `exact_or_alias`, then `rescued` for a name that is truncated or
misspelled. Callers decide what else counts: perception merges and must be sure, a question only starts to search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rapidfuzz.distance import OSA, Levenshtein
from rapidfuzz.fuzz import ratio

from oroi_graph.entities.mentions import Mention
from oroi_graph.language.normalize import fold, label_key, lucene_words, tokens
from oroi_graph.storage.store import Row

MARGIN = 0.08  # a rescue must beat the next candidate by this much of 0..1 similarity
SHORTEST, LONG, CUT = 5, 8, 3  # letters: none may be wrong below, two may from; and what a truncated word must lack

Method = Literal["exact", "alias", "rescue", "part", "similar"]


@dataclass(frozen=True, slots=True)
class Link:
    """A candidate that a mention may be: its row, the rule that found it, and how sure it is (0..1)."""

    candidate: Row
    method: Method
    score: float


def candidate_row(
    i: int, mention: Mention, kinds: Sequence[str], vectors: Mapping[str, Any], memory_token: str
) -> dict[str, Any]:
    """The parameters with which the candidates of a mention are searched for.

    i: names the row in the result. kinds: of the concepts that may be found. vectors: driver vectors by label; only a
    mention of kind "concept" is searched by meaning. memory_token: `memory_key` of the memory.
    """
    return {
        "i": i,
        "key": mention.key,
        "kinds": list(kinds),
        "vector": vectors.get(mention.label) if mention.kind == "concept" else None,
        "words": None if mention.kind == "value" else lexical_query(mention, memory_token),
    }


def lexical_query(mention: Mention, memory_token: str) -> str | None:
    """A Lucene query for labels that share, begin with or nearly spell a word of the mention; None without words."""
    words = [word for word in lucene_words(mention.label, 6).split() if len(word) > 1]
    if not words:
        return None
    if mention.kind == "concept":
        terms = [" AND ".join(words)]
    else:
        near = (f" OR {word}~{_edits(len(word))}" if len(word) >= SHORTEST else "" for word in words)
        terms = [f"{word} OR {word}*{fuzzy}" for word, fuzzy in zip(words, near, strict=True)]
    return f"memory_key:{memory_token} AND label_text:(" + " OR ".join(f"({term})" for term in terms) + ")"


def exact_or_alias(mention: Mention, row: Row) -> list[Link]:
    """All candidates with the mention's key, else the first one that has it as an alias, else none."""
    if row["exact"]:
        return [Link(candidate, "exact", 1.0) for candidate in row["exact"]]
    aliased = (c for c in row["lexical"] if mention.key in {label_key(alias) for alias in c["aliases"]})
    return [Link(candidate, "alias", 1.0) for candidate in aliased][:1]


def rescued(label: str, candidates: Sequence[Row]) -> Link | None:
    """The candidate whose name `label` truncates or misspells (see `rescue`), or None."""
    found = rescue(label, [candidate["label"] for candidate in candidates])
    return Link(candidates[found[0]], "rescue", found[1]) if found else None


def rescue(label: str, candidates: Sequence[str]) -> tuple[int, float] | None:
    """The one candidate name that `label` truncates or misspells: (position, similarity in 0..1), or None.

    Every word of the label must be a word of the candidate, begin one, or misspell one (`_typo`); a label whose
    words all are whole words of a longer name is a subset, not a misspelling. The best must lead by MARGIN.
    """
    scored = [(ratio(fold(label), fold(name)) / 100, -i) for i, name in enumerate(candidates) if _spells(label, name)]
    scored.sort(reverse=True)
    if not scored or (len(scored) > 1 and scored[0][0] - scored[1][0] < MARGIN):
        return None
    return -scored[0][1], scored[0][0]


def whole_token_subset(a: str, b: str) -> bool:
    """Whether the words of one name are all words of the other, longer one."""
    words_a, words_b = set(tokens(a)), set(tokens(b))
    return bool(words_a and words_b) and (words_a < words_b or words_b < words_a)


def _spells(label: str, name: str) -> bool:
    said, meant = tokens(label), tokens(name)
    if not said or len(said) > len(meant):
        return False
    if said == meant:
        return True  # accents and punctuation only
    inexact = False
    rest = list(meant)
    for word in said:
        if word in rest:
            rest.remove(word)
            continue
        near = next((other for other in rest if _near(word, other, meant)), None)
        if near is None:
            return False
        rest.remove(near)
        inexact = True
    # What is left over may only follow a truncated word: "Guggen" for "Guggenheim Museum".
    return inexact


def _near(word: str, other: str, whole: Sequence[str]) -> bool:
    if word.isdigit() or other.isdigit() or word in whole:
        return False
    # A name that lacks one or two letters at its end is rather another name: "Niger", "Martin", "Erik".
    truncated = len(word) >= 4 and other.startswith(word) and len(other) - len(word) >= CUT
    return truncated or _typo(word, other)


def _typo(a: str, b: str) -> bool:
    """Whether two words differ as a slip of the hand does: one edit at 5-7 letters, two from 8.

    A short name may lose, double or swap letters but not exchange one ("Marta", "Maria") nor change its end ("Julio",
    "Julia"). A long one may exchange one letter ("Slovakia", "Slovenia" exchange two), but never end in o for a.
    """
    shorter = min(len(a), len(b))
    allowed = _edits(shorter)
    if not allowed or a[0] != b[0] or OSA.distance(a, b) > allowed:
        return False
    if {a[-1], b[-1]} == {"o", "a"}:
        return False
    swapped = OSA.distance(a, b) < Levenshtein.distance(a, b)
    exchanged = sum(op.tag == "replace" for op in Levenshtein.editops(a, b))
    if shorter < LONG:
        return a[-1] == b[-1] and (swapped or (exchanged == 0 and shorter > SHORTEST))
    return swapped or exchanged <= 1


def _edits(length: int) -> int:
    return 0 if length < SHORTEST else 1 if length < LONG else 2
