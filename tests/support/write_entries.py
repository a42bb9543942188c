"""A process of its own that writes entries under a contract: what tests and benchmarks run several of at once.

    write_entries.py URI MEMORY SCHEMA_HASH AUTHOR NUMBER COUNT KEY...

It waits for a line on standard input, then prints one JSON object a write: what was sent, the reply, when it began and
ended. With a write that fails because the server is away it waits, and sends it again with the same idempotency key.
With WRITER_EMBEDDER=minilm it embeds by the local model, by one thread, as there are several such processes.
"""

from __future__ import annotations

import json
import os
import sys
import time

from oroi_graph import Graph, OfflineExtractor, ScriptedEmbedder
from oroi_graph.errors import StoreError
from oroi_graph.providers.minilm import MiniLM
from oroi_graph.providers.protocols import Embedder
from oroi_graph.server.fetch import ensure_minilm
from oroi_graph.settings import Settings
from oroi_graph.storage.store import Store

PATIENCE = 180.0  # seconds


def value_of(number: int, place: int) -> str:
    """A value; every fourth one is written by all processes."""
    return f"Shared point {place}." if place % 4 == 0 else f"Process {number} reports {place * 7} open tasks."


def embedder() -> Embedder:
    """The one that was asked for."""
    if os.environ.get("WRITER_EMBEDDER") == "minilm":
        settings = Settings.from_env({name: value for name, value in os.environ.items() if name != "OROI_NEO4J_URI"})
        return MiniLM(ensure_minilm(settings.cache_dir), threads=1)
    return ScriptedEmbedder()


def main(uri: str, memory: str, schema_hash: str, author: str, number: str, count: str, *keys: str) -> None:
    """Write `count` entries, the keys in turn."""
    with Store(uri, os.environ["WRITER_USER"], os.environ["WRITER_PASSWORD"]) as store:
        contract = Graph(store, embedder(), OfflineExtractor()).contract(memory, create=False)
        print("ready", flush=True)  # noqa: T201
        sys.stdin.readline()
        for place in range(int(count)):
            sent = {
                "ia_author": author, "entry_type": "fact", "field_key": keys[place % len(keys)],
                "field_value": value_of(int(number), place), "confidence_score": 0.9, "schema_hash": schema_hash,
                "idempotency_key": f"{number}-{place}",
            }  # fmt: skip
            began = time.monotonic()
            while True:
                try:
                    reply = contract.write(sent).to_json()
                    break
                except StoreError:
                    if time.monotonic() - began > PATIENCE:
                        raise
                    time.sleep(0.5)
            told = {"process": int(number), "sent": sent, "reply": reply, "began": began, "ended": time.monotonic()}
            print(json.dumps(told), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
