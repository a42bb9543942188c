"""The folder of the managed server: its port, password, configuration and the note of who runs.

HOME/conf/neo4j.conf   written anew at each start
HOME/conf/java.args    the class path: the pinned files
HOME/password          of user neo4j, readable by its owner only
HOME/server.json       the Bolt port, chosen once
HOME/ready.json        which process was last seen to answer
HOME/version.json      the Neo4j that the data are of
HOME/kept              what upgrades keep until they are confirmed (`dumps`)
HOME/data, logs, run   Neo4j's own
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import files as files_of
from pathlib import Path

from oroi_graph import files
from oroi_graph.errors import ServerError
from oroi_graph.server.artifacts import LockedJar

LOOPBACK = "127.0.0.1"
LEAST_SPACE = 64 * 10**6  # bytes free on the disk, for two files of transaction log
LONGEST_LOG = 8 * 10**6  # bytes of console.log; Neo4j bounds its other logs itself
_PORTS = range(17600, 18600)  # below the ports that systems lend to outgoing connections


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What the configuration file says. Sizes as Neo4j writes them ("512m"), ports 1 to 65535.

    extra: more settings by their Neo4j names; they replace those of the same name here.
    """

    bolt_port: int
    http_port: int | None
    page_cache: str
    extra: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The content of neo4j.conf."""
        template = (files_of(__package__) / "neo4j.conf").read_text("utf-8")
        filled = template.format(host=LOOPBACK, bolt_port=self.bolt_port, page_cache=self.page_cache)
        settings = dict(line.split("=", 1) for line in filled.splitlines() if not line.startswith("#"))
        if self.http_port:
            http = f"{LOOPBACK}:{self.http_port}"
            settings |= {"server.http.enabled": "true", "server.http.listen_address": http}
            settings |= {"server.http.advertised_address": http}
            # Only the browser that this server serves itself: with "*" any page that is visited could ask.
            settings |= {"dbms.security.http_access_control_allow_origin": f"http://{http}"}
        return "".join(f"{name}={value}\n" for name, value in (settings | dict(self.extra)).items())


class Home:
    """One server's folder, `data_dir`/server. Methods that write raise ServerError when they can't."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir.expanduser().resolve() / "server"
        self.conf = self.path / "conf"
        self.log = self.path / "logs" / "console.log"
        self.lock = self.path / "server.lock"
        self.password_file = self.path / "password"

    def create(self) -> None:
        """Make the folders, closed to other users."""
        with self._writing():
            self.path.mkdir(parents=True, exist_ok=True)
            self.path.chmod(0o700)  # whatever it was: it holds what people said
            for folder in (self.conf, self.log.parent):
                folder.mkdir(exist_ok=True)
            files.replace(self.path / ".writable", "", private=True)  # mkdir succeeds on an existing read-only folder

    def require_space(self) -> None:
        """Raise ServerError where the disk is full, or so full that a database would fail on it soon."""
        folder = next(path for path in (self.path, *self.path.parents) if path.exists())
        free = shutil.disk_usage(folder).free
        if free < LEAST_SPACE:
            raise ServerError(
                f"the disk of {self.path} has {free / 1e6:.0f} MB left, a server needs {LEAST_SPACE / 1e6:.0f} MB: "
                "free some space, then try again, or set OROI_DATA_DIR to a folder on another disk"
            )

    def configure(self, configuration: Configuration) -> None:
        """Write neo4j.conf."""
        with self._writing():
            files.replace(self.conf / "neo4j.conf", configuration.text(), private=True)

    def note_class_path(self, lib: Path, jars: Iterable[LockedJar]) -> Path:
        """Write the class path as an argument file of Java: as an argument it would be longer than systems allow."""
        path = os.pathsep.join(str(lib / jar.pin.name) for jar in jars)
        escaped = path.replace("\\", "\\\\").replace('"', '\\"')
        target = self.conf / "java.args"
        with self._writing():
            files.replace(target, f'-cp "{escaped}"\n', private=True)
        return target

    # -- version ----------------------------------------------------------------------------------------

    @property
    def has_data(self) -> bool:
        """True where there are databases."""
        return (self.path / "data" / "databases").exists()

    def version(self) -> str | None:
        """The version of Neo4j that the data are of; None where nothing was noted."""
        version = self._read("version.json").get("neo4j")
        return version if isinstance(version, str) else None

    def note_version(self, version: str) -> None:
        """Note which Neo4j the data are of."""
        if self.version() != version:
            with self._writing():
                files.replace(self.path / "version.json", json.dumps({"neo4j": version}), private=True)

    def require_version(self, version: str) -> None:
        """Raise ServerError where the data are of another version than `version`, which would change them for good."""
        noted = self.version()
        if noted not in (None, version) and self.has_data:
            raise ServerError(
                f"the data in {self.path} are of Neo4j {noted}, this package brings {version}: run `oroi server "
                "upgrade`, which keeps a dump to go back to"
            )

    # -- password ---------------------------------------------------------------------------------------

    @property
    def has_password_set(self) -> bool:
        """True where the database already knows a password."""
        data = self.path / "data"
        return (data / "dbms" / "auth.ini").exists() or (data / "databases" / "system").exists()

    def password(self) -> str:
        """The password in use. Raises ServerError when its file is gone."""
        try:
            return self.password_file.read_text(encoding="ascii").strip()
        except (OSError, ValueError) as error:
            raise ServerError(
                f"cannot read the managed server's password in {self.password_file} "
                f"({_reason(error)}): restore that file"
            ) from error

    def ensure_password(self) -> None:
        """Make up a password where there is neither one nor data that is locked by one."""
        if self.password_file.exists() or self.has_password_set:
            self.password()
            return
        with self._writing():
            # Hexadecimal: no character that an argument file or an address would have to escape.
            files.replace(self.password_file, secrets.token_hex(24) + "\n", private=True)

    # -- ports ------------------------------------------------------------------------------------------

    def remembered_port(self) -> int | None:
        """The Bolt port of the last start."""
        port = self._read("server.json").get("bolt_port")
        return port if isinstance(port, int) else None

    def choose_port(self, fixed: int | None) -> int:
        """A free Bolt port: the fixed one, else the remembered one, else another, remembered from now on.

        Only for a server that doesn't run. Raises ServerError when the fixed one is taken.
        """
        if fixed is not None:
            require_free(fixed, "OROI_SERVER_PORT")
            port = fixed
        else:
            remembered = self.remembered_port()
            port = remembered if remembered and is_free(remembered) else _any_free_port()
        with self._writing():
            files.replace(self.path / "server.json", json.dumps({"bolt_port": port}), private=True)
        return port

    # -- who runs ---------------------------------------------------------------------------------------

    def pid_hints(self) -> tuple[int, ...]:
        """The pid of the last start, as far as it is known."""
        try:
            pid = int((self.path / "pid").read_text(encoding="ascii"))
        except (OSError, ValueError):  # absent or torn: it was only a hint
            return ()
        return (pid,) if pid > 0 else ()

    def note_pid(self, pid: int) -> None:
        """Note the process of this start."""
        with self._writing():
            files.replace(self.path / "pid", f"{pid}\n", private=True)

    def was_ready(self, pid: int, created: float) -> bool:
        """True where this process (start time in seconds) was seen to answer."""
        note = self._read("ready.json")
        return note.get("pid") == pid and note.get("created") == created

    def note_ready(self, pid: int, created: float) -> None:
        """Note that this process answers."""
        with self._writing():
            files.replace(self.path / "ready.json", json.dumps({"pid": pid, "created": created}), private=True)

    def bound_log(self) -> None:
        """Keep the log of the server that runs within bounds: a long one goes to console.log.1 and begins anew."""
        with suppress(OSError):
            if self.log.stat().st_size > LONGEST_LOG:
                shutil.copyfile(self.log, self.log.with_name(f"{self.log.name}.1"))
                os.truncate(self.log, 0)  # the server appends to it

    def keep_log(self) -> None:
        """Keep the log of the last start beside the one of the next."""
        with suppress(OSError):
            self.log.replace(self.log.with_name(f"{self.log.name}.1"))

    def log_lines(self, count: int) -> list[str]:
        """The last lines of the log of the last start; none where it never started."""
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ServerError(f"cannot read {self.log} ({_reason(error)})") from error
        return lines[-count:] if count > 0 else []

    # -- files ------------------------------------------------------------------------------------------

    def _read(self, name: str) -> Mapping[str, object]:
        try:
            value = json.loads((self.path / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):  # absent or torn: as if never written
            return {}
        return value if isinstance(value, dict) else {}

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ServerError(
                f"cannot write {self.path} ({_reason(error)}): "
                "free space there or set OROI_DATA_DIR to a folder you can write"
            ) from error


def is_free(port: int) -> bool:
    """True where nothing listens on this loopback port."""
    with socket.socket() as probe:
        # As servers do: a port whose last connections still linger is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def require_free(port: int, variable: str) -> None:
    """Raises ServerError, naming the variable, where another program listens on this port."""
    if not is_free(port):
        raise ServerError(f"port {port} is in use by another program: set {variable} to a free one, or unset it")


def _any_free_port() -> int:
    # At random: two servers that choose at the same moment must not choose the same.
    for port in secrets.SystemRandom().sample(_PORTS, len(_PORTS)):
        if is_free(port):
            return port
    raise ServerError(f"no port from {_PORTS[0]} to {_PORTS[-1]} is free: set OROI_SERVER_PORT to a free one")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
