"""A graph of Graphiti: its episodes are what was said, its edges what a model made of them.

Read are dumps of its nodes and edges as JSON (`{"episodes": [...], "nodes": [...], "edges": [...]}`), and what
`apoc.export.json` writes of its database, a node or relationship a line. Where episodes are there, they are the turns;
else each edge is a turn that states its fact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oroi_graph.model import ExtractedConcept, ExtractedRelation, Extraction
from oroi_graph.transfer.chats.drafts import ROLES, Draft, Drafts, moment, named

_GROUPS = ("episodes", "nodes", "edges", "episodic_nodes", "entity_nodes", "entity_edges")
_MESSAGE = re.compile(r"(?P<name>[^:\n]{1,80}?)\s*(?:\((?P<role>[^()\n]{1,20})\))?\s*:\s+(?P<rest>.*)")


@dataclass(frozen=True, slots=True)
class _Dump:
    """What a dump holds, whatever form it has: properties of episodes, names of entities by uuid, edges."""

    episodes: list[Mapping[str, Any]]
    names: dict[str, str]
    edges: list[Mapping[str, Any]]


def is_graphiti(data: object) -> bool:
    """Whether JSON, or the list of a file's lines, is a graph of Graphiti."""
    dump = _dump(data)
    return dump is not None and bool(dump.episodes or dump.edges)


def read_graphiti(data: Any, drafts: Drafts) -> None:
    """Read the episodes by the time at which they were valid; without any, the facts."""
    dump = _dump(data)
    if dump is None:
        return
    for episode in sorted(dump.episodes, key=_when):
        _keep_episode(episode, drafts)
    if dump.episodes and dump.edges:
        drafts.passed["edges, whose episodes are read in their place"] += len(dump.edges)
    elif dump.edges:
        for edge in sorted(dump.edges, key=_when):
            _keep_fact(edge, dump.names, drafts)


def _dump(data: object) -> _Dump | None:
    if isinstance(data, Mapping) and any(isinstance(data.get(name), list) for name in _GROUPS):
        groups = (found for name in _GROUPS if isinstance(found := data.get(name), list))
        items = [one for group in groups for one in group if isinstance(one, Mapping)]
    elif isinstance(data, list) and data and all(isinstance(one, Mapping) for one in data):
        items = [_flat(one) for one in data]
    else:
        return None
    episodes = [one for one in items if isinstance(one.get("content"), str) and "source" in one and "uuid" in one]
    edges = [one for one in items if isinstance(one.get("fact"), str) and "uuid" in one]
    names = {str(one["uuid"]): str(one["name"]) for one in items if "uuid" in one and "name" in one}
    return _Dump(episodes, names, edges)


def _flat(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A line of `apoc.export.json`: the properties of a node, or of a relationship with its ends."""
    found = item.get("properties")
    if item.get("type") not in ("node", "relationship") or not isinstance(found, Mapping):
        return item
    ends = {}
    for end, name in (("start", "source_node_uuid"), ("end", "target_node_uuid")):
        properties = item.get(end)
        if isinstance(properties, Mapping) and isinstance(properties.get("properties"), Mapping):
            ends[name] = properties["properties"].get("uuid")
    return {**ends, **found}


def _when(item: Mapping[str, Any]) -> str:
    return str(item.get("valid_at") or item.get("created_at") or "")


def _keep_episode(episode: Mapping[str, Any], drafts: Drafts) -> None:
    if str(episode.get("source")).rpartition(".")[2] == "json":
        drafts.passed["episodes of structured data"] += 1
        return
    at, session, uuid = moment(_when(episode)), named(episode.get("group_id")) or None, str(episode["uuid"])
    said = _messages(episode["content"]) if str(episode.get("source")).endswith("message") else []
    if not said:
        drafts.keep(f"episode {uuid}", Draft(episode["content"], uuid, "user", None, at, session))
    for number, (name, role, text) in enumerate(said, start=1):
        speaker = None if name.casefold() in ROLES else name
        id = uuid if len(said) == 1 else f"{uuid}:{number}"
        known = ROLES.get(role.casefold()) or ROLES.get(name.casefold()) or "user"
        drafts.keep(f"episode {uuid}", Draft(text, id, known, speaker, at, session))


def _messages(content: str) -> list[tuple[str, str, str]]:
    """The messages of an episode, "name (role): text" each, as (name, role, text); none where it begins otherwise."""
    found: list[tuple[str, str, str]] = []
    for line in content.split("\n"):
        match = _MESSAGE.match(line)
        if match:
            found.append((match["name"].strip(), match["role"] or "", match["rest"]))
        elif found:
            found[-1] = (*found[-1][:2], f"{found[-1][2]}\n{line}")
        elif line.strip():
            return []
    return found


def _keep_fact(edge: Mapping[str, Any], names: Mapping[str, str], drafts: Drafts) -> None:
    """A fact as a turn that states what the edge does; its end of validity comes along."""
    uuid = str(edge["uuid"])
    ends = [named(names.get(str(edge.get(name)))) for name in ("source_node_uuid", "target_node_uuid")]
    relation = named(str(edge.get("name") or "")).replace("_", " ").casefold()
    stated = None
    if all(ends) and relation:
        begun, ended = moment(edge.get("valid_at")), moment(edge.get("invalid_at"))
        when = f"{begun.date()}/{ended.date()}" if begun and ended else None
        concepts = tuple(ExtractedConcept(end, "name") for end in ends)
        stated = Extraction(concepts, (ExtractedRelation(ends[0], relation, ends[1], when=when),))
    at = moment(_when(edge))
    drafts.keep(
        f"edge {uuid}", Draft(edge["fact"], uuid, "user", None, at, named(edge.get("group_id")) or None, stated)
    )
