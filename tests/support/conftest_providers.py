"""Fixtures of the provider tests: the model's folder and a local service with OpenAI's interface."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_openai import FakeOpenAI

from oroi_graph.server.fetch import ensure_bge_small, ensure_e5_small, ensure_minilm
from oroi_graph.settings import Settings


@pytest.fixture(scope="session")
def minilm_folder() -> Path:
    """A folder with the files of all-MiniLM-L6-v2: OROI_TEST_MINILM, else fetched into the cache folder."""
    given = os.environ.get("OROI_TEST_MINILM")
    return Path(given) if given else ensure_minilm(Settings.from_env().cache_dir)


@pytest.fixture(scope="session")
def bge_folder() -> Path:
    """A folder with the files of bge-small-en-v1.5: OROI_TEST_BGE, else fetched into the cache folder."""
    given = os.environ.get("OROI_TEST_BGE")
    settings = Settings.from_env()
    return Path(given) if given else ensure_bge_small(settings.cache_dir, maven_url=settings.maven_url)


@pytest.fixture(scope="session")
def e5_folder() -> Path:
    """A folder with the file of multilingual-e5-small: OROI_TEST_E5, else fetched into the cache folder."""
    given = os.environ.get("OROI_TEST_E5")
    return Path(given) if given else ensure_e5_small(Settings.from_env().cache_dir)


@pytest.fixture
def fake_openai() -> Iterator[FakeOpenAI]:
    """A fake service of this test's own."""
    with FakeOpenAI() as fake:
        yield fake
