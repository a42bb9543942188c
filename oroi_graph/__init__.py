"""Long-term memory for agents, kept as a living graph in Neo4j.

Data flows through the rooms (folders) in this order. `perception` writes a turn: `extraction` reads what it states,
`entities` finds what it mentions, `activation` lights it and spreads. `recall` answers a question from the memory's
`working_set`; `windows` reads the times in it. `consolidation` is sleep, `forgetting` deletes. `contract` has entries
that agents share, `workspace` Markdown notes. All of them stand on `storage` (the database, which `server` runs),
`providers` (models), `language` and `redaction`. `transfer`, `visualization`, `evaluation`, `interfaces` and `cli` use
the façade: `connection` opens a graph, `memory` has its verbs, `worker` sleeps on a schedule, `diagnosis` says what is
wrong, `ogm` is for neomodel. `model`, `options`, `recall_options`, `settings`, `errors` and `files` are what all share.

The stub `__init__.pyi` is the one list of public names and of the modules they live in: type checkers read it, and so
does this module. A name is imported on first use, so that `oroi --help` does not wait for a database driver.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

_HOMES = {
    alias.name: f".{node.module}"
    for node in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Import a public name from its home on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name], __name__), name)
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
