"""BM25 over a memory's records, by the library bm25s: words without stop words, stemmed in the memory's language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

import bm25s  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray
from stop_words import get_stop_words  # type: ignore[import-untyped]

from oroi_graph.language import detection
from oroi_graph.language.stemming import stem

_WORD = re.compile(r"\w+")
_LANGUAGES = {"en": "english", "es": "spanish", "pt": "portuguese"}


class Words:
    """An index of texts. `tongue`: the language they are in; found out where it is not given."""

    def __init__(self, texts: Sequence[str], tongue: str | None = None) -> None:
        self.tongue = tongue if tongue in _LANGUAGES else _usual(texts)
        said = [self.terms(text) for text in texts]
        self._size = len(texts)
        self._index: bm25s.BM25 | None = None
        if any(said):
            self._index = bm25s.BM25(method="lucene")
            self._index.index(said, show_progress=False)

    def scores(self, question: str) -> NDArray[np.float64]:
        """(texts,) BM25 scores, 0 for a text that says no word of the question."""
        terms = self.terms(question)
        if self._index is None or not terms:
            return np.zeros(self._size)
        return np.asarray(self._index.get_scores(terms), dtype=np.float64)

    def terms(self, text: str) -> list[str]:
        """The stems of a text's words, stop words left out."""
        stop = _stop_words(self.tongue)
        words = [word for word in _WORD.findall(text.casefold()) if word not in stop]
        return [stem(word, self.tongue) for word in words]


def _usual(texts: Sequence[str]) -> str:
    """The language that most texts are in."""
    counted = Counter(detection.detect(text) for text in texts)
    best = max(counted, key=lambda tongue: (counted[tongue], tongue), default="en")
    return best if best in _LANGUAGES else "en"


@cache
def _stop_words(tongue: str) -> frozenset[str]:
    return frozenset(map(str, get_stop_words(_LANGUAGES[tongue])))
