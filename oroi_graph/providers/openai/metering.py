"""What models cost, by memory: tokens as services count them, and dollars where a model's price is known.

Prices are those of `prices.toml`. What a memory's work asks for is added to its node when the work ends (`metered`).
"""

from __future__ import annotations

import logging
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from oroi_graph.errors import OroiError

_LOG = logging.getLogger(__name__)
BATCH = 0.5  # what a batch job costs of the price


@dataclass
class Tally:
    """What was asked for so far; may be shared by threads. cost: US dollars, of the models whose price is known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, model: str, sent: int, received: int, *, share: float = 1.0) -> None:
        """One answer of a model. share: of the price."""
        with self._lock:
            self.calls += 1
            self.input_tokens += sent
            self.output_tokens += received
            self.cost += share * (price(model, sent, received) or 0.0)

    def to_json(self) -> dict[str, float]:
        """The numbers, by name."""
        return {name: getattr(self, name) for name in ("calls", "input_tokens", "output_tokens", "cost")}


CURRENT: ContextVar[Tally | None] = ContextVar("tally", default=None)


def noted(model: str, sent: int, received: int, *, share: float = 1.0) -> None:
    """Note an answer for the memory that is at work, if one is."""
    tally = CURRENT.get()
    if tally is not None:
        tally.add(model, sent, received, share=share)


@contextmanager
def metered(keep: Callable[[Tally], None]) -> Iterator[Tally]:
    """Work of one memory: what models were asked meanwhile goes to `keep`, also if the work fails. Nests.

    If `keep` fails, the log says so: neither the work nor its own error is undone by a statistic.
    """
    if (outer := CURRENT.get()) is not None:
        yield outer
        return
    tally = Tally()
    token = CURRENT.set(tally)
    try:
        yield tally
    finally:
        CURRENT.reset(token)
        if tally.calls:
            try:
                keep(tally)
            except OroiError as error:
                _LOG.warning("what models cost was not added to the statistics of the memory: %s", error)


def price(model: str, sent: int, received: int) -> float | None:
    """US dollars of so many tokens; None where the model's price is not known. A dated name counts as its model."""
    prices = _prices()
    known = max((name for name in prices if model == name or model.startswith(f"{name}-20")), key=len, default=None)
    if known is None:
        return None
    return (sent * prices[known]["input"] + received * prices[known].get("output", 0.0)) / 1e6


@cache
def _prices() -> dict[str, dict[str, float]]:
    return dict(tomllib.loads((files(__package__) / "prices.toml").read_text("utf-8"))["models"])
