"""Criteria: questions that ask for one thing by several, and who fits them by meaning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from graph_view import stating
from tables import table

from oroi_graph.language.parsed_text import parse
from oroi_graph.memory import Graph, Memory
from oroi_graph.providers.word_vectors import pack
from oroi_graph.recall.decomposition import criteria, meeting_all
from oroi_graph.recall_options import Selection
from oroi_graph.working_set.candidates import Candidate

DIMENSIONS, LEAD = 64, Selection().criteria_lead


@table(
    ("text", "clauses"),
    [
        ("Who could steer a boat and cook for a crowd?", ["Who could steer a boat", "cook for a crowd"]),
        ("¿Quién sabe pilotar un barco y además guisar paella?", ["Quién sabe pilotar un barco", "guisar paella"]),
        ("Quem toca violino e também fala alemão?", ["Quem toca violino", "fala alemão"]),
        # one thing is asked of two, two things of one, or there is one criterion only
        ("Where do Ana and Bruno live?", []),
        ("Where does Ana live, and what is her job?", []),
        ("Who plays the violin?", []),
        ("and", []),
    ],
)
def test_the_criteria_of_a_question(text: str, clauses: list[str]) -> None:
    assert criteria(parse(text), Selection()) == clauses


def record(id: str, *concepts: str, role: str = "user") -> Candidate:
    return Candidate(id, id, 1, role, "Ana", "s1", None, id, False, concepts)  # type: ignore[arg-type]


def words(*axes: int) -> str:
    """Packed words, each of which means one thing: all bits of one sixteenth of the dimensions."""
    vectors = np.full((len(axes), DIMENSIONS), -1.0)
    for row, axis in enumerate(axes):
        vectors[row, axis * 8 : axis * 8 + 8] = 1.0
    return pack(vectors)


BOAT, COOK, OTHER = 0, 1, 2
ASKED = [words(BOAT), words(COOK)]
SAID = {
    "Álvaro has a licence": ("Álvaro", BOAT),
    "Álvaro makes paella": ("Álvaro", COOK),
    "Rocío has a licence": ("Rocío", BOAT),
    "Celia bakes": ("Celia", COOK),
    "Rocío hates fish": ("Rocío", OTHER),
    "Celia plays the flute": ("Celia", OTHER),
}


def fit(said: dict[str, tuple[str, int]], selves: frozenset[str] = frozenset()) -> list[str]:
    held = {text: words(axis) for text, (_, axis) in said.items()}
    return meeting_all(ASKED, [record(text, who) for text, (who, _) in said.items()], held, selves, DIMENSIONS, LEAD)


def test_who_meets_all_criteria_is_told_of_by_a_record_for_each() -> None:
    assert fit(SAID) == ["Álvaro has a licence", "Álvaro makes paella"]


def test_where_nobody_leads_nobody_fits() -> None:
    assert fit({**SAID, "Rocío cooks": ("Rocío", COOK)}) == []
    assert fit({text: told for text, told in SAID.items() if told[0] != "Álvaro"}) == []
    assert fit({}) == []


def test_who_speaks_is_told_of_by_most_records_and_fits_nothing() -> None:
    assert fit(SAID, frozenset({"Álvaro"})) == []


def test_without_words_nothing_is_compared() -> None:
    said = [record(text, who) for text, (who, _) in SAID.items()]
    assert meeting_all([None, None], said, dict.fromkeys(SAID, words(BOAT)), (), DIMENSIONS, LEAD) == []
    assert meeting_all(ASKED, said, dict.fromkeys(SAID, None), (), DIMENSIONS, LEAD) == []


YACHT = "Who could steer a yacht and prepare meals for a large group?"


@pytest.fixture
def friends(memory: Memory) -> Memory:
    """What three friends can do, Álvaro both things that are asked for."""
    for text, extraction in (
        ("Rocío has a skipper's licence.", stating(("Rocío", "has", "skipper's licence"), names=["Rocío"])),
        (
            "Álvaro has had a skipper's licence for years.",
            stating(("Álvaro", "has", "skipper's licence"), names=["Álvaro"]),
        ),
        ("Rocío hates frying fish.", stating(("Rocío", "hates", "frying fish"), names=["Rocío"])),
        ("Celia makes wonderful stews for crowds.", stating(("Celia", "makes", "stews"), names=["Celia"])),
        ("Álvaro makes paella for forty people.", stating(("Álvaro", "makes", "paella"), names=["Álvaro"])),
        ("The washing machine is broken.", stating(("washing machine", "is", "broken"))),
        ("I bought a new kettle.", stating(("I", "bought", "kettle"))),
    ):
        memory.perceive(text, speaker="Ana", extraction=extraction).close()
    return memory


def test_the_brief_holds_who_fits_and_nobody_else(friends: Memory) -> None:
    told = friends.recall(YACHT, speaker="Ana")
    assert "Álvaro" in told.brief.text
    assert "Rocío" not in told.brief.text
    assert "Celia" not in told.brief.text
    assert {why.rule for why in told.reasons} == {"meets every criterion"}


def choosing(memory: Memory, **selection: float) -> Memory:
    """The same memory, opened by a graph of its own with other options of selection."""
    graph = memory.graph
    options = replace(graph.options, selection=replace(graph.options.selection, **selection))  # type: ignore[arg-type]
    return Graph(graph.store, graph.embedder, graph.extractor, options).memory(memory.name)


def test_who_fits_by_records_that_hardly_help_decides_nothing(friends: Memory) -> None:
    told = friends.recall(YACHT, speaker="Ana")
    likely = sum(hit.features["probability"] for hit in told.ranked if hit.id in told.brief.record_ids)
    for least, decides in ((likely - 0.001, True), (likely + 0.001, False)):
        brief = choosing(friends, decided=least).recall(YACHT, speaker="Ana").brief.text
        assert ("Rocío" not in brief and "Celia" not in brief) is decides


def test_what_was_to_be_remembered_needs_to_meet_no_criterion(friends: Memory) -> None:
    """Even if somebody meets them, however little ahead of others."""
    friends.perceive("Remember this: my boat needs a new rope.", speaker="Ana").close()
    memory = choosing(friends, criteria_lead=0.0)
    asked = f"{YACHT[:4]}that I must not forget {YACHT[4:]}"
    assert "Álvaro" in memory.recall(YACHT, speaker="Ana").brief.text
    assert "new rope" in memory.recall(asked, speaker="Ana").brief.text
