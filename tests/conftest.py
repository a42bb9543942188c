"""One database for the whole suite, never a user's: a given URI marked as a test database, else Docker, else a
managed server of the suite's own (other data, other port). Test processes that run beside each other share it.
"""

from __future__ import annotations

import gc
import logging
import os
import shutil
import tempfile
import uuid
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from conftest_providers import (
    authorities_read_once,
    bge_folder,
    e5_folder,
    fake_openai,
    minilm_folder,
    models_read_once,
)
from databases import SuiteServer, TestDatabase, Turns, container, docker_answers, given_database, memory_disk
from filelock import FileLock
from locations import SHARED

from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph, Memory
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.minilm import MiniLM
from oroi_graph.storage import migrations
from oroi_graph.storage.store import Store

__all__ = ["bge_folder", "e5_folder", "fake_openai", "minilm_folder"]

FOLDER = pytest.StashKey[Path]()
OPENED = pytest.StashKey[ExitStack]()
TURNS = pytest.StashKey[Turns]()


class Remarks(logging.Handler):
    """Keeps what the server remarks about statements that work."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(record.getMessage())


def remarkable(record: logging.LogRecord) -> bool:
    """Whether a remark of the server tells something: not that a thing does not exist yet (in an empty database nothing
    does). Such remarks would fill the report of a test that fails.
    """
    return "raw_classification='UNRECOGNIZED'" not in record.getMessage()


REMARKS = pytest.StashKey[Remarks]()


def pytest_configure(config: pytest.Config) -> None:
    """Choose the folder that the processes of this run share."""
    given: dict[str, Any] = getattr(config, "workerinput", {})
    config.stash[FOLDER] = Path(given["folder"] if given else tempfile.mkdtemp(prefix="oroi-tests-", dir=memory_disk()))
    number = int(given.get("workerid", "gw0").removeprefix("gw"))
    config.stash[TURNS] = Turns(config.stash[FOLDER], number, int(given.get("workercount", 1)))
    config.stash[OPENED] = ExitStack()
    Store.notifications = "WARNING"
    config.stash[REMARKS] = Remarks()
    remarks = logging.getLogger("neo4j.notifications")
    remarks.addFilter(remarkable)
    remarks.addHandler(config.stash[REMARKS])
    if not given:
        config.stash[OPENED].callback(shutil.rmtree, config.stash[FOLDER], ignore_errors=True)
        config.stash[OPENED].callback(SuiteServer(config.stash[FOLDER]).stop)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than processors: a test spends a good part of its time waiting for its server."""
    return min(4, (os.cpu_count() or 1) + 1)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collecting makes a million objects that stay: no garbage is looked for among them, neither now nor later, which
    would take a third of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files whose tests change the schema come first, because the server forgets its plans then; beside them long ones
    that need no server or one of their own; after them the others that take long. Those whose tests exclude each other
    stand between the others, since processes that had them side by side would wait for each other.
    """
    alone = dict.fromkeys(item.path for item in items if item.get_closest_marker("alone"))
    sharing = {item.path for item in items if "store_settings" in getattr(item, "fixturenames", ())}
    excluding = {item.path: None for item in items if item.get_closest_marker("exclusive")}
    slow = [item.path for item in items if item.get_closest_marker("long") or item.get_closest_marker("endurance")]
    meanwhile = dict.fromkeys(path for path in slow if path not in sharing)
    first = [path for pair in zip_longest(alone, meanwhile) for path in pair if path]
    pairs = zip_longest(dict.fromkeys(path for path in slow if path not in excluding), excluding)
    order = list(dict.fromkeys([*first, *(path for pair in pairs for path in pair if path)]))
    items.sort(key=lambda item: order.index(item.path) if item.path in order else len(order))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a test process what it shares with the others; a container is started here, once for all."""
    node.workerinput["folder"] = str(node.config.stash[FOLDER])
    if given_database() is None and docker_answers():
        if not hasattr(node.config, "container"):
            node.config.container = node.config.stash[OPENED].enter_context(container())
        node.workerinput["database"] = node.config.container.to_json()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what this process started for the run."""
    config.stash[OPENED].close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Tests that use the database run beside others, or alone where they are marked so; with all their fixtures."""
    turns = item.config.stash[TURNS]
    with ExitStack() as held:
        for exclusive in item.iter_markers("exclusive"):
            held.enter_context(FileLock(item.config.stash[FOLDER] / f"{exclusive.args[0]}.lock"))
        if item.get_closest_marker("alone"):
            held.enter_context(turns.alone())
        elif "store_settings" in getattr(item, "fixturenames", ()):
            held.enter_context(turns.shared())
        return (yield)


@pytest.fixture(autouse=True)
def server_remarks(pytestconfig: pytest.Config) -> Iterator[list[str]]:
    """What the server remarks about statements that work, such as a deprecated function: it fails the test."""
    remarks = pytestconfig.stash[REMARKS].kept
    yield remarks
    found = list(remarks)
    remarks.clear()
    assert found == []


@pytest.fixture(scope="session", autouse=True)
def read_once() -> Iterator[None]:
    """The files of the suite's default model and the system's certificates are read once a process, however many
    embedders and clients are made of them."""
    with models_read_once(), authorities_read_once():
        yield


@pytest.fixture(scope="session")
def store_settings(pytestconfig: pytest.Config) -> TestDatabase:
    """The suite's database: OROI_TEST_NEO4J_URI, else a container, else a managed server."""
    shared = getattr(pytestconfig, "workerinput", {}).get("database")
    if shared:
        return TestDatabase(**shared)
    given = given_database()
    if given:
        return given
    if docker_answers():
        return pytestconfig.stash[OPENED].enter_context(container())
    return SuiteServer(pytestconfig.stash[FOLDER]).start()


@pytest.fixture(scope="session")
def store(store_settings: TestDatabase) -> Iterator[Store]:
    """A store on the suite's database, its schema in place."""
    at = store_settings
    with Store(at.uri, at.user, at.password, at.database) as opened:
        migrations.migrate(opened, 384)
        yield opened


@pytest.fixture(scope="session")
def minilm(minilm_folder: Path) -> CachedEmbedder:
    """The suite's embedder, the fastest of the local ones, loaded once."""
    return CachedEmbedder(MiniLM(minilm_folder))


@pytest.fixture(scope="session")
def graph(store: Store, minilm: CachedEmbedder) -> Graph:
    """A graph with the suite's embedder and the default extractor."""
    return Graph(store, minilm, OfflineExtractor())


@pytest.fixture
def memory(graph: Graph) -> Iterator[Memory]:
    """A memory of this test's own, deleted afterwards. Its graph is shared, so a test leaves it as it was."""
    shared = dict(vars(graph))
    opened = graph.memory(f"test-{uuid.uuid4().hex[:12]}")
    yield opened
    assert graph.delete(opened.name) == 0
    assert vars(graph) == shared


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The measuring data beside the project; the test is skipped where they are absent."""
    if not SHARED.is_dir():
        pytest.skip("the measuring data (shared/data) are not beside the project")
    return SHARED
