"""Which session may read notes through MCP and HTTP: its key decides, and naming a session can only narrow that."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from locations import PROJECT
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from served import Served
from tables import table

from oroi_graph.errors import InputError
from oroi_graph.interfaces.http import make_app
from oroi_graph.interfaces.keys import RIGHTS, KeyRegistry
from oroi_graph.interfaces.mcp.transports import http_app
from oroi_graph.memory import Graph, Memory
from oroi_graph.workspace.pipeline import register

DIRECT, GROUP = "agent:main:main", "agent:main:discord:group:5"
ALLOWED_GROUP = "agent:main:telegram:group:9"
# Direct chats and one group; nothing else. The tool has time also on a busy machine: a slow one is replaced by ours.
SCOPE = """{memory: {backend: "qmd", qmd: {command: "%s", update: {debounceMs: 0}, limits: {timeoutMs: 120000},
  scope: {default: "deny", rules: [
  {action: "allow", match: {chatType: "direct"}},
  {action: "allow", match: {channel: "telegram", chatType: "group"}},
]}}}}"""


@pytest.fixture
def noted(graph: Graph, memory: Memory, tmp_path: Path) -> Memory:
    """A memory whose notes only some sessions may read."""
    (tmp_path / "tool").mkdir()
    tool = tmp_path / "tool" / "qmd"
    shutil.copy(PROJECT / "tests/support/scripted_qmd.py", tool)
    tool.chmod(0o755)
    (tmp_path / "w" / "memory").mkdir(parents=True)
    (tmp_path / "w" / "memory" / "2026-02-10.md").write_text("The boat lies in Bermeo.\n")
    (tmp_path / "c.json5").write_text(SCOPE % tool)
    register(graph.store, memory.name, tmp_path / "w", tmp_path / "c.json5")
    graph.workspace(memory.name).sync()
    return memory


@pytest.fixture(scope="module")
def http(graph: Graph) -> Iterator[str]:
    with Served(make_app(graph)) as started:
        yield started.url


@pytest.fixture(scope="module")
def mcp_url(graph: Graph) -> Iterator[str]:
    with Served(http_app(graph, "all")) as started:
        yield f"{started.url}/mcp"


CASES = [
    (DIRECT, None, True),
    (DIRECT, DIRECT, True),
    (DIRECT, GROUP, False),  # a gateway narrows itself
    (GROUP, None, False),
    (GROUP, DIRECT, False),  # a group poses as a direct chat
    (GROUP, ALLOWED_GROUP, False),
    (ALLOWED_GROUP, None, True),
    (ALLOWED_GROUP, GROUP, False),
    (None, None, False),  # a key that is bound to nothing may be in any chat
    (None, DIRECT, False),
    (None, ALLOWED_GROUP, False),
]


@table("bound, named, allowed", CASES)
def test_over_http(
    bound: str | None, named: str | None, allowed: bool, http: str, noted: Memory, keys: KeyRegistry
) -> None:
    key = keys.create("test", [noted.name], RIGHTS, session=bound).text
    given = {} if named is None else {"session": named}

    def ask(route: str, **more: str) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx2.get(f"{http}{route}", params={**given, **more}, headers=headers, timeout=60)

    found = ask("/v1/notes/search", query="Where does the boat lie?")
    read = ask("/v1/notes/content", path="memory/2026-02-10.md")
    listed = ask("/v1/notes")
    assert found.status_code == 200
    if allowed:
        assert [one["path"] for one in found.json()["results"]] == ["memory/2026-02-10.md"]
        assert found.json()["provider"] == "qmd", found.json()
        assert "Bermeo" in read.json()["text"]
        assert len(listed.json()["files"]) == 1
        return
    assert found.json()["results"] == []
    assert "memory.qmd.scope denies" in found.json()["warning"]
    assert (read.status_code, listed.status_code) == (403, 403)
    assert "memory.qmd.scope denies" in read.json()["detail"]
    assert "Bermeo" not in found.text + read.text + listed.text
    assert "2026-02-10" not in listed.text


@asynccontextmanager
async def connected(url: str, key: str) -> AsyncIterator[Client]:
    async with AsyncExitStack() as stack:
        headers = {"Authorization": f"Bearer {key}"}
        web = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
        yield await stack.enter_async_context(Client(streamable_http_client(url, http_client=web)))


@table("bound, named, allowed", CASES)
def test_over_mcp(
    bound: str | None, named: str | None, allowed: bool, mcp_url: str, noted: Memory, keys: KeyRegistry
) -> None:
    key = keys.create("test", [noted.name], RIGHTS, session=bound).text
    given = {} if named is None else {"session": named}

    async def run() -> tuple[Any, Any]:
        async with connected(mcp_url, key) as client:
            found = await client.call_tool("memory_search", {"query": "Where does the boat lie?", **given})
            read = await client.call_tool("memory_get", {"path": "memory/2026-02-10.md", **given})
            return found, read

    found, read = anyio.run(run)
    assert not found.is_error
    assert bool(found.structured_content["results"]) == allowed
    assert read.is_error == (not allowed)
    told = found.content[0].text + read.content[0].text
    assert ("Bermeo" in told) == allowed
    assert ("memory.qmd.scope denies" in told) == (not allowed)


def test_whoever_runs_the_command_is_the_owner(oroi: Callable[..., Any], noted: Memory) -> None:
    [found] = oroi("workspace", "search", noted.name, "Where does the boat lie?", "--json").json["results"]
    assert found["path"] == "memory/2026-02-10.md"


def test_a_key_says_its_session(oroi: Callable[..., Any], memory: Memory) -> None:
    made = oroi("key", "create", "discord", memory.name, "--session", GROUP, "--json").json
    assert made["session"] == GROUP
    assert GROUP in oroi("key", "list", "--memory", memory.name).out


@table("session", ["", "  ", "a\nb", "x" * 401])
def test_what_is_no_session_is_refused(session: str, keys: KeyRegistry, memory: Memory) -> None:
    with pytest.raises(InputError, match="session"):
        keys.create("test", [memory.name], session=session)
