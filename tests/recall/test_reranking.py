"""A model's choice among the likeliest records, on a real memory and over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from fake_openai import KEY, FakeOpenAI, endpoint, hangs, says, status
from graph_view import own_memory, tell

from oroi_graph import Extraction, Graph, Memory, Recall
from oroi_graph.connection import open_reranker
from oroi_graph.providers.openai.reranker import OpenAIReranker
from oroi_graph.recall.pipeline import recall as ask_recall
from oroi_graph.recall.request import Readers, RecallRequest
from oroi_graph.settings import Settings

TODAY = datetime(2026, 6, 22, 12, tzinfo=UTC)
SAID = [
    "The band meets on Tuesdays at his garage.",
    "I had pancakes and the train was late.",
    "The neighbour complained, so the band meets at the laundromat, Sundays.",
    "My cousin's choir meets on Mondays.",
]
QUESTION = "Which night does the band meet?"


@pytest.fixture(scope="module")
def band(graph: Graph) -> Iterator[Memory]:
    with own_memory(graph) as memory:
        for i, text in enumerate(SAID):
            at = datetime(2026, 1 + i, 1, 10, tzinfo=UTC)
            tell(memory, text, Extraction(), speaker="Ane", at=at, session=f"s{i}", id=f"band-{i}")
        yield memory


def _reranker(fake: FakeOpenAI) -> OpenAIReranker:
    return OpenAIReranker(endpoint(fake, retries=0), "some-model")


def _recalled(memory: Memory, fake: FakeOpenAI, question: str = QUESTION, budget: int | None = None) -> Recall:
    graph = memory.graph
    readers = Readers(embedder=graph.embedder, extractor=graph.question_extractor, reranker=_reranker(fake))
    request = RecallRequest(question, speaker="Ane", protagonists=("Ane",), at=TODAY, budget=budget)
    return ask_recall(graph.sets.reading_of(memory.name), memory.name, request, readers, graph.options)


def _shown(fake: FakeOpenAI) -> list[str]:
    return [one["text"] for one in json.loads(fake.requests[-1].body["messages"][1]["content"])["passages"]]


def test_what_the_model_needs_is_the_brief_and_what_was_replaced_is_marked(
    band: Memory, fake_openai: FakeOpenAI
) -> None:
    fake_openai.script(says(json.dumps({"needed": [], "outdated": []})))
    silent = _recalled(band, fake_openai)
    shown = _shown(fake_openai)
    assert not silent.brief
    assert silent.failure is None
    assert [text for text in SAID if text in shown] == shown, "passages stand in the order of the conversation"
    old, new = (shown.index(SAID[i]) + 1 for i in (0, 2))
    fake_openai.script(says(json.dumps({"needed": [old, new], "outdated": [old]})))
    found = _recalled(band, fake_openai)
    assert {why.rule for why in found.reasons if why.item.endswith('"')} == {"chosen by a model"}
    lines = found.brief.text.splitlines()
    assert sum("(earlier)" in line for line in lines) == 1
    assert any("(earlier)" in line and "Tuesdays" in line for line in lines)
    assert any("Sundays" in line for line in lines)
    assert not any("Mondays" in line for line in lines)


WISH = "Please remember for the ferry trip: the passports have to be renewed before 12 May, or we all stay at home."
CHAT = (
    "The ferry trip is what we talk about at lunch, with maps and pencils, and they say the third deck has no railing."
)
KEEP_IN_MIND = "What should I keep in mind for the ferry trip?"


@pytest.fixture(scope="module")
def ferry(graph: Graph) -> Iterator[Memory]:
    with own_memory(graph) as memory:
        for i, text in enumerate((WISH, CHAT)):
            at = datetime(2026, 3, 1 + i, 10, tzinfo=UTC)
            tell(memory, text, Extraction(), speaker="Ane", at=at, session=f"s{i}", id=f"ferry-{i}")
        yield memory


def _chooses(fake: FakeOpenAI, *needed: int, **words: str) -> None:
    excerpts = [{"index": int(index.removeprefix("of_")), "text": text} for index, text in words.items()]
    fake.script(says(json.dumps({"needed": needed, "outdated": [], "words": excerpts})))


def test_what_was_to_be_remembered_comes_behind_what_the_model_chose(ferry: Memory, fake_openai: FakeOpenAI) -> None:
    """As far as there is room; nothing of it where the model says that nothing answers."""
    _chooses(fake_openai, 2)
    found = _recalled(ferry, fake_openai, KEEP_IN_MIND)
    assert _shown(fake_openai) == [WISH, CHAT]
    assert [why.rule for why in found.reasons] == ["chosen by a model", "was to be remembered"]
    assert found.brief.text.index(CHAT) < found.brief.text.index(WISH)
    _chooses(fake_openai, 2)
    small = _recalled(ferry, fake_openai, KEEP_IN_MIND, budget=70).brief
    assert len(small.items) == 1
    assert "passports" not in small.text
    _chooses(fake_openai)
    assert not _recalled(ferry, fake_openai, KEEP_IN_MIND).brief


def test_where_there_is_no_room_the_words_are_quoted_that_the_model_says_are_needed(
    ferry: Memory, fake_openai: FakeOpenAI
) -> None:
    words = {"of_1": "the passports have to be renewed before 12 May", "of_2": "the third deck has no railing"}
    asked = ((KEEP_IN_MIND, 76, ""), ("What do they say of the deck and of passports?", 90, "Ane: "))
    for question, budget, head in asked:
        _chooses(fake_openai, 1, 2, **words)
        assert WISH in _recalled(ferry, fake_openai, question).brief.text, "there is room"
        _chooses(fake_openai, 1, 2, **words)
        small = _recalled(ferry, fake_openai, question, budget=budget).brief
        assert small.tokens <= budget
        assert f'{head}"…{words["of_1"]}…"' in small.text
        assert f'{head}"…{words["of_2"]}"' in small.text


def test_if_the_model_fails_the_brief_is_made_offline_and_says_so(band: Memory, fake_openai: FakeOpenAI) -> None:
    fake_openai.script(status(500))
    found = _recalled(band, fake_openai)
    assert "Sundays" in found.brief.text
    assert found.failure is not None
    assert found.to_json()["failure"] == found.failure


def test_small_talk_asks_no_model(band: Memory, fake_openai: FakeOpenAI) -> None:
    assert not _recalled(band, fake_openai, "ok, thanks").brief
    assert fake_openai.requests == []


def test_a_turn_that_only_tells_asks_no_model(graph: Graph, fake_openai: FakeOpenAI) -> None:
    """Its brief is made of what is near; that nothing answers it is no reason to be silent."""
    with own_memory(graph) as memory, patch.object(memory.graph, "reranker", _reranker(fake_openai)):
        at = datetime(2026, 5, 1, 10, tzinfo=UTC)
        for i, text in enumerate(SAID):
            memory.perceive(text, speaker="Ane", at=at + timedelta(days=i), session=f"s{i}").close()
        fake_openai.requests.clear()
        telling = memory.perceive("The band meets again on Friday.", speaker="Ane", at=TODAY, session="today")
        assert "Sundays" in telling.brief.text
        assert fake_openai.requests == []
        telling.close()
        fake_openai.script(says(json.dumps({"needed": [], "outdated": []})))
        asking = memory.perceive("Hello. Where does the band meet?", speaker="Ane", at=TODAY, session="today")
        assert not asking.brief
        assert len(fake_openai.requests) == 1


def test_a_question_does_not_wait_long_for_a_model(band: Memory, fake_openai: FakeOpenAI) -> None:
    """Asked once, however patient other calls of models are: the brief is made offline."""
    fake_openai.always(hangs)
    settings = Settings(
        reranker="openai", openai_api_key=KEY, openai_base_url=fake_openai.url, timeout=600.0, recall_timeout=0.3
    )
    with patch.object(band.graph, "reranker", open_reranker(settings)):
        found = band.recall(QUESTION, speaker="Ane", at=TODAY)
    assert "Sundays" in found.brief.text
    assert "did not answer" in (found.failure or "")
    assert len(fake_openai.requests) == 1
