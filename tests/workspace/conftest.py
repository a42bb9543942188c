"""What the workspace's tests share."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest_cli import cli_environment, mind, oroi, spawn
from conftest_workspace import QUIET

from oroi_graph import Graph, OfflineExtractor, ScriptedEmbedder
from oroi_graph.workspace.layout import Layout
from oroi_graph.workspace.pipeline import Workspace

__all__ = ["cli_environment", "mind", "oroi", "spawn"]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A new workspace."""
    (tmp_path / "memory").mkdir()
    return Layout.of(tmp_path)


@pytest.fixture(scope="session")
def own(graph: Graph) -> Graph:
    """A graph whose embedder costs nothing: texts are alike if they share letters."""
    return Graph(graph.store, ScriptedEmbedder(), OfflineExtractor())


@pytest.fixture
def named(own: Graph) -> Iterator[str]:
    """The name of a memory of this test's own, deleted afterwards with all that it leaves."""
    name = f"notes-{uuid.uuid4().hex[:10]}"
    own.memory(name)
    yield name
    assert own.delete(name) == 0


@pytest.fixture
def workspace(own: Graph, named: str, layout: Layout) -> Workspace:
    """A new workspace of a memory."""
    return own.workspace(named, layout.root, config=QUIET)
