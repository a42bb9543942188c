"""What `from oroi_graph import …` offers: sorted, all of it there, typed as it is loaded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import oroi_graph


def typed() -> dict[str, str]:
    """The names that type checkers see, with the modules they see them in."""
    tree = ast.parse(Path(oroi_graph.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert all(node.level == 1 and alias.asname == alias.name for node in imports for alias in node.names)
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def test_the_public_names_are_sorted_and_there() -> None:
    assert oroi_graph.__all__ == sorted(oroi_graph.__all__)
    for name in oroi_graph.__all__:
        found = getattr(oroi_graph, name)
        assert (found.__name__, found.__module__.removeprefix("oroi_graph.")) == (name, typed()[name])


def test_types_and_run_time_agree() -> None:
    assert sorted(typed()) == oroi_graph.__all__
    assert set(oroi_graph.__all__) <= set(dir(oroi_graph))


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'remember_everything'"):
        _ = oroi_graph.remember_everything
