"""Every example of docs/adapters runs offline, where its framework is installed, and answers from memory."""

from __future__ import annotations

import importlib.util
from importlib import import_module
from pathlib import Path

import pytest

from oroi_graph.errors import SettingsError
from oroi_graph.memory import Memory

EXAMPLES = sorted((Path(__file__).parents[3] / "docs/adapters").glob("with_*.py"))
ADAPTERS = {"with_google_adk": "adk"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_answers_from_memory(path: Path, memory: Memory) -> None:
    name = ADAPTERS.get(path.stem, path.stem.removeprefix("with_"))
    try:
        import_module(f"oroi_graph.interfaces.adapters.{name}")
    except SettingsError as error:
        pytest.skip(str(error))
    if path.stem == "with_langgraph":  # its store needs less than its graphs do
        pytest.importorskip("langgraph.graph", reason="pip install langgraph")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    assert "Gernika" in example.run(memory)


def test_every_adapter_has_an_example() -> None:
    folder = Path(__file__).parents[3] / "oroi_graph/interfaces/adapters"
    adapters = {path.stem for path in folder.glob("*.py")} - {"__init__", "talk"}
    assert {ADAPTERS.get(path.stem, path.stem.removeprefix("with_")) for path in EXAMPLES} == adapters
