"""Two keys, two memories of the same content: every tool and every route by one key, and the other memory as it was."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
import pytest
from contracts import document
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fake_openai import KEY, FakeOpenAI
from graph_state import checksum
from mcp import Client
from served import Served

from oroi_graph.interfaces.access import Access
from oroi_graph.interfaces.http import Limits, Upstream, make_app
from oroi_graph.interfaces.keys import RIGHTS, KeyRegistry
from oroi_graph.interfaces.mcp.server import make_server
from oroi_graph.interfaces.mcp.tools import TOOLS
from oroi_graph.memory import Graph, Memory
from oroi_graph.workspace.pipeline import register

Calls = list[dict[str, Any]]  # of a tool: the arguments of each

MARK = "qxqmark"  # in what the other memory says, and nowhere else


@dataclass(frozen=True)
class Pair:
    """`mine`, which the key opens, and `other`, which it does not; ids: of the other."""

    mine: Memory
    other: Memory
    key: str
    ids: dict[str, str]


def fill(memory: Memory, mark: str, key: Ed25519PrivateKey) -> dict[str, str]:
    """The same life in both, but for the mark; ids of its things."""
    for number, text in enumerate(
        (f"My sister Leire{mark} lives in Gernika{mark}.", f"Iker{mark} works with Leire{mark}.")
    ):
        memory.perceive(text, speaker="Ana", id=f"turn{mark}-{number}").close(f"I see{mark}.")
    merge = memory.merge(f"Iker{mark}", f"Gernika{mark}") if mark else None
    shared = memory.graph.contract(memory.name)
    hash_ = shared.publish(document(), key).schema_hash
    entry = shared.write(
        {
            "ia_author": "claude", "entry_type": "fact", "field_key": "project_status", "field_value": f"Runs{mark}.",
            "confidence_score": 0.9, "schema_hash": hash_,
        }
    )  # fmt: skip
    [fact, *_] = memory.facts(f"Leire{mark}")
    return {
        "fact": fact.id, "concept": fact.source_id, "record": memory.timeline()[0].id, "turn": f"turn{mark}-0",
        "merge": merge.id if merge else "", "entry": entry.entry.id, "hash": hash_,
    }  # fmt: skip


@pytest.fixture(scope="module")
def pair(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with filled(graph, tmp_path_factory) as made:
        yield made


@pytest.fixture(scope="module")
def confused(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """A pair whose first memory may be told the other's ids, as a turn's words for instance."""
    with filled(graph, tmp_path_factory) as made:
        yield made


@contextmanager
def filled(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two memories with a concept, facts, a merge, an entry and notes each; a key of the first."""
    run = uuid.uuid4().hex[:6]
    mine, other = graph.memory(f"user-{run}-4"), graph.memory(f"user-{run}-42")  # one name begins the other
    key = Ed25519PrivateKey.generate()
    fill(mine, "", key)
    ids = fill(other, MARK, key)
    for memory, mark in ((mine, ""), (other, MARK)):
        folder = tmp_path_factory.mktemp("notes")
        (folder / "memory").mkdir()
        (folder / "memory" / "2026-02-10.md").write_text(f"# Boat\n\nThe boat{mark} lies in Gernika{mark}.\n")
        register(graph.store, memory.name, folder, None)
        graph.workspace(memory.name).sync()
        ids["folder"] = str(folder)
    yield Pair(mine, other, KeyRegistry(graph.store).create("mine", [mine.name], RIGHTS).text, ids)
    for memory in (mine, other):
        assert graph.delete(memory.name) == 0


WITHOUT_TEXTS = {
    "memory_timeline", "memory_overview", "memory_merges", "memory_consolidate", "memory_undo",
    "contract_show",
}  # fmt: skip


def arguments(pair: Pair, tool: str) -> list[dict[str, Any]]:
    """Calls of a tool that name what the other memory has."""
    ids = pair.ids
    entry = {
        "ia_author": "claude", "entry_type": "fact", "field_key": "project_status", "field_value": "Waits.",
        "confidence_score": 0.9, "schema_hash": ids["hash"], "parent_entry_id": ids["entry"],
    }  # fmt: skip
    named = [f"Leire{MARK}", ids["concept"], ids["fact"], pair.other.name]
    calls: dict[str, list[dict[str, Any]]] = {
        "memory_recall": [{"question": f"Where does {one} live?"} for one in named],
        "memory_explain": [{"question": f"Where does {one} live?"} for one in named],
        "memory_say": [{"text": "Hello.", "id": ids["turn"]}, {"text": "Forget Leire."}],
        "memory_remember": [{"text": "Leire likes tea.", "id": ids["turn"]}],
        "memory_profile": [{"about": one} for one in named],
        "memory_facts": [{"about": one} for one in named],
        "memory_correct": [{"id": ids["fact"], "target": "Bilbao"}],
        "memory_forget": [{"what": one} for one in [*named, ids["record"]]]
        + [{"what": ids["record"], "plan": "0" * 16}],
        "memory_timeline": [{}, {"before": 2, "limit": 1}],
        "memory_merge": [{"first": ids["concept"], "second": f"Leire{MARK}"}],
        "memory_undo_merge": [{"id": ids["merge"], "later": True}],
        "memory_delete_fact": [{"id": ids["fact"]}],
        **{tool: [{}] for tool in ("memory_undo", "memory_overview", "memory_merges", "memory_consolidate")},
        **{tool: [{}] for tool in ("contract_show", "contract_conflicts")},
        "memory_search": [{"query": "Where does the boat lie?"}, {"query": ids["folder"]}],
        "memory_get": [{"path": f"{ids['folder']}/memory/2026-02-10.md"}, {"path": "memory/2026-02-10.md"}],
        "contract_read": [{"history": True}, {"key": "project_status"}],
        "contract_write": [{"entry": entry}],
        "contract_settle": [{"ids": [ids["entry"]], "entry": {"ia_author": "claude", "field_value": "x"}}],
    }  # fmt: skip
    return calls[tool]


def foreign_values(pair: Pair) -> list[str]:
    """What names something of the other memory."""
    return [pair.other.name, f"Leire{MARK}", *(pair.ids[what] for what in ("concept", "fact", "record", "turn"))]


def misplaced(given: dict[str, Any], schema: dict[str, Any], values: list[str]) -> Calls:
    """`given` with each value in the place of each text, or list of texts, that a JSON schema describes."""
    calls = []
    for name, described in schema.get("properties", {}).items():
        kinds = [described, *described.get("anyOf", [])]
        if any(kind.get("type") == "string" for kind in kinds):
            calls += [{**given, name: value} for value in values]
        if any(kind.get("type") == "array" for kind in kinds):
            calls += [{**given, name: [value]} for value in values]
    return calls


def told_nothing(pair: Pair, asked: Any, answer: str) -> None:
    """The answer says nothing of the other memory but what was asked with."""
    given = json.dumps(asked)
    assert "Gernika" + MARK not in answer
    assert "Runs" + MARK not in answer
    assert MARK not in answer.replace(f"Leire{MARK}", "").replace(pair.ids["turn"], "")
    for what, id in pair.ids.items():
        # Clients choose the ids of turns, and this test has chosen the same; equal contracts have equal hashes.
        assert not id or what in ("turn", "hash") or id not in answer or id in given, what
    assert pair.other.name not in answer or pair.other.name in given


def answers(pair: Pair, graph: Graph, tool: str, calls: Callable[[dict[str, Any]], Calls]) -> list[tuple[Any, str]]:
    """What a tool answers to calls that are chosen by its schema, with each call."""
    access = Access(graph, KeyRegistry(graph.store).recognise(pair.key))

    async def run() -> list[tuple[Any, str]]:
        async with Client(make_server(lambda context: access, "all")) as client:
            [schema] = [one.input_schema for one in (await client.list_tools()).tools if one.name == tool]
            return [(one, repr(await client.call_tool(tool, one))) for one in calls(schema)]

    return anyio.run(run)


@pytest.mark.parametrize("tool", list(TOOLS))
def test_no_tool_reaches_another_memory(pair: Pair, graph: Graph, tool: str) -> None:
    before = checksum(pair.other)
    for asked, answer in answers(pair, graph, tool, lambda schema: arguments(pair, tool)):
        told_nothing(pair, asked, answer)
    assert checksum(pair.other) == before


@pytest.mark.parametrize("tool", list(TOOLS))
def test_no_tool_reaches_another_memory_by_any_of_its_texts(confused: Pair, graph: Graph, tool: str) -> None:
    before = checksum(confused.other)
    given, values = arguments(confused, tool)[0], foreign_values(confused)
    found = answers(confused, graph, tool, lambda schema: misplaced(given, schema, values))
    assert bool(found) == (tool not in WITHOUT_TEXTS)
    for asked, answer in found:
        # A refusal repeats the id that was asked for, in lower case.
        told_nothing(confused, [asked, values], answer.replace(f"leire{MARK}", ""))
    assert checksum(confused.other) == before


def test_no_resource_reaches_another_memory(pair: Pair, graph: Graph) -> None:
    before = checksum(pair.other)
    access = Access(graph, KeyRegistry(graph.store).recognise(pair.key))

    async def run(uri: str) -> str:
        async with Client(make_server(lambda context: access)) as client:
            return repr(await client.read_resource(uri))

    for uri in ("memory://timeline", f"memory://brief/Leire{MARK}", f"memory://explanation/Who%20is%20Leire{MARK}%3F"):
        told_nothing(pair, uri, anyio.run(run, uri).replace(uri, ""))
    assert checksum(pair.other) == before


def requests(pair: Pair) -> list[tuple[str, str, Any]]:
    """Requests of every route that name what the other memory has."""
    ids, other = pair.ids, pair.other.name
    question = {"question": f"Where does Leire{MARK} live?"}
    entry = arguments(pair, "contract_write")[0]["entry"]
    return [
        ("GET", "/v1/memory", None),
        ("POST", "/v1/recall", question),
        ("POST", "/v1/recall", {**question, "memories": [other]}),
        ("POST", "/v1/recall", {**question, "memories": [pair.mine.name, other]}),
        ("POST", "/v1/explain", {**question, "memories": [other]}),
        ("POST", "/v1/explain", question),
        ("POST", "/v1/records", {**question, "session": other}),
        ("POST", "/v1/records", {**question, "memories": [other]}),
        ("GET", f"/v1/facts?about={ids['concept']}", None),
        ("GET", f"/v1/facts?about=Leire{MARK}&memory={other}", None),
        ("GET", f"/v1/profile?about=Leire{MARK}", None),
        ("GET", f"/v1/profile?memory={other}", None),
        ("GET", f"/v1/timeline?memory={other}", None),
        ("GET", "/v1/timeline", None),
        ("GET", f"/v1/episodes/{ids['record']}", None),
        ("GET", f"/v1/episodes/{ids['turn']}?memory={other}", None),
        ("GET", f"/v1/graph?memory={other}", None),
        ("GET", "/v1/graph?turn=1", None),
        ("GET", f"/v1/concepts?like=Leire{MARK}", None),
        ("GET", f"/v1/concepts?like=Leire&memory={other}", None),
        ("GET", f"/v1/concepts/{ids['concept']}", None),
        ("GET", f"/v1/concepts/{ids['concept']}?memory={other}", None),
        ("POST", "/v1/spread", question),
        ("POST", "/v1/spread", {**question, "memories": [other]}),
        ("GET", "/v1/doubtful", None),
        ("GET", f"/v1/notes?memory={other}", None),
        ("GET", f"/v1/notes/content?path=MEMORY.md&memory={other}", None),
        ("GET", f"/v1/notes/search?query=Leire{MARK}&memory={other}", None),
        ("POST", "/v1/turns", {"text": "Hello.", "id": ids["turn"]}),
        ("POST", f"/v1/turns/{ids['turn']}/close", {"reply": "x", "injected": [ids["concept"]]}),
        ("POST", "/v1/turns/turn-1/close", {"reply": "x", "injected": [ids["concept"]]}),
        ("POST", "/v1/remember", {"text": "Leire likes tea."}),
        ("POST", "/v1/forget/plan", {"what": ids["record"]}),
        ("POST", "/v1/forget", {"what": ids["record"], "plan": "0" * 16}),
        ("PATCH", f"/v1/facts/{ids['fact']}", {"target": "Bilbao"}),
        ("DELETE", f"/v1/facts/{ids['fact']}", None),
        ("GET", "/v1/merges", None),
        ("POST", "/v1/merges", {"first": ids["concept"], "second": f"Leire{MARK}"}),
        ("POST", f"/v1/merges/{ids['merge']}/undo", {"later": True}),
        ("POST", "/v1/undo", {}),
        ("POST", "/v1/consolidations", {}),
        ("GET", f"/v1/jobs/{'0' * 32}", None),
        ("DELETE", f"/v1/jobs/{'0' * 32}", None),
        ("GET", f"/v1/jobs/{'0' * 32}/events", None),
        ("POST", "/v1/imports", {"content": json.dumps({"text": "Hello.", "id": ids["turn"]})}),
        ("GET", "/v1/notes/search?query=Where does the boat lie", None),
        ("GET", f"/v1/notes/content?path={ids['folder']}/memory/2026-02-10.md", None),
        ("GET", "/v1/notes/content?path=memory/2026-02-10.md", None),
        ("GET", "/v1/export", None),
        ("GET", "/v1/contract", None),
        ("GET", "/v1/contract/entries?history=true", None),
        ("POST", "/v1/contract/entries", {"entry": entry}),
        ("GET", "/v1/contract/conflicts", None),
        ("POST", "/v1/contract/settlements", {"ids": [ids["entry"]], "entry": {"ia_author": "claude"}}),
        ("POST", "/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": f"Leire{MARK}?"}]}),
        ("GET", "/v1/models", None),
        ("GET", "/health", None),
        ("GET", "/ready", None),
        ("GET", "/metrics", None),
    ]


def test_no_route_reaches_another_memory(pair: Pair, graph: Graph, fake_openai: FakeOpenAI) -> None:
    before = checksum(pair.other)
    app = make_app(graph, Limits(a_minute=10_000), Upstream(fake_openai.url, KEY))
    headers = {"Authorization": f"Bearer {pair.key}"}
    with Served(app) as served:
        for method, path, body in requests(pair):
            answer = httpx2.request(method, f"{served.url}{path}", json=body, headers=headers, timeout=60)
            assert answer.status_code < 500, (path, answer.text)
            told_nothing(pair, [path, body], answer.text)
            if body and pair.other.name in json.dumps(body.get("memories", [])):
                assert answer.status_code == 403
        described = {
            (method.upper(), path) for path, operations in app.inner.openapi()["paths"].items() for method in operations
        }
        tried = {(method, one) for method, path, _ in requests(pair) for one in [path.split("?")[0]]}
        assert [one for one in described if not any(_fits(one, other) for other in tried)] == [], "a route was left out"
    for request in fake_openai.requests:
        told_nothing(pair, [], json.dumps(request.body))
    assert checksum(pair.other) == before


def _fits(route: tuple[str, str], tried: tuple[str, str]) -> bool:
    """Whether a request was of this route."""
    parts, said = route[1].split("/"), tried[1].split("/")
    return (
        route[0] == tried[0]
        and len(parts) == len(said)
        and all(a == b or a.startswith("{") for a, b in zip(parts, said, strict=True))
    )


def test_a_job_belongs_to_its_key(pair: Pair, graph: Graph) -> None:
    theirs = KeyRegistry(graph.store).create("theirs", [pair.other.name], RIGHTS).text
    with Served(make_app(graph)) as served:
        own = {"Authorization": f"Bearer {pair.key}"}
        job = httpx2.post(f"{served.url}/v1/consolidations", json={"dry_run": True}, headers=own).json()
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/events")):
            url = f"{served.url}/v1/jobs/{job['id']}{path}"
            answer = httpx2.request(method, url, headers={"Authorization": f"Bearer {theirs}"})
            assert answer.status_code == 404
            assert pair.mine.name not in answer.text
