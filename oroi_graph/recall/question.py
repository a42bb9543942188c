"""What a question asks, without a language model: what it names, which relations, the past or the present.

The offline extractor reads the question as it would a turn, and the labels are read as in perception: "I" and "my boss"
mean what they mean in a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from itertools import pairwise

from oroi_graph.entities.fact_updates import relation_class
from oroi_graph.entities.mentions import Mention, read, speaker_mention
from oroi_graph.language.lexicons.by_language import LEXICONS
from oroi_graph.language.lexicons.phrases import Sought
from oroi_graph.language.lexicons.pronouns import is_first_person
from oroi_graph.language.normalize import label_key, tokens
from oroi_graph.language.parsed_text import ParsedText, parse
from oroi_graph.language.relations import LASTING_KIN, asked_relations, asks_for_name, same_kin, starts_of_relations
from oroi_graph.language.relations import relation_class as canonical
from oroi_graph.language.stemming import stop_words
from oroi_graph.language.verbs.forms import verb, verb_at_start
from oroi_graph.model import ExtractedConcept, Extraction, Fact, Utterance
from oroi_graph.providers.protocols import Extractor
from oroi_graph.recall.ranking.stressed import asks_for_reminders

# Every question has these relations in its grammar: they do not tell what it asks for.
_GENERIC = frozenset({"is a", "has", "is located in"})
_PREPOSITIONS = ("in", "at", "to", "en", "a", "de", "em", "para")
# The extractor expects statements and takes a question word at the beginning for a name.
QUESTION_WORDS = frozenset(
    "onde aonde quando qual quais quem quanto quanta quantos quantas dónde adónde cuándo cuál cuáles cómo qué quién"
    " quiénes cuánto cuánta cuántos cuántas".split()
)
_CAPITALISED = re.compile(r"(?<=[\w,;:] )[A-ZÀ-ÖØ-Þ][^\W_]*(?: [A-ZÀ-ÖØ-Þ][^\W_]*)*")
_DETERMINERS = frozenset(
    "el la los las un una unos unas del al este esta ese esa mi mis tu tus su sus o os as um uma do da meu minha seu"
    " sua".split()
)
# "What was it called again?" and "¿cómo era que se llamaba?" ask for what is so now: "was" and "era" tell nothing.
_PAST = Sought.words(
    r"before(?! (?:dawn|day(?:break|light)|sun(?:rise|set)|dark|noon|mid(?:day|night)|bed(?:time)?|long|an?|every"
    r"|each|breakfast|lunch|dinner|supper)\b)|used? to|(?<!any )previous(?:ly)?|former(?:ly)?|earlier"
    r"|(?:(?:my|our|your|his|her|its|their|the)|\w+['’]s) old(?! (?:age|m[ae]n|wom[ae]n|lady|people|town)\b)"
    r"|beginning|at first|(?:did|was|were) [^.?!]*\bfirst|first(?! (?:name|aid|floor|thing|of all)\b)(?= \w)"
    r"|originally|initially|no longer|start(?:ed)? (?:out|off)|begin|began|in the past|back (?:then|when)|prior"
    r"|(?:un)?till? (?:then|recently|lately|now|(?:this|that) one)|did \w+ (?:live|work)"
    r"|antes|antigu[oa]s?|anterior(?:es|mente)?|sol[ií]as?|vivías?|trabajabas?"
    r"|al (?:principio|comienzo)|en un principio|ya no"
    r"|originalmente|inicialmente|empe(?:cé|zó|zaste|zamos)|comen(?:cé|zó|zaste)|hasta (?:entonces|ahora|hace poco)"
    r"|prime(?:r[oa]?|ir[oa])(?! (?:a[nñ]o|d[ií]a|curso|grado|piso|andar|nom(?:br)?e|pla?[rt]o|auxilio|socorro)\b)"
    r"|dantes|outrora|antig[oa]s?|costumava|morava|trabalhava|já não|no início|no começo|come[cç](?:ou|ei)"
    r"|até (?:então|agora|há pouco)"
)
_FIRST = Sought.words(
    r"at first|first|originally|initially|start(?:ed)? (?:out|off)?|beginning|al (?:principio|comienzo)"
    r"|en un principio|primer[oa]?"
    r"|originalmente|inicialmente|empe(?:cé|zó|zaste|zamos)|comen(?:cé|zó|zaste)|no início|no começo|primeir[oa]"
    r"|come[cç](?:ou|ei)"
)
_OF = re.compile(
    r"['’]s\b|\b(?:of|del?|d[oa]s?|who(?:se)?|that|which|que|quien|cuy[oa]|d?onde|(?<=\w )where|(?<=\bde )mis?"
    r"|(?<=\bof )my)\b",
    re.IGNORECASE,
)
_ORIGIN = re.compile(r"\bde (?:dónde|donde|onde)\b|\bwhere\b.*\bfrom(?: originally)?\W*$", re.IGNORECASE)
_HOW_MUCH = re.compile(r"\b(?:how much|cuánto|quanto)\b(?! (?:time|tiempo|tempo))", re.IGNORECASE)
# "What is my dog called?" names my dog; the extractor expects "a dog called Max".
_CALLED = re.compile(r" (?:called|named)$", re.IGNORECASE)
_KIND = re.compile(r"\b(?:what|which|qué|cuál|que|qual|quais) (\w+)\b", re.IGNORECASE)
_OF_WORDS = frozenset("of de d do da del".split())
_COPULAS = frozenset(lexicon.copula for lexicon in LEXICONS.values())
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday sábado domingo".split())


@dataclass(frozen=True)
class Question:
    """A question as it is looked up.

    spans: what it names. classes: relation classes it asks for. past: whether it asks how something was; first: how it
    was at first. nested: whether it names its answer over several others ("the sister of my boss's wife"). reminding:
    whether it asks for what was to be remembered ("What should I keep in mind?").
    """

    parsed: ParsedText
    speaker: str
    spans: tuple[Mention, ...]
    classes: tuple[str, ...]
    past: bool
    first: bool
    nested: bool
    reminding: bool

    @property
    def text(self) -> str:
        """The question as asked."""
        return self.parsed.text

    @property
    def language(self) -> str:
        """Its language."""
        return self.parsed.language

    @property
    def stems(self) -> frozenset[str]:
        """Its distinct content words."""
        return self.parsed.stems

    @property
    def values(self) -> tuple[str, ...]:
        """The canonical values it names, dates among them."""
        return tuple(span.key for span in self.spans if span.kind == "value")

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """Label keys of up to four successive words, the longest first; no spans, no function words alone."""
        words = [word.strip("¿?.,;:!¡") for word in label_key(self.text).split()]
        function_words = stop_words(self.language)
        telling = [bool(word) and word not in function_words for word in words]
        keys = [
            " ".join(words[i : i + n])
            for n in (4, 3, 2, 1)
            for i in range(len(words) - n + 1)
            if any(telling[i : i + n])
        ]
        # "on a Sunday" asks for what is on Sundays.
        keys += [f"{word}s" for word in words if word in _DAYS]
        spans = {span.key for span in self.spans}
        return tuple(key for key in dict.fromkeys(keys) if key not in spans and key not in QUESTION_WORDS)

    @cached_property
    def names_kin(self) -> bool:
        """Whether it asks who somebody's lasting kin are, and nothing else of them: "What is my sister called?"."""
        ignored = _no_kin(self.language)
        said = [word for word in self.parsed.tokens if len(word) > 1 and word not in ignored]
        kin = [word for word in said if not LASTING_KIN.isdisjoint(same_kin(word))]
        return bool(kin) and all(word in kin or asks_for_name(word) for word in said)

    def asks_for_kind(self, span: Mention) -> bool:
        """Whether a span names the kind of the answer ("Which country …?"): then no country is a cue."""
        return span.owner is None and span.key in self._kinds

    @cached_property
    def _kinds(self) -> frozenset[str]:
        """The kinds of answers that it asks for, as label keys."""
        return frozenset(label_key(noun) for noun in _KIND.findall(self.text))


def read_question(text: str, speaker: str, at: datetime | None, reader: Extractor) -> Question:
    """Read a question that `speaker` asks at `at`. reader: the offline extractor; no model is called."""
    parsed = parse(text, at)
    extraction = _completed(reader.extract(Utterance(text, speaker, "user", at), ()), parsed)
    mentions, relations, lookups = read(extraction, speaker, parsed)
    stated = [relation_class(r.relation) for r in relations if not r.implied]
    return Question(
        parsed=parsed,
        speaker=speaker,
        spans=tuple(_spans([*mentions, *lookups], parsed, speaker)),
        classes=tuple(dict.fromkeys([*_classes(parsed), *stated])),
        past=_PAST.is_in(text),
        first=_FIRST.is_in(text),
        nested=len(_OF.findall(text)) > 1,
        reminding=asks_for_reminders(text, parsed.language),
    )


@cache
def _no_kin(language: str) -> frozenset[str]:
    """Words that ask, and those that carry no topic; "como" is the "cómo" of who writes no accents."""
    return stop_words(language) | QUESTION_WORDS | {"como"}


def tells_kin(fact: Fact) -> bool:
    """Whether a fact says who somebody's lasting kin are: "Ana –brother→ Luis", "hermano de Ana –se llama→ Luis"."""
    if fact.relation.casefold() in LASTING_KIN:
        return True
    naming = fact.relation in _COPULAS or canonical(fact.relation) == "is called"
    return naming and fact.source.partition(" ")[0].casefold() in LASTING_KIN


def owners(span: Mention) -> Iterator[Mention]:
    """The owner of a span, its owner's owner …"""
    owner = span.owner
    while owner is not None:
        yield owner
        owner = owner.owner


def asks_a_relation(span: Mention) -> bool:
    """Whether an owned span's own words all ask for a relation of its owner ("my home", "my employer").

    Such a span is no cue: its owner is, and the relation leads to the answer.
    """
    if span.owner is None:
        return False
    of_owner = set(tokens(span.owner.label))
    heads = [word for word in re.findall(r"\w+", span.label.casefold()) if word not in of_owner]
    asked = [word for word in heads if asked_relations((word,))]
    return bool(asked) and all(word in asked or word in _OF_WORDS for word in heads)


def _completed(extraction: Extraction, parsed: ParsedText) -> Extraction:
    """The extraction without replacements and requests to forget, which a question does not make.

    Added are values, and capitalised words inside a sentence ("What does Bruno play?"): the extractor reads clauses and
    misses them between a question's verbs. Where it takes the question's verb for a part of a label, the label is cut.
    """
    concepts = [
        replace(concept, label=_CALLED.sub("", concept.label)) if _CALLED.search(concept.label) else concept
        for concept in extraction.concepts
    ]
    seen = {label_key(concept.label) for concept in concepts}
    values = [value.surface for value in parsed.values]
    said = {word for label in [*seen, *values] for word in tokens(label)}
    names = [name for name in _CAPITALISED.findall(parsed.text) if not said.issuperset(tokens(name))]
    missed = [
        *(ExtractedConcept(surface, "value") for surface in values if label_key(surface) not in seen),
        *(ExtractedConcept(name, "name") for name in names if not is_first_person(name)),
    ]
    return Extraction(concepts=(*concepts, *missed), relations=extraction.relations)


def _spans(mentions: Sequence[Mention], parsed: ParsedText, speaker: str) -> list[Mention]:
    """What the question names; the speaker only if it says "I" or "me", or its verb does ("¿Dónde vivo?")."""
    me = speaker_mention(speaker)
    named = [mention for mention in mentions if mention.key.partition(" ")[0] not in QUESTION_WORDS]
    others = [mention for mention in named if mention.kind != "self" or mention.key != me.key]
    said = any(map(is_first_person, parsed.tokens))
    if not said and not any(mention.kind == "name" or mention.owner for mention in others):
        said = _has_first_person_verb(parsed)
    return [*others, me] if said or len(others) < len(named) else others


def _has_first_person_verb(parsed: ParsedText) -> bool:
    """Whether a Romance verb is in the first person; an imperfect that may be the third person's counts, too."""
    if parsed.language == "en":
        return False
    for before, word in pairwise(["", *parsed.tokens]):
        form = (verb_at_start if before in QUESTION_WORDS else verb)(word, parsed.language)
        if form is not None and form.person in (1, 4) and before not in _DETERMINERS:
            return True
    return False


def _classes(parsed: ParsedText) -> list[str]:
    """Relation classes that a question's words ask for: "where does Ana live" asks for "lives in".

    A question moves its preposition or leaves it out, so each word is also tried with the prepositions of statements;
    not one that every question has ("¿Cuál es mi talla?" says no "es de").
    """
    words = parsed.tokens
    starts = starts_of_relations(words)
    spans = {" ".join(words[i : i + width]) for width in (1, 2, 3) for i in starts}
    told = [words[i] for i in starts if canonical(words[i]) not in _GENERIC]
    phrases = [*sorted(spans), *(f"{word} {preposition}" for word in told for preposition in _PREPOSITIONS)]
    named = [name for phrase in phrases if (name := canonical(phrase)) is not None]
    named += asked_relations(words)
    if _HOW_MUCH.search(parsed.text):
        named.append("price")
    if _ORIGIN.search(parsed.text):
        named.append("is from")
    return list(dict.fromkeys(name for name in named if name not in _GENERIC))
