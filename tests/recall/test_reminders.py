"""What was to be remembered: which questions ask for it, what of a text it is, and the briefs it makes."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from graph_view import NOON
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import table

from oroi_graph import Memory, OfflineExtractor, RecordHit
from oroi_graph.language.tokens import count_tokens
from oroi_graph.recall.question import read_question
from oroi_graph.recall.ranking.essence import essence
from oroi_graph.recall.ranking.stressed import asks_for_reminders, was_to_be_remembered
from oroi_graph.recall.reminders import Reminders, reminders
from oroi_graph.recall_options import Selection

ASKED = "What should I keep in mind for the ferry trip?"
SAID = [
    "We are taking the ferry to Santander in June, all seven of us.",
    "Write this down: the passports have to be renewed before 12 May, or they will not let us on board the ferry.",
    "The cabins on the ferry have four beds each.",
    "Uncle Peio gets seasick on the ferry, his ginger tablets must be in the hand luggage. Please remember that one.",
    "We had lentils for lunch and the soup was too salty.",
    "The neighbour has painted his fence yellow, you would not believe the colour.",
    "I phoned about the passports again, nobody picked up. Don't let me forget the passports.",
    "The ferry leaves from quay three. Remember this for me: the gate shuts forty minutes before, they wait long.",
    "My cousin bought a trombone and practises at night.",
]
PASSPORTS, TABLETS, GATE = "passports have to be renewed before 12 May", "ginger tablets", "gate shuts forty minutes"


@pytest.fixture
def trip(memory: Memory) -> Memory:
    """A conversation in which three things were to be remembered, one of them twice."""
    for day, text in enumerate(SAID):
        memory.perceive(text, speaker="Ane", at=NOON + timedelta(days=day), session=f"day {day}").close()
    return memory


def hit(id: str, text: str, turn: int, role: str = "user") -> RecordHit:
    return RecordHit(
        id=id, turn_id=id, turn=turn, role=role, speaker="Ane", session=None, at=None, text=text, score=0.0  # type: ignore[arg-type]
    )  # fmt: skip


def among(*said: tuple[RecordHit, float]) -> Reminders:
    """What was to be remembered of records with their probabilities."""
    question = read_question(ASKED, "Ane", NOON, OfflineExtractor())
    return reminders(question, [record for record, _ in said], {record.id: p for record, p in said}, Selection())


def test_the_likeliest_come_first_as_long_as_they_are_likely() -> None:
    a, b, c = (
        hit("a", "Remember this: oboe.", 1),
        hit("b", "Remember this: kiln.", 2),
        hit("c", "Remember this: yak.", 3),
    )
    assert [one.id for one in among((a, 0.2), (b, 0.5), (c, 0.005)).records] == ["b", "a"]
    assistant = hit("d", "I will remember that: harpoon.", 4, "assistant")
    assert [one.id for one in among((assistant, 0.9), (a, 0.1)).records] == ["a"]


def test_the_first_request_about_a_thing_stands_for_it() -> None:
    first, other = hit("a", "Remember this: the oboe and the reeds.", 1), hit("b", "Remember this: the kiln.", 2)
    again = hit("c", "Don't let me forget the oboe and the reeds!", 3)
    for order in ((0.1, 0.2, 0.7), (0.7, 0.2, 0.1)):
        found = among(*zip((first, other, again), order, strict=True))
        assert ({one.id for one in found.once}, [one.id for one in found.more]) == ({"a", "b"}, ["c"])


def quotes(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


@table(
    "question, language, asks",
    [
        (ASKED, "en", True),
        ("what do I need to know before the sitter comes", "en", True),
        ("what are the things I mustn't forget tomorrow?", "en", True),
        ("I can't remember: who was it that lent us the van?", "en", False),
        ("Do you remember where we parked?", "en", False),
        ("I forgot the name of the vet, what was it?", "en", False),
        ("¿Qué tengo que tener en cuenta para la mudanza?", "es", True),
        ("¿qué no se me puede olvidar mañana?", "es", True),
        ("Se me ha olvidado el reparto: ¿quién traía el pan?", "es", False),
        ("O que é que tenho de ter em conta para a obra?", "pt", True),
        ("o que eu não posso esquecer amanhã?", "pt", True),
        ("Esqueci o nome da padaria, qual era?", "pt", False),
    ],
)
def test_which_questions_ask_for_what_was_to_be_remembered(question: str, language: str, asks: bool) -> None:
    assert asks_for_reminders(question, language) is asks


@table(
    "text, language, told",
    [
        (SAID[1], "en", "the passports have to be renewed before 12 May"),
        (SAID[3], "en", "his ginger tablets must be in the hand luggage"),
        (SAID[7], "en", "the gate shuts forty minutes before"),
        ("keep this one: the fuses are behind the freezer, second shelf", "en", "the fuses are behind the freezer"),
        (
            "Recuérdame siempre que el extintor caduca en octubre, que el inspector no perdona y nos cierra",
            "es",
            "extintor caduca en octubre",
        ),
        (
            "o Amílcar só entrega às quintas, de manhã cedo, e toca uma vez. não me deixes esquecer disso",
            "pt",
            "o Amílcar só entrega às quintas",
        ),
    ],
)  # fmt: skip
def test_what_of_a_text_is_to_be_remembered(text: str, language: str, told: str) -> None:
    assert was_to_be_remembered(text, language)
    assert told in essence(text, 16, language)


@table(
    "text, most, told",
    [
        # What stands behind a colon is meant, whatever points back.
        ("Yesterday we glazed forty bowls. Remember that for me: the kiln has to cool down", 8, "kiln"),
        # What points back means what stands before, although more follows.
        ("Bowls crack in the draught. Please remember that, apprentices forget glazes and trolleys", 8, "draught"),
        ("Glaze recipes in the drawer, please remember that, trolleys stay outside", 12, "Glaze recipes in the drawer"),
        # Nor is what follows meant if it says less than what stands before.
        ("The oboe is at the luthier's, don't forget, the day is long and people come", 8, "luthier's"),
        # What only leads over to it is not it, unless it says something.
        ("Remember this one because I would surely mix it up, the kiln cools down", 8, "kiln"),
        ("We drove past fields all day. Never let me forget the thermometer, you know me, please do", 6, "thermometer"),
        # A name says more than another word, a rare word more than a frequent one, a day as much as that.
        ("Note this: pottery about Ibarrola", 3, "Ibarrola"),
        ("Note this: the big good house, the oboe", 3, "oboe"),
        ("Note this: the good people come here on Thursday", 4, "Thursday"),
    ],
)
def test_which_words_are_told(text: str, most: int, told: str) -> None:
    found = essence(text, most, "en")
    assert told in found
    assert "remember" not in found.casefold()


def test_a_request_at_the_end_of_a_long_text_is_found() -> None:
    text = "We had soup again and talked about it. " * 200 + "Remember this: the oboe is at the luthier's."
    assert essence(text, 12, "en") == "the oboe is at the luthier's"


def test_a_cut_clause_is_marked() -> None:
    text = "Note this: the heron nests behind the boathouse of the abandoned shipyard near the eastern breakwater"
    whole = essence(text.removeprefix("Note this: "), 50, "en")
    assert whole == text.removeprefix("Note this: "), "what fits is not cut"
    told = essence(text, 9, "en")
    assert told.startswith("the heron")
    assert told.endswith("…")


def test_what_is_said_again_counts_more() -> None:
    text = "Remember this: trombone and harpoon"
    assert essence(text, 4, "en") == "trombone…"
    assert essence(text, 4, "en", frozenset({"harpoon"})) == "…harpoon"


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.sampled_from("remember this that down: note it, the vet 9 May. Zorn! …\n".split(" ")), max_size=60),
    st.integers(1, 40),
    st.sampled_from(["en", "es", "pt", "xx"]),
)
def test_what_is_told_is_said_in_the_text_and_keeps_the_size(words: list[str], most: int, language: str) -> None:
    text = " ".join(words)
    told = essence(text, most, language)
    assert count_tokens(told) <= most
    assert told.strip("…") in text


def test_a_brief_begins_with_them_as_they_were_said(trip: Memory) -> None:
    recall = trip.recall(ASKED, speaker="Ane")
    items = quotes(recall.brief.text)
    assert [i for i, said in enumerate((PASSPORTS, TABLETS, GATE)) if any(said in item for item in items[:3])] == [
        0,
        1,
        2,
    ]
    assert all(re.match(r"- 2026-03-\d\d, Ane: ", item) for item in items[:3])
    again = next(i for i, item in enumerate(items) if "phoned about the passports" in item)
    assert again == 3, "what was asked to be remembered once more comes behind"
    reasons = {why.item: why.rule for why in recall.reasons}
    assert [reasons[item.removeprefix("- ")] for item in items[:4]] == ["was to be remembered"] * 4
    assert "lentils" not in recall.brief.text


@table("budget", [85, 90, 100])
def test_a_small_budget_holds_all_of_them_shortly(budget: int, trip: Memory) -> None:
    brief = trip.recall(ASKED, speaker="Ane", budget=budget).brief
    assert brief.tokens <= budget
    assert [said in brief.text for said in ("passports", TABLETS, "gate shuts")] == [True] * 3
    assert len(brief.record_ids) == len(quotes(brief.text)) == 3
    assert not brief.fact_ids


def test_some_room_holds_their_days(trip: Memory) -> None:
    brief = trip.recall(ASKED, speaker="Ane", budget=150).brief
    assert brief.tokens <= 150
    assert all(re.match(r"- 2026-03-\d\d, Ane: ", item) for item in quotes(brief.text))
    assert len(quotes(brief.text)) >= 3


def test_who_asked_is_told_where_several_did(trip: Memory) -> None:
    at = NOON + timedelta(days=20)
    trip.perceive("Remember this: my scooter goes on the ferry deck.", speaker="Peio", at=at, session="late").close()
    text = trip.recall(ASKED, speaker="Ane", budget=100).brief.text
    assert {"- Ane", "- Peio"} >= {item.split(":")[0] for item in quotes(text)} >= {"- Ane"}


def test_a_question_for_one_thing_is_answered_as_ever(trip: Memory) -> None:
    recall = trip.recall("Where does the ferry leave from?", speaker="Ane")
    assert "quay three" in recall.brief.text
    assert "was to be remembered" not in {why.rule for why in recall.reasons}


def test_a_turn_that_asks_nothing_is_no_question_for_them(trip: Memory) -> None:
    for text, asks in ((ASKED, True), ("I must remember to feed the cat before the ferry.", False)):
        brief = trip.perceive(text, speaker="Ane", at=NOON + timedelta(days=30), session="today").brief
        if asks:
            assert GATE in brief.text
            assert PASSPORTS in brief.text
        first = brief.items[0].text
        assert (GATE in first or PASSPORTS in first) is asks, "reminders come first"


def test_silence_where_they_have_nothing_to_do_with_the_question(trip: Memory) -> None:
    assert not trip.recall("What should I keep in mind about quantum chromodynamics?", speaker="Ane").brief.text


@table(
    "question",
    [
        "Ya el sábado nos embarcamos, ¿qué no se me puede olvidar del ferry?",
        "¿Qué no se me puede olvidar del ferry y qué maletas llevamos al barco de Santander?",
    ],
)
def test_no_time_and_no_criterion_keeps_them_out(question: str, memory: Memory) -> None:
    said = [
        "Vamos en ferry a Santander, qué ganas tengo.",
        "Apúntalo: los pasaportes caducan el 12 de mayo y sin ellos no hay ferry.",
        "El ferry huele a gasóleo y mi suegra se marea.",
        "Las maletas del barco son azules.",
    ]
    for day, text in enumerate(said):
        memory.perceive(text, speaker="Ane", at=NOON + timedelta(days=day), session=f"day {day}").close()
    recall = memory.recall(question, speaker="Ane", at=NOON + timedelta(days=30))
    assert "pasaportes caducan" in quotes(recall.brief.text)[0]


def test_what_names_a_time_to_come_is_no_window(trip: Memory) -> None:
    """ "On Saturday" is when they sail, not when it was said."""
    asked = "We sail on Saturday, what must I not forget for the ferry?"
    text = trip.recall(asked, speaker="Ane", at=NOON + timedelta(days=12)).brief.text
    assert "passports" in text
    assert TABLETS in text


def test_nothing_is_made_up_where_nothing_was_to_be_remembered(memory: Memory) -> None:
    memory.perceive("The ferry to Santander was late again.", speaker="Ane", at=NOON).close()
    recall = memory.recall(ASKED, speaker="Ane")
    assert "was to be remembered" not in {why.rule for why in recall.reasons}
