"""The managed server, for real: two starts of one server, in this order, and what must not start."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
import yaml
from databases import SHORT_LIVED
from locations import PROJECT
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import ClientError
from shared_assets import ASSET_CACHE

from oroi_graph.errors import AssetError, ServerError
from oroi_graph.server import memory_check
from oroi_graph.server import process as server_process
from oroi_graph.server.artifacts import read_lock
from oroi_graph.server.home import Configuration, Home, is_free
from oroi_graph.server.managed import ManagedServer, ServerAddress, ServerOptions
from oroi_graph.server.memory_check import available_memory, parse_size, sizes
from oroi_graph.settings import Settings
from oroi_graph.storage import migrations
from oroi_graph.storage.store import Store

pytestmark = pytest.mark.long

STARTER = """
import json, sys
from pathlib import Path
from oroi_graph.server.managed import ManagedServer, ServerOptions
server = ManagedServer(Path(sys.argv[1]), Path(sys.argv[2]), ServerOptions(java=tuple(sys.argv[3:])))
print(json.dumps([server.start().uri, server.status().pid]))
"""


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data of the one server of this file; its path has a space and an accent, as homes do."""
    folder = tmp_path_factory.mktemp("año") / "my data"
    yield folder
    ManagedServer(folder, ASSET_CACHE).stop()


@pytest.fixture(scope="module", autouse=True)
def ascii_locale() -> Iterator[None]:
    """As in containers and cron jobs: paths beyond ASCII must work there, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LANG", raising=False)
        patch.setenv("LC_ALL", "C")
        yield


@pytest.fixture(scope="module")
def server(data_dir: Path) -> ManagedServer:
    return ManagedServer(data_dir, ASSET_CACHE)


@pytest.fixture(scope="module")
def bystander() -> Iterator[psutil.Popen]:
    """A process that is none of ours, on whose pid stale files will point."""
    with psutil.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as process:
        yield process


@pytest.fixture
def listener() -> Iterator[int]:
    """A port on which another program listens."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def connect(address: ServerAddress) -> Driver:
    return GraphDatabase.driver(address.uri, auth=(address.user, address.password))


def home(data_dir: Path) -> Path:
    return data_dir / "server"


def leave_stale_files(data_dir: Path, pid: int, port: int) -> None:
    """What a machine that lost power may hold: notes on a pid and a port that are others' by now."""
    home(data_dir).mkdir(parents=True, exist_ok=True)
    (home(data_dir) / "pid").write_text(str(pid))
    created = psutil.Process(pid).create_time()
    (home(data_dir) / "ready.json").write_text(json.dumps({"pid": pid, "created": created}))
    (home(data_dir) / "server.json").write_text(json.dumps({"bolt_port": port}))


# -- one server, two starts ------------------------------------------------------------------------------


def test_before_the_first_start(server: ManagedServer, data_dir: Path) -> None:
    assert server.status().state == "stopped"
    assert server.logs() == []
    assert server.stop() is False
    assert not data_dir.exists()


def test_two_processes_that_start_at_once_end_with_one_server(
    server: ManagedServer, data_dir: Path, bystander: psutil.Popen, listener: int
) -> None:
    leave_stale_files(data_dir, bystander.pid, listener)
    assert server.status().state == "stopped"
    assert server.stop() is False
    command = [sys.executable, "-c", STARTER, str(data_dir), str(ASSET_CACHE), *SHORT_LIVED.java]
    starters = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [starter.communicate()[0] for starter in starters]
    assert [starter.returncode for starter in starters] == [0, 0]
    assert outputs[0] == outputs[1]
    uri, pid = json.loads(outputs[0])
    assert pid != bystander.pid
    assert bystander.is_running()
    assert not uri.endswith(f":{listener}")  # that port is another program's: ours is chosen anew
    databases = [p for p in psutil.process_iter() if f"--home-dir={home(data_dir)}" in cmdline(p)]
    assert [process.pid for process in databases] == [pid]


def cmdline(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_status_and_logs_of_a_running_server(server: ManagedServer) -> None:
    status = server.status()
    assert status.state == "running"
    assert status.uri == server.start().uri
    assert status.pid is not None
    assert psutil.pid_exists(status.pid)
    assert status.memory is not None
    assert status.memory > 100 << 20
    assert json.loads(json.dumps(status.to_json()))["state"] == "running"
    assert server.logs(1)[0].endswith("Started.")
    assert len(server.logs(3)) == 3
    assert server.logs(0) == []
    assert server.log_path.is_file()


def test_another_data_folder_is_another_server(server: ManagedServer, tmp_path: Path) -> None:
    other = ManagedServer(tmp_path, ASSET_CACHE)
    assert other.status().state == "stopped"
    assert other.stop() is False
    assert server.status().state == "running"


def test_the_password_is_for_the_owner_only(server: ManagedServer, data_dir: Path) -> None:
    address = server.start()
    assert len(address.password) >= 32
    assert address.password not in repr(address)
    assert address.password not in repr(server.status())
    file = home(data_dir) / "password"
    assert file.stat().st_mode & 0o777 == 0o600
    assert home(data_dir).stat().st_mode & 0o777 == 0o700
    holders = [
        path
        for path in home(data_dir).rglob("*")
        if path.is_file() and path != file and address.password.encode() in path.read_bytes()
    ]
    assert holders == []
    assert not any(address.password in " ".join(cmdline(process)) for process in psutil.process_iter())


def test_only_this_machine_can_connect(server: ManagedServer) -> None:
    status = server.status()
    connections = psutil.Process(status.pid).net_connections(kind="tcp")
    listening = {c.laddr.ip.removeprefix("::ffff:") for c in connections if c.status == psutil.CONN_LISTEN}
    ports = {c.laddr.port for c in connections if c.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
    assert [f"bolt://127.0.0.1:{port}" for port in ports] == [status.uri]  # no HTTP, nothing else


def test_the_server_inherits_no_secrets(server: ManagedServer) -> None:
    names = set(psutil.Process(server.status().pid).environ())
    assert not {name for name in names if name.startswith(("OROI", "OPENAI", "PYTEST", "PIP"))}


@pytest.mark.parametrize("source", ["file:///etc/hostname", "http://127.0.0.1:1/table.csv"])
def test_statements_read_neither_files_nor_addresses(server: ManagedServer, source: str) -> None:
    with connect(server.start()) as driver, pytest.raises(ClientError, match=r"is false|is blocked"):
        driver.execute_query("LOAD CSV FROM $source AS line RETURN line", source=source)


def _configured(folder: Path) -> dict[str, str]:
    """The lines of the configuration file in a folder."""
    lines = (folder / "neo4j.conf").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_settings_of_the_server_and_of_the_compose_files(server: ManagedServer) -> None:
    with connect(server.start()) as driver:
        rows = driver.execute_query("SHOW SETTINGS YIELD name, value").records
    settings = {row["name"]: row["value"] for row in rows}
    assert settings["dbms.usage_report.enabled"] == "false"
    assert settings["dbms.fleet_manager.enabled"] == "false"
    assert settings["server.fleet_discovery.enabled"] == "false"
    assert settings["db.logs.query.enabled"] == "OFF"
    written, told = (found["server.memory.pagecache.size"] for found in (_configured(server.home.conf), settings))
    unit = {"MiB": 1 << 20, "GiB": 1 << 30}[told[-3:]]
    assert float(told[:-3]) * unit == pytest.approx(parse_size(written), rel=0.01)
    assert 256 << 20 <= parse_size(written) <= 8 << 30
    for name in ("compose.yml", "compose.test.yml"):
        file = PROJECT / "docker" / name
        service = yaml.safe_load(file.read_text(encoding="utf-8"))["services"]["neo4j"]
        # In the image's environment "." is written "_", and "_" is written "__".
        names = {key.removeprefix("NEO4J_") for key in service["environment"]} - {"AUTH"}
        plain = {key.replace("__", "\0").replace("_", ".").replace("\0", "_") for key in names}
        assert plain - set(settings) == set()


def test_an_empty_database_is_migrated_by_many_at_once(server: ManagedServer) -> None:
    at, ready = server.start(), threading.Barrier(6)

    def migrate(_: int) -> tuple[str, ...]:
        with Store(at.uri, at.user, at.password, at.database) as store:
            ready.wait(timeout=60)
            return migrations.migrate(store, 8).pending

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(migrate, range(6))) == [()] * 6


@pytest.fixture(scope="module")
def browsed(data_dir: Path) -> ManagedServer:
    """The same server as it is started with HTTP."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return ManagedServer(data_dir, ASSET_CACHE, ServerOptions(http_port=port, java=SHORT_LIVED.java))


def test_an_acknowledged_write_survives_kill_9(server: ManagedServer, browsed: ManagedServer) -> None:
    address = server.start()
    with connect(address) as driver:
        driver.execute_query("CREATE (:Kept {what: 'acknowledged'})")
        process = psutil.Process(server.status().pid)
        process.kill()
        psutil.wait_procs([process], timeout=30)
    assert server.status().state == "stopped"
    again = browsed.start()  # with more options than before, still the same server
    assert again == address  # port and password are remembered
    assert server.start() == address
    with connect(again) as driver:
        rows = driver.execute_query("MATCH (k:Kept) RETURN k.what AS what").records
    assert [row["what"] for row in rows] == ["acknowledged"]


def test_neo4j_browser_is_served_where_http_is_turned_on(browsed: ManagedServer) -> None:
    """By the server as it was started after the kill."""
    port = browsed.options.http_port
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/browser/") as answer:
        assert answer.status == 200
    # Another page that is open in a browser may not ask this server.
    foreign = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"Origin": "http://elsewhere.example"})
    with urllib.request.urlopen(foreign) as answer:
        assert answer.headers.get("Access-Control-Allow-Origin") == f"http://127.0.0.1:{port}"
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/browser/") as answer:
        assert b"Neo4j Browser" in answer.read()


def test_a_server_without_notes_is_still_ours(server: ManagedServer, data_dir: Path) -> None:
    pid = server.status().pid
    for note in ("ready.json", "pid"):
        (home(data_dir) / note).unlink()
    status = server.status()
    assert (status.state, status.pid) == ("starting", pid)  # alive; whether it answers is not known any more
    server.start()
    assert (server.status().state, server.status().pid) == ("running", pid)


def test_a_process_that_has_no_arguments_yet_is_waited_for(
    server: ManagedServer, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a process becomes Java it has none; on a busy machine that takes a while."""
    (running,) = server_process.find(Home(data_dir).path)
    real, seen = psutil.Process.cmdline, []

    def late(process: psutil.Process) -> list[str]:
        seen.append(process.pid)
        return [] if len(seen) < 3 else real(process)

    monkeypatch.setattr(psutil.Process, "cmdline", late)
    monkeypatch.setattr(psutil.Process, "create_time", lambda _: time.time())
    assert [found.pid for found in server_process.find(Home(data_dir).path, [running.pid])] == [running.pid]
    assert seen == [running.pid] * len(seen), "the machine's other processes were not looked at"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may run another user's process")
def test_another_users_process_is_not_the_server(server: ManagedServer, tmp_path: Path) -> None:
    """Whatever it says on its command line, and wherever it listens: it would be told the password."""
    folder = tmp_path / "server"
    folder.mkdir()
    command = ["/bin/sh", "-c", "read line", server_process.marker(folder)]
    for user, found in ((65534, False), (0, True)):
        with subprocess.Popen(command, stdin=subprocess.PIPE, user=user) as other:
            hinted = server_process.find(folder, [other.pid])
            assert [one.pid for one in hinted] == ([other.pid] if found else [])
            other.communicate(b"\n")


def test_only_the_server_itself_is_asked(server: ManagedServer, listener: int) -> None:
    """A foreign listener on the port that the starting server is to have is not told the password."""
    (running,) = server_process.find(Path(server.status().home))
    assert server_process.listens(running, server.start().port)
    assert not server_process.listens(running, listener)


def test_the_class_path_is_the_pinned_files(server: ManagedServer) -> None:
    (running,) = server_process.find(Path(server.status().home))
    (arguments,) = [argument for argument in running.cmdline() if argument.startswith("@")]
    listed = Path(arguments[1:]).read_text().removeprefix('-cp "').rstrip('"\n').split(os.pathsep)
    assert [Path(jar).name for jar in listed] == [jar.pin.name for jar in read_lock().jars]


def test_stop_waits_for_the_end(server: ManagedServer, data_dir: Path, bystander: psutil.Popen) -> None:
    status = server.status()
    assert status.pid is not None
    assert status.uri is not None
    assert server.stop() is True
    assert not psutil.pid_exists(status.pid) or psutil.Process(status.pid).status() == psutil.STATUS_ZOMBIE
    assert is_free(int(status.uri.rpartition(":")[2]))
    assert server.status().state == "stopped"
    assert server.stop() is False
    assert bystander.is_running()


@pytest.mark.parametrize(
    ("sizes", "words"), [({"heap": "1k"}, "(?i:heap)"), ({"page_cache": "1k"}, "(?i:memory|page)")]
)
def test_a_start_that_fails_quotes_the_servers_last_words(data_dir: Path, sizes: dict[str, str], words: str) -> None:
    options = ServerOptions(**sizes, java=SHORT_LIVED.java)  # type: ignore[arg-type]
    starved = ManagedServer(data_dir, ASSET_CACHE, options)
    with pytest.raises(ServerError, match=rf"Neo4j ended while starting: .*{words}.* \(whole log: ") as caught:
        starved.start()
    assert "\n" not in str(caught.value)
    assert str(starved.log_path) in str(caught.value)
    assert starved.status().state == "stopped"


# -- what must not start --------------------------------------------------------------------------------


def test_too_little_memory_says_how_much(data_dir: Path) -> None:
    with pytest.raises(ServerError, match=r"needs \d{6,} MB, \d+ MB are available.*OROI_SERVER_HEAP"):
        ManagedServer(data_dir, ASSET_CACHE, ServerOptions(heap="900g")).start()


def test_a_busy_fixed_port_is_an_error(data_dir: Path, listener: int) -> None:
    with pytest.raises(ServerError, match=rf"port {listener} is in use .*OROI_SERVER_PORT"):
        ManagedServer(data_dir, ASSET_CACHE, ServerOptions(port=listener)).start()
    with pytest.raises(ServerError, match=rf"port {listener} is in use .*OROI_SERVER_HTTP_PORT"):
        ManagedServer(data_dir, ASSET_CACHE, ServerOptions(http_port=listener)).start()


def test_a_lost_password_file_is_named(data_dir: Path) -> None:
    file = home(data_dir) / "password"
    aside = file.rename(file.with_name("aside"))
    try:
        with pytest.raises(ServerError, match="restore that file") as caught:
            ManagedServer(data_dir, ASSET_CACHE).start()
        assert str(file) in str(caught.value)
    finally:
        aside.rename(file)


def test_an_unwritable_data_folder_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    for folder in (tmp_path / "file" / "data", Path("/proc/oroi")):
        with pytest.raises(ServerError, match=r"cannot write .*OROI_DATA_DIR") as caught:
            ManagedServer(folder, ASSET_CACHE).start()
        assert "\n" not in str(caught.value)


def test_no_network_on_first_use_says_what_to_do(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    offline = ManagedServer(tmp_path / "data", tmp_path / "cache", ServerOptions(maven_url=f"http://127.0.0.1:{port}"))
    with pytest.raises(AssetError, match="check the network"):
        offline.start()
    assert offline.status().state == "stopped"


# -- parts ----------------------------------------------------------------------------------------------


def test_settings_reach_the_server(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, cache_dir=ASSET_CACHE, server_heap="900g")
    with pytest.raises(ServerError, match="too little memory"):
        ManagedServer.from_settings(settings).start()


def test_extra_settings_are_added_and_win() -> None:
    given = Configuration(
        bolt_port=1, http_port=None, page_cache="1m", extra={"a.b": "c", "db.logs.query.enabled": "X"}
    )
    plain = Configuration(bolt_port=1, http_port=None, page_cache="1m").text().splitlines()
    assert set(given.text().splitlines()) ^ set(plain) == {
        "a.b=c", "db.logs.query.enabled=X", "db.logs.query.enabled=OFF",
    }  # fmt: skip


def test_the_port_is_chosen_once(tmp_path: Path, listener: int) -> None:
    one = Home(tmp_path)
    one.create()
    port = one.choose_port(None)
    assert one.choose_port(None) == one.remembered_port() == port
    (one.path / "server.json").write_text(json.dumps({"bolt_port": listener}))
    other = one.choose_port(None)
    assert other not in (listener, 0)
    assert Home(tmp_path).remembered_port() == other


def test_torn_notes_are_as_if_never_written(tmp_path: Path) -> None:
    one = Home(tmp_path)
    one.create()
    for name, content in (("server.json", '{"bolt_'), ("ready.json", "[1, 2]"), ("pid", "12x")):
        (one.path / name).write_text(content)
    assert one.remembered_port() is None
    assert one.pid_hints() == ()
    assert not one.was_ready(os.getpid(), 0.0)


@pytest.mark.parametrize(("text", "size"), [("512m", 512 << 20), ("2G", 2 << 30), ("64k", 64 << 10)])
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "m", "12", "12t", "many"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(ServerError, match="is no size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("available", "found"),
    [(1 << 30, ("512m", "256m")), (16 << 30, ("1024m", "2048m")), (900 << 30, ("2048m", "8192m"))],
)
def test_sizes_follow_from_the_available_memory(available: int, found: tuple[str, str]) -> None:
    assert sizes(None, None, available) == found
    assert sizes("64m", None, available) == ("64m", found[1])
    assert sizes(None, "64m", available) == (found[0], "64m")


def test_a_containers_limit_counts(tmp_path: Path) -> None:
    free = available_memory(tmp_path / "nothing")
    (tmp_path / "memory.current").write_text("300\n")
    (tmp_path / "memory.stat").write_text("anon 200\ninactive_file 60\n")
    (tmp_path / "memory.max").write_text("1000\n")
    assert available_memory(tmp_path) == 760
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory(tmp_path) > free // 2
    assert free > memory_check.parse_size("1m")
