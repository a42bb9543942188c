"""What makes the server's starts quick: recorded once for exactly these program files, and never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from filelock import FileLock
from shared_assets import ASSET_CACHE

from oroi_graph.errors import ServerError
from oroi_graph.options import silent
from oroi_graph.server import quick_start
from oroi_graph.server.fetch import ensure_neo4j
from oroi_graph.server.managed import ManagedServer
from oroi_graph.server.process import find


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder like that of the program files."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "one.jar").write_bytes(b"one")
    return tmp_path


class Rehearsal:
    """Stands in for the start of a server. records: whether Java writes its recording in the end."""

    def __init__(self, records: bool = True, fails: bool = False) -> None:
        self.records, self.fails, self.count = records, fails, 0

    def __call__(self, folder: Path, option: str) -> None:
        self.count += 1
        if self.records:
            Path(option.partition("=")[2]).write_bytes(b"classes")
        if self.fails:
            raise ServerError("no memory")


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is recorded on Windows")
def test_it_is_recorded_once_for_these_files(program: Path) -> None:
    rehearse, told = Rehearsal(), list[str]()

    def asked(*given: str) -> tuple[str, ...]:
        return quick_start.java_options(program, given, rehearse, lambda done, total, step: told.append(step))

    assert asked("-XX:AOTMode=off") == (), "who decides himself is left alone"
    (option,) = asked()
    assert Path(option.removeprefix("-XX:AOTCache=")).read_bytes() == b"classes"
    assert asked("-Xmx1g") == (option,)
    assert (rehearse.count, told) == (1, ["preparing Neo4j for quick starts, once"])
    os.utime(program / "lib" / "one.jar", (1, 1))  # Java would refuse the recording
    (other,) = asked()
    assert other != option
    assert rehearse.count == 2
    os.utime(program / "lib" / "one.jar", (2, 2))
    asked()
    os.utime(program / "lib" / "one.jar", (1, 1))
    assert asked() == (other,), "another environment may have needed it meanwhile"
    assert rehearse.count == 3
    for when in range(3, 9):
        os.utime(program / "lib" / "one.jar", (when, when))
        asked()
    assert len([*program.glob("quick_start-*.aot")]) == quick_start.KEPT + 1


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is recorded on Windows")
def test_a_new_file_takes_the_place_of_those_of_other_versions(tmp_path: Path) -> None:
    """Of Java and of Neo4j; but for what a living server uses, and for what is not ours."""
    program, older, locked = (tmp_path / f"neo4j-{name}" for name in ("2026.08.1-aa", "2026.07.0-bb", "2026.06.0-cc"))
    for folder in (program, older, locked):
        (folder / "lib").mkdir(parents=True)
    (program / "lib" / "one.jar").write_bytes(b"one")
    gone = [
        program / "quick_start-0123456789ab.aot",  # as named before Java's version was in it
        program / "quick_start-24.0.1-0123456789ab.aot",
        program / "quick_start-25.0.2-0123456789ab.part",  # of a recording that was killed
        older / "quick_start-0123456789ab.aot",
    ]
    used = program / "quick_start-24.0.1-ba9876543210.aot"
    others = [program / "quick_start-notes.aot", older / "quick_start-24.0.1-0123456789ab.aot.bak", older / "one.aot"]
    recorded = locked / "quick_start-24.0.1-0123456789ab.aot"
    for file in (*gone, *others, used, recorded):
        file.write_bytes(b"x")
    server = subprocess.Popen([sys.executable, "-c", "input()", f"-XX:AOTCache={used}"], stdin=subprocess.PIPE)
    try:
        with FileLock(locked / "quick_start.lock"):
            (option,) = quick_start.java_options(program, (), Rehearsal(), silent)
    finally:
        server.communicate(b"\n")
    assert Path(option.partition("=")[2]).exists()
    assert [file for file in gone if file.exists()] == []
    assert [file for file in (*others, used, recorded) if not file.exists()] == []


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is recorded on Windows")
@pytest.mark.parametrize("rehearse", [Rehearsal(records=False), Rehearsal(records=False, fails=True)])
def test_what_could_not_be_recorded_is_not_tried_again(program: Path, rehearse: Rehearsal) -> None:
    assert [quick_start.java_options(program, (), rehearse, silent) for _ in range(2)] == [(), ()]
    assert rehearse.count == 1


def test_where_nothing_can_be_written_the_start_is_as_slow_as_ever(program: Path) -> None:
    assert quick_start.java_options(program / "lib" / "one.jar", (), Rehearsal(), silent) == ()


@pytest.mark.endurance
@pytest.mark.skipif(sys.platform == "win32", reason="nothing is recorded on Windows")
def test_java_uses_what_a_real_rehearsal_recorded(tmp_path: Path) -> None:
    """The suite's cache has one, or the first server of this run records it. The server is as users have it; others of
    the suite have options of Java for a short life.
    """
    program = ensure_neo4j(ASSET_CACHE)
    server = ManagedServer(tmp_path / "data", ASSET_CACHE)
    try:
        server.start()
        process = psutil.Process(server.status().pid)
        (option,) = [one for one in process.cmdline() if one.startswith("-XX:AOTCache=")]
        file = Path(option.partition("=")[2])
        assert file.parent == program
        assert str(file) in {one.path for one in process.memory_maps()}, "mapped, and not refused"
        assert not [line for line in server.logs(500) if "[aot" in line or "[cds" in line]
        assert find(program / "rehearsal" / "server") == []
        assert not (program / "rehearsal").exists()
    finally:
        server.stop()
        shutil.rmtree(tmp_path / "data", ignore_errors=True)
