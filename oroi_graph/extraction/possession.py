"""Noun phrases to concepts: whose each thing is, and which phrases name the same one (apposition)."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile

from oroi_graph.extraction.chunking import Chunk
from oroi_graph.extraction.clause_state import COPULA, TurnState, is_having, last_person
from oroi_graph.language.lexicons.pronouns import is_first_person, possessive
from oroi_graph.language.numbers import UNITS, any_of
from oroi_graph.language.relations import ONE_AT_A_TIME, are_feminine
from oroi_graph.language.values import canonical_value

_FAVOURITE = re.compile(r"\b(?:favou?rite|favorit[oa]s?|preferid[oa]s?)\b", re.IGNORECASE)
_COUNTED = re.compile(r"[\w.,]+ ([^\W\d_]{3,})")  # "three boats"
_MEASURED = re.compile(rf"[\d.]+ (?:{any_of(dict.fromkeys(UNITS.values()))})")


def read_own_names(turn: TurnState) -> None:
    """Read "I have a daughter, Ana, who …" and "tengo dos hijos, Leo y Eva" as of "my daughter", "mis hijos": the names
    leave the chunks, so that what follows is said of her or them."""
    chunks, i = turn.chunks, 1
    while i + 2 < len(chunks):
        noun, names = chunks[i], _names_beside(chunks, i)
        if names and _is_had(turn, i) and _make_own(turn, noun, several=len(names) > 1):
            turn.concepts.setdefault(noun.label, "concept")
            for name in names:
                turn.concepts.setdefault(name.label, "name")
                turn.add_relation(turn.me, noun.head, name.label)
                turn.add_relation(noun.label, turn.lexicon.copula, name.label)
            del chunks[i + 1 : i + 1 + 2 * len(names)]
        i += 1


def _names_beside(chunks: list[Chunk], i: int) -> list[Chunk]:
    """The names that a comma or "called" puts beside the phrase at `i`: several where it is a number of things."""
    if chunks[i].kind != "np" or chunks[i + 1].kind not in ("comma", "naming"):
        return []
    names: list[Chunk] = []
    for at in range(i + 2, len(chunks), 2):
        if chunks[at].kind != "np" or chunks[at].concept != "name":
            break
        names.append(chunks[at])
        if at + 1 == len(chunks) or chunks[at + 1].kind not in ("and", "comma"):
            break
    return names if chunks[i].concept == "value" else names[:1]


def _is_had(turn: TurnState, i: int) -> bool:
    """Whether the speaker says to have what the phrase at `i` names: "we've got a dog", "tengo un hermano"."""
    verb, subject = turn.near(i, -1), turn.near(i - 1, -1)
    if verb is None or verb.kind != "verb" or not is_having(verb) or verb.negated or turn.addressed:
        return False
    if turn.lexicon.romance:
        return verb.person in (1, 4)
    return subject is not None and subject.kind == "pron" and is_first_person(subject.text)


def _make_own(turn: TurnState, noun: Chunk, *, several: bool) -> bool:
    """Let a phrase say whose it is: "a little girl" → "my daughter". False if it is nobody's child, kin or pet."""
    lexicon, words = turn.lexicon, noun.label.casefold().split()
    if noun.owner or not words or (several and len(words) < 2):
        return False
    said = words[1:] if several else words
    head = said[0 if lexicon.romance else -1]
    one = head.removesuffix("s") if several else head
    many = "many_as" if are_feminine(head) else "many"
    own = lexicon.own.get(many if several else noun.article)
    if own is None or not (head in lexicon.children or one in lexicon.kinship or one in lexicon.pets):
        return False
    called = lexicon.children.get(head, head)
    at = 0 if lexicon.romance else len(said) - 1
    noun.owner, noun.concept = turn.me, "concept"
    noun.head = " ".join([*said[:at], called, *said[at + 1 :]])
    noun.label = f"{own} {noun.head}"
    return True


def note_phrase(turn: TurnState, chunk: Chunk) -> None:
    """Settle the owner of a noun phrase and add its concepts to the turn."""
    if chunk.label and chunk.concept == "concept":
        _settle_owner(turn, chunk)
    if not chunk.label:
        return
    for name in chunk.inner:
        turn.concepts.setdefault(name, "name")
    is_attribute = attribute(turn, chunk) is not None
    if not is_attribute:
        turn.concepts.setdefault(chunk.label, chunk.concept)
    if chunk.concept == "value":
        _note_counted(turn, chunk.label)
    elif turn.is_name(chunk.owner) and chunk.owner != chunk.label and not is_attribute:
        _note_role(turn, chunk)


def _note_role(turn: TurnState, chunk: Chunk) -> None:
    """ "Ana's brother": a brother of Ana, unless his name stands beside it, which takes his place."""
    if _is_role(turn, chunk) and _appositive(turn, chunk) is None:
        turn.add_relation(chunk.owner, chunk.head, chunk.label)


def _note_counted(turn: TurnState, label: str) -> None:
    """Add what a value counts as a concept: "boat" of "three boats", but nothing of "three hours"."""
    counted = _COUNTED.fullmatch(label)
    canonical = canonical_value(label, turn.language, turn.at) or ""
    if counted and " " in canonical and canonical[0].isdigit() and not _MEASURED.fullmatch(canonical):
        turn.concepts.setdefault(counted.group(1), "concept")


def _settle_owner(turn: TurnState, chunk: Chunk) -> None:
    """Set the owner of a phrase that begins with a possessive, and write the label as the user would say it."""
    lexicon = turn.lexicon
    first, _, rest = chunk.label.partition(" ")
    first = first.casefold()
    if not rest or first not in lexicon.possessives:
        return
    owner = lexicon.possessives[first]
    if owner in lexicon.you or (turn.addressed and first in lexicon.mine):
        chunk.owner = turn.me if turn.addressed else ""
        chunk.label = f"{lexicon.mine.get(first, 'my')} {rest}" if turn.addressed else rest
    elif not owner:
        person = last_person(turn) if first in lexicon.his else None
        chunk.owner, chunk.head = person or "", rest
        if person:
            chunk.label = f"{rest} de {person}" if lexicon.romance else f"{person}'s {rest}"
        else:
            chunk.label = "" if rest.casefold() in lexicon.attributes else rest
    elif chunk.owner == owner:
        chunk.head = rest
    if chunk.label[:1].isupper() and possessive(chunk.label):
        chunk.label = chunk.label[0].lower() + chunk.label[1:]


def attribute(turn: TurnState, chunk: Chunk) -> str | None:
    """The attribute of its owner that a phrase names before a copula: "birthday" of "my birthday is …"."""
    if not chunk.owner or not chunk.head:
        return None
    last = chunk.head.split()[0 if turn.lexicon.romance else -1].casefold()
    if last not in turn.lexicon.attributes and not _FAVOURITE.search(chunk.head):
        return None
    verb = turn.near(turn.index(chunk), 1)
    return chunk.head if verb is not None and verb.kind == "verb" and verb.lemma in COPULA else None


def _appositive(turn: TurnState, chunk: Chunk) -> Chunk | None:
    """The name that stands beside a phrase: "my brother Luis", "el hermano de Ana, Luis, vive"."""
    i = turn.index(chunk)
    after = turn.chunks[i + 1 : i + 4]
    kinds = [c.kind for c in after]
    if kinds[:1] == ["np"] and after[0].concept == "name":
        return None if _name_begins_clause(turn, i) else after[0]
    if kinds[:2] != ["comma", "np"] or after[1].concept != "name":
        return None
    if kinds[2:] == ["comma"]:
        return after[1]
    # "con mi pareja, Dani." Where more could follow, a name after a comma is one more of a list.
    kin = chunk.owner and _is_role(turn, chunk)
    return after[1] if kin and kinds[2:] in ([], ["stop"]) else None


def _is_role(turn: TurnState, chunk: Chunk) -> bool:
    """Whether an owned phrase names somebody by what they are to the owner: "my brother", not "my uncle's bar"."""
    words = chunk.head.casefold().split()
    said = set(takewhile(lambda word: word not in turn.lexicon.of, words))
    return not (turn.lexicon.kinship.isdisjoint(said) and ONE_AT_A_TIME.isdisjoint(said))


def _name_begins_clause(turn: TurnState, i: int) -> bool:
    """Whether the name after phrase `i` is the subject of what follows: "for my birthday | Ana gave me …"."""
    before, verb = turn.chunks[i - 1] if i else None, turn.near(i + 1, 1)
    if before is None or before.kind != "prep" or before.text.casefold() in ("a", "al", "ao"):
        return False  # "a mi hermano Luis le gusta …"
    if verb is None or verb.kind != "verb" or (turn.lexicon.romance and verb.person not in (3, 6)):
        return False
    return all(chunk.kind != "verb" for chunk in turn.chunks[:i])


def join_apposition(turn: TurnState, phrase: Chunk, name: Chunk) -> bool:
    """Let the name in "my boss Marta" take the place of the phrase before it. False if it is no apposition."""
    if name.concept != "name" or phrase.kind != "np" or phrase.concept != "concept" or not phrase.label:
        return False
    if _appositive(turn, phrase) is not name or (not phrase.owner and turn.lexicon.romance):
        return False
    turn.concepts.setdefault(name.label, "name")
    if phrase.owner:  # what a later turn says of "my boss" is said of Marta
        turn.add_relation(phrase.owner, phrase.head, name.label)
        turn.add_relation(phrase.label, turn.lexicon.copula, name.label)
    else:
        turn.concepts.pop(phrase.label, None)
    clause = turn.clause
    clause.subjects = [name.label if s == phrase.label else s for s in clause.subjects]
    clause.found = [replace(r, target=name.label) if r.target == phrase.label else r for r in clause.found]
    if clause.subject is phrase:
        clause.subject = name
    return True


def read_inserted_apposition(turn: TurnState, i: int, chunk: Chunk) -> bool:
    """Read "Carlos, Ana's brother, is …": who Carlos is, while he stays the subject. False if chunk `i` is no such."""
    around = [c.kind for c in turn.chunks[max(0, i - 2) : i + 2]]
    if around != ["np", "comma", "np", "comma"] or not chunk.owner or chunk.concept != "concept":
        return False
    name = turn.chunks[i - 2]
    if name.concept != "name" or turn.clause.verb is not None:
        return False
    _settle_owner(turn, chunk)
    for inner in chunk.inner:
        turn.concepts.setdefault(inner, "name")
    turn.add_relation(chunk.owner, chunk.head, name.label)
    if possessive(chunk.label):
        turn.concepts.setdefault(chunk.label, "concept")
        turn.add_relation(chunk.label, turn.lexicon.copula, name.label)
    return True
