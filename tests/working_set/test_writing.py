"""What a write makes of the working set: kept once it is committed, never before, and only if it is the truth."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from graph_state import everything_of
from graph_view import NOON, activations, association, concepts, counter, edit, own_memory, rows, stating, tell
from neo4j.exceptions import TransientError
from working_sets import content

from oroi_graph import Graph, InputError, Memory, MemoryNotFoundError, OfflineExtractor
from oroi_graph.storage.store import Transaction
from oroi_graph.working_set import transactions
from oroi_graph.working_set.kept import CALM
from oroi_graph.working_set.snapshot import load
from oroi_graph.working_set.transactions import OutrunError, Writing, stands_at

CHESS = stating(("I", "plays", "chess"))


@pytest.fixture
def club(memory: Memory) -> Memory:
    """A memory with one fact, whose graph keeps its working set."""
    tell(memory, "I play chess.", CHESS)
    return memory


def elsewhere(memory: Memory) -> Memory:
    """The same memory in another graph, as in another process."""
    graph = Graph(memory.graph.store, memory.graph.embedder, OfflineExtractor(), memory.graph.options)
    return graph.memory(memory.name)


def check(memory: Memory) -> None:
    """What is kept is what would be loaded."""
    held = memory.graph.sets.read(memory.name, lambda tx: tx.held)
    loaded = memory.graph.store.read(lambda tx: load(tx, memory.name, stands_at(tx, memory.name, None)))
    assert content(held) == content(loaded)


def weight(memory: Memory) -> float:
    return float(association(memory, "Ana", "chess")["weight"])


def test_what_a_process_writes_it_does_not_read_again(club: Memory) -> None:
    mine = elsewhere(club)
    tell(mine, "I play chess again.", CHESS)
    before = mine.graph.stats()
    turn = mine.perceive("Chess in Bilbao.", speaker="Ana", at=NOON, extraction=stating(names=["Bilbao"]))
    mine.recall("Who plays chess?", at=NOON)
    check(mine)
    turn.close("A nice town for it.")
    mine.recall("Who plays chess?", at=NOON)
    check(mine)
    after = mine.graph.stats()
    assert (after.loads, after.updates, after.fresh) == (before.loads, 0, before.fresh + 4)


def test_what_is_dim_is_lit_for_other_processes_too(graph: Graph) -> None:
    """Of many neighbours each gets too little to outlast the turn. No node is written for them."""
    first, second = "red green grey white black".split(), "round flat small heavy wet dry".split()
    stones = [f"{a} {b}" for a in first for b in second]
    with own_memory(graph) as memory:
        tell(memory, "A beach.", stating(*(("sun", "warms", f"{name} stone") for name in stones)))
        for _ in range(20):
            tell(memory, "…", stating())
        assert activations(memory) == {}
        turn = memory.perceive("The sun.", speaker="Ana", at=NOON, extraction=stating(concepts=["sun"]))
        held = elsewhere(memory).graph.sets.read(memory.name, lambda tx: tx.held)
        dim = {held.concepts.labels[held.concepts.at[id]] for id in held.concepts.dim}
        assert dim
        assert dim < set(activations(memory))
        stored = rows(memory, "MATCH (c:Concept {memory: $memory}) WHERE c.activation > 0 RETURN c.label AS label")
        assert {row["label"] for row in stored} == set(activations(memory)) - dim
        check(memory)
        turn.close()
        assert activations(memory).keys().isdisjoint(dim)
        check(memory)


def test_a_foreign_writer_is_seen_under_the_lock(club: Memory) -> None:
    """Weights are computed in the process: from what another one wrote just now, or a repetition would be lost."""
    mine, other = elsewhere(club), elsewhere(club)
    tell(mine, "I play chess.", CHESS)
    tell(other, "I play chess.", CHESS)
    tell(mine, "I play chess.", CHESS)
    assert association(club, "Ana", "chess")["count"] == 4
    with own_memory(club.graph) as alone:
        for _ in range(4):
            tell(alone, "I play chess.", CHESS)
        assert weight(club) == pytest.approx(weight(alone), abs=1e-12)
    assert mine.graph.stats().loads == 2, "what was just loaded is taken for fresh, once"
    tell(other, "I play chess.", CHESS)
    tell(mine, "I play chess.", CHESS)
    assert (mine.graph.stats().loads, mine.graph.stats().updates) == (2, 1), "who was disturbed looks first"
    assert association(club, "Ana", "chess")["count"] == 6
    check(mine)
    check(other)


def test_a_write_that_does_not_check_is_stale(club: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above sees a version check that is left out."""
    mine, other = elsewhere(club), elsewhere(club)
    for memory in (mine, other, mine, other):  # after the third one `mine` knows that it is not alone
        tell(memory, "I play chess.", CHESS)
    right = weight(club)
    monkeypatch.setattr(transactions, "is_current", lambda held, stands: True)
    tell(mine, "…", CHESS)
    with own_memory(club.graph) as alone:
        for _ in range(6):
            tell(alone, "I play chess.", CHESS)
        assert weight(alone) > right
        assert weight(club) < weight(alone) - 0.1


def test_more_than_a_set_can_catch_up_with_is_loaded(club: Memory) -> None:
    mine = elsewhere(club)
    tell(mine, "I play chess.", CHESS)
    edit(club, "MATCH (c:Concept {memory: $memory, label: 'chess'}) SET c.mentions = 40")
    tell(mine, "I play chess.", CHESS)
    assert rows(club, "MATCH (c:Concept {memory: $memory, label: 'chess'}) RETURN c.mentions AS n") == [{"n": 41}]
    assert mine.graph.stats().loads == 2
    check(mine)


def test_a_failed_commit_leaves_nothing(club: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = elsewhere(club)
    tell(mine, "I play chess.", CHESS)
    before = everything_of(club.graph.store, club.name)

    def failing(self: Transaction) -> None:
        raise InputError("the connection is gone")

    with monkeypatch.context() as patched:
        patched.setattr(Transaction, "raise_versions", failing)
        with pytest.raises(InputError):
            mine.perceive("I met Marta.", speaker="Ana", at=NOON, extraction=stating(("I", "met", "Marta")))
    assert everything_of(club.graph.store, club.name) == before
    check(mine)
    tell(mine, "I met Iker.", stating(("I", "met", "Iker")))
    tell(mine, "I met Marta.", stating(("I", "met", "Marta")))
    check(mine)


def test_a_transaction_that_is_tried_again_begins_with_a_clean_set(
    club: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver repeats the work after a transient error; what the first try left in the tables must not be found."""
    mine = elsewhere(club)
    tell(mine, "I play chess.", CHESS)
    real, tries = Transaction.raise_versions, []

    def failing(self: Transaction) -> None:
        tries.append(1)
        if len(tries) == 1:
            raise TransientError("deadlock")
        real(self)

    with monkeypatch.context() as patched:
        patched.setattr(Transaction, "raise_versions", failing)
        tell(mine, "I met Marta.", stating(("I", "met", "Marta")))
    assert len(tries) > 1
    assert association(mine, "Ana", "Marta")["count"] == 1
    check(mine)


def test_what_is_written_in_other_ways_costs_the_set_its_life(club: Memory) -> None:
    sets = club.graph.sets

    def by_hand(tx: Writing) -> None:
        tx.open(
            "activation/begin_close", turn_id="x", record_id=None, reply_id=None, tombstone=None, reply_tombstone=None
        )
        tx.run("storage/raise_version", memory=club.name, kept=16, marks=None)
        tx.run("perception/write_turn", memory=club.name, **_EMPTY)

    before = club.graph.stats().loads
    sets.write(club.name, by_hand)
    club.recall("Who plays chess?", at=NOON)
    assert club.graph.stats().loads == before + 1
    check(club)


_EMPTY: dict[str, Any] = {
    "opens": False, "record": {"id": "by hand", "text": "…", "turn": 1, "role": "user"}, "amended": {}, "vector": None,
    "concepts": [], "turn": 1, "created": [], "repeated": [], "superseded": [], "contested": [], "reply": None,
    "taken_up": [], "pairs": [], "activation": [], "dim": [], "presumed": False, "stamp": None, "tombstone": None,
    "ended": None,
}  # fmt: skip


def test_only_the_last_attempt_loads_under_the_lock(club: Memory) -> None:
    held = elsewhere(club).graph.sets.read(club.name, lambda tx: tx.held)
    edit(club, "MATCH (c:Concept {memory: $memory, label: 'chess'}) SET c.mentions = 40")

    def opened(tx: Transaction, whole: bool) -> int:
        writing = Writing(tx, club.name, held, whole=whole)
        writing.open(
            "activation/begin_close", turn_id="x", record_id=None, reply_id=None, tombstone=None, reply_tombstone=None
        )
        return int(writing.held.concepts.mentions.max())

    with pytest.raises(OutrunError):
        club.graph.store.write(lambda tx: opened(tx, False))
    assert club.graph.store.write(lambda tx: opened(tx, True)) == 40


@pytest.fixture
def calm(club: Memory) -> Memory:
    """The memory in a process that wrote it often, and found nobody else's changes."""
    mine = elsewhere(club)
    for number in range(CALM):
        tell(mine, f"Game {number}.", CHESS, id=f"game-{number}")
    return mine


def test_who_is_not_disturbed_sends_one_statement(calm: Memory) -> None:
    """The set is taken for fresh, and the statement that writes makes sure; what comes of it is the same."""
    sent = counter(calm)
    turn = calm.perceive("I met Marta.", speaker="Ana", at=NOON, extraction=stating(("I", "met", "Marta")))
    assert sent() == 1
    turn.close("Marta?")
    assert sent() == 2
    sent = counter(calm)
    calm.perceive("She is well.", speaker="Ana", at=NOON, id="left open", extraction=stating())
    assert sent() == 1
    calm.perceive("Marta plays chess.", speaker="Ana", at=NOON, extraction=stating(("Marta", "plays", "chess"))).close()
    assert sent() == 3  # the first one ends the turn before, too
    check(calm)
    with own_memory(calm.graph) as alone:
        tell(alone, "I play chess.", CHESS)
        for number in range(CALM):
            tell(elsewhere(alone), f"Game {number}.", CHESS, id=f"game-{number}")
        said = {"speaker": "Ana", "at": NOON}
        elsewhere(alone).perceive("I met Marta.", extraction=stating(("I", "met", "Marta")), **said).close("Marta?")
        elsewhere(alone).perceive("She is well.", extraction=stating(), id="left open", **said)
        elsewhere(alone).perceive("Marta plays chess.", extraction=stating(("Marta", "plays", "chess")), **said).close()
        for source, target in (("Ana", "chess"), ("Ana", "Marta"), ("Marta", "chess")):
            mine, theirs = association(calm, source, target), association(alone, source, target)
            for name in ("weight", "count", "first_turn", "last_turn"):
                assert mine[name] == pytest.approx(theirs[name], abs=1e-12)
        lit, alike = concepts(calm), concepts(alone)
        for label in ("Ana", "chess", "Marta"):
            for name in ("activation", "exposure", "strength", "mentions"):
                assert lit[label][name] == pytest.approx(alike[label][name], abs=1e-12), (label, name)
        turns = "MATCH (m:Memory {name: $memory}) RETURN m.turn AS n, m.last_reply AS reply, m.open_turn AS open"
        assert rows(calm, turns) == rows(alone, turns)


def strengths(memory: Memory) -> dict[str, float]:
    """The strength of each concept by label."""
    return {label: found["strength"] for label, found in concepts(memory).items()}


def test_an_end_that_comes_late_sends_one_statement(calm: Memory) -> None:
    """Two talks in one memory: a turn that the other talk ended gets its reply, its effect, and no second end."""
    said: dict[str, Any] = {"speaker": "Ana", "at": NOON}
    first = calm.perceive("I play chess.", extraction=CHESS, **said)
    second = calm.perceive("I met Marta.", extraction=stating(("I", "met", "Marta")), **said)
    strength = strengths(calm)
    injected = [concepts(calm)["chess"]["id"]]
    sent = counter(calm)
    first.close("With whom?", injected=injected)
    assert sent() == 1
    check(calm)
    first.close("With whom?", injected=injected)
    first.close(injected=injected)
    check(calm)
    testing = calm.graph.options.dynamics.testing
    after = strengths(calm)
    gained = testing * (1 - strength["chess"])
    assert after == pytest.approx(strength | {"chess": strength["chess"] + gained}, abs=1e-12)
    replies = "MATCH (r:Record {memory: $memory, text: $text}) RETURN r.turn AS turn, r.role AS role"
    assert rows(calm, replies, text="With whom?") == [{"turn": first.number, "role": "assistant"}]
    assert rows(calm, "MATCH (m:Memory {name: $memory}) RETURN m.turn AS n, m.open_turn AS open") == [
        {"n": first.number, "open": second.id}
    ]


def test_an_end_that_came_late_from_elsewhere_is_not_taken_twice(calm: Memory) -> None:
    said: dict[str, Any] = {"speaker": "Ana", "at": NOON}
    first = calm.perceive("I play chess.", extraction=CHESS, **said)
    calm.perceive("I met Marta.", extraction=stating(("I", "met", "Marta")), **said)
    injected = [concepts(calm)["chess"]["id"]]
    elsewhere(calm).turn(first.id).close("With whom?", injected=injected)
    before = strengths(calm)
    first.close("Against whom?", injected=injected)
    assert strengths(calm) == before
    check(calm)


def test_what_was_taken_for_fresh_and_is_not_is_written_anew(calm: Memory) -> None:
    tell(elsewhere(calm), "I play chess.", CHESS)
    before = calm.graph.stats().loads
    turn = calm.perceive("I play chess.", speaker="Ana", at=NOON, extraction=CHESS)
    assert turn.number == CALM + 3
    assert association(calm, "Ana", "chess")["count"] == CALM + 3
    assert calm.graph.stats().loads == before + 1
    check(calm)
    elsewhere(calm).perceive("Another.", speaker="Ana", at=NOON, extraction=stating())  # which closes the turn
    turn.close("Who won?")
    check(calm)
    assert rows(calm, "MATCH (m:Memory {name: $memory}) RETURN m.turn AS n") == [{"n": CALM + 3}]
    replies = "MATCH (r:Record {memory: $memory, role: 'assistant'}) RETURN r.turn AS turn, r.text AS text"
    assert rows(calm, replies) == [{"turn": CALM + 3, "text": "Who won?"}]


def test_a_check_of_what_is_taken_for_fresh_that_is_left_out_is_seen(
    calm: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the stamp, the statement writes what was computed from a state that is no more."""
    tell(elsewhere(calm), "I play chess.", CHESS)
    real = Transaction.change
    monkeypatch.setattr(
        Transaction, "change", lambda self, *given, **named: real(self, *given, **named | {"presumed": False})
    )
    assert calm.perceive("I play chess.", speaker="Ana", at=NOON, extraction=CHESS).number == CALM + 2  # taken twice


def test_what_only_the_database_knows_is_looked_up(calm: Memory) -> None:
    """A turn that was said, or forgotten, is not written again; the reply to a request to forget is kept as a note."""
    said: dict[str, Any] = {"speaker": "Ana", "at": NOON}
    again = calm.perceive("Game 1.", id="game-1", extraction=CHESS, **said)
    assert (again.number, again.opened.repeated) == (3, True)
    assert calm.forget_turns(["game-1"])
    for number in range(CALM + 1):
        tell(calm, f"Match {number}.", CHESS)
    again = calm.perceive("Game 1.", id="game-1", extraction=CHESS, **said)
    assert (again.number, again.opened.gone) == (None, True)
    check(calm)
    for number in range(CALM + 1):
        tell(calm, f"Party {number}.", CHESS)
    asked = calm.perceive("Forget Bilbao.", extraction=stating(forget="Bilbao"), **said)
    assert (asked.opened.forgotten, asked.opened.forgettings) == (None, 1)
    calm.perceive("Forget chess.", extraction=stating(forget="chess"), **said).close("Chess is forgotten.")
    texts = rows(calm, "MATCH (r:Record {memory: $memory}) WHERE r.text CONTAINS 'orgotten' RETURN r.text AS text")
    assert texts == []
    check(calm)


def test_a_memory_that_is_deleted_meanwhile_is_missed(calm: Memory) -> None:
    elsewhere(calm).graph.delete(calm.name)
    with pytest.raises(MemoryNotFoundError):
        calm.perceive("I play chess.", speaker="Ana", at=NOON, extraction=CHESS)
    turn = calm.graph.memory(calm.name).perceive("I play chess.", speaker="Ana", at=NOON, extraction=CHESS)
    assert turn.number == 1


def test_many_writers_of_one_process_and_others(club: Memory) -> None:
    """Threads of one graph, and of another: every turn has a number of its own, and what is kept is the truth."""
    mine, other = elsewhere(club), elsewhere(club)

    def speak(number: int) -> int | None:
        memory = (mine, mine, other)[number % 3]
        turn = memory.perceive(
            f"I met person {number}.", speaker="Ana", id=f"t{number}", at=NOON,
            extraction=stating(("I", "met", f"Person {number % 7}")),
        )  # fmt: skip
        memory.recall("Whom did I meet?", at=NOON)
        turn.close(f"Person {number % 7}?")
        return turn.number

    with ThreadPoolExecutor(6) as pool:
        numbers = list(pool.map(speak, range(30)))
    assert None not in numbers
    counts = rows(club, "MATCH (:Concept {memory: $memory})-[a:ASSOCIATED {relation: 'met'}]->() RETURN a.count AS n")
    assert sum(row["n"] for row in counts) == 30
    check(mine)
    check(other)
