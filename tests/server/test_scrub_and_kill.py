"""One server that is scrubbed and killed: what was forgotten leaves the disk, what was acknowledged stays.

The tests run in this order on the same server, which is what takes most of their time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx2
import kill
import psutil
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from databases import SHORT_LIVED
from graph_view import NOON
from served import Served
from shared_assets import ASSET_CACHE

from oroi_graph.connection import open_store
from oroi_graph.contract.chain.checkpoints import Checkpoint
from oroi_graph.contract.document import template
from oroi_graph.contract.entry import EntryRefusedError, Outcome
from oroi_graph.contract.pipeline import MemoryContract
from oroi_graph.errors import ServerError, StoreError, UnreachableError
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

pytestmark = pytest.mark.endurance

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
        files = [Path(folder, name) for folder, _, names in os.walk(self.server.data_folder) for name in names]
        return [path.name for path in files if any(form in _content(path) for form in forms)]


def _content(path: Path) -> bytes:
    """What a file holds; nothing if it is gone by now: a server that runs merges its index files."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


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


@dataclass(frozen=True)
class Killed:
    """A server that was killed while an agent wrote entries and a client of the API told turns.

    told: what was acknowledged to the agent; answered: {turn id: status} for the client.
    """

    graph: Graph
    client: httpx2.Client
    contract: MemoryContract
    kept: Checkpoint
    base: dict[str, object]
    token: str
    told: list[Outcome]
    answered: dict[str, int]

    def tell(self, number: int) -> httpx2.Response:
        """A turn by the API."""
        turn = {"id": f"t{number}", "text": f"The {number}. boat lies in Irun.", "speaker": "Ana"}
        answer = self.client.post("/v1/turns", json={**turn, "reply": f"Boat {number}."})
        self.answered[turn["id"]] = answer.status_code
        return answer

    def entry(self, number: int, **more: str) -> dict[str, object]:
        """What the agent writes."""
        said = {"idempotency_key": str(number), "field_value": f"Crane {number} of the harbour is rusty."}
        return self.base | said | more

    def write_all(self) -> None:
        """Entries until the server is dead."""
        with pytest.raises(StoreError):  # noqa: PT012
            for number in range(1000):
                self.told.append(self.contract.write(self.entry(number), token=self.token))


@pytest.fixture(scope="module")
def killed(own: Own, minilm: Embedder) -> Iterator[Killed]:
    with Graph(own.opened(), minilm, OfflineExtractor()) as graph, Served(make_app(graph)) as served:
        signer = Ed25519PrivateKey.generate()
        contract = graph.contract("harbour")
        published = contract.publish(template(["claude", "gemini"], ["risk"]), signer)
        token = contract.add_author("claude")
        base = {"ia_author": "claude", "entry_type": "fact", "field_key": "risk", "confidence_score": 0.9,
                "schema_hash": published.schema_hash}  # fmt: skip
        kept = contract.checkpoint(signer)
        key = KeyRegistry(graph.store).create("client", [graph.memory("served").name], ["read", "write"]).text
        with httpx2.Client(base_url=served.url, headers={"Authorization": f"Bearer {key}"}, timeout=120) as client:
            one = Killed(graph, client, contract, kept, base, token, [], {})
            server = psutil.Process(own.server.status().pid)
            with ThreadPoolExecutor(1) as pool:
                agent = pool.submit(one.write_all)
                killer = threading.Timer(0.02, server.kill)
                while one.tell(len(one.answered)).status_code == 201:
                    assert len(one.answered) < 1000, "the server was killed"
                    if len(one.told) >= 5 and len(one.answered) >= 3 and killer.ident is None:
                        killer.start()
                agent.result()
            server.wait(30)
            yield one


def test_a_server_that_was_killed_is_not_waited_for(own: Own, killed: Killed) -> None:
    # Without asking whether the server lives, the driver would try for half a minute, and say so otherwise.
    with pytest.raises(UnreachableError, match=r"the managed server has ended.*: repeat the command"):
        killed.graph.store.write_rows("storage/read_schema")
    # By now the server has recovered once, which wrote all pages that it had in memory after it was scrubbed.
    assert own.holding() == []


def test_clients_of_the_api_are_told_and_lose_nothing_acknowledged(own: Own, killed: Killed) -> None:
    refused = len(killed.answered) - 1
    answer = killed.tell(refused)
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:oroi:problem:database-failed")
    assert killed.client.get("/health").status_code == 200
    assert killed.client.get("/ready").status_code == 503
    own.server.start()
    assert killed.client.get("/ready").status_code == 200
    memory = killed.graph.memory("served")
    kept = {one.turn_id for one in memory.timeline(limit=1000)}
    assert len(kept) >= 3
    assert {id for id, status in killed.answered.items() if status == 201} <= kept
    assert killed.tell(refused).status_code == 201, "sent again, it is the same turn, whole or not there before"
    told = [one for one in memory.timeline(limit=500) if one.turn_id == f"t{refused}"]
    assert sorted(one.role for one in told) == ["assistant", "user"]


def test_what_an_agent_wrote_before_a_kill_another_reads_after_it(own: Own, killed: Killed, minilm: Embedder) -> None:
    """Entries of a contract: what was acknowledged is there and in the chain; what is sent again is written once."""
    own.server.start()
    told = killed.told
    assert len(told) >= 5
    with Graph(own.opened(), minilm, OfflineExtractor()) as graph:
        other = graph.contract("harbour")
        known = {item.entry.id for item in other.read(history=True).items if item.entry}
        assert {one.entry.id for one in told} <= known
        assert other.verify(kept=[killed.kept]).valid
        again = [other.write(killed.entry(number), token=killed.token) for number in range(len(told) + 1)]
        assert [one.entry.id for one in again[:-1]] == [one.entry.id for one in told]
        assert all(one.repeated for one in again[:-1])
        with pytest.raises(EntryRefusedError, match="/ia_author"):
            other.write(killed.entry(9999, field_value="In another's name."), token="another")
        gemini = killed.entry(9999, ia_author="gemini", field_value="No crane is rusty.")
        assert other.write(gemini).entry.seq > 5
        assert other.verify(kept=[killed.kept]).valid


def test_the_comparison_sees_every_kind_of_difference() -> None:
    one = {"node a": {"labels": ["Concept"], "activation": 0.5, "aliases": ["x"]}, "node b": {"labels": []}}
    other = {"node a": {"labels": ["Concept"], "activation": 0.5 + 1e-8, "aliases": []}, "node c": {"labels": []}}
    found = list(kill.differences(one, other))
    assert [line.split(":")[0] for line in found] == ["node a", "node a", "missing", "left over"]
    near = {**one, "node a": {**one["node a"], "activation": 0.5 + 1e-10}}
    assert list(kill.differences(one, near)) == []
