"""Thresholds for an embedding model, from labelled pairs that ship with the package.

How near two unrelated texts lie differs by model, and by language within one model: for all-MiniLM-L6-v2, two
unrelated Spanish sentences are as near as two English ones on one topic. `reading/data/calibration.tsv` holds pairs
of each language: `same` (one statement in other words), `near` (two statements about one thing), `far` (unrelated).
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oroi_graph.contract.comparison import Thresholds
from oroi_graph.language.detection import READ
from oroi_graph.providers.protocols import Embedder

NEAR = 0.98  # share of near pairs that must stay below `equivalent`: a value wrongly taken for a known one is lost
FAR = 0.90  # share of far pairs that must fall below `compatible`; words in common protect near pairs as well
_GAP = 0.02  # least distance of the two thresholds
_PROBE = "a probe of the model"

_known: dict[str, Thresholds] = {}
_lock = threading.Lock()


class LabelledPair(NamedTuple):
    """One line of the data file."""

    language: str
    relation: str
    first: str
    second: str


@cache
def pairs() -> tuple[LabelledPair, ...]:
    """The labelled pairs, in the order of the file."""
    lines = (files(__package__) / "reading" / "data" / "calibration.tsv").read_text("utf-8").splitlines()
    return tuple(LabelledPair(*line.split("\t")) for line in lines)


def calibrated(embedder: Embedder) -> Thresholds:
    """The thresholds that suit a model: over all languages, and in `languages` for each.

    equivalent: what 98 % of near pairs stay below. compatible: what 90 % of far pairs stay below. Deterministic.
    Embeds some 400 short texts once per model and process; the model is known by its name, its dimensions and its
    vector of a fixed text. Raises what the embedder raises; then nothing is remembered.
    """
    mark = fingerprint(embedder)
    with _lock:
        found = _known.get(mark)
    if found is None:
        found = thresholds(cosines(embedder))
        with _lock:
            _known[mark] = found
    return found


def fingerprint(embedder: Embedder) -> str:
    """Two embedders with one fingerprint give the same vectors, as far as one text tells."""
    vector = np.round(np.asarray(embedder.embed([_PROBE])[0], dtype=np.float64), 3) + 0.0  # no negative zeros
    told = f"{embedder.model}\0{embedder.dimensions}\0".encode() + vector.tobytes()
    return hashlib.sha256(told).hexdigest()


def cosines(embedder: Embedder) -> NDArray[np.float64]:
    """(n,) cosines of `pairs`, in order."""
    first, second = (embedder.embed([pair[side] for pair in pairs()]) for side in (2, 3))
    return np.asarray(np.einsum("ij,ij->i", first, second), dtype=np.float64)


def thresholds(values: NDArray[np.float64]) -> Thresholds:
    """The thresholds from the (n,) cosines of `pairs`."""
    by_language: dict[str, Thresholds] = {language: _bounds(values, (language,)) for language in READ}
    return replace(_bounds(values, READ), languages=by_language)


def _bounds(values: NDArray[np.float64], languages: Sequence[str]) -> Thresholds:
    def of(relation: str, share: float) -> float:
        kept = [v for v, p in zip(values, pairs(), strict=True) if p.relation == relation and p.language in languages]
        return float(np.quantile(kept, share))

    equivalent = round(min(1.0, of("near", NEAR)), 3)
    compatible = round(max(-1.0, min(of("far", FAR), equivalent - _GAP)), 3)
    return Thresholds(equivalent=equivalent, compatible=compatible)
