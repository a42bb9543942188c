"""Thresholds of embedding models."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from contracts import shared_memory

from oroi_graph import Graph, OfflineExtractor
from oroi_graph.contract import calibration
from oroi_graph.contract.calibration import (
    Fingerprint,
    basis,
    calibrated,
    cosines,
    fingerprint,
    pairs,
    shipped,
    thresholds,
)
from oroi_graph.contract.clusters import near_of
from oroi_graph.contract.intake.thresholds import KeptCalibrations
from oroi_graph.errors import ProviderError
from oroi_graph.language.detection import READ
from oroi_graph.providers import e5
from oroi_graph.providers.bge import MODEL, BgeSmall
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.scripted import ScriptedEmbedder

PROCESSORS = (
    0.005  # in 8 bits, products differ from processor to processor: thresholds of e5-small by 0.002 between two
)


class Counting(ScriptedEmbedder):
    """Counts the texts that it embeds; fails where told to."""

    texts = 0
    down = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.down and len(texts) > 1:
            raise ProviderError("down")
        self.texts += len(texts)
        return super().embed(texts)


def test_the_shipped_pairs_cover_each_language_and_relation() -> None:
    counts = {(p.language, p.relation) for p in pairs()}
    assert counts == {(language, r) for language in ("en", "es", "pt") for r in ("same", "near", "far")}
    assert all(p.first != p.second for p in pairs())
    assert len(set(pairs())) == len(pairs())


def test_scales_of_models_differ_and_so_do_their_thresholds(minilm: CachedEmbedder, bge_folder: Path) -> None:
    real, letters, other = calibrated(minilm), calibrated(ScriptedEmbedder(512)), calibrated(BgeSmall(bge_folder))
    assert real.equivalent > letters.equivalent + 0.05
    assert real.languages["es"].compatible > real.languages["en"].compatible + 0.2
    assert real.languages["en"].compatible < letters.languages["en"].compatible
    assert other.languages["es"].compatible < real.languages["es"].compatible - 0.2


def test_near_pairs_stay_below_and_far_ones_fall_below(minilm: CachedEmbedder) -> None:
    values, found = cosines(minilm), calibrated(minilm)
    for language, fitted in found.languages.items():
        of = {
            r: [v for v, p in zip(values, pairs(), strict=True) if (p.language, p.relation) == (language, r)]
            for r in ("near", "far")
        }
        assert np.mean([v < fitted.equivalent for v in of["near"]]) >= 0.96
        assert np.mean([v < fitted.compatible for v in of["far"]]) >= 0.85


def test_what_ships_is_what_would_be_found(minilm: CachedEmbedder, bge_folder: Path, e5_folder: Path) -> None:
    """`python benchmarks/contract_thresholds.py` makes it anew."""
    assert {one.of.model for one in shipped()} == {minilm.model, MODEL, e5.MODEL}
    for embedder in (minilm, BgeSmall(bge_folder), e5.E5Small(e5_folder)):
        [own] = [one for one in shipped() if one.of.matches(fingerprint(embedder))]
        assert own.pairs == basis()
        found = thresholds(cosines(embedder))
        assert near_of(embedder.model) == pytest.approx(found.compatible, abs=0.02)
        for language in ("", *READ):
            shipped_ones, found_ones = own.thresholds.of(language), found.of(language)
            assert shipped_ones.equivalent == pytest.approx(found_ones.equivalent, abs=PROCESSORS)
            assert shipped_ones.compatible == pytest.approx(found_ones.compatible, abs=PROCESSORS)


def test_a_model_that_ships_thresholds_embeds_one_text(minilm: CachedEmbedder) -> None:
    embedder = CachedEmbedder(minilm.embedder)
    calibrated(embedder)
    assert embedder.usage.misses == 1


def test_a_model_is_calibrated_once() -> None:
    embedder = Counting(256, model="counted")
    first = calibrated(embedder)
    embedded = embedder.texts
    assert calibrated(embedder) is first
    assert embedder.texts == embedded + 1  # the probe of the fingerprint
    assert first == thresholds(cosines(embedder))


def test_an_unknown_model_is_calibrated_once_a_database(own: Graph) -> None:
    """A new process embeds what it writes and the probe, whether it opens the same memory or another."""

    def write(embedder: Counting) -> int:
        calibration._known.clear()  # as in a new process
        with shared_memory(Graph(own.store, embedder, OfflineExtractor()), thresholds=None) as shared:
            before = embedder.texts
            shared.write("claude", "risk", "the quay may be flooded")
            return embedder.texts - before

    name = f"model-{uuid.uuid4().hex[:8]}"
    first, second = (write(Counting(384, model=name)) for _ in range(2))
    assert first > 1.9 * len(pairs())
    assert second == 3  # the entry, its concept "quay", the probe
    [kept] = KeptCalibrations(own.store).of_model(name)
    assert kept.thresholds == thresholds(cosines(Counting(384, model=name)))
    moved = Counting(384, model=name, vectors={"a probe of the model": [1.0] + [0.0] * 383})
    assert write(moved) > 1.9 * len(pairs())  # the same name, other vectors
    own.store.schema("MATCH (c:Calibration {model: $model}) DELETE c", model=name)


def test_an_embedder_that_fails_while_thresholds_are_looked_for_loses_no_entry(own: Graph) -> None:
    calibration._known.clear()
    embedder = Counting(384, model=f"model-{uuid.uuid4().hex[:8]}")
    embedder.down = True  # more than one text at a time fails: calibration does
    with shared_memory(Graph(own.store, embedder, OfflineExtractor()), thresholds=None) as shared:
        assert shared.write("claude", "risk", "the quay may be flooded").outcome == "inserted"
        assert shared.write("kimi", "risk", "nobody speaks of pears").outcome == "compatible"
    assert not KeptCalibrations(own.store).of_model(embedder.model)


def test_a_model_of_another_name_or_with_other_vectors_is_another_one() -> None:
    prints = [
        fingerprint(ScriptedEmbedder(64)),
        fingerprint(ScriptedEmbedder(64, model="other")),
        fingerprint(ScriptedEmbedder(128)),
        fingerprint(ScriptedEmbedder(64, vectors={"a probe of the model": [1.0] * 64})),
    ]
    assert [[one.matches(other) for other in prints] for one in prints] == [
        [i == j for j in range(4)] for i in range(4)
    ]


def test_a_model_is_known_where_its_vectors_are_rounded() -> None:
    """Another processor, or the three decimals of what ships."""
    mark = fingerprint(ScriptedEmbedder(64))
    noise = np.random.default_rng(0).normal(scale=1e-4, size=64)
    assert mark.matches(Fingerprint(mark.model, mark.probe + noise))
    assert not mark.matches(Fingerprint(mark.model, mark.probe * 0))


def test_a_failed_calibration_is_tried_again() -> None:
    embedder = Counting(256, model="failing")
    embedder.down = True
    with pytest.raises(ProviderError):
        calibrated(embedder)
    embedder.down = False
    assert calibrated(embedder) == thresholds(cosines(embedder))


def test_thresholds_are_in_order_for_a_model_that_knows_nothing() -> None:
    for value in (-1.0, 0.0, 1.0):
        found = thresholds(np.full(len(pairs()), value) + np.where(value < 0, 0.1, 0.0))
        assert found.compatible < found.equivalent


def test_the_thresholds_of_processes_agree() -> None:
    calibration._known.clear()
    assert calibrated(ScriptedEmbedder(512)) == thresholds(cosines(ScriptedEmbedder(512)))
