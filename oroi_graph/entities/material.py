"""What a record that is no turn is found by: its vector and words, and the concepts that it mentions.

It is made outside transactions. An embedder that fails never costs a record: it is kept without vector and mentions,
and gets them later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oroi_graph.entities.mentions import Mention, read
from oroi_graph.entities.resolution import CANDIDATES, decide, rows
from oroi_graph.errors import ProviderError
from oroi_graph.language.normalize import digest
from oroi_graph.language.parsed_text import parse
from oroi_graph.model import Utterance
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.storage.rows import new_concept
from oroi_graph.storage.store import Row, written_vector
from oroi_graph.working_set.entry import concept_candidates
from oroi_graph.working_set.kept import WorkingSets

MOST = 12  # concepts that one record mentions


@dataclass(frozen=True, slots=True)
class Material:
    """What one text is found by. vector: (d,) unit vector, words packed; None where the embedder failed."""

    vector: NDArray[np.float32] | None = None
    words: str | None = None
    mentions: tuple[Mention, ...] = ()
    labels: Mapping[str, NDArray[np.float32]] | None = None  # vectors of the mentions' labels


def prepare(texts: Sequence[tuple[str, str]], embedder: Embedder, reader: Extractor) -> list[Material]:
    """The material of some (author, text), embedded in one batch; without vectors if the embedder fails."""
    mentions = [mentions_of(author, text, reader) for author, text in texts]
    wanted = list(dict.fromkeys([text for _, text in texts] + [m.label for some in mentions for m in some]))
    try:
        vectors, words = embedded(embedder, wanted)
    except ProviderError:
        return [Material() for _ in texts]
    by_text, packed = dict(zip(wanted, vectors, strict=True)), dict(zip(wanted, words, strict=True))
    return [
        Material(by_text[text], packed[text], tuple(some), {m.label: by_text[m.label] for m in some})
        for (_, text), some in zip(texts, mentions, strict=True)
    ]


def mention_rows(sets: WorkingSets, memory: str, records: Sequence[tuple[str, Material]]) -> list[Row]:
    """The rows that write what some (record id, material) mention; reads only, in a transaction of its own.

    A label that is nothing stored becomes a new concept, whose turn `dated` fills in.
    """
    asked: dict[tuple[str, str], Mention] = {}
    vectors: dict[str, NDArray[np.float32]] = {}
    for _, material in records:
        for mention in material.mentions:
            asked.setdefault((mention.kind, mention.key), mention)
            vectors[mention.label] = (material.labels or {})[mention.label]
    mentions = list(asked.values())
    parameters = rows(mentions, vectors)
    found = sets.read(memory, lambda tx: concept_candidates(tx, memory, parameters, CANDIDATES)) if mentions else []
    by_row = {row["i"]: row for row in found}
    decided = {key: decide(mention, by_row[i]).match for i, (key, mention) in enumerate(asked.items())}
    ids: dict[tuple[str, str], str] = {}  # of new concepts
    made: dict[tuple[str, str], Row] = {}  # by record and concept: a record mentions a concept once
    for record, material in records:
        for mention in material.mentions:
            match = decided[mention.kind, mention.key]
            id = (
                match.concept_id
                if match
                else ids.setdefault((mention.kind, mention.key), digest(memory, record, mention.kind, mention.key))
            )
            new = new_concept(memory, 0, mention.label, mention.key, mention.kind, mention.alias)
            row = {
                "record": record, "id": id, "kind": mention.kind, "key": mention.key,
                "created": None if match else new,
                "vector": None if match else written_vector(vectors[mention.label]),
                "mention": {"surface": mention.surface, "method": match.method if match else "new",
                            "score": match.score if match else 1.0},
            }  # fmt: skip
            made.setdefault((record, id), row)
    return list(made.values())


def mentions_of(author: str, text: str, reader: Extractor) -> list[Mention]:
    """What a text mentions, but for its author: an agent that says "I" is not one of the people spoken of."""
    extraction = reader.extract(Utterance(text, author), ())
    mentions, _, _ = read(extraction, author, parse(text))
    named = {(m.kind, m.key): m for m in mentions if m.kind != "self" and (m.owner is None or m.owner.kind != "self")}
    return list(named.values())[:MOST]


def dated(rows: Sequence[Row], clock: int) -> list[Row]:
    """Rows of `mention_rows`, new concepts being first mentioned in the turn `clock`."""
    return [
        row if row["created"] is None else row | {"created": row["created"] | {"first_turn": clock, "last_turn": clock}}
        for row in rows
    ]
