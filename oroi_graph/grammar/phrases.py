"""What a chunk says: readable relations of verb groups, clean labels of noun phrases."""

from __future__ import annotations

from dataclasses import dataclass, field

from oroi_graph.grammar.lexicon import ACTIVITIES, ADJECTIVE_ENDINGS, LEXICONS, Lexicon
from oroi_graph.grammar.tokens import Token, is_acronym
from oroi_graph.grammar.verbs import NOUNS_TOO, VerbForm, english_past, english_verb, spanish_verb_at_start
from oroi_graph.grammar.words import word_set

MAX_LABEL_WORDS = 6
PARTICLES = word_set("up out away back down off together")


@dataclass(slots=True)
class Chunk:
    """`kind`: np, pron, verb, prep, and, sub, if, date, clock, comma, stop, adv, neg, hey,
    called, inf (of "a dog called Max").

    A noun phrase has a clean `label`, its `concept` kind, the `owner` it belongs to ("I", "Ana", "" for none)
    and its `head` without the owner; `inner` are names within its label. A verb group has its readable
    `relation`, `negated`, its `person` (0 if unmarked) and lemma."""

    kind: str
    text: str
    label: str = ""
    concept: str = "concept"
    owner: str = ""
    head: str = ""
    article: str = ""
    inner: list[str] = field(default_factory=list)
    relation: str = ""
    negated: bool = False
    person: int = 0
    lemma: str = ""
    tense: str = ""
    clitic: str = ""
    no_longer: bool = False


def english_relation(words: list[str], said: list[Token], *, negated: bool, no_longer: bool) -> Chunk:
    """A verb group's chunk, with its relation in the third person."""
    chunk = Chunk("verb", " ".join(t.text for t in said), negated=negated, no_longer=no_longer)
    chunk.relation = _readable(words)
    main = words[-2] if len(words) > 1 and words[-1] in PARTICLES else words[-1]
    first, last = english_verb(words[0]), english_verb(main)
    chunk.lemma = last.lemma if last else main
    chunk.tense = first.tense if first else "base"
    planned = words[0] in {"am", "is", "are"} and words[-1].endswith("ing")  # "I am meeting Tom on Friday"
    if words[0] in {"will", "shall"} or "going" in words or planned:
        chunk.tense = "future"
    elif words[0] in _HYPOTHETICAL or words == ["can"]:
        chunk.tense = "hypothetical"
    elif first is not None and first.lemma == "have" and len(words) > 1 and words[1] != "to":
        chunk.tense = "perfect"
    return chunk


_HYPOTHETICAL = word_set("would could should may might must")


def _readable(words: list[str]) -> str:
    """ "am going" → "is going", "did … buy" → "bought", "have adopted" → "adopted", "live" → "lives"."""
    first = english_verb(words[0])
    if len(words) > 1 and words[0] in {"do", "does", "did"} and words[1] != "to":
        return _readable([tensed(words[1], past=words[0] == "did"), *words[2:]])
    if len(words) > 1 and first is not None and first.lemma == "have" and words[1] != "to":
        form = english_verb(words[1])
        if words[1] == "been":
            return " ".join(["has been" if len(words) == 2 else "is", *words[2:]])
        return " ".join([form.third if form else words[1], *words[2:]])
    if first is None:
        unknown = words[0] if words[0].endswith(("ed", "s")) or len(words) > 1 else f"{words[0]}s"
        return " ".join([unknown, *words[1:]])
    head = first.third if first.tense in {"base", "s"} or first.lemma == "be" else words[0]
    return " ".join([head, *words[1:]])


def tensed(base: str, *, past: bool) -> str:
    """A base form in the third person: "live" → "lives", or "lived"."""
    if past:
        return english_past(base)
    form = english_verb(base)
    return form.third if form else f"{base}s"


def spanish_relation(
    words: list[str], verb: VerbForm, said: list[Token], clitic: str, *, negated: bool, no_longer: bool
) -> Chunk:
    """A verb group's chunk; a reflexive keeps its "se" ("me mudé" → "se mudó")."""
    chunk = Chunk("verb", " ".join(t.text for t in said), negated=negated, no_longer=no_longer, clitic=clitic)
    chunk.person, chunk.tense, chunk.lemma = verb.person, verb.tense, verb.lemma
    chunk.relation = " ".join([verb.third, *words[1:]])
    last = spanish_verb_at_start(words[-1])
    if verb.lemma == "haber" and last is not None:
        chunk.lemma = last.lemma
    if verb.lemma == "ir" and len(words) > 1:
        chunk.tense = "future"
    reflexive = clitic == "se" or (clitic, verb.person) in {("me", 1), ("nos", 4), ("te", 2), ("os", 5)}
    if reflexive:
        chunk.relation = f"se {chunk.relation}"
    return chunk


_ARTICLES = word_set("a an the el la los las un una unos unas")


def noun_phrase(body: list[Token], owner: str, owned: str, article: str, language: str, *, first: bool) -> Chunk:
    """A noun phrase's chunk: praise and empty nouns removed, lower-cased at a sentence's start."""
    lexicon = LEXICONS[language]
    words = list(body)
    junk = lexicon.evaluative | lexicon.interjections
    while (
        words
        and words[0].kind == "word"
        and (words[0].low in junk or (language == "en" and len(words) > 1 and is_generic_gerund(words[0].low)))
    ):
        words.pop(0)
    while words and words[-1].kind == "word" and words[-1].low in junk:
        words.pop()
    head = words[-1 if language == "en" else 0] if words else None
    text = " ".join(t.text for t in body)
    empty = Chunk("np", text, "", article=article, owner="")
    if head is None or (
        head.kind == "word"
        and _empty(head.low, lexicon, alone=len(words) == 1 and not owned and article not in _ARTICLES)
    ):
        return empty
    if len(words) > MAX_LABEL_WORDS:
        words = words[-MAX_LABEL_WORDS:] if language == "en" else words[:MAX_LABEL_WORDS]
    kinds = {t.kind for t in words}
    concept = next(iter(kinds)) if kinds in ({"name"}, {"value"}) else "concept"
    said = [t.text if t.kind != "word" or is_acronym(t.text) or not (first and t is body[0]) else t.low for t in words]
    label = " ".join(said)
    inner = [t.text for t in words if t.kind == "name" and concept == "concept" and not is_acronym(t.text)]
    if owned and concept == "concept":
        return Chunk("np", text, f"{owned} {label}", concept, owner, label, article, inner)
    return Chunk("np", text, label, concept, owner, label, article, inner)


def _empty(low: str, lexicon: Lexicon, *, alone: bool) -> bool:
    if low in lexicon.junk or len(low) < 2 or low.isdigit():
        return True
    return alone and (low.endswith(ADJECTIVE_ENDINGS) or (lexicon is LEXICONS["en"] and _verb_only(low)))


def is_generic_gerund(low: str) -> bool:
    """A gerund that names no activity ("getting", "making")."""
    verb = english_verb(low)
    return verb is not None and verb.tense == "ing" and low not in ACTIVITIES


def _verb_only(low: str) -> bool:
    verb = english_verb(low)
    if verb is None:
        return low.endswith("ed") and len(low) > 5
    return is_generic_gerund(low) or (verb.tense != "ing" and low not in NOUNS_TOO and verb.tense != "s")
