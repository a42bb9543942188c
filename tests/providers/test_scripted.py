"""The public fakes: what they promise to users who test their agents with them."""

from __future__ import annotations

import numpy as np
import pytest
from tables import table

from oroi_graph.errors import ExtractionError, ProviderError, SettingsError
from oroi_graph.model import ExtractedConcept, Extraction, Utterance
from oroi_graph.providers.scripted import ScriptedEmbedder, ScriptedExtractor

ANA = Extraction(concepts=(ExtractedConcept("Ana", "name"),))


def say(text: str) -> Utterance:
    return Utterance(text, "Ana")


def test_texts_that_share_letters_are_similar() -> None:
    embedder = ScriptedEmbedder()
    museum, longer, accented, other = embedder.embed(
        ["Guggenheim", "Guggenheim Museum", "GÚGGENHEIM", "a plate of rice"]
    )
    assert museum @ longer > 0.7
    assert museum @ accented == pytest.approx(1)
    assert abs(museum @ other) < 0.2


def test_vectors_are_the_same_on_every_machine() -> None:
    vector = ScriptedEmbedder(8).embed(["Ana"])[0]
    share = 3**-0.5  # " an", "ana", "na ": three sequences, three places
    np.testing.assert_allclose(vector, [0, -share, 0, -share, 0, share, 0, 0], atol=1e-6)


def test_chosen_texts_have_chosen_vectors() -> None:
    embedder = ScriptedEmbedder(2, {"Ana": [3, 4]}, model="mine")
    np.testing.assert_allclose(embedder.embed(["Luis", "Ana"])[1], [0.6, 0.8], atol=1e-6)
    assert (embedder.model, embedder.dimensions) == ("mine", 2)


@table("vector", [[1], [0, 0], [float("nan"), 1], [float("inf"), 1]])
def test_an_unusable_vector_is_refused_with_its_text(vector: list[float]) -> None:
    with pytest.raises(SettingsError, match="'Ana' must have 2 finite numbers"):
        ScriptedEmbedder(2, {"Ana": vector})


def test_no_dimensions_are_refused() -> None:
    with pytest.raises(SettingsError, match="at least 1"):
        ScriptedEmbedder(0)


def test_answers_are_found_by_text() -> None:
    extractor = ScriptedExtractor({"a": ANA, "b": {"remember": True}})
    assert extractor.extract(say("b"), []) == Extraction(remember=True)
    assert extractor.extract(say("a"), [say("b")]) == ANA
    assert extractor.extract(say("a"), []) == ANA
    assert extractor.calls == ((say("b"), ()), (say("a"), (say("b"),)), (say("a"), ()))


def test_answers_come_in_order() -> None:
    extractor = ScriptedExtractor([ANA, {}])
    assert [extractor.extract(say("x"), []) for _ in range(2)] == [ANA, Extraction()]
    with pytest.raises(ExtractionError, match="no answer for 'x'"):
        extractor.extract(say("x"), [])


def test_an_unknown_text_is_an_error_unless_there_is_a_default() -> None:
    with pytest.raises(ExtractionError, match="no answer for 'x'"):
        ScriptedExtractor({"a": ANA}).extract(say("x"), [])
    assert ScriptedExtractor({}, default=ANA).extract(say("x"), []) == ANA


def test_exceptions_are_raised() -> None:
    extractor = ScriptedExtractor([ProviderError("down"), ANA])
    with pytest.raises(ProviderError, match="down"):
        extractor.extract(say("x"), [])
    assert extractor.extract(say("x"), []) == ANA


def test_an_object_that_is_no_extraction_is_refused_at_once() -> None:
    with pytest.raises(ExtractionError, match="remember must be true or false"):
        ScriptedExtractor([{"remember": "yes"}])
