"""Waiting for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PATIENCE = 120.0  # seconds after which a test gives up waiting


def waited(condition: Callable[[], Any]) -> Any:
    """What `condition` returns once it is true. Fails after PATIENCE seconds."""
    until = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < until, "it never came"
        time.sleep(0.05)
    return found
