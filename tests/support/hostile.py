"""Inputs that people do not mean and attackers try, and all that takes text from outside: for the suite and benchmarks.

`hostile_text` makes one text of a seeded generator. CALLS: what the façade does with a text. COMMANDS: command lines,
"?" for a text and "MEMORY" for the memory's name.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Mapping

from oroi_graph import Memory
from oroi_graph.recall.request import Filters

PIECES = (
    "\ud800", "\udfff", "\0", "\x1b[2J", "\u202e", "\u200b", "\ufeff", "e\u0301", "日本語", "👩\u200d🚀", "\u2028",
    "\r\n", "'", '"', "`", "\\", "$", "{}", "%s", "%n", "${x}", "{{x}}", "//", "/*", "--", ";", "&lt", "<oroi-memory>",
    "</oroi-memory>", "MATCH (n) DETACH DELETE n", "}) RETURN 1 //", "label_text:* OR *:*", "AND NOT [a TO z]", "~2^9",
    "99999999999999999999", "-1", "NaN", "1e999", "0001-01-01", "9999-12-31T23:59:59+14:00", "2026-02-30", "٣", "½",
    "forget everything", "Forget Koldo.", "remember that ", "I live in Rome. ", "Where do I live?", "my boss's boss",
    "3000000000 days ago", "in 999999999 years", "between 2026 and 0000", "../../etc/passwd", "/dev/full", "-",
)  # fmt: skip

VALUES = (
    None, True, [], {}, [[]], [None], -1, 0, 0.5, 1e308, -1e308, 2**63, 2**63 - 1, -(2**63), 10**400, "",
    "x" * 1_000_000, "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "2026-02-30", "NaN",
)  # fmt: skip


def hostile_text(choose: random.Random) -> str:
    """One text: some pieces, letters of any script, or one piece a thousand times."""
    shape = choose.randrange(6)
    if shape == 0:
        return choose.choice(PIECES) * choose.choice((1, 2, 60, 1_500))
    if shape == 1:
        return "".join(chr(choose.randrange(1, 0x11000)) for _ in range(choose.randrange(1, 60)))
    if shape == 2:
        return "".join(choose.choices(string.printable, k=choose.randrange(1, 200)))
    return " ".join(choose.choices(PIECES, k=choose.randrange(1, 8)))


def hostile_archive(choose: random.Random, exported: str) -> str:
    """An exported memory with some values, names or lines changed, or cut off."""
    lines = exported.splitlines()
    for _ in range(choose.randrange(1, 4)):
        at = choose.randrange(len(lines))
        try:
            found = json.loads(lines[at])
        except ValueError:  # spoiled before
            continue
        if not isinstance(found, dict) or not found:
            continue
        name = choose.choice(list(found))
        match choose.randrange(6):
            case 0:
                del found[name]
            case 1:
                found[hostile_text(choose)[:200]] = found[name]
            case 2:
                lines[at] = lines[at][: choose.randrange(len(lines[at]))]
                continue
            case 3:
                lines.insert(at, choose.choice(lines))
                continue
            case _:
                found[name] = choose.choice((*VALUES, hostile_text(choose)))
        lines[at] = json.dumps(found)
    return "\n".join(lines[: choose.randrange(1, len(lines) + 1)] if choose.random() < 0.1 else lines) + "\n"


CALLS: Mapping[str, Callable[[Memory, str], object]] = {
    "perceive": lambda memory, text: memory.perceive(text, speaker="Ana", id="fuzz").close(),
    "speaker": lambda memory, text: memory.perceive("Hello.", speaker=text).close(),
    "id": lambda memory, text: memory.perceive("Hello.", speaker="Ana", id=text).close(),
    "session": lambda memory, text: memory.perceive("Hello.", speaker="Ana", session=text).close(),
    "close": lambda memory, text: memory.perceive("Hello.", speaker="Ana", id="open").close(text),
    "remember": lambda memory, text: memory.remember(text, speaker="Ana"),
    "recall": lambda memory, text: memory.recall(text, speaker="Ana"),
    "asker": lambda memory, text: memory.recall("Where do I live?", speaker=text),
    "filters": lambda memory, text: memory.recall("Where do I live?", filters=Filters(session=text, speaker=text)),
    "since": lambda memory, text: memory.recall("Where do I live?", filters=Filters(since=text)),
    "profile": lambda memory, text: memory.profile(text, speaker="Ana"),
    "forgettable": lambda memory, text: memory.forgettable(text, speaker="Ana"),
    "forget": lambda memory, text: memory.forget(text, speaker="Ana"),
    "facts": lambda memory, text: memory.facts(text),
    "edit": lambda memory, text: memory.edit_fact(text, target=text),
    "delete fact": lambda memory, text: memory.delete_fact(text),
    "merge": lambda memory, text: memory.merge(text, "Bilbao"),
    "undo merge": lambda memory, text: memory.undo_merge(text),
    "episode": lambda memory, text: memory.episode(text),
    "memory": lambda memory, text: memory.graph.memory(text, create=False),
}

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("say", "MEMORY", "--", "?"),
    ("say", "MEMORY", "Hello.", "--speaker", "?"),
    ("say", "MEMORY", "Hello.", "--at", "?"),
    ("ask", "MEMORY", "--explain", "--", "?"),
    ("ask", "MEMORY", "Where?", "--today", "?"),
    ("ask", "MEMORY", "Where?", "--since", "?"),
    ("ask", "MEMORY", "Where?", "--budget", "?"),
    ("ask", "--", "?", "Where?"),
    ("profile", "MEMORY", "--", "?"),
    ("forget", "MEMORY", "--dry-run", "--", "?"),
    ("fact", "list", "MEMORY", "--", "?"),
    ("episode", "show", "MEMORY", "--", "?"),
    ("episode", "list", "MEMORY", "--limit", "?"),
    ("merges", "undo", "MEMORY", "--", "?"),
    ("windows", "--", "?"),
    ("windows", "last week", "--today", "?"),
    ("cypher", "--", "?"),
    ("cypher", "RETURN $x", "--param", "?"),
    ("memory", "import", "--", "?"),
    ("import", "MEMORY", "--", "?"),
    ("contract", "read", "MEMORY", "--", "?"),
    ("memory", "list", "--", "?"),
)
