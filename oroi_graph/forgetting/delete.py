"""Forgetting on request: find what is named, delete it with every episode about it, and verify that nothing is left.

A small request is one transaction. A large one is first marked, with an audit line in the state "running", and then
deleted in bounded transactions; the next request of any kind finishes a deletion that was interrupted.

No reference to deleted items remains. A fact about another concept loses deleted records from its provenance and stays,
marked as consolidated if none is left. What a deleted fact had superseded stays superseded. Turn ids, sessions and
speaker names are not content: they stay with the turns that stay.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, get_args

from oroi_graph.activation.turn_end import close_open_turn
from oroi_graph.entities.resolution import CANDIDATES, rows
from oroi_graph.forgetting.consent import doubt
from oroi_graph.forgetting.plan import DeletionPlan, find, of_records, only_of_speaker, only_records
from oroi_graph.forgetting.request import ForgetRequest, parse_request
from oroi_graph.forgetting.undo_turn import take_back
from oroi_graph.language.normalize import digest
from oroi_graph.language.tokens import PhraseMatcher
from oroi_graph.model import Role, TurnInput
from oroi_graph.options import Dynamics, Progress, silent
from oroi_graph.providers.protocols import Embedder
from oroi_graph.storage.catalog import required
from oroi_graph.storage.rows import record_id, tombstone
from oroi_graph.storage.store import Row, Store, Transaction
from oroi_graph.working_set.entry import concept_candidates
from oroi_graph.working_set.kept import WorkingSets
from oroi_graph.working_set.snapshot import empty
from oroi_graph.working_set.transactions import Writing

LIKE, SUGGESTED = 0.6, 5  # cosine of a suggestion, and how many are made
SMALL = 500  # things that are deleted in one transaction
NOTE = "(asked to forget something)"
# Whose turn it is and who said it, by the client's own names; the words of a contract; names of files; hashes; what is
# no text at all.
_NO_CONTENT = frozenset(
    "turn_id session speaker id ia_author field_key entry_type claim key document idempotency_key erased_by "
    "path folder config".split()
)
_NO_TEXT = frozenset("memory memory_key slot gone lock".split())


@dataclass(frozen=True, slots=True)
class DeletionResult:
    """What was forgotten. `bool` False: nothing was named exactly, and nothing happened.

    remains: how often the memory still says or references it (0), None while that was not looked at. taken_back:
    the number of the turn that was taken back as a whole ("forget that"). id: of the audit line.
    """

    what: DeletionPlan
    id: str | None = None
    remains: int | None = None
    taken_back: int | None = None
    finished: bool = True

    def __bool__(self) -> bool:
        return self.id is not None

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object."""
        shown = {name: getattr(self, name) for name in ("id", "remains", "taken_back")}
        return {"asked": self.what.asked, "reason": self.what.reason, "counts": self.what.counts, **shown}


def forgettable(store: Store, memory: str, text: str, speaker: str, at: datetime | None = None) -> DeletionPlan:
    """What forgetting `text`, said by `speaker`, would take along. Nothing is written. Raises MemoryNotFoundError."""
    request = parse_request(text, speaker, at)

    def work(tx: Transaction) -> DeletionPlan:
        required(tx, "storage/read_memory", memory)
        return find(tx, memory, request)

    return store.read(work)


def suggested(sets: WorkingSets, memory: str, found: DeletionPlan, speaker: str, embedder: Embedder) -> DeletionPlan:
    """The same with labels that may have been meant: of like meaning, or with words in common. None is taken."""
    request = parse_request(found.asked, speaker)
    if not request.whole:
        return found
    mention = request.whole[-1]
    vectors = {mention.label: embedder.embed([mention.label])[0]}
    asked = rows([mention], vectors)
    [row] = sets.read(memory, lambda tx: concept_candidates(tx, memory, asked, CANDIDATES))
    near = [hit["label"] for hit in row["similar"] if hit["score"] >= LIKE]
    labels = [hit["label"] for hit in row["lexical"] if hit["kind"] != "self"]
    return replace(found, suggestions=tuple(dict.fromkeys([*labels, *near]))[:SUGGESTED])


@dataclass(frozen=True, slots=True)
class _Order:
    """An accepted request: its id and who asked (both for the audit); how much one transaction deletes at most.

    said: in conversation, so that it concerns the asker's own. doubt: why it may not be meant.
    """

    id: str
    by: str
    small: int = SMALL
    said: bool = False
    doubt: str | None = None


def forget(
    store: Store,
    memory: str,
    request: ForgetRequest,
    dynamics: Dynamics,
    *,
    small: int = SMALL,
    progress: Progress = silent,
) -> DeletionResult:
    """Forget what a request names. Idempotent, resumable.

    small: things deleted in one transaction at most. progress: told (deleted, to delete). What an interrupted request
    left is finished first. Raises MemoryNotFoundError.
    """
    finish(store.write, memory, small=small)
    order = _Order(uuid.uuid4().hex, request.by or request.speaker, small)
    forgotten = store.write(lambda tx: _forget(tx, memory, request, dynamics, order))
    if not forgotten.finished:
        finish(store.write, memory, small=small, progress=progress, total=forgotten.what.size)
        forgotten = replace(forgotten, finished=True)
    return proved(store, memory, forgotten)


def forget_turns(
    store: Store, memory: str, turns: Collection[str], dynamics: Dynamics, *, by: str, small: int = SMALL
) -> DeletionResult:
    """Forget turns by the clients' ids, with the replies that have no id of their own and what only they hold.

    by: for the audit. Turns that are not there are passed over. Resumable, as `forget`. Raises MemoryNotFoundError.
    """
    finish(store.write, memory, small=small)
    order = _Order(uuid.uuid4().hex, by, small)
    records = [record_id(memory, turn, role) for turn in dict.fromkeys(turns) for role in get_args(Role)]

    def work(tx: Transaction) -> DeletionResult:
        opened = required(tx, "forgetting/open_record", memory)
        what = only_records(tx, memory, f"{len(turns)} turns", records)
        if not what:
            return DeletionResult(what)
        if opened["record"] in {quote.id for quote in what.episodes}:
            _close_open_turn(tx, memory, opened["clock"], dynamics)
        return _erase(tx, memory, what, order)

    forgotten = store.write(work)
    if not forgotten.finished:
        finish(store.write, memory, small=small, total=forgotten.what.size)
        forgotten = replace(forgotten, finished=True)
    return forgotten


def finish(write: Any, memory: str, *, small: int = SMALL, progress: Progress = silent, total: int = 0) -> int:
    """Delete what is marked to go, in transactions of at most `small` things of a kind; how many were left to delete.

    write: `Store.write`.
    """
    done = 0
    while running := write(lambda tx: tx.run("forgetting/unfinished", memory=memory)):
        while count := write(lambda tx: _erase_marked(tx, memory, small)):
            done += count
            progress(done, max(total, done), "forgetting")
        for row in running:
            write(lambda tx, row=row: tx.run("forgetting/finish", memory=memory, id=row["id"]))
    return done


def proved(store: Store, memory: str, forgotten: DeletionResult) -> DeletionResult:
    """The same with `remains` counted; as it is if nothing was forgotten."""
    if not forgotten:
        return forgotten
    what = forgotten.what
    ids = [*what.nodes, *(fact.id for fact in what.facts)]
    ids += [quote.id for quote in what.episodes if quote.role != "entry"]  # of an erased entry, the tombstone stays
    kept = [thing.id for thing in what.apart]
    return replace(forgotten, remains=remains(store, memory, what.wording, ids, kept))


def remains(store: Store, memory: str, wording: PhraseMatcher, ids: Iterable[str], apart: Sequence[str] = ()) -> int:
    """How many properties of any node or relationship of the memory still say the words or hold one of the ids.

    apart: ids of concepts of the same name that were not meant; what is said of them does not count.
    """
    gone = set(ids)

    def work(tx: Transaction) -> int:
        kept = _said_of(tx, memory, apart)
        return sum(
            _tells(key, value, wording, gone, [name for id in row["ids"] for name in kept.get(id, ())])
            for left in ("nodes", "relationships")
            for row in tx.run(f"forgetting/{left}_left", memory=memory, skipped=sorted(_NO_TEXT))
            for key, value in row["texts"]
        )

    return store.read(work)


def obey(
    tx: Transaction, memory: str, text: str, turn: TurnInput, dynamics: Dynamics, *, late: bool = False
) -> DeletionResult:
    """Forget what the speaker of `turn` asks for with `text`, under the memory's lock.

    Only what is his own goes; what others said stays. An order in doubt is not obeyed: the plan says what to say.
    Without an object ("forget that") it is the speaker's last turn that is taken back. What is more than SMALL is
    only marked: `finish` does the rest after the commit. late: the turn was said long ago, and "that" says nothing.
    """
    request = parse_request(text, turn.speaker, turn.at)
    order = _Order(digest(memory, turn.id, "forget"), turn.speaker, said=True, doubt=doubt(turn, text))
    if not request.last or late:
        return _forget(tx, memory, request, dynamics, order)
    if order.doubt is not None:
        return DeletionResult(DeletionPlan(request.asked, reason=order.doubt))
    found = tx.run("forgetting/last_turn_of", memory=memory, speaker=turn.speaker)
    if not found or found[0]["forgot"]:
        return DeletionResult(DeletionPlan(request.asked, reason="nothing was said before it that could be taken back"))
    number = found[0]["turn"]
    records = [r["id"] for r in tx.one("forgetting/turn_written", memory=memory, turn=number)["records"]]
    what = of_records(tx, memory, request.asked, records)
    if take_back(tx, memory, number, dynamics):
        _audit(tx, memory, what, order)
        return DeletionResult(replace(what, concepts=(), orphans=(), facts=()), order.id, taken_back=number)
    return _erase(tx, memory, what, order)


def _forget(tx: Transaction, memory: str, request: ForgetRequest, dynamics: Dynamics, order: _Order) -> DeletionResult:
    opened = required(tx, "forgetting/open_record", memory)
    what = find(tx, memory, request)
    if what and order.doubt is not None:
        what = DeletionPlan(what.asked, reason=order.doubt)
    if what and order.said:
        what = only_of_speaker(tx, memory, what, order.by)
    if not what:
        return DeletionResult(what)
    if opened["record"] in {quote.id for quote in what.episodes}:
        _close_open_turn(tx, memory, opened["clock"], dynamics)  # the clock has counted it, with words or without
    return _erase(tx, memory, what, order)


def _close_open_turn(tx: Transaction, memory: str, clock: int, dynamics: Dynamics) -> None:
    """Forgetting is rare, and leaves no working set as it was: this one is read here, as the transaction sees it."""
    writing = Writing(tx, memory, empty())
    writing.reload()
    close_open_turn(writing, clock, dynamics)


def _erase(tx: Transaction, memory: str, what: DeletionPlan, order: _Order) -> DeletionResult:
    """Delete what was found, or mark it where it is too much for one transaction."""
    records = [quote.id for quote in what.episodes]
    going = {"concepts": what.nodes, "records": records, "associations": list(what.named)}
    if what.size <= order.small:
        _delete(tx, memory, **going)
        _audit(tx, memory, what, order)
        return DeletionResult(what, order.id)
    tx.run("forgetting/mark", memory=memory, id=order.id, **going, **_audited(tx, memory, what, order.by))
    return DeletionResult(what, order.id, finished=False)


def _erase_marked(tx: Transaction, memory: str, page: int) -> int:
    row = tx.one("forgetting/marked", memory=memory, page=page)
    going: dict[str, list[str]] = {name: row[name] or [] for name in ("concepts", "records", "associations")}
    _delete(tx, memory, **going)
    return sum(map(len, going.values()))


def _delete(tx: Transaction, memory: str, concepts: list[str], records: list[str], associations: list[str]) -> None:
    """Delete things and every reference to them. Concepts may be merged ones."""
    touching = tx.one("forgetting/touching", memory=memory, concepts=concepts)["associations"]
    gone = list(dict.fromkeys([*associations, *touching]))
    if gone:
        tx.run("forgetting/unlink_associations", memory=memory, gone=gone)
    if records:
        # Entries of a contract stay in their chain, without their values.
        tx.run("contract/erase", memory=memory, ids=records, by="forget", token="forget")  # noqa: S106
        tx.run("workspace/clear_vectors", memory=memory)
        tx.run("forgetting/unlink_records", memory=memory, gone=records)
    tx.run("forgetting/delete", memory=memory, records=records, concepts=concepts, associations=associations)


def _audit(tx: Transaction, memory: str, what: DeletionPlan, order: _Order) -> None:
    tx.run("forgetting/audit", memory=memory, id=order.id, **_audited(tx, memory, what, order.by))


def _audited(tx: Transaction, memory: str, what: DeletionPlan, by: str) -> Row:
    clock = tx.one("forgetting/open_record", memory=memory)["clock"]
    gone = [tombstone(quote.turn_id, quote.role) for quote in what.episodes]
    return {"audit": {**what.counts, "by": by, "turn": clock}, "gone": gone}


def _said_of(tx: Transaction, memory: str, concepts: Sequence[str]) -> dict[str, list[str]]:
    """By record: the words in which it mentions some concepts; by concept: its own names."""
    if not concepts:
        return {}
    said: dict[str, list[str]] = {}
    for row in tx.run("forgetting/mentions", memory=memory, concepts=list(concepts)):
        said.setdefault(row["record"], []).append(row["surface"])
    kept = set(concepts)
    for id, _, label, _, aliases in tx.one("forgetting/labels", memory=memory)["concepts"]:
        if id in kept:
            said[id] = [label, *aliases]
    return said


def _tells(key: str, value: Any, wording: PhraseMatcher, gone: set[str], apart: Sequence[str]) -> bool:
    values = value if isinstance(value, list) else [value]
    texts = [text for text in values if isinstance(text, str)]
    if not gone.isdisjoint(texts):
        return True
    return key not in _NO_CONTENT and any(wording.said_in(text, apart) for text in texts)
