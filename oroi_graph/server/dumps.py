"""Dumps of the managed server's database, and its move to another version of Neo4j, with a way back.

A dump is a folder that is written whole or not at all, from a stopped server:

    FOLDER/neo4j.dump    Neo4j's own file
    FOLDER/dump.json     {"format": "oroi-graph-dump", "version": 1, "neo4j": "2026.08.1", "sha256": …, "at": …}

It holds one database with all memories, keys and notes, but no password: whoever loads it has a server with a password
of its own. A dump that was kept from before an upgrade lies in the server's home, `kept/`, until it is confirmed.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from oroi_graph import files
from oroi_graph.errors import InputError, ServerError
from oroi_graph.model import Value
from oroi_graph.options import Progress, silent
from oroi_graph.server import admin
from oroi_graph.server.artifacts import read_lock
from oroi_graph.server.checksums import sha256_of
from oroi_graph.server.fetch import ensure_neo4j
from oroi_graph.server.home import Configuration, Home
from oroi_graph.server.managed import ManagedServer

FORMAT, VERSION = "oroi-graph-dump", 1
_NOTE = "dump.json"


@dataclass(frozen=True, slots=True)
class Dump(Value):
    """A dump. neo4j: the version that the data are of; bytes: of its file; at: ISO time."""

    path: str
    neo4j: str
    bytes: int
    sha256: str
    at: str


def write_dump(server: ManagedServer, folder: Path, progress: Progress = silent) -> Dump:
    """Dump the database of a server into a new folder. Neo4j unpacks it again to see that it is whole and consistent.

    The server is stopped meanwhile, and runs afterwards if it ran before. Raises ServerError, AssetError, InputError.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists and is not empty: name a new folder")
    home = server.home
    if not (home.path / "data" / "databases" / admin.DATABASE).exists():
        raise ServerError(f"there is no database in {home.path} yet")
    lib = ensure_neo4j(server.cache_dir, progress, maven_url=server.options.maven_url) / "lib"
    draft = folder.with_name(f".{folder.name}.{uuid4().hex}")
    ran = server.status().state != "stopped"
    with files.refusing(folder, "write"):
        draft.mkdir(parents=True, mode=0o700)
        try:
            with server.stopped():
                progress(0, 0, "dumping the database")
                written = admin.dump(home, lib, draft, server.options.java)
            found = Dump(
                str(folder), home.version() or read_lock().version, written.stat().st_size, sha256_of(written),
                datetime.now(UTC).isoformat(timespec="seconds"),
            )  # fmt: skip
            progress(0, 0, "unpacking the dump to see that it is whole")
            _verify(draft, lib, server.options.java)
            note = {name: value for name, value in found.to_json().items() if name != "path"}
            files.replace(draft / _NOTE, json.dumps({"format": FORMAT, "version": VERSION, **note}))
            folder.rmdir() if folder.exists() else None
            draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
            if ran:
                server.start(progress)
    return found


def read_dump(folder: Path) -> Dump:
    """What a dump says of itself, once its file was compared with that. Raises InputError."""
    try:
        note = json.loads(files.read_text(folder / _NOTE))
        if not isinstance(note, dict) or (note.get("format"), note.get("version")) != (FORMAT, VERSION):
            raise InputError(f"{folder} holds no dump that this package wrote")
        found = Dump(str(folder), *(note[name] for name in ("neo4j", "bytes", "sha256", "at")))
    except (ValueError, KeyError) as error:
        raise InputError(f"{folder / _NOTE} is damaged ({type(error).__name__}): take another dump") from error
    with files.refusing(folder, "read"):
        if sha256_of(folder / f"{admin.DATABASE}.dump") != found.sha256:
            raise InputError(f"{folder} is damaged: its file is not the one that was written")
    return found


def load_dump(server: ManagedServer, folder: Path, progress: Progress = silent) -> Dump:
    """Make the database of a server that has none yet from a dump; the server runs afterwards.

    Raises ServerError where there is a database, or where the dump is of a later Neo4j; InputError for a damaged dump.
    """
    found, home = read_dump(folder), server.home
    if home.has_data:
        raise ServerError(f"{home.path} has a database already: set OROI_DATA_DIR to a new folder")
    lock = read_lock()
    if _order(found.neo4j) > _order(lock.version):
        raise ServerError(f"{folder} is of Neo4j {found.neo4j}, this package brings {lock.version}: upgrade oroi-graph")
    lib = ensure_neo4j(server.cache_dir, progress, maven_url=server.options.maven_url) / "lib"
    home.create()
    with server.stopped():
        progress(0, 0, "loading the dump")
        _load(server, lib, folder)
    server.start(progress)
    return found


# -- another version of Neo4j -----------------------------------------------------------------------------------


def upgrade(server: ManagedServer, progress: Progress = silent) -> Dump | None:
    """Move the data to the version of Neo4j that this package brings; None where they are of it already.

    What was there is dumped and kept first. If the new version does not start, the data are put back. Raises
    ServerError.
    """
    home, lock = server.home, read_lock()
    old = home.version()
    if old is None or old == lock.version or not home.has_data:
        return None
    if _order(old) > _order(lock.version):
        raise ServerError(
            f"the data are of Neo4j {old}, this package brings {lock.version}: install the oroi-graph that you had, or "
            "run `oroi server rollback` if an upgrade kept a dump"
        )
    kept = kept_dump(home, old)
    shutil.rmtree(kept, ignore_errors=True)  # of an upgrade that was interrupted before it changed anything
    server.stop()
    found = write_dump(server, kept, progress)
    home.note_version(lock.version)
    try:
        server.start(progress)
    except ServerError:
        _put_back(server, kept)
        raise
    return found


def rollback(server: ManagedServer) -> Dump:
    """Put back the data as they were before the last upgrade. What was written since lies in `kept/after-VERSION`.

    The package that brought that version must be installed next: this one refuses to start it. Raises ServerError.
    """
    home = server.home
    kept = sorted((path.parent for path in (home.path / "kept").glob(f"before-*/{_NOTE}")), key=_made)
    if not kept:
        raise ServerError(f"no upgrade of {home.path} kept a dump: there is nothing to go back to")
    found = read_dump(kept[-1])
    _put_back(server, kept[-1])
    return found


def confirm(server: ManagedServer) -> list[str]:
    """Delete what upgrades kept, and programs of other versions in the cache; what was deleted."""
    current = read_lock().folder
    done = [path for path in (server.home.path / "kept").glob("*") if path.is_dir()]
    done += [path for path in server.cache_dir.glob("neo4j-*") if path.is_dir() and path.name != current]
    for path in done:
        shutil.rmtree(path)
    return [str(path) for path in done]


def kept_dump(home: Home, version: str) -> Path:
    """Where the dump from before an upgrade is kept."""
    return home.path / "kept" / f"before-{version}"


def _put_back(server: ManagedServer, kept: Path) -> None:
    home, found = server.home, read_dump(kept)
    lib = ensure_neo4j(server.cache_dir, maven_url=server.options.maven_url) / "lib"
    server.stop()
    with server.stopped(), files.refusing(home.path, "write"):
        aside = home.path / "kept" / f"after-{home.version()}"
        shutil.rmtree(aside, ignore_errors=True)
        (home.path / "data").rename(aside)
        _load(server, lib, kept)
        home.note_version(found.neo4j)


def _load(server: ManagedServer, lib: Path, folder: Path) -> None:
    _configure(server.home)
    admin.load(server.home, lib, folder, server.options.java)


def _configure(home: Home) -> None:
    home.configure(Configuration(bolt_port=home.remembered_port() or 7687, http_port=None, page_cache="64m"))


def _verify(folder: Path, lib: Path, java: tuple[str, ...]) -> None:
    """Have Neo4j check a dump in a home of its own."""
    scratch = folder / "second"
    home = Home(scratch)
    try:
        home.create()
        _configure(home)
        admin.check(home, lib, folder, scratch, java)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _made(folder: Path) -> str:
    return read_dump(folder).at


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
