"""Where the suite's database answers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class TestDatabase:
    """Where the suite's database answers."""

    __test__ = False

    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None = None
