"""Turns over a network that cuts and refuses: each is kept once, or refused in one line and kept when it is sent again.

`benchmarks/faults.py network` does the same for longer, with more kinds of trouble.
"""

from __future__ import annotations

import random
import uuid
from typing import Any
from urllib.parse import urlsplit

import pytest
from fault_network import say_through

from oroi_graph.memory import Graph
from oroi_graph.server.managed import ServerAddress

TURNS = 4


@pytest.mark.parametrize("kind", ["cut", "refused"])
def test_turns_are_kept_once(kind: str, graph: Graph, store_settings: Any) -> None:
    at = store_settings
    if urlsplit(at.uri).hostname not in ("127.0.0.1", "localhost"):
        pytest.skip(f"the proxy passes on to ports of this machine, and the database is at {at.uri}")
    name = f"{kind}-{uuid.uuid4().hex[:8]}"
    done = say_through(ServerAddress(at.uri, at.user, at.password, at.database), name, kind, random.Random(1), TURNS)
    assert done.faults == []
    assert done.acknowledged + done.refused >= TURNS
    assert graph.delete(name) == 0
