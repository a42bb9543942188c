"""What is read through an interface: each function is one call of the façade and gives a JSON-serialisable object.

Every item names its memory. All raise NotPermittedError and MemoryNotFoundError (`Access`), and InputError.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack

from oroi_graph.interfaces.access import Access
from oroi_graph.memory import RecallDetails
from oroi_graph.model import Brief
from oroi_graph.recall.joint import JointRecall

MOST = 200  # things in one answer

Json = dict[str, Any]


def brief_of(found: JointRecall) -> Brief:
    """The brief of one memory as it is, of several with the memory of each line."""
    parts = list(found.parts.values())
    return parts[0].brief if len(parts) == 1 else found.brief


def asked(
    access: Access, question: str, memories: Sequence[str] | None = None, **details: Unpack[RecallDetails]
) -> JointRecall:
    """The answer of the memories that the principal reads, or of some of them."""
    return access.graph.recall(access.principal.readable(memories), question, **details)


def recall(
    access: Access, question: str, memories: Sequence[str] | None = None, **details: Unpack[RecallDetails]
) -> Json:
    """The brief, and its items with their memories."""
    return recalled(asked(access, question, memories, **details))


def recalled(found: JointRecall) -> Json:
    """A joint answer as `recall` and `explain` give it."""
    return {
        "question": found.question,
        "memories": list(found.parts),
        "brief": brief_of(found).to_json(),
        "items": [{**item.to_json(), "memories": list(item.memories)} for item in found.items],
    }


def explain(
    access: Access, question: str, memories: Sequence[str] | None = None, **details: Unpack[RecallDetails]
) -> Json:
    """The same with the cues of each memory, what time it looked into, the way to each item, and what was left out."""
    return explained(asked(access, question, memories, **details))


def explained(found: JointRecall) -> Json:
    """A joint answer as `explain` gives it."""
    cues = [
        {"memory": name, "span": cue.span, "label": cue.label, "method": cue.method, "weight": cue.weight}
        for name, part in found.parts.items()
        for cue in part.cues
    ]
    return {**recalled(found), "cues": cues, "windows": found.window_contents(), **found.explained()}


def records(
    access: Access,
    question: str,
    k: int = 10,
    memories: Sequence[str] | None = None,
    **details: Unpack[RecallDetails],
) -> Json:
    """The k best verbatim records of the ranking, whether they would enter the brief or not."""
    found = asked(access, question, memories, **details)
    hits = [{"memory": name, **hit.to_json()} for name, hit in found.records(k)]
    return {"question": found.question, "memories": list(found.parts), "records": hits}


def facts(access: Access, about: str, memory: str | None = None, *, speaker: str | None = None) -> Json:
    """Every fact of one concept, what holds first, then the newest."""
    opened = access.readable(memory)
    found = opened.facts(about, speaker=speaker)
    return {"memory": opened.name, "about": about, "facts": [fact.to_json() for fact in found[:MOST]]}


def profile(access: Access, about: str | None = None, memory: str | None = None, *, speaker: str | None = None) -> Json:
    """What is surely known about somebody or something, by theme."""
    opened = access.readable(memory)
    return {"memory": opened.name, **opened.profile(about, speaker=speaker).to_json()}


def timeline(access: Access, memory: str | None = None, *, before: int | None = None, limit: int = 20) -> Json:
    """What was said, the newest first, a page of turns. next: `before` of the next page, None at the beginning."""
    opened = access.readable(memory)
    found = opened.timeline(before=before, limit=min(limit, MOST))
    oldest = min((one.turn for one in found), default=1)
    more = len({one.turn for one in found}) == min(limit, MOST) and oldest > 1
    return {
        "memory": opened.name,
        "episodes": [one.to_json() for one in found],
        "next": oldest if more else None,
    }


def episode(access: Access, id: str, memory: str | None = None) -> Json:
    """One turn's words, by record id or the turn's own id."""
    opened = access.readable(memory)
    return {"memory": opened.name, **opened.episode(id).to_json()}


def merges(access: Access) -> Json:
    """What became one concept in the principal's own memory, the newest first."""
    opened = access.own("read")
    return {"memory": opened.name, "merges": [merge.to_json() for merge in opened.merges()[:MOST]]}


def overview(access: Access) -> Json:
    """Who asks, what that key allows, and how large its own memory is."""
    opened = access.own("read")
    principal = access.principal
    return {
        "key": principal.key,
        "name": principal.name,
        "memory": opened.name,
        "memories": list(principal.memories),
        "rights": sorted(principal.rights),
        "stats": opened.stats().to_json(),
    }


def contract(access: Access) -> Json:
    """The contract in force in the principal's own memory."""
    shared = access.contract("read")
    active = shared.active()
    return {
        "memory": shared.name,
        "number": active.number,
        "schema_hash": active.schema_hash,
        "document": dict(active.document.raw),
    }


def entries(
    access: Access,
    *,
    key: str | None = None,
    author: str | None = None,
    at: datetime | None = None,
    history: bool = False,
    budget: int | None = None,
) -> Json:
    """Entries of the contract, the newest first, or summaries of them that fit the budget (tokens)."""
    shared = access.contract("read")
    found = shared.read(key=key, author=author, at=at, history=history, budget=budget)
    return {"memory": shared.name, **found.to_json()}


def conflicts(access: Access, key: str | None = None) -> Json:
    """The open disputes among entries, the oldest first."""
    shared = access.contract("read")
    return {"memory": shared.name, "conflicts": [one.to_json() for one in shared.conflicts(key)]}
