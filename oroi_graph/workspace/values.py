"""Readers of values in a configuration: each returns the value as it is used, or says what the key must be."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from oroi_graph.errors import InputError

Reader = Callable[[str, Any], Any]

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def flag(key: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise InputError(f"{key} must be true or false, got {value!r}")
    return value


def text(key: str, value: Any) -> str:
    """A text that says something."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{key} must be a text, got {value!r}")
    return value


def texts(key: str, value: Any) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise InputError(f"{key} must be a list of texts, got {value!r}")
    return tuple(value)


def number(least: float, most: float, scale: float = 1.0) -> Reader:
    """A number of a range, both ends included; what is read is `scale` times that."""

    def read(key: str, value: Any) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
            raise InputError(f"{key} must be a number from {least:g} to {most:g}, got {value!r}")
        return value * scale if scale != 1.0 else value

    return read


def whole(least: int, most: int) -> Reader:
    """A whole number of a range, both ends included."""

    def read(key: str, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise InputError(f"{key} must be a whole number from {least:g} to {most:g}, got {value!r}")
        return value

    return read


def choice(*choices: str) -> Reader:
    """One of some words."""

    def read(key: str, value: Any) -> str:
        if value not in choices:
            raise InputError(f"{key} must be one of {', '.join(choices)}, got {value!r}")
        return str(value)

    return read


def seconds(key: str, value: Any) -> float:
    """A duration such as "30s", "5m" or "1h", in seconds; without a unit it is of minutes."""
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise InputError(f'{key} must be a duration such as "30s", "5m" or "1h", got {value!r}')
    return float(match[1]) * _SECONDS[(match[2] or "m").lower()]


share = number(0, 1)
