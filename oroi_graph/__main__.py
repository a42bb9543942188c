"""`python -m oroi_graph` is `oroi`."""

from __future__ import annotations

import sys

from oroi_graph.cli import main

if __name__ == "__main__":
    sys.exit(main())
