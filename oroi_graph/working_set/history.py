"""What a new turn is compared with: the topics that are lit, what was said just before, and records of all times."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.transactions import Reading
from oroi_graph.working_set.vectors import Floats

TOPICS = ("concept", "name")  # kinds of concepts: selves and values are no topics


def lit_topics(tx: Reading, memory: str, query: Floats) -> tuple[Floats, Floats]:
    """(activation, cosine to `query`) of each topic that is lit. query: (d,), of length 1."""
    concepts = tx.held.concepts
    lit = concepts.lit()
    topics = np.array([place for place in lit.tolist() if concepts.kinds[place] in TOPICS], dtype=np.int64)
    return concepts.activation[topics], concepts.vectors.cosines(concepts.asked(tx, memory), topics, query)


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
    records, size = held.records, len(held.records.ids)
    places = [place for place in records.by_turn.get(turn, ()) if place < size]
    with_vector = [place for place in places if records.vectors.known[place] and not records.entries[place]]
    return sorted(with_vector, key=lambda place: (records.said[place][2] != "user", records.said[place][0]))


def _vectors(tx: Reading, memory: str, places: list[int]) -> Floats:
    records = tx.held.records
    return records.vectors.rows(records.asked(tx, memory), np.array(places, dtype=np.int64))
