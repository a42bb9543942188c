"""The demonstration of all doors: real processes, the official MCP client, Chromium, LangGraph, over two memories."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from browser import found_browser

SCRIPT = Path(__file__).parents[2] / "docs/demo/interfaces.py"


def test_two_memories_through_every_door(cli_environment: dict[str, str]) -> None:
    pytest.importorskip("langgraph.graph", reason="pip install 'oroi-graph[test-adapters]'")
    if found_browser() is None:
        pytest.skip("no browser is installed (Debian: apt-get install chromium)")
    environment = dict(os.environ) | cli_environment
    ran = subprocess.run([sys.executable, str(SCRIPT)], env=environment, capture_output=True, text=True, timeout=540)
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    for door in ("taught by MCP", "read by HTTP", "seen in the explorer", "used by LangGraph", "asked by MCP"):
        assert ran.stdout.count(f"--- {door}, ") == 2
    assert "--- every door shows its own: True; crossed: nothing" in ran.stdout
