"""Windows read by a model over real HTTP: good answers, odd forms, and answers that the rules reject."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import jsonschema
import pytest
from fake_openai import KEY, FakeOpenAI, endpoint, refuses, says, status
from tables import table

from oroi_graph.connection import open_windows
from oroi_graph.errors import ProviderError
from oroi_graph.settings import Settings
from oroi_graph.windows import Window, read_windows
from oroi_graph.windows.by_model import OpenAIWindows

TODAY = date(2026, 3, 18)  # a Wednesday
SUNDAY = Window(date(2026, 3, 15), date(2026, 3, 15))
QUESTION = "What did we say about the roof last Sunday?"


def reader(fake: FakeOpenAI, **options: Any) -> OpenAIWindows:
    return OpenAIWindows(endpoint(fake, **options), "some-model")


def dates(*given: tuple[str, str]) -> str:
    """An answer with periods."""
    return json.dumps({"dates": [{"start": start, "end": end} for start, end in given]})


def test_windows_are_asked_by_schema_and_read(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(says(dates(("2026-03-08", "2026-03-08"))))
    reading = reader(fake_openai)(QUESTION, TODAY)
    assert reading.windows == (Window(date(2026, 3, 8), date(2026, 3, 8)),)
    assert (reading.refers, reading.theme) == ("said", "What did we say about the roof ?")
    assert [(e.text, e.reason) for e in reading.expressions] == [("last Sunday", "read by openai:some-model")]
    (request,) = fake_openai.requests
    form = request.body["response_format"]
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    jsonschema.validate(json.loads(dates(("2026-03-08", "2026-03-08"))), form["json_schema"]["schema"])
    document = json.loads(request.body["messages"][1]["content"])
    assert document == {"message": QUESTION, "today": "Wednesday 2026-03-18"}


def test_where_both_agree_the_rules_are_told(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(says(dates(("2026-03-15", "2026-03-15"))))
    assert reader(fake_openai)(QUESTION, TODAY) == read_windows(QUESTION, TODAY)


@pytest.mark.parametrize(
    "said",
    [
        'Here you are:\n```json\n{"dates": [{"start": "2026-03-08", "end": "2026-03-08"}]}\n```',
        '{"dates": [{"start": "03/08/2026", "end": ""}]}',
        '{"dates": [{"start": "2026-03-08"}], "note": "a Sunday"}',
        '[{"start": "2026-03-08T00:00:00Z", "end": "2026-03-08"}]',
    ],
)
def test_other_forms_of_an_answer_are_read(fake_openai: FakeOpenAI, said: str) -> None:
    fake_openai.script(says(said))
    assert reader(fake_openai)(QUESTION, TODAY).windows == (Window(date(2026, 3, 8), date(2026, 3, 8)),)


@table(
    "question, answer",
    [
        (QUESTION, [("2026-03-16", "2026-03-16")]),  # a Monday
        (QUESTION, [("2027-03-14", "2027-03-14")]),  # a Sunday to come
        ("What did we say about the roof?", [("2026-03-15", "2026-03-15")]),  # made up
        ("What did I say since May?", [("1200-05-01", "2026-03-18")]),  # centuries
    ],
)
def test_what_breaks_a_rule_is_replaced_by_the_offline_reading(
    question: str, answer: list[tuple[str, str]], fake_openai: FakeOpenAI
) -> None:
    fake_openai.script(says(dates(*answer)))
    assert reader(fake_openai)(question, TODAY) == read_windows(question, TODAY)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (says('{"dates": ['), "not valid JSON"),
        (says("[" * 50_000), "nested too deeply"),
        (says(f'So: {"[" * 50_000} {{"dates": {"[" * 50_000}}}'), "not valid JSON"),
        (says(None), "not valid JSON"),
        (says('{"dates": null}'), 'the list "dates"'),
        (says('{"dates": ["2026-03-15"]}'), 'object with "start" and "end"'),
        (says(dates(("2026-03-15", "2026-03-08"))), "cannot end"),
        (says(dates(("31/12/2025", "31/12/2025"))), "YYYY-MM-DD"),
        (says(dates(("2026-02-30", "2026-02-30"))), "YYYY-MM-DD"),
        (refuses("I can't."), "I can't."),
    ],
)
def test_an_unusable_answer_is_sent_back_once_then_the_rules_read(
    fake_openai: FakeOpenAI, said: Any, wrong: str
) -> None:
    fake_openai.script(said, said)
    assert reader(fake_openai)(QUESTION, TODAY).windows == (SUNDAY,)
    first, second = (request.body["messages"] for request in fake_openai.requests)
    assert second[:2] == first
    assert wrong in second[3]["content"]


def test_no_period_is_an_answer(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(says(dates()))
    reading = reader(fake_openai)(QUESTION, TODAY)
    assert (reading.windows, reading.expressions, reading.theme) == ((), (), QUESTION)


def test_a_service_that_fails_is_an_error(fake_openai: FakeOpenAI) -> None:
    fake_openai.always(status(500, message="out of order"))
    with pytest.raises(ProviderError, match="out of order"):
        reader(fake_openai, retries=0)(QUESTION, TODAY)


def test_the_settings_choose(fake_openai: FakeOpenAI) -> None:
    assert open_windows(Settings()) is read_windows
    chosen = open_windows(Settings(windows="openai", openai_api_key=KEY, openai_base_url=fake_openai.url))
    fake_openai.script(says(dates(("2026-03-15", "2026-03-15"))))
    assert chosen(QUESTION, TODAY).windows == (SUNDAY,)
