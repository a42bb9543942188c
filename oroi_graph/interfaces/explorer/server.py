"""The page and the API on one port. Only requests that name this machine as their host are answered.

The policy allows nothing but the page's own files: no inline script or style, no other host, and no text becomes
markup (trusted types), so what is remembered cannot run, whatever it says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oroi_graph.errors import OroiError
from oroi_graph.interfaces.body_reader import BodyError, BodyReader, DisconnectedError
from oroi_graph.interfaces.explorer.sessions import Sessions
from oroi_graph.interfaces.http.app import Application, Limits, make_app
from oroi_graph.interfaces.http.problems import of_error, problem
from oroi_graph.memory import Graph

PAGE = Path(__file__).parent / "page"
HOSTS = frozenset({"127.0.0.1", "localhost"})
A_MINUTE = 6000  # requests of one key: a slider that is dragged asks often
BODIES = BodyReader(largest=4096, patience=30.0)  # of what opens a session

POLICY = "; ".join([
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
    "worker-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types oroi",
])  # fmt: skip
_SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Explorer:
    """An ASGI application, and how it is told that it will be stopped."""

    api: Application
    page: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve."""
        if scope["type"] == "lifespan":
            await self.api(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        host = Headers(scope=scope).get("host", "")
        guarded = _guarded(send)
        if host.rsplit(":", 1)[0] not in HOSTS:
            refused = problem(421, "misdirected-request", "the explorer answers to 127.0.0.1 and localhost only")
            await refused(scope, receive, guarded)
        elif scope["path"].startswith("/v1/"):
            await self.api(scope, receive, guarded)
        else:
            await self.page(scope, receive, guarded)

    @property
    def closing(self) -> Callable[[], None]:
        """Ends answers that would not end by themselves."""
        return self.api.closing


def make_explorer(graph: Graph, sessions: Sessions) -> Explorer:
    """The page over a graph, which stays the caller's to close."""

    async def open_session(request: Request) -> Response:
        try:
            body = await BODIES.whole(request.scope, request.receive)
            made = await run_in_threadpool(sessions.redeem, body.decode(errors="replace"))
        except BodyError as error:
            return problem(error.status, error.kind, str(error), headers={"Connection": "close"})
        except DisconnectedError:
            return Response()  # which nobody reads
        except OroiError as error:
            return of_error(error)
        return JSONResponse({"keys": [{"memory": one.memory, "key": one.key} for one in made]})

    page = Starlette(
        routes=[
            Route("/session", open_session, methods=["POST"]),
            Mount("/", StaticFiles(directory=PAGE, html=True)),
        ]
    )
    return Explorer(make_app(graph, Limits(a_minute=A_MINUTE), keys=sessions), page)


def _guarded(send: Send) -> Send:
    """Sends every answer with the policy."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": list(message.get("headers", ()))}
            headers = MutableHeaders(scope=message)
            for name, value in _SAFE.items():
                headers[name] = value
        await send(message)

    return guarded
