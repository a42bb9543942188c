"""Embeddings from Voyage AI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oroi_graph.errors import ProviderError, SettingsError
from oroi_graph.providers.openai.service import Endpoint
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.remote.service import JsonService
from oroi_graph.providers.remote.vectors import embeddable, unit_vectors

MODEL = "voyage-4-large"
LENGTHS = (256, 512, 1024, 2048)  # dimensions that the service offers
NATIVE = 1024
MOST = 128  # texts of one request: at 8,000 bytes each they stay below the service's limit of tokens


class VoyageEmbedder:
    """An embedder behind Voyage's `/embeddings`; safe to share among threads.

    The service offers a few lengths only. It is asked for the shortest that is at least `dimensions`, and the rest is
    cut off: its vectors are trained so that their first dimensions say most (Kusupati et al. 2022). None: 1,024.
    Raises SettingsError for a useless length.
    """

    provider = "voyage"

    def __init__(self, endpoint: Endpoint, model: str = MODEL, dimensions: int | None = None) -> None:
        if dimensions is not None and not 1 <= dimensions <= LENGTHS[-1]:
            raise SettingsError(f"{model!r} gives 1 to {LENGTHS[-1]} dimensions, not {dimensions}")
        self.model, self.dimensions = model, dimensions or NATIVE
        self._asked = next(length for length in LENGTHS if length >= self.dimensions)
        self._service = JsonService(endpoint, ("Authorization", f"Bearer {endpoint.api_key}"))

    @property
    def endpoint(self) -> str:
        """The service's address, for those who note what a vector was made with."""
        return self._service.endpoint.shown

    def __repr__(self) -> str:
        return f"VoyageEmbedder({self.endpoint!r}, {self.model!r}, {self.dimensions})"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n,) texts → (n, dimensions) float32 unit vectors, or ProviderError and none."""
        parts = [self._request(texts[start : start + MOST]) for start in range(0, len(texts), MOST)]
        return np.concatenate([np.empty((0, self.dimensions), dtype=np.float32), *parts])

    def _request(self, texts: Sequence[str]) -> Vectors:
        def read(answer: Any) -> Vectors:
            items = sorted(answer["data"], key=lambda item: int(item["index"]))
            if [item["index"] for item in items] != list(range(len(texts))):
                raise ProviderError(f"{self.model!r} answered with {len(items)} vectors for {len(texts)} texts")
            rows = [np.array(item["embedding"], dtype=np.float64) for item in items]
            return unit_vectors(rows, self.model, self.dimensions, cut=True)

        body: dict[str, Any] = {"input": [embeddable(text) for text in texts], "model": self.model}
        if self._asked != NATIVE:
            body["output_dimension"] = self._asked
        return self._service.ask("embeddings", body, read)
