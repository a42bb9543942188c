"""Keys with many entries: a process that just came reads what a new entry is compared with, and decides the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from contracts import AUTHORS, Shared, shared_memory

from oroi_graph import Graph
from oroi_graph.contract.entry import EntryRefusedError
from oroi_graph.contract.intake import decision, standing, transaction
from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.storage.store import Transaction

PLACES = ("Bilbao", "Irun", "Gernika")
THINGS = ("bridge", "archive", "harbour", "library")
STATES = ("was inspected", "is closed", "costs {n} euros", "needs {n} workers", "is praised by everybody")
STEPS = 40


@dataclass(frozen=True, slots=True)
class Step:
    """One write. names: places of earlier entries to name as parents; parties: with all opponents of theirs."""

    author: str
    value: str
    type: str = "fact"
    names: tuple[int, ...] = ()
    parties: bool = False


@dataclass(slots=True)
class Told:
    """What came of a series of writes, with places instead of ids."""

    ids: list[str] = field(default_factory=list)
    outcomes: list[object] = field(default_factory=list)

    def place(self, id: str) -> int:
        return self.ids.index(id)


def script(seed: int) -> Iterator[Step]:
    """News, repetitions, corrections, settlements and remarks."""
    chance = random.Random(seed)
    said: list[str] = []
    for number in range(STEPS):
        author, kind = chance.choice(AUTHORS), chance.random()
        thing, place, state = chance.choice(THINGS), chance.choice(PLACES), chance.choice(STATES)
        value = f"The {thing} of {place} {state.format(n=chance.randint(2, 5))}."
        names = tuple(chance.sample(range(number), min(number, chance.choice((1, 1, 2)))))
        if kind < 0.12 and said:
            yield Step(author, chance.choice(said).upper())
        elif kind < 0.32:
            yield Step(author, value, names=names, parties=chance.random() < 0.6)
        elif kind < 0.4:
            yield Step(author, f"Look at the {thing}.", type="flag")
        else:
            said.append(value)
            yield Step(author, value)


def newcomer(shared: Shared) -> MemoryContract:
    """The contract as a process sees it that has read nothing yet."""
    graph = shared.graph
    return MemoryContract(graph.store, shared.name, graph.embedder, graph.reader)


def write_all(shared: Shared, seed: int, *, anew: bool) -> Told:
    """Write the script. anew: each entry as a process of its own would."""
    told = Told()
    for step in script(seed):
        if anew:
            shared.contract = newcomer(shared)
        parents = [told.ids[i] for i in step.names if i < len(told.ids)]
        if step.parties:
            sides = [{one.id for one in dispute.entries} for dispute in shared.contract.conflicts()]
            parents = sorted({*parents, *(id for some in sides if some & {*parents} for id in some)}, key=told.place)
        more: dict[str, Any] = {"entry_type": step.type} | ({"parent_entry_id": parents} if parents else {})
        try:
            found = shared.write(step.author, "decision", step.value, **more)
        except EntryRefusedError as error:
            told.outcomes.append(["refused", [one.pointer for one in error.problems]])
            continue
        for entry in (found.entry, *found.generated):
            if entry.id not in told.ids:
                told.ids.append(entry.id)
        about = [(*one.covers, *one.parent_entry_ids) for one in found.generated]
        told.outcomes.append(
            {
                "outcome": found.outcome,
                "entry": (told.place(found.entry.id), found.entry.seq),
                "generated": [(one.entry_type, one.confidence_score) for one in found.generated],
                "about": [[told.place(id) for id in ids] for ids in about],
                "conflicts": [(told.place(one.id), one.relation, one.reason) for one in found.conflicts],
                "drift": found.drift is not None,
            }
        )
    return told


def test_a_part_of_a_key_decides_as_the_whole(own: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision, "COMPARED", 3)
    for name, value in {"COMPARED": 3, "RECENT": 16, "SIGNAL": 15, "MARGIN": 1}.items():
        monkeypatch.setattr(transaction, name, value)
    monkeypatch.setattr(standing, "FIRST", 10**6)
    told = []
    for most in (10**6, 0):
        monkeypatch.setattr(standing, "READ", most)
        with shared_memory(own) as shared:
            told.append(write_all(shared, 3, anew=most == 0))
            assert shared.contract.verify().valid
    whole, part = (one.outcomes for one in told)
    kinds = {one["outcome"] for one in whole if isinstance(one, dict)}
    assert kinds >= {"inserted", "equivalent", "compatible", "contradiction"}
    assert part == whole


def test_the_third_write_of_a_process_reads_the_key(own: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    run = Transaction.run

    def noted(self: Transaction, statement: str, **parameters: Any) -> Any:
        asked.append(statement)
        return run(self, statement, **parameters)

    monkeypatch.setattr(standing, "READ", 5)
    with shared_memory(own) as shared:
        list(shared.contract.write_all([shared.entry("claude", "risk", f"Risk {i} is high.") for i in range(8)]))
        shared.contract = newcomer(shared)
        monkeypatch.setattr(Transaction, "run", noted)
        for i in range(8, 13):
            shared.write("kimi", "risk", f"Risk {i} is high.")
        monkeypatch.undo()
    assert asked.count("contract/near_key") == standing.FIRST
