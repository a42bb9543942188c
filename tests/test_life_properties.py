"""Whatever a memory lives through, in whatever order: turns, sleeps, merges and undos, forgetting, crashes, copies.

A stateful test on the real server. Two memories live side by side; after every step the whole graph of both is read,
and what must always hold is checked on it.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
import pytest
from graph_state import everything_of
from graph_view import NOON, records, rows, stating
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from references import dangling

from oroi_graph import (
    ConceptProfile,
    Dynamics,
    ExtractedConcept,
    ExtractedRelation,
    Extraction,
    Graph,
    InputError,
    LeaseLostError,
    Memory,
    Options,
    Sleep,
    StoreError,
)
from oroi_graph.consolidation.pipeline import SleepRun, consolidate
from oroi_graph.language.normalize import digest, label_key
from oroi_graph.model import TurnInput
from oroi_graph.perception.pipeline import open_turn, prepare
from oroi_graph.providers.protocols import Verdict
from oroi_graph.providers.scripted import ScriptedEmbedder, ScriptedExtractor
from oroi_graph.storage import catalog
from oroi_graph.storage.lease import acquire
from oroi_graph.storage.store import Store, Transaction
from oroi_graph.transfer.archive import export_memory, import_memory
from oroi_graph.working_set.transactions import Writing

T = TypeVar("T")

# So eager that everything a sleep can do is done within a few turns.
EAGER = Sleep(
    exposure=5.0, half_life=20.0, recurrence=2, took_hold=0.5, seldom=5, prune_after=3, gist_after=2, rest_after=3,
    gist_length=60, page=3, courtesy=0.0,
)  # fmt: skip
OPTIONS = Options(dynamics=Dynamics(decay=0.4), sleep=EAGER, window=1)
CONCEPTS = ("boat", "boats", "barca", "engine", "motor", "garden")
TWINS = ({"boat", "barca"}, {"engine", "motor"})  # too far apart for perception, near enough for a judge
NAMES = ("Marta Ruiz", "Marta Ruis", "Marta", "Bilbao")
RELATIONS = ("likes", "lives in", "owns", "is near")  # one of them has one value at a time
SPEAKERS = ("Ana", "Bruno")
LIFE = "life-properties"
RAIN = " It rained all day long, and nobody had asked for that."

things = st.sampled_from((*CONCEPTS, *NAMES))
relations = st.builds(
    ExtractedRelation,
    st.sampled_from(("I", *CONCEPTS, *NAMES)),
    st.sampled_from(RELATIONS),
    things,
    negated=st.sampled_from((False, False, False, True)),
    replaces=st.sampled_from((False, False, True)),
)
extractions = st.builds(
    lambda said, named, remember: Extraction(
        tuple(ExtractedConcept(label, "name" if label in NAMES else "concept") for label in dict.fromkeys(named)),
        tuple(relation for relation in said if relation.source != relation.target),
        remember=remember,
    ),
    st.lists(relations, max_size=2),
    st.lists(things, max_size=3),
    st.sampled_from((False, False, False, True)),
)


@contextlib.contextmanager
def refused(reason: str) -> Iterator[None]:
    """What may be refused for this reason, and for no other."""
    try:
        yield
    except InputError as error:
        if not re.search(reason, str(error)):
            raise


def same(found: list[str], wanted: list[str]) -> None:
    """Two states of a memory are one; else it is said in which lines they differ."""
    differing = [f"+ {line}" for line in found if line not in wanted] + [
        f"- {line}" for line in wanted if line not in found
    ]
    assert found == wanted, "\n" + "\n".join(differing)


class CrashError(StoreError):
    """The process ends here."""


class Dying(Transaction):
    """A transaction that dies after so many statements."""

    def __init__(self, tx: Transaction, left: list[int]) -> None:
        super().__init__(tx._transaction, tx._count)
        self._left = left

    def run(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        return dying(super().run, self._left, name, parameters)


class DyingTurn(Writing):
    """The same for a transaction beside a working set: it stays the one whose fate the working sets watch."""

    _left: list[int]

    @classmethod
    def of(cls, tx: Writing, left: list[int]) -> Writing:
        tx.__class__, tx._left = cls, left  # type: ignore[attr-defined]
        return tx

    def run(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        return dying(super().run, self._left, name, parameters)


def dying(run: Callable[..., T], left: list[int], name: str, parameters: dict[str, Any]) -> T:
    """Send a statement, unless it is the end."""
    if not left[0]:
        raise CrashError
    left[0] -= 1
    return run(name, **parameters)


class DyingStore(Store):
    """The same database for a process that dies after so many statements of its writing: it cannot even say goodbye."""

    def __init__(self, store: Store, statements: int) -> None:
        self.__dict__.update(store.__dict__)
        self._statements = [statements]

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work`, unless it is the end."""
        return super().write(lambda tx: work(Dying(tx, self._statements)))


class Whim:
    """A judge whose verdicts follow from the labels alone."""

    name = "whim"

    def judge(self, pairs: Sequence[tuple[ConceptProfile, ConceptProfile]]) -> list[Verdict]:
        """Same for twins, apart for names, unsure about the rest."""
        return ["same" if {a.label, b.label} in TWINS else "apart" if a.kind == "name" else "unsure" for a, b in pairs]


def embedder() -> ScriptedEmbedder:
    """Vectors from letters; but a plural is nothing like its singular, and twins are alike."""
    axis = np.eye(384)
    near = {"boat": axis[0], "barca": 0.86 * axis[0] + 0.51 * axis[1], "boats": axis[2]}
    far = {"engine": axis[3], "motor": 0.86 * axis[3] + 0.51 * axis[4], "garden": axis[5]}
    return ScriptedEmbedder(384, {label: list(vector) for label, vector in (near | far).items()})


class Life(RuleBasedStateMachine):
    """One memory that lives, and one beside it of the same words."""

    graph: Graph
    seen: ClassVar[Counter[str]]  # what has happened in all lives: a rule that never does anything proves nothing

    @initialize()
    def begin(self) -> None:
        self.number = self.moves = 0
        self.mine, self.other = self._new("mine-0"), self._new("other")
        self.untouched: list[str] | None = None

    def teardown(self) -> None:
        for memory in (self.mine, self.other):
            assert self.graph.delete(memory.name) == 0

    # --- what happens ---------------------------------------------------------------------------------------

    @rule(said=extractions, speaker=st.sampled_from(SPEAKERS), closes=st.booleans(), reply=st.booleans())
    def turn(self, said: Extraction, speaker: str, closes: bool, reply: bool) -> None:
        self._say(self.mine, said, speaker, closes, reply)

    @rule(said=extractions, again=extractions)
    def turns(self, said: Extraction, again: Extraction) -> None:
        """The same thing twice, something else in between: what is said often takes hold."""
        for extraction in (said, again, said):
            self._say(self.mine, extraction, "Ana", True, True)

    @rule(twins=st.sampled_from(TWINS))
    def twins(self, twins: set[str]) -> None:
        """Two words for one thing, and a night in which somebody knows that."""
        self._say(self.mine, stating(concepts=sorted(twins)), "Ana", True, False)
        self.sleep(judged=True)

    @rule(count=st.integers(3, 6))
    def silence(self, count: int) -> None:
        """Turns that say nothing: what was lit fades, what is old becomes older."""
        for _ in range(count):
            self._say(self.mine, Extraction(), "Ana", True, False)

    @rule(said=extractions)
    def turn_of_the_other(self, said: Extraction) -> None:
        self._say(self.other, said, "Ana", True, True)
        consolidate(self.graph.store, self.other.name, self.graph.embedder, OPTIONS)
        self.untouched = everything_of(self.graph.store, self.other.name, verbatim=True)

    @rule(judged=st.booleans())
    def sleep(self, judged: bool) -> None:
        """A second sleep finds nothing to do, and changes nothing."""
        self._sleep(Whim() if judged else None)
        before = everything_of(self.graph.store, self.mine.name, verbatim=True)
        assert consolidate(self.graph.store, self.mine.name, self.graph.embedder, OPTIONS).state == "not due"
        same(everything_of(self.graph.store, self.mine.name, verbatim=True), before)

    @rule(steps=st.integers(0, 6))
    def sleep_is_interrupted(self, steps: int) -> None:
        stop, told = threading.Event(), list[str]()

        def progress(done: int, total: int, step: str) -> None:
            told.append(step)
            if len(told) > steps:
                stop.set()

        run = SleepRun(judge=Whim(), progress=progress, stop=stop)
        report = consolidate(self.graph.store, self.mine.name, self.graph.embedder, OPTIONS, run)
        self.seen[f"sleeps {report.state}"] += 1

    @rule(statements=st.integers(2, 25))
    def sleeper_is_killed(self, statements: int) -> None:
        """In the middle of a transaction; its lease is held until it runs out."""
        dying = DyingStore(self.graph.store, statements)
        try:
            consolidate(dying, self.mine.name, self.graph.embedder, OPTIONS, SleepRun(judge=Whim()))
        except CrashError:
            self.seen["sleeps crashed"] += 1
        self.graph.store.schema(
            "MATCH (m:Memory {name: $memory}) WHERE m.lease_owner IS NOT NULL SET m.lease_until = datetime()",
            memory=self.mine.name,
        )

    @rule()
    def sleeper_is_fenced_out(self) -> None:
        late = acquire(self.graph.store, self.mine.name, seconds=0.001)
        self._sleep(None)
        before = everything_of(self.graph.store, self.mine.name, verbatim=True)
        with pytest.raises(LeaseLostError):
            late.write_rows("consolidation/prune", memory=self.mine.name, ids=self._ids())
        same(everything_of(self.graph.store, self.mine.name, verbatim=True), before)

    @rule(said=extractions, statements=st.integers(0, 4))
    def turn_crashes(self, said: Extraction, statements: int) -> None:
        """Half a turn is none; sent again, it is the whole one."""
        text, id = self._text(said), self._next()
        turn = TurnInput(text, id, "Ana", "user", NOON, None)
        prepared = prepare([turn], [(said, None)], "given", self.graph.embedder, [[]])[0]
        before, left = everything_of(self.graph.store, self.mine.name, verbatim=True), [statements]

        def write(work: Callable[[Writing], T]) -> T:
            return self.graph.sets.write(self.mine.name, lambda tx: work(DyingTurn.of(tx, left)))

        try:
            open_turn(write, self.mine.name, prepared, self.graph.embedder, OPTIONS)
        except CrashError:
            self.seen["turns crashed"] += 1
            same(everything_of(self.graph.store, self.mine.name, verbatim=True), before)
        self.mine.refresh()
        self.mine.perceive(text, speaker="Ana", id=id, at=NOON, extraction=said).close()

    @rule(pick=st.data(), undone=st.sampled_from((False, False, True)))
    def merge(self, pick: st.DataObject, undone: bool) -> None:
        """Two concepts become one; an undo right after it gives back all that was."""
        found = rows(
            self.mine,
            "MATCH (c:Concept {memory: $memory}) WHERE c.kind IN ['concept', 'name'] "
            "RETURN c.id AS id, c.kind AS kind, c.label AS label ORDER BY kind, label",
        )
        kinds = [kind for kind, n in Counter(row["kind"] for row in found).items() if n > 1]
        if not kinds:
            return
        kind = pick.draw(st.sampled_from(kinds))
        ids = [row["id"] for row in found if row["kind"] == kind]
        a, b = pick.draw(st.permutations(range(len(ids))))[:2]
        before = self._state()
        id = self.mine.merge(ids[a], ids[b]).id
        if undone:
            assert [merge.id for merge in self.mine.undo_merge(id)] == [id]
            same(self._state(), before)

    @rule(pick=st.data())
    def undo_a_merge(self, pick: st.DataObject) -> None:
        """Also one that much was built upon."""
        ids = [merge.id for merge in self.mine.merges() if merge.state == "in force"]
        if ids:
            id = ids[pick.draw(st.integers(0, len(ids) - 1))]
            with refused("another concept is called"):
                assert self.mine.undo_merge(id, later=True)[-1].id == id
                self.seen["merges undone"] += 1

    @rule(pick=st.data())
    def undo_the_last_merge(self, pick: st.DataObject) -> None:
        """Merges build upon each other, and are taken apart."""
        self.merge(pick, False)
        self.undo_a_merge(pick)

    @rule(label=things)
    def forget(self, label: str) -> None:
        self.seen["forgotten"] += bool(self.mine.forget(label, speaker="Ana"))
        assert not self.mine.forgettable(label, speaker="Ana").concepts

    @rule()
    def take_back(self) -> None:
        with refused("cannot be undone|nothing to undo"):
            self.mine.undo()
            self.seen["turns taken back"] += 1

    @rule()
    def move(self) -> None:
        """The memory is exported, imported under another name, and lives on as its copy."""
        self.moves += 1
        file, name = io.StringIO(), f"{LIFE}-mine-{self.moves}"
        export_memory(self.graph.store, self.mine.name, file)
        file.seek(0)
        import_memory(self.graph.store, file, name)
        same(everything_of(self.graph.store, name), everything_of(self.graph.store, self.mine.name))
        assert self.graph.delete(self.mine.name) == 0
        self.mine = self.graph.memory(name, create=False)

    # --- what holds ------------------------------------------------------------------------------------------

    @invariant()
    def all_is_well(self) -> None:
        check(self.mine)
        # What a gist was made of is history: where it is no longer what holds, the next sleep makes it anew.
        lost = [row for row in dangling(self.mine) if row[1] != "gist_facts"]
        assert not lost, lost

    @invariant()
    @precondition(lambda self: self.untouched is not None)
    def nothing_happens_to_the_other(self) -> None:
        same(everything_of(self.graph.store, self.other.name, verbatim=True), self.untouched)

    # --- by what means ---------------------------------------------------------------------------------------

    def _new(self, name: str) -> Memory:
        """Ids follow from a memory's name, and ties are broken by ids: with names of its own, a life repeats itself."""
        if catalog.remaining(self.graph.store, f"{LIFE}-{name}"):
            self.graph.delete(f"{LIFE}-{name}")
        return self.graph.memory(f"{LIFE}-{name}")

    def _next(self) -> str:
        self.number += 1
        return f"t{self.number}"

    def _text(self, said: Extraction) -> str:
        words = [f"{r.source} {'never ' if r.negated else ''}{r.relation} {r.target}" for r in said.relations]
        return ". ".join([*words, *(concept.label for concept in said.concepts), "Well"]) + "." + RAIN

    def _say(self, memory: Memory, said: Extraction, speaker: str, closes: bool, reply: bool) -> None:
        turn = memory.perceive(self._text(said), speaker=speaker, id=self._next(), at=NOON, extraction=said)
        if closes:
            ids = [match.concept_id for match in turn.matches]
            turn.close(f"I see.{RAIN} And {self._text(said)}" if reply else None, injected=ids[:1])

    def _sleep(self, judge: Whim | None) -> None:
        report = consolidate(self.graph.store, self.mine.name, self.graph.embedder, OPTIONS, SleepRun(judge=judge))
        assert report.state in ("done", "not due"), report
        self.seen.update(report.counts)

    def _ids(self) -> list[str]:
        return [row["id"] for row in rows(self.mine, "MATCH (c:Concept {memory: $memory}) RETURN c.id AS id")]

    def _state(self) -> list[str]:
        """All but what a merge that was undone leaves on purpose."""
        lines = []
        for line in everything_of(self.graph.store, self.mine.name, verbatim=True):
            *ends, properties = json.loads(line)
            if ends[0] != "COMPARED":
                properties.pop("merges", None)
                properties.pop("embedding", None)
                properties.pop("vector_bytes", None)
                lines.append(json.dumps([*ends, properties], sort_keys=True))
        return sorted(lines)


def check(memory: Memory) -> None:
    """What holds of every memory at all times."""
    name, dynamics = memory.name, Dynamics()
    nodes = rows(
        memory,
        "MATCH (n) WHERE n.memory = $memory OR n:Memory AND n.name = $memory "
        "RETURN labels(n) AS labels, n {.*, embedding: null, vector_bytes: null} AS p, "
        "n.embedding IS NOT NULL AS embedded, n.embedding AS embedding, n.vector_bytes AS bytes, "
        "COUNT { (n)<-[:MENTIONS]-() } AS mentions, COUNT { (n)-[:MERGED_INTO]->() } AS into",
    )
    links = rows(
        memory,
        "MATCH (a)-[r]->(b) WHERE a.memory = $memory OR b.memory = $memory OR r.memory = $memory "
        "RETURN type(r) AS type, properties(r) AS p, labels(a) AS source, labels(b) AS target, "
        "[a.memory, b.memory] AS memories, a.id AS from",
    )
    for row in [*nodes, *links]:
        assert all(math.isfinite(v) for v in row["p"].values() if isinstance(v, float)), row
    concepts = [n for n in nodes if "Concept" in n["labels"]]
    _concepts(concepts, next(n["p"] for n in nodes if "Memory" in n["labels"]), dynamics)
    for node in nodes:
        kept = b"" if node["embedding"] is None else np.array(node["embedding"], dtype=">f4").tobytes()
        assert kept == (node["bytes"] or b""), "what loading reads is what indexes and people read"
        if "Merged" in node["labels"]:
            assert (node["into"], node["mentions"], node["embedded"]) == (1, 0, True), node
        elif "Record" in node["labels"]:
            _record(node)
    for link in links:
        assert link["memories"] == [name, name], link
        assert link["p"].get("memory", name) == name, link
        _link(link, dynamics)


def _concepts(concepts: Sequence[dict[str, Any]], memory: dict[str, Any], dynamics: Dynamics) -> None:
    total = 0.0
    for concept in concepts:
        p = concept["p"]
        total += p["activation"]
        assert concept["embedded"], p
        assert p["activation"] >= 0, p
        assert p["exposure"] >= 0, p
        assert 0 <= p["strength"] <= 1, p
        assert 1 <= p["first_turn"] <= p["last_turn"], p
        assert p["mentions"] == concept["mentions"], p
        assert p["label_key"] == label_key(p["label"]), p
        if "open_turn" not in memory:
            assert p["activation"] <= dynamics.ceiling + 1e-9, p
    if "open_turn" not in memory:
        assert total <= dynamics.budget + 1e-6
    keys = Counter((c["p"]["kind"], c["p"]["label_key"]) for c in concepts)
    assert not [key for key, n in keys.items() if n > 1]
    selves = {c["p"]["label"] for c in concepts if c["p"]["kind"] == "self"}
    assert selves <= set(SPEAKERS)


def _record(record: dict[str, Any]) -> None:
    p = record["p"]
    if p.get("resting"):
        assert not record["embedded"], p
        assert p["text"] == "", p
    else:
        assert record["embedded"], p
        assert p["text"], p
    assert p.get("verbatim", p["text"]).strip(), p


def _link(link: dict[str, Any], dynamics: Dynamics) -> None:
    type_, p = link["type"], link["p"]
    merged = ["Merged" in link["source"], "Merged" in link["target"]]
    if type_ in ("ASSOCIATED", "COINCIDED", "MENTIONS"):
        assert not any(merged), link
    elif type_.startswith("WAS_"):
        assert any(merged), link
    elif type_ == "MERGED_INTO":
        assert merged[0], link
    if type_ in ("ASSOCIATED", "WAS_ASSOCIATED"):
        assert 0 < p["weight"] <= dynamics.weight_max + 1e-9, link
        assert p["slot"] == digest(p["memory"], link["from"], p["class"]), link
        assert p["count"] >= 1, link
        assert p["records"] or p.get("consolidated"), link
        assert ("superseded_turn" in p) or ("superseded_by" not in p), link
    if type_ in ("COINCIDED", "WAS_COINCIDED"):
        assert p["count"] >= 1, link


@pytest.fixture
def scripted(store: Store) -> Graph:
    """A graph without a model: vectors from letters."""
    return Graph(store, embedder(), ScriptedExtractor({}), OPTIONS)


@pytest.mark.endurance
def test_a_life(scripted: Graph) -> None:
    class Lived(Life):
        graph = scripted
        seen: ClassVar[Counter[str]] = Counter()

    run_state_machine_as_test(
        Lived,
        settings=settings(
            max_examples=15,
            stateful_step_count=25,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],  # shrinking a life takes minutes
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert not [what for what in HAPPENS if not Lived.seen[what]], Lived.seen


HAPPENS = (
    "merged", "promoted", "transferred", "decayed", "pruned", "elaborated", "rested", "merges undone", "turns crashed",
    "sleeps crashed", "sleeps interrupted", "turns taken back", "forgotten",
)  # fmt: skip


# --- what lives have found ----------------------------------------------------------------------------------


def test_what_is_promoted_is_not_said_by_a_turn_that_may_be_taken_back(scripted: Graph, memory: Memory) -> None:
    """A sleep beside an open turn: its record is no provenance yet."""
    life = scripted.memory(f"{memory.name}-open")
    try:
        for number in range(3):
            turn = life.perceive(str(number), speaker="Ana", extraction=stating(concepts=["boat", "engine"]))
            if number < 2:
                turn.close()
        consolidate(scripted.store, life.name, scripted.embedder, OPTIONS)
        life.undo()
        assert "goes with" in {row["a"]["relation"] for row in rows(life, FACTS)}
        assert dangling(life) == []
    finally:
        assert scripted.delete(life.name) == 0


def test_what_joined_two_concepts_is_no_longer_stated(scripted: Graph, memory: Memory) -> None:
    """Once they are one; undone, it is stated again."""
    life = scripted.memory(f"{memory.name}-loop")
    try:
        life.perceive("1", speaker="Ana", extraction=stating(("boat", "is near", "garden"))).close()
        before = everything_of(scripted.store, life.name, verbatim=True)
        id = life.merge("boat", "garden").id
        assert dangling(life) == []
        assert [record["associations"] for record in records(life)] == [[]]
        life.undo_merge(id)
        assert set(before) - set(everything_of(scripted.store, life.name, verbatim=True)) <= {
            line for line in before if '["Memory"]' in line
        }
    finally:
        assert scripted.delete(life.name) == 0


def test_a_shadow_belongs_to_its_own_merge(scripted: Graph, memory: Memory) -> None:
    """The absorbed concept may be the other end of an earlier merge's shadow: an undo leaves that alone."""
    life = scripted.memory(f"{memory.name}-shadow")
    try:
        life.perceive("1", speaker="Ana", extraction=stating(("engine", "owns", "garden"), concepts=["boat"])).close()
        life.perceive("2", speaker="Ana", extraction=stating(concepts=["motor", "boat"])).close()
        life.perceive("3", speaker="Ana", extraction=stating(concepts=["motor", "boat"])).close()
        assert life.merge("motor", "engine").absorbed == "engine"
        id = life.merge("boat", "garden").id
        life.undo_merge(id)
        check(life)
        assert dangling(life) == []
    finally:
        assert scripted.delete(life.name) == 0


def test_a_turn_that_a_merge_was_built_on_is_not_taken_back(scripted: Graph, memory: Memory) -> None:
    """The merge is undone first; then the turn."""
    life = scripted.memory(f"{memory.name}-merge")
    try:
        life.perceive("1", speaker="Ana", extraction=stating(("boat", "is near", "garden"))).close()
        before = life.stats().concepts
        life.perceive(
            "2", speaker="Ana", extraction=stating(("engine", "is near", "garden"), concepts=["boat"])
        ).close()
        id = life.merge("boat", "engine").id
        with pytest.raises(InputError, match=f"a merge was built on it.*merges undo {life.name} {id}"):
            life.undo()
        life.undo_merge(id)
        life.undo()
        assert life.stats().concepts == before
        assert dangling(life) == []
    finally:
        assert scripted.delete(life.name) == 0


FACTS = "MATCH (:Concept {memory: $memory})-[a:ASSOCIATED]->() RETURN a {.relation} AS a"
