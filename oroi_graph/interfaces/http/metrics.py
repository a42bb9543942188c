"""Numbers for Prometheus: by route and status, never by key, memory or content."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from oroi_graph.working_set.kept import WorkingSetStats

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The numbers of one application. kept: what the graph keeps in process, read when numbers are."""

    def __init__(self, kept: Callable[[], WorkingSetStats]) -> None:
        self._registry = CollectorRegistry()
        self._kept = kept
        self._requests = Counter(
            "oroi_http_requests", "Requests answered.", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "oroi_http_request_seconds", "Time to the end of the answer.", ["route"], buckets=_SECONDS,
            registry=self._registry,
        )  # fmt: skip
        self._open = Gauge("oroi_http_requests_open", "Requests under way.", registry=self._registry)
        self._limited = Counter(
            "oroi_http_rate_limited", "Requests refused because a key asked too often.", registry=self._registry
        )
        self._jobs = Gauge("oroi_jobs_open", "Jobs waiting or running.", registry=self._registry)
        self._sets = Gauge(
            "oroi_working_set", "What is kept of memories in process.", ["what"], registry=self._registry
        )

    def begin(self) -> None:
        """A request came."""
        self._open.inc()

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """It was answered; status 0: the client went away."""
        self._open.dec()
        known = method if method in {"GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"} else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def limited(self) -> None:
        """A key asked too often."""
        self._limited.inc()

    def jobs(self, count: int) -> None:
        """So many jobs wait or run."""
        self._jobs.set(count)

    def text(self) -> bytes:
        """All numbers in the text format."""
        for name, value in self._kept().to_json().items():
            self._sets.labels(name).set(value)
        return generate_latest(self._registry)
