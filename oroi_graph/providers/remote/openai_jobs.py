"""Batch jobs of a service with OpenAI's interface: a file of requests goes up, a file of answers comes down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oroi_graph.errors import ProviderError
from oroi_graph.providers.openai.models import OpenAIEmbedder
from oroi_graph.providers.remote.jobs import Found, Job

if TYPE_CHECKING:
    import openai

_URL = "/v1/embeddings"
_RUNNING = ("validating", "in_progress", "finalizing", "cancelling")


class OpenAIJobs:
    """Jobs for one embedder."""

    def __init__(self, embedder: OpenAIEmbedder) -> None:
        self._embedder, self._service = embedder, embedder.service

    def submit(self, texts: Mapping[str, str]) -> str:
        """Begin a job; its id."""
        lines = [
            json.dumps({"custom_id": key, "method": "POST", "url": _URL, "body": self._embedder.body(text)})
            for key, text in texts.items()
        ]
        content = "\n".join(lines).encode()

        def upload(client: openai.OpenAI) -> bytes:
            sent = client.files.with_raw_response.create(file=("notes.jsonl", content), purpose="batch")
            return sent.content

        file: str = self._service.ask(upload, lambda answer: str(answer["id"]))

        def begin(client: openai.OpenAI) -> bytes:
            create = client.batches.with_raw_response.create
            return create(input_file_id=file, endpoint=_URL, completion_window="24h").content  # type: ignore[arg-type]

        return self._service.ask(begin, lambda answer: str(answer["id"]))

    def look(self, id: str) -> Job:
        """How a job stands. One that expired may have answers all the same."""
        return self._service.ask(lambda client: client.batches.with_raw_response.retrieve(id).content, _job)

    def collect(self, job: Job) -> Found:
        """The vectors of a job that is done."""
        content = self._service.raw(lambda client: client.files.content(str(job.answer)).content)
        found: Found = {}
        for line in content.splitlines():
            try:
                answer = json.loads(line)
                if answer["response"]["status_code"] == 200:
                    found[str(answer["custom_id"])] = self._embedder.vector(answer["response"]["body"])
            except (ValueError, TypeError, LookupError, ProviderError):
                continue  # a text that failed is embedded directly
        return found


def _job(answer: Mapping[str, Any]) -> Job:
    state = answer["status"]
    if state in _RUNNING:
        return Job("running")
    if state in ("completed", "expired") and answer.get("output_file_id"):
        return Job("done", answer=answer["output_file_id"])
    errors = (answer.get("errors") or {}).get("data") or []
    said = "; ".join(str(error.get("message")) for error in errors[:3]) or "no text of it was embedded"
    return Job("failed", f"{state}: {said}")
