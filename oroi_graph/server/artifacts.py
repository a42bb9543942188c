"""The pinned artifacts of the managed Neo4j.

`neo4j.lock.json` is the complete runtime class path of Neo4j Community as resolved once from Maven Central, each file
with SHA-256 and size; set-up fetches exactly these files and resolves nothing. `benchmarks/neo4j_lock.py` renews it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from oroi_graph.server.checksums import Pin

LOCK_FILE = Path(__file__).with_name("neo4j.lock.json")


@dataclass(frozen=True, slots=True)
class LockedJar:
    """One Maven artifact of packaging jar, pinned."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size: int

    @property
    def pin(self) -> Pin:
        """The file that it becomes in the class path folder."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        return Pin(f"{self.artifact}-{self.version}{suffix}.jar", self.sha256, self.size)

    @property
    def path(self) -> str:
        """Where a Maven repository keeps it."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.pin.name}"


@dataclass(frozen=True, slots=True)
class Lock:
    """A Neo4j version and all jars of its class path."""

    version: str
    jars: tuple[LockedJar, ...]
    digest: str  # of the whole list: two lists never share a folder

    @property
    def folder(self) -> str:
        """Name of the folder that holds exactly these jars."""
        return f"neo4j-{self.version}-{self.digest[:8]}"


@cache
def read_lock() -> Lock:
    """The shipped list."""
    text = LOCK_FILE.read_bytes()
    data = json.loads(text)
    jars = tuple(LockedJar(**item) for item in data["jars"])
    return Lock(data["version"], jars, hashlib.sha256(text).hexdigest())
