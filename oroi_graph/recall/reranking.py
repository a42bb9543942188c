"""What a language model chooses of the likeliest records, in place of evidence and probabilities.

Opt-in: one call of a model for each question. It judges what the words mean, so it may say that nothing answers, and
which of the records a later one replaced. A turn that only tells something is no question: a model would say that
nothing answers it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from oroi_graph.errors import ProviderError
from oroi_graph.model import Exclusion, RecordHit
from oroi_graph.providers.protocols import Passage, Reranker
from oroi_graph.recall.request import RecallRequest
from oroi_graph.recall.selection import Chosen


@dataclass(frozen=True, slots=True)
class Choosable:
    """What a model may choose from. hits: the records that may enter the brief. likely: {record id: probability}.

    superseded: ids of records that state a replaced fact. most: records that are shown.
    """

    hits: Sequence[RecordHit]
    likely: Mapping[str, float]
    superseded: Collection[str]
    most: int

    def passages(self, chosen: Chosen) -> list[RecordHit]:
        """The chosen records and the likeliest others, at most `most`, in the order of the conversation."""
        told = {hit.id for hit in chosen.records}
        known = {hit.id: hit for hit in [*self.hits, *chosen.records]}
        best = sorted(known.values(), key=lambda hit: (hit.id not in told, -self.likely.get(hit.id, 0.0), hit.id))
        return sorted(best[: self.most], key=lambda hit: (hit.turn, hit.role == "assistant", hit.id))


def reranked(
    chosen: Chosen, choosable: Choosable, reranker: Reranker, request: RecallRequest
) -> tuple[Chosen, str | None]:
    """What the model needs of the records, the likeliest first, and why it had no say (None if it had).

    Facts stay that a needed record states. If the model fails, everything stays as it was chosen.
    """
    shown = choosable.passages(chosen)
    if not shown:
        return chosen, None
    passages = [
        Passage((hit.at or "")[:10], "the assistant" if hit.role == "assistant" else hit.speaker, hit.text)
        for hit in shown
    ]
    today = request.at.date() if request.at else None
    try:
        found = reranker.rerank(request.text, request.speaker, today, passages)
    except ProviderError as error:
        return chosen, str(error)
    old = {shown[i].id for i in found.outdated} | set(choosable.superseded)
    needed = [replace(shown[i], outdated=shown[i].id in old) for i in found.needed]
    needed.sort(key=lambda hit: (-choosable.likely.get(hit.id, 0.0), hit.id))
    refused: dict[str, Exclusion] = {hit.id: "not shown to the model" for hit in choosable.hits}
    refused |= {hit.id: "not chosen by a model" for hit in shown}
    words = {shown[i].id: said for i, said in found.words.items()}
    return chosen.by_model(needed, chosen.notes if needed else (), refused, words), None
