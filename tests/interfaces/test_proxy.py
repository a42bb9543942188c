"""The OpenAI-compatible proxy, driven by OpenAI's own client against the project's fake service."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import httpx2
import openai
import pytest
from fake_openai import KEY, FakeOpenAI, echoes_key, raw, says, status
from served import Served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from oroi_graph.interfaces.http import Upstream, make_app
from oroi_graph.interfaces.keys import KeyRegistry
from oroi_graph.memory import Graph, Memory

MODEL = "gpt-4o-mini"


@pytest.fixture
def served(graph: Graph, fake_openai: FakeOpenAI) -> Iterator[Served]:
    with Served(make_app(graph, upstream=Upstream(fake_openai.url, KEY))) as started:
        yield started


@pytest.fixture
def key(keys: KeyRegistry, memory: Memory) -> str:
    return keys.create("chat", [memory.name], ["read", "write"]).text


@pytest.fixture
def client(served: Served, key: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key=key, max_retries=0) as made:
        yield made


def user(text: Any) -> Any:
    return {"role": "user", "content": text}


def chunk(text: str | None) -> bytes:
    found = {
        "id": "c", "object": "chat.completion.chunk", "created": 0, "model": MODEL,
        "choices": [{"index": 0, "delta": {} if text is None else {"content": text}, "finish_reason": None}],
    }  # fmt: skip
    return f"data: {json.dumps(found)}\n\n".encode()


def test_a_client_gets_memory_by_changing_its_address(
    client: openai.OpenAI, fake_openai: FakeOpenAI, memory: Memory
) -> None:
    fake_openai.script(says("Noted."), says("In Gernika."))
    first = [{"role": "system", "content": "Be brief."}, user("My sister Leire lives in Gernika.")]
    answer = client.chat.completions.create(model=MODEL, messages=first, temperature=0.3, user="Ana")
    assert answer.choices[0].message.content == "Noted."
    again = client.chat.completions.create(model=MODEL, messages=[user("Where does my sister live?")], user="Ana")
    assert again.choices[0].message.content == "In Gernika."
    sent = [request.body for request in fake_openai.requests]
    assert sent[0]["messages"] == first, "nothing is known yet, so nothing is added"
    assert (sent[0]["temperature"], sent[0]["model"]) == (0.3, MODEL)
    [asked] = sent[1]["messages"]
    assert asked["content"].startswith("Where does my sister live?\n\n<oroi-memory>")
    assert "Gernika" in asked["content"]
    assert {request.headers["authorization"] for request in fake_openai.requests} == {f"Bearer {KEY}"}
    said = [(one.role, one.speaker, one.text) for one in memory.timeline()]
    assert said == [
        ("assistant", "Assistant", "In Gernika."),
        ("user", "Ana", "Where does my sister live?"),
        ("assistant", "Assistant", "Noted."),
        ("user", "Ana", "My sister Leire lives in Gernika."),
    ]
    assert memory.stats().turns == 2, "both turns are closed"


def test_a_stream_passes_as_it_comes_and_closes_the_turn(
    client: openai.OpenAI, fake_openai: FakeOpenAI, memory: Memory
) -> None:
    body = b"".join([chunk("In "), chunk("Ger"), chunk("nika."), chunk(None), b"data: [DONE]\n\n"])
    fake_openai.script(raw(body, "text/event-stream"))
    stream = client.chat.completions.create(model=MODEL, messages=[user("Where does Leire live?")], stream=True)
    assert [part.choices[0].delta.content for part in stream] == ["In ", "Ger", "nika.", None]
    assert memory.timeline(limit=1)[0].text == "In Gernika."
    assert memory.stats().turns == 1


def test_parts_of_a_message(client: openai.OpenAI, fake_openai: FakeOpenAI, memory: Memory) -> None:
    memory.perceive("My sister Leire lives in Gernika.", speaker="Ana").close()
    fake_openai.script(says("There."))
    parts = [
        {"type": "text", "text": "Where does Leire live?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
    ]
    client.chat.completions.create(model=MODEL, messages=[user(parts)])
    [sent] = fake_openai.requests[-1].body["messages"]
    assert sent["content"][:2] == parts
    assert "Gernika" in sent["content"][2]["text"]
    assert memory.timeline(limit=1)[1].text == "Where does Leire live?"


def test_the_answer_of_a_tool_is_no_new_turn(client: openai.OpenAI, fake_openai: FakeOpenAI, memory: Memory) -> None:
    memory.perceive("My sister Leire lives in Gernika.", speaker="Ana").close()
    fake_openai.script(says("It rains there."))
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    messages: Any = [
        user("What is the weather where Leire lives?"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    ]
    client.chat.completions.create(model=MODEL, messages=messages)
    sent = fake_openai.requests[-1].body["messages"]
    assert "Gernika" in sent[0]["content"]
    assert sent[1:] == messages[1:]
    assert memory.stats().episodes == 1


def test_what_the_model_says_behind_its_tools_closes_the_turn(
    client: openai.OpenAI, fake_openai: FakeOpenAI, memory: Memory
) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    fake_openai.script(says(None, calls=[call]), says("It rains there."))
    messages: Any = [user("What is the weather where Leire lives?")]
    client.chat.completions.create(model=MODEL, messages=messages)
    assert [one.role for one in memory.timeline()] == ["user"]
    messages += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    ]
    client.chat.completions.create(model=MODEL, messages=messages)
    assert [(one.role, one.text) for one in memory.timeline()] == [
        ("assistant", "It rains there."), ("user", "What is the weather where Leire lives?"),
    ]  # fmt: skip


CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
BEHIND: Any = [
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "rain"},
]


def said_of(memory: Memory) -> list[tuple[str, str | None]]:
    return [(one.role, one.text) for one in memory.timeline()]


@pytest.mark.parametrize("done", [b"data: [DONE]\n\n", b""], ids=["done", "no end"])
def test_streams_with_tools_close_the_turn_once(
    client: openai.OpenAI, fake_openai: FakeOpenAI, memory: Memory, done: bytes
) -> None:
    calls = chunk(None).replace(
        b'"delta": {}', json.dumps({"delta": {"tool_calls": [{"index": 0, **CALL}]}})[1:-1].encode()
    )
    first = raw(calls + chunk(None) + done, "text/event-stream")
    last = raw(chunk("It ") + chunk("rains.") + done, "text/event-stream")
    fake_openai.script(first, status(500), last)
    asked = user("What is the weather where Leire lives?")
    for messages in ([asked], [asked, *BEHIND], [{"role": "system", "content": "It is noon."}, asked, *BEHIND]):
        with contextlib.suppress(openai.InternalServerError):
            for _ in client.chat.completions.create(model=MODEL, messages=messages, stream=True):
                pass
    assert said_of(memory) == [("assistant", "It rains."), ("user", asked["content"])]
    assert memory.stats().turns == 1


def test_a_request_that_is_sent_again_is_one_turn(
    served: Served, key: str, fake_openai: FakeOpenAI, memory: Memory
) -> None:
    fake_openai.script(
        status(429, retry_after=0.01), says("Noted."), says(None, calls=[CALL]), status(500), says("Rain.")
    )
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key=key, max_retries=1) as client:
        first = [user("I live in Bilbao.")]
        client.chat.completions.create(model=MODEL, messages=first)
        second = [*first, {"role": "assistant", "content": "Noted."}, user("What is the weather there?")]
        client.chat.completions.create(model=MODEL, messages=second)
        client.chat.completions.create(model=MODEL, messages=[*second, *BEHIND])
    assert said_of(memory) == [
        ("assistant", "Rain."), ("user", "What is the weather there?"),
        ("assistant", "Noted."), ("user", "I live in Bilbao."),
    ]  # fmt: skip
    assert memory.stats().turns == 2


def test_words_with_a_note_of_the_client_behind_them_are_heard(
    client: openai.OpenAI, fake_openai: FakeOpenAI, memory: Memory
) -> None:
    parts = [{"type": "text", "text": "Fine."}, {"type": "text", "text": "Noted."}]
    fake_openai.script(says(parts))  # type: ignore[arg-type]
    note: Any = {"role": "system", "content": "Answer in one word."}
    client.chat.completions.with_raw_response.create(model=MODEL, messages=[user("I live in Bilbao."), note])
    assert said_of(memory) == [("assistant", "Fine.\nNoted."), ("user", "I live in Bilbao.")]


def test_a_turn_that_is_taken_back_meanwhile_hinders_nothing(
    client: openai.OpenAI, fake_openai: FakeOpenAI, memory: Memory
) -> None:
    fake_openai.script(says(None, calls=[CALL]), says("It rains."))
    asked = user("What is the weather where Leire lives?")
    client.chat.completions.create(model=MODEL, messages=[asked])
    memory.undo()
    answer = client.chat.completions.create(model=MODEL, messages=[asked, *BEHIND])
    assert answer.choices[0].message.content == "It rains."
    assert memory.timeline() == []


def test_a_model_that_fails_is_told_and_the_turn_is_kept(
    client: openai.OpenAI, fake_openai: FakeOpenAI, memory: Memory
) -> None:
    deep = raw(b'{"choices": ' + b"[" * 50_000, "application/json")
    fake_openai.script(status(429, retry_after=7), raw(b"<html>oops"), says(None, refusal="No."), deep)
    with pytest.raises(openai.RateLimitError) as caught:
        client.chat.completions.create(model=MODEL, messages=[user("I live in Bilbao.")])
    assert caught.value.response.headers["retry-after"] == "7"
    for number in (1, 2, 3):
        client.chat.completions.with_raw_response.create(model=MODEL, messages=[user("I live in Bilbao.")])
        assert memory.stats().turns == number
    assert [one.role for one in memory.timeline()] == ["user"] * 3


def test_texts_that_were_cut_within_a_character_are_sent_on(
    served: Served, key: str, fake_openai: FakeOpenAI, memory: Memory
) -> None:
    fake_openai.script(says("Noted."))
    messages = [{"role": "system", "content": "cut \ud83d"}, user("I live in Bilbao.")]
    body = json.dumps({"model": MODEL, "messages": messages})
    headers = {"Authorization": f"Bearer {key}"}
    answer = httpx2.post(f"{served.url}/v1/chat/completions", content=body, headers=headers, timeout=30)
    assert answer.status_code == 200, answer.text
    assert fake_openai.requests[-1].body["messages"] == messages
    assert said_of(memory) == [("assistant", "Noted."), ("user", "I live in Bilbao.")]


def test_the_key_of_the_service_is_in_no_answer(served: Served, key: str, fake_openai: FakeOpenAI) -> None:
    fake_openai.always(echoes_key(401))
    for answer in (ask(served, key), httpx2.get(f"{served.url}/v1/models", headers={"Authorization": f"Bearer {key}"})):
        assert answer.status_code == 401
        assert KEY not in answer.text
        assert "***" in answer.text


def test_a_service_that_is_gone(graph: Graph, key: str, memory: Memory) -> None:
    with Served(make_app(graph, upstream=Upstream("http://127.0.0.1:9/v1", None))) as served:
        answer = ask(served, key)
        assert (answer.status_code, answer.json()["type"]) == (502, "urn:oroi:problem:model-failed")
        assert memory.stats().turns == 1
    with Served(make_app(graph)) as served:
        assert "OROI_OPENAI_BASE_URL" in ask(served, key).json()["detail"]


def ask(served: Served, key: str, **body: Any) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {key}"}
    given = {"model": MODEL, "messages": [user("I live in Bilbao.")], **body}
    return httpx2.post(f"{served.url}/v1/chat/completions", json=given, headers=headers, timeout=30)


def test_what_it_refuses(served: Served, key: str, keys: KeyRegistry, memory: Memory) -> None:
    for messages in (
        None,
        [],
        "hello",
        [7],
        [{"role": "system", "content": "x"}],
        [user("")],
        [user(None)],
        [user([7])],
    ):
        assert ask(served, key, messages=messages).status_code == 422
    headers = {"Authorization": f"Bearer {key}"}
    assert httpx2.post(f"{served.url}/v1/chat/completions", content=b"{", headers=headers).status_code == 400
    assert ask(served, "wrong").status_code == 401
    assert ask(served, keys.create("reader", [memory.name], ["read"]).text).status_code == 403
    assert memory.stats().episodes == 0
    models = httpx2.get(f"{served.url}/v1/models", headers=headers).json()
    assert MODEL in [one["id"] for one in models["data"]]


def test_a_client_that_goes_in_the_middle_of_a_stream(graph: Graph, key: str, memory: Memory) -> None:
    """What it heard so far is the reply; the turn does not stay open."""

    async def slowly() -> AsyncIterator[bytes]:
        yield chunk("In Ger")
        await anyio.sleep(60)

    async def complete(request: Request) -> StreamingResponse:
        return StreamingResponse(slowly(), media_type="text/event-stream")

    model = Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])
    with (
        Served(model, timeout_graceful_shutdown=1) as behind,
        Served(make_app(graph, upstream=Upstream(f"{behind.url}/v1", None))) as served,
    ):
        body = {"model": MODEL, "messages": [user("Where does Leire live?")], "stream": True}
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.stream("POST", f"{served.url}/v1/chat/completions", json=body, headers=headers) as stream:
            assert b"In Ger" in next(stream.iter_bytes())
        for _ in range(200):
            if memory.stats().turns:
                break
            anyio.run(anyio.sleep, 0.05)
        assert memory.stats().turns == 1
        assert memory.timeline(limit=1)[0].text == "In Ger"
