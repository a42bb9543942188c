"""One request of a principal: who asks, how often, and whether it was asked before."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Header, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from oroi_graph.interfaces.access import Access
from oroi_graph.interfaces.http.guard import note
from oroi_graph.interfaces.http.idempotency import Asked, Once
from oroi_graph.interfaces.http.jobs import Jobs
from oroi_graph.interfaces.http.metrics import Metrics
from oroi_graph.interfaces.http.problems import RefusedError
from oroi_graph.interfaces.http.proxy import Proxy
from oroi_graph.interfaces.keys import Recogniser
from oroi_graph.interfaces.reading import Json
from oroi_graph.memory import Graph

_BEARER = HTTPBearer(auto_error=False, description="A key made by `oroi key create`.")


@dataclass(frozen=True, slots=True)
class Shared:
    """What all requests of one application share."""

    graph: Graph
    keys: Recogniser
    once: Once
    rates: Rates
    metrics: Metrics
    jobs: Jobs
    proxy: Proxy | None  # None: no model's service is set
    queries: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)  # parameters by method and route


class Rates:
    """How often each key may ask: so many requests in any minute."""

    def __init__(self, a_minute: int) -> None:
        self._item = RateLimitItemPerMinute(a_minute)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def check(self, key: str) -> None:
        """Count a request. Raises RefusedError, saying when to ask again, if there were too many."""
        if not self._limiter.hit(self._item, key):
            reset, _ = self._limiter.get_window_stats(self._item, key)
            wait = max(1, math.ceil(reset - time.time()))
            raise RefusedError(
                429, "too-many-requests", f"this key may ask {self._item.amount} times a minute: wait {wait} seconds",
                {"Retry-After": str(wait)},
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """A request whose key was recognised."""

    access: Access
    shared: Shared
    key: str | None  # the Idempotency-Key
    fingerprint: str

    def once(self, work: Callable[[], Json], *, twice: bool = False) -> Json:
        """What `work` gives, done once for one Idempotency-Key; without the header, every time.

        twice: whether it would do something again that is done already.
        """
        if self.key is None:
            return work()
        asked = Asked(self.access.principal.key, self.key, self.fingerprint)
        return self.shared.once.do(asked, work, twice=twice)

    def turn_id(self, given: str | None) -> str | None:
        """The client's id of a turn, or one that derives from its Idempotency-Key."""
        return given or (f"{self.access.principal.key}-{self.key}" if self.key else None)


def shared_of(request: Request) -> Shared:
    """What the application of this request shares."""
    found: Shared = request.app.state.shared
    return found


def call(
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)],
    idempotency_key: Annotated[
        str | None,
        Header(
            min_length=1, max_length=200, pattern=r"^[!-~]+$", description="The same key: the same request, done once."
        ),
    ] = None,
) -> Call:
    """Recognise the key of a request. Raises KeyRefusedError, and RefusedError if it asks too often."""
    shared = shared_of(request)
    _check_query(request, shared)
    principal = shared.keys.recognise(credentials.credentials if credentials else None)
    note(request.scope, key=principal.key)
    try:
        shared.rates.check(principal.key)
    except RefusedError:
        shared.metrics.limited()
        raise
    said = [request.method, request.url.path, request.url.query, request.scope.get("oroi.body", b"").hex()]
    fingerprint = hashlib.sha256("\n".join(said).encode()).hexdigest() if idempotency_key else ""
    return Call(Access(shared.graph, principal), shared, idempotency_key, fingerprint)


def _check_query(request: Request, shared: Shared) -> None:
    """Raise RefusedError for a parameter that the operation does not have, or that is there twice: none is ignored."""
    known = shared.queries.get((request.method, request.scope["route"].path_format))
    unknown = [name for name in request.query_params if known is not None and name not in known]
    if unknown:
        takes = ", ".join(sorted(known or ())) or "none"
        raise RefusedError(422, "unusable-input", f"a query parameter is not known here; there are: {takes}")
    if len(request.query_params.multi_items()) > len(request.query_params):
        raise RefusedError(422, "unusable-input", "a query parameter is given more than once")


Caller = Annotated[Call, Depends(call)]
