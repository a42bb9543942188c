"""Gemini's and Voyage's embedders over real HTTP, the choice among providers, and batch jobs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_embeddings import GeminiBatches, OpenAIBatches, gemini, voyage
from fake_openai import KEY, FakeOpenAI, Response, echoes_key, endpoint, hangs, raw, status
from own_authority import secure
from tables import table

from oroi_graph.connection import open_embedder
from oroi_graph.errors import ProviderError, SettingsError
from oroi_graph.providers.openai.models import OpenAIEmbedder
from oroi_graph.providers.protocols import Embedder
from oroi_graph.providers.remote.choice import Access, Services, choose, overridden
from oroi_graph.providers.remote.gemini import GeminiEmbedder
from oroi_graph.providers.remote.gemini_jobs import GeminiJobs
from oroi_graph.providers.remote.jobs import BatchEmbedder, JobOptions
from oroi_graph.providers.remote.openai_jobs import embedding_jobs
from oroi_graph.providers.remote.voyage import VoyageEmbedder
from oroi_graph.settings import Settings

Make = Callable[..., Embedder]


def make_gemini(fake: FakeOpenAI, dimensions: int | None = 48, **options: Any) -> GeminiEmbedder:
    fake.always(gemini)
    return GeminiEmbedder(endpoint(fake, service="gemini", **options), dimensions=dimensions)


def make_voyage(fake: FakeOpenAI, dimensions: int | None = 300, **options: Any) -> VoyageEmbedder:
    fake.always(voyage)
    return VoyageEmbedder(endpoint(fake, service="voyage", **options), dimensions=dimensions)


@pytest.fixture(params=[make_gemini, make_voyage], ids=["gemini", "voyage"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes an embedder of each service."""
    made: Make = request.param
    return made


def test_texts_become_unit_vectors_in_order_however_many(fake_openai: FakeOpenAI, make: Make) -> None:
    embedder = make(fake_openai)
    texts = [f"text number {number}" for number in range(130)] + ["", "a" * 50_000, "\ud800"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (133, embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors[77], embedder.embed([texts[77]])[0], atol=1e-6)
    assert len(fake_openai.requests) == 3
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_each_service_is_asked_in_its_own_way(fake_openai: FakeOpenAI) -> None:
    make_gemini(fake_openai, 48, headers={"X-Team": "a"}).embed(["hello"])
    make_voyage(fake_openai, 300).embed(["hello"])
    make_voyage(fake_openai, None).embed(["hello"])
    first, second, third = fake_openai.requests
    assert first.path == "/v1/models/gemini-embedding-001:batchEmbedContents"
    assert (first.headers["x-goog-api-key"], first.headers["x-team"]) == (KEY, "a")
    [asked] = first.body["requests"]
    assert (asked["model"], asked["outputDimensionality"]) == ("models/gemini-embedding-001", 48)
    assert asked["content"] == {"parts": [{"text": "hello"}]}
    assert (second.path, second.headers["authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert second.body == {"input": ["hello"], "model": "voyage-4-large", "output_dimension": 512}
    assert "output_dimension" not in third.body


def test_overload_is_waited_for_and_failures_are_told_in_a_line(
    fake_openai: FakeOpenAI, make: Make, subtests: pytest.Subtests
) -> None:
    embedder = make(fake_openai, headers={"X-Gateway": "Bearer gateway-secret"})
    fake_openai.script(status(429, retry_after=0.01), status(503))
    assert embedder.embed(["x"]).shape[0] == 1
    assert len(fake_openai.requests) == 3
    cases: dict[str, tuple[Any, str]] = {
        "key": (status(401, message="invalid"), "check OROI_(GEMINI|VOYAGE)_API_KEY"),
        "echo": (lambda fake, request: Response({"error": {"message": f"bad {KEY}"}}, 400), r"\*\*\*"),
        "header": (lambda fake, request: Response({"error": "bad gateway-secret"}, 400), r"bad \*\*\*"),
        "page": (raw(b"<html>"), "something else than"),
        "list": (raw(b"[]", "application/json"), "something else than"),
        "short": (raw(b'{"embeddings": [], "data": []}', "application/json"), "0 vectors for 1 texts"),
        "moved": (lambda fake, request: Response({}, 302, {"Location": "http://127.0.0.1:1/"}), "refused the request"),
    }
    for name, (behaviour, message) in cases.items():
        with subtests.test(name):
            fake_openai.script(behaviour)
            with pytest.raises(ProviderError, match=message) as caught:
                embedder.embed(["x"])
            assert KEY not in repr(caught.value)
            assert "\n" not in str(caught.value)


def test_a_service_that_hangs_or_is_gone_is_given_up(fake_openai: FakeOpenAI, make: Make) -> None:
    embedder = make(fake_openai, timeout=0.2, retries=1)
    fake_openai.always(hangs)
    with pytest.raises(ProviderError, match=r"did not answer within 0\.2 s"):
        embedder.embed(["x"])
    gone = make(fake_openai, base_url="http://127.0.0.1:1/v1", retries=0)
    with pytest.raises(ProviderError, match="cannot be reached"):
        gone.embed(["x"])


def test_only_authorities_that_the_system_knows_are_trusted(
    fake_openai: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secure(fake_openai.server, tmp_path, monkeypatch, trusted=True)
    address = fake_openai.url.replace("http://", "https://")
    assert make_voyage(fake_openai, base_url=address).embed(["x"]).shape == (1, 300)


def test_useless_lengths_and_keys_are_settings_errors(fake_openai: FakeOpenAI) -> None:
    for call in (
        lambda: make_gemini(fake_openai, 4_000),
        lambda: make_voyage(fake_openai, 4_000),
        lambda: make_gemini(fake_openai, api_key=" "),
        lambda: make_voyage(fake_openai, api_key="kéy"),
        lambda: make_voyage(fake_openai, headers={"X": "a\nb"}),
    ):
        with pytest.raises(SettingsError):
            call()


def test_vectors_that_are_none_are_refused(fake_openai: FakeOpenAI) -> None:
    for values in ([], [0.0] * 48, [float("nan")] * 48, [1.0] * 47, [10**400] * 48, "abc", None):
        embedder = make_gemini(fake_openai)
        fake_openai.script(lambda fake, request, values=values: Response({"embeddings": [{"values": values}]}))
        with pytest.raises(ProviderError):
            embedder.embed(["one"])


# The choice


def access(**keys: str) -> Services:
    return Services(access={name: Access(key=key) for name, key in keys.items()})


def test_the_first_provider_that_can_be_used_is_chosen(tmp_path: Path) -> None:
    """The order of the layout's inventor: a local model that exists, then keys."""
    everything = access(voyage="v", gemini="g", openai="o")
    assert choose(everything, tmp_path) == "local"
    assert choose(everything, tmp_path / "missing") == "openai"
    assert choose(access(voyage="v", gemini="g")) == "gemini"
    assert choose(access(voyage="v")) == "voyage"
    assert choose(access()) is None


def test_what_a_configuration_says_wins_over_the_settings() -> None:
    before = Services(access={"openai": Access(key="a", base_url="http://x", headers={"X-A": "1", "X-B": "1"})})
    after = overridden(before, "openai", Access(key="b", headers={"X-B": "2"})).of("openai")
    assert after == Access(key="b", base_url="http://x", headers={"X-A": "1", "X-B": "2"})


def test_settings_open_each_provider(fake_openai: FakeOpenAI) -> None:
    fake_openai.always(gemini)
    settings = Settings(embedder="gemini", gemini_api_key=KEY, gemini_base_url=fake_openai.url, embedding_dimensions=64)
    assert open_embedder(settings).embed(["x"]).shape == (1, 64)
    assert KEY not in repr(settings)
    automatic = replace(settings, embedder="auto", voyage_api_key=KEY)
    assert isinstance(open_embedder(automatic), GeminiEmbedder)
    fake_openai.always(voyage)
    chosen = replace(automatic, embedder="voyage", voyage_base_url=fake_openai.url)
    assert open_embedder(chosen).embed(["x"]).shape == (1, 64)
    with pytest.raises(SettingsError, match="OROI_VOYAGE_API_KEY"):
        open_embedder(Settings(embedder="voyage"))
    found = Settings.from_env({"GEMINI_API_KEY": "a", "OROI_VOYAGE_API_KEY": "b", "VOYAGE_API_KEY": "c"})
    assert (found.gemini_api_key, found.voyage_api_key) == ("a", "b")


# Batch jobs

QUICK = JobOptions(poll=0.01, timeout=30)
TEXTS = {f"key-{number}": f"the text {number}" for number in range(40)}


def with_gemini(fake: FakeOpenAI, jobs: GeminiBatches, options: JobOptions, state: Path | None) -> BatchEmbedder:
    embedder = make_gemini(fake, retries=0)
    fake.always(jobs)
    return BatchEmbedder(embedder, GeminiJobs(embedder), options, state)


def with_openai(fake: FakeOpenAI, jobs: OpenAIBatches, options: JobOptions, state: Path | None) -> BatchEmbedder:
    embedder = OpenAIEmbedder(endpoint(fake, service="openai", retries=0), "text-embedding-3-small", 48)
    fake.always(jobs)
    return BatchEmbedder(embedder, embedding_jobs(embedder), options, state)


Batches = tuple[Callable[..., BatchEmbedder], Any, str]
SERVICES: dict[str, Batches] = {
    "gemini": (with_gemini, GeminiBatches, "BATCH_STATE_FAILED"),
    "openai": (with_openai, OpenAIBatches, "failed"),
}


@pytest.fixture(params=SERVICES.values(), ids=SERVICES)
def batches(request: pytest.FixtureRequest) -> Batches:
    """How an embedder with jobs is made, its fake, and the name of a failed job's state."""
    found: Batches = request.param
    return found


def test_jobs_give_the_same_vectors(fake_openai: FakeOpenAI, batches: Batches, tmp_path: Path) -> None:
    make, fake, _ = batches
    embedder = make(fake_openai, fake(looks=3), QUICK, tmp_path / "jobs.json")
    bulk = embedder.embed_bulk(TEXTS)
    assert (bulk.failure, bulk.pending, list(bulk.found)) == (None, False, list(TEXTS))
    np.testing.assert_allclose(np.stack(list(bulk.found.values())), embedder.embed(list(TEXTS.values())), atol=1e-6)
    assert embedder._jobs._begun() == {}


def test_texts_that_a_job_failed_at_are_left_out(fake_openai: FakeOpenAI, batches: Batches) -> None:
    make, fake, _ = batches
    bulk = make(fake_openai, fake(lost=3), QUICK, None).embed_bulk(TEXTS)
    assert len(bulk.found) == 37


def test_a_job_that_fails_says_why(fake_openai: FakeOpenAI, batches: Batches, tmp_path: Path) -> None:
    make, fake, failed = batches
    embedder = make(fake_openai, fake(state=failed), QUICK, tmp_path / "jobs.json")
    bulk = embedder.embed_bulk(TEXTS)
    assert (bulk.found, bulk.pending) == ({}, False)
    assert "out of quota" in str(bulk.failure)
    assert embedder._jobs._begun() == {}


@table("options", [replace(QUICK, wait=False), replace(QUICK, timeout=0.05)])
def test_a_job_that_is_not_waited_for_is_collected_later_and_not_paid_for_twice(
    fake_openai: FakeOpenAI, tmp_path: Path, options: JobOptions
) -> None:
    jobs = GeminiBatches(looks=10_000)
    state = tmp_path / f"{options.wait}.json"
    bulk = with_gemini(fake_openai, jobs, options, state).embed_bulk(TEXTS)
    assert (bulk.found, bulk.pending) == ({}, True)
    assert "a later run collects it" in str(bulk.failure)
    jobs.looks = 1
    another = with_gemini(fake_openai, jobs, options, state)  # another process
    assert len(another.embed_bulk(TEXTS).found) == 40
    assert len(jobs.jobs) == 1


def test_as_many_jobs_run_at_a_time_as_are_allowed(
    fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("oroi_graph.providers.remote.jobs.MOST", 8)
    running, most, guard = set(), [0], threading.Lock()

    class Watched(GeminiBatches):
        def __call__(self, fake: Any, request: Any) -> Response:
            answer = super().__call__(fake, request)
            name = answer.body.get("name") if isinstance(answer.body, dict) else None
            with guard:
                (running.discard if answer.body.get("done") else running.add)(name)
                most[0] = max(most[0], len(running))
            return answer

    jobs = Watched(looks=3)
    bulk = with_gemini(fake_openai, jobs, replace(QUICK, concurrency=2), tmp_path / "jobs.json").embed_bulk(TEXTS)
    assert (len(bulk.found), len(jobs.jobs), most[0]) == (40, 5, 2)


def test_waiting_for_a_job_can_be_stopped(fake_openai: FakeOpenAI) -> None:
    stop = threading.Event()
    stop.set()
    started = time.monotonic()
    bulk = with_gemini(fake_openai, GeminiBatches(looks=10_000), JobOptions(poll=60), None).embed_bulk(TEXTS, stop)
    assert bulk.pending
    assert time.monotonic() - started < 30, "it did not wait for the next look"


def test_no_key_is_told_by_jobs(fake_openai: FakeOpenAI, batches: Batches) -> None:
    make, fake, _ = batches
    embedder = make(fake_openai, fake(), QUICK, None)
    fake_openai.always(echoes_key(400) if make is with_openai else status(400, message=f"bad {KEY}"))
    bulk = embedder.embed_bulk(TEXTS)
    assert bulk.failure
    assert KEY not in bulk.failure
