"""A service with OpenAI's HTTP interface on a local port, for tests: it answers well unless told otherwise.

with FakeOpenAI() as fake:
    fake.script(status(429, retry_after=0.1), says("hello"))   # one behaviour a request, in order
    ...                                                        # afterwards: good answers
    fake.requests                                              # what arrived, and when
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import numpy as np

from oroi_graph.model import Extraction
from oroi_graph.providers.openai.service import Endpoint
from oroi_graph.providers.scripted import ScriptedEmbedder

KEY = "sk-test-0123456789abcdef"
NATIVE = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
DIMENSIONS = 32  # of every other model


@dataclass(frozen=True)
class Request:
    """One request as it arrived; `at` and `answered` are seconds of one monotonic clock."""

    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]
    at: float


@dataclass(frozen=True)
class Response:
    """What goes back: a JSON value, or bytes as they are."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Behaviour = Callable[["FakeOpenAI", Request], Response]


def good(fake: FakeOpenAI, request: Request) -> Response:
    """What a service in good health answers."""
    if request.headers.get("authorization", "") in ("", "Bearer "):
        return Response(_error("You didn't provide an API key."), 401)
    if request.path == "/v1/embeddings":
        return embeds()(fake, request)
    if request.path == "/v1/chat/completions":
        return says(fake.chat(request.body["messages"]))(fake, request)
    if request.path == "/v1/models":
        names = [*NATIVE, "gpt-4o-mini"]
        return Response({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})
    return Response(_error(f"no such path: {request.path}"), 404)


def embeds(dimensions: int | None = None, floats: bool = False) -> Behaviour:
    """Vectors of that many dimensions, whatever was asked; `floats`: as lists even if base64 was asked."""

    def answer(fake: FakeOpenAI, request: Request) -> Response:
        texts = request.body["input"]
        texts = [texts] if isinstance(texts, str) else texts
        if not texts or "" in texts:
            return Response(_error("'$.input' is invalid: an input must not be empty"), 400)
        asked = request.body.get("dimensions") or NATIVE.get(request.body["model"], DIMENSIONS)
        vectors = ScriptedEmbedder(dimensions or asked).embed(texts)
        # Real services do not always send vectors of length 1, nor in order.
        data = [
            {"object": "embedding", "index": index, "embedding": _encoded(2 * vector, request, floats)}
            for index, vector in enumerate(vectors)
        ][::-1]
        used = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": used, "total_tokens": used}
        return Response({"object": "list", "model": request.body["model"], "data": data, "usage": usage})

    return answer


def says(content: str | None, refusal: str | None = None, calls: list[Any] | None = None) -> Behaviour:
    """A chat completion with that content; calls: of tools."""

    def answer(fake: FakeOpenAI, request: Request) -> Response:
        message = {
            "role": "assistant",
            "content": content,
            "refusal": refusal,
            **({"tool_calls": calls} if calls else {}),
        }
        return Response(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 0,
                "model": request.body["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
            }
        )

    return answer


def refuses(why: str = "I can't help with that.") -> Behaviour:
    """A chat completion that is a refusal."""
    return says(None, refusal=why)


def status(
    code: int,
    retry_after: float | str | None = None,
    message: str = "try later",
    error_code: str | None = None,
) -> Behaviour:
    """A failure with that status."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return lambda fake, request: Response(_error(message, error_code), code, headers)


def raw(body: bytes, content_type: str = "text/html") -> Behaviour:
    """Status 200 and those bytes, as a gateway's error page has them."""
    return lambda fake, request: Response(body, headers={"Content-Type": content_type})


def echoes_key(code: int) -> Behaviour:
    """A failure whose message repeats the key that was sent."""
    return lambda fake, request: Response(_error(f"bad key {request.headers['authorization']}"), code)


def hangs(fake: FakeOpenAI, request: Request) -> Response:
    """No answer until the fake is closed."""
    fake.closing.wait()
    return Response(_error("too late"), 503)


class FakeOpenAI:
    """The service; a context manager. `chat` makes the content of a good chat answer from the messages."""

    def __init__(self, chat: Callable[[list[dict[str, str]]], str] | None = None) -> None:
        self.chat = chat or (lambda messages: json.dumps(Extraction().to_json()))
        self.closing = threading.Event()
        self._requests: list[Request] = []
        self._answered: list[float] = []
        self._script: list[Behaviour] = []
        self._always: Behaviour = good
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> FakeOpenAI:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def server(self) -> HTTPServer:
        """What listens."""
        return self._server

    @property
    def requests(self) -> list[Request]:
        """Every request so far, in order of arrival."""
        with self._lock:
            return list(self._requests)

    @property
    def answered(self) -> list[float]:
        """When each answer was about to be sent, on the clock of `Request.at`."""
        with self._lock:
            return list(self._answered)

    def script(self, *behaviours: Behaviour) -> None:
        """Answer the next requests so, one behaviour each."""
        with self._lock:
            self._script.extend(behaviours)

    def always(self, behaviour: Behaviour) -> None:
        """Answer so whenever nothing is scripted."""
        self._always = behaviour

    def answer(self, request: Request) -> Response:
        """What this request gets."""
        with self._lock:
            self._requests.append(request)
            behaviour = self._script.pop(0) if self._script else self._always
        response = behaviour(self, request)
        with self._lock:
            self._answered.append(time.monotonic())
        return response


def endpoint(fake: FakeOpenAI, **options: Any) -> Endpoint:
    """The fake's address, with waits that tests can afford."""
    return Endpoint(**{"api_key": KEY, "base_url": fake.url, "timeout": 30.0, "backoff": 0.001, **options})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeOpenAI

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is no failure of the fake."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        """Any call with a body."""
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Type"].startswith("multipart/"):
            self._answer({"multipart": content.decode()})
        else:
            self._answer(json.loads(content))

    def do_GET(self) -> None:
        """The list of models."""
        self._answer({})

    def _answer(self, body: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        response = self.server.fake.answer(Request(self.path, body, headers, time.monotonic()))
        data = response.body if isinstance(response.body, bytes) else json.dumps(response.body).encode()
        self.send_response(response.status)
        for name, value in {"Content-Type": "application/json", **response.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: Any) -> None:
        """Quiet."""


def _encoded(vector: np.ndarray[Any, Any], request: Request, floats: bool) -> str | list[float]:
    if floats or request.body.get("encoding_format", "float") == "float":
        return [float(number) for number in vector]
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def _error(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "error", "param": None, "code": code}}
