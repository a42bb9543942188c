"""The choice (S5): what was said of what the best leads to is told, too, unless the question was answered."""

from __future__ import annotations

import pytest
from graph_view import stating, tell

from oroi_graph import Memory, choice

SAID = [
    ("Para el blog uso Plumilla.", [("yo", "usa para el blog", "Plumilla")], ["Plumilla"]),
    ("Para las fotos uso Retrata.", [("yo", "usa para las fotos", "Retrata")], ["Retrata"]),
    ("El tren ha venido vacío.", [("tren", "ha venido", "vacío")], []),
    ("He ordenado los tebeos.", [("yo", "ha ordenado", "tebeos")], []),
    ("A Teo se le van nueve al mes en Plumilla.", [("Teo", "gasta nueve en", "Plumilla")], ["Teo", "Plumilla"]),
    ("Marta vive en Bilbao.", [("Marta", "vive en", "Bilbao")], ["Marta", "Bilbao"]),
    ("El tren de Bilbao para aquí.", [], ["Bilbao"]),
]
DEAR = "¿Es caro lo del blog?"  # names nothing that is known; what is spent on it names no blog


@pytest.fixture
def blogger(memory: Memory) -> Memory:
    """What Ana uses, and, said apart, what it costs."""
    for text, facts, names in SAID:
        tell(memory, text, stating(*facts, names=names))
    return memory


def quotes(memory: Memory, question: str) -> list[str]:
    lines = memory.recall(question, speaker="Ana").brief.text.splitlines()
    return [line.split('"')[1] for line in lines if '"' in line]


def test_what_the_best_leads_to_is_told_further(blogger: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    further = quotes(blogger, DEAR)
    monkeypatch.setattr(choice, "FURTHER", 0)
    without = quotes(blogger, DEAR)
    assert without[0] == SAID[0][0]
    assert [text for text in further if text not in without] == [SAID[4][0]]


def test_what_the_speaker_said_besides_is_not_what_is_led_to(blogger: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is Ana's: that she blogs leads to no other thing of hers."""
    monkeypatch.setattr(choice, "LIKELY", 1)
    told = quotes(blogger, DEAR)
    assert SAID[4][0] in told
    assert SAID[1][0] not in told


def test_an_answer_is_told_no_further(blogger: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What else there is at the place where Marta lives was not asked."""
    question = "¿Dónde vive Marta?"
    answered = quotes(blogger, question)
    assert SAID[5][0] in answered
    monkeypatch.setattr(choice, "FURTHER", 0)
    assert quotes(blogger, question) == answered
