"""ChatGPT's data export: conversations as trees of messages, of which the branch that was shown last is read.

What the model thought, called or ran, hidden messages, custom instructions and pictures are nobody's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from oroi_graph.transfer.chats.drafts import Draft, Drafts, moment

_SPOKEN = frozenset({"text", "multimodal_text"})
_MARKS = re.compile(
    "\ue200[^\ue201]{0,2000}\ue201|【[^】\n]{0,80}†[^】\n]{0,80}】"
)  # citations, as the page draws them


def is_chatgpt(data: object) -> bool:
    """Whether JSON is one conversation of ChatGPT's export, or a list of them."""
    items = data if isinstance(data, list) else [data]
    return bool(items) and all(isinstance(one, Mapping) and isinstance(one.get("mapping"), Mapping) for one in items)


def read_chatgpt(data: Any, drafts: Drafts) -> None:
    """Read conversations in the order in which they were begun; the export has the newest first."""
    items: Sequence[Mapping[str, Any]] = data if isinstance(data, list) else [data]
    for item in sorted(items, key=_begun):
        session = str(item.get("conversation_id") or item.get("id") or "")
        for number, message in enumerate(_branch(item), start=1):
            _keep(message, session, f"conversation {item.get('title') or session!r}, message {number}", drafts)


def _begun(item: Mapping[str, Any]) -> float:
    at = item.get("create_time")
    return at if isinstance(at, int | float) else 0.0


def _branch(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The messages from the root to the current node, or to the newest leaf where that is not told."""
    nodes: Mapping[str, Any] = item["mapping"]
    leaf = item.get("current_node")
    if not isinstance(leaf, str) or leaf not in nodes:
        leaf = max((id for id, node in nodes.items() if not _of(node).get("children")), key=_made(nodes), default=None)
    path: dict[str, Mapping[str, Any]] = {}
    while isinstance(leaf, str) and leaf in nodes and leaf not in path:
        path[leaf] = _of(nodes[leaf])
        leaf = path[leaf].get("parent")
    for node in reversed(path.values()):
        message = node.get("message")
        if isinstance(message, Mapping):
            yield message


def _made(nodes: Mapping[str, Any]) -> Any:
    return lambda node: _begun(_of(_of(nodes[node]).get("message")))


def _keep(message: Mapping[str, Any], session: str, where: str, drafts: Drafts) -> None:
    role, content = _of(message.get("author")).get("role"), _of(message.get("content"))
    hidden = _of(message.get("metadata")).get("is_visually_hidden_from_conversation")
    spoken = str(content.get("content_type")) in _SPOKEN
    if role not in ("user", "assistant") or hidden or not spoken:
        if content.get("parts") not in (None, [], [""]) or not spoken:
            drafts.passed["messages of tools, of the system, and thoughts"] += 1
        return
    if message.get("recipient") not in (None, "all"):
        drafts.passed["messages of tools, of the system, and thoughts"] += 1
        return
    text = _text(content, drafts)
    id = str(message.get("id") or "")
    drafts.keep(where, Draft(text, id, role, None, moment(message.get("create_time")), session))


def _text(content: Mapping[str, Any], drafts: Drafts) -> str:
    """The strings of a message, and what was said into a microphone."""
    texts: list[str] = []
    parts = content.get("parts")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str):
            texts.append(part)
        elif _of(part).get("content_type") == "audio_transcription" and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            drafts.passed["attachments"] += 1
    return _MARKS.sub("", "\n".join(text for text in texts if text.strip()))


def _of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
