"""Candidate records of a question, the facts that may be told, and what the second ranking stage needs of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.model import EntryNote, NoteSource, RecordHit, RecordRole
from oroi_graph.storage.store import Row
from oroi_graph.working_set.entry import Passes
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import Records
from oroi_graph.working_set.transactions import Reading
from oroi_graph.working_set.vectors import Asked, unit

DATED = 40  # records of a period
_ROLES = {"user": 0, "assistant": 1, "note": 2, "entry": 3}  # in the order of a conversation


class Period(NamedTuple):
    """From which ISO day, to the day before which, and the vector (d,) of what is asked for."""

    since: str
    until: str
    vector: NDArray[np.float32]


class Candidate(NamedTuple):
    """One record that may be ranked.

    fit: how well its time fits the windows that the question names, 0..1; None if it names none.
    entry, note: None but for an entry of a contract or a note of a workspace, each of which is a session by itself.
    """

    id: str
    turn_id: str
    turn: int
    role: RecordRole
    speaker: str
    session: str | None
    at: str | None
    text: str
    gist: bool
    concepts: tuple[str, ...]
    fit: float | None = None
    entry: EntryNote | None = None
    note: NoteSource | None = None

    def hit(self, score: float, features: Mapping[str, float]) -> RecordHit:
        """As a record of an answer; the session of an entry or a note is none of the conversation's."""
        return RecordHit(
            id=self.id,
            turn_id=self.turn_id,
            turn=self.turn,
            role=self.role,
            speaker=self.speaker,
            session=self.session if self.entry is None and self.note is None else None,
            at=self.at,
            text=self.text,
            score=round(score, 6),
            features=features,
            gist=self.gist,
            entry=self.entry,
            note=self.note,
        )


def candidates_of(
    tx: Reading, *, memory: str, facts: Sequence[str], found: Sequence[str], cosines: Mapping[str, float],
    concepts: Sequence[str], period: Period | None, central: int, around: int,
) -> tuple[list[Row], list[Candidate]]:  # fmt: skip
    """The facts with these ids, and the candidate records in the order in which they were said.

    found: ids of records that the search found, the best first; cosines: {id: cosine} of those it compared. concepts:
    ids whose newest mentions are candidates. period: its records nearest to the question are candidates. central: of
    `found`, those whose neighbours are candidates, as are the neighbours of each record that states a fact; around:
    turns before and after. A record without words, or of which nobody knows who said it, is no candidate.
    """
    held = tx.held
    told = [_fact(held, place) for place in map(held.associations.place, facts) if place is not None]
    stating = [id for fact in told for id in fact["records"]]
    centre = _awake(held, [*found[:central], *stating])
    dated = _dated(held, held.records.asked(tx, memory), period, cosines) if period is not None else []
    mentioning = [held.records.ids[place] for one in concepts for place in held.records.newest_of(one)]
    others = _awake(held, [*found[central:], *mentioning, *dated])
    spoken = [place for place in centre if not held.records.entries[place]]
    turns = {near for place in spoken for near in range(_turn(held, place) - around, _turn(held, place) + around + 1)}
    size = len(held.records.ids)
    neighbours = [place for turn in turns for place in held.records.by_turn.get(turn, ()) if place < size]
    beside = [place for place in neighbours if not held.records.resting[place]]
    places = dict.fromkeys([*centre, *others, *beside])
    known = [one for one in map(partial(_candidate, held.records), places) if one is not None]
    order = sorted([(one.turn, one.role == "assistant", one.id, i) for i, one in enumerate(known)])
    return told, [known[i] for *_, i in order]


def stage_two_rows(
    tx: Reading, *, memory: str, records: Sequence[str], eligible: Sequence[str], unknown: Sequence[str],
    vector: NDArray[np.float32],
) -> Row:  # fmt: skip
    """For the second stage: {held: [[id, packed words]] of `records`, superseded: `_stating_replaced`
    of `eligible`, compared: [[id, cosine]] of `unknown`}."""
    held = tx.held
    missing = [id for id in records if id not in held.words]
    if missing:
        for id, packed in tx.one("working_set/packed_words", memory=memory, records=missing)["held"]:
            held.words.add(id, packed)
    return {
        "held": [[id, held.words[id]] for id in records if id in held.words],
        "superseded": _stating_replaced(held, eligible),
        "compared": list(record_cosines(tx, memory, unknown, vector).items()),
    }


def said_between(held: Snapshot, spans: Iterable[Sequence[str]], passes: Passes | None) -> list[int]:
    """Places of the records of some times, in the order of the conversation, those that rest, too.

    spans: [first day, day after the last] in ISO, disjoint; a record's day is that of its own offset.
    """
    said, ids = held.records.said, held.records.ids
    found = [place for first, after in spans for place in held.records.between(first, after)]
    if passes is not None:
        found = [place for place in found if passes(said[place][4], said[place][3], said[place][5], said[place][7])]
    entries = held.records.entries
    return sorted(
        found,
        key=lambda place: (
            (True, _ROLES[said[place][2]], ids[place]) if entries[place]  # of no turn
            else (False, said[place][1], _ROLES[said[place][2]], ids[place])
        ),
    )  # fmt: skip


def record_cosines(tx: Reading, memory: str, ids: Iterable[str], vector: NDArray[np.float32]) -> dict[str, float]:
    """{id: cosine with a question's vector (d,)} of the records that are here and have a vector."""
    return cosines_of(tx, memory, [place for place in map(tx.held.records.place, ids) if place is not None], vector)


def cosines_of(tx: Reading, memory: str, places: Iterable[int], vector: NDArray[np.float32]) -> dict[str, float]:
    """The same for records that are given by their places."""
    records = tx.held.records
    places = [place for place in places if records.vectors.known[place]]
    cosines = records.vectors.cosines(records.asked(tx, memory), np.array(places, dtype=np.int64), unit(vector))
    return {records.ids[place]: cosine for place, cosine in zip(places, cosines.tolist(), strict=True)}


def _fact(held: Snapshot, place: int) -> Row:
    concepts, all_ = held.concepts, held.associations
    source, target = int(all_.source[place]), int(all_.target[place])
    negated, contested, when, stated_at, records = all_.details[place]
    return {
        "id": all_.ids[place],
        "source": concepts.labels[source],
        "source_id": concepts.ids[source],
        "relation": all_.relations[place],
        "target": concepts.labels[target],
        "target_id": concepts.ids[target],
        "weight": float(all_.weight[place]),
        "negated": negated,
        "current": not all_.superseded[place],
        "contested": contested,
        "when": when,
        "stated_at": stated_at,
        "first_turn": int(all_.first[place]),
        "last_turn": int(all_.last[place]),
        "records": list(records),
        "confidence": float(all_.confidence[place]),
    }


def _candidate(records: Records, place: int) -> Candidate | None:
    """One record as a candidate, kept as long as nothing of it changes; None if it lacks what makes one."""
    concepts, entry = records.concepts[place], records.entries[place]
    known = records.candidates.get(place)
    if known is not None and known[0] is concepts and known[1] is entry:
        found: Candidate = known[2]
        return found
    id, said = records.ids[place], records.said[place]
    if said[6] is None or None in said[:4]:
        return None
    turn_id, turn, role, speaker, session, at, text, _ = said
    made = Candidate(id, turn_id, turn, role, speaker, session, at, text, records.gists[place], concepts)
    if entry and role == "note":
        made = made._replace(session=f"note {id}", note=NoteSource(*entry))
    elif entry:
        made = made._replace(session=f"entry {id}", entry=EntryNote(*entry))
    records.candidates[place] = (concepts, entry, made)
    return made


def _turn(held: Snapshot, place: int) -> int:
    return int(held.records.said[place][1])


def _awake(held: Snapshot, ids: Iterable[str]) -> list[int]:
    """The records that are here and on the recall path, each once."""
    places = dict.fromkeys(place for place in map(held.records.place, ids) if place is not None)
    return [place for place in places if not held.records.resting[place]]


def _dated(held: Snapshot, asked: Asked, period: Period, cosines: Mapping[str, float]) -> list[str]:
    """The records of a period on the recall path that are nearest to the question."""
    records, (since, until, vector) = held.records, period
    places = [
        place
        for place, said in enumerate(records.said)
        if said[5] is not None and since <= said[5] < until and not records.resting[place]
    ]
    computed = records.vectors.cosines(asked, np.array(places, dtype=np.int64), unit(vector)).tolist()
    ids = [records.ids[place] for place in places]
    near = [(cosines.get(id, cosine), id) for id, cosine in zip(ids, computed, strict=True)]
    return [id for _, id in sorted(near, key=lambda row: (-row[0], row[1]))[:DATED]]


def _stating_replaced(held: Snapshot, ids: Iterable[str]) -> dict[str, Row]:
    """{id of a record that states a replaced fact: {ends, classes} of those facts}.

    ends: the labels of their targets, [] if the record states nothing that holds. classes: of their relations.
    """
    found: dict[str, Row] = {}
    records, all_, labels = held.records, held.associations, held.concepts.labels
    names: list[str] = []
    for id in ids:
        place = records.place(id)
        stated = [
            at for at in map(all_.place, records.associations[place] if place is not None else ()) if at is not None
        ]
        gone = [at for at in stated if all_.superseded[at]]
        if gone:
            names = names or list(all_.codes)  # thousands, which most questions need not
            holds = any(not (all_.superseded[at] or all_.implied[at]) for at in stated)
            ends = sorted({labels[all_.target[at]] for at in gone}) if holds else []
            found[id] = {"ends": ends, "classes": {names[all_.classes[at]] for at in gone}}
    return found
