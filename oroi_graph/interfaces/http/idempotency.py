"""A request that is sent again with the same Idempotency-Key is done once, and answered as it was the first time.

Answers are kept in this process, for a day or until there are too many. Beyond it, nothing is done twice either: a
turn's id derives from the header, the same correction is one correction, what is forgotten is gone; and what would be
done again all the same (`twice`) is noted in the graph before it is done.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from oroi_graph.interfaces.http.problems import RefusedError
from oroi_graph.interfaces.keys import LASTING, Requests
from oroi_graph.interfaces.reading import Json

KEPT = 10_000  # answers


@dataclass(frozen=True, slots=True)
class Asked:
    """A request with a name. who: its principal's key. name: the Idempotency-Key. fingerprint: of all else."""

    who: str
    name: str
    fingerprint: str


@dataclass(slots=True)
class _Done:
    """A request by its fingerprint; answer: None while it is under way."""

    fingerprint: str
    at: float
    answer: Json | None = None


class Once:
    """The answers of requests that had an Idempotency-Key. Safe to share among threads.

    requests: where those are noted that must not be done by another process again.
    """

    def __init__(self, requests: Requests, kept: int = KEPT, lasting: float = LASTING) -> None:
        self._requests, self._kept, self._lasting = requests, kept, lasting
        self._done: OrderedDict[tuple[str, str], _Done] = OrderedDict()
        self._lock = threading.Lock()

    def do(self, asked: Asked, work: Callable[[], Json], *, twice: bool = False) -> Json:
        """What `work` gives, or gave when the same was asked before; a failure is not kept.

        twice: whether `work` would do something again that is done already. Raises RefusedError if the name belongs to
        another request, to one that is still under way, or to one whose answer is gone.
        """
        place = asked.who, asked.name
        now = time.monotonic()
        with self._lock:
            self._drop(now)
            found = self._done.get(place)
            if found is not None:
                _require_same(found.fingerprint, asked)
                if found.answer is None:
                    raise RefusedError(
                        409, "under-way", "the request with this Idempotency-Key is under way", {"Retry-After": "1"}
                    )
                return found.answer
            mine = self._done[place] = _Done(asked.fingerprint, now)
        try:
            answer = self._noted(asked, work) if twice else work()
        except BaseException:
            with self._lock:
                self._done.pop(place, None)
            raise
        with self._lock:
            mine.answer = answer
        return answer

    def _noted(self, asked: Asked, work: Callable[[], Json]) -> Json:
        """Do what no process did before; note it first, so that not even one that is killed does it twice."""
        noted = self._requests.begin(asked.who, asked.name, asked.fingerprint)
        if noted is None:
            return work()
        if not noted.mine:
            _require_same(noted.fingerprint, asked)
            raise _not_again(noted.at, noted.done)
        try:
            answer = work()
        except Exception:
            self._requests.end(asked.who, asked.name, done=False)
            raise
        self._requests.end(asked.who, asked.name, done=True)
        return answer

    def _drop(self, now: float) -> None:
        while self._done:
            place, oldest = next(iter(self._done.items()))
            if oldest.answer is None or (len(self._done) < self._kept and now - oldest.at < self._lasting):
                return
            del self._done[place]


def _require_same(fingerprint: str, asked: Asked) -> None:
    if fingerprint != asked.fingerprint:
        raise RefusedError(422, "idempotency-key-reused", "this Idempotency-Key belongs to another request")


def _not_again(at: str, done: bool) -> RefusedError:
    when = f"at {at[:19]} UTC"
    if done:
        return RefusedError(
            409, "done-already", f"this request was done {when}; its answer went with the process that gave it"
        )
    return RefusedError(
        409, "begun-already",
        f"this request was begun {when} by another process, and did not end: see whether it was done before you ask "
        "again, with another Idempotency-Key",
    )  # fmt: skip
