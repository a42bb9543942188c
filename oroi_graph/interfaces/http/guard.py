"""The outermost layer: every request gets an id, a line in the log, its place in the metrics, and bounds.

A body is read here as a whole, so a client that hangs holds no thread of a worker. What is logged names the route,
never the address that was asked or anything that was said.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oroi_graph.interfaces.body_reader import BodyError, BodyReader, DisconnectedError, replaying
from oroi_graph.interfaces.http.metrics import Metrics
from oroi_graph.interfaces.http.problems import problem
from oroi_graph.worker import Event

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Guard:
    """An ASGI application around another one."""

    app: ASGIApp
    metrics: Metrics
    bodies: BodyReader

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        seen = _Seen(send)
        scope["oroi.request"] = seen.id
        began = time.perf_counter()
        failure: str | None = None
        self.metrics.begin()
        try:
            body = await self.bodies.whole(scope, receive)
            scope["oroi.body"] = body
            await self.app(scope, replaying(body, receive), seen.send)
        except BodyError as error:
            await seen.refuse(scope, error.status, error.kind, str(error), close=True)
        except DisconnectedError:
            failure = "client gone"
        except Exception as error:  # whatever it is, its text may quote what is remembered
            failure = type(error).__name__
            if not seen.status:
                await seen.refuse(
                    scope, 500, "failed", "something went wrong: the log has its kind under this request's id"
                )
        finally:
            seconds = time.perf_counter() - began
            route = getattr(scope.get("route"), "path_format", None) or "none"
            self.metrics.end(scope["method"], route, seen.status, seconds)
            fields: dict[str, object] = {
                "id": seen.id, "method": scope["method"], "route": route, "status": seen.status,
                "ms": round(1000 * seconds, 1), **scope.get("oroi.noted", {}),
            }  # fmt: skip
            level = logging.ERROR if failure and failure != "client gone" else logging.INFO
            _LOG.log(level, Event("http.request", fields | ({"failure": failure} if failure else {})))


@dataclass(slots=True)
class _Seen:
    """What was answered to one request; every answer carries the request's id."""

    forward: Send
    status: int = 0
    id: str = field(default_factory=lambda: str(uuid.uuid4()))

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            safe = [(b"x-request-id", self.id.encode()), (b"x-content-type-options", b"nosniff")]
            message = {**message, "headers": [*message.get("headers", ()), *safe]}
        await self.forward(message)

    async def refuse(self, scope: Scope, status: int, kind: str, detail: str, *, close: bool = False) -> None:
        headers = {"Connection": "close"} if close else None
        response = problem(status, kind, detail, headers=headers, instance=f"urn:uuid:{self.id}")
        await response(scope, _nothing, self.send)


def note(scope: MutableMapping[str, Any], **fields: object) -> None:
    """Say something more in this request's line of the log; no content."""
    scope.setdefault("oroi.noted", {}).update(fields)


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
