"""A full disk: said within seconds, with what to do."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from databases import SHORT_LIVED
from fault_disk import fill
from shared_assets import ASSET_CACHE

from oroi_graph.connection import open_store
from oroi_graph.errors import DatabaseFailedError, ServerError
from oroi_graph.server.home import LEAST_SPACE
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings

SIZE = LEAST_SPACE + 60 * 10**6


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("a small disk can only be mounted by root on Linux")
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ctypes.CDLL(None, use_errno=True).mount
    if mount(b"tmpfs", str(folder).encode(), b"tmpfs", 0, f"size={SIZE}".encode()) != 0:
        pytest.skip(f"a small disk cannot be mounted here ({os.strerror(ctypes.get_errno())})")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def write(settings: Settings, size: int) -> None:
    with open_store(settings) as store:
        store.schema("UNWIND range(1, 20) AS n CREATE (:Kept {text: $said + n})", said="x" * size)


def write_until_full(settings: Settings) -> None:
    for _ in range(50):
        write(settings, 100_000)


def test_a_full_disk(disk: Path) -> None:
    settings = Settings(data_dir=disk / "data", cache_dir=ASSET_CACHE)
    server = ManagedServer(settings.data_dir, ASSET_CACHE, SHORT_LIVED)
    full = fill(disk, LEAST_SPACE // 2)
    with pytest.raises(ServerError, match=r"the disk of .* has \d+ MB left, a server needs 64 MB: free some space"):
        open_store(settings)
    assert not list((disk / "data").rglob("neo4j.conf"))
    full.unlink()
    server.start()
    try:
        write(settings, 10)
        full = fill(disk, 0)
        with pytest.raises((DatabaseFailedError, ServerError), match="free some space"):
            write_until_full(settings)
        with pytest.raises((DatabaseFailedError, ServerError), match="free some space"):
            write(settings, 10)
    finally:
        # Not stopped: on a full disk it would try to write its last checkpoint, and its data go with the disk.
        psutil.Process(server.status().pid).kill()
