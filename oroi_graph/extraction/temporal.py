"""Dates and times of day in a clause: when it happened, or what is scheduled then."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, takewhile

from oroi_graph.extraction.chunking import Chunk
from oroi_graph.extraction.clause_state import COPULA, PRESENT, TurnState
from oroi_graph.extraction.possession import attribute
from oroi_graph.extraction.statements import DAY, relate
from oroi_graph.language.dates import Direction, days_from, resolve_date
from oroi_graph.language.tokens import word_set
from oroi_graph.model import ExtractedRelation

RESCHEDULING = word_set(
    "move push shift postpone delay reschedule pasar mover aplazar retrasar adelantar cambiar passar mudar adiar "
    "antecipar"
)
_TOWARDS = word_set("to until till a al para hasta até pra")
_BIRTH = word_set("bear nacer nascer")
_TURNING = word_set("cumplir fazer")  # "cumplo años", "faço anos"
_YEARS = word_set("años anos")
_RECENT = 31  # days: a date that was so many days ago is taken as that one, however near the next one is
_IS_ON = {"en": "is on", "es": "es", "pt": "é em"}


def read_date(turn: TurnState, i: int, chunk: Chunk) -> None:
    """Read the date at `i`: as the object of a copula or a rescheduling, else as the date of the clause."""
    clause, verb = turn.clause, turn.clause.verb
    scheduled = _is_scheduled(turn, i)
    moved = verb is not None and verb.lemma in RESCHEDULING and clause.preposition in _TOWARDS
    years = next((c.text.casefold() for c in turn.chunks[max(0, i - 3) : i] if c.text.casefold() in _YEARS), "")
    turning = verb is not None and verb.lemma in _TURNING and bool(years)  # "cumplo años el 12 de mayo"
    direction: Direction = "behind" if turning else "ahead" if moved else _direction(turn, i, scheduled)
    iso = resolve_date(chunk.label, turn.language, turn.at, direction)
    if iso is None:
        return
    # a label must mean the same without its sentence, so one that does not resolve alone is written as ISO
    label = chunk.label if iso == resolve_date(chunk.label, turn.language, turn.at) else iso
    born = verb is not None and verb.lemma in _BIRTH
    if verb is not None and turning:
        verb.relation, clause.preposition, born = f"{verb.relation} {years}", "", True
    if moved and verb is not None and (clause.target is None or clause.direct):
        _reschedule(turn, verb, label)
    elif clause.target is None and (born or scheduled):
        turn.concepts.setdefault(label, "value")
        relate(turn, label, i)
    elif re.search(r"\d", label) and not label.casefold().startswith(("hace", "há", "in ")):
        turn.concepts.setdefault(label, "value")
    clause.date = clause.date or label
    clause.when = clause.when or iso


def _is_scheduled(turn: TurnState, i: int) -> bool:
    """Whether a copula states the date at `i` of a noun: "my exam is on Friday", but "the soup was cold today"."""
    clause, before = turn.clause, turn.chunks[i - 1] if i else turn.chunks[i]
    if clause.verb is None or clause.verb.lemma not in COPULA or clause.subject is None or clause.subject.kind != "np":
        return False
    return before.kind != "np" or before.text.casefold() in DAY


def _direction(turn: TurnState, i: int, scheduled: bool) -> Direction:
    """Where a date without a year lies: ahead of a verb in the future and of a plan, behind a verb in the past.

    A present with a date is a plan ("I fly on 9 October"), unless the date says since when it is so, or it is an
    anniversary. Beside no verb the date may lie on either side.
    """
    clause = turn.clause
    verb = clause.verb or _verb_after(turn, i)
    if verb is None:
        return "nearest"
    if verb.tense == "future" or (is_present_or_past(verb) and _lies_ahead(turn, i, turn.chunks[i].label)):
        return "ahead"
    yearly = clause.subject is not None and attribute(turn, clause.subject) is not None
    if verb.tense not in PRESENT or clause.since or (scheduled and yearly):
        return "behind"
    return "ahead"


def is_present_or_past(verb: Chunk) -> bool:
    """Whether a Spanish or Portuguese "we" is read as the past and has the same form in the present ("jugamos")."""
    said = verb.text.casefold()
    return verb.person == 4 and verb.tense == "past" and said.endswith(("amos", "imos")) and said[-6:] != "fuimos"


def is_to_come(turn: TurnState, i: int) -> bool:
    """Whether a date around the verb at `i`, up to another verb, lies ahead."""
    around = (takewhile(lambda one: one.kind != "verb", side(turn, i)) for side in (_after, _before))
    return any(one.kind == "date" and _lies_ahead(turn, i, one.label) for one in chain(*around))


def _lies_ahead(turn: TurnState, i: int, label: str) -> bool:
    """Whether a date in the sentence of the chunk at `i` lies ahead beside a verb that does not tell.

    It does if it can only do so ("mañana"), or is over a month ago and less than half as far ahead ("noviembre", said
    in September) where the sentence tells nothing else that is past.
    """
    behind, ahead = (resolve_date(label, turn.language, turn.at, way) for way in ("behind", "ahead"))
    if turn.at is None or behind is None or ahead is None:
        return False
    if re.fullmatch(r"\d{4}", behind):
        return int(behind) > turn.at.year
    since, until = (days_from(found.partition("/")[0], turn.at) for found in (behind, ahead))
    if since >= -_RECENT or 2 * until >= -since:
        return since > 0
    beside = (one for one in (*_before(turn, i), *_after(turn, i)) if one.kind == "verb")
    return not any(one.tense in ("past", "imperfect") and not is_present_or_past(one) for one in beside)


def _after(turn: TurnState, i: int) -> Iterator[Chunk]:
    """The chunks behind the one at `i`, up to the end of its sentence."""
    return takewhile(lambda one: one.kind != "stop", turn.chunks[i + 1 :])


def _before(turn: TurnState, i: int) -> Iterator[Chunk]:
    """The chunks before the one at `i`, up to the beginning of its sentence, backwards."""
    return takewhile(lambda one: one.kind != "stop", reversed(turn.chunks[:i]))


def _verb_after(turn: TurnState, i: int) -> Chunk | None:
    """The verb of a clause that begins with its date: "in October I will move"."""
    for chunk in turn.chunks[i + 1 :]:
        if chunk.kind == "verb":
            return chunk
        if chunk.kind not in ("np", "pron", "comma", "prep", "adv", "neg"):
            return None
    return None


def _reschedule(turn: TurnState, verb: Chunk, label: str) -> None:
    """ "The meeting was moved to Friday": it is on Friday, which replaces its earlier date."""
    clause = turn.clause
    turn.concepts.setdefault(label, "value")
    for thing in [clause.target.label] if clause.target is not None else clause.subjects:
        if thing != turn.me:
            clause.found.append(ExtractedRelation(thing, _IS_ON[turn.language], label, replaces=not verb.negated))


def read_clock(turn: TurnState, i: int, chunk: Chunk) -> None:
    """Read a time of day as the object of a clause without one: "the gym opens at 7:00"."""
    clause = turn.clause
    if clause.verb is None or clause.target is not None or clause.found or clause.subjects == [turn.me]:
        return
    turn.concepts.setdefault(chunk.label, "value")
    if clause.verb.lemma == "be":  # "is at" states a place
        clause.verb.relation, clause.preposition = "is scheduled", "for"
    relate(turn, chunk.label, i)
