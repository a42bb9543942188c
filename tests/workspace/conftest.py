"""What the workspace's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from oroi_graph.workspace.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A new workspace."""
    (tmp_path / "memory").mkdir()
    return Layout.of(tmp_path)
