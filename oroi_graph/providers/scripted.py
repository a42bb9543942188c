"""Fakes of an embedder and an extractor, with which agents that use this package can be tested.

They need no model, network or clock, and give the same answers on every machine.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from oroi_graph.errors import ExtractionError, SettingsError
from oroi_graph.language.normalize import fold
from oroi_graph.model import Extraction, Utterance
from oroi_graph.providers.protocols import Vectors

_GRAM = 3
_SHOWN = 80  # characters of a text in an error

Answer = Extraction | Mapping[str, object] | Exception


class ScriptedEmbedder:
    """Unit vectors from the three-letter sequences of a text: the more two texts share, the closer they are.

    The cosine of two texts is about the share of sequences they have in common, whatever case and accents
    ("Guggenheim" / "Guggenheim Museum": high; synonyms: about 0). `vectors` gives chosen texts vectors of
    their own, scaled to length 1. `dimensions`: at least 1; below about 64, texts that share nothing
    resemble each other by chance. Raises SettingsError for a vector of another length, or without one.
    """

    def __init__(
        self, dimensions: int = 384, vectors: Mapping[str, Sequence[float]] | None = None, model: str = "scripted"
    ) -> None:
        if dimensions < 1:
            raise SettingsError(f"a scripted embedder needs at least 1 dimension, got {dimensions}")
        self.dimensions = dimensions
        self.model = model
        self._vectors = {text: self._given(text, vector) for text, vector in (vectors or {}).items()}

    def __repr__(self) -> str:
        return f"ScriptedEmbedder({self.dimensions}, model={self.model!r})"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n,) texts → (n, dimensions) float32 unit vectors."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            given = self._vectors.get(text)
            vectors[row] = self._hashed(text) if given is None else given
        return vectors

    def _given(self, text: str, vector: Sequence[float]) -> Vectors:
        array = np.asarray(vector, dtype=np.float64)
        length = float(np.linalg.norm(array))
        if array.shape != (self.dimensions,) or not 0 < length < np.inf:
            raise SettingsError(
                f"the vector of {text[:_SHOWN]!r} must have {self.dimensions} finite numbers, not all 0"
            )
        return (array / length).astype(np.float32)

    def _hashed(self, text: str) -> Vectors:
        padded = f" {' '.join(fold(text).split())} "
        vector = np.zeros(self.dimensions)
        for start in range(len(padded) - _GRAM + 1):
            code = zlib.crc32(padded[start : start + _GRAM].encode("utf-8", "replace"))
            # The sign makes collisions cancel out instead of adding up.
            vector[(code >> 1) % self.dimensions] += 1 if code & 1 else -1
        length = float(np.linalg.norm(vector))
        if not length:  # a blank text, or one whose sequences all cancel out
            vector[0] = length = 1.0
        return (vector / length).astype(np.float32)


class ScriptedExtractor:
    """Extractions given beforehand: by the turn's exact text, or one after the other.

    An answer is an Extraction, its JSON object, or an exception to raise. A text without an answer
    gets `default`; where that is None, and after the last of a sequence, ExtractionError.
    Raises ExtractionError at once for an object that is no extraction.
    """

    name = "scripted"

    def __init__(self, script: Mapping[str, Answer] | Sequence[Answer], default: Extraction | None = None) -> None:
        self._by_text: dict[str, Extraction | Exception] = {}
        self._in_order: list[Extraction | Exception] = []
        if isinstance(script, Mapping):
            self._by_text = {text: _ready(answer) for text, answer in script.items()}
        else:
            self._in_order = [_ready(answer) for answer in script]
        self._default = default
        self._calls: list[tuple[Utterance, tuple[Utterance, ...]]] = []
        self._lock = threading.Lock()

    @property
    def calls(self) -> tuple[tuple[Utterance, tuple[Utterance, ...]], ...]:
        """The (turn, window) pairs asked for so far, in order."""
        with self._lock:
            return tuple(self._calls)

    def extract(self, turn: Utterance, window: Sequence[Utterance]) -> Extraction:
        """The answer of the script. Raises ExtractionError where there is none, else what the script says."""
        with self._lock:
            self._calls.append((turn, tuple(window)))
            answer = self._by_text.get(turn.text)
            if answer is None and self._in_order:
                answer = self._in_order.pop(0)
        answer = self._default if answer is None else answer
        if answer is None:
            raise ExtractionError(f"the script has no answer for {turn.text[:_SHOWN]!r}")
        if isinstance(answer, Exception):
            raise answer
        return answer


def _ready(answer: Answer) -> Extraction | Exception:
    return answer if isinstance(answer, Extraction | Exception) else Extraction.from_json(answer)
