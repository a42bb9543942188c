"""Extractive summaries of entries: what stands for most of them, in their own words, within a number of tokens.

Entries are chosen one by one by maximal marginal relevance (Carbonell and Goldstein 1998): near the mean of all, far
from what is chosen already. They stand in the order given. An entry that is too long is cut as gists are.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oroi_graph.contract.comparison import canonical_value
from oroi_graph.errors import InputError
from oroi_graph.language.detection import detect
from oroi_graph.language.stemming import content_words
from oroi_graph.language.tokens import count_tokens
from oroi_graph.providers.extractive import ExtractiveSummarizer

_CENTRAL = 0.6  # weight of standing for all, beside saying something new
_MOST = 400  # entries among which is chosen: those nearest to the mean of all
_SHARE = 2  # an entry may take this part of the tokens before it is cut
_BUCKETS = 512  # of the hashed words, where there are no vectors
_TINY = 1e-12
_LEAST = 8  # tokens below which cutting an entry leaves nothing to read

_SUMMARIZER = ExtractiveSummarizer()


@dataclass(frozen=True, slots=True)
class Digest:
    """short, full: lines, one an entry, within their token counts; "" where nothing fits. used: indices of the texts
    whose words `full` holds, ascending."""

    short: str
    full: str
    used: tuple[int, ...]


def digest(texts: Sequence[str], vectors: NDArray[np.float32] | None, *, short: int = 60, full: int = 240) -> Digest:
    """A digest of texts, oldest first, with their (n, d) unit vectors; None: they are compared by words.

    short, full: tokens as `count_tokens` counts them, 1 <= short <= full. Says nothing that no text says, and nothing
    twice. Deterministic. Raises InputError.
    """
    if not 1 <= short <= full:
        raise InputError(f"a digest needs 1 <= short <= full tokens, got {short} and {full}")
    if vectors is not None and len(vectors) != len(texts):
        raise InputError(f"{len(texts)} texts do not fit {len(vectors)} vectors")
    kept = _distinct(texts)
    if not kept:
        return Digest("", "", ())
    known = vectors is not None
    rows = np.asarray(vectors, dtype=np.float64)[kept] if known else _word_vectors([texts[i] for i in kept])
    order = [kept[i] for i in _ranked(rows)]
    long, used = _filled(texts, order, full)
    brief, _ = _filled(texts, order, short)
    return Digest(brief, long, used)


def _distinct(texts: Sequence[str]) -> list[int]:
    """Indices of texts that say something, the newest of those that say the same."""
    newest = {canonical_value(text): i for i, text in enumerate(texts) if any(c.isalnum() for c in text)}
    return sorted(newest.values())


def _word_vectors(texts: Sequence[str]) -> NDArray[np.float64]:
    """(n, k) unit vectors of the texts' content words, by hashing; zeros for a text without any."""
    vectors = np.zeros((len(texts), _BUCKETS))
    for row, text in enumerate(texts):
        for word in set(content_words(text, detect(text))):
            vectors[row, zlib.crc32(word.encode()) % _BUCKETS] = 1.0
    return np.asarray(vectors / np.maximum(1.0, np.linalg.norm(vectors, axis=1, keepdims=True)))


def _ranked(vectors: NDArray[np.float64]) -> list[int]:
    """Indices of the (n, d) rows in the order in which they would be chosen."""
    total = vectors.sum(axis=0)
    central = vectors @ (total / max(float(np.linalg.norm(total)), _TINY))
    first = sorted(range(len(central)), key=lambda i: (-round(float(central[i]), 9), i))[:_MOST]
    central, cosines = central[first], vectors[first] @ vectors[first].T
    said = np.zeros(len(first))
    left = np.ones(len(first), dtype=bool)
    order = []
    for _ in first:
        worth = np.where(left, np.round(_CENTRAL * central - (1 - _CENTRAL) * said, 9), -np.inf)
        best = int(worth.argmax())
        order.append(first[best])
        left[best] = False
        said = np.maximum(said, cosines[best])
    return order


def _filled(texts: Sequence[str], order: Sequence[int], tokens: int) -> tuple[str, tuple[int, ...]]:
    """As many texts as fit, in their own order, and which ones they are."""
    lines: dict[int, str] = {}
    room = tokens
    for i in order:
        line = _cut(" ".join(texts[i].split()), max(room if not lines else 0, min(room, tokens // _SHARE)))
        cost = count_tokens(line)
        if line and cost <= room:
            lines[i] = line
            room -= cost
        if room < 1:
            break
    used = tuple(sorted(lines))
    return "\n".join(lines[i] for i in used), used


def _cut(text: str, tokens: int) -> str:
    """A text, or its best sentences and clauses, within a number of tokens; "" where too few are left to read."""
    if count_tokens(text) <= tokens:
        return text
    most = 4 * tokens
    while tokens >= _LEAST and most >= tokens:
        gist = _SUMMARIZER.gist(text, (), most)
        if gist and count_tokens(gist) <= tokens:
            return gist
        most = most * 4 // 5
    return ""
