"""The cues of a question, without a language model: names, specific spans, values, dates, speakers (S5).

The offline extractor reads the question as it would a turn; perception's own reading of "I" and "my boss" applies,
so that a question finds what a statement made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

from oroi_graph.entities.fact_updates import relation_class
from oroi_graph.entities.linker import lexical_query, rescue
from oroi_graph.entities.mentions import Mention, read, speaker_mention
from oroi_graph.entities.resolution import same_concept
from oroi_graph.language import detection
from oroi_graph.language.normalize import label_key, tokens
from oroi_graph.language.pronouns import is_first_person
from oroi_graph.language.relations import asked_relations
from oroi_graph.language.relations import relation_class as canonical
from oroi_graph.language.sentences import is_small_talk
from oroi_graph.language.stemming import content_words, stop_words
from oroi_graph.language.values import find_values
from oroi_graph.language.verbs.forms import verb, verb_at_start
from oroi_graph.model import ConceptKind, ExtractedConcept, Extraction, Utterance
from oroi_graph.providers.protocols import Extractor

NEAREST = 0.62  # cosine from which a span's nearest concept is its cue: looser than resonance, nothing is merged
RESEMBLING = 0.80  # … where the labels have words in common and others that differ
RECOGNISED = 0.40  # affinity from which a lit concept stands in for a question that names nothing
CLOSE_SECOND = 0.8  # … and how near the most affine one another must come
# Relations that any question has in its grammar say nothing of what it asks for.
_GENERIC = frozenset({"is a", "has", "is located in"})
_PREPOSITIONS = ("in", "at", "to", "en", "a", "de", "em", "para")
# The extractor reads statements: a question word at the beginning looks like a name to it.
_ASKING = frozenset(
    "onde aonde quando qual quais quem quanto quanta quantos quantas dónde adónde cuándo cuál cuáles cómo qué quién"
    " quiénes cuánto cuánta cuántos cuántas".split()
)
_CAPITALISED = re.compile(r"(?<=[\w,;:] )[A-ZÀ-ÖØ-Þ][^\W_]*(?: [A-ZÀ-ÖØ-Þ][^\W_]*)*")
_BEFORE_NOUNS = frozenset(
    "el la los las un una unos unas del al este esta ese esa mi mis tu tus su sus o os as um uma do da meu minha seu"
    " sua".split()
)

_PAST = re.compile(
    r"\b(before|used? to|previous(?:ly)?|former(?:ly)?|earlier|old|beginning|at first|first|originally|initially"
    r"|no longer|start(?:ed)? (?:out|off)|begin|began|until (?:then|recently)|in the past|back then|prior"
    r"|did \w+ (?:live|work)"
    r"|antes|antigu[oa]s?|anterior(?:es|mente)?|sol[ií]as?|vivías?|trabajabas?|tenías?|era[ns]?"
    r"|al (?:principio|comienzo)|en un principio|ya no"
    r"|primer[oa]?|originalmente|inicialmente|empe(?:cé|zó|zaste|zamos)|comen(?:cé|zó|zaste)|hasta entonces"
    r"|antig[oa]s?|costumava|morava|trabalhava|tinha|já não|no início|no começo|primeir[oa]|come[cç](?:ou|ei)"
    r"|originalmente)\b",
    re.IGNORECASE,
)


_OF = re.compile(
    r"['’]s\b|\b(?:of|del?|d[oa]s?|who(?:se)?|that|which|que|quien|cuy[oa]|d?onde|(?<=\w )where|(?<=\bde )mis?"
    r"|(?<=\bof )my)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(at first|first|originally|initially|start(?:ed)? (?:out|off)?|beginning|al (?:principio|comienzo)"
    r"|en un principio|primer[oa]?"
    r"|originalmente|inicialmente|empe(?:cé|zó|zaste|zamos)|comen(?:cé|zó|zaste)|no início|no começo|primeir[oa]"
    r"|come[cç](?:ou|ei))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is looked up: its spans, its relation classes, whether it asks about the past."""

    text: str
    language: str
    speaker: str
    spans: tuple[Mention, ...]
    stems: frozenset[str]
    classes: tuple[str, ...]
    past: bool
    nested: bool  # whether it names its answer over several others
    first: bool  # whether it asks how something was at first
    small_talk: bool


@dataclass(frozen=True, slots=True)
class Cue:
    """Where one wave starts: a concept, the span that named it, and what the cue is worth (0..1)."""

    span: str
    concept_id: str
    label: str
    kind: ConceptKind
    method: str
    weight: float

    @property
    def specific(self) -> bool:
        """Whether the cue names somebody or something; a self is everybody's neighbour."""
        return self.kind != "self"


def ask(text: str, speaker: str, at: datetime | None, reader: Extractor) -> Question:
    """Read a question. `reader` is the offline extractor: nothing is asked of a model to read a cue."""
    tongue = detection.detect(text)
    extraction = reader.extract(Utterance(text, speaker, "user", at), ())
    mentions, relations, lookups = read(_bare(extraction, text, tongue, at), speaker, text, at)
    stems = frozenset(content_words(text, tongue))
    phrases = [r.relation for r in relations if not r.implied]
    return Question(
        text=text,
        language=tongue,
        speaker=speaker,
        spans=tuple(_spans([*mentions, *lookups], text, speaker)),
        stems=stems,
        classes=tuple(dict.fromkeys([*_classes(text), *(relation_class(p) for p in phrases)])),
        past=bool(_PAST.search(text)),
        nested=len(_OF.findall(text)) > 1,
        first=bool(_FIRST.search(text)),
        small_talk=is_small_talk(text),
    )


def rows(question: Question, vectors: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The parameter rows of `recall/find`."""
    named = [
        {
            "i": i,
            "key": span.key,
            "kinds": ["value"] if span.kind == "value" else ["name", "concept", "self"],
            "vector": vectors.get(span.label) if span.kind == "concept" else None,
            "words": None if span.kind == "value" else lexical_query(span, key),
        }
        for i, span in enumerate(question.spans)
    ]
    literal = [
        {"i": phrase, "key": phrase, "kinds": ["name", "concept"], "vector": None, "words": None}
        for phrase in _phrases(question)
    ]
    return [*named, *literal]


def find(question: Question, row: Mapping[str, Any]) -> list[Cue]:
    """The cues that were found (the one row of `recall/find`); recognition speaks where nothing is named."""
    cues: dict[str, Cue] = {}
    clock = max(int(row["clock"] or 0), 1)
    by_row = {
        found["i"]: {name: there(found[name]) for name in ("exact", "similar", "lexical")} for found in row["found"]
    }
    lit_now = there(row["lit"])
    known = {span.key for i, span in enumerate(question.spans) if by_row[i]["exact"] and span.kind != "self"}
    candidates = [_candidates(span, by_row[i], question, known) for i, span in enumerate(question.spans)]
    owners = _found_owners(question, [_is_itself(*pair) for pair in zip(question.spans, candidates, strict=True)])
    for span, found in zip(question.spans, candidates, strict=True):
        for candidate, method, worth in found if (span.kind, span.key) not in owners else ():
            weight = worth * specificity(candidate["mentions"], clock)
            if candidate["id"] not in cues or cues[candidate["id"]].weight < weight:
                cues[candidate["id"]] = Cue(
                    span.surface, candidate["id"], candidate["label"], candidate["kind"], method, weight
                )
    said = {label_key(cue.span) for cue in cues.values()} | {label_key(cue.label) for cue in cues.values()}
    for phrase in _phrases(question):
        # The longest first; what is part of a cue's words, or has one of them, is said by that cue.
        if not any(set(phrase.split()) & set(other.split()) for other in said):
            for candidate in by_row.get(phrase, _NOTHING)["exact"][:1]:
                said.add(phrase)
                weight = specificity(candidate["mentions"], clock)
                cues.setdefault(
                    candidate["id"],
                    Cue(phrase, candidate["id"], candidate["label"], candidate["kind"], "literal", weight),
                )
    if not any(cue.specific for cue in cues.values()):
        # Words say more than a resemblance of meanings, above all where the embedder knows the language little.
        said_of = [lit for lit in lit_now if not question.stems.isdisjoint(_content(lit["label"], question))]
        lit_now = [lit for lit in said_of if lit["affinity"] >= RECOGNISED] or lit_now
        best = max((lit["affinity"] for lit in lit_now), default=0.0)
        for lit in lit_now:
            if lit["affinity"] >= max(RECOGNISED, CLOSE_SECOND * best) and lit["id"] not in cues:
                weight = lit["affinity"] * specificity(lit["mentions"], clock)
                cues[lit["id"]] = Cue(lit["label"], lit["id"], lit["label"], lit["kind"], "recognition", weight)
    return list(cues.values())


def _content(label: str, question: Question) -> tuple[str, ...]:
    return content_words(label, question.language)


_NOTHING: Mapping[str, Sequence[Mapping[str, Any]]] = {"exact": ()}


def _phrases(question: Question) -> list[str]:
    """Keys of up to four words in a row, one of content among them, the longest first: labels said word by word."""
    words = [word.strip("¿?.,;:!¡") for word in label_key(question.text).split()]
    runs = (" ".join(words[i : i + n]) for n in (4, 3, 2, 1) for i in range(len(words) - n + 1))
    keys = [*runs, *(f"{word}s" for word in words if word in _DAYS)]
    told = {span.key for span in question.spans}
    return [
        key
        for key in dict.fromkeys(keys)
        if key not in told and not set(key.split()) <= stop_words(question.language) and key not in _ASKING
    ]


# "on a Sunday" asks for what is on Sundays.
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday sábado domingo".split())


def there(rows: Sequence[Mapping[str, Any]], *names: str) -> list[Mapping[str, Any]]:
    """`rows` without those that were deleted while they were read: some of their properties (of `names`) are null."""
    return [row for row in rows if not any(row[name] is None for name in names or row)]


def specificity(mentions: int, clock: int) -> float:
    """Inverse document frequency in (0, 1]: 1 for what was mentioned once, little for what is always mentioned."""
    rarity = math.log((clock + 1) / min(max(mentions, 1), clock + 1) + 1) / math.log(clock + 2)
    return max(rarity, 0.05)


def _candidates(
    span: Mention, row: Mapping[str, Any], question: Question, known: Set[str]
) -> list[tuple[Mapping[str, Any], str, float]]:
    """The concepts a span may mean, each with how it was found and what that is worth. known: keys found as said."""
    if row["exact"]:
        return [(candidate, "exact", 1.0) for candidate in row["exact"]]
    aliased = [c for c in row["lexical"] if span.key in {label_key(alias) for alias in c["aliases"]}]
    if aliased:
        return [(aliased[0], "alias", 1.0)]
    rescued = rescue(span.label, [c["label"] for c in row["lexical"]]) if span.kind == "name" else None
    if rescued is not None:
        return [(row["lexical"][rescued[0]], "rescue", rescued[1])]
    if span.kind == "name":
        # "Ana" may be "Ana Ruiz": for reading, a longer name that contains the words is a fair cue.
        words = set(span.key.split())
        longer = [c for c in row["lexical"] if words and words <= set(label_key(c["label"]).split())]
        return [(c, "part", 0.7) for c in longer[:2]]
    owners = {owner.key for owner in _owners(span)}
    others = [c for c in row["similar"] if label_key(c["label"]) not in owners]
    # Whose owner is known is found by way of the owner rather than by what else has such a name.
    resembling = math.inf if _asks_a_relation(span) or not owners.isdisjoint(known) else RESEMBLING
    alike = same_concept if _is_kind_asked_for(span, question) else partial(_means, resembling=resembling)
    near = [c for c in others if alike(span.label, c["label"], c["score"])]
    return [(near[0], "similar", near[0]["score"])] if near else []


def _is_kind_asked_for(span: Mention, question: Question) -> bool:
    """Whether a span says what kind of thing the answer is ("Which country …?"): no country enters by being one."""
    kinds = {label_key(noun) for noun in _KIND.findall(question.text)}
    return span.owner is None and span.key in kinds


_KIND = re.compile(r"\b(?:what|which|qué|cuál|que|qual|quais) (\w+)\b", re.IGNORECASE)


def _owners(span: Mention) -> Iterator[Mention]:
    """The owner of a span, its owner's owner …"""
    owner = span.owner
    while owner is not None:
        yield owner
        owner = owner.owner


def _asks_a_relation(span: Mention) -> bool:
    """Whether an owned span's words ask how things stand with its owner ("my home", "my employer").

    Another thing of the owner's only resembles such a span; the owner and the relation lead to the answer.
    """
    if span.owner is None:
        return False
    owners = set(tokens(span.owner.label))
    heads = [word for word in re.findall(r"\w+", span.label.casefold()) if word not in owners]
    asked = [word for word in heads if asked_relations((word,))]
    return bool(asked) and all(word in asked or word in _LINKS for word in heads)


_LINKS = frozenset("of de d do da del".split())


def _means(span: str, label: str, cosine: float, resembling: float) -> bool:
    """Whether a span is near enough to a concept to enter there.

    Words in common raise a cosine by themselves: "gata de Ana" is as near to "madre de Ana" as to a cat. So
    labels that share some words and differ on both sides need far more (`resembling`).
    """
    if same_concept(span, label, cosine):
        return True
    words, others = set(tokens(span)), set(tokens(label))
    differ = bool(words & others and words - others and others - words)
    return cosine >= (resembling if differ else NEAREST)


def _spans(mentions: Sequence[Mention], text: str, speaker: str) -> list[Mention]:
    """What the question names; the asking speaker where it says "I" or "me", or a verb says it ("¿Dónde vivo?")."""
    me = speaker_mention(speaker)
    named = [mention for mention in mentions if mention.key.partition(" ")[0] not in _ASKING]
    others = [mention for mention in named if mention.kind != "self" or mention.key != me.key]
    said = any(is_first_person(word) for word in re.findall(r"\w+", text))
    if not said and not any(mention.kind == "name" or mention.owner for mention in others):
        said = _first_person_verb(text)
    return [*others, me] if said or len(others) < len(named) else others


def _first_person_verb(text: str) -> bool:
    """Whether a Spanish question's verb is in the first person; its imperfect, the third person's too, counts."""
    tongue = detection.detect(text)
    words = re.findall(r"\w+", text.casefold()) if tongue != "en" else []
    for before, word in pairwise(["", *words]):
        form = verb_at_start(word, tongue) if before in _ASKING else verb(word, tongue)
        if form is not None and form.person in (1, 4) and before not in _BEFORE_NOUNS:
            return True
    return False


def _is_itself(span: Mention, found: Sequence[tuple[Mapping[str, Any], str, float]]) -> bool:
    """Whether what was found is the owner's own: "my projector" may be found as a projector, and is the speaker's."""
    owner = span.owner
    if owner is None or not found:
        return bool(found)
    return any(method != "similar" or owner.key in label_key(c["label"]) for c, method, _ in found)


def _found_owners(question: Question, found: Sequence[bool]) -> set[tuple[str, str]]:
    """The owners named only inside a possessive whose own concept was found.

    "My boss" and "Marta's brother" name a boss and a brother: their owners start no wave of their own.
    """
    owners: set[tuple[str, str]] = set()
    for span, was_found in zip(question.spans, found, strict=True):
        if was_found and not _asks_a_relation(span):
            owners |= {(owner.kind, owner.key) for owner in _owners(span)}
    words = re.findall(r"\w+", question.text)
    if any(is_first_person(word) for word in words):
        owners.discard(("self", speaker_mention(question.speaker).key))
    return owners


_HOW_MUCH = re.compile(r"\b(?:how much|cuánto|quanto)\b(?! (?:time|tiempo|tempo))", re.IGNORECASE)


def _classes(text: str) -> list[str]:
    """Relation classes named by a question's verbs: "where does Ana live" speaks of "lives in".

    A question puts its preposition elsewhere or leaves it out, so each word is tried with those a statement has.
    """
    words = re.findall(r"\w+", text.casefold())
    spans = {" ".join(words[i : i + width]) for width in (1, 2, 3) for i in range(len(words) - width + 1)}
    phrases = [*sorted(spans), *(f"{word} {preposition}" for word in words for preposition in _PREPOSITIONS)]
    classes = (canonical(phrase) for phrase in phrases)
    named = [name for name in classes if name is not None]
    named += asked_relations(words)
    if _HOW_MUCH.search(text):
        named.append("price")
    return list(dict.fromkeys(name for name in named if name not in _GENERIC))


def _bare(extraction: Extraction, text: str, tongue: str, at: datetime | None) -> Extraction:
    """The extraction as cues: a question replaces and forgets nothing.

    Added is what the extractor, which reads clauses, misses between a question's verbs: capitalised words inside a
    sentence ("What does Bruno play?") and values.
    """
    seen = {label_key(concept.label) for concept in extraction.concepts}
    values = [surface for _, _, surface, _ in find_values(text, tongue, at)]
    said = {word for label in [*seen, *values] for word in tokens(label)}
    names = [name for name in _CAPITALISED.findall(text) if not said.issuperset(tokens(name))]
    missed = [
        *(ExtractedConcept(surface, "value") for surface in values if label_key(surface) not in seen),
        *(ExtractedConcept(name, "name") for name in names if not is_first_person(name)),
    ]
    return Extraction(concepts=(*extraction.concepts, *missed), relations=extraction.relations)
