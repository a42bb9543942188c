"""Reading: filters, times, levels within budgets; summaries that follow their entries."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from contracts import Shared, document, shared_memory
from tables import table

from oroi_graph import Graph
from oroi_graph.consolidation.schedule import Schedule
from oroi_graph.contract.retrieval import levels
from oroi_graph.contract.retrieval.levels import Reading, line_of
from oroi_graph.errors import BusyError, InputError
from oroi_graph.language.tokens import count_tokens
from oroi_graph.storage.lease import leased
from oroi_graph.worker import Worker

COUNT = 40


@pytest.fixture(scope="module")
def full(graph: Graph) -> Iterator[Shared]:
    """Forty entries of two authors about three things, compressed; read only."""
    about = ("The {} server needs more memory.", "Invoice {} was paid late.", "Leire moved to flat {} in Gernika.")
    with shared_memory(graph) as shared:
        entries = [
            shared.entry(("claude", "gemini")[i % 2], ("risk", "decision", "identity")[i % 3], about[i % 3].format(i))
            for i in range(COUNT)
        ]
        for found in shared.contract.write_all(entries):
            assert not isinstance(found, InputError), found
        shared.contract.compress()
        yield shared


def covered(reading: Reading) -> set[str]:
    """The entries that a reading covers; a summary of topics covers what those do."""
    return {id for item in reading.items if item.level < 3 for id in item.covers or ()}


def test_filters(full: Shared) -> None:
    everything = full.contract.read()
    kept = [item.entry for item in everything.items if item.entry]
    assert [entry.seq for entry in kept] == sorted((entry.seq for entry in kept), reverse=True)
    of_key = full.contract.read(key="risk")
    assert {item.entry.field_key for item in of_key.items if item.entry} == {"risk"}
    of_both = full.contract.read(key="risk", author="claude")
    assert {item.entry.ia_author for item in of_both.items if item.entry} == {"claude"}
    assert 0 < len(of_both.items) < len(of_key.items) < len(everything.items)
    assert full.contract.read(author="oroi").items == () or all(
        item.entry.generated for item in full.contract.read(author="oroi", history=True).items if item.entry
    )


@table("level", [1, 2, 3])
def test_every_level_covers_everything_and_says_so(full: Shared, level: int) -> None:
    total = full.contract.read().coverage.entries
    found = full.contract.read(level=level)
    assert found.level == level
    assert found.coverage.entries == found.coverage.covered == total
    assert found.coverage.share == 1
    assert found.coverage.read == total
    assert sum(item.count for item in found.items) == total
    if level < 3:
        assert covered(found) == {item.id for item in full.contract.read().items}
    else:
        [whole] = found.items
        assert set(whole.covers or ()) == {item.id for item in full.contract.read(level=2).items}
    short = full.contract.read(level=level, form="short")
    assert short.tokens <= found.tokens


@table("budget", [1, 5, 20, 60, 150, 300, 600, 900, 5_000])
def test_a_budget_is_met_whatever_it_is(full: Shared, budget: int) -> None:
    for given in ({}, {"key": "risk"}, {"author": "claude"}, {"level": 1}, {"form": "short"}):
        found = full.contract.read(budget=budget, **given)  # type: ignore[arg-type]
        assert found.tokens == sum(count_tokens(item.text) for item in found.items) <= budget
        seen = found.coverage
        assert seen.raw <= seen.read <= seen.covered <= seen.entries


def test_more_budget_tells_more(full: Shared) -> None:
    found = [full.contract.read(budget=budget) for budget in (80, 300, 700, 5_000)]
    assert [reading.level for reading in found] == sorted((r.level for r in found), reverse=True)
    assert found[-1].level == 0
    assert found[-1].coverage.raw == found[-1].coverage.entries
    assert found[0].coverage.covered > 0


def test_summaries_of_a_part_say_so(full: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "ON_THE_SPOT", 6)
    of_key = full.contract.read(key="risk", level=2)
    assert of_key.coverage.sampled
    assert of_key.coverage.covered == of_key.coverage.read == 6 < of_key.coverage.entries
    for level in (1, 3):  # stand for all, and say how many they were made from
        seen = full.contract.read(key="risk", level=level).coverage
        assert (seen.covered, seen.read, seen.sampled) == (seen.entries, 6, True)
    [day] = full.contract.read(key="risk", level=1).items
    assert (day.count, day.read, day.covers) == (of_key.coverage.entries, 6, None)
    assert not full.contract.read(level=2).coverage.sampled
    assert not full.contract.read(key="risk").coverage.sampled


def test_summaries_say_what_entries_say(full: Shared) -> None:
    """Offline they are made of the entries' own words."""
    said = {entry.field_value for item in full.contract.read().items if (entry := item.entry)}
    words = {word for value in said if value for word in value.split()}
    for item in full.contract.read(level=2).items:
        assert set(item.text.replace("…", " ").split()) - words <= {"risk:", "decision:", "identity:", "(disputed):",
                                                                    "risk", "decision", "identity"}  # fmt: skip


def test_unknown_wishes_are_refused(full: Shared) -> None:
    for given, says in (({"level": 4}, "level must be"), ({"budget": 0}, "budget must be"), ({"key": "x"}, "no key"),
                        ({"author": "nobody"}, "no author"), ({"budget": "5"}, "budget must be"),
                        ({"at": "2026-01-01"}, "`at` must be a datetime"),
                        ({"level": 2, "form": "long"}, "form must be")):  # fmt: skip
        with pytest.raises(InputError, match=says):
            full.contract.read(**given)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'rsk' is no key"):
        full.contract.conflicts("rsk")
    assert {one.field_key for one in full.contract.conflicts("risk")} == {"risk"}


def test_the_past_is_as_it_was(shared: Shared) -> None:
    first = shared.write("claude", "project_status", "Phase 2 runs.").entry
    second = shared.write("gemini", "project_status", "Phase 3 runs.").entry
    then = datetime.fromisoformat(second.created_at)
    shared.contract.settle([first.id], {"ia_author": "kimi", "field_value": "Phase 4.", "confidence_score": 1})
    now = [item.entry for item in shared.contract.read().items if item.entry]
    assert [(e.field_value, e.disputed) for e in now] == [("Phase 4.", False)]
    # The conflict entry has a place of its own in time; both sides are disputed as soon as the second is there.
    past = [item.entry for item in shared.contract.read(at=then).items if item.entry]
    assert [(e.field_value, e.disputed, e.is_superseded) for e in past] == [
        ("Phase 3 runs.", True, False),
        ("Phase 2 runs.", True, False),
    ]
    before = datetime.fromisoformat(first.created_at)
    assert [item.text for item in shared.contract.read(at=before).items] == [line_of(first)]
    for level in (1, 2, 3):  # in summaries, too
        [item] = shared.contract.read(at=before, level=level).items
        assert item.text == "project_status: Phase 2 runs."
    [item] = shared.contract.read(at=then, level=1).items
    assert item.text.splitlines() == [
        "project_status (disputed): Phase 2 runs.",
        "project_status (disputed): Phase 3 runs.",
    ]
    assert shared.contract.read(at=datetime(2020, 1, 1, tzinfo=UTC)).items == ()


def test_the_first_and_the_last_time_can_be_asked_for(own: Graph) -> None:
    with shared_memory(own, keys={"risk": {"retention_days": 36_500}}) as shared:
        shared.write("claude", "risk", "Fire.")
        for hours in (-14, 0, 14):
            zone = timezone(timedelta(hours=hours))
            assert shared.contract.read(at=datetime.min.replace(tzinfo=zone)).items == ()
            assert shared.contract.read(at=datetime.min.replace(tzinfo=zone), level=1).items == ()
            assert shared.contract.read(at=datetime(90, 1, 1, tzinfo=zone)).items == ()
            assert shared.contract.read(at=datetime.max.replace(tzinfo=zone)).items == (), "expired by then"
            assert len(shared.contract.read(at=datetime.max.replace(tzinfo=zone), history=True).items) == 1


def test_retention_ends_by_itself(own: Graph) -> None:
    rules = {"risk": {"retention_days": 1}}
    with shared_memory(own, keys=rules) as shared:
        old = shared.write("claude", "risk", "Fire.").entry
        kept = shared.write("claude", "decision", "We wait.").entry
        shared.graph.store.schema(
            "MATCH (e:Entry {memory: $m, id: $id}) SET e.at = '2020-01-01T00:00:00.000000+00:00'",
            m=shared.name,
            id=old.id,
        )
        fresh = Graph(own.store, own.embedder, own.extractor).contract(shared.name)
        assert [item.id for item in fresh.read().items] == [kept.id]
        assert {item.id for item in fresh.read(history=True).items} >= {old.id, kept.id}
        assert fresh.write(shared.entry("claude", "risk", "Fire.")).outcome == "inserted"
        assert fresh.read(budget=8).tokens <= 8


def test_summaries_are_made_again_where_something_changed(shared: Shared) -> None:
    first = shared.write("claude", "risk", "The server room may burn.").entry
    other = shared.write("claude", "decision", "Invoices are paid in March.").entry
    made = shared.contract.compress()
    assert (made.entries, made.made["1"], made.made["3"]) == (2, 1, 1)
    assert shared.contract.compress().made == {}
    before = {item.id: item for item in shared.contract.read(level=2).items}
    third = shared.write("gemini", "risk", "The server room may burn down.", parent_entry_id=first.id).entry
    stale = shared.contract.read(level=1)
    assert any(item.id == third.id for item in stale.items), "what no summary covers yet is read word for word"
    shared.contract.compress()
    after = shared.contract.read(level=2)
    assert covered(after) == {other.id, third.id}, "what was superseded is covered no longer"
    untouched = [item for item in after.items if other.id in (item.covers or ())]
    assert untouched[0] == before[untouched[0].id], "the topic of the other entry stays as it was"
    shared.contract.erase([third.id], by="Ana")
    shared.contract.compress()
    assert covered(shared.contract.read(level=1)) == {other.id}


def test_a_summary_calls_nothing_disputed_that_was_settled(shared: Shared) -> None:
    ours = shared.write("claude", "project_status", "Phase 2 runs.").entry
    theirs = shared.write("gemini", "project_status", "Phase 3 runs.").entry
    shared.graph.store.schema(  # on another day, whose summary nothing else changes
        "MATCH (e:Entry {memory: $m, id: $id}) SET e.at = '2020-01-01T00:00:00.000000+00:00'",
        m=shared.name,
        id=theirs.id,
    )

    def told() -> str:
        shared.contract.compress()
        [item] = [item for item in shared.contract.read(level=1).items if item.name == "2020-01-01"]
        return item.text

    assert told() == "project_status (disputed): Phase 3 runs."
    shared.write("claude", "project_status", "Phase 3 runs.", parent_entry_id=ours.id)
    assert shared.contract.conflicts() == []
    assert told() == "project_status: Phase 3 runs."


def test_topics_keep_their_entries_while_others_are_added(shared: Shared) -> None:
    texts = ["The server room may burn.", "Invoices are paid in March.", "Leire lives in Gernika."]
    for text in texts:
        shared.write("claude", "risk", text)
    shared.contract.compress()
    first = {item.name: set(item.covers or ()) for item in shared.contract.read(level=2).items}
    for i in range(6):
        shared.write("gemini", "risk", f"{texts[i % 3][:-1]} still, says report {i}.")
    shared.contract.compress()
    second = {item.name: set(item.covers or ()) for item in shared.contract.read(level=2).items}
    assert all(second[name] >= members for name, members in first.items())


def test_a_model_may_write_the_summaries(shared: Shared) -> None:
    class Model:
        name = "model"

        def gist(self, text: str, facts: object, most: int) -> str:
            return "A model says: " + text.split("\n")[0] + " word" * 400

    from oroi_graph.contract.pipeline import MemoryContract

    shared.write("claude", "risk", "The server room may burn.")
    graph = shared.graph
    MemoryContract(graph.sets, shared.name, graph.embedder, graph.question_extractor, Model()).compress()
    [whole] = shared.contract.read(level=3).items
    assert whole.text.startswith("A model says:")
    assert whole.tokens <= 480


def test_a_worker_compresses_and_leaves_what_others_hold(shared: Shared) -> None:
    shared.write("claude", "risk", "The server room may burn.")
    worker = Worker(shared.graph, Schedule(), memories=[shared.name])
    with leased(shared.graph.store, shared.name):
        with pytest.raises(BusyError):
            shared.contract.compress()
        assert list(worker.once(threading.Event())) == []
        assert shared.graph.store.rows("contract/digests", memory=shared.name)[0]["digests"] == []
    list(worker.once(threading.Event()))
    digests = shared.graph.store.rows("contract/digests", memory=shared.name)[0]["digests"]
    assert {digest["level"] for digest in digests} == {1, 2, 3}
    shared.publish(document(version="2.0"))
    assert shared.contract.compress().entries == 0
