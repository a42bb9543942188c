"""Where a question enters a memory: concepts for its spans, what resembles it, what is lit, records by meaning and
words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from oroi_graph.storage.store import Row
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import Places
from oroi_graph.working_set.transactions import Reading
from oroi_graph.working_set.vectors import Asked, Floats, Vectors, unit
from oroi_graph.working_set.words.search import Term, by_spelling, by_words

FEW = 60  # concepts of a memory below which all are near
SEARCHED = 20  # nearest concepts among which those of the wanted kinds are candidates for a span
NEAR = 32  # concepts near to the whole question
LIT = 12  # the most active concepts

Passes = Callable[
    [str | None, str, str | None, str], bool
]  # whether a record of this session, speaker, time, kind is asked


def seeds(
    tx: Reading, *, memory: str, rows: Sequence[Row], vector: NDArray[np.float32], most: int, said: Sequence[Term],
    limit: int, passes: Passes | None,
) -> Row:  # fmt: skip
    """Candidates for the cues of a question, and the records that resemble it.

    rows: [{i, key, kinds, vector | None, spelling | None}], one a span; most: candidates of each. vector: (d,) of the
    whole question. said: words to search for. limit: of records. passes: which are asked; then all of these are
    compared, and words are not searched for. Returns {found: [{i, exact, similar, lexical}], near: [(id, cosine)], lit,
    alike: [(id, cosine)], stating: association ids of each of those, saying: record ids, clock}; in `found` rows may
    be missing for which nothing can be found.
    """
    held, whole = tx.held, unit(vector)
    concepts, records = held.concepts.asked(tx, memory), held.records.asked(tx, memory)
    keys = held.concepts.by_key
    rows = [row for row in rows if row["key"] in keys or row["spelling"] or row["vector"] is not None]
    near = _nearest(held.records.vectors, records, whole, limit) if passes is None else []
    alike = near if passes is None else _filtered(held, records, whole, passes)[:limit]
    return {
        "found": _linked(tx, memory, rows, most),
        "near": _nearest(held.concepts.vectors, concepts, whole, FEW if len(held.concepts.ids) < FEW else NEAR),
        "lit": _lit(held, concepts, whole),
        "alike": alike,
        "stating": [held.records.associations[held.records.at[id]] for id, _ in alike],
        "saying": by_words(held.records.texts(), said, held.records.ids, limit) if said and passes is None else [],
        "clock": held.clock,
    }


def concept_candidates(tx: Reading, memory: str, rows: Sequence[Row], most: int) -> list[Row]:
    """Candidates for the labels of a turn: as `found` of `seeds`."""
    return _linked(tx, memory, rows, most, ("concept",))


def _linked(tx: Reading, memory: str, rows: Sequence[Row], most: int, alike: Sequence[str] = ()) -> list[Row]:
    """Candidates of each row. alike: kinds of the concepts that may be candidates because they are similar; none: those
    that each row names."""
    held = tx.held
    concepts = held.concepts.asked(tx, memory)
    exact = {row["i"]: _exact(held, row) for row in rows}
    return [
        {
            "i": row["i"],
            "exact": exact[row["i"]],
            "similar": [] if exact[row["i"]] or row["vector"] is None else _similar(held, concepts, row, alike)[:most],
            "lexical": [] if exact[row["i"]] or row["spelling"] is None else _spelled(held, row, most),
        }
        for row in rows
    ]


def _spelled(held: Snapshot, row: Row, most: int) -> list[Row]:
    """The concepts of the wanted kinds whose labels or aliases share, begin with or nearly spell a word."""
    concepts, spelling = held.concepts, row["spelling"]
    places = by_spelling(
        concepts.texts(), spelling, concepts.ids, lambda place: concepts.kinds[place] in row["kinds"], most
    )
    return [_row(held, place) for place in places]


def _row(held: Snapshot, place: int) -> Row:
    concepts = held.concepts
    return {
        "id": concepts.ids[place],
        "label": concepts.labels[place],
        "kind": concepts.kinds[place],
        "aliases": concepts.aliases[place],
        "mentions": int(concepts.mentions[place]),
    }


def _exact(held: Snapshot, row: Row) -> list[Row]:
    concepts = held.concepts
    places = [place for place in concepts.by_key.get(row["key"], ()) if place < len(concepts.ids)]
    named = [place for place in places if concepts.kinds[place] in row["kinds"]]
    return [
        _row(held, place) for place in sorted(named, key=lambda place: (concepts.kinds[place], concepts.ids[place]))
    ]


def _similar(held: Snapshot, asked: Asked, row: Row, alike: Sequence[str]) -> list[Row]:
    """The nearest concepts of the wanted kinds: of a small memory among all, else among the nearest of all kinds."""
    concepts, kinds = held.concepts, alike or row["kinds"]
    most = FEW if alike or len(concepts.ids) < FEW else SEARCHED
    near = _nearest(concepts.vectors, asked, unit(row["vector"]), most)
    found = [(concepts.at[id], cosine) for id, cosine in near]
    return [_row(held, place) | {"score": cosine} for place, cosine in found if concepts.kinds[place] in kinds]


def _nearest(vectors: Vectors, asked: Asked, query: Floats, most: int) -> list[tuple[str, float]]:
    """(id, cosine) of the nearest rows of a table, the nearest first; among equals by id."""
    return _ordered(asked.ids, *vectors.nearest(asked, query, most))[:most]


def _ordered(ids: Sequence[str], places: Places, cosines: Floats) -> list[tuple[str, float]]:
    found = [(ids[place], cosine) for place, cosine in zip(places.tolist(), cosines.tolist(), strict=True)]
    return sorted(found, key=lambda row: (-row[1], row[0]))


def _lit(held: Snapshot, asked: Asked, query: Floats) -> list[Row]:
    """The most active concepts and names, with their cosine to the question."""
    concepts = held.concepts
    active = [
        place
        for place in np.flatnonzero(concepts.activation > 0).tolist()
        if concepts.kinds[place] in ("concept", "name")
    ]
    best = sorted(active, key=lambda place: (-concepts.activation[place], concepts.ids[place]))[:LIT]
    affinity = concepts.vectors.cosines(asked, np.array(best, dtype=np.int64), query)
    return [
        _row(held, place) | {"activation": float(concepts.activation[place]), "affinity": float(affinity[i])}
        for i, place in enumerate(best)
    ]


def _filtered(held: Snapshot, asked: Asked, query: Floats, passes: Passes) -> list[tuple[str, float]]:
    """All records that pass, the nearest first; one without a vector counts as neither near nor far."""
    records = held.records
    admitted = [
        place
        for place, (_, _, _, speaker, session, at, _, kind) in enumerate(records.said)
        if not records.resting[place] and passes(session, speaker, at, kind)
    ]
    places = np.array(admitted, dtype=np.int64)
    return _ordered(records.ids, places, records.vectors.cosines(asked, places, query))
