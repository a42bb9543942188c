"""The pinned artifacts of the managed Neo4j, and how maintainers renew the list.

`neo4j.lock.json` is the complete runtime class path of Neo4j Community as resolved once from Maven
Central, each file with SHA-256 and size; set-up fetches exactly these files and resolves nothing.
To move to another version: `python -m oroi_graph.server.artifacts VERSION`, then run the tests
(`jgo`, which resolves it, comes with the `test` extra).
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from oroi_graph.server.checksums import Pin, sha256_of

if TYPE_CHECKING:
    from jgo.maven import Artifact

LOCK_FILE = Path(__file__).with_name("neo4j.lock.json")
ROOTS = (
    "org.neo4j:neo4j:{version}",
    "org.neo4j.app:neo4j-server:{version}",
    "org.neo4j.client:neo4j-browser:5.24.0",  # released apart; served only where HTTP is turned on
)


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


def renew_lock(version: str, cache_dir: Path, path: Path = LOCK_FILE) -> None:
    """Resolve `version` from Maven Central, download its jars to `cache_dir`, write their list to `path`."""
    from jgo.maven import MavenContext

    context = MavenContext(repo_cache=cache_dir, timeout=60)
    roots = [context.create_dependency(root.format(version=version)) for root in ROOTS]
    inputs, transitive = context.resolver.resolve(roots)
    artifacts = [dep.artifact for dep in inputs + [d for d in transitive if d.scope in ("compile", "runtime")]]
    with ThreadPoolExecutor(8) as pool:
        jars = list(pool.map(_lock_jar, artifacts))
    jars.sort(key=lambda jar: (jar.group, jar.artifact, jar.classifier))
    lines = ",\n  ".join(json.dumps(asdict(jar)) for jar in jars)
    path.write_text(f'{{"version": {json.dumps(version)}, "jars": [\n  {lines}\n]}}\n', encoding="utf-8")


def _lock_jar(artifact: Artifact) -> LockedJar:
    path = artifact.resolve()
    return LockedJar(
        group=artifact.groupId,
        artifact=artifact.artifactId,
        version=artifact.version,
        classifier=artifact.classifier,
        sha256=sha256_of(path),
        size=path.stat().st_size,
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        renew_lock(sys.argv[1], Path(scratch))
