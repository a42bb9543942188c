"""What notes say of themselves: importance, trigger phrases, provenance.

A file says it of all its notes in the lines between two `---` at its beginning (`importance: 8`), a note of itself in a
comment (`<!-- importance: 8; trigger: wifi password, router; provenance: untrusted -->`). Only these keys are read, as
plain `key: value`; nothing else of YAML is understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

Provenance = Literal["owner", "agent", "untrusted"]

NEUTRAL = 5  # importance, 1 to 10, of what says nothing
HEAD = 40  # lines that are looked through for the end of a file's head
MOST, LONGEST = 16, 120  # trigger phrases, and characters of one

_PAIR = re.compile(r"\s*(importance|triggers?|provenance)\s*:\s*(.{0,2000})", re.IGNORECASE)
_COMMENT = re.compile(r"<!--((?:(?!-->).){1,2000})-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marks:
    """importance: 1 to 10, None if nothing is said. triggers: phrases of a question that ask for this note."""

    importance: int | None = None
    triggers: tuple[str, ...] = ()
    provenance: Provenance | None = None


def of_file(lines: Sequence[str]) -> Marks:
    """What a file's head says."""
    if not lines or lines[0].strip() != "---":
        return Marks()
    end = next((i for i, line in enumerate(lines[1:HEAD], 1) if line.strip() == "---"), 0)
    return _read(lines[1:end])


def of_note(text: str, file: Marks) -> Marks:
    """What a note's comments say, over what its file says; of several provenances the least trusted counts."""
    pairs = [pair for comment in _COMMENT.findall(text) for pair in comment.split(";")]
    own = _read(pairs) if pairs else Marks()
    return Marks(
        file.importance if own.importance is None else own.importance,
        tuple(dict.fromkeys([*file.triggers, *own.triggers]))[:MOST],
        own.provenance or file.provenance,
    )


def _read(pairs: Iterable[str]) -> Marks:
    found = Marks()
    for pair in pairs:
        match = _PAIR.fullmatch(pair.strip("\n"))
        if match is None:
            continue
        key, value = match[1].lower(), match[2].strip()
        if key == "importance" and value.isascii() and value.isdigit() and 1 <= int(value[:3]) <= 10:
            found = replace(found, importance=max(int(value), found.importance or 0))
        elif key == "provenance" and value.lower() in get_args(Provenance):
            given: Provenance = value.lower()  # type: ignore[assignment]
            trust = get_args(Provenance)
            worse = found.provenance is None or trust.index(given) > trust.index(found.provenance)
            found = replace(found, provenance=given if worse else found.provenance)
        elif key.startswith("trigger"):
            phrases = (phrase.strip(" \t\"'") for phrase in value.strip("[]").split(","))
            found = replace(found, triggers=(*found.triggers, *(p[:LONGEST] for p in phrases if p))[:MOST])
    return found
