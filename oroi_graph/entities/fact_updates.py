"""Correction: what a newly stated relation does to the current associations of its source.

It repeats one, denies one, replaces one or several, or is contested. Decided here, in Python, from rows already
read under the memory's lock; written elsewhere.

What a speaker said of himself, or of what is his, nobody else replaces or denies: both statements stay, contested
(docs/decisions/1202-ownership-of-facts.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from oroi_graph.language import detection, relations
from oroi_graph.language.normalize import digest, label_key
from oroi_graph.language.relations import single_valued
from oroi_graph.language.stemming import content_words
from oroi_graph.model import ConceptKind, Replaced
from oroi_graph.storage.store import Row

CLOSE = 0.75  # cosine of two relation phrases of no known class from which they are taken as equivalent

Closeness = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class Current:
    """A current association of the source, as read.

    since: ISO time from which it is so, or at which it was last stated. speakers: who stated it, read where somebody
    else claims now.
    """

    id: str
    source: str
    relation: str
    target: str
    kind: ConceptKind
    negated: bool
    slot: str
    first_turn: int
    speakers: tuple[str, ...] | list[str] = ()
    since: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """A relation as stated now, its ends resolved to concept ids.

    owner: the key of the other speaker whom it is about, or whose possession; None: of the speaker's own, or nobody's.
    when: ISO date or interval in which it happened. past: it is told of a time long ago.
    """

    source: str
    relation: str
    target: str
    kind: ConceptKind
    negated: bool
    replaces: bool | Replaced
    replaced: str | None
    slot: str
    owner: str | None = None
    when: str | None = None
    past: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """`repeats` an association id (nothing new is made), or makes one that `supersedes` some; contested ones.

    `overtaken`: the one stated later (this turn is extracted late) by which the new one is superseded from its start.
    """

    repeats: str | None = None
    supersedes: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    overtaken: Current | None = None


def relation_class(relation: str) -> str:
    """The class under which two relation phrases are the same: canonical, else their content stems."""
    known = relations.relation_class(relation)
    if known is not None:
        return known
    stems = content_words(relation, detection.detect(relation))
    return " ".join(sorted(stems)) or label_key(relation)


def slot(memory: str, source: str, relation: str) -> str:
    """The hash by which the current associations of one source and relation class are found in one seek."""
    return digest(memory, source, relation_class(relation))


def new_association(memory: str, source: str, relation: str, number: int) -> Row:
    """The properties that every association has when turn `number` makes it, before those that tell it apart."""
    return {
        "memory": memory,
        "relation": relation,
        "class": relation_class(relation),
        "slot": slot(memory, source, relation),
        "negated": False,
        "contested": False,
        "first_turn": number,
        "last_turn": number,
        "count": 1,
        "records": [],
    }


def decide_late(stated: Stated, current: Sequence[Current], later: Sequence[Current], closeness: Closeness) -> Outcome:
    """`decide` for a turn that may be extracted late: `later` ones were stated after it, and are not replaced by it."""
    newer = [fact for fact in later if fact.source == stated.source and fact.slot == stated.slot]
    for fact in newer:
        if fact.target == stated.target and fact.negated == stated.negated:
            return Outcome(repeats=fact.id)
    outcome = decide(stated, current, closeness)
    one_value = single_valued(stated.relation) and not stated.negated
    against = (f for f in newer if f.target == stated.target or (one_value and _replaceable(f, stated)))
    return replace(outcome, overtaken=next(against, None))


def decide(stated: Stated, current: Sequence[Current], closeness: Closeness) -> Outcome:
    """What `stated` does, given the `current` associations that share its slot, its pair, or its source.

    `closeness(a, b)` is the cosine of two relation phrases; it is asked only when a correction finds no
    association of the same class.
    """
    same_source = [fact for fact in current if fact.source == stated.source]
    equivalent = [fact for fact in same_source if fact.slot == stated.slot]
    opposite = tuple(f.id for f in equivalent if f.target == stated.target and f.negated != stated.negated)
    repeated = next((f for f in equivalent if f.target == stated.target and f.negated == stated.negated), None)
    own = {fact.id for fact in same_source if stated.owner in [label_key(speaker) for speaker in fact.speakers]}
    if stated.negated:
        return _kept(Outcome(repeats=repeated.id if repeated else None, supersedes=opposite), own)
    replaced, contested = _replaced(stated, same_source, closeness)
    closed = tuple(dict.fromkeys([*opposite, *replaced]))
    if repeated is not None:
        # Said again: what it replaces is still closed, by the association that stays.
        return _kept(Outcome(repeats=repeated.id, supersedes=tuple(id for id in closed if id != repeated.id)), own)
    return _kept(Outcome(supersedes=closed, contested=contested), own)


def _kept(outcome: Outcome, own: set[str]) -> Outcome:
    """The same without superseding what the one whom it is about said himself (`own`): that is contested instead."""
    kept = [id for id in outcome.supersedes if id in own]
    if not kept:
        return outcome
    superseded = tuple(id for id in outcome.supersedes if id not in own)
    return replace(outcome, supersedes=superseded, contested=tuple(dict.fromkeys([*outcome.contested, *kept])))


def _replaced(
    stated: Stated, same_source: Sequence[Current], closeness: Closeness
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(superseded ids, contested ids) among the positive associations to other targets of a compatible kind."""
    open_ = [f for f in same_source if _replaceable(f, stated) and not _is_history(stated, f)]
    others = [f for f in open_ if f.slot == stated.slot]
    if isinstance(stated.replaces, Replaced):
        named = [f for f in same_source if not f.negated and f.target == stated.replaced]
        same_relation = [f for f in named if f.slot == stated.slot]
        return tuple(f.id for f in same_relation or named), ()
    if single_valued(stated.relation):
        return tuple(f.id for f in others), ()
    if stated.replaces is not True:
        return (), ()
    if not others:
        others = [f for f in open_ if closeness(f.relation, stated.relation) >= CLOSE]
    found = tuple(f.id for f in others)
    return ((), found) if len(others) > 1 else (found, ())


def _replaceable(fact: Current, stated: Stated) -> bool:
    """Whether a fact states another target of a compatible kind: both are values, or neither is."""
    compatible = (fact.kind == "value") == (stated.kind == "value")
    return not fact.negated and fact.target != stated.target and compatible


def _is_history(stated: Stated, fact: Current) -> bool:
    """Whether what is stated happened long before `fact` was so: "we moved to England when I was six", "in 1998".

    A year apart at least, as dates of conversations are vague. A value that is a date ("born in 1990") is no event.
    """
    if stated.past or not stated.when or not fact.since or stated.kind == "value":
        return stated.past
    year, *rest = stated.when.rpartition("/")[2].split("-")
    ended = "-".join([year, *rest, *("12", "31")[len(rest) :]])
    return year.isdigit() and f"{int(year) + 1:04}{ended[len(year) :]}" < fact.since
