"""Remove from the disk what was forgotten: deleting in a database leaves text in its logs, freed blocks and indexes.

For the managed server only. It takes some seconds, in which the server is stopped; other processes wait or fail with a
line that says to repeat. What was measured stands in docs/privacy.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from oroi_graph.model import Value
from oroi_graph.server.managed import ManagedServer
from oroi_graph.storage.store import Store

ROUNDS, ROWS, LENGTH = 12, 400, 2_000  # transactions of filler, nodes of each, characters of a node: twice a log file
SHORTEST = 4  # characters of what is looked for: less would be found everywhere
PASSES = 3  # freed blocks are not always used again at once: what is left is filled again
_PIECE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class ScrubResult(Value):
    """What was done to the disk: how many files were searched for the words, and which still hold some of them."""

    searched: int
    left: tuple[str, ...]

    def __str__(self) -> str:
        done = "transaction logs were rotated, freed blocks filled, indexes built again"
        if not self.left:
            return f"{done}; none of {self.searched} files of the database holds the words"
        return f"{done}; {len(self.left)} of {self.searched} files still hold some of the words: {', '.join(self.left)}"


def scrub(server: ManagedServer, opened: Callable[[], Store], words: Iterable[str]) -> ScrubResult:
    """Remove what was deleted from the disk, then look for `words` in the database's files.

    opened: opens the store of `server`, which starts it. Raises StoreError, ServerError. Can be repeated.
    """
    wanted = _forms(words)
    for _ in range(PASSES):
        _fill(opened)
        server.stop()  # writes a checkpoint, after which older logs are deleted
        server.delete_indexes()  # before the search: they are built again from what is searched
        data = server.data_folder
        files = [path for path in sorted(data.rglob("*")) if path.is_file()]
        left = tuple(str(path.relative_to(data)) for path in files if _holds(path, wanted))
        if not left:
            break
    with opened() as store:
        store.schema("CALL db.awaitIndexes(300)")
    return ScrubResult(len(files), left)


def _fill(opened: Callable[[], Store]) -> None:
    """Write much that means nothing, and delete it."""
    with opened() as store:
        for number in range(ROUNDS):
            store.write_one("storage/fill_disk", rows=ROWS, filler=f"{number} ".rjust(LENGTH, "."), memory="")
        while store.write_one("storage/clear_filler", rows=ROWS, memory="")["deleted"]:
            pass


def _forms(words: Iterable[str]) -> list[bytes]:
    """Words as files may hold them: as they are, or as a full-text index folds them."""
    said = [word.strip() for word in words]
    return [form.encode() for word in said if len(word) >= SHORTEST for form in dict.fromkeys((word, word.casefold()))]


def _holds(path: Path, wanted: list[bytes]) -> bool:
    """Whether a file holds one of some words; read in pieces that overlap."""
    if not wanted:
        return False
    overlap = max(map(len, wanted)) - 1
    tail = b""
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            if any(word in tail + piece for word in wanted):
                return True
            tail = (tail + piece)[-overlap:] if overlap else b""
    return False
