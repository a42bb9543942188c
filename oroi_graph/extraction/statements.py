"""Clauses to relations: from the subjects by the verb to each object, with what the clause denies."""

from __future__ import annotations

import re
from dataclasses import replace

from oroi_graph.extraction.chunking import Chunk
from oroi_graph.extraction.chunking.english_verbs import tensed
from oroi_graph.extraction.clause_state import COPULA, HAVING, PRESENT, Clause, TurnState, is_having
from oroi_graph.extraction.possession import attribute
from oroi_graph.extraction.replacements import CHANGING, reject, replaced_by
from oroi_graph.language.lexicons.by_language import ACTIVITIES
from oroi_graph.language.lexicons.pronouns import possessive
from oroi_graph.language.lexicons.tables import common_words, pattern, table, tables, words
from oroi_graph.language.relations import relation_class
from oroi_graph.language.tokens import word_set
from oroi_graph.language.values import canonical_value
from oroi_graph.language.verbs.english import english_verb
from oroi_graph.model import ExtractedRelation, Replaced

_ROWS = table(tables("texts"), "clauses")
OPINIONS = words(_ROWS, "opinions")
DAY = word_set("day día dia")  # "el día 4 de mayo"
INDEFINITE = word_set("a an un una um uma")
_UNSTATED_PREPOSITIONS = word_set("than like despite per via except including until till hasta mediante até exceto")
_LIKING = word_set("love like enjoy hate gustar encantar adorar")
_TIME_SPAN, _ADJECTIVES = (re.compile(pattern(_ROWS, name), re.IGNORECASE) for name in ("time_span", "adjectives"))
_FROM = word_set("from de desde")
_FOR = word_set("for with por con com")
_BY = word_set("by por")
_ABOUT = word_set("about sobre")
_SWAPPING = word_set("swap exchange replace trade cambiar trocar sustituir substituir")
_ASKING = word_set("ask tell remind warn inform teach preguntar decir avisar perguntar dizer")
# "I've moved to nights" is said of no home
_TO = word_set("to a para")
_CHANGED = {"moved": "changed", "mudó": "pasó", "mudado": "pasado", "mudou": "passou", "trasladó": "pasó"}
_COPULAS = COPULA | {"estar"}
_NONE = word_set("no neither ningún ninguna nenhum nenhuma")


def start_clause(turn: TurnState, *, keep_subject: bool = False) -> None:
    """End the current clause and begin the next; keep_subject: with the same subject."""
    old = turn.clause
    end_clause(turn)
    turn.clause = new = Clause()
    if old.verb is None:
        new.when = old.when
    if keep_subject:
        new.subjects, new.subject = old.subjects, old.subject


def end_clause(turn: TurnState) -> None:
    """Add the relations of the current clause to the turn, with the clause's date."""
    clause, verb = turn.clause, turn.clause.verb
    _add_event(turn)
    for relation in clause.found:
        said = relation.relation
        if clause.since and verb is not None and verb.tense == "perfect":  # "has worked there since": works there
            said = said.replace(verb.relation, tensed(verb.lemma, past=False), 1)
        past = turn.recalls and verb is not None and verb.tense not in PRESENT
        whole = replace(relation, relation=said, when=relation.when or clause.when, past=past)
        if turn.states and whole not in turn.relations:
            turn.relations.append(whole)
    turn.owned += [r.source for r in clause.found if possessive(r.source)]
    turn.subjects = [s for s in clause.subjects if turn.is_name(s)] or turn.subjects
    topics = (chunk for chunk in (clause.target, clause.subject) if chunk is not None and chunk.concept == "concept")
    turn.topics += [chunk.label for chunk in topics][:1]


def _add_event(turn: TurnState) -> None:
    """ "My mother died yesterday": relate the subject to the date if the clause states nothing else."""
    clause, verb = turn.clause, turn.clause.verb
    if verb is None or verb.negated or verb.tense == "hypothetical" or verb.lemma in OPINIONS:
        return
    if clause.nameless and verb.lemma in _COPULAS:
        return  # "the traffic was terrible this morning"
    if clause.found or clause.target is not None or not clause.date or not turn.states:
        return
    for source in clause.subjects:
        if source != turn.me:
            said = " ".join(filter(None, (verb.relation, clause.preposition)))
            clause.found.append(ExtractedRelation(source, said, clause.date))
            turn.concepts.setdefault(clause.date, "value")


def add_object(turn: TurnState, i: int, chunk: Chunk) -> None:
    """Read the noun phrase at `i` as an object of the clause's verb."""
    clause, verb = turn.clause, turn.clause.verb
    if verb is None:
        return
    if verb.lemma in _COPULAS and not clause.preposition and clause.target is None:
        single = " " not in chunk.text and not chunk.article and not chunk.owner and chunk.concept == "concept"
        foldable = not turn.lexicon.romance or verb.lemma == "estar" or _ADJECTIVES.fullmatch(chunk.text)
        if single and foldable and turn.kind_near(i, 1) == "prep":
            clause.adjective = chunk.text
            turn.concepts.pop(chunk.label, None)
            return
        if single and verb.lemma == "estar":  # "estoy cansada": a state, no concept
            turn.concepts.pop(chunk.label, None)
            return
    if relation_class(verb.relation) == "is called" and turn.kind_near(i, -1) == "and":
        return  # "mi madre se llama Rosa y mi padre Antonio"
    aside = bool(clause.preposition) and clause.direct and not (clause.rejecting or clause.contrasting)
    if aside and verb.lemma in COPULA and not clause.adjective:
        return  # "is a nurse in Madrid" does not say who is in Madrid
    if not chunk.label:
        clause.nameless |= clause.target is None and chunk.text.casefold() not in DAY
    elif clause.subjects != [chunk.label]:  # else a Spanish subject after its verb, which was read already
        relate(turn, chunk.label, i, chunk)


def relate(turn: TurnState, target: str, i: int, chunk: Chunk | None = None) -> None:
    """Relate each subject by the clause's verb to `target`, which `chunk` at index `i` names."""
    clause, verb = turn.clause, turn.clause.verb
    if verb is None or clause.preposition in _UNSTATED_PREPOSITIONS or _is_circumstance(clause, verb, chunk):
        return
    preposition, thing = clause.preposition, clause.target
    if clause.rejecting:
        reject(turn, target)
    elif preposition in _FROM and verb.lemma in CHANGING and thing is None:
        clause.origin = target
    elif thing is not None and preposition in _ABOUT and _describes(turn, thing, verb, i):
        if thing.label != target and clause.subjects:  # "a documentary about whales"
            clause.found.append(ExtractedRelation(thing.label, f"{turn.lexicon.copula} {preposition}", target))
    elif _is_general(turn) or (chunk is not None and (_names_no_fact(clause, verb, chunk) or _is_told(turn, chunk))):
        _set_target(clause, thing or chunk)
    elif verb.active and preposition in _BY and chunk is not None and clause.subject is not None:
        _add_active(turn, verb, chunk.label)
    elif not (chunk is not None and preposition in _FOR and _add_price(turn, chunk)):
        for source in clause.subjects:
            _add_found(turn, source, target, verb, chunk)
        if thing is not None and preposition:
            _place_object(turn, thing, target, verb)
        if chunk is not None and (not preposition or thing is None):
            _set_target(clause, chunk)


def _set_target(clause: Clause, chunk: Chunk | None) -> None:
    clause.target, clause.direct = chunk, clause.direct or not clause.preposition


def _is_circumstance(clause: Clause, verb: Chunk, chunk: Chunk | None) -> bool:
    """Whether what a preposition adds is no object: a duration, or a place where somebody likes something."""
    if not clause.preposition:
        return False
    if clause.nameless and clause.target is None and not clause.adjective:
        return True  # "on the hunt for a studio", "a great way to …"
    lasting = chunk is not None and chunk.concept == "value" and bool(_TIME_SPAN.search(chunk.label))
    clause.since |= lasting  # "has worked at Siemens for ten years"
    return lasting or verb.lemma in _LIKING


def _describes(turn: TurnState, thing: Chunk, verb: Chunk, i: int) -> bool:
    """Whether "about" at chunk `i - 1` belongs to the object before it, and not to a verb such as "ask"."""
    adjacent = turn.chunks[max(0, i - 2)] is thing
    return adjacent and (verb.lemma not in _ASKING or thing.article in INDEFINITE)


def _is_general(turn: TurnState) -> bool:
    """Whether the subject is a whole kind: "dogs bring joy" is no fact about any dog."""
    subject = turn.clause.subject
    if turn.lexicon.romance or subject is None or subject.kind != "np" or subject.concept != "concept":
        return False
    return not (subject.article or subject.owner or subject.inner or subject.text[:1].isdigit())


def _names_no_fact(clause: Clause, verb: Chunk, chunk: Chunk) -> bool:
    """Whether an object is a gerund of no activity ("I am relaxing and recharging") or praise of what is in sight
    ("those colours are vivid", "it is a nice change")."""
    low, subject = chunk.text.casefold(), clause.subject
    bare = not chunk.article and not chunk.owner
    gerund = low.endswith("ing") and (verb.relation.endswith("ing") or english_verb(low) is not None)
    if bare and gerund and " " not in low and low not in ACTIVITIES:
        return True
    if verb.lemma != "be" or subject is None or chunk.concept != "concept" or clause.adjective or clause.preposition:
        return False
    if subject.text.casefold() == "it":
        return True
    coded = any(letter.isdigit() for letter in chunk.label)  # "the password is tulip22"
    adjective = bare and not chunk.label.endswith("s") and not coded
    return adjective and subject.kind == "np" and subject.concept == "concept" and not subject.owner


def _is_told(turn: TurnState, chunk: Chunk) -> bool:
    """Whether a phrase was read as the speaker's own already (`read_own_names`): "I have my daughter" tells no more."""
    clause, verb = turn.clause, turn.clause.verb
    if verb is None or not is_having(verb) or clause.subjects != [chunk.owner]:
        return False
    return any(r.source == chunk.label and r.relation == turn.lexicon.copula for r in turn.relations)


def _place_object(turn: TurnState, thing: Chunk, target: str, verb: Chunk) -> None:
    """Relate something of the user's to the place of a clause: "I celebrate my wedding at La Barraca"."""
    clause = turn.clause
    owned = clause.subjects == [turn.me] and (bool(thing.owner) or verb.lemma in HAVING)
    if verb.negated:
        return
    if clause.found and clause.direct and owned and thing.concept == "concept":
        turn.add_relation(thing.label, clause.preposition, target)
    elif clause.fronted:  # "la bicicleta se la compré a Ulises"
        turn.add_relation(thing.label, f"se {verb.relation} {clause.preposition}", target)


def _add_active(turn: TurnState, verb: Chunk, agent: str) -> None:
    """ "The cat is looked after by Ana": Ana looks after the cat."""
    said = " ".join(filter(None, (verb.active, turn.clause.particle)))
    for target in turn.clause.subjects:
        if target != agent:
            turn.clause.found.append(ExtractedRelation(agent, said, target, negated=verb.negated))


def _add_price(turn: TurnState, chunk: Chunk) -> bool:
    """ "I bought a tent for 70 euros": add what the tent cost. False if `chunk` is no amount of money."""
    clause, thing = turn.clause, turn.clause.target
    if thing is None or not clause.direct or thing.concept != "concept" or not thing.label or not clause.subjects:
        return False
    amount = canonical_value(chunk.label, turn.language, turn.at) if chunk.concept == "value" else None
    if amount is None or not re.fullmatch(r"[A-Z]{3} [\d.]+", amount):
        return False
    clause.found.append(ExtractedRelation(thing.label, turn.lexicon.cost, chunk.label))
    return True


def _add_found(turn: TurnState, source: str, target: str, verb: Chunk, chunk: Chunk | None) -> None:
    """Add the relation from one subject to one object to the clause."""
    clause, preposition = turn.clause, turn.clause.preposition
    equates = verb.lemma in COPULA and not clause.adjective and not preposition
    source, said, target = _wording(turn, source, target, verb, chunk)
    vague = clause.subject is not None and clause.subject.text.casefold() == "it" and verb.lemma == "be"
    bare = chunk is not None and not chunk.article and not preposition
    if source == target or not source or (vague and (clause.adjective or bare)):
        return
    none = any(c is not None and c.article in _NONE for c in (chunk, clause.subject))  # "allows no pets"
    replaces = False if none else replaced_by(turn, said, verb, chunk)
    relation = ExtractedRelation(source, said, target, negated=verb.negated or none, replaces=replaces)
    if equates and chunk is not None and chunk.concept == "name":
        _add_role(turn, relation)
    if clause.contrasting and clause.found:
        relation = replace(_replacing_last(clause, relation), negated=False)
    if preposition in _FOR and verb.lemma in _SWAPPING and clause.direct and clause.found:
        relation = _replacing_last(clause, relation)  # "swapped the car for a bike"
    clause.found.append(relation)


def _replacing_last(clause: Clause, relation: ExtractedRelation) -> ExtractedRelation:
    old = clause.found.pop()
    return replace(relation, replaces=Replaced(old.relation, old.target))


def _wording(turn: TurnState, source: str, target: str, verb: Chunk, chunk: Chunk | None) -> tuple[str, str, str]:
    """Source, relation and target as they are stated: "my birthday is in May" is said of me, not of the birthday."""
    clause, preposition = turn.clause, turn.clause.preposition
    said = " ".join(filter(None, (verb.relation, clause.adjective, _carried_object(turn), preposition)))
    if (
        relation_class(said) == "lives in"
        and verb.lemma in CHANGING
        and preposition in _TO
        and _is_no_place(turn, chunk)
    ):
        said = " ".join(_CHANGED.get(word, word) for word in said.removeprefix("se ").split())
    if verb.lemma not in COPULA or clause.adjective:
        return source, said, target
    of_owner = attribute(turn, clause.subject) if clause.subject is not None else None
    if of_owner is not None and clause.subject is not None:
        return clause.subject.owner, f"{of_owner} {verb.relation.split()[0]}", target
    if chunk is None or preposition:
        return source, said, target
    if chunk.owner and turn.is_name(chunk.owner) and not turn.lexicon.romance:  # "Luis is Ana's brother"
        turn.concepts.pop(chunk.label, None)
        turn.relations = [r for r in turn.relations if r.target != chunk.label]
        return chunk.owner, chunk.head, source
    return source, f"{said} a" if chunk.article in {"a", "an"} else said, target


def _is_no_place(turn: TurnState, chunk: Chunk | None) -> bool:
    """Whether nobody lives in what a phrase names: it has frequent words only (or it is a town in small letters),
    and none of a place; what is somebody's counts as one."""
    if chunk is None or chunk.concept != "concept" or chunk.owner or chunk.inner:
        return False
    words = frozenset(chunk.label.casefold().split())
    return words <= common_words(turn.language) and turn.lexicon.places.isdisjoint(words)


def _carried_object(turn: TurnState) -> str:
    """The direct object as part of the relation to what follows: "has a house | in", "parks the car | at"."""
    clause, thing = turn.clause, turn.clause.target
    if not clause.preposition or not clause.direct or thing is None or thing.concept != "concept":
        return ""
    head = thing.head or thing.label
    return head if head.count(" ") < 2 and clause.verb is not None and clause.verb.lemma not in _COPULAS else ""


def _add_role(turn: TurnState, relation: ExtractedRelation) -> None:
    """ "My boss is Marta": add that Marta is a boss of mine, beside what is said of "my boss"."""
    subject = turn.clause.subject
    if subject is None or not subject.owner or not subject.head or relation.source != subject.label:
        return
    if subject.owner == turn.me or turn.is_name(subject.owner):
        turn.clause.found.append(replace(relation, source=subject.owner, relation=subject.head))
