"""The vectors of notes: found among texts that are known, else embedded.

What notes held and hold no more is kept, the least recently used out first, so that a text that comes back, in whatever
file, is not embedded again, in this process or another.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import ProviderError
from oroi_graph.providers.protocols import Embedder
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.storage.store import Store

BATCH = 64  # texts embedded at a time

Known = tuple[NDArray[np.float32], str | None]  # a vector and its packed words


@dataclass
class VectorSource:
    """Vectors for the notes of one run. cache: texts kept beside notes, 0 for none. failure: why one got none."""

    store: Store
    memory: str
    embedder: Embedder
    cache: int
    failure: str | None = None
    hits: int = field(default=0, init=False)
    made: int = field(default=0, init=False)

    def of(self, texts: Mapping[str, str]) -> dict[str, Known]:
        """{text key: vector and words} of some {text key: text}; those that could not be embedded are left out.

        Once the embedder has failed it is asked no more in this run.
        """
        keys = list(texts)
        found = self._known(keys) if self.cache and keys else {}
        self.hits += len(found)
        missing = [key for key in keys if key not in found]
        for start in range(0, len(missing), BATCH):
            if self.failure is not None:
                break
            some = missing[start : start + BATCH]
            try:
                found |= self._embedded(some, [texts[key] for key in some])
            except ProviderError as error:
                self.failure = str(error)
        return found

    def trim(self, used: Sequence[str] = ()) -> None:
        """Note which texts were used; drop what is too much."""
        self.store.write_rows(
            "workspace/use_vectors", memory=self.memory, keys=list(used), now=int(time.time() * 1000), most=self.cache
        )

    def _known(self, keys: list[str]) -> dict[str, Known]:
        rows = self.store.rows("workspace/vectors", memory=self.memory, keys=keys, dimensions=self.embedder.dimensions)
        return {row["key"]: (row["vector"].to_numpy(), row["words"]) for row in rows if row["vector"] is not None}

    def _embedded(self, keys: Sequence[str], texts: Sequence[str]) -> dict[str, Known]:
        vectors, words = embedded(self.embedder, texts)
        if vectors.shape != (len(texts), self.embedder.dimensions) or not np.isfinite(vectors).all():
            raise ProviderError(f"{self.embedder.model!r} gave no usable vectors for {len(texts)} texts")
        self.made += len(texts)
        # A zero vector says nothing of its text: the note is found by words alone.
        whole = zip(keys, vectors, words, strict=True)
        return {key: (vector, own) for key, vector, own in whole if np.any(vector)}
