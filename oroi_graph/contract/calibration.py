"""Thresholds for an embedding model, from labelled pairs that ship with the package.

How near two unrelated texts lie differs by model, and by language within one model: for all-MiniLM-L6-v2, two
unrelated Spanish sentences are as near as two English ones on one topic. `reading/data/calibration.tsv` holds pairs
of each language: `same` (one statement in other words), `near` (two statements about one thing), `far` (unrelated).

To calibrate embeds some 400 texts. For the local models that was done before: `reading/data/thresholds.toml` knows them
by name and the vector of a fixed text. What is found for another model is kept where the caller says (`Kept`).
"""

from __future__ import annotations

import hashlib
import threading
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from oroi_graph.contract.comparison import Thresholds
from oroi_graph.language.detection import READ
from oroi_graph.providers.protocols import Embedder

NEAR = 0.98  # share of near pairs that must stay below `equivalent`: a value wrongly taken for a known one is lost
FAR = 0.90  # share of far pairs that must fall below `compatible`; words in common protect near pairs as well
_GAP = 0.02  # least distance of the two thresholds
_PROBE = "a probe of the model"
_SAME = 0.999  # cosine of two probes from which they are of one model; other processors round a little differently

_known: list[Calibration] = []  # found by this process
_lock = threading.Lock()


class LabelledPair(NamedTuple):
    """One line of the data file."""

    language: str
    relation: str
    first: str
    second: str


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprint:
    """What a model is known by. probe: (dimensions,) float64, its unit vector of a fixed text."""

    model: str
    probe: NDArray[np.float64]

    def matches(self, other: Fingerprint) -> bool:
        """Whether both give the same vectors, as far as one text tells."""
        if self.model != other.model or self.probe.shape != other.probe.shape:
            return False
        lengths = float(np.linalg.norm(self.probe) * np.linalg.norm(other.probe))
        return lengths > 0 and float(self.probe @ other.probe) >= _SAME * lengths


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """The thresholds that were found for a model, with what they were found from."""

    of: Fingerprint
    thresholds: Thresholds
    pairs: str

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object."""
        found = {"all": self.thresholds, **self.thresholds.languages}
        return {
            "model": self.of.model, "pairs": self.pairs, "probe": [round(float(x), 3) + 0.0 for x in self.of.probe],
            "thresholds": {name: [one.equivalent, one.compatible] for name, one in found.items()},
        }  # fmt: skip

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Calibration:
        """What `to_json` made."""
        found = {
            name: Thresholds(equivalent=equivalent, compatible=compatible)
            for name, (equivalent, compatible) in data["thresholds"].items()
        }
        every = replace(found.pop("all"), languages=found)
        return Calibration(Fingerprint(data["model"], np.array(data["probe"], dtype=np.float64)), every, data["pairs"])


class Kept(Protocol):
    """Where calibrations outlive a process."""

    def of_model(self, model: str) -> Sequence[Calibration]:
        """Those of a model of this name."""

    def keep(self, calibration: Calibration) -> None:
        """Keep one."""


@cache
def pairs() -> tuple[LabelledPair, ...]:
    """The labelled pairs, in the order of the file."""
    return tuple(LabelledPair(*line.split("\t")) for line in _text("calibration.tsv").splitlines())


@cache
def basis() -> str:
    """A hash of the pairs and shares from which thresholds are found: those found from others do not count."""
    return hashlib.sha256(f"{NEAR}\n{FAR}\n{_GAP}\n{_text('calibration.tsv')}".encode()).hexdigest()[:16]


@cache
def shipped() -> tuple[Calibration, ...]:
    """The calibrations that the package brings."""
    return tuple(Calibration.from_json(one) for one in tomllib.loads(_text("thresholds.toml"))["model"])


def calibrated(embedder: Embedder, kept: Kept | None = None) -> Thresholds:
    """The thresholds that suit a model: over all languages, and in `languages` for each.

    Embeds one text, and some 400 more if the model is neither shipped, nor known to this process, nor `kept`.
    Raises what the embedder raises; then nothing is remembered.
    """
    mark = fingerprint(embedder)
    with _lock:
        known = tuple(_known)
    found = _found(mark, shipped()) or _found(mark, known)
    if found is not None:
        return found.thresholds
    if kept is not None:
        found = _found(mark, kept.of_model(mark.model))
    if found is None:
        found = Calibration(mark, thresholds(cosines(embedder)), basis())
        if kept is not None:
            kept.keep(found)
    with _lock:
        _known.append(found)
    return found.thresholds


def fingerprint(embedder: Embedder) -> Fingerprint:
    """By what the model of an embedder is known."""
    return Fingerprint(embedder.model, np.asarray(embedder.embed([_PROBE])[0], dtype=np.float64))


def cosines(embedder: Embedder) -> NDArray[np.float64]:
    """(n,) cosines of `pairs`, in order."""
    first, second = (embedder.embed([pair[side] for pair in pairs()]) for side in (2, 3))
    return np.asarray(np.einsum("ij,ij->i", first, second), dtype=np.float64)


def thresholds(values: NDArray[np.float64]) -> Thresholds:
    """The thresholds from the (n,) cosines of `pairs`. Deterministic.

    equivalent: what 98 % of near pairs stay below. compatible: what 90 % of far pairs stay below.
    """
    by_language: dict[str, Thresholds] = {language: _bounds(values, (language,)) for language in READ}
    return replace(_bounds(values, READ), languages=by_language)


def _text(name: str) -> str:
    return (files(__package__) / "reading" / "data" / name).read_text("utf-8")


def _found(mark: Fingerprint, among: Sequence[Calibration]) -> Calibration | None:
    """The calibration of a model, if it was found from the pairs of today."""
    return next((one for one in among if one.pairs == basis() and one.of.matches(mark)), None)


def _bounds(values: NDArray[np.float64], languages: Sequence[str]) -> Thresholds:
    def of(relation: str, share: float) -> float:
        kept = [v for v, p in zip(values, pairs(), strict=True) if p.relation == relation and p.language in languages]
        return float(np.quantile(kept, share))

    equivalent = round(min(1.0, of("near", NEAR)), 3)
    compatible = round(max(-1.0, min(of("far", FAR), equivalent - _GAP)), 3)
    return Thresholds(equivalent=equivalent, compatible=compatible)
