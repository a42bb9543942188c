"""Importing: the graph of a conversation that was held, whatever interrupts it, and nothing twice."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from graph_state import everything_of
from locations import PROJECT

from oroi_graph.errors import InputError, ProviderError, StoreError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import Extraction, TurnInput, Utterance
from oroi_graph.perception.turn import Opened
from oroi_graph.perception.turn_transaction import TurnTransaction
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.protocols import Embedder, Vectors
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.transfer.bulk_import import GROUP, ImportReport, ingest
from oroi_graph.transfer.chats.recognition import read_turns
from oroi_graph.transfer.conversation_file import Scripted

DEMO = PROJECT / "docs" / "demo" / "conversation.jsonl"


def said(text: str, turn_id: str, role: str = "user", **more: str) -> Scripted:
    speaker = more.pop("speaker", "Ana" if role == "user" else "Oroi")
    return Scripted(TurnInput(text, turn_id, speaker, role, **more), where=turn_id)  # type: ignore[arg-type]


State = dict[str, dict[str, Any]]


def state(memory: Memory) -> State:
    """All of the memory but when it was written and who locked it last: properties by what each thing is."""
    found: State = {}
    for line in everything_of(memory.graph.store, memory.name, verbatim=True):
        *what, properties = json.loads(line)
        key = json.dumps([*what, properties.get("id") or properties.get("name")])
        assert key not in found, key
        found[key] = {name: value for name, value in properties.items() if name not in ("created_at", "lock")}
    return found


def assert_same(found: State, expected: State) -> None:
    """Equal, numbers to 1e-9: sums are taken in the order in which the database finds things."""
    assert found.keys() == expected.keys()
    for key, properties in expected.items():
        numbers = {name: value for name, value in properties.items() if isinstance(value, float)}
        assert {name: found[key].get(name) for name in numbers} == pytest.approx(numbers, rel=0, abs=1e-9), key
        assert {n: v for n, v in found[key].items() if n not in numbers} == {
            n: v for n, v in properties.items() if n not in numbers
        }, key


@pytest.fixture
def name(graph: Graph) -> Iterator[str]:
    """A memory's name, to be made and deleted as often as a test likes: ids depend on it."""
    chosen = f"ingest-{uuid.uuid4().hex[:8]}"
    yield chosen
    if chosen in [memory.name for memory in graph.memories()]:
        assert graph.delete(chosen) == 0


@pytest.fixture(scope="module")
def turns() -> tuple[Scripted, ...]:
    """The beginning of the sample conversation, then turns in a row and words by the assistant alone."""
    beginning = read_turns(DEMO).turns[:22]
    extra = (
        said("Leire told me that she works at the Hospital of Gernika.", "x1", speaker="Jon"),
        said("I bought 12 red chairs for 340 euros.", "x2", speaker="Jon"),
        said("By the way, the weather is fine.", "x3", "assistant"),
        said("And tomorrow it will rain.", "x4", "assistant"),
        said("Jon lives in Vitoria.", "x5"),
    )
    return beginning + extra


def test_an_import_done_twice_changes_nothing(graph: Graph, name: str, turns: Sequence[Scripted]) -> None:
    memory = graph.memory(name)
    first = ingest(memory, turns)
    before = state(memory)
    second = ingest(memory, turns)
    assert (first.written, first.skipped, first.interrupted) == (len(turns), 0, False)
    assert (second.written, second.skipped, second.problems) == (0, len(turns), ())
    assert state(memory) == before
    assert memory.stats().turns == sum(scripted.turn.role == "user" for scripted in turns)


def test_a_part_imported_again_changes_nothing(graph: Graph, name: str, turns: Sequence[Scripted]) -> None:
    memory = graph.memory(name)
    ingest(memory, turns)
    before = state(memory)
    ingest(memory, turns[:23])
    ingest(memory, turns[23:25])
    assert state(memory) == before


def test_an_import_interrupted_anywhere_ends_in_the_same_graph(
    graph: Graph, name: str, turns: Sequence[Scripted]
) -> None:
    undisturbed = graph.memory(name)
    ingest(undisturbed, turns, batch=5)
    expected = state(undisturbed)
    graph.delete(name)
    memory = graph.memory(name)
    runs = 0
    while (report := interrupted_after(memory, turns, 1 + runs % 4)).interrupted:
        runs += 1
        assert not report.problems
    assert runs >= 8
    assert_same(state(memory), expected)


def interrupted_after(memory: Memory, turns: Sequence[Scripted], count: int) -> ImportReport:
    """An import by a process that starts afresh, stopped once it wrote `count` turns."""
    stop = threading.Event()

    def progress(done: int, total: int, label: str) -> None:
        if done >= count:
            stop.set()

    fresh = Graph(memory.graph.store, memory.graph.embedder, OfflineExtractor()).memory(memory.name)
    return ingest(fresh, turns, batch=2, progress=progress, stop=stop)


def ingest_known(memory: Memory, turns: Sequence[Scripted]) -> int:
    stats = memory.stats()
    return stats.episodes + stats.replies


def test_an_import_is_the_conversation_as_it_would_have_been_held(
    graph: Graph, name: str, turns: Sequence[Scripted]
) -> None:
    held = graph.memory(name)
    open_turn = None
    for scripted in turns:
        turn = scripted.turn
        options = {"speaker": turn.speaker, "id": turn.id, "at": turn.at, "session": turn.session}
        if turn.role == "user":
            open_turn = held.perceive(turn.text, role="user", **options)  # type: ignore[arg-type]
        elif open_turn is not None:
            open_turn.close(turn.text, id=turn.id, at=turn.at, speaker=turn.speaker)
            open_turn = None
        else:
            held.perceive(turn.text, role="assistant", **options)  # type: ignore[arg-type]
    assert open_turn is not None
    open_turn.close()
    expected = without_dates(state(held))
    graph.delete(name)
    memory = graph.memory(name)
    ingest(memory, turns)
    assert_same(without_dates(state(memory)), expected)


def without_dates(found: State) -> State:
    """The façade dates what comes without a date; an import keeps it undated."""
    dated = ("at", "stated_at")
    return {key: {n: v for n, v in properties.items() if n not in dated} for key, properties in found.items()}


def test_many_turns_share_a_commit_and_a_failure_leaves_none_of_them(
    graph: Graph, name: str, turns: Sequence[Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory's number is raised once a commit."""
    commits = "MATCH (m:Memory {name: $m}) RETURN coalesce(m.version, 0), m.turn"
    memory = graph.memory(name)
    ingest(memory, turns)
    expected = state(memory)
    [[version, _]] = graph.store.explore(commits, m=name)[1]
    assert version == 1 + -(-len(turns) // GROUP) + 1  # made, written, and the open turn ended
    graph.delete(name)
    memory, told = graph.memory(name), list[int]()
    real = TurnTransaction.run

    def fails(self: TurnTransaction) -> Opened:
        if self.turn.id == "x1":  # in the second group
            raise StoreError("the database went away")
        return real(self)

    with monkeypatch.context() as patched:
        patched.setattr(TurnTransaction, "run", fails)
        with pytest.raises(StoreError, match="went away"):
            ingest(memory, turns, progress=lambda done, total, label: told.append(done))
    assert told[-1] == GROUP == ingest_known(memory, turns)
    assert ingest(memory, turns).skipped == GROUP
    assert_same(state(memory), expected)


def test_a_turn_known_without_its_reply_gets_it(graph: Graph, name: str) -> None:
    script = [said("I live in Gernika.", "a"), said("Noted.", "b", "assistant"), said("And I work in Bilbao.", "c")]
    memory = graph.memory(name)
    ingest(memory, [script[0], script[2]])
    assert memory.stats().replies == 0
    report = ingest(memory, script)
    assert (report.written, report.skipped) == (1, 2)
    columns, rows = graph.store.explore(
        "MATCH (r:Record {memory: $m}) RETURN r.turn_id, r.turn, r.role ORDER BY r.turn, r.role DESC", m=name
    )
    assert rows == [["a", 1, "user"], ["b", 1, "assistant"], ["c", 2, "user"]], columns
    assert memory.stats().turns == 2


def test_bad_turns_are_named_and_the_others_kept(graph: Graph, name: str) -> None:
    script = [
        said("I live in Gernika.", "line 1"),
        said("a\0b", "line 2"),
        said("   ", "line 3"),
        said("x" * 1_000_000, "line 4"),
        said("And I work in Bilbao.", "line 5"),
    ]
    report = ingest(graph.memory(name), script)
    assert report.written == 2
    assert [problem.where for problem in report.problems] == ["line 2", "line 3", "line 4"]
    assert "NUL character at position 2" in report.problems[0].reason
    assert "empty" in report.problems[1].reason
    assert "1,000,000 characters" in report.problems[2].reason


def test_another_text_under_a_known_id_is_a_problem(graph: Graph, name: str) -> None:
    memory = graph.memory(name)
    ingest(memory, [said("I live in Gernika.", "a")])
    before = state(memory)
    report = ingest(memory, [said("I live in Bermeo.", "a")])
    assert report.written == 0
    assert "holds turn 'a' with another text" in report.problems[0].reason
    assert state(memory) == before


def test_what_must_not_be_stored_is_not_and_neither_is_its_reply(graph: Graph, name: str) -> None:
    secret = replace(said("My PIN is 4711.", "b"), extraction=Extraction(store=False))
    script = [said("I live in Gernika.", "a"), secret, said("I forget it.", "c", "assistant"), said("Thanks!", "d")]
    memory = graph.memory(name)
    report = ingest(memory, script)
    assert (report.written, report.unstored) == (2, 2)
    assert not any(word in str(state(memory)) for word in ("4711", "forget"))
    again = ingest(memory, script)
    assert (again.written, again.skipped, again.unstored) == (0, 2, 2)


class _Failing:
    """An extractor that fails on every second turn."""

    name = "failing"

    def __init__(self) -> None:
        self.calls = 0

    def extract(self, turn: Utterance, window: Sequence[Utterance]) -> Extraction:
        self.calls += 1
        if self.calls % 2:
            raise ProviderError("the model is away: try later")
        return OfflineExtractor().extract(turn, window)


def test_a_failed_extraction_keeps_the_turn_for_retry(graph: Graph, name: str) -> None:
    failing = Graph(graph.store, graph.embedder, _Failing()).memory(name)
    report = ingest(failing, [said(f"My number {i} friend lives in Bilbao.", str(i)) for i in range(4)])
    assert (report.written, report.failed) == (4, 2)
    assert graph.memory(name).retry().amended == 2


class _Breaking:
    """The embedder behind it, until it has been called so many times."""

    def __init__(self, embedder: Embedder, calls: int) -> None:
        self.embedder, self.calls = embedder, calls
        self.model, self.dimensions = embedder.model, embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls -= 1
        if self.calls < 0:
            raise ProviderError("the embedder broke: start it again")
        return self.embedder.embed(texts)

    def embed_words(self, texts: Sequence[str]) -> tuple[Vectors, list[str | None]]:
        return self.embed(texts), embedded(self.embedder, texts)[1]


def test_an_embedder_that_breaks_stops_the_import_which_then_goes_on(
    graph: Graph, name: str, turns: Sequence[Scripted], minilm: CachedEmbedder
) -> None:
    ingest(graph.memory(name), turns)
    expected = state(graph.memory(name))
    graph.delete(name)
    broken = Graph(graph.store, _Breaking(minilm, 6), OfflineExtractor())
    with pytest.raises(ProviderError, match="the embedder broke"):
        ingest(broken.memory(name), turns, batch=4)
    written = ingest_known(graph.memory(name), turns)
    assert 0 < written < len(turns)
    assert ingest(graph.memory(name), turns).skipped == written
    assert_same(state(graph.memory(name)), expected)


def test_progress_and_shares_are_reported(graph: Graph, name: str, turns: Sequence[Scripted]) -> None:
    told: list[tuple[int, int]] = []
    memory = graph.memory(name)
    report = ingest(memory, turns[:7], progress=lambda done, total, label: told.append((done, total)))
    assert told == [(i, 7) for i in range(1, 8)]
    told.clear()
    ingest(graph.memory(name), turns[:9], progress=lambda done, total, label: told.append((done, total)))
    assert told == [(0, 2)] * 7 + [(1, 2), (2, 2)]
    assert sum(report.shares.values()) == pytest.approx(1)
    assert all(share > 0 for share in report.shares.values()), report.shares
    assert report.to_json()["turns_per_second"] == report.rate > 0


def test_no_turns_and_a_senseless_batch(graph: Graph, name: str) -> None:
    memory = graph.memory(name)
    assert ingest(memory, []).written == 0
    with pytest.raises(InputError, match="batch must be 1 or more"):
        ingest(memory, [], batch=0)


def test_a_misspelled_name_is_known_from_its_own_group(graph: Graph, name: str) -> None:
    """Full-text search does not find what its own transaction wrote."""
    texts = (
        "My friend Guggenheimer lives in Bilbao.", "Guggenhemer lives in Irun now.", "My cousin Perez sings.",
        "I bought an old red bicycle.", "I sold a red bicycle.",
    )  # fmt: skip
    memory = graph.memory(name)
    ingest(memory, [said(text, f"m{i}") for i, text in enumerate(texts)])
    grouped = {(fact.source, fact.target) for fact in memory.facts()}
    sources = {source for source, _ in grouped}
    assert "Guggenheimer" in sources
    assert "Guggenhemer" not in sources
    graph.delete(name)
    apart = graph.memory(name)
    for i, text in enumerate(texts):
        ingest(apart, [said(text, f"m{i}")])
    assert {(fact.source, fact.target) for fact in apart.facts()} == grouped
