"""Long work in the background, with progress that can be followed. Jobs live in this process; what they did stays.

A sleep that is stopped, or whose process ends, is continued by the next one.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime

from oroi_graph.errors import OroiError
from oroi_graph.interfaces.http.problems import RefusedError
from oroi_graph.interfaces.reading import Json
from oroi_graph.options import Progress

WORKERS = 2  # jobs that run at once; more wait
WAITING = 32  # jobs that wait or run at once; more are refused
KEPT = 1000  # jobs whose outcome is kept

Work = Callable[[threading.Event, Progress], Json]


@dataclass(eq=False)
class Job:
    """One job. state: waiting, running, done, failed or stopped. version: raised by every change."""

    id: str
    key: str
    kind: str
    memory: str
    state: str = "waiting"
    done: int = 0
    total: int = 0
    label: str = ""
    result: Json | None = None
    failure: str | None = None
    version: int = 0
    started_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    stop: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def ended(self) -> bool:
        """Whether nothing more happens."""
        return self.state in ("done", "failed", "stopped")

    def to_json(self) -> Json:
        """A JSON-serialisable object."""
        return {
            "id": self.id, "kind": self.kind, "memory": self.memory, "state": self.state,
            "progress": {"done": self.done, "total": self.total, "label": self.label},
            "result": self.result, "failure": self.failure, "started_at": self.started_at,
        }  # fmt: skip


class Jobs:
    """The jobs of one application. Safe to share among threads."""

    def __init__(self, counted: Callable[[int], None]) -> None:
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="oroi-job")
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._counted = counted
        self.closing = threading.Event()

    def start(self, key: str, kind: str, memory: str, work: Work) -> Job:
        """Begin a job of `key`. Raises RefusedError if too many wait, or the service is being stopped."""
        job = Job(uuid.uuid4().hex, key, kind, memory)
        with self._lock:
            if self.closing.is_set():
                raise RefusedError(503, "stopping", "the service is being stopped", {"Retry-After": "10"})
            if sum(not one.ended for one in self._jobs.values()) >= WAITING:
                raise RefusedError(429, "too-many-jobs", "too many jobs wait already", {"Retry-After": "30"})
            self._jobs[job.id] = job
            while len(self._jobs) > KEPT and next(iter(self._jobs.values())).ended:
                self._jobs.popitem(last=False)
            self._pool.submit(self._run, job, work)
        self._count()
        return job

    def get(self, key: str, id: str) -> Job:
        """A job of `key`. Raises RefusedError if that key has none with this id."""
        with self._lock:
            found = self._jobs.get(id)
        if found is None or found.key != key:
            raise RefusedError(404, "job-not-found", "this key has no job with that id")
        return found

    def close(self) -> None:
        """Ask all jobs to stop; none is begun any more."""
        self.closing.set()
        with self._lock:
            for job in self._jobs.values():
                job.stop.set()

    def wait(self) -> None:
        """Wait until all have stopped: each finishes the transaction under way."""
        self.close()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job, work: Work) -> None:
        def progress(done: int, total: int, label: str) -> None:
            job.done, job.total, job.label = done, total, label
            job.version += 1

        job.state = "running"
        job.version += 1
        try:
            if job.stop.is_set():
                job.state = "stopped"
            else:
                job.result = work(job.stop, progress)
                job.state = "stopped" if job.result.get("state") == "interrupted" else "done"
        except OroiError as error:
            job.failure, job.state = str(error), "failed"
        except Exception as error:  # providers are other people's code, and their texts may quote what is remembered
            job.failure, job.state = type(error).__name__, "failed"
        job.version += 1
        self._count()

    def _count(self) -> None:
        with self._lock:
            self._counted(sum(not one.ended for one in self._jobs.values()))
