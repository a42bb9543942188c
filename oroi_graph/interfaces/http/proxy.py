"""Memory for any OpenAI-compatible client: it changes the address, and its model remembers.

The last words of the user are perceived, what memory brings back is appended to them, and the whole is sent on; the
reply closes the turn. Everything else of a request passes as it is. A request that ends with the answer of a tool
belongs to a turn that was perceived already: it gets the brief again, by reading. A turn whose answer calls a tool
stays open, and the reply that comes after the tools closes it, if the same process sees it. So does the reply to a
request that is sent again because the model failed: clients do that by themselves, and the words were said once.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import httpx2
from anyio import to_thread
from fastapi import Response
from fastapi.responses import StreamingResponse

from oroi_graph.errors import InputError
from oroi_graph.interfaces import reading, writing
from oroi_graph.interfaces.access import Access
from oroi_graph.interfaces.http.problems import RefusedError
from oroi_graph.interfaces.reading import Json
from oroi_graph.memory import Turn
from oroi_graph.model import Brief, canonical_json
from oroi_graph.providers.openai.service import UNREADABLE
from oroi_graph.redaction import Redaction

PATIENCE = 600.0  # seconds for a whole answer of a model
_PASSED = ("content-type", "retry-after", "x-request-id")  # headers of the model's service that its client sees
_DONE = "[DONE]"
# Members of messages that hold words: no name, no id, no picture.
_TEXTS = ("content", "text", "arguments", "refusal", "output", "input")
_ANSWERS = ("assistant", "tool", "function")  # roles of what comes after the user's words once they were answered
# Turns that wait for a reply behind tools or failures; the oldest go first, and are closed by the turn after them.
WAITING = 1_000


@dataclass(frozen=True, slots=True)
class Upstream:
    """The service that answers. url: its base, such as https://api.openai.com/v1. key: of that service."""

    url: str
    key: str | None

    @property
    def headers(self) -> dict[str, str]:
        """What it is sent."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


class Waiting:
    """Turns whose model has called a tool, or has failed, by who asks and what was said. Safe for threads."""

    def __init__(self) -> None:
        self._turns: OrderedDict[str, Turn] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, said: str, turn: Turn) -> None:
        """Note that a turn waits."""
        with self._lock:
            self._turns[said] = turn
            while len(self._turns) > WAITING:
                self._turns.popitem(last=False)

    def take(self, said: str) -> Turn | None:
        """The turn that waits, which then no longer does."""
        with self._lock:
            return self._turns.pop(said, None)


@dataclass(frozen=True, slots=True)
class Proxied:
    """One request on its way. turn: what was perceived, now or before its tools; None where that is not known.

    brief: what was injected. said, again: for the request behind a tool, and for this one if it is sent again.
    """

    sent: Json
    turn: Turn | None
    brief: Brief
    said: str
    again: str
    waiting: Waiting

    def fail(self) -> None:
        """The model did not answer: the turn ends without a reply, and gets that of the request that is sent again."""
        if self.turn is not None:
            self._end(self.turn)
            self.waiting.keep(self.again, self.turn)

    def close(self, reply: str | None, calls: bool = False) -> None:
        """End the turn with what the model said; a reply that cannot be kept ends it without one.

        calls: the model called a tool, so that the turn stays open for what it says afterwards.
        """
        if self.turn is None:
            return
        if calls:
            self.waiting.keep(self.said, self.turn)
            return
        try:
            self.turn.close(reply or None, injected=self.brief)
        except InputError:
            self._end(self.turn)

    def _end(self, turn: Turn) -> None:
        """End a turn without a reply, unless it was taken back meanwhile."""
        with suppress(InputError):
            turn.close(None, injected=self.brief)


def prepare(access: Access, asked: Json, id: str | None, waiting: Waiting) -> Proxied:
    """Perceive the user's words and inject the brief. Raises InputError for a request without any."""
    said, place = _last_words(asked)
    fresh = not any(one.get("role") in _ANSWERS for one in asked["messages"][place + 1 :])
    # What was said, alone: clients change the rest from one request of a turn to the next (the time, marks for caches).
    talk = [_words(one) for one in asked["messages"][: place + 1] if one.get("role") in ("user", "assistant")]
    whose = hashlib.sha256(canonical_json([access.principal.key, talk]).encode("utf-8", "surrogatepass")).hexdigest()
    again = f"{whose} {id} again" if fresh else whose
    # What must not be sent to a model goes from all messages. The words themselves are redacted again, as a turn.
    asked = {**asked, "messages": Redaction(access.graph.options.redact).value(asked["messages"], _TEXTS)}
    if fresh:
        # `user` is OpenAI's name for the end user whom a request is for.
        user = asked.get("user")
        turn = waiting.take(again) or writing.perceive(
            access, said, id=id, speaker=user if isinstance(user, str) and user else None
        )
        brief = writing.brief_for(access, turn)
        return Proxied(injected(asked, place, brief), turn, brief, whose, again, waiting)
    brief = Brief("", 0)
    if "read" in access.principal.rights:
        brief = reading.brief_of(reading.asked(access, said))
    return Proxied(injected(asked, place, brief), waiting.take(whose), brief, whose, again, waiting)


def injected(asked: Json, place: int, brief: Brief) -> Json:
    """The request with the brief behind the words of message `place`; the client's own object is left as it is."""
    if not brief:
        return asked
    found = deepcopy(asked)
    message = found["messages"][place]
    if isinstance(message["content"], str):
        message["content"] += f"\n\n{brief.text}"
    else:
        message["content"].append({"type": "text", "text": brief.text})
    return found


def _last_words(asked: Json) -> tuple[str, int]:
    """The text of the user's last message, and its place."""
    messages = asked.get("messages")
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        raise InputError("messages must be a list of objects")
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].get("role") == "user" and (said := _words(messages[place]).strip()):
            return said, place
    raise InputError("no message of the user has text: there is nothing to remember or to recall")


def _words(message: Json) -> str:
    """The text of a message, of the user or of the model, whole or in parts."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [one.get("text") for one in parts if isinstance(one, dict) and one.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


class Proxy:
    """Sends requests on to a service and listens to its answers."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self.waiting = Waiting()
        self._client = httpx2.AsyncClient(timeout=httpx2.Timeout(PATIENCE, connect=10.0))

    async def close(self) -> None:
        """Close its connections."""
        await self._client.aclose()

    async def models(self) -> Response:
        """The models that the service has."""
        answer = await self._reached(self._client.build_request("GET", self._address("models"), headers=self._headers))
        body = await answer.aread()
        await answer.aclose()
        return self._passed(answer, body)

    async def chat(self, proxied: Proxied) -> Response:
        """The answer of the service, as a whole or as a stream; it closes the turn."""
        # As plain ASCII, whatever came arrives: half of a character pair, as cut texts have it, is no UTF-8.
        headers = {**self._headers, "Content-Type": "application/json"}
        content = json.dumps(proxied.sent).encode()
        request = self._client.build_request(
            "POST", self._address("chat/completions"), content=content, headers=headers
        )
        try:
            answer = await self._reached(request)
        except BaseException:
            await _last(proxied.fail)
            raise
        streamed = answer.headers.get("content-type", "").startswith("text/event-stream")
        if streamed and answer.status_code == 200:
            return StreamingResponse(_streamed(answer, proxied), headers=_shown(answer))
        ending = proxied.fail
        try:
            body = await answer.aread()
            if answer.status_code == 200:
                ending = partial(proxied.close, *_content(body, "message"))
        except httpx2.HTTPError as error:
            raise RefusedError(502, "model-failed", f"the model's answer broke off ({type(error).__name__})") from error
        finally:
            with anyio.CancelScope(shield=True):
                await answer.aclose()
            await _last(ending)
        return self._passed(answer, body)

    def _passed(self, answer: httpx2.Response, body: bytes) -> Response:
        """The answer as the client gets it. A failure may repeat the service's key, which is not the client's."""
        if answer.status_code >= 400 and self._upstream.key:
            body = body.replace(self._upstream.key.encode(), b"***")
        return Response(body, answer.status_code, _shown(answer))

    @property
    def _headers(self) -> dict[str, str]:
        return self._upstream.headers

    def _address(self, path: str) -> str:
        return f"{self._upstream.url.rstrip('/')}/{path}"

    async def _reached(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return await self._client.send(request, stream=True)
        except httpx2.HTTPError as error:
            raise RefusedError(
                502, "model-failed", f"the model's service does not answer ({type(error).__name__})"
            ) from error


async def _streamed(answer: httpx2.Response, proxied: Proxied) -> AsyncIterator[bytes]:
    """The stream as it comes; at its end, also where the client goes before, what was said closes the turn."""
    said: list[str] = []
    closed = calls = False
    try:
        async for line in answer.aiter_lines():
            if line.removeprefix("data:").strip() == _DONE:  # a client that has read it may ask at once
                await _last(partial(proxied.close, "".join(said), calls))
                closed = True
            text, called = _delta(line)
            said.append(text)
            calls = calls or called
            yield f"{line}\n".encode()
    except httpx2.HTTPError as error:
        why = f"the model's answer broke off ({type(error).__name__})"
        failure = {"error": {"message": why, "type": "server_error"}}
        yield f"data: {json.dumps(failure)}\n\n".encode()
    finally:
        with anyio.CancelScope(shield=True):
            await answer.aclose()
            if not closed:
                await _last(partial(proxied.close, "".join(said), calls) if calls or any(said) else proxied.fail)


async def _last(work: Callable[[], None]) -> None:
    """Do what must be done even though the client is gone."""
    with anyio.CancelScope(shield=True):
        await to_thread.run_sync(work)


def _shown(answer: httpx2.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.lower() in _PASSED}


def _delta(line: str) -> tuple[str, bool]:
    """What one line of a stream adds to the reply, and whether it calls a tool."""
    data = line.removeprefix("data:").strip()
    if not line.startswith("data:") or data == _DONE:
        return "", False
    return _content(data, "delta")


def _content(data: str | bytes, member: str) -> tuple[str, bool]:
    """The text of the first choice, "" where there is none, and whether it calls a tool."""
    try:
        found: Any = json.loads(data)
        message = found["choices"][0][member]
        text = message.get("content")
        calls = bool(message.get("tool_calls") or message.get("function_call"))  # the latter: as it was called before
    except UNREADABLE:
        return "", False
    return text if isinstance(text, str) else _words(message), calls
