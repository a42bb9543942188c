"""The shared memory of several agents: a memory's contract, its entries, and everything that is done with them.

Each method checks what it is given and calls one function of the room. Safe to share among threads.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oroi_graph.contract import drift as drifting
from oroi_graph.contract import registry
from oroi_graph.contract.chain import checkpoints, erasure
from oroi_graph.contract.chain.checkpoints import Checkpoint
from oroi_graph.contract.chain.erasure import Erasure
from oroi_graph.contract.chain.verify import Verification, verify
from oroi_graph.contract.comparison import Thresholds
from oroi_graph.contract.document import Document, checked, parse, published
from oroi_graph.contract.drift import DriftReport
from oroi_graph.contract.entry import BACKEND, REMARKS, EntryRefusedError, Outcome, Problem, Submission
from oroi_graph.contract.intake.standing import BehindError, StaleStateError, StandingCache
from oroi_graph.contract.intake.thresholds import CAUTIOUS, thresholds_of
from oroi_graph.contract.intake.transaction import Prepared, Terms, WriteTransaction
from oroi_graph.contract.registry import Active, Author, Difference, Published
from oroi_graph.contract.retrieval import entries as reading
from oroi_graph.contract.retrieval import levels
from oroi_graph.contract.retrieval.compression import CompressionReport, compress
from oroi_graph.contract.retrieval.entries import Dispute, Selection
from oroi_graph.contract.retrieval.levels import Form, Reading, Wish
from oroi_graph.entities import material
from oroi_graph.errors import InputError
from oroi_graph.options import Progress, silent
from oroi_graph.providers.protocols import Embedder, Extractor, Summarizer
from oroi_graph.redaction import Redaction, Redactor, as_list
from oroi_graph.storage.store import Row, Store, Transaction, written_vector
from oroi_graph.working_set.kept import WorkingSets

BATCH = 100  # entries that are embedded and written together
FILLED = 256  # entries that get their missing vectors in one transaction
SIGNAL_LEVEL = 0.01  # false-alarm rate of the signal in the reply to one write
SIGNAL_PERMUTATIONS = 99
_ATTEMPTS = 20


class MemoryContract:
    """The contract of one memory, and the entries written under it. Made by `Graph.contract`."""

    def __init__(
        self,
        sets: WorkingSets,
        memory: str,
        embedder: Embedder,
        reader: Extractor,
        summarizer: Summarizer | None = None,
        redact: Redactor | None = None,
    ) -> None:
        self.name = memory
        self._sets, self._store = sets, sets.store
        self._embedder, self._reader, self._summarizer = embedder, reader, summarizer
        self._redact = redact
        self._cache = StandingCache(embedder.dimensions)
        self._active: Active | None = None
        self._suited: Thresholds | None = None  # those of the embedding model

    def __repr__(self) -> str:
        return f"MemoryContract({self.name!r})"

    # -- the contract -------------------------------------------------------------------------------------------

    def publish(self, document: Document | Mapping[str, Any] | str, key: Ed25519PrivateKey) -> Published:
        """Put a contract in force; `document` may be its JSON text. Raises InputError."""
        if isinstance(document, str):
            document = parse(document)
        elif not isinstance(document, Document):
            document = checked(dict(document))
        return registry.publish(self._store, self.name, document, key)

    def active(self) -> Active:
        """The contract in force. Raises InputError before one was published."""
        self._active = self._store.read(lambda tx: registry.active(tx, self.name))
        return self._active

    def history(self) -> list[Published]:
        """All contracts of the memory, the first one first."""
        return registry.history_of(self._store, self.name)

    def difference(self, old: Document, new: Document) -> Difference:
        """What changes between two contracts, and which entries would not fit the new one."""
        return registry.difference(self._store, self.name, old, new)

    def add_author(self, name: str) -> str:
        """Enrol an author; its token, which is kept nowhere. From then on its writes need it."""
        return registry.add_author(self._store, self.name, name)

    def revoke_author(self, name: str) -> None:
        """Refuse an author's writes from now on."""
        registry.revoke_author(self._store, self.name, name)

    def authors(self) -> list[Author]:
        """All enrolments of authors."""
        return registry.authors(self._store, self.name)

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, entry: Mapping[str, Any], *, token: str | None = None) -> Outcome:
        """Write one entry, an object of the contract's schema; what came of it.

        token: the author's, if it has one. Raises EntryRefusedError with all that is wrong; nothing is stored then.
        """
        [found] = self.write_all([entry], tokens=token)
        if isinstance(found, EntryRefusedError):
            raise found
        return found

    def write_all(
        self, entries: Iterable[object], *, tokens: str | Mapping[str, str] | None = None
    ) -> Iterator[Outcome | EntryRefusedError]:
        """Write many entries, BATCH in one transaction; the outcome or refusal of each, in order.

        tokens: one for all, or one for each author by name. An EntryRefusedError among the entries comes back as it is.
        """
        batch: list[object] = []
        for entry in entries:
            batch.append(entry)
            if len(batch) == BATCH:
                yield from self._write_batch(batch, tokens)
                batch = []
        if batch:
            yield from self._write_batch(batch, tokens)

    def settle(self, ids: Sequence[str], entry: Mapping[str, Any], *, token: str | None = None) -> Outcome:
        """Write an entry that settles the disputes of some entries, named by them or by a conflict entry.

        entry: as for `write`, without parents; key and schema_hash are filled in where they are missing.
        """
        found = self._store.read(lambda tx: reading.parties(tx, self.name, ids))
        given = {
            "entry_type": "fact", "kind": "verified", "field_key": found[0].field_key,
            "schema_hash": self.active().schema_hash, **entry, "parent_entry_id": [one.id for one in found],
        }  # fmt: skip
        return self.write(given, token=token)

    def fill(self, *, progress: Progress = silent) -> int:
        """Give vectors and mentions to entries that were written while the embedder failed; how many are done."""
        done = 0
        while rows := self._store.rows("contract/bare", memory=self.name, page=FILLED):
            texts = [(row["ia_author"], row["text"] or "-") for row in rows]
            made = material.prepare(texts, self._embedder, self._reader)
            if any(one.vector is None for one in made):
                break
            left = [(row["id"], one) for row, one in zip(rows, made, strict=True) if row["text"] is not None]
            mentions = material.mention_rows(self._sets, self.name, left)
            ids = [row["id"] for row in rows]
            self._store.write(partial(self._filled, ids=ids, made=left, mentions=mentions))
            done += len(left)
            progress(done, 0, "entries")
        return done

    # -- reading ------------------------------------------------------------------------------------------------

    def read(
        self,
        *,
        key: str | None = None,
        author: str | None = None,
        at: datetime | None = None,
        history: bool = False,
        level: int | None = None,
        budget: int | None = None,
        form: Form | None = None,
    ) -> Reading:
        """Entries, the newest first, or summaries of them.

        at: as it was then. history: superseded, erased and generated ones, too. level: 0 entries, 1 a summary a day,
        2 a topic, 3 one of all. budget: tokens; without a level the most detailed is read that fits. form: of
        summaries. Raises InputError.
        """
        selection = Selection(key=key, author=author, at=at, history=history)
        return read_entries(self._store, self.name, selection, Wish(level=level, budget=budget, form=form))

    def conflicts(self, key: str | None = None) -> list[Dispute]:
        """The open disputes, the oldest first. Raises InputError for a key that the memory never had."""
        return disputes_of(self._store, self.name, key)

    def drift(self, key: str, *, level: float = 0.05, permutations: int = 999, seed: int = 0) -> DriftReport:
        """Whether the meaning under a key differs between authors or moves over time; superseded entries count, too."""
        return drift_report(self._store, self.name, key, level=level, permutations=permutations, seed=seed)

    # -- upkeep -------------------------------------------------------------------------------------------------

    def compress(self, *, stop: threading.Event | None = None, progress: Progress = silent) -> CompressionReport:
        """Bring the summaries up to date. Raises BusyError if somebody consolidates the memory."""
        dimensions = self._embedder.dimensions
        return compress(self._store, self.name, self._summarizer, dimensions, stop=stop, progress=progress)

    def verify(self, *, authority: str | None = None, kept: Sequence[Checkpoint] = ()) -> Verification:
        """Whether entries are those that were written. authority, kept: what the caller kept elsewhere."""
        return verify(self._store, self.name, authority=authority, checkpoints=kept)

    def checkpoint(self, key: Ed25519PrivateKey) -> Checkpoint:
        """Sign the chain as it is now, with the authority's key."""
        return checkpoints.make_checkpoint(self._store, self.name, key)

    def erase(self, ids: Sequence[str], *, by: str) -> Erasure:
        """Erase the values of some entries for ever."""
        return erasure.erase(self._store, self.name, ids, by)

    # -----------------------------------------------------------------------------------------------------------

    def _write_batch(
        self, batch: Sequence[object], tokens: str | Mapping[str, str] | None
    ) -> list[Outcome | EntryRefusedError]:
        active = self._in_force(batch)
        # After the check, before anything is made of it: the author signs nothing, the backend signs what it stores.
        checked_all = [self._redacted(_checked(entry, active)) for entry in batch]
        given = [one for one in checked_all if isinstance(one, Submission)]
        made = material.prepare([(one.ia_author, one.field_value) for one in given], self._embedder, self._reader)
        prepared = [
            Prepared(one, str(uuid.uuid4()), own, tokens.get(one.ia_author) if isinstance(tokens, Mapping) else tokens)
            for one, own in zip(given, made, strict=True)
        ]
        written = iter(self._written(prepared, active) if prepared else [])
        return [next(written) if isinstance(one, Submission) else one for one in checked_all]

    def _redacted(self, given: Submission | EntryRefusedError) -> Submission | EntryRefusedError:
        if isinstance(given, EntryRefusedError):
            return given
        redaction = Redaction(self._redact)
        text = redaction.text(given.field_value)
        return replace(given, field_value=text, redacted=tuple(as_list(redaction.counts) or ()))

    def _in_force(self, batch: Sequence[object]) -> Active:
        """The contract that the batch has to fit; read again where an entry is made for another."""
        known = self._active
        if known is None:
            return self.active()
        fit = all(isinstance(entry, Mapping) and entry.get("schema_hash") == known.schema_hash for entry in batch)
        return known if fit else self.active()

    def _written(self, prepared: Sequence[Prepared], active: Active) -> list[Outcome | EntryRefusedError]:
        terms = Terms(active.document, self._thresholds(active.document, prepared), self._embedder.dimensions)
        keys = {one.given.field_key for one in prepared}
        records = [(one.id, one.material) for one in prepared]
        for attempt in range(_ATTEMPTS):
            last: list[WriteTransaction] = []
            # Before any lock: appending looks again whether a new concept was made meanwhile.
            mentions = material.mention_rows(self._sets, self.name, records)

            def work(
                tx: Transaction, last: list[WriteTransaction] = last, mentions: Sequence[Row] = mentions
            ) -> list[Outcome | EntryRefusedError]:
                self._give_up(last, keys)
                last[:] = [WriteTransaction(tx, self.name, prepared, terms, self._cache)]
                return last[0].run(mentions)

            try:
                found = self._store.write(work)
            except (BehindError, StaleStateError) as error:
                self._give_up(last, keys)
                if attempt + 1 == _ATTEMPTS:
                    raise
                if isinstance(error, BehindError):
                    self._cache.catch_up(self._store, self.name, error.key)
                continue
            except BaseException:
                self._give_up(last, keys)
                raise
            if last[0].bare and any(one.material.vector is not None for one in prepared):
                self.fill()
            return [self._signalled(one, last[0]) for one in found] if len(prepared) == 1 else found
        raise AssertionError("unreachable")

    def _give_up(self, last: Sequence[WriteTransaction], keys: Iterable[str]) -> None:
        """Forget what a transaction of several entries took in, if it did not commit."""
        if last and len(last[0].prepared) > 1:
            self._cache.drop(self.name, keys)

    def _signalled(self, found: Outcome | EntryRefusedError, done: WriteTransaction) -> Outcome | EntryRefusedError:
        """The outcome with a signal if the key's meaning moves."""
        if isinstance(found, EntryRefusedError) or not done.meanings:
            return found
        some = [
            drifting.DriftEntry(one.id, one.author, datetime.fromisoformat(one.at), row, seq=one.seq)
            for one, row in done.meanings
        ]
        report = drifting.drift(some, permutations=SIGNAL_PERMUTATIONS, level=SIGNAL_LEVEL)
        return replace(found, drift=report.to_json()) if report.drifted else found

    def _filled(
        self, tx: Transaction, ids: list[str], made: Sequence[tuple[str, material.Material]], mentions: Sequence[Row]
    ) -> None:
        [head] = tx.run("contract/head", memory=self.name, token=uuid.uuid4().hex, receipts=[])
        rows = [
            {"id": id, "vector": written_vector(one.vector), "words": one.words}
            for id, one in made
            if one.vector is not None
        ]
        tx.run("storage/fill_records", memory=self.name, rows=rows)
        nothing: dict[str, list[Any]] = {
            name: [] for name in ("entries", "remarks", "supersedes", "covers", "contradicts", "receipts", "bare")
        }
        end = {"seq": head["seq"], "hash": head["previous"], "clock": head["clock"]}
        tx.run("contract/append", memory=self.name, mentions=material.dated(mentions, head["clock"]), **end, **nothing)
        tx.run("contract/filled", memory=self.name, ids=ids)

    def _thresholds(self, document: Document, prepared: Sequence[Prepared]) -> Thresholds:
        """The contract's, else those of the embedding model, which are found when first something has a vector."""
        if document.thresholds is not None:
            return document.thresholds
        if self._suited is None and any(one.material.vector is not None for one in prepared):
            found = thresholds_of(self._store, self._embedder)
            if found is CAUTIOUS:
                return found
            self._suited = found
        return self._suited or CAUTIOUS


def read_entries(store: Store, memory: str, selection: Selection, wish: Wish) -> Reading:
    """Read entries without a model; see `MemoryContract.read`."""
    document = store.read(lambda tx: registry.active(tx, memory)).document
    _check_named(store, memory, selection, document)
    return levels.read(store, memory, selection, wish, document)


def disputes_of(store: Store, memory: str, key: str | None) -> list[Dispute]:
    """The open disputes, of one key or all; see `MemoryContract.conflicts`."""
    if key is not None:
        document = store.read(lambda tx: registry.active(tx, memory)).document
        _check_named(store, memory, Selection(key=key), document)
    return store.read(lambda tx: reading.disputes(tx, memory, key))


def _check_named(store: Store, memory: str, selection: Selection, document: Document) -> None:
    """Raises InputError for a key or an author that neither the contract in force has nor one before it."""
    unknown = selection.key not in (None, *document.keys) or selection.author not in (None, BACKEND, *document.authors)
    if not unknown:
        return
    known = [published(one.document) for one in registry.history_of(store, memory) if one.document]
    if selection.key is not None and not any(selection.key in one.keys for one in known):
        raise InputError(f"{selection.key!r} is no key of this contract: {', '.join(document.keys)}")
    if selection.author not in (None, BACKEND) and not any(selection.author in one.authors for one in known):
        raise InputError(f"{selection.author!r} is no author of this contract: {', '.join(document.authors)}")


def drift_report(
    store: Store, memory: str, key: str, *, level: float = 0.05, permutations: int = 999, seed: int = 0
) -> DriftReport:
    """The drift of one key; see `MemoryContract.drift`. Raises InputError for a key that the contract does not have."""
    document = store.read(lambda tx: registry.active(tx, memory)).document
    if key not in document.keys:
        raise InputError(f"{key!r} is no key of this contract: {', '.join(document.keys)}")
    dimensions = int(store.one("storage/read_memory", memory=memory)["dimensions"])
    rows = store.rows("contract/meanings", memory=memory, key=key, dimensions=dimensions, remarks=sorted(REMARKS))
    some = [
        drifting.DriftEntry(
            row["id"], row["ia_author"], datetime.fromisoformat(row["at"]), row["vector"].to_numpy(), seq=row["seq"]
        )
        for row in rows
    ]
    return drifting.drift(some, permutations=permutations, seed=seed, level=level)


def _checked(entry: object, active: Active) -> Submission | EntryRefusedError:
    """A submission that fits the contract, or everything that is wrong with it."""
    if isinstance(entry, EntryRefusedError):  # whoever reads a file has refused it
        return entry
    problems = active.document.problems(entry)
    given = entry.get("schema_hash") if isinstance(entry, Mapping) else None
    expected = None
    if isinstance(given, str) and given != active.schema_hash:
        expected = active.schema_hash
        problems = [one for one in problems if one.pointer != "/schema_hash"]
        problems.append(Problem("/schema_hash", f"is not that of the contract in force: expected {expected}"))
    if problems:
        return EntryRefusedError(problems, expected)
    return Submission.from_json(entry if isinstance(entry, Mapping) else {})
