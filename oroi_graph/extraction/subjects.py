"""The subjects of clauses: before the verb, after it, or left out."""

from __future__ import annotations

import re
from itertools import pairwise

from oroi_graph.extraction.chunking import Chunk
from oroi_graph.extraction.clause_state import COPULA, Clause, TurnState, last_person, last_thing, resolve_pronoun
from oroi_graph.extraction.statements import INDEFINITE, OPINIONS, relate, start_clause
from oroi_graph.extraction.temporal import is_present_or_past, is_to_come
from oroi_graph.language.lexicons.by_language import EXPERIENCE
from oroi_graph.language.lexicons.pronouns import is_first_person, possessive
from oroi_graph.language.relations import relation_class
from oroi_graph.language.tokens import word_set
from oroi_graph.language.verbs.forms import third_person

_OF_THINGS = word_set("costar durar pesar medir parecer encantar gustar custar ficar")  # verbs whose subject is a thing
_SUBJECT_FOLLOWS = word_set("vivir morir nacer llegar venir trabajar fallecer morrer nascer chegar vir falecer")
_CAUSING = word_set("let help make have see watch hear want")  # "let us go" states nothing
_IMPERSONAL = word_set("haber haver hacer fazer llover nevar chover nevar tratar bastar faltar")
_TELLING = word_set("know say tell decir dizer")  # verbs of opinion that also take things as objects
_NAMING = word_set("llamar apodar chamar")
_DEFINITE_ES = word_set("el la los las")
_OBJECTIVE = word_set("me us him them")  # "the flat above us belongs to …"
_TO_SOMEBODY = re.compile(r"(?:\w+ )?se (?:me|te|le|nos|os|les|lhes?) ", re.IGNORECASE)
_NOT_MINE = word_set("is has does")  # English verbs that no "I" has before them
_IN = word_set("en em no na")
_RELATIVE = word_set("who which that que quien quienes quem")
_WHAT = frozenset({("lo", "que"), ("o", "que")})


def set_subject(turn: TurnState, i: int, chunk: Chunk) -> None:
    """Make the noun phrase at `i` the subject of its clause, or one more subject of a list."""
    clause = turn.clause
    listed = turn.kind_near(i, -1) in ("and", "comma") and _is_in_list(turn, i)
    before = clause.subjects if listed and chunk.label else []
    clause.subjects = [*before, chunk.label] if chunk.label else []
    clause.subject = chunk


def _is_in_list(turn: TurnState, i: int) -> bool:
    """Whether the subject at `i` belongs to a list such as "Ana, Luis and Marta", which ends before the verb."""
    if turn.kind_near(i, -1) == "and":
        return True
    kinds = (chunk.kind for chunk in turn.chunks[i + 1 :])
    return next((kind for kind in kinds if kind in ("and", "verb", "stop", "pron")), "") == "and"


def read_pronoun(turn: TurnState, i: int, chunk: Chunk) -> None:
    """Read the pronoun at `i` as the subject of the verb after it, or the user as an object ("gave me")."""
    clause, previous = turn.clause, turn.near(i, -1)
    kind_before = previous.kind if previous is not None else ""
    # "a friend of mine gave": no subject; but "a mí me gusta"
    governed = previous is not None and kind_before == "prep" and previous.text.casefold() != "a"
    governed = governed or (clause.verb is None and chunk.text.casefold() in _OBJECTIVE)
    if turn.kind_near(i, 1) == "verb" and not governed and (clause.verb is None or kind_before != "prep"):
        listed = clause.verb is None and kind_before == "and"
        caused = clause.verb is not None and clause.verb.lemma in _CAUSING and kind_before == "verb"
        if clause.verb is not None:
            start_clause(turn)
        who = None if caused else resolve_pronoun(turn, i, chunk)
        kept = turn.clause.subjects if listed else []
        turn.clause.subjects, turn.clause.subject = [*kept, who] if who else kept, chunk
        return
    personal = all(_is_personal(turn, subject) for subject in clause.subjects)  # not "the sunset reminded me"
    if personal and clause.verb is not None and is_first_person(chunk.text) and turn.kind_near(i, 1) != "np":
        relate(turn, turn.me, i)


def _is_personal(turn: TurnState, label: str) -> bool:
    """Whether a label is a name, the user or somebody or something of the user's."""
    return label == turn.me or turn.is_name(label) or possessive(label) is not None


def read_verb(turn: TurnState, i: int, chunk: Chunk) -> None:
    """Make the verb group at `i` the verb of its clause, and settle whose verb it is."""
    if _is_cleft(turn, i):
        return
    before = turn.clause
    if before.verb is not None:
        _start_clause_at_verb(turn, i)
    clause = turn.clause
    marked = clause.preposition == "a"  # "a Thor": the verb's object comes first
    clause.verb, clause.preposition, clause.adjective = chunk, "", ""
    if turn.lexicon.romance:
        _prefer_present(turn, i, chunk)
        _settle_romance_subject(turn, i, chunk, marked=marked)
    elif not clause.subjects and clause.subject is None and chunk.tense == "past" and _is_elliptic(turn, i, chunk):
        clause.subjects = [turn.me]
    elif clause.subjects == [turn.me] and chunk.text.casefold().partition(" ")[0] in _NOT_MINE:
        clause.subjects = []  # "the sweep I found is called …": of whatever it is said, not of "I"
    if chunk.lemma in OPINIONS and chunk.negated:
        turn.supposes = True  # "I don't think that …"
    told = chunk.lemma in _TELLING and _thing_follows(turn, i)  # "told me a joke", "knows a good carpenter"
    if (chunk.lemma in OPINIONS and not told) or chunk.tense == "hypothetical" or _names_another(turn, i, before):
        clause.subjects = []


def _names_another(turn: TurnState, i: int, before: Clause) -> bool:
    """Whether the verb at `i` tells a name that is not its subject's: in "Javi tiene novia. Se llama Irene." Javi has
    a name, and in "mi hermana tiene un perro, se llama Rex" a dog was spoken of last. before: the clause before it."""
    clause, previous = turn.clause, turn.near(i, -1)
    said_here = previous is not None and previous is clause.subject and previous.kind == "np"
    if said_here or relation_class(turn.chunks[i].relation) != "is called":
        return False
    thing = before.target if before.verb is not None and before.verb.lemma not in COPULA else None
    if thing is not None and thing.article in INDEFINITE and clause.subjects == before.subjects:
        return True
    return any(state.is_name(label) for label in clause.subjects for state in (turn, *turn.before()))


def _start_clause_at_verb(turn: TurnState, i: int) -> None:
    """Begin a clause with the subject of the last one, or with its object before a relative pronoun."""
    previous, target = turn.near(i, -1), turn.clause.target
    relative = previous is not None and previous.text.casefold() in _RELATIVE
    described = _described(turn, i)
    start_clause(turn, keep_subject=not relative)
    if described is not None:
        turn.clause.subjects, turn.clause.subject = [described.label] if described.label else [], described
        return
    if relative:
        turn.clause.subjects, turn.clause.subject = ([target.label] if target else []), target


def _described(turn: TurnState, i: int) -> Chunk | None:
    """What a relative clause without a pronoun describes, whose verb stands at `i`: "the plumber | we like | is …"."""
    kinds = [chunk.kind for chunk in turn.chunks[max(0, i - 3) : i]]
    if turn.lexicon.romance or kinds != ["np", "pron", "verb"] or turn.chunks[i - 2] is not turn.clause.subject:
        return None
    return turn.chunks[i - 3]


def _thing_follows(turn: TurnState, i: int) -> bool:
    """Whether the verb at `i` has a thing as its object, and not a clause with a verb of its own."""
    kinds = [c.kind for c in turn.chunks[i + 1 : i + 4] if c.kind != "adv"]
    if kinds[:1] == ["pron"]:
        kinds = kinds[1:]
    return kinds[:1] == ["np"] and kinds[1:2] not in (["verb"], ["pron"])


def _is_elliptic(turn: TurnState, i: int, verb: Chunk) -> bool:
    """Whether a past at the beginning leaves "I" out: "Got a tattoo", but not "April was rainy"."""
    if verb.lemma == "be" and i and turn.chunks[i - 1].kind == "date":
        return False
    before = (c.kind for c in turn.chunks[:i])
    return not turn.addressed and all(kind in ("adv", "interjection", "comma", "date") for kind in before)


def _settle_romance_subject(turn: TurnState, i: int, verb: Chunk, *, marked: bool) -> None:
    """Find the subject of a Spanish or Portuguese verb. marked: "a" and an object stand before the verb."""
    clause, lexicon = turn.clause, turn.lexicon
    following = turn.chunks[i + 1] if i + 1 < len(turn.chunks) else None
    if verb.lemma in EXPERIENCE and (verb.clitic in {"me", "nos", "te"} or verb.clitic in lexicon.clitics_third):
        _settle_experience(turn, verb)
    elif marked and verb.clitic in lexicon.clitics_third and verb.person in (3, 6) and clause.subjects:
        rest = verb.text.casefold().partition(f"{verb.clitic} ")[2]
        verb.relation = f"{verb.clitic} {rest}"  # "a Ana le regalaron …": Ana is the source
    elif not marked and _has_fronted_object_and_agent(turn, i, verb):
        verb.relation = f"{verb.clitic} {verb.relation}"  # "la da Kevin": said of the class, so a later one replaces it
    elif verb.clitic in lexicon.clitics_object and following is not None and following.kind == "np":
        _relate_agent_to_object(turn, i, verb, following, marked=marked)
    elif _TO_SOMEBODY.match(verb.text) and turn.kind_near(i, -1) not in ("np", "sub"):
        _settle_what_happened(turn, verb, following)
    elif verb.person in (1, 4):
        _settle_first_person(turn, i, verb)
    elif verb.person in (2, 5):
        clause.subjects = [turn.me] if turn.addressed else []
    elif not clause.subjects:
        _settle_third_person(turn, verb, following)


def _settle_what_happened(turn: TurnState, verb: Chunk, following: Chunk | None) -> None:
    """ "Se me ha roto el móvil": the phone broke; of "se me hace lenta" what is slow is not said."""
    turn.clause.subjects = [following.label] if following is not None and following.label else []
    verb.relation = f"se {verb.relation.removeprefix('se ')}"


def _settle_first_person(turn: TurnState, i: int, verb: Chunk) -> None:
    clause = turn.clause
    plural = verb.person == 4 and turn.me in clause.subjects
    ambiguous = verb.tense == "imperfect" and clause.subjects  # "yo" and "ella" share a form
    if plural or ambiguous:
        return
    thing = _fronted_object(turn, i, verb)
    existential = verb.lemma in _IMPERSONAL and verb.tense == "imperfect"  # "había tres caballos"
    clause.subjects = [] if turn.addressed or existential else [turn.me]
    if thing is not None:
        clause.subject = None
        relate(turn, thing.label, i, thing)
        clause.fronted = True


def _settle_third_person(turn: TurnState, verb: Chunk, following: Chunk | None) -> None:
    """Find a third person's subject after the verb, or among what was spoken of before."""
    clause = turn.clause
    noun = following if following is not None and following.kind == "np" else None
    can_follow = noun is not None and (noun.concept == "name" or verb.lemma in _SUBJECT_FOLLOWS)
    if noun is not None and noun.label and can_follow and verb.lemma not in {"ser", "llamar", "chamar"}:
        clause.subjects = [noun.label]
        return
    if verb.lemma in _IMPERSONAL:
        return
    located = following is not None and following.kind in ("date", "clock", "prep") and verb.lemma in {"ser", "estar"}
    about = last_thing(turn) if located or verb.lemma in _OF_THINGS else last_person(turn)
    if verb.person == 6 and not (about in turn.topics and _are_several(turn, about)):
        clause.subjects = (_place_before(turn, verb) or _several(turn)) if clause.subject is None else []
        return
    clause.subjects = [about] if about and clause.subject is None else []
    if located and about and clause.subject is None:  # "…: es el 11 de mayo"
        clause.subject = Chunk("np", about, about, head=about, article="el")


def _place_before(turn: TurnState, verb: Chunk) -> list[str]:
    """The place of which a plural verb right behind it speaks: "En El Candil sirven lasaña"."""
    i = turn.index(verb)
    if i < 2:
        return []
    preposition, place = turn.chunks[i - 2 : i]
    named = place.kind == "np" and turn.is_name(place.label)
    return [place.label] if named and preposition.text.casefold() in _IN else []


def _several(turn: TurnState) -> list[str]:
    """Whom a plural verb without a subject speaks of: "Ana y Luis", "mis padres"; "Han subido el alquiler" says
    nobody."""
    if len(turn.subjects) > 1:
        return list(turn.subjects)
    return [label for label in turn.owned[-1:] if _are_several(turn, label)]


def _are_several(turn: TurnState, label: str | None) -> bool:
    """Whether a label is a plural, and no name."""
    return label is not None and not turn.is_name(label) and label[:1].islower() and label.endswith("s")


def _prefer_present(turn: TurnState, i: int, verb: Chunk) -> None:
    """Read "jugamos" at `i`, present or past, as the present where something changes ("ahora jugamos en el club") or is
    to come ("nos mudamos en noviembre", said in September)."""
    if is_present_or_past(verb) and (turn.corrects or is_to_come(turn, i)):
        present = third_person(verb.lemma, turn.language)
        verb.relation, verb.tense = f"se {present}" if verb.relation.startswith("se ") else present, "present"


def _fronted_object(turn: TurnState, i: int, verb: Chunk) -> Chunk | None:
    """The object before the verb that a pronoun takes up: "la bicicleta se la compré a Ulises"."""
    thing, at = turn.clause.subject, i - 1
    if at > 1 and turn.chunks[at].kind == "np" and turn.chunks[at - 1].text.casefold() in turn.lexicon.of:
        at -= 2  # "la llave de repuesto | del piso | la tiene Paqui"
    if thing is None or at < 0 or turn.chunks[at] is not thing or thing.concept != "concept" or not thing.label:
        return None
    return thing if verb.clitic in turn.lexicon.clitics_object else None


def _is_cleft(turn: TurnState, i: int) -> bool:
    """Whether a copula repeats the verb before it: "what I drive is a Toyota", "lo que toca Ana es el oboe"."""
    clause = turn.clause
    if clause.verb is None or turn.asks or turn.chunks[i].lemma not in COPULA:
        return False
    at = next((k for k in range(i) if turn.chunks[k] is clause.verb), None)
    if at is None:  # an infinitive, which is no chunk of the kind "verb" ("to see Ana")
        return False
    between = [chunk.kind for chunk in turn.chunks[at + 1 : i]]
    led = [chunk.text.casefold() for chunk in turn.chunks[max(0, at - 3) : at]]
    what = "what" in led or any(pair in _WHAT for pair in pairwise(led))
    return what and (not between or (turn.lexicon.romance and between == ["np"] and not clause.found))


def _has_fronted_object_and_agent(turn: TurnState, i: int, verb: Chunk) -> bool:
    """Whether a definite object stands before the verb and its agent after it: "mi clase de inglés la da Kevin"."""
    thing, agent = _fronted_object(turn, i, verb), turn.near(i, 1)
    if thing is None or not (thing.owner or thing.article in _DEFINITE_ES) or verb.person not in (3, 6):
        return False
    if agent is None or agent.kind != "np" or not agent.label or agent.concept == "value" or verb.lemma in _NAMING:
        return False
    return agent.concept == "name" or bool(agent.article or agent.owner)


def _relate_agent_to_object(turn: TurnState, i: int, verb: Chunk, agent: Chunk, *, marked: bool) -> None:
    """ "A Thor lo cuida Nuria": relate Nuria to Thor. Nothing is stated of an object that is not marked."""
    clause = turn.clause
    objects = clause.subjects if marked else []
    clause.subjects = []
    if not objects or not agent.label or agent.concept == "value" or verb.person not in (3, 6):
        return  # "el proyecto se llama Aurora y lo dirige Carmen"
    clause.subjects = [agent.label]
    for thing in objects:
        relate(turn, thing, i)


def _settle_experience(turn: TurnState, verb: Chunk) -> None:
    """ "Me gusta el café": make who feels it the source, and what is felt the target."""
    clause = turn.clause
    liked = clause.subjects
    named = bool(liked) and turn.is_name(liked[0])
    fronted = bool(liked) and not named and clause.subject is not None and not clause.preposition
    if verb.clitic in {"me", "nos"}:
        clause.subjects = [] if turn.addressed else [turn.me]
    elif verb.clitic == "te":
        clause.subjects = [turn.me] if turn.addressed else []
    elif not named:
        person = last_person(turn)
        clause.subjects = [person] if person else []
    verb.relation = f"le {verb.relation.removeprefix('se ')}"
    if fronted:
        for thing in liked:
            relate(turn, thing, -1)
