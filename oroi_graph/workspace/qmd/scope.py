"""Which sessions may search: rules over session keys such as `agent:main:discord:channel:123`.

Whoever asks through an interface is known by two things: the session that the owner bound its credential to, and the
session that the request names. Rules must allow both, so that naming a session can narrow what is read, never widen it.
"""

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


# A credential that the owner bound to no session: it may be in any chat, so only a rule without conditions fits it.
UNKNOWN = SessionKey("", "", None, "unknown")


@dataclass(frozen=True, slots=True)
class Asker:
    """Who reads notes: the sessions that all have to be permitted."""

    keys: tuple[SessionKey, ...]

    @classmethod
    def owner(cls) -> Asker:
        """Whoever runs a command or a library call."""
        return cls((read_key(None),))

    @classmethod
    def bound(cls, session: str | None) -> Asker:
        """The holder of a credential. session: what the owner bound it to, None for nothing."""
        return cls((UNKNOWN if session is None else read_key(session),))

    def naming(self, session: str | None) -> Asker:
        """The same for a request that names its session; None: it names none."""
        return self if session is None else Asker((*self.keys, read_key(session)))

    def denied(self, config: QmdConfig) -> SessionKey | None:
        """The first session that may not read; None if all may."""
        return next((key for key in self.keys if not permitted(config, key)), None)


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
