"""The newest records that mention a concept: found once, kept, and brought up to date."""

from __future__ import annotations

from random import Random
from typing import Any

from oroi_graph.working_set.snapshot import empty
from oroi_graph.working_set.tables import NEWEST, Records

CONCEPTS = ("bridge", "crane", "harbour")


def row(records: list[tuple[str, int, str, list[str]]]) -> dict[str, list[Any]]:
    """Records of (id, turn, kind, concepts) as a statement hands them over; entries and notes have negative turns."""
    return {
        "ids": [id for id, *_ in records],
        "said": [[id, turn, "user", "Ana", None, None, id, kind] for id, turn, kind, _ in records],
        "entries": [[] if kind == "episode" else ["fact", "key", False, False] for _, _, kind, _ in records],
        "gists": [False] * len(records),
        "resting": [id.endswith("9") for id, *_ in records],
        "associations": [[] for _ in records],
        "concepts": [concepts for *_, concepts in records],
        "vectors": [-1] * len(records),
    }


def searched(records: Records, concept: str) -> list[str]:
    """All records, looked through."""
    places = [i for i in range(len(records.ids)) if concept in records.concepts[i] and not records.resting[i]]
    found = []
    for kind, sign in (("episode", -1), ("entry", 1), ("note", 1)):
        some = [i for i in places if records.said[i][7] == kind]
        some.sort(key=lambda i: (sign * records.said[i][1], records.ids[i]))
        found += some[:NEWEST]
    return [records.ids[i] for i in found]


def test_each_state_knows_its_own_newest_records() -> None:
    chance = Random(3)
    states: list[Records] = [empty().records]
    known: list[tuple[str, int, str, list[str]]] = []
    for step in range(40):
        last = states[-1]
        added = []
        for number in range(chance.randint(1, 6)):
            kind = chance.choice(("episode", "episode", "entry", "note"))
            turn = chance.randint(0, 30) if kind == "episode" else -2 * (step * 10 + number)
            added.append((f"r{step}-{number}{chance.randint(0, 9)}", turn, kind, chance.sample(CONCEPTS, 2)))
        if known and not step % 5:  # a known record is joined to what it mentions
            id, turn, kind, _ = chance.choice(known)
            added.append((id, turn, kind, list(CONCEPTS)))
        known += added
        states.append(last.updated(row(added)))
        for state in (states[-1], chance.choice(states)):
            for concept in chance.sample(CONCEPTS, 2):
                assert [state.ids[place] for place in state.newest_of(concept)] == searched(state, concept)
    assert len(searched(states[-1], "crane")) == 3 * NEWEST


def test_what_was_looked_through_is_not_looked_through_again() -> None:
    first = empty().records.updated(row([(f"a{i}", i, "episode", ["crane"]) for i in range(100)]))
    first.newest_of("crane")
    second = first.updated(row([("b1", 7, "episode", ["crane"])]))
    assert second.newest["crane"][0] == 100
    second.newest_of("crane")
    assert second.newest["crane"][0] == 101
    assert [first.ids[place] for place in first.newest_of("crane")] == ["a98", "a97", "a96", "a95"]
