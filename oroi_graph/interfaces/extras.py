"""What commands and interfaces need beyond the package: its extras, and what to do where one is absent."""

from __future__ import annotations

from importlib.util import find_spec

from oroi_graph.errors import SettingsError

# What each extra brings, by the names that are imported.
EXTRAS = {
    "evaluation": ("networkx", "scipy", "bm25s", "yake", "RAKE"),
    "pictures": ("networkx", "matplotlib"),
    "mcp": ("mcp", "uvicorn", "starlette"),
    "http": ("fastapi", "uvicorn", "limits", "httpx2"),
}


def require(extra: str) -> None:
    """Raise SettingsError, saying what to install, unless everything of an extra is there."""
    absent = [name for name in EXTRAS[extra] if find_spec(name) is None]
    if absent:
        raise SettingsError(f"{absent[0]} is not installed: pip install 'oroi-graph[{extra}]'")
