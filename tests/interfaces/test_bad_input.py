"""What goes wrong at the other doors: MCP by HTTP and by pipes, the explorer, and a process that is killed.

The HTTP API's own are in `test_http`, a database that is killed under it in `tests/server`.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from served import Served

from oroi_graph.interfaces.body_reader import BodyReader
from oroi_graph.interfaces.explorer import Sessions, local_principals, make_explorer
from oroi_graph.interfaces.explorer import server as explorer_server
from oroi_graph.interfaces.http import make_app
from oroi_graph.interfaces.keys import RIGHTS, KeyRegistry
from oroi_graph.interfaces.mcp.transports import http_app
from oroi_graph.memory import Graph, Memory

LISTING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
SMALL = BodyReader(largest=2000, patience=0.6)


@pytest.fixture(scope="module")
def by_http(graph: Graph) -> Iterator[Served]:
    """MCP by streamable HTTP."""
    with Served(http_app(graph, bodies=SMALL)) as started:
        yield started


def hang(port: int, head: str) -> bytes:
    """What a client is answered that begins a body and sends no more."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as hanging:
        hanging.sendall(head.encode() + b"Content-Length: 100\r\n\r\n{")
        return hanging.recv(4096)


def pieces() -> Iterator[bytes]:
    """A body that no header told the size of."""
    for _ in range(30):
        yield b" " * 1000


def test_mcp_by_http(by_http: Served, keys: KeyRegistry, memory: Memory, graph: Graph) -> None:
    key = keys.create("agent", [memory.name])
    headers = {
        "Authorization": f"Bearer {key.text}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }

    def post(content: Any) -> httpx2.Response:
        return httpx2.post(f"{by_http.url}/mcp", content=content, headers=headers, timeout=60)

    assert post(LISTING).status_code == 200
    for large in (b" " * 3000, pieces()):
        refused = post(large)
        assert (refused.status_code, refused.json()["error"]) == (413, "too-large")
    for malformed in (b'{"jsonrpc": ', b"\xff\xfe", b"[]", b"7"):
        refused = post(malformed)
        assert refused.status_code == 400, malformed
        assert refused.json()["error"]["message"], malformed
    shown = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    assert b" 408 " in hang(by_http.port, f"POST /mcp HTTP/1.1\r\nHost: x\r\n{shown}")
    assert b" 401 " in hang(by_http.port, "POST /mcp HTTP/1.1\r\nHost: x\r\n"), "a stranger is not waited for"
    graph.store.schema("MATCH (k:Key {id: $id}) SET k.expires_at = datetime() - duration('P1D')", id=key.key.id)
    refused = post(LISTING)
    assert (refused.status_code, "expired on" in refused.json()["error_description"]) == (401, True)
    assert memory.stats().episodes == 0


class Piped:
    """A client of `oroi mcp` by pipes."""

    def __init__(self, *arguments: str, **settings: str) -> None:
        given = {name: value for name, value in os.environ.items() if name.startswith(("OROI_", "PATH", "PYTHON"))}
        self.server = StdioServerParameters(
            command=sys.executable, args=["-m", "oroi_graph", "mcp", *arguments], env=given | settings
        )

    def told(self, *calls: tuple[str, dict[str, Any]]) -> tuple[list[str], list[str]]:
        """The names of the tools, and what each call that fails says."""

        async def run() -> tuple[list[str], list[str]]:
            async with Client(stdio_client(self.server)) as client:
                listed = [tool.name for tool in (await client.list_tools()).tools]
                results = [await client.call_tool(name, arguments) for name, arguments in calls]
                return listed, [result.content[0].text if result.is_error else "" for result in results]  # type: ignore[union-attr]

        return anyio.run(run)


RECALL = ("memory_recall", {"question": "Where does Leire live?"})


def test_mcp_by_pipes_greets_before_it_knows_and_says_what_is_wrong(
    cli_environment: dict[str, str], keys: KeyRegistry, memory: Memory
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        closed = f"bolt://127.0.0.1:{free.getsockname()[1]}"
    listed, (first, second) = Piped(memory.name, OROI_NEO4J_URI=closed).told(RECALL, RECALL)
    assert len(listed) == 8
    assert "no Neo4j answers" in first
    assert "no Neo4j answers" in second
    [said] = Piped(memory.name, "--with", "test-none-such").told(RECALL)[1]
    assert "no memory named 'test-none-such'" in said
    [said] = Piped(OROI_KEY="oroi_wrong").told(RECALL)[1]
    assert "no such key" in said
    reader = keys.create("reader", [memory.name], ["read"]).text
    wrote, read = Piped(OROI_KEY=reader).told(("memory_say", {"text": "I live in Bilbao."}), RECALL)[1]
    assert ("may not write" in wrote, read) == (True, "")
    assert memory.stats().episodes == 0


def test_a_key_that_is_revoked_while_its_server_runs(
    cli_environment: dict[str, str], keys: KeyRegistry, memory: Memory
) -> None:
    made = keys.create("agent", [memory.name])

    async def run() -> tuple[bool, str]:
        async with Client(stdio_client(Piped(OROI_KEY=made.text).server)) as client:
            before = await client.call_tool(*RECALL)
            keys.revoke(made.key.id)
            after = await client.call_tool(*RECALL)
            return before.is_error, after.content[0].text  # type: ignore[union-attr]

    failed, said = anyio.run(run)
    assert not failed
    assert "was revoked" in said


def test_lines_that_are_no_message_do_not_end_it(spawn: Callable[..., subprocess.Popen[bytes]], memory: Memory) -> None:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    process = spawn("mcp", memory.name, stdin=subprocess.PIPE)
    lines = (b'{"jsonrpc": ', b"\xff\xfe", b"[]", b"7", b"", b'{"id": {}}', json.dumps(hello).encode())
    out, err = process.communicate(b"".join(line + b"\n" for line in lines), timeout=120)
    answers = [json.loads(line) for line in out.splitlines()]
    [greeting] = [one for one in answers if one.get("id") == 1]
    assert greeting["result"]["serverInfo"]["name"] == "oroi-graph"
    assert (process.returncode, memory.stats().episodes) == (0, 0), err


def test_the_explorer(
    graph: Graph, memory: Memory, spawn: Callable[..., subprocess.Popen[bytes]], oroi: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(explorer_server, "BODIES", SMALL)
    sessions = Sessions(KeyRegistry(graph.store), lambda: local_principals([memory.name]))
    with Served(make_explorer(graph, sessions)) as served:
        for large in (b"x" * 3000, pieces()):
            refused = httpx2.post(f"{served.url}/session", content=large)
            assert (refused.status_code, refused.json()["type"]) == (413, "urn:oroi:problem:too-large")
        assert b" 408 " in hang(served.port, f"POST /session HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n")
        assert httpx2.post(f"{served.url}/session", content=b"\xff\x00").status_code == 401
        [key] = httpx2.post(f"{served.url}/session", content=sessions.code).json()["keys"]
        headers = {"Authorization": f"Bearer {key['key']}", "Content-Type": "application/json"}
        malformed = httpx2.post(f"{served.url}/v1/spread", content=b'{"question": ', headers=headers)
        assert (malformed.status_code, malformed.json()["type"]) == (400, "urn:oroi:problem:malformed-json")

        taken = spawn("explore", memory.name, "--no-open", "--port", str(served.port))
        out, err = taken.communicate(timeout=120)
        assert (taken.returncode, out) == (1, b"")
        assert f"cannot listen on 127.0.0.1 port {served.port}" in err.decode()
        assert err.decode().count("\n") == 1
    assert "no memory named 'test-none-such'" in oroi("explore", "test-none-such").failed()
    monkeypatch.setenv("OROI_KEY", "oroi_wrong")
    assert "no such key" in oroi("explore").failed()


def test_an_api_that_is_killed_with_requests_under_way(
    spawn: Callable[..., subprocess.Popen[bytes]], graph: Graph, keys: KeyRegistry, memory: Memory
) -> None:
    """Whatever was answered is there; whatever was not is sent again to another process, and is one turn, whole."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    key = keys.create("client", [memory.name], RIGHTS).text
    process = spawn("serve", "--port", str(port), stderr=subprocess.PIPE)
    assert process.stderr is not None
    assert b"serving at" in process.stderr.readline()
    answered: set[int] = set()

    def tell(url: str, number: int) -> None:
        turn = {"text": f"The {number}. boat lies in Irun.", "speaker": "Ana", "reply": f"Boat {number}."}
        headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": f"boat-{number}"}
        if httpx2.post(f"{url}/v1/turns", json=turn, headers=headers, timeout=60).status_code == 201:
            answered.add(number)

    def try_to(number: int) -> None:
        try:
            tell(f"http://127.0.0.1:{port}", number)
        except httpx2.HTTPError:
            return

    try:
        tell(f"http://127.0.0.1:{port}", 0)
        under_way = [threading.Thread(target=try_to, args=(number,)) for number in range(1, 9)]
        for one in under_way:
            one.start()
        while len(answered) < 3 and any(one.is_alive() for one in under_way):
            under_way[-1].join(0.005)
    finally:
        process.kill()
        process.communicate(timeout=60)
    for one in under_way:
        one.join()
    known = {one.text for one in memory.timeline(limit=50)}
    assert {f"The {number}. boat lies in Irun." for number in answered} <= known
    with Served(make_app(graph)) as served:
        for number in range(9):
            tell(served.url, number)
    assert len(answered) == 9
    said = [(one.role, one.text) for one in memory.timeline(limit=50)]
    assert len(said) == len(set(said)) == 18
