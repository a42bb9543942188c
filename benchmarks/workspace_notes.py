"""A year of notes in three languages, and questions about them with the files that answer: made, never looked up.

The same seed gives the same files. What a question is of is said with it:

    direct   other words than the note's, but its names
    latest   what was noted several times, each time otherwise: only the last file answers
    hop      asks by a role ("my sister") that another file gives a name
    exact    a code or number
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

FIRST, DAYS = date(2025, 3, 1), 340


@dataclass(frozen=True)
class Tongue:
    """The sentences of one language; the file says what they are."""

    roles: list[list[str]]
    role: str
    facts: list[list[str]]  # note, question with a name, question with a role
    moved: list[str]
    coded: list[str]
    codes: list[str]
    days: list[str]


_FILE = tomllib.loads((Path(__file__).parent / "workspace_notes.toml").read_text("utf-8"))
NAMES, PLACES = _FILE.pop("names").split(), _FILE.pop("places").split()
TONGUES = {language: Tongue(**sentences) for language, sentences in _FILE.items()}


@dataclass(frozen=True)
class Question:
    """A question with the files of which each answers it."""

    text: str
    language: str
    kind: str
    answers: frozenset[str]


@dataclass(frozen=True)
class Year:
    """The files of a workspace, {path: text}, and what is asked of them."""

    files: dict[str, str]
    questions: tuple[Question, ...]


def year(seed: int = 23) -> Year:
    """The notes and questions of a seed: 14 people a language, 150 questions."""
    rng = random.Random(seed)
    lines: dict[str, list[str]] = {}
    for day in range(DAYS):
        tongue = TONGUES[rng.choice(list(TONGUES))]
        lines[_log(day)] = [f"- {text}" for text in rng.sample(tongue.days, rng.randint(2, 4))]
    questions: list[Question] = []
    names = rng.sample(NAMES, len(NAMES))
    for number, (language, tongue) in enumerate(TONGUES.items()):
        people = names[number * 14 : number * 14 + 14]
        questions += _people(rng, tongue, language, people, lines)
        questions += _meetings(rng, tongue, language, people, lines)
        questions += _tickets(rng, tongue, language, lines)
    files = {path: f"# {path[7:17]}\n\n" + "\n".join(some) + "\n" for path, some in lines.items()}
    return Year(dict(sorted(files.items())), tuple(questions))


def _people(
    rng: random.Random, tongue: Tongue, language: str, people: list[str], lines: dict[str, list[str]]
) -> Iterator[Question]:
    """What people do, asked by name; of those who have a role, by their role."""
    for place, name in enumerate(people):
        note, by_name, by_role = tongue.facts[place % len(tongue.facts)]
        path = _put(rng, lines, note.format(name=name, place=rng.choice(PLACES)))
        yield Question(by_name.format(name=name), language, "direct", frozenset({path}))
        if place < len(tongue.roles):
            role, asked = tongue.roles[place]
            # Portuguese roles have their article with them.
            said = tongue.role.format(name=name, role=asked if language == "pt" else role)
            _put(rng, lines, said)
            yield Question(by_role.format(role=asked), language, "hop", frozenset({path}))
    for place, name in enumerate(people[:8]):
        note, by_name, _ = tongue.facts[(place + 2) % len(tongue.facts)]
        path = _put(rng, lines, note.format(name=name, place=rng.choice(PLACES)))
        yield Question(by_name.format(name=name), language, "direct", frozenset({path}))


def _meetings(
    rng: random.Random, tongue: Tongue, language: str, people: list[str], lines: dict[str, list[str]]
) -> Iterator[Question]:
    """What changed three times."""
    note, asked = tongue.moved
    for name in people[:10]:
        days = sorted(rng.sample(range(DAYS), 3))
        hours = rng.sample(range(8, 18), 3)
        for day, hour in zip(days, hours, strict=True):
            lines[_log(day)].append(f"- {note.format(name=name, hour=hour)}")
        yield Question(asked.format(name=name), language, "latest", frozenset({_log(days[-1])}))


def _tickets(rng: random.Random, tongue: Tongue, language: str, lines: dict[str, list[str]]) -> Iterator[Question]:
    note, asked = tongue.coded
    for thing in tongue.codes:
        code = f"{rng.choice('ABCDEFGH')}{rng.choice('KLMNPQ')}-{rng.randint(1000, 9999)}"
        path = _put(rng, lines, note.format(code=code, thing=thing))
        yield Question(asked.format(code=code), language, "exact", frozenset({path}))


def _put(rng: random.Random, lines: dict[str, list[str]], text: str) -> str:
    """Note it on some day; the path of its log."""
    path = _log(rng.randrange(DAYS))
    lines[path].insert(rng.randint(0, len(lines[path])), f"- {text}")
    return path


def _log(day: int) -> str:
    return f"memory/{(FIRST + timedelta(days=day)).isoformat()}.md"
