"""Batch jobs of a service with OpenAI's interface: a file of requests goes up, a file of answers comes down."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oroi_graph.errors import ProviderError
from oroi_graph.providers.openai.metering import BATCH, noted
from oroi_graph.providers.openai.models import OpenAIEmbedder, OpenAIExtractor
from oroi_graph.providers.openai.service import UNREADABLE, Service, tokens_of
from oroi_graph.providers.remote.jobs import Job

if TYPE_CHECKING:
    import openai

_RUNNING = ("validating", "in_progress", "finalizing", "cancelling")


@dataclass(frozen=True, slots=True)
class FileJobs:
    """Jobs of one kind of request.

    url: where each would go by itself. body: what is asked about one text. read: what the answer about one text says;
    raises ProviderError.
    """

    service: Service
    url: str
    body: Callable[[str], Mapping[str, Any]]
    read: Callable[[Mapping[str, Any]], Any]

    def submit(self, texts: Mapping[str, str]) -> str:
        """Begin a job; its id."""
        lines = [
            json.dumps({"custom_id": key, "method": "POST", "url": self.url, "body": self.body(text)})
            for key, text in texts.items()
        ]
        content = "\n".join(lines).encode()

        def upload(client: openai.OpenAI) -> bytes:
            sent = client.files.with_raw_response.create(file=("requests.jsonl", content), purpose="batch")
            return sent.content

        file: str = self.service.ask(upload, lambda answer: str(answer["id"]))

        def begin(client: openai.OpenAI) -> bytes:
            create = client.batches.with_raw_response.create
            return create(input_file_id=file, endpoint=self.url, completion_window="24h").content  # type: ignore[arg-type]

        return self.service.ask(begin, lambda answer: str(answer["id"]))

    def look(self, id: str) -> Job:
        """How a job stands. One that expired may have answers all the same."""
        found = self.service.ask(lambda client: client.batches.with_raw_response.retrieve(id).content, _job)
        return replace(found, detail=self.service.endpoint.masked(found.detail))

    def collect(self, job: Job) -> Mapping[str, Any]:
        """What became of each text of a job that is done. What it cost is noted."""
        content = self.service.raw(lambda client: client.files.content(str(job.answer)).content)
        found: dict[str, Any] = {}
        for line in content.splitlines():
            try:
                answer = json.loads(line)
                if answer["response"]["status_code"] == 200:
                    body = answer["response"]["body"]
                    noted(str(body.get("model")), *tokens_of(body), share=BATCH)
                    found[str(answer["custom_id"])] = self.read(body)
            except (*UNREADABLE, ProviderError):
                continue  # a text that failed is asked about directly
        return found


def embedding_jobs(embedder: OpenAIEmbedder) -> FileJobs:
    """Jobs of one embedder: vectors."""
    return FileJobs(embedder.service, "/v1/embeddings", embedder.body, embedder.vector)


def extraction_jobs(extractor: OpenAIExtractor) -> FileJobs:
    """Jobs of one extractor: extractions. Texts are what `OpenAIExtractor.document` made."""
    return FileJobs(extractor.service, "/v1/chat/completions", extractor.body, extractor.extraction)


def _job(answer: Mapping[str, Any]) -> Job:
    state = answer["status"]
    if state in _RUNNING:
        return Job("running")
    if state in ("completed", "expired") and answer.get("output_file_id"):
        return Job("done", answer=answer["output_file_id"])
    errors = (answer.get("errors") or {}).get("data") or []
    said = "; ".join(str(error.get("message")) for error in errors[:3]) or "no text of it was answered"
    return Job("failed", f"{state}: {said}")
