"""Memories that mem0 kept: short sentences that a model made of what a user had said. Each becomes a turn of that user.

A memory of an agent, which no user stands behind, is the assistant's, and nobody's fact.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from oroi_graph.model import Role
from oroi_graph.transfer.chats.drafts import USER, Draft, Drafts, moment, named

_TEXTS = ("memory", "data")
_LISTS = ("results", "memories")
_THE_USER = re.compile(r"(?:The )?[Uu]ser(?=['’]s\b|\s)")  # how models name whom they write about


def is_mem0(data: object) -> bool:
    """Whether JSON is a list of memories, or an answer of mem0 that holds one."""
    items = _items(data)
    return bool(items) and all(_text(one) is not None for one in items)


def read_mem0(data: Any, drafts: Drafts) -> None:
    """Read the memories, the oldest first."""
    for number, item in enumerate(sorted(_items(data), key=lambda one: str(one.get("created_at") or "")), start=1):
        text = str(_text(item))
        user, agent = named(item.get("user_id")), named(item.get("agent_id"))
        role: Role = "user" if user or not agent else "assistant"
        speaker = user or agent or None
        # A user who is called by a number only is the user of this import.
        speaker = None if role == "user" and (not user or drafts.speaker != USER) else speaker
        text = _THE_USER.sub(speaker or drafts.speaker, text, count=1) if role == "user" else text
        id = item.get("id") or hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        at = moment(item.get("updated_at")) or moment(item.get("created_at"))
        drafts.keep(f"memory {number}", Draft(text, f"mem0-{id}", role, speaker, at, named(item.get("run_id")) or None))


def _items(data: object) -> Sequence[Mapping[str, Any]]:
    if isinstance(data, Mapping):
        data = next((data[name] for name in _LISTS if isinstance(data.get(name), list)), [data])
    return data if isinstance(data, list) and all(isinstance(one, Mapping) for one in data) else []


def _text(item: Mapping[str, Any]) -> str | None:
    """The sentence of a memory; None for what is none."""
    if not {"id", "hash", "user_id", "agent_id", "run_id"} & set(item):
        return None
    return next((item[name] for name in _TEXTS if isinstance(item.get(name), str)), None)
