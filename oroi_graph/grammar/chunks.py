"""Sentences to chunks: noun phrases, verb groups, prepositions, dates, in English and Spanish.

Rule-based, from closed classes, verb tables and capital letters; no statistics. Linear in the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from oroi_graph.grammar.lexicon import ACTIVITIES, LEXICONS, Lexicon
from oroi_graph.grammar.phrases import (
    MAX_LABEL_WORDS,
    PARTICLES,
    Chunk,
    english_relation,
    is_generic_gerund,
    noun_phrase,
    spanish_relation,
)
from oroi_graph.grammar.tokens import Token, closed_words, expand, join_names, tokens
from oroi_graph.grammar.verbs import (
    NOUNS_TOO,
    VerbForm,
    english_verb,
    spanish_verb,
    spanish_verb_at_start,
)
from oroi_graph.grammar.words import word_set
from oroi_graph.language import is_question

NAMING = word_set("named called llamado llamada llamados llamadas")  # before a name
MAX_SENTENCE_TOKENS = 120


@dataclass(slots=True)
class Sentence:
    """One sentence's chunks; `asks` if it is a question; `future` if it speaks of what is to come."""

    chunks: list[Chunk]
    asks: bool
    text: str


def sentences(text: str, language: str, at: datetime | None, known: frozenset[str]) -> list[Sentence]:
    """The sentences of a text, chunked. `known`: names (lower case) that are names even as a first word."""
    text = expand(text)
    result: list[Sentence] = []
    current: list[Token] = []
    begin = 0
    for token in [*tokens(text, language, at), Token(".", "end", end=len(text))]:
        if token.kind != "end" and len(current) < MAX_SENTENCE_TOKENS:
            current.append(token)
            continue
        if current:
            said = text[begin : token.end].strip()
            asks = "?" in token.text or is_question(said)
            named = join_names(current, language, known)
            result.append(Sentence(_Chunker(named, language).chunks(), asks, said))
        current, begin = [], token.end
    return result


class _Chunker:
    """One pass over a sentence's tokens. `self.open` says that the clause still waits for its verb."""

    def __init__(self, words: list[Token], language: str) -> None:
        self.words = words
        self.language = language
        self.lexicon: Lexicon = LEXICONS[language]
        self.i = 0
        self.out: list[Chunk] = []

    def chunks(self) -> list[Chunk]:
        while self.i < len(self.words):
            before = self.i
            self._next()
            self.i = max(self.i, before + 1)
        return self.out

    def _peek(self, ahead: int = 0) -> Token:
        at = self.i + ahead
        return self.words[at] if at < len(self.words) else Token("", "end")

    def _add(self, kind: str, count: int = 1) -> None:
        self.out.append(Chunk(kind, " ".join(t.text for t in self.words[self.i : self.i + count])))
        self.i += count

    def _next(self) -> None:
        token, lexicon = self._peek(), self.lexicon
        low = token.low
        if token.kind == "mark":
            self._add("comma" if token.text == "," else "stop")
        elif token.kind in ("date", "clock"):
            self.out.append(Chunk(token.kind, token.text, token.text, "value"))
            self.i += 1
        elif token.kind in ("name", "value"):
            self._noun_phrase()
        elif self._loose_gerund():
            self._add("inf")
        elif low in NAMING and self._peek(1).kind == "name" and self.out and self.out[-1].kind == "np":
            self._add("called")
        elif self._infinitive() or self._verb_group():
            return
        elif low in lexicon.interjections and low not in lexicon.determiners and not self._waits_for_object():
            self._add("hey")
        elif low in lexicon.conditionals:
            self._add("if")
        elif low in lexicon.possessives or (low in lexicon.determiners and self._determines()):
            self._noun_phrase()
        elif low in {"some", "many", "most", "all", "one", "part"} and self._peek(1).low == "of":
            self.i += 2
        elif low in lexicon.pronouns:
            self._add("pron")
        elif low in lexicon.subordinators:
            self._add("sub")
        elif low in lexicon.conjunctions:
            self._add("and" if low in _COORDINATING else "but")
        elif low in lexicon.prepositions:
            self._add("prep")
        elif low in lexicon.negations:
            self._add("neg")
        elif low in lexicon.adverbs or (low.endswith(("ly", "mente")) and len(low) > 5):
            self._add("adv")
        elif token.kind == "word" and low in lexicon.determiners:
            self._add("pron")
        elif token.kind == "word":
            self._noun_phrase()
        else:
            self.i += 1

    def _waits_for_object(self) -> bool:
        return bool(self.out) and self.out[-1].kind == "prep"

    def _determines(self) -> bool:
        """Whether a determiner has a noun after it ("that book") or stands for one ("that is")."""
        following = self._peek(1)
        if following.kind in ("name", "value", "date"):
            return self._peek().low != "that"
        low, lexicon = following.low, self.lexicon
        if following.kind != "word" or low in lexicon.pronouns | lexicon.prepositions | lexicon.modals:
            return False
        if self._peek().low in {
            "that",
            "this",
            "these",
            "those",
            "all",
            "some",
            "much",
            "more",
            "both",
            "most",
        }:
            verb = english_verb(low)
            if verb is not None and (verb.lemma in {"be", "have", "do"} or low not in NOUNS_TOO):
                return False
        return low not in lexicon.conjunctions | lexicon.subordinators

    # verbs

    def _loose_gerund(self) -> bool:
        """ "people … waving flags": says what somebody does on the side."""
        if self.language == "es" or not self.out or self.out[-1].kind not in ("np", "comma", "and"):
            return False
        return self._peek().kind == "word" and is_generic_gerund(self._peek().low) and self._object_follows(1)

    def _infinitive(self) -> bool:
        """ "to see (Ana)", "of joining (a team)": a verb whose subject and truth are not stated."""
        following = self._peek(1)
        if following.kind != "word" or self._peek().kind != "word":
            return False
        low = self._peek().low
        if self.language == "es":
            form = spanish_verb_at_start(following.low)
            if low in self.lexicon.prepositions and form is not None and form.tense == "infinitive":
                self._add("inf", 2)
                return True
            return False
        verb = english_verb(following.low)
        if verb is None:
            return False
        last = next((c.lemma for c in reversed(self.out) if c.kind == "verb"), "")
        infinitive = low == "to" and verb.tense == "base" and not (last in {"go", "come"} and verb.lemma == "work")
        gerund = (
            low in self.lexicon.prepositions
            and verb.tense == "ing"
            and (following.low not in ACTIVITIES or self._object_follows(2))
        )
        if infinitive or gerund:
            self._add("inf", 2)
        return infinitive or gerund

    def _waits_for_verb(self) -> bool:
        """Whether a finite verb may stand here: after a subject, at the start, after "and", "who" …"""
        for chunk in reversed(self.out):
            if chunk.kind in ("adv", "neg", "date", "clock"):
                continue
            return chunk.kind in ("np", "pron", "and", "but", "sub", "if", "stop", "comma", "hey")
        return True

    def _verb_group(self) -> bool:
        return self._english_group() if self.language == "en" else self._spanish_group()

    def _finite_english(self, ahead: int = 0) -> VerbForm | None:
        token = self._peek(ahead)
        if token.kind != "word":
            return None
        low = token.low
        verb = english_verb(low)
        before = next((c for c in reversed(self.out) if c.kind not in ("adv", "neg")), None)
        subject = before is not None and before.kind in ("np", "pron")
        if verb is not None:
            if verb.lemma in {"be", "have", "do"} and verb.tense in {"base", "s", "past"}:
                return verb
            if verb.tense in {"ing", "part"} or not self._waits_for_verb():
                return None
            pasts_too = verb.third == low and subject
            if verb.tense == "base" and low in NOUNS_TOO and not pasts_too and not self._plural_subject(before):
                return None
            return verb
        if subject and before is not None and low not in closed_words("en"):
            named = before.concept == "name" or before.text.casefold() in {"he", "she", "it"}
            if low.endswith("ed") or (named and low.endswith("s") and not low.endswith("ss")):
                return VerbForm(low, "past" if low.endswith("ed") else "s", low)
            if before.text.casefold() in {"i", "we", "they", "you"} and low.isalpha():
                return VerbForm(low, "base", f"{low}s")
        return None

    @staticmethod
    def _plural_subject(before: Chunk | None) -> bool:
        if before is None:
            return False
        if before.kind == "pron":
            return before.text.casefold() in {"i", "we", "you", "they", "who", "that"}
        return before.kind in ("sub", "and", "but") or (
            before.kind == "np" and (before.text.endswith("s") or before.concept == "name")
        )

    def _english_group(self) -> bool:
        token = self._peek()
        if token.kind != "word":
            return False
        start, negated, no_longer = self.i, False, False
        words: list[str] = []
        lexicon = self.lexicon
        while (low := self._peek().low) in lexicon.negations | {
            "also",
            "just",
            "still",
            "now",
            "really",
            "always",
            "recently",
        }:
            negated |= low in lexicon.negations
            no_longer |= low == "no-longer"
            self.i += 1
        verb = self._finite_english()
        if verb is None and self._peek().low not in lexicon.modals:
            self.i = start
            return False
        while True:
            here = self._peek()
            low = here.low
            if low in lexicon.negations:
                negated = True
                no_longer |= low == "no-longer"
            elif low in lexicon.adverbs and words and self._verbal(1, words):
                pass
            elif here.kind == "word" and (not words or self._verbal(0, words)):
                words.append(low)
                self._chain(words)
            elif low in PARTICLES and words and words[-1] not in lexicon.modals:
                words.append(low)
                self.i += 1
                break
            else:
                break
            self.i += 1
        self.out.append(english_relation(words, self.words[start : self.i], negated=negated, no_longer=no_longer))
        return True

    def _verbal(self, ahead: int, words: list[str]) -> bool:
        """Whether the next word continues the verb group begun by `words`."""
        token, last = self._peek(ahead), words[-1]
        if token.kind != "word":
            return False
        verb, low = english_verb(token.low), token.low
        last_verb = english_verb(last)
        if last == "to" or last in self.lexicon.modals or (last in {"do", "does", "did"} and len(words) == 1):
            return verb is not None or (low not in closed_words("en") and low.isalpha())
        if last_verb is None or verb is None:
            return (
                low.endswith(("ed", "ing"))
                and len(low) > 4
                and last_verb is not None
                and last_verb.lemma == "be"
                and low not in self.lexicon.evaluative
            )
        if last_verb.lemma == "be":
            return verb.tense in {"ing"} or low == "been" or (verb.tense in {"part", "past"} and low != "left")
        if last_verb.lemma == "have":
            return verb.tense in {"part", "past"} and (low not in NOUNS_TOO or low == "read")
        if verb.tense == "ing" and last_verb.lemma in _TAKES_ING and ahead == 0:
            return self._object_follows(1)
        return False

    def _object_follows(self, ahead: int) -> bool:
        token = self._peek(ahead)
        low = token.low
        return token.kind in ("name", "value") or (
            token.kind == "word"
            and low not in self.lexicon.prepositions | self.lexicon.conjunctions | self.lexicon.adverbs
            and low not in self.lexicon.subordinators
        )

    def _chain(self, words: list[str]) -> None:
        """Take "to" along where a verb follows it: wants to | learn; used to | live."""
        after, then = self._peek(1), self._peek(2)
        gerund = words[-1].endswith("ing") and words[-1] not in _INTENTIONS
        if after.low == "to" and then.kind == "word" and words[-1] not in self.lexicon.modals and not gerund:
            verb = english_verb(then.low)
            if verb is not None and verb.tense == "base":
                words.append("to")
                self.i += 1

    def _spanish_group(self) -> bool:
        start = self.i
        negated = no_longer = False
        clitic = ""
        while self._peek().low in {
            "no",
            "nunca",
            "jamás",
            "tampoco",
            "ya",
            "también",
            "ahora",
            "siempre",
            "aún",
            "todavía",
            "solo",
        }:
            low = self._peek().low
            negated |= low in self.lexicon.negations
            no_longer |= low == "no" and self.i > start and self.words[self.i - 1].low == "ya"
            self.i += 1
        while self._peek().low in _CLITICS and self._peek().kind == "word":
            following = self._peek(1)
            if following.low not in _CLITICS and not self._spanish_verb(following, strict=True):
                break
            clitic = self._peek().low
            self.i += 1
        verb = self._spanish_verb(self._peek(), strict=False)
        if verb is None or verb.tense in {"part", "gerund", "infinitive"} or not verb.person:
            self.i = start
            return False
        words = [self._peek().low]
        self.i += 1
        while (found := self._spanish_continues(words[-1])) is not None:
            words.extend(found)
        self.out.append(
            spanish_relation(words, verb, self.words[start : self.i], clitic, negated=negated, no_longer=no_longer)
        )
        return True

    def _spanish_verb(self, token: Token, *, strict: bool) -> VerbForm | None:
        if token.kind != "word":
            return None
        low = token.low
        if strict:
            return spanish_verb_at_start(low)
        if self.out and self.out[-1].kind == "prep" and low != "es":
            return None
        before = self.words[self.i - 1].low if self.i else ""
        clause_start = not self.out or self.out[-1].kind in (
            "comma",
            "stop",
            "neg",
            "sub",
            "and",
            "but",
            "hey",
            "adv",
            "date",
        )
        subject = bool(self.out) and self.out[-1].concept == "name"
        if before in _CLITICS | {"no"} or ((clause_start or subject) and low not in self.lexicon.prepositions):
            return spanish_verb_at_start(low)
        return spanish_verb(low)

    def _spanish_continues(self, last: str) -> list[str] | None:
        """The words that continue a verb group: participle, gerund, infinitive (with "a", "que")."""
        token = self._peek()
        form = spanish_verb_at_start(token.low) if token.kind == "word" else None
        lemma = getattr(spanish_verb_at_start(last), "lemma", "")
        if form is not None:
            auxiliary = {"part": {"haber"}, "gerund": {"estar", "seguir", "llevar"}}.get(form.tense)
            if (auxiliary and lemma in auxiliary) or (form.tense == "infinitive" and lemma not in {"ser", "estar"}):
                self.i += 1
                return [token.low]
        following = self._peek(1)
        form = spanish_verb_at_start(following.low) if following.kind == "word" else None
        if token.low in {"a", "que", "de"} and form is not None and form.tense == "infinitive":
            self.i += 2
            return [token.low, following.low]
        return None

    # noun phrases

    def _noun_phrase(self) -> None:
        start = self.i
        owner = article = ""
        owned = ""
        while (low := self._peek().low) in self.lexicon.determiners or low in self.lexicon.possessives:
            if low in self.lexicon.possessives:
                owner, owned = self.lexicon.possessives[low], low
                article = ""
            else:
                article = article or low
            self.i += 1
        if self._peek().kind == "date" and self.i > start and not owned:
            return  # "el 3 de marzo": the date makes its own chunk
        body = self._body(start)
        if not body:
            if self.i == start:
                self._add("adv")
            else:
                self.out.append(Chunk("pron", owned or article))
            return
        chunk = noun_phrase(body, owner, owned, article, self.language, first=start == 0)
        self.out.append(chunk)
        self._possessor(chunk)
        self._of()

    def _body(self, start: int) -> list[Token]:
        body: list[Token] = []
        while len(body) < 9:
            token = self._peek()
            if token.kind in ("name", "value"):
                if body and (body[-1].kind == token.kind == "name"):
                    break
                # "my brother Luis" is apposition, but a brand goes with its noun
                if token.kind == "name" and body and not self._brand(body):
                    break
                if token.kind == "value" and body and body[-1].kind == "name":
                    break
                body.append(token)
            elif token.kind == "word" and self._nominal(token, body, start):
                body.append(token)
            else:
                break
            self.i += 1
        return body

    def _brand(self, body: list[Token]) -> bool:
        if self.language == "es":
            return not self._owned_before(body)
        following = self._peek(1)
        return (
            following.kind == "word" and following.low not in closed_words("en") and english_verb(following.low) is None
        )

    def _owned_before(self, body: list[Token]) -> bool:
        at = self.i - len(body) - 1
        return at >= 0 and self.words[at].low in self.lexicon.possessives

    def _nominal(self, token: Token, body: list[Token], start: int) -> bool:
        low, lexicon = token.low, self.lexicon
        closed = lexicon.grammatical
        if low in NAMING and self._peek(1).kind == "name":
            return False
        if (
            body
            and self.language == "en"
            and (is_generic_gerund(low) or (low.endswith("ed") and body[-1].low.endswith("s")))
        ):
            return False
        if low in closed or (low in lexicon.adverbs and low not in lexicon.evaluative):
            return False
        if low.endswith(("ly", "mente")) and len(low) > 5 and low not in {"family", "assembly", "reply", "italy"}:
            return False
        if low in lexicon.interjections and low not in lexicon.evaluative:
            return False
        determined = self.i > start and not body
        if self.language == "es":
            verb = spanish_verb(low)
            if body and body[-1].kind == "value":
                return True
            return determined or verb is None or verb.tense == "part" or (verb.tense == "infinitive" and not body)
        verb = english_verb(low)
        if determined or verb is None:
            return not (
                body
                and body[-1].kind == "name"
                and low.endswith("s")
                and len(body) == 1
                and start != self.i - 1
                and self._subject_position(start)
            )
        if verb.lemma in {"be", "have", "do"}:
            return False
        if body and verb.tense in {"s", "past", "part"}:
            return verb.lemma in NOUNS_TOO and not self._subject_position(start)
        if body and body[-1].kind == "name" and self._subject_position(start):
            return False
        if verb.tense == "past" and not body:
            return False
        return not (verb.tense == "base" and low not in NOUNS_TOO)

    def _subject_position(self, start: int) -> bool:
        for chunk in reversed(self.out):
            if chunk.kind in ("comma", "and", "but", "np", "adv", "date"):
                continue
            return chunk.kind not in ("verb", "prep")
        return True

    def _possessor(self, chunk: Chunk) -> None:
        """ "Ana's brother": the phrase so far owns what follows."""
        if self._peek().kind != "poss":
            return
        mark = self._peek().text
        self.i += 1
        body = self._body(self.i - 1)
        if not body:
            return
        head = noun_phrase(body, "", "", "", self.language, first=False)
        chunk.inner = [chunk.label] if chunk.concept == "name" else chunk.inner
        owner = chunk.label
        chunk.owner, chunk.head, chunk.concept = owner, head.label, "concept"
        chunk.label = f"{owner}{mark} {head.label}" if head.label else owner
        chunk.text = chunk.label

    def _of(self) -> None:
        """ "capital of Australia", "hermano de Ana": joined while short, the last part named within."""
        chunk = self.out[-1]
        if self._peek().low not in self.lexicon.of or chunk.concept != "concept":
            return
        if not chunk.label:
            if self.language == "en":  # "a bit of", "lots of"
                self.out.pop()
                self.i += 1
            return
        if self._peek().kind != "word" or self._peek(1).kind in ("date", "value", "clock"):
            return
        mark = self.i
        link = [self._peek().text]
        self.i += 1
        while self._peek().low in self.lexicon.determiners:
            link.append(self._peek().text)
            self.i += 1
        owned = self._peek().low in self.lexicon.possessives
        if owned:
            link.append(self._peek().text)
            self.i += 1
        body = self._body(mark)
        inner = noun_phrase(body, "", "", "", self.language, first=False) if body else None
        words = len(chunk.label.split()) + (len(inner.label.split()) if inner else 9)
        if inner is None or not inner.label or inner.concept == "value" or words > MAX_LABEL_WORDS:
            self.i = mark
            return
        if inner.concept == "name":
            chunk.inner.append(inner.label)
            if self.language == "es" and not chunk.owner:
                chunk.owner, chunk.head = inner.label, chunk.label
        chunk.label = " ".join([chunk.label, *link, inner.label])


_INTENTIONS = word_set("going trying planning hoping wanting learning starting beginning")
_TAKES_ING = word_set("start stop keep begin finish try love like enjoy hate practice consider go")
_COORDINATING = word_set("and or y e o u & plus")
_CLITICS = word_set("me te se nos os le les lo la los las")
