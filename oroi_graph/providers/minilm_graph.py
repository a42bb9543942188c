"""The ONNX graph of all-MiniLM-L6-v2, made from the model's weights; `minilm` runs it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from oroi_graph.errors import AssetError
from oroi_graph.providers import onnx_writer

_WIDTH = 384
_HEADS = 12
_LAYERS = 6
_EPSILON = 1e-12


def built(weights: Path, name: str, longest: int) -> bytes:
    """The graph, serialised: (batch, length) int64 `tokens` → (batch, length, 384) float32 `states` of the last layer.

    longest: tokens of a text. Raises AssetError for weights that cannot be read or are another model's.
    """
    try:
        tensors = load_file(weights)
    except (OSError, SafetensorError) as error:
        raise AssetError(f"cannot read {weights} ({error}): remove it and run `oroi setup`") from error
    try:
        return _Graph(tensors, longest).build(name)
    except KeyError as error:
        raise AssetError(f"{weights} is not {name}: it has no tensor {error}") from error


class _Graph:
    """Nodes and constants of the graph, added one by one; each method returns the name of its output."""

    def __init__(self, tensors: Mapping[str, NDArray[Any]], longest: int) -> None:
        self._tensors = tensors
        self._longest = longest
        self._nodes: list[bytes] = []
        self._constants: dict[str, bytes] = {}

    def build(self, name: str) -> bytes:
        state = self._embeddings()
        for layer in range(_LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}.")
        self._nodes.append(onnx_writer.node("Identity", [state], "states", {}))
        graph = onnx_writer.graph(
            name,
            self._nodes,
            self._constants.values(),
            inputs=onnx_writer.value("tokens", onnx_writer.INT64, ["batch", "length"]),
            outputs=onnx_writer.value("states", onnx_writer.FLOAT, ["batch", "length", _WIDTH]),
        )
        return onnx_writer.model(graph, opset=20, ir_version=9, producer="oroi-graph")

    def _embeddings(self) -> str:
        words = self._add("Gather", self._weight("embeddings.word_embeddings.weight"), "tokens")
        # Every text is of type 0, so its row joins the positions' once and for all.
        positions = (
            self._tensors["embeddings.position_embeddings.weight"][: self._longest]
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
        scale = self._constant("scale", np.float32((_WIDTH / _HEADS) ** -0.5))
        scores = self._add("Mul", self._add("MatMul", query, key), scale)
        mixed = self._add("MatMul", self._add("Softmax", scores, axis=-1), value)
        joined = self._add("Transpose", mixed, perm=(0, 2, 1, 3))
        return self._add("Reshape", joined, self._constant("joined", [0, 0, _WIDTH]))

    def _heads(self, state: str, order: tuple[int, ...]) -> str:
        apart = self._add("Reshape", state, self._constant("apart", [0, 0, _HEADS, _WIDTH // _HEADS]))
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
            self._constants[name] = onnx_writer.tensor(name, array)
        return name

    def _add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind}_{len(self._nodes)}"
        self._nodes.append(onnx_writer.node(kind, inputs, output, attributes))
        return output
