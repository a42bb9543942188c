"""Single episodes: the text that recall uses now, and the original words, which are kept for ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oroi_graph.errors import InputError, NotFoundError
from oroi_graph.language.normalize import check_memory_name
from oroi_graph.model import Value
from oroi_graph.storage.catalog import existing
from oroi_graph.storage.store import Store


@dataclass(frozen=True, slots=True)
class Episode(Value):
    """One turn's words. `text` is what recall uses: the words, a gist of them, or "" for an episode that rests.

    `verbatim` is always what was said. `gist_turn`: the clock when the gist was made, None without a gist.
    """

    id: str
    turn_id: str
    turn: int
    role: str
    speaker: str
    session: str | None
    at: str | None
    text: str
    verbatim: str
    state: str  # verbatim, gist or resting
    gist_turn: int | None
    gist_by: str | None


@dataclass(frozen=True, slots=True)
class Provenance(Value):
    """Where a fact is from: who stated or edited it, in which turn, when.

    role: "user" or "assistant" of a record that states it; "edit" of who corrected it by hand, which no record tells.
    """

    record: str | None
    turn_id: str | None
    turn: int
    role: str
    speaker: str
    at: str | None

    def __str__(self) -> str:
        how = {"assistant": "taken up from", "edit": "edited by"}.get(self.role, "said by")
        when = f" on {self.at[:16]}" if self.role == "edit" and self.at else ""
        return f"{how} {self.speaker} in turn {self.turn}{when}"


def provenance(store: Store, memory: str, id: str, records: Sequence[str]) -> list[Provenance]:
    """Who said a fact or what it was before it was edited, the oldest first, then who edited it.

    id, records: the fact's. Records that are gone are left out.
    """
    stating, edits, seen = list(records), [], {id}
    waiting = [id]
    while waiting:
        for row in store.rows("storage/edit_of", memory=memory, id=waiting.pop()):
            edits.append(Provenance(None, None, row["turn"], "edit", row["speaker"], row["at"]))
            former = [one for one in row["former"] if one["id"] not in seen]
            stating += [record for one in former for record in one["records"]]
            seen.update(one["id"] for one in former)
            waiting += [one["id"] for one in former]
    asked = list(dict.fromkeys(stating))
    said = [Provenance(**row) for row in store.rows("storage/provenance", memory=memory, ids=asked)] if asked else []
    return said + edits[::-1]


def episode(store: Store, memory: str, id: str) -> Episode:
    """The episode of that record id, or of that turn id (then what was said, before what was answered).

    Raises InputError if the memory has none, MemoryNotFoundError without such a memory.
    """
    check_memory_name(memory)
    found = existing(store, "storage/episode", memory, id=id)["found"]
    if found is None:
        raise NotFoundError(f"no episode {id!r} in memory {memory!r}: `oroi episode list {memory}` shows their ids")
    return Episode(**found)


def episodes(
    store: Store, memory: str, *, state: str | None = None, before: int | None = None, limit: int = 50
) -> list[Episode]:
    """The newest `limit` episodes, newest first; of one `state` (verbatim, gist, resting) if given.

    before: only those of turns below this number. Raises InputError for a limit below 1.
    """
    check_memory_name(memory)
    if limit < 1:
        raise InputError(f"the number of episodes must be at least 1, got {limit}")
    row = existing(store, "storage/episodes", memory, state=state, before=before, limit=limit)
    return [Episode(**found) for found in row["found"]]
