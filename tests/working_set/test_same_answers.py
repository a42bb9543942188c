"""The same answers with working sets kept, with none, and in two processes that take turns; and the sets themselves.

The long form, over several lives, is `benchmarks/same_answers.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from databases import TestDatabase
from graph_state import everything_of
from graph_view import rows
from scripted_life import OPTIONS, LifeProcess, ScriptedLife, differences, graph_of
from working_sets import content

from oroi_graph import Graph, MemoryNotFoundError, OfflineExtractor
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.storage.store import Store
from oroi_graph.working_set import snapshot
from oroi_graph.working_set.transactions import stands_at

SEED, STEPS = 5, 32


@pytest.fixture
def lives(store: Store) -> Iterator[None]:
    """The lives have one name, so no two of them are lived at a time; deleted afterwards."""
    yield
    graph = Graph(store, CachedEmbedder(_NoModel()), OfflineExtractor())
    with suppress(MemoryNotFoundError):
        graph.delete(f"scripted-{SEED}")


class _NoModel:
    model, dimensions = "none", 1

    def embed(self, texts: Any) -> Any:
        raise AssertionError(texts)


def stamp(life: ScriptedLife) -> str:
    return str(rows(life.memory, "MATCH (m:Memory {name: $memory}) RETURN m.stamp AS stamp")[0]["stamp"])


def lived(graph: Graph, take: Any) -> list[dict[str, Any]]:
    with suppress(MemoryNotFoundError):
        graph.delete(f"scripted-{SEED}")
    life = ScriptedLife(graph.memory(f"scripted-{SEED}"), SEED, STEPS)
    seen = [take(life, number) for number in range(STEPS)]
    return json.loads(json.dumps([*seen, graph_of(life.memory)]))  # type: ignore[no-any-return]


def test_the_same_answers(store: Store, store_settings: TestDatabase, minilm: CachedEmbedder, lives: None) -> None:
    kept = Graph(store, minilm, OfflineExtractor(), OPTIONS)
    raised = []

    def checked(life: ScriptedLife, number: int) -> dict[str, Any]:
        """A step; what changed the memory has raised its version; what is kept is what would be loaded."""
        name = life.memory.name
        before, was = everything_of(store, name, verbatim=True), stamp(life)
        found = life.take(number)
        changed = everything_of(store, name, verbatim=True) != before
        raised.append((life.kinds[number], changed, stamp(life) != was))
        held = kept.sets.read(name, lambda tx: tx.held)
        loaded = store.read(lambda tx: snapshot.load(tx, name, stands_at(tx, name, None)))
        assert differences(content(held), content(loaded), 0.0) == []
        return found

    wanted = lived(kept, checked)
    assert [kind for kind, changed, number in raised if changed and not number] == []
    assert [kind for kind, changed, number in raised if changed]
    assert [kind for kind, _, number in raised if not number]
    stats = kept.stats()
    assert stats.fresh > 20
    none = Graph(store, minilm, OfflineExtractor(), OPTIONS, working_set=0)
    assert differences(wanted, lived(none, ScriptedLife.take)) == []
    assert none.stats().memories == 0
    with LifeProcess(store_settings, SEED, STEPS) as one, LifeProcess(store_settings, SEED, STEPS) as other:
        assert differences(wanted, lived(kept, lambda _, number: (one, other)[number % 2].take(number))) == []


def test_differences_are_seen() -> None:
    tied = [{"id": "a", "score": 1.0}, {"id": "b", "score": 1.0}]
    assert differences(tied, tied[::-1]) == []
    assert differences(tied, [{"id": "b", "score": 1.1}, {"id": "a", "score": 1.0}])
    assert differences({"x": [1.0]}, {"x": [1.0 + 1e-8]})
    assert differences({"x": [1.0]}, {"x": [1.0 + 1e-10]}) == []
    assert differences({"x": 1}, {}) == [".x: only in one"]
