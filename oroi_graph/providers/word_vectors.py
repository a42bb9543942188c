"""Vectors of single words, packed: of each only the signs are kept, one bit a dimension (Charikar 2002)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from oroi_graph.providers.protocols import Embedder, Vectors

MOST = 128  # words kept of one text

_HEAD = 2  # bytes that say how many bytes a word takes


@runtime_checkable
class WordEmbedder(Protocol):
    """An embedder that can also tell the words of a text apart."""

    def embed_words(self, texts: Sequence[str]) -> tuple[Vectors, list[str | None]]:
        """(n,) texts → what `embed` gives, and for each text its words as `pack` packs them (None if it cannot)."""
        ...


def embedded(embedder: Embedder, texts: Sequence[str]) -> tuple[Vectors, list[str | None]]:
    """The vectors of some texts and their packed words, in one pass; no words where the embedder knows none."""
    if isinstance(embedder, WordEmbedder):
        return embedder.embed_words(texts)
    return embedder.embed(texts), [None] * len(texts)


def pack(words: NDArray[np.floating]) -> str:
    """(words, d) vectors → the signs of the first MOST as text (base64)."""
    bits = np.packbits(words[:MOST] > 0, axis=1)
    return base64.b64encode(bits.shape[1].to_bytes(_HEAD, "big") + bits.tobytes()).decode()


def bits(packed: Sequence[str]) -> tuple[NDArray[np.uint64], list[int]]:
    """What `pack` packed: all words of all texts, (words, d / 64), one bit a dimension, and how many each text has.

    Raises ValueError where texts have words of different dimensions.
    """
    whole = [_unpacked(text) for text in packed]
    (width,) = {int.from_bytes(text[:_HEAD], "big") for text in whole}
    padded = -width % 8
    rows = np.frombuffer(b"".join(text[_HEAD:] for text in whole), dtype=np.uint8).reshape(-1, width)
    if padded:
        rows = np.pad(rows, ((0, 0), (0, padded)))
    return np.ascontiguousarray(rows).view(np.uint64), [(len(text) - _HEAD) // width for text in whole]


@lru_cache(maxsize=8192)  # many questions reach the same records; about a kilobyte each
def _unpacked(packed: str) -> bytes:
    return binascii.a2b_base64(packed)


def packed_width(packed: str) -> int | None:
    """How many bytes each word takes in what `pack` packed; None where it is no such text."""
    try:
        whole = base64.b64decode(packed, validate=True)
    except ValueError:
        return None
    width = int.from_bytes(whole[:_HEAD], "big")
    return width if width and (len(whole) - _HEAD) % width == 0 else None
