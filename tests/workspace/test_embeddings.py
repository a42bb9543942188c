"""Embedders of a workspace's own: their vectors, their fallback, batch jobs; what fails is said, and search goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest_workspace import QUIET
from fake_embeddings import GeminiBatches, flaky, gemini, voyage
from fake_openai import KEY, FakeOpenAI, good

from oroi_graph import Graph, OfflineExtractor
from oroi_graph.providers.remote.choice import Access, Services
from oroi_graph.providers.remote.jobs import JobOptions
from oroi_graph.workspace.config import EmbeddingConfig
from oroi_graph.workspace.embeddings import open_embeddings
from oroi_graph.workspace.pipeline import Workspace

NOTES = {
    "MEMORY.md": "Ana prefers tea.\nThe deploy key is a828e60.\n",
    "memory/2026-02-10.md": "Rod has standup at 14:15.\nConfigured the Omada router.\n",
}


@pytest.fixture
def second() -> Iterator[FakeOpenAI]:
    """Another service."""
    with FakeOpenAI() as fake:
        yield fake


def services(openai: FakeOpenAI | None = None, **others: FakeOpenAI) -> Services:
    """Fakes by service, with waits that tests can afford."""
    given = {**others, **({"openai": openai} if openai else {})}
    return Services(access={name: Access(key=KEY, base_url=fake.url) for name, fake in given.items()}, timeout=20.0)


def opened(own: Graph, named: str, root: Path, known: Services, **config: Any) -> Workspace:
    graph = Graph(own.store, own.embedder, OfflineExtractor(), services=known)
    return graph.workspace(named, root, config=replace(QUIET, embedding=EmbeddingConfig(**config)))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with two notes."""
    for path, text in NOTES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Services are tried again at once."""
    monkeypatch.setattr("oroi_graph.providers.openai.service._LONGEST_BACKOFF", 0.001)


def test_notes_are_searched_by_the_vectors_of_their_own_provider(
    own: Graph, named: str, root: Path, fake_openai: FakeOpenAI
) -> None:
    fake_openai.always(gemini)
    workspace = opened(own, named, root, services(gemini=fake_openai), provider="gemini")
    report = workspace.sync()
    assert (report.embedded, report.failure) == (2, None)
    found = workspace.search("standup of Rod")
    assert (found.provider, found.model, found.fallback) == ("gemini", "gemini-embedding-001", None)
    assert found.hits[0].path == "memory/2026-02-10.md"
    _, rows = own.store.explore(
        "MATCH (n:Note:Record {memory: $m}) RETURN n.embedding IS NULL, size(n.foreign_embedding)", m=named
    )
    assert rows == [[True, own.embedder.dimensions]] * 2, "recall compares no vectors of another model"
    evoked = workspace.search("Who has standup?", profile="associative")
    assert (evoked.provider, evoked.hits[0].path) == ("local", "memory/2026-02-10.md")
    assert own.memory(named).forget("Rod", by="request").remains == 0
    assert "memory/2026-02-10.md" not in [hit.path for hit in workspace.search("standup of Rod").hits]
    # Back to the memory's own embedder: a new index, with vectors that recall compares.
    back = opened(own, named, root, services())
    assert back.sync().rebuilt
    assert back.search("deploy key").provider == "local"
    _, rows = own.store.explore("MATCH (n:Note {memory: $m}) RETURN n.foreign_embedding IS NULL", m=named)
    assert rows == [[True]]


def test_the_fallback_takes_over_only_when_the_first_fails_and_hands_back(
    own: Graph, named: str, root: Path, fake_openai: FakeOpenAI, second: FakeOpenAI
) -> None:
    down = [False]
    fake_openai.always(flaky(good, down))
    second.always(voyage)
    known = services(openai=fake_openai, voyage=second)
    workspace = opened(own, named, root, known, provider="openai", fallback="voyage")
    workspace.sync()
    assert workspace.search("deploy key").provider == "openai"
    assert second.requests == []

    down[0] = True
    (root / "memory/new.md").write_text("A zeppelin lands.\n")
    found = workspace.search("deploy key a828e60")
    assert (found.hits[0].path, found.provider) == ("MEMORY.md", "openai"), "by words, at once"
    assert "overloaded or failing (it is down)" in str(found.fallback)
    asked = len(fake_openai.requests)
    assert workspace.search("Omada router").hits
    assert len(fake_openai.requests) == asked, "who has just failed is not waited for again"

    report = workspace.sync()
    assert (report.rebuilt, report.failure) == (True, None)
    assert "openai failed" in str(report.remark)
    found = workspace.search("zeppelin")
    assert (found.provider, found.model, found.hits[0].path) == ("voyage", "voyage-4-large", "memory/new.md")
    assert found.fallback is not None
    assert found.fallback.to_json()["from"] == "openai"
    assert "it is down" in found.fallback.reason
    another = opened(own, named, root, known, provider="openai", fallback="voyage")
    assert "it is down" in str(another.status().fallback)
    assert (another.sync().read, another.search("zeppelin").provider) == (0, "voyage")

    down[0] = False
    assert another.sync().rebuilt
    found = another.search("zeppelin")
    assert (found.provider, found.fallback, another.status().fallback) == ("openai", None, None)


def test_what_cannot_be_used_says_so_and_notes_are_found_by_words(
    own: Graph, named: str, root: Path, second: FakeOpenAI
) -> None:
    second.always(voyage)
    alone = opened(own, named, root, services(), provider="gemini")
    report = alone.sync(linked=False)
    assert "OROI_GEMINI_API_KEY" in str(report.failure)
    found = alone.search("deploy key a828e60")
    assert found.hits[0].path == "MEMORY.md"
    assert "OROI_GEMINI_API_KEY" in str(found.fallback)
    both = opened(own, named, root, services(voyage=second), provider="gemini", fallback="voyage")
    assert both.sync(linked=False).rebuilt
    assert both.search("deploy key").provider == "voyage"
    neither = opened(own, named, root, services(), provider="gemini", fallback="openai")
    assert "the fallback openai cannot be used" in str(neither.sync(linked=False).remark)


def test_many_notes_are_embedded_by_a_job_and_the_rest_directly(
    own: Graph, named: str, root: Path, fake_openai: FakeOpenAI
) -> None:
    for number in range(120):
        (root / f"memory/{number}.md").write_text(f"note {number} about topic{number}\n")
    jobs = GeminiBatches(looks=10_000)
    fake_openai.always(jobs)
    known = services(gemini=fake_openai)
    options = JobOptions(poll=0.01, timeout=0.05)
    workspace = opened(own, named, root, known, provider="gemini", batch=options)
    report = workspace.sync(linked=False)
    assert (report.embedded, report.pending) == (0, True)
    assert "a later run collects it" in str(report.failure)
    assert workspace.search("topic77", max_results=1).hits[0].path == "memory/77.md", "by words meanwhile"
    jobs.looks, jobs.lost = 1, 2
    report = workspace.sync(linked=False)
    assert (report.embedded, report.failure, len(jobs.jobs), workspace.status().bare) == (122, None, 1, 0)

    (root / "memory/more.md").write_text("One more.\n")
    assert workspace.sync(linked=False).embedded == 1
    assert len(jobs.jobs) == 1, "a job is not worth waiting for one note"
    jobs.state = "BATCH_STATE_FAILED"
    for number in range(120):
        (root / f"memory/{number}.md").write_text(f"note {number} about subject{number}\n")
    report = workspace.sync(linked=False)
    assert (report.embedded, report.failure) == (120, None), "a failed job leaves no note without its vector"
    assert "out of quota" in str(report.remark)


def test_the_provider_is_chosen_in_the_inventors_order(own: Graph, tmp_path: Path, fake_openai: FakeOpenAI) -> None:
    def chosen(known: Services, **config: Any) -> str:
        found = open_embeddings(EmbeddingConfig(**config), own.embedder, known, tmp_path)
        return str(getattr(found.first, "provider", "local"))

    everything = services(openai=fake_openai, gemini=fake_openai, voyage=fake_openai)
    (tmp_path / "model.gguf").touch()
    assert chosen(everything) == "local", "nothing is sent anywhere unless it is asked for"
    assert chosen(everything, provider="auto", local_model=str(tmp_path / "model.gguf")) == "local"
    assert chosen(everything, provider="auto") == "openai"
    assert chosen(services(gemini=fake_openai, voyage=fake_openai), provider="auto") == "gemini"
    assert chosen(services(voyage=fake_openai), provider="auto") == "voyage"
    assert chosen(services(), provider="auto") == "local"
    assert chosen(services(), provider="auto", others={"voyage": {"key": KEY}}) == "voyage"
    assert chosen(services(), provider="auto", api_key=KEY) == "openai"
