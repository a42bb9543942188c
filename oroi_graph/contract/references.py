"""References in a JSON Schema (2020-12): each must lead to a schema, and none back to itself without end.

A validator follows a reference only when it comes to it, so both faults would else show when an entry is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from jsonschema import Draft202012Validator, SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

_REFERENCES = ("$ref", "$dynamicRef")
# Keywords whose schemas are applied to the value itself, not to a part of it.
_ONE = ("not", "if", "then", "else")
_LISTS = ("allOf", "anyOf", "oneOf")


def wrong_reference(schema: Mapping[str, Any]) -> str | None:
    """What is wrong with the references of a schema that stands alone, None if nothing is."""
    root = DRAFT202012.create_resource(schema)
    registry: Registry[Any] = Registry()
    waiting = [(schema, registry.resolver_with_root(root))]
    in_place: dict[int, list[int]] = {}  # by `id`: the schemas that are applied to the same value
    while waiting:
        part, resolver = waiting.pop()
        if id(part) in in_place:
            continue
        in_place[id(part)] = [id(one) for one in _in_place(part)]
        for keyword in _REFERENCES:
            if keyword not in part:
                continue
            try:
                found = resolver.lookup(part[keyword])
                if not isinstance(found.contents, (Mapping, bool)):
                    return f"{keyword} {part[keyword]!r} does not lead to a schema"
                Draft202012Validator.check_schema(found.contents)
            except (Unresolvable, ValueError, TypeError):
                return f"{keyword} {part[keyword]!r} leads nowhere"
            except SchemaError:
                return f"{keyword} {part[keyword]!r} does not lead to a schema"
            if isinstance(found.contents, Mapping):
                in_place[id(part)].append(id(found.contents))
                waiting.append((found.contents, found.resolver))
        inside = (one for one in DRAFT202012.subresources_of(part) if isinstance(one, Mapping))
        waiting += [(one, resolver.in_subresource(DRAFT202012.create_resource(one))) for one in inside]
    try:
        TopologicalSorter(in_place).prepare()
    except CycleError:
        return "a schema refers to itself without end"
    return None


def _in_place(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    found = [schema.get(keyword) for keyword in _ONE]
    found += [one for keyword in _LISTS for one in schema.get(keyword, ())]
    found += schema.get("dependentSchemas", {}).values()
    yield from (one for one in found if isinstance(one, Mapping))
