"""Reading a model's choice among numbered things: tolerant of wrapping, strict about what is chosen."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from oroi_graph.providers.openai.service import Answer, UnusableError

LONGEST = 20  # digits of an index that comes as text


def indexes(given: Iterable[object], n: int) -> list[int]:
    """Indexes from 1 to n as positions from 0, in ascending order, each once; numbers as text are taken, too.

    Raises UnusableError with what is wrong, in words that help the model.
    """
    found = set()
    for item in given:
        index = item
        # More digits name no index, and Python refuses to read thousands of them.
        if isinstance(item, str) and item.strip().isdecimal() and len(item.strip()) <= LONGEST:
            index = int(item)
        if not isinstance(index, int) or isinstance(index, bool) or not 1 <= index <= n:
            raise UnusableError(f"expected indexes from 1 to {n}, got {str(item)[:40]!r}")
        found.add(index - 1)
    return sorted(found)


def tolerant_json(answer: Answer) -> Any:
    """The JSON that was said, alone or as the first object or list among other words. Raises UnusableError."""
    try:
        return answer.json()
    except UnusableError:
        if answer.refused:
            raise
        decoder = json.JSONDecoder()
        for start, char in enumerate(answer.said):
            if char in "{[":
                try:
                    return decoder.raw_decode(answer.said, start)[0]
                except ValueError:
                    continue
                except RecursionError:
                    break
        raise
