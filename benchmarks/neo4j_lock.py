"""Moves the managed Neo4j to another version: resolves its class path from Maven Central and writes the lock file.

    python benchmarks/neo4j_lock.py 2026.08.1    # then run the tests

Every jar is downloaded once for its SHA-256. `jgo`, which resolves the class path, comes with the `test` extra.
"""

from __future__ import annotations

import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from jgo.maven import Artifact, MavenContext

from oroi_graph.server.artifacts import LOCK_FILE, LockedJar
from oroi_graph.server.checksums import sha256_of

ROOTS = (
    "org.neo4j:neo4j:{version}",
    "org.neo4j.app:neo4j-server:{version}",
    "org.neo4j.client:neo4j-browser:5.24.0",  # released apart; served only where HTTP is turned on
)


def main(version: str, cache: Path) -> None:
    """Write the lock file of `version`; the jars are downloaded to `cache`."""
    context = MavenContext(repo_cache=cache, timeout=60)
    roots = [context.create_dependency(root.format(version=version)) for root in ROOTS]
    inputs, transitive = context.resolver.resolve(roots)
    artifacts = [dep.artifact for dep in inputs + [d for d in transitive if d.scope in ("compile", "runtime")]]
    with ThreadPoolExecutor(8) as pool:
        jars = list(pool.map(_locked, artifacts))
    jars.sort(key=lambda jar: (jar.group, jar.artifact, jar.classifier))
    lines = ",\n  ".join(json.dumps(asdict(jar)) for jar in jars)
    LOCK_FILE.write_text(f'{{"version": {json.dumps(version)}, "jars": [\n  {lines}\n]}}\n', encoding="utf-8")


def _locked(artifact: Artifact) -> LockedJar:
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
        main(sys.argv[1], Path(scratch))
