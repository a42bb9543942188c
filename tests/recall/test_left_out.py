"""What a brief does not quote of what was ranked: the rule that left each record out, as selection decided it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fake_openai import FakeOpenAI, endpoint, says
from graph_view import own_memory, stating, tell

from oroi_graph import ExtractedRelation, Extraction, Filters, Graph, LeftOut, Memory, Options, Recall
from oroi_graph.providers.openai.reranker import OpenAIReranker
from oroi_graph.recall.pipeline import recall as ask_recall
from oroi_graph.recall.request import Readers, RecallRequest
from oroi_graph.recall_options import Ranking, Selection

BEGIN = datetime(2026, 6, 1, 10, tzinfo=UTC)
TODAY = datetime(2026, 6, 22, 12, tzinfo=UTC)  # a Monday
EVERY = Options(selection=Selection(left_out=1000))
BILBAO, IRUN = "I live in Bilbao, in a small flat.", "I have moved, I live in Irun now."
ASKED = "Where do I keep the spare key of my flat?"
SAID = [
    "The roof is leaking again, I called the roofer.",
    "My sister Leire plays the oboe in Gernika.",
    ASKED,
    "The spare key hangs behind the clock.",
    "The roofer came and repaired the roof.",
    "The choir sings in Bermeo on Friday.",
    "Jon keeps bees, and the bees are angry.",
    "I bought two pumpkins at the market.",
]


@pytest.fixture(scope="module")
def june(graph: Graph) -> Iterator[Memory]:
    """Three weeks of what Ana said, a turn every second day."""
    with own_memory(graph) as memory:
        home = ("I", "lives in", "Bilbao")
        tell(memory, BILBAO, stating(home, names=["Bilbao"]), at=BEGIN, session="s", id="bilbao")
        for i, text in enumerate(SAID):
            at = BEGIN + timedelta(days=2 * i + 1)
            tell(memory, text, Extraction(), at=at, session="s", id=f"june-{i}")
        moved = ExtractedRelation("I", "lives in", "Irun", replaces=True)
        tell(memory, IRUN, stating(moved, names=["Irun"]), at=BEGIN + timedelta(days=18), session="s", id="irun")
        yield memory


def asked(
    memory: Memory,
    question: str,
    *,
    options: Options = EVERY,
    reranker: OpenAIReranker | None = None,
    **details: object,
) -> Recall:
    graph = memory.graph
    readers = Readers(embedder=graph.embedder, extractor=graph.question_extractor, reranker=reranker)
    request = RecallRequest(question, speaker="Ana", protagonists=("Ana",), at=TODAY, **details)  # type: ignore[arg-type]
    return ask_recall(graph.sets.reading_of(memory.name), memory.name, request, readers, options)


def rule(found: Recall, text: str) -> str | None:
    """What left a record out; None if nothing did."""
    return next((one.rule for one in found.left_out if one.record.text == text), None)


QUESTIONS = [
    ("Where do I live?", {}),
    ("Where did I live before?", {}),
    ("Where is the spare key, and what does Leire play?", {}),
    ("What did I say about the roof last week?", {}),
    ("What did I say about the roof in May?", {}),
    ("What did I say last week?", {}),
    ("What do you know about me?", {}),
    ("Which instrument is played in the town of the bombing?", {}),
    ("Who keeps insects and is angry?", {}),
    ("What does the committee think of the quarterly figures?", {}),
    ("Where is the spare key?", {"budget": 60}),
    ("Where is the spare key?", {"filters": Filters(since="2026-06-08")}),
]


@pytest.mark.parametrize("short", [False, True])
def test_each_ranked_record_is_quoted_or_left_out_by_a_rule(june: Memory, short: bool) -> None:
    options = replace(EVERY, ranking=Ranking(short_list=6, eligible=3)) if short else EVERY
    rules = set()
    for question, details in QUESTIONS:
        found = asked(june, question, options=options, **details)
        ranks = {one.record.id: one.rank for one in found.left_out if one.rank is not None}
        quoted = set(found.brief.record_ids)
        assert quoted.isdisjoint(ranks), question
        assert {hit.id for hit in found.ranked} <= quoted | ranks.keys(), question
        assert all(found.ranked[rank - 1].id == id for id, rank in ranks.items()), question
        assert list(ranks.values()) == sorted(ranks.values()), question
        rules |= {one.rule for one in found.left_out}
    assert ("not among the best by the first stage" in rules) is short
    assert len(rules) > 5


def test_a_replaced_record_is_left_out_as_superseded(june: Memory) -> None:
    found = asked(june, "Where do I live?")
    assert IRUN in found.brief.text
    assert rule(found, BILBAO) == "superseded"
    assert rule(asked(june, "Where did I live before?"), IRUN) == "not of what was so before"


def test_what_only_asks_is_left_out_as_such(june: Memory) -> None:
    found = asked(june, ASKED)
    assert "behind the clock" in found.brief.text
    assert rule(found, ASKED) == "asks and tells nothing"


@pytest.mark.parametrize(
    "wish", ["Forget my cousin Bernardo, please.", "Olvida a mi primo Bernardo.", "Esquece o meu primo Bernardo."]
)
def test_what_wishes_to_forget_answers_nothing(memory: Memory, wish: str) -> None:
    """Of whom nothing was known, so that nothing was forgotten: the wish stays, and is not quoted back."""
    said: dict[str, Any] = {"speaker": "Ana", "at": BEGIN}
    assert memory.perceive(wish, **said).refused is not None
    found = asked(memory, "Who is Bernardo?")
    assert "Bernardo" not in found.brief.text
    assert rule(found, wish) == "asks and tells nothing"
    assert wish not in memory.profile("Bernardo").brief.text
    memory.perceive("Bernardo, my cousin, is from Tolosa. Forget the cup.", **said)
    assert "Tolosa" in asked(memory, "Who is Bernardo?").brief.text


def test_what_has_no_room_is_left_out_by_the_budget_alone(june: Memory) -> None:
    """The same records are chosen with a large budget."""
    question = "What happened to the roof?"
    whole, small = asked(june, question), asked(june, question, budget=45)
    assert rule(whole, SAID[0]) is None
    assert rule(whole, SAID[4]) is None
    dropped = [one for one in small.left_out if one.rule == "no room in the budget"]
    assert {one.record.id for one in dropped} == set(whole.brief.record_ids) - set(small.brief.record_ids) != set()


def test_what_is_hardly_likely_is_told_with_its_probability(june: Memory) -> None:
    found = asked(june, "What happened to the roof?")
    pumpkins = next(one for one in found.left_out if "pumpkins" in one.record.text)
    assert pumpkins.rule == "below the likelihood line"
    quoted = [hit for hit in found.ranked if hit.id in found.brief.record_ids]
    assert pumpkins.record.features["probability"] < min(hit.features["probability"] for hit in quoted)


def test_silence_is_told_by_its_reason(june: Memory) -> None:
    found = asked(june, "What does the committee think of the quarterly figures?")
    assert not found.brief
    told = {one.record.text: one.rule for one in found.left_out}
    assert (told.pop(ASKED), told.pop(BILBAO)) == ("asks and tells nothing", "superseded")
    assert set(told.values()) == {"nothing is near to the question"}


def test_a_time_asked_for_leaves_out_what_was_said_at_another(june: Memory) -> None:
    found = asked(june, "What did I say about the roof between 9 June and 12 June?")
    assert SAID[4] in found.brief.text
    assert rule(found, SAID[0]) == "not of the time asked for"


def test_what_is_filtered_or_in_sight_is_not_ranked(june: Memory) -> None:
    question = "What happened to the roof?"
    free = asked(june, question)
    first, second = (next(hit for hit in free.ranked if hit.text == SAID[i]) for i in (0, 4))
    seen = asked(june, question, exclude=(1, frozenset({first.id})))
    assert seen.left_out[-1] == LeftOut(seen.left_out[-1].record, "before the model's eyes already", None)
    assert (rule(seen, SAID[0]), rule(seen, SAID[4])) == ("before the model's eyes already", None)
    later = asked(june, question, filters=Filters(since=second.at))
    # The search does not look for what a filter excludes; what stands around what it finds is met.
    barred = [one for one in later.left_out if one.rule == "does not pass the filters"]
    assert {one.rank for one in barred} == {None}
    assert {(one.record.at or "") < (second.at or "") for one in barred} == {True}
    assert {one.record.id for one in barred}.isdisjoint(hit.id for hit in later.ranked)


def test_the_list_is_as_long_as_the_options_say(june: Memory) -> None:
    every = [one for one in asked(june, "What happened to the roof?").left_out if one.rank is not None]
    three = asked(june, "What happened to the roof?", options=Options(selection=Selection(left_out=3)))
    assert list(three.left_out) == every[:3]
    assert len(every) > 3
    none = asked(june, "What happened to the roof?", options=Options(selection=Selection(left_out=0)))
    assert none.left_out == ()
    assert none.brief == three.brief


def test_a_model_that_chooses_is_named(june: Memory, fake_openai: FakeOpenAI) -> None:
    reranker = OpenAIReranker(endpoint(fake_openai, retries=0), "some-model")
    options = replace(EVERY, selection=Selection(left_out=1000, reranked=4))
    fake_openai.script(says(json.dumps({"needed": [1], "outdated": []})))
    found = asked(june, "What happened to the roof?", options=options, reranker=reranker)
    shown = [one["text"] for one in json.loads(fake_openai.requests[-1].body["messages"][1]["content"])["passages"]]
    assert [one.record.text for one in found.left_out if one.rule == "not shown to the model"]
    refused = {one.record.text for one in found.left_out if one.rule == "not chosen by a model"}
    assert refused == set(shown[1:])
    assert [hit.text for hit in found.ranked if hit.id in found.brief.record_ids] == [shown[0]]


def test_of_several_memories_each_tells_what_it_left_out(graph: Graph, june: Memory) -> None:
    with own_memory(graph) as other:
        tell(other, "The spare parts of the boat are in the shed.", Extraction(), speaker="Ana", at=BEGIN)
        tell(other, "We sang all night.", Extraction(), speaker="Ana", at=BEGIN)
        found = graph.recall([june.name, other.name], "What happened to the roof?", speaker="Ana", at=TODAY)
        quoted = {item.text for item in found.items}
        assert {name for name, _ in found.left_out} == {june.name, other.name}
        assert len(found.left_out) <= Selection().left_out
        assert all(one.rank is not None for _, one in found.left_out)
        for name, part in found.parts.items():
            own = {item.id for item in part.brief.items if item.kind == "record" and item.text not in quoted}
            told = {one.record.id: one.rule for memory, one in found.left_out if memory == name}
            assert {told[id] for id in own} <= {
                "another memory is much nearer to the question",
                "no room in the budget",
            }
        tight = graph.recall([june.name, other.name], "What happened to the roof?", speaker="Ana", at=TODAY, budget=45)
        assert "no room in the budget" in {one.rule for _, one in tight.left_out}
