"""Batch jobs of Google's Gemini API: requests and answers stand in the job itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from oroi_graph.errors import ProviderError
from oroi_graph.providers.openai.service import UNREADABLE
from oroi_graph.providers.remote.gemini import GeminiEmbedder
from oroi_graph.providers.remote.jobs import Found, Job

_DONE = ("SUCCEEDED", "COMPLETED", "DONE")
_FAILED = ("FAILED", "CANCELLED", "CANCELED", "EXPIRED")


class GeminiJobs:
    """Jobs for one embedder."""

    def __init__(self, embedder: GeminiEmbedder) -> None:
        self._embedder, self._service = embedder, embedder.service

    def submit(self, texts: Mapping[str, str]) -> str:
        """Begin a job; its id."""
        requests = [{"request": self._embedder.request(text), "metadata": {"key": key}} for key, text in texts.items()]
        model = f"models/{self._embedder.model}"
        batch = {"model": model, "displayName": "notes", "inputConfig": {"requests": {"requests": requests}}}
        return self._service.ask(
            f"{model}:asyncBatchEmbedContent", {"batch": batch}, lambda answer: str(answer["name"])
        )

    def look(self, id: str) -> Job:
        """How a job stands."""
        found = self._service.ask(id if id.startswith("batches/") else f"batches/{id}", None, _job)
        return replace(found, detail=self._service.endpoint.masked(found.detail))

    def collect(self, job: Job) -> Found:
        """The vectors of a job that is done."""
        found: Found = {}
        for answer in job.answer:
            try:
                embedding = answer["response"]["embedding"]
                found[str(answer["metadata"]["key"])] = self._embedder.vectors([embedding])[0]
            except (*UNREADABLE, ProviderError):
                continue  # a text that failed is embedded directly
        return found


def _job(answer: Mapping[str, Any]) -> Job:
    """A job is an operation: its state stands in its metadata, its answers in its response or its metadata's output."""
    metadata = answer.get("metadata") or {}
    state = (
        str(metadata.get("state") or answer.get("state") or "").removeprefix("BATCH_STATE_").removeprefix("JOB_STATE_")
    )
    error = answer.get("error") or {}
    if state in _FAILED or error:
        return Job("failed", f"{state or 'FAILED'}: {error.get('message') or 'no reason given'}")
    if state not in _DONE and not answer.get("done"):
        return Job("running")
    output = answer.get("response") or metadata.get("output") or {}
    held = output.get("inlinedResponses") or {}
    answers = held.get("inlinedResponses", []) if isinstance(held, Mapping) else held
    return Job("done", answer=list(answers))
