"""Who or what fits several criteria at once, where the associations do not say it (S5).

"Who could steer a boat and cook for a crowd?" names nothing that the memory knows: "Álvaro has a skipper's licence"
and "Álvaro makes paella for forty" only mean it. Each criterion is compared with each record, word by word, and whoever
is told of by records that meet all of them, each as well as any, is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from oroi_graph.language import detection as language
from oroi_graph.recall.decomposition import parts
from oroi_graph.recall.features import Candidate, Values, z
from oroi_graph.recall.late_interaction import best_words

CLEARLY = 0.3  # standard deviations, for all criteria together, by which what fits must lead
_AND = re.compile(
    r",?\s+(?:and|but|y|e|pero|mas)\s+(?:also |still |además |también |também |ainda )?|,\s+(?=[^,]+$)", re.IGNORECASE
)
_LEAST = 2  # words of content that make a criterion


def criteria(text: str) -> list[str]:
    """The criteria of a question that asks for one thing, where there are several; else none."""
    clauses = [clause.strip(" ¿?") for clause in _AND.split(text)]
    if len(clauses) < 2 or len(parts(text)) > 1:
        return []
    tongue = language.detect(text)
    if any(len(language.content_words(clause, tongue)) < _LEAST for clause in clauses):
        return []
    return clauses


def fitting(
    asked: Sequence[str | None],
    said: Sequence[Candidate],
    words: Mapping[str, str | None],
    selves: Collection[str],
    dimensions: int,
) -> list[str]:
    """Ids of the records that say of one concept how it meets each criterion; none where no concept leads clearly.

    asked: the criteria's words, packed; words: of each record. One of the selves is told of by most records and
    fits nothing.
    """
    held = [candidate for candidate in said if candidate.role == "user" and words.get(candidate.id)]
    met = [best_words(criterion, [words[c.id] for c in held], dimensions) for criterion in asked]
    if not held or any(one is None for one in met):
        return []
    worth = [z(one.mean(axis=0)) for one in met if one is not None]
    told: dict[str, list[int]] = {}
    for i, candidate in enumerate(held):
        for concept in candidate.concepts:
            if concept not in selves:
                told.setdefault(concept, []).append(i)
    return _leading(worth, told, [candidate.id for candidate in held])


def _leading(worth: Sequence[Values], told: Mapping[str, Collection[int]], ids: Sequence[str]) -> list[str]:
    """The records of the concept whose records meet the criteria best, if it leads."""
    ranked = []
    for concept, records in told.items():
        best = [max(records, key=lambda i: (one[i], -i)) for one in worth]
        ranked.append((sum(float(one[i]) for one, i in zip(worth, best, strict=True)), concept, best))
    ranked.sort(key=lambda row: (-row[0], row[1]))
    if len(ranked) < 2:
        return []
    (first, _, best), *others = ranked
    # What is told of by the same records is part of the answer, not its rival.
    rival = next((total for total, _, records in others if records != best), -np.inf)
    if len(set(best)) < 2 or first - rival < CLEARLY:
        return []
    return [ids[i] for i in dict.fromkeys(best)]
