"""An import by batch jobs over real HTTP: the graph of a direct one, at half the price, and nothing is paid twice."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import kill
import pytest
from conftest_cli import Ran, cli_environment, oroi
from conftest_providers import fake_openai
from fake_embeddings import OpenAIBatches
from fake_openai import KEY, FakeOpenAI
from locations import PROJECT

from oroi_graph.errors import SettingsError
from oroi_graph.extraction.offline import OfflineExtractor
from oroi_graph.memory import Graph
from oroi_graph.model import Utterance
from oroi_graph.providers.openai.metering import price
from oroi_graph.providers.openai.models import Endpoint, OpenAIEmbedder, OpenAIExtractor
from oroi_graph.providers.remote.jobs import JobOptions, PendingError
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Store
from oroi_graph.transfer.bulk_by_model import BulkByModel
from oroi_graph.transfer.bulk_import import ingest
from oroi_graph.transfer.chats.recognition import read_turns
from oroi_graph.transfer.conversation_file import Scripted

__all__ = ["cli_environment", "fake_openai", "oroi"]

SAMPLE = PROJECT / "docs" / "demo" / "conversation.jsonl"


def chat(messages: list[dict[str, Any]]) -> str:
    """What a model would say of a turn: what the offline extractor says."""
    turn = json.loads(messages[-1]["content"])["turn"]
    found = OfflineExtractor().extract(Utterance(turn["speaker"], turn["role"], turn["text"]), [])
    return json.dumps(found.to_json())


@pytest.fixture
def turns() -> list[Scripted]:
    return list(read_turns(SAMPLE).turns)[:14]


@pytest.fixture
def batches(fake_openai: FakeOpenAI) -> OpenAIBatches:
    answers = OpenAIBatches(looks=1)
    fake_openai.always(answers)
    fake_openai.chat = chat
    return answers


@pytest.fixture
def graph(fake_openai: FakeOpenAI, store: Store) -> Iterator[Graph]:
    endpoint = Endpoint(api_key=KEY, base_url=fake_openai.url, backoff=0.01)
    made = Graph(store, OpenAIEmbedder(endpoint, dimensions=384), OpenAIExtractor(endpoint))
    names: list[str] = []
    opened = made.memory

    def noted(name: str, **more: Any) -> Any:
        names.append(name)
        return opened(name, **more)

    made.memory = noted  # type: ignore[method-assign]
    yield made
    for name in dict.fromkeys(names):
        made.delete(name)


def name() -> str:
    return f"bulk-{uuid.uuid4().hex[:12]}"


def content(store: Store, memory: str) -> dict[str, dict[str, Any]]:
    """All of a memory but its own node, which tells what models cost, and times of writing."""
    return {key: value for key, value in kill.state_of(store, memory).items() if key != f"node {memory}"}


def asked(fake: FakeOpenAI) -> Counter[str]:
    return Counter(request.path.split("/")[2] for request in fake.requests)


def test_jobs_give_the_graph_of_a_direct_import(
    graph: Graph, fake_openai: FakeOpenAI, batches: OpenAIBatches, turns: list[Scripted], tmp_path: Path
) -> None:
    one = name()
    ingest(graph.memory(one), turns)
    direct = asked(fake_openai)
    assert direct["chat"] == sum(turn.turn.role == "user" for turn in turns)
    spent, expected = catalog.stats(graph.store, one), content(graph.store, one)
    graph.delete(one)  # ids are made of the memory's name: the other one is called the same
    state = tmp_path / "jobs.json"
    jobs = BulkByModel(graph.memory(one), turns, state, JobOptions(poll=0.01))
    estimate = jobs.estimate()
    assert (estimate.turns, estimate.begun) == (direct["chat"], 0)
    assert asked(fake_openai) == direct, "nothing is sent before it was agreed to"
    report = jobs.run()
    assert report.written == len(turns)
    assert asked(fake_openai)["chat"] == direct["chat"], "every extraction came by the job"
    assert len(batches.jobs) == 2
    assert list(kill.differences(expected, content(graph.store, one))) == []
    cheap = catalog.stats(graph.store, one)
    assert (cheap.model_input_tokens > 0, spent.model_input_tokens > 0) == (True, True)
    assert 0 < cheap.model_cost < spent.model_cost
    assert json.loads(state.read_text()) == {}, "what is done is not remembered"
    assert BulkByModel(graph.memory(one), turns, state).estimate().turns == 0


def test_what_was_sent_is_collected_by_a_later_run_and_what_failed_is_asked_directly(
    graph: Graph, fake_openai: FakeOpenAI, batches: OpenAIBatches, turns: list[Scripted], tmp_path: Path
) -> None:
    batches.looks, batches.lost = 2, 2
    memory, state = graph.memory(name()), tmp_path / "jobs.json"
    for _ in range(2):  # the texts of the second job are known once the first is done
        with pytest.raises(PendingError, match="is under way: a later run collects it"):
            BulkByModel(memory, turns, state, JobOptions(wait=False)).run()
    again = BulkByModel(memory, turns, state, JobOptions(wait=False))
    assert again.estimate().turns == 0
    assert again.estimate().begun > 2
    assert again.run().failed == 0
    assert len(batches.jobs) == 2, "nothing is paid for twice"
    assert asked(fake_openai)["chat"] >= 2
    assert memory.stats().failed == 0


def test_only_a_model_behind_openais_interface_has_jobs(graph: Graph, tmp_path: Path) -> None:
    offline = Graph(graph.store, graph.embedder, OfflineExtractor()).memory(graph.memory(name()).name)
    with pytest.raises(SettingsError, match="set OROI_EXTRACTOR=openai"):
        BulkByModel(offline, [], tmp_path / "jobs.json")


def test_prices() -> None:
    assert price("gpt-4o-mini-2024-07-18", 1_000_000, 1_000_000) == pytest.approx(0.75)
    assert price("gpt-4o", 0, 100) == pytest.approx(0.001)
    assert price("text-embedding-3-small", 500_000, 0) == pytest.approx(0.01)
    assert price("gpt-4o-mini-search-preview", 1, 1) is None


def test_by_command_the_cost_is_shown_first(
    oroi: Callable[..., Ran], fake_openai: FakeOpenAI, batches: OpenAIBatches, store: Store,
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    given: Mapping[str, str] = {
        "OROI_EXTRACTOR": "openai", "OROI_OPENAI_API_KEY": KEY, "OROI_OPENAI_BASE_URL": fake_openai.url,
        "OROI_DATA_DIR": str(tmp_path),
    }  # fmt: skip
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    said = tmp_path / "said.jsonl"
    said.write_text("".join(SAMPLE.read_text("utf-8").splitlines(keepends=True)[:6]))
    memory = name()
    assert "--batch" in oroi("import", str(said), memory, "--yes").failed(2)
    refused = oroi("import", str(said), memory, "--batch", stdin=b"n\n")
    assert "3 turns to be read by batch jobs, about " in refused.err
    assert "about $0.00" in refused.err
    assert "nothing was sent" in refused.err
    assert not fake_openai.requests
    batches.looks = 2
    sent = oroi("import", str(said), memory, "--batch", "--yes", "--no-wait")
    assert "is under way: a later run collects it" in sent.err
    done = oroi("import", str(said), memory, "--batch", "--yes")
    assert done.code == 0, done
    assert "6 turns imported" in done.out
    assert len(batches.jobs) == 1
    told = oroi("stats", memory, "--json").json
    assert (told["model_calls"], told["model_input_tokens"], told["model_output_tokens"]) == (3, 21, 9)
    oroi("memory", "delete", memory, "--yes")
