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

from oroi_graph.connection import open_store
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings

LONGEST = 900.0  # seconds of one life's step
LATEST = 4.0  # seconds after a step was acknowledged by which the kill comes
EACH = 20  # kills of one life
PARENT = Path(__file__).parent


def kills(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
    """Lives, each disturbed some twenty times; what differs from an undisturbed one is a fault."""
    server.start()
    _live(settings, "undisturbed", server, choose, 0)
    with open_store(settings) as store:
        expected = state(store, "undisturbed")
    done: Counter[str] = Counter()
    faults: list[str] = []
    number = 0
    while done["kills"] < count:
        name = f"life-{number}"
        told = _live(settings, name, server, choose, min(EACH, count - done["kills"]))
        done.update(told)
        server.start()
        with open_store(settings) as store:
            found = state(store, name)
        faults += [f"{name}: {line}" for line in differences(_renamed(expected, "undisturbed"), _renamed(found, name))]
        number += 1
        print(f"{name}: {dict(told)}, {len(faults)} faults so far", file=sys.stderr, flush=True)
        if not told["kills"]:
            raise SystemExit("a life went by without any kill: raise --count or lower the delays")
    return {**done, "lives": number, "things": len(expected), "faults": len(faults), "first": faults[:20]}


def _renamed(of: dict[str, dict[str, object]], name: str) -> dict[str, dict[str, object]]:
    """A state without what is derived from the memory's name."""
    left_out = {"name", "memory", "memory_key", "slot"}
    return {
        key.replace(name, "it"): {k: v for k, v in properties.items() if k not in left_out}
        for key, properties in of.items()
    }


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
