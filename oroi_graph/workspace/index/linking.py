"""Notes are joined to the concepts that they mention, so that recall passes from notes to conversation and back.

This takes longer than indexing, so it follows it, a page at a time; notes are searched and recalled before it is done.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import partial

from oroi_graph.entities.material import Material, dated, mention_rows, mentions_of
from oroi_graph.errors import ProviderError
from oroi_graph.options import Progress, silent
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.storage.changes import Touched
from oroi_graph.storage.store import Row, Transaction
from oroi_graph.working_set.kept import WorkingSets
from oroi_graph.workspace.index.note_store import NoteStore
from oroi_graph.workspace.index.notes import SPEAKER

PAGE = 32  # notes linked in one transaction

_MARKUP = re.compile(
    r"<!--.*?-->|```.*?```|^\s*(?:[#>]+|[-*+]|\d+[.)]|\|)\s*(?:\[[ x]\])?|[*_`|]+", re.DOTALL | re.MULTILINE
)
_LINK = re.compile(r"!?\[([^\]]{0,200})\]\([^)]{0,2000}\)")
_ENDS = re.compile(r"(?<=[^\s.!?:;,])\s*\n")


def link(
    sets: WorkingSets, memory: str, embedder: Embedder, reader: Extractor, *, stop: threading.Event | None = None,
    progress: Progress = silent,
) -> int:  # fmt: skip
    """Join what is not joined yet; how many notes. What the embedder fails at stays for another time."""
    done, notes = 0, NoteStore(sets.store, memory, cache=False)
    while not (stop is not None and stop.is_set()):
        rows = sets.store.rows("workspace/unlinked", memory=memory, page=PAGE)
        if not rows:
            break
        try:
            made = _materials([row["text"] for row in rows], embedder, reader)
        except ProviderError:
            break
        found = [(str(row["id"]), one) for row, one in zip(rows, made, strict=True)]
        mentions = mention_rows(sets, memory, found)
        notes.write(partial(_write, memory=memory, ids=[id for id, _ in found], mentions=mentions))
        done += len(rows)
        progress(done, 0, "linking notes")
    return done


def prose(text: str) -> str:
    """The sentences of Markdown without its marks, so that words at the ends of lines stand apart."""
    return _ENDS.sub(". ", _LINK.sub(r"\1", _MARKUP.sub(" ", text))).strip()


def _materials(texts: Sequence[str], embedder: Embedder, reader: Extractor) -> list[Material]:
    mentions = [mentions_of(SPEAKER, prose(text) or "-", reader) for text in texts]
    labels = list(dict.fromkeys(mention.label for some in mentions for mention in some))
    vectors = dict(zip(labels, embedder.embed(labels), strict=True)) if labels else {}
    return [Material(mentions=tuple(some), labels=vectors) for some in mentions]


def _write(tx: Transaction, clock: int, memory: str, ids: Sequence[str], mentions: Sequence[Row]) -> list[Row]:
    """The rows of the statement. Copies of the memory are told what it touches: there may be thousands of pages."""
    rows = tx.change(
        "workspace/link", Touched(records=ids), memory=memory, mentions=dated(mentions, clock), ids=ids, clock=clock
    )
    tx.also(memory, Touched(concepts=[concept for row in rows for concept in row["concepts"]]))
    return rows
