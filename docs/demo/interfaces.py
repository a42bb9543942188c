"""One memory through every door: taught by MCP, read by HTTP, used by LangGraph, each with a real client.

    pip install "oroi-graph[mcp,http,langgraph]"
    python docs/demo/interfaces.py

The MCP client starts `oroi mcp` as agents do; the HTTP client asks `oroi serve` with a key; LangGraph's store works in
this process. The memory is deleted at the end.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from oroi_graph import connect
from oroi_graph.interfaces.adapters.langgraph import OroiStore
from oroi_graph.interfaces.keys import KeyRegistry

ASKED = "Where does my sister live?"
COMMAND = [sys.executable, "-m", "oroi_graph"]


async def teach(memory: str) -> str:
    """Tell the memory something by MCP; what it says to that."""
    server = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], "mcp", memory], env=dict(os.environ))
    async with Client(stdio_client(server)) as client:
        told = {"text": "My sister Leire lives in Gernika.", "speaker": "Ana", "reply": "A fine town."}
        found = await client.call_tool("memory_say", told)
        return str(found.content[0].text)  # type: ignore[union-attr]


def read(key: str) -> str:
    """Ask by HTTP; the brief."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([*COMMAND, "serve", "--port", str(port)], stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{url}/ready", timeout=5).close()  # noqa: S310
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        body = json.dumps({"question": ASKED, "speaker": "Ana"}).encode()
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{url}/v1/recall", body, headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            found: dict[str, Any] = json.load(answer)
        return str(found["brief"]["text"])
    finally:
        server.terminate()
        server.wait(30)


def main() -> int:
    """Teach, read, use; 0 if every door shows the same."""
    with connect() as graph:
        memory = graph.memory(f"doors-{uuid.uuid4().hex[:8]}")
        keys = KeyRegistry(graph.store)
        made = keys.create("demo", [memory.name], ["read"])
        try:
            taught = asyncio.run(teach(memory.name))
            brief = read(made.text)
            memory.refresh()
            store = OroiStore(memory, speaker="Ana")
            store.put(("notes",), "boat", {"text": "My boat lies in Bermeo."})
            [found, *_] = store.search(("notes",), query="Where is my boat?")
            after = memory.recall(ASKED, speaker="Ana").brief.text
        finally:
            keys.revoke(made.key.id)
            graph.delete(memory.name)
    for name, text in (("MCP", taught), ("HTTP", brief), ("LangGraph", found.value["text"]), ("after all", after)):
        print(f"--- {name}\n{text}")  # noqa: T201
    return 0 if "Gernika" in brief and "Gernika" in after and "Bermeo" in found.value["text"] else 1


if __name__ == "__main__":
    sys.exit(main())
