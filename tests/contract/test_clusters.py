"""Topics of entries: that they find groups, and stay where they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oroi_graph.contract.clusters import BATCH, cluster
from oroi_graph.errors import InputError
from oroi_graph.providers.protocols import Vectors


def groups(
    n: int, topics: int, seed: int = 0, spread: float = 0.06, d: int = 64
) -> tuple[list[str], Vectors, list[int]]:
    """n vectors around some directions, in random order: ids, vectors, and the direction of each."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(topics, d))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    of = random.integers(topics, size=n)
    vectors = centres[of] + random.normal(size=(n, d)) * spread
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [f"e{i}" for i in range(n)], vectors.astype(np.float32), of.tolist()


def test_groups_are_found() -> None:
    ids, vectors, of = groups(600, 7)
    found = cluster(ids, vectors)
    assert len(found.topics) == 7
    assert len(set(zip(of, found.labels, strict=True))) == 7
    assert sum(topic.size for topic in found.topics) == 600
    assert all(np.linalg.norm(topic.centroid) == pytest.approx(1, abs=1e-5) for topic in found.topics)


def test_entries_keep_their_topics_while_others_come() -> None:
    ids, vectors, _ = groups(900, 40, spread=0.11)
    first = cluster(ids[:600], vectors[:600])
    grown = cluster(ids, vectors, known=first.topics)
    moved = sum(a != b for a, b in zip(first.labels, grown.labels[:600], strict=True))
    assert moved <= 0.02 * 600
    assert [topic.id for topic in grown.topics[: len(first.topics)]] == [topic.id for topic in first.topics]


def test_a_clustering_from_scratch_moves_only_what_was_in_the_last_batch() -> None:
    ids, vectors, _ = groups(3 * BATCH, 60, spread=0.11)
    grown = cluster(ids, vectors).labels
    for size in (BATCH, 2 * BATCH, 2 * BATCH + 100):
        whole = size // BATCH * BATCH
        before = cluster(ids[:size], vectors[:size]).labels
        assert before[:whole] == grown[:whole]
        moved = sum(a != b for a, b in zip(before, grown[:size], strict=True))
        assert moved <= 0.1 * size


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 60), st.integers(1, 6), st.integers(0, 5))
def test_clustering_again_changes_nothing(n: int, topics: int, seed: int) -> None:
    ids, vectors, _ = groups(n, topics, seed)
    first = cluster(ids, vectors)
    assert cluster(ids, vectors).labels == first.labels
    assert cluster(ids, vectors, known=first.topics).labels == first.labels
    assert len(set(first.labels)) == len([topic for topic in first.topics if topic.size])


def test_a_stranger_founds_a_topic_of_its_own() -> None:
    ids, vectors, _ = groups(50, 2)
    known = cluster(ids, vectors).topics
    stranger = -vectors[:1]
    found = cluster(["new"], stranger, known=known)
    assert len(found.topics) == len(known) + 1
    assert [topic.size for topic in found.topics] == [0] * len(known) + [1]


def test_bad_input_is_refused() -> None:
    ids, vectors, _ = groups(4, 2)
    topics = cluster(ids, vectors).topics
    for arguments in (
        {"ids": ids[:3], "vectors": vectors},
        {"ids": ["a"] * 4, "vectors": vectors},
        {"ids": ids, "vectors": vectors, "threshold": 0.0},
        {"ids": ids, "vectors": vectors[:, :8], "known": topics},
    ):
        with pytest.raises(InputError):
            cluster(**arguments)  # type: ignore[arg-type]
