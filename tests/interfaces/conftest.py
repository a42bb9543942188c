"""What the tests of the interfaces share: the command line, keys, and a second memory."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from conftest_cli import cli_environment, oroi, spawn

from oroi_graph.interfaces.keys import KeyRegistry
from oroi_graph.memory import Graph, Memory
from oroi_graph.storage.store import Store

__all__ = ["cli_environment", "oroi", "spawn"]


@pytest.fixture
def keys(store: Store) -> KeyRegistry:
    return KeyRegistry(store)


@pytest.fixture
def other(graph: Graph) -> Iterator[Memory]:
    """A memory that the test may delete."""
    opened = graph.memory(f"test-{uuid.uuid4().hex[:12]}")
    yield opened
    if opened.name in [found.name for found in graph.memories()]:
        assert graph.delete(opened.name) == 0
