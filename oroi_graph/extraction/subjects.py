"""Who or what a clause is about: subjects before and after the verb, and those left out."""

from __future__ import annotations

from itertools import pairwise

from oroi_graph.extraction.phrases import Chunk
from oroi_graph.extraction.statements import OPINIONS, TELLING, Statements
from oroi_graph.language.lexicons.by_language import EXPERIENCE
from oroi_graph.language.pronouns import is_first_person, possessive
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.forms import third_person

_THINGS_COST = word_set("costar durar pesar medir parecer encantar gustar custar ficar")  # said of things
_TAKES_SUBJECT_AFTER = word_set("vivir morir nacer llegar venir trabajar fallecer morrer nascer chegar vir falecer")
_CAUSING = word_set("let help make have see watch hear want")  # "let us go" states nothing
_IMPERSONAL = word_set("haber haver hacer fazer llover nevar chover nevar tratar bastar faltar")
_DEFINITE_ES = word_set("el la los las")
_NAMING = word_set("llamar apodar chamar")
_OBJECTIVE = word_set("me us him them")  # "the flat above us belongs to …"
_THAT_WHICH = frozenset({("lo", "que"), ("o", "que")})
_RELATIVE = word_set("who which that que quien quienes quem")


class Subjects(Statements):
    """Settles the subjects of clauses as pronouns, names and verbs come."""

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
        after = self._near(i, -1)  # "a friend of mine gave": no subject; but "a mí me gusta"
        of = after is not None and after.kind == "prep" and after.text.casefold() != "a"
        of = of or (clause.verb is None and chunk.text.casefold() in _OBJECTIVE)
        if verb_next and not of and (clause.verb is None or self._kind(i, -1) != "prep"):
            listed = clause.verb is None and self._kind(i, -1) == "and"
            caused = clause.verb is not None and clause.verb.lemma in _CAUSING and self._kind(i, -1) == "verb"
            if clause.verb is not None:
                self._new()
            who = None if caused else self._resolved(chunk, i)
            kept = self.clause.subjects if listed else []
            self.clause.subjects = [*kept, who] if who else kept
            self.clause.subject = chunk
        elif clause.verb is None or not is_first_person(chunk.text) or self._object_next(i):
            return
        elif all(self._somebody(subject) for subject in clause.subjects):  # not "the sunset reminded me"
            self._relate(self.me, i)

    def _somebody(self, label: str) -> bool:
        """Whether a label is a name, the speaker or one of the speaker's own."""
        return label == self.me or self.concepts.get(label) == "name" or possessive(label) is not None

    def _object_next(self, i: int) -> bool:
        return self._kind(i, 1) == "np"

    def _on_verb(self, i: int, chunk: Chunk) -> None:
        clause = self.clause
        previous = self._near(i, -1)
        if self._cleft(i):
            return
        if clause.verb is not None:
            relative = previous is not None and previous.text.casefold() in _RELATIVE
            target = clause.target
            self._new(keep_subject=not relative)
            clause = self.clause
            if relative:
                clause.subjects, clause.subject = ([target.label] if target else []), target
        elif previous is not None and previous.kind == "sub" and clause.subject is not None:
            pass  # "Ana, who lives …": the subject stays
        marked = clause.preposition == "a"  # "a Thor": whom the verb is done to
        clause.verb, clause.preposition, clause.fold = chunk, "", ""
        if self.lexicon.romance:
            self._hold(chunk)
            self._romance_subject(i, chunk, marked=marked)
        elif not clause.subjects and clause.subject is None and chunk.tense == "past" and self._elliptic(i, chunk):
            clause.subjects = [self.me]
        if chunk.lemma in OPINIONS and chunk.negated:
            self.supposes = True  # "I don't think that …"
        told = chunk.lemma in TELLING and self._thing_follows(i)  # "told me a joke", "knows a good carpenter"
        if (chunk.lemma in OPINIONS and not told) or chunk.tense == "hypothetical":
            clause.subjects = []

    def _thing_follows(self, i: int) -> bool:
        """Whether what follows a verb is a thing, and not a clause with a verb of its own."""
        kinds = [c.kind for c in self.chunks[i + 1 : i + 4] if c.kind != "adv"]
        if kinds[:1] == ["pron"]:
            kinds = kinds[1:]
        return kinds[:1] == ["np"] and kinds[1:2] not in (["verb"], ["pron"])

    def _elliptic(self, i: int, verb: Chunk) -> bool:
        """ "Got a tattoo": a past at the very beginning is the speaker's; but "April was rainy"."""
        if verb.lemma == "be" and i and self.chunks[i - 1].kind == "date":
            return False
        return not self.addressed and all(c.kind in ("adv", "hey", "comma", "date") for c in self.chunks[:i])

    def _romance_subject(self, i: int, verb: Chunk, *, marked: bool) -> None:
        clause = self.clause
        if verb.lemma in EXPERIENCE and verb.clitic in {"me", "nos", "te"} | self.lexicon.clitics_third:
            self._experience(verb)
            return
        following = self.chunks[i + 1] if i + 1 < len(self.chunks) else None
        if marked and verb.clitic in self.lexicon.clitics_third and verb.person in (3, 6) and clause.subjects:
            done = verb.text.casefold().partition(f"{verb.clitic} ")[2]
            verb.relation = f"{verb.clitic} {done}"  # "a Ana le regalaron …": it was done to her
            return
        if not marked and self._given_by(i, verb):
            return
        if verb.clitic in self.lexicon.clitics_object and following is not None and following.kind == "np":
            self._object_before(i, verb, following, marked=marked)
            return
        if verb.person in (1, 4):
            plural = verb.person == 4 and self.me in clause.subjects
            ambiguous = verb.tense == "imperfect" and clause.subjects
            if not plural and not ambiguous:
                thing = self._fronted_object(i, verb)
                there = verb.lemma in _IMPERSONAL and verb.tense == "imperfect"  # "había tres caballos"
                clause.subjects = [] if self.addressed or there else [self.me]
                if thing is not None:
                    clause.subject = None
                    self._relate(thing.label, i, thing)
                    clause.fronted = True
        elif verb.person in (2, 5):
            clause.subjects = [self.me] if self.addressed else []
        elif not clause.subjects:
            after = (
                following is not None
                and following.kind == "np"
                and following.label
                and (following.concept == "name" or verb.lemma in _TAKES_SUBJECT_AFTER)
            )
            if after and following is not None and verb.lemma not in {"ser", "llamar", "chamar"}:
                clause.subjects = [following.label]
                return
            if verb.lemma in _IMPERSONAL:
                return
            told = (
                following is not None and following.kind in ("date", "clock", "prep") and verb.lemma in {"ser", "estar"}
            )
            about = self._thing() if told or verb.lemma in _THINGS_COST else self._person()
            clause.subjects = [about] if about and clause.subject is None else []
            if told and about and clause.subject is None:  # "…: es el 11 de mayo"
                clause.subject = Chunk("np", about, about, head=about, article="el")

    def _hold(self, verb: Chunk) -> None:
        """ "Ahora jugamos en el club": where something has changed, what may be a present is one."""
        ambiguous = verb.person == 4 and verb.tense == "past" and verb.text.casefold().endswith(("amos", "imos"))
        if self.corrects and ambiguous and verb.text.casefold().split()[-1] != "fuimos":
            present = third_person(verb.lemma, self.language)
            verb.relation, verb.tense = f"se {present}" if verb.relation.startswith("se ") else present, "present"

    def _fronted_object(self, i: int, verb: Chunk) -> Chunk | None:
        """ "La bicicleta se la compré a Ulises": what stands before the verb and is taken up by its pronoun."""
        thing = self.clause.subject
        at = i - 1
        if at > 1 and self.chunks[at].kind == "np" and self.chunks[at - 1].text.casefold() in self.lexicon.of:
            at -= 2  # "la llave de repuesto | del piso | la tiene Paqui"
        before = (
            thing is not None and at >= 0 and self.chunks[at] is thing and thing.concept == "concept" and thing.label
        )
        return thing if before and verb.clitic in self.lexicon.clitics_object else None

    def _cleft(self, i: int) -> bool:
        """Whether a copula takes up the verb before it: "what I drive is a Toyota", "lo que toca Ana es el oboe"."""
        verb = self.clause.verb
        if verb is None or self.asks or self.chunks[i].lemma not in {"be", "ser"}:
            return False
        at = next((k for k in range(i) if self.chunks[k] is verb), None)
        if at is None:  # what is no fact has no verb of its own ("to see Ana")
            return False
        between = [chunk.kind for chunk in self.chunks[at + 1 : i]]
        led = [chunk.text.casefold() for chunk in self.chunks[max(0, at - 3) : at]]
        what = "what" in led or any(pair in _THAT_WHICH for pair in pairwise(led))
        return what and (not between or (self.lexicon.romance and between == ["np"] and not self.clause.found))

    def _given_by(self, i: int, verb: Chunk) -> bool:
        """ "Mi clase de inglés la da (ahora) Kevin": said of the class, so that somebody else can give it later."""
        thing, doer = self._fronted_object(i, verb), self._near(i, 1)
        if thing is None or not (thing.owner or thing.article in _DEFINITE_ES) or verb.person not in (3, 6):
            return False
        told = doer is not None and doer.kind == "np" and bool(doer.label) and doer.concept != "value"
        if doer is None or not told or verb.lemma in _NAMING:
            return False
        if doer.concept != "name" and not (doer.article or doer.owner):
            return False
        verb.relation = f"{verb.clitic} {verb.relation}"
        return True

    def _object_before(self, i: int, verb: Chunk, doer: Chunk, *, marked: bool) -> None:
        """ "A Thor lo cuida Nuria": Nuria does it, to what stands before or was named last."""
        clause = self.clause
        told = clause.subjects if marked else []
        clause.subjects = []
        if not told or not doer.label or doer.concept == "value" or verb.person not in (3, 6):
            return  # "el proyecto se llama Aurora y lo dirige Carmen"
        clause.subjects = [doer.label]
        for thing in told:
            self._relate(thing, i)

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
