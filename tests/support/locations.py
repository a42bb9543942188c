"""Where the suite finds things: the project, its test data, scripts that tests start, and measuring data beside it."""

from __future__ import annotations

from pathlib import Path

SUPPORT = Path(__file__).resolve().parent
DATA = SUPPORT.parent / "data"
PROJECT = SUPPORT.parents[1]
SHARED = PROJECT.parent / "shared" / "data"
