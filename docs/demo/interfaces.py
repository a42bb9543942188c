"""Two memories through every door, with real clients: taught by MCP, read by HTTP, seen in the explorer, used by
LangGraph. Each has a key, and nothing of one comes to the other.

    pip install "oroi-graph[mcp,http,langchain]" langgraph playwright     # and a Chromium: apt-get install chromium
    python docs/demo/interfaces.py

The official MCP client starts `oroi mcp` as agents do, once a key; `oroi serve` and `oroi explore` are processes, too;
Chromium opens the link that `oroi explore` prints; LangGraph runs in this process. Both memories are deleted at last.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypedDict

import requests
from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from playwright.sync_api import Browser, sync_playwright

from oroi_graph import Memory, connect
from oroi_graph.interfaces.adapters.langchain import OroiRetriever
from oroi_graph.interfaces.adapters.langgraph import OroiStore
from oroi_graph.interfaces.keys import KeyRegistry

ASKED = "Where does my sister live?"
OROI = [sys.executable, "-m", "oroi_graph"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 120  # seconds for a process to begin; a loaded machine is slow


@dataclass(frozen=True)
class Person:
    """Whose memory it is, the key that opens it, what is told, and the words that nobody else may see."""

    name: str
    memory: Memory
    key: str
    told: str
    town: str
    note: str
    harbour: str

    @property
    def headers(self) -> dict[str, str]:
        """What each request by HTTP brings."""
        return {"Authorization": f"Bearer {self.key}"}


class State(TypedDict):
    """What goes through LangGraph's graph."""

    said: str
    found: list[str]


async def by_mcp(person: Person, tool: str, given: dict[str, str]) -> str:
    """Call a tool of `oroi mcp`, which the official client starts with the person's key; its text."""
    environment = dict(os.environ) | {"OROI_KEY": person.key}
    server = StdioServerParameters(command=OROI[0], args=[*OROI[1:], "mcp"], env=environment)
    async with Client(stdio_client(server)) as client:
        found = await client.call_tool(tool, given)
        return "\n".join(getattr(part, "text", "") for part in found.content)


async def teach(people: list[Person]) -> list[str]:
    """Both tell their memories something at once."""
    told = [{"text": one.told, "speaker": one.name, "reply": "A fine town."} for one in people]
    return await asyncio.gather(*(by_mcp(one, "memory_say", each) for one, each in zip(people, told, strict=True)))


@contextmanager
def running(*command: str, key: str | None = None) -> Iterator[tuple[str, str]]:
    """A server of ours on a free port: its address, and the first line that it says."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = dict(os.environ) | ({"OROI_KEY": key} if key else {})
    given = [*OROI, *command, "--port", str(port)]
    server = subprocess.Popen(given, env=environment, stderr=subprocess.PIPE, text=True)  # noqa: S603
    try:
        said = server.stderr.readline() if server.stderr else ""
        yield f"http://127.0.0.1:{port}", said
    finally:
        server.terminate()
        server.communicate(timeout=PATIENCE)


def by_http(url: str, person: Person) -> str:
    """Ask `oroi serve`; the brief."""
    body = {"question": ASKED, "speaker": person.name}
    answer = requests.post(f"{url}/v1/recall", json=body, headers=person.headers, timeout=PATIENCE)
    answer.raise_for_status()
    return str(answer.json()["brief"]["text"])


def refused(url: str, person: Person, other: Person) -> bool:
    """Whether a key that names the other's memory is refused, by every route that takes names of memories."""
    body = {"question": ASKED, "memories": [other.memory.name]}
    asked = [
        requests.post(f"{url}/v1/{route}", json=body, headers=person.headers, timeout=PATIENCE)
        for route in ("recall", "explain", "records", "spread")
    ]
    return all(answer.status_code == 403 for answer in asked)


def in_explorer(browser: Browser, person: Person) -> str:
    """What Chromium shows in the explorer's table of associations, opened by the link that `oroi explore` prints."""
    with running("explore", "--no-open", key=person.key) as (_, said):
        link = re.search(r"http://\S+", said)
        if link is None:
            raise RuntimeError(f"oroi explore did not print a link: {said}")
        context = browser.new_context(reduced_motion="reduce")
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(link[0])
        page.click("nav >> text=Table")
        page.click(".picks >> text=Associations")
        page.wait_for_selector("tbody tr")
        rows = page.locator("tbody tr").all_inner_texts()
        context.close()
    return "\n".join(" ".join(row.split("\t")[:3]) for row in rows)


def by_langgraph(person: Person) -> list[str]:
    """A graph of LangGraph whose node retrieves what MCP taught, and keeps a note in its store; what it found."""
    retriever = OroiRetriever(memory=person.memory, speaker=person.name, k=3)

    def companion(state: State, *, store: BaseStore) -> State:
        found = [one.page_content for one in retriever.invoke(state["said"])]
        store.put(("notes",), "boat", {"text": person.note})
        kept = store.search(("notes",), query="Where is my boat?")
        return {"said": state["said"], "found": [*found, *(one.value["text"] for one in kept)]}

    builder = StateGraph(State)
    builder.add_node("companion", companion)
    builder.add_edge(START, "companion")
    app = builder.compile(store=OroiStore(person.memory, speaker=person.name))
    return list(app.invoke({"said": ASKED, "found": []})["found"])


def show(people: list[Person], program: str) -> bool:
    """Go through every door; whether each shows what is one's own, and nothing of the other."""
    began = time.perf_counter()
    shown: list[tuple[str, Person, str]] = []

    def tell(door: str, person: Person, text: str) -> None:
        shown.append((door, person, text))
        print(f"--- {door}, {person.name} ({time.perf_counter() - began:.1f} s)\n{text}")  # noqa: T201

    for person, text in zip(people, asyncio.run(teach(people)), strict=True):
        tell("taught by MCP", person, text)
    with running("serve") as (url, _):
        for person in people:
            tell("read by HTTP", person, by_http(url, person))
        closed = all(refused(url, one, other) for one, other in (people, people[::-1]))
        print(f"--- each other's memory by HTTP: {'refused' if closed else 'NOT REFUSED'}")  # noqa: T201
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=program) as browser:
        seen = {person.name: in_explorer(browser, person) for person in people}
    for person in people:
        tell("seen in the explorer", person, seen[person.name])
    for person in people:
        tell("used by LangGraph", person, "\n".join(by_langgraph(person)))
    asked = {"question": "Where is my boat?"}
    for person in people:  # what LangGraph kept comes back by MCP
        tell("asked by MCP", person, asyncio.run(by_mcp(person, "memory_recall", {**asked, "speaker": person.name})))
    own = all(
        (person.harbour if door == "asked by MCP" else person.town) in text
        for door, person, text in shown
        if door != "taught by MCP"
    )
    crossed = [
        (door, person.name)
        for door, person, text in shown
        for other in people
        if other is not person and any(word in text for word in (other.town, other.harbour, other.memory.name))
    ]
    print(f"--- every door shows its own: {own}; crossed: {crossed or 'nothing'}")  # noqa: T201
    return own and closed and not crossed


def main() -> int:
    """Make two memories and two keys, show, delete; 0 if all is as it should be."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("a Chromium is needed (Debian: apt-get install chromium)", file=sys.stderr)  # noqa: T201
        return 2
    with connect() as graph:
        keys, run = KeyRegistry(graph.store), uuid.uuid4().hex[:8]
        names = [graph.memory(f"doors-{run}-{name}") for name in ("ana", "jon")]
        made = [keys.create("demo", [memory.name]) for memory in names]
        people = [
            Person("Ana", names[0], made[0].text, "My sister Leire lives in Gernika.", "Gernika",
                   "My boat lies in Bermeo.", "Bermeo"),
            Person("Jon", names[1], made[1].text, "My sister Nerea lives in Lekeitio.", "Lekeitio",
                   "My boat lies in Ondarroa.", "Ondarroa"),
        ]  # fmt: skip
        try:
            right = show(people, program)
        finally:
            for key in made:
                keys.revoke(key.key.id)
            left = sum(graph.delete(memory.name) for memory in names)
    return 0 if right and not left else 1


if __name__ == "__main__":
    sys.exit(main())
