"""What a new turn is compared with: the associations of a concept, the topics that are lit, what was said before."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from oroi_graph.storage.store import Row
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import Places
from oroi_graph.working_set.transactions import Reading
from oroi_graph.working_set.vectors import Floats

TOPICS = ("concept", "name")  # kinds of concepts: selves and values are no topics


def stated_by(held: Snapshot, source: str, classes: Collection[str], targets: Collection[str]) -> list[Row]:
    """The current associations that lead out of a concept and are of one of the classes or lead to one of the targets.

    In the order of ids, each {id, source, relation, target, kind, negated, first_turn, since, class}. kind: of the
    target. since: when it began, else when it was last stated, as ISO.
    """
    all_, edges = held.associations, _current(held, source)
    codes = [all_.codes[name] for name in classes if name in all_.codes]
    ends = [place for place in map(held.concepts.place, targets) if place is not None]
    wanted = edges[np.isin(all_.classes[edges], codes) | np.isin(all_.target[edges], ends)]
    return _rows(held, wanted[np.lexsort((all_.low[wanted], all_.high[wanted]))])


def all_stated_by(held: Snapshot, source: str, most: int) -> list[Row]:
    """The same for all that somebody stated, the most recent ones first, `most` at most."""
    all_, edges = held.associations, _current(held, source)
    edges = edges[~all_.implied[edges]]
    return _rows(held, edges[np.lexsort((all_.low[edges], all_.high[edges], -all_.last[edges]))][:most])


def _current(held: Snapshot, source: str) -> Places:
    place = held.concepts.place(source)
    if place is None:
        return np.zeros(0, dtype=np.int64)
    edges, _ = held.associations.adjacency.of_concept(place)
    found: Places = edges[(held.associations.source[edges] == place) & ~held.associations.superseded[edges]]
    return found


def _rows(held: Snapshot, edges: Places) -> list[Row]:
    all_, concepts = held.associations, held.concepts
    names = list(all_.codes) if len(edges) else []
    return [
        {
            "id": all_.ids[edge],
            "source": concepts.ids[all_.source[edge]],
            "relation": all_.relations[edge],
            "target": concepts.ids[all_.target[edge]],
            "kind": concepts.kinds[all_.target[edge]],
            "negated": bool(all_.negated[edge]),
            "first_turn": int(all_.first[edge]),
            "since": (all_.times[edge] or all_.stated[edge]).partition("/")[0],
            "class": names[all_.classes[edge]],
        }
        for edge in edges.tolist()
    ]


def lit_topics(tx: Reading, memory: str, query: Floats) -> tuple[Floats, Floats]:
    """(activation, cosine to `query`) of each topic that is lit. query: (d,), of length 1."""
    concepts = tx.held.concepts
    lit = concepts.lit()
    topics = np.array([place for place in lit.tolist() if concepts.kinds[place] in TOPICS], dtype=np.int64)
    return concepts.activation[topics], concepts.vectors.cosines(concepts.asked(tx, memory), topics, query)


def last_said(held: Snapshot, most: int) -> list[Row]:
    """The records of the last turns, `most` at most, oldest first."""
    records, clock = held.records, held.clock or 0
    # With the one that is open; what belongs to no turn has a number below (`working_set/records`).
    turns = range(max(clock - most + 1, 0), clock + 2)
    found = [
        {"id": records.ids[place], "turn": turn, "session": session, "text": text, "speaker": speaker, "role": role,
         "at": at}
        for place in chain.from_iterable(map(records.in_turn, turns))
        for _, turn, role, speaker, session, at, text, _ in (records.said[place],)
    ]  # fmt: skip
    return sorted(found, key=lambda row: (row["turn"], row["role"] != "user", row["at"] or ""))[-most:]


def recent(tx: Reading, memory: str, since: int, before: int, most: int) -> tuple[NDArray[np.int64], Floats]:
    """(turn, vector) of the latest records of some turns, `most` at most; vectors (m, d) are of length 1."""
    held = tx.held
    newest = (place for turn in range(before - 1, max(since, 0) - 1, -1) for place in _of_turn(held, turn))
    places = [place for place, _ in zip(newest, range(most), strict=False)]
    turns = np.array([held.records.said[place][1] for place in places], dtype=np.int64)
    return turns, _vectors(tx, memory, places)


def sample(tx: Reading, memory: str, turns: Iterable[int]) -> Floats:
    """(k, d) the vector of one record of each turn that has one, of length 1."""
    found = (next(iter(_of_turn(tx.held, turn)), None) for turn in turns)
    return _vectors(tx, memory, [place for place in found if place is not None])


def _of_turn(held: Snapshot, turn: int) -> list[int]:
    """The places of a turn's records that have a vector: the speaker's, then the assistant's."""
    records = held.records
    with_vector = [
        place for place in records.in_turn(turn) if records.vectors.known[place] and not records.entries[place]
    ]
    return sorted(with_vector, key=lambda place: (records.said[place][2] != "user", records.said[place][0]))


def _vectors(tx: Reading, memory: str, places: list[int]) -> Floats:
    records = tx.held.records
    return records.vectors.rows(records.asked(tx, memory), np.array(places, dtype=np.int64))
