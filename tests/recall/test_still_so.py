"""Records that say something replaced and something that holds: what holds is quoted."""

from __future__ import annotations

import pytest
from graph_view import NOON, stating, tell
from tables import table

from oroi_graph import Memory
from oroi_graph.recall.answering.still_so import still_so


@table(
    ("text", "replaced", "left"),
    [
        (
            "I'm learning Portuguese, as we're going to Porto in May.",
            ["Porto"],
            "I'm learning Portuguese, …",
        ),
        (
            "I work at Acme, the coffee is great and my desk faces the canal.",
            ["Acme"],
            "… the coffee is great and my desk faces the canal.",
        ),
        ("I work at Acme and my desk faces the canal.", ["Acme"], "… my desk faces the canal."),
        ("I went to Porto but we sold the van because it was old.", ["porto", "van"], None),
        ("Estoy aprendiendo portugués porque vamos a Oporto.", ["Oporto"], "Estoy aprendiendo portugués …"),
        ("Estoy harta, yo vivo en Gijón y estudio canto lírico.", ["Gijón"], "Estoy harta, … estudio canto lírico."),
        ("I live in Leeds. It rains.", ["Leeds"], None),  # what is left says too little
        ("We moved north last year, and my sister plays the oboe.", ["Leeds"], None),  # which clause is unknown
        ("I live in Leeds with my cat Momo.", ["Leeds"], None),
        ("", ["Leeds"], None),
    ],
)
def test_what_is_left_of_a_text(text: str, replaced: list[str], left: str | None) -> None:
    assert still_so(text, replaced) == left


@pytest.fixture
def moved(memory: Memory) -> Memory:
    said = (
        "My desk faces the canal and I work at Acme.",
        "I live in Leeds, and my cello teacher is called Petra.",
        "I work at Globex now.",
        "I live in York.",
    )
    for text in said:
        memory.perceive(text, speaker="Ana", at=NOON).close("OK.")
    return memory


def quotes(memory: Memory, question: str) -> list[str]:
    return [line for line in memory.recall(question, speaker="Ana").brief.text.splitlines() if line.endswith('"')]


def test_a_record_is_quoted_without_what_was_replaced(moved: Memory) -> None:
    shown = quotes(moved, "What is my cello teacher called?")
    assert any("my cello teacher is called Petra" in line for line in shown)
    assert not any("Leeds" in line for line in shown)


def test_what_is_asked_for_and_was_replaced_is_not_quoted_in_part(moved: Memory) -> None:
    assert not any("canal" in line for line in quotes(moved, "Where do I work?"))


def test_the_past_is_quoted_whole(moved: Memory) -> None:
    assert any("and I work at Acme" in line for line in quotes(moved, "Where did I work before?"))
    assert any("Leeds" in line for line in quotes(moved, "What was my cello teacher called before?"))


def test_of_a_record_that_states_nothing_else_nothing_is_quoted(memory: Memory) -> None:
    tell(
        memory, "I live in Leeds, above the cello shop of Petra.", stating(("I", "lives in", "Leeds"), names=["Leeds"])
    )
    tell(memory, "I live in York.", stating(("I", "lives in", "York"), names=["York"]))
    assert not any("Petra" in line for line in quotes(memory, "Whose is the cello shop?"))
