"""Which records answer a question, from any service that speaks OpenAI's HTTP interface.

Listwise reranking by a language model (Sun et al. 2023, RankGPT), reduced to what a brief needs: a choice, and what of
it no longer holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from oroi_graph.model import exact_object
from oroi_graph.providers.openai.choices import indexes, tolerant_json
from oroi_graph.providers.openai.service import Answer, Client, Task, UnusableError
from oroi_graph.providers.protocols import Passage, Reranked

LONGEST = 600  # characters of a passage that are shown

_NEEDED, _OUTDATED, _WORDS = "needed", "outdated", "words"
_INDEX = {"type": "integer"}
_LIST = {"type": "array", "items": _INDEX}
_EXCERPTS = {"type": "array", "items": exact_object(index=_INDEX, text={"type": "string"})}
_RERANKING = Task("reranking", exact_object(**{_NEEDED: _LIST, _OUTDATED: _LIST, _WORDS: _EXCERPTS}))


class OpenAIReranker(Client):
    """A reranker behind `/chat/completions` with structured output; safe to share among threads.

    Read tolerantly, as the relevance filter reads. An answer that names something else is sent back once with what is
    wrong with it.
    """

    def rerank(self, question: str, speaker: str, today: date | None, passages: Sequence[Passage]) -> Reranked:
        """Which passages are needed, and which of those are outdated. Raises ProviderError."""
        if not passages:
            return Reranked(())
        document = {
            "question": question,
            "asked_by": speaker,
            "today": today.isoformat() if today else None,
            "passages": [
                {"index": i, "day": one.day, "speaker": one.speaker, "text": one.text[:LONGEST]}
                for i, one in enumerate(passages, start=1)
            ],
        }
        texts = [one.text[:LONGEST] for one in passages]
        return self.service.structured(self.model, _RERANKING, document, lambda answer: _read(answer, texts))


def _read(answer: Answer, texts: Sequence[str]) -> Reranked:
    """The positions in an answer, and the words that stand in their texts as they are given: others are left out.

    Raises UnusableError with what is wrong, in words that help the model.
    """
    data = tolerant_json(answer)
    given = data.get(_NEEDED) if isinstance(data, Mapping) else data
    old = data.get(_OUTDATED, []) if isinstance(data, Mapping) else []
    if not isinstance(given, list) or not isinstance(old, list):
        raise UnusableError(f"expected an object with the lists {_NEEDED!r} and {_OUTDATED!r}")
    needed, outdated = indexes(given, len(texts)), indexes(old, len(texts))
    said = _words(data.get(_WORDS) if isinstance(data, Mapping) else None)
    words = {i: said[i] for i in needed if said.get(i) and said[i] in texts[i]}
    return Reranked(tuple(needed), tuple(i for i in outdated if i in needed), words)


def _words(given: object) -> dict[int, str]:
    """{position: its words} of what can be read."""
    found = {}
    for one in given if isinstance(given, list) else []:
        if isinstance(one, Mapping) and isinstance(one.get("index"), int) and isinstance(one.get("text"), str):
            found[one["index"] - 1] = one["text"].strip()
    return found
