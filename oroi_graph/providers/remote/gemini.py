"""Embeddings from Google's Gemini API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from oroi_graph.errors import ProviderError
from oroi_graph.providers.openai.service import Endpoint
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.remote.embedder import RemoteEmbedder
from oroi_graph.providers.remote.vectors import embeddable, unit_vectors

MODEL = "gemini-embedding-001"
LONGEST = 3_072  # dimensions
MOST = 100  # texts of one request


class GeminiEmbedder(RemoteEmbedder):
    """An embedder behind `:batchEmbedContents`; safe to share among threads.

    The service is asked for `dimensions`, 1 to 3,072 (None: all of them). Questions and notes are embedded alike, since
    a memory compares everything with everything. Raises SettingsError for a useless length.
    """

    provider = "gemini"
    longest = LONGEST
    most = MOST

    def __init__(self, endpoint: Endpoint, model: str = MODEL, dimensions: int | None = None) -> None:
        secret = ("x-goog-api-key", endpoint.api_key or "")
        wanted = LONGEST if dimensions is None else dimensions
        super().__init__(endpoint, secret, model.removeprefix("models/"), wanted)

    def request(self, text: str) -> dict[str, Any]:
        """What is asked about one text."""
        return {
            "model": f"models/{self.model}",
            "content": {"parts": [{"text": embeddable(text)}]},
            "taskType": "SEMANTIC_SIMILARITY",
            "outputDimensionality": self.dimensions,
        }

    def vectors(self, embeddings: Sequence[Mapping[str, Any]]) -> Vectors:
        """The unit vectors of what the service calls embeddings. Raises ProviderError."""
        rows = [np.array(one["values"], dtype=np.float64) for one in embeddings]
        return unit_vectors(rows, self.model, self.dimensions, cut=True)

    def _request(self, texts: Sequence[str]) -> Vectors:
        def read(answer: Any) -> Vectors:
            found = answer["embeddings"]
            if len(found) != len(texts):
                raise ProviderError(f"{self.model!r} answered with {len(found)} vectors for {len(texts)} texts")
            return self.vectors(found)

        body = {"requests": [self.request(text) for text in texts]}
        return self.service.ask(f"models/{self.model}:batchEmbedContents", body, read)
