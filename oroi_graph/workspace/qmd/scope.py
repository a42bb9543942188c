"""Which sessions may search: rules over session keys such as `agent:main:discord:channel:123`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from oroi_graph.workspace.qmd.config import QmdConfig, ScopeRule

_AGENT = re.compile(r"agent:[^:]+:")
_DIRECT = ("direct", "dm")


@dataclass(frozen=True, slots=True)
class SessionKey:
    """A key taken apart. raw: all of it, in lower case; normalised: without `agent:<id>:`."""

    raw: str
    normalised: str
    channel: str | None
    chat: str


def read_key(key: str | None) -> SessionKey:
    """A session's key; none is the owner's own session, a direct one."""
    raw = (key or "").strip().lower()
    normalised = _AGENT.sub("", raw, count=1) if _AGENT.match(raw) else raw
    parts = [part for part in normalised.split(":") if part]
    chat = next((name for name in ("group", "channel") if name in parts), "direct")
    named = len(parts) > 1 and parts[1] in (*_DIRECT, "group", "channel")
    return SessionKey(raw, normalised, parts[0] if named else None, chat)


def permitted(config: QmdConfig, key: SessionKey) -> bool:
    """Whether a session may search: by the first rule that matches, else by the default."""
    return next((rule.action for rule in config.rules if _matches(rule, key)), config.default) == "allow"


def _matches(rule: ScopeRule, key: SessionKey) -> bool:
    # An older way of writing a raw prefix.
    prefix, raw = rule.prefix, rule.raw
    if prefix is not None and prefix.startswith("agent:"):
        if not key.raw.startswith(prefix):
            return False
        prefix = None
    return (
        (rule.channel is None or rule.channel == key.channel)
        and (rule.chat is None or rule.chat == key.chat)
        and (prefix is None or key.normalised.startswith(prefix))
        and (raw is None or key.raw.startswith(raw))
    )
