"""bge-small-en-v1.5, an English model that reads up to 512 tokens: the ONNX graph as it is published.

No instruction stands before a question: version 1.5 was trained to do without, and one embedder serves both sides.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]
from numpy.typing import NDArray
from tokenizers import Tokenizer

from oroi_graph.errors import AssetError
from oroi_graph.providers.local import LocalModel, States, read_tokenizer, session_options

NAME = "bge-small-en-v1.5"
MODEL = f"{NAME}-centred"  # by which its vectors are known: not those of the published model (`local`)
MAX_TOKENS = 512  # the model's positions, [CLS] and [SEP] included; what follows is not read

_GRAPH = f"{NAME}.onnx"
_TOKENIZER = f"{NAME}-tokenizer.json"


class BgeSmall(LocalModel):
    """An embedder that runs bge-small-en-v1.5 from a folder holding its files. Raises AssetError if one is missing."""

    model = MODEL

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        super().__init__(folder, threads)
        for name in (_TOKENIZER, _GRAPH):
            if not (self.folder / name).is_file():
                raise AssetError(f"{folder} has no {name}: run `oroi setup`, or name a folder that holds {NAME}")

    def _open(self) -> tuple[Tokenizer, ort.InferenceSession]:
        tokenizer = read_tokenizer(self.folder / _TOKENIZER, MAX_TOKENS)
        path = self.folder / _GRAPH
        options = session_options(self._threads)
        try:
            return tokenizer, ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors share no narrower class
            raise AssetError(f"cannot read {path} ({type(error).__name__}): run `oroi setup`") from error

    def _run(self, session: ort.InferenceSession, tokens: NDArray[np.int64]) -> States:
        given = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),  # nothing is padded
            "token_type_ids": np.zeros_like(tokens),  # one text, no pair
        }
        return States(*session.run(["last_hidden_state"], given))

    def _pooled(self, states: NDArray[np.float32]) -> NDArray[np.float64]:
        """The states of [CLS], as the model was trained."""
        return states[:, 0].astype(np.float64)
