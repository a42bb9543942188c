"""Serve an ASGI application until it is asked to stop: what is under way is finished first."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from oroi_graph.errors import SettingsError

GRACE = 20  # seconds that requests under way get after the server was asked to stop
IDLE = 30  # seconds after which a connection without a request is closed
CONNECTIONS = 512  # at once; further ones are answered 503


def nothing() -> None:
    """Do nothing."""


def serve(
    app: ASGIApp,
    host: str,
    port: int,
    *,
    started: Callable[[], None] = nothing,
    stopping: Callable[[], None] = nothing,
) -> None:
    """Serve until SIGINT or SIGTERM. Raises SettingsError where it cannot listen.

    started: called when it listens. stopping: called when it is asked to stop; ends answers that would not end by
    themselves.
    """
    listening = listen(host, port)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=GRACE,
        limit_concurrency=CONNECTIONS,
        lifespan="on",
    )
    server = _Server(config, started, stopping)
    with listening:
        asyncio.run(server.serve([listening]))


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises SettingsError, in one line, where that cannot be."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, port))
            made.listen(1024)
        except OSError:
            made.close()
            raise
    except OSError as error:
        why = error.strerror or str(error)
        raise SettingsError(f"cannot listen on {host} port {port} ({why}): choose another with --port") from error
    return made


class _Server(uvicorn.Server):
    """Tells when it listens, and when it is asked to stop."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None], stopping: Callable[[], None]) -> None:
        super().__init__(config)
        self._started, self._stopping = started, stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        self._started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal asks to stop."""
        self._stopping()
        super().handle_exit(sig, frame)
