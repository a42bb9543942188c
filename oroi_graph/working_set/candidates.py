"""Candidate records of a question, the facts that may be told, and what the second ranking stage needs of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.model import EntryNote, NoteSource, RecordHit, RecordRole
from oroi_graph.storage.store import Row
from oroi_graph.storage.store import vector as packed_vector
from oroi_graph.working_set.entry import Passes
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import Records, places_of
from oroi_graph.working_set.transactions import Reading
from oroi_graph.working_set.vectors import Asked, Indexed, unit

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
    held, records = tx.held, tx.held.records
    told = _facts(held, places_of(held.associations.place, facts))
    stating = (id for fact in told for id in fact["records"])
    centre = _awake(records, records.places([*found[:central], *stating]))
    dated = _dated(held, records.asked(tx, memory), period, cosines) if period is not None else []
    mentioning = [place for one in concepts for place in records.newest_of(one)]
    others = _awake(records, [*records.places(found[central:]), *mentioning, *records.places(dated)])
    turns = {records.said[place][1] for place in centre if not records.entries[place]}
    near = {turn + distance for turn in turns for distance in range(-around, around + 1)}
    neighbours = chain.from_iterable(map(records.in_turn, near))
    return told, _candidates(records, {*centre, *others, *_awake(records, neighbours)})


def stage_two_rows(
    tx: Reading, *, memory: str, records: Sequence[str], eligible: Sequence[str], unknown: Sequence[str],
    vector: NDArray[np.float32],
) -> Row:  # fmt: skip
    """For the second stage: {held: [(id, packed words)] of `records`, superseded: `_stating_replaced`
    of `eligible`, compared: [(id, cosine)] of `unknown`}."""
    held = tx.held
    missing = [id for id in records if id not in held.words]
    places = held.records.places(unknown)
    if isinstance(held.records.vectors, Indexed):
        compared = _read(tx, memory, missing, places, vector)
    else:
        _read(tx, memory, missing)
        compared = cosines_of(tx, memory, places, vector)
    return {
        "held": [(id, held.words[id]) for id in records if id in held.words],
        "superseded": _stating_replaced(held, eligible),
        "compared": list(compared.items()),
    }


def _read(
    tx: Reading, memory: str, missing: Sequence[str], places: Sequence[int] = (),
    vector: NDArray[np.float32] | None = None,
) -> dict[str, float]:  # fmt: skip
    """Read the words of the records with some ids; and with them, as `cosines_of`, what the server compares."""
    held, records = tx.held, tx.held.records
    ids = [records.ids[place] for place in places if records.vectors.known[place]]
    if not missing and not ids:
        return {}
    query = None if vector is None else packed_vector(unit(vector))
    row = tx.one("working_set/packed_words", memory=memory, records=missing, compared=ids, vector=query)
    for id, packed in row["held"]:
        held.words.add(id, packed)
    known = dict(row["near"])
    return {id: known.get(id) or 0.0 for id in ids}


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


def cosines_of(tx: Reading, memory: str, places: Iterable[int], vector: NDArray[np.float32]) -> dict[str, float]:
    """{id: cosine with a question's vector (d,)} of the records at some places that have a vector."""
    records = tx.held.records
    asked = np.array(list(places), dtype=np.int64)
    asked = asked[records.vectors.known[asked]]
    cosines = records.vectors.cosines(records.asked(tx, memory), asked, unit(vector))
    return dict(zip(map(records.ids.__getitem__, asked.tolist()), cosines.tolist(), strict=True))


def _facts(held: Snapshot, places: Sequence[int]) -> list[Row]:
    concepts, all_ = held.concepts, held.associations
    columns = (
        all_.source, all_.target, all_.weight, all_.superseded, all_.first, all_.last, all_.confidence, all_.negated,
        all_.contested,
    )  # fmt: skip
    numbers = zip(places, *(column[places].tolist() for column in columns), strict=True) if places else ()
    found = []
    for place, source, target, weight, superseded, first, last, confidence, negated, contested in numbers:
        found.append({
            "id": all_.ids[place],
            "source": concepts.labels[source],
            "source_id": concepts.ids[source],
            "relation": all_.relations[place],
            "target": concepts.labels[target],
            "target_id": concepts.ids[target],
            "weight": weight,
            "negated": negated,
            "current": not superseded,
            "contested": contested,
            "when": all_.times[place] or None,
            "stated_at": all_.stated[place] or None,
            "first_turn": first,
            "last_turn": last,
            "records": all_.records[place],
            "confidence": confidence,
        })  # fmt: skip
    return found


def _candidates(records: Records, places: Iterable[int]) -> list[Candidate]:
    """Some records as candidates, in the order in which they were said, without those that lack what makes one."""
    concepts, entries, known = records.concepts, records.entries, records.candidates
    found = []
    for place in places:
        kept = known.get(place)
        if kept is None or kept[2] is not concepts[place] or kept[3] is not entries[place]:
            made = _candidate(records, place)
            if made is None:
                continue
            moment = 2 * made.turn + (made.role == "assistant")
            kept = known[place] = (moment, made.id, concepts[place], entries[place], made)
        found.append(kept)
    found.sort()  # by moment and id, which no two share
    return [made for *_, made in found]


def _candidate(records: Records, place: int) -> Candidate | None:
    id, said, entry = records.ids[place], records.said[place], records.entries[place]
    if said[6] is None or None in said[:4]:
        return None
    turn_id, turn, role, speaker, session, at, text, _ = said
    made = Candidate(id, turn_id, turn, role, speaker, session, at, text, records.gists[place], records.concepts[place])
    if entry and role == "note":
        return made._replace(session=f"note {id}", note=NoteSource(*entry))
    return made._replace(session=f"entry {id}", entry=EntryNote(*entry)) if entry else made


def _awake(records: Records, places: Iterable[int]) -> list[int]:
    """Those of some records that are on the recall path."""
    resting = records.resting
    return [place for place in places if not resting[place]]


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


def _stating_replaced(held: Snapshot, ids: Sequence[str]) -> dict[str, Row]:
    """{id of a record that states a replaced fact: {ends, classes} of those facts}.

    ends: the labels of their targets, [] if the record states nothing that holds. classes: of their relations.
    """
    records, all_, labels = held.records, held.associations, held.concepts.labels
    stated = {records.ids[place]: _stated(held, place) for place in records.places(ids)}
    flat = list(chain.from_iterable(stated.values()))
    gone = (
        {at for at, superseded in zip(flat, all_.superseded[flat].tolist(), strict=True) if superseded} if flat else ()
    )
    if not gone:
        return {}
    names, found = list(all_.codes), {}  # names: thousands, which most questions need not
    for id, some in stated.items():
        replaced = [at for at in some if at in gone]
        if replaced:
            holds = any(at not in gone and not all_.implied[at] for at in some)
            ends = sorted({labels[all_.target[at]] for at in replaced}) if holds else []
            found[id] = {"ends": ends, "classes": {names[all_.classes[at]] for at in replaced}}
    return found


def _stated(held: Snapshot, place: int) -> tuple[int, ...]:
    """The places of the associations that a record states, kept as long as it states no others."""
    records, all_ = held.records, held.associations
    ids, kept = records.associations[place], records.stated.get(place)
    if kept is not None and kept[0] is ids:
        return kept[1]
    found = tuple(places_of(all_.place, ids))
    if len(found) == len(ids):
        records.stated[place] = (ids, found)
    return found
