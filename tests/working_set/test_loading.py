"""A load: it pauses the collector of cyclic garbage, and builds the tables as they come."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from oroi_graph.working_set.snapshot import _Collector, _loaded
from oroi_graph.working_set.tables import Concepts, Records
from oroi_graph.working_set.vectors import Indexed
from oroi_graph.working_set.words.inverted_index import Texts


def test_the_collector_waits_for_all_loads_and_is_given_back() -> None:
    collector, within, done = _Collector(), threading.Event(), threading.Event()

    def load() -> None:
        with collector.paused():
            within.set()
            done.wait(10)

    other = threading.Thread(target=load)
    assert gc.isenabled()
    with collector.paused():
        other.start()
        within.wait(10)
        assert not gc.isenabled()
    assert not gc.isenabled(), "the other one still loads"
    done.set()
    other.join()
    assert gc.isenabled()


def test_a_load_that_fails_gives_it_back_and_none_turns_it_on() -> None:
    collector = _Collector()
    with pytest.raises(ValueError, match="unreadable"), collector.paused():
        raise ValueError("unreadable")
    assert gc.isenabled()
    gc.disable()
    try:
        with collector.paused():
            pass
        assert not gc.isenabled(), "whoever turned it off wants it off"
    finally:
        gc.enable()


def concept_rows(*ids: str) -> dict[str, list[Any]]:
    """Columns of some concepts, as pages are read."""
    values = {"mentions": 1, "activation": 0.0, "strength": 0.0, "vectors": -1, "aliases": []}
    columns = {name: [value for _ in ids] for name, value in values.items()}
    return columns | {"ids": [*ids], "labels": [*ids], "keys": [*ids], "kinds": ["concept" for _ in ids]}


def association_rows(*ends: tuple[str, str, str]) -> dict[str, list[Any]]:
    """Columns of associations (source, relation class, target), all stated by records r1 and r2 together."""
    values: dict[str, Any] = {
        "weights": 1.0, "relations": "likes", "implied": False, "confidences": 1.0, "first_turns": 1, "last_turns": 1,
        "superseded": False, "negated": False, "contested": False, "times": "", "stated": "",
    }  # fmt: skip
    columns = {name: [value for _ in ends] for name, value in values.items()}
    named = {"sources": [a for a, _, _ in ends], "classes": [b for _, b, _ in ends], "targets": [c for _, _, c in ends]}
    lists = {"records": ["r1 r2".split() for _ in ends], "ids": [f"{i:020}" for i in range(len(ends))]}
    return {**columns, **named, **lists}


STANDS = {"version": 1, "stamp": "s", "clock": 1, "open_turn": None, "last_reply": None, "dim": ([], [])}


def test_an_association_that_lacks_an_end_is_left_out() -> None:
    parts = association_rows(("a", "gone", "?"), ("a", "first", "b"), ("?", "gone", "b"), ("b", "second", "a"))
    held = _loaded(STANDS, lambda: concept_rows("a", "b"), dict, lambda: parts, vectors=Indexed.of).associations
    assert held.ids == [f"{i:020}" for i in (1, 3)]
    assert (held.source.tolist(), held.target.tolist()) == ([0, 1], [1, 0])
    assert (held.codes, held.classes.tolist()) == ({"first": 0, "second": 1}, [0, 1])


def test_what_associations_share_is_kept_once() -> None:
    parts = association_rows(("a", "first", "b"), ("b", "second", "a"))
    said = ["t", 1, "user", "Ana", None, None, "", "episode"]
    rows = {"ids": ["r1"], "said": [said], "entries": [[]], "gists": [False], "resting": [False], "vectors": [-1]}
    rows |= {"associations": [["".join(["0" * 19, "1"])]], "concepts": [["".join("a")]]}
    held = _loaded(STANDS, lambda: concept_rows("a", "b"), lambda: rows, lambda: parts, vectors=Indexed.of)
    assert held.associations.records[0] == ("r1", "r2")
    assert held.associations.records[0] is held.associations.records[1]
    assert held.records.associations[0][0] is held.associations.ids[1]


def test_a_table_is_built_while_others_are_read() -> None:
    """Records are waited for when the concepts are there, and associations when the records are."""
    order: list[str] = []

    def vectors(rows: Sequence[Any]) -> Indexed:
        order.append("build")
        return Indexed.of(rows)

    def rows(what: str, found: dict[str, list[Any]]) -> Callable[[], dict[str, list[Any]]]:
        def read() -> dict[str, list[Any]]:
            order.append(what)
            return found

        return read

    tables = [rows("concepts", concept_rows("a")), rows("records", {}), rows("associations", association_rows())]
    _loaded(STANDS, *tables, vectors=vectors)
    assert order == ["concepts", "build", "records", "build", "associations"]


def test_words_are_read_while_the_associations_of_a_large_memory_are(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def noted(table: type[Concepts] | type[Records]) -> None:
        real = table.texts

        def texts(held: Any) -> Texts:
            order.append(f"words of {table.__name__}")
            return real(held)

        monkeypatch.setattr(table, "texts", texts)

    def rows() -> dict[str, list[Any]]:
        order.append("associations")
        return association_rows()

    noted(Concepts)
    noted(Records)
    for parts in (1, 2):
        _loaded(STANDS, lambda: concept_rows("a", "b"), dict, *[rows] * parts, vectors=Indexed.of)
    assert order == ["associations", "words of Concepts", "words of Records", "associations", "associations"]


def test_parts_of_the_associations_are_one_table() -> None:
    whole = association_rows(("a", "gone", "?"), ("a", "first", "b"), ("b", "second", "a"))
    parts = [{name: column[part] for name, column in whole.items()} for part in (slice(2), slice(2, 3), slice(3, 3))]
    rows = [partial(dict, part) for part in parts]
    held = _loaded(STANDS, lambda: concept_rows("a", "b"), dict, *rows, vectors=Indexed.of).associations
    assert (held.ids, held.at) == ([f"{i:020}" for i in (1, 2)], {f"{i:020}": i - 1 for i in (1, 2)})
    assert (held.source.tolist(), held.target.tolist()) == ([0, 1], [1, 0])
    assert (held.codes, held.classes.tolist()) == ({"first": 0, "second": 1}, [0, 1])
    assert held.adjacency.edges == 2
