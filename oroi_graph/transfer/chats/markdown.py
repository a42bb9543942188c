"""A conversation written down as text: headings, bold names or plain names say who speaks.

    ## User                **Ana:** text            Ana: text
    text                   **Assistant:** text      Assistant: text

A heading or line that is a day dates what follows; a time behind a name is that turn's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from oroi_graph.model import Role
from oroi_graph.transfer.chats.drafts import Chain, Draft, Drafts, named

_ME = frozenset("user human you me tú yo usuario usuaria você eu usuário usuária".split())
_MODELS = frozenset(
    """assistant ai bot model chatgpt gpt claude gemini copilot mistral llama deepseek grok asistente assistente
    modelo""".split()
)
_OTHERS = frozenset("system tool developer function sistema".split())
_TIME = r"(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?|\d{1,2}:\d{2}(?::\d{2})?)"
_BEHIND = rf"(?:\s*[(\[–—-]?\s*(?P<time>{_TIME})\s*[)\]]?)?"
_NAME = r"(?P<name>[^\W\d_][\w .’'-]{0,48})"
_SIGNS = r"(?:[^\w\s*#\[(]{1,4}\s+)?"  # an emoji before a name
_HEADING = re.compile(rf"#{{1,6}}\s+{_SIGNS}\**{_NAME}?{_BEHIND}\**\s*:?\**\s*$")
_BOLD = re.compile(rf"(?:[-*]\s+)?{_SIGNS}\*\*{_NAME}{_BEHIND}\s*(?P<colon>:?)\*\*{_BEHIND.replace('time', 'later')}"
                   r"\s*(?P<colons>:?)\s*(?P<rest>.*)$")  # fmt: skip
_PLAIN = re.compile(rf"(?:\[?(?P<time>{_TIME})\]?\s+)?{_NAME}:\s+(?P<rest>\S.*)$")
_DAY = re.compile(r"(?:#{1,6}\s+|date:\s*|\*\*)?(?P<day>\d{4}-\d{2}-\d{2})\**\s*$", re.IGNORECASE)
_LONGEST = 400  # characters of a line that may name a speaker by a heading
_FENCE = ("```", "~~~")


@dataclass(slots=True)
class _Part:
    """What one speaker said at a stretch."""

    number: int
    name: str
    time: str | None
    day: str | None
    style: str
    lines: list[str] = field(default_factory=list)


def is_markdown(text: str) -> bool:
    """Whether at least two stretches are marked by who speaks, one of them by a person or role that is known as such.

    Headings and bold words are no speakers where neither a user nor a model is among them.
    """
    parts = list(_parts(text[:200_000]))
    known = {word for part in parts for word in _words(part.name)}
    repeated = len(parts) > len({_key(part.name) for part in parts})
    return len(parts) > 1 and (bool(known & (_ME | _MODELS)) or (repeated and parts[0].style == "plain"))


def read_markdown(text: str, drafts: Drafts) -> None:
    """Read the stretches as turns. A model's are the assistant's; "User", "You" and the like are the user's."""
    chain = Chain("log")
    for part in _parts(text):
        said = "\n".join(part.lines).strip().removesuffix("---").strip()
        key = _key(part.name)
        if key in _OTHERS:
            drafts.passed["messages of tools, of the system, and thoughts"] += 1
            continue
        model = bool(_words(part.name) & _MODELS)
        role: Role = "assistant" if model else "user"
        speaker = None if model or key in _ME else part.name
        draft = Draft(said, chain.id(key, said), role, speaker, _moment(part), part.day)
        drafts.keep(f"line {part.number}", draft)


def _parts(text: str) -> Iterator[_Part]:
    """The stretches in their order; nothing inside a block of code begins one."""
    current: _Part | None = None
    day: str | None = None
    style: str | None = None
    fence = ""
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.rstrip()
        marks = line.lstrip()[:3]
        if marks in _FENCE and (not fence or marks == fence):
            fence = "" if fence else marks
        found = None if fence else _begin(line, style)
        dated = None if fence or found else _DAY.match(line[:80])
        if found is not None:
            if current is not None:
                yield current
            current = found
            current.number, current.day, style = number, day, found.style
        elif dated and (line.startswith(("#", "*")) or style in (None, "plain")):
            day = dated["day"]
        elif current is not None:
            current.lines.append(line)
    if current is not None:
        yield current


def _begin(line: str, style: str | None) -> _Part | None:
    """A line that says who speaks now, in the style that the file began with."""
    if line.startswith("#") and style in (None, "heading") and len(line) <= _LONGEST:
        found = _HEADING.match(line)
        if found and found["name"] and (_words(found["name"]) & (_ME | _MODELS | _OTHERS)):
            return _Part(0, _tidy(found["name"]), found["time"], None, "heading")
    if "**" in line[:12] and style in (None, "bold"):
        found = _BOLD.match(line)
        if found and (found["colon"] or found["colons"] or not found["rest"]):
            return _Part(0, _tidy(found["name"]), found["time"] or found["later"], None, "bold", [found["rest"]])
    if style in (None, "plain"):
        found = _PLAIN.match(line)
        if found:
            return _Part(0, _tidy(found["name"]), found["time"], None, "plain", [found["rest"]])
    return None


def _tidy(name: str) -> str:
    """A name without what headings put behind it: "User said" is User."""
    return named(re.sub(r"\s+(?:said|says|dijo|disse)$", "", name.strip(" -–—")))


def _key(name: str) -> str:
    return name.casefold().strip()


def _words(name: str) -> set[str]:
    """The words of a name: "GPT-4 Turbo" has gpt and turbo."""
    return set(re.findall(r"[^\W\d_]+", name.casefold()))


def _moment(part: _Part) -> datetime | None:
    """When it was said: a whole time, or a time of the day with the day that stands above; local to this machine."""
    text = part.time
    if text is not None and ":" in text and "-" not in text:
        text = f"{part.day} {text.zfill(5)}" if part.day else None
    text = text or part.day
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.astimezone()
