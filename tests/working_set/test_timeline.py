"""Records by their times, and associations by their dates, as slow scans of the same tables find them."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from oroi_graph.working_set.candidates import said_between
from oroi_graph.working_set.snapshot import empty
from oroi_graph.working_set.tables import NO_ASSOCIATIONS, Records

SPANS = (("2026-03-02", "2026-03-09"), ("2026-04-01", "2026-05-01"), ("0001-01-01", "9999-99-99"))


def row(records: list[tuple[str, str, str | None]]) -> dict[str, list[Any]]:
    """Records of (id, role, time) as a statement hands them over; entries and notes have negative turns."""
    spoken = ("user", "assistant")
    return {
        "ids": [id for id, *_ in records],
        "said": [
            [id, int(id[1:]) if role in spoken else -int(id[1:]), role, "Ana", None, at, id, "episode"]
            for id, role, at in records
        ],
        "entries": [[] if role in spoken else ["notes.md", 1, 2] for _, role, _ in records],
        "gists": [False] * len(records),
        "resting": [id.endswith("9") for id, *_ in records],
        "associations": [[] for _ in records],
        "concepts": [[] for _ in records],
        "vectors": [-1] * len(records),
    }


def searched(records: Records, first: str, after: str) -> set[str]:
    """All records, looked through."""
    return {
        id for id, said in zip(records.ids, records.said, strict=True) if id and said[5] and first <= said[5] < after
    }


def test_each_state_knows_what_was_said_when() -> None:
    chance = Random(7)
    states, number = [empty().records], 0
    for step in range(40):
        added = []
        for _ in range(chance.randint(1, 5)):
            number += 1
            at = f"2026-{chance.randint(1, 6):02d}-{chance.randint(1, 28):02d}T10:00:00+0{chance.randint(0, 9)}:00"
            role = chance.choice(("user", "assistant", "note"))
            added.append((f"r{number}", role, None if number % 7 == 0 else at))
        state = states[-1].updated(row(added))
        if step % 6 == 5:  # some are forgotten
            state = state.without(chance.sample([id for id in state.ids if id], 2))
        states.append(state)
        for one in (states[-1], chance.choice(states)):  # readers of earlier states come in between
            for first, after in SPANS:
                places = one.between(first, after)
                assert {one.ids[place] for place in places} == searched(one, first, after)
                assert [one.said[place][5] for place in places] == sorted(one.said[place][5] for place in places)


def test_what_was_said_comes_in_the_order_of_the_conversation() -> None:
    at = "2026-03-02T10:00:00+00:00"
    records = [
        ("r5", "note", at),
        ("r3", "user", "2026-04-02T10:00:00+00:00"),
        ("r1", "user", at),
        ("r2", "assistant", at),
    ]
    held = replace(empty(), records=empty().records.updated(row(records)))
    ids = [held.records.ids[place] for place in said_between(held, SPANS[:2], None)]
    assert ids == ["r1", "r2", "r3", "r5"]
    noted = said_between(held, SPANS[:2], lambda session, speaker, at, kind: at is not None and at >= "2026-04")
    assert [held.records.ids[place] for place in noted] == ["r3"]


def test_what_is_dated_is_found_by_the_beginning_of_its_date() -> None:
    concepts = {
        "ids": ["a", "b"], "labels": ["a", "b"], "keys": ["a", "b"], "kinds": ["concept"] * 2, "aliases": [[], []],
        "mentions": [1, 1], "strength": [0.0, 0.0], "vectors": [-1, -1],
    }  # fmt: skip
    times = ["2026-03", "2026-03-05/2026-03-09", "", "2025", "--03", "2026-03-02", "2026-04-01", "0999-05"]
    n = len(times)
    given: dict[str, list[Any]] = {
        **{name: ["x"] * n for name in NO_ASSOCIATIONS},
        "ids": list("ABCDEFGH"), "sources": ["a"] * n, "targets": ["b"] * n, "weights": [1.0] * n,
        "implied": [False] * n, "confidences": [1.0] * n, "first_turns": [1] * n, "last_turns": [1] * n,
        "superseded": [id == "F" for id in "ABCDEFGH"], "times": times, "records": [[]] * n,
    }  # fmt: skip
    held = empty()
    table = held.associations.updated(given, held.concepts.updated(concepts))
    assert [table.ids[place] for place in table.dated("2025", "2026-03-31~")] == ["A", "B", "D"]
    assert [table.ids[place] for place in table.dated("0001", "1000-01-01~")] == ["H"]
    later = table.updated(
        {name: values[:1] for name, values in given.items()} | {"times": ["2031"]}, held.concepts.updated(concepts)
    )
    assert [later.ids[place] for place in later.dated("2025", "2026-03-31~")] == ["B", "D"]
    assert later.years.dtype == np.int16
