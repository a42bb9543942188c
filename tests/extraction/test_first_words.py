"""Whether the first word of a sentence, which has a capital whatever it is, begins a name."""

from __future__ import annotations

import pytest

from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.model import Utterance


def names(text: str) -> set[str]:
    extraction = OfflineExtractor().extract(Utterance(text, "Ana"))
    return {concept.label for concept in extraction.concepts if concept.kind == "name"}


@pytest.mark.parametrize(
    "text",
    [
        "Lunch was leftover rice today.",
        "Rain is what you would worry about.",
        "Soup's ready.",
        "Curioso, con su trabajo.",
    ],
)
def test_frequent_words_are_no_names(text: str) -> None:
    assert names(text) == set()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Dawn lives in York.", "Dawn"),
        ("Grace bought a boat.", "Grace"),
        ("Pepper stole a sausage.", "Pepper"),
        ("Garden City has a library.", "Garden City"),
        ("Nube tiene los riñones delicados.", "Nube"),
        ("Nicolás busca una tostadora.", "Nicolás"),
    ],
)
def test_names_that_are_words_as_well(text: str, name: str) -> None:
    assert name in names(text)


def test_titles_and_courtesy_begin_names() -> None:
    assert "Dr. Smith" in names("Dr. Smith lives in York.")
    assert any("Elvira" in name for name in names("Ayer vi a doña Elvira en Toledo."))
