"""Questions that ask for two things ("Where does she live, and what is her job?"), or for one thing by two criteria."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

import numpy as np

from oroi_graph.language.parsed_text import ParsedText
from oroi_graph.language.stemming import content_words
from oroi_graph.recall.ranking.features import Values, z_scores
from oroi_graph.recall.ranking.ranker import best_of_several
from oroi_graph.recall_options import Selection
from oroi_graph.working_set.candidates import Candidate

_TWO = re.compile(
    r"\b(?:and|y|e)(?: (?:in|at|on|by|with|for|from|to|en|de|con|por|para|a|em|com))? "
    r"(?:who|whom|whose|what|which|where|when|how|why|quién|quiénes|qué|cuál|cuáles|d[óo]nde|cu[áa]ndo|cómo"
    r"|cu[áa]nt[oa]s?|quem|qual|quais|que|onde|quando|como|quant[oa]s?)\b",
    re.IGNORECASE,
)
_OF_THEM = re.compile(r"\b(?:his|her|its|their|(?:de )?(?:ella|él|ele|ela))\b", re.IGNORECASE)
_THEY = re.compile(r"\b(?:she|he|it|they|ella|él|ela|ele)\b", re.IGNORECASE)
# The subject of a question: a name, or "the …" and "my …" with its possessives.
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


def parts(text: str, selection: Selection) -> list[str]:
    """The one or two questions that a text asks. Pronouns of the second ("her", "she") become the subject of the first.

    The subject is put at the end of a second question that has neither a pronoun nor a subject of its own.
    """
    found = _TWO.search(text)
    if found is None or len(text[: found.start()].split()) < selection.part_words:
        return [text]
    first, second = text[: found.start()].strip(" ,;"), text[found.start() :].split(" ", 1)[1]
    subject = _subject(first)
    if not subject:
        return [f"{first}?", second]
    told = _THEY.sub(subject, _OF_THEM.sub(f"{subject}'s", second))
    if told == second and not _NAMES_SOMETHING.search(second):
        told = f"{second.rstrip(' ?')}, {subject}?"
    return [f"{first}?", told]


def _subject(question: str) -> str:
    """Whom or what a question is about: its last name, else a thing; "" if it names neither."""
    names = _WHO.findall(question)
    if names:
        return str(names[-1])
    whole, thing = _IS_WHAT.match(question), _SUBJECT.search(question)
    return whole["what"] if whole else thing.group() if thing else ""


_AND = re.compile(
    r",?\s+(?:and|but|y|e|pero|mas)\s+(?:also |still |además |también |também |ainda )?|,\s+(?=[^,]+$)", re.IGNORECASE
)


def criteria(parsed: ParsedText, selection: Selection) -> list[str]:
    """The criteria of a question that asks for one thing by several; none for any other question."""
    clauses = [clause.strip(" ¿?") for clause in _AND.split(parsed.text)]
    if len(clauses) < 2 or len(parts(parsed.text, selection)) > 1:
        return []
    if any(len(content_words(clause, parsed.language)) < selection.criterion_words for clause in clauses):
        return []
    return clauses


def meeting_all(
    asked: Sequence[str | None],
    said: Sequence[Candidate],
    words: Mapping[str, str | None],
    selves: Collection[str],
    dimensions: int,
    least_lead: float,
) -> list[str]:
    """Ids of the records that tell how one concept meets each criterion; none if no concept clearly leads.

    asked: the criteria's words, packed; words: those of each record, by id. selves: speakers, who do not count: most
    records mention them. dimensions: of the embedder. least_lead: of the first concept over the second, in standard
    deviations summed over the criteria.
    """
    held = [candidate for candidate in said if candidate.role != "assistant" and words.get(candidate.id)]
    met = best_of_several(asked, [words[c.id] for c in held], dimensions)
    if not held or any(one is None for one in met):
        return []
    scores = [z_scores(one.mean(axis=0)) for one in met if one is not None]
    mentioning: dict[str, list[int]] = {}
    for i, candidate in enumerate(held):
        for concept in candidate.concepts:
            if concept not in selves:
                mentioning.setdefault(concept, []).append(i)
    return [held[i].id for i in _leading(scores, mentioning, least_lead)]


def _leading(scores: Sequence[Values], mentioning: Mapping[str, Collection[int]], least_lead: float) -> list[int]:
    """The records, one a criterion, of the concept whose records meet the criteria best; none if it does not lead."""
    if len(mentioning) < 2:
        return []
    counts = np.array([len(records) for records in mentioning.values()])
    records, starts = np.fromiter(chain.from_iterable(mentioning.values()), dtype=np.int64), np.cumsum(counts) - counts
    total, best = np.zeros(len(counts)), np.zeros((len(scores), len(counts)), dtype=np.int64)
    for i, one in enumerate(scores):
        most = np.maximum.reduceat(one[records], starts)
        total += most
        # Of records that meet it alike the first: each concept's stand in their order.
        first = np.where(one[records] == np.repeat(most, counts), records, len(one))
        best[i] = np.minimum.reduceat(first, starts)
    leader, *others = sorted(zip((-total).tolist(), mentioning, best.T.tolist(), strict=True))
    # A concept mentioned by the same records is part of the answer and no rival.
    rival = next((-worth for worth, _, by in others if by != leader[2]), -np.inf)
    if len(set(leader[2])) < 2 or -leader[0] - rival < least_lead:
        return []
    return list(dict.fromkeys(leader[2]))
