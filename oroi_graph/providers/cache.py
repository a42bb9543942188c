"""An embedder in front of another one that remembers the vectors of recent texts, in this process only."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oroi_graph.errors import ProviderError, SettingsError
from oroi_graph.providers.protocols import Embedder, Vectors, for_questions
from oroi_graph.providers.word_vectors import embedded

_Known = tuple[Vectors, str | None]  # a text's vector, and its words
ROOM = 256 * 1024**2  # bytes: texts may be 200,000 characters long
_EACH = 400  # bytes of the objects that hold a text, its vector and its words


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheUsage:
    """Texts asked for so far: found in the cache (or twice in one call), and embedded."""

    hits: int = 0
    misses: int = 0


class CachedEmbedder:
    """The same model and vectors as `embedder`; the texts used last are not embedded again.

    size: texts, at least 1; room: bytes that they take with their vectors and words, about; 50,000 short ones of 384
    dimensions take 100 MB, and their words some 60 bytes each (130 if they are read twice). If its model reads
    questions in another way, they have a cache of the same size to themselves. Safe to share among threads, which embed
    side by side: two that miss the same text at once both embed it.
    """

    def __init__(self, embedder: Embedder, size: int = 50_000, room: int = ROOM) -> None:
        if size < 1:
            raise SettingsError(f"an embedding cache must hold at least 1 text, got {size}")
        self._embedder = embedder
        self._size, self._room = size, room
        self._vectors: OrderedDict[str, _Known] = OrderedDict()
        self._bytes = 0  # of all that are remembered
        self.model, self.dimensions = embedder.model, embedder.dimensions
        self.provider = str(getattr(embedder, "provider", "local"))
        self.endpoint = str(getattr(embedder, "endpoint", ""))
        self._usage = CacheUsage()
        self._lock = threading.Lock()
        asking = for_questions(embedder)
        self.questions: CachedEmbedder = self if asking is embedder else CachedEmbedder(asking, size, room)

    @property
    def embedder(self) -> Embedder:
        """The one behind."""
        return self._embedder

    @property
    def usage(self) -> CacheUsage:
        """Of questions, too."""
        own = self._usage
        if self.questions is self:
            return own
        asked = self.questions.usage
        return CacheUsage(hits=own.hits + asked.hits, misses=own.misses + asked.misses)

    def __repr__(self) -> str:
        return f"CachedEmbedder({self._embedder!r}, size={self._size})"

    def __len__(self) -> int:
        """Texts remembered."""
        return len(self._vectors)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n,) texts → (n, dimensions) float32 unit vectors, in order.

        What is missing goes in one call, each text once. Raises what the embedder behind raises; nothing
        of a failed call is remembered.
        """
        return self.embed_words(texts)[0]

    def embed_words(self, texts: Sequence[str]) -> tuple[Vectors, list[str | None]]:
        """The same, and the words of each text for late interaction: None where the embedder behind knows none."""
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known.update(self._embedded(missing))
        self._remember(known, missing, len(texts))
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = known[text][0]
        return vectors, [known[text][1] for text in texts]

    def clear(self) -> None:
        """Remember no text any more: something was forgotten, and any text may speak of it."""
        with self._lock:
            self._vectors.clear()
            self._bytes = 0
        if self.questions is not self:
            self.questions.clear()

    def _embedded(self, texts: list[str]) -> dict[str, _Known]:
        vectors, words = embedded(self._embedder, texts)
        if vectors.shape != (len(texts), self.dimensions):
            raise ProviderError(
                f"{self.model!r} gave {vectors.shape} for {len(texts)} texts of {self.dimensions} dimensions"
            )
        # Copies: a row alone would keep its whole batch in memory.
        return {text: (vector.copy(), own) for text, vector, own in zip(texts, vectors, words, strict=True)}

    def _remember(self, used: dict[str, _Known], missing: list[str], asked: int) -> None:
        with self._lock:
            for text, known in used.items():
                if text not in self._vectors:
                    self._bytes += _bytes(text, known)
                self._vectors[text] = known
                self._vectors.move_to_end(text)
            while len(self._vectors) > self._size or self._bytes > self._room:
                self._bytes -= _bytes(*self._vectors.popitem(last=False))
            self._usage = CacheUsage(
                hits=self._usage.hits + asked - len(missing), misses=self._usage.misses + len(missing)
            )


def _bytes(text: str, known: _Known) -> int:
    """What is remembered of one text takes so many bytes, about."""
    return _EACH + len(text) + known[0].nbytes + len(known[1] or "")
