"""What embedders behind services with an interface of their own share: lengths, requests of so many texts, a name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from oroi_graph.errors import SettingsError
from oroi_graph.providers.openai.service import Endpoint
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.remote.service import JsonService


class RemoteEmbedder(ABC):
    """An embedder that asks a service; safe to share among threads.

    provider: as settings name it. longest: dimensions of its vectors at the most. most: texts of one request.
    secret: the header with the key, and its value. Raises SettingsError for a useless length.
    """

    provider: ClassVar[str]
    longest: ClassVar[int]
    most: ClassVar[int]

    def __init__(self, endpoint: Endpoint, secret: tuple[str, str], model: str, dimensions: int) -> None:
        if not 1 <= dimensions <= self.longest:
            raise SettingsError(f"{model!r} gives 1 to {self.longest} dimensions, not {dimensions}")
        self.model, self.dimensions = model, dimensions
        self.service = JsonService(endpoint, secret)

    @property
    def endpoint(self) -> str:
        """The service's address, for those who note what a vector was made with."""
        return self.service.endpoint.shown

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.endpoint!r}, {self.model!r}, {self.dimensions})"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n,) texts → (n, dimensions) float32 unit vectors, or ProviderError and none."""
        parts = [self._request(texts[start : start + self.most]) for start in range(0, len(texts), self.most)]
        return np.concatenate([np.empty((0, self.dimensions), dtype=np.float32), *parts])

    @abstractmethod
    def _request(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of at most `most` texts, in one request. Raises ProviderError."""
