"""Candidate records of a question, the facts that may be told, and what the second ranking stage needs of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from oroi_graph.storage.store import Row
from oroi_graph.working_set.entry import Passes
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.transactions import Reading
from oroi_graph.working_set.vectors import Asked, Floats, unit

DATED = 40  # records of a period
_ROLES = {"user": 0, "assistant": 1, "note": 2, "entry": 3}  # in the order of a conversation


def candidate_rows(
    tx: Reading, *, memory: str, facts: Sequence[str], found: Sequence[str], cosines: Mapping[str, float],
    concepts: Sequence[str], since: str | None, until: str | None, central: int, around: int,
    vector: NDArray[np.float32] | None,
) -> Row:  # fmt: skip
    """The facts with these ids, and the candidate records.

    found: ids of records that the search found, the best first; cosines: {id: cosine} of those it compared. concepts:
    ids whose newest mentions are candidates. since, until: a period; its records nearest to the question (vector:
    (d,); None without a period) are candidates. central: of `found`, those whose neighbours are candidates, as are the
    neighbours of each record that states a fact; around: turns before and after. Returns {facts: [{…}], records: [(id,
    turn id, turn, role, speaker, session, time, text, whether it is a gist, cosine | None, concept ids, what an entry
    or note is cited by | None)], in no order}.
    """
    held = tx.held
    told = [_fact(held, place) for place in map(held.associations.place, facts) if place is not None]
    stating = [id for fact in told for id in fact["records"]]
    centre = _awake(held, [*found[:central], *stating])
    dated: list[str] = []
    if since and until and vector is not None:
        dated = _dated(held, held.records.asked(tx, memory), (since, until), cosines, unit(vector))
    mentioning = [held.records.ids[place] for one in concepts for place in held.records.newest_of(one)]
    others = _awake(held, [*found[central:], *mentioning, *dated])
    spoken = [place for place in centre if not held.records.entries[place]]
    turns = {near for place in spoken for near in range(_turn(held, place) - around, _turn(held, place) + around + 1)}
    size = len(held.records.ids)
    neighbours = [place for turn in turns for place in held.records.by_turn.get(turn, ()) if place < size]
    beside = [place for place in neighbours if not held.records.resting[place]]
    return {
        "facts": told,
        "records": [_record(held, place, cosines) for place in dict.fromkeys([*centre, *others, *beside])],
    }


def stage_two_rows(
    tx: Reading, *, memory: str, records: Sequence[str], eligible: Sequence[str], unknown: Sequence[str],
    vector: NDArray[np.float32],
) -> Row:  # fmt: skip
    """For the second stage: {held: [[id, packed words]] of `records`, superseded: ids of `eligible` that state a
    replaced fact, compared: [[id, cosine]] of `unknown`}."""
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


def _record(held: Snapshot, place: int, cosines: Mapping[str, float]) -> tuple[object, ...]:
    records = held.records
    id = records.ids[place]
    entry = records.entries[place] or None
    return (id, *records.said[place][:7], records.gists[place], cosines.get(id), records.concepts[place], entry)


def _turn(held: Snapshot, place: int) -> int:
    return int(held.records.said[place][1])


def _awake(held: Snapshot, ids: Iterable[str]) -> list[int]:
    """The records that are here and on the recall path, each once."""
    places = dict.fromkeys(place for place in map(held.records.place, ids) if place is not None)
    return [place for place in places if not held.records.resting[place]]


def _dated(
    held: Snapshot, asked: Asked, period: tuple[str, str], cosines: Mapping[str, float], query: Floats
) -> list[str]:
    """The records of a period on the recall path that are nearest to the question."""
    records, (since, until) = held.records, period
    places = [
        place
        for place, said in enumerate(records.said)
        if said[5] is not None and since <= said[5] < until and not records.resting[place]
    ]
    computed = records.vectors.cosines(asked, np.array(places, dtype=np.int64), query).tolist()
    ids = [records.ids[place] for place in places]
    near = [(cosines.get(id, cosine), id) for id, cosine in zip(ids, computed, strict=True)]
    return [id for _, id in sorted(near, key=lambda row: (-row[0], row[1]))[:DATED]]


def _stating_replaced(held: Snapshot, ids: Iterable[str]) -> list[str]:
    """Those of some records that state a replaced fact."""
    records, associations = held.records, held.associations
    places = [(id, place) for id in ids if (place := records.place(id)) is not None]
    stated = [(id, at) for id, place in places for at in map(associations.place, records.associations[place])
              if at is not None]  # fmt: skip
    replaced = associations.superseded[[at for _, at in stated]].tolist()
    return list(dict.fromkeys(id for (id, _), gone in zip(stated, replaced, strict=True) if gone))
