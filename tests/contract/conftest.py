"""What the contract's tests share: a graph whose embedder costs nothing, and a memory with a contract."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest_cli import cli_environment, mind, oroi, spawn
from contracts import Shared, shared_memory

from oroi_graph import Graph, OfflineExtractor, ScriptedEmbedder

__all__ = ["cli_environment", "mind", "oroi", "spawn"]


@pytest.fixture(scope="session")
def own(graph: Graph) -> Graph:
    """A graph whose embedder costs nothing: values are alike if they share letters."""
    return Graph(graph.store, ScriptedEmbedder(), OfflineExtractor())


@pytest.fixture
def shared(own: Graph) -> Iterator[Shared]:
    """A memory with a contract."""
    with shared_memory(own) as made:
        yield made
