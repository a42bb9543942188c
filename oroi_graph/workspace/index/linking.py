"""Notes are joined to the concepts that they mention, so that recall passes from notes to conversation and back, and
their passages get vectors.

This takes longer than indexing, so it follows it, a page at a time; notes are searched and recalled before it is done.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from itertools import chain

import numpy as np

from oroi_graph.entities.material import Material, dated, mention_rows, mentions_of
from oroi_graph.errors import ProviderError
from oroi_graph.options import Progress, silent
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.storage.changes import Touched
from oroi_graph.storage.store import Row, Transaction
from oroi_graph.working_set.kept import WorkingSets
from oroi_graph.workspace.index.note_store import NoteStore
from oroi_graph.workspace.index.notes import SPEAKER
from oroi_graph.workspace.index.passages import packed, passages, prose

PAGE = 32  # notes linked in one transaction


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
            made, packs = _materials([row["text"] for row in rows], embedder, reader)
        except ProviderError:
            break
        found = [(str(row["id"]), one) for row, one in zip(rows, made, strict=True)]
        mentions = mention_rows(sets, memory, found)
        read = [{"id": id, "passages": pack} for (id, _), pack in zip(found, packs, strict=True)]
        notes.write(partial(_write, memory=memory, read=read, mentions=mentions))
        done += len(rows)
        progress(done, 0, "linking notes")
    return done


def _materials(
    texts: Sequence[str], embedder: Embedder, reader: Extractor
) -> tuple[list[Material], list[bytes | None]]:
    """What each note mentions, and the packed vectors of its passages; all is embedded together."""
    mentions = [mentions_of(SPEAKER, prose(text) or "-", reader) for text in texts]
    parts = [passages(text) for text in texts]
    labels = [mention.label for some in mentions for mention in some]
    whole = list(dict.fromkeys(chain(labels, *parts)))
    vectors = dict(zip(whole, embedder.embed(whole), strict=True)) if whole else {}
    found = [
        Material(mentions=tuple(some), labels={one.label: vectors[one.label] for one in some}) for some in mentions
    ]
    return found, [packed(np.array([vectors[part] for part in some])) for some in parts]


def _write(tx: Transaction, clock: int, memory: str, read: Sequence[Row], mentions: Sequence[Row]) -> list[Row]:
    """The rows of the statement. Copies of the memory are told what it touches: there may be thousands of pages."""
    rows = tx.change(
        "workspace/link", Touched(records=[row["id"] for row in read]), memory=memory, mentions=dated(mentions, clock),
        done=read, clock=clock,
    )  # fmt: skip
    tx.also(memory, Touched(concepts=[concept for row in rows for concept in row["concepts"]]))
    return rows
