"""Vectors of single words, packed: of each only the signs are kept, one bit a dimension (Charikar 2002).

A model may read words twice: once for what is near (late interaction), once for what answers (`ranking.attention`). The
signs of the second reading then follow those of the first, word by word, and a number tells which fit of the reading
they are of: what two fits read cannot be compared.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.providers.protocols import Embedder, Vectors

MOST = 128  # words kept of one text

_WIDTH = 2  # bytes that say how many bytes a word takes
_READ = 1 << 15  # added to that number where as many bytes that name the fit of a second reading follow


# (n,) texts → what `embed` gives, and for each text its words as `pack` packs them (None if it cannot).
EmbedWords = Callable[[Sequence[str]], tuple[Vectors, list[str | None]]]


def embedded(embedder: Embedder, texts: Sequence[str]) -> tuple[Vectors, list[str | None]]:
    """The vectors of some texts and their packed words, in one pass; no words where the embedder knows none."""
    embed_words: EmbedWords | None = getattr(embedder, "embed_words", None)  # every recall asks: `isinstance` is slow
    return (embedder.embed(texts), [None] * len(texts)) if embed_words is None else embed_words(texts)


def pack(words: NDArray[np.floating], reading: NDArray[np.floating] | None = None, fit: int = 0) -> str:
    """(words, d) vectors, and of the same shape those of a second reading → the signs of the first MOST (base64).

    fit: of the second reading, 0..65535.
    """
    readings = [words] if reading is None else [words, reading]
    bits = np.concatenate([np.packbits(one[:MOST] > 0, axis=1) for one in readings], axis=1)
    numbers = [bits.shape[1]] if reading is None else [bits.shape[1] | _READ, fit]
    head = b"".join(number.to_bytes(_WIDTH, "big") for number in numbers)
    return base64.b64encode(head + bits.tobytes()).decode()


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

    Raises ValueError where there is none (`fit_of`).
    """
    size = bytes_of(dimensions)
    return _cut(packed, slice(size, 2 * size), size)


def fit_of(packed: str) -> int | None:
    """The fit of the second reading of a text's words, None where there is none."""
    return _unpacked(packed).fit


def _cut(packed: Sequence[str], part: slice, size: int) -> tuple[NDArray[np.uint8], list[int]]:
    """Some bytes of each word of all texts, (words, size), and how many words each text has."""
    whole = [_unpacked(text) for text in packed]
    widths = {one.width for one in whole}
    counts = [len(one.words) // one.width for one in whole]
    if len(widths) == 1:
        rows = np.frombuffer(b"".join(one.words for one in whole), dtype=np.uint8).reshape(-1, whole[0].width)[:, part]
    else:
        rows = np.concatenate([np.frombuffer(one.words, np.uint8).reshape(-1, one.width)[:, part] for one in whole])
    if rows.shape[1] != size:
        raise ValueError(f"words take {sorted(widths)} bytes, not {size} or {2 * size}")
    return rows, counts


class _Unpacked(NamedTuple):
    """words: the bytes of all words, `width` each. fit: of their second reading, None where there is none."""

    width: int
    fit: int | None
    words: bytes

    @classmethod
    def of(cls, whole: bytes) -> _Unpacked:
        width, fit = (int.from_bytes(whole[at : at + _WIDTH], "big") for at in (0, _WIDTH))
        if width & _READ:
            return cls(width ^ _READ, fit, whole[2 * _WIDTH :])
        return cls(width, None, whole[_WIDTH:])


@lru_cache(maxsize=8192)  # many questions reach the same records; about two kilobytes each
def _unpacked(packed: str) -> _Unpacked:
    return _Unpacked.of(binascii.a2b_base64(packed))


def packed_width(packed: str) -> int | None:
    """How many bytes each word takes in what `pack` packed; None where it is no such text."""
    try:
        whole = _Unpacked.of(base64.b64decode(packed, validate=True))
    except ValueError:
        return None
    return whole.width if whole.width and len(whole.words) % whole.width == 0 else None
