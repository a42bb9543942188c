"""Questions that speak of time: everything in their windows is a candidate, what fits enters, and absence is said."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from graph_view import checksum, own_memory, stating, tell
from tables import table

from oroi_graph import ExtractedRelation, Extraction, Filters, Graph, InputError, Memory, Options, Recall
from oroi_graph.cli.talk import explanation
from oroi_graph.language.parsed_text import parse
from oroi_graph.language.tokens import count_tokens
from oroi_graph.model import TurnInput, canonical_json
from oroi_graph.providers.protocols import FoundConversation
from oroi_graph.recall.pipeline import recall as ask_recall
from oroi_graph.recall.request import Readers, RecallRequest
from oroi_graph.recall.time_windows.scope import Scope, scope_of
from oroi_graph.recall.time_windows.search import Inside, Said
from oroi_graph.recall_options import Ranking
from oroi_graph.storage.rows import episode
from oroi_graph.storage.store import vector
from oroi_graph.windows import Window, WindowReading
from oroi_graph.working_set.candidates import Candidate

TODAY = datetime(2026, 6, 22, 12, tzinfo=UTC)  # a Monday
RANKING = Ranking()

SAID = [
    ("2026-06-01", "s1", ["The roof is leaking again, I called the roofer.", "Iñaki wants 5000 euros for the roof."]),
    ("2026-06-03", "s2", ["My sister Leire moved to Gernika.", "She works at the harbour now."]),
    ("2026-06-10", "s4", ["The roofer came and repaired the roof.", "I paid him in cash."]),
    ("2026-06-16", "s5", ["The dentist said I need a crown.", "The choir sings in Bermeo on Friday."]),
    ("2026-06-19", "s6", ["The concert in Bermeo was wonderful.", "Leire cried during the last song."]),
]


@pytest.fixture(scope="module")
def june(graph: Graph) -> Iterator[Memory]:
    """Some sessions of June 2026, and a plan for August."""
    with own_memory(graph) as memory:
        for day, session, texts in SAID:
            for i, text in enumerate(texts):
                at = datetime.fromisoformat(f"{day}T10:0{i}:00+00:00")
                tell(memory, text, Extraction(), speaker="Ane", at=at, session=session, id=f"{session}-{i}")
        plan = ExtractedRelation("I", "will travel to", "Porto", when="2026-08")
        at = datetime(2026, 6, 5, 9, tzinfo=UTC)
        tell(memory, "I will travel to Porto, the flight is booked.", stating(plan, names=["Porto"]), speaker="Ane",
             at=at, session="s3", id="plan")  # fmt: skip
        yield memory


def asked(memory: Memory, question: str, **details: object) -> Recall:
    return memory.recall(question, **{"at": TODAY, **details})  # type: ignore[arg-type]


def text_of(memory: Memory, question: str, **details: object) -> str:
    return asked(memory, question, **details).brief.text


# --- a theme and a time --------------------------------------------------------------------------------------


@table(
    "question, told, untold",
    [
        ("What did we say about the roof on 10 June?", ["repaired the roof"], ["leaking", "5000"]),
        ("What did I say about the roof on the 1st of June?", ["leaking"], ["repaired"]),
        ("¿Qué dije del roof el 10 de junio?", ["repaired the roof"], ["leaking"]),
        ("What did I say about quantum physics last week?", [], ["crown", "choir", "concert"]),
        ("What did I tell you about the dentist last week?", ["crown"], ["roof"]),
        ("What did I do on 18 June 2026?", [], ["roof"]),
    ],
)
def test_a_time_decides_between_alike_records(
    june: Memory, question: str, told: Sequence[str], untold: Sequence[str]
) -> None:
    text = text_of(june, question)
    assert [word for word in told if word not in text] == []
    assert [word for word in untold if word in text] == []


def test_a_wrong_time_is_said_to_be_wrong(june: Memory) -> None:
    """Something was said on that day, but not that; what was said at another time comes with its date."""
    text = text_of(june, "What did I say about the roof on 3 June?")
    assert "Not said on 2026-06-03, but at another time:" in text
    assert "2026-06-01" in text
    assert "leaking" in text
    assert "Leire" not in text


def test_without_a_window_nothing_changes(june: Memory, graph: Graph) -> None:
    """Byte for byte what recall gives if it reads no windows at all."""
    blind = Graph(graph.store, graph.embedder, graph.extractor, _no_windows())
    for question in ("Where does my sister live?", "Who repaired the roof?", "How long is the 24/7 service open?"):
        found = asked(june, question)
        same = asked(blind.memory(june.name, create=False), question)
        assert found.windows == ()
        assert canonical_json(found.to_json()) == canonical_json(same.to_json())
        assert "windows" not in found.to_json()


def test_reading_windows_changes_nothing(june: Memory) -> None:
    before = checksum(june)
    for question in ("What did we talk about last week?", "What did I say about the roof on 2 June?"):
        asked(june, question)
    assert checksum(june) == before


def test_several_times_in_one_question(june: Memory) -> None:
    found = asked(june, "What did I say about the roof on 1 June and on 10 June?")
    assert [len(one.reading.windows) for one in found.windows] == [2]
    assert "leaking" in found.brief.text
    assert "repaired" in found.brief.text


def test_a_name_in_a_time_is_no_cue(memory: Memory) -> None:
    """June is a month in the question and a child in the memory."""
    at = datetime(2026, 6, 10, 9, tzinfo=UTC)
    child = stating(("Leire", "has daughter", "June"), names=["Leire", "June"])
    tell(memory, "Leire has a daughter called June.", child, at=at, session="a")
    tell(memory, "I repaired the bicycle.", Extraction(), at=at + timedelta(days=1), session="b")
    found = asked(memory, "What did I say about the bicycle on 11 June?", speaker="Ana")
    assert "June" not in {cue.label for cue in found.cues}
    assert "bicycle" in found.brief.text
    assert "daughter" not in found.brief.text


# --- said and happened ---------------------------------------------------------------------------------------


def test_the_time_of_saying_and_the_time_of_the_event_are_told_apart(june: Memory) -> None:
    planned = asked(june, "What did I plan for August?")
    assert planned.windows[0].reading.refers == "event"
    assert "Porto" in planned.brief.text
    assert "roof" not in planned.brief.text
    asked_later = datetime(2026, 9, 1, 12, tzinfo=UTC)
    said = asked(june, "What did I say in August?", at=asked_later)
    assert said.windows[0].reading.refers == "said"
    assert "Nothing was said" in said.brief.text
    said = asked(june, "What did I say about the roof in June?", at=asked_later)
    assert "Porto" not in said.brief.text
    assert "roof" in said.brief.text


def test_what_is_told_the_day_after_is_found_by_its_own_day(memory: Memory) -> None:
    at = datetime(2026, 6, 12, 9, tzinfo=UTC)
    tell(memory, "Yesterday I had lunch with Marta in Ondarroa.", Extraction(), at=at, session="a")
    tell(memory, "I had lunch alone today.", Extraction(), at=at, session="a", id="b")
    text = text_of(memory, "Where did I have lunch on 11 June?", speaker="Ana")
    assert "Ondarroa" in text
    assert "alone" not in text


def test_what_happened_then_is_found_though_told_later(memory: Memory) -> None:
    told = [
        ("2026-06-05", "I found a lamp for the hall.", Extraction()),
        ("2026-06-13", "The boiler is making noises.", Extraction()),
        ("2026-06-14", "Yesterday I went to the opera.", _dated("opera", "2026-06-13")),
        ("2026-06-15", "On 4 June I went to the dentist.", _dated("dentist", "2026-06-04")),
    ]
    for day, text, extraction in told:
        tell(memory, text, extraction, at=datetime.fromisoformat(f"{day}T09:00:00+00:00"), session=day, id=day)
    empty = text_of(memory, "What did I do on 4 June?", speaker="Ana")
    assert "Nothing was said on 2026-06-04." in empty
    assert "dentist" in empty
    assert "lamp" not in empty
    beside = text_of(memory, "What did I do on 13 June?", speaker="Ana")
    assert "boiler" in beside
    assert "opera" in beside
    assert "opera" not in text_of(memory, "What did we talk about on 13 June?", speaker="Ana")


def _dated(target: str, day: str) -> Extraction:
    """An association that is not sure enough to be stated as a fact."""
    return stating(ExtractedRelation("I", "went to", target, when=day, confidence=0.6), names=[target])


# --- a time alone --------------------------------------------------------------------------------------------


@table(
    "question, count, language",
    [
        ("What did we talk about last week?", "Said from 2026-06-15 to 2026-06-21: 2 sessions, 4 turns.", "en"),
        ("¿De qué hablamos la semana pasada?", "Dicho del 2026-06-15 al 2026-06-21: 2 sesiones, 4 turnos.", "es"),
        ("Sobre o que conversamos na semana passada?", "Dito de 2026-06-15 a 2026-06-21: 2 sessões, 4 turnos.", "pt"),
    ],
)
def test_a_time_alone_gets_a_digest_by_session(june: Memory, question: str, count: str, language: str) -> None:
    found = asked(june, question)
    lines = found.brief.text.splitlines()
    assert found.windows[0].alone
    assert f"- {count}" in lines, language
    heads = [line for line in lines if line.startswith(("- 2026-06-16 (s5", "- 2026-06-19 (s6"))]
    assert len(heads) == 2
    assert "crown" in found.brief.text
    assert "concert" in found.brief.text
    assert "roof" not in found.brief.text
    assert {hit.session for hit in found.records(10)} == {"s5", "s6"}


@table("budget", [30, 60, 90, 150, 300, 512])
def test_a_digest_stays_within_its_budget(june: Memory, budget: int) -> None:
    brief = asked(june, "What did we talk about in June?", budget=budget).brief
    assert count_tokens(brief.text) == brief.tokens <= budget
    if budget >= 60:
        assert "turns" in brief.text


def test_a_digest_is_explained_like_everything_else(june: Memory) -> None:
    found = asked(june, "What did we talk about last week?")
    assert len(found.reasons) == len(found.brief.record_ids) > 1
    assert {why.rule for why in found.reasons} == {"of the time asked for"}


def test_a_digest_knows_filters_and_what_is_in_sight(june: Memory) -> None:
    only = asked(june, "What did we talk about last week?", filters=Filters(session="s5"))
    assert {hit.session for hit in only.records(10)} == {"s5"}
    nobody = asked(june, "What did we talk about last week?", filters=Filters(speaker="Jon"))
    assert nobody.windows[0].records == 0
    assert "crown" not in nobody.brief.text
    assert "Nothing that passes the filters was said from 2026-06-15 to 2026-06-21." in nobody.brief.text
    notes = text_of(june, "¿De qué hablamos la semana pasada?", filters=Filters(kind="note"))
    assert "No se dijo nada que pase los filtros del 2026-06-15 al 2026-06-21." in notes
    since = asked(june, "What did we talk about last week?", filters=Filters(since="2026-06-18"))
    assert {hit.session for hit in since.records(10)} == {"s6"}
    seen = frozenset(hit.id for hit in since.records(10))
    request = RecallRequest(
        "What did we talk about last week?", speaker="Ane", protagonists=("Ane",), at=TODAY, exclude=(0, seen)
    )
    assert "concert" not in _recalled(june, request).brief.text


def test_an_empty_window_says_so_and_what_is_nearest(june: Memory) -> None:
    alone = asked(june, "What did we talk about on 8 June?")
    assert "Nothing was said on 2026-06-08." in alone.brief.text
    assert "Nearest to it, 2026-06-10:" in alone.brief.text
    assert "repaired" in alone.brief.text
    assert "Leire" not in alone.brief.text
    themed = text_of(june, "What did we say about the dentist on 8 June?")
    assert "Nothing was said on 2026-06-08." in themed
    assert "2026-06-16" in themed
    assert "crown" in themed
    before = text_of(june, "What did we talk about in 2019?")
    assert "from 2019-01-01 to 2019-12-31" in before
    assert "2026-06-01" in before


def test_an_empty_memory_says_that_nothing_was_said(memory: Memory) -> None:
    assert "Nothing was said on 2026-06-21" in text_of(memory, "What did we talk about yesterday?")


# --- everything in the window --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowded(graph: Graph) -> Iterator[Memory]:
    """700 records in 28 sessions, of which 500 are of May 2026; their vectors tell nothing."""
    with own_memory(graph) as memory:
        draw = random.Random(1)
        alike = np.ones(graph.embedder.dimensions)
        rows = []
        for i in range(700):
            day = date(2026, 5, 1) + timedelta(days=i % 25) if i < 500 else date(2026, 4, 1) + timedelta(days=i % 3)
            text = f"Entry {i}: {draw.choice(['bread', 'rain', 'bus', 'letters'])} as usual."
            if i == 333:
                text = "The lighthouse keeper was called Zigor."
            turn = TurnInput(
                text, f"e{i}", "Ana", "user", datetime(day.year, day.month, day.day, 9, tzinfo=UTC), f"d{day}"
            )
            rows.append({"properties": episode(memory.name, turn, i + 1, None), "vector": vector(alike)})
        graph.store.schema(
            "UNWIND $rows AS row CREATE (r:Record:Episode:IndexedRecord) SET r = row.properties, r.extraction = 'done' "
            "WITH r, row CALL db.create.setNodeVectorProperty(r, 'embedding', toFloatList(row.vector))",
            rows=rows,
        )
        graph.store.schema("MATCH (m:Memory {name: $name}) SET m.turn = 700, m.stamp = randomUUID()", name=memory.name)
        yield memory


def test_the_union_with_a_window_is_complete(crowded: Memory) -> None:
    """All 500 records of May are candidates, though no search by meaning or words finds more than some."""
    question = "What did I say about the keeper in May 2026?"
    found = asked(crowded, question, speaker="Ana")
    assert (found.windows[0].records, found.windows[0].sessions) == (500, 25)
    may = {one.id for one in _inside(crowded, question).said}
    assert len(may) == 500
    everything = replace(Options(), ranking=replace(Ranking(), short_list=2000))
    assert {hit.id for hit in _recalled(crowded, _request(question), options=everything).ranked} >= may
    without = replace(everything, search=replace(everything.search, windows=0))
    assert len(may & {hit.id for hit in _recalled(crowded, _request(question), options=without).ranked}) < 400


def test_a_window_beyond_the_limit_keeps_every_session(crowded: Memory) -> None:
    inside = _inside(crowded, "What did I say about the keeper since April 2026?")
    assert len(inside.said) == 700
    kept = inside.candidates(100)
    assert len(kept) == len(set(kept)) == 100
    sessions = {one.id: one.session for one in inside.said}
    assert {sessions[id] for id in kept} == set(sessions.values())


def test_a_long_time_is_summed_up_by_coarser_steps(crowded: Memory) -> None:
    text = text_of(crowded, "What did we talk about in May 2026?", speaker="Ana", budget=200)
    assert "25 sessions, 500 turns" in text
    assert "- 2026-05 (500 turns)" in text
    whole = text_of(crowded, "What did we talk about in May 2026?", speaker="Ana", budget=2000)
    assert sum(line.startswith("- 2026-05-") and "turns)" in line for line in whole.splitlines()) == 25


def test_memories_stay_apart(june: Memory, crowded: Memory, graph: Graph) -> None:
    found = graph.recall([june.name, crowded.name], "What did we talk about in May 2026?", at=TODAY).parts
    assert found[june.name].windows[0].records == 0
    assert "Entry" not in found[june.name].brief.text
    assert found[crowded.name].windows[0].records == 500


# --- days and offsets ----------------------------------------------------------------------------------------


def test_the_day_of_a_record_is_the_local_day_of_its_session(memory: Memory) -> None:
    """Half past eleven at night in Tokyo is the afternoon in Lisbon: each record has the day of its own place."""
    tokyo, lisbon = ZoneInfo("Asia/Tokyo"), ZoneInfo("Europe/Lisbon")
    late = datetime(2026, 6, 15, 0, 30, tzinfo=tokyo)  # 14 June, 16:30 in Lisbon
    tell(memory, "The train to Nara was full.", Extraction(), at=late, session="tokyo")
    tell(memory, "The tram to Belém was empty.", Extraction(), at=datetime(2026, 6, 14, 23, 30, tzinfo=lisbon),
         session="lisbon", id="l")  # fmt: skip
    on_14 = asked(
        memory, "What did we talk about on 14 June?", speaker="Ana", at=datetime(2026, 6, 20, 9, tzinfo=lisbon)
    )
    on_15 = asked(
        memory, "What did we talk about on 15 June?", speaker="Ana", at=datetime(2026, 6, 20, 9, tzinfo=tokyo)
    )
    assert [hit.session for hit in on_14.records(5)] == ["lisbon"]
    assert [hit.session for hit in on_15.records(5)] == ["tokyo"]


def test_yesterday_is_the_day_before_where_it_is_asked(memory: Memory) -> None:
    """At half past midnight on 21 June in Madrid it is still 20 June in UTC."""
    madrid = ZoneInfo("Europe/Madrid")
    tell(memory, "The pears are ripe.", Extraction(), at=datetime(2026, 6, 20, 22, tzinfo=madrid), session="pears")
    found = asked(memory, "What did we talk about yesterday?", speaker="Ana",
                  at=datetime(2026, 6, 21, 0, 30, tzinfo=madrid))  # fmt: skip
    assert found.windows[0].reading.windows == (Window(date(2026, 6, 20), date(2026, 6, 20)),)
    assert "pears" in found.brief.text


def test_the_day_of_a_clock_change_is_a_whole_day(memory: Memory) -> None:
    """29 March 2026 has 23 hours in Madrid; its first and last minutes have different offsets."""
    madrid = ZoneInfo("Europe/Madrid")
    times = [datetime(2026, 3, 29, 0, 5, tzinfo=madrid), datetime(2026, 3, 29, 23, 55, tzinfo=madrid)]
    assert times[0].utcoffset() != times[1].utcoffset()
    for i, at in enumerate(
        [*times, datetime(2026, 3, 28, 23, 59, tzinfo=madrid), datetime(2026, 3, 30, tzinfo=madrid)]
    ):
        tell(memory, f"Note {i} about the clock.", Extraction(), at=at, session=f"n{i}", id=f"n{i}")
    found = asked(memory, "What did we talk about on 29 March?", speaker="Ana")
    assert {hit.session for hit in found.records(10)} == {"n0", "n1"}


# --- a turn that may ask nothing -------------------------------------------------------------------------------


@table(
    "text, reads",
    [
        ("What did we talk about last week?", True),
        ("I remember you said something about gasoline last Sunday.", True),
        ("Yesterday I went to the dentist.", False),
    ],
)
def test_the_times_of_a_turn_count_only_if_it_asks(text: str, reads: bool) -> None:
    request = RecallRequest(text, speaker="Ana", at=TODAY, turn=True)
    assert (scope_of(parse(text, TODAY), request) is not None) is reads
    assert scope_of(parse(text, TODAY), replace(request, turn=False)) is not None


@table(
    "question, ahead",
    [
        ("What must I load in the truck this morning?", True),
        ("Vendor meals are due today. What can't the second shooter eat?", True),
        ("O que eu tenho que levar amanhã?", True),
        ("What did I eat today?", False),
        ("How many times has Leire gone to the beach this year?", False),
        ("Have you a plan for today?", True),
        ("¿Qué comí hoy?", False),
        ("What did I tell you today?", False),
        ("What did I cook last week?", False),
    ],
)
def test_a_question_about_now_is_told_from_one_about_the_past(question: str, ahead: bool) -> None:
    scope = scope_of(parse(question, TODAY), _request(question))
    assert (scope is None) is ahead


def test_a_question_about_now_is_answered_as_one_without_a_time(june: Memory, graph: Graph) -> None:
    blind = Graph(graph.store, graph.embedder, graph.extractor, _no_windows()).memory(june.name, create=False)
    for question in ("What must I load for the roofer today?", "Where does my sister live this week?"):
        found = asked(june, question)
        assert found.windows == ()
        assert canonical_json(found.to_json()) == canonical_json(asked(blind, question).to_json())


def test_a_day_that_no_calendar_has_is_refused(june: Memory) -> None:
    with pytest.raises(InputError, match="31 February") as error:
        asked(june, "What did I say on 31 February?")
    assert "\n" not in str(error.value)
    turn = june.perceive("What did I say on 31 February?", speaker="Ane", extraction=Extraction(), id="bad-day")
    assert turn.recall.windows == ()
    june.undo()


# --- how well a record fits --------------------------------------------------------------------------------------

MAY = Window(date(2026, 5, 1), date(2026, 5, 31))
TENTH = Window(date(2026, 5, 10), date(2026, 5, 10))


def _fit(window: Window, refers: str, at: str, text: str = "We met.", dated: Sequence[str] = ()) -> float:
    reading = WindowReading((), (window,), refers, "we met", False)  # type: ignore[arg-type]
    record = Candidate("r", "r", 1, "user", "Ana", "s", at, text, False, ())
    return Scope(reading, "en").fit(record, dated, RANKING)


@table(
    "refers, at, text, fit",
    [
        ("said", "2026-05-10T23:59:00+02:00", "We met.", 1.0),
        ("said", "2026-05-11T00:01:00+02:00", "We met yesterday.", 0.0),
        ("either", "2026-05-11T00:01:00+02:00", "We met yesterday.", 1.0),
        ("event", "2026-05-11T00:01:00+02:00", "We met yesterday.", 1.0),
        ("event", "2026-05-10T09:00:00+02:00", "We met.", 0.6),
        ("either", "2026-05-12T09:00:00+02:00", "We met.", 0.6),
        ("either", "2026-05-14T09:00:00+02:00", "We met.", 0.0),
        ("either", "2026-05-16T09:00:00+02:00", "We met last week.", 1.0),
        ("either", "2026-06-16T09:00:00+02:00", "We met last month.", 0.0),
    ],
)
def test_how_well_a_record_fits_a_day(refers: str, at: str, text: str, fit: float) -> None:
    assert _fit(TENTH, refers, at, text) == fit


def test_how_well_a_record_fits_a_month() -> None:
    assert _fit(MAY, "either", "2026-06-16T09:00:00+02:00", "We met last month.") == 1.0
    assert _fit(MAY, "event", "2026-01-01T09:00:00+01:00", dated=["r"]) == 1.0
    assert _fit(MAY, "said", "2026-01-01T09:00:00+01:00", dated=["r"]) == 0.0
    assert _fit(MAY, "event", "2026-06-05T09:00:00+02:00") == 0.6
    assert _fit(Window(date.min, date.max), "said", "2026-06-05T09:00:00+02:00") == 1.0


def test_of_too_many_records_the_nearest_stay() -> None:
    said = tuple(Said(f"r{i:03d}", f"s{i % 7}", "2026-05-10T09:00:00+00:00", "user", 9, 0, i / 100) for i in range(100))
    kept = Inside(said, 0, (), frozenset()).candidates(20)
    assert set(kept) >= {f"r{i:03d}" for i in range(90, 100)}
    assert len({id for id in kept if int(id[1:]) >= 93}) == 7


# --- the model's filter -------------------------------------------------------------------------------------------


class Chooses:
    """A relevance filter that keeps what holds a word, and notes what it was asked."""

    name = "test"

    def __init__(self, word: str) -> None:
        self.word = word
        self.seen: list[tuple[str, date | None, Sequence[FoundConversation]]] = []

    def relevant(self, question: str, today: date | None, conversations: Sequence[FoundConversation]) -> list[int]:
        self.seen.append((question, today, conversations))
        return [i for i, one in enumerate(conversations) if any(self.word in line for line in one.lines)]


def test_a_filter_decides_which_sessions_stay(june: Memory) -> None:
    question = "What did I say about the roof in June?"
    chooses = Chooses("leaking")
    found = _recalled(june, _request(question), chooses)
    assert "leaking" in found.brief.text
    assert "repaired" not in found.brief.text
    assert found.windows[0].kept is not None
    assert found.windows[0].kept[0] == 1
    ((asked_for, today, conversations),) = chooses.seen
    assert (asked_for, today) == (question, date(2026, 6, 22))
    assert any(one.day == "2026-06-10" and any("repaired" in line for line in one.lines) for one in conversations)
    nothing = _recalled(june, _request(question), Chooses("no such word"))
    assert nothing.brief.text == ""


def test_a_filter_is_not_asked_without_a_theme_or_a_time(june: Memory) -> None:
    chooses = Chooses("leaking")
    for question in ("What did we talk about last week?", "Who repaired the roof?"):
        _recalled(june, _request(question), chooses)
    assert chooses.seen == []


# --- explanation --------------------------------------------------------------------------------------------------


def test_an_explanation_shows_window_and_reason(june: Memory) -> None:
    found = asked(june, "What did I tell you about the dentist last week?")
    (line,) = [line for line in explanation(found).splitlines() if line.startswith("time: ")]
    assert "last week" in line
    assert "2026-06-15/2026-06-21" in line
    assert found.windows[0].reading.expressions[0].reason in line
    assert "4 records in 2 sessions" in line
    (line,) = [
        line
        for line in explanation(asked(june, "What did I say about Porto on 5 June?")).splitlines()
        if line.startswith("time: ")
    ]
    assert "1 record in 1 session, 0 dated facts" in line
    told = found.to_json()["windows"][0]
    assert (told["records"], told["refers"], told["windows"]) == (
        4, "said", [{"start": "2026-06-15", "end": "2026-06-21"}]
    )  # fmt: skip


def _no_windows() -> Options:
    return replace(Options(), search=replace(Options().search, windows=0))


def _request(question: str) -> RecallRequest:
    return RecallRequest(question, speaker="Ane", protagonists=("Ane",), at=TODAY)


def _recalled(
    memory: Memory, request: RecallRequest, relevance: Chooses | None = None, options: Options | None = None
) -> Recall:
    graph = memory.graph
    readers = Readers(embedder=graph.embedder, extractor=graph.question_extractor, relevance=relevance)
    return ask_recall(graph.sets.reading_of(memory.name), memory.name, request, readers, options or graph.options)


def _inside(memory: Memory, question: str) -> Inside:
    from oroi_graph.recall.time_windows.search import search_windows

    scope = scope_of(parse(question, TODAY), _request(question))
    assert scope is not None
    row = memory.graph.embedder.embed([question])[0]
    return memory.graph.sets.read(
        memory.name, lambda tx: search_windows(tx, memory.name, scope, row, _request(question))
    )
