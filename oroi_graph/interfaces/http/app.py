"""The application: everything put together over one graph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from anyio import to_thread
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from oroi_graph import __version__
from oroi_graph.interfaces.body_reader import BodyReader
from oroi_graph.interfaces.http.calls import Rates, Shared
from oroi_graph.interfaces.http.guard import Guard
from oroi_graph.interfaces.http.idempotency import Once
from oroi_graph.interfaces.http.jobs import Jobs
from oroi_graph.interfaces.http.metrics import Metrics
from oroi_graph.interfaces.http.problems import OPEN_REFUSALS, REFUSALS, Failing, Problem, handle
from oroi_graph.interfaces.http.proxy import Proxy, Upstream
from oroi_graph.interfaces.http.routes import OPEN, ROUTERS
from oroi_graph.interfaces.keys import KeyRegistry, Recogniser, Requests
from oroi_graph.memory import Graph

DESCRIBED = """Long-term memory for agents. Every request brings a key (`oroi key create`): it says whose memory it is.

A request that is sent again with the same `Idempotency-Key` is done once. What goes wrong comes as problem details
(RFC 9457)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one application bears.

    threads: requests that use the graph at once; more wait. a_minute: requests of one key. largest: bytes of a body.
    patience: seconds for a body to arrive.
    """

    threads: int = 16
    a_minute: int = 600
    largest: int = 1_000_000
    patience: float = 30.0


@dataclass(frozen=True, slots=True)
class Application:
    """An ASGI application, its OpenAPI description, and how it is told that it will be stopped."""

    outer: ASGIApp
    inner: FastAPI
    closing: Callable[[], None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve."""
        await self.outer(scope, receive, send)


def make_app(
    graph: Graph, limits: Limits | None = None, upstream: Upstream | None = None, *, keys: Recogniser | None = None
) -> Application:
    """The HTTP API over a graph, which stays the caller's to close.

    upstream: the model's service behind the proxy. keys: who recognises keys; those of the graph by default.
    """
    limits = limits or Limits()
    metrics = Metrics(graph.stats)
    jobs = Jobs(metrics.jobs)
    proxy = Proxy(upstream) if upstream else None
    once = Once(Requests(graph.store))
    shared = Shared(graph, keys or KeyRegistry(graph.store), once, Rates(limits.a_minute), metrics, jobs, proxy)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = limits.threads
        yield
        await to_thread.run_sync(jobs.wait)
        if proxy is not None:
            await proxy.close()

    app = FastAPI(
        title="oroi-graph", version=__version__, description=DESCRIBED, lifespan=lifespan, docs_url=None, redoc_url=None
    )
    app.state.shared = shared
    handle(app)
    for router in ROUTERS:
        app.include_router(router, responses=REFUSALS)
    for router in OPEN:
        app.include_router(router, responses=OPEN_REFUSALS)
    _describe_problems(app)
    shared.queries.update(_queries(app))
    return Application(Guard(app, metrics, BodyReader(limits.largest, limits.patience)), app, jobs.close)


def _describe_problems(app: FastAPI) -> None:
    """Put the schema of problems where the responses of the description point."""
    plain = app.openapi

    def described() -> dict[str, object]:
        found = plain()
        schemas = found["components"]["schemas"]
        if "Problem" not in schemas:
            template = "#/components/schemas/{model}"
            schemas["Problem"] = {
                name: value
                for name, value in Problem.model_json_schema(ref_template=template).items()
                if name != "$defs"
            }
            schemas["Failing"] = Failing.model_json_schema(ref_template=template)
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
        return found

    app.openapi = described  # type: ignore[method-assign]


def _queries(app: FastAPI) -> dict[tuple[str, str], frozenset[str]]:
    """The names of the query parameters of each described operation, by method and route."""
    return {
        (method.upper(), path): frozenset(one["name"] for one in told.get("parameters", ()) if one["in"] == "query")
        for path, operations in app.openapi()["paths"].items()
        for method, told in operations.items()
    }
