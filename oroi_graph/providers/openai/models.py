"""Embeddings, extractions and chat replies from any service that speaks OpenAI's HTTP interface."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import ExtractionError, ProviderError, SettingsError
from oroi_graph.model import EXTRACTION_SCHEMA, Extraction, Utterance
from oroi_graph.providers.openai.service import (
    CHAT_MODEL,
    Answer,
    Client,
    Endpoint,
    Task,
    UnusableError,
    Usage,
    answer_of,
)
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.remote.vectors import embeddable, unit_vectors

if TYPE_CHECKING:
    import openai

__all__ = ["CHAT_MODEL", "ChatModel", "Endpoint", "OpenAIEmbedder", "OpenAIExtractor", "Usage"]

EMBEDDING_MODEL = "text-embedding-3-small"

_REQUEST_BYTES = 250_000  # of one request of many texts, which may hold 300,000 tokens
_NATIVE = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}

_READING = Task("extraction", EXTRACTION_SCHEMA)


class OpenAIEmbedder(Client):
    """An embedder behind `/embeddings`; safe to share among threads.

    `dimensions`: length of the vectors; None is right for OpenAI's models only. One of OpenAI's is asked to
    shorten its vectors to it, any other must answer with it. `batch`: texts of one request, at least 1.
    Of a longer text the first 8,000 bytes count; a blank one is sent as a full stop, since services refuse
    it. Raises SettingsError for an unknown length or a useless batch.
    """

    def __init__(
        self, endpoint: Endpoint, model: str = EMBEDDING_MODEL, dimensions: int | None = None, batch: int = 128
    ) -> None:
        native = _NATIVE.get(model)
        length = native if dimensions is None else dimensions
        if length is None:
            raise SettingsError(f"the vectors' length of {model!r} is unknown: set OROI_EMBEDDING_DIMENSIONS")
        if length < 1 or batch < 1:
            raise SettingsError(f"dimensions and batch must be at least 1, got {length} and {batch}")
        super().__init__(endpoint, model)
        self.dimensions = length
        self._batch = batch
        # Many compatible services refuse the parameter, so it is sent only where it changes something.
        import openai

        self._asked = length if native is not None and length != native else openai.omit

    provider = "openai"

    @property
    def endpoint(self) -> str:
        """The service's address, for those who note what a vector was made with."""
        return self.service.endpoint.shown

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.service.endpoint.shown!r}, {self.model!r}, {self.dimensions})"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n,) texts → (n, dimensions) float32 unit vectors, or ProviderError and none."""
        parts = [self._request(batch) for batch in _batches([embeddable(text) for text in texts], self._batch)]
        return np.concatenate([np.empty((0, self.dimensions), dtype=np.float32), *parts])

    def body(self, text: str) -> dict[str, Any]:
        """What is asked about one text in a batch job."""
        asked = {"dimensions": self._asked} if isinstance(self._asked, int) else {}
        return {"model": self.model, "input": embeddable(text), "encoding_format": "base64", **asked}

    def vector(self, answer: Mapping[str, Any]) -> NDArray[np.float32]:
        """The unit vector in the answer about one text. Raises ProviderError."""
        found: NDArray[np.float32] = self._read(answer, 1)[0]
        return found

    def _request(self, texts: list[str]) -> Vectors:
        def send(client: openai.OpenAI) -> bytes:
            create = client.embeddings.with_raw_response.create
            return create(input=texts, model=self.model, dimensions=self._asked, encoding_format="base64").content

        return self.service.ask(send, lambda answer: self._read(answer, len(texts)))

    def _read(self, answer: Mapping[str, Any], n: int) -> Vectors:
        items = sorted(answer["data"], key=lambda item: int(item["index"]))
        if [item["index"] for item in items] != list(range(n)):
            raise ProviderError(f"{self.model!r} answered with {len(items)} vectors for {n} texts")
        return unit_vectors([_vector(item["embedding"]) for item in items], self.model, self.dimensions)


class OpenAIExtractor(Client):
    """An extractor behind `/chat/completions` with structured output; safe to share among threads.

    An answer that is no extraction, or a refusal, is sent back once with what is wrong with it.
    """

    def extract(self, turn: Utterance, window: Sequence[Utterance]) -> Extraction:
        """What `turn` states. ExtractionError after two unusable answers, ProviderError without any."""
        try:
            return self.service.structured(self.model, _READING, _asked(turn, window), _extraction)
        except UnusableError as error:
            raise ExtractionError(error.detail) from error

    def document(self, turn: Utterance, window: Sequence[Utterance]) -> str:
        """What the model is shown of a turn, as JSON: the same for the same words."""
        asked = json.dumps(_asked(turn, window), ensure_ascii=False)
        return asked.encode("utf-8", "replace").decode()

    def body(self, document: str) -> dict[str, Any]:
        """What is asked about one document in a batch job."""
        return {"model": self.model, "messages": _READING.messages(document), "response_format": _READING.form}

    def extraction(self, answer: Mapping[str, Any]) -> Extraction:
        """What the answer about one document states. Raises UnusableError."""
        return _extraction(answer_of(answer))


class ChatModel(Client):
    """A model that answers in a conversation, behind `/chat/completions`; safe to share among threads."""

    def reply(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The answer to `messages` ({"role", "content"}, oldest first); a refusal is an answer, too.

        Raises ProviderError, also for an answer without text.
        """
        answer = self.service.complete(self.model, messages)
        if not answer.said.strip():
            self.service.count(failures=1)
            raise ProviderError(f"{self.model!r} answered with no text: ask again, or set OROI_CHAT_MODEL")
        return answer.said


def _extraction(answer: Answer) -> Extraction:
    """Raises UnusableError with what is wrong."""
    try:
        return Extraction.from_json(answer.json())
    except ExtractionError as error:
        raise UnusableError(error.detail) from error


def _asked(turn: Utterance, window: Sequence[Utterance]) -> dict[str, Any]:
    return {"window": [_document(past) for past in window], "turn": _document(turn)}


def _document(turn: Utterance) -> dict[str, str | None]:
    at = turn.at.isoformat() if turn.at else None
    return {"speaker": turn.speaker, "role": turn.role, "at": at, "text": turn.text}


def _batches(texts: Sequence[str], most: int) -> Iterator[list[str]]:
    """`texts` in order, in runs of at most `most` texts and `_REQUEST_BYTES` bytes."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == most or size + length > _REQUEST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def _vector(value: Any) -> NDArray[np.float64]:
    """A vector from base64 of little-endian float32, or from the list that some services send anyway."""
    if not isinstance(value, str):
        return np.array(value, dtype=np.float64)
    try:
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float64)
    except binascii.Error as error:
        raise ValueError("an embedding is not base64") from error
