"""A bad network between us and the database: cut, slow, delayed, refused and half-open connections."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from fault_life import turns_of
from graph_view import stating
from tcp_proxy import TcpProxy, Weather

from oroi_graph import Graph, Memory, OfflineExtractor, ScriptedEmbedder
from oroi_graph.errors import OroiError
from oroi_graph.server.managed import ManagedServer, ServerAddress
from oroi_graph.settings import Settings
from oroi_graph.storage import migrations
from oroi_graph.storage.store import Store

PATIENCE = 10.0  # seconds for which a transaction is tried again
LONGEST = 200.0  # seconds after which a call must have ended, whatever the network does
TURNS = 20
HALF_OPEN = 2  # turns of those: each waits until the driver gives up


def network(settings: Settings, server: ManagedServer, choose: random.Random, count: int) -> dict[str, object]:
    """`count` rounds of each kind of bad network; turns lost or doubled, other errors and endless calls are faults."""
    address = server.start()
    faults: list[str] = []
    told: Counter[str] = Counter()
    slowest: dict[str, float] = {}
    with Store(address.uri, address.user, address.password) as store:
        migrations.migrate(store, 384)
    for number in range(count):
        for kind in KINDS:
            name = f"{kind}-{number}"
            done = say_through(address, name, kind, choose, TURNS)
            print(f"{name}: {done.acknowledged} acknowledged, {done.refused} refused", file=sys.stderr)
            slowest[kind] = max(slowest.get(kind, 0.0), round(done.longest, 1))
            told[f"{kind} acknowledged"] += done.acknowledged
            told[f"{kind} refused"] += done.refused
            faults += done.faults
            if done.longest > LONGEST:
                faults.append(f"{name}: a call took {done.longest:.0f} s")
    return {**told, "slowest call, s": slowest, "faults": len(faults), "first": faults[:20]}


@dataclass
class Said:
    """What came of turns over a bad network. longest: seconds of a call."""

    acknowledged: int = 0
    refused: int = 0
    longest: float = 0.0
    faults: list[str] = field(default_factory=list)


def say_through(address: ServerAddress, name: str, kind: str, choose: random.Random, turns: int) -> Said:
    """Say turns through a proxy while one kind of trouble goes on, each until it is acknowledged or was refused thrice;
    then all of them again over a good network: each is one turn."""
    proxy = TcpProxy(address.port, seed=choose.randrange(1 << 30))
    done = Said()
    acknowledged: list[str] = []
    with Store(f"bolt://127.0.0.1:{proxy.port}", address.user, address.password, patience=PATIENCE) as store:
        memory = Graph(store, ScriptedEmbedder(384), OfflineExtractor()).memory(name)
        with KINDS[kind](proxy, choose):
            for turn in range(HALF_OPEN if kind == "half-open" else turns):
                for _ in range(3):
                    began = time.monotonic()
                    try:
                        _say(memory, f"{name}-{turn}", turn)
                        acknowledged.append(f"{name}-{turn}")
                        break
                    except OroiError as error:
                        done.refused += 1
                        if "\n" in str(error):
                            done.faults.append(f"{name}: more than one line")
                    except Exception as error:  # any other error is what this looks for
                        done.faults.append(f"{name}: {type(error).__name__}: {error}")
                    finally:
                        done.longest = max(done.longest, time.monotonic() - began)
        done.acknowledged = len(acknowledged)
        for turn in range(turns):
            _say(memory, f"{name}-{turn}", turn)
            acknowledged.append(f"{name}-{turn}")
    proxy.close()
    with Store(address.uri, address.user, address.password) as store:
        kept = turns_of(Graph(store, ScriptedEmbedder(384), OfflineExtractor()).memory(name))
    done.faults += [f"{name} lost {id}" for id in acknowledged if not kept[id]]
    done.faults += [f"{name} {id} {n} times" for id, n in kept.items() if n > 1]
    return done


def _say(memory: Memory, id: str, turn: int) -> None:
    said = stating(("I", "visited", f"Town {turn}"), names=[f"Town {turn}"])
    memory.perceive(f"I visited Town {turn}.", speaker="Ana", id=id, extraction=said).close("Fine.")


@contextmanager
def _cutting(proxy: TcpProxy, choose: random.Random) -> Iterator[None]:
    """All connections are reset every now and then."""
    enough = threading.Event()

    def cut() -> None:
        while not enough.wait(choose.uniform(0.05, 3.0)):
            proxy.cut()

    thread = threading.Thread(target=cut)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join()


@contextmanager
def _slow(proxy: TcpProxy, choose: random.Random) -> Iterator[None]:
    """20 kB/s."""
    proxy.weather = Weather(bytes_per_second=20_000)
    yield
    proxy.weather = Weather()


@contextmanager
def _delaying(proxy: TcpProxy, choose: random.Random) -> Iterator[None]:
    """Each chunk comes up to 0.2 s late, so that connections overtake each other."""
    proxy.weather = Weather(delay=0.2)
    yield
    proxy.weather = Weather()


@contextmanager
def _refusing(proxy: TcpProxy, choose: random.Random) -> Iterator[None]:
    """Nothing new is let in for a while, and what is there is cut."""
    proxy.weather = Weather(refused=True)
    proxy.cut()
    timer = threading.Timer(choose.uniform(1, 8), setattr, (proxy, "weather", Weather()))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        proxy.weather = Weather()


@contextmanager
def _half_open(proxy: TcpProxy, choose: random.Random) -> Iterator[None]:
    """Connections stay open, and nothing passes any more, for longer than anybody waits."""
    timer = threading.Timer(choose.uniform(0.05, 0.5), setattr, (proxy, "weather", Weather(silent=True)))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        proxy.weather = Weather()
        proxy.cut()


Trouble = Callable[[TcpProxy, random.Random], AbstractContextManager[None]]
KINDS: dict[str, Trouble] = {
    "cut": _cutting, "slow": _slow, "delayed": _delaying, "refused": _refusing, "half-open": _half_open,
}  # fmt: skip
