"""The settings of the sidecar, with the keys of `memory.qmd`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from oroi_graph.errors import InputError
from oroi_graph.workspace.values import choice, text

Action = Literal["allow", "deny"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_CHATS = ("direct", "group", "channel")


@dataclass(frozen=True, slots=True, kw_only=True)
class QmdPath:
    """A folder or file that QMD indexes, too. name: of its collection; pattern: which files."""

    name: str
    path: str
    pattern: str = "**/*.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRule:
    """What becomes of sessions that match all that is given.

    prefix: of the key without `agent:<id>:`; raw: of all of it.
    """

    action: Action
    channel: str | None = None
    chat: str | None = None
    prefix: str | None = None
    raw: str | None = None


DIRECT_ONLY = (ScopeRule(action="allow", chat="direct"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class QmdConfig:
    """How QMD is used. Durations are seconds; interval, embed_interval: 0 for never. Lengths are characters."""

    command: str = "qmd"
    mode: str = "search"
    include_default: bool = True
    paths: tuple[QmdPath, ...] = ()
    sessions: bool = False
    retention_days: float | None = None
    export_dir: str | None = None
    interval: float = 300.0
    debounce: float = 15.0
    embed_interval: float = 3600.0
    command_timeout: float = 30.0
    update_timeout: float = 120.0
    embed_timeout: float = 120.0
    max_results: int = 6
    max_snippet: int = 700
    max_injected: int = 4_000
    timeout: float = 4.0
    default: Action = "deny"
    rules: tuple[ScopeRule, ...] = DIRECT_ONLY


def parse_paths(key: str, value: Any) -> tuple[QmdPath, ...]:
    """Paths of their own. Raises InputError for one that is none, and for a name that is given twice."""
    found: dict[str, QmdPath] = {}
    for number, one in enumerate(_objects(key, value)):
        where = f"{key}[{number}]"
        path = text(f"{where}.path", one.pop("path", None))
        name = text(f"{where}.name", one.pop("name", f"custom-{number + 1}"))
        pattern = text(f"{where}.pattern", one.pop("pattern", "**/*.md"))
        if not _NAME.fullmatch(name) or name in found:
            raise InputError(f"{where}.name must be made of letters, digits, . _ and -, each once, got {name!r}")
        _nothing_left(where, one)
        found[name] = QmdPath(name=name, path=path, pattern=pattern)
    return tuple(found.values())


def parse_rules(key: str, value: Any) -> tuple[ScopeRule, ...]:
    """The rules of a scope, the first one that matches counts. Raises InputError."""
    found = []
    for number, one in enumerate(_objects(key, value)):
        where = f"{key}[{number}]"
        action = choice("allow", "deny")(f"{where}.action", one.pop("action", None))
        match = one.pop("match", {})
        if not isinstance(match, dict):
            raise InputError(f"{where}.match must be an object")
        given = {name: text(f"{where}.match.{name}", said).strip().lower() for name, said in match.items()}
        chat = given.pop("chatType", None)
        if chat is not None:
            choice(*_CHATS)(f"{where}.match.chatType", chat)
        prefix, raw = given.pop("keyPrefix", None), given.pop("rawKeyPrefix", None)
        channel = given.pop("channel", None)
        _nothing_left(f"{where}.match", given)
        _nothing_left(where, one)
        found.append(ScopeRule(action=action, channel=channel, chat=chat, prefix=prefix, raw=raw))
    return tuple(found)


def _objects(key: str, value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InputError(f"{key} must be a list of objects, got {value!r}")
    return [dict(one) for one in value]


def _nothing_left(where: str, rest: dict[str, Any]) -> None:
    # A rule that is read in part would permit what its owner forbade.
    if rest:
        raise InputError(f"{where} has keys that are not known: {', '.join(sorted(map(str, rest)))}")
