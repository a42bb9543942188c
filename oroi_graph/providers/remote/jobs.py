"""Batch jobs: many texts embedded by a service in its own time, at a lower price, and collected when it is done.

Jobs are noted in a file, so that a job which outlives its process, or is not waited for, is collected by another run
and not paid for twice.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from oroi_graph.errors import ProviderError
from oroi_graph.files import replace
from oroi_graph.providers.protocols import Embedder, Vectors

State = Literal["running", "done", "failed"]
Found = dict[str, NDArray[np.float32]]  # {text key: vector}

LEAST = 100  # texts for which a job is worth waiting; fewer are embedded directly
MOST, MOST_BYTES = 10_000, 8_000_000  # of the texts of one job
KEPT = 1_000  # jobs that are remembered


class PendingError(ProviderError):
    """A job is not done yet: it is remembered, and collected by a later run."""


@dataclass(frozen=True, slots=True)
class Bulk:
    """What jobs gave. failure: of the first one that gave nothing; pending: whether some are still under way."""

    found: dict[str, Any]
    failure: str | None = None
    pending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOptions:
    """How jobs are used. poll: seconds between two looks; timeout: seconds of waiting; concurrency: jobs at a time."""

    wait: bool = True
    poll: float = 2.0
    timeout: float = 3600.0
    concurrency: int = 2


@dataclass(frozen=True, slots=True)
class Job:
    """How a job stands. detail: why it failed. answer: what its vectors are read from."""

    state: State
    detail: str = ""
    answer: Any = None


class JobService(Protocol):
    """A service that takes jobs. All methods raise ProviderError."""

    def submit(self, texts: Mapping[str, str]) -> str:
        """Begin a job about {key: text}; its id."""
        ...

    def look(self, id: str) -> Job:
        """How a job stands."""
        ...

    def collect(self, job: Job) -> Mapping[str, Any]:
        """What became of each text of a job that is done (its vector); texts that failed are left out."""
        ...


@runtime_checkable
class BulkEmbedder(Protocol):
    """An embedder that has another way for many texts."""

    def embed_bulk(self, texts: Mapping[str, str], stop: threading.Event | None = None) -> Bulk:
        """{key: text} → {key: unit vector}; some may be missing, and it is said why. Raises nothing."""
        ...


class JobRunner:
    """Runs jobs of one service, and remembers them in a file. mark: whose jobs they are; what: of what, for messages.

    keep: whether jobs that were collected stay remembered, until `forget_all`, so that a later run collects them again.
    """

    def __init__(
        self, service: JobService, options: JobOptions, state: Path | None, mark: str, what: str, *, keep: bool = False
    ) -> None:
        self._service, self._options, self._state, self._mark, self._what = service, options, state, mark, what
        self._keep = keep
        self._lock = threading.Lock()

    def run(self, texts: Mapping[str, str], stop: threading.Event | None = None) -> Bulk:
        """{key: text} → {key: what became of it} by jobs; texts that the service failed at are missing.

        Jobs that were begun before are collected first. A job that is not waited for, or not done in time, is pending.
        """
        begun = {id: keys for id, keys in self._begun().items() if not texts.keys().isdisjoint(keys)}
        taken = {key for keys in begun.values() for key in keys}
        rest = {key: text for key, text in texts.items() if key not in taken}
        work: list[str | dict[str, str]] = [*begun, *_parts(rest)]
        stop = stop or threading.Event()
        with ThreadPoolExecutor(self._options.concurrency) as pool:
            runs = [pool.submit(copy_context().run, self._run, part, stop) for part in work]
        found: dict[str, Any] = {}
        failures: list[ProviderError] = []
        for run in runs:
            try:
                found |= run.result()
            except ProviderError as error:
                failures.append(error)
        pending = next((error for error in failures if isinstance(error, PendingError)), None)
        failure = pending or next(iter(failures), None)
        return Bulk(
            {key: found[key] for key in texts if key in found}, str(failure) if failure else None, pending is not None
        )

    def begun(self, keys: Collection[str]) -> set[str]:
        """Those of some keys about which a job was begun."""
        return {key for some in self._begun().values() for key in some}.intersection(keys)

    def forget_all(self) -> None:
        """Remember no job of this mark any more."""
        with self._lock:
            self._write({})

    def _run(self, part: str | dict[str, str], stop: threading.Event) -> Mapping[str, Any]:
        """Begin a job, or go on with one that was begun, and wait for what it gives."""
        options, started = self._options, time.monotonic()
        id = part if isinstance(part, str) else self._submit(part)
        while True:
            job = self._service.look(id)
            if job.state == "done":
                found = self._service.collect(job)
                if not self._keep:
                    self._forget(id)
                return found
            if job.state == "failed":
                self._forget(id)
                raise ProviderError(f"batch job {id} of {self._what} failed: {job.detail or 'no reason given'}")
            if not options.wait:
                raise PendingError(f"batch job {id} of {self._what} is under way: a later run collects it")
            if time.monotonic() - started > options.timeout or stop.wait(options.poll):
                raise PendingError(
                    f"batch job {id} of {self._what} was not done after {time.monotonic() - started:.0f} s: "
                    "a later run collects it"
                )

    def _submit(self, texts: dict[str, str]) -> str:
        id = self._service.submit(texts)
        with self._lock:
            self._write(self._begun() | {id: list(texts)})
        return id

    def _forget(self, id: str) -> None:
        with self._lock:
            self._write({other: keys for other, keys in self._begun().items() if other != id})

    def _begun(self) -> dict[str, list[str]]:
        """{job: keys} of this mark; a file that is damaged holds none."""
        try:
            held = self._read()[self._mark]
            return {str(id): [str(key) for key in keys] for id, keys in held.items()}
        except (LookupError, TypeError, AttributeError):
            return {}

    def _read(self) -> dict[str, Any]:
        try:
            held = json.loads(self._state.read_text("utf-8")) if self._state is not None else {}
        except (OSError, ValueError):
            return {}
        return held if isinstance(held, dict) else {}

    def _write(self, jobs: Mapping[str, list[str]]) -> None:
        if self._state is not None:
            self._state.parent.mkdir(parents=True, exist_ok=True)
            held = self._read() | {self._mark: dict(list(jobs.items())[-KEPT:])}
            replace(self._state, json.dumps({mark: some for mark, some in held.items() if some}), private=True)


class BatchEmbedder:
    """The same model and vectors as `embedder`, with jobs for many texts. state: the file where jobs are noted."""

    def __init__(self, embedder: Embedder, service: JobService, options: JobOptions, state: Path | None = None) -> None:
        self._embedder = embedder
        self.model, self.dimensions = embedder.model, embedder.dimensions
        self.provider = str(getattr(embedder, "provider", "local"))
        self.endpoint = str(getattr(embedder, "endpoint", ""))
        mark = f"{self.provider} {self.endpoint} {self.model} {self.dimensions}"
        self._jobs = JobRunner(service, options, state, mark, repr(self.model))

    def __repr__(self) -> str:
        return f"BatchEmbedder({self._embedder!r})"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n,) texts → (n, dimensions) float32 unit vectors, at once. Raises ProviderError."""
        return self._embedder.embed(texts)

    def embed_bulk(self, texts: Mapping[str, str], stop: threading.Event | None = None) -> Bulk:
        """{key: text} → {key: unit vector} by jobs, as `JobRunner.run` tells."""
        return self._jobs.run(texts, stop)


def _parts(texts: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Texts for one job each."""
    part: dict[str, str] = {}
    size = 0
    for key, text in texts.items():
        length = len(text.encode("utf-8", "replace"))
        if part and (len(part) == MOST or size + length > MOST_BYTES):
            yield part
            part, size = {}, 0
        part[key] = text
        size += length
    if part:
        yield part
