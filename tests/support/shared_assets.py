"""One cache of downloads for all tests: what was fetched once is never fetched again."""

from __future__ import annotations

import os
from pathlib import Path

from oroi_graph.settings import Settings

ASSET_CACHE = Path(os.environ.get("OROI_TEST_CACHE") or Settings.from_env().cache_dir)
