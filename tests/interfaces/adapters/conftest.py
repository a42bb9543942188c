"""What the tests of the adapters share: a memory for each file."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from oroi_graph.memory import Graph, Memory


@pytest.fixture(scope="module")
def diary(graph: Graph) -> Iterator[Memory]:
    """A memory of this file's own, with a life in it; deleted afterwards, with all that adapters keep beside it."""
    opened = graph.memory(f"test-{uuid.uuid4().hex[:12]}")
    opened.perceive("My sister Leire lives in Gernika.", speaker="Ana", id="life-1").close("A fine town.")
    opened.perceive("I work with Iker at the harbour.", speaker="Ana", id="life-2").close("I see.")
    opened.perceive("My boss is called Maite.", speaker="Ana", id="life-3").close("Noted.")
    yield opened
    assert graph.delete(opened.name) == 0
