"""Claude's data export: conversations as lists of messages. Documents that were attached are nobody's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oroi_graph.transfer.chats.drafts import ROLES, Draft, Drafts, blocks, moment


def is_claude(data: object) -> bool:
    """Whether JSON is one conversation of Claude's export, or a list of them."""
    items = data if isinstance(data, list) else [data]
    return bool(items) and all(isinstance(one, Mapping) and isinstance(one.get("chat_messages"), list) for one in items)


def read_claude(data: Any, drafts: Drafts) -> None:
    """Read conversations in the order in which they were begun."""
    items: Sequence[Mapping[str, Any]] = data if isinstance(data, list) else [data]
    for item in sorted(items, key=lambda one: str(one.get("created_at") or "")):
        session = str(item.get("uuid") or "")
        for number, message in enumerate(_branch(item["chat_messages"]), start=1):
            _keep(message, session, f"conversation {item.get('name') or session!r}, message {number}", drafts)


def _branch(messages: Sequence[Any]) -> list[Mapping[str, Any]]:
    """The messages in their order; where they name their parents, those that lead to the last one."""
    found = [one for one in messages if isinstance(one, Mapping)]
    by_id = {_id(one, "uuid"): one for one in found}
    if not found or not all(_id(one, "parent_message_uuid") for one in found):
        return found
    path: dict[str, Mapping[str, Any]] = {}
    id = _id(found[-1], "uuid")
    while id in by_id and id not in path:
        path[id] = by_id[id]
        id = _id(by_id[id], "parent_message_uuid")
    return list(reversed(path.values()))


def _id(message: Mapping[str, Any], name: str) -> str:
    """An id that a message has; "" for what is none."""
    found = message.get(name)
    return found if isinstance(found, str) else ""


def _keep(message: Mapping[str, Any], session: str, where: str, drafts: Drafts) -> None:
    role = ROLES.get(str(message.get("sender")))
    if role is None:
        drafts.passed["messages of tools, of the system, and thoughts"] += 1
        return
    text, calls = blocks(message.get("content"))
    # Older exports have `text` only; in newer ones it holds placeholders where a tool was called.
    text = text if text.strip() or calls else str(message.get("text") or "")
    if calls:
        drafts.passed["thoughts and calls of tools"] += calls
    for name in ("attachments", "files"):
        if isinstance(message.get(name), list) and message[name]:
            drafts.passed["attachments"] += len(message[name])
    drafts.keep(
        where, Draft(text, str(message.get("uuid") or ""), role, None, moment(message.get("created_at")), session)
    )
