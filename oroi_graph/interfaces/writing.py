"""What is changed through an interface: each function is one call of the façade and gives a JSON-serialisable object.

All change the principal's own memory and no other. All raise NotPermittedError and MemoryNotFoundError (`Access`), and
InputError.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Unpack

from oroi_graph.forgetting.plan import DeletionPlan
from oroi_graph.interfaces.access import Access, PlanChangedError
from oroi_graph.interfaces.reading import MOST, Json
from oroi_graph.memory import Turn
from oroi_graph.model import Brief, TurnDetails, canonical_json
from oroi_graph.options import Progress, silent
from oroi_graph.transfer.bulk_import import ingest
from oroi_graph.transfer.chats.recognition import read_text
from oroi_graph.transfer.conversation_file import Conversation


def perceive(access: Access, text: str, **details: Unpack[TurnDetails]) -> Turn:
    """Perceive a turn. One that asks to forget is only heard unless the principal may forget."""
    opened = access.own("write")
    return opened.perceive(text, may_forget="forget" in access.principal.rights, **details)


def brief_for(access: Access, turn: Turn) -> Brief:
    """What the memories that the principal reads bring back for a turn; nothing if it may not read."""
    if "read" not in access.principal.rights or turn.number is None:
        return Brief("", 0)
    others = access.principal.memories[1:]
    return turn.recall_with(others).brief if others else turn.brief


def open_turn(access: Access, text: str, **details: Unpack[TurnDetails]) -> Json:
    """Perceive a turn; with the brief for the model."""
    turn = perceive(access, text, **details)
    return {**_told(turn), "brief": brief_for(access, turn).to_json()}


def close_turn(access: Access, id: str, reply: str | None = None, injected: Sequence[str] = ()) -> Json:
    """End a turn with the assistant's reply. injected: ids of concepts whose brief the model was given."""
    opened = access.own("write")
    turn = opened.turn(id)
    turn.close(reply, injected=injected)
    return {"memory": opened.name, "id": id, "turn": turn.number, "closed": True}


def say(access: Access, text: str, reply: str | None = None, **details: Unpack[TurnDetails]) -> Json:
    """A whole turn, closed at once; with the brief that its words bring back."""
    turn = perceive(access, text, **details)
    brief = brief_for(access, turn)
    turn.close(reply)
    return {**_told(turn), "brief": brief.to_json()}


def remember(access: Access, text: str, **details: Unpack[TurnDetails]) -> Json:
    """Perceive a turn whose concepts are fixed at once."""
    opened = access.own("write")
    return _told(opened.remember(text, may_forget="forget" in access.principal.rights, **details))


def plan_forgetting(access: Access, what: str, *, speaker: str | None = None) -> Json:
    """What forgetting would take along, and the plan's id, with which it is done."""
    opened = access.own("forget")
    found = opened.forgettable(what, speaker=speaker)
    return {"memory": opened.name, "plan": plan_id(found) if found else None, **_plan(found)}


def forget(access: Access, what: str, plan: str, *, speaker: str | None = None) -> Json:
    """Forget for ever what `plan_forgetting` showed. Raises PlanChangedError if that is something else by now."""
    opened = access.own("forget")
    found = opened.forgettable(what, speaker=speaker)
    if not found:
        raise PlanChangedError(f"nothing was forgotten: {found.reason or 'nothing is named exactly'}")
    if plan_id(found) != plan:
        raise PlanChangedError("nothing was forgotten: the plan is not what would be forgotten now; ask for it again")
    done = opened.forget(what, speaker=speaker, by=access.principal.name)
    return {"memory": opened.name, **done.to_json()}


def plan_id(plan: DeletionPlan) -> str:
    """The same for plans that delete the same things."""
    gone = [plan.nodes, sorted(fact.id for fact in plan.facts), sorted(one.id for one in plan.episodes)]
    return hashlib.sha256(canonical_json([sorted(gone[0]), *gone[1:]]).encode()).hexdigest()[:16]


def edit_fact(
    access: Access,
    id: str,
    *,
    relation: str | None = None,
    target: str | None = None,
    when: str | None = None,
    speaker: str | None = None,
) -> Json:
    """Correct one fact: a new one replaces it, and says that the principal made it. speaker: whom "my" means."""
    opened = access.own("write")
    fact = opened.edit_fact(
        id, relation=relation, target=target, when=when, speaker=speaker or opened.protagonist, by=access.principal.name
    )
    return {"memory": opened.name, "fact": fact.to_json()}


def delete_fact(access: Access, id: str) -> Json:
    """Delete one fact; the words that stated it stay."""
    opened = access.own("forget")
    return {"memory": opened.name, "deleted": opened.delete_fact(id).to_json()}


def undo(access: Access, *, dry_run: bool = False) -> Json:
    """Take back the last turn with its reply."""
    opened = access.own("forget")
    return {"memory": opened.name, "dry_run": dry_run, **opened.undo(dry_run=dry_run).to_json()}


def merge(access: Access, first: str, second: str) -> Json:
    """Make one concept of two, each named by label or id."""
    opened = access.own("administer")
    return {"memory": opened.name, "merge": opened.merge(first, second, by=access.principal.name).to_json()}


def undo_merge(access: Access, id: str, *, later: bool = False) -> Json:
    """Undo a merge; with `later`, those first that were built on it."""
    opened = access.own("administer")
    return {"memory": opened.name, "undone": [one.to_json() for one in opened.undo_merge(id, later=later)]}


def consolidate(
    access: Access, *, stop: threading.Event | None = None, progress: Progress = silent, dry_run: bool = False
) -> Json:
    """Let the principal's own memory sleep."""
    return access.own("administer").consolidate(dry_run=dry_run, stop=stop, progress=progress).to_json()


def read_import(access: Access, content: str, name: str, speaker: str | None = None) -> Conversation:
    """The turns of a conversation in any format that `oroi import` knows; nothing is written yet."""
    access.own("administer")
    return read_text(name, content, speaker=speaker)


def import_turns(
    access: Access, found: Conversation, *, stop: threading.Event | None = None, progress: Progress = silent
) -> Json:
    """Perceive the turns of a conversation; done again, it goes on where it was stopped."""
    report = ingest(access.own("administer"), found.turns, progress=progress, stop=stop)
    problems = [str(one) for one in (*found.problems, *report.problems)][:MOST]
    state = "interrupted" if report.interrupted else "done"
    return {**report.to_json(), "state": state, "format": found.format, "passed_over": dict(found.passed),
            "problems": problems}  # fmt: skip


def write_entry(access: Access, entry: Mapping[str, Any], *, token: str | None = None) -> Json:
    """Write an entry under the contract. Raises EntryRefusedError."""
    shared = access.contract("write")
    return {"memory": shared.name, **shared.write(entry, token=token).to_json()}


def settle(access: Access, ids: Sequence[str], entry: Mapping[str, Any], *, token: str | None = None) -> Json:
    """Write an entry that settles disputes. Raises EntryRefusedError."""
    shared = access.contract("write")
    return {"memory": shared.name, **shared.settle(ids, entry, token=token).to_json()}


def _told(turn: Turn) -> Json:
    """What became of a turn."""
    refused, forgotten = turn.refused, turn.forgotten
    return {
        "memory": turn.memory.name,
        "id": turn.id,
        "turn": turn.number,
        "repeated": turn.opened.repeated,
        "surprise": turn.surprise,
        "concepts": [asdict(match) for match in turn.matches],
        "failure": turn.opened.failure,
        "forgotten": forgotten.to_json() if forgotten else None,
        "refused": _plan(refused) if refused is not None else None,
        "redacted": turn.redacted,
    }


def _plan(plan: DeletionPlan) -> Json:
    """What a plan takes along, in words, and what may have been meant."""
    return {
        "asked": plan.asked,
        "reason": plan.reason,
        "suggestions": list(plan.suggestions),
        "counts": plan.counts,
        "concepts": [one.label for one in (*plan.concepts, *plan.orphans)],
        "facts": list(plan.sentences),
        "episodes": [one.text for one in plan.episodes],
    }
