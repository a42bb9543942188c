"""How the service is: without a key, and without a word about any memory."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from oroi_graph import __version__
from oroi_graph.interfaces.http import answers
from oroi_graph.interfaces.http.calls import shared_of

router = APIRouter(tags=["service"])


@router.get("/health", response_model=answers.HealthAnswer)
async def health() -> answers.HealthAnswer:
    """The process answers."""
    return answers.HealthAnswer(status="ok", version=__version__)


@router.get("/ready", response_model=answers.HealthAnswer)
def ready(request: Request) -> answers.HealthAnswer:
    """The database answers, too; 503 while it does not."""
    shared_of(request).graph.store.verify()
    return answers.HealthAnswer(status="ready", version=__version__)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(request: Request) -> Response:
    """Numbers for Prometheus."""
    return Response(shared_of(request).metrics.text(), media_type=CONTENT_TYPE_LATEST)
