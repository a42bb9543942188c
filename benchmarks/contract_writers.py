"""Processes that write entries side by side: starting them, and collecting what they say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from contract_values import AUTHORS
from serial_order import Call

from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.server.managed import ServerAddress

PROCESSES = 8
ROOT = Path(__file__).resolve().parents[1]
WRITER = ROOT / "tests" / "support" / "write_entries.py"


def start(
    at: ServerAddress, contract: MemoryContract, number: int, count: int, keys: Sequence[str], real: bool = False
) -> subprocess.Popen[str]:
    """A process that is ready to write `count` entries, the keys in turn. real: it embeds by the local model."""
    environment = os.environ | {
        "WRITER_USER": at.user, "WRITER_PASSWORD": at.password, "WRITER_EMBEDDER": "minilm" if real else "scripted",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
    }  # fmt: skip
    active = contract.active()
    arguments = [
        at.uri,
        contract.name,
        active.schema_hash,
        AUTHORS[number % len(AUTHORS)],
        str(number),
        str(count),
        *keys,
    ]
    started = subprocess.Popen(
        [sys.executable, str(WRITER), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment,
    )  # fmt: skip
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


def run(
    at: ServerAddress, contract: MemoryContract, keys: Sequence[str], count: int, *, real: bool = False
) -> list[list[Call]]:
    """The calls of each of PROCESSES processes that write `count` entries at once."""
    writers = [start(at, contract, number, count, keys, real) for number in range(PROCESSES)]
    readers = [Reader(writer, go=True) for writer in writers]
    return [reader.result() for reader in readers]


class Reader:
    """Collects what a writer prints, so that it never waits for us."""

    def __init__(self, writer: subprocess.Popen[str], *, go: bool = False) -> None:
        self._writer, self._lines = writer, list[str]()
        if go:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        assert self._writer.stdout is not None
        for line in self._writer.stdout:
            self._lines.append(line)

    def wait_for(self, count: int) -> None:
        """Until that many calls were acknowledged."""
        while len(self._lines) < count and self._writer.poll() is None:
            time.sleep(0.01)

    def result(self) -> list[Call]:
        """The calls that were acknowledged; the writer has ended."""
        self._writer.wait()
        self._thread.join()
        return [Call(**json.loads(line)) for line in self._lines if line.endswith("}\n")]
