"""The HTTP API on a port of this machine: what it does, and what it answers where something is wrong."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote

import httpx2
import pytest
from contracts import document
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from served import Served

from oroi_graph.errors import InputError
from oroi_graph.interfaces.http import Limits, make_app
from oroi_graph.interfaces.http.app import Application
from oroi_graph.interfaces.http.idempotency import Asked, Once
from oroi_graph.interfaces.http.problems import RefusedError
from oroi_graph.interfaces.keys import RIGHTS, KeyRegistry, Requests
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import Exclusion, RecordKind
from oroi_graph.storage.store import Store
from oroi_graph.workspace.pipeline import register

LARGEST = 20_000


@pytest.fixture(scope="module")
def application(graph: Graph) -> Application:
    return make_app(graph, Limits(largest=LARGEST, patience=0.6))


@pytest.fixture(scope="module")
def served(application: Application) -> Iterator[Served]:
    with Served(application) as started:
        yield started


@dataclass
class Web:
    """Requests with one key."""

    url: str
    key: str | None
    headers: dict[str, str] = field(default_factory=dict)

    def __call__(self, method: str, path: str, status: int = 200, **more: Any) -> Any:
        headers = {**self.headers, **more.pop("headers", {})}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        answer = httpx2.request(method, f"{self.url}{path}", headers=headers, timeout=60, **more)
        assert answer.status_code == status, answer.text
        if status >= 400:
            assert answer.headers["content-type"] == "application/problem+json"
            found = answer.json()
            assert found["status"] == status
            assert found["type"].startswith("urn:oroi:problem:")
            assert found["detail"]
            return found
        return answer.json() if answer.headers["content-type"] == "application/json" else answer.text


@pytest.fixture
def web(served: Served, keys: KeyRegistry, memory: Memory) -> Web:
    return Web(served.url, keys.create("test", [memory.name], RIGHTS).text)


# -- what it does --------------------------------------------------------------------------------------------------


def test_a_life_over_http(web: Web, memory: Memory) -> None:
    turn = web(
        "POST", "/v1/turns", 201, json={"text": "My sister Leire lives in Gernika.", "speaker": "Ana", "id": "t1"}
    )
    assert (turn["turn"], turn["memory"], turn["brief"]["text"]) == (1, memory.name, "")
    closed = web("POST", "/v1/turns/t1/close", json={"reply": "Noted.", "injected": turn["brief"]["concept_ids"]})
    assert closed["closed"]
    assert web("POST", "/v1/turns/t1/close", json={"reply": "Again."})["turn"] == 1, "closed already"
    asked = web(
        "POST", "/v1/turns", 201, json={"text": "Where does Leire live?", "speaker": "Ana", "reply": "Gernika."}
    )
    assert asked["turn"] == 2
    web("POST", "/v1/remember", 201, json={"text": "I am allergic to nuts.", "speaker": "Ana"})
    question = {"question": "Where does my sister live?", "speaker": "Ana"}
    found = web("POST", "/v1/recall", json=question)
    assert "Gernika" in found["brief"]["text"]
    assert all(item["memories"] == [memory.name] for item in found["items"])
    explained = web("POST", "/v1/explain", json=question)
    assert explained["reasons"]
    nuts = next(one for one in explained["left_out"] if "nuts" in one["record"]["text"])
    assert (nuts["memory"], nuts["rank"] > 1) == (memory.name, True)
    assert nuts["rule"] in get_args(Exclusion)
    assert "Gernika" in json.dumps(web("POST", "/v1/records", json={**question, "k": 2})["records"])
    facts = web("GET", "/v1/facts", params={"about": "Leire", "speaker": "Ana"})["facts"]
    [fact] = [one for one in facts if one["target"] == "Gernika"]
    edited = web("PATCH", f"/v1/facts/{fact['id']}", json={"target": "Bilbao"})["fact"]
    assert edited["target"] == "Bilbao"
    [*_, edit] = memory.provenance(next(one for one in memory.facts("Leire") if one.id == edited["id"]))
    assert (edit.role, edit.speaker) == ("edit", "test"), "the key's, not the speaker's"
    assert "Bilbao" in json.dumps(web("GET", "/v1/profile", params={"about": "Leire"})["themes"])
    assert web("DELETE", f"/v1/facts/{edited['id']}")["deleted"]["id"] == edited["id"]
    page = web("GET", "/v1/timeline", params={"limit": 2})
    assert [one["turn"] for one in page["episodes"]] == [3, 2, 2]
    last = web("GET", "/v1/timeline", params={"before": page["next"], "limit": 2})
    assert ([one["turn"] for one in last["episodes"]], last["next"]) == ([1, 1], None)
    assert web("GET", "/v1/episodes/t1")["verbatim"] == "My sister Leire lives in Gernika."
    assert web("POST", "/v1/undo", json={"dry_run": True})["turn"] == 3
    overview = web("GET", "/v1/memory")
    assert (overview["memory"], overview["stats"]["turns"]) == (memory.name, 3)
    lines = web("GET", "/v1/export").splitlines()
    assert len(lines) > 5
    assert all(json.loads(line) for line in lines)


@pytest.mark.parametrize("id", ["chat/2026/7", "/", "a/close", "?#%2F", "año 1 · 🙂"])
def test_a_turn_has_any_id_of_its_client(web: Web, memory: Memory, id: str) -> None:
    place = quote(id, safe="")
    web("POST", "/v1/turns", 201, json={"text": "Leire lives in Gernika.", "speaker": "Ana", "id": id})
    assert web("POST", f"/v1/turns/{place}/close", json={"reply": "Noted."})["closed"]
    assert [one.text for one in memory.timeline()] == ["Noted.", "Leire lives in Gernika."]
    assert web("GET", f"/v1/episodes/{place}")["verbatim"] == "Leire lives in Gernika."
    assert "not known here" in web("GET", f"/v1/episodes/{place}?memories=x", 422)["detail"]


def test_questions_are_asked_of_one_kind_of_record(web: Web) -> None:
    web("POST", "/v1/turns", 201, json={"text": "My sister Leire lives in Gernika.", "speaker": "Ana"})
    asked = {"question": "Where does my sister live?", "speaker": "Ana"}
    found = {kind: web("POST", "/v1/records", json={**asked, "kind": kind})["records"] for kind in get_args(RecordKind)}
    assert [kind for kind, records in found.items() if records] == ["episode"]
    web("POST", "/v1/records", 422, json={**asked, "kind": "concept"})


def test_forgetting_shows_its_plan_first(web: Web, memory: Memory) -> None:
    web("POST", "/v1/turns", 201, json={"text": "My sister Leire lives in Gernika.", "speaker": "Ana"})
    what = {"what": "Leire", "speaker": "Ana"}
    plan = web("POST", "/v1/forget/plan", json=what)
    assert plan["plan"]
    assert plan["counts"]["records"] == 1
    assert memory.facts("Leire")
    web("POST", "/v1/turns", 201, json={"text": "Leire is a nurse.", "speaker": "Ana"})
    stale = web("POST", "/v1/forget", 409, json={**what, "plan": plan["plan"]})
    assert "the plan is not what would be forgotten now" in stale["detail"]
    assert memory.facts("Leire")
    again = web("POST", "/v1/forget/plan", json=what)["plan"]
    assert web("POST", "/v1/forget", json={**what, "plan": again})["remains"] == 0
    assert web("POST", "/v1/forget/plan", json=what)["plan"] is None
    assert "nothing was forgotten" in web("POST", "/v1/forget", 409, json={**what, "plan": again})["detail"]


def test_merges_are_made_and_undone(web: Web) -> None:
    for text in ("Leire lives in Gernika.", "Leire Etxebarria is a nurse."):
        web("POST", "/v1/turns", 201, json={"text": text, "speaker": "Ana", "reply": "Yes."})
    made = web("POST", "/v1/merges", 201, json={"first": "Leire", "second": "Leire Etxebarria"})["merge"]
    assert [(one["id"], one["by"]) for one in web("GET", "/v1/merges")["merges"]] == [(made["id"], "test")]
    assert web("POST", f"/v1/merges/{made['id']}/undo", json={})["undone"][0]["id"] == made["id"]
    web("POST", f"/v1/merges/{made['id']}/undo", 422, json={})


def test_a_sleep_is_a_job_that_can_be_followed(web: Web, served: Served) -> None:
    web("POST", "/v1/turns", 201, json={"text": "Leire lives in Gernika.", "speaker": "Ana", "reply": "Yes."})
    job = web("POST", "/v1/consolidations", 202, json={})
    events: list[tuple[str, dict[str, Any]]] = []
    headers = {"Authorization": f"Bearer {web.key}"}
    with httpx2.stream("GET", f"{served.url}/v1/jobs/{job['id']}/events", headers=headers, timeout=60) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                events.append((name, json.loads(line[6:])))
    assert events[-1][0] == "ended"
    assert events[-1][1]["state"] == "done"
    assert events[-1][1]["result"]["state"] == "done"
    assert web("GET", f"/v1/jobs/{job['id']}")["state"] == "done"
    assert web("DELETE", f"/v1/jobs/{job['id']}")["state"] == "done"
    assert web("GET", "/v1/jobs/nothing", 404)["type"].endswith("job-not-found")


def test_an_import_is_a_job_and_what_is_no_conversation_is_refused(web: Web, memory: Memory) -> None:
    talk = [{"role": "user", "content": "My sister Leire lives in Gernika."}, {"role": "assistant", "content": "Yes."}]
    body = {"content": json.dumps(talk), "speaker": "Ana"}
    for written, skipped in ((2, 0), (0, 2)):
        job = web("POST", "/v1/imports", 202, json=body)
        while job["state"] in ("waiting", "running"):
            time.sleep(0.05)
            job = web("GET", f"/v1/jobs/{job['id']}")
        found = job["result"]
        assert (job["state"], job["kind"], found["written"], found["skipped"]) == ("done", "import", written, skipped)
        assert found["format"] == "messages with role and content"
    assert "Gernika" in {fact.target for fact in memory.facts("Leire")}
    assert "in no format that is known" in web("POST", "/v1/imports", 422, json={"content": "So it goes."})["detail"]


def test_notes_of_the_workspace(web: Web, graph: Graph, memory: Memory, tmp_path: Path) -> None:
    assert "has no workspace" in web("GET", "/v1/notes/search?query=boat", 422)["detail"]
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-02-10.md").write_text("# Boat\n\nThe boat lies in Bermeo.\n")
    workspace = graph.workspace(memory.name, tmp_path)
    register(graph.store, memory.name, tmp_path, None)
    workspace.sync()
    [found, *_] = web("GET", "/v1/notes/search?query=Where does the boat lie?")["results"]
    assert found["path"] == "memory/2026-02-10.md"
    assert "Bermeo" in web("GET", f"/v1/notes/content?path={found['path']}")["text"]
    for path in ("../secret.md", "/etc/passwd", "memory/none.md"):
        web("GET", f"/v1/notes/content?path={path}", 422)


def test_entries_of_a_contract(web: Web, graph: Graph, memory: Memory) -> None:
    web("GET", "/v1/contract", 422)
    graph.contract(memory.name).publish(document(), Ed25519PrivateKey.generate())
    active = web("GET", "/v1/contract")
    entry = {
        "ia_author": "claude", "entry_type": "fact", "field_key": "project_status", "field_value": "Phase 2 runs.",
        "confidence_score": 0.9,
        "schema_hash": active["schema_hash"],
    }  # fmt: skip
    written = web("POST", "/v1/contract/entries", 201, json={"entry": entry})
    assert written["outcome"] == "inserted"
    found = web("GET", "/v1/contract/entries", params={"history": True})
    assert found["entries"][0]["field_value"] == "Phase 2 runs."
    assert web("GET", "/v1/contract/conflicts")["conflicts"] == []
    refused = web("POST", "/v1/contract/entries", 422, json={"entry": {**entry, "field_key": "nonsense"}})
    assert refused["errors"][0]["pointer"] == "/field_key"


def test_several_memories_by_one_key(served: Served, keys: KeyRegistry, memory: Memory, other: Memory) -> None:
    memory.perceive("My sister Leire lives in Gernika.", speaker="Ana").close()
    other.perceive("The release is on 14 March.", speaker="Jon").close()
    web = Web(served.url, keys.create("both", [memory.name, other.name], ["read", "write"]).text)
    found = web("POST", "/v1/recall", json={"question": "When is the release?"})
    assert found["memories"] == [memory.name, other.name]
    assert f"[{other.name}]" in found["brief"]["text"]
    one = web("POST", "/v1/recall", json={"question": "When is the release?", "memories": [other.name]})
    assert one["memories"] == [other.name]
    assert web("GET", "/v1/timeline", params={"memory": other.name})["memory"] == other.name
    for names in ([], [""], ["*"], None, "all", [None]):
        web("POST", "/v1/recall", 422, json={"question": "When?", "memories": names})
    unknown = [uuid.uuid4().hex, "diary"]
    for name in unknown:
        detail = web("POST", "/v1/recall", 403, json={"question": "When?", "memories": [name]})["detail"]
        assert "opens no memory named" in detail
    turn = web("POST", "/v1/turns", 201, json={"text": "When is the release?", "speaker": "Ana"})
    assert "14 March" in turn["brief"]["text"]
    assert turn["memory"] == memory.name
    assert other.stats().turns == 1, "others are only read"


# -- repeated requests ---------------------------------------------------------------------------------------------


def test_the_same_idempotency_key_is_the_same_request(web: Web, memory: Memory) -> None:
    key = {"Idempotency-Key": "abc-1"}
    body = {"text": "Leire lives in Gernika.", "speaker": "Ana", "reply": "Yes."}
    first = web("POST", "/v1/turns", 201, json=body, headers=key)
    assert web("POST", "/v1/turns", 201, json=body, headers=key) == first
    assert memory.stats().turns == 1
    other = web("POST", "/v1/turns", 422, json={**body, "text": "Something else."}, headers=key)
    assert other["type"].endswith("idempotency-key-reused")
    web("POST", "/v1/turns", 422, json=body, headers={"Idempotency-Key": "x" * 300})


def test_a_repeated_turn_is_one_turn_after_a_restart_too(graph: Graph, keys: KeyRegistry, memory: Memory) -> None:
    """What the process has forgotten, the graph knows: the turn's id derives from the header."""
    text = keys.create("test", [memory.name], RIGHTS).text
    for repeated in (False, True):
        with Served(make_app(graph)) as served:
            web = Web(served.url, text, {"Idempotency-Key": "abc-2"})
            turn = web("POST", "/v1/turns", 201, json={"text": "Leire lives in Gernika.", "speaker": "Ana"})
            assert turn["repeated"] == repeated
    assert memory.stats().episodes == 1


def test_nothing_is_undone_twice_by_another_process(graph: Graph, keys: KeyRegistry, memory: Memory) -> None:
    for text in ("Leire lives in Gernika.", "Leire is a nurse.", "Leire plays the trumpet."):
        memory.perceive(text, speaker="Ana").close("Yes.")
    text = keys.create("test", [memory.name], RIGHTS).text
    with Served(make_app(graph)) as served:
        web = Web(served.url, text, {"Idempotency-Key": "undo-1"})
        assert web("POST", "/v1/undo", json={}) == web("POST", "/v1/undo", json={})
        failing = Web(served.url, text, {"Idempotency-Key": "merge-1"})
        failing("POST", "/v1/merges", 422, json={"first": "Leire", "second": "nobody"})
    with Served(make_app(graph)) as served:
        web = Web(served.url, text, {"Idempotency-Key": "undo-1"})
        refused = web("POST", "/v1/undo", 409, json={})
        assert (refused["type"], "was done at" in refused["detail"]) == ("urn:oroi:problem:done-already", True)
        assert web("POST", "/v1/undo", 422, json={"dry_run": False})["type"].endswith("idempotency-key-reused")
        failing = Web(served.url, text, {"Idempotency-Key": "merge-1"})
        said = failing("POST", "/v1/merges", 422, json={"first": "Leire", "second": "nobody"})["detail"]
        assert "nobody" in said, "what failed is tried again"
    assert memory.stats().turns == 2


def test_what_a_killed_process_had_begun_is_not_done_again(store: Store, keys: KeyRegistry, memory: Memory) -> None:
    asked = Asked(keys.create("test", [memory.name]).key.id, "undo", "same")

    def killed() -> dict[str, Any]:
        raise KeyboardInterrupt

    def fails() -> dict[str, Any]:
        raise InputError("no")

    with pytest.raises(KeyboardInterrupt):
        Once(Requests(store)).do(asked, killed, twice=True)
    with pytest.raises(RefusedError, match="did not end"):
        Once(Requests(store)).do(asked, dict, twice=True)
    with pytest.raises(RefusedError, match="belongs to another"):
        Once(Requests(store)).do(replace(asked, fingerprint="other"), dict, twice=True)
    again = replace(asked, name="again")
    with pytest.raises(InputError):
        Once(Requests(store)).do(again, fails, twice=True)
    assert Once(Requests(store)).do(again, dict, twice=True) == {}
    assert Once(Requests(store, lasting=0)).do(asked, dict, twice=True) == {}, "a day later it is another request"
    assert Once(Requests(store)).do(replace(asked, who="local"), dict, twice=True) == {}, "no key of the graph"
    kept = store.explore("MATCH (:Key {id: $id})-[:ASKED]->(r) RETURN keys(r), r.id", id=asked.who)[1]
    assert [sorted(one[0]) for one in kept] == [["at", "claim", "done", "fingerprint", "id"]]
    assert "undo" not in str(kept)


def test_once_is_once(store: Store) -> None:
    once, done, begun, go_on = Once(Requests(store), kept=3), [], threading.Event(), threading.Event()

    def slow() -> dict[str, Any]:
        begun.set()
        go_on.wait()
        done.append(1)
        return {"n": len(done)}

    worker = threading.Thread(target=once.do, args=(Asked("who", "key", "same"), slow))
    worker.start()
    begun.wait()
    with pytest.raises(RefusedError, match="under way"):
        once.do(Asked("who", "key", "same"), slow)
    go_on.set()
    worker.join()
    assert once.do(Asked("who", "key", "same"), slow) == {"n": 1}
    assert once.do(Asked("somebody else", "key", "same"), slow) == {"n": 2}

    def fails() -> dict[str, Any]:
        raise ValueError

    for _ in range(2):
        with pytest.raises(ValueError):  # noqa: PT011 - a failure is tried again
            once.do(Asked("who", "other", "same"), fails)
    for number in range(5):
        once.do(Asked("who", str(number), "same"), slow)
    assert once.do(Asked("who", "key", "same"), slow) == {"n": 8}, "too old, done again"


# -- what is refused -----------------------------------------------------------------------------------------------


def test_keys_that_do_not_open(served: Served, keys: KeyRegistry, graph: Graph, memory: Memory, other: Memory) -> None:
    expired, revoked = keys.create("a", [memory.name], days=1), keys.create("b", [memory.name])
    keys.revoke(revoked.key.id)
    graph.store.schema("MATCH (k:Key {id: $id}) SET k.expires_at = datetime() - duration('P1D')", id=expired.key.id)
    for key, said in (
        (None, "a key is needed"),
        ("oroi_wrong", "no such key"),
        (expired.text, "expired on"),
        (revoked.text, "was revoked on"),
    ):
        assert said in Web(served.url, key)("GET", "/v1/memory", 401)["detail"]
    reader = Web(served.url, keys.create("c", [memory.name], ["read"]).text)
    for method, path, body in (
        ("POST", "/v1/turns", {"text": "Hello."}),
        ("POST", "/v1/forget/plan", {"what": "Ana"}),
        ("DELETE", "/v1/facts/x", None),
        ("POST", "/v1/undo", {}),
        ("POST", "/v1/consolidations", {}),
        ("GET", "/v1/export", None),
    ):
        assert "may not" in reader(method, path, 403, json=body)["detail"]
    gone = Web(served.url, keys.create("d", [other.name]).text)
    graph.delete(other.name)
    assert "opens no memory any more" in gone("GET", "/v1/memory", 403)["detail"]


def test_what_does_not_fit_is_told_without_repeating_it(web: Web) -> None:
    secret = "qxqsecret"
    bad = web("POST", "/v1/recall", 400, content=b'{"question": ', headers={"Content-Type": "application/json"})
    assert bad["type"].endswith("malformed-json")
    for body in (
        {"question": ""},
        {"question": 7, "speaker": secret},
        {"question": "Who?", "budget": 0, secret: 1},
        {"question": "Who?", "since": secret + "\ud800"},
        {"question": "Who?\ud800" + secret},
        {"question": "Who?", "at": "0001-01-01T00:00:00Z"},
        [],
    ):
        raw = json.dumps(body).encode()
        found = web("POST", "/v1/recall", 422, content=raw, headers={"Content-Type": "application/json"})
        assert found["errors"] or found["detail"]
        if not isinstance(body, dict) or "since" not in body:
            assert secret not in json.dumps([found["detail"], [one["message"] for one in found.get("errors", [])]])
    for path in ("/v1/profile?about=Leire&about=Ana", "/v1/contract/conflicts?key=a&key=b"):
        assert "more than once" in web("GET", path, 422)["detail"]
    for number in (0, 0.0, "false"):
        web("POST", "/v1/undo", 422, json={"dry_run": number})
    assert web("GET", "/v1/nothing", 404)["type"].endswith("not-found")
    assert web("PUT", "/v1/recall", 405)["type"].endswith("method-not-allowed")
    assert "no episode" in web("GET", "/v1/episodes/nothing", 404)["detail"]
    assert "no fact" in web("PATCH", "/v1/facts/nothing", 404, json={"target": "Bilbao"})["detail"]


def test_a_body_that_is_too_large(web: Web, served: Served, memory: Memory) -> None:
    large = {"text": "a" * LARGEST}
    assert web("POST", "/v1/turns", 413, json=large)["type"].endswith("too-large")

    def pieces() -> Iterator[bytes]:
        for _ in range(30):
            yield b" " * 1000

    assert web("POST", "/v1/turns", 413, content=pieces())["type"].endswith("too-large"), "told by no header"
    assert memory.stats().episodes == 0


def test_a_client_that_hangs_or_goes(served: Served, web: Web, memory: Memory) -> None:
    head = f"POST /v1/turns HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {web.key}\r\nContent-Length: 100\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.port)) as hanging:
        hanging.sendall(head.encode() + b'{"text": ')
        assert b"408 Request Timeout" in hanging.recv(4096)
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", served.port)) as going:
            going.sendall(head.encode() + b'{"text": ')
    assert web("GET", "/v1/memory")["stats"]["turns"] == 0
    assert memory.stats().episodes == 0


def test_one_that_follows_a_job_and_goes(served: Served, web: Web) -> None:
    web("POST", "/v1/turns", 201, json={"text": "Leire lives in Gernika.", "speaker": "Ana", "reply": "Yes."})
    job = web("POST", "/v1/consolidations", 202, json={})
    with httpx2.stream(
        "GET", f"{served.url}/v1/jobs/{job['id']}/events", headers={"Authorization": f"Bearer {web.key}"}
    ):
        pass
    while web("GET", f"/v1/jobs/{job['id']}")["state"] in ("waiting", "running"):
        time.sleep(0.05)
    assert web("GET", f"/v1/jobs/{job['id']}")["state"] == "done"


def test_a_key_that_asks_too_often(graph: Graph, keys: KeyRegistry, memory: Memory) -> None:
    often, seldom = (keys.create(name, [memory.name]).text for name in ("often", "seldom"))
    with Served(make_app(graph, Limits(a_minute=5))) as served:
        web = Web(served.url, often)
        for _ in range(5):
            web("GET", "/v1/memory")
        refused = httpx2.get(f"{served.url}/v1/memory", headers={"Authorization": f"Bearer {often}"})
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 120
        Web(served.url, seldom)("GET", "/v1/memory")
        assert "oroi_http_rate_limited_total 1.0" in httpx2.get(f"{served.url}/metrics").text


def test_a_database_that_is_gone_is_said(graph: Graph, keys: KeyRegistry, memory: Memory) -> None:
    from oroi_graph.extraction.offline import OfflineExtractor
    from oroi_graph.storage.store import Store

    closed = listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    closed.close()
    with (
        Graph(
            Store(f"bolt://127.0.0.1:{port}", "neo4j", "x", patience=0.1), graph.embedder, OfflineExtractor()
        ) as gone,
        Served(make_app(gone)) as served,
    ):
        assert httpx2.get(f"{served.url}/health").json()["status"] == "ok"
        web = Web(served.url, keys.create("a", [memory.name]).text)
        assert web("GET", "/ready", 503)["type"].endswith("database-failed")
        assert "no Neo4j answers" in web("GET", "/v1/memory", 503)["detail"]


# -- what is seen from outside --------------------------------------------------------------------------------------


def test_metrics_and_log_name_no_content(
    web: Web, served: Served, memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    # Letters alone: some digits among them would be read as a number.
    secret = "qxq" + uuid.uuid4().hex.translate(str.maketrans("0123456789", "ghijklmnop"))
    with caplog.at_level("INFO", logger="oroi_graph"):
        answer = httpx2.post(
            f"{served.url}/v1/turns",
            json={"text": f"My word is {secret}."},
            headers={"Authorization": f"Bearer {web.key}"},
        )
        web("GET", f"/v1/episodes/{secret}", 404)
        web("GET", "/v1/facts", params={"about": secret})
    lines = [record.getMessage() for record in caplog.records]
    assert any("http.request" in line and "route=/v1/turns status=201" in line for line in lines)
    assert any(f"id={answer.headers['x-request-id']}" in line for line in lines)
    assert all(secret not in line and str(web.key) not in line for line in lines)
    found = httpx2.get(f"{served.url}/metrics").text
    assert 'oroi_http_requests_total{method="POST",route="/v1/turns",status="201"}' in found
    assert 'oroi_working_set{what="readings"}' in found
    assert secret not in found
    assert memory.name not in found
    assert httpx2.get(f"{served.url}/ready").json()["status"] == "ready"


def test_the_description_is_complete(served: Served) -> None:
    found = httpx2.get(f"{served.url}/openapi.json").json()
    operations = [one for path in found["paths"].values() for one in path.values()]
    assert len(operations) > 25
    for one in operations:
        assert one["description"]
        assert set(one["responses"]) & {"200", "201", "202"}
    assert "Problem" in found["components"]["schemas"]
    known = set(found["components"]["schemas"])
    assert {ref.rsplit("/", 1)[1] for ref in references(found)} <= known


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from references(one)


# -- the command ---------------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def test_the_command_serves_and_stops_gracefully(
    spawn: Callable[..., subprocess.Popen[bytes]], keys: KeyRegistry, memory: Memory
) -> None:
    port = free_port()
    key = keys.create("a", [memory.name], RIGHTS).text
    process = spawn("serve", "--port", str(port), "--json")
    assert process.stderr is not None
    try:
        said = process.stderr.readline().decode()
        assert f"serving at http://127.0.0.1:{port}/v1" in said
        web = Web(f"http://127.0.0.1:{port}", key)
        web("POST", "/v1/turns", 201, json={"text": "Leire lives in Gernika.", "speaker": "Ana", "reply": "Yes."})
        logged = json.loads(process.stderr.readline())
        assert (logged["event"], logged["route"], logged["status"]) == ("http.request", "/v1/turns", 201)
        taken = spawn("serve", "--port", str(port))
        out, err = taken.communicate(timeout=60)
        assert (taken.returncode, out) == (1, b"")
        assert f"cannot listen on 127.0.0.1 port {port}" in err.decode()
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out == b""


def test_without_the_extra_it_says_what_to_install(oroi: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oroi_graph.interfaces.extras.find_spec", lambda name: None)
    assert "pip install 'oroi-graph[http]'" in oroi("serve").failed()
