"""One server that is scrubbed and killed: what was forgotten leaves the disk, what was acknowledged stays.

The tests run in this order on the same server, which is what takes most of their time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import kill
import psutil
import pytest
from databases import SHORT_LIVED
from graph_view import NOON
from served import Served
from shared_assets import ASSET_CACHE

from oroi_graph.connection import open_store
from oroi_graph.errors import ServerError, UnreachableError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.forgetting.scrub import scrub
from oroi_graph.interfaces.http import make_app
from oroi_graph.interfaces.keys import KeyRegistry
from oroi_graph.memory import Graph
from oroi_graph.providers.protocols import Embedder
from oroi_graph.server.managed import ManagedServer
from oroi_graph.settings import Settings
from oroi_graph.storage import migrations
from oroi_graph.storage.store import Store

pytestmark = pytest.mark.kill

WORDS = ("Xylquorbin", "Zephkrandol")


@dataclass(frozen=True)
class Own:
    """A server of this file's own."""

    settings: Settings
    server: ManagedServer

    def opened(self) -> Store:
        """A store on it; it is started if need be, as it was first."""
        self.server.start()
        return open_store(self.settings)

    def holding(self) -> list[str]:
        """The files of its database that hold one of the words."""
        forms = [form.encode() for word in WORDS for form in (word, word.casefold())]
        files = [path for path in self.server.data_folder.rglob("*") if path.is_file()]
        return [path.name for path in files if any(form in path.read_bytes() for form in forms)]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Own]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("own"), cache_dir=ASSET_CACHE)
    one = Own(settings, ManagedServer(settings.data_dir, ASSET_CACHE, SHORT_LIVED))
    try:
        with one.opened() as store:
            migrations.migrate(store, 384)
        yield one
    finally:
        one.server.stop()


def test_nothing_forgotten_is_left_on_the_disk(own: Own, minilm: Embedder) -> None:
    with Graph(own.opened(), minilm, OfflineExtractor()) as graph:
        memory = graph.memory("diary")
        memory.perceive("I live in Bilbao.", speaker="Ana", at=NOON).close()
        for word in WORDS:
            said = f"My colleague {word} works in a long building by the river, and I like {word} a lot."
            memory.perceive(said, speaker="Ana", at=NOON).close(f"Good to know about {word}.")
            assert memory.forget(word, speaker="Ana").remains == 0
    with pytest.raises(ServerError, match="stop it before"):
        own.server.delete_indexes()
    assert own.holding(), "deleting in the database is not deleting on the disk"
    done = scrub(own.server, own.opened, WORDS)
    assert done.left == ()
    assert done.searched > 10
    assert "none of" in str(done)
    assert own.holding() == []
    with Graph(own.opened(), minilm, OfflineExtractor()) as graph:
        assert "Bilbao" in graph.memory("diary").recall("Where do I live?", speaker="Ana").brief.text
        assert graph.store.explore("MATCH (f:Filler) RETURN count(f)")[1] == [[0]]


def test_a_killed_and_resumed_import_gives_the_graph_of_an_undisturbed_one(own: Own, minilm: Embedder) -> None:
    outcome = kill.run(own.server, minilm, kills=1, seed=3, turns=kill.sample(30))
    assert outcome.kills == 1
    assert outcome.things > 100
    assert outcome.differences == ()


def test_a_server_that_was_killed_is_not_waited_for(own: Own) -> None:
    with own.opened() as store:
        psutil.Process(own.server.status().pid).kill()
        # Without asking whether the server lives, the driver would try for half a minute, and say so otherwise.
        with pytest.raises(UnreachableError, match=r"the managed server has ended.*: repeat the command"):
            store.write_rows("storage/read_schema")
    # By now the server has recovered once, which wrote all pages that it had in memory after it was scrubbed.
    assert own.holding() == []


def test_clients_of_the_api_are_told_and_lose_nothing_acknowledged(own: Own, minilm: Embedder) -> None:
    answered = dict[str, int]()
    with Graph(own.opened(), minilm, OfflineExtractor()) as graph, Served(make_app(graph)) as served:
        key = KeyRegistry(graph.store).create("client", [graph.memory("served").name], ["read", "write"]).text
        with httpx2.Client(base_url=served.url, headers={"Authorization": f"Bearer {key}"}, timeout=120) as client:

            def tell(number: int) -> httpx2.Response:
                turn = {"id": f"t{number}", "text": f"The {number}. boat lies in Irun.", "speaker": "Ana"}
                answer = client.post("/v1/turns", json={**turn, "reply": f"Boat {number}."})
                answered[turn["id"]] = answer.status_code
                return answer

            for number in range(3):
                assert tell(number).status_code == 201
            killer = threading.Timer(0.5, psutil.Process(own.server.status().pid).kill)
            killer.start()
            while (answer := tell(len(answered))).status_code == 201:
                assert len(answered) < 1000, "the server was killed"
            killer.join()
            assert (answer.status_code, answer.json()["type"]) == (503, "urn:oroi:problem:database-failed")
            assert client.get("/health").status_code == 200
            assert client.get("/ready").status_code == 503
            own.server.start()
            assert client.get("/ready").status_code == 200
            kept = {one.turn_id for one in graph.memory("served").timeline(limit=1000)}
            assert len(kept) >= 3
            assert {id for id, status in answered.items() if status == 201} <= kept
            refused = len(answered) - 1
            assert tell(refused).status_code == 201, "sent again, it is the same turn, whole or not there before"
            told = [one for one in graph.memory("served").timeline(limit=500) if one.turn_id == f"t{refused}"]
            assert sorted(one.role for one in told) == ["assistant", "user"]


def test_the_comparison_sees_every_kind_of_difference() -> None:
    one = {"node a": {"labels": ["Concept"], "activation": 0.5, "aliases": ["x"]}, "node b": {"labels": []}}
    other = {"node a": {"labels": ["Concept"], "activation": 0.5 + 1e-8, "aliases": []}, "node c": {"labels": []}}
    found = list(kill.differences(one, other))
    assert [line.split(":")[0] for line in found] == ["node a", "node a", "missing", "left over"]
    near = {**one, "node a": {**one["node a"], "activation": 0.5 + 1e-10}}
    assert list(kill.differences(one, near)) == []
