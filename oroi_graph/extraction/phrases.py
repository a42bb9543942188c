"""What a chunk says: readable relations of verb groups, clean labels of noun phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from oroi_graph.extraction.named_entities import is_acronym
from oroi_graph.extraction.tokenizer import Token
from oroi_graph.language.lexicons.by_language import ACTIVITIES, ADJECTIVE_ENDINGS, LEXICONS
from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.english import NOUNS_TOO, english_past, english_verb
from oroi_graph.language.verbs.forms import third_person, verb_at_start
from oroi_graph.language.verbs.verb_form import VerbForm

MAX_LABEL_WORDS = 6
PARTICLES = word_set("up out away back down off together")
_AFTER_VERB = PARTICLES | {"place"}  # "takes place"


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
    active: str = ""  # of a passive: "painted" of "was painted"


def is_of_date(chunks: Sequence[Chunk], i: int) -> bool:
    """Whether chunk `i` is a preposition that goes with a date or a time of day: "since 1 June I work …"."""
    return [chunk.kind for chunk in chunks[i : i + 2]] in (["prep", "date"], ["prep", "clock"])


def english_relation(words: list[str], said: list[Token], *, negated: bool, no_longer: bool) -> Chunk:
    """A verb group's chunk, with its relation in the third person."""
    chunk = Chunk("verb", " ".join(t.text for t in said), negated=negated, no_longer=no_longer)
    stops = words[0] in _STOPPED and len(words) == 2 and words[1].endswith("ing")
    if stops and (doing := english_verb(words[1])) is not None:  # "stopped working at": no longer works at
        words = [doing.lemma]
        chunk.negated, chunk.no_longer = not negated, True
    begins = words[0] in _BEGUN and len(words) == 2 and words[1].endswith("ing")
    if begins and (doing := english_verb(words[1])) is not None:  # "started working at": works at
        words = [doing.lemma]
    chunk.relation = _readable(words)
    main = words[-2] if len(words) > 1 and words[-1] in _AFTER_VERB else words[-1]
    first, last = english_verb(words[0]), english_verb(main)
    chunk.lemma = last.lemma if last else main
    chunk.tense = first.tense if first else "base"
    if negated and words[0] == "can" and chunk.lemma in UNBEARABLE:
        chunk.relation, chunk.negated = f"can't {chunk.lemma}", False
    done = first is not None and first.lemma == "be" and len(words) > 1 and last is not None
    if done and last is not None and last.tense in {"part", "past"} and words[0] in _BE:
        particle = words[-1] if words[-1] in PARTICLES else ""
        active = tensed(last.lemma, past=words[0] in {"was", "were"})
        chunk.active = " ".join(filter(None, (active, particle)))
    planned = words[0] in {"am", "is", "are"} and words[-1].endswith("ing")  # "I am meeting Tom on Friday"
    if words[0] in {"will", "shall"} or "going" in words or planned:
        chunk.tense = "future"
    elif words[0] in _HYPOTHETICAL or (words[0] == "can" and chunk.lemma not in UNBEARABLE | _ABILITIES):
        chunk.tense = "hypothetical"
    elif first is not None and first.lemma == "have" and len(words) > 1 and words[1] != "to":
        chunk.tense = "perfect"
    return chunk


_BEGUN = word_set("started began")
_STOPPED = word_set("stopped stop quit")
UNBEARABLE = word_set("stand bear soportar aguantar suportar aguentar")  # denied, it says that one dislikes
_ABILITIES = word_set(
    "speak play swim drive ride cook sing read ski sail fly eat drink"
)  # what one can do says who one is
_BE = word_set("is are am was were")
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


def romance_relation(
    words: list[str],
    form: VerbForm,
    said: list[Token],
    clitic: str,
    lexicon: Lexicon,
    *,
    negated: bool,
    no_longer: bool,
) -> Chunk:
    """A verb group's chunk; a reflexive keeps its "se" ("me mudé" → "se mudó")."""
    chunk = Chunk("verb", " ".join(t.text for t in said), negated=negated, no_longer=no_longer, clitic=clitic)
    chunk.person, chunk.tense, chunk.lemma = form.person, form.tense, form.lemma
    chunk.relation = " ".join([form.third, *words[1:]])
    last = verb_at_start(words[-1], lexicon.language)
    if last is not None and last.tense == "part" and form.lemma == "ser":
        chunk.active = third_person(last.lemma, lexicon.language, form.tense)
    if last is not None and form.lemma in lexicon.auxiliaries.get(last.tense, ()):
        chunk.lemma = last.lemma
    if form.lemma == "ir" and len(words) > 1:
        chunk.tense = "future"
    if form.lemma in _STOPPING and words[1:2] == ["de"] and last is not None:  # "dejé de trabajar en"
        chunk.relation, chunk.lemma = third_person(last.lemma, lexicon.language), last.lemma
        chunk.negated, chunk.no_longer = not negated, True
    if negated and chunk.lemma in UNBEARABLE:
        chunk.relation, chunk.negated = f"{said[0].low} {chunk.relation}", False
    reflexive = clitic == "se" or (clitic, form.person) in {("me", 1), ("nos", 4), ("te", 2), ("os", 5)}
    if reflexive:
        chunk.relation = f"se {chunk.relation}"
    return chunk


_STOPPING = word_set("dejar deixar parar")
_SUPERLATIVE = re.compile(r"\w+[íi]ssim[oa]s?|\w+ísim[oa]s?")
_ARTICLES = word_set("a an the el la los las un una unos unas o os as um uma uns umas")


def noun_phrase(body: list[Token], owner: str, owned: str, article: str, language: str, *, first: bool) -> Chunk:
    """A noun phrase's chunk: praise and empty nouns removed, lower-cased at a sentence's start."""
    lexicon = LEXICONS[language]
    romance = lexicon.romance
    words = list(body)
    junk = lexicon.evaluative | lexicon.interjections
    while (
        words
        and words[0].kind == "word"
        and (words[0].low in junk or (not romance and len(words) > 1 and is_generic_gerund(words[0].low)))
    ):
        words.pop(0)
    while words and words[-1].kind == "word" and (words[-1].low in junk or _SUPERLATIVE.fullmatch(words[-1].low)):
        words.pop()
    head = words[0 if romance else -1] if words else None
    text = " ".join(t.text for t in body)
    empty = Chunk("np", text, "", article=article, owner="")
    if head is None or (
        head.kind == "word"
        and _empty(head.low, lexicon, alone=len(words) == 1 and not owned and article not in _ARTICLES)
    ):
        return empty
    if len(words) > MAX_LABEL_WORDS:
        words = words[:MAX_LABEL_WORDS] if romance else words[-MAX_LABEL_WORDS:]
    kinds = {t.kind for t in words}
    concept = next(iter(kinds)) if kinds in ({"name"}, {"value"}) else "concept"
    if romance and len(words) > 1 and words[0].low in lexicon.offices and {t.kind for t in words[1:]} == {"name"}:
        concept = "name"  # "la doctora Liaño"
    said = [t.text if t.kind != "word" or is_acronym(t.text) or not (first and t is body[0]) else t.low for t in words]
    label = " ".join(said)
    inner = [t.text for t in words if t.kind == "name" and concept == "concept" and not is_acronym(t.text)]
    if owned and concept == "concept":
        return Chunk("np", text, f"{owned} {label}", concept, owner, label, article, inner)
    return Chunk("np", text, label, concept, owner, label, article, inner)


def _empty(low: str, lexicon: Lexicon, *, alone: bool) -> bool:
    if low in lexicon.junk or len(low) < 2 or low.isdigit():
        return True
    return alone and (low.endswith(ADJECTIVE_ENDINGS) or (not lexicon.romance and _verb_only(low)))


def is_generic_gerund(low: str) -> bool:
    """A gerund that names no activity ("getting", "making")."""
    verb = english_verb(low)
    return verb is not None and verb.tense == "ing" and low not in ACTIVITIES


def is_loose_gerund(chunk: Chunk, verb: Chunk) -> bool:
    """Whether a verb's object is nothing but a gerund that names no activity: "I am relaxing and recharging"."""
    low = chunk.text.casefold()
    if " " in low or chunk.article or chunk.owner or not low.endswith("ing") or low in ACTIVITIES:
        return False
    return verb.relation.endswith("ing") or english_verb(low) is not None


def _verb_only(low: str) -> bool:
    verb = english_verb(low)
    if verb is None:
        return low.endswith("ed") and len(low) > 5
    return is_generic_gerund(low) or (verb.tense != "ing" and low not in NOUNS_TOO and verb.tense != "s")


class Cursor:
    """The tokens of one sentence, read from `i` on, and what they made so far, `out`."""

    def __init__(self, words: list[Token], language: str) -> None:
        self.words = words
        self.language = language
        self.lexicon: Lexicon = LEXICONS[language]
        self.i = 0
        self.out: list[Chunk] = []

    def _peek(self, ahead: int = 0) -> Token:
        at = self.i + ahead
        return self.words[at] if at < len(self.words) else Token("", "end")

    def _add(self, kind: str, count: int = 1) -> None:
        self.out.append(Chunk(kind, " ".join(t.text for t in self.words[self.i : self.i + count])))
        self.i += count

    def _object_follows(self, ahead: int) -> bool:
        """Whether what stands `ahead` may begin an object."""
        token = self._peek(ahead)
        lexicon = self.lexicon
        return token.kind in ("name", "value") or (
            token.kind == "word"
            and token.low not in lexicon.prepositions | lexicon.conjunctions | lexicon.adverbs | lexicon.subordinators
        )

    def _waits_for_verb(self) -> bool:
        """Whether a finite verb may stand here: after a subject, at the start, after "and", "who" …"""
        for i in reversed(range(len(self.out))):
            if self.out[i].kind in ("adv", "neg", "date", "clock") or (i and is_of_date(self.out, i)):
                continue
            return self.out[i].kind in ("np", "pron", "and", "but", "sub", "if", "stop", "comma", "hey")
        return True
