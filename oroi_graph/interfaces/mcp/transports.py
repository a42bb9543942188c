"""How the MCP server is reached: by a client's own pipes (stdio), or by streamable HTTP with a key in each request."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import anyio
from anyio import to_thread
from mcp.server import Server
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.stdio import stdio_server
from starlette.types import ASGIApp, Receive, Scope, Send

from oroi_graph.errors import KeyRefusedError, OroiError
from oroi_graph.interfaces.access import Access
from oroi_graph.interfaces.body_reader import BodyError, BodyReader, DisconnectedError, replaying
from oroi_graph.interfaces.keys import KeyRegistry, Principal
from oroi_graph.interfaces.mcp.opening import Opening
from oroi_graph.interfaces.mcp.server import Context, make_server
from oroi_graph.interfaces.mcp.tools import ToolSet
from oroi_graph.memory import Graph

PATH = "/mcp"
BODIES = BodyReader(largest=1_000_000, patience=30.0)


def serve_stdio(opening: Opening, chosen: ToolSet = "core") -> None:
    """Serve one client on standard input and output, until it closes them.

    It is greeted and told the tools at once; its first call waits until the graph is open.
    """
    anyio.run(_stdio, make_server(lambda context: opening.access(), chosen, lambda context: opening.rights()))


async def _stdio(server: Server[Any]) -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def http_app(
    graph: Graph, chosen: ToolSet = "core", *, host: str = "127.0.0.1", bodies: BodyReader = BODIES
) -> ASGIApp:
    """The server as an ASGI application at `PATH`; every request needs a key as its bearer token.

    host: where it will listen; on the local machine, requests that name another host are refused (DNS rebinding).
    """
    server = make_server(lambda context: _access(graph, context), chosen)
    # Stateless: any process can serve any request, and no session of one key is there for another to take over.
    app = server.streamable_http_app(streamable_http_path=PATH, stateless_http=True, host=host)
    return BearerKeys(app, KeyRegistry(graph.store), bodies)


def _access(graph: Graph, context: Context) -> Access:
    request = context.request
    principal = request.scope.get("oroi.principal") if request is not None else None
    if not isinstance(principal, Principal):
        raise KeyRefusedError("a key is needed")
    return Access(graph, principal)


@dataclass(frozen=True, slots=True)
class BearerKeys:
    """Lets requests pass that carry a key, with their whole bodies, and notes who asks; the others are answered 401."""

    app: ASGIApp
    keys: KeyRegistry
    bodies: BodyReader = BODIES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            principal = await to_thread.run_sync(self.keys.recognise, bearer(scope))
        except KeyRefusedError as error:
            await _refuse(send, 401, "invalid_token", str(error))
            return
        except OroiError as error:
            await _refuse(send, 503, "temporarily_unavailable", str(error))
            return
        try:
            body = await self.bodies.whole(scope, receive)
        except BodyError as error:
            await _refuse(send, error.status, error.kind, str(error))
            return
        except DisconnectedError:
            return
        token = AccessToken(token="", client_id=principal.key, scopes=sorted(principal.rights))
        known = {**scope, "oroi.principal": principal, "user": AuthenticatedUser(token)}
        await self.app(known, replaying(body, receive), send)


def bearer(scope: Scope) -> str | None:
    """The token of an Authorization header."""
    for name, value in scope["headers"]:
        if name.lower() == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            return token.strip() if scheme.lower() == "bearer" else None
    return None


async def _refuse(send: Send, status: int, error: str, described: str) -> None:
    body = json.dumps({"error": error, "error_description": described}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status in (408, 413):
        headers.append((b"connection", b"close"))  # its body was not read
    if status == 401:
        headers.append(
            (b"www-authenticate", f'Bearer error="{error}", error_description="{_ascii(described)}"'.encode())
        )
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _ascii(text: str) -> str:
    """What a header may hold."""
    return "".join(char if " " <= char <= "~" and char not in '"\\' else "?" for char in text)
