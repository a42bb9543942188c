"""The nearest rows of a table, and the few best of many, beside a slow search of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pytest

from oroi_graph.storage.store import Transaction
from oroi_graph.working_set.neighbourhood import _beyond, _foremost
from oroi_graph.working_set.vectors import LONG, SPARE, Asked, Indexed, Matrix, Vectors, Wanted, find, unit

D = 24


def table(n: int) -> Matrix:
    """n rows, of which some are equal and each seventh has no vector."""
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, D)).astype(np.float32)
    rows[1::5] = rows[:1]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    known = np.arange(n) % 7 != 3
    rows[~known] = 0.0
    return Matrix(known, rows)


@pytest.mark.parametrize("n", [0, 5, 40, 900, LONG + 1000])
def test_each_query_finds_its_nearest_rows(n: int) -> None:
    held, asked = table(n), Any  # a table in memory asks nobody
    queries = np.array([unit(query) for query in np.random.default_rng(1).normal(size=(3, D))])
    queries[2] = unit(held.buffer[0]) if n else queries[2]
    most = [3, 30, 12]
    for (places, cosines), query, wanted in zip(held.nearest(asked, queries, most), queries, most, strict=True):
        slow = held.buffer.astype(np.float64) @ query
        assert np.allclose(cosines, slow[places], atol=1e-12)
        assert held.known[places].all()
        others = np.setdiff1d(np.flatnonzero(held.known), places)
        least = np.sort(cosines)[::-1][: min(wanted, len(cosines))].min(initial=1.0)
        assert len(places) >= min(wanted, np.count_nonzero(held.known))
        assert not len(others) or slow[others].max() < least, "whatever ties with the last one is found, too"


def test_a_row_has_one_cosine_wherever_it_stands() -> None:
    held, query = table(40), unit(np.arange(D) - 3.5)
    assert len(set(held.cosines(Any, np.array([0, 1, 6, 11, 16]), query).tolist())) == 1


def test_a_table_without_vectors_is_near_to_nothing() -> None:
    held = Matrix(np.zeros(3, dtype=bool), np.zeros((3, 1), dtype=np.float32))
    assert held.cosines(Any, np.array([0, 2]), unit(np.ones(D))).tolist() == [0.0, 0.0]


def test_what_stands_beyond_so_many_equals() -> None:
    assert sorted(_beyond(2, np.array([7, 1, 7, 7, 1, 7])).tolist()) == [3, 5]
    assert _beyond(2, np.array([7, 7])).tolist() == []
    assert _beyond(2, np.zeros(0, dtype=np.int64)).tolist() == []


def test_the_foremost_are_those_that_may_be_among_the_best() -> None:
    first, second = np.array([0.0, 0.9, 0.0, 0.0, 0.0]), np.array([0.5, 0.1, 0.7, 0.5, 0.2])
    assert _foremost(first, second, 1).tolist() == [False, True, False, False, False]
    assert _foremost(first, second, 3).tolist() == [True, True, True, True, False], "one of two equals may be the third"


class Server:
    """Stands for a transaction: answers `working_set/near_…` by comparing all rows, as if every one were indexed."""

    def __init__(self, tables: Mapping[str, Matrix]) -> None:
        self.tables, self.sent = tables, list[dict[str, Any]]()

    def ahead(self, name: str, **given: Any) -> Callable[[], dict[str, Any]]:
        rows = self.tables[name.removeprefix("working_set/near_")]
        self.sent.append(given)
        found = {
            "near": [
                sorted(self._compared(rows, query), key=lambda pair: -pair[1])[: given["most"]]
                for query in given["queries"]
            ],
            "compared": [
                [pair for pair in self._compared(rows, one["vector"]) if pair[0] in one["ids"]]
                for one in given["compared"]
            ],
        }
        return lambda: found

    def _compared(self, rows: Matrix, query: Any) -> list[tuple[str, float]]:
        cosines = rows.buffer @ query.to_numpy()
        return [(str(place), float(cosines[place])) for place in np.flatnonzero(rows.known)]


@pytest.mark.parametrize(("concepts", "records", "statements"), [(900, 700, 2), (30, 700, 2), (12, 0, 1), (0, 0, 0)])
def test_tables_at_the_server_answer_as_in_memory_in_a_statement_each(
    concepts: int, records: int, statements: int
) -> None:
    sizes = {"concepts": concepts, "records": records}
    server = Server({what: table(n) for what, n in sizes.items()})
    queries = [unit(query) for query in np.random.default_rng(1).normal(size=(3, D))]

    def wanted(what: str, vectors: Vectors, most: Sequence[int]) -> Wanted:
        n = sizes[what]
        asked = Asked(cast("Transaction", server), "m", what.removesuffix("s"), [str(i) for i in range(n)], int)
        return Wanted(vectors, asked, list(zip(queries, most, strict=False)), np.arange(0, n, 4), queries[2])

    most = {"concepts": (3, 30, 12), "records": (20,)}
    here = [find(wanted(what, rows, most[what])) for what, rows in server.tables.items()]
    assert not server.sent
    indexed = {what: Indexed(rows.known) for what, rows in server.tables.items()}
    there = [find(wanted(what, rows, most[what])) for what, rows in indexed.items()]
    assert len(server.sent) == statements
    for one, other, numbers in zip(here, there, most.values(), strict=True):
        assert np.allclose(one.cosines, other.cosines, atol=1e-6)
        for (_, cosines), (places, compared), number in zip(one.near, other.near, numbers, strict=True):
            assert len(set(places.tolist())) == len(places) == min(number + SPARE, len(places))
            assert np.allclose(np.sort(cosines)[::-1][:number], np.sort(compared)[::-1][:number], atol=1e-6)
