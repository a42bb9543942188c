"""The `oroi` command line. A command parses, calls the library, prints; heavy imports wait until one runs."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Sequence

__all__ = ["main"]

GARBAGE = 100_000  # objects more than before at which a collection begins

# Python looks for garbage once more when it ends, when all goes anyway.
atexit.register(gc.disable)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `oroi` with these arguments (the process's own by default); its exit code, as `cli.app.main` says."""
    # Imports make many objects that stay: looking for garbage among them takes a part of a short command's time.
    gc.set_threshold(GARBAGE, *gc.get_threshold()[1:])
    from oroi_graph.cli import app

    return app.main(arguments)
