"""all-MiniLM-L6-v2 without torch: an ONNX graph built once from the model's weights, run by onnxruntime.

How texts become tokens and states become vectors is in `local`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]
from numpy.typing import NDArray
from tokenizers import Tokenizer

from oroi_graph import files
from oroi_graph.errors import AssetError
from oroi_graph.providers.local import DIMENSIONS, LocalModel, States, read_tokenizer, session_options

MODEL = "all-MiniLM-L6-v2"
MAX_TOKENS = 256  # the model's max_seq_length, [CLS] and [SEP] included; what follows is not read
GRAPH_FILE = "oroi-graph-1.onnx"  # the number changes with `graphs.encoder`: an older file is not reused

_WEIGHTS = "model.safetensors"
_TOKENIZER = "tokenizer.json"
_CONFIG = "config.json"
_SHAPE = {"hidden_size": DIMENSIONS, "num_hidden_layers": 6, "num_attention_heads": 12, "vocab_size": 30522}
_LOG = logging.getLogger(__name__)


class MiniLM(LocalModel):
    """An embedder that runs all-MiniLM-L6-v2 from a folder holding its files; safe to share among threads.

    `threads`: of one call, at least 1 (None: the cores of the machine, at most 4). Cheap to construct: the
    first `embed` loads the model, and on a folder's first use builds the graph and keeps it there (87 MB;
    where the folder cannot be written, in memory only). Of a longer text the first 256 tokens count. Raises
    AssetError when the folder lacks a file or holds another model.
    """

    model = MODEL

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        super().__init__(folder, threads)
        _check(self.folder)

    def _open(self) -> tuple[Tokenizer, ort.InferenceSession]:
        return read_tokenizer(self.folder / _TOKENIZER, MAX_TOKENS), _session(self.folder, self._threads)

    def _run(self, session: ort.InferenceSession, tokens: NDArray[np.int64]) -> States:
        return States(*session.run(["states"], {"tokens": tokens}))


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


def _session(folder: Path, threads: int) -> ort.InferenceSession:
    options = session_options(threads)
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
    from oroi_graph.providers.graphs.encoder import built  # a heavy import, for the first use of a folder only

    return built(folder / _WEIGHTS, MODEL, MAX_TOKENS)


def graph_is_faithful(folder: Path) -> bool:
    """Whether the graph that is kept in `folder` is exactly the one that its weights give; True where none is kept."""
    path = folder / GRAPH_FILE
    return not path.is_file() or path.read_bytes() == _built(folder)


def renew_graph(folder: Path) -> None:
    """Delete the graph that is kept in `folder` if it is not the one that its weights give: it is built again."""
    if not graph_is_faithful(folder):
        (folder / GRAPH_FILE).unlink()
