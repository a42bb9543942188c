"""Every example of docs/adapters runs offline, where its framework is installed, and answers from memory."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from locations import PROJECT, script

from oroi_graph.errors import SettingsError
from oroi_graph.memory import Memory

EXAMPLES = sorted((PROJECT / "docs/adapters").glob("with_*.py"))
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
    assert "Gernika" in script(path).run(memory)


def test_every_adapter_has_an_example() -> None:
    folder = PROJECT / "oroi_graph/interfaces/adapters"
    adapters = {path.stem for path in folder.glob("*.py")} - {"__init__", "talk"}
    assert {ADAPTERS.get(path.stem, path.stem.removeprefix("with_")) for path in EXAMPLES} == adapters
