"""A TCP proxy on the loopback that cuts, slows, delays and silences connections: a bad network to measure with."""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field

CHUNK = 1 << 14


@dataclass
class Weather:
    """What happens to connections from now on; changed while the proxy runs.

    delay: seconds before each chunk is passed on, drawn from 0 to this for each: what was sent first on one connection
    may arrive after what was sent later on another. bytes_per_second: 0 for no limit. silent: connections stay open and
    nothing passes (half-open). refused: new connections are closed at once.
    """

    delay: float = 0.0
    bytes_per_second: int = 0
    silent: bool = False
    refused: bool = False


@dataclass
class TcpProxy:
    """Passes connections on to a port of this machine. `port` is its own."""

    target: int
    seed: int = 0
    weather: Weather = field(default_factory=Weather)
    passed: int = 0  # connections so far

    def __post_init__(self) -> None:
        self._choose = random.Random(self.seed)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> int:
        """Reset every connection that is open; how many."""
        with self._lock:
            sockets, self._open = self._open, set()
        for one in sockets:
            with suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, no farewell
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        return len(sockets) // 2

    def close(self) -> None:
        """End it."""
        self._closed = True
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
                if self.weather.refused:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                continue
            self.passed += 1
            with self._lock:
                self._open |= {client, server}
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(source, sink), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(CHUNK):
                while self.weather.silent and source.fileno() >= 0:
                    time.sleep(0.05)
                if self.weather.delay:
                    time.sleep(self._choose.uniform(0, self.weather.delay))
                if self.weather.bytes_per_second:
                    time.sleep(len(chunk) / self.weather.bytes_per_second)
                sink.sendall(chunk)
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            with self._lock:
                self._open.discard(one)
            one.close()
