"""The end of a turn: the assistant's words, decay, homeostasis, Hebb, exposure, testing effect, clock.

One transaction, idempotent. A turn that a later turn found open was closed by it without a reply: a late close
then only adds the reply and the testing effect, never a second decay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oroi_graph.activation import kernel
from oroi_graph.errors import InputError
from oroi_graph.options import Dynamics
from oroi_graph.storage.catalog import refusal
from oroi_graph.storage.changes import Touched
from oroi_graph.storage.rows import record_id, tombstone
from oroi_graph.storage.store import Row, Transaction, vector

REPLY_NOTE = "(answered a request to forget)"
HUB = 256  # degree from which a concept is not expanded when looking for associations among what is lit


@dataclass(frozen=True, slots=True)
class Reply:
    """The assistant's words: episode properties without the turn's number, and their vector."""

    record: Row
    embedding: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ends: its id, the id of its episode, the reply, and the concepts that the caller gave to its model."""

    turn_id: str
    record: str
    reply: Reply | None = None
    injected: Sequence[str] = ()

    @property
    def reply_id(self) -> str | None:
        """The id of the reply's episode, if there is a reply."""
        return self.reply.record["id"] if self.reply else None


@dataclass(frozen=True, slots=True)
class Closed:
    """What a close found: the turn's number, whether it was this close that ended the turn, and kept its reply.

    noted: the turn asked to forget something; its reply may repeat what, so it is kept as a note without its words.
    """

    number: int
    ended: bool
    heard: bool
    noted: bool = False


def close_turn(tx: Transaction, memory: str, ending: Ending, dynamics: Dynamics) -> Closed:
    """Close a turn; closing it again adds what was missing, closing one that was forgotten since does nothing.

    Raises InputError for a turn that was never perceived.
    """
    turn_id, reply = ending.turn_id, ending.reply
    state = _begin(tx, memory, turn_id, ending.record, ending.reply_id)
    if state["gone"]:
        return Closed(state["clock"], False, False)
    if state["turn"] is None:
        raise InputError(f"turn {turn_id!r} is not in memory {memory!r}: perceive it before closing it")
    ends = state["open_turn"] == turn_id
    heard = reply is not None and state["replied"] is None
    if reply and heard:
        _write_reply(tx, memory, reply, state["turn"], noted=state["forgot"])
    if state["acknowledged"]:
        ending = replace(ending, injected=())
    if ends or not state["acknowledged"]:
        _write(tx, memory, state["clock"], dynamics, ending, ends=ends)
    return Closed(state["turn"], ends, heard, state["forgot"])


def hear(tx: Transaction, memory: str, reply: Reply, dynamics: Dynamics) -> Closed:
    """Keep an assistant's turn: as the reply of the turn that is open, else by itself; once only."""
    state = _begin(tx, memory, reply.record["turn_id"], None, reply.record["id"])
    if state["replied"] is not None:
        return Closed(state["replied"], False, False)
    if state["open_turn"] is not None:
        opened = state["open_turn"]
        return close_turn(tx, memory, Ending(opened, record_id(memory, opened, "user"), reply), dynamics)
    _write_reply(tx, memory, reply, state["clock"], noted=False)
    return Closed(state["clock"], False, True)


def close_open_turn(tx: Transaction, memory: str, clock: int, dynamics: Dynamics) -> None:
    """Close the turn that is open, without a reply: another turn has begun."""
    _write(tx, memory, clock, dynamics, None, ends=True)


def _begin(tx: Transaction, memory: str, turn_id: str, record: str | None, reply_id: str | None) -> Row:
    found = tx.run(
        "activation/begin_close",
        memory=memory,
        turn_id=turn_id,
        record_id=record,
        reply_id=reply_id,
        tombstone=tombstone(turn_id, "user") if record is not None else None,
    )
    if not found:
        raise refusal(tx, memory)
    return found[0]


def _write_reply(tx: Transaction, memory: str, reply: Reply, turn: int, *, noted: bool) -> None:
    record = reply.record | {"turn": turn} | ({"text": REPLY_NOTE, "resting": True} if noted else {})
    embedding = None if noted else vector(reply.embedding)
    touched = Touched(records=[record["id"]])
    tx.change("activation/write_reply", touched, memory=memory, record=record, vector=embedding)


def _write(tx: Transaction, memory: str, clock: int, dynamics: Dynamics, ending: Ending | None, *, ends: bool) -> None:
    concepts, dark, weights = _dynamics(tx, memory, dynamics) if ends else ([], [], [])
    injected = list(dict.fromkeys(ending.injected)) if ending else []
    tx.change(
        "activation/write_close",
        Touched(concepts=injected, associations=[str(id) for id, _ in weights]),
        memory=memory,
        concepts=concepts,
        dark=dark,
        weights=weights,
        injected=injected,
        testing=dynamics.testing,
        clock=clock + 1 if ends else clock,
        closes=ends,
        reply_id=ending.reply_id if ending else None,
        record_id=ending.record if ending else None,
        acknowledged=ending is not None,
    )


Changes = list[list[str | float]]  # id of a concept or association, and its new activation or weight


def _dynamics(tx: Transaction, memory: str, dynamics: Dynamics) -> tuple[Changes, list[str], Changes]:
    """The new activations of what stays lit, what goes out, and the weights that changed."""
    # Below this, decay alone takes a concept under the floor (less a little, for rounding).
    least = dynamics.floor / dynamics.decay * (1 - 1e-9) if dynamics.decay else math.inf
    lit = tx.one("activation/lit", memory=memory, hub=HUB, least=least)
    place = {concept: i for i, concept in enumerate(lit["ids"])}
    before = np.array(lit["weights"], dtype=np.float64)
    after, learned = kernel.close(
        lit["activation"], before, [place[id] for id in lit["sources"]], [place[id] for id in lit["targets"]], dynamics
    )
    concepts = [[id, float(a)] for id, a in zip(lit["ids"], after, strict=True) if a > 0]
    dark = [id for id, a in zip(lit["ids"], after, strict=True) if not a > 0]
    changed = np.flatnonzero(learned != before)
    return concepts, dark, [[lit["associations"][i], float(learned[i])] for i in changed]
