"""Messages as chat models take them: `{"role": …, "content": …}`, one a line, in a list, or under "messages"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oroi_graph.transfer.chats.drafts import ROLES, Chain, Draft, Drafts, blocks, moment

_TIMES = ("at", "timestamp", "created_at", "create_time", "time")
_IDS = ("id", "uuid", "message_id")
_SESSIONS = ("session", "session_id", "conversation_id", "thread_id")


def is_message(data: object) -> bool:
    """Whether JSON is one message: it has a role and content."""
    return isinstance(data, Mapping) and isinstance(data.get("role"), str) and "content" in data


def is_messages(data: object) -> bool:
    """Whether JSON is a list of messages, a conversation with such a list, or a list of conversations."""
    if isinstance(data, Mapping):
        found = data.get("messages")
        return isinstance(found, list) and bool(found) and all(is_message(one) for one in found)
    return isinstance(data, list) and bool(data) and (all(map(is_message, data)) or all(map(_is_conversation, data)))


def read_messages(data: Any, drafts: Drafts) -> None:
    """Read messages in their order; messages that stand together are one conversation."""
    if isinstance(data, Mapping):
        _read(data["messages"], data, drafts)
    elif is_message(data[0]):
        _read(data, {}, drafts)
    else:
        for item in data:
            _read(item["messages"], item, drafts)


def _read(messages: Sequence[Mapping[str, Any]], about: Mapping[str, Any], drafts: Drafts) -> None:
    chain = Chain("message")
    session = _first(about, (*_SESSIONS, *_IDS))
    for number, message in enumerate(messages, start=1):
        role = ROLES.get(message["role"])
        text, others = blocks(message["content"])
        if others:
            drafts.passed["attachments"] += others
        if role is None:
            drafts.passed["messages of tools, of the system, and thoughts"] += 1
            continue
        made = chain.id(session or "", role, text)  # also where it has an id: those without one count on from here
        draft = Draft(
            text,
            _first(message, _IDS) or made,
            role,
            message.get("name") or message.get("speaker"),
            next((moment(message[name]) for name in _TIMES if name in message), moment(about.get("created_at"))),
            _first(message, _SESSIONS) or session,
        )
        drafts.keep(f"message {number}" + (f" of {session}" if session else ""), draft)


def _is_conversation(data: object) -> bool:
    return isinstance(data, Mapping) and is_messages(data)


def _first(data: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of the members that is text or a number."""
    found = (data[name] for name in names if name in data)
    return next((str(one) for one in found if isinstance(one, str | int) and not isinstance(one, bool) and one), None)
