"""all-MiniLM-L6-v2 without torch: an ONNX graph built once from the model's weights, run by onnxruntime.

A text's vector never depends on the texts embedded beside it, to the last bit: only texts of equal length
share a batch, so nothing is padded. A repeated write therefore stores the same numbers, whatever an
in-process cache held the first time.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]
from numpy.typing import NDArray
from tokenizers import Tokenizer

from oroi_graph import files
from oroi_graph.errors import AssetError, SettingsError
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.word_vectors import pack

MODEL = "all-MiniLM-L6-v2"
DIMENSIONS = 384
MAX_TOKENS = 256  # the model's max_seq_length, [CLS] and [SEP] included; what follows is not read
GRAPH_FILE = "oroi-graph-1.onnx"  # the number changes with `minilm_graph`: an older file is not reused

_WEIGHTS = "model.safetensors"
_TOKENIZER = "tokenizer.json"
_CONFIG = "config.json"
_SHAPE = {"hidden_size": DIMENSIONS, "num_hidden_layers": 6, "num_attention_heads": 12, "vocab_size": 30522}
_BATCH_TOKENS = 2048  # of one run: larger ones gain nothing and hold more memory
_LOG = logging.getLogger(__name__)


class MiniLM:
    """An embedder that runs all-MiniLM-L6-v2 from a folder holding its files; safe to share among threads.

    `threads`: of one call, at least 1 (None: the cores of the machine, at most 4). Cheap to construct: the
    first `embed` loads the model, and on a folder's first use builds the graph and keeps it there (87 MB;
    where the folder cannot be written, in memory only). Raises AssetError when the folder lacks a file or
    holds another model.
    """

    provider = "local"
    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise SettingsError(f"threads must be at least 1, got {threads}")
        self._folder = Path(folder)
        self._threads = threads or min(4, os.cpu_count() or 1)
        self._loading = threading.Lock()
        self._loaded: tuple[Tokenizer, ort.InferenceSession] | None = None
        _check(self._folder)

    def __repr__(self) -> str:
        return f"MiniLM({str(self._folder)!r}, threads={self._threads})"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n,) texts → (n, 384) float32 unit vectors; of a longer text the first 256 tokens count.

        A blank text has a vector like any other. Raises AssetError when the model's files cannot be read.
        """
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for rows, states in self._states(texts):
            vectors[rows] = _pooled(states)
        return vectors

    def embed_words(self, texts: Sequence[str]) -> tuple[Vectors, list[str | None]]:
        """What `embed` gives, and the last states of each text's words, packed for late interaction; in one pass."""
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        words: list[str | None] = [None] * len(texts)
        for rows, states in self._states(texts):
            vectors[rows] = _pooled(states)
            inner = states[:, 1:-1] if states.shape[1] > 2 else states  # without the marks at both ends
            for row, state in zip(rows, inner, strict=True):
                words[row] = pack(state)
        return vectors, words

    def _states(self, texts: Sequence[str]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """The rows of texts of equal length, and their (rows, length, 384) last states."""
        if not texts:
            return
        tokenizer, session = self._load()
        # Without lone surrogates, which the tokenizer cannot take.
        valid = (text.encode("utf-8", "replace").decode() for text in texts)
        tokens = [tokenizer.encode(text).ids for text in valid]
        for rows in _batches([len(ids) for ids in tokens]):
            batch = np.array([tokens[row] for row in rows], dtype=np.int64)
            yield rows, session.run(["states"], {"tokens": batch})[0]

    def _load(self) -> tuple[Tokenizer, ort.InferenceSession]:
        if self._loaded is None:
            with self._loading:
                if self._loaded is None:
                    self._loaded = _tokenizer(self._folder), _session(self._folder, self._threads)
        return self._loaded


def _pooled(states: NDArray[np.float32]) -> NDArray[np.float64]:
    """(n, length, 384) → (n, 384): means over the tokens, scaled to length 1.

    Not in the graph, where the order of these two sums depends on n.
    """
    means = states.mean(axis=1, dtype=np.float64)
    unit: NDArray[np.float64] = means / np.linalg.norm(means, axis=1, keepdims=True)
    return unit


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The rows of texts of equal length, in runs of at most `_BATCH_TOKENS` tokens."""
    groups: dict[int, list[int]] = {}
    for row, length in enumerate(lengths):
        groups.setdefault(length, []).append(row)
    for length, rows in groups.items():
        size = max(1, _BATCH_TOKENS // length)
        for start in range(0, len(rows), size):
            yield rows[start : start + size]


def _check(folder: Path) -> None:
    """Raise AssetError unless `folder` holds the files of this model."""
    for name in (_CONFIG, _TOKENIZER, _WEIGHTS):
        if not (folder / name).is_file():
            raise AssetError(f"{folder} has no {name}: run `oroi setup`, or name a folder that holds {MODEL}")
    try:
        config = json.loads((folder / _CONFIG).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise AssetError(f"cannot read {folder / _CONFIG} ({error}): run `oroi setup`") from error
    for key, expected in _SHAPE.items():
        found = config.get(key) if isinstance(config, Mapping) else None
        if found != expected:
            raise AssetError(f"{folder} is not {MODEL}: its {key} is {found}, not {expected}")


def _tokenizer(folder: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
    except Exception as error:  # the library raises nothing narrower
        raise AssetError(f"cannot read {folder / _TOKENIZER} ({error}): run `oroi setup`") from error
    tokenizer.no_padding()  # the file pads everything to 128
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _session(folder: Path, threads: int) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # The database usually shares the cores: waiting threads must not spin.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    path = folder / GRAPH_FILE
    if path.is_file() and path.stat().st_mtime >= (folder / _WEIGHTS).stat().st_mtime:
        try:
            return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # a damaged file: onnxruntime's errors share no narrower class
            _LOG.warning("%s is damaged (%s): building it again", path, type(error).__name__)
    graph = _built(folder)
    try:
        files.replace(path, graph)  # atomic: two processes that build at once both end with a whole file
    except OSError as error:
        _LOG.warning("cannot keep %s (%s): it is built again by each process", path, error.strerror)
    return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _built(folder: Path) -> bytes:
    """The graph that the weights of a folder give. Raises AssetError."""
    from oroi_graph.providers.minilm_graph import built  # a heavy import, for the first use of a folder only

    return built(folder / _WEIGHTS, MODEL, MAX_TOKENS)


def graph_is_faithful(folder: Path) -> bool:
    """Whether the graph that is kept in `folder` is exactly the one that its weights give; True where none is kept."""
    path = folder / GRAPH_FILE
    return not path.is_file() or path.read_bytes() == _built(folder)


def renew_graph(folder: Path) -> None:
    """Delete the graph that is kept in `folder` if it is not the one that its weights give: it is built again."""
    if not graph_is_faithful(folder):
        (folder / GRAPH_FILE).unlink()
