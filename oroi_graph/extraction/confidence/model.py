"""How sure a relation is that the offline extractor read: a logistic model over how its parts stand in the text.

People who chat leave out subjects, punctuation and words, and rules then read relations that nobody stated ("Dwayne saw
front"). What they have in common shows in the words: the verb is of another person, the object is cut, something stands
between them, the clause has words that the relation does not account for. The weights are fitted on relations that
people judged as right or wrong (`benchmarks/fact_confidence.py`; decisions 0602, 1957).
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files

from oroi_graph.extraction.confidence.signals import COPULAS, signals
from oroi_graph.language.relations import LASTING, relation_class
from oroi_graph.model import ExtractedRelation

# Of what lasted long ago: it is quoted and not stated, as a sentence without its time would tell it as lasting still.
_LONG_AGO = 0.3
_SUREST = 0.99  # of what rules read: only what nobody rates is certain
_UNSAID = 0.35  # likewise of names that only explain a number: they are quoted
_NAMES = r"\s+(?:(?:(?:o|a|el|la)\s+)?\w+(?:,|\s+(?:and|y|e))\s+)*(?:(?:o|a|el|la)\s+)?"  # "Aida, Leo and"

WEIGHTS: Mapping[str, float] = tomllib.loads((files(__package__) / "weights.toml").read_text("utf-8"))  # log odds


def rated(relations: Sequence[ExtractedRelation], text: str, language: str) -> tuple[ExtractedRelation, ...]:
    """The relations that were read from `text`, each with its confidence.

    "My partner Dev" is read as a partner of mine and as who my partner is: both are as sure as the surer one. Of "we
    have two children, Aida and Leo" nobody would say that I have Aida.
    """
    if not relations:
        return ()
    each = [replace(one, confidence=confidence(one, text, language)) for one in relations]
    alike = [[other.confidence for other in each if other is one or _is_role_of(other, one)] for one in each]
    rated_alike = [replace(one, confidence=max(found)) for one, found in zip(each, alike, strict=True)]
    return tuple(
        replace(one, confidence=min(one.confidence, _UNSAID)) if _is_counted(one, each, text) else one
        for one in rated_alike
    )


def _is_counted(one: ExtractedRelation, each: Sequence[ExtractedRelation], text: str) -> bool:
    """Whether a relation has as its object one of those whom the object before it counts or names ("a dog, Max")."""
    if relation_class(one.relation) != "has" or not one.target[:1].isupper():
        return False
    counts = (
        o.target for o in each if (o.source, o.relation) == (one.source, one.relation) and not o.target[:1].isupper()
    )
    name = re.escape(one.target)
    return any(re.search(rf"{re.escape(count)}[,:]{_NAMES}{name}\b", text, re.IGNORECASE) for count in counts)


def _is_role_of(role: ExtractedRelation, said: ExtractedRelation) -> bool:
    """Whether `role` ("I –partner→ Dev") says the same as `said` ("my partner –is→ Dev"), or the other way round."""
    whole, part = (said, role) if said.relation in COPULAS else (role, said)
    same = whole.target == part.target and whole.relation in COPULAS and whole.negated == part.negated
    return same and f" {part.relation} " in f" {whole.source} " and part.relation not in COPULAS


def confidence(relation: ExtractedRelation, text: str, language: str) -> float:
    """The probability that a person would call a relation right, 0..1, rounded to thousandths."""
    found = signals(relation, text, language)
    logit = sum(weight * found.get(name, 0.0) for name, weight in WEIGHTS.items())
    sure = min(round(1 / (1 + math.exp(-logit)), 3), _SUREST)
    timeless = relation.past and relation.when is None and relation_class(relation.relation) in LASTING
    return min(sure, _LONG_AGO) if timeless else sure
