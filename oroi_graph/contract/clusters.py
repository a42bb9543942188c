"""Topics: clusters of unit vectors that stay where they are while entries are added.

Entries are read oldest first, in batches. An entry joins the nearest topic whose anchor is near enough; what joins
none is clustered by average linkage (fastcluster) and founds new topics. A topic's anchor is the mean direction of its
founders and never moves. So an entry can only leave its topic for one that was founded after it and lies nearer;
clustering the same entries from scratch changes those of the last batch at most. Time grows with entries × topics,
memory with batch × topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import InputError
from oroi_graph.language.normalize import digest

NEAR = 0.5  # cosine from which an entry belongs to a topic, for all-MiniLM-L6-v2 and models that nobody measured
# As for that one: what 90 % of the unrelated pairs of `calibration` stay below.
NEAR_OF = {"bge-small-en-v1.5-centred": 0.22, "multilingual-e5-small-q4-centred": 0.25}
BATCH = 512  # entries that are clustered at once

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Topic:
    """A cluster. id: made of its first founder's id, kept for ever. centroid: (d,) unit vector, the mean direction of
    its founders. size: entries in it at the last clustering."""

    id: str
    centroid: Vectors
    size: int


@dataclass(frozen=True, slots=True)
class Clustering:
    """topics: known ones first, then new ones in the order of their founders; of size 0, too, if known.

    labels: the topic id of each vector, in the order given.
    """

    topics: tuple[Topic, ...]
    labels: tuple[str, ...]


def cluster(
    ids: Sequence[str], vectors: Vectors, *, known: Sequence[Topic] = (), threshold: float | None = None
) -> Clustering:
    """The topics of (n, d) unit vectors, oldest first. ids: of the entries, all different.

    known: the topics of an earlier clustering with the same threshold; their ids stay. threshold: cosine from which an
    entry belongs to a topic, above 0 and below 1: that of `near_of` the embedding model; none: NEAR.
    Deterministic. Raises InputError for ids and vectors that do not fit.
    """
    near = NEAR if threshold is None else threshold
    _check(ids, vectors, known, near)
    anchors = [topic.centroid for topic in known]
    names = [topic.id for topic in known]
    labels = np.empty(len(ids), dtype=np.intp)
    for start in range(0, len(ids), BATCH):
        batch = np.asarray(vectors[start : start + BATCH], dtype=np.float32)
        joined = _nearest(batch, anchors, near)
        left = np.flatnonzero(joined < 0)
        for members in _founded(batch[left], near):
            joined[left[members]] = len(anchors)
            anchors.append(_mean(batch[left[members]]))
            names.append(digest("topic", ids[start + int(left[members[0]])]))
        labels[start : start + len(batch)] = joined
    sizes = np.bincount(labels, minlength=len(names))
    fresh = [Topic(name, anchor, 0) for name, anchor in zip(names, anchors, strict=True)]
    topics = tuple(replace(topic, size=int(size)) for topic, size in zip(fresh, sizes, strict=True))
    return Clustering(topics, tuple(names[label] for label in labels))


def near_of(model: str) -> float:
    """The threshold of topics that suits an embedding model."""
    return NEAR_OF.get(model, NEAR)


def _check(ids: Sequence[str], vectors: Vectors, known: Sequence[Topic], near: float) -> None:
    if not 0 < near < 1:
        raise InputError(f"the threshold of topics must be between 0 and 1, got {near}")
    if vectors.ndim != 2 or len(ids) != len(vectors):
        raise InputError(f"{len(ids)} ids do not fit vectors of shape {vectors.shape}: give one row an id")
    if len(set(ids)) != len(ids):
        raise InputError("the entries to cluster must have different ids")
    if any(topic.centroid.shape != vectors.shape[1:] for topic in known):
        raise InputError("the known topics have vectors of another length: cluster anew without them")


def _nearest(batch: Vectors, anchors: Sequence[Vectors], near: float) -> NDArray[np.intp]:
    """(n,) index of the nearest anchor, the older one of equals; -1 where none is near enough."""
    if not anchors:
        return np.full(len(batch), -1, dtype=np.intp)
    cosines = batch @ np.array(anchors, dtype=np.float32).T
    best = cosines.argmax(axis=1)
    return np.where(cosines[np.arange(len(batch)), best] >= near, best, -1).astype(np.intp)


def _founded(vectors: Vectors, near: float) -> list[NDArray[np.intp]]:
    """Groups of row indices, each ascending, in the order of their first members."""
    from fastcluster import linkage  # type: ignore[import-untyped]  # a heavy import, for who clusters only

    if len(vectors) < 2:
        return [np.arange(len(vectors), dtype=np.intp)] if len(vectors) else []
    exact = vectors.astype(np.float64)
    distances = np.maximum(0.0, 1.0 - (exact @ exact.T)[np.triu_indices(len(exact), 1)])
    groups = {row: [row] for row in range(len(exact))}
    for step, (a, b, distance, _) in enumerate(linkage(distances, "average")):
        if distance > 1.0 - near:  # steps come nearest first
            break
        groups[len(exact) + step] = groups.pop(int(a)) + groups.pop(int(b))
    found = [np.array(sorted(members), dtype=np.intp) for members in groups.values()]
    return sorted(found, key=lambda members: int(members[0]))


def _mean(vectors: Vectors) -> Vectors:
    total = vectors.sum(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(total))
    return np.asarray(total / length if length else vectors[0], dtype=np.float32)
