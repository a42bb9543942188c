"""Scenario templates: how they are written, and how they are read.

A template (scenario_templates/PHENOMENON.txt) is a block of lines. `== name language [held-out] [two]` opens it, then

    ? a question (one of several is asked)          + what must be said, alternatives parted by "/"
    - what must not be said                         ~ the assistant's reply to the line before
    2 words of session 2 | what they state          2b the same by the second speaker

What is stated: `a > r > b` is a relation, `a !> r > b` a negated one, `^` after it "replaces what was said before"
(`^b` names what it replaces), `+ x` a concept that is only mentioned, `? a > r > b` what the assistant said and the
speaker confirms; several are parted by " ; ". `{list1}` is a word of that list, another one than
`{list2}`; `{a list1}` has its article. Kinds follow from the list, else from the label (capital: a name; digit: a
value); `#n`, `#v`, `#c` say otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from scenario_words import FOLDER, WORDS, blocks

from oroi_graph.language.lexicons.pronouns import is_first_person

YEAR = 2026  # of every date
SLOT = re.compile(r"\{(?:(a) )?([a-z]+)(\d)\}")
_KINDS = {"n": "name", "v": "value", "c": "concept"}
_MONTHS = {
    month: number
    for names in (
        "January February March April May June July August September October November December",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
    for number, month in enumerate(names.split(), 1)
}


@dataclass(frozen=True, slots=True)
class Line:
    """One turn as written: words and what they state, with slots."""

    words: str
    states: str = ""
    session: int = 1
    second: bool = False
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """One situation; `held_out` ones are for the final seed alone, `two` have a second speaker."""

    phenomenon: str
    name: str
    language: str
    held_out: bool
    two: bool
    questions: tuple[str, ...]
    required: tuple[str, ...]
    forbidden: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def at_once(self) -> bool:
        """Whether a slip is put right in the same breath: nothing can lie between."""
        return any(" ^" in line.states and line.session == 1 for line in self.lines)


@dataclass(frozen=True, slots=True)
class Talk:
    """What is said besides, in one language."""

    chat: tuple[Line, ...]
    events: tuple[Line, ...]
    people: tuple[Line, ...]
    replies: tuple[str, ...]


@cache
def templates(phenomenon: str) -> tuple[Template, ...]:
    """All templates of a phenomenon, in the order of its file."""
    found: list[Template] = []
    for head, body in blocks(FOLDER / f"{phenomenon}.txt"):
        name, language, *flags = head.split()
        rest = [line for line in body if line[0] in "?+-"]
        found.append(
            Template(
                phenomenon,
                name,
                language,
                "held-out" in flags,
                "two" in flags,
                *(tuple(line[2:] for line in rest if line[0] == mark) for mark in "?+-"),
                _lines([line for line in body if line[0] not in "?+-"]),
            )
        )
    return tuple(found)


@cache
def talk(language: str) -> Talk:
    """The other talk of a language."""
    parts = dict(blocks(FOLDER / "talk.txt"))
    chat, events, people = (
        tuple(_said_besides(line) for line in parts[f"{part} {language}"]) for part in ("chat", "events", "people")
    )
    return Talk(chat, events, people, tuple(parts[f"replies {language}"]))


def _lines(body: Sequence[str]) -> tuple[Line, ...]:
    found: list[Line] = []
    for line in body:
        if line.startswith("~ "):
            last = found.pop()
            found.append(Line(last.words, last.states, last.session, last.second, line[2:]))
            continue
        mark, rest = line.split(" ", 1)
        found.append(Line(*_halves(rest), int(mark[0]), mark.endswith("b")))
    return tuple(found)


def _said_besides(line: str) -> Line:
    said, _, reply = line.partition(" ~ ")
    return Line(*_halves(said), reply=reply or None)


def _halves(line: str) -> tuple[str, str]:
    words, _, states = line.partition("|")
    return words.strip(), states.strip()


def fill(text: str, bound: Mapping[str, str]) -> str:
    """The text with its slots filled."""

    def word(match: re.Match[str]) -> str:
        value = bound[match[2] + match[3]]
        return f"{'an' if value[0].lower() in 'aeiou' else 'a'} {value}" if match[1] else value

    return SLOT.sub(word, text)


def states(notation: str, bound: Mapping[str, str], language: str) -> dict[str, Any]:
    """The extraction (defaults left out) that a template's notation stands for; `{}` for nothing."""
    concepts: dict[str, str] = {}
    relations: list[dict[str, Any]] = []
    uptake: list[dict[str, Any]] = []
    for item in filter(None, (part.strip() for part in notation.split(" ; "))):
        if item.startswith("+ "):
            label, kind, _ = _end(item[2:], bound, language)
            concepts.setdefault(label, kind)
            continue
        confirmed, item = item.startswith("? "), item.removeprefix("? ")
        statement, corrects, old = item.partition(" ^")
        source, relation, target = statement.replace(" !> ", " > ").split(" > ")
        when = None
        ends = []
        for raw in (source, target):
            label, kind, when = _end(raw, bound, language)
            ends.append(label)
            if not confirmed and not is_first_person(label):
                concepts.setdefault(label, kind)
        stated: dict[str, Any] = {"source": ends[0], "relation": fill(relation, bound), "target": ends[1]}
        replaces = {"relation": stated["relation"], "target": fill(old, bound)} if old else bool(corrects)
        flags = {"negated": " !> " in statement, "replaces": replaces, "when": when}
        (uptake if confirmed else relations).append(stated | {key: value for key, value in flags.items() if value})
    said = {"concepts": [{"label": a, "kind": b} for a, b in concepts.items()], "relations": relations}
    return {key: value for key, value in (said | {"uptake": uptake}).items() if value}


def _end(raw: str, bound: Mapping[str, str], language: str) -> tuple[str, str, str | None]:
    """(label, kind, ISO date if it is one) of a concept as a template writes it."""
    raw, _, said = raw.strip().partition("#")
    label = fill(raw, bound)
    slot = SLOT.fullmatch(raw)
    if said:
        return label, _KINDS[said], None
    if slot is None:
        kind = "value" if label[0].isdigit() else "name" if label[0].isupper() else "concept"
        return label, kind, None
    name = "woman" if slot[2] == "person" else slot[2]
    return label, WORDS[language][name].kind, _iso(label) if name == "date" else None


def _iso(label: str) -> str:
    day, month = label.replace(" de ", " ").split()
    return f"{YEAR}-{_MONTHS[month]:02}-{int(day):02}"
