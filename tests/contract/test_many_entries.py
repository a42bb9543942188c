"""Keys with many entries: a process that just came reads what a new entry is compared with, and decides the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from contracts import AUTHORS, Shared, shared_memory

from oroi_graph import Graph
from oroi_graph.contract.entry import EntryRefusedError, Outcome
from oroi_graph.contract.intake import decision, standing, transaction
from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.storage.store import Store, Transaction

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
    return MemoryContract(graph.sets, shared.name, graph.embedder, graph.question_extractor)


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
    """In pages, before the key is locked, and each entry once; whoever writes many reads it at once."""
    asked: list[tuple[str, int]] = []
    run = Transaction.run

    def noted(self: Transaction, statement: str, **parameters: Any) -> Any:
        found = run(self, statement, **parameters)
        some = found[0]["entries"] if statement in ("contract/page_of_key", "contract/near_key") else []
        asked.append((statement, len(some)))
        return found

    for name, value in {"READ": 5, "PAGE": 4, "UNSETTLED": 2}.items():
        monkeypatch.setattr(standing, name, value)
    with shared_memory(own) as shared:
        list(shared.contract.write_all([shared.entry("claude", "risk", f"Risk {i} is high.") for i in range(10)]))
        told = []
        for alone in (True, False):
            written = len(shared.contract.read(history=True).items)
            shared.contract = newcomer(shared)
            monkeypatch.setattr(Transaction, "run", noted)
            some = [shared.entry("kimi", "risk", f"Risk {i} is {alone}.") for i in range(5)]
            if alone:
                told += [shared.contract.write(one) for one in some]
            else:
                told += shared.contract.write_all(some)
            monkeypatch.setattr(Transaction, "run", run)
            statements = [name for name, _ in asked]
            assert statements.count("contract/near_key") == (standing.FIRST if alone else 0)
            pages = [count for name, count in asked if name == "contract/page_of_key"]
            assert max(pages) == standing.PAGE
            assert written - standing.UNSETTLED <= sum(pages) <= written + 2 * standing.FIRST
            asked.clear()
        assert shared.contract.verify().valid
    assert all(isinstance(one, Outcome) for one in told)


def test_whoever_reads_the_key_decides_as_who_was_there(own: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same script, each entry by a process that has to read all of the key in pages."""
    told = []
    for most in (10**6, 5):
        for name, value in {"READ": most, "PAGE": 3, "UNSETTLED": 4, "FIRST": 0}.items():
            monkeypatch.setattr(standing, name, value)
        with shared_memory(own) as shared:
            told.append(write_all(shared, 5, anew=most == 5))
    assert told[0].outcomes == told[1].outcomes


def test_an_erasure_while_a_key_is_read_is_noticed(own: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before is dropped, and read again without what was erased."""
    for name, value in {"READ": 3, "PAGE": 2, "UNSETTLED": 0, "FIRST": 0}.items():
        monkeypatch.setattr(standing, name, value)
    with shared_memory(own) as shared:
        first = shared.write("claude", "risk", "Risk zero is high.").entry
        list(shared.contract.write_all([shared.entry("claude", "risk", f"Risk {i} is high.") for i in range(8)]))
        shared.contract = newcomer(shared)
        one = Store.one
        pages = []

        def erasing(self: Store, statement: str, **parameters: Any) -> Any:
            if statement == "contract/page_of_key":
                pages.append(parameters["after"])
                if len(pages) == 3:
                    shared.contract.erase([first.id], by="Ana")
            return one(self, statement, **parameters)

        monkeypatch.setattr(Store, "one", erasing)
        again = shared.write("kimi", "risk", "Risk zero is high.")
        monkeypatch.setattr(Store, "one", one)
        assert again.outcome != "equivalent"
        assert pages.count(0) >= 4  # the end of the chain and the first page, twice
        assert shared.contract.verify().valid
