"""all-MiniLM-L6-v2 without torch: an ONNX graph built once from the model's weights, run by onnxruntime.

How texts become tokens and states become vectors is in `local`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort  # type: ignore[import-untyped]
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from oroi_graph import files
from oroi_graph.errors import AssetError
from oroi_graph.providers.local import DIMENSIONS, LocalModel, read_tokenizer, session_options

MODEL = "all-MiniLM-L6-v2"
MAX_TOKENS = 256  # the model's max_seq_length, [CLS] and [SEP] included; what follows is not read
GRAPH_FILE = "oroi-graph-1.onnx"  # the number changes with the graph below: an older file is not reused

_WEIGHTS = "model.safetensors"
_TOKENIZER = "tokenizer.json"
_CONFIG = "config.json"
_SHAPE = {"hidden_size": DIMENSIONS, "num_hidden_layers": 6, "num_attention_heads": 12, "vocab_size": 30522}
_HEADS = 12
_LAYERS = 6
_EPSILON = 1e-12
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

    def _run(self, session: ort.InferenceSession, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        states: NDArray[np.float32] = session.run(["states"], {"tokens": tokens})[0]
        return states

    def _pooled(self, states: NDArray[np.float32]) -> NDArray[np.float64]:
        """Means over the tokens. Not in the graph, where the order of the sums depends on the batch."""
        means: NDArray[np.float64] = states.mean(axis=1, dtype=np.float64)
        return means


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
    graph = _build(folder / _WEIGHTS).SerializeToString()
    try:
        files.replace(path, graph)  # atomic: two processes that build at once both end with a whole file
    except OSError as error:
        _LOG.warning("cannot keep %s (%s): it is built again by each process", path, error.strerror)
    return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def graph_is_faithful(folder: Path) -> bool:
    """Whether the graph that is kept in `folder` is exactly the one that its weights give; True where none is kept."""
    path = folder / GRAPH_FILE
    return not path.is_file() or path.read_bytes() == _build(folder / _WEIGHTS).SerializeToString()


def renew_graph(folder: Path) -> None:
    """Delete the graph that is kept in `folder` if it is not the one that its weights give: it is built again."""
    if not graph_is_faithful(folder):
        (folder / GRAPH_FILE).unlink()


def _build(weights: Path) -> onnx.ModelProto:
    """The graph: (batch, length) int64 `tokens` → (batch, length, 384) float32 `states` of the last layer."""
    try:
        tensors = load_file(weights)
    except (OSError, SafetensorError) as error:
        raise AssetError(f"cannot read {weights} ({error}): remove it and run `oroi setup`") from error
    try:
        return _Graph(tensors).build()
    except KeyError as error:
        raise AssetError(f"{weights} is not {MODEL}: it has no tensor {error}") from error


class _Graph:
    """Nodes and constants of the graph, added one by one; each method returns the name of its output."""

    def __init__(self, tensors: Mapping[str, NDArray[Any]]) -> None:
        self._tensors = tensors
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def build(self) -> onnx.ModelProto:
        state = self._embeddings()
        for layer in range(_LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}.")
        self._nodes.append(helper.make_node("Identity", [state], ["states"]))
        graph = helper.make_graph(
            self._nodes,
            MODEL,
            [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["batch", "length"])],
            [helper.make_tensor_value_info("states", TensorProto.FLOAT, ["batch", "length", DIMENSIONS])],
            list(self._constants.values()),
        )
        opset = helper.make_opsetid("", 20)
        return helper.make_model(graph, opset_imports=[opset], ir_version=9, producer_name="oroi-graph")

    def _embeddings(self) -> str:
        words = self._add("Gather", self._weight("embeddings.word_embeddings.weight"), "tokens")
        # Every text is of type 0, so its row joins the positions' once and for all.
        positions = (
            self._tensors["embeddings.position_embeddings.weight"][:MAX_TOKENS]
            + self._tensors["embeddings.token_type_embeddings.weight"][0]
        )
        length = self._add("Shape", "tokens", start=1)  # one dimension, as Slice wants it
        here = self._add(
            "Slice",
            self._constant("positions", positions),
            self._constant("first", [0]),
            length,
            self._constant("axis", [0]),
        )
        return self._normalise(self._add("Add", words, here), "embeddings.LayerNorm")

    def _layer(self, state: str, at: str) -> str:
        attended = self._attention(state, at + "attention.self.")
        attended = self._linear(attended, at + "attention.output.dense")
        state = self._normalise(self._add("Add", attended, state), at + "attention.output.LayerNorm")
        wide = self._add("Gelu", self._linear(state, at + "intermediate.dense"))
        narrow = self._linear(wide, at + "output.dense")
        return self._normalise(self._add("Add", narrow, state), at + "output.LayerNorm")

    def _attention(self, state: str, at: str) -> str:
        query = self._heads(self._linear(state, at + "query"), (0, 2, 1, 3))
        key = self._heads(self._linear(state, at + "key"), (0, 2, 3, 1))
        value = self._heads(self._linear(state, at + "value"), (0, 2, 1, 3))
        scale = self._constant("scale", np.float32((DIMENSIONS / _HEADS) ** -0.5))
        scores = self._add("Mul", self._add("MatMul", query, key), scale)
        mixed = self._add("MatMul", self._add("Softmax", scores, axis=-1), value)
        joined = self._add("Transpose", mixed, perm=(0, 2, 1, 3))
        return self._add("Reshape", joined, self._constant("joined", [0, 0, DIMENSIONS]))

    def _heads(self, state: str, order: tuple[int, ...]) -> str:
        apart = self._add("Reshape", state, self._constant("apart", [0, 0, _HEADS, DIMENSIONS // _HEADS]))
        return self._add("Transpose", apart, perm=order)

    def _linear(self, state: str, at: str) -> str:
        weight = self._constant(at + ".weight", self._tensors[at + ".weight"].T)
        return self._add("Add", self._add("MatMul", state, weight), self._weight(at + ".bias"))

    def _normalise(self, state: str, at: str) -> str:
        gain, shift = self._weight(at + ".weight"), self._weight(at + ".bias")
        return self._add("LayerNormalization", state, gain, shift, axis=-1, epsilon=_EPSILON)

    def _weight(self, name: str) -> str:
        return self._constant(name, self._tensors[name])

    def _constant(self, name: str, value: Any) -> str:
        if name not in self._constants:
            array = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
            self._constants[name] = numpy_helper.from_array(array, name)
        return name

    def _add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output
