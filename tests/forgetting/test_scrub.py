"""What was forgotten is gone from the disk, too, and everything else goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph_view import NOON
from shared_assets import ASSET_CACHE

from oroi_graph import connect
from oroi_graph.connection import open_store
from oroi_graph.errors import ServerError
from oroi_graph.forgetting.scrub import scrub
from oroi_graph.providers.protocols import Embedder
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings

WORDS = ("Xylquorbin", "Zephkrandol")


def holding(folder: Path) -> list[str]:
    """The files that hold one of the words."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            if any(form.encode() in content for word in WORDS for form in (word, word.casefold())):
                found.append(path.name)
    return found


def test_nothing_is_left_on_the_disk(tmp_path: Path, minilm: Embedder) -> None:
    settings = Settings(data_dir=tmp_path, cache_dir=ASSET_CACHE, server_heap="256m", server_page_cache="64m")
    server = ManagedServer.from_settings(settings)
    try:
        with connect(settings=settings, embedder=minilm) as graph:
            memory = graph.memory("diary")
            memory.perceive("I live in Bilbao.", speaker="Ana", at=NOON).close()
            for word in WORDS:
                said = f"My colleague {word} works in a long building by the river, and I like {word} a lot."
                memory.perceive(said, speaker="Ana", at=NOON).close(f"Good to know about {word}.")
            for word in WORDS:
                assert memory.forget(word, speaker="Ana").remains == 0
        with pytest.raises(ServerError, match="stop it before"):
            server.delete_indexes()
        server.stop()
        assert holding(server.data_folder), "deleting in the database is not deleting on the disk"
        done = scrub(server, lambda: open_store(settings), WORDS)
        assert done.left == ()
        assert done.searched > 10
        assert "none of" in str(done)
        with connect(settings=settings, embedder=minilm) as graph:
            assert "Bilbao" in graph.memory("diary").recall("Where do I live?", speaker="Ana").brief.text
            assert graph.store.explore("MATCH (f:Filler) RETURN count(f)")[1] == [[0]]
        server.stop()
        assert holding(server.data_folder) == []
    finally:
        server.stop()
