"""A process of its own that takes a lease and says what comes of it: what test_lease runs, and kills."""

from __future__ import annotations

import os
import sys

from oroi_graph.errors import BusyError
from oroi_graph.storage.lease import leased
from oroi_graph.storage.store import Store


def main(uri: str, name: str, seconds: float) -> None:
    """Hold the lease of `name` until a line comes in; print its fence, or "busy"."""
    with Store(uri, os.environ["HOLDER_USER"], os.environ["HOLDER_PASSWORD"]) as store:
        print("ready", flush=True)  # noqa: T201
        sys.stdin.readline()
        try:
            with leased(store, name, seconds=seconds) as lease:
                print(lease.fence, flush=True)  # noqa: T201
                sys.stdin.readline()
        except BusyError:
            print("busy", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
