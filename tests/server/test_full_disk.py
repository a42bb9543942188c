"""A full disk and a killed server: said within seconds, with what to do."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from shared_assets import ASSET_CACHE

from oroi_graph.connection import open_store
from oroi_graph.errors import DatabaseFailedError, ServerError, UnreachableError
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


def fill(folder: Path, leave: int) -> Path:
    """Take all of a disk but some bytes."""
    status = os.statvfs(folder)
    full = folder / "full"
    with full.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, status.f_bavail * status.f_frsize - leave))
    return full


def kept(settings: Settings) -> int:
    with open_store(settings) as store:
        return int(store.explore("MATCH (k:Kept) RETURN count(k)")[1][0][0])


def write(settings: Settings, size: int) -> None:
    with open_store(settings) as store:
        store.schema("UNWIND range(1, 20) AS n CREATE (:Kept {text: $said + n})", said="x" * size)


def test_a_server_that_was_killed_is_not_waited_for(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, cache_dir=ASSET_CACHE, server_heap="256m", server_page_cache="64m")
    server = ManagedServer.from_settings(settings)
    try:
        with open_store(settings) as store:
            psutil.Process(server.status().pid).kill()
            # Without asking whether the server lives, the driver would try for half a minute, and say so otherwise.
            with pytest.raises(UnreachableError, match=r"the managed server has ended.*: repeat the command"):
                store.write_rows("storage/read_schema")
        assert kept(settings) == 0  # started again
    finally:
        server.stop()


def write_until_full(settings: Settings) -> None:
    for _ in range(50):
        write(settings, 100_000)


def test_a_full_disk(disk: Path) -> None:
    settings = Settings(data_dir=disk / "data", cache_dir=ASSET_CACHE, server_heap="256m", server_page_cache="64m")
    server = ManagedServer.from_settings(settings)
    full = fill(disk, LEAST_SPACE // 2)
    with pytest.raises(ServerError, match=r"the disk of .* has \d+ MB left, a server needs 64 MB: free some space"):
        open_store(settings)
    assert not list((disk / "data").rglob("neo4j.conf"))
    full.unlink()
    try:
        write(settings, 10)
        full = fill(disk, 0)
        with pytest.raises((DatabaseFailedError, ServerError), match="free some space"):
            write_until_full(settings)
        with pytest.raises((DatabaseFailedError, ServerError), match="free some space"):
            write(settings, 10)
    finally:
        server.stop()
