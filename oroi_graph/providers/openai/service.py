"""One service that speaks OpenAI's HTTP interface: how it is asked, how long it is waited for, what it cost.

A call is tried again when the service is overloaded, fails or does not answer in time (429, 5xx, timeouts
and broken connections), after the wait it asks for by Retry-After, else after a growing one. The key appears
in no error, repr or log.
"""

from __future__ import annotations

import json
import math
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from oroi_graph.errors import ProviderError, SettingsError
from oroi_graph.providers.openai.metering import noted
from oroi_graph.server.trust import system_trust

if TYPE_CHECKING:  # the library takes a third of a second to load: only who asks a model waits for it
    import openai

BASE_URLS = {
    "openai": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
    "voyage": "https://api.voyageai.com/v1",
}
SECRET = 6  # characters from which the value of a header may be one
CHAT_MODEL = "gpt-4o-mini"

# What reading an answer raises where it is not as agreed. Recursion: JSON nested thousands deep. Overflow: a number
# that no float or int holds, such as 1e999.
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError)

_LONGEST_BACKOFF = 20.0  # seconds
_ECHO = 4_000  # characters of a bad answer that are shown to the model again
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Endpoint:
    """Where a service answers and how patiently it is asked. Raises SettingsError without a key."""

    api_key: str | None
    base_url: str | None = None  # None: OpenAI's own
    timeout: float = 60.0  # seconds without an answer, per try
    retries: int = 3  # tries after the first one
    backoff: float = 0.5  # seconds before the second try, doubled for each later one
    max_wait: float = 60.0  # seconds; a service that asks to wait for longer is given up at once
    service: str = "openai"  # whose interface it has: a key of BASE_URLS
    headers: Mapping[str, str] = field(default_factory=dict)  # sent with each request; they win over our own

    def __post_init__(self) -> None:
        variable = f"OROI_{self.service.upper()}_API_KEY"
        if not self.api_key or not self.api_key.strip():
            raise SettingsError(
                f"the {self.service} provider needs a key: set {variable} "
                "(to any word, for a server that asks for none)"
            )
        for name, text in (
            (variable, self.api_key),
            *((f"the header {name!r}", text) for name, text in self.headers.items()),
        ):
            if not text.isascii() or not text.isprintable():
                raise SettingsError(f"{name} holds characters that no key has: check it")

    def __repr__(self) -> str:
        return f"Endpoint({self.shown!r}, timeout={self.timeout}, retries={self.retries})"

    @property
    def address(self) -> str:
        """Where requests go, without a slash at its end."""
        return (self.base_url or BASE_URLS[self.service]).rstrip("/")

    @property
    def shown(self) -> str:
        """The address for people: no user, password or query, which could hold secrets."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def masked(self, text: str) -> str:
        """What a service says, without the secrets that it may repeat: the key, and values of headers.

        Of "Bearer x", services repeat x alone. A value of a few characters is no secret, and would mask common words.
        """
        words = {word for value in self.headers.values() for word in (value, value.rpartition(" ")[2])}
        secrets = {self.api_key or "", *(word for word in words if len(word) >= SECRET)} - {""}
        for secret in sorted(secrets, key=len, reverse=True):
            text = text.replace(secret, "***")
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a provider has asked for so far. `calls` are requests sent, retries included."""

    calls: int = 0
    retries: int = 0
    failures: int = 0  # requests given up, and extractions that stayed unusable
    input_tokens: int = 0  # as the service counts them
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a chat model said, and whether it said so to refuse."""

    said: str
    refused: bool

    def json(self) -> Any:
        """The JSON value that was said. Raises UnusableError for a refusal and for what is no JSON."""
        if self.refused:
            raise UnusableError(f"the model refused ({' '.join(self.said.split())[:200]})")
        try:
            return json.loads(self.said)
        except RecursionError as error:
            raise UnusableError("its values are nested too deeply") from error
        except ValueError as error:
            raise UnusableError(f"not valid JSON ({error})") from error


class UnusableError(ProviderError):
    """An answer that cannot be used; `detail` says what is wrong, in words that help the model on its second try."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"the model's answer cannot be used ({detail}): try again, or choose another chat model")
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Task:
    """What a model is to make of a JSON document: the name of the task and the JSON Schema of its answer.

    package: where the instructions are, in `prompts/‹name›.txt`.
    """

    name: str
    schema: Mapping[str, Any]
    package: str = __package__

    def messages(self, document: str) -> list[dict[str, str]]:
        """What a model is told: the instructions, and the document as JSON."""
        told = instructions(self.name, self.package)
        return [{"role": "system", "content": told}, {"role": "user", "content": document}]

    @property
    def form(self) -> dict[str, Any]:
        """The response format that asks for an object of the schema, strictly."""
        return {"type": "json_schema", "json_schema": {"name": self.name, "strict": True, "schema": self.schema}}


@cache
def instructions(name: str, package: str = __package__) -> str:
    """What a model is told to do: the file `prompts/‹name›.txt` of a package."""
    return (files(package) / "prompts" / f"{name}.txt").read_text("utf-8").removesuffix("\n")


class Service:
    """One client of one endpoint: tries, waits, counts, and turns every failure into one ProviderError."""

    def __init__(self, endpoint: Endpoint) -> None:
        import openai

        self.endpoint = endpoint
        self._client = openai.OpenAI(
            api_key=endpoint.api_key,
            base_url=endpoint.address,
            default_headers=dict(endpoint.headers),
            timeout=endpoint.timeout,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(verify=system_trust()),
        )
        self.usage = Usage()
        self._lock = threading.Lock()

    def count(self, **more: int) -> None:
        """Add to the counters of those names."""
        with self._lock:
            now = asdict(self.usage)
            self.usage = replace(self.usage, **{name: now[name] + number for name, number in more.items()})

    def complete(
        self, model: str, messages: Sequence[Mapping[str, str]], form: Mapping[str, Any] | None = None
    ) -> Answer:
        """One chat completion of `messages`, in the response format `form`. Raises ProviderError."""
        import openai

        # Half a surrogate pair, as a terminal may hand in, cannot be sent.
        sent = [
            {key: text.encode("utf-8", "replace").decode() for key, text in message.items()} for message in messages
        ]

        def send(client: openai.OpenAI) -> bytes:
            create: Callable[..., Any] = client.chat.completions.with_raw_response.create
            content: bytes = create(
                model=model, messages=sent, response_format=openai.omit if form is None else form
            ).content
            return content

        return self.ask(send, answer_of)

    def structured(self, model: str, task: Task, document: Mapping[str, Any], read: Callable[[Answer], _T]) -> _T:
        """What `read` makes of the answer to a JSON document.

        `read` raises UnusableError for what it cannot use; the model is then asked once more, its answer and what
        is wrong with it before it. Raises UnusableError after two unusable answers (counted as one failure),
        another ProviderError without an answer.
        """
        form = task.form
        messages = task.messages(json.dumps(document, ensure_ascii=False))
        answer = self.complete(model, messages, form)
        try:
            return read(answer)
        except UnusableError as error:
            wrong = error.detail
        again = f"That was no {task.name}: {wrong}. Answer with the corrected JSON object only."
        messages += [{"role": "assistant", "content": answer.said[:_ECHO]}, {"role": "user", "content": again}]
        answer = self.complete(model, messages, form)
        try:
            return read(answer)
        except UnusableError:
            self.count(failures=1)
            raise

    def ask(self, send: Callable[[openai.OpenAI], bytes], read: Callable[[Mapping[str, Any]], _T]) -> _T:
        """What `read` makes of the JSON answer to `send`. Raises ProviderError."""
        try:
            answer = self.raw(send)
            try:
                data = json.loads(answer)
                sent, received = tokens_of(data)
                self.count(input_tokens=sent, output_tokens=received)
                if sent or received:
                    noted(str(data.get("model")), sent, received)
                return read(data)
            except UNREADABLE as error:
                raise ProviderError(
                    f"{self.endpoint.shown} answered with something else than the OpenAI interface does "
                    f"({type(error).__name__}): check OROI_OPENAI_BASE_URL"
                ) from error
        except ProviderError:
            self.count(failures=1)
            raise

    def raw(self, send: Callable[[openai.OpenAI], bytes]) -> bytes:
        """The answer to `send` as it is, after tries and waits. Raises ProviderError, which is not counted here."""
        import openai

        for left in range(self.endpoint.retries, -1, -1):
            self.count(calls=1)
            try:
                return send(self._client)
            except openai.APIError as error:
                failure = error
            wait = _wait(failure, self.endpoint, self.endpoint.retries - left)
            if wait is None or not left:
                break
            self.count(retries=1)
            time.sleep(wait)
        # Raised here, outside the handler: a service may echo the key, and a chained error would print it.
        raise ProviderError(_sentence(failure, self.endpoint))


class Client:
    """A model behind a service: what all that ask one have in common. Safe to share among threads.

    at: where it is, or what its calls go through.
    """

    def __init__(self, at: Endpoint | Service, model: str = CHAT_MODEL) -> None:
        self.service = at if isinstance(at, Service) else Service(at)
        self.model = model
        self.name = f"openai:{model}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.service.endpoint.shown!r}, {self.model!r})"

    @property
    def usage(self) -> Usage:
        """Calls, tokens and failures so far."""
        return self.service.usage


def _wait(error: openai.APIError, endpoint: Endpoint, tries: int) -> float | None:
    """Seconds until the next try; None where another one is useless."""
    import openai

    backoff = growing(endpoint, tries)
    if isinstance(error, openai.APIConnectionError):  # timeouts are of this kind
        return backoff
    if not isinstance(error, openai.RateLimitError | openai.InternalServerError):
        return None
    if error.code == "insufficient_quota":
        return None
    asked = retry_after(error.response.headers)
    if asked is None:
        return backoff
    return asked if asked <= endpoint.max_wait else None


def growing(endpoint: Endpoint, tries: int) -> float:
    """Seconds before the next try where the service does not say: longer each time."""
    return min(endpoint.backoff * 2.0**tries, _LONGEST_BACKOFF) * random.uniform(0.75, 1)  # noqa: S311 - jitter


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the service asks to wait, from seconds or a date; None where it does not say."""
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (moment - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _sentence(error: openai.APIError, endpoint: Endpoint) -> str:
    """One line that says what failed and what to do."""
    import openai

    where = endpoint.shown
    if isinstance(error, openai.APITimeoutError):
        return f"{where} did not answer within {endpoint.timeout:g} s: try again later, or raise OROI_TIMEOUT"
    if not isinstance(error, openai.APIStatusError):
        return f"cannot reach {where}: check OROI_OPENAI_BASE_URL and the network"
    body = error.body if isinstance(error.body, Mapping) else {}
    said = " ".join(endpoint.masked(str(body.get("message") or error.message)).split())[:300]
    if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
        return f"{where} refused the key ({said}): check OROI_OPENAI_API_KEY"
    if isinstance(error, openai.RateLimitError | openai.InternalServerError):
        return f"{where} is overloaded or failing ({said}): try again later"
    return f"{where} refused the request ({said}): check the model's name and OROI_OPENAI_BASE_URL"


def tokens_of(answer: Mapping[str, Any]) -> tuple[int, int]:
    """How many tokens an answer cost, as the service counts them: those sent, those received."""
    used = answer.get("usage") or {}
    return int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0)


def answer_of(data: Mapping[str, Any]) -> Answer:
    message = data["choices"][0]["message"]
    refusal, content = message.get("refusal"), message.get("content")
    return Answer(str(refusal or content or ""), refused=bool(refusal))
