"""One memory for one case, built once by the product's own path and read by every condition.

What the baselines read is the same memory: its records, concepts and associations, as arrays. A checksum over all
that the memory is, before the first condition and after the last, proves that reading it left no trace.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph.evaluation.datasets.dataset import Case
from oroi_graph.evaluation.errors import EvaluationError
from oroi_graph.forgetting.plan import fact_of
from oroi_graph.language.normalize import digest
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import Fact, RecordHit
from oroi_graph.options import Progress, silent
from oroi_graph.providers.protocols import Vectors
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Row, Store
from oroi_graph.transfer.bulk_import import ImportReport, ingest

PREFIX = "evaluation"
_SAID = ("id", "turn_id", "turn", "role", "speaker", "session", "at", "text")


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept as baselines see it. mentions: how many records mention it."""

    id: str
    label: str
    kind: str
    activation: float
    mentions: int


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationMemory:
    """A memory and all that it holds, in the order it was said.

    protagonists: who speaks, but for the assistant. vectors: (records, d) float32, as the product embeds records, zeros
    where it has no embedding; concept_vectors: (concepts, d). mentions: for each record, the positions of the concepts
    it mentions. links: (source, target, weight) of every association, stated or implied, as positions. facts: the
    stated ones. at: when questions are asked. built: what the import says of itself.
    """

    memory: Memory
    at: datetime
    language: str | None
    protagonists: tuple[str, ...]
    records: tuple[RecordHit, ...]
    vectors: Vectors
    mentions: tuple[tuple[int, ...], ...]
    concepts: tuple[Concept, ...]
    concept_vectors: Vectors
    links: tuple[tuple[int, int, float], ...]
    facts: tuple[Fact, ...]
    built: ImportReport

    @property
    def turn_ids(self) -> dict[str, str]:
        """The turn each record is of, by record id."""
        return {record.id: record.turn_id for record in self.records}


def memory_name(case: Case, dataset: str, graph: Graph) -> str:
    """The name of a case's memory: the same for the same turns, extractions and providers, so that ids are the same."""
    content = [
        [[s.turn.id, s.turn.role, s.turn.speaker, s.turn.text, str(s.turn.at), s.turn.session],
         s.extraction.to_json() if s.extraction else None]
        for s in case.turns
    ]  # fmt: skip
    mark = digest(graph.embedder.model, graph.extractor.name, content)
    return f"{PREFIX}-{dataset}-{re.sub(r'[^A-Za-z0-9]+', '-', case.name)[:60]}-{mark}"


@contextmanager
def world_of(
    case: Case, dataset: str, graph: Graph, *, keep: bool = False, progress: Progress = silent
) -> Iterator[EvaluationMemory]:
    """Build the memory of a case, hand it out to be read, delete it; also on failure or Ctrl-C.

    keep: use the memory if an earlier evaluation kept it, and keep it. Raises EvaluationError if a memory of that name
    is in the way, if a turn could not be used, or if the memory is not what it was when the block ends.
    """
    name = memory_name(case, dataset, graph)
    if not keep and catalog.describe(graph.store, name) is not None:
        raise EvaluationError(
            f"memory {name!r} of another evaluation is there (killed, or still running): "
            f"`oroi memory delete {name}` once none runs, or use it with --keep"
        )
    try:
        memory = graph.memory(name)
        report = ingest(memory, case.turns, progress=progress)
        if report.problems:
            raise EvaluationError(f"{case.name}: a turn cannot be perceived ({report.problems[0]})")
        dimensions = graph.embedder.dimensions
        before = checksum(graph.store, name, dimensions)
        yield _read(memory, case, report)
        if checksum(graph.store, name, dimensions) != before:
            raise EvaluationError(
                f"memory {name!r} changed while it was only read: its conditions did not see the same memory"
            )
    finally:
        if not keep and catalog.describe(graph.store, name) is not None:
            graph.delete(name)


def checksum(store: Store, name: str, dimensions: int) -> str:
    """64 hexadecimal digits over every node, relationship and property of a memory, in whatever order they come."""

    def rows(statement: str, **more: Any) -> list[Row]:
        return store.rows(statement, memory=name, **more)

    total = 0
    for row in [*rows("evaluation/nodes", dimensions=dimensions), *rows("evaluation/relationships")]:
        embedding = row.pop("embedding", None)
        if "labels" in row:
            row["labels"] = sorted(row["labels"])
        line = json.dumps(row, sort_keys=True, default=str, ensure_ascii=False).encode()
        vector = embedding.to_numpy().tobytes() if embedding is not None else b""
        # A sum does not know the order of its terms.
        total += int.from_bytes(hashlib.sha256(line + vector).digest())
    return f"{total % 2**256:064x}"


def _read(memory: Memory, case: Case, report: ImportReport) -> EvaluationMemory:
    graph, name = memory.graph, memory.name
    dimensions = graph.embedder.dimensions

    def rows(statement: str, **more: Any) -> list[Row]:
        return graph.store.rows(f"evaluation/{statement}", memory=name, **more)

    records = rows("records", dimensions=dimensions)
    concepts = rows("concepts", dimensions=dimensions)
    associations = rows("associations")
    place = {row["id"]: i for i, row in enumerate(concepts)}
    return EvaluationMemory(
        memory=memory,
        at=case.asked_at,
        language=case.language,
        protagonists=tuple(dict.fromkeys(row["speaker"] for row in records if row["role"] == "user")),
        records=tuple(RecordHit(**{key: row[key] for key in _SAID}, score=0.0) for row in records),
        vectors=_matrix(records, dimensions),
        mentions=tuple(tuple(place[id] for id in row["concepts"]) for row in records),
        concepts=tuple(
            Concept(row["id"], row["label"], row["kind"], float(row["activation"]), int(row["mentions"]))
            for row in concepts
        ),
        concept_vectors=_matrix(concepts, dimensions),
        links=tuple((place[row["source_id"]], place[row["target_id"]], float(row["weight"])) for row in associations),
        facts=tuple(fact_of(row) for row in associations if not row["implied"]),
        built=report,
    )


def _matrix(rows: Sequence[Row], dimensions: int) -> NDArray[np.float32]:
    matrix = np.zeros((len(rows), dimensions), dtype=np.float32)
    for i, row in enumerate(rows):
        if row["embedding"] is not None:
            matrix[i] = row["embedding"].to_numpy()
    return matrix
