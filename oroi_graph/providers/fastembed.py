"""Any model that the library fastembed knows, run locally; it fetches the model on first use (extra `fastembed`)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from oroi_graph.errors import AssetError, SettingsError
from oroi_graph.providers.protocols import Vectors

MODEL = "BAAI/bge-small-en-v1.5"


class FastEmbed:
    """An embedder that runs a model by its name in fastembed's list; safe to share among threads.

    cache: where models are kept. A folder there that is called as the model, "/" replaced by "--", is used as it is,
    for machines without a network. Cheap to construct: the first `embed` loads the model, and fetches it if need be.
    Raises SettingsError where the library is absent or does not know the model.
    """

    provider = "fastembed"

    def __init__(self, cache: Path, model: str = MODEL) -> None:
        try:
            from fastembed import TextEmbedding
        except ImportError as error:
            raise SettingsError("fastembed is not installed: pip install 'oroi-graph[fastembed]'") from error
        known = {str(one["model"]): int(one["dim"]) for one in TextEmbedding.list_supported_models()}
        if model not in known:
            raise SettingsError(f"fastembed knows no model {model[:100]!r}: set OROI_EMBEDDING_MODEL to {MODEL!r}, say")
        self.model, self.dimensions = model, known[model]
        self._cache = cache
        self._loading = threading.Lock()
        self._loaded: Any = None

    def __repr__(self) -> str:
        return f"FastEmbed({self.model!r})"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n,) texts → (n, dimensions) float32 unit vectors. Raises AssetError when the model cannot be had."""
        valid = [text.encode("utf-8", "replace").decode() for text in texts]  # without lone surrogates
        # One text at a time: beside longer ones it would be padded, and its vector would be another in the last digits.
        found = np.array([*self._load().embed(valid, batch_size=1)] if valid else [], dtype=np.float64)
        found = found.reshape(len(valid), self.dimensions)
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)

    def _load(self) -> Any:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._open()
        return self._loaded

    def _open(self) -> Any:
        from fastembed import TextEmbedding

        folder = self._cache / self.model.replace("/", "--")
        given = {"specific_model_path": str(folder)} if folder.is_dir() else {}
        try:
            return TextEmbedding(self.model, cache_dir=str(self._cache), cuda=False, **given)
        except Exception as error:  # its errors, and those of the hub behind it, share no narrower class
            said = " ".join(str(error).split())[:200]
            raise AssetError(
                f"fastembed cannot load {self.model} ({said}): check the network or put the model's files into {folder}"
            ) from error
