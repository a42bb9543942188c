"""The second reading of texts, to be fitted: the upper layers of multilingual-e5-small with adapters, in JAX.

Adapters are products of two small matrices that are added to each matrix of the upper layers (LoRA, Hu et al. 2021),
which themselves stay. Texts are laid out in rows of `ROW` tokens, several in a row, of which none sees another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.providers.e5 import FORK_AT, E5Small
from oroi_graph.providers.graphs.encoder import FourBits
from oroi_graph.providers.local import COMMON, shipped_centre

RANK, ROW, ROWS = 32, 128, 4  # of adapters; tokens of a row; rows come by so many, so that few shapes are compiled
MOST = 64  # tokens of a text, its lead and marks included
_HEADS, _WIDTH, _EPSILON = 12, 384, 1e-12
_MATRICES = (
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    "intermediate.dense", "output.dense",
)  # fmt: skip

Adapters = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Texts in rows. forks: (rows, ROW, d) their states where the readings part; texts: (rows, ROW) which text a token
    is of; starts: (n,) the place of each text's first word among all tokens, behind what leads it; words: (n,) of each.
    """

    forks: NDArray[np.float16]
    texts: NDArray[np.int32]
    starts: NDArray[np.int32]
    words: NDArray[np.int32]


def laid_out(forks: Sequence[NDArray[np.float16]], leads: Sequence[int]) -> Layout:
    """forks: (tokens, d) of each text; leads: tokens before its first word. The longest texts are placed first."""
    room: list[int] = []
    at = np.zeros((len(forks), 2), dtype=np.int32)
    for i in sorted(range(len(forks)), key=lambda i: -len(forks[i])):
        row = next((row for row, left in enumerate(room) if left >= len(forks[i])), len(room))
        if row == len(room):
            room.append(ROW)
        at[i] = row, ROW - room[row]
        room[row] -= len(forks[i])
    rows = -(-len(room) // ROWS) * ROWS
    states = np.zeros((rows, ROW, _WIDTH), dtype=np.float16)
    texts = np.full((rows, ROW), len(forks), dtype=np.int32)
    for i, (row, column) in enumerate(at.tolist()):
        states[row, column : column + len(forks[i])] = forks[i]
        texts[row, column : column + len(forks[i])] = i
    starts = at[:, 0] * ROW + at[:, 1] + np.asarray(leads, dtype=np.int32)
    words = np.array([len(one) - lead - 1 for one, lead in zip(forks, leads, strict=True)], dtype=np.int32)
    return Layout(states, texts, starts, words)


@dataclass(frozen=True)
class Upper:
    """The upper layers of a model."""

    model: E5Small

    def begun(self, seed: int) -> dict[str, NDArray[np.float32]]:
        """Adapters that change nothing yet."""
        draw, found = np.random.default_rng(seed), {}
        for name in self._adapted:
            inner, outer = self._weights[name + ".weight"].shape
            found[name + ".down"] = (draw.normal(size=(inner, RANK)) / np.sqrt(inner)).astype(np.float32)
            found[name + ".up"] = np.zeros((RANK, outer), dtype=np.float32)
        return found

    def words(self, adapters: Adapters, forks: Any, texts: Any) -> Any:
        """(rows * ROW, d) The last states of all tokens without what all have in common, each of a mean square of 1.

        forks, texts: of `Layout`.
        """
        import jax.numpy as jnp

        state = forks.astype(jnp.float32).reshape(-1, _WIDTH)
        sees = texts[:, None, :, None] == texts[:, None, None, :]
        for layer in range(FORK_AT, self._layers):
            state = self._layer(state, sees, f"encoder.layer.{layer}.", adapters)
        centre = shipped_centre(self.model.model)
        if centre is not None:
            state = state - COMMON * centre.words.astype(np.float32)
        return state / jnp.sqrt((state**2).mean(-1, keepdims=True) + 1e-6)

    def _layer(self, state: Any, sees: Any, at: str, adapters: Adapters) -> Any:
        import jax
        import jax.numpy as jnp

        def heads(name: str) -> Any:
            apart = self._linear(state, at + name, adapters).reshape(sees.shape[0], -1, _HEADS, _WIDTH // _HEADS)
            return apart.transpose(0, 2, 1, 3)

        query, key, value = (heads(name) for name in _MATRICES[:3])
        draws = query @ key.transpose(0, 1, 3, 2) * (_WIDTH / _HEADS) ** -0.5
        mixed = jax.nn.softmax(jnp.where(sees, draws, -1e9), -1) @ value
        mixed = self._linear(mixed.transpose(0, 2, 1, 3).reshape(-1, _WIDTH), at + _MATRICES[3], adapters)
        state = self._normalised(state + mixed, at + "attention.output.LayerNorm")
        wide = jax.nn.gelu(self._linear(state, at + _MATRICES[4], adapters), approximate=True)
        return self._normalised(state + self._linear(wide, at + _MATRICES[5], adapters), at + "output.LayerNorm")

    def _linear(self, state: Any, at: str, adapters: Adapters) -> Any:
        found = state @ self._weights[at + ".weight"] + self._weights[at + ".bias"]
        return found + (state @ adapters[at + ".down"]) @ adapters[at + ".up"]

    def _normalised(self, state: Any, at: str) -> Any:
        import jax.numpy as jnp

        away = state - state.mean(-1, keepdims=True)
        scaled = away / jnp.sqrt((away**2).mean(-1, keepdims=True) + _EPSILON)
        return scaled * self._weights[at + ".weight"] + self._weights[at + ".bias"]

    @property
    def _adapted(self) -> list[str]:
        return [f"encoder.layer.{layer}.{name}" for layer in range(FORK_AT, self._layers) for name in _MATRICES]

    @property
    def _layers(self) -> int:
        return self.model.file.layers

    @cached_property
    def _weights(self) -> dict[str, NDArray[np.float32]]:
        """Matrices (in, out) and rows of the upper layers."""
        found = {}
        for name, tensor in self.model.file.tensors().items():
            whole = tensor.numbers(np.arange(tensor.shape[0])).T if isinstance(tensor, FourBits) else tensor
            found[name] = np.asarray(whole, dtype=np.float32)
        return found
