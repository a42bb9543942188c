"""A process of its own that writes turns into a memory: what test_concurrency runs twice at once."""

from __future__ import annotations

import os
import sys

from graph_view import NOON, stating

from oroi_graph import Graph, OfflineExtractor, ScriptedEmbedder
from oroi_graph.storage.store import Store


def main(uri: str, name: str, speaker: str, count: int) -> None:
    """Write `count` turns, each closed with a reply; print the number of each."""
    with Store(uri, os.environ["WRITER_USER"], os.environ["WRITER_PASSWORD"]) as store:
        memory = Graph(store, ScriptedEmbedder(), OfflineExtractor()).memory(name)
        print("ready", flush=True)  # noqa: T201
        sys.stdin.readline()
        for i in range(count):
            extraction = stating(
                ("I", "visited", f"Town {i}"),
                ("Marta", "knows", speaker),
                names=["Marta", f"Town {i}"],
                concepts=["shared road"],
            )
            turn = memory.perceive(
                f"I visited Town {i}.", speaker=speaker, id=f"{speaker}-{i}", at=NOON, extraction=extraction
            )
            turn.close(f"Town {i} is nice.")
            print(turn.number, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
