"""Writing entries: the outcomes, who may write what, and what a failing embedder or a repeated call costs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from contracts import Shared, document, shared_memory
from tables import table

from oroi_graph import Graph, OfflineExtractor, ScriptedEmbedder
from oroi_graph.contract.entry import Entry, EntryRefusedError, Outcome
from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.errors import InputError, ProviderError
from oroi_graph.providers.protocols import Vectors
from oroi_graph.storage.store import Store
from oroi_graph.working_set.kept import WorkingSets


def refusal(error: pytest.ExceptionInfo[EntryRefusedError]) -> list[str]:
    return [problem.pointer for problem in error.value.problems]


def test_every_outcome_with_what_is_generated(graph: Graph) -> None:
    with shared_memory(graph) as shared:
        first = shared.write("claude", "technology", "The backend runs on PostgreSQL with pgvector.")
        assert (first.outcome, first.generated, first.conflicts) == ("inserted", (), ())
        assert first.entry.seq == 1
        assert first.entry.created_at.endswith("+00:00")
        same = shared.write("gemini", "technology", "the backend runs on PostgreSQL with pgvector")
        assert same.outcome == "equivalent"
        assert same.entry == first.entry
        assert same.suggestion
        beside = shared.write("gemini", "technology", "Redis caches the hot entries of the backend.")
        assert beside.outcome == "compatible"
        [summary] = beside.generated
        assert (summary.entry_type, summary.ia_author, summary.generated) == ("summary", "oroi", True)
        assert summary.covers == (beside.entry.id, first.entry.id)
        assert "PostgreSQL" in (summary.field_value or "")
        apart = shared.write("kimi", "technology", "Leeks and potatoes make a good soup.")
        assert apart.outcome == "critical"
        [flag] = apart.generated
        assert flag.entry_type == "flag"
        assert flag.covers[0] == apart.entry.id
        shared.write("claude", "decision", "The release is on 3 March 2026.")
        against = shared.write("gemini", "decision", "The release is on 4 April 2026.")
        assert against.outcome == "contradiction"
        [conflict] = against.generated
        assert conflict.entry_type == "conflict"
        assert [one.ia_author for one in against.conflicts] == ["claude"]
        assert against.entry.disputed
        assert [entry.seq for entry in chain(shared)] == list(range(1, 9))


def chain(shared: Shared) -> list[Entry]:
    return [item.entry for item in shared.contract.read(history=True).items if item.entry is not None][::-1]


def test_both_sides_are_disputed_until_one_entry_names_them(shared: Shared) -> None:
    ours = shared.write("claude", "project_status", "Phase 2 runs.").entry
    theirs = shared.write("gemini", "project_status", "Phase 3 runs.").entry
    assert {e.id: e.disputed for e in current(shared)} == {ours.id: True, theirs.id: True}
    [dispute] = shared.contract.conflicts()
    assert [one.id for one in dispute.entries] == [ours.id, theirs.id]
    # Writing last silences nobody: one side alone cannot be named by another author.
    with pytest.raises(EntryRefusedError) as error:
        shared.write("gemini", "project_status", "Phase 3 runs, really.", parent_entry_id=ours.id)
    assert refusal(error) == ["/parent_entry_id"]
    assert theirs.id in str(error.value)
    settled = shared.contract.settle(
        [dispute.id], {"ia_author": "kimi", "field_value": "Phase 3 runs.", "confidence_score": 1}
    )
    assert settled.outcome == "inserted"
    assert set(settled.entry.parent_entry_ids) == {ours.id, theirs.id}
    assert [(e.id, e.disputed) for e in current(shared)] == [(settled.entry.id, False)]
    assert shared.contract.conflicts() == []
    for ids, says in (([ours.id], "no open dispute"), ([], "name what to settle"), ([5], "is a text, got int")):
        with pytest.raises(InputError, match=says):
            shared.contract.settle(ids, {"ia_author": "kimi", "field_value": "x", "confidence_score": 1})  # type: ignore[arg-type]


def current(shared: Shared) -> list[Entry]:
    return [item.entry for item in shared.contract.read().items if item.entry is not None]


def test_an_author_who_takes_its_word_back_ends_the_dispute(shared: Shared) -> None:
    ours = shared.write("claude", "project_status", "Phase 2 runs.").entry
    shared.write("gemini", "project_status", "Phase 3 runs.")
    again = shared.write("claude", "project_status", "Phase 3 runs.", parent_entry_id=ours.id)
    assert again.outcome == "inserted"
    assert shared.contract.conflicts() == []
    assert {entry.disputed for entry in current(shared)} == {False}


def test_a_contract_may_let_only_others_settle(own: Graph) -> None:
    with shared_memory(own, settlement="others") as shared:
        shared.write("claude", "project_status", "Phase 2 runs.")
        shared.write("gemini", "project_status", "Phase 3 runs.")
        [dispute] = shared.contract.conflicts()
        given = {"field_value": "Phase 3 runs.", "confidence_score": 1}
        with pytest.raises(EntryRefusedError, match="only others"):
            shared.contract.settle([dispute.id], {"ia_author": "gemini", **given})
        assert shared.contract.settle([dispute.id], {"ia_author": "kimi", **given}).outcome == "inserted"


def test_three_values_of_a_single_valued_key_are_one_dispute(shared: Shared) -> None:
    ids = [
        shared.write(a, "project_status", f"Phase {i} runs.").entry.id
        for i, a in enumerate(("claude", "gemini", "kimi"))
    ]
    settled = shared.contract.settle(ids[:1], {"ia_author": "kimi", "field_value": "Phase 9.", "confidence_score": 1})
    assert set(settled.entry.parent_entry_ids) == set(ids)


def test_naming_a_parent_supersedes_it_and_nothing_is_lost(shared: Shared) -> None:
    first = shared.write("claude", "decision", "We use Redis.").entry
    second = shared.write("gemini", "decision", "We use Redis.", parent_entry_id=first.id, kind="verified")
    assert second.outcome == "inserted", "an entry that names parents is never merely equivalent"
    assert [entry.id for entry in current(shared)] == [second.entry.id]
    [old] = [
        item.entry for item in shared.contract.read(history=True).items if item.entry and item.entry.id == first.id
    ]
    assert (old.is_superseded, old.current, old.field_value) == (True, False, "We use Redis.")
    third = shared.write("claude", "decision", "We use Redis.", parent_entry_id=second.entry.id)
    assert third.outcome == "inserted", "what was superseded is no duplicate of what comes later"


@table(
    "parent, pointer",
    [
        ("0b7e5a52-3c1f-4f6e-9d6a-2f1f6a4f8f11", "/parent_entry_id"),
        ("of another key", "/parent_entry_id"),
    ],
)
def test_parents_must_be_entries_of_the_key(shared: Shared, parent: str, pointer: str) -> None:
    known = shared.write("claude", "risk", f"Fire near {parent}.").entry.id
    with pytest.raises(EntryRefusedError) as error:
        shared.write("claude", "decision", "Buy hoses.", parent_entry_id=known if "key" in parent else parent)
    assert refusal(error) == [pointer]


def test_remarks_are_not_compared(shared: Shared) -> None:
    shared.write("claude", "project_status", "Phase 2 runs.")
    flag = shared.write("gemini", "project_status", "Who says so?", entry_type="flag")
    assert flag.outcome == "inserted"
    assert shared.write("gemini", "project_status", "Who says so?", entry_type="flag").outcome == "equivalent"


def test_an_idempotency_key_answers_with_the_first_outcome(shared: Shared) -> None:
    shared.write("claude", "project_status", "Phase 2 runs.")
    first = shared.write("gemini", "project_status", "Phase 3 runs.", idempotency_key="k")
    again = shared.write("gemini", "project_status", "Phase 3 runs.", idempotency_key="k")
    assert again.repeated
    assert (again.outcome, again.entry.id) == (first.outcome, first.entry.id)
    assert [one.id for one in again.generated] == [one.id for one in first.generated]
    assert [one.id for one in again.conflicts] == [one.id for one in first.conflicts]
    with pytest.raises(EntryRefusedError) as error:
        shared.write("gemini", "project_status", "Phase 4 runs.", idempotency_key="k")
    assert refusal(error) == ["/idempotency_key"]
    assert shared.write("kimi", "risk", "Phase 4 is late.", idempotency_key="k").outcome == "inserted", (
        "keys are an author's own"
    )
    shared.publish(document(version="2.0"))
    assert shared.write("gemini", "project_status", "Phase 3 runs.", idempotency_key="k").repeated


def test_an_equivalent_outcome_is_remembered_too(shared: Shared) -> None:
    known = shared.write("claude", "decision", "We use Redis.").entry
    assert shared.write("kimi", "decision", "We use Redis.", idempotency_key="k").outcome == "equivalent"
    shared.write("claude", "decision", "We use Kafka.", parent_entry_id=known.id)
    again = shared.write("kimi", "decision", "We use Redis.", idempotency_key="k")
    assert (again.outcome, again.repeated, again.entry.id) == ("equivalent", True, known.id)


def test_nobody_writes_in_anothers_name(shared: Shared) -> None:
    token = shared.contract.add_author("claude")
    entry = shared.entry("claude", "risk", "Fire.")
    other = shared.contract.add_author("gemini")
    for wrong in (None, other, "nonsense"):
        with pytest.raises(EntryRefusedError) as error:
            shared.contract.write(entry, token=wrong)
        assert refusal(error) == ["/ia_author"]
    assert shared.contract.write(entry, token=token).entry.signature
    with pytest.raises(EntryRefusedError, match="another author's"):
        shared.contract.write(shared.entry("kimi", "risk", "Flood."), token=token)
    renewed = shared.contract.add_author("claude")
    assert renewed != token
    with pytest.raises(EntryRefusedError):
        shared.contract.write(shared.entry("claude", "risk", "Theft."), token=token)
    shared.contract.revoke_author("claude")
    with pytest.raises(EntryRefusedError, match="revoked"):
        shared.contract.write(shared.entry("claude", "risk", "Theft."), token=renewed)
    with pytest.raises(InputError, match="no token that could be revoked"):
        shared.contract.revoke_author("claude")
    with pytest.raises(InputError, match="no author"):
        shared.contract.add_author("nobody")
    kept = shared.graph.store.explore("MATCH (a:Author {memory: $m}) RETURN a.token_hash", m=shared.name)[1]
    assert not {token, renewed, other} & {hash_ for (hash_,) in kept}
    assert shared.contract.verify().valid


def test_a_contract_may_ask_everybody_for_a_token(own: Graph) -> None:
    with shared_memory(own, authentication="token") as shared:
        with pytest.raises(EntryRefusedError) as error:
            shared.write("kimi", "risk", "Fire.")
        assert refusal(error) == ["/ia_author"]
        shared.token["kimi"] = shared.contract.add_author("kimi")
        assert shared.write("kimi", "risk", "Fire.").outcome == "inserted"


def test_nothing_is_written_before_a_contract(own: Graph) -> None:
    name = "contract-none-yet"
    try:
        with pytest.raises(InputError, match="has no contract yet"):
            own.contract(name).write({})
    finally:
        assert own.delete(name) == 0


class Failing(ScriptedEmbedder):
    """An embedder that fails as long as it is told to."""

    broken = True

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.broken:
            raise ProviderError("no model today")
        return super().embed(texts)


def test_a_failing_embedder_costs_no_entry(shared: Shared, store: Store) -> None:
    shared.write("claude", "decision", "Ana decides that we use Redis in Bilbao.")
    embedder = Failing()
    poor = MemoryContract(WorkingSets(store), shared.name, embedder, OfflineExtractor())
    found = poor.write(shared.entry("kimi", "decision", "Leire decides that we use Kafka in Gernika."))
    assert found.outcome == "compatible"
    same = poor.write(shared.entry("gemini", "decision", "leire decides that we use Kafka in Gernika"))
    assert same.outcome == "equivalent", "the semantic hash needs no vectors"
    bare = "MATCH (e:Record:Entry {memory: $m}) WHERE e.embedding IS NULL RETURN e.id"
    assert store.explore(bare, m=shared.name)[1] == [[found.entry.id]]
    embedder.broken = False
    poor.write(shared.entry("gemini", "risk", "Theft."))  # the next write that has vectors fills them in
    assert store.explore(bare, m=shared.name)[1] == []
    mentions = "MATCH (e:Entry {memory: $m, id: $id})-[:MENTIONS]->(c:Concept) RETURN c.label ORDER BY c.label"
    assert ["Gernika"] in store.explore(mentions, m=shared.name, id=found.entry.id)[1]
    assert shared.write("claude", "decision", "Leire decides that we use Kafka in Gernika!").outcome == "equivalent"
    assert shared.contract.verify().valid


def test_a_file_of_entries_has_one_outcome_each(shared: Shared) -> None:
    entries: list[object] = [shared.entry("claude", "risk", f"Risk {i} is high.") for i in range(120)]
    entries[5], entries[6] = {"nonsense": 1}, shared.entry("claude", "risk", "Risk 1 is high.")
    entries[7] = shared.entry("nobody", "risk", "Risk 7 is high.")
    found = list(shared.contract.write_all(entries))
    assert len(found) == len(entries)
    refusals = [place for place, one in enumerate(found) if isinstance(one, EntryRefusedError)]
    assert refusals == [5, 7]
    alone = [one.outcome for one in found if isinstance(one, Outcome)]
    assert found[6].outcome == "equivalent"  # type: ignore[union-attr]
    assert len([one for one in alone if one != "equivalent"]) == sum(not entry.generated for entry in chain(shared))
    assert shared.contract.verify().valid


def test_a_batch_decides_as_single_writes_do(own: Graph) -> None:
    values = ["Phase 2 runs.", "Phase 3 runs.", "phase 3 runs", "We wait.", "Phase 2 runs!"]
    told = []
    for together in (True, False):
        with shared_memory(own) as shared:
            entries = [shared.entry("claude", "project_status", value) for value in values]
            found = (
                list(shared.contract.write_all(entries)) if together else [shared.contract.write(e) for e in entries]
            )
            told.append([(one.outcome, one.entry.seq, len(one.conflicts)) for one in found])  # type: ignore[union-attr]
    assert told[0] == told[1]


def test_a_rolled_back_batch_leaves_nothing_behind(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the database, and not in what the process knows of the key."""
    from oroi_graph.contract.intake.transaction import WriteTransaction

    entries = [shared.entry("claude", "risk", f"Risk {i} is high.") for i in range(3)]
    append = WriteTransaction._append

    def fail(self: WriteTransaction, mentions: object) -> None:
        raise RuntimeError("pulled the plug")

    monkeypatch.setattr(WriteTransaction, "_append", fail)
    with pytest.raises(RuntimeError):
        list(shared.contract.write_all(entries))
    monkeypatch.setattr(WriteTransaction, "_append", append)
    assert chain(shared) == []
    assert [one.outcome for one in shared.contract.write_all(entries)][:1] == ["inserted"]  # type: ignore[union-attr]
    assert shared.contract.verify().valid


def test_a_recalled_brief_is_no_entry(shared: Shared) -> None:
    shared.write("claude", "risk", "Fire in Bilbao is a risk.")
    brief = shared.graph.memory(shared.name).recall("Which risk is there in Bilbao?").brief.text
    assert "Fire in Bilbao" in brief
    with pytest.raises(EntryRefusedError, match="recalled brief"):
        shared.write("gemini", "risk", brief)


def malformed(shared: Shared, chance: random.Random) -> object:
    """An entry with at least one thing wrong."""
    entry = shared.entry("claude", "risk", f"Fire {chance.random()}.")
    junk = [None, -1, 1e308, float("nan"), "", "\0", "\ud800", [], {}, ["x"], "x" * 30_000]
    kind = chance.randrange(4)
    if kind == 0:
        return chance.choice(junk)
    if kind == 1:
        del entry[chance.choice(list(entry))]
        return entry
    if kind == 2:
        return entry | {chance.choice(["id", "created_at", "a/b", "~"]): chance.choice(junk)}
    return entry | {chance.choice(list(entry)): chance.choice(junk)}


def test_malformed_entries_leave_nothing(shared: Shared, store: Store) -> None:
    chance = random.Random(0)
    kept = shared.write("claude", "decision", "We wait.")
    entries = [malformed(shared, chance) for _ in range(300)]
    found = list(shared.contract.write_all(entries))
    refused = [one for one in found if isinstance(one, EntryRefusedError)]
    assert len(refused) == len(entries)
    assert all(problem.pointer == "" or problem.pointer[0] == "/" for one in refused for problem in one.problems)
    assert [entry.id for entry in chain(shared)] == [kept.entry.id]
    assert store.explore("MATCH (k:EntryKey {memory: $m}) RETURN k.key", m=shared.name)[1] == [["decision"]]
    assert shared.contract.verify().valid


def test_threads_share_a_contract(shared: Shared) -> None:
    """One object, one cache, several writers: the chain is whole, and nothing is written twice."""

    def write(number: int) -> list[str]:
        values = [f"Point {place} of {number % 2}." for place in range(4)]
        return [shared.write("claude", "risk", value).outcome for value in values]

    with ThreadPoolExecutor(4) as pool:
        outcomes = [outcome for some in pool.map(write, range(4)) for outcome in some]
    assert outcomes.count("equivalent") == 8
    assert len({entry.field_value for entry in chain(shared) if not entry.generated}) == 8
    assert shared.contract.verify().valid
