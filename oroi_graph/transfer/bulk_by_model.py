"""A history read by a model in batch jobs: half the price, in the service's own time, and resumable.

The import is rehearsed without a database: a first time to learn what the extractor would be asked, a second time, with
its answers, to learn what would be embedded. Then it runs with the answers at hand. What a job failed at is asked
directly. Jobs are noted in a file until the import is done: a run that is repeated collects them, and pays nothing
twice.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from oroi_graph.errors import SettingsError
from oroi_graph.memory import Graph, Memory
from oroi_graph.model import Extraction, Utterance, Value
from oroi_graph.options import Progress, silent
from oroi_graph.providers.openai.metering import BATCH, price
from oroi_graph.providers.openai.models import OpenAIEmbedder, OpenAIExtractor
from oroi_graph.providers.protocols import Embedder, Vectors
from oroi_graph.providers.remote.jobs import JobOptions, JobRunner, PendingError
from oroi_graph.providers.remote.openai_jobs import embedding_jobs, extraction_jobs
from oroi_graph.transfer.bulk_import import BATCH as GROUP
from oroi_graph.transfer.bulk_import import ImportReport, ingest, unknown_of
from oroi_graph.transfer.conversation_file import Scripted
from oroi_graph.transfer.import_producer import Clock, Producer

CHARACTERS_A_TOKEN = 4  # of European languages, about
ANSWER_TOKENS = 150  # of one extraction, about
LABELS_A_TURN = 4  # that are embedded beside its text, about


@dataclass(frozen=True, slots=True)
class Estimate(Value):
    """What jobs would be sent. begun: requests that jobs are under way for. Tokens are estimated from characters.

    cost: US dollars; None where a model's price is not known.
    """

    turns: int
    begun: int
    input_tokens: int
    output_tokens: int
    embedding_tokens: int
    cost: float | None


class BulkByModel:
    """One import by jobs. state: the file where they are noted. Raises SettingsError for any but OpenAI's extractor."""

    def __init__(
        self, memory: Memory, turns: Sequence[Scripted], state: Path, options: JobOptions | None = None
    ) -> None:
        graph = memory.graph
        extractor = graph.extractor
        if not isinstance(extractor, OpenAIExtractor):
            raise SettingsError("batch jobs need an extractor that has them: set OROI_EXTRACTOR=openai")
        self._memory, self._turns, self._extractor = memory, turns, extractor
        self._embedder = graph.embedder.embedder
        options = options or JobOptions()
        mark = f"{extractor.service.endpoint.shown} {extractor.model} {memory.name}"
        self._reading = JobRunner(
            extraction_jobs(extractor), options, state, f"extraction {mark}", extractor.name, keep=True
        )
        self._embedding: JobRunner | None = None
        if isinstance(self._embedder, OpenAIEmbedder):
            jobs = embedding_jobs(self._embedder)
            self._embedding = JobRunner(
                jobs, options, state, f"embedding {mark}", repr(self._embedder.model), keep=True
            )
        self._asked = _Recorder(extractor)
        self._rehearse(self._asked, _Zeros(self._embedder))

    def estimate(self) -> Estimate:
        """What would be sent, and what it would cost."""
        begun = self._reading.begun(self._asked.documents)
        fresh = [text for key, text in self._asked.documents.items() if key not in begun]
        told = sum(len(str(self._extractor.body(text))) for text in fresh) // CHARACTERS_A_TOKEN
        answered = len(fresh) * ANSWER_TOKENS
        cost = price(self._extractor.model, told, answered)
        embedded = 0
        if isinstance(self._embedder, OpenAIEmbedder):
            spoken = sum(len(one.turn.text) for one in self._turns) // CHARACTERS_A_TOKEN
            embedded = spoken + len(fresh) * LABELS_A_TURN * 2
            more = price(self._embedder.model, embedded, 0)
            cost = None if cost is None or more is None else cost + more
        return Estimate(len(fresh), len(begun), told, answered, embedded, None if cost is None else BATCH * cost)

    def run(self, progress: Progress = silent, stop: threading.Event | None = None) -> ImportReport:
        """Send what was not sent, wait, and import. Raises PendingError (repeat it later), StoreError."""
        with self._memory.metered():
            progress(0, 0, "waiting for extractions")
            answers = self._reading.run(self._asked.documents, stop)
            if answers.pending:
                raise PendingError(str(answers.failure))
            extractor = _Answered(self._extractor, answers.found)
            embedder: Embedder = self._embedder
            if self._embedding is not None:
                wanted = _Zeros(self._embedder)
                self._rehearse(extractor, wanted)
                progress(0, 0, "waiting for embeddings")
                vectors = self._embedding.run(wanted.texts, stop)
                if vectors.pending:
                    raise PendingError(str(vectors.failure))
                embedder = _Known(self._embedder, vectors.found)
            report = ingest(self._under(extractor, embedder), self._turns, progress=progress, stop=stop)
        if not report.interrupted:
            for jobs in (self._reading, self._embedding):
                if jobs is not None:
                    jobs.forget_all()
        return report

    def _under(self, extractor: OpenAIExtractor | _Recorder | _Answered, embedder: Embedder) -> Memory:
        """The memory with other providers."""
        graph = self._memory.graph
        return Graph(graph.store, embedder, extractor, graph.options).memory(self._memory.name)

    def _rehearse(self, extractor: _Recorder | _Answered, embedder: _Zeros) -> None:
        """All that an import would ask its providers, without writing anything."""
        memory = self._under(extractor, embedder)
        Producer(memory, unknown_of(memory, self._turns), GROUP, Clock()).rehearse()


class _Recorder:
    """An extractor that notes what it is asked."""

    def __init__(self, extractor: OpenAIExtractor) -> None:
        self.name, self._extractor = extractor.name, extractor
        self.documents: dict[str, str] = {}

    def extract(self, turn: Utterance, window: Sequence[Utterance]) -> Extraction:
        document = self._extractor.document(turn, window)
        self.documents[_key(document)] = document
        return Extraction()


class _Answered:
    """An extractor that knows answers, and asks for what it does not know."""

    def __init__(self, extractor: OpenAIExtractor, known: dict[str, Extraction]) -> None:
        self.name, self._extractor, self._known = extractor.name, extractor, known

    def extract(self, turn: Utterance, window: Sequence[Utterance]) -> Extraction:
        found = self._known.get(_key(self._extractor.document(turn, window)))
        return found if found is not None else self._extractor.extract(turn, window)


class _Zeros:
    """An embedder that notes what it is asked, and answers with nothing."""

    def __init__(self, embedder: Embedder) -> None:
        self.model, self.dimensions = embedder.model, embedder.dimensions
        self.texts: dict[str, str] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts |= {_key(text): text for text in texts}
        return np.zeros((len(texts), self.dimensions), dtype=np.float32)


class _Known:
    """An embedder that knows vectors, and asks for what it does not know."""

    def __init__(self, embedder: Embedder, known: dict[str, Vectors]) -> None:
        self.model, self.dimensions = embedder.model, embedder.dimensions
        self._embedder, self._known = embedder, known

    def embed(self, texts: Sequence[str]) -> Vectors:
        unknown = [text for text in dict.fromkeys(texts) if _key(text) not in self._known]
        if unknown:
            self._known |= dict(zip(map(_key, unknown), self._embedder.embed(unknown), strict=True))
        rows = [self._known[_key(text)] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
