"""JSON Schemas of tools, as small as they can be: every client pays for them in each of its sessions."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def text(described: str = "", **more: Any) -> Schema:
    """A string."""
    return {"type": "string", **({"description": described} if described else {}), **more}


def whole(described: str = "", least: int = 1, most: int | None = None) -> Schema:
    """A whole number of `least` to `most`."""
    bounds = {"minimum": least} | ({} if most is None else {"maximum": most})
    return {"type": "integer", **({"description": described} if described else {}), **bounds}


def flag(described: str = "") -> Schema:
    """True or false."""
    return {"type": "boolean", **({"description": described} if described else {})}


def array(items: Schema | None = None) -> Schema:
    """A list."""
    return {"type": "array", **({"items": items} if items else {})}


def taken(required: str = "", **properties: Schema) -> Schema:
    """The arguments of a tool: no others are taken. required: their names, with spaces between."""
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return found | ({"required": required.split()} if required else {})


def given(**properties: str) -> Schema:
    """What a tool gives, by type; "?" behind a type: it may be null."""
    return {"type": "object", "properties": {name: _typed(one) for name, one in properties.items()}}


def _typed(one: str) -> Schema:
    return {"type": [one[:-1], "null"]} if one.endswith("?") else {"type": one}
