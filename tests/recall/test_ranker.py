"""Ranking without a database: late interaction, answer types, dates, two questions in one, features and their order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pytest
from evocations import NOWHERE, evoked
from tables import table

from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.model import NoteSource, RecordHit
from oroi_graph.providers.minilm import MiniLM
from oroi_graph.providers.word_vectors import MOST, bits, fit_of, pack, packed_width, read_bits
from oroi_graph.recall.decomposition import parts
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.question import Question, read_question
from oroi_graph.recall.ranking.features import Columns, Said, Values, first_features
from oroi_graph.recall.ranking.kept_texts import stems_of
from oroi_graph.recall.ranking.ranker import Met, Words, best_words, late_features, rank, shortlist
from oroi_graph.recall.time_windows import time_match
from oroi_graph.recall_options import Ranking, Selection
from oroi_graph.working_set.candidates import Candidate

RANKING = Ranking()


def asked(text: str) -> Question:
    return read_question(text, "Ana", None, OfflineExtractor())


def said(id: str, turn: int, text: str, **more: object) -> Candidate:
    given = {"speaker": "Ana", "session": "1", "at": None, "concepts": ()} | more
    return Candidate(id=id, turn_id=id, turn=turn, role="user", text=text, gist=False, **given)  # type: ignore[arg-type]


def met(records: Sequence[Candidate], near: Mapping[str, float] | None = None, **more: Collection[str]) -> Met:
    """near: {id: cosine to the question}, of what is not orthogonal to it."""
    return Met(records, {c.id: 0.0 for c in records} | dict(near or {}), **more)


def features(
    question: str,
    records: Sequence[Candidate],
    near: Mapping[str, float] | None = None,
    evocation: Evocation = NOWHERE,
) -> dict[str, Values]:
    return first_features(asked(question), evocation, Columns.of(records), met(records, near).cosines, RANKING)


def ranked(
    question: str, evocation: Evocation, records: list[Candidate], near: Mapping[str, float] | None = None
) -> list[RecordHit]:
    """Both stages, with an embedder that knows no words."""
    short = shortlist(asked(question), evocation, met(records, near), RANKING)
    return rank(short, Words(None, {c.id: None for c in records}, 64), {}, RANKING)


def signs(*words: list[float]) -> str:
    """Words of 64 dimensions, each a pattern of signs repeated."""
    return pack(np.array([np.resize(word, 64) for word in words]))


# --- late interaction ---------------------------------------------------------------------------------------


def test_signs_tell_the_angle() -> None:
    best = best_words(signs([1, 1, -1, -1]), [signs([1, 1, -1, -1]), signs([1, -1]), signs([-1, -1, 1, 1])], 64)
    assert best is not None
    assert best.tolist() == [[1.0, 0.0, -1.0]]


def test_each_word_of_the_question_looks_for_its_best() -> None:
    best = best_words(signs([1], [-1]), [signs([1], [1, -1]), signs([-1], [1])], 64)
    assert best is not None
    assert best.tolist() == [[1.0, 1.0], [0.0, 1.0]]


def test_a_record_without_words_gets_the_mean() -> None:
    best = best_words(signs([1]), [signs([1]), None, signs([-1])], 64)
    assert best is not None
    assert best.tolist() == [[1.0, 0.0, -1.0]]


@pytest.mark.parametrize(("question", "records"), [(None, [signs([1])]), (signs([1]), [None]), (signs([1]), [])])
def test_nothing_is_known(question: str | None, records: list[str | None]) -> None:
    assert best_words(question, records, 64) is None


def test_dimensions_that_fill_no_eight_bytes() -> None:
    words = np.resize([1.0, -1.0, -1.0], (1, 20))
    best = best_words(pack(words), [pack(words), pack(-words)], 20)
    assert best is not None
    assert best[0].tolist() == [1.0, -1.0]


def test_long_texts_keep_their_first_words() -> None:
    assert len(bits([pack(np.ones((MOST + 5, 64)))], 64)[0]) == MOST


@pytest.mark.parametrize("dimensions", [20, 64])
def test_a_second_reading_is_kept_beside_the_first(dimensions: int) -> None:
    first = np.resize([1.0, -1.0, -1.0], (2, dimensions))
    once, twice = pack(first), pack(first, -first, 40_961)
    assert [fit_of(one) for one in (once, twice)] == [None, 40_961]
    assert packed_width(twice) == 2 * (packed_width(once) or 0)
    best = best_words(once, [twice, once], dimensions)
    assert best is not None
    assert best == pytest.approx(1.0), "late interaction compares the first reading, with or without a second one"
    read, counts = read_bits([twice], dimensions)
    assert counts == [2]
    assert np.array_equal(np.unpackbits(read, axis=1)[:, :dimensions], -first > 0)
    with pytest.raises(ValueError, match="bytes"):
        read_bits([once], dimensions)
    with pytest.raises(ValueError, match="bytes"):
        bits([once], 8 * dimensions)


def test_the_model_tells_words_apart(minilm_folder: object) -> None:
    model = MiniLM(minilm_folder)  # type: ignore[arg-type]
    texts = ["My sister adopted a puppy.", "The bakery opens at seven.", ""]
    vectors, words = model.embed_words(texts)
    assert np.array_equal(vectors, model.embed(texts))
    assert words[:2] == model.embed_words(texts[:2])[1], "a text's words do not depend on its batch"
    best = best_words(model.embed_words(["dog"])[1][0], words[:2], model.dimensions)
    assert best is not None
    assert best.mean(axis=0)[0] > best.mean(axis=0)[1] + 0.1


# --- when ---------------------------------------------------------------------------------------------------


@table(
    ("question", "asks"),
    [
        ("When did Ana move?", True),
        ("For how long has she had it?", True),
        ("¿Cuándo se mudó Ana?", True),
        ("Há quanto tempo mora lá?", True),
        ("How many cats has she?", False),
        ("¿Dónde vive?", False),
        ("How many months passed between the two operations?", True),
        ("¿Cuántas semanas duró la obra?", True),
        ("Quantos anos ela morou lá?", True),
        ("¿Cuántas gatas tiene?", False),
        ("How did she feel when she won?", False),
        ("Who can give me a ride when I move?", False),
        ("O que ela come quando está doente?", False),
        ("Do you know when she moved?", True),
        ("Where did she live, and since when?", True),
        ("¿Quién hace la mudanza y para cuándo?", True),
        ("Quem vem, e quando?", True),
    ],
)
def test_whether_a_time_is_asked_for(question: str, asks: bool) -> None:
    assert time_match.is_asked(question) is asks


@table(
    ("question", "moment", "plan"),
    [
        ("When did Ana move?", True, False),
        ("Which year did Ana move?", True, False),
        ("How long did the move take?", False, False),
        ("How many weeks did the move take?", False, False),
        ("¿Cuánto tiempo duró la mudanza?", False, False),
        ("Where does Ana plan to live?", False, False),
        ("When is Ana going to move?", True, True),
        ("When did Ana decide to meet Bruno?", True, True),
        ("When will Hope meet Will?", True, True),
        ("When did Hope meet Will?", True, False),
        ("¿Cuándo va a mudarse Ana?", True, True),
        ("Quando é que a Ana vai mudar?", True, True),
        ("How long will the move take?", False, True),
    ],
)
def test_which_time_is_asked_for(question: str, moment: bool, plan: bool) -> None:
    assert (time_match.is_moment_asked(question), time_match.is_plan_asked(question)) == (moment, plan)


@table(
    ("text", "ahead"),
    [
        ("I'll come over tomorrow", True),
        ("let's paint next Saturday", True),
        ("we leave in two weeks", True),
        ("nos vemos mañana", True),
        ("salió por la mañana", False),
        ("el mes que viene empiezo", True),
        ("começo daqui a três semanas", True),
        ("we went there last week", False),
        ("I was there in May", False),
    ],
)
def test_whether_a_time_to_come_is_told(text: str, ahead: bool) -> None:
    assert time_match.is_ahead(text) is ahead


def test_the_time_of_a_plan_is_told_by_what_was_still_to_come() -> None:
    records = [said("was", 1, "We met last Saturday."), said("plan", 2, "We meet next Saturday.")]
    plan, event = "When did we plan to meet?", "When did we meet?"
    assert [hit.features["time ahead"] for hit in ranked(plan, NOWHERE, records)] == [1.0, 0.0]
    assert ranked(plan, NOWHERE, records)[0].id == "plan"
    assert {hit.features["time ahead"] for hit in ranked(event, NOWHERE, records)} == {0.0}


def test_an_event_is_told_of_where_its_words_are_first_said() -> None:
    texts = {"first": "The kiln is here!", "beside": "Good.", "again": "The kiln is hot.", "other": "The bread is hot."}
    records = [said(id, i, text, session=str(i // 2)) for i, (id, text) in enumerate(texts.items())]
    found = features("When did Ana get the kiln?", records)["first said"]
    assert found[0] == found[1] > 0
    assert found[2:].tolist() == [0.0, 0.0]
    for question in ("How long did Ana have the kiln?", "Where is the kiln?"):
        assert not features(question, records)["first said"].any()
    alike = [said(id, turn, "The kiln is here.", session=id) for turn, id in enumerate(("sooner", "later"))]
    assert [hit.id for hit in ranked("When did Ana get the kiln?", NOWHERE, alike)] == ["sooner", "later"]
    assert [hit.id for hit in ranked("Where is the kiln?", NOWHERE, alike)] == ["later", "sooner"]


def test_what_is_of_no_turn_is_not_said_first() -> None:
    records = [
        said("note", -2, "The kiln is here.", session="note n", note=NoteSource("kiln.md", 1, 1)),
        said("turn", 1, "The kiln is here."),
    ]
    found = features("When did Ana get the kiln?", records)["first said"]
    assert found[0] == 0.0 < found[1]


@table(
    ("text", "tells"),
    [
        ("we went there last week", True),
        ("I've had them for 3 years", True),
        ("nos mudamos hace dos meses", True),
        ("fomos lá na segunda", True),
        ("it was lovely to see Marta", False),
        ("I just got back from Canada", True),
        ("acabo de volver de Canadá", True),
        ("acabei de chegar", True),
        ("it's just a cat", False),
    ],
)
def test_whether_a_time_is_told(text: str, tells: bool) -> None:
    assert time_match.is_told(text) is tells


def test_what_just_happened_names_no_other_time() -> None:
    assert time_match.is_named("I got back last week")
    assert not time_match.is_named("I just got back from Canada")


def test_a_fitting_time_counts_less_for_what_is_far_from_the_theme() -> None:
    cosines = {"far": -0.2, "usual": 0.3, "near": 0.8}
    records = [said(id, i, "We ate.", fit=1.0) for i, id in enumerate(cosines)]
    worth = {hit.id: hit.features["when"] for hit in ranked("What did I cook in May?", NOWHERE, records, cosines)}
    assert worth == {"far": RANKING.far_in_time, "usual": 1.0, "near": 1.0}
    alike = dict.fromkeys(cosines, 0.3)
    assert {hit.features["when"] for hit in ranked("What did I cook in May?", NOWHERE, records, alike)} == {1.0}


@table(
    ("value", "year", "span"),
    [
        ("2022-04", "", ("2022-04-01", "2022-05-01")),
        ("2022-12", "", ("2022-12-01", "2023-01-01")),
        ("2023-12-04", "", ("2023-12-04", "2023-12-05")),
        ("2022", "", ("2022-01-01", "2023-01-01")),
        ("--06", "2023", ("2023-06-01", "2023-07-01")),
        ("--02-29", "2024", ("2024-02-29", "2024-03-01")),
        ("--02-29", "2023", None),
        ("--06", "", None),
        ("2023-06-19/2023-06-25", "", ("2023-06-19", "2023-06-26")),
        ("15 euros", "2023", None),
    ],
)
def test_days(value: str, year: str, span: tuple[str, str] | None) -> None:
    assert time_match.days(value, year) == span


@table(
    ("at", "worth"),
    [
        ("2022-04-10T09:00:00+00:00", 1.0),
        ("2022-05-05T09:00:00+00:00", RANKING.after_date),
        ("2022-05-20T09:00:00+00:00", 0.0),
        ("2022-03-31T23:00:00+00:00", 0.0),
        (None, 0.0),
    ],
)
def test_what_happened_is_told_soon_after(at: str | None, worth: float) -> None:
    assert time_match.fit(at, ["2022-04"], RANKING) == worth


# --- questions ----------------------------------------------------------------------------------------------


@table(
    ("question", "asked_for"),
    [
        ("Where does my sister Paloma live and what is her job?",
         ["Where does my sister Paloma live?", "what is Paloma's job?"]),
        ("¿Dónde vive Ana y en qué trabaja?", ["¿Dónde vive Ana?", "en qué trabaja, Ana?"]),
        ("What did the tent cost me and who has it on loan?",
         ["What did the tent cost me?", "who has the tent on loan?"]),
        ("Who is my landlord's wife and where does she teach?",
         ["Who is my landlord's wife?", "where does my landlord's wife teach?"]),
        ("¿Quién es el hijo de mi vecina y dónde juega?",
         ["¿Quién es el hijo de mi vecina?", "dónde juega, el hijo de mi vecina?"]),
        ("Who is my piano teacher and where does she live?",
         ["Who is my piano teacher?", "where does my piano teacher live?"]),
        ("Who is my boss and what is the wifi password?", ["Who is my boss?", "what is the wifi password?"]),
        ("Where and when did it start?", ["Where and when did it start?"]),
        ("Who likes bread and butter?", ["Who likes bread and butter?"]),
    ],
)  # fmt: skip
def test_two_questions_in_one(question: str, asked_for: list[str]) -> None:
    assert parts(question, Selection()) == asked_for


@table(
    ("question", "past", "first"),
    [
        ("Where did I live before?", True, False),
        ("¿Dónde trabajaba antes?", True, False),
        ("Onde eu morava antes?", True, False),
        ("Where did I work at the very beginning?", True, True),
        ("Where do I live?", False, False),
    ],
)
def test_the_past(question: str, past: bool, first: bool) -> None:
    read = asked(question)
    assert (read.past, read.first) == (past, first)


# --- features -----------------------------------------------------------------------------------------------


def test_an_answer_is_understood_from_the_question_before_it() -> None:
    records = [
        said("q", 1, "How long have you had your turtles?"),
        said("a", 2, "For 3 years now, they bring me joy."),
        said("x", 3, "The bakery is open.", session="2"),
    ]
    near = {"q": 0.7}
    found = features("For how long has Ana had the turtles?", records, near)
    assert found["answers"].tolist() == [0.0, 0.7, 0.0]
    late = late_features(None, found["meaning"], Columns.of(records), RANKING.neighbour_word)
    assert late["interaction around"].tolist() == pytest.approx([0.7, 0.56, 0.0])
    assert found["words before"][1] > 0 == found["words before"][2]
    assert ranked("For how long has Ana had the turtles?", NOWHERE, records, near)[0].id == "a"


def test_whoever_the_question_names_speaks() -> None:
    cue = Cue("Ana", "s", "Ana", "self", "exact", 1.0)
    evocation = evoked(cue)
    records = [said("a", 1, "I play chess."), said("b", 2, "I play chess.", speaker="Bruno")]
    found = features("What does Ana play?", records, evocation=evocation)
    assert found["who"].tolist() == [1.0, 0.0]
    assert [hit.id for hit in ranked("What does Ana play?", evocation, records)] == ["a", "b"]


def test_names_reach_what_records_mention() -> None:
    name = Cue("Kyoto", "k", "Kyoto", "name", "exact", 0.5)
    idle = Cue("tea", "t", "tea", "concept", "similar", 1.0)
    evocation = evoked(name, idle, waves=[[0.5, 0.0], [0.0, 1.0]])
    records = [said("a", 1, "…", concepts=("k",)), said("b", 2, "…", concepts=("t",)), said("c", 3, "…")]
    found = features("Is there tea in Kyoto?", records, evocation=evocation)
    assert found["reached"].tolist() == pytest.approx([0.5 * np.log1p(50.0), 0.0, 0.0])


def test_what_only_asks_stands_behind_what_tells_as_much() -> None:
    records = [said("a", 1, "It is here."), said("q", 2, "It is here?")]
    assert [hit.id for hit in ranked("Where is it?", NOWHERE, records, {"a": 0.5, "q": 0.5})] == ["a", "q"]


def test_no_candidates() -> None:
    assert ranked("Where does Ana live?", NOWHERE, []) == []


def test_words_of_many_texts_are_counted_as_those_of_each() -> None:
    texts = ["The dog and the cat", "", "A dog, a dog!", "Nothing of it", "cats"]
    found = Said(["dog", "cat", "bird"], [stems_of(text, "en") for text in texts])
    assert found.counts.tolist() == [[1, 0, 2, 0, 0], [1, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
    assert found.worths[0] == found.worths[1] < found.worths[2]
    scores = found.bm25(RANKING)
    assert (scores > 0).tolist() == [True, False, True, False, True]
    assert Said([], [stems_of("dog", "en")]).bm25(RANKING).tolist() == [0.0]


# --- two stages ----------------------------------------------------------------------------------------------


def test_the_second_stage_is_for_the_best_and_for_what_states_a_fact() -> None:
    ranking = Ranking(short_list=2)
    question = asked("Where is the bakery?")
    cosines = {"a": 0.1, "b": 0.9, "c": 0.5, "d": 0.4}
    records = [said(id, i, "…") for i, id in enumerate(cosines)]

    def kept(**more: Collection[str]) -> list[str]:
        return [c.id for c in shortlist(question, NOWHERE, met(records, cosines, **more), ranking).said]

    assert kept() == ["b", "c"]
    assert kept(stating={"a"}) == ["a", "b"]
    assert kept(retrieved={"d"}) == ["b", "d"]
    assert kept(stating={"a", "c", "d"}) == ["a", "c", "d"]


def test_among_equals_the_newest_is_best_then_the_first_by_id() -> None:
    records = [said("c", 1, "…"), said("b", 1, "…"), said("d", 2, "…"), said("a", 2, "…"), said("e", 3, "…")]
    near = dict.fromkeys("abcd", 0.5) | {"e": 0.1}
    short = shortlist(asked("Where is it?"), NOWHERE, met(records, near), Ranking(first_stage={"meaning": 1.0}))
    assert short.eligible == ["a", "d", "b", "c", "e"]
    assert [candidate.id for candidate in short.said] == ["c", "b", "d", "a", "e"], "in the order of saying"


def test_what_was_not_compared_is_like_the_last_that_was() -> None:
    records = [said("a", 1, "…"), said("b", 2, "…"), said("c", 3, "…")]
    found = first_features(asked("Where is it?"), NOWHERE, Columns.of(records), {"a": 0.6, "b": 0.3}, RANKING)
    assert found["meaning"].tolist() == [0.6, 0.3, 0.3]


def test_the_second_stage_knows_every_cosine_and_leaves_out_what_is_gone() -> None:
    records = [said("a", 1, "…"), said("b", 2, "…"), said("c", 3, "…")]
    short = shortlist(asked("Where is it?"), NOWHERE, Met(records, {"a": 0.6, "c": 0.5}), RANKING)
    found = rank(short, Words(None, {"a": None, "b": None}, 64), {"b": 0.9}, RANKING)
    assert [(hit.id, hit.features["meaning"]) for hit in found] == [("b", 0.9), ("a", 0.6)]


def test_words_decide_in_the_second_stage() -> None:
    records = [said("a", 1, "…", session="1"), said("b", 5, "…", session="2")]
    short = shortlist(asked("Where is it?"), NOWHERE, met(records), RANKING)
    words = {"a": signs([1, -1]), "b": signs([1])}
    assert [hit.id for hit in rank(short, Words(signs([1, -1]), words, 64), {}, RANKING)] == ["a", "b"]
    assert [hit.id for hit in rank(short, Words(signs([1]), words, 64), {}, RANKING)] == ["b", "a"]
