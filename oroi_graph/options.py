"""The numbers of perception and sleep, with their units (recall's: `recall_options`), and the protocol of progress.

Small frozen values; a memory is opened with one `Options`. The numbers in this module are reasoned, but for
`relevance_gain`, which the ablations compare (`benchmarks/ablations.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from oroi_graph.errors import SettingsError
from oroi_graph.recall_options import Ranking, Search, Selection
from oroi_graph.redaction import Redactor

PROVENANCE = 8  # record ids that an association lists at most: the first and the latest seven


class Progress(Protocol):
    """Told how far long work has come; called from several threads, one at a time. What it raises ends the work."""

    def __call__(self, done: int, total: int, label: str) -> None:
        """`done` of `total` things (0 where the total is unknown) of the work that `label` names."""


def silent(done: int, total: int, label: str) -> None:
    """The progress that nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dynamics:
    """Activation and learning. Activation is in pulses (1 = one plain mention); time is in turns."""

    pulse: float = 1.0  # one mention
    known_relation_pulse: float = 0.5  # added to both ends when the stated relation was known already
    transfer: float = 0.5  # λ of the kernel, 0..1
    reverse: float = 0.5  # φ, share kept when flow goes against an association, 0..1
    rounds: int = 3  # synchronous rounds after a pulse
    decay: float = 0.8  # δ, per turn, 0..1
    ceiling: float = 3.0  # per concept
    budget: float = 12.0  # Σ activation after a turn
    floor: float = 0.05  # below it activation is exactly 0
    learning: float = 0.05  # η of Hebb
    weight_initial: float = 1.0
    weight_max: float = 5.0
    reinforcement: float = 0.5  # added to a weight, times (1 − w/w_max), when its relation is stated again
    link_weight: float = 0.25  # "maybe same" links conduct, but weakly
    testing: float = 0.02  # strength gained by what the caller injected
    remembered: float = 1.0  # strength given by an explicit "remember"
    charged: float = 0.6  # emotional charge from which a turn is fixed as if "remember" had been said
    coincidence_pairs: int = 15  # per turn
    fan_out: tuple[int, int] = (32, 16)  # perception: neighbours fetched per concept at hops one and two

    def __post_init__(self) -> None:
        for name in ("transfer", "reverse", "decay"):
            if not 0 <= getattr(self, name) <= 1:
                raise SettingsError(f"{name} must be from 0 to 1, got {getattr(self, name)}")
        if not 0 < self.floor <= self.ceiling:
            raise SettingsError(f"floor must be above 0 and at most the ceiling, got {self.floor}")
        if self.budget <= 0:
            raise SettingsError(f"budget must be above 0, got {self.budget}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleep:
    """Consolidation. Strength is in 0..1; exposure in activation × turns; time is in turns, never by the clock."""

    exposure: float = 40.0  # exposure at which 63 % of the strength that is missing is gained
    half_life: float = 1000.0  # turns after which an unused strength is half of what it was
    recurrence: int = 3  # turns in which two concepts were mentioned together, from which they are associated
    took_hold: float = 0.1  # strength from which a concept has taken hold: a little more than one plain mention gives
    seldom: int = 2  # mentions up to which a concept can be pruned at all
    prune_after: int = 300  # turns without a mention
    gist_after: int = 200  # turns after which an episode is old enough for a gist
    rest_after: int = 1000  # turns after which an episode of which nothing took hold leaves the recall path
    gist_length: int = 320  # characters; shorter episodes are their own gist
    page: int = 100  # things changed in one transaction: short enough for a user's turn to wait for it
    courtesy: float = 0.5  # rest after each transaction, as a share of the time it took: turns go first

    def __post_init__(self) -> None:
        for name in ("exposure", "half_life", "page", "recurrence"):
            if getattr(self, name) <= 0:
                raise SettingsError(f"{name} must be above 0, got {getattr(self, name)}")
        if not 0 <= self.took_hold <= 1:
            raise SettingsError(f"took_hold must be from 0 to 1, got {self.took_hold}")

    @property
    def decay(self) -> float:
        """γ, the share of strength that one turn leaves."""
        return float(0.5 ** (1.0 / self.half_life))


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a memory perceives, recalls and sleeps."""

    dynamics: Dynamics = field(default_factory=Dynamics)
    sleep: Sleep = field(default_factory=Sleep)
    search: Search = field(default_factory=Search)
    ranking: Ranking = field(default_factory=Ranking)
    selection: Selection = field(default_factory=Selection)
    window: int = 6  # turns shown to the extractor before the current one
    max_text: int = 200_000  # characters of one turn
    brief_tokens: int = 512
    redact: Redactor | None = None  # takes out of texts what must not be kept; None: nothing
    # ρ: what relevance counts beside strength when concepts are chosen whose newest records become candidates
    relevance_gain: float = 6.0
