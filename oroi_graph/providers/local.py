"""Local embedding models of the BERT family, run by onnxruntime: from texts to unit vectors.

The vectors of some models all lie near one direction: two unrelated sentences have a cosine of 0.65 or 0.85. What they
have in common is taken off (Mu and Viswanath 2018), so that a cosine means about the same whatever model made it:
thresholds hold for all of them. `centres.json` holds the means, which `benchmarks/embedder_centres.py` writes.

A text's vector never depends on the texts embedded beside it, to the last bit: only texts of equal length
share a batch, so nothing is padded. A repeated write therefore stores the same numbers, whatever an
in-process cache held the first time.
"""

from __future__ import annotations

import base64
import json
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]
from numpy.typing import NDArray
from tokenizers import Tokenizer

from oroi_graph.errors import AssetError, SettingsError
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.word_vectors import pack

DIMENSIONS = 384  # of all of them
_BATCH_TOKENS = 2048  # of one run: larger ones gain nothing and hold more memory
COMMON = 0.9  # share of the means that is taken off: chosen on development conversations (decision 1680)


@dataclass(frozen=True, slots=True, eq=False)
class Centre:
    """What the vectors of a model have in common: the mean unit vector of texts, and the mean state of their tokens."""

    text: NDArray[np.float64]
    words: NDArray[np.float64]

    def to_json(self) -> dict[str, str]:
        """Both as float16, in base64."""
        return {
            name: base64.b64encode(value.astype("<f2").tobytes()).decode()
            for name, value in (("text", self.text), ("words", self.words))
        }


@cache
def shipped_centre(model: str) -> Centre | None:
    """That of a model whose vectors need one."""
    found = json.loads((files(__package__) / "centres.json").read_text("utf-8")).get(model)
    if found is None:
        return None
    text, words = (np.frombuffer(base64.b64decode(found[name]), "<f2").astype(np.float64) for name in ("text", "words"))
    return Centre(text, words)


class States(NamedTuple):
    """(n, length, dimensions) of n texts of equal length. fork: of the layer from which a second reading goes on."""

    last: NDArray[np.float32]
    fork: NDArray[np.float32] | None = None


class LocalModel(ABC):
    """An embedder that runs a model from a folder of its files; safe to share among threads.

    `threads`: of one call, at least 1 (None: the cores of the machine, at most 4). The first `embed` loads the model.
    A subclass says how it is opened and run and, if not by their mean, how a text's states become its vector.
    """

    provider = "local"
    model: str
    dimensions = DIMENSIONS
    lead = ""  # what the model wants to read before a text

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise SettingsError(f"threads must be at least 1, got {threads}")
        self.folder = Path(folder)
        self._threads = threads or min(4, os.cpu_count() or 1)
        self._centre = shipped_centre(self.model)
        self._loading = threading.Lock()
        self._loaded: tuple[Tokenizer, ort.InferenceSession] | None = None

    def load_beside(self) -> None:
        """Begin to load the model in a thread, for whoever embeds soon and has something else to do until then.

        What goes wrong is raised by the first `embed`, which loads again. A process that ends meanwhile waits for it:
        to end in the middle of it would abort the process.
        """
        threading.Thread(target=self._load_quietly, name="load-model").start()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.folder)!r}, threads={self._threads})"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n,) texts → (n, dimensions) float32 unit vectors; of a long text the first tokens count.

        A blank text has a vector like any other. Raises AssetError when the model's files cannot be read.
        """
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for rows, states in self.states(texts):
            vectors[rows] = self._vectors(states.last)
        return vectors

    def embed_words(self, texts: Sequence[str]) -> tuple[Vectors, list[str | None]]:
        """What `embed` gives, and the last states of each text's words, packed for late interaction; in one pass."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        words: list[str | None] = [None] * len(texts)
        for rows, states in self.states(texts):
            vectors[rows] = self._vectors(states.last)
            read = self._reading(states)
            near = self._words(states.last)
            again = [None] * len(rows) if read is None else self._words(read)
            for row, state, reading in zip(rows, near, again, strict=True):
                words[row] = pack(state, reading, self.fit)
        return vectors, words

    @property
    def fit(self) -> int:
        """The number of the fit of its second reading (`word_vectors.pack`), of which there may be none."""
        return 0

    @abstractmethod
    def _open(self) -> tuple[Tokenizer, ort.InferenceSession]:
        """Load the model. Raises AssetError."""

    @abstractmethod
    def _run(self, session: ort.InferenceSession, tokens: NDArray[np.int64]) -> States:
        """(n, length) tokens → their states."""

    def _reading(self, states: States) -> NDArray[np.float32] | None:
        """(n, length, dimensions) states of a second reading, of a model that has one."""
        return None

    def _words(self, states: NDArray[np.float32]) -> NDArray[np.floating]:
        """The states of the words alone, without both marks and the lead, and without what all have in common."""
        inner: NDArray[np.floating] = states[:, self.first_word : -1]
        if not inner.shape[1]:
            inner = states
        return inner if self._centre is None else inner - COMMON * self._centre.words

    def _pooled(self, states: NDArray[np.float32]) -> NDArray[np.float64]:
        """(n, length, dimensions) states → (n, dimensions), of any length but 0: by default means over the tokens.

        Not in a model's graph, where the order of the sums depends on the batch.
        """
        means: NDArray[np.float64] = states.mean(axis=1, dtype=np.float64)
        return means

    def centre_of(self, texts: Sequence[str]) -> Centre:
        """What the vectors of these texts have in common, before anything is taken off."""
        text, words, count = np.zeros(self.dimensions), np.zeros(self.dimensions), 0
        for _, states in self.states(texts):
            inner = states.last[:, self.first_word : -1].reshape(-1, self.dimensions)
            text += _unit(self._pooled(states.last)).sum(axis=0)
            words += inner.sum(axis=0, dtype=np.float64)
            count += len(inner)
        return Centre(text / len(texts), words / count)

    def _vectors(self, states: NDArray[np.float32]) -> NDArray[np.float64]:
        unit = _unit(self._pooled(states))
        return unit if self._centre is None else _unit(unit - COMMON * self._centre.text)

    def states(self, texts: Sequence[str]) -> Iterator[tuple[list[int], States]]:
        """The rows of texts of equal length, and their states."""
        if not texts:
            return
        tokenizer, session = self._load()
        # Without lone surrogates, which the tokenizer cannot take.
        valid = (self.lead + text.encode("utf-8", "replace").decode() for text in texts)
        tokens = [tokenizer.encode(text).ids for text in valid]
        for rows in _batches([len(ids) for ids in tokens]):
            yield rows, self._run(session, np.array([tokens[row] for row in rows], dtype=np.int64))

    @property
    def first_word(self) -> int:
        """The place of the first token of a text, behind a mark and the lead."""
        return len(self._load()[0].encode(self.lead.rstrip()).ids) - 1

    def _load_quietly(self) -> None:
        with suppress(Exception):
            self._load()

    def _load(self) -> tuple[Tokenizer, ort.InferenceSession]:
        if self._loaded is None:
            with self._loading:
                if self._loaded is None:
                    self._loaded = self._open()
        return self._loaded


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled: NDArray[np.float64] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled


def read_tokenizer(path: Path, most: int) -> Tokenizer:
    """The tokenizer of a file, without padding. most: tokens of a text, marks at both ends included."""
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise AssetError(f"cannot read {path} ({error}): run `oroi setup`") from error
    tokenizer.no_padding()  # the file may pad everything to a length of its own
    tokenizer.enable_truncation(most)
    return tokenizer


def session_options(threads: int) -> ort.SessionOptions:
    """How onnxruntime runs a model. threads: of one call."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # The database usually shares the cores: waiting threads must not spin.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return options


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The rows of texts of equal length, in runs of at most `_BATCH_TOKENS` tokens."""
    groups: dict[int, list[int]] = {}
    for row, length in enumerate(lengths):
        groups.setdefault(length, []).append(row)
    for length, rows in groups.items():
        size = max(1, _BATCH_TOKENS // length)
        for start in range(0, len(rows), size):
            yield rows[start : start + size]
