"""Dumps of a real server: taken, checked, loaded elsewhere, kept by an upgrade and put back by a rollback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import SHORT_LIVED
from shared_assets import ASSET_CACHE

from oroi_graph.errors import InputError, ServerError
from oroi_graph.server import dumps
from oroi_graph.server.artifacts import read_lock
from oroi_graph.server.home import LONGEST_LOG, Home
from oroi_graph.server.managed import ManagedServer
from oroi_graph.storage.store import Store

pytestmark = pytest.mark.endurance

SAID = "MATCH (k:Kept) RETURN collect(k.said)"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagedServer]:
    one = ManagedServer(tmp_path_factory.mktemp("one"), ASSET_CACHE, SHORT_LIVED)
    yield one
    one.stop()


def said(server: ManagedServer, *more: str) -> list[str]:
    """What is kept there, once some more was added."""
    address = server.start()
    with Store(address.uri, address.user, address.password) as store:
        for text in more:
            store.schema("CREATE (:Kept {said: $said})", said=text)
        return sorted(store.explore(SAID)[1][0][0])


def test_a_dump_is_loaded_into_another_home(server: ManagedServer, tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    with pytest.raises(ServerError, match="no database"):
        dumps.write_dump(server, folder)
    assert said(server, "first") == ["first"]
    written = dumps.write_dump(server, folder)
    assert server.status().state == "running", "it ran before"
    assert written.neo4j == read_lock().version
    assert sorted(path.name for path in folder.iterdir()) == ["dump.json", "neo4j.dump"]
    assert [path.name for path in tmp_path.iterdir()] == ["dump"]
    assert dumps.read_dump(folder) == written
    with pytest.raises(InputError, match="not empty"):
        dumps.write_dump(server, folder)
    with pytest.raises(ServerError, match="has a database already"):
        dumps.load_dump(server, folder)
    other = ManagedServer(tmp_path / "other", ASSET_CACHE, SHORT_LIVED)
    try:
        dumps.load_dump(other, folder)
        assert said(other) == ["first"]
        assert other.home.password() != server.home.password()
    finally:
        other.stop()
    file = folder / "neo4j.dump"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(InputError, match="not the one that was written"):
        dumps.load_dump(ManagedServer(tmp_path / "third", ASSET_CACHE), folder)
    assert not (tmp_path / "third").exists()


def test_an_upgrade_keeps_a_way_back(server: ManagedServer) -> None:
    """The data are said to be of an earlier version; which one was running is nothing that the files show."""
    home = server.home
    said(server)
    assert dumps.upgrade(server) is None
    server.stop()
    home.note_version("2020.01.0")
    with pytest.raises(ServerError, match=r"are of Neo4j 2020.01.0, this package brings .*: run `oroi server upgrade`"):
        server.start()
    kept = dumps.upgrade(server)
    assert kept is not None
    assert kept.neo4j == "2020.01.0"
    assert home.version() == read_lock().version
    assert said(server, "after") == ["after", "first"]
    assert dumps.rollback(server).sha256 == kept.sha256
    assert home.version() == "2020.01.0"
    assert (home.path / "kept" / f"after-{read_lock().version}" / "databases").exists()
    with pytest.raises(ServerError, match="oroi server upgrade"):
        server.start()
    home.note_version(read_lock().version)  # as the package that brought the old version would find it
    assert said(server) == ["first"]
    assert all(str(home.path) in path for path in dumps.confirm(replaced(server)))
    assert not list((home.path / "kept").iterdir())
    with pytest.raises(ServerError, match="nothing to go back to"):
        dumps.rollback(server)


def replaced(server: ManagedServer) -> ManagedServer:
    """The same server with a cache of its own: the suite's holds what other tests use."""
    other = ManagedServer(server.home.path.parent, server.home.path / "run", server.options)
    assert other.home.path == server.home.path
    return other


def test_data_of_a_later_version_are_left_alone(tmp_path: Path) -> None:
    server = ManagedServer(tmp_path, ASSET_CACHE)
    server.home.create()
    (server.home.path / "data" / "databases").mkdir(parents=True)
    server.home.note_version("2999.01.0")
    with pytest.raises(ServerError, match="install the oroi-graph that you had"):
        dumps.upgrade(server)
    folder = tmp_path / "dump"
    folder.mkdir()
    (folder / "neo4j.dump").write_bytes(b"x")
    note = {"format": dumps.FORMAT, "version": dumps.VERSION, "neo4j": "2999.01.0", "bytes": 1, "at": "2026-01-01",
            "sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}  # fmt: skip
    (folder / "dump.json").write_text(json.dumps(note))
    with pytest.raises(ServerError, match=r"of Neo4j 2999\.01\.0, this package brings"):
        dumps.load_dump(ManagedServer(tmp_path / "new", ASSET_CACHE), folder)


def test_the_log_of_the_process_stays_within_bounds(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.create()
    home.bound_log()
    with home.log.open("ab", buffering=0) as process:
        process.write(b"x" * LONGEST_LOG)
        home.bound_log()
        assert home.log.stat().st_size == LONGEST_LOG
        process.write(b"end\n")
        home.bound_log()
        process.write(b"begin\n")
    assert home.log.read_text() == "begin\n"
    assert home.log.with_name("console.log.1").read_text().endswith("xend\n")
    home.keep_log()
    assert home.log_lines(5) == []
    assert home.log.with_name("console.log.1").read_text() == "begin\n"
