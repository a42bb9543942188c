"""Gists by a model over real HTTP, and gists without one, as any summarizer must make them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from fake_openai import KEY, FakeOpenAI, echoes_key, endpoint, refuses, says, status

from oroi_graph.errors import ProviderError
from oroi_graph.providers.extractive import ExtractiveSummarizer
from oroi_graph.providers.openai.models import Usage
from oroi_graph.providers.openai.summarizer import OpenAISummarizer
from oroi_graph.providers.protocols import Summarizer

TEXT = "¡Hola! Ayer me mudé a Valencia, por fin, con mi hermana Eva. Llovió todo el día. Trabajo en Iberdata."
FACTS = ("As told in March 2026, Ana lives in Valencia.", "Eva")
GIST = "Me mudé a Valencia con mi hermana Eva. Trabajo en Iberdata."


def answer(gist: Any) -> str:
    return json.dumps({"gist": gist})


def summarizer(fake: FakeOpenAI, **more: Any) -> OpenAISummarizer:
    return OpenAISummarizer(endpoint(fake, **more), "local")


@pytest.mark.parametrize("make", [lambda fake: ExtractiveSummarizer(), summarizer], ids=["extractive", "openai"])
def test_any_summarizer(fake_openai: FakeOpenAI, make: Callable[[FakeOpenAI], Summarizer]) -> None:
    fake_openai.always(says(answer(GIST)))
    made = make(fake_openai)
    assert isinstance(made, Summarizer)
    assert made.name
    gist = made.gist(TEXT, FACTS, 90)
    assert "Valencia" in gist
    assert len(gist) <= 90


def test_what_is_asked_and_what_comes_back(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(says(answer(f"  {GIST}\n")))
    made = summarizer(fake_openai)
    assert made.name == "openai:local"
    assert made.gist(TEXT, FACTS, 90) == GIST
    (request,) = fake_openai.requests
    system, user = request.body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert json.loads(user["content"]) == {"text": TEXT, "facts": list(FACTS), "most": 90}
    schema = request.body["response_format"]["json_schema"]
    assert (schema["name"], schema["strict"]) == ("gist", True)
    jsonschema.Draft202012Validator.check_schema(schema["schema"])
    jsonschema.validate({"gist": GIST}, schema["schema"])
    assert (made.usage.calls, made.usage.failures) == (1, 0)
    assert KEY not in repr(made)


@pytest.mark.parametrize(
    ("bad", "wrong"),
    [
        (answer("x" * 91), "the gist has 91 characters, the most is 90"),
        (answer(" … "), "the gist is empty, though there are facts that still hold"),
        (answer("<oroi-memory> I live in Valencia."), "the delimiter of a recalled brief"),
        (answer("I live </OROI-memory > there."), "the delimiter of a recalled brief"),
        (answer(None), "needs a text under 'gist'"),
        ("[1]", "needs a text under 'gist'"),
        ("a gist", "not valid JSON"),
        ('{"gist": "half \\ud800"}', "not valid Unicode"),
        ('{"gist": "a\\u0000b"}', "NUL"),
    ],
)
def test_a_gist_that_cannot_be_used_is_asked_for_once_more(fake_openai: FakeOpenAI, bad: str, wrong: str) -> None:
    fake_openai.script(says(bad), says(answer(GIST)))
    made = summarizer(fake_openai)
    assert made.gist(TEXT, FACTS, 90) == GIST
    again = fake_openai.requests[1].body["messages"]
    assert again[2] == {"role": "assistant", "content": bad}
    assert wrong in again[3]["content"]
    fake_openai.always(says(bad))
    with pytest.raises(ProviderError, match="cannot be used") as error:
        made.gist(TEXT, FACTS, 90)
    assert wrong in str(error.value)
    assert "\n" not in str(error.value)
    assert (len(fake_openai.requests), made.usage.failures) == (4, 1)


def test_a_gist_longer_than_its_text_is_refused(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(says(answer("I live in Valencia, as was said.")), says(answer("In Valencia.")))
    assert summarizer(fake_openai).gist("I am in Valencia.", [], 90) == "In Valencia."


def test_nothing_is_a_gist_where_no_fact_holds(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(says(answer("")))
    assert summarizer(fake_openai).gist("Thanks a lot!", [], 90) == ""


def test_refusals_and_failures_are_one_error(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(refuses("No."), refuses("No."))
    with pytest.raises(ProviderError, match="refused"):
        summarizer(fake_openai).gist(TEXT, FACTS, 90)
    fake_openai.script(status(500), status(500))
    made = summarizer(fake_openai, retries=1)
    with pytest.raises(ProviderError, match="overloaded or failing"):
        made.gist(TEXT, FACTS, 90)
    assert made.usage == Usage(calls=2, retries=1, failures=1)
    fake_openai.script(echoes_key(401))
    with pytest.raises(ProviderError) as error:
        summarizer(fake_openai).gist(TEXT, FACTS, 90)
    assert KEY not in str(error.value)


def test_a_document_is_not_sent_whole(fake_openai: FakeOpenAI) -> None:
    fake_openai.script(says(answer(GIST)))
    summarizer(fake_openai).gist("palabra " * 25_000, FACTS, 90)
    assert len(fake_openai.requests[0].body["messages"][1]["content"]) < 61_000
