"""What every embedder and every extractor must do, run over each of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_openai import KEY, FakeOpenAI

from oroi_graph.model import EXTRACTED_KINDS, Extraction, Utterance
from oroi_graph.providers.bge import BgeSmall
from oroi_graph.providers.cache import CachedEmbedder
from oroi_graph.providers.e5 import E5Small
from oroi_graph.providers.minilm import MiniLM
from oroi_graph.providers.openai.models import Endpoint, OpenAIEmbedder, OpenAIExtractor
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.providers.recorded import RecordedExtractor, Recorder
from oroi_graph.providers.scripted import ScriptedEmbedder, ScriptedExtractor

Fixtures = pytest.FixtureRequest

AT = datetime(2026, 3, 11, 10, tzinfo=UTC)
WINDOW = (
    Utterance("Where does Ana live?", "Luis", "user", AT),
    Utterance("I forgot.", "Oroi", "assistant", AT),
)
FACT = {
    "concepts": [{"label": "Ana", "kind": "name"}, {"label": "Madrid", "kind": "name"}],
    "relations": [{"source": "Ana", "relation": "lives in", "target": "Madrid"}],
}
STATED: dict[str, dict[str, Any]] = {
    "Ana lives in Madrid.": FACT,
    "Does Ana live in Madrid?": {"concepts": FACT["concepts"]},
    "Ana 🙂 «vive» en Madrid\u200b, ¿vale?": {},
    "ok, thanks": {},
}


# Embedders


def _openai_embedder(fixtures: Fixtures) -> Embedder:
    fake: FakeOpenAI = fixtures.getfixturevalue("fake_openai")
    return OpenAIEmbedder(Endpoint(api_key=KEY, base_url=fake.url), "local-model", 32, batch=4)


@cache
def _loaded(model: Callable[[Path], Embedder], folder: Path) -> Embedder:
    """A local model, loaded once: it keeps nothing of what it embedded."""
    return model(folder)


def _minilm(fixtures: Fixtures) -> Embedder:
    return _loaded(MiniLM, fixtures.getfixturevalue("minilm_folder"))


def _bge(fixtures: Fixtures) -> Embedder:
    return _loaded(BgeSmall, fixtures.getfixturevalue("bge_folder"))


def _e5(fixtures: Fixtures) -> Embedder:
    return _loaded(E5Small, fixtures.getfixturevalue("e5_folder"))


EMBEDDERS: dict[str, Callable[[Fixtures], Embedder]] = {
    "minilm": _minilm,
    "bge": _bge,
    "e5": _e5,
    "openai": _openai_embedder,
    "scripted": lambda fixtures: ScriptedEmbedder(),
    "cached": lambda fixtures: CachedEmbedder(ScriptedEmbedder(), size=3),
    "cached minilm": lambda fixtures: CachedEmbedder(_minilm(fixtures)),
}


@pytest.fixture(params=EMBEDDERS.values(), ids=EMBEDDERS)
def embedder(request: Fixtures) -> Embedder:
    chosen: Embedder = request.param(request)
    return chosen


TEXTS = ["Ana", "Ana Ruiz", "Madrid", "Ana", "15,000 euros", "el perro ladra por la noche", "犬が吠える"]


def test_it_is_an_embedder_with_a_name_and_a_length(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.model.strip()
    assert embedder.dimensions >= 1


def test_vectors_have_the_length_told_and_are_unit_vectors(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors.astype(np.float64), axis=1), 1, atol=1e-6)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    vectors = embedder.embed([])
    assert vectors.shape == (0, embedder.dimensions)
    assert vectors.dtype == np.float32


@pytest.mark.parametrize("text", ["", " ", "\n\t\u200b", ".", "a" * 50_000, "palabra " * 5_000])
def test_blank_and_endless_texts_have_vectors_too(embedder: Embedder, text: str) -> None:
    vectors = embedder.embed([text, "Ana"])
    np.testing.assert_allclose(np.linalg.norm(vectors.astype(np.float64), axis=1), 1, atol=1e-6)


def test_each_vector_is_that_of_its_text_whatever_surrounds_it(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = np.vstack([embedder.embed([text]) for text in TEXTS])
    assert np.array_equal(together, alone)
    assert np.array_equal(together[::-1], embedder.embed(TEXTS[::-1]))
    assert len(np.unique(together, axis=0)) == len(set(TEXTS))


def test_what_a_caller_does_to_the_vectors_stays_with_the_caller(embedder: Embedder) -> None:
    before = embedder.embed(TEXTS)
    kept = before.copy()
    before[:] = 0
    assert np.array_equal(embedder.embed(TEXTS), kept)


def test_threads_may_share_an_embedder(embedder: Embedder) -> None:
    batches = [[f"{text} {number}" for text in TEXTS[:3]] for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        side_by_side = list(pool.map(embedder.embed, batches))
    for batch, vectors in zip(batches, side_by_side, strict=True):
        assert np.array_equal(vectors, embedder.embed(batch))


# Extractors


def _openai_extractor(fixtures: Fixtures, folder: Path) -> Extractor:
    def chat(messages: list[dict[str, str]]) -> str:
        return json.dumps(STATED[json.loads(messages[1]["content"])["turn"]["text"]])

    fake: FakeOpenAI = fixtures.getfixturevalue("fake_openai")
    fake.chat = chat
    return OpenAIExtractor(Endpoint(api_key=KEY, base_url=fake.url))


def _recorded(fixtures: Fixtures, folder: Path) -> Extractor:
    path = folder / "recorded.jsonl"
    lines = [json.dumps({"text": text, **stated}) for text, stated in STATED.items()]
    path.write_text("\n".join(lines), "utf-8")
    return RecordedExtractor(path)


EXTRACTORS: dict[str, Callable[[Fixtures, Path], Extractor]] = {
    "openai": _openai_extractor,
    "recorded": _recorded,
    "scripted": lambda fixtures, folder: ScriptedExtractor(STATED),
    "recorder": lambda fixtures, folder: Recorder(ScriptedExtractor(STATED), folder / "new" / "out.jsonl"),
}
if find_spec("oroi_graph.extraction.offline") is not None:
    EXTRACTORS["offline"] = lambda fixtures, folder: import_module("oroi_graph.extraction.offline").OfflineExtractor()


@pytest.fixture(params=EXTRACTORS.values(), ids=EXTRACTORS)
def extractor(request: Fixtures, tmp_path: Path) -> Extractor:
    chosen: Extractor = request.param(request, tmp_path)
    return chosen


def test_it_is_an_extractor_with_a_short_name(extractor: Extractor) -> None:
    assert isinstance(extractor, Extractor)
    assert 1 <= len(extractor.name) <= 100
    assert not any(char.isspace() for char in extractor.name)


def test_what_a_plain_sentence_states_is_found(extractor: Extractor) -> None:
    found = extractor.extract(Utterance("Ana lives in Madrid.", "Luis", "user", AT), ())
    assert {concept.label for concept in found.concepts} >= {"Ana", "Madrid"}
    (relation,) = found.relations
    assert (relation.source, relation.target, relation.negated) == ("Ana", "Madrid", False)


def test_a_question_states_nothing(extractor: Extractor) -> None:
    assert extractor.extract(Utterance("Does Ana live in Madrid?", "Luis", "user", AT), ()).relations == ()


@pytest.mark.parametrize("text", STATED)
def test_every_extraction_is_one_of_the_schema(extractor: Extractor, text: str) -> None:
    for window in ((), WINDOW):
        found = extractor.extract(Utterance(text, "Luis", "user", AT), window)
        assert Extraction.from_json(json.loads(json.dumps(found.to_json()))) == found
        assert {concept.kind for concept in found.concepts} <= set(EXTRACTED_KINDS)
        assert found.store is True


def test_a_turn_without_a_time_is_read(extractor: Extractor) -> None:
    found = extractor.extract(Utterance("Ana lives in Madrid.", "Luis"), ())
    assert found.relations


def test_the_same_turn_gives_the_same_extraction(extractor: Extractor) -> None:
    turn = Utterance("Ana lives in Madrid.", "Luis", "user", AT)
    assert extractor.extract(turn, WINDOW) == extractor.extract(turn, list(WINDOW))


def test_threads_may_share_an_extractor(extractor: Extractor) -> None:
    turns = [Utterance(text, "Luis", "user", AT) for text in STATED] * 5
    with ThreadPoolExecutor(6) as pool:
        side_by_side = list(pool.map(lambda turn: extractor.extract(turn, ()), turns))
    assert side_by_side == [extractor.extract(turn, ()) for turn in turns]
