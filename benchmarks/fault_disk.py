"""A disk that fills up while turns are said: refused in a line, nothing acknowledged is lost, and it goes on after."""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import psutil
from fault_life import turns_of
from graph_view import stating

from oroi_graph import Graph, Memory, OfflineExtractor, ScriptedEmbedder
from oroi_graph.connection import open_store
from oroi_graph.errors import OroiError
from oroi_graph.server.home import LEAST_SPACE
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings
from oroi_graph.storage import migrations

SIZE = LEAST_SPACE + 120 * 10**6
LONGEST = 60.0  # seconds within which the full disk must be told


def disk(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
    """`count` times: turns until the disk is full, then room again. The server is one of its own, on a small disk."""
    folder = settings.data_dir / "disk"
    folder.mkdir(parents=True)
    mounted = ctypes.CDLL(None, use_errno=True).mount(
        b"tmpfs", str(folder).encode(), b"tmpfs", 0, f"size={SIZE}".encode()
    )
    if mounted != 0:
        raise SystemExit("a small disk can only be mounted by root on Linux")
    own = replace(settings, data_dir=folder / "data")
    small = ManagedServer.from_settings(own)
    try:
        return _filled(own, folder, choose, count)
    finally:
        if (pid := small.status().pid) is not None:
            psutil.Process(pid).kill()
            psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=30)
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _filled(settings: Settings, folder: Path, choose: random.Random, count: int) -> dict[str, object]:
    acknowledged: list[str] = []
    faults: list[str] = []
    slowest, refused = 0.0, 0
    for round_ in range(count):
        with open_store(settings) as store:
            migrations.migrate(store, 384)
            memory = Graph(store, ScriptedEmbedder(384), OfflineExtractor()).memory("disk")
            for turn in range(choose.randrange(1, 10)):
                _say(memory, f"{round_}-{turn}", acknowledged)
            full = fill(folder, choose.randrange(0, 200_000))
            began = time.monotonic()
            for turn in range(10, 400):
                try:
                    _say(memory, f"{round_}-{turn}", acknowledged)
                except OroiError as error:
                    refused += 1
                    if "\n" in str(error):
                        faults.append(f"{round_}: more than one line")
                    break
                except Exception as error:  # any other error is what this looks for
                    faults.append(f"{round_}: {type(error).__name__}: {error}")
                    break
            slowest = max(slowest, time.monotonic() - began)
        full.unlink()
        with open_store(settings) as store:
            kept = turns_of(Graph(store, ScriptedEmbedder(384), OfflineExtractor()).memory("disk"))
        faults += [f"{round_} lost {id}" for id in acknowledged if kept[id] != 1]
    if slowest > LONGEST:
        faults.append(f"the full disk was told after {slowest:.0f} s")
    return {
        "acknowledged": len(acknowledged), "refused": refused, "slowest_s": round(slowest, 1), "faults": len(faults),
        "first": faults[:20],
    }  # fmt: skip


def _say(memory: Memory, id: str, acknowledged: list[str]) -> None:
    text = f"I visited Town {id}. " + "It was long. " * 1_000
    said = stating(("I", "visited", f"Town {id}"), names=[f"Town {id}"])
    memory.perceive(text, speaker="Ana", id=id, extraction=said).close("Fine.")
    acknowledged.append(id)


def fill(folder: Path, leave: int) -> Path:
    """Take all of a disk but some bytes."""
    status = os.statvfs(folder)
    full = folder / "full"
    with full.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, status.f_bavail * status.f_frsize - leave))
    return full
