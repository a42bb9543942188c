"""A request that is sent again with the same Idempotency-Key is done once, and answered as it was the first time.

Answers are kept in this process, for a day or until there are too many. What must hold beyond that holds by the graph
itself: a turn's id derives from the header, the same correction is one correction, what is forgotten is gone.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from oroi_graph.interfaces.http.problems import RefusedError
from oroi_graph.interfaces.reading import Json

KEPT = 10_000  # answers
LASTING = 24 * 3600.0  # seconds


@dataclass(slots=True)
class _Done:
    """A request by its fingerprint; answer: None while it is under way."""

    fingerprint: str
    at: float
    answer: Json | None = None


class Once:
    """The answers of requests that had an Idempotency-Key. Safe to share among threads."""

    def __init__(self, kept: int = KEPT, lasting: float = LASTING) -> None:
        self._kept, self._lasting = kept, lasting
        self._done: OrderedDict[tuple[str, str], _Done] = OrderedDict()
        self._lock = threading.Lock()

    def do(self, who: str, key: str, fingerprint: str, work: Callable[[], Json]) -> Json:
        """What `work` gives, or gave when this key of `who` did the same request before; a failure is not kept.

        Raises RefusedError if the key belongs to another request, or to one that is still under way.
        """
        place = who, key
        now = time.monotonic()
        with self._lock:
            self._drop(now)
            found = self._done.get(place)
            if found is not None:
                if found.fingerprint != fingerprint:
                    raise RefusedError(422, "idempotency-key-reused", "this Idempotency-Key belongs to another request")
                if found.answer is None:
                    raise RefusedError(
                        409, "under-way", "the request with this Idempotency-Key is under way", {"Retry-After": "1"}
                    )
                return found.answer
            mine = self._done[place] = _Done(fingerprint, now)
        try:
            answer = work()
        except BaseException:
            with self._lock:
                self._done.pop(place, None)
            raise
        with self._lock:
            mine.answer = answer
        return answer

    def _drop(self, now: float) -> None:
        while self._done:
            place, oldest = next(iter(self._done.items()))
            if oldest.answer is None or (len(self._done) < self._kept and now - oldest.at < self._lasting):
                return
            del self._done[place]
