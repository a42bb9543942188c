"""The `oroi` command line: a command parses, calls one function of the library, prints.

`app` is `oroi` itself: the list of commands, and where errors end. `session` has what commands share (the settings of
this call, an opened store or graph, types of options, progress), `output` prints. The commands are in `talk` (say, ask,
profile, chat), `transfer` (import, backup, restore), `look` (show, cypher, windows), `sleep` (consolidate, merges,
worker), `forgetting` (forget, undo, fact), `episodes`, `memories` (memory, stats, retry, reembed), `service` (setup,
server, migrate, doctor), `evaluate`, and the folders `contract`, `workspace` and `interfaces` (key, mcp, serve,
explore). Heavy imports wait until a command runs.
"""

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
