"""Which conversations answer a question, from any service that speaks OpenAI's HTTP interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from oroi_graph.model import exact_object
from oroi_graph.providers.openai.choices import indexes, tolerant_json
from oroi_graph.providers.openai.service import Answer, Client, Task, UnusableError
from oroi_graph.providers.protocols import FoundConversation

LONGEST = 400  # characters of a line that are shown
MOST = 60  # lines of a conversation that are shown

_KEY = "relevant_conversations"
_CHOOSING = Task(
    "choice",
    exact_object(**{_KEY: {"type": "array", "items": {"type": "integer"}}}),
)


class OpenAIRelevance(Client):
    """A relevance filter behind `/chat/completions` with structured output; safe to share among threads.

    Read tolerantly: in a code fence or between other words, with numbers as text, each index once. An answer that
    names something else is sent back once with what is wrong with it.
    """

    def relevant(self, question: str, today: date | None, conversations: Sequence[FoundConversation]) -> list[int]:
        """The positions of the conversations that are needed, in order. Raises ProviderError."""
        if not conversations:
            return []
        document = {
            "question": question,
            "today": today.isoformat() if today else None,
            "conversations": [
                {"index": i, "day": one.day, "lines": [line[:LONGEST] for line in one.lines[:MOST]]}
                for i, one in enumerate(conversations, start=1)
            ],
        }
        return self.service.structured(
            self.model, _CHOOSING, document, lambda answer: _chosen(answer, len(conversations))
        )


def _chosen(answer: Answer, n: int) -> list[int]:
    """The positions in an answer. Raises UnusableError with what is wrong, in words that help the model."""
    data = tolerant_json(answer)
    given = data.get(_KEY) if isinstance(data, Mapping) else data
    if not isinstance(given, list):
        raise UnusableError(f"expected an object with the list {_KEY!r}")
    return indexes(given, n)
