"""The embedder cache: what is embedded, in which calls, and what is forgotten first."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from oroi_graph.errors import ProviderError, SettingsError
from oroi_graph.providers.cache import CachedEmbedder, CacheUsage
from oroi_graph.providers.protocols import Vectors
from oroi_graph.providers.scripted import ScriptedEmbedder


class Noting(ScriptedEmbedder):
    """A scripted embedder that notes its calls, and fails where it is told to."""

    def __init__(self) -> None:
        super().__init__(16)
        self.calls: list[list[str]] = []
        self.failing = False
        self._noting = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._noting:
            self.calls.append(list(texts))
        if self.failing:
            raise ProviderError("down")
        return super().embed(texts)


def test_misses_go_in_one_call_each_once_and_order_is_kept() -> None:
    behind = Noting()
    cache = CachedEmbedder(behind)
    cache.embed(["b"])
    texts = ["c", "a", "b", "a", "c", "d"]
    assert np.array_equal(cache.embed(texts), ScriptedEmbedder(16).embed(texts))
    assert behind.calls == [["b"], ["c", "a", "d"]]
    assert cache.usage == CacheUsage(hits=3, misses=4)


def test_what_is_known_needs_no_call() -> None:
    behind = Noting()
    cache = CachedEmbedder(behind)
    first = cache.embed(["a", "b"])
    assert np.array_equal(cache.embed(["b", "a"]), first[::-1])
    assert cache.embed([]).shape == (0, 16)
    assert len(behind.calls) == 1


def test_the_text_used_longest_ago_is_forgotten_first() -> None:
    behind = Noting()
    cache = CachedEmbedder(behind, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cache.embed([text])
    assert behind.calls == [["a"], ["b"], ["c"], ["b"]]
    assert len(cache) == 2


def test_long_texts_are_forgotten_before_there_are_many() -> None:
    behind = Noting()
    cache = CachedEmbedder(behind, room=10_000)
    long = [letter * 4_000 for letter in "abc"]
    for text in ["s", *long, *long[::-1], "s"]:
        cache.embed([text])
    assert behind.calls == [["s"], [long[0]], [long[1]], [long[2]], [long[0]], ["s"]]
    assert len(cache) == 3
    cache.clear()
    for text in ("x" * 9_000, "y", "z"):
        cache.embed([text])
    assert len(cache) == 2
    assert np.array_equal(cache.embed(["x" * 20_000]), ScriptedEmbedder(16).embed(["x" * 20_000]))


def test_a_call_larger_than_the_cache_is_answered_in_full() -> None:
    cache = CachedEmbedder(Noting(), size=2)
    texts = list("abcdefab")
    assert np.array_equal(cache.embed(texts), ScriptedEmbedder(16).embed(texts))
    assert len(cache) == 2


def test_nothing_of_a_failed_call_is_remembered() -> None:
    behind = Noting()
    cache = CachedEmbedder(behind)
    behind.failing = True
    with pytest.raises(ProviderError, match="down"):
        cache.embed(["a"])
    behind.failing = False
    assert np.array_equal(cache.embed(["a"]), ScriptedEmbedder(16).embed(["a"]))
    assert cache.usage == CacheUsage(hits=0, misses=1)


def test_threads_that_share_a_small_cache_get_their_own_vectors() -> None:
    cache = CachedEmbedder(ScriptedEmbedder(16), size=5)
    batches = [[f"text {(start + step) % 11}" for step in range(4)] for start in range(200)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(cache.embed, batches))
    for batch, answer in zip(batches, answers, strict=True):
        assert np.array_equal(answer, ScriptedEmbedder(16).embed(batch))
    assert cache.usage.hits + cache.usage.misses == 800
    assert len(cache) == 5


class Short(ScriptedEmbedder):
    """An embedder that loses the last text."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed(texts[:-1])


def test_an_embedder_that_answers_with_too_little_is_named() -> None:
    with pytest.raises(ProviderError, match="'scripted' gave"):
        CachedEmbedder(Short(16)).embed(["a", "b"])


def test_a_cache_of_nothing_is_refused() -> None:
    with pytest.raises(SettingsError, match="at least 1"):
        CachedEmbedder(ScriptedEmbedder(16), size=0)
