"""Where a question enters a memory: concepts for its spans, what resembles it, what is lit, records by meaning and
words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.storage.store import Row
from oroi_graph.working_set.adjacency import no_places
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import Places, Records
from oroi_graph.working_set.transactions import Reading
from oroi_graph.working_set.vectors import Floats, Found, Indexed, Wanted, begin, find, unit
from oroi_graph.working_set.words.search import Term, by_spelling, by_words

FEW = 60  # concepts of a memory below which all are near
SEARCHED = 20  # nearest concepts among which those of the wanted kinds are candidates for a span
NEAR = 32  # concepts near to the whole question
LIT = 12  # the most active concepts

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
    keys, many = held.concepts.by_key, len(held.concepts.ids) >= FEW
    rows = [row for row in rows if row["key"] in keys or row["spelling"] or row["vector"] is not None]
    exact = {row["i"]: _exact(held, row) for row in rows}
    meant = _meant(rows, exact)
    queries = [(whole, NEAR if many else FEW), *((one, SEARCHED if many else FEW) for one in meant.values())]
    # The server is asked for all at once. Else what is lit is compared when it is read.
    lit = _most_lit(held) if isinstance(held.concepts.vectors, Indexed) else no_places()
    concepts = Wanted(held.concepts.vectors, held.concepts.asked(tx, memory), queries, lit, whole)
    records = _records_wanted(tx, memory, whole, passes, limit)
    # Both are asked before either answer is waited for.
    near, alike = begin(concepts), begin(records)
    saying = by_words(held.records.texts(), said, held.records.ids, limit) if said and passes is None else []
    found, compared = near(), alike()
    nearest, *similar = _nearest(concepts, found)
    if passes is None:
        [best] = _nearest(records, compared)
    else:
        best = _ordered(held.records.ids, records.places, compared.cosines, limit)
    return {
        "found": _candidates(held, rows, exact, dict(zip(meant, similar, strict=True)), most),
        "near": [(held.concepts.ids[place], cosine) for place, cosine in nearest],
        "lit": _lit(held, concepts, found),
        "alike": [(held.records.ids[place], cosine) for place, cosine in best],
        "stating": [held.records.associations[place] for place, _ in best],
        "saying": saying,
        "clock": held.clock,
    }


def concept_candidates(tx: Reading, memory: str, rows: Sequence[Row], most: int) -> list[Row]:
    """Candidates for the labels of a turn: as `found` of `seeds`."""
    held = tx.held
    exact = {row["i"]: _exact(held, row) for row in rows}
    meant = _meant(rows, exact)
    wanted = Wanted(held.concepts.vectors, held.concepts.asked(tx, memory), [(one, FEW) for one in meant.values()])
    near = dict(zip(meant, _nearest(wanted, find(wanted)), strict=True))
    return _candidates(held, rows, exact, near, most, ("concept",))


def _meant(rows: Sequence[Row], exact: Mapping[Any, list[Row]]) -> dict[Any, Floats]:
    """{i: unit vector} of the rows for which similar concepts are looked for: those that no concept is called like."""
    return {row["i"]: unit(row["vector"]) for row in rows if row["vector"] is not None and not exact[row["i"]]}


def _candidates(
    held: Snapshot, rows: Sequence[Row], exact: Mapping[Any, list[Row]], near: Mapping[Any, Sequence[Near]], most: int,
    alike: Sequence[str] = (),
) -> list[Row]:  # fmt: skip
    """Candidates of each row. exact, near: by `i`, concepts that are called so, and those nearest to its vector.

    A concept of a small memory is among the nearest of all kinds anyway. alike: kinds of the concepts that may be
    candidates because they are similar; none: those that each row names.
    """
    return [
        {
            "i": row["i"],
            "exact": exact[row["i"]],
            "similar": _of_kinds(held, near.get(row["i"], ()), alike or row["kinds"])[:most],
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


def _of_kinds(held: Snapshot, near: Sequence[Near], kinds: Sequence[str]) -> list[Row]:
    """Those of the nearest concepts that are of some kinds, with their cosines as scores."""
    return [_row(held, place) | {"score": cosine} for place, cosine in near if held.concepts.kinds[place] in kinds]


def _nearest(wanted: Wanted, found: Found) -> list[list[Near]]:
    """The nearest rows of a table to each query, the nearest first; among equals by id."""
    return [_ordered(wanted.asked.ids, *some, most) for some, (_, most) in zip(found.near, wanted.queries, strict=True)]


def _ordered(ids: Sequence[str], places: Places, cosines: Floats, most: int) -> list[Near]:
    listed = places.tolist()
    found = sorted(zip((-cosines).tolist(), map(ids.__getitem__, listed), listed, strict=True))
    return [(place, -opposite) for opposite, _, place in found[:most]]


def _most_lit(held: Snapshot) -> Places:
    """Places of the most active concepts and names, the most active first; among equals by id."""
    concepts, ids = held.concepts, held.concepts.ids
    lit = np.flatnonzero(concepts.activation > 0)
    active = zip((-concepts.activation[lit]).tolist(), lit.tolist(), strict=True)
    topics = [(dark, ids[place], place) for dark, place in active if concepts.kinds[place] in ("concept", "name")]
    return np.array([place for *_, place in sorted(topics)[:LIT]], dtype=np.int64)


def _lit(held: Snapshot, wanted: Wanted, found: Found) -> Iterator[Row]:
    """The most active concepts and names, with their cosine to the question. found: of `wanted`, which may have asked
    for them."""
    places, known = _most_lit(held), len(wanted.places)
    cosines = found.cosines if known else wanted.vectors.cosines(wanted.asked, places, wanted.query)
    for place, cosine in zip(places.tolist(), cosines.tolist(), strict=True):
        yield _row(held, place) | {"activation": float(held.concepts.activation[place]), "affinity": cosine}


def _records_wanted(tx: Reading, memory: str, query: Floats, passes: Passes | None, most: int) -> Wanted:
    """The nearest records; of those that pass, if that is asked, all are compared, and one without a vector counts as
    neither near nor far."""
    records = tx.held.records
    if passes is None:
        return Wanted(records.vectors, records.asked(tx, memory), [(query, most)])
    return Wanted(records.vectors, records.asked(tx, memory), (), _admitted(records, passes), query)


def _admitted(records: Records, passes: Passes) -> Places:
    """Places of the records on the recall path that pass."""
    admitted = [
        place
        for place, (_, _, _, speaker, session, at, _, kind) in enumerate(records.said)
        if not records.resting[place] and passes(session, speaker, at, kind)
    ]
    return np.array(admitted, dtype=np.int64)
