"""The suite's database: where it answers, and the turns that parallel test processes take at it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from filelock import FileLock
from shared_assets import ASSET_CACHE

from oroi_graph.server.managed import ManagedServer, ServerOptions
from oroi_graph.storage.store import Store

IMAGE = "neo4j:2026.08.1-community"
POLL = 0.01  # seconds between two looks at a lock that another process holds
# A server that lives for one run of the suite spends most of its time on compiling: plans, which it discards whenever
# the statistics change (tests fill and empty the database all the time) and makes again for other sizes of parameters,
# and its own code, which the JVM would optimise for a longer life.
SHORT_LIVED = ServerOptions(
    settings={"dbms.cypher.min_replan_interval": "2h", "internal.cypher.use_parameter_size": "false"},
    java=("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
    heap="1g",  # with half of it, more of its time goes into collecting garbage
    page_cache="256m",
)


MEMORY_DISK = Path("/dev/shm")
SPACE = 4 * 10**9  # bytes; a whole run takes less than one


def memory_disk() -> Path | None:
    """Where the suite's server is kept: in memory, where no commit waits for a disk; None where there is too little.

    Tests of what a killed server leaves have servers of their own, on the disk.
    """
    if not MEMORY_DISK.is_dir() or not os.access(MEMORY_DISK, os.W_OK):
        return None
    free = min(shutil.disk_usage(MEMORY_DISK).free, psutil.virtual_memory().available)
    return MEMORY_DISK if free > SPACE else None


@dataclass(frozen=True)
class TestDatabase:
    """Where the suite's database answers."""

    __test__ = False

    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None = None

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object, password included."""
        return asdict(self)


class SuiteServer:
    """One server for all test processes of a run: each may start it, the process that owns the run stops it.

    folder: shared by the processes of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._server = ManagedServer(folder / "neo4j", ASSET_CACHE, SHORT_LIVED)

    def start(self) -> TestDatabase:
        """Its address; whichever process comes first starts it, the others wait."""
        address = self._server.start()
        return TestDatabase(address.uri, address.user, address.password, address.database)

    def stop(self) -> None:
        """Stop it, if any test needed it."""
        self._server.stop()


class Turns:
    """Test processes that share a database: many use it at once, or one alone.

    folder: shared by the processes. me, processes: number of this process from 0, and how many there are.
    """

    def __init__(self, folder: Path, me: int, processes: int) -> None:
        self._gate = FileLock(folder / "gate.lock", poll_interval=POLL)
        self._own, *self._others = (
            FileLock(folder / f"{number % processes}.lock", poll_interval=POLL) for number in range(me, me + processes)
        )

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Use the database beside other tests."""
        with self._gate:
            self._own.acquire()
        try:
            yield
        finally:
            self._own.release()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Use the database while no other process does: running tests are waited for, new ones wait."""
        with self._gate:
            for other in self._others:
                with other:
                    pass
            yield


def given_database() -> TestDatabase | None:
    """The database that OROI_TEST_NEO4J_URI names, if it is one for tests."""
    uri = os.environ.get("OROI_TEST_NEO4J_URI")
    if not uri:
        return None
    given = TestDatabase(
        uri,
        os.environ.get("OROI_TEST_NEO4J_USER", "neo4j"),
        os.environ.get("OROI_TEST_NEO4J_PASSWORD", ""),
        os.environ.get("OROI_TEST_NEO4J_DATABASE"),
    )
    _require_mark(given)
    return given


def docker_answers() -> bool:
    """Whether a container can be started here."""
    if shutil.which("docker") is None:
        return False
    asked = subprocess.run(["docker", "info"], capture_output=True, timeout=30, check=False)
    return asked.returncode == 0


@contextmanager
def container() -> Iterator[TestDatabase]:
    """A database in a container, for as long as the block lasts."""
    from testcontainers.neo4j import Neo4jContainer

    # In the image's environment "." is written "_", and "_" is written "__".
    settings = {
        f"NEO4J_{name.replace('_', '__').replace('.', '_')}": value for name, value in SHORT_LIVED.settings.items()
    }
    with Neo4jContainer(IMAGE).with_envs(**settings) as started:
        yield TestDatabase(started.get_connection_url(), started.username, started.password)


def _require_mark(at: TestDatabase) -> None:
    """Stop before anything is touched, unless the database is empty or says that it is for tests."""
    with Store(at.uri, at.user, at.password, at.database) as given:
        if given.schema("MATCH (t:TestDatabase) RETURN count(t) AS marks")[0]["marks"]:
            return
        if given.schema("MATCH (n) RETURN count(n) AS nodes")[0]["nodes"]:
            pytest.exit(f"{at.uri} is not marked as a test database: run CREATE (:TestDatabase) in it, if it is one")
        given.schema("CREATE (:TestDatabase)")
