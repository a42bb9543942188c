"""Ranking of notes: weighted merge → fading with age → order → diversity → the best. Numbers only, no database.

In the profile `seed` this is the formula of the layout's inventor; `current` fades and diversifies always, and weighs
what notes say of themselves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from oroi_graph.language.normalize import tokens
from oroi_graph.language.tokens import words_of
from oroi_graph.workspace.config import QueryConfig
from oroi_graph.workspace.index.marks import NEUTRAL
from oroi_graph.workspace.layout import day_of, is_evergreen

SECONDS = 86_400  # of a day
IMPORTANCE = 0.05  # of the score, for each step away from the neutral importance
TRIGGERED = 0.3  # added to a note that a phrase of the question asks for
UNTRUSTED = 0.5  # of the score of a note that nobody vouches for


@dataclass(frozen=True, slots=True)
class Hit:
    """A note with its score. modified: seconds since 1970. importance: 1 to 10, or None."""

    id: str
    path: str
    start: int
    end: int
    text: str
    source: str
    modified: float
    importance: int | None = None
    triggers: tuple[str, ...] = ()
    provenance: str | None = None
    score: float = 0.0


def text_score(place: float) -> float:
    """The score of a note by its place among those found by words: 1, 1/2, 1/3 … place: from 0, the best."""
    return 1.0 / (1.0 + max(0.0, place))


def merged(near: Mapping[str, float] | None, worded: Sequence[str] | None, config: QueryConfig) -> dict[str, float]:
    """{note id: score}. near: {id: cosine}, None without vectors. worded: ids, the best first, None without full text.

    With one side only its own scores count, else both by their weights, which are normalised to 1.
    """
    texts = {id: text_score(place) for place, id in enumerate(worded or ())}
    if near is None:
        return texts
    if worded is None:
        return dict(near)
    total = config.vector_weight + config.text_weight
    by_vector = config.vector_weight / total if total > 0 else 0.5
    ids = dict.fromkeys([*near, *texts])
    return {id: by_vector * near.get(id, 0.0) + (1 - by_vector) * texts.get(id, 0.0) for id in ids}


def age(hit: Hit, now: float, today: date) -> float:
    """Days since a note: of a daily log by its name, of what never fades 0, of others since they were changed.

    now: seconds since 1970; today: the day where the owner is. Never below 0.
    """
    day = day_of(hit.path)
    if day is not None:
        return float(max(0, (today - day).days))
    if is_evergreen(hit.path):
        return 0.0
    return max(0.0, (now - hit.modified) / SECONDS)


def faded(score: float, days: float, half_life: float) -> float:
    """What is left of a score after some days; half of it after `half_life` days."""
    return score * math.exp(-math.log(2) / half_life * days)


def similarity(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard similarity of two sets of words: 0 to 1."""
    return len(a & b) / len(a | b) if a or b else 0.0


def diverse(hits: Sequence[Hit], balance: float, most: int) -> list[Hit]:
    """The `most` hits that are relevant and unlike each other, the best score first.

    Each next one maximises balance · score − (1 − balance) · its greatest similarity to those chosen. balance: 1 is
    relevance alone, 0 diversity alone. hits: the best first.
    """
    words = {hit.id: frozenset(tokens(hit.text)) for hit in hits}
    left, chosen = list(hits), list[Hit]()
    nearest = dict.fromkeys(words, 0.0)  # the greatest similarity to a chosen one
    while left and len(chosen) < most:
        best = max(left, key=lambda hit: balance * hit.score - (1 - balance) * nearest[hit.id])
        left.remove(best)
        chosen.append(best)
        for hit in left:
            nearest[hit.id] = max(nearest[hit.id], similarity(words[hit.id], words[best.id]))
    return ordered(chosen)


def weighed(hit: Hit, query: str) -> Hit:
    """A hit with what its note says of itself: importance, phrases of the query that ask for it, provenance."""
    score = hit.score * (1 + IMPORTANCE * ((hit.importance or NEUTRAL) - NEUTRAL))
    if hit.provenance == "untrusted":
        score *= UNTRUSTED
    elif any(phrase.strip() and phrase in words_of(query) for phrase in map(words_of, hit.triggers)):
        score += TRIGGERED
    return replace(hit, score=score)


def ordered(hits: Sequence[Hit]) -> list[Hit]:
    """The best score first; among equals by path and line."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.path, hit.start, hit.id))


@dataclass(frozen=True, slots=True)
class Asked:
    """What is ranked for. now: seconds since 1970; today: the owner's day; marked: whether what notes say counts."""

    query: str
    now: float
    today: date
    marked: bool = False


def ranked(hits: Sequence[Hit], asked: Asked, config: QueryConfig) -> list[Hit]:
    """The best hits of merged candidates, the best first."""
    if asked.marked:
        hits = [weighed(hit, asked.query) for hit in hits]
    if config.decay:
        half_life = config.half_life
        hits = [replace(hit, score=faded(hit.score, age(hit, asked.now, asked.today), half_life)) for hit in hits]
    best = [hit for hit in ordered(hits) if hit.score >= config.min_score]
    return diverse(best, config.mmr_lambda, config.max_results) if config.mmr else best[: config.max_results]
