"""Records that a later one replaces, where no relation says so: they pass likelihood on, are marked, or left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from graph_view import NOON
from tables import table

from oroi_graph import Memory, OfflineExtractor, RecordHit
from oroi_graph.model import EntryNote, NoteSource
from oroi_graph.options import Options
from oroi_graph.recall.question import read_question
from oroi_graph.recall.ranking.supersession import Pairs, Successor, passed_on, successors
from oroi_graph.recall_options import Selection

READER = OfflineExtractor()
CAR = "What car do I drive?"
JAZZ = "I drive a Honda Jazz, the car is silver."
FABIA = "The car failed its test, so I bought a Skoda Fabia instead."
OBOE = "My sister plays the oboe in a wind quintet."


def hit(text: str, turn: int, **more: object) -> RecordHit:
    given = {"role": "user", "speaker": "Ana", "session": str(turn), "score": 0.0, "features": {}} | more
    return RecordHit(id=f"r{turn}", turn_id=f"t{turn}", turn=turn, at=None, text=text, **given)  # type: ignore[arg-type]


def found(
    texts: list[str], likely: list[float], question: str = CAR, options: Selection | None = None, apart: int = 8
) -> dict[str, Successor]:
    """What replaces records that are so many turns apart."""
    hits = [hit(text, 1 + apart * i) for i, text in enumerate(texts)]
    return successors(asked(question), hits, likelihoods(hits, likely), options or Selection())


def asked(question: str):  # type: ignore[no-untyped-def]
    return read_question(question, "Ana", None, READER)


def likelihoods(hits: list[RecordHit], likely: list[float]) -> dict[str, float]:
    return {one.id: p for one, p in zip(hits, likely, strict=True)}


def test_a_change_of_what_is_asked_for_is_told_from_what_is_said_besides() -> None:
    told = found([JAZZ, OBOE, FABIA], [0.4, 0.1, 0.4])
    assert list(told) == ["r1", "r9"]  # the oldest first; nothing comes after the last
    assert told["r1"].id == "r17"
    assert told["r1"].probability > Selection().earlier
    assert told["r9"].probability < Selection().earlier


def test_who_asks_for_the_past_wants_what_was_replaced() -> None:
    assert found([JAZZ, FABIA], [0.5, 0.4], "What car did I drive before?") == {}


@table(
    ("later", "other"),
    [
        (FABIA, "This week I drive a Skoda Fabia instead, the car is at the garage."),  # for a time
        ("The car is a Skoda Fabia now.", "It is a Skoda Fabia now."),  # says what the question says
        ("The Jazz is gone, I drive another one now.", "I drive another one now."),  # says what the older one says
    ],
)
def test_what_makes_a_later_record_a_replacement(later: str, other: str) -> None:
    likely = [0.4, 0.3]
    assert found([JAZZ, later], likely)["r1"].probability > found([JAZZ, other], likely)["r1"].probability


def test_nothing_is_replaced_by_what_says_of_no_change() -> None:
    assert found(["My next journey is to Uruguay.", "My next journey is with Carmen."], [0.4, 0.4], "Where to?") == {}


def test_a_change_is_seen_in_the_language_of_the_record_and_in_that_of_the_question() -> None:
    assert "r1" in found([JAZZ, "He cambiado de coche, el mío es un Skoda Fabia de segunda mano."], [0.4, 0.3])
    assert "r1" in found([JAZZ, "Skoda Fabia now!"], [0.4, 0.3])
    assert found([JAZZ, "Mi coche es un Skoda Fabia de segunda mano."], [0.4, 0.3]) == {}


def test_the_likelier_the_later_record_answers_the_likelier_it_replaces() -> None:
    assert found([JAZZ, FABIA], [0.4, 0.5])["r1"].probability > found([JAZZ, FABIA], [0.4, 0.1])["r1"].probability


def test_of_a_type_that_is_asked_for_a_record_that_tells_it_is_likelier() -> None:
    day = "On which day is the choir?"
    older = "Choir is on Tuesday evenings."
    moved, other = "The choir has moved to Friday evenings.", "The choir has moved to another hall, evenings."
    assert (
        found([older, moved], [0.4, 0.3], day)["r1"].probability
        > found([older, other], [0.4, 0.3], day)["r1"].probability
    )


def test_no_turn_replaces_what_is_said_within_it_nor_what_the_assistant_an_entry_or_a_note_says() -> None:
    options = Selection()
    old, reply = hit(JAZZ, 1), hit(FABIA, 9, role="assistant")
    question = asked(CAR)
    assert successors(question, [old, reply], {"r1": 0.5, "r9": 0.5}, options) == {}
    for apart in (hit(FABIA, 9, note=NoteSource("car.md", 1, 1)), hit(FABIA, 9, entry=EntryNote("decision", "car"))):
        assert successors(question, [old, apart], {"r1": 0.5, "r9": 0.5}, options) == {}
    same = replace(hit(FABIA, 1), id="same")
    assert successors(question, [old, same], {"r1": 0.5, "same": 0.5}, options) == {}


def test_only_the_likeliest_are_compared() -> None:
    few = replace(Selection(), superseding_records=2)
    assert list(found([JAZZ, OBOE, FABIA], [0.4, 0.1, 0.4], options=few)) == ["r1"]


def test_records_far_apart_are_as_far_apart_as_any() -> None:
    def apart(turns: int) -> float:
        hits = [hit(JAZZ, 1), hit(FABIA, 1 + turns)]
        return float(Pairs(asked(CAR), hits, likelihoods(hits, [0.5, 0.5]), 2).features()["apart"][0])

    assert apart(1) < apart(12) == apart(5000)


def test_likelihood_is_passed_on_to_the_last() -> None:
    likely = {"a": 0.5, "b": 0.3, "c": 0.1, "d": 0.1}
    passed = passed_on(likely, {"a": Successor("b", 0.5), "b": Successor("c", 1.0), "d": Successor("c", 0.0)})
    assert passed == pytest.approx({"a": 0.25, "b": 0.0, "c": 0.65, "d": 0.1})
    assert likely["a"] == 0.5


# --- in a memory --------------------------------------------------------------------------------------------------


@pytest.fixture
def cars(memory: Memory) -> Memory:
    texts = [
        "My car is a Honda Jazz, I drive it to the club.",
        *(f"On Sunday we walked to {place} with the dogs." for place in ("Wenlock", "Clun", "Ludlow", "Corfton")),
        OBOE,
        FABIA,
        "My brother is learning Portuguese.",
    ]
    for day, text in enumerate(texts):
        memory.perceive(text, speaker="Harold", at=NOON + timedelta(days=day), session=str(day // 3)).close("Fine.")
    return memory


def recalled(memory: Memory, question: str, **selection: float):  # type: ignore[no-untyped-def]
    options = replace(memory.graph.options, selection=replace(Options().selection, **selection))  # type: ignore[arg-type]
    before, memory.graph.options = memory.graph.options, options
    try:
        return memory.recall(question, speaker="Harold", at=NOON + timedelta(days=20))
    finally:
        memory.graph.options = before


def test_what_was_replaced_is_left_out(cars: Memory) -> None:
    told = recalled(cars, CAR, superseded=0.3, earlier=0.3)
    assert "Fabia" in told.brief.text
    assert "Jazz" not in told.brief.text
    assert {one.rule for one in told.left_out if "Jazz" in one.record.text} == {"superseded"}


def test_what_may_be_replaced_is_marked_and_not_stated_as_a_fact(cars: Memory) -> None:
    def lines(**selection: float) -> list[str]:
        told = recalled(cars, CAR, superseded=1.0, beside_quotes=0.0, **selection).brief.text
        return [line for line in told.splitlines() if "Jazz" in line or "Skoda" in line]

    marked, plain = lines(earlier=0.3), lines(earlier=1.0)
    assert [line for line in marked if "Jazz" in line] == [
        '- 2026-03-02, Harold (earlier): "My car is a Honda Jazz, I drive it to the club."'
    ]
    assert "- Harold's car is Honda Jazz." in plain
    assert not any("(earlier)" in line for line in [*plain, *(line for line in marked if "Skoda" in line)])


def test_its_likelihood_is_told_as_it_was_passed_on(cars: Memory) -> None:
    def likely(question: str, **selection: float) -> dict[str, float]:
        return {one.text: one.features["probability"] for one in recalled(cars, question, **selection).ranked}

    passed = likely(CAR)
    assert sum(passed.values()) == pytest.approx(1.0, abs=1e-3)
    unpassed = likely(CAR, superseding_records=1)
    assert passed[FABIA] > unpassed[FABIA]


def test_the_past_and_a_time_that_is_named_are_asked_of_what_was_said_then(cars: Memory) -> None:
    assert "Jazz" in recalled(cars, "What car did I drive before?").brief.text
    assert "Jazz" in recalled(cars, "What car did I drive on 2 March 2026?").brief.text


def test_who_kin_are_is_replaced_by_nothing_that_was_not_read(memory: Memory) -> None:
    """A new supervisor is no new brother, even where both "are called" something; where he lives may change."""
    brother, supervisor = "Mi hermano Unai se ha ido a vivir a Dublín.", "La nueva supervisora se llama Begoña."
    for day, text in enumerate((brother, "Odio la coliflor.", supervisor)):
        memory.perceive(text, speaker="Harold", at=NOON + timedelta(days=day), session=str(day)).close("Vale.")

    def lines(question: str) -> list[str]:
        told = recalled(memory, question, superseded=1.0, earlier=0.0).brief.text
        return [line for line in told.splitlines() if "Unai" in line]

    assert '- 2026-03-02, Harold: "Mi hermano Unai se ha ido a vivir a Dublín."' in lines("¿Cómo se llama mi hermano?")
    assert "- El hermano de Harold es Unai." in lines("¿Cómo se llama mi hermano?")
    assert '- 2026-03-02, Harold (antes): "Mi hermano Unai se ha ido a vivir a Dublín."' in lines(
        "¿Dónde vive mi hermano?"
    )
