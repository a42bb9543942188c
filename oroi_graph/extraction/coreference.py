"""Coreference: whom a pronoun or a subject left out refers to, if there is one candidate nearby."""

from __future__ import annotations

from oroi_graph.extraction.chunking import Chunk
from oroi_graph.extraction.clause_state import TurnState
from oroi_graph.language.lexicons.pronouns import is_first_person


def resolve_pronoun(turn: TurnState, i: int, chunk: Chunk) -> str | None:
    """The label that the pronoun at chunk `i` refers to; None if that is unknown or nobody's fact."""
    low = chunk.text.casefold()
    if is_first_person(low):
        return None if turn.addressed else turn.me  # what an assistant says of itself is not remembered
    if low in turn.lexicon.you:
        return turn.me if turn.addressed else None
    if low in turn.lexicon.he:
        return last_person(turn)
    if low == "it":
        verb = turn.near(i, 1)
        return last_thing(turn, far=verb is not None and verb.lemma != "be")
    return None


def last_person(turn: TurnState) -> str | None:
    """Whom "she" or a left-out subject refers to: the last clause's subject, else the only name nearby."""
    if len(turn.subjects) == 1:
        return turn.subjects[0]
    names = [label for label in turn.concepts if turn.is_name(label) and not _is_participant(turn, label)]
    if turn.subjects or names:
        return names[0] if len(names) == 1 else None
    if turn.owned:
        return turn.owned[-1]
    before = turn.previous()
    if before is None:
        return None
    people = before.subjects or [label for label in before.concepts if before.is_name(label)]
    people = [label for label in people if not _is_participant(turn, label)]
    return people[0] if len(people) == 1 else None


def last_thing(turn: TurnState, *, far: bool = True) -> str | None:
    """What "it" refers to: the last topic of this turn, or with `far` of the turn before."""
    before = turn.previous() if far and not turn.topics else None
    topics = before.topics if before is not None else turn.topics
    return topics[-1] if topics else None


def _is_participant(turn: TurnState, name: str) -> bool:
    """Whether a name is a speaker's ("Mel" is Melanie): nobody in a conversation is called "she" in it."""
    speakers = {u.speaker.casefold() for u in turn.window} | {turn.speaker.casefold()}
    return any(s.startswith(name.casefold()) or name.casefold().startswith(s) for s in speakers)
