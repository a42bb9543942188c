"""Kills of server and client at random moments of a life (`fault_life`): is the memory as if nothing had happened?"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import fault_life
import psutil
from kill import differences
from workers import state

from oroi_graph import connect
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings

LONGEST = 900.0  # seconds of one life's step
LATEST = 4.0  # seconds after a step was acknowledged by which the kill comes
EACH = 20  # kills of one life
MEMORY = "life"
AUDIT = "Forgetting"  # the label of what tells of a deletion
PARENT = Path(__file__).parent


def kills(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
    """Lives, each disturbed some twenty times; what differs from an undisturbed one is a fault."""
    expected = _state_after(settings, server, choose, 0, done := Counter[str]())
    faults: list[str] = []
    number = 0
    while done["kills"] < count:
        told: Counter[str] = Counter()
        found = _state_after(settings, server, choose, min(EACH, count - done["kills"]), told)
        done.update(told)
        faults += [f"life {number}: {line}" for line in differences(expected, found)]
        number += 1
        print(f"life {number}: {dict(told)}, {len(faults)} faults so far", file=sys.stderr, flush=True)
        if not told["kills"]:
            raise SystemExit("a life went by without any kill: raise --count or lower the delays")
    return {**done, "lives": number, "things": len(expected), "faults": len(faults), "first": faults[:20]}


def _state_after(
    settings: Settings, server: ManagedServer, choose: random.Random, most: int, done: Counter[str]
) -> dict[str, dict[str, object]]:
    """All of a memory after one life with at most `most` kills, counted in `done`; the memory is deleted again.

    Every life is of one name, since ids are made from it. What the audit notes of a request has an id by chance, and
    a request that is repeated after it was done is noted twice: both are left out.
    """
    server.start()
    done.update(_live(settings, MEMORY, server, choose, most))
    server.start()
    with connect(settings=settings) as graph:
        whole = state(graph.store, MEMORY)
        found = {key: of for key, of in whole.items() if AUDIT not in of["labels"]}
        if left := graph.delete(MEMORY):
            raise SystemExit(f"{left} things are left of a deleted memory")
    return found


def _live(settings: Settings, name: str, server: ManagedServer, choose: random.Random, most: int) -> Counter[str]:
    """One life to its end, disturbed at most `most` times."""
    done: Counter[str] = Counter()
    life = len(fault_life.steps())
    acknowledged = -1
    while acknowledged < life - 1:
        command = [sys.executable, str(PARENT / "fault_life.py"), str(settings.data_dir), name, str(acknowledged + 1)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            wait = choose.randrange(0, 4)  # steps before the kill, so that each kind of step is hit
            timer: threading.Timer | None = None
            for line in process.stdout:
                acknowledged = int(line)
                if timer is None and done["kills"] < most:
                    if wait == 0:
                        timer = _Killing(server, process, choose, done).timer
                        timer.start()
                    wait -= 1
            said = process.stderr.read()
            code = process.wait(LONGEST)
            if timer is not None:
                timer.cancel()
                timer.join()
            if code not in (0, fault_life.FAILED, -9):
                raise SystemExit(f"{name} step {acknowledged + 1} ended with {code}: {said[-2000:]}")
            if code == fault_life.FAILED and most == 0:
                raise SystemExit(f"{name} failed undisturbed: {said[-2000:]}")
            if code == fault_life.FAILED:
                done["told"] += 1
                if "\n" in said.strip():
                    raise SystemExit(f"more than one line was said: {said[-2000:]}")
    return done


class _Killing:
    """Kill the server or the client in a moment."""

    def __init__(
        self, server: ManagedServer, process: subprocess.Popen[str], choose: random.Random, done: Counter[str]
    ) -> None:
        self._server, self._process, self._done = server, process, done
        self._whom = choose.choice(("server", "client"))
        self.timer = threading.Timer(choose.uniform(0, LATEST), self)

    def __call__(self) -> None:
        if self._process.poll() is not None:
            return
        if self._whom == "client":
            self._process.kill()
        else:
            pid = self._server.status().pid
            if pid is None:
                return
            with_server = psutil.Process(pid)
            with_server.kill()
            with_server.wait(30)
        self._done["kills"] += 1
        self._done[f"{self._whom} kills"] += 1
        time.sleep(0)
