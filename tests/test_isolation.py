"""Nothing crosses from one memory to another: two of the same content, everything done to one, the other as it was."""

from __future__ import annotations

import io
import json
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from conftest_workspace import keep_notes
from graph_state import EAGER, agree, checksum, everything_of, live_and_sleep, perceive_scenarios
from graph_state import sleep as sleep_on
from graph_view import add_hub

from oroi_graph.consolidation.pipeline import SleepRun, consolidate
from oroi_graph.errors import InputError, LeaseLostError, MemoryNotFoundError
from oroi_graph.forgetting import delete as forget
from oroi_graph.forgetting.request import parse_request
from oroi_graph.interfaces.items.kept import Entry, Items
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import Extraction
from oroi_graph.options import Options
from oroi_graph.providers.scripted import ScriptedExtractor
from oroi_graph.recall.request import Filters
from oroi_graph.storage import catalog, migrations, statements
from oroi_graph.storage.lease import acquire, leased
from oroi_graph.storage.rows import record_id
from oroi_graph.storage.store import Store
from oroi_graph.transfer import archive
from oroi_graph.transfer import reembed as reembedding

MARK = "qxqmark"  # in every id, speaker and label of the other memory, and nowhere else
BAD_NAMES = [
    None,
    "",
    "*",
    [],
    ["a", "b"],
    "a b",
    "a/b",
    "x" * 300,
    "-a",
    "_",
    "a\n",
    "a\0",
    7,
    b"a",
    "a'b",
    "a`b",
    "{}",
    ".",
]


@dataclass(frozen=True)
class Pair:
    """`mine`, which everything is done to, and `other`, of the same content under other names."""

    mine: Memory
    other: Memory
    called: list[Callable[[Pair], Any]] = field(default_factory=list)
    sent: set[str] = field(default_factory=set)  # the names of the statements of what was called

    def call(self, what: Callable[[Pair], Any]) -> Any:
        """What it gives, noted with its statements."""
        load = statements.load

        def noted(name: str, prefix: str = "") -> str:
            self.sent.add(name)
            return load(name, prefix)

        self.called.append(what)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(statements, "load", noted)
            return what(self)

    def ids(self) -> set[str]:
        """Every id of the other memory."""
        rows = self.other.graph.store.explore(
            "MATCH (n) WHERE n.memory = $m AND n.id IS NOT NULL RETURN n.id AS id "
            "UNION MATCH ()-[r]->() WHERE r.memory = $m AND r.id IS NOT NULL RETURN r.id AS id",
            m=self.other.name,
        )[1]
        return {id_ for (id_,) in rows}


@pytest.fixture(scope="module")
def pair(graph: Graph) -> Iterator[Pair]:
    name = f"user-{uuid.uuid4().hex[:6]}"
    mine, other = graph.memory(f"{name}-4"), graph.memory(f"{name}-42")  # one name begins the other
    perceive_scenarios(mine, 4)
    perceive_scenarios(other, 4, MARK)
    perceive_scenarios(other, 2)  # the very same words and turn ids, too
    live_and_sleep(other, MARK)
    live_and_sleep(other)
    agree(other, MARK)
    keep_notes(other, MARK)
    failing = Graph(graph.store, graph.embedder, ScriptedExtractor([]))
    for memory in (mine, other):
        failing.memory(memory.name).perceive("Ana keeps bees in Oñati.", speaker="Ana", id="failed").close()
    found = Pair(mine, other)
    assert len(found.ids()) > 60
    yield found
    for memory in (mine, other):
        if catalog.describe(graph.store, memory.name):
            assert graph.delete(memory.name) == 0


def gold(source: str, relation: str, target: str, **more: Any) -> Extraction:
    return Extraction.from_json(
        {"relations": [{"source": source, "relation": relation, "target": target, **more}], "concepts": []}
    )


def perceive(pair: Pair) -> Any:
    turn = pair.mine.perceive(
        "Dr. Salas lives in Bilbao.", speaker="Ana", id="0-0-new", extraction=gold("Dr. Salas", "lives in", "Bilbao")
    )
    return turn.matches, turn.opened.created, turn.recall.to_json(), turn.brief


def repeat(pair: Pair) -> Any:
    """A turn id that both memories have: the same turn, in this one."""
    said = pair.mine.episode(record_id(pair.mine.name, "0-0", "user"))
    turn = pair.mine.perceive(said.verbatim, speaker=said.speaker, id="0-0")
    assert turn.opened.repeated
    with pytest.raises(InputError, match="holds other words"):
        pair.mine.perceive("Something else entirely.", speaker="Ana", id="0-0")
    return turn.opened


def correct(pair: Pair) -> Any:
    """What both memories state is replaced in one."""
    first = gold("Dr. Salas", "lives in", "Bilbao")
    pair.mine.perceive("Dr. Salas lives in Bilbao.", speaker="Ana", extraction=first)
    turn = pair.mine.perceive(
        "No, in Vitoria.", speaker="Ana", extraction=gold("Dr. Salas", "lives in", "Vitoria", replaces=True)
    )
    assert turn.opened.superseded
    return turn.opened


def deny(pair: Pair) -> Any:
    return pair.mine.perceive(
        "She does not.", speaker="Ana", extraction=gold("Dr. Salas", "lives in", "Vitoria", negated=True)
    ).opened


def close(pair: Pair) -> Any:
    turn = pair.mine.perceive("Dr. Salas gave me exercises for my knee.", speaker="Ana")
    turn.close("Good.", injected=turn.brief)
    turn.close("Good.", injected=sorted(pair.ids()))  # ids of the other memory gain nothing
    return turn.brief


def close_with_foreign_ids(pair: Pair) -> Any:
    turn = pair.mine.perceive("My physiotherapist is patient.", speaker="Ana")
    turn.close("Yes.", injected=sorted(pair.ids()))
    return turn.brief


def hear(pair: Pair) -> Any:
    return pair.mine.perceive("The assistant speaks first.", role="assistant", speaker="Oroi").opened


def remember(pair: Pair) -> Any:
    return pair.mine.remember("My physiotherapist is Dr. Salas.", speaker="Ana").matches


def recall(pair: Pair) -> Any:
    questions = [
        "Who is my physiotherapist?",
        f"What do you know about {MARK}?",
        f"Ana{MARK}",
        "Where did Dr. Salas live before?",
        "Marcos",
    ]
    return [
        pair.mine.recall(question, speaker=speaker).to_json()
        for question in questions
        for speaker in ("Ana", f"Ana{MARK}")
    ]


def recall_filtered(pair: Pair) -> Any:
    filters = [
        Filters(session=f"1{MARK}"),
        Filters(speaker=f"Ana{MARK}"),
        Filters(since="2000-01-01"),
        Filters(session="1"),
    ]
    found = [pair.mine.recall("Who is my physiotherapist?", speaker="Ana", filters=f) for f in filters]
    assert found[0].ranked == found[1].ranked == ()
    assert found[2].ranked
    return [recall.to_json() for recall in found]


def recall_by_name(pair: Pair) -> Any:
    return pair.mine.graph.recall([pair.mine.name], "Who is my physiotherapist?").to_json()


def retry(pair: Pair) -> Any:
    report = pair.mine.retry()
    assert (report.failed, report.amended) == (1, 1)
    return report


def stats(pair: Pair) -> Any:
    return pair.mine.stats(), pair.mine.window(), catalog.describe(pair.mine.graph.store, pair.mine.name)


def meter(pair: Pair) -> Any:
    used = {"calls": 1, "input_tokens": 21, "output_tokens": 9, "cost": 0.001}
    catalog.add_usage(pair.mine.graph.store, pair.mine.name, used)
    return pair.mine.stats()


def reopen(pair: Pair) -> Any:
    memory = pair.mine.graph.memory(pair.mine.name)
    return memory.protagonist, memory.window()


def export(pair: Pair) -> Any:
    file = io.StringIO()
    archive.export_memory(pair.mine.graph.store, pair.mine.name, file)
    return file.getvalue()


def copy(pair: Pair) -> Any:
    """A copy shares ids with its original: what is done to it is done to it alone, and so is its deletion."""
    graph, name = pair.mine.graph, f"{pair.other.name}-copy"
    file = io.StringIO()
    archive.export_memory(graph.store, pair.other.name, file)
    file.seek(0)
    archive.import_memory(graph.store, file, name)
    before = checksum(pair.other)
    try:
        memory = graph.memory(name)
        for text, extraction in (
            ("Dr. Salas lives in Bilbao.", gold("Dr. Salas", "lives in", "Bilbao")),
            ("No, Irún.", gold("Dr. Salas", "lives in", "Irún", replaces=True)),
            ("My physiotherapist is Dr. Salas.", None),
        ):
            turn = memory.perceive(text, speaker="Ana", extraction=extraction)
            turn.close("Good.", injected=sorted(pair.ids()))
            assert checksum(pair.other) == before
        memory.retry()
        assert checksum(pair.other) == before
        live_and_sleep(memory, f"{MARK}-copy")
        for merge in memory.merges():
            if merge.state == "in force":
                memory.undo_merge(merge.id, later=True)
                break
        assert checksum(pair.other) == before
        memory.forget(f"boat{MARK}", speaker=f"Ana{MARK}")
        memory.perceive("My physiotherapist is Dr. Salas.", speaker="Ana")
        memory.undo()
        assert checksum(pair.other) == before
    finally:
        assert graph.delete(name) == 0


def sleep(pair: Pair) -> Any:
    """The same short life, with merges and an undo, gists and rests, and a forgetting; then a sleep with a judge."""
    live_and_sleep(pair.mine)
    pair.mine.perceive("Boats.", speaker="Ana", extraction=gold("boat", "is like", "boats")).close()
    sleep_on(pair.mine)
    return pair.mine.merges(), pair.mine.stats(), everything_of(pair.mine.graph.store, pair.mine.name, verbatim=True)


def forget_it(pair: Pair) -> Any:
    """By name, by id of the other memory (which means nothing here), and in several transactions."""
    graph, name = pair.mine.graph, pair.mine.name
    assert not [id_ for id_ in sorted(pair.ids())[::10] if pair.mine.forget(id_, speaker="Ana")]
    done = forget.forget(graph.store, name, parse_request("garage", "Ana"), graph.options.dynamics, small=0)
    assert done
    return done.to_json(), pair.mine.forgettable("boat", speaker="Ana").to_json()


def change_facts(pair: Pair) -> Any:
    fact, *_ = pair.mine.facts("Dr. Salas", speaker="Ana")
    edited = pair.mine.edit_fact(fact.id, target="Oñati")
    return pair.mine.delete_fact(edited.id), pair.mine.facts("Dr. Salas", speaker="Ana")


def take_back(pair: Pair) -> Any:
    pair.mine.perceive("Dr. Salas lives in Bilbao.", speaker="Ana", extraction=gold("Dr. Salas", "lives in", "Bilbao"))
    return pair.mine.undo().to_json()


def share(pair: Pair) -> Any:
    """All that a contract can do, and what was written read in every way."""
    contract = agree(pair.mine)
    return (
        [contract.read(level=level).to_json() for level in (None, 0, 1, 2, 3)], contract.read(history=True).to_json(),
        contract.conflicts(), contract.drift("phase"), contract.verify(), contract.history(), contract.authors(),
    )  # fmt: skip


def take_notes(pair: Pair) -> Any:
    return [one.to_json() for one in keep_notes(pair.mine)]


def lease(pair: Pair) -> Any:
    with leased(pair.mine.graph.store, pair.mine.name, "one") as held:
        held.renew()
    return held.fence


def reembed(pair: Pair) -> Any:
    return reembedding.reembed(pair.mine.graph.store, pair.mine.name, pair.mine.graph.embedder)


def delete(pair: Pair) -> Any:
    add_hub(pair.mine)
    return pair.mine.graph.delete(pair.mine.name)


def create(pair: Pair) -> Any:
    """One of the name of a deleted one."""
    again = pair.mine.graph.memory(pair.mine.name)
    assert again.stats().turns == 0
    return again.stats()


CALLS: list[Callable[[Pair], Any]] = [
    perceive,
    repeat,
    correct,
    deny,
    close,
    close_with_foreign_ids,
    hear,
    remember,
    recall,
    recall_filtered,
    recall_by_name,
    retry,
    stats,
    meter,
    reopen,
    export,
    copy,
    sleep,
    forget_it,
    change_facts,
    take_back,
    share,
    take_notes,
    lease,
    reembed,
    delete,
    create,
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_the_other_memory_stays_as_it_was_and_unseen(pair: Pair, call: Callable[[Pair], Any]) -> None:
    before, foreign = checksum(pair.other), pair.ids()
    given = pair.call(call)
    assert checksum(pair.other) == before
    assert pair.ids() == foreign
    text = given if isinstance(given, str) else repr(given)
    asked = "asked" if call is recall else MARK
    assert asked not in re.sub(r"'question': '[^']*'", "", text).replace(f"'surface': 'Ana{MARK}'", "")
    assert not [id_ for id_ in foreign if id_ in text]


@pytest.mark.long
def test_every_writing_statement_was_tried(pair: Pair) -> None:
    """The calls above reach every statement that writes to a memory: a new one needs a call here."""
    for call in CALLS:
        if call not in pair.called:  # this test was chosen alone
            pair.call(call)
    writing = {
        statement
        for statement in statements.names()
        if re.search(
            r"^\s*(?:SET|MERGE|CREATE|DELETE|DETACH|REMOVE)\b|\{ DETACH", statements.load(statement), re.MULTILINE
        )
    }
    assert len(writing) > 10
    writing -= {name for name in writing if name.startswith("interfaces/")}  # of keys: tests/interfaces
    # Of no memory: the lock of the schema, and what scrubbing fills the disk with. Renaming and
    # items: tests/transfer/test_copies, test_archive. Thresholds of an embedding model belong to the database.
    assert sorted(writing - pair.sent) == [
        "contract/keep_calibration", "storage/clear_filler", "storage/fill_disk", "storage/hold_schema",
        "transfer/close_unchanged", "transfer/import_items",
    ]  # fmt: skip


def test_names_that_resemble_each_other(graph: Graph) -> None:
    run = uuid.uuid4().hex[:6]
    names = [
        f"user-{run}-4",
        f"user-{run}-42",
        f"user-{run}-43",
        f"U{run}42",
        f"u{run}42",
        f"user.{run}.42",
        f"ünser-{run}",
        f"unser-{run}",
    ]
    memories = {name: graph.memory(name) for name in names}
    try:
        for i, memory in enumerate(memories.values()):
            memory.perceive(f"My locker code is word{i}word.", speaker="Ana").close(f"word{i}word noted.")
        for i, memory in enumerate(memories.values()):
            found = memory.recall("What is my locker code?", speaker="Ana")
            assert f"word{i}word" in found.brief.text
            assert set(re.findall(r"word\d+word", json.dumps(found.to_json()))) == {f"word{i}word"}
            assert memory.stats().episodes == 1
        first, *rest = names
        assert graph.delete(first) == 0
        assert [graph.memory(name, create=False).stats().episodes for name in rest] == [1] * len(rest)
    finally:
        for name in names:
            if catalog.describe(graph.store, name):
                assert graph.delete(name) == 0


@pytest.mark.parametrize("name", BAD_NAMES, ids=repr)
def test_names_that_could_mean_all_are_refused(graph: Graph, name: Any) -> None:
    for call in (
        graph.memory,
        graph.delete,
        lambda n: graph.recall([n], "Who?"),
        lambda n: archive.export_memory(graph.store, n, io.StringIO()),
    ):
        with pytest.raises(InputError, match="bad memory name"):
            call(name)
    assert name not in [memory.name for memory in graph.memories()]


@pytest.mark.parametrize("names", [[], (), "abc", None], ids=repr)
def test_reading_several_needs_their_names(graph: Graph, names: Any) -> None:
    with pytest.raises(InputError, match="name the memories"):
        graph.recall(names, "Who?")


def test_reading_several_gives_each_its_own(graph: Graph) -> None:
    run = uuid.uuid4().hex[:8]
    names = [f"several-{run}-{i}" for i in range(3)]
    try:
        for i, name in enumerate(names):
            graph.memory(name).perceive(f"My locker code is word{i}word.", speaker="Ana").close()
        found = graph.recall(names[:2], "What is my locker code?", speaker="Ana")
        assert list(found.parts) == names[:2]
        for i, name in enumerate(names[:2]):
            assert set(re.findall(r"word\d+word", json.dumps(found.parts[name].to_json()))) == {f"word{i}word"}
        assert set(re.findall(r"word\d+word", json.dumps(found.to_json()))) == {"word0word", "word1word"}
        with pytest.raises(MemoryNotFoundError):
            graph.recall([names[0], f"several-{run}-none"], "What is my locker code?")
        assert f"several-{run}-none" not in [memory.name for memory in graph.memories()]
    finally:
        for name in names:
            assert graph.delete(name) == 0


def test_deletion_leaves_nothing_of_any_label_or_type(graph: Graph) -> None:
    """Counted by a query of the test's own: every property of every node and relationship, whatever its label."""
    memory = graph.memory(f"gone-{uuid.uuid4().hex[:8]}")
    perceive_scenarios(memory, 3, MARK + "gone")
    live_and_sleep(memory, MARK + "gone")
    agree(memory, MARK + "gone")
    keep_notes(memory, MARK + "gone")
    Items(memory).put([Entry((f"{MARK}gone",), "boat", "red")])
    own = _labels_of_memories()
    assert own > {"Memory", "Concept", "Merged", "Record", "Entry", "Note", "Item", "Sleep", "Forgetting"}
    assert _left(graph.store, memory.name).keys() >= own | TYPES
    # What is counted to prove it; whoever is Unindexed is a Record, too.
    assert {*re.findall(r"\(\w:(\w+)", statements.load("storage/held")), "Unindexed"} == own
    assert graph.delete(memory.name) == 0
    assert _left(graph.store, memory.name) == {}
    with pytest.raises(MemoryNotFoundError):
        graph.delete(memory.name)


def _labels_of_memories() -> set[str]:
    """The labels whose nodes belong to a memory: those with an index that begins with it."""
    scripts = "\n".join(migration.text for migration in migrations.shipped())
    return {"Memory", *re.findall(r"FOR \(\w:(\w+)\) (?:REQUIRE|ON) \(?\w\.memory\b", scripts)}


TYPES = {"ASSOCIATED", "MERGED_INTO", "WAS_ASSOCIATED", "WAS_COINCIDED", "COMPARED"}


def test_a_memory_is_deleted_while_it_is_consolidated(graph: Graph) -> None:
    """Whoever consolidates it commits nothing more, and nothing comes back."""
    memory = graph.memory(f"gone-{uuid.uuid4().hex[:8]}")
    for number in range(3):
        memory.perceive(f"The boat {number} is red.", speaker="Ana", id=str(number)).close()
    left: list[int] = []

    def told(done: int, total: int, step: str) -> None:
        if step == "promote" and not left:
            left.append(graph.delete(memory.name))

    with pytest.raises(LeaseLostError):
        consolidate(graph.store, memory.name, graph.embedder, Options(sleep=EAGER), SleepRun(progress=told))
    assert left == [0]
    assert _left(graph.store, memory.name) == {}


def test_deletion_does_not_wait_for_a_lease(graph: Graph) -> None:
    """A worker that died leaves its lease behind; one that lives finds itself fenced out."""
    memory = graph.memory(f"gone-{uuid.uuid4().hex[:8]}")
    held = acquire(graph.store, memory.name)
    assert graph.delete(memory.name) == 0
    again = graph.memory(memory.name)
    try:
        with pytest.raises(LeaseLostError):
            held.write_rows("consolidation/note_sleep", memory=memory.name, turn=0, report="{}")
        assert again.stats().turns == 0
    finally:
        assert graph.delete(memory.name) == 0


def _left(store: Store, name: str) -> dict[str, int]:
    """How much there is, by label and type, that names the memory or holds words that only it has heard."""
    left = {}
    for kind, names, pattern in (
        ("label", "CALL db.labels()", "(x:`{}`)"),
        ("relationshipType", "CALL db.relationshipTypes()", "()-[x:`{}`]->()"),
    ):
        for (label,) in store.explore(f"{names} YIELD {kind} RETURN {kind}")[1]:
            found = store.explore(
                f"MATCH {pattern.format(label)} WHERE any(key IN keys(x) WHERE "
                "x[key] = $name OR (valueType(x[key]) STARTS WITH 'STRING' AND toString(x[key]) CONTAINS $mark)) "
                "RETURN count(x)",
                name=name,
                mark=MARK + "gone",
            )[1][0][0]
            if found:
                left[label] = found
    return left
