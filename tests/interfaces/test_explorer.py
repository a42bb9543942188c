"""What serves the explorer: links that open once, keys that live with the process, and the routes for people."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from served import Served

from oroi_graph.errors import KeyRefusedError, UnreachableError
from oroi_graph.interfaces.explorer import Sessions, local_principals, make_explorer, of_key, opening_page
from oroi_graph.interfaces.keys import KeyRegistry, Principal
from oroi_graph.memory import Graph, Memory
from oroi_graph.visualization.trace import trace


@pytest.fixture(scope="module")
def life(graph: Graph) -> Iterator[Memory]:
    memory = graph.memory(f"explored-{uuid.uuid4().hex[:8]}")
    for text in ("My sister Leire lives in Gernika.", "Leire plays the trumpet.", "Leire has moved to Durango."):
        memory.perceive(text, speaker="Ana").close("I see.")
    yield memory
    assert graph.delete(memory.name) == 0


class Asked:
    """Requests with one key of a session."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.headers = url, {"Authorization": f"Bearer {key}"}

    def __call__(self, path: str, status: int = 200, method: str = "GET", **more: Any) -> Any:
        answer = httpx2.request(method, f"{self.url}/v1{path}", headers=self.headers, timeout=60, **more)
        assert answer.status_code == status, answer.text
        return answer.json()


def test_a_link_opens_once_and_only_for_this_machine(graph: Graph, life: Memory) -> None:
    renewed: list[str] = []
    sessions = Sessions(KeyRegistry(graph.store), lambda: local_principals([life.name]), renewed.append)
    with Served(make_explorer(graph, sessions)) as served:
        code = sessions.code
        [key] = httpx2.post(f"{served.url}/session", content=code).json()["keys"]
        assert renewed == [sessions.code] != [code]
        for wrong in (code, "", "x" * 5000):
            answer = httpx2.post(f"{served.url}/session", content=wrong)
            assert answer.status_code in (401, 413)
            assert answer.headers["content-type"] == "application/problem+json"
        ask = Asked(served.url, key["key"])
        assert ask("/memory")["memory"] == key["memory"] == life.name
        assert Asked(served.url, "local_" + "x" * 43)("/memory", 401)["detail"].startswith("this session ended")
        for path in ("/v1/memory", "/", "/session"):
            for host in ("evil.example", "127.0.0.1.evil.example:80", ""):
                found = httpx2.get(f"{served.url}{path}", headers={**ask.headers, "Host": host})
                assert found.status_code in (400, 421), (path, host)
        page = httpx2.get(f"{served.url}/")
        policy = page.headers["content-security-policy"]
        assert "'unsafe" not in policy
        assert {"default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"} <= set(
            policy.split("; ")
        )
        assert "<script>" not in page.text
        assert "style=" not in page.text
        assert "http" not in page.text.replace("http-equiv", "")  # nothing of another host
        for path in ("/../server.py", "/%2e%2e/server.py", "/js/../../server.py"):
            assert httpx2.get(f"{served.url}{path}").status_code == 404


def test_a_link_stays_good_until_it_has_opened_a_session(
    graph: Graph, life: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    there: list[Principal] = []

    def principals() -> list[Principal]:
        if not there:
            raise UnreachableError("bolt://127.0.0.1:1", "connection refused")
        return there

    sessions = Sessions(KeyRegistry(graph.store), principals)
    with Served(make_explorer(graph, sessions)) as served:
        with socket.create_connection(("127.0.0.1", served.port)) as leaving:
            leaving.sendall(
                f"POST /session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(sessions.code)}\r\n\r\n".encode()
            )
        refused = httpx2.post(f"{served.url}/session", content=sessions.code)
        assert (refused.status_code, refused.json()["detail"][:19]) == (503, "no Neo4j answers at")
        there += local_principals([life.name])
        assert len(httpx2.post(f"{served.url}/session", content=sessions.code).json()["keys"]) == 1
    assert [said for said in caplog.records if said.levelname == "ERROR"] == []


def test_a_key_has_its_own_rights_in_the_page(graph: Graph, life: Memory) -> None:
    registry = KeyRegistry(graph.store)
    principal = Principal("k", "claude", (life.name, "team"), frozenset({"read", "write"}))
    own, other = of_key(principal)
    assert own == principal
    assert (other.memories, other.rights) == (("team", life.name), frozenset({"read"}))
    sessions = Sessions(registry, lambda: [principal])
    [made] = sessions.redeem(sessions.code)
    assert sessions.recognise(made.key) == principal
    text = registry.create("by hand", [life.name], ["read"]).text
    assert sessions.recognise(text).rights == {"read"}  # "Open with a key"
    with pytest.raises(KeyRefusedError):
        Sessions(registry, lambda: [principal]).recognise(made.key)
    assert 'url=http://127.0.0.1:1/#code=a&quot;b"' in opening_page('http://127.0.0.1:1/#code=a"b')


def test_a_page_that_is_open_may_do_what_its_key_may_by_now(graph: Graph, life: Memory, other: Memory) -> None:
    registry = KeyRegistry(graph.store)
    made = registry.create("claude", [life.name, other.name], ["read", "write"])
    sessions = Sessions(registry, lambda: of_key(registry.recognise(made.text)))
    with Served(make_explorer(graph, sessions)) as served:
        own, beside = (Asked(served.url, one.key) for one in sessions.redeem(sessions.code))
        assert (own("/memory")["memory"], beside("/memory")["memory"]) == (life.name, other.name)
        graph.delete(other.name)
        assert graph.memory(other.name).name == other.name  # another one, which was never opened to the key
        assert other.name in beside("/memory", 403)["detail"]
        assert own("/memory")["memories"] == [life.name]
        registry.revoke(made.key.id)
        for session in (own, beside):
            assert f"key {made.key.id} was revoked" in session("/memory", 401)["detail"]


def test_a_key_that_opens_nothing_any_more_is_refused(graph: Graph, keys: KeyRegistry, other: Memory) -> None:
    text = keys.create("claude", [other.name]).text
    graph.delete(other.name)
    with pytest.raises(KeyRefusedError, match="opens no memory any more"):
        of_key(keys.recognise(text))


def test_the_graph_as_it_was(graph: Graph, life: Memory) -> None:
    sessions = Sessions(KeyRegistry(graph.store), lambda: local_principals([life.name]))
    with Served(make_explorer(graph, sessions)) as served:
        [key] = sessions.redeem(sessions.code)
        ask = Asked(served.url, key.key)
        now, then = ask("/graph"), ask("/graph?turn=1")
        labels = {one["id"]: one["label"] for one in now["concepts"]}
        assert now["total"] == len(labels) == life.stats().concepts
        assert {"Leire", "Gernika"} <= {one["label"] for one in then["concepts"]}
        assert "Durango" not in {one["label"] for one in then["concepts"]}
        held = [
            {
                labels[one["target"]]: one["current"]
                for one in seen["associations"]
                if "Gernika" in labels[one["target"]]
            }
            for seen in (now, then)
        ]
        assert held == [{"Gernika": False}, {"Gernika": True}]
        assert ask("/graph?turn=0")["concepts"] == []
        active = {one["label"]: one["activation"] for one in then["concepts"]}
        assert active["Leire"] == pytest.approx(1.0)  # one mention in that very turn
        stored = {one["label"]: one["activation"] for one in now["concepts"]}
        assert max(stored.values()) > 0
        assert len(ask("/graph?limit=1")["concepts"]) == 1

        leire = next(id for id, label in labels.items() if label == "Leire")
        found = ask("/concepts?like=leir")["concepts"]
        assert ("Leire", False) in {(one["label"], one["exact"]) for one in found}
        page = ask(f"/concepts/{leire}")
        old, new = (next(one for one in page["facts"] if one["target"] == place) for place in ("Gernika", "Durango"))
        assert (old["superseded_by"], old["superseded_turn"]) == (new["id"], 3)
        assert [one["turn"] for one in page["records"] if one["role"] == "user"] == [3, 2, 1]
        assert "no concept with that id" in ask("/concepts/none", 404)["detail"]
        assert ask("/notes")["configured"] is False
        assert ask("/doubtful")["pairs"] == []


def test_recall_made_visible(graph: Graph, life: Memory) -> None:
    """The waves are those of recall, round by round, and what is on a path is among what they reached."""
    question = "Where does my sister live?"
    found = life.recall(question, speaker="Ana", traced=True)
    seen = trace(found, graph.options)
    [evocation] = found.evocations
    last = {one.id: one.amounts[-1] for one in seen.concepts}
    waves = dict(zip(evocation.ids, evocation.waves.sum(axis=0).tolist(), strict=True))
    assert last == pytest.approx({id: waves[id] for id in last}, abs=1e-5)
    cues = {cue.concept_id for cue in found.cues}
    assert {one.id for one in seen.concepts if one.arrival == 0} == cues
    for place in range(seen.rounds + 1):  # what a wave carries is conserved
        assert sum(one.amounts[place] for one in seen.concepts) == pytest.approx(len(cues), abs=1e-3)
    known = {one.id for one in seen.associations}
    steps = [step.association for reason in found.reasons for step in reason.path]
    assert steps
    assert set(steps) <= known
    assert trace(life.recall("ok, thanks", traced=True), graph.options).concepts == ()


def test_what_the_page_needs_is_shipped() -> None:
    page = Path(__import__("oroi_graph").__file__).parent / "interfaces" / "explorer" / "page"
    vendored = [path for path in (page / "vendor").iterdir() if path.suffix == ".js"]
    assert sum(path.stat().st_size for path in vendored) < 400_000
    licences = (page / "vendor" / "LICENSES.txt").read_text(encoding="utf-8")
    for library in ("sigma", "graphology", "graphology-layout-forceatlas2"):
        assert f"== {library}\n" in licences
