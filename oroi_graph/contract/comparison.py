"""What two values of one key are to each other: equivalent, compatible, critical or contradicting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from oroi_graph.errors import SettingsError

Relation = Literal["equivalent", "compatible", "critical", "contradiction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """What a contract says of one key.

    single_valued: True: any other value contradicts. False: several values may stand side by side. None: the contract
    does not say; values that exclude each other although they resemble each other contradict.
    language: of the values ("en", "es", "pt"), where their own words do not tell; it decides whether 1.500 is 1500.
    """

    key: str
    single_valued: bool | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Cosines from which two values are equivalent or compatible, -1 <= compatible < equivalent <= 1."""

    equivalent: float = 0.88
    compatible: float = 0.20

    def __post_init__(self) -> None:
        if not -1 <= self.compatible < self.equivalent <= 1:
            raise SettingsError(
                f"thresholds must be -1 <= compatible < equivalent <= 1, got {self.compatible} and {self.equivalent}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The relation of two values, their cosine (None: one has no vector), and in a few words what decided."""

    relation: Relation
    cosine: float | None
    reason: str


def canonical_value(text: str) -> str:
    """The text that the semantic hash is made of: equal for two texts that differ only in what carries nothing."""
    raise NotImplementedError


def compare(new: str, old: str, *, field: FieldRule, cosine: float | None, thresholds: Thresholds) -> Comparison:
    """What `new` is to `old`, two values of the key of `field`. cosine: of their vectors, None without one."""
    raise NotImplementedError
