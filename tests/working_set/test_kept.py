"""Nothing stale is served, nothing of another memory, whoever writes when; and what it costs to keep up."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from graph_view import NOON, edit, own_memory, stating, tell
from tables import table
from working_sets import content

from oroi_graph import Filters, Graph, InputError, Memory, OfflineExtractor, ProviderError, ScriptedExtractor
from oroi_graph.errors import UnreachableError
from oroi_graph.storage.changes import KEPT, Touched, read_marks
from oroi_graph.storage.rows import new_concept
from oroi_graph.storage.store import Row, Store, Transaction, written_vector
from oroi_graph.working_set import kept, snapshot, transactions
from oroi_graph.working_set.kept import WorkingSets
from oroi_graph.working_set.rows import concept_columns, nothing
from oroi_graph.working_set.snapshot import Snapshot, load, load_small
from oroi_graph.working_set.transactions import Reading, Writing
from oroi_graph.working_set.vectors import Indexed, Matrix, unit

QUESTION = "Where does Marta work?"


@pytest.fixture
def office(memory: Memory) -> Memory:
    """A memory with one fact, opened by a graph with working sets of its own."""
    tell(memory, "Marta works at Iberdata.", stating(("Marta", "works at", "Iberdata"), names=["Marta", "Iberdata"]))
    return elsewhere(memory)


def elsewhere(memory: Memory, **given: Any) -> Memory:
    """The same memory in another graph, as in another process."""
    graph = Graph(memory.graph.store, memory.graph.embedder, OfflineExtractor(), **given)
    return graph.memory(memory.name)


def moves(memory: Memory, to: str) -> None:
    """Marta changes her employer."""
    tell(memory, f"Marta works at {to}.", stating(("Marta", "works at", to), names=["Marta", to]))


def employers(memory: Memory) -> set[str]:
    return {fact.target for fact in memory.recall(QUESTION, speaker="Ana", at=NOON).facts if fact.current}


def test_a_foreign_turn_is_seen(office: Memory) -> None:
    assert employers(office) == {"Iberdata"}
    moves(elsewhere(office), "Zenith")
    assert employers(office) == {"Zenith"}
    stats = office.graph.stats()
    assert (stats.loads, stats.updates) == (1, 1)


def test_a_set_that_is_not_checked_is_stale(office: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the check is for: without it, an old answer comes back."""
    assert employers(office) == {"Iberdata"}
    monkeypatch.setattr(transactions, "is_current", lambda held, stands: True)
    moves(elsewhere(office), "Zenith")
    assert employers(office) == {"Iberdata"}
    monkeypatch.undo()
    assert employers(office) == {"Zenith"}


def test_a_writer_between_check_and_use(office: Memory) -> None:
    """The answer is that of the check; the next one sees the writer."""
    sets = office.graph.sets

    def use(tx: Reading) -> list[str]:
        tx.prove()
        moves(elsewhere(office), "Zenith")
        return list(tx.held.concepts.labels)

    employers(office)
    assert "Zenith" not in sets.read(office.name, use)
    assert "Zenith" in sets.read(office.name, lambda tx: tx.held.concepts.labels)


def test_a_reading_outrun_by_its_own_process_reads_what_that_kept(
    office: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It neither waits for the memory's lock nor brings anything up to date."""
    employers(office)
    store, runs = office.graph.store, 0

    def outrun(work: Callable[[Transaction], Row]) -> Future[Row]:
        monkeypatch.undo()
        moves(office, "Zenith")
        return store.ahead(work)

    def use(tx: Reading) -> list[str]:
        nonlocal runs
        runs += 1
        tx.prove()
        return list(tx.held.concepts.labels)

    monkeypatch.setattr(store, "ahead", outrun)
    before = office.graph.stats()
    assert "Zenith" in office.graph.sets.read(office.name, use)
    after = office.graph.stats()
    assert runs == 2
    assert (after.fresh - before.fresh, after.updates, after.loads) == (1, before.updates, before.loads)


class Late:
    """Where a memory stands, on its way as long as nobody waits for it."""

    def __init__(self, stands: Row) -> None:
        self.stands, self.waited_for = stands, False

    def done(self) -> bool:
        return self.waited_for

    def result(self) -> Row:
        self.waited_for = True
        return self.stands


def test_what_a_reading_computes_meanwhile_is_thrown_away_if_the_set_was_behind(
    office: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    employers(office)
    moves(elsewhere(office), "Zenith")
    store = office.graph.store
    asked: list[Late] = []
    ahead = store.ahead

    def late(work: Callable[[Transaction], Row]) -> Late:
        asked.append(Late(ahead(work).result()))
        return asked[-1]

    monkeypatch.setattr(store, "ahead", late)
    seen: list[tuple[bool, bool]] = []

    def use(tx: Reading) -> set[str]:
        tx.prove_if_known()  # neither waits nor raises while the answer is on its way
        labels = set(tx.held.concepts.labels)
        seen.append((asked[0].waited_for, "Zenith" in labels))
        return labels

    assert "Zenith" in office.graph.sets.read(office.name, use)
    assert seen == [(False, False), (True, True)]


def test_a_set_that_is_known_to_be_behind_is_not_computed_with(office: Memory) -> None:
    employers(office)
    moves(elsewhere(office), "Zenith")
    computed: list[bool] = []

    def use(tx: Reading) -> None:
        if tx._stands is not None:
            tx._stands.result()
        tx.prove_if_known()
        computed.append("Zenith" in tx.held.concepts.labels)

    office.graph.sets.read(office.name, use)
    assert computed == [True]


def test_a_server_that_is_away_fails_a_reading_that_asks_it_nothing(
    office: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was computed meanwhile is not returned: nobody knows whether it is so."""
    employers(office)
    store = office.graph.store

    def away(work: Callable[[Transaction], Row]) -> Future[Row]:
        future: Future[Row] = Future()
        future.set_exception(UnreachableError(store.uri, "away"))
        return future

    monkeypatch.setattr(store, "ahead", away)
    with pytest.raises(UnreachableError):
        office.graph.sets.read(office.name, lambda tx: len(tx.held.concepts.ids))


def test_a_recall_sends_one_statement(office: Memory) -> None:
    """The search by words proves the working set fresh."""
    employers(office)
    before = office.graph.store.sent
    employers(office)
    assert office.graph.store.sent == before + 1


@table("statement", ["none", "another"])
def test_what_a_work_computed_from_a_stale_set_is_not_returned(office: Memory, statement: str) -> None:
    employers(office)
    moves(elsewhere(office), "Zenith")

    def use(tx: Reading) -> list[str]:
        labels = list(tx.held.concepts.labels)
        if statement == "another":
            tx.run("working_set/sizes", memory=office.name)
        return labels

    assert "Zenith" in office.graph.sets.read(office.name, use)


def test_an_error_that_comes_of_a_stale_set_is_not_raised(office: Memory) -> None:
    employers(office)
    moves(elsewhere(office), "Zenith")

    def use(tx: Reading) -> str:
        if "Zenith" not in tx.held.concepts.labels:
            raise InputError("no such employer")
        return "Zenith"

    assert office.graph.sets.read(office.name, use) == "Zenith"


def test_a_writer_that_has_not_committed_is_waited_for(office: Memory) -> None:
    """A set is brought up to date under the memory's lock: never from a part of what is being committed."""
    employers(office)
    store, entered, leave = office.graph.store, threading.Event(), threading.Event()

    def slow(tx: Transaction) -> None:
        tx.run("consolidation/lock_memory", memory=office.name, by="test")
        entered.set()
        assert leave.wait(60)

    moves(elsewhere(office), "Zenith")
    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(store.write, slow)
        assert entered.wait(60)
        asking = pool.submit(employers, office)
        with pytest.raises(TimeoutError):
            asking.result(0.5)
        leave.set()
        writing.result(60)
        assert asking.result(60) == {"Zenith"}


def test_a_failed_write_leaves_the_set_as_it_was(office: Memory) -> None:
    employers(office)
    before = office.graph.stats()

    def failing(tx: Transaction) -> None:
        tx.run("storage/raise_version", memory=office.name, kept=KEPT, marks=[])
        raise InputError("no")

    with pytest.raises(InputError):
        office.graph.store.write(failing)
    assert employers(office) == {"Iberdata"}
    after = office.graph.stats()
    assert (after.fresh, after.loads, after.updates) == (before.fresh + 1, before.loads, before.updates)


def test_what_nobody_described_is_loaded_again(office: Memory) -> None:
    assert employers(office) == {"Iberdata"}
    office.delete_fact(office.facts("Marta")[0].id)
    assert employers(office) == set()
    assert office.graph.stats().loads == 2


def test_a_turn_extracted_late_is_seen(graph: Graph) -> None:
    """Its record was kept without a vector, and nothing else of it changes."""
    with own_memory(graph, ScriptedExtractor([ProviderError("away")])) as memory:
        memory.perceive("Marta works at Iberdata.", speaker="Ana", at=NOON, id="late").close()
        reader = elsewhere(memory)
        assert employers(reader) == set()
        working = Graph(graph.store, graph.embedder, ScriptedExtractor([stating(("Marta", "works at", "Iberdata"))]))
        assert working.memory(memory.name).retry().amended == 1
        assert employers(reader) == {"Iberdata"}
        assert reader.graph.stats().loads == 2


def test_edits_by_hand_are_seen_when_they_say_so(office: Memory) -> None:
    assert employers(office) == {"Iberdata"}
    edit(office, "MATCH (c:Concept {memory: $memory, label: 'Iberdata'}) SET c.label = 'Iberdata Ltd'")
    assert employers(office) == {"Iberdata Ltd"}


def test_how_far_a_set_may_be_behind(office: Memory) -> None:
    """Eight turns, each opened and closed, are read one by one; more load the memory again."""
    other = elsewhere(office)
    for turns, figures in ((KEPT // 2, (1, 1)), (KEPT // 2 + 1, (2, 1))):
        employers(office)
        for i in range(turns):
            moves(other, f"Firm {turns} {i}")
        assert employers(office) == {f"Firm {turns} {turns - 1}"}
        stats = office.graph.stats()
        assert (stats.loads, stats.updates) == figures


def test_sleep_and_merges_are_seen(office: Memory) -> None:
    other = elsewhere(office)
    tell(office, "Marta W works at Zenith.", stating(("Marta W", "works at", "Zenith"), names=["Marta W", "Zenith"]))
    assert employers(office) == {"Iberdata"}
    merge = other.merge("Marta", "Marta W")
    assert employers(office) == {"Iberdata", "Zenith"} or employers(office) == {"Zenith"}
    other.undo_merge(merge.id)
    assert employers(office) == {"Iberdata"}
    assert other.consolidate().state == "done"
    assert employers(office) == {"Iberdata"}
    assert office.graph.sets.read(office.name, lambda tx: tx.held.concepts.strength.max()) > 0


def test_another_memory_of_the_same_name(graph: Graph) -> None:
    """As many changes were made to both: the stamp tells them apart."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    reader: Memory | None = None
    for firm in ("Iberdata", "Zenith"):
        written = graph.memory(name)
        moves(written, firm)
        reader = reader or elsewhere(written)
        assert employers(reader) == {firm}
        kept = graph.stats().memories
        graph.delete(name)
        assert graph.stats().memories == kept - 1
        assert employers(reader) == set()
    assert reader is not None
    assert reader.graph.stats().memories == 0


def test_a_restored_state_of_the_same_number(office: Memory) -> None:
    """A backup brings back an older number, which other changes then raise to the one that is held."""
    assert employers(office) == {"Iberdata"}
    edit(office, "MATCH (m:Memory {name: $memory}) SET m.version = m.version - 1")
    edit(office, "MATCH (c:Concept {memory: $memory, label: 'Iberdata'}) SET c.label = 'Zenith' "
                 "WITH c MATCH (m:Memory {name: $memory}) SET m.version = m.version - 1")  # fmt: skip
    assert employers(office) == {"Zenith"}


def test_no_more_is_kept_than_there_is_room_for(memory: Memory) -> None:
    graph, names = memory.graph, [f"test-{uuid.uuid4().hex[:12]}" for _ in range(3)]
    sets = WorkingSets(graph.store, limit=1)
    try:
        for name in names:
            moves(graph.memory(name), f"Firm {name}")
        for name in [*names, names[0]]:
            assert f"Firm {name}" in sets.read(name, lambda tx: tx.held.concepts.labels)
        stats = sets.stats()
        assert (stats.memories, stats.loads, stats.evictions) == (1, 4, 3)
        one = stats.bytes
        sets.limit = 3 * one
        for name in names * 2:
            sets.read(name, lambda tx: None)
        assert sets.stats().memories == 3
        assert sets.stats().bytes <= sets.limit * 1.1
        assert sets.stats().loads == 6
    finally:
        for name in names:
            graph.delete(name)


NAMES = ("u42", "U42", "user-42", "user-43", "42", "a:b", "c0", "touched_1", "u42.", "u42@x", "u-42", "Ana")


@pytest.fixture
def crowd(graph: Graph) -> Iterator[dict[str, Memory]]:
    """Memories of confusable names, each with a secret of its own."""
    mark = uuid.uuid4().hex[:8]
    opened = {name: graph.memory(f"{name}-{mark}") for name in NAMES}
    for number, memory in enumerate(opened.values()):
        moves(memory, f"Firm{number}")
    yield opened
    for memory in opened.values():
        graph.delete(memory.name)


def test_sets_never_mix(crowd: dict[str, Memory], graph: Graph) -> None:
    """Many threads, room for a few sets, writers meanwhile."""
    tight = Graph(graph.store, graph.embedder, OfflineExtractor(), working_set=40_000)
    opened = [tight.memory(memory.name) for memory in crowd.values()]

    def ask(number: int) -> None:
        memory = opened[number % len(opened)]
        if number % 7 == 0:
            tell(memory, "It rained.", stating(), id=f"rain-{number}")
        assert employers(memory) == {f"Firm{number % len(opened)}"}

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(ask, range(4 * len(opened))))
    assert tight.stats().evictions > 0


def test_readers_keep_their_state_while_it_is_brought_up_to_date(office: Memory) -> None:
    """Copy on write: one who still reads an older state sees nothing of the newer one."""
    sets = office.graph.sets
    old = sets.read(office.name, lambda tx: tx.held)
    before = content(old)
    for i in range(3):
        moves(office, f"Firm {i}")
        assert sets.read(office.name, lambda tx: tx.held) is not old
    assert content(old) == before


def test_a_statement_may_be_tried_again(office: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An update that fails half-way costs the set, not the truth."""
    employers(office)
    moves(elsewhere(office), "Zenith")
    real: Callable[..., Any] = kept.touched

    def failing(*given: Any) -> Any:
        monkeypatch.setattr(kept, "touched", real)
        raise InputError("lost")

    monkeypatch.setattr(kept, "touched", failing)
    with pytest.raises(InputError):
        employers(office)
    assert employers(office) == {"Zenith"}


def test_marks_are_read_as_they_were_written() -> None:
    written = Touched(["a", "c1"], ["r"], ["", "ca"])
    assert read_marks(written.marks()) == Touched(("a", "c1"), ("r",), ("", "ca"))


def test_a_memory_that_does_not_exist_is_empty(store: Store) -> None:
    held = WorkingSets(store).read("no such memory", lambda tx: tx.held)
    assert (held.clock, held.concepts.ids, held.records.ids, held.associations.ids) == (None, [], [], [])


def test_vectors_without_room_stay_in_the_database(office: Memory) -> None:
    """The same answers by the server's index: a few nearest of many, with words, dates and filters."""
    for i in range(90):
        tell(office, f"Person {i} bought a lamp.", stating((f"Person {i}", "bought", f"lamp {i}")), id=f"lamp-{i}")
    tight = elsewhere(office, working_set=2_000)
    asked: tuple[tuple[str, dict[str, Any]], ...] = (
        (QUESTION, {}),
        ("Who bought the lamp of Person 7?", {}),
        ("What did we say on 2 March 2026?", {}),
        ("Who bought a lamp?", {"filters": Filters(since="2026-03-01")}),
        ("And the other one?", {}),
    )
    for question, given in asked:
        wanted, found = (m.recall(question, speaker="Ana", at=NOON, **given) for m in (office, tight))
        assert found.brief.text == wanted.brief.text
        assert [cue.label for cue in found.cues] == [cue.label for cue in wanted.cues]
        for one, other in zip(found.ranked[:5], wanted.ranked[:5], strict=True):
            assert one.score == pytest.approx(other.score, abs=1e-3)
        tight.graph.sets.read(tight.name, lambda tx: tx.held.words.clear())  # so that words are read again, too
        sent = tight.graph.store.sent
        tight.recall(question, speaker="Ana", at=NOON, **given)
        assert tight.graph.store.sent - sent <= 4 + ("March" in question), "a period's records are compared apart"
    kinds = {type(m.graph.sets.read(m.name, lambda tx: tx.held.records.vectors)) for m in (office, tight)}
    assert kinds == {Matrix, Indexed}
    moves(office, "Zenith")
    assert employers(tight) == {"Zenith"}

    # What a transaction wrote is in no index yet; it is compared all the same.
    vectors = office.graph.embedder.embed(["a lamp with a shade"])

    def written(tx: Writing) -> None:
        tx.open(
            "activation/begin_close", turn_id="x", record_id=None, reply_id=None, tombstone=None, reply_tombstone=None
        )
        created = new_concept(office.name, 1, "a lamp with a shade", "lamp shade", "concept", None)
        row = {"id": "new", "created": created, "kind": None, "strength": 0.0, "vector": written_vector(vectors[0])}
        concepts = tx.changed(nothing() | {"concepts": concept_columns(tx.held, [row])}).concepts
        [(places, cosines)] = concepts.vectors.nearest(concepts.asked(tx, office.name), unit(vectors[0])[None], [5])
        assert concepts.ids[places[cosines.argmax()]] == "new"
        raise _UndoneError

    with pytest.raises(_UndoneError):
        tight.graph.sets.write(office.name, written)


class _UndoneError(Exception):
    """Ends a transaction without a commit."""


@pytest.mark.parametrize("page", [1, 3, 1000])
def test_tables_that_are_read_at_once_are_those_that_are_read_in_turn(
    office: Memory, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    for employer in ("Zenith", "Nortel", "Ibermática"):
        moves(office, employer)
    store = office.graph.store
    stands = store.read(lambda tx: transactions.stands_at(tx, office.name, None))
    in_turn = store.read(lambda tx: load(tx, office.name, stands))
    monkeypatch.setattr(snapshot, "PAGE", page)
    sent = store.sent
    paged = store.read(lambda tx: load(tx, office.name, stands, apart=store.read_apart))
    assert content(paged) == content(in_turn)
    assert store.sent - sent >= 1 + 2 * (len(in_turn.concepts.ids) // page) + len(in_turn.records.ids) // page
    apart: list[int] = []

    def noted(work: Callable[[Transaction], Any]) -> Any:
        apart.append(threading.get_ident())
        return store.read_apart(work)

    monkeypatch.setattr(snapshot, "LARGE", 1)
    assert content(store.read(lambda tx: load(tx, office.name, stands, apart=noted))) == content(in_turn)
    assert len(apart) == (6 if len(in_turn.concepts.ids) > page else 3), (
        "associations of more than a page in four parts"
    )
    assert threading.get_ident() not in apart


def test_a_small_memory_comes_in_one_statement(office: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same as table by table, from bytes and from lists of numbers; what is large, or has no room, does not."""
    for employer in ("Zenith", "Nortel"):
        moves(office, employer)
    store, name = office.graph.store, office.name
    in_turn = store.read(lambda tx: load(tx, name, transactions.stands_at(tx, name, None)))

    def small(room: int = 0) -> Snapshot | None:
        return store.locked(lambda tx: load_small(tx, name, room))[1]

    sent = store.sent
    found = small()
    assert found is not None
    assert store.sent == sent + 1
    assert content(found) == content(in_turn)
    assert found.version == in_turn.version
    store.schema("MATCH (n:Concept|Record) WHERE n.memory = $m REMOVE n.vector_bytes", m=name)
    before = small()
    assert before is not None
    assert content(before) == content(in_turn), "of a database that was made before"
    vectors = len(in_turn.concepts.ids) + len(in_turn.records.ids)
    assert small(room=4 * 384 * vectors) is not None
    assert small(room=4 * 384 * vectors - 1) is None
    monkeypatch.setattr(snapshot, "LARGE", vectors)
    assert small() is None
    monkeypatch.setattr(snapshot, "LARGE", vectors + 1)
    assert small() is not None
    assert store.locked(lambda tx: load_small(tx, "nobody's", 0)) == ({"found": False, "usable": False}, None)
