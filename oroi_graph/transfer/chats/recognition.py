"""What a file holds is found out by its content, never by its name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oroi_graph.errors import InputError
from oroi_graph.transfer.chats.chatgpt import is_chatgpt, read_chatgpt
from oroi_graph.transfer.chats.claude import is_claude, read_claude
from oroi_graph.transfer.chats.documents import STDIN, Document, documents
from oroi_graph.transfer.chats.drafts import USER, Drafts
from oroi_graph.transfer.chats.graphiti import is_graphiti, read_graphiti
from oroi_graph.transfer.chats.markdown import is_markdown, read_markdown
from oroi_graph.transfer.chats.mem0 import is_mem0, read_mem0
from oroi_graph.transfer.chats.messages import is_messages, read_messages
from oroi_graph.transfer.chats.whatsapp import is_whatsapp, read_whatsapp
from oroi_graph.transfer.conversation_file import Conversation, is_locomo, json_object, read_lines, read_locomo

_LOOKED_AT = 5  # lines by which a file of JSON lines is recognised


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what people call it, whether JSON is of it, and its reader."""

    name: str
    fits: Callable[[Any], bool]
    read: Callable[[Any, Drafts], None]


JSON_FORMATS = (
    Format("ChatGPT's export", is_chatgpt, read_chatgpt),
    Format("Claude's export", is_claude, read_claude),
    Format("messages with role and content", is_messages, read_messages),
    Format("memories of mem0", is_mem0, read_mem0),
    Format("a graph of Graphiti", is_graphiti, read_graphiti),
)
TEXT_FORMATS = (
    Format("a WhatsApp chat", is_whatsapp, read_whatsapp),
    Format("a Markdown log", is_markdown, read_markdown),
)
NATIVE = "turns as JSON lines"
LOCOMO = "LoCoMo's JSON"
KNOWN = (NATIVE, LOCOMO, *(one.name for one in (*JSON_FORMATS, *TEXT_FORMATS)))


def read_turns(path: Path, parts: Sequence[str] = (), *, speaker: str | None = None) -> Conversation:
    """The turns of a file of any known format, of an archive that holds some, or of standard input ("-").

    parts: conversations to take of a LoCoMo file. speaker: who the user is, where the file does not say it. Raises
    InputError for a file that cannot be read, is of no known format, or holds no turn.
    """
    found = [_read(one, parts, speaker or USER) for one in documents(path)]
    whole = found[0] if len(found) == 1 else _joined(found)
    return _readable("stdin" if str(path) == STDIN else path.name, whole)


def read_text(name: str, text: str, *, speaker: str | None = None) -> Conversation:
    """The same for a text that came by other ways; name: for messages, and for ids of turns without one."""
    return _readable(name, _read(Document(name, text), (), speaker or USER))


def _readable(name: str, found: Conversation) -> Conversation:
    if not found.turns:
        raise InputError(f"{name} holds no readable turn: {found.problems[0] if found.problems else 'it is empty'}")
    return found


def _read(document: Document, parts: Sequence[str], speaker: str) -> Conversation:
    name, text = document.name, document.text
    if not text.strip():
        return Conversation((), format="nothing")
    data, lines = _json(name, text)
    if is_locomo(data):
        return replace(read_locomo(data, parts), format=LOCOMO)
    if parts:
        raise InputError(f"{name} holds no LoCoMo conversations: leave out --conversation")
    if lines and _native(lines):
        return replace(read_lines(text, name, speaker), format=NATIVE)
    drafts = Drafts(speaker)
    if data is not None or lines:
        return _read_json(name, data, text, drafts)
    for known in TEXT_FORMATS:
        if known.fits(text):
            known.read(text, drafts)
            return drafts.conversation(known.name)
    raise _unknown(name)


def _json(name: str, text: str) -> tuple[Any, list[Mapping[str, Any]]]:
    """A file's JSON as a whole, if it is that, else the objects of its first lines."""
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return None, []
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = _objects(text)
        if not lines and not _looks_like_text(text):
            raise InputError(f"{name} is not valid JSON ({error})") from error
        return None, lines
    return data, _objects(text) if isinstance(data, Mapping) and "\n" not in text.strip() else []


def _looks_like_text(text: str) -> bool:
    return any(known.fits(text) for known in TEXT_FORMATS)


def _objects(text: str) -> list[Mapping[str, Any]]:
    """The objects of the first lines that hold one."""
    found: list[Mapping[str, Any]] = []
    filled = (line for line in text.split("\n") if line.strip())
    for _, line in zip(range(4 * _LOOKED_AT), filled, strict=False):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, Mapping):
            found.append(value)
        if len(found) == _LOOKED_AT:
            break
    return found


def _native(lines: Sequence[Mapping[str, Any]]) -> bool:
    """Whether lines are turns of ours: most have a text, and none is what other formats have."""
    return 2 * sum("text" in one for one in lines) >= len(lines) and not any("chat_messages" in one for one in lines)


def _read_json(name: str, data: Any, text: str, drafts: Drafts) -> Conversation:
    """Read JSON of a known format: one value, or the values of all lines. Raises InputError."""
    known = _format(data) if data is not None else None
    if known is None and data is None:
        data = []
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                with drafts.reader.at(f"line {number}"):
                    data.append(json_object(line))
        known = _format(data)
    if known is None:
        raise _unknown(name)
    known.read(data, drafts)
    return drafts.conversation(known.name)


def _format(data: Any) -> Format | None:
    return next((one for one in JSON_FORMATS if one.fits(data)), None)


def _joined(found: Sequence[Conversation]) -> Conversation:
    """Several texts of one archive, as one conversation."""
    passed: dict[str, int] = {}
    for name, count in (one for each in found for one in each.passed):
        passed[name] = passed.get(name, 0) + count
    return Conversation(
        tuple(turn for one in found for turn in one.turns),
        tuple(problem for one in found for problem in one.problems),
        tuple(part for one in found for part in one.parts),
        " and ".join(dict.fromkeys(one.format for one in found)),
        tuple(sorted(passed.items())),
    )


def _unknown(name: str) -> InputError:
    return InputError(f"{name} is in no format that is known: import reads {', '.join(KNOWN[:-1])}, and {KNOWN[-1]}")
