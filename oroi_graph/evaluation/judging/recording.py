"""Calls of a chat model that are recorded, so that an evaluation can be repeated without the model.

A line is a JSON object: `key` (the SHA-256 of the canonical JSON of model, messages and schema), `kind` ("extraction",
"reranking", "answer" or "judge"), `model`, `messages`, `response` and `usage`. No address and no key of a service is in
it. A line is written as soon as its call is answered, so a run that was killed goes on from what it recorded.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import openai

from oroi_graph.errors import InputError, OroiError, ProviderError
from oroi_graph.evaluation.errors import EvaluationError
from oroi_graph.model import canonical_json
from oroi_graph.providers.openai.service import Answer, Endpoint, Service, tokens_of
from oroi_graph.providers.recorded import append_line, recorded_lines

_SHOWN = 80  # characters of what a call is about, in an error
_SECRET = 12  # characters from which on a key is one: "none" and the like are what local servers are given

_UNUSABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)  # of a line that is no call

T = TypeVar("T")
Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Call:
    """What a model answered to one request, and the tokens that the service counted."""

    said: str
    refused: bool = False
    input_tokens: int = 0
    output_tokens: int = 0


def call_key(model: str, messages: Messages, form: Mapping[str, Any] | None) -> str:
    """64 hexadecimal digits that name a request."""
    request = {"model": model, "messages": [dict(message) for message in messages], "schema": form}
    return hashlib.sha256(canonical_json(request).encode("utf-8", "surrogatepass")).hexdigest()


class Calls:
    """The calls of one evaluation: answered from a recording, else by the model, each once; safe among threads.

    path: the recording, read first and appended to; None: nothing is kept. replay: nothing is sent, and the file is
    left as it is. limit: calls that may be sent (retries of a failing service are not counted). Raises InputError for
    a file that cannot be used.
    """

    def __init__(self, path: Path | None = None, *, replay: bool = False, limit: int | None = None) -> None:
        self._path, self._replay, self._limit = path, replay, limit
        self._known: dict[str, Call] = {}
        self._used: dict[str, tuple[str, Call]] = {}  # by key: kind and answer of what this run asked for
        self._under_way: dict[str, Future[Call]] = {}
        self._lock = threading.Lock()
        self._failure: OroiError | None = None
        self.sent = 0
        if path is not None:
            self._known = dict(_read(path, replay=replay))
            if not replay:
                _mend(path)

    def usage(self) -> dict[str, dict[str, int]]:
        """By kind: the different calls this run asked for and their tokens, whether they were sent or recorded."""
        kinds: dict[str, dict[str, int]] = {}
        for kind, call in self._used.values():
            found = kinds.setdefault(kind, {"calls": 0, "input_tokens": 0, "output_tokens": 0})
            found["calls"] += 1
            found["input_tokens"] += call.input_tokens
            found["output_tokens"] += call.output_tokens
        return dict(sorted(kinds.items()))

    def answer(
        self, kind: str, model: str, messages: Messages, form: Mapping[str, Any] | None, send: Callable[[], Call]
    ) -> Call:
        """The answer to a request: a recorded one, that of the same request under way, or what `send` gets.

        Raises EvaluationError where there is none: not recorded, the limit reached, the service failed. From then on
        every call raises it.
        """
        key = call_key(model, messages, form)
        with self._lock:
            self._check()
            waiting = self._under_way.get(key)
            if waiting is None:
                known = self._known.get(key) or (self._used[key][1] if key in self._used else None)
                if known is not None:
                    self._used[key] = (kind, known)
                    return known
                self._allow(kind, model, messages, key)
                mine = self._under_way[key] = Future[Call]()
        if waiting is not None:
            return waiting.result()
        try:
            call = send()
            self._keep(key, kind, model, messages, call)
        except BaseException as error:
            failure = self._failed(error)
            mine.set_exception(failure)
            raise failure from None
        finally:
            with self._lock:
                del self._under_way[key]
        mine.set_result(call)
        return call

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _allow(self, kind: str, model: str, messages: Messages, key: str) -> None:
        """Count a call that is about to be sent. Raises EvaluationError if it may not be."""
        if self._replay:
            self._failure = EvaluationError(
                f"{self._path} holds no {kind} call for {subject(messages)!r} (model {model!r}, key {key[:12]}…): "
                "record it with --record"
            )
        elif self._limit is not None and self.sent >= self._limit:
            self._failure = EvaluationError(
                f"the budget of {self._limit} calls (--max-calls) is used up; {self._resumable()}"
            )
        self._check()
        self.sent += 1

    def _failed(self, error: BaseException) -> BaseException:
        """What a failed call raises: a service that fails after its retries ends all calls."""
        if not isinstance(error, ProviderError):
            return error
        with self._lock:
            if self._failure is None:
                self._failure = EvaluationError(f"{error} ({self._resumable()})")
            return self._failure

    def _resumable(self) -> str:
        if self._path is None:
            return "nothing was recorded; with --record a run goes on from where it ended"
        return f"what was answered is recorded in {self._path}: the same command goes on from there"

    def _keep(self, key: str, kind: str, model: str, messages: Messages, call: Call) -> None:
        line = {
            "key": key,
            "kind": kind,
            "model": model,
            "messages": [dict(message) for message in messages],
            "response": {"content": call.said, "refused": call.refused},
            "usage": {"input_tokens": call.input_tokens, "output_tokens": call.output_tokens},
        }
        with self._lock:
            self._used[key] = (kind, call)
            if self._path is not None:
                self._known[key] = call
                append_line(self._path, line)


class EndOfCalls(BaseException):
    """The end of all calls, as it passes through perception, which takes any Exception for a turn that states nothing.

    `failure` is what to raise in its place.
    """

    def __init__(self, failure: EvaluationError) -> None:
        super().__init__(str(failure))
        self.failure = failure


class RecordedService(Service):
    """A service whose completions go through `calls` as calls of one kind."""

    def __init__(self, endpoint: Endpoint, calls: Calls, kind: str) -> None:
        super().__init__(endpoint)
        self._calls, self._kind = calls, kind
        self._seen = threading.local()  # the tokens of the answer that this thread has just received

    def complete(self, model: str, messages: Messages, form: Mapping[str, Any] | None = None) -> Answer:
        """As of any service. Raises EvaluationError where no answer is to be had."""

        def send() -> Call:
            answer = super(RecordedService, self).complete(model, messages, form)
            return Call(self._clean(answer.said), answer.refused, *self._seen.tokens)

        call = self._calls.answer(self._kind, model, messages, form, send)
        return Answer(call.said, call.refused)

    def ask(self, send: Callable[[openai.OpenAI], bytes], read: Callable[[Mapping[str, Any]], T]) -> T:
        """As of any service."""

        def noted(data: Mapping[str, Any]) -> T:
            self._seen.tokens = tokens_of(data)
            return read(data)

        return super().ask(send, noted)

    def _clean(self, said: str) -> str:
        """An answer that repeats the key must not bring it into a recording."""
        key = self.endpoint.api_key or ""
        return said.replace(key, "***") if len(key) >= _SECRET else said


def subject(messages: Messages) -> str:
    """What a call is about, for people: the turn, or the question, that its first user message holds."""
    content = next((message["content"] for message in messages if message["role"] == "user"), "")
    try:
        data = json.loads(content)
        content = str(data["turn"]["text"] if "turn" in data else data["question"])
    except (ValueError, TypeError, LookupError):
        pass
    line = " ".join(content.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def _read(path: Path, *, replay: bool) -> Iterator[tuple[str, Call]]:
    """Keys and answers of a recording. Raises InputError that names the first line that is none."""
    lines = recorded_lines(path) if replay or path.exists() else []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield _call(json.loads(line))
            except _UNUSABLE as error:
                if number == len(lines):  # without its end: torn by a kill, its call is asked again
                    return
                raise InputError(f"{path.name} line {number} is no recorded call ({type(error).__name__})") from error


def _call(data: Any) -> tuple[str, Call]:
    """Raises one of _UNUSABLE."""
    response, usage = data["response"], data["usage"]
    if not isinstance(data["key"], str) or not isinstance(response["content"], str):
        raise TypeError
    call = Call(response["content"], bool(response["refused"]), int(usage["input_tokens"]), int(usage["output_tokens"]))
    return data["key"], call


def _mend(path: Path) -> None:
    """Make a recording ready to be appended to: end its last line, or take off a torn one. Raises InputError."""
    try:
        with path.open("ab+") as file:
            file.seek(0)
            written = file.read()
            end = written.rfind(b"\n") + 1
            if written[end:].strip():
                try:
                    _call(json.loads(written[end:]))
                    file.write(b"\n")
                except _UNUSABLE:
                    file.truncate(end)
    except OSError as error:
        raise InputError(f"cannot write {path} ({error.strerror}): choose another file") from error
