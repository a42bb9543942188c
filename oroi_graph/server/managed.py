"""A local Neo4j that this package fetches, starts and stops itself: no Java, Docker or Maven needed.

The server belongs to its data folder, not to the process that started it: it goes on when that process
ends, and any process that names the same folder finds it, stops it, or waits for it while another one is
starting it. It listens on the loopback interface only.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Literal

import psutil
from filelock import FileLock

from oroi_graph.errors import ServerError, UnreachableError
from oroi_graph.model import Value
from oroi_graph.options import Progress, silent
from oroi_graph.server import admin, quick_start
from oroi_graph.server import process as server_process
from oroi_graph.server.artifacts import read_lock
from oroi_graph.server.fetch import ensure_neo4j
from oroi_graph.server.home import LOOPBACK, Configuration, Home, require_free
from oroi_graph.server.memory_check import available_memory, require_memory, sizes
from oroi_graph.settings import Settings

USER = "neo4j"
DATABASE = admin.DATABASE
_START_PATIENCE = 300.0  # seconds; recovery of a big log takes long, a failed start ends by itself
_STOP_PATIENCE = 60.0
_RECORDING_PATIENCE = 300.0  # for the end of a rehearsal, which writes what it has recorded
_RESTART_PATIENCE = 3.0  # for a server that has ended while it is used
# What Neo4j's own launcher would pass. It is left out: it would stay as a second Java process, and it
# misreads home folders with letters beyond ASCII.
_MAIN = "org.neo4j.server.Neo4jCommunity"
_JVM = [
    line for line in (files(__package__) / "jvm.options").read_text("utf-8").splitlines() if not line.startswith("#")
]
_THROWN = re.compile(r"(?:Caused by: )?[\w.$]+(?:Exception|Error): (.*\S)")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where and as whom to connect. The password is not shown in the repr."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str = DATABASE

    @property
    def port(self) -> int:
        """The port of Bolt."""
        return int(self.uri.rpartition(":")[2])


@dataclass(frozen=True, slots=True)
class ServerStatus(Value):
    """What the managed server is doing; without the password."""

    state: Literal["stopped", "starting", "running"]
    version: str  # of Neo4j, as pinned in this package
    home: str
    log: str
    uri: str | None = None
    pid: int | None = None
    since: str | None = None  # ISO 8601, UTC
    memory: int | None = None  # resident bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """How the managed server runs, from its next start on.

    heap, page_cache: sizes like "512m"; None: by the memory that is available at each start. port: of Bolt; chosen and
    remembered unless fixed. http_port: turns on HTTP and Neo4j Browser, at http://127.0.0.1:PORT/browser/. maven_url: a
    mirror to fetch from instead of Maven Central. settings: more lines of neo4j.conf, name to value; java: more options
    of the Java process, also of those that dump and load.
    """

    heap: str | None = None
    page_cache: str | None = None
    port: int | None = None
    http_port: int | None = None
    maven_url: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    java: tuple[str, ...] = ()


class ManagedServer:
    """The server whose data are in `data_dir`/server; its program files are in `cache_dir`.

    Safe to use from several threads and processes at once.
    """

    def __init__(self, data_dir: Path, cache_dir: Path, options: ServerOptions | None = None) -> None:
        self.home = Home(data_dir)
        self.cache_dir = cache_dir
        self.options = options or ServerOptions()
        self._seen: psutil.Process | None = None  # the process of the server, once it was recognised

    @classmethod
    def from_settings(cls, settings: Settings) -> ManagedServer:
        """The server that these settings describe."""
        options = ServerOptions(
            heap=settings.server_heap,
            page_cache=settings.server_page_cache,
            port=settings.server_port,
            http_port=settings.server_http_port,
            maven_url=settings.maven_url,
        )
        return cls(settings.data_dir, settings.cache_dir, options)

    @property
    def log_path(self) -> Path:
        """The file with the output of the last start."""
        return self.home.log

    def logs(self, n: int = 50) -> list[str]:
        """The last `n` lines of that file; none where the server was never started."""
        return self.home.log_lines(n)

    def start(self, progress: Progress = silent) -> ServerAddress:
        """Make sure that the server runs and answers; fetch it first where it isn't here yet.

        Returns at once when it runs, and waits when another process is starting it. Raises ServerError
        (too little memory, busy port, unwritable folder, a start that failed) or AssetError (download).
        """
        if self.status().state == "running":
            self.home.bound_log()
            return self._address()
        program = ensure_neo4j(self.cache_dir, progress, maven_url=self.options.maven_url)
        self.home.create()
        with self._alone():
            if not self._processes():
                self.home.require_version(read_lock().version)
                self._launch(program, progress)
            self._await_ready(progress)
            self.home.note_version(read_lock().version)
        return self._address()

    def prepare(self, progress: Progress = silent) -> Path:
        """Fetch the program and record what makes its starts quick, as far as it isn't here; its folder.

        All files are checked by their checksums. Raises AssetError.
        """
        options = self.options
        program = ensure_neo4j(self.cache_dir, progress, maven_url=options.maven_url, thorough=True)
        quick_start.java_options(program, options.java, self._rehearse, progress)
        return program

    def stop(self) -> bool:
        """End the server and wait until it has ended; False where none ran. Raises ServerError."""
        if not self.home.path.exists():
            return False
        with self._alone():
            processes = self._processes()
            server_process.terminate(processes, _STOP_PATIENCE)
        return bool(processes)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stopped, and not to be started by anybody until the block ends. Raises ServerError."""
        with self._alone():
            server_process.terminate(self._processes(), _STOP_PATIENCE)
            yield

    def require_space(self) -> None:
        """Raise ServerError where the disk has too little room for the server to start or go on."""
        self.home.require_space()

    def require_alive(self) -> None:
        """Raise UnreachableError where the process has ended, unless it is started again within a few seconds."""
        if self._seen is not None and self._seen.is_running() and self._seen.status() != psutil.STATUS_ZOMBIE:
            return
        deadline = time.monotonic() + _RESTART_PATIENCE
        while not (found := self._processes()):
            if time.monotonic() > deadline:
                advice = "repeat the command, which starts it again and goes on where it stopped"
                raise UnreachableError(self._uri() or str(self.home.path), "the managed server has ended", advice)
            time.sleep(0.1)
        self._seen = found[0]

    def advice(self) -> str:
        """What to do when the database of this server has failed."""
        try:
            self.home.require_space()
        except ServerError as error:
            return str(error)
        return f"try again, it is started anew; its log is in {self.home.log.parent}"

    @property
    def data_folder(self) -> Path:
        """Where Neo4j keeps the databases and their logs."""
        return self.home.path / "data"

    def delete_indexes(self) -> None:
        """Delete the files of all indexes, which the next start builds again. Raises ServerError while it runs."""
        with self._alone():
            if self._processes():
                raise ServerError("the server runs: stop it before its indexes are deleted")
            shutil.rmtree(self.data_folder / "databases" / DATABASE / "schema" / "index", ignore_errors=True)

    def status(self) -> ServerStatus:
        """The state of its process, without a connection to it. Takes no lock, so it also answers during a start."""
        home = self.home
        stopped = ServerStatus("stopped", read_lock().version, str(home.path), str(home.log))
        try:
            for process in self._processes():
                created = process.create_time()
                return replace(
                    stopped,
                    state="running" if home.was_ready(process.pid, created) else "starting",
                    uri=self._uri(),
                    pid=process.pid,
                    since=datetime.fromtimestamp(created, UTC).isoformat(timespec="seconds"),
                    memory=process.memory_info().rss,
                )
        except psutil.NoSuchProcess:  # it ended while we looked
            return stopped
        return stopped

    # -- addresses --------------------------------------------------------------------------------------

    def _uri(self) -> str | None:
        port = self.home.remembered_port()
        return None if port is None else f"bolt://{LOOPBACK}:{port}"

    def _address(self) -> ServerAddress:
        uri = self._uri()
        if uri is None:
            raise ServerError(
                f"a server runs in {self.home.path}, but its port is no longer known: "
                "run `oroi server stop`, then `oroi server start`"
            )
        return ServerAddress(uri, USER, self.home.password())

    # -- start ------------------------------------------------------------------------------------------

    def _processes(self) -> list[psutil.Process]:
        if not self.home.path.exists():
            return []
        return server_process.find(self.home.path, self.home.pid_hints())

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            held = FileLock(self.home.lock).acquire()
        except OSError as error:
            raise ServerError(
                f"cannot lock {self.home.lock} ({error.strerror}): set OROI_DATA_DIR to a folder you can write"
            ) from error
        with held:
            yield

    def _launch(self, program: Path, progress: Progress) -> None:
        home, lib = self.home, program / "lib"
        home.require_space()
        available = available_memory()
        heap, page_cache = sizes(self.options.heap, self.options.page_cache, available)
        require_memory(heap, page_cache, available)
        if self.options.http_port is not None:
            require_free(self.options.http_port, "OROI_SERVER_HTTP_PORT")
        port = home.choose_port(self.options.port)
        home.configure(
            Configuration(
                bolt_port=port,
                http_port=self.options.http_port,
                page_cache=page_cache,
                extra=self.options.settings,
            )
        )
        home.ensure_password()
        java = (*quick_start.java_options(program, self.options.java, self._rehearse, progress), *self.options.java)
        if not home.has_password_set:
            progress(0, 0, "preparing Neo4j")
            admin.set_password(home, lib)
        folders = (server_process.marker(home.path), f"--config-dir={home.conf}")
        command = [
            *admin.java(home, lib, *_JVM, f"-Xms{heap}", f"-Xmx{heap}", *java),
            _MAIN,
            *folders,
            "--console-mode",
        ]
        home.keep_log()
        home.note_pid(server_process.start_detached(command, admin.environment(home), home.path, home.log))

    def _rehearse(self, folder: Path, option: str) -> None:
        """Start and end a server with an empty home, which is deleted. Raises ServerError."""
        options = ServerOptions(heap="256m", page_cache="16m", java=(*quick_start.REHEARSAL, option))
        other = ManagedServer(folder, self.cache_dir, options)
        other.stop()  # of a rehearsal whose process was killed
        shutil.rmtree(folder, ignore_errors=True)
        try:
            other.start()
        finally:
            with other._alone():
                server_process.terminate(other._processes(), _RECORDING_PATIENCE)
            shutil.rmtree(folder, ignore_errors=True)

    def _await_ready(self, progress: Progress) -> None:
        address = self._address()
        progress(0, 0, "starting Neo4j")
        deadline = time.monotonic() + _START_PATIENCE
        while time.monotonic() < deadline:
            processes = self._processes()
            if not processes:
                raise ServerError(f"Neo4j ended while starting: {self._last_words()} (whole log: {self.log_path})")
            # Not before our process itself listens there: whatever else does must not be told the password.
            if server_process.listens(processes[0], address.port) and _answers(address):
                self.home.note_ready(processes[0].pid, processes[0].create_time())
                return
            time.sleep(0.1)
        raise ServerError(
            f"Neo4j does not answer after {_START_PATIENCE:.0f} s: see {self.log_path}, or run `oroi server stop`"
        )

    def _last_words(self) -> str:
        lines = self.logs(400)
        # Neo4j logs that it failed, then the exceptions that say why, the innermost last; a JVM that
        # refuses its options ends with the reason.
        causes = [match[1] for line in lines if (match := _THROWN.match(line))]
        return admin.last(causes or [line for line in lines if " ERROR " in line] or lines)


def _answers(address: ServerAddress) -> bool:
    """True once a query is answered. Raises ServerError when the password is refused."""
    from neo4j import GraphDatabase
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

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
