"""An ASGI application on a port of this machine, served by uvicorn in a thread, as `oroi serve` does."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

import uvicorn

from oroi_graph.interfaces.serving import listen


class Served:
    """A context manager; `url` without a slash at its end."""

    def __init__(self, app: Any, **settings: Any) -> None:
        self._socket = listen("127.0.0.1", 0)
        self.port = int(self._socket.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="on", **settings)
        self.server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self.server.run, args=([self._socket],))

    def __enter__(self) -> Served:
        self._thread.start()
        while not self.server.started:
            assert self._thread.is_alive(), "the server did not start"
            self._thread.join(0.02)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.should_exit = True
        self._thread.join()
        self._socket.close()
