"""One database for the whole suite, never a user's: a given URI marked as a test database, else Docker, else a
managed server of the suite's own (other data, other port).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest_providers import fake_openai, minilm_folder
from databases import TestDatabase
from locations import SHARED
from shared_assets import ASSET_CACHE

from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph, Memory
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.minilm import MiniLM
from oroi_graph.server.managed import ManagedServer
from oroi_graph.storage import migrations
from oroi_graph.storage.store import Store

__all__ = ["fake_openai", "minilm_folder"]


@pytest.fixture(scope="session")
def store_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestDatabase]:
    """The suite's database: OROI_TEST_NEO4J_URI, else a container, else a managed server."""
    given = os.environ.get("OROI_TEST_NEO4J_URI")
    if given:
        database = TestDatabase(
            given,
            os.environ.get("OROI_TEST_NEO4J_USER", "neo4j"),
            os.environ.get("OROI_TEST_NEO4J_PASSWORD", ""),
            os.environ.get("OROI_TEST_NEO4J_DATABASE"),
        )
        _require_mark(database)
        yield database
    elif _docker_answers():
        yield from _container()
    else:
        folder = tmp_path_factory.mktemp("neo4j")
        server = ManagedServer(folder, ASSET_CACHE)
        address = server.start()
        try:
            yield TestDatabase(address.uri, address.user, address.password, address.database)
        finally:
            server.stop()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def store(store_settings: TestDatabase) -> Iterator[Store]:
    """A store on the suite's database, its schema in place."""
    at = store_settings
    with Store(at.uri, at.user, at.password, at.database) as opened:
        migrations.migrate(opened, 384)
        yield opened


@pytest.fixture(scope="session")
def minilm(minilm_folder: Path) -> CachedEmbedder:
    """The default embedder, loaded once."""
    return CachedEmbedder(MiniLM(minilm_folder))


@pytest.fixture(scope="session")
def graph(store: Store, minilm: CachedEmbedder) -> Graph:
    """A graph with the default local providers."""
    return Graph(store, minilm, OfflineExtractor())


@pytest.fixture
def memory(graph: Graph) -> Iterator[Memory]:
    """A memory of this test's own, deleted afterwards."""
    opened = graph.memory(f"test-{uuid.uuid4().hex[:12]}")
    yield opened
    assert graph.delete(opened.name) == 0


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The measuring data beside the project; the test is skipped where they are absent."""
    if not SHARED.is_dir():
        pytest.skip("the measuring data (shared/data) are not beside the project")
    return SHARED


def _require_mark(at: TestDatabase) -> None:
    """Stop before anything is touched, unless the database is empty or says that it is for tests."""
    with Store(at.uri, at.user, at.password, at.database) as given:
        if given.schema("MATCH (t:TestDatabase) RETURN count(t) AS marks")[0]["marks"]:
            return
        if given.schema("MATCH (n) RETURN count(n) AS nodes")[0]["nodes"]:
            pytest.exit(f"{at.uri} is not marked as a test database: run CREATE (:TestDatabase) in it, if it is one")
        given.schema("CREATE (:TestDatabase)")


def _docker_answers() -> bool:
    if shutil.which("docker") is None:
        return False
    asked = subprocess.run(["docker", "info"], capture_output=True, timeout=30, check=False)
    return asked.returncode == 0


def _container() -> Iterator[TestDatabase]:
    from testcontainers.neo4j import Neo4jContainer

    with Neo4jContainer("neo4j:2026.08.1-community") as container:
        yield TestDatabase(container.get_connection_url(), container.username, container.password)
