"""Vectors of single words, packed: of each only the signs are kept, one bit a dimension (Charikar 2002).

A model may read words twice: once for what is near (late interaction), once for what answers (`ranking.attention`). The
signs of the second reading then follow those of the first, word by word.
"""

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


def pack(words: NDArray[np.floating], reading: NDArray[np.floating] | None = None) -> str:
    """(words, d) vectors, and of the same shape those of a second reading → the signs of the first MOST (base64)."""
    readings = [words] if reading is None else [words, reading]
    bits = np.concatenate([np.packbits(one[:MOST] > 0, axis=1) for one in readings], axis=1)
    return base64.b64encode(bits.shape[1].to_bytes(_HEAD, "big") + bits.tobytes()).decode()


def bytes_of(dimensions: int) -> int:
    """How many bytes the signs of one reading of a word take."""
    return -(-dimensions // 8)


def bits(packed: Sequence[str], dimensions: int) -> tuple[NDArray[np.uint64], list[int]]:
    """The first reading of all words of all texts, (words, d / 64), one bit a dimension, and how many each text has.

    dimensions: d, of which the last of the 64 bits are 0 where 64 does not divide it. Raises ValueError where words are
    no vectors of d dimensions.
    """
    size = bytes_of(dimensions)
    rows, counts = _cut(packed, slice(0, size), size)
    padded = -size % 8
    if padded:
        rows = np.pad(rows, ((0, 0), (0, padded)))
    return np.ascontiguousarray(rows).view(np.uint64), counts


def read_bits(packed: Sequence[str], dimensions: int) -> tuple[NDArray[np.uint8], list[int]]:
    """The second reading of all words of all texts, (words, d / 8), eight dimensions a byte, and how many each has.

    Raises ValueError where there is none (`is_read`).
    """
    size = bytes_of(dimensions)
    return _cut(packed, slice(size, 2 * size), size)


def is_read(packed: str, dimensions: int) -> bool:
    """Whether there is a second reading of a text's words."""
    return _width(_unpacked(packed)) == 2 * bytes_of(dimensions)


def _cut(packed: Sequence[str], part: slice, size: int) -> tuple[NDArray[np.uint8], list[int]]:
    """Some bytes of each word of all texts, (words, size), and how many words each text has."""
    whole = [_unpacked(text) for text in packed]
    widths = [_width(text) for text in whole]
    counts = [(len(text) - _HEAD) // width for text, width in zip(whole, widths, strict=True)]
    if len(set(widths)) == 1:
        rows = np.frombuffer(b"".join(text[_HEAD:] for text in whole), dtype=np.uint8).reshape(-1, widths[0])[:, part]
    else:
        each = zip(whole, widths, strict=True)
        rows = np.concatenate([np.frombuffer(t, np.uint8, offset=_HEAD).reshape(-1, w)[:, part] for t, w in each])
    if rows.shape[1] != size:
        raise ValueError(f"words take {sorted(set(widths))} bytes, not {size} or {2 * size}")
    return rows, counts


def _width(unpacked: bytes) -> int:
    return int.from_bytes(unpacked[:_HEAD], "big")


@lru_cache(maxsize=8192)  # many questions reach the same records; about two kilobytes each
def _unpacked(packed: str) -> bytes:
    return binascii.a2b_base64(packed)


def packed_width(packed: str) -> int | None:
    """How many bytes each word takes in what `pack` packed; None where it is no such text."""
    try:
        whole = base64.b64decode(packed, validate=True)
    except ValueError:
        return None
    width = _width(whole)
    return width if width and (len(whole) - _HEAD) % width == 0 else None
