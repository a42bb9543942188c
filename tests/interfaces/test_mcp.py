"""The MCP server, driven by the official client over both transports, by the current protocol and by older ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from served import Served

from oroi_graph.interfaces.access import Access
from oroi_graph.interfaces.keys import RIGHTS, KeyRegistry, Principal
from oroi_graph.interfaces.mcp.server import declared, make_server
from oroi_graph.interfaces.mcp.tools import CORE, TOOLS, ToolSet, offered
from oroi_graph.interfaces.mcp.transports import http_app
from oroi_graph.language.tokens import count_tokens
from oroi_graph.memory import Graph, Memory

MODES = ["auto", "legacy"]  # what the server says it speaks, and the handshake of before


def client_of(graph: Graph, *names: str, rights: tuple[str, ...] = RIGHTS, tools: ToolSet = "all") -> Client:
    """A client of a server in this process."""
    access = Access(graph, Principal("test", "test", names, frozenset(rights)))  # type: ignore[arg-type]
    return Client(make_server(lambda context: access, tools))


def ask(client: Client, name: str, **arguments: Any) -> Any:
    """The result of one call."""

    async def call() -> Any:
        async with client:
            return await client.call_tool(name, arguments)

    return anyio.run(call)


# -- what is offered -----------------------------------------------------------------------------------------------


def cost(tools: Any) -> int:
    shown = [declared(tool).model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools]
    return count_tokens(json.dumps(shown, separators=(",", ":")))


def test_what_is_offered_by_default_is_small() -> None:
    assert len(CORE) <= 8
    assert cost(CORE) <= 2000


def test_every_tool_says_what_it_is() -> None:
    for tool in TOOLS.values():
        shown = declared(tool)
        assert shown.title
        assert shown.description
        Draft202012Validator.check_schema(shown.input_schema)
        Draft202012Validator.check_schema(shown.output_schema)
        hints = shown.annotations
        assert hints is not None
        assert hints.read_only_hint == (tool.right == "read")
        if not hints.read_only_hint:
            assert hints.destructive_hint is not None
            assert hints.idempotent_hint is not None
    assert {tool.effect for tool in offered("read")} == {"reads"}
    assert {tool.name for tool in offered("core")} < {tool.name for tool in offered("all")}


def test_no_tool_takes_a_memory() -> None:
    taken = {name for tool in TOOLS.values() for name in tool.takes["properties"]}
    assert taken & {"memory", "memories", "user", "user_id", "tenant", "namespace"} == set()


def test_rights_decide_what_is_listed(graph: Graph, memory: Memory) -> None:
    async def listed(*rights: str) -> set[str]:
        async with client_of(graph, memory.name, rights=rights) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert anyio.run(listed, "read") == {tool.name for tool in offered("read")}
    assert "memory_forget" not in anyio.run(listed, "read", "write")
    assert anyio.run(listed, *RIGHTS) == set(TOOLS)


# -- a conversation over both transports ----------------------------------------------------------------------------


async def converse(client: Client, opened: Memory, editor: str) -> None:
    """What an agent does: it says, asks, corrects, forgets; by tools and resources. editor: who corrects a fact."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {tool.name for tool in CORE}

    async def call(name: str, **arguments: Any) -> Any:
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result.content
        Draft202012Validator(tools[name].output_schema).validate(result.structured_content)
        assert result.content[0].text
        return result.structured_content

    said = await call("memory_say", text="My sister Leire lives in Gernika.", speaker="Ana", reply="Noted.", id="t1")
    assert (said["turn"], said["repeated"]) == (1, False)
    again = await call("memory_say", text="My sister Leire lives in Gernika.", speaker="Ana", reply="Noted.", id="t1")
    assert (again["turn"], again["repeated"]) == (1, True)
    fixed = await call("memory_remember", text="I am allergic to nuts.", speaker="Ana", id="t2")
    assert [one["label"] for one in fixed["concepts"]]
    found = await call("memory_recall", question="Where does my sister live?", speaker="Ana")
    assert "Gernika" in found["brief"]["text"]
    known = await call("memory_facts", about="Leire", speaker="Ana")
    [fact] = [one for one in known["facts"] if one["target"] == "Gernika"]
    corrected = await call("memory_correct", id=fact["id"], target="Bilbao")
    assert corrected["fact"]["target"] == "Bilbao"
    [*_, edit] = opened.provenance(next(one for one in opened.facts("Leire") if one.id == corrected["fact"]["id"]))
    assert (edit.role, edit.speaker) == ("edit", editor)
    assert "Bilbao" in json.dumps(await call("memory_profile", about="Leire", speaker="Ana"))
    assert [one["turn"] for one in (await call("memory_timeline", limit=1))["episodes"]] == [2]
    read = await client.read_resource("memory://brief/Where%20does%20Leire%20live%3F")
    assert "Bilbao" in read.contents[0].text
    why = await client.read_resource("memory://explanation/Where%20does%20Leire%20live%3F")
    explained = json.loads(why.contents[0].text)
    assert explained["reasons"]
    assert "nuts" in json.dumps(explained["left_out"])
    assert "nuts" in (await client.read_resource("memory://timeline")).contents[0].text
    assert {one.name for one in (await client.list_resource_templates()).resource_templates} == {"brief", "explanation"}
    plan = await call("memory_forget", what="Leire", speaker="Ana")
    assert plan["counts"]["concepts"] >= 1
    assert "Gernika" in json.dumps(await call("memory_facts", about="Leire", speaker="Ana")), "a plan deletes nothing"
    wrong = await client.call_tool("memory_forget", {"what": "Leire", "speaker": "Ana", "plan": "0" * 16})
    assert wrong.is_error
    assert "nothing was forgotten" in wrong.content[0].text
    gone = await call("memory_forget", what="Leire", speaker="Ana", plan=plan["plan"])
    assert gone["remains"] == 0
    missing = await client.call_tool("memory_facts", {"about": "Leire", "speaker": "Ana"})
    assert missing.is_error
    with pytest.raises(MCPError, match="does not exist"):
        await client.call_tool("memory_everything", {})
    with pytest.raises(MCPError, match="--tools all"):
        await client.call_tool("memory_undo", {})
    with pytest.raises(MCPError, match="no resource"):
        await client.read_resource("file:///etc/passwd")
    refused = await client.call_tool("memory_recall", {"question": "Who?", "memory": "other"})
    assert refused.is_error
    assert "memory" in refused.content[0].text


@pytest.mark.parametrize("mode", MODES)
def test_over_pipes(cli_environment: dict[str, str], memory: Memory, mode: str) -> None:
    given = {name: value for name, value in os.environ.items() if name.startswith(("OROI_", "PATH", "PYTHON", "HOME"))}
    server = StdioServerParameters(command=sys.executable, args=["-m", "oroi_graph", "mcp", memory.name], env=given)

    async def run() -> None:
        async with Client(stdio_client(server), mode=mode) as client:
            await converse(client, memory, "MCP on this machine")

    anyio.run(run)


@pytest.fixture
def served(graph: Graph) -> Iterator[Served]:
    """The server on a port of this machine."""
    with Served(http_app(graph)) as started:
        yield started


@asynccontextmanager
async def connected(served: Served, key: str, mode: str = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http,
        Client(streamable_http_client(f"{served.url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", MODES)
def test_over_http(served: Served, keys: KeyRegistry, memory: Memory, mode: str) -> None:
    key = keys.create("agent", [memory.name], RIGHTS).text

    async def run() -> None:
        async with connected(served, key, mode) as client:
            await converse(client, memory, "agent")

    anyio.run(run)


def test_each_request_is_of_its_own_key(served: Served, keys: KeyRegistry, memory: Memory, other: Memory) -> None:
    """Two clients of one server, each in its own memory, at the same time."""
    mine = keys.create("mine", [memory.name], RIGHTS).text
    theirs = keys.create("theirs", [other.name], RIGHTS).text

    async def run() -> None:
        async with connected(served, mine) as first, connected(served, theirs) as second:
            for client, place in ((first, "Gernika"), (second, "Vitoria")):
                await client.call_tool("memory_say", {"text": f"My sister lives in {place}.", "speaker": "Ana"})
            for client, place, not_there in ((first, "Gernika", "Vitoria"), (second, "Vitoria", "Gernika")):
                question = {"question": "Where does my sister live?", "speaker": "Ana"}
                found = await client.call_tool("memory_recall", question)
                assert place in found.content[0].text
                assert not_there not in found.content[0].text

    anyio.run(run)


def test_keys_that_do_not_open(served: Served, keys: KeyRegistry, memory: Memory) -> None:
    revoked = keys.create("agent", [memory.name])
    keys.revoke(revoked.key.id)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for header, said in (
        (None, "a key is needed"),
        ("Bearer wrong", "no such key"),
        (f"Bearer {revoked.text}", "was revoked"),
        (f"Basic {revoked.text}", "a key is needed"),
    ):
        headers = {"Authorization": header} if header else {}
        answer = httpx2.post(f"{served.url}/mcp", json=body, headers=headers)
        assert answer.status_code == 401
        assert said in answer.json()["error_description"]
        assert answer.headers["www-authenticate"].startswith("Bearer ")


def test_what_a_key_may_not_is_told(graph: Graph, memory: Memory) -> None:
    reader = client_of(graph, memory.name, rights=("read",))
    result = ask(reader, "memory_say", text="I live in Bilbao.")
    assert result.is_error
    assert "may not write" in result.content[0].text
    assert memory.stats().episodes == 0


def test_a_turn_that_asks_to_forget_needs_the_right(graph: Graph, memory: Memory) -> None:
    memory.perceive("My sister Leire lives in Gernika.", speaker="Ana").close()
    for name in ("memory_say", "memory_remember"):
        writer = client_of(graph, memory.name, rights=("read", "write"))
        result = ask(writer, name, text="Forget Leire.", speaker="Ana")
        assert not result.is_error, result.content
        assert result.structured_content["forgotten"] is None
        assert memory.facts("Leire")
    done = ask(client_of(graph, memory.name), "memory_say", text="Forget Leire.", speaker="Ana")
    assert done.structured_content["forgotten"] is not None


def test_whole_numbers_may_be_written_with_a_point(graph: Graph, memory: Memory) -> None:
    memory.perceive("Leire lives in Gernika.", speaker="Ana").close("Noted.")
    for name, arguments in (
        ("memory_timeline", {"limit": 5.0, "before": 2.0}),
        ("memory_recall", {"question": "Where does Leire live?", "budget": 500.0}),
    ):
        result = ask(client_of(graph, memory.name), name, **arguments)
        assert not result.is_error, result.content
        assert "Gernika" in result.content[0].text
    for wrong, said in ((5.5, "not of type 'integer'"), (2**70, "largest number"), (1e300, "largest number")):
        refused = ask(client_of(graph, memory.name), "memory_timeline", before=wrong)
        assert refused.is_error
        assert said in refused.content[0].text


def test_every_other_tool_works(graph: Graph, memory: Memory) -> None:
    for text in ("My sister Leire lives in Gernika.", "Leire Etxebarria is a nurse."):
        memory.perceive(text, speaker="Ana").close()
    client = client_of(graph, memory.name)

    async def run() -> dict[str, Any]:
        found = {}
        async with client:
            for name, arguments in (
                ("memory_overview", {}),
                ("memory_explain", {"question": "Where does Leire live?"}),
                ("memory_consolidate", {"dry_run": True}),
                ("memory_merge", {"first": "Leire", "second": "Leire Etxebarria"}),
                ("memory_merges", {}),
                ("memory_undo", {"dry_run": True}),
            ):
                found[name] = await client.call_tool(name, arguments)
            merge = found["memory_merge"].structured_content["merge"]["id"]
            found["memory_undo_merge"] = await client.call_tool("memory_undo_merge", {"id": merge})
            [fact, *_] = memory.facts("Leire")
            found["memory_delete_fact"] = await client.call_tool("memory_delete_fact", {"id": fact.id})
        return found

    for name, result in anyio.run(run).items():
        assert name == "memory_undo" or not result.is_error, (name, result.content)
    assert memory.merges()[0].state == "undone"


def test_without_the_extra_it_says_what_to_install(oroi: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oroi_graph.interfaces.extras.find_spec", lambda name: None)
    assert "pip install 'oroi-graph[mcp]'" in oroi("mcp", "diary").failed()


def test_the_command_needs_one_credential(oroi: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "name a memory, or give a key" in oroi("mcp").failed(2)
    assert "each request" in oroi("mcp", "diary", "--http").failed(2)
    monkeypatch.setenv("OROI_KEY", "oroi_wrong")
    assert "and not both" in oroi("mcp", "diary").failed(2)
    assert "no such key" in oroi("mcp").failed()


def test_a_port_that_is_taken(served: Served, spawn: Callable[..., subprocess.Popen[bytes]]) -> None:
    started = spawn("mcp", "--http", "--port", str(served.port))
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (1, b"")
    assert f"cannot listen on 127.0.0.1 port {served.port}" in err.decode()
    assert err.decode().count("\n") == 1
