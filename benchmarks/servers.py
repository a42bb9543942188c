"""Where a benchmark runs: a database for tests that is given, else a managed server with data of its own."""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oroi_graph.errors import SettingsError
from oroi_graph.server.managed import ManagedServer, ServerAddress, ServerOptions
from oroi_graph.settings import Settings
from oroi_graph.storage import migrations
from oroi_graph.storage.store import Store

Address = ServerAddress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options --json, --uri and --managed, which every benchmark with a database of its own choosing has."""
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--uri", help="a Neo4j for tests; user and password from OROI_NEO4J_USER and _PASSWORD")
    parser.add_argument("--managed", type=Path, help="data folder of a managed server (default: a temporary one)")


def read_settings() -> Settings:
    """The settings of the environment but for the address, which is an option: that one may be in use."""
    return Settings.from_env({name: value for name, value in os.environ.items() if name != "OROI_NEO4J_URI"})


def environment(address: Address) -> dict[str, str]:
    """This process's environment with the settings that lead a child process to that database."""
    return os.environ | {
        "OROI_NEO4J_URI": address.uri,
        "OROI_NEO4J_USER": address.user,
        "OROI_NEO4J_PASSWORD": address.password,
        "OROI_NEO4J_DATABASE": address.database,
    }


@contextmanager
def serving(arguments: argparse.Namespace, settings: Settings) -> Iterator[Address]:
    """The given database, else a managed server, stopped afterwards.

    As long as it serves, SIGTERM ends the process as Ctrl-C does: what was made is deleted on the way out.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if arguments.uri:
            yield Address(arguments.uri, settings.user, settings.password or "", settings.database or "neo4j")
        else:
            with tempfile.TemporaryDirectory() as folder:
                yield from _managed(arguments.managed or Path(folder), settings)
    finally:
        signal.signal(signal.SIGTERM, before)


def _managed(folder: Path, settings: Settings) -> Iterator[Address]:
    sizes = {"heap": settings.server_heap, "page_cache": settings.server_page_cache}
    server = ManagedServer(folder, settings.cache_dir, ServerOptions(**sizes))
    try:
        yield server.start()
    finally:
        server.stop()


def prepare_schema(store: Store, dimensions: int) -> None:
    """Migrate a database that is empty or marked as one for tests; refuse any other."""
    store.verify()
    marked = store.schema("MATCH (t:TestDatabase) RETURN count(t) AS n")[0]["n"]
    if not marked:
        if store.schema("MATCH (n) WHERE NOT n:Schema AND NOT n:Migration RETURN count(n) AS n")[0]["n"]:
            raise SettingsError(f"{store.uri} is not marked as a test database: run CREATE (:TestDatabase) in it")
        store.schema("CREATE (:TestDatabase)")
    migrations.migrate(store, dimensions)
