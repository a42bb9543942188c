"""The relevance filter of a model over real HTTP, against a service that answers well and badly."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import jsonschema
import pytest
from fake_openai import FakeOpenAI, endpoint, refuses, says, status
from tables import table

from oroi_graph.errors import ProviderError
from oroi_graph.providers.openai.relevance import LONGEST, MOST, OpenAIRelevance
from oroi_graph.providers.protocols import FoundConversation, RelevanceFilter

TODAY = date(2026, 6, 22)
THREE = [FoundConversation(f"2026-06-0{i}", (f"Ana: line {i}", "Assistant: yes")) for i in (1, 2, 3)]
GOOD = json.dumps({"relevant_conversations": [1, 3]})


def relevance(fake: FakeOpenAI, **options: Any) -> OpenAIRelevance:
    return OpenAIRelevance(endpoint(fake, **options), "some-model")


def test_conversations_are_shown_with_their_days_and_chosen_by_schema(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(says(GOOD))
    chooser: RelevanceFilter = relevance(fake_openai)
    assert chooser.relevant("What did I say on 1 June?", TODAY, THREE) == [0, 2]
    (request,) = fake_openai.requests
    form = request.body["response_format"]
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    jsonschema.validate(json.loads(GOOD), form["json_schema"]["schema"])
    document = json.loads(request.body["messages"][1]["content"])
    assert (document["question"], document["today"]) == ("What did I say on 1 June?", "2026-06-22")
    assert document["conversations"][0] == {"index": 1, "day": "2026-06-01", "lines": list(THREE[0].lines)}


@table(
    "answer, kept",
    [
        ('{"relevant_conversations": []}', []),
        ('{"relevant_conversations": ["3", 1, 1]}', [0, 2]),
        ("[2]", [1]),
        ('Sure!\n```json\n{"relevant_conversations": [2]}\n```', [1]),
        ('{not json} but {"relevant_conversations": [3]} it is', [2]),
    ],
)
def test_answers_are_read_tolerantly(fake_openai: FakeOpenAI, answer: str, kept: list[int]) -> None:
    fake_openai.script(says(answer))
    assert relevance(fake_openai).relevant("?", None, THREE) == kept


@table(
    "answer",
    [
        '{"relevant_conversations": [4]}', '{"relevant_conversations": [0]}', '{"relevant_conversations": "1"}',
        '{"relevant_conversations": [true]}', '{"conversations": [1]}', "none of them", "",
    ],
)  # fmt: skip
def test_a_useless_answer_is_sent_back_once(fake_openai: FakeOpenAI, answer: str) -> None:
    before = len(fake_openai.requests)
    fake_openai.script(says(answer), says(GOOD))
    assert relevance(fake_openai).relevant("?", TODAY, THREE) == [0, 2]
    first, second = fake_openai.requests[before:]
    assert len(second.body["messages"]) == len(first.body["messages"]) + 2
    fake_openai.script(says(answer), says(answer))
    with pytest.raises(ProviderError, match="cannot be used"):
        relevance(fake_openai).relevant("?", TODAY, THREE)


def test_deep_lists_and_long_numbers_are_useless_answers(fake_openai: FakeOpenAI) -> None:
    for answer in ("[" * 50_000, "So: " + '{"a": ' * 50_000, f'{{"relevant_conversations": ["{"9" * 5_000}"]}}'):
        fake_openai.script(says(answer), says(GOOD))
        assert relevance(fake_openai).relevant("?", TODAY, THREE) == [0, 2]


def test_refusals_and_failures_are_errors(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(refuses(), refuses())
    with pytest.raises(ProviderError, match="refused"):
        relevance(fake_openai).relevant("?", TODAY, THREE)
    fake_openai.script(status(500), status(500))
    with pytest.raises(ProviderError, match="overloaded or failing"):
        relevance(fake_openai, retries=1).relevant("?", TODAY, THREE)


def test_nothing_is_asked_about_nothing_and_long_texts_are_cut(fake_openai: FakeOpenAI) -> None:
    assert relevance(fake_openai).relevant("?", TODAY, []) == []
    assert fake_openai.requests == []
    fake_openai.script(says('{"relevant_conversations": [1]}'))
    relevance(fake_openai).relevant("?", TODAY, [FoundConversation("", ("x" * 9000,) * 200)])
    lines = json.loads(fake_openai.requests[0].body["messages"][1]["content"])["conversations"][0]["lines"]
    assert len(lines) == MOST
    assert {len(line) for line in lines} == {LONGEST}
