"""Load the HTTP API: many clients at once tell turns and ask; errors, times and the server's memory are told.

    python benchmarks/http_load.py --clients 64 --seconds 600 --json OUT.json
    python benchmarks/http_load.py --tells 0                                    # a memory that does not grow

A memory of its own is made in the database of the settings, and deleted afterwards. The API runs in a process of its
own (`oroi serve`), so that its resident memory is its own. One request in five tells a turn, the others ask; what is
told is kept, also by the server, which holds the memory's graph as arrays: its size at the end is told, too.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psutil

from oroi_graph.connection import connect
from oroi_graph.interfaces.keys import KeyRegistry

PEOPLE = ("Leire", "Iker", "Maite", "Jon", "Nerea", "Unai")
TOWNS = ("Gernika", "Bilbao", "Durango", "Bermeo", "Elorrio", "Lekeitio")
EVERY = 5.0  # seconds between two looks at the server's memory


@dataclass
class Seen:
    """What clients met. times: seconds of answered requests, by kind; resident: MB, one look after the other."""

    times: dict[str, list[float]] = field(default_factory=lambda: {"tell": [], "ask": []})
    statuses: Counter[str] = field(default_factory=Counter)
    resident: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class Load:
    """What clients do. tells: share of the requests that tell a turn."""

    url: str
    key: str
    clients: int
    seconds: float
    tells: float


def client(given: Load, until: float, number: int, seen: Seen) -> None:
    """One client: a request after the other until the time is over."""
    chance = random.Random(number)
    with httpx2.Client(base_url=given.url, headers={"Authorization": f"Bearer {given.key}"}, timeout=120) as http:
        while time.monotonic() < until:
            who, where = chance.choice(PEOPLE), chance.choice(TOWNS)
            tells = chance.random() < given.tells
            path = "/v1/turns" if tells else "/v1/recall"
            said = {"text": f"{who} lives in {where}.", "reply": "I see."} if tells else {}
            body = said or {"question": f"Where does {who} live?"}
            began = time.perf_counter()
            try:
                status = str(http.post(path, json={**body, "speaker": f"Guest {number}"}).status_code)
            except httpx2.HTTPError as error:
                status = type(error).__name__
            with seen.lock:
                seen.statuses[status] += 1
                seen.times["tell" if tells else "ask"].append(time.perf_counter() - began)


def load(given: Load, process: psutil.Process) -> Seen:
    """Run the clients; watch the server meanwhile."""
    seen, until = Seen(), time.monotonic() + given.seconds
    threads = [threading.Thread(target=client, args=(given, until, n, seen)) for n in range(given.clients)]
    for thread in threads:
        thread.start()
    while time.monotonic() < until:
        seen.resident.append(round(process.memory_info().rss / 1e6, 1))
        time.sleep(EVERY)
    for thread in threads:
        thread.join()
    return seen


def report(seen: Seen, seconds: float) -> dict[str, object]:
    """The figures. growth: MB between the first and the last fifth of the looks at memory."""
    part = max(1, len(seen.resident) // 5)
    growth = statistics.mean(seen.resident[-part:]) - statistics.mean(seen.resident[:part])
    times = {
        kind: {"n": len(found), **{f"p{q}": round(_quantile(found, q), 3) for q in (50, 95, 99)}}
        for kind, found in seen.times.items()
        if found
    }
    total = sum(seen.statuses.values())
    errors = sum(count for status, count in seen.statuses.items() if status not in ("200", "201"))
    return {
        "requests": total, "per_second": round(total / seconds, 1), "errors": errors, "statuses": dict(seen.statuses),
        "seconds": times, "resident_mb": seen.resident, "growth_mb": round(growth, 1),
    }  # fmt: skip


def _quantile(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def main() -> int:
    """Serve, load, print; 1 if any request failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--tells", type=float, default=0.2, help="share of the requests that tell a turn")
    parser.add_argument("--json", type=Path, help="where the result is written")
    given = parser.parse_args()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with connect() as graph:
        memory = graph.memory(f"load-{uuid.uuid4().hex[:8]}")
        keys = KeyRegistry(graph.store)
        made = keys.create("load", [memory.name], ["read", "write"])
        command = [sys.executable, "-m", "oroi_graph", "serve", "--port", str(port), "--rate", "1000000"]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            url = f"http://127.0.0.1:{port}"
            while True:
                try:
                    httpx2.get(f"{url}/ready", timeout=10).raise_for_status()
                    break
                except httpx2.HTTPError:
                    time.sleep(0.5)
            memory.perceive("Leire lives in Gernika.", speaker="Guest 0").close("I see.")
            asked = Load(url, made.text, given.clients, given.seconds, given.tells)
            found = report(load(asked, psutil.Process(server.pid)), given.seconds)
            memory.recall("Where does Leire live?", speaker="Guest 0")
            found["working_set_mb"] = round(graph.stats().bytes / 1e6, 1)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)
            keys.revoke(made.key.id)
            graph.delete(memory.name)
    text = json.dumps({"clients": given.clients, "duration": given.seconds, **found}, indent=2)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")
    print(text)
    return 1 if found["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
