"""The vectors of notes: found among texts that are known, else embedded.

What notes held and hold no more is kept, the least recently used out first, so that a text that comes back, in whatever
file, is not embedded again, in this process or another.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import ProviderError
from oroi_graph.providers.protocols import Embedder
from oroi_graph.providers.remote.jobs import LEAST, BulkEmbedder
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.storage.store import Store

BATCH = 512  # notes written in one transaction
TEXTS = 64  # texts embedded at a time
BULK = 20_000  # notes that are collected before they are written, where many are embedded by jobs

Known = tuple[NDArray[np.float32], str | None]  # a vector and its packed words


@dataclass
class VectorSource:
    """Vectors for the notes of one run. cache: texts kept beside notes, 0 for none. stop: ends waiting for jobs.

    failure: why one got none; remark: why jobs did not do what they should, so that texts were embedded directly.
    """

    store: Store
    memory: str
    embedder: Embedder
    cache: int
    stop: threading.Event | None = None
    failure: str | None = None
    remark: str | None = None
    pending: bool = field(default=False, init=False)
    hits: int = field(default=0, init=False)
    made: int = field(default=0, init=False)

    def of(self, texts: Mapping[str, str]) -> dict[str, Known]:
        """{text key: vector and words} of some {text key: text}; those that could not be embedded are left out.

        Once the embedder has failed it is asked no more in this run.
        """
        keys = list(texts)
        found = self._known(keys) if self.cache and keys else {}
        self.hits += len(found)
        found |= self._by_jobs({key: texts[key] for key in keys if key not in found})
        missing = [key for key in keys if key not in found]
        for start in range(0, len(missing), TEXTS):
            if self.failure is not None:
                break
            some = missing[start : start + TEXTS]
            try:
                found |= self._embedded(some, [texts[key] for key in some])
            except ProviderError as error:
                self.failure = str(error)
        return found

    @property
    def at_once(self) -> int:
        """Notes for which vectors are asked together."""
        return BULK if isinstance(self.embedder, BulkEmbedder) else BATCH

    def _by_jobs(self, texts: Mapping[str, str]) -> dict[str, Known]:
        """The vectors of many texts from an embedder that has another way for them; the rest is embedded directly."""
        if self.failure is not None or len(texts) < LEAST or not isinstance(self.embedder, BulkEmbedder):
            return {}
        bulk = self.embedder.embed_bulk(texts, self.stop)
        self.failure, self.pending = bulk.failure if bulk.pending else None, bulk.pending
        self.remark = self.remark if bulk.pending else bulk.failure or self.remark
        self.made += len(bulk.found)
        return {key: (vector, None) for key, vector in bulk.found.items()}

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
