"""Where a question enters a memory: concepts for its spans, what resembles it, what is lit, records by meaning and
words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

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

Query = tuple[Floats, int]  # a unit vector (d,), and how many rows nearest to it are wanted
Near = tuple[int, float]  # place and cosine of a row

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
    be missing for which nothing can be found, and `lit` is worked out when it is read, once: most questions need not.
    """
    held, whole = tx.held, unit(vector)
    keys, asked, many = held.concepts.by_key, held.records.asked(tx, memory), len(held.concepts.ids) >= FEW
    rows = [row for row in rows if row["key"] in keys or row["spelling"] or row["vector"] is not None]
    found, [near] = _linked(tx, memory, rows, most, SEARCHED if many else FEW, (), [(whole, NEAR if many else FEW)])
    if passes is None:
        alike = _nearest(held.records.vectors, asked, [(whole, limit)])[0]
    else:
        alike = _filtered(held, asked, whole, passes, limit)
    return {
        "found": found,
        "near": [(held.concepts.ids[place], cosine) for place, cosine in near],
        "lit": _lit(held, held.concepts.asked(tx, memory), whole),
        "alike": [(held.records.ids[place], cosine) for place, cosine in alike],
        "stating": [held.records.associations[place] for place, _ in alike],
        "saying": by_words(held.records.texts(), said, held.records.ids, limit) if said and passes is None else [],
        "clock": held.clock,
    }


def concept_candidates(tx: Reading, memory: str, rows: Sequence[Row], most: int) -> list[Row]:
    """Candidates for the labels of a turn: as `found` of `seeds`."""
    return _linked(tx, memory, rows, most, FEW, ("concept",))[0]


def _linked(
    tx: Reading, memory: str, rows: Sequence[Row], most: int, searched: int, alike: Sequence[str],
    others: Sequence[Query] = (),
) -> tuple[list[Row], list[list[Near]]]:  # fmt: skip
    """Candidates of each row, and the concepts that are nearest to other queries.

    searched: nearest concepts of all kinds among which those of the wanted kinds are candidates; a concept of a small
    memory is among them anyway. alike: kinds of the concepts that may be candidates because they are similar; none:
    those that each row names.
    """
    held = tx.held
    exact = {row["i"]: _exact(held, row) for row in rows}
    meant = [row for row in rows if row["vector"] is not None and not exact[row["i"]]]
    queries = [*others, *((unit(row["vector"]), searched) for row in meant)]
    near = _nearest(held.concepts.vectors, held.concepts.asked(tx, memory), queries)
    similar = {row["i"]: _of_kinds(held, some, alike or row["kinds"])[:most]
               for row, some in zip(meant, near[len(others) :], strict=True)}  # fmt: skip
    found = [
        {
            "i": row["i"],
            "exact": exact[row["i"]],
            "similar": similar.get(row["i"], []),
            "lexical": [] if exact[row["i"]] or row["spelling"] is None else _spelled(held, row, most),
        }
        for row in rows
    ]
    return found, near[: len(others)]


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


def _of_kinds(held: Snapshot, near: Sequence[Near], kinds: Sequence[str]) -> list[Row]:
    """Those of the nearest concepts that are of some kinds, with their cosines as scores."""
    return [_row(held, place) | {"score": cosine} for place, cosine in near if held.concepts.kinds[place] in kinds]


def _nearest(vectors: Vectors, asked: Asked, queries: Sequence[Query]) -> list[list[Near]]:
    """The nearest rows of a table to each query, the nearest first; among equals by id."""
    if not queries:
        return []
    most = [number for _, number in queries]
    found = vectors.nearest(asked, np.array([query for query, _ in queries]), most)
    return [_ordered(asked.ids, *some, number) for some, number in zip(found, most, strict=True)]


def _ordered(ids: Sequence[str], places: Places, cosines: Floats, most: int) -> list[Near]:
    listed = places.tolist()
    found = sorted(zip((-cosines).tolist(), map(ids.__getitem__, listed), listed, strict=True))
    return [(place, -opposite) for opposite, _, place in found[:most]]


def _lit(held: Snapshot, asked: Asked, query: Floats) -> Iterator[Row]:
    """The most active concepts and names, with their cosine to the question."""
    concepts, ids = held.concepts, held.concepts.ids
    lit = np.flatnonzero(concepts.activation > 0)
    active = zip((-concepts.activation[lit]).tolist(), lit.tolist(), strict=True)
    topics = [(dark, ids[place], place) for dark, place in active if concepts.kinds[place] in ("concept", "name")]
    best = sorted(topics)[:LIT]
    affinity = concepts.vectors.cosines(asked, np.array([place for *_, place in best], dtype=np.int64), query)
    for (dark, _, place), cosine in zip(best, affinity.tolist(), strict=True):
        yield _row(held, place) | {"activation": -dark, "affinity": cosine}


def _filtered(held: Snapshot, asked: Asked, query: Floats, passes: Passes, most: int) -> list[Near]:
    """The nearest records that pass, the nearest first; one without a vector counts as neither near nor far."""
    records = held.records
    admitted = [
        place
        for place, (_, _, _, speaker, session, at, _, kind) in enumerate(records.said)
        if not records.resting[place] and passes(session, speaker, at, kind)
    ]
    places = np.array(admitted, dtype=np.int64)
    return _ordered(records.ids, places, records.vectors.cosines(asked, places, query), most)
