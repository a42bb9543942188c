"""Extracting again the turns whose extraction failed: the text was kept, so nothing was lost.

A turn extracted late states its facts under its own number. It pulses nothing: it is not what is being spoken of now.
"""

from __future__ import annotations

from dataclasses import dataclass

from oroi_graph.forgetting.delete import finish
from oroi_graph.model import TurnInput, Utterance
from oroi_graph.options import Options
from oroi_graph.perception.pipeline import amend_turn, extract, prepare
from oroi_graph.perception.recent_turns import time_of
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.storage.store import Store
from oroi_graph.working_set.kept import WorkingSets


@dataclass(frozen=True, slots=True)
class ReextractReport:
    """How many failed turns there were, how many are whole now, and the last failure, if any."""

    failed: int
    amended: int
    failure: str | None = None


def retry(
    store: Store, sets: WorkingSets, memory: str, extractor: Extractor, embedder: Embedder, options: Options
) -> ReextractReport:
    """Extract the failed turns of a memory again, oldest first; those that fail again stay as they are."""
    rows = store.rows("perception/failed_turns", memory=memory, count=options.window)
    amended, last = 0, None
    for row in rows:
        turn = TurnInput(row["text"], row["id"], row["speaker"], "user", time_of(row["at"]), row["session"])
        window = [Utterance(w["text"], w["speaker"], w["role"], time_of(w["at"])) for w in row["window"]]
        found = extract(turn, window, extractor)
        if found[1] is not None:
            last = found[1]
            continue
        prepared = prepare([turn], [found], extractor.name, embedder, [window])[0]
        amended += amend_turn(sets.writer(memory), memory, prepared, embedder, options)
        if prepared.extraction.forget is not None:
            finish(store.write, memory)
    return ReextractReport(len(rows), amended, last)
