"""The words that fill the slots of scenario templates (scenario_templates/words.txt), by language and list.

One half is for development, one for the final seed. No word has another meaning in its language ("rose", "Mark",
"Bath"), since probes are matched on word boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from oroi_graph.model import ConceptKind

FOLDER = Path(__file__).parent / "scenario_templates"


@dataclass(frozen=True, slots=True)
class Fillers:
    """One list: what kind of concept its words are; the words of development, and those of the final seed."""

    kind: ConceptKind
    dev: tuple[str, ...]
    final: tuple[str, ...]

    def of(self, final: bool) -> tuple[str, ...]:
        """The half a seed draws from."""
        return self.final if final else self.dev


def blocks(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The blocks of a file: what stands behind "==", and the lines below it that are not empty."""
    for block in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *body = block.splitlines()
        yield head.strip(), [line.rstrip() for line in body if line.strip()]


def _read() -> Mapping[str, Mapping[str, Fillers]]:
    found: dict[str, dict[str, Fillers]] = {}
    for head, halves in blocks(FOLDER / "words.txt"):
        language, name, kind = head.split()
        dev, final = (tuple(half.split(", ")) for half in halves)
        found.setdefault(language, {})[name] = Fillers(cast(ConceptKind, kind), dev, final)
    return found


WORDS = _read()
