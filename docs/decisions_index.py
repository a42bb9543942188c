"""Write docs/decisions/README.md: the rules of the folder and a row for each decision in it.

python docs/decisions_index.py
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "decisions"
INDEX = FOLDER / "README.md"
HEAD = """# Decisions

<!-- Written by docs/decisions_index.py (make docs). -->

Each file holds one decision that a measurement or a fault led to: context, decision, figures with the command that
makes them, date. A decision file is never edited, only replaced: a later decision gets a file of its own that names the
one it replaces. Figures are those of the day. Current figures are in [the evaluation](../evaluation.md).

Numbers by area: 00NN the first version, 01NN language, 02NN recall, 03NN entities and activation, 04NN storage, server
and interfaces, 05NN consolidation, forgetting and visualization, 06NN selection, 07NN memory contract,
08NN times, 09NN working set, 10NN notes, 11NN keys, MCP and HTTP, 12NN forgetting and safety, from 13NN on by date.

| decision | date |
|---|---|
"""


def page() -> str:
    """The index as Markdown. Raises ValueError for a decision without a heading or a date."""
    return HEAD + "".join(_row(path) for path in sorted(FOLDER.glob("[0-9]*.md")))


def _row(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    title, date = re.match(r"# (.+)", text), re.search(r"20\d\d-\d\d-\d\d", text)
    if title is None or date is None:
        raise ValueError(f"{path.name} needs a heading and a date")
    number = path.name[:4]
    return f"| [{number} {title[1].removeprefix(number).lstrip(' .:')}]({path.name}) | {date[0]} |\n"


if __name__ == "__main__":
    INDEX.write_text(page(), encoding="utf-8")
