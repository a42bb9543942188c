"""The ONNX graphs of encoders of the BERT family, made from a model's weights; `minilm` and `e5` run them.

Weights are named as BERT's are ("encoder.layer.0.attention.self.query.weight"). Those of 4 bits stay so: the operator
MatMulNBits of onnxruntime multiplies them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import AssetError
from oroi_graph.providers.graphs import writer

_WIDTH = 384
_HEADS = 12
_MINILM_LAYERS = 6
_EPSILON = 1e-12
STATES, FORK = "states", "fork"
_RUNTIME = "com.microsoft"  # the domain of onnxruntime's own operators
# Of MatMulNBits, 4: states are multiplied as whole numbers of 8 bits, a scale for each 32 of a row: 1.3 times as fast
# as in float32, which is 1 (decision 1968).
ACCURACY = 4

BLOCK = 32  # numbers of 4 bits that share a scale
BLOCKS = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])
_ZERO = 8


@dataclass(frozen=True, slots=True, eq=False)
class FourBits:
    """A matrix in blocks of 4 bits: (rows, columns / 32) of `BLOCKS`.

    A number is 0..15, of which 8 stands for zero; the low halves of the 16 bytes are the first 16 numbers.
    """

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
        paired: NDArray[np.uint8] = apart[..., 0::2] | np.left_shift(apart[..., 1::2], 4, dtype=np.uint8)
        return paired


def _apart(halves: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(…, 16) bytes → (…, 32) numbers 0..15."""
    return np.concatenate([halves & 0x0F, halves >> 4], axis=-1)


def built(weights: Path, name: str, longest: int) -> bytes:
    """The graph of all-MiniLM-L6-v2: (batch, length) int64 `tokens` → (batch, length, 384) float32 `states`.

    The states are those of the last layer. longest: tokens of a text. Raises AssetError for weights that cannot be read
    or are another model's.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file  # for the first use of a folder only

    try:
        tensors = load_file(weights)
    except (OSError, SafetensorError) as error:
        raise AssetError(f"cannot read {weights} ({error}): remove it and run `oroi setup`") from error
    graph = _Graph(tensors)
    given = writer.value("tokens", writer.INT64, ["batch", "length"])
    try:
        state = graph.normalised(graph.embeddings(longest))
        return graph.finished(name, given, {STATES: graph.encoded(state, range(_MINILM_LAYERS))})
    except KeyError as error:
        raise AssetError(f"{weights} is not {name}: it has no tensor {error}") from error


def built_above_embeddings(tensors: Mapping[str, NDArray[Any] | FourBits], name: str, layers: int, fork: int) -> bytes:
    """The graph without its first layer: (batch, length, 384) float32 `embedded` → `states` of the same shape.

    embedded: the rows of each token, of its position and of its text, summed. fork: layers after which states come out
    as `fork`, too, for `built_reading`. Raises KeyError if a tensor is missing.
    """
    graph = _Graph(tensors)
    given = writer.value("embedded", writer.FLOAT, ["batch", "length", _WIDTH])
    forked = graph.encoded(graph.normalised("embedded"), range(fork))
    return graph.finished(name, given, {STATES: graph.encoded(forked, range(fork, layers)), FORK: forked})


def built_reading(
    tensors: Mapping[str, NDArray[Any] | FourBits], adapters: Mapping[str, NDArray[Any]], name: str, layers: range
) -> bytes:
    """The graph of the upper layers with adapters: (batch, length, 384) float32 `fork` → `states` of the same shape.

    adapters: by the name of a matrix, with ".down" (in, rank) and ".up" (rank, out), whose product is added to it
    (LoRA, Hu et al. 2021). Raises KeyError if a tensor is missing.
    """
    graph = _Graph(tensors, adapters)
    given = writer.value(FORK, writer.FLOAT, ["batch", "length", _WIDTH])
    return graph.finished(name, given, {STATES: graph.encoded(FORK, layers)})


class _Graph:
    """Nodes and constants of the graph, added one by one; each method returns the name of its output."""

    def __init__(
        self, tensors: Mapping[str, NDArray[Any] | FourBits], adapters: Mapping[str, NDArray[Any]] | None = None
    ) -> None:
        self._tensors = tensors
        self._adapters = adapters or {}
        self._nodes: list[bytes] = []
        self._constants: dict[str, bytes] = {}
        self._domains = {"": 20}

    def finished(self, name: str, given: bytes, states: Mapping[str, str]) -> bytes:
        """The graph from its input to the states that come out, by the name they get, serialised."""
        for output, state in states.items():
            self._nodes.append(writer.node("Identity", [state], output, {}))
        graph = writer.graph(
            name,
            self._nodes,
            self._constants.values(),
            inputs=given,
            outputs=[writer.value(output, writer.FLOAT, ["batch", "length", _WIDTH]) for output in states],
        )
        return writer.model(graph, opsets=self._domains, ir_version=9, producer="oroi-graph")

    def embeddings(self, longest: int) -> str:
        """The sums of the rows of `tokens` and of their positions."""
        words = self._add("Gather", self._weight("embeddings.word_embeddings.weight"), "tokens")
        # Every text is of type 0, so its row joins the positions' once and for all.
        positions = (
            self._array("embeddings.position_embeddings.weight")[:longest]
            + self._array("embeddings.token_type_embeddings.weight")[0]
        )
        length = self._add("Shape", "tokens", start=1)  # one dimension, as Slice wants it
        here = self._add(
            "Slice",
            self._constant("positions", positions),
            self._constant("first", [0]),
            length,
            self._constant("axis", [0]),
        )
        return self._add("Add", words, here)

    def normalised(self, embedded: str) -> str:
        """What the first of the encoder's layers is given."""
        return self._normalise(embedded, "embeddings.LayerNorm")

    def encoded(self, state: str, layers: range) -> str:
        """The states after these layers."""
        for layer in layers:
            state = self._layer(state, f"encoder.layer.{layer}.")
        return state

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
        weight = self._tensors[at + ".weight"]
        if isinstance(weight, FourBits):
            product = self._of_four_bits(state, at + ".weight", weight)
        else:
            product = self._add("MatMul", state, self._constant(at + ".weight", weight.T))
        if at + ".down" in self._adapters:
            product = self._add("Add", product, self._adapted(state, at))
        return self._add("Add", product, self._weight(at + ".bias"))

    def _adapted(self, state: str, at: str) -> str:
        down, up = (self._constant(at + end, self._adapters[at + end].astype(np.float32)) for end in (".down", ".up"))
        return self._add("MatMul", self._add("MatMul", state, down), up)

    def _of_four_bits(self, state: str, name: str, weight: FourBits) -> str:
        self._domains[_RUNTIME] = 1
        rows, columns = weight.shape
        scales = weight.scales.astype(np.float32)
        given = (self._constant(name, weight.in_pairs()), self._constant(name + ".scales", scales))
        shape = {"K": columns, "N": rows, "bits": 4, "block_size": BLOCK, "accuracy_level": ACCURACY}
        return self._add("MatMulNBits", state, *given, domain=_RUNTIME, **shape)

    def _normalise(self, state: str, at: str) -> str:
        gain, shift = self._weight(at + ".weight"), self._weight(at + ".bias")
        return self._add("LayerNormalization", state, gain, shift, axis=-1, epsilon=_EPSILON)

    def _array(self, name: str) -> NDArray[Any]:
        found = self._tensors[name]
        assert not isinstance(found, FourBits)  # noqa: S101 rows of embeddings and norms are never so here
        return found

    def _weight(self, name: str) -> str:
        return self._constant(name, self._array(name))

    def _constant(self, name: str, value: Any) -> str:
        if name not in self._constants:
            array = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
            self._constants[name] = writer.tensor(name, array)
        return name

    def _add(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        output = f"{kind}_{len(self._nodes)}"
        self._nodes.append(writer.node(kind, inputs, output, attributes, domain))
        return output
