"""Chunks to concepts and relations, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from oroi_graph.extraction.chunker import Sentence, sentences
from oroi_graph.extraction.clause_state import Clause
from oroi_graph.extraction.phrases import MAX_LABEL_WORDS, Chunk
from oroi_graph.extraction.statements import DAY, INDEFINITE
from oroi_graph.extraction.subjects import Subjects
from oroi_graph.language.dates import resolve_date
from oroi_graph.language.lexicons.by_language import EXPERIENCE, LEXICONS
from oroi_graph.language.tokens import word_set
from oroi_graph.model import ExtractedConcept, ExtractedRelation

MAX_CONCEPTS = 8

_CORRECTION = {name: re.compile(lexicon.corrects, re.IGNORECASE) for name, lexicon in LEXICONS.items()}
_SWITCH = {name: re.compile(lexicon.switches, re.IGNORECASE) for name, lexicon in LEXICONS.items()}
_SINCE = frozenset({"since", "desde"})

_RESCHEDULING = word_set(
    "move push shift postpone delay reschedule pasar mover aplazar retrasar adelantar cambiar passar mudar adiar "
    "antecipar"
)
_TOWARDS = word_set("to until till a al para hasta até pra")
_WHICH = word_set("with about con com sobre")
_WHERE = word_set("cerca lejos dentro fuera perto longe")  # "cerca de"
_HAVING = word_set("have own adopt get buy find rescue tener adoptar comprar encontrar rescatar ter comprar achar")
_YEARS = word_set("años anos")


class ClauseReader(Subjects):
    """Collects concepts and relations of one turn's sentences."""

    def read(self, text: str) -> None:
        """Read a part of the turn."""
        known = frozenset(w.casefold() for u in (*self.window[-6:],) for w in u.speaker.split())
        known |= frozenset(self.speaker.casefold().split())
        for sentence in sentences(text, self.language, self.at, known - {"user", "assistant"}):
            self._sentence(sentence)

    def chosen(self) -> tuple[ExtractedConcept, ...]:
        """At most MAX_CONCEPTS concepts: names and what relations speak of first."""
        ends = {label for r in self.relations for label in (r.source, r.target)}
        order = {label: i for i, label in enumerate(self.concepts)}
        rank = sorted(self.concepts, key=lambda c: (c not in ends and self.concepts[c] != "name", order[c]))
        kept = sorted(rank[:MAX_CONCEPTS], key=order.__getitem__)
        return tuple(ExtractedConcept(label, self.concepts[label]) for label in kept)

    def _sentence(self, sentence: Sentence) -> None:
        self.chunks, self.asks = sentence.chunks, sentence.asks and not self.addressed
        self.supposes = False
        self.switches = bool(_SWITCH[self.language].search(sentence.text))
        self.corrects = self.switches or bool(_CORRECTION[self.language].search(sentence.text))
        self.clause = Clause()
        steps: dict[str, Callable[[int, Chunk], None]] = {
            "np": self._on_phrase, "pron": self._on_pronoun, "verb": self._on_verb,
            "prep": self._on_preposition,
            "and": self._on_and, "but": self._on_and, "sub": self._on_subordinator, "if": self._on_condition,
            "date": self._on_date, "clock": self._on_clock,
            "stop": self._on_stop, "neg": self._on_negation, "adv": self._on_adverb,
            "inf": self._on_infinitive,
        }  # fmt: skip
        self._call_by_name()
        for i, chunk in enumerate(self.chunks):
            step = steps.get(chunk.kind)
            if step is not None:
                step(i, chunk)
        self._close()

    def _call_by_name(self) -> None:
        """ "A firm called Drysdale fixed it": Drysdale did. What one has keeps its noun: "I have a dog called Max"."""
        chunks, i = self.chunks, 1
        while i + 1 < len(chunks):
            noun, name = chunks[i - 1], chunks[i + 1]
            verb = next((chunk for chunk in reversed(chunks[:i]) if chunk.kind == "verb"), None)
            called = [c.kind for c in chunks[i - 1 : i + 2]] == ["np", "called", "np"] and name.concept == "name"
            if called and noun.article in INDEFINITE and not (verb is not None and verb.lemma in _HAVING):
                if noun.label and noun.concept == "concept":
                    self.concepts.setdefault(name.label, "name")
                    self.concepts.setdefault(noun.label, "concept")
                    self._say(name.label, self.lexicon.kind, noun.label)
                chunks[i - 1 : i + 2] = [name]
            i += 1

    def _on_phrase(self, i: int, chunk: Chunk) -> None:
        previous = self.chunks[i - 1] if i else None
        if previous is not None and previous.kind == "np" and self._joined(previous, chunk):
            return
        if i > 1 and previous is not None and previous.kind == "comma" and self._joined(self.chunks[i - 2], chunk):
            return
        if self._inserted(i, chunk):
            return
        self._mention(chunk)
        if i > 1 and previous is not None and previous.kind == "called":  # "a dog named Max"
            self._say(self.chunks[i - 2].label, self.lexicon.named, chunk.label)
            return
        clause = self.clause
        verb_next = self._kind(i, 1) == "verb"
        if clause.verb is not None and verb_next and self._may_begin(i):
            self._new()
            clause = self.clause
            clause.preposition = "a" if self._kind(i, -1) == "prep" else ""
        if self._completes(i, chunk):
            return
        if clause.verb is None:
            if not clause.preposition or self._kind(i, -1) != "prep":
                self._subject(i, chunk)
            elif self.lexicon.romance and clause.preposition == "a":
                self._subject(i, chunk)  # "a Ana le gusta"
            return
        if chunk.concept == "name" and self._vocative(i):
            return
        self._object(i, chunk)

    def _completes(self, i: int, chunk: Chunk) -> bool:
        """ "The meeting with Ana is on Friday": the phrase after the preposition says which meeting."""
        clause, phrase = self.clause, self.chunks[i - 2] if i > 1 else chunk
        before = self.chunks[i - 1].text.casefold() if i else ""
        if self.lexicon.contractions.get(before, before) not in _WHICH or self.chunks[i - 1].kind != "prep":
            return False
        if phrase.kind != "np" or phrase.concept != "concept" or not phrase.label or not chunk.label:
            return False
        told = (
            clause.verb is None
            and clause.subject is phrase
            and len(clause.subjects) == 1
            and self._kind(i, 1) == "verb"
        )
        asked = clause.verb is not None and (
            (self.asks and clause.verb.lemma in {"be", "ser"}) or clause.verb.lemma in _RESCHEDULING
        )
        if not (told or asked):
            return False
        whole = " ".join(filter(None, (phrase.label, before, chunk.article, chunk.label)))
        if whole.count(" ") >= MAX_LABEL_WORDS:
            return False
        self.concepts.pop(phrase.label, None)
        self.concepts.setdefault(whole, "concept")
        clause.found = [replace(r, target=whole) if r.target == phrase.label else r for r in clause.found]
        clause.subjects = [whole if s == phrase.label else s for s in clause.subjects]
        phrase.label = whole
        self._say(whole, before, chunk.label)
        return True

    def _may_begin(self, i: int) -> bool:
        previous = self.chunks[i - 1].kind if i else ""
        verb = self._near(i, 1)
        if (
            previous == "prep"
            and verb is not None
            and verb.clitic in self.lexicon.clitics_third
            and verb.lemma in EXPERIENCE
        ):
            return True  # "y a Marcos le encanta"
        after_verb = self.lexicon.romance and previous == "verb"
        return previous != "prep" and not after_verb

    def _vocative(self, i: int) -> bool:
        following = self.chunks[i + 1].kind if i + 1 < len(self.chunks) else ""
        return (
            i > 0
            and self.chunks[i - 1].kind == "comma"
            and following in ("", "comma", "stop")
            and (self.clause.target is None or self.clause.target.concept != "name")
        )

    def _on_preposition(self, i: int, chunk: Chunk) -> None:
        low = chunk.text.casefold()
        if low == "by" and self.clause.verb is not None and i and self.chunks[i - 1].kind == "prep":
            self.clause.particle = self.clause.preposition
        self.clause.preposition = self.lexicon.contractions.get(low, low)
        before = self.chunks[i - 1].text.casefold() if i else ""
        if before in _WHERE and self.clause.preposition == "de":
            self.clause.preposition = f"{before} de"
        if low in _SINCE:
            self.clause.since = True

    def _on_and(self, i: int, chunk: Chunk) -> None:
        clause = self.clause
        if (
            chunk.text.casefold() in {"but", "sino", "mas", "senão"}
            and clause.verb is not None
            and clause.verb.negated
            and clause.found
        ):
            clause.contrasting = True

    def _on_subordinator(self, i: int, chunk: Chunk) -> None:
        if self._kind(i, 1) in ("np", "pron") and self.clause.verb is not None:
            self._new()

    def _on_condition(self, i: int, chunk: Chunk) -> None:
        self._close()
        self.clause = Clause()
        self.supposes = True  # and so is what follows from it, to the end of the sentence

    def _on_stop(self, i: int, chunk: Chunk) -> None:
        self._new()
        self.clause.conditional = False

    def _on_infinitive(self, i: int, chunk: Chunk) -> None:
        subjects, subject = self.clause.subjects, self.clause.subject
        target = self.clause.target
        self._new()
        # what follows is an object of something that is not stated as a fact
        self.clause.verb = Chunk("verb", chunk.text, tense="hypothetical")
        self.clause.subject, self.clause.target = subject, target
        if subjects and all(self.concepts.get(s) == "name" for s in subjects):
            self.subjects = subjects

    def _on_negation(self, i: int, chunk: Chunk) -> None:
        if self.clause.found:
            self.clause.rejecting = True

    def _on_adverb(self, i: int, chunk: Chunk) -> None:
        if chunk.text.casefold() == "anymore":
            self.clause.found = [replace(r, negated=True) for r in self.clause.found]

    def _on_date(self, i: int, chunk: Chunk) -> None:
        clause, verb = self.clause, self.clause.verb
        copula = verb is not None and verb.lemma in {"be", "ser"} and clause.subject is not None
        states = copula and clause.subject is not None and clause.subject.kind == "np"
        # "the traffic was terrible this morning" does not say what the traffic was
        before = self.chunks[i - 1] if i else chunk
        states = states and (before.kind != "np" or before.text.casefold() in DAY)
        planned = states and verb is not None and verb.tense in {"s", "present"}  # "my exam is on Friday"
        born = verb is not None and verb.lemma in {"bear", "nacer", "nascer"}
        yearly = clause.subject is not None and self._attribute(clause.subject) is not None
        shifted = verb is not None and verb.lemma in _RESCHEDULING and clause.preposition in _TOWARDS
        ahead = (
            (verb is not None and verb.tense == "future") or (planned and not yearly and not clause.since) or shifted
        )
        iso = resolve_date(chunk.label, self.language, self.at, future=ahead)
        if iso is None:
            return
        # the label must mean the same to whoever reads it without its sentence
        label = chunk.label if iso == resolve_date(chunk.label, self.language, self.at) else iso
        if verb is not None and verb.lemma in {"cumplir", "fazer"} and self.chunks[i - 2 : i] and self._years(i):
            verb.relation, clause.preposition, born = f"{verb.relation} {self._years(i)}", "", True
        if shifted and verb is not None and (clause.target is None or clause.direct):
            self._reschedule(verb, label)
        elif clause.target is None and (born or states):
            self.concepts.setdefault(label, "value")
            self._relate(label, i)
        elif re.search(r"\d", label) and not label.casefold().startswith(("hace", "há", "in ")):
            self.concepts.setdefault(label, "value")
        clause.date = clause.date or label
        clause.when = clause.when or iso

    def _years(self, i: int) -> str:
        """ "años" of "cumplo años el 12 de mayo"."""
        return next((c.text.casefold() for c in self.chunks[max(0, i - 3) : i] if c.text.casefold() in _YEARS), "")

    def _reschedule(self, verb: Chunk, label: str) -> None:
        """ "The meeting was moved to Friday": it is on Friday, whatever was said before."""
        clause = self.clause
        said = {"en": "is on", "es": "es", "pt": "é em"}[self.language]
        self.concepts.setdefault(label, "value")
        things = [clause.target.label] if clause.target is not None else clause.subjects
        for thing in things:
            if thing != self.me:
                clause.found.append(ExtractedRelation(thing, said, label, replaces=not verb.negated))

    def _on_clock(self, i: int, chunk: Chunk) -> None:
        """ "The gym opens at 7:00"."""
        clause = self.clause
        if clause.verb is None or clause.target is not None or clause.found or clause.subjects == [self.me]:
            return
        self.concepts.setdefault(chunk.label, "value")
        if clause.verb.lemma == "be":  # what "is at" something else is a place
            clause.verb.relation, clause.preposition = "is scheduled", "for"
        self._relate(chunk.label, i)
