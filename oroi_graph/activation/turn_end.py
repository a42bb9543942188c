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
from oroi_graph.storage.store import Row, written_vector
from oroi_graph.working_set.lit import among_lit, relight
from oroi_graph.working_set.rows import nothing, record_columns
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import places_of
from oroi_graph.working_set.transactions import Writing

REPLY_NOTE = "(answered a request to forget)"
AWAITED = 64  # turns that others ended, whose own ends are awaited


@dataclass(frozen=True, slots=True)
class Reply:
    """The assistant's words: episode properties without the turn's number, and their vector (None: it has none)."""

    record: Row
    embedding: NDArray[np.float32] | None


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
    """What a close found: the turn's number, whether it was this close that ended the turn, and kept its reply."""

    number: int
    ended: bool
    heard: bool


def close_turn(tx: Writing, ending: Ending, dynamics: Dynamics) -> Closed:
    """Close a turn; closing it again adds what was missing, but no reply that was forgotten since; closing one that was
    forgotten itself does nothing.

    Raises InputError for a turn that was never perceived.
    """
    turn_id, reply = ending.turn_id, ending.reply
    presumed = _presumed(tx, ending, dynamics)
    if presumed is not None:
        return presumed
    state = _begin(tx, turn_id, ending.record, reply)
    if state["gone"]:
        return Closed(state["clock"], False, False)
    if state["turn"] is None:
        raise InputError(f"turn {turn_id!r} is not in memory {tx.memory!r}: perceive it before closing it")
    ends = state["open_turn"] == turn_id
    heard = reply is not None and state["replied"] is None and not state["unsaid"]
    if state["acknowledged"]:
        ending = replace(ending, injected=())
    if heard or ends or not state["acknowledged"]:
        kept = _kept(reply, state["turn"], noted=state["forgot"]) if reply and heard else None
        _write(tx, state["clock"], dynamics, _End(ending, kept, ends))
    return Closed(state["turn"], ends, heard)


def hear(tx: Writing, reply: Reply, dynamics: Dynamics) -> Closed:
    """Keep an assistant's turn: as the reply of the turn that is open, else by itself; once only."""
    opened = tx.held.open_turn
    presumed = _presumed(tx, _ending(tx, opened, reply), dynamics) if opened is not None else None
    if presumed is not None:
        return presumed
    state = _begin(tx, reply.record["turn_id"], None, reply)
    if state["replied"] is not None:
        return Closed(state["replied"], False, False)
    if state["unsaid"]:
        return Closed(state["clock"], False, False)
    if state["open_turn"] is not None:
        return close_turn(tx, _ending(tx, state["open_turn"], reply), dynamics)
    _write(tx, state["clock"], dynamics, _End(None, _kept(reply, state["clock"], noted=False), ends=False))
    return Closed(state["clock"], False, True)


def close_open_turn(tx: Writing, clock: int, dynamics: Dynamics) -> None:
    """Close the turn that is open, without a reply: another turn has begun."""
    _write(tx, clock, dynamics, _CUT_SHORT)


@dataclass(frozen=True, slots=True)
class Change:
    """What an end changes: the state afterwards, [[id, activation]] of the concepts that stay lit, ids of those that go
    out, [[id, weight]] of the associations that learn."""

    after: Snapshot
    concepts: list[list[str | float]]
    dark: list[str]
    weights: list[list[str | float]]

    @property
    def learned(self) -> list[str]:
        """Ids of the associations that learn."""
        return [str(id) for id, _ in self.weights]

    def to_write(self) -> Row:
        """What `perception/write_turn` takes as `ended`."""
        return {"concepts": self.concepts, "dark": self.dark, "weights": self.weights}


def cut_short(held: Snapshot, dynamics: Dynamics) -> Change:
    """The end of the open turn, without a reply, that is written along with the turn that has begun."""
    ended = _dynamics(held, dynamics)
    change = _change(held, _learned(held, ended.weight, (), 0.0), ended)
    return replace(change, after=_ended(change.after, held, _CUT_SHORT, (held.clock or 0) + 1))


def least_lasting(dynamics: Dynamics) -> float:
    """The activation below which a concept goes out when the turn ends (less a little, for rounding)."""
    return dynamics.floor / dynamics.decay * (1 - 1e-9) if dynamics.decay else math.inf


@dataclass(frozen=True, slots=True)
class _End:
    """What is written: of whose ending (None: nobody closes the turn), the reply to keep, whether the turn ends.

    presumed: as in `Writing.apply`.
    """

    ending: Ending | None
    reply: Reply | None
    ends: bool
    presumed: bool = False


_CUT_SHORT = _End(None, None, ends=True)  # by another turn


def _ending(tx: Writing, turn_id: str, reply: Reply) -> Ending:
    return Ending(turn_id, record_id(tx.memory, turn_id, "user"), reply)


def _presumed(tx: Writing, ending: Ending, dynamics: Dynamics) -> Closed | None:
    """Close a turn without asking the database, if it is closed like most, as far as the working set tells: it is open,
    or was ended by a later one, and its reply is new. The statement that writes that makes sure. Else None, and nothing
    is written."""
    held, reply = tx.held, ending.reply
    ends = held.open_turn == ending.turn_id
    if not tx.presumes or held.clock is None or not (ends or ending.turn_id in held.cut_short):
        return None
    place = held.records.place(ending.record)
    if place is None or (ending.reply_id is not None and held.records.place(ending.reply_id) is not None):
        return None
    number = held.clock + 1 if ends else int(held.records.said[place][1])
    kept = _kept(reply, number, noted=False) if reply else None
    _write(tx, held.clock, dynamics, _End(ending, kept, ends, presumed=True))
    return Closed(number, ends, reply is not None)


def _begin(tx: Writing, turn_id: str, record: str | None, reply: Reply | None) -> Row:
    found = tx.open(
        "activation/begin_close",
        turn_id=turn_id,
        record_id=record,
        reply_id=reply.record["id"] if reply else None,
        tombstone=tombstone(turn_id, "user") if record is not None else None,
        reply_tombstone=_tombstone_of(reply),
    )
    if not found:
        raise refusal(tx, tx.memory)
    return found[0]


def _tombstone_of(reply: Reply | None) -> str | None:
    return tombstone(reply.record["turn_id"], "assistant") if reply else None


def _kept(reply: Reply, turn: int, *, noted: bool) -> Reply:
    """The reply as it is kept. noted: it answers a request to forget, and may repeat what: without its words."""
    record = reply.record | {"turn": turn}
    return Reply(record | {"text": REPLY_NOTE, "resting": True}, None) if noted else Reply(record, reply.embedding)


def _write(tx: Writing, clock: int, dynamics: Dynamics, end: _End) -> None:
    ending, reply, held = end.ending, end.reply, tx.held
    ended = _dynamics(held, dynamics) if end.ends else _Settled(held.associations.weight, None)
    injected = list(dict.fromkeys(ending.injected)) if ending else []
    sent = None if reply is None or reply.embedding is None else written_vector(reply.embedding)
    after = tx.changed(nothing() | {"records": record_columns(reply.record, sent, ())}) if reply else held
    change = _change(held, _learned(after, ended.weight, injected, dynamics.testing), ended)
    clock = clock + 1 if end.ends else clock
    if reply is not None:
        change.after.words.add(reply.record["id"], reply.record["words"])
    tx.apply(
        "activation/write_close",
        Touched(injected, change.learned, [reply.record["id"]] if reply else []),
        _ended(change.after, held, end, clock),
        presumed=end.presumed,
        replies=[{"record": reply.record, "vector": sent}] if reply else [],
        concepts=change.concepts,
        dark=change.dark,
        weights=change.weights,
        injected=injected,
        testing=dynamics.testing,
        clock=clock,
        closes=end.ends,
        reply_id=ending.reply_id if ending else None,
        record_id=ending.record if ending else None,
        acknowledged=ending is not None,
        reply_tombstone=_tombstone_of(end.reply),
    )


def _change(held: Snapshot, after: Snapshot, ended: _Settled) -> Change:
    """What an end changes. held: the state that the database has. after: with what else the end brings."""
    concepts, dark = list[list[str | float]](), list[str]()
    if ended.activation is not None:
        lit = relight(held, after, ended.activation, least=0.0)
        after = lit.state
        concepts = [[held.concepts.ids[place], float(ended.activation[place])] for place in after.concepts.lit()]
        dark = [str(id) for id, value in lit.rows if not value]
    moved = np.flatnonzero(ended.weight != held.associations.weight).tolist()
    return Change(after, concepts, dark, [[held.associations.ids[at], float(ended.weight[at])] for at in moved])


def _ended(after: Snapshot, held: Snapshot, end: _End, clock: int) -> Snapshot:
    """The state after an end, with what it makes of the turns. held: the one before. clock: of what is written."""
    after = replace(after, cut_short=_cut_short(held, end))
    if not end.ends:
        return after
    reply = end.ending.reply_id if end.ending else None
    return replace(after, clock=clock, open_turn=None, last_reply=reply)


def _cut_short(held: Snapshot, end: _End) -> tuple[str, ...]:
    """As in `Snapshot`, after an end."""
    if end.ending is not None:
        return tuple(id for id in held.cut_short if id != end.ending.turn_id)
    if not end.ends or held.open_turn is None:
        return held.cut_short
    return (*held.cut_short, held.open_turn)[-AWAITED:]


def _learned(held: Snapshot, weight: NDArray[np.float64], injected: Sequence[str], testing: float) -> Snapshot:
    """With other weights, and the testing effect: what the caller's model was given is stronger."""
    strength = held.concepts.strength.copy()
    places = places_of(held.concepts.place, injected)
    strength[places] += testing * (1 - strength[places])
    concepts = replace(held.concepts, strength=strength)
    return replace(held, concepts=concepts, associations=replace(held.associations, weight=weight))


@dataclass(frozen=True, slots=True, eq=False)
class _Settled:
    """weight: (m,) of all associations. activation: (n,) of all concepts; None: as it was."""

    weight: NDArray[np.float64]
    activation: NDArray[np.float64] | None


def _dynamics(held: Snapshot, dynamics: Dynamics) -> _Settled:
    """Decay, homeostasis and learning among what is lit."""
    lit, table = among_lit(held, least_lasting(dynamics)), held.concepts
    weight, activation = held.associations.weight.copy(), np.zeros(len(table.ids))
    activation[lit.concepts], weight[lit.edges] = kernel.close(
        table.activation[lit.concepts], weight[lit.edges], lit.source, lit.target, dynamics
    )
    return _Settled(weight, activation)
