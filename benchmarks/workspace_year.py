"""Sixty notes written by hand in a year of generated ones, and questions about them in other words, as people ask.

The half `development` may be looked at while a ranking is worked on; `held_out` is for the figure at the end.
"""

from __future__ import annotations

import random
import tomllib
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from workspace_notes import DAYS, FIRST, Question, Year

HALVES = ("development", "held_out")
_FILE = tomllib.loads((Path(__file__).parent / "workspace_year.toml").read_text("utf-8"))


def written_year(half: str, seed: int = 7) -> Year:
    """All notes, and the questions of one half. A question's kind is the age of what answers it, in days."""
    rng = random.Random(seed)
    lines: dict[str, list[str]] = {}
    for day in range(DAYS):
        filler = _FILE["filler"][rng.choice(list(_FILE["filler"]))]
        lines[_log(FIRST + timedelta(days=day))] = [_filled(rng, filler) for _ in range(rng.randint(3, 8))]
    files: dict[str, str] = {}
    questions: list[Question] = []
    turn: dict[str, int] = {}  # each language has its halves
    for note in _FILE["note"]:
        path = note.get("path") or _log(date.fromisoformat(note["day"]))
        if "day" in note:
            lines[path].insert(rng.randint(0, len(lines[path])), note["text"])
        else:
            files[path] = note["text"] + "\n"
        turn[note["language"]] = turn.get(note["language"], 0) + 1
        if HALVES[turn[note["language"]] % 2] == half:
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
