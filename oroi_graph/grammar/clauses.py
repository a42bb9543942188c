"""Chunks to concepts and relations, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from oroi_graph.dates import resolve_date
from oroi_graph.grammar.chunks import Sentence, sentences
from oroi_graph.grammar.lexicon import EXPERIENCE_ES, KINSHIP_ES, LEXICONS
from oroi_graph.grammar.phrases import Chunk, tensed
from oroi_graph.grammar.words import word_set
from oroi_graph.language import detect, is_first_person, is_single_valued, possessive, relation_class
from oroi_graph.model import ConceptKind, ExtractedConcept, ExtractedRelation, Replaced, Utterance
from oroi_graph.values import canonical_value

MAX_ANALYSED = 4_000  # characters of one turn; what follows is kept by memory, but not read
MAX_CONCEPTS = 8

_CORRECTION = {
    "en": re.compile(r"\b(?:actually|now|correction|instead|i mean|i meant)\b", re.IGNORECASE),
    "es": re.compile(r"\b(?:en realidad|ahora|corrección|quiero decir|quería decir|mejor dicho|más bien)\b", re.I),
}
_FAVOURITE = re.compile(r"\b(?:favou?rite|favorit[oa]s?|preferid[oa]s?)\b", re.IGNORECASE)
_THINGS_COST = word_set("costar durar pesar medir parecer encantar gustar")  # said of things
_TAKES_SUBJECT_AFTER = word_set("vivir morir nacer llegar venir trabajar fallecer")
_OPINIONS = word_set("think believe guess hope know mean suppose say tell bet feel creer pensar decir")
_DROPPED_PREPOSITIONS = word_set("than like despite per via except including until till hasta mediante")
_CAUSING = word_set("let help make have see watch hear want")  # "let us go" states nothing
_LIKING = word_set("love like enjoy hate gustar encantar")
_TIME_SPAN = re.compile(
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|minutos?|horas?|d[ií]as?|semanas?|mes|meses|años?)$",
    re.I,
)
_RELATIVE = word_set("who which that que quien quienes")
_SINCE = frozenset({"since", "desde"})
_ADJECTIVES_ES = re.compile(
    r"(?:alérgic|adict|aficionad|interesad|enamorad|casad|divorciad|orgullos|experto|expert|responsabl|capa|fan)\w{0,3}",
    re.I,
)
_MINE = {
    "your": "my",
    "tu": "mi",
    "tus": "mis",
    "vuestro": "mi",
    "vuestra": "mi",
    "vuestros": "mis",
    "vuestras": "mis",
}


@dataclass(slots=True)
class _Clause:
    """The clause being read: its subjects, its verb, and the relations found so far."""

    subjects: list[str] = field(default_factory=list)
    subject: Chunk | None = None
    verb: Chunk | None = None
    preposition: str = ""
    fold: str = ""  # "allergic" of "is allergic to"
    found: list[ExtractedRelation] = field(default_factory=list)
    when: str | None = None
    date: str = ""  # the label of `when`
    since: bool = False
    conditional: bool = False
    rejecting: bool = False  # after ", not": what follows is what it is not
    contrasting: bool = False  # after "not Bilbao but"
    moved_from: str = ""
    target: Chunk | None = None
    direct: bool = False  # the target came without a preposition


class ClauseReader:
    """Collects concepts and relations of one turn's sentences.

    `addressed`: the text is an assistant's, "you" is the speaker whose turn is being perceived."""

    def __init__(
        self,
        language: str,
        at: datetime | None,
        window: Sequence[Utterance],
        speaker: str,
        *,
        addressed: bool = False,
    ) -> None:
        self.language, self.at, self.window, self.speaker = language, at, window, speaker
        self.addressed = addressed
        self.lexicon = LEXICONS[language]
        self.me = "yo" if language == "es" else "I"
        self.concepts: dict[str, ConceptKind] = {}
        self.relations: list[ExtractedRelation] = []
        self.subjects: list[str] = []  # names, as subjects of clauses so far
        self.things: list[str] = []  # concepts that a clause said something about, latest last
        self.clause = _Clause()
        self.asks = self.corrects = self.supposes = False
        self.people: list[str] = []  # "my sister": whom "she" may mean when no name was said
        self.chunks: list[Chunk] = []

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
        self.corrects = bool(_CORRECTION[self.language].search(sentence.text))
        self.clause = _Clause()
        steps: dict[str, Callable[[int, Chunk], None]] = {
            "np": self._on_phrase, "pron": self._on_pronoun, "verb": self._on_verb,
            "prep": self._on_preposition,
            "and": self._on_and, "but": self._on_and, "sub": self._on_subordinator, "if": self._on_condition,
            "date": self._on_date,
            "stop": self._on_stop, "neg": self._on_negation, "adv": self._on_adverb,
            "inf": self._on_infinitive,
        }  # fmt: skip
        for i, chunk in enumerate(self.chunks):
            step = steps.get(chunk.kind)
            if step is not None:
                step(i, chunk)
        self._close()

    def _close(self) -> None:
        """End the clause: its relations get their date."""
        clause = self.clause
        self._happened()
        for relation in clause.found:
            said = relation.relation
            if clause.since and clause.verb is not None and clause.verb.tense == "perfect":
                said = said.replace(clause.verb.relation, tensed(clause.verb.lemma, past=False), 1)
            whole = replace(relation, relation=said, when=relation.when or clause.when)
            if not self.asks and not clause.conditional and not self.supposes and whole not in self.relations:
                self.relations.append(whole)
        self.people += [r.source for r in clause.found if possessive(r.source)]
        names = [s for s in clause.subjects if self.concepts.get(s) == "name"]
        if names:
            self.subjects = names
        if clause.target is not None and clause.target.concept == "concept":
            self.things.append(clause.target.label)
        elif clause.subject is not None and clause.subject.concept == "concept":
            self.things.append(clause.subject.label)

    def _happened(self) -> None:
        """ "My mother died yesterday": where nothing else is said, the date is what is known."""
        clause, verb = self.clause, self.clause.verb
        if verb is None or verb.negated or verb.tense == "hypothetical" or verb.lemma in _OPINIONS:
            return
        if clause.found or clause.target is not None or not clause.date or self.asks or self.supposes:
            return
        for source in clause.subjects:
            if source != self.me:
                said = " ".join(filter(None, (verb.relation, clause.preposition)))
                clause.found.append(ExtractedRelation(source, said, clause.date))
                self.concepts.setdefault(clause.date, "value")

    def _new(self, *, keep_subject: bool = False) -> None:
        old = self.clause
        self._close()
        self.clause = _Clause()
        if old.verb is None:
            self.clause.when, self.clause.conditional = old.when, old.conditional
        if keep_subject:
            self.clause.subjects, self.clause.subject = old.subjects, old.subject
            self.clause.conditional = old.conditional

    def _near(self, i: int, step: int) -> Chunk | None:
        """The next (or previous) chunk that is no adverb or date."""
        i += step
        while 0 <= i < len(self.chunks):
            if self.chunks[i].kind not in ("adv", "date", "clock"):
                return self.chunks[i]
            i += step
        return None

    def _kind(self, i: int, step: int) -> str:
        chunk = self._near(i, step)
        return chunk.kind if chunk else ""

    # concepts

    def _mention(self, chunk: Chunk) -> None:
        """Settle a phrase's label (whose it is), and note its concepts."""
        if chunk.label and chunk.concept == "concept":
            self._settle_owner(chunk)
        if not chunk.label:
            return
        for name in chunk.inner:
            self.concepts.setdefault(name, "name")
        attribute = self._attribute(chunk) is not None
        if not attribute:
            self.concepts.setdefault(chunk.label, chunk.concept)  # type: ignore[arg-type]
        if chunk.concept == "value":
            counted = re.fullmatch(r"[\w.,]+ ([^\W\d_]{3,})", chunk.label)
            canonical = canonical_value(chunk.label, self.language, self.at) or ""
            unit = re.fullmatch(
                r"[\d.]+ "
                r"(?:kg|[gml]|km|cm|mm|mile|lb|ft|inch|hour|minute|second|day|week|month|year|\wB|°C|degree)",
                canonical,
            )
            if counted and not unit and " " in canonical and canonical[0].isdigit():
                self.concepts.setdefault(counted.group(1), "concept")
        elif chunk.owner and self.concepts.get(chunk.owner) == "name" and chunk.owner != chunk.label and not attribute:
            kin = self.language == "en" or chunk.head.casefold() in KINSHIP_ES
            if kin and not self._appositive(chunk):
                self._say(chunk.owner, chunk.head, chunk.label)

    def _settle_owner(self, chunk: Chunk) -> None:
        first = chunk.label.split(" ", 1)[0].casefold()
        if first in self.lexicon.possessives and " " in chunk.label:
            owner, rest = self.lexicon.possessives[first], chunk.label.split(" ", 1)[1]
            if owner in ("you", "tú"):
                chunk.owner = self.me if self.addressed else ""
                chunk.label = f"{_MINE.get(first, 'my')} {rest}" if self.addressed else rest
            elif not owner:
                person = self._person() if first in {"his", "her", "su", "sus"} else None
                chunk.owner = person or ""
                named = f"{person}'s {rest}" if self.language == "en" else f"{rest} de {person}"
                alone = "" if rest.casefold() in self.lexicon.attributes else rest
                chunk.label, chunk.head = (named, rest) if person else (alone, rest)
            elif chunk.owner == owner:
                chunk.head = rest
            if chunk.label[:1].isupper() and first[0].islower():
                chunk.label = chunk.label[0].lower() + chunk.label[1:] if possessive(chunk.label) else chunk.label

    def _appositive(self, chunk: Chunk) -> Chunk | None:
        """The name that stands beside a phrase: "my brother Luis", "el hermano de Ana, Luis, vive"."""
        i = next(k for k, c in enumerate(self.chunks) if c is chunk)
        after = self.chunks[i + 1 : i + 4]
        kinds = [c.kind for c in after]
        if kinds[:1] == ["np"] and after[0].concept == "name":
            return after[0]
        if kinds == ["comma", "np", "comma"] and after[1].concept == "name":
            return after[1]
        return None

    def _attribute(self, chunk: Chunk) -> str | None:
        """ "birthday" of "my birthday", if a copula follows."""
        head = chunk.head
        if not chunk.owner or not head:
            return None
        last = head.split()[-1 if self.language == "en" else 0].casefold()
        if last not in self.lexicon.attributes and not _FAVOURITE.search(head):
            return None
        i = next(k for k, c in enumerate(self.chunks) if c is chunk)
        verb = self._near(i, 1)
        return head if verb is not None and verb.kind == "verb" and verb.lemma in ("be", "ser") else None

    def _person(self) -> str | None:
        """Whom "he" or a left-out subject means: the last clause's subject, else the only name near."""
        if len(self.subjects) == 1:
            return self.subjects[0]
        names = [c for c, kind in self.concepts.items() if kind == "name" and not self._present(c)]
        if self.subjects or names:
            return names[0] if len(names) == 1 else None
        if self.people:
            return self.people[-1]
        before = self._before()
        if before is None:
            return None
        people = before.subjects or [c for c, kind in before.concepts.items() if kind == "name"]
        people = [p for p in people if not self._present(p)]
        return people[0] if len(people) == 1 else None

    def _present(self, name: str) -> bool:
        """Whether a name is one of those talking ("Mel" is Melanie): nobody calls them "she"."""
        speakers = {u.speaker.casefold() for u in self.window} | {self.speaker.casefold()}
        return any(s.startswith(name.casefold()) or name.casefold().startswith(s) for s in speakers)

    def _thing(self, *, far: bool = True) -> str | None:
        """What "it" means: what was spoken of last, with `far` also in the turn before."""
        if self.things:
            return self.things[-1]
        before = self._before() if far else None
        return before.things[-1] if before is not None and before.things else None

    def _before(self) -> ClauseReader | None:
        """The last turn of the window, read without its own window."""
        if not self.window:
            return None
        last = self.window[-1]
        reader = ClauseReader(detect(last.text, self.language), last.at, (), last.speaker)
        reader.read(last.text[:MAX_ANALYSED])
        return reader

    # chunks, one method a kind

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
            named = "is called" if self.language == "en" else "se llama"
            self._say(self.chunks[i - 2].label, named, chunk.label)
            return
        clause = self.clause
        verb_next = self._kind(i, 1) == "verb"
        if clause.verb is not None and verb_next and self._may_begin(i):
            self._new()
            clause = self.clause
            clause.preposition = "a" if self._kind(i, -1) == "prep" else ""
        if clause.verb is None:
            if not clause.preposition or self._kind(i, -1) != "prep":
                self._subject(i, chunk)
            elif self.language == "es" and clause.preposition == "a":
                self._subject(i, chunk)  # "a Ana le gusta"
            return
        if chunk.concept == "name" and self._vocative(i):
            return
        self._object(i, chunk)

    def _joined(self, phrase: Chunk, name: Chunk) -> bool:
        """Apposition: the name takes the phrase's place."""
        if name.concept != "name" or phrase.kind != "np" or phrase.concept != "concept" or not phrase.label:
            return False
        if self._appositive(phrase) is not name or (not phrase.owner and self.language == "es"):
            return False
        self.concepts.pop(phrase.label, None)
        self.concepts.setdefault(name.label, "name")
        if phrase.owner:
            self._say(phrase.owner, phrase.head, name.label)
        clause = self.clause
        clause.subjects = [name.label if s == phrase.label else s for s in clause.subjects]
        clause.found = [replace(r, target=name.label) if r.target == phrase.label else r for r in clause.found]
        if clause.subject is phrase:
            clause.subject = name
        return True

    def _inserted(self, i: int, chunk: Chunk) -> bool:
        """ "Carlos, Ana's brother, is …": says who the name before is, and leaves it the subject."""
        around = [c.kind for c in self.chunks[max(0, i - 2) : i + 2]]
        if around != ["np", "comma", "np", "comma"] or not chunk.owner or chunk.concept != "concept":
            return False
        name = self.chunks[i - 2]
        if name.concept != "name" or self.clause.verb is not None:
            return False
        self._settle_owner(chunk)
        for inner in chunk.inner:
            self.concepts.setdefault(inner, "name")
        self._say(chunk.owner, chunk.head, name.label)
        return True

    def _may_begin(self, i: int) -> bool:
        previous = self.chunks[i - 1].kind if i else ""
        verb = self._near(i, 1)
        if previous == "prep" and verb is not None and verb.clitic in {"le", "les"} and verb.lemma in EXPERIENCE_ES:
            return True  # "y a Marcos le encanta"
        spanish_object = self.language == "es" and previous == "verb"
        return previous != "prep" and not spanish_object

    def _vocative(self, i: int) -> bool:
        following = self.chunks[i + 1].kind if i + 1 < len(self.chunks) else ""
        return (
            i > 0
            and self.chunks[i - 1].kind == "comma"
            and following in ("", "comma", "stop")
            and (self.clause.target is None or self.clause.target.concept != "name")
        )

    def _subject(self, i: int, chunk: Chunk) -> None:
        clause = self.clause
        if not chunk.label:
            clause.subjects, clause.subject = [], chunk
            return
        listed = self._kind(i, -1) in ("and", "comma") and clause.subjects and self._listed(i)
        clause.subjects = [*clause.subjects, chunk.label] if listed else [chunk.label]
        clause.subject = chunk

    def _listed(self, i: int) -> bool:
        """Whether "Ana, Luis and Marta" is a list: an "and" before the verb."""
        if self._kind(i, -1) == "and":
            return True
        for chunk in self.chunks[i + 1 :]:
            if chunk.kind in ("and", "verb", "stop", "pron"):
                return chunk.kind == "and"
        return False

    def _on_pronoun(self, i: int, chunk: Chunk) -> None:
        clause, verb_next = self.clause, self._kind(i, 1) == "verb"
        if verb_next and (clause.verb is None or self._kind(i, -1) != "prep"):
            listed = clause.verb is None and self._kind(i, -1) == "and"
            caused = clause.verb is not None and clause.verb.lemma in _CAUSING and self._kind(i, -1) == "verb"
            if clause.verb is not None:
                self._new()
            who = None if caused else self._resolved(chunk, i)
            kept = self.clause.subjects if listed else []
            self.clause.subjects = [*kept, who] if who else kept
            self.clause.subject = chunk
        elif clause.verb is not None and is_first_person(chunk.text) and not self._object_next(i):
            self._relate(self.me, i)

    def _object_next(self, i: int) -> bool:
        return self._kind(i, 1) == "np"

    def _resolved(self, chunk: Chunk, i: int) -> str | None:
        low = chunk.text.casefold()
        if is_first_person(low):
            # what the assistant says of itself is nobody's fact
            return None if self.addressed else self.me
        if low in {"you", "tú", "usted"}:
            return self.me if self.addressed else None
        if low in {"he", "she", "él", "ella"}:
            return self._person()
        if low == "it":
            verb = self._near(i, 1)
            return self._thing(far=verb is not None and verb.lemma != "be")
        return None

    def _on_verb(self, i: int, chunk: Chunk) -> None:
        clause = self.clause
        previous = self._near(i, -1)
        if clause.verb is not None:
            relative = previous is not None and previous.text.casefold() in _RELATIVE
            target = clause.target
            self._new(keep_subject=not relative)
            clause = self.clause
            if relative:
                clause.subjects, clause.subject = ([target.label] if target else []), target
        elif previous is not None and previous.kind == "sub" and clause.subject is not None:
            pass  # "Ana, who lives …": the subject stays
        clause.verb, clause.preposition, clause.fold = chunk, "", ""
        if self.language == "es":
            self._spanish_subject(i, chunk)
        elif not clause.subjects and clause.subject is None and chunk.tense == "past" and self._elliptic(i):
            clause.subjects = [self.me]
        if chunk.lemma in _OPINIONS and chunk.negated:
            self.supposes = True  # "I don't think that …"
        if chunk.lemma in _OPINIONS or chunk.tense == "hypothetical":
            clause.subjects = []

    def _elliptic(self, i: int) -> bool:
        """ "Got a tattoo": a past at the very beginning is the speaker's."""
        return not self.addressed and all(c.kind in ("adv", "hey", "comma", "date") for c in self.chunks[:i])

    def _spanish_subject(self, i: int, verb: Chunk) -> None:
        clause = self.clause
        if verb.lemma in EXPERIENCE_ES and verb.clitic in {"me", "nos", "te", "le", "les"}:
            self._experience(verb)
            return
        following = self.chunks[i + 1] if i + 1 < len(self.chunks) else None
        if verb.clitic in {"lo", "la", "los", "las"} and following is not None and following.kind == "np":
            clause.subjects = []  # "lo dirige Carmen": Carmen is who does it, to what was named before
            return
        if verb.person in (1, 4):
            plural = verb.person == 4 and self.me in clause.subjects
            ambiguous = verb.tense == "imperfect" and clause.subjects
            if not plural and not ambiguous:
                clause.subjects = [] if self.addressed else [self.me]
        elif verb.person in (2, 5):
            clause.subjects = [self.me] if self.addressed else []
        elif not clause.subjects:
            after = (
                following is not None
                and following.kind == "np"
                and following.label
                and (following.concept == "name" or verb.lemma in _TAKES_SUBJECT_AFTER)
            )
            if after and following is not None and verb.lemma not in {"ser", "llamar"}:
                clause.subjects = [following.label]
                return
            about = self._thing() if verb.lemma in _THINGS_COST else self._person()
            clause.subjects = [about] if about and clause.subject is None else []

    def _experience(self, verb: Chunk) -> None:
        """ "Me gusta el café": who feels it is the source, what pleases the target."""
        clause = self.clause
        liked, clause_subject = clause.subjects, clause.subject
        fronted = (
            self.clause.preposition == ""
            and clause_subject is not None
            and liked
            and self.concepts.get(liked[0]) != "name"
        )
        if verb.clitic in {"me", "nos"}:
            clause.subjects = [] if self.addressed else [self.me]
        elif verb.clitic == "te":
            clause.subjects = [self.me] if self.addressed else []
        elif not (liked and self.concepts.get(liked[0]) == "name"):
            person = self._person()
            clause.subjects = [person] if person else []
        if verb.relation.startswith("se "):
            verb.relation = verb.relation[3:]
        verb.relation = f"le {verb.relation}"
        if fronted:
            for thing in liked:
                self._relate(thing, -1)

    def _on_preposition(self, i: int, chunk: Chunk) -> None:
        low = chunk.text.casefold()
        self.clause.preposition = {"al": "a", "del": "de"}.get(low, low)
        if low in _SINCE:
            self.clause.since = True

    def _on_and(self, i: int, chunk: Chunk) -> None:
        clause = self.clause
        if (
            chunk.text.casefold() in {"but", "sino"}
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
        self.clause = _Clause()
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
        planned = states and verb is not None and verb.tense in {"s", "present"}  # "my exam is on Friday"
        born = verb is not None and verb.lemma in {"bear", "nacer"}
        yearly = clause.subject is not None and self._attribute(clause.subject) is not None
        ahead = (verb is not None and verb.tense == "future") or (planned and not yearly)
        iso = resolve_date(chunk.label, self.language, self.at, future=ahead)
        if iso is None:
            return
        # the label must mean the same to whoever reads it without its sentence
        label = chunk.label if iso == resolve_date(chunk.label, self.language, self.at) else iso
        if clause.target is None and (born or states):
            self.concepts.setdefault(label, "value")
            self._relate(label, i)
        elif re.search(r"\d", label) and not label.casefold().startswith(("hace", "in ")):
            self.concepts.setdefault(label, "value")
        clause.date = clause.date or label
        clause.when = clause.when or iso

    # relations

    def _object(self, i: int, chunk: Chunk) -> None:
        clause = self.clause
        verb = clause.verb
        if verb is None:
            return
        following = self._near(i, 1)
        if verb.lemma in {"be", "estar", "ser"} and not clause.preposition and clause.target is None:
            single = " " not in chunk.text and not chunk.article and not chunk.owner and chunk.concept == "concept"
            foldable = self.language == "en" or verb.lemma == "estar" or _ADJECTIVES_ES.fullmatch(chunk.text)
            if single and foldable and following is not None and following.kind == "prep":
                clause.fold = chunk.text
                self.concepts.pop(chunk.label, None)
                return
            if single and verb.lemma == "estar":  # "estoy cansada": a state, no concept
                self.concepts.pop(chunk.label, None)
                return
        if relation_class(verb.relation) == "is called" and self._kind(i, -1) == "and":
            return  # "mi madre se llama Rosa y mi padre Antonio"
        aside = bool(clause.preposition) and clause.direct and not (clause.rejecting or clause.contrasting)
        if aside and verb.lemma in {"be", "ser"} and not clause.fold:
            return  # "is a nurse in Madrid" does not say who is in Madrid
        if not chunk.label:
            return
        if clause.subjects == [chunk.label]:  # Spanish verb–subject order: it has been taken already
            return
        self._relate(chunk.label, i, chunk)

    def _relate(self, target: str, i: int, chunk: Chunk | None = None) -> None:
        """One relation from each subject by the clause's verb to `target`."""
        clause = self.clause
        verb = clause.verb
        if verb is None or clause.preposition in _DROPPED_PREPOSITIONS:
            return
        preposition = clause.preposition
        lasting = chunk is not None and chunk.concept == "value" and _TIME_SPAN.search(chunk.label)
        if preposition and (lasting or verb.lemma in _LIKING):
            clause.since |= bool(lasting)  # "has worked at Siemens for ten years"
            return
        if clause.rejecting:
            self._reject(target)
            return
        if preposition == "from" and verb.lemma == "move":
            clause.moved_from = target
            return
        if preposition and clause.target is not None and verb.lemma in {"have", "tener"}:
            if clause.target.label != target:
                self._say(clause.target.label, preposition, target)
            return
        for source in clause.subjects:
            self._found(source, target, verb, preposition, chunk)
        if chunk is not None and (not preposition or clause.target is None):
            clause.target, clause.direct = chunk, clause.direct or not preposition

    def _found(self, source: str, target: str, verb: Chunk, preposition: str, chunk: Chunk | None) -> None:
        clause = self.clause
        said = " ".join(filter(None, (verb.relation, clause.fold, preposition)))
        copula = verb.lemma in {"be", "ser"} and not clause.fold
        attribute = self._attribute(clause.subject) if copula and clause.subject is not None else None
        if attribute is not None and clause.subject is not None:
            source, said = clause.subject.owner, f"{attribute} {verb.relation.split()[0]}"
        elif copula and chunk is not None and not preposition:
            if chunk.article in {"a", "an"}:
                said += " a"
            if chunk.owner and self.concepts.get(chunk.owner) == "name" and self.language == "en":
                source, said, target = chunk.owner, chunk.head, source
                self.concepts.pop(chunk.label, None)
                self._unsay(chunk.label)
        vague = clause.subject is not None and clause.subject.text.casefold() == "it" and verb.lemma == "be"
        if (
            source == target
            or not source
            or (vague and (clause.fold or (chunk and not chunk.article and not preposition)))
        ):
            return
        relation = ExtractedRelation(
            source, said, target, negated=verb.negated, replaces=self._replaces(said, verb, chunk)
        )
        if clause.contrasting and clause.found:
            old = clause.found.pop()
            relation = replace(relation, negated=False, replaces=Replaced(old.relation, old.target))
        clause.found.append(relation)

    def _replaces(self, said: str, verb: Chunk, target: Chunk | None) -> bool | Replaced:
        if verb.negated:
            return False
        name = relation_class(said)
        amount = target is not None and target.concept == "value"  # "actually the budget is 60,000 euros"
        moved = name == "lives in" and verb.lemma in {"move", "relocate", "mudar", "trasladar"}
        if moved and self.clause.moved_from:
            return Replaced("vive en" if self.language == "es" else "lives in", self.clause.moved_from)
        return moved or (self.corrects and (is_single_valued(name) or (name == "is a" and amount)))

    def _reject(self, target: str) -> None:
        """ "…, not Madrid": what the last relation is said in place of."""
        clause = self.clause
        clause.rejecting = False
        if clause.found:
            last = clause.found[-1]
            clause.found[-1] = replace(last, replaces=Replaced(last.relation, target))

    def _say(self, source: str, relation: str, target: str) -> None:
        if not self.asks and not self.supposes and source and relation and target and source != target:
            said = ExtractedRelation(source, relation, target)
            if said not in self.relations:
                self.relations.append(said)

    def _unsay(self, label: str) -> None:
        self.relations = [r for r in self.relations if r.target != label]
