"""Kill -9 of the server in the middle of an import: nothing lost, nothing doubled, the same graph."""

from __future__ import annotations

from pathlib import Path

import kill
import pytest
from databases import SHORT_LIVED
from shared_assets import ASSET_CACHE

from oroi_graph.providers.protocols import Embedder
from oroi_graph.server.managed import ManagedServer


@pytest.mark.kill
def test_a_killed_and_resumed_import_gives_the_graph_of_an_undisturbed_one(tmp_path: Path, minilm: Embedder) -> None:
    server = ManagedServer(tmp_path, ASSET_CACHE, SHORT_LIVED)
    try:
        outcome = kill.run(server, minilm, kills=3, seed=3, turns=kill.sample(80))
    finally:
        server.stop()
    assert outcome.kills == 3
    assert outcome.things > 200
    assert outcome.differences == ()


def test_the_comparison_sees_every_kind_of_difference() -> None:
    one = {"node a": {"labels": ["Concept"], "activation": 0.5, "aliases": ["x"]}, "node b": {"labels": []}}
    other = {"node a": {"labels": ["Concept"], "activation": 0.5 + 1e-8, "aliases": []}, "node c": {"labels": []}}
    found = list(kill.differences(one, other))
    assert [line.split(":")[0] for line in found] == ["node a", "node a", "missing", "left over"]
    near = {**one, "node a": {**one["node a"], "activation": 0.5 + 1e-10}}
    assert list(kill.differences(one, near)) == []
