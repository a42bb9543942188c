"""The reranker of a model over real HTTP, against a service that answers well and badly."""

from __future__ import annotations

import json
from datetime import date

import jsonschema
import pytest
from fake_openai import FakeOpenAI, endpoint, says
from tables import table

from oroi_graph.errors import ProviderError
from oroi_graph.providers.openai.reranker import LONGEST, OpenAIReranker
from oroi_graph.providers.protocols import Passage, Reranked, Reranker

TODAY = date(2026, 6, 22)
THREE = [Passage(f"2026-06-0{i}", "Ana", f"line {i}") for i in (1, 2, 3)]
GOOD = json.dumps({"needed": [1, 3], "outdated": [1], "words": []})


def reranker(fake: FakeOpenAI) -> OpenAIReranker:
    return OpenAIReranker(endpoint(fake), "some-model")


def test_passages_are_shown_with_day_and_speaker_and_chosen_by_schema(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(says(GOOD))
    model: Reranker = reranker(fake_openai)
    long = [*THREE[:2], Passage("", "Ana", "x" * 9000)]
    assert model.rerank("Where do I live?", "Ana", TODAY, long) == Reranked((0, 2), (0,))
    (request,) = fake_openai.requests
    schema = request.body["response_format"]["json_schema"]["schema"]
    jsonschema.validate(json.loads(GOOD), schema)
    document = json.loads(request.body["messages"][1]["content"])
    asked = {"question": "Where do I live?", "asked_by": "Ana", "today": "2026-06-22"}
    assert {name: document[name] for name in asked} == asked
    assert document["passages"][0] == {"index": 1, "day": "2026-06-01", "speaker": "Ana", "text": "line 1"}
    assert len(document["passages"][2]["text"]) == LONGEST
    assert model.rerank("Where do I live?", "Ana", TODAY, []) == Reranked(())
    assert len(fake_openai.requests) == 1


@table(
    "answer, found",
    [
        ('{"needed": [], "outdated": []}', Reranked(())),
        ('{"needed": ["3", 1, 1], "outdated": [2]}', Reranked((0, 2))),  # outdated, but not needed
        ('Sure!\n```json\n{"needed": [2], "outdated": [2]}\n```', Reranked((1,), (1,))),
        ("[2]", Reranked((1,))),
        ('{"needed": [2], "words": [{"index": 2, "text": " line "}]}', Reranked((1,), (), {1: "line"})),
        # Words of another passage, of one that is not needed, of none; and what is no list of words.
        ('{"needed": [2], "words": [{"index": 2, "text": "line 3"}, {"index": 1, "text": "line"}]}', Reranked((1,))),
        ('{"needed": [2], "words": [7, {"index": 2}, {"index": 2, "text": ""}]}', Reranked((1,))),
        ('{"needed": [2], "words": "line"}', Reranked((1,))),
    ],
)
def test_answers_are_read_tolerantly(fake_openai: FakeOpenAI, answer: str, found: Reranked) -> None:
    fake_openai.script(says(answer))
    assert reranker(fake_openai).rerank("?", "Ana", None, THREE) == found


@table("answer", ['{"needed": [4], "outdated": []}', '{"needed": [1], "outdated": 1}', '{"passages": [1]}', "none"])
def test_a_useless_answer_is_sent_back_once(fake_openai: FakeOpenAI, answer: str) -> None:
    fake_openai.script(says(answer), says(GOOD))
    assert reranker(fake_openai).rerank("?", "Ana", TODAY, THREE) == Reranked((0, 2), (0,))
    fake_openai.script(says(answer), says(answer))
    with pytest.raises(ProviderError, match="cannot be used"):
        reranker(fake_openai).rerank("?", "Ana", TODAY, THREE)
