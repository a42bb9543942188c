"""multilingual-e5-small in 4 bits: a model of a hundred languages, Spanish and Portuguese among them.

It was trained on questions and the passages that answer them, each behind a word that says which of the two it is.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from oroi_graph.errors import AssetError
from oroi_graph.providers.e5_file import E5File
from oroi_graph.providers.local import LocalModel, session_options

NAME = "multilingual-e5-small"
MODEL = f"{NAME}-q4-centred"  # by which its vectors are known: not those of the published model (`local`)
MAX_TOKENS = 512  # the model's positions, the marks at both ends included; what follows is not read
WEIGHTS = "e5-small-q4.bin"

# What the model's normalisation does beside NFKC.
_DROPPED = Regex("[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
_BLANK = Regex("[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]")


class E5Small(LocalModel):
    """An embedder that runs multilingual-e5-small from a folder holding its file. Raises AssetError if it is missing.

    Nothing is kept beside the file: its weights stay in 4 bits, and of its 250,000 tokens the rows in use are read.
    """

    model = MODEL
    lead = "passage: "

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        super().__init__(folder, threads)
        if not (self.folder / WEIGHTS).is_file():
            raise AssetError(f"{folder} has no {WEIGHTS}: run `oroi setup`, or name a folder that holds {NAME}")

    @cached_property
    def questions(self) -> LocalModel:
        """The same model as it reads questions (`protocols.QuestionEmbedder`)."""
        return _Questions(self)

    def _open(self) -> tuple[Tokenizer, ort.InferenceSession]:
        from oroi_graph.providers.encoder_graph import built_above_embeddings  # a heavy import

        self._file = E5File(self.folder / WEIGHTS)
        try:
            graph = built_above_embeddings(self._file.tensors(), MODEL, self._file.layers)
            session = ort.InferenceSession(graph, session_options(self._threads), providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors share no narrower class
            path = self.folder / WEIGHTS
            raise AssetError(f"cannot run {path} ({type(error).__name__}: {error}): run `oroi setup`") from error
        return _tokenizer(self._file), session

    def _run(self, session: ort.InferenceSession, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        states: NDArray[np.float32] = session.run(["states"], {"embedded": self._file.embedded(tokens)})[0]
        return states

    def _pooled(self, states: NDArray[np.float32]) -> NDArray[np.float64]:
        """Means over the tokens."""
        means: NDArray[np.float64] = states.mean(axis=1, dtype=np.float64)
        return means


class _Questions(LocalModel):
    """A model that was opened for passages, for questions."""

    model = MODEL
    lead = "query: "

    def __init__(self, passages: E5Small) -> None:
        super().__init__(passages.folder, passages._threads)
        self._passages = passages

    def _open(self) -> tuple[Tokenizer, ort.InferenceSession]:
        return self._passages._load()

    def _run(self, session: ort.InferenceSession, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        return self._passages._run(session, tokens)

    def _pooled(self, states: NDArray[np.float32]) -> NDArray[np.float64]:
        return self._passages._pooled(states)


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
