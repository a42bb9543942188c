"""The sizes of a memory: what lies on the path of recall, what beside it, and how it grows."""

from __future__ import annotations

from graph_state import live_and_sleep
from graph_view import associations, concepts, records, rows, stating

from oroi_graph import Memory
from oroi_graph.storage.store import Store


def test_an_empty_memory(memory: Memory) -> None:
    found = memory.stats().to_json()
    assert (found["turns"], found["concepts"], found["slept_turn"], found["slept_state"]) == (0, 0, None, None)
    assert not [name for name in found if name.endswith("_per_100_turns")]


def test_what_sleep_put_aside_is_counted_apart(memory: Memory) -> None:
    live_and_sleep(memory)
    found = memory.stats()
    said = records(memory)
    resting = [record for record in said if record.get("resting")]
    kept = [record for record in said if record.get("verbatim")]
    assert (found.resting, found.recallable) == (len(resting), len(said) - len(resting))
    assert found.gists == len([record for record in kept if not record.get("resting")])
    assert found.episodes + found.replies == len(said)
    assert found.characters == sum(len(record["text"]) for record in said)
    assert found.verbatim_characters == sum(len(record["verbatim"]) for record in kept)
    facts = associations(memory)
    assert (found.associations, found.current) == (len(facts), sum("superseded_turn" not in fact for fact in facts))
    assert (found.concepts, found.merged) == (len(concepts(memory)), 2)
    assert min(found.resting, found.gists, found.superseded, found.coincidences, found.lit) > 0
    assert (found.slept_turn, found.slept_state) == (found.turns, "done")
    [run] = rows(
        memory, "MATCH (s:Sleep {memory: $memory}) RETURN toString(s.finished_at) AS at ORDER BY s.turn DESC LIMIT 1"
    )
    assert found.slept_at == run["at"]


def test_growth_is_per_hundred_turns(memory: Memory) -> None:
    for number in range(4):
        memory.perceive(f"The boat {number}", speaker="Ana", extraction=stating(concepts=[f"boat {number}"])).close()
    found = memory.stats()
    assert found.growth["concepts_per_100_turns"] == 100 * found.concepts / 4
    assert found.growth["characters_per_100_turns"] == 100 * len("The boat 0" * 4) / 4
    assert found.to_json()["recallable_per_100_turns"] == 100


def test_the_last_sleep_is_the_latest_one_even_if_it_failed(memory: Memory, store: Store) -> None:
    store.schema(
        "UNWIND [[1, 'done', datetime()], [7, 'failed', null]] AS s CREATE (:Sleep {memory: $memory, turn: s[0], "
        "state: s[1], finished_at: s[2], started_at: datetime('2026-03-02T12:00:00Z')})",
        memory=memory.name,
    )
    found = memory.stats()
    assert (found.slept_turn, found.slept_state, found.slept_at) == (7, "failed", "2026-03-02T12:00:00Z")


def test_other_memories_do_not_count(memory: Memory, store: Store) -> None:
    before = memory.stats()
    store.schema(
        "CREATE (:Merged {memory: $other}), (:Sleep {memory: $other, turn: 9, state: 'done'}), "
        "(:Record {memory: $other, text: 'x', verbatim: 'y', resting: true})",
        other=f"{memory.name}-other",
    )
    try:
        assert memory.stats() == before
    finally:
        store.schema("MATCH (n {memory: $other}) DETACH DELETE n", other=f"{memory.name}-other")
