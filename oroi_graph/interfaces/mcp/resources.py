"""Resources: what a client may attach to a conversation by its address, without a call of a tool."""

from __future__ import annotations

import json
from urllib.parse import unquote

import mcp_types as types

from oroi_graph.errors import InputError
from oroi_graph.interfaces import reading
from oroi_graph.interfaces.access import Access

TIMELINE = types.Resource(
    uri="memory://timeline", name="timeline", title="Timeline", description="What was said last.",
    mime_type="application/json",
)  # fmt: skip
TEMPLATES = (
    types.ResourceTemplate(
        uri_template="memory://brief/{question}", name="brief", title="Brief",
        description="What memory brings back for a question.", mime_type="text/plain",
    ),
    types.ResourceTemplate(
        uri_template="memory://explanation/{question}", name="explanation", title="Explanation",
        description="The same with cue, path and numbers of each item.", mime_type="application/json",
    ),
)  # fmt: skip


def read(access: Access, uri: str) -> types.TextResourceContents:
    """The resource at an address. Raises InputError for one that is not ours."""
    if uri == TIMELINE.uri:
        return _json(uri, reading.timeline(access))
    for start, name in (("memory://brief/", "brief"), ("memory://explanation/", "explanation")):
        if uri.startswith(start) and len(uri) > len(start):
            question = unquote(uri[len(start) :])
            if name == "brief":
                text = reading.recall(access, question)["brief"]["text"]
                return types.TextResourceContents(uri=uri, text=text, mime_type="text/plain")
            return _json(uri, reading.explain(access, question))
    raise InputError(f"no resource {uri!r}: there are memory://timeline, memory://brief/… and memory://explanation/…")


def _json(uri: str, found: reading.Json) -> types.TextResourceContents:
    text = json.dumps(found, ensure_ascii=False, default=str)
    return types.TextResourceContents(uri=uri, text=text, mime_type="application/json")
