"""Fixtures of the provider tests: the model's folder and a local service with OpenAI's interface."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import httpcore2
import numpy as np
import pytest
from fake_openai import FakeOpenAI
from numpy.typing import NDArray

from oroi_graph.providers.minilm import MiniLM
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


class Remembering:
    """A model that is run once for the same tokens, except in its own tests. What it said is kept up to ROOM bytes."""

    ROOM = 100_000_000

    def __init__(self, session: Any) -> None:
        self._session = session
        self._said: dict[tuple[bytes, tuple[int, ...]], list[NDArray[np.float32]]] = {}
        self._taken = 0
        self._lock = threading.Lock()

    def run(self, names: list[str], feed: dict[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """What the model says to MiniLM's tokens, not to be written to."""
        if os.environ.get("PYTEST_CURRENT_TEST", "").startswith("tests/providers/"):
            said: list[NDArray[np.float32]] = self._session.run(names, feed)
            return said
        tokens = feed["tokens"]
        key = tokens.tobytes(), tokens.shape
        kept = self._said.get(key)
        if kept is not None:
            return kept
        said = self._session.run(names, feed)
        size = 0
        for states in said:
            states.flags.writeable = False
            size += states.nbytes
        with self._lock:
            self._taken += size
            if self._taken > self.ROOM:
                self._said.clear()
                self._taken = size
            self._said[key] = said
        return said


@contextmanager
def models_read_once() -> Iterator[None]:
    """MiniLM of the cache folder is loaded once, and run once for the same texts; one in another folder, which a test
    may have damaged, each time."""
    opened, shared = MiniLM._open, Settings.from_env().cache_dir
    read: dict[tuple[Path, int], Any] = {}
    lock = threading.Lock()

    def once(self: MiniLM) -> Any:
        if shared not in self.folder.parents:
            return opened(self)
        with lock:
            key = (self.folder, self._threads)
            if key not in read:
                tokenizer, session = opened(self)
                read[key] = tokenizer, Remembering(session)
            return read[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MiniLM, "_open", once)
        yield


@contextmanager
def authorities_read_once() -> Iterator[None]:
    """Clients of HTTP share what says which certificates they trust: each would read the system's hundred and forty."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", lru_cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture
def fake_openai() -> Iterator[FakeOpenAI]:
    """A fake service of this test's own."""
    with FakeOpenAI() as fake:
        yield fake
