"""What people look at through an interface: the graph now or as it was, concepts, recall made visible, notes.

As in `reading`, each function is one call of the façade or of a snapshot of it, and gives a JSON-serialisable object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from oroi_graph.errors import InputError, NotPermittedError
from oroi_graph.interfaces.access import Access
from oroi_graph.interfaces.reading import Json, asked, explained
from oroi_graph.memory import RecallDetails
from oroi_graph.visualization import snapshot
from oroi_graph.visualization.trace import trace
from oroi_graph.workspace.pipeline import Workspace

NOTES = 2_000  # files in one answer


def graph(access: Access, memory: str | None = None, *, turn: int | None = None, limit: int = 2000) -> Json:
    """The concepts that stand out and what joins them, now or as it was at a turn."""
    opened = access.readable(memory)
    dynamics = opened.graph.options.dynamics
    found = snapshot.snapshot(opened.graph.store, opened.name, dynamics, turn=turn, limit=limit)
    return {"memory": opened.name, **found.to_json()}


def concepts(access: Access, like: str, memory: str | None = None) -> Json:
    """Up to 20 concepts that a text may name, exact ones first."""
    opened = access.readable(memory)
    found = snapshot.concepts_like(opened.graph.store, opened.name, like)
    return {"memory": opened.name, "concepts": found}


def concept(access: Access, id: str, memory: str | None = None) -> Json:
    """One concept with its facts, also those that hold no longer, and the newest words that mention it."""
    opened = access.readable(memory)
    return {"memory": opened.name, **snapshot.concept_page(opened.graph.store, opened.name, id).to_json()}


def spread(
    access: Access, question: str, memories: Sequence[str] | None = None, **details: Unpack[RecallDetails]
) -> Json:
    """The answer and its reasons, and how activation spread for it in each memory, round by round."""
    details["traced"] = True
    found = asked(access, question, memories, **details)
    options = access.graph.options
    traces = [
        {
            "memory": name,
            "cues": [
                {"id": cue.concept_id, "span": cue.span, "label": cue.label, "method": cue.method, "weight": cue.weight}
                for cue in part.cues
            ],
            **trace(part, options).to_json(),
        }
        for name, part in found.parts.items()
    ]
    return {**explained(found), "traces": traces}


def doubtful(access: Access) -> Json:
    """Pairs of concepts in the principal's own memory that may be one."""
    opened = access.own("read")
    return {"memory": opened.name, "pairs": snapshot.doubtful(opened.graph.store, opened.name)}


def notes(access: Access, memory: str | None = None, *, session: str | None = None) -> Json:
    """The files of a memory's workspace; `configured` false if it has none on this machine.

    session: the key of the session that asks. Raises NotPermittedError if the notes' scope denies it.
    """
    opened = access.readable(memory)
    found = _workspace(access, opened.name)
    if found is not None:
        _require_permitted(access, found, session)
    files = [] if found is None else [
        {"path": one.place.path, "bytes": one.size, "modified": one.modified // 10**9}
        for one in sorted(found.layout.scan(), key=lambda one: one.place.path)[:NOTES]
    ]  # fmt: skip
    return {"memory": opened.name, "configured": found is not None, "files": files}


def note(
    access: Access, path: str, memory: str | None = None, *, start: int = 1, lines: int | None = None,
    session: str | None = None,
) -> Json:  # fmt: skip
    """Lines of one note. session: the key of the session that asks.

    Raises NotPermittedError if the notes' scope denies it, InputError for everything that is no note of the workspace.
    """
    opened = access.readable(memory)
    found = access.graph.workspace(opened.name)
    _require_permitted(access, found, session)
    return {"memory": opened.name, **found.get(path, start, lines).to_json()}


def notes_found(
    access: Access, query: str, memory: str | None = None, *, most: int | None = None, least: float | None = None,
    session: str | None = None,
) -> Json:  # fmt: skip
    """The notes that answer a query. most: results; least: score of one, 0..1; None: as the workspace is set.

    session: the key of the session that asks. If the notes' scope denies it, there are no results, and a warning.
    """
    opened = access.readable(memory)
    found = access.graph.workspace(opened.name).search(
        query, max_results=most, min_score=least, session=access.asker(session)
    )
    return {"memory": opened.name, **found.to_json()}


def _workspace(access: Access, memory: str) -> Workspace | None:
    try:
        return access.graph.workspace(memory)
    except InputError:
        return None


def _require_permitted(access: Access, workspace: Workspace, session: str | None) -> None:
    why = workspace.denied(access.asker(session))
    if why is not None:
        raise NotPermittedError(why)
