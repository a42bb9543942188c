"""Single facts by id: listed, corrected by a person, deleted.

A correction by a person supersedes the old association, as a correction in a conversation does; the old one keeps its
history. The new association has no episode, so its properties say that it was edited, by whom and when.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from oroi_graph.entities.fact_updates import new_association, relation_class
from oroi_graph.entities.mentions import Mention, Reader
from oroi_graph.entities.resolution import CANDIDATES, decide, rows
from oroi_graph.errors import InputError, NotFoundError
from oroi_graph.forgetting.concept_lookup import Labels
from oroi_graph.forgetting.plan import associations, fact_of
from oroi_graph.forgetting.request import parse_request
from oroi_graph.language.normalize import digest, label_key, tidy
from oroi_graph.language.parsed_text import parse
from oroi_graph.model import Extraction, Fact
from oroi_graph.options import Options
from oroi_graph.providers.protocols import Embedder
from oroi_graph.storage.catalog import required
from oroi_graph.storage.rows import new_concept
from oroi_graph.storage.store import Row, Store, Transaction, written_vector
from oroi_graph.working_set.entry import concept_candidates
from oroi_graph.working_set.kept import WorkingSets
from oroi_graph.working_set.transactions import Writing

SHORTEST = 4  # characters of an id by which a fact may be named
_WHEN = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person changes of a fact; None stays as it is. when: an ISO date, month, year or start/end; "" removes it.

    speaker: whom "my" means in `target`. by: who edits.
    """

    relation: str | None = None
    target: str | None = None
    when: str | None = None
    speaker: str = "User"
    by: str = "User"

    def check(self) -> None:
        """Raise InputError for an edit that says nothing or cannot be stored."""
        if self.relation is None and self.target is None and self.when is None:
            raise InputError("nothing to change: give a relation, a target or a time")
        for what, text in (("relation", self.relation), ("target", self.target)):
            if text is not None and not any(char.isalnum() for char in text):
                raise InputError(f"the {what} is empty: give at least one word")
        if self.when and not _is_when(self.when):
            raise InputError(f"bad time {self.when!r}: use an ISO date, month or year, or start/end (2026-03/2026-05)")


def _is_when(text: str) -> bool:
    """Whether `text` is an ISO date, month or year, or two of them with a slash between."""
    for part in text.split("/", 1):
        if not _WHEN.fullmatch(part):
            return False
        try:
            date.fromisoformat(part + "-01-01"[len(part) - 4 :] if len(part) < 10 else part)
        except ValueError:
            return False
    return True


def list_facts(store: Store, memory: str, concept: str | None, speaker: str) -> list[Fact]:
    """Every stated fact of the concept called `concept` ("my boss" is that of `speaker`), or with that id.

    None: of all concepts. What holds comes first, then the newest. Raises InputError if nothing is called so,
    MemoryNotFoundError.
    """

    def work(tx: Transaction) -> list[Row]:
        required(tx, "storage/read_memory", memory)
        labels = Labels(tx.one("forgetting/labels", memory=memory))
        if concept is None:
            return associations(tx, memory, concepts=list(labels.things))
        request, key = parse_request(concept, speaker), label_key(concept)
        me = Mention(speaker, tidy(speaker), label_key(speaker), "self")
        found = labels.things.get(concept) or labels.find([*request.whole, *([me] if request.myself else [])])
        found = found or next((t for t in labels.things.values() if labels.keys[t.id] == key), None)
        if found is None:
            raise InputError(
                f"memory {memory!r} knows nothing called {concept!r}: `oroi show {memory}` shows what it knows"
            )
        return associations(tx, memory, concepts=[found.id])

    rows = [row for row in store.read(work) if not row["implied"]]
    return [fact_of(row) for row in sorted(rows, key=lambda r: (not r["current"], -r["last_turn"], r["id"]))]


def delete_fact(store: Store, memory: str, id: str) -> Fact:
    """Delete the fact `id`, or whose id begins so. Its words stay, and what it had superseded stays superseded.

    Raises InputError.
    """

    def work(tx: Transaction) -> Fact:
        _lock(tx, memory)
        fact = fact_of(_row(tx, memory, id))
        tx.run("forgetting/unlink_associations", memory=memory, gone=[fact.id])
        tx.run("forgetting/delete", memory=memory, records=[], concepts=[], associations=[fact.id])
        return fact

    return store.write(work)


def edit_fact(sets: WorkingSets, memory: str, id: str, edit: Edit, embedder: Embedder, options: Options) -> Fact:
    """Replace the fact `id` by a corrected one, which is returned; the same edit twice is one edit.

    The target is recognised as in perception, or new. Raises InputError for an unusable edit, an unknown fact, or one
    that holds no longer; ProviderError if the target cannot be embedded.
    """
    edit.check()
    target = Reader(Extraction(), edit.speaker, parse(edit.target or "", datetime.now(UTC))).mention(edit.target or "")
    vectors = {target.label: embedder.embed([target.label])[0]} if target else {}
    return sets.write(memory, lambda tx: _Editing(tx, memory, id, edit, options).run(target, vectors), alone=True)


class _Editing:
    """One edit, under the memory's lock."""

    def __init__(self, tx: Writing, memory: str, id: str, edit: Edit, options: Options) -> None:
        self.tx, self.memory, self.edit, self.options = tx, memory, edit, options
        self.turn = max(1, _lock(tx, memory))
        self.old = _row(tx, memory, id)

    def run(self, target: Mention | None, vectors: dict[str, Any]) -> Fact:
        old, edit = self.old, self.edit
        relation = tidy(edit.relation) if edit.relation else old["relation"]
        when = old["when"] if edit.when is None else edit.when or None
        end, created = self._target(target, vectors) if target else (old["target_id"], None)
        if end == old["source_id"]:
            raise InputError(f"a fact needs two ends: {old['source']!r} is its source already")
        id = digest(self.memory, "edit", old["id"], label_key(relation), end, when)
        if not old["current"]:
            if self._associations_of(id):  # the same edit, sent twice
                return fact_of(self._associations_of(id)[0])
            raise InputError(f"fact {old['id']} holds no longer: edit the one that replaced it")
        if (label_key(relation), end, when) == (label_key(old["relation"]), old["target_id"], old["when"]):
            return fact_of(old)
        kept = self._repeated(relation, end, when)
        self.tx.run(
            "forgetting/edit",
            memory=self.memory,
            old=old["id"],
            new=kept or id,
            turn=self.turn,
            source=old["source_id"],
            target=end,
            created=created,
            vector=written_vector(vectors[target.label]) if target else None,
            association=None if kept else self._association(id, relation, when),
        )
        return fact_of(self._associations_of(kept or id)[0])

    def _associations_of(self, id: str) -> list[Row]:
        return associations(self.tx, self.memory, ids=[id])

    def _repeated(self, relation: str, target: str, when: str | None) -> str | None:
        """Another current association that says already what the edited one would."""
        wanted = (relation_class(relation), target, when, self.old["negated"])
        for row in associations(self.tx, self.memory, concepts=[self.old["source_id"]]):
            said = (row["class"], row["target_id"], row["when"], row["negated"])
            if row["current"] and row["source_id"] == self.old["source_id"] and said == wanted:
                return str(row["id"]) if row["id"] != self.old["id"] else None
        return None

    def _target(self, mention: Mention, vectors: dict[str, Any]) -> tuple[str, Row | None]:
        """The concept that the target names: (id, properties if it is new)."""
        asked = rows([mention], vectors)
        self.tx.freshen()
        [row] = concept_candidates(self.tx, self.memory, asked, CANDIDATES)
        match = decide(mention, row).match
        if match is not None:
            return match.concept_id, None
        id = digest(self.memory, "edit", mention.kind, mention.key)
        return id, {
            "id": id,
            **new_concept(self.memory, self.turn, mention.label, mention.key, mention.kind, mention.alias),
        }

    def _association(self, id: str, relation: str, when: str | None) -> Row:
        return new_association(self.memory, self.old["source_id"], relation, self.turn) | {
            "id": id,
            "weight": max(self.old["weight"], self.options.dynamics.weight_initial),
            "negated": self.old["negated"],
            "stated_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "when": when,
            "consolidated": True,
            "edited": True,
            "edited_by": self.edit.by,
        }


def _lock(tx: Transaction, memory: str) -> int:
    """Take the memory's lock; the last turn that was heard."""
    row = required(tx, "forgetting/open_record", memory)
    return int(row["clock"]) + (row["open_turn"] is not None)


def _row(tx: Transaction, memory: str, id: str) -> Row:
    """The association with this id, or the only one whose id begins so."""
    rows = associations(tx, memory, ids=[id])
    if not rows and len(id) >= SHORTEST:
        found = [row["id"] for row in tx.run("forgetting/ids_beginning", memory=memory, beginning=id)]
        if len(found) > 1:
            raise InputError(f"several facts of memory {memory!r} have an id that begins with {id!r}: give more of it")
        rows = associations(tx, memory, ids=found)
    if not rows:
        raise NotFoundError(f"memory {memory!r} has no fact {id!r}: `oroi fact list {memory}` shows ids")
    return rows[0]
