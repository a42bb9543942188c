"""Services with Gemini's and Voyage's interfaces, and batch jobs of Gemini and OpenAI, on local ports, for tests."""

from __future__ import annotations

import json
from typing import Any

from fake_openai import Behaviour, FakeOpenAI, Request, Response, good

from oroi_graph.providers.scripted import ScriptedEmbedder

VOYAGE_LENGTHS = (256, 512, 1024, 2048)


def gemini(fake: FakeOpenAI, request: Request) -> Response:
    """What Gemini answers to `:batchEmbedContents`."""
    if not request.headers.get("x-goog-api-key"):
        return Response({"error": {"code": 403, "message": "no key", "status": "PERMISSION_DENIED"}}, 403)
    if not request.path.endswith(":batchEmbedContents"):
        return Response({"error": {"code": 404, "message": "no such method"}}, 404)
    asked = request.body["requests"]
    if len(asked) > 100:
        return Response({"error": {"code": 400, "message": "at most 100 requests can be in one batch"}}, 400)
    return Response({"embeddings": [embedding(one) for one in asked]})


def embedding(asked: dict[str, Any]) -> dict[str, Any]:
    """Of one request; vectors that are shortened do not have length 1."""
    text = asked["content"]["parts"][0]["text"]
    assert text, "an empty text is refused by the service"
    vector = ScriptedEmbedder(asked.get("outputDimensionality", 3072)).embed([text])[0]
    return {"values": [float(number) / 3 for number in vector]}


def voyage(fake: FakeOpenAI, request: Request) -> Response:
    """What Voyage answers to `/embeddings`."""
    if not request.headers.get("authorization", "").startswith("Bearer "):
        return Response({"detail": "Provided API key is invalid."}, 401)
    length = request.body.get("output_dimension", 1024)
    if length not in VOYAGE_LENGTHS or len(request.body["input"]) > 1000:
        return Response({"detail": f"output_dimension {length} is not supported"}, 400)
    vectors = ScriptedEmbedder(length).embed(request.body["input"]) + 0.01  # nowhere zero: they may be cut
    data = [
        {"object": "embedding", "embedding": [float(number) for number in vector], "index": index}
        for index, vector in enumerate(vectors)
    ]
    return Response(
        {"object": "list", "data": data[::-1], "model": request.body["model"], "usage": {"total_tokens": 9}}
    )


class GeminiBatches:
    """Gemini with batch jobs that are done after `looks` looks. state: how they end; lost: keys without an answer."""

    def __init__(self, looks: int = 2, state: str = "BATCH_STATE_SUCCEEDED", lost: int = 0) -> None:
        self.looks, self.state, self.lost = looks, state, lost
        self.jobs: dict[str, list[dict[str, Any]]] = {}
        self.looked: dict[str, int] = {}

    def __call__(self, fake: FakeOpenAI, request: Request) -> Response:
        """As a behaviour of a fake."""
        if request.path.endswith(":asyncBatchEmbedContent"):
            name = f"batches/{len(self.jobs) + 1}"
            self.jobs[name] = request.body["batch"]["inputConfig"]["requests"]["requests"]
            return Response({"name": name, "metadata": {"state": "BATCH_STATE_PENDING"}})
        name = request.path.removeprefix("/v1/")
        if name not in self.jobs:
            return gemini(fake, request)
        self.looked[name] = self.looked.get(name, 0) + 1
        if self.looked[name] < self.looks:
            return Response({"name": name, "metadata": {"state": "BATCH_STATE_RUNNING"}})
        if self.state != "BATCH_STATE_SUCCEEDED":
            metadata = {"state": self.state}
            return Response({"name": name, "done": True, "metadata": metadata, "error": {"message": "out of quota"}})
        answers: list[dict[str, Any]] = [
            {"metadata": one["metadata"], "response": {"embedding": embedding(one["request"])}}
            for one in self.jobs[name][self.lost :]
        ]
        answers += [{"metadata": one["metadata"], "error": {"code": 3}} for one in self.jobs[name][: self.lost]]
        response = {"inlinedResponses": {"inlinedResponses": answers}}
        return Response({"name": name, "done": True, "metadata": {"state": self.state}, "response": response})


class OpenAIBatches:
    """OpenAI with files and batch jobs. Arguments as those of GeminiBatches."""

    def __init__(self, looks: int = 2, state: str = "completed", lost: int = 0) -> None:
        self.looks, self.state, self.lost = looks, state, lost
        self.files: dict[str, list[dict[str, Any]]] = {}
        self.jobs: dict[str, str] = {}
        self.looked: dict[str, int] = {}

    def __call__(self, fake: FakeOpenAI, request: Request) -> Response:
        """As a behaviour of a fake."""
        parts = request.path.removeprefix("/v1/").split("/")
        if parts == ["files"]:
            name = f"file-{len(self.files) + 1}"
            content = request.body["multipart"]
            lines = [line for line in content.splitlines() if line.startswith('{"custom_id"')]
            self.files[name] = [json.loads(line) for line in lines]
            assert 'name="purpose"' in content
            return Response({"id": name, "object": "file"})
        if parts == ["batches"]:
            assert {line["url"] for line in self.files[request.body["input_file_id"]]} == {request.body["endpoint"]}
            name = f"batch_{len(self.jobs) + 1}"
            self.jobs[name] = request.body["input_file_id"]
            return Response({"id": name, "status": "validating"})
        if parts[0] == "batches":
            return self._look(parts[1])
        if parts[0] == "files":
            return self._answers(fake, self.files[parts[1].removeprefix("out-")])
        return good(fake, request)

    def _look(self, name: str) -> Response:
        self.looked[name] = self.looked.get(name, 0) + 1
        if self.looked[name] < self.looks:
            return Response({"id": name, "status": "in_progress"})
        if self.state != "completed":
            return Response({"id": name, "status": self.state, "errors": {"data": [{"message": "out of quota"}]}})
        return Response({"id": name, "status": "completed", "output_file_id": f"out-{self.jobs[name]}"})

    def _answers(self, fake: FakeOpenAI, lines: list[dict[str, Any]]) -> Response:
        answers = []
        for line in lines[self.lost :][::-1]:  # services do not keep the order
            body = dict(line["body"])
            if "input" in body:
                body["input"] = [body["input"]]
            request = Request(line["url"], body, {"authorization": "Bearer x"}, 0.0)
            answers.append({
                "custom_id": line["custom_id"], "error": None,
                "response": {"status_code": 200, "body": good(fake, request).body},
            })  # fmt: skip
        answers += [
            {"custom_id": line["custom_id"], "response": {"status_code": 429, "body": {}}}
            for line in lines[: self.lost]
        ]
        return Response("\n".join(map(json.dumps, answers)).encode())


def flaky(behaviour: Behaviour, down: list[bool]) -> Behaviour:
    """Fails with status 500 as long as `down` holds True."""

    def answer(fake: FakeOpenAI, request: Request) -> Response:
        if down[0]:
            return Response({"error": {"message": "it is down"}}, 500)
        return behaviour(fake, request)

    return answer
