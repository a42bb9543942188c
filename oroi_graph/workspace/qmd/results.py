"""The tool's answers: JSON somewhere in its output, files as `qmd://collection/path`, lines in a snippet's header."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from oroi_graph.workspace.qmd.process import SidecarError

_SCHEME = "qmd://"
_NOTHING = re.compile(r"^\s*no results( were)? found\.?\s*$", re.IGNORECASE | re.MULTILINE)
_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))?[^@]*@@[^\n]*\n?")


@dataclass(frozen=True, slots=True)
class Raw:
    """One result. file: below its collection; start, count: lines, 0 if they are not told."""

    collection: str
    file: str
    score: float
    snippet: str
    start: int = 0
    count: int = 0


def parse(output: str, collection: str) -> list[Raw]:
    """The results of one collection in the tool's output. Raises SidecarError if it is none of the tool's."""
    if not output.strip() or (_NOTHING.search(output) and "[" not in output):
        if not output.strip():
            raise SidecarError("qmd wrote nothing")
        return []
    return [_raw(one, collection) for one in _array(output) if isinstance(one, dict) and one.get("file")]


def _array(output: str) -> list[Any]:
    """The JSON list in an output, which may have remarks of progress before it."""
    decoder = json.JSONDecoder()
    for start in _starts(output):
        try:
            found, _ = decoder.raw_decode(output, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, list) and all(isinstance(one, dict) for one in found):
            return found
    raise SidecarError("qmd answered with something else than a list of results")


def _starts(output: str) -> Iterator[int]:
    """Where a list can begin: at the beginning of a line first."""
    yield from (match.end() - 1 for match in re.finditer(r"^\s*\[", output, re.MULTILINE))


def _raw(one: dict[str, Any], collection: str) -> Raw:
    file = str(one["file"])
    if file.startswith(_SCHEME):
        collection, _, file = file.removeprefix(_SCHEME).partition("/")
    score = one.get("score")
    known = isinstance(score, int | float) and not isinstance(score, bool) and score == score
    snippet = str(one.get("snippet") or one.get("body") or "")
    header = _HEADER.search(snippet)
    start, count = (int(header[1]), int(header[2] or 1)) if header else (_line(one), 0)
    return Raw(collection, file, float(score) if known and score else 0.0, _HEADER.sub("", snippet), start, count)


def _line(one: dict[str, Any]) -> int:
    found = one.get("line", one.get("start_line", 0))
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
