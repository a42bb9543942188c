"""Transactions beside a working set: what is read from arrays, and what a write makes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace

from oroi_graph.storage.changes import KEPT, Touched
from oroi_graph.storage.computing import awaited
from oroi_graph.storage.store import Row, Transaction
from oroi_graph.working_set.snapshot import Snapshot, load, touched
from oroi_graph.working_set.tables import StaleError


class OutrunError(Exception):
    """The working set is too far behind to be brought up to date inside a transaction, or was taken for fresh and is
    not: load it, and begin again."""


class BehindError(Exception):
    """The working set that a reading began with is not the memory's state: bring it up to date, and read again."""


class Reading(Transaction):
    """A transaction beside a working set of the memory that is read.

    stands: where the memory stands, which is under way, if the set is still to be proved fresh: by `prove`, before the
    first statement at the latest. Raises BehindError if it is not.
    """

    def __init__(self, tx: Transaction, held: Snapshot, stands: Future[Row] | None = None) -> None:
        super().__init__(tx._transaction, tx._count)
        self.held = held
        self._stands = stands

    def run(self, name: str, **parameters: object) -> list[Row]:
        """As `Transaction.run`."""
        self.prove()
        return super().run(name, **parameters)

    def prove(self) -> None:
        """Raise BehindError if the working set was not proved fresh yet, and is not."""
        if self._stands is None:
            return
        stands, self._stands = self._stands, None
        if not is_current(self.held, awaited(stands)):
            raise BehindError

    def prove_if_known(self) -> None:
        """The same if where the memory stands is known by now: who has much to compute asks now and then."""
        if self._stands is not None and self._stands.done():
            self.prove()


class Writing(Reading):
    """A write transaction that begins with a statement that locks the memory: from there on the working set is fresh.

    What it writes by `apply` changes the working set too, and nothing is read again after the commit. What it writes in
    other ways makes the working set useless (`adopted`).
    """

    def __init__(
        self, tx: Transaction, memory: str, held: Snapshot, room: int = 0, *, whole: bool = True,
        presumes: bool = False, count: Callable[[str], None] = lambda what: None,
    ) -> None:  # fmt: skip
        """held: a state of `memory`, any. room: bytes for vectors of a state that must be loaded, as in `load`.

        whole: whether a state that is too far behind is loaded under the lock; else OutrunError is raised. presumes:
        whether the work may take the state for fresh without opening, where what it then writes makes sure
        (`apply`). count: told of "updates" and "loads".
        """
        super().__init__(tx, held)
        self.memory, self.room, self.whole, self._presumes = memory, room, whole, presumes
        self.dirty = False  # whether the state before shares tables with one that may never be committed
        self.opened = False
        self.behind = False  # whether the state had to be brought up to date
        self._told = count
        self._computed = False  # whether the state holds what is not committed yet
        self._modelled = 0

    def open(self, name: str, **parameters: object) -> list[Row]:
        """Send the statement `name`, which locks the memory and says where it stands; bring the working set up to date.

        No row: the memory is not there, or cannot be used now. May be sent again; it then finds what was written.
        """
        rows = self.run(name, memory=self.memory, **_known(self.held), **parameters)
        if rows:
            self._stand(rows[0])
        return rows

    def freshen(self) -> None:
        """Bring the working set up to date behind other statements, one of which has locked the memory."""
        self._stand(stands_at(self, self.memory, self.held))

    def changed(self, row: Row) -> Snapshot:
        """The state with changed and new rows, as in `Snapshot.with_rows`; nothing is written."""
        self.dirty = self._computed = True
        return self.held.with_rows(row)

    def go_on(self, after: Snapshot) -> None:
        """Go on from a state that what is written next brings about, too."""
        self.dirty = self._computed = True
        self.held = after

    @property
    def presumes(self) -> bool:
        """Whether work may begin without opening: the state is fresh, or is taken for fresh until it writes."""
        return self._presumes if not self.opened else self._count.changes.noted == self._modelled

    def apply(self, name: str, marks: Touched, after: Snapshot, *, presumed: bool = False, **parameters: object) -> Row:
        """Send a statement that changes nothing but what `marks` say, and leaves the memory as `after`; its row.

        presumed: it locks the memory itself, and changes nothing if that is not as the working set presumes. Raises
        OutrunError then: the transaction must come to nothing.
        """
        changes = self._count.changes
        before = changes.noted
        _, stamp = changes.numbered.get(self.memory, (0, self.held.stamp))
        stands = {"presumed": presumed, "stamp": stamp}
        rows = self.change(name, marks, memory=self.memory, **stands, **parameters)
        if not rows:
            raise OutrunError(self.memory)
        self.opened = True
        self._modelled += changes.noted - before
        self.held = after
        return rows[0]

    def reload(self) -> None:
        """Read the memory as this transaction has left it."""
        self._computed = True
        self._load(stands_at(self, self.memory, None))

    def adopted(self) -> Snapshot | None:
        """The memory's state once the transaction is committed, or the one before it if the working set took no part in
        what was written; None if neither is known."""
        changes = self._count.changes
        if changes.noted != self._modelled:
            return None if self._computed else self.held
        version, stamp = changes.numbered.get(self.memory, (self.held.version, self.held.stamp))
        return replace(self.held, version=version, stamp=stamp)

    def _stand(self, stands: Row) -> None:
        """Bring the working set up to date. stands: where the memory stands, under its lock."""
        self.opened = True
        if not is_current(self.held, stands):
            self.behind = True
            self._bring_up(stands)

    def _bring_up(self, stands: Row) -> None:
        known = marks_since(self.held, stands)
        if known is not None:
            self.dirty = True
            with suppress(StaleError):
                self.held = self.held.updated(stands, touched(self, self.memory, known, self.held))
                self._told("updates")
                return
        if not self.whole:
            raise OutrunError(self.memory)
        self._load(stands)

    def _load(self, stands: Row) -> None:
        self.held = load(self, self.memory, stands, self.room)
        self._told("loads")


def stands_at(tx: Transaction, memory: str, held: Snapshot | None) -> Row:
    """Where a memory stands, and what was touched since `held` (`working_set/version`)."""
    return tx.one("working_set/version", memory=memory, **_known(held))


def stands_locked(tx: Transaction, memory: str, held: Snapshot | None) -> Row:
    """The same, and nobody writes the memory until the transaction ends."""
    rows = tx.run("working_set/lock", memory=memory, at=0, **_known(held))
    return rows[0] if rows else {"found": False, "usable": False}


def _known(held: Snapshot | None) -> Row:
    version, stamp = (held.version, held.stamp) if held else (0, "")
    return {"version": version, "stamp": stamp, "kept": KEPT}


def marks_since(held: Snapshot, stands: Row) -> list[Sequence[str]] | None:
    """What was touched since `held`, a list a change; None if that is not known. stands: where the memory stands."""
    marks = stands["touched"]
    if not marks or None in marks or marks[0][0] != held.stamp:
        return None
    return [some[1:] for some in marks]


def is_current(held: Snapshot, stands: Row) -> bool:
    """Whether nothing was changed since."""
    return bool(stands["found"] and held.version == stands["version"] and held.stamp == stands["stamp"])
