"""How sure a relation is that the offline extractor read: a logistic model over how it stands in its sentence.

People who chat leave out subjects, punctuation and words, and rules then read relations that nobody stated ("Dwayne saw
front"). What they have in common shows in the words: the clause has words that the relation does not account for, its
parts stand apart, its verb is in no class of relations. The weights are fitted on relations that people judged as right
or wrong (`benchmarks/fact_confidence.py`; decision 0602).
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from oroi_graph.language.lexicons.pronouns import is_first_person, possessive
from oroi_graph.language.normalize import tokens
from oroi_graph.language.relations import LASTING, TIMELESS, relation_class
from oroi_graph.language.stemming import stop_words
from oroi_graph.language.tokens import word_set
from oroi_graph.model import ExtractedRelation

_CLAUSE = re.compile(r"[.!?;:,()\n–—\"“”]+|\s-\s|\s+(?:and|but|because|so|y|e|pero|porque|mas|pois)\s+", re.IGNORECASE)
_NAMING = word_set("called named llamado llamada llama llamaba chamado chamada chama chamava")  # "a dog called Max"
_COPULAS = frozenset({"is", "are", "am", "was", "were", "es", "son", "era", "é", "são", "soy", "sou"})
# Of what lasted long ago: it is quoted and not stated, as a sentence without its time would tell it as lasting still.
_LONG_AGO = 0.3
_UNSAID = 0.35  # likewise of names that only explain a number: they are quoted
_NAMES = r"\s+(?:(?:(?:o|a|el|la)\s+)?\w+(?:,|\s+(?:and|y|e))\s+)*(?:(?:o|a|el|la)\s+)?"  # "Aida, Leo and"
_NEAR = 3  # words between two parts, from which they stand apart

WEIGHTS: Mapping[str, float] = tomllib.loads((files(__package__) / "confidence.toml").read_text("utf-8"))  # log odds


def rated(relations: Sequence[ExtractedRelation], text: str, language: str) -> tuple[ExtractedRelation, ...]:
    """The relations that were read from `text`, each with its confidence.

    "My partner Dev" is read as a partner of mine and as who my partner is: both are as sure as the surer one. Of "we
    have two children, Aida and Leo" nobody would say that I have Aida.
    """
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
    whole, part = (said, role) if said.relation in _COPULAS else (role, said)
    same = whole.target == part.target and whole.relation in _COPULAS and whole.negated == part.negated
    return same and f" {part.relation} " in f" {whole.source} " and part.relation not in _COPULAS


def confidence(relation: ExtractedRelation, text: str, language: str) -> float:
    """The probability that a person would call a relation right, 0..1, rounded to thousandths."""
    found = signals(relation, text, language)
    logit = sum(weight * found.get(name, 0.0) for name, weight in WEIGHTS.items())
    sure = round(1 / (1 + math.exp(-logit)), 3)
    timeless = relation.past and relation.when is None and relation_class(relation.relation) in LASTING
    return min(sure, _LONG_AGO) if timeless else sure


def signals(relation: ExtractedRelation, text: str, language: str) -> dict[str, float]:
    """What the model weighs: {name: value}; yes and no are 1 and 0, counts are logarithms of 1 + n."""
    read = _Reading.of(relation, text, language)
    words = relation.relation.split()
    owner = possessive(relation.source)
    return {
        "one": 1.0,
        f"language {language}": 1.0,
        "subject: speaker": float(is_first_person(relation.source)),
        "subject: owned": float(owner is not None),
        "subject: said": float(read.source is not None or (is_first_person(relation.source) and read.first_person)),
        "subject: capitalised": float(relation.source[:1].isupper() and not is_first_person(relation.source)),
        "object: said": float(read.target is not None),
        "object: capitalised": float(relation.target[:1].isupper()),
        "object: words": math.log1p(len(relation.target.split())),
        "known relation": float(relation_class(relation.relation) is not None),
        "copula": float(len(words) == 1 and words[0].casefold() in _COPULAS),
        "apart": float(read.distance is None or read.distance >= _NEAR),
        "unread before": math.log1p(read.before),
        "unread between": math.log1p(read.between),
        "cut off": float(read.cut_off),
        "negated": float(relation.negated),
        "replaces": float(bool(relation.replaces)),
        "dated": float(relation.when is not None and relation_class(relation.relation) not in TIMELESS),
        "words": math.log1p(len(text.split())),
        "tidy": float(text[:1].isupper() and text.rstrip()[-1:] in ".!?"),
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Reading:
    """Where the parts of a relation stand in the clause that holds most of them.

    source, target: positions of their first words, None if they are not there. distance: words between relation and
    target. before, between: content words of the clause before and between the parts. cut_off: whether a content word
    follows the last part at once.
    """

    source: int | None
    target: int | None
    distance: int | None
    before: int
    between: int
    cut_off: bool
    first_person: bool

    @classmethod
    def of(cls, relation: ExtractedRelation, text: str, language: str) -> _Reading:
        parts = [tokens(part) for part in (relation.source, relation.relation, relation.target)]
        wanted = {word for part in parts for word in part}
        clauses = [tokens(clause) for clause in _CLAUSE.split(_joined(relation, text))]
        clause = max(clauses, key=lambda words: sum(word in wanted for word in words), default=[])
        ignored = stop_words(language) | (_NAMING - wanted)
        source, verb, target = (_position(part, clause, ignored) for part in parts)
        ends = [i for i, word in enumerate(clause) if word in wanted and word not in ignored]
        first, last = (ends[0], ends[-1]) if ends else (0, -1)
        unread = [i for i, word in enumerate(clause) if word not in wanted and word not in ignored]
        distance = None
        if verb is not None and target is not None:
            low, high = sorted((verb, target))
            distance = sum(word not in wanted for word in clause[low:high])
        return cls(
            source=source,
            target=target,
            distance=distance,
            before=sum(i < first for i in unread),
            between=sum(first <= i <= last for i in unread),
            cut_off=last + 1 in unread,
            first_person=any(is_first_person(word) for word in clause),
        )


def _joined(relation: ExtractedRelation, text: str) -> str:
    """The text without the comma of an apposition: "my partner, Dev", "o meu companheiro, o Dinis"."""
    words = [word for word in (relation.relation, relation.source.split()[-1]) if f"{word}, " in text]
    if not words:
        return text
    beside = rf"\b({'|'.join(map(re.escape, words))}), (?=(?:[oa] )?{re.escape(relation.target)}\b)"
    return re.sub(beside, r"\1 ", text)


def _position(part: Sequence[str], clause: Sequence[str], ignored: frozenset[str]) -> int | None:
    """Where the first content word of a part stands in a clause; of a part without any, its first word."""
    for word in [word for word in part if word not in ignored] or part:
        if word in clause:
            return clause.index(word)
    return None
