"""What goes wrong, as problem details (RFC 9457). No problem repeats what was sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from oroi_graph.contract.entry import EntryRefusedError
from oroi_graph.errors import (
    BusyError,
    EmbeddingModelError,
    InputError,
    KeyRefusedError,
    LeaseLostError,
    MemoryNotFoundError,
    NotFoundError,
    NotPermittedError,
    OroiError,
    ProviderError,
    StoreError,
)
from oroi_graph.interfaces.access import PlanChangedError

MEDIA = "application/problem+json"


class Failing(BaseModel):
    """One thing that is wrong with a request. pointer: where in it."""

    pointer: str
    message: str


class Problem(BaseModel):
    """What went wrong, and what to do."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[Failing] = []
    instance: str | None = None


class RefusedError(Exception):
    """A request that is answered with a problem, for a reason of the interface's own."""

    def __init__(self, status: int, kind: str, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail, self.headers = status, kind, detail, headers or {}


# The first that fits: (error, status, name of the problem).
_KINDS: Sequence[tuple[type[OroiError], int, str]] = (
    (EntryRefusedError, 422, "entry-refused"),
    (PlanChangedError, 409, "plan-changed"),
    (NotFoundError, 404, "not-found"),
    (InputError, 422, "unusable-input"),
    (KeyRefusedError, 401, "key-refused"),
    (NotPermittedError, 403, "not-permitted"),
    (MemoryNotFoundError, 404, "memory-not-found"),
    (EmbeddingModelError, 409, "other-embedding-model"),
    (BusyError, 409, "busy"),
    (LeaseLostError, 409, "busy"),
    (ProviderError, 502, "provider-failed"),
    (StoreError, 503, "database-failed"),
    (OroiError, 500, "failed"),
)


def problem(
    status: int,
    kind: str,
    detail: str,
    *,
    errors: Sequence[Failing] = (),
    headers: dict[str, str] | None = None,
    instance: str | None = None,
) -> Response:
    """A response that says what went wrong. kind: the name of the problem."""
    body: dict[str, Any] = {
        "type": f"urn:oroi:problem:{kind}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if errors:
        body["errors"] = [one.model_dump() for one in errors]
    if instance:
        body["instance"] = instance
    if status == HTTPStatus.UNAUTHORIZED:
        headers = {"WWW-Authenticate": "Bearer", **(headers or {})}
    # Plain ASCII: no text of ours or theirs can make a body that is not valid UTF-8.
    return Response(json.dumps(body), status_code=status, media_type=MEDIA, headers=headers)


def of_error(error: OroiError, instance: str | None = None) -> Response:
    """The response to an error of this package."""
    status, kind = next((status, kind) for one, status, kind in _KINDS if isinstance(error, one))
    errors = [Failing(pointer=one.pointer, message=one.message) for one in getattr(error, "problems", ())]
    headers = {"Retry-After": "5"} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return problem(status, kind, str(error), errors=errors, headers=headers, instance=instance)


def handle(app: FastAPI) -> None:
    """Answer every error of `app` with a problem."""

    @app.exception_handler(OroiError)
    async def of_ours(request: Request, error: OroiError) -> Response:
        return of_error(error, instance_of(request))

    @app.exception_handler(RefusedError)
    async def of_interface(request: Request, error: RefusedError) -> Response:
        instance = instance_of(request)
        return problem(error.status, error.kind, error.detail, headers=error.headers, instance=instance)

    @app.exception_handler(RequestValidationError)
    async def of_request(request: Request, error: RequestValidationError) -> Response:
        found = error.errors()
        if any(one["type"] == "json_invalid" for one in found):
            return problem(400, "malformed-json", "the body is not valid JSON", instance=instance_of(request))
        errors = [Failing(pointer=_pointer(one["loc"]), message=str(one["msg"])) for one in found[:20]]
        detail = f"the request does not fit: {errors[0].pointer} {errors[0].message}" if errors else "it does not fit"
        return problem(422, "unusable-input", detail, errors=errors, instance=instance_of(request))

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> Response:
        kind = HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
        headers = dict(error.headers or {})
        return problem(error.status_code, kind, str(error.detail), headers=headers, instance=instance_of(request))


def instance_of(request: Request) -> str | None:
    """The address of this very request: its id."""
    found = request.scope.get("oroi.request")
    return f"urn:uuid:{found}" if found else None


def _pointer(place: Sequence[str | int]) -> str:
    return "/" + "/".join(str(part) for part in place)


def _responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {status: {"description": HTTPStatus(status).phrase, "content": {MEDIA: schema}} for status in statuses}


# What every operation that needs a key may answer beside its result.
REFUSALS = _responses(400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503)
OPEN_REFUSALS = _responses(400, 408, 413, 500, 503)
