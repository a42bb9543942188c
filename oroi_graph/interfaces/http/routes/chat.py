"""What OpenAI's clients call: chat completions with memory, and the list of models."""

from __future__ import annotations

import json

from anyio import to_thread
from fastapi import APIRouter, Request, Response

from oroi_graph.interfaces.http.calls import Caller, shared_of
from oroi_graph.interfaces.http.problems import RefusedError
from oroi_graph.interfaces.http.proxy import Proxy, prepare

router = APIRouter(prefix="/v1", tags=["chat"], include_in_schema=False)  # described by OpenAI


@router.post("/chat/completions")
async def chat(call: Caller, request: Request) -> Response:
    """Answer with memory: the user's last words are perceived, and what they bring back is injected."""
    proxy = _proxy(request)
    try:
        asked = json.loads(request.scope["oroi.body"])
    except (ValueError, RecursionError):
        raise RefusedError(400, "malformed-json", "the body is not valid JSON") from None
    if not isinstance(asked, dict):
        raise RefusedError(422, "unusable-input", "the body must be an object")
    proxied = await to_thread.run_sync(prepare, call.access, asked, call.turn_id(None), proxy.waiting)
    return await proxy.chat(proxied)


@router.get("/models")
async def models(call: Caller, request: Request) -> Response:
    """The models of the service behind."""
    return await _proxy(request).models()


def _proxy(request: Request) -> Proxy:
    found = shared_of(request).proxy
    if found is None:
        raise RefusedError(
            501, "no-model", "no model's service is set: start with OROI_OPENAI_BASE_URL and OROI_OPENAI_API_KEY"
        )
    return found
