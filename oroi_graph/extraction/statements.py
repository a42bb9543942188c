"""What a clause states: its relations, what they deny and what they replace."""

from __future__ import annotations

import re
from dataclasses import replace

from oroi_graph.extraction.clause_state import Clause
from oroi_graph.extraction.phrases import Chunk, is_loose_gerund, tensed
from oroi_graph.extraction.possession import Belongings
from oroi_graph.language.dates import is_weekday
from oroi_graph.language.pronouns import possessive
from oroi_graph.language.relations import SINGLE_VALUED, is_single_valued, relation_class
from oroi_graph.language.tokens import word_set
from oroi_graph.language.values import canonical_value
from oroi_graph.model import ExtractedRelation, Replaced

OPINIONS = word_set(
    "think believe guess hope know mean suppose say tell bet feel creer pensar decir achar acreditar supor dizer "
    "esperar"
)
DAY = word_set("day día dia")  # "el día 4 de mayo"
TELLING = word_set("know say tell decir dizer")  # those of them that have things for objects, too
_DROPPED_PREPOSITIONS = word_set("than like despite per via except including until till hasta mediante até exceto")
_LIKING = word_set("love like enjoy hate gustar encantar adorar")
_TIME_SPAN = re.compile(
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|minutos?|horas?|d[ií]as?|semanas?|m[eê]s|meses|años?|anos?)$",
    re.I,
)
# with "ser" and a preposition part of the relation: "es alérgica a", "é casado com"
_ADJECTIVES = re.compile(
    r"(?:al[ée]rgic|adict|aficionad|interes+ad|enamorad|apaixonad|casad|divorciad|orgulhos|orgullos|expert|"
    r"responsabl|responsável|viciad|intolerant|formad|sóci|soci|capa|fan|fã)\w{0,3}",
    re.IGNORECASE,
)

CHANGING = word_set("move relocate switch change transfer mudar trasladar transferir cambiar pasar passar trocar")
_FROM = word_set("from de desde")
_FOR = word_set("for with por con com")
_SWAPPING = word_set("swap exchange replace trade cambiar trocar sustituir substituir")
_ABOUT = word_set("about sobre")
_ASKING = word_set("ask tell remind warn inform teach preguntar decir avisar perguntar dizer")
_COPULAS = word_set("be ser estar")
_HOLDING = word_set("base s present")  # tenses that say what is so
_ONE = word_set(  # roles that one person has at a time
    "boss manager landlord landlady husband wife partner boyfriend girlfriend jefe jefa marido "
    "mujer esposo esposa novio novia pareja "
    "chefe namorado namorada mulher"
)
_NONE = word_set("no neither ningún ninguna nenhum nenhuma")
_DEFINITE = word_set("the el la o a")
INDEFINITE = word_set("a an un una um uma")
_SEVERAL = word_set("has likes dislikes speaks") | {"is a", "is allergic to", "is from"}
_HABITS = word_set("plays eats wants needs prefers studies")  # one of several, or in place of another


class Statements(Belongings):
    """Turns a clause's subjects, verb and objects into relations."""

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
        if verb is None or verb.negated or verb.tense == "hypothetical" or verb.lemma in OPINIONS:
            return
        if clause.blank and verb.lemma in _COPULAS:
            return  # "the traffic was terrible this morning"
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
        self.clause = Clause()
        if old.verb is None:
            self.clause.when, self.clause.conditional = old.when, old.conditional
        if keep_subject:
            self.clause.subjects, self.clause.subject = old.subjects, old.subject
            self.clause.conditional = old.conditional

    def _object(self, i: int, chunk: Chunk) -> None:
        clause = self.clause
        verb = clause.verb
        if verb is None:
            return
        following = self._near(i, 1)
        if verb.lemma in {"be", "estar", "ser"} and not clause.preposition and clause.target is None:
            single = " " not in chunk.text and not chunk.article and not chunk.owner and chunk.concept == "concept"
            foldable = not self.lexicon.romance or verb.lemma == "estar" or _ADJECTIVES.fullmatch(chunk.text)
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
            clause.blank |= clause.target is None and chunk.text.casefold() not in DAY
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
        if clause.blank and preposition and clause.target is None and not clause.fold:
            return  # "on the hunt for a studio", "a great way to …"
        lasting = chunk is not None and chunk.concept == "value" and _TIME_SPAN.search(chunk.label)
        if preposition and (lasting or verb.lemma in _LIKING):
            clause.since |= bool(lasting)  # "has worked at Siemens for ten years"
            return
        if clause.rejecting:
            self._reject(target)
            return
        if preposition in _FROM and verb.lemma in CHANGING and clause.target is None:
            clause.left = target
            return
        near = clause.target is not None and self.chunks[max(0, i - 2)] is clause.target
        whom = verb.lemma in _ASKING and clause.target is not None and clause.target.article not in INDEFINITE
        if preposition in _ABOUT and near and clause.target is not None and not whom:
            self._describe(clause.target.label, preposition, target)
            return
        if (
            self._general()
            or (chunk is not None and is_loose_gerund(chunk, verb))
            or (chunk is not None and self._only_described(verb, preposition, chunk))
        ):
            clause.target, clause.direct = clause.target or chunk, clause.direct or not preposition
            return
        if verb.active and preposition in {"by", "por"} and chunk is not None and clause.subject is not None:
            self._undergone(verb, chunk)
            return
        if chunk is not None and preposition in _FOR and self._priced(chunk):
            return
        for source in clause.subjects:
            self._found(source, target, verb, preposition, chunk)
        if preposition and clause.found and self._placed(verb):
            self._say(clause.target.label if clause.target else "", preposition, target)
        elif preposition and clause.fronted and clause.target is not None and not verb.negated:
            self._say(clause.target.label, f"se {verb.relation} {preposition}", target)  # it is about the bicycle
        if chunk is not None and (not preposition or clause.target is None):
            clause.target, clause.direct = chunk, clause.direct or not preposition

    def _found(self, source: str, target: str, verb: Chunk, preposition: str, chunk: Chunk | None) -> None:
        clause = self.clause
        said = " ".join(filter(None, (verb.relation, clause.fold, self._carried(preposition), preposition)))
        copula = verb.lemma in {"be", "ser"} and not clause.fold
        attribute = self._attribute(clause.subject) if copula and clause.subject is not None else None
        if attribute is not None and clause.subject is not None:
            source, said = clause.subject.owner, f"{attribute} {verb.relation.split()[0]}"
        elif copula and chunk is not None and not preposition:
            if chunk.article in {"a", "an"}:
                said += " a"
            if chunk.owner and self.concepts.get(chunk.owner) == "name" and not self.lexicon.romance:
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
        none = any(c is not None and c.article in _NONE for c in (chunk, clause.subject))  # "allows no pets"
        relation = ExtractedRelation(
            source,
            said,
            target,
            negated=verb.negated or none,
            replaces=False if none else self._replaces(said, verb, chunk),
        )
        if copula and chunk is not None and chunk.concept == "name" and not preposition:
            self._in_role(relation)
        if clause.contrasting and clause.found:
            old = clause.found.pop()
            relation = replace(relation, negated=False, replaces=Replaced(old.relation, old.target))
        if preposition in _FOR and verb.lemma in _SWAPPING and clause.found and clause.direct:
            old = clause.found.pop()  # "swapped the car for a bike"
            relation = replace(relation, replaces=Replaced(old.relation, old.target))
        clause.found.append(relation)

    def _placed(self, verb: Chunk) -> bool:
        """ "I celebrate my wedding at La Barraca": the wedding is there, whoever else is the speaker's."""
        clause = self.clause
        thing = clause.target
        if thing is None or not clause.direct or thing.concept != "concept" or clause.subjects != [self.me]:
            return False
        owned = bool(thing.owner) or verb.lemma in {"have", "tener", "ter"}
        return owned and bool(thing.label) and not verb.negated and not clause.rejecting

    def _general(self) -> bool:
        """ "Dogs bring joy", "nature is calming": of all and none, no fact about something."""
        subject = self.clause.subject
        if self.lexicon.romance or subject is None or subject.kind != "np" or subject.concept != "concept":
            return False
        return not (subject.article or subject.owner or subject.inner or subject.text[:1].isdigit())

    def _only_described(self, verb: Chunk, preposition: str, chunk: Chunk) -> bool:
        """ "Those colours are vivid", "it is a nice change": praise of what is before the eyes."""
        subject = self.clause.subject
        if verb.lemma != "be" or subject is None or chunk.concept != "concept" or self.clause.fold:
            return False
        if subject.text.casefold() == "it":
            return not preposition
        bare = not preposition and not chunk.article and not chunk.owner and not chunk.label.endswith("s")
        bare = bare and not any(letter.isdigit() for letter in chunk.label)  # "the password is tulip22"
        return bare and subject.kind == "np" and subject.concept == "concept" and not subject.owner

    def _undergone(self, verb: Chunk, doer: Chunk) -> None:
        """ "The cat is looked after by Ana": Ana looks after the cat."""
        said = " ".join(filter(None, (verb.active, self.clause.particle)))
        for target in self.clause.subjects:
            if target != doer.label:
                self.clause.found.append(ExtractedRelation(doer.label, said, target, negated=verb.negated))

    def _priced(self, chunk: Chunk) -> bool:
        """ "I bought a tent for 70 euros": what the tent cost."""
        clause = self.clause
        thing = clause.target
        if thing is None or not clause.direct or thing.concept != "concept" or not thing.label or not clause.subjects:
            return False
        amount = canonical_value(chunk.label, self.language, self.at) if chunk.concept == "value" else None
        if amount is None or not re.fullmatch(r"[A-Z]{3} [\d.]+", amount):
            return False
        clause.found.append(ExtractedRelation(thing.label, self.lexicon.cost, chunk.label))
        return True

    def _in_role(self, relation: ExtractedRelation) -> None:
        """ "Ana's brother is Luis", "my boss is Marta": who that is to Ana, or to me, said directly as well."""
        subject = self.clause.subject
        if subject is None or not subject.owner or not subject.head or relation.source != subject.label:
            return
        if subject.owner == self.me or self.concepts.get(subject.owner) == "name":
            self.clause.found.append(replace(relation, source=subject.owner, relation=subject.head))

    def _carried(self, preposition: str) -> str:
        """The direct object, as part of what is said of what follows: "has a house | in", "parks the car | at"."""
        clause = self.clause
        if not preposition or not clause.direct or clause.target is None or clause.target.concept != "concept":
            return ""
        head = clause.target.head or clause.target.label
        return head if head.count(" ") < 2 and clause.verb is not None and clause.verb.lemma not in _COPULAS else ""

    def _describe(self, thing: str, preposition: str, target: str) -> None:
        """ "a documentary about whales" says what the documentary is about."""
        relation = ExtractedRelation(thing, f"{self.lexicon.copula} {preposition}", target)
        if thing != target and self.clause.subjects:
            self.clause.found.append(relation)

    def _replaces(self, said: str, verb: Chunk, target: Chunk | None) -> bool | Replaced:
        if verb.negated:
            return False
        name = relation_class(said)
        amount = target is not None and target.concept == "value"  # "actually the budget is 60,000 euros"
        moved = name == "lives in" and verb.lemma in CHANGING
        if self.clause.left and verb.lemma in CHANGING:
            return Replaced(self.lexicon.lives if moved else said, self.clause.left)
        # of what one has several of, "now" adds another; of what is in no class, one follows the other
        several = (name in _SEVERAL or (name in _HABITS and not self.switches)) and not amount
        if name not in SINGLE_VALUED and self._fixed(verb, target):
            return True
        holds = verb.tense in _HOLDING  # "I used to live in Paris, but now …": the first replaces nothing
        return moved or (self.corrects and holds and (is_single_valued(name) or not several))

    def _fixed(self, verb: Chunk, target: Chunk | None) -> bool:
        """Whether a clause gives one thing its one value: "my boss is Marta", "the train leaves at 8:40". Whoever has
        a brother may have another one."""
        subject = self.clause.subject
        if subject is None or subject.kind != "np" or subject.concept != "concept" or verb.tense not in _HOLDING:
            return False
        if not (subject.owner or subject.article in _DEFINITE) or self.clause.fold:
            return False
        copula = verb.lemma in {"be", "ser"}
        kind = target.concept if target is not None else "value"
        heads = {word.casefold() for word in (subject.head or subject.label).split()}
        mine = subject.owner == self.me and not heads & (self.lexicon.kinship - _ONE)
        habitual = target is not None and is_weekday(target.text)
        return kind == "value" or (copula and ((kind == "name" and mine) or habitual))  # "es los jueves"

    def _reject(self, target: str) -> None:
        """ "…, not Madrid": what the last relation is said in place of."""
        clause = self.clause
        clause.rejecting = False
        if clause.found:
            last = clause.found[-1]
            clause.found[-1] = replace(last, replaces=Replaced(last.relation, target))
