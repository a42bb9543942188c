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
    """A record that states something: who said it, in which role ("user" or "assistant"), in which turn, when."""

    record: str
    turn_id: str
    turn: int
    role: str
    speaker: str
    at: str | None

    def __str__(self) -> str:
        said = "taken up from" if self.role == "assistant" else "said by"
        return f"{said} {self.speaker} in turn {self.turn}"


def provenance(store: Store, memory: str, records: Sequence[str]) -> list[Provenance]:
    """Who said some records, the oldest first; none for records that are gone."""
    asked = list(dict.fromkeys(records))
    return [Provenance(**row) for row in store.rows("storage/provenance", memory=memory, ids=asked)] if asked else []


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
