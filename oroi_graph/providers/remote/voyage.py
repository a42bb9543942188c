"""Embeddings from Voyage AI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oroi_graph.errors import ProviderError
from oroi_graph.providers.openai.service import Endpoint
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.remote.embedder import RemoteEmbedder
from oroi_graph.providers.remote.vectors import embeddable, unit_vectors

MODEL = "voyage-4-large"
LENGTHS = (256, 512, 1024, 2048)  # dimensions that the service offers
NATIVE = 1024
MOST = 128  # texts of one request: at 8,000 bytes each they stay below the service's limit of tokens


class VoyageEmbedder(RemoteEmbedder):
    """An embedder behind Voyage's `/embeddings`; safe to share among threads.

    The service offers a few lengths only. It is asked for the shortest that is at least `dimensions`, and the rest is
    cut off: its vectors are trained so that their first dimensions say most (Kusupati et al. 2022). None: 1,024.
    Raises SettingsError for a useless length.
    """

    provider = "voyage"
    longest = LENGTHS[-1]
    most = MOST

    def __init__(self, endpoint: Endpoint, model: str = MODEL, dimensions: int | None = None) -> None:
        wanted = NATIVE if dimensions is None else dimensions
        super().__init__(endpoint, ("Authorization", f"Bearer {endpoint.api_key}"), model, wanted)
        self._asked = next(length for length in LENGTHS if length >= wanted)

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
        return self.service.ask("embeddings", body, read)
