"""Notes written by hand in a year of generated ones, and questions about them in other words, as people ask.

The set `development` may be looked at while a ranking is worked on; `sealed` is for the figure at the end. Its year is
another one, which holds the notes of both sets.
"""

from __future__ import annotations

import random
import tomllib
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from workspace_notes import DAYS, FIRST, Question, Year

SETS = {"development": 7, "sealed": 11}  # the seed of the generated notes
_HERE = Path(__file__).parent
_FILE = tomllib.loads((_HERE / "workspace_year.toml").read_text("utf-8"))
_SEALED = tomllib.loads((_HERE / "workspace_sealed.toml").read_text("utf-8"))


def written_year(name: str) -> Year:
    """The notes and questions of a set. A question's kind is the age of what answers it, in days."""
    rng = random.Random(SETS[name])
    lines: dict[str, list[str]] = {}
    for day in range(DAYS):
        filler = _FILE["filler"][rng.choice(list(_FILE["filler"]))]
        lines[_log(FIRST + timedelta(days=day))] = [_filled(rng, filler) for _ in range(rng.randint(3, 8))]
    asked = _SEALED["note"] if name == "sealed" else _FILE["note"]
    files: dict[str, str] = {}
    questions: list[Question] = []
    for note in _FILE["note"] if asked is _FILE["note"] else [*_FILE["note"], *asked]:
        path = note.get("path") or _log(date.fromisoformat(note["day"]))
        if "day" in note:
            lines[path].insert(rng.randint(0, len(lines[path])), note["text"])
        else:
            files[path] = note["text"] + "\n"
        if note in asked:
            kind = age_group(date.fromisoformat(note["day"])) if "day" in note else "evergreen"
            questions += [Question(text, note["language"], kind, frozenset({path})) for text in note["ask"]]
    for path, some in lines.items():
        files[path] = f"# {path[7:17]}\n\n" + "\n".join(f"- {line}" for line in some) + "\n"
    return Year(dict(sorted(files.items())), tuple(questions))


def age_group(day: date) -> str:
    """How old a note is on the day after the year."""
    days = (FIRST + timedelta(days=DAYS) - day).days
    groups = ((60, "to 60 d"), (150, "to 150 d"), (240, "to 240 d"), (999, "older"))
    return next(name for most, name in groups if days <= most)


def _filled(rng: random.Random, filler: dict[str, Any]) -> str:
    words = {name: rng.choice(text.split("|")) for name, text in filler.items() if isinstance(text, str)}
    return str(rng.choice(filler["lines"])).format(**words)


def _log(day: date) -> str:
    return f"memory/{day.isoformat()}.md"
