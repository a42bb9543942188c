"""Questions that ask for two things at once ("Where does she live, and what is her job?")."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from oroi_graph.language import detection
from oroi_graph.language.stemming import content_words
from oroi_graph.recall.features import Candidate, Values, z
from oroi_graph.recall.late_interaction import best_words

LEAST_PART = 3  # words of a question

_TWO = re.compile(
    r"\b(?:and|y|e)(?: (?:in|at|on|by|with|for|from|to|en|de|con|por|para|a|em|com))? "
    r"(?:who|whom|whose|what|which|where|when|how|why|quién|quiénes|qué|cuál|cuáles|d[óo]nde|cu[áa]ndo|cómo"
    r"|cu[áa]nt[oa]s?|quem|qual|quais|que|onde|quando|como|quant[oa]s?)\b",
    re.IGNORECASE,
)
_OF_THEM = re.compile(r"\b(?:his|her|its|their|(?:de )?(?:ella|él|ele|ela))\b", re.IGNORECASE)
_THEY = re.compile(r"\b(?:she|he|it|they|ella|él|ela|ele)\b", re.IGNORECASE)
# What a question is about: a name, or "the …" and "my …" with all that belongs to it.
_NOUN = r"(?!(?:is|are|was|were|do|does|did|es|son|era|está|é|são)\b)[^\W\d_]+"
_THING = rf"\b(?:the|my|our|el|la|los|las|mis?|nuestr[oa]s?|minha|meu) {_NOUN}(?:['’]s {_NOUN})*"
_IS_WHAT = re.compile(
    r"[¿¡]?\w+(?:['’]s| (?:is|are|was|were|es|son|era|está|están|se llaman?|é|são|fica))"
    rf" (?P<what>{_THING}(?: [^\W\d_]+){{0,6}})$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(rf"{_THING}(?: (?:of|del?|d[oa]s?) (?:{_THING}|{_NOUN}))*")
_NAMES_SOMETHING = re.compile(
    r"(?<=[\w,;:] )[A-ZÀ-ÖØ-Þ][^\W_]+|\b(?:the|an?|my|our|your|his|her|its|their|el|los|unos?|unas?|mis?|tus?|sus?"
    r"|nuestr[oa]s?|um|uma|meu|minha|seu|sua)\b"
)
_WHO = re.compile(r"(?<=[\w,;:] )([A-ZÀ-ÖØ-Þ][^\W_]+)(?:['’]s)?(?!\w)")


def parts(text: str) -> list[str]:
    """A question that asks for two things at once, as two; "her" and "she" of the second stand for who the first names.

    A second part that says neither is about the same: whom or what the first one names is put at its end.
    """
    found = _TWO.search(text)
    if found is None or len(text[: found.start()].split()) < LEAST_PART:
        return [text]
    first, second = text[: found.start()].strip(" ,;"), text[found.start() :].split(" ", 1)[1]
    names, subject = _WHO.findall(first), _SUBJECT.search(first)
    whole = _IS_WHAT.match(first)
    stands_for = names[-1] if names else whole["what"] if whole else subject.group() if subject else ""
    if not stands_for:
        return [f"{first}?", second]
    told = _THEY.sub(stands_for, _OF_THEM.sub(f"{stands_for}'s", second))
    if told == second and not _NAMES_SOMETHING.search(second):
        told = f"{second.rstrip(' ?')}, {stands_for}?"
    return [f"{first}?", told]


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
    tongue = detection.detect(text)
    if any(len(content_words(clause, tongue)) < _LEAST for clause in clauses):
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
