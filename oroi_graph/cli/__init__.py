"""The `oroi` command line. A command parses, calls the library, prints; heavy imports wait until one runs."""

from __future__ import annotations

from oroi_graph.cli.app import main

__all__ = ["main"]
