"""Redaction at every public door: what was given in is nowhere afterwards, in the database, at a model, in logs."""

from __future__ import annotations

import io
import json
import logging
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import httpx2
import openai
import pytest
from conftest_cli import Ran, cli_environment, oroi
from conftest_workspace import QUIET
from contracts import document
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fake_openai import KEY, FakeOpenAI
from mcp import Client
from served import Served

from oroi_graph import Extraction, InputError, Memory, Redacted
from oroi_graph.interfaces.access import Access
from oroi_graph.interfaces.http import Upstream, make_app
from oroi_graph.interfaces.items.kept import Entry, Items
from oroi_graph.interfaces.keys import RIGHTS, KeyRegistry, Principal
from oroi_graph.interfaces.mcp.server import make_server
from oroi_graph.memory import Graph
from oroi_graph.providers.openai.models import OpenAIEmbedder, OpenAIExtractor
from oroi_graph.providers.openai.relevance import OpenAIRelevance
from oroi_graph.providers.openai.reranker import OpenAIReranker
from oroi_graph.providers.openai.service import Endpoint
from oroi_graph.redaction.builtin import BuiltInRedactor
from oroi_graph.storage.store import Store
from oroi_graph.transfer.archive import export_memory, import_memory
from oroi_graph.transfer.bulk_import import ingest
from oroi_graph.transfer.chats.recognition import read_text
from oroi_graph.windows.by_model import OpenAIWindows

SECRETS = {
    "secret": "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "email": "leire.etxeberria@example.org",
    "iban": "ES91 2100 0418 4502 0005 1332",
    "card": "4111 1111 1111 1111",
    "phone": "+34 612 34 56 78",
}
GIVEN = "My sister Leire said: " + "; ".join(SECRETS.values()) + "."


__all__ = ["cli_environment", "oroi"]


@pytest.fixture
def keys(store: Store) -> KeyRegistry:
    return KeyRegistry(store)


@pytest.fixture
def wary(store: Store, fake_openai: FakeOpenAI) -> Graph:
    """A graph whose every model is the fake service, with the built-in redactor."""
    at = Endpoint(api_key=KEY, base_url=fake_openai.url)
    return Graph(
        store, OpenAIEmbedder(at, "text-embedding-3-small", 384), OpenAIExtractor(at, "chat"),
        relevance=OpenAIRelevance(at, "chat"), reranker=OpenAIReranker(at, "chat"), windows=OpenAIWindows(at, "chat"),
        redact=BuiltInRedactor(),
    )  # fmt: skip


@pytest.fixture
def kept(wary: Graph) -> Iterator[Memory]:
    opened = wary.memory(f"test-{uuid.uuid4().hex[:12]}")
    yield opened
    assert wary.delete(opened.name) == 0


@pytest.fixture
def nowhere(store: Store, fake_openai: FakeOpenAI, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Afterwards no part of what was given in is in the database, in a request to a model, or in a log."""
    caplog.set_level(logging.DEBUG)
    yield
    everything = "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN properties(n) AS n, collect(properties(r)) AS r"
    rows = store.explore(everything)[1]
    assert rows, "the database was read"
    places = {
        "database": repr(rows),
        "requests": "\n".join(json.dumps(one.body, ensure_ascii=False) for one in fake_openai.requests),
        # The driver logs statements and parameters below INFO, for its own developers.
        "logs": "\n".join(one.getMessage() for one in caplog.records if not one.name.startswith("neo4j")),
    }
    for where, text in places.items():
        for secret in SECRETS.values():
            assert secret not in text, where
            assert secret.replace(" ", "") not in text, where


def counted(memory: Memory, least: int = 1) -> None:
    found = memory.stats().redacted
    assert set(found) == set(SECRETS), found
    assert min(found.values()) >= least


@pytest.mark.usefixtures("nowhere")
def test_python(kept: Memory, fake_openai: FakeOpenAI) -> None:
    turn = kept.perceive(GIVEN, speaker="Ana")
    assert turn.redacted == dict.fromkeys(SECRETS, 1)
    assert turn.brief is not None
    turn.close(f"Noted: {GIVEN}")
    assert turn.redacted == dict.fromkeys(SECRETS, 2)
    kept.remember(GIVEN, speaker="Ana")
    kept.perceive(GIVEN, role="assistant")
    own = Extraction.from_json({
        "concepts": [{"label": SECRETS["email"], "kind": "value"}, {"label": "Ana", "kind": "name"}],
        "relations": [{"source": "Ana", "relation": "e-mail is", "target": SECRETS["email"]}],
    })  # fmt: skip
    kept.perceive("My e-mail is secret.", speaker="Ana", extraction=own).close()
    found = kept.recall(f"When did Leire say {GIVEN} last week?")
    assert found.redacted == dict.fromkeys(SECRETS, 1)
    kept.profile(GIVEN)
    [fact] = kept.facts("Ana")
    kept.edit_fact(fact.id, target=SECRETS["email"], relation=f"writes from {SECRETS['phone']} to")
    counted(kept, 4)
    assert {"/v1/embeddings", "/v1/chat/completions"} <= {one.path for one in fake_openai.requests}


@pytest.mark.usefixtures("nowhere")
def test_imports(kept: Memory) -> None:
    lines = [{"role": "user", "content": GIVEN}, {"role": "assistant", "content": GIVEN}]
    found = read_text("talk.jsonl", "".join(json.dumps(line) + "\n" for line in lines), speaker="Ana")
    assert ingest(kept, found.turns).written == 2
    counted(kept, 2)
    given = {"text": GIVEN, "speaker": "Ana", "id": "x1", "role": "user",
             "extraction": {"concepts": [{"label": SECRETS["card"], "kind": "value"}]}}  # fmt: skip
    ingest(kept, read_text("own.jsonl", json.dumps(given) + "\n").turns)


@pytest.mark.usefixtures("nowhere")
def test_contract(kept: Memory) -> None:
    contract = kept.graph.contract(kept.name)
    schema = contract.publish(document(), Ed25519PrivateKey.generate()).schema_hash
    given = {"ia_author": "claude", "entry_type": "fact", "field_key": "decision", "field_value": GIVEN,
             "confidence_score": 0.9, "schema_hash": schema, "idempotency_key": "once"}  # fmt: skip
    first = contract.write(given)
    assert first.entry.field_value is not None
    assert "[card]" in first.entry.field_value
    assert contract.write(given).repeated
    assert contract.verify().valid
    counted(kept)


@pytest.mark.usefixtures("nowhere")
def test_notes(kept: Memory, tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75\nq8sdkfjhskjdfh\n-----END RSA PRIVATE KEY-----"
    (tmp_path / "memory/2026-02-10.md").write_text(f"first\n{GIVEN}\n{key}\nlast line\n")
    notes = kept.graph.workspace(kept.name, tmp_path, config=QUIET)
    written = notes.writer().append(GIVEN)
    assert SECRETS["card"] not in (tmp_path / written.path).read_text()
    notes.sync()
    counted(kept)
    assert "[card]" in notes.get("memory/2026-02-10.md").text
    assert "MIIE" not in notes.get("memory/2026-02-10.md").text
    assert all(SECRETS["email"] not in one.text for one in notes.bootstrap())
    [hit] = [one for one in notes.search(f"last line {GIVEN}").hits if "last line" in one.text]
    assert hit.end == 7, "a key takes as many lines as it had"
    assert "q8sdkfjhskjdfh" not in repr(kept.graph.store.rows("transfer/export_records", memory=kept.name,
                                        after=[-1, "", ""], page=10, dimensions=384))  # fmt: skip


@pytest.mark.usefixtures("nowhere")
def test_http_and_the_proxy(kept: Memory, fake_openai: FakeOpenAI, keys: KeyRegistry) -> None:
    key = keys.create("all", [kept.name], RIGHTS).text
    head = {"Authorization": f"Bearer {key}", "Idempotency-Key": uuid.uuid4().hex}
    with Served(make_app(kept.graph, upstream=Upstream(fake_openai.url, KEY))) as served:
        told = httpx2.post(f"{served.url}/v1/turns", json={"text": GIVEN, "speaker": "Ana"}, headers=head, timeout=120)
        assert told.status_code < 300, told.text
        assert told.json()["redacted"] == dict.fromkeys(SECRETS, 1)
        asked = httpx2.post(f"{served.url}/v1/recall", json={"question": GIVEN}, headers=head, timeout=120)
        assert asked.status_code < 300, asked.text
        call = {"id": "c1", "type": "function",
                "function": {"name": "send", "arguments": json.dumps({"to": SECRETS["email"]})}}  # fmt: skip
        with openai.OpenAI(base_url=f"{served.url}/v1", api_key=key, max_retries=0) as client:
            client.chat.completions.create(model="gpt-4o-mini", user="Ana", messages=[
                {"role": "system", "content": GIVEN},
                {"role": "user", "content": [{"type": "text", "text": GIVEN}]},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": GIVEN},
                {"role": "user", "content": GIVEN},
            ])  # type: ignore[list-item]  # fmt: skip
    sent = [one for one in fake_openai.requests if "gpt-4o-mini" in str(one.body.get("model"))]
    assert "[email]" in sent[-1].body["messages"][2]["tool_calls"][0]["function"]["arguments"]
    counted(kept, 2)


@pytest.mark.usefixtures("nowhere")
def test_mcp(kept: Memory) -> None:
    access = Access(kept.graph, Principal("test", "test", (kept.name,), frozenset(RIGHTS)))

    async def call() -> None:
        async with Client(make_server(lambda context: access, "all")) as client:
            said = await client.call_tool("memory_say", {"text": GIVEN, "speaker": "Ana", "reply": GIVEN})
            assert not said.is_error, said.content
            assert said.structured_content["redacted"] == dict.fromkeys(SECRETS, 2)
            asked = await client.call_tool("memory_recall", {"question": GIVEN})
            assert not asked.is_error, asked.content

    anyio.run(call)
    counted(kept)


@pytest.mark.usefixtures("nowhere")
def test_items(kept: Memory) -> None:
    Items(kept, "Ana").put([Entry(("a",), "k", {"deep": [GIVEN, {"note": GIVEN}]}, GIVEN)])
    [item] = Items(kept).within(("a",))
    assert "[iban]" in item.value["deep"][1]["note"]
    counted(kept)


@pytest.mark.usefixtures("nowhere")
def test_the_command_line(
    oroi: Callable[..., Ran], fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    name = f"cli-{uuid.uuid4().hex[:10]}"
    for variable, value in {
        "OROI_REDACT": "on", "OROI_EXTRACTOR": "openai", "OROI_WINDOWS": "openai", "OROI_RERANKER": "openai",
        "OROI_OPENAI_API_KEY": KEY, "OROI_OPENAI_BASE_URL": fake_openai.url, "OROI_CHAT_MODEL": "chat",
    }.items():  # fmt: skip
        monkeypatch.setenv(variable, value)
    said = oroi("say", name, GIVEN, "--speaker", "Ana", "--reply", GIVEN)
    assert "redacted before it was kept: 2 card, 2 email" in said.err
    assert oroi("chat", name, "--speaker", "Ana", stdin=f"{GIVEN}\n{GIVEN}\n".encode()).code == 0
    assert oroi("ask", name, GIVEN, "--json").json["redacted"] == dict.fromkeys(SECRETS, 1)
    assert oroi("windows", GIVEN).code == 0
    assert "2 card" in oroi("stats", name).out or "4 card" in oroi("stats", name).out
    assert 'kind="card"' in oroi("stats", name, "--prometheus").out
    assert oroi("memory", "delete", name, "--yes").code == 0


def test_a_hook_of_ones_own(graph: Graph) -> None:
    def hook(text: str) -> Redacted:
        return Redacted(text.replace("Bilbao", "[city]"), {"city": text.count("Bilbao")} if "Bilbao" in text else {})

    own = Graph(graph.store, graph.embedder, graph.extractor, redact=hook)
    opened = own.memory(f"test-{uuid.uuid4().hex[:12]}")
    assert opened.perceive("I live in Bilbao.", speaker="Ana").redacted == {"city": 1}
    assert "Bilbao" not in opened.recall("Where does Ana live? In Bilbao?").question
    assert opened.stats().redacted == {"city": 1}
    assert own.delete(opened.name) == 0
    wrong = Graph(graph.store, graph.embedder, graph.extractor, redact=lambda text: text)  # type: ignore[arg-type, return-value]
    opened = wrong.memory(f"test-{uuid.uuid4().hex[:12]}")
    with pytest.raises(InputError, match="must return oroi_graph"):
        opened.perceive("I live in Bilbao.")
    assert wrong.delete(opened.name) == 0


def test_what_is_redacted_forgets_nothing(graph: Graph) -> None:
    """ "[email]" stands for everybody's: an order that names one must not take them all along."""
    own = Graph(graph.store, graph.embedder, graph.extractor, redact=BuiltInRedactor())
    kept = own.memory(f"test-{uuid.uuid4().hex[:12]}")
    kept.perceive("Ana's e-mail is ana@example.com.", speaker="Ana").close()
    before = kept.stats()
    assert before.associations > 0
    turn = kept.perceive(f"Forget {SECRETS['email']}.", speaker="Ana")
    assert turn.refused is not None
    assert "redacted" in (turn.refused.reason or "")
    assert not kept.forget(f"everything about {SECRETS['email']}")
    assert not kept.forgettable(SECRETS["email"])
    assert kept.stats().concepts == before.concepts
    assert own.delete(kept.name) == 0


def test_an_archive_with_what_is_redacted_is_refused(graph: Graph, memory: Memory, store: Store) -> None:
    memory.perceive(GIVEN, speaker="Ana").close()
    file = io.StringIO()
    export_memory(store, memory.name, file)
    target = f"test-{uuid.uuid4().hex[:12]}"
    with pytest.raises(InputError, match=r"line \d+: it holds what is redacted here") as refused:
        import_memory(store, io.StringIO(file.getvalue()), target, redact=BuiltInRedactor())
    assert SECRETS["card"] not in str(refused.value)
    assert target not in [one.name for one in graph.memories()]


def test_an_archive_with_an_item_that_is_redacted_is_refused(graph: Graph, memory: Memory, store: Store) -> None:
    Items(memory).put([Entry(("notes",), "one", {"said": GIVEN})])
    file = io.StringIO()
    export_memory(store, memory.name, file)
    target = f"test-{uuid.uuid4().hex[:12]}"
    with pytest.raises(InputError, match=r"line \d+: it holds what is redacted here"):
        import_memory(store, io.StringIO(file.getvalue()), target, redact=BuiltInRedactor())
    assert target not in [one.name for one in graph.memories()]


def test_counts_survive_an_export(kept: Memory, store: Store) -> None:
    kept.perceive(GIVEN, speaker="Ana").close()
    file = io.StringIO()
    export_memory(store, kept.name, file)
    target = f"test-{uuid.uuid4().hex[:12]}"
    import_memory(store, io.StringIO(file.getvalue()), target, redact=BuiltInRedactor())
    copy = kept.graph.memory(target)
    assert copy.stats().redacted == kept.stats().redacted
    assert kept.graph.delete(target) == 0
