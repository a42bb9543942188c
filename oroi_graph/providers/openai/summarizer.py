"""Gists from any service that speaks OpenAI's HTTP interface."""

from __future__ import annotations

from collections.abc import Sequence

from oroi_graph.language.quoting import CLOSING, OPENING, strip_briefs
from oroi_graph.model import exact_object
from oroi_graph.providers.openai.service import Answer, Client, Task, UnusableError

_SHORTENING = Task("gist", exact_object(gist={"type": "string"}))
_LONGEST = 60_000  # characters of a text that a model is shown: more is no turn of a conversation, but a document


class OpenAISummarizer(Client):
    """An summarizer behind `/chat/completions` with structured output; safe to share among threads.

    A gist that is too long, empty though facts hold, or that holds a delimiter of a brief, is sent back once with
    what is wrong with it.
    """

    def gist(self, text: str, facts: Sequence[str], most: int) -> str:
        """The gist of `text`. Raises ProviderError after two unusable answers, and without any."""
        text = text[:_LONGEST]
        document = {"text": text, "facts": list(facts), "most": most}
        most = min(most, len(text))
        return self.service.structured(
            self.model, _SHORTENING, document, lambda answer: _checked(answer, bool(facts), most)
        )


def _checked(answer: Answer, needed: bool, most: int) -> str:
    """The gist of an answer. Raises UnusableError with what is wrong, in words that help the model."""
    data = answer.json()
    said = data.get("gist") if isinstance(data, dict) else None
    if not isinstance(said, str):
        raise UnusableError("the object needs a text under 'gist'")
    gist = " ".join(said.split())
    if len(gist) > most:
        raise UnusableError(f"the gist has {len(gist)} characters, the most is {most}")
    if needed and not any(char.isalnum() for char in gist):
        raise UnusableError("the gist is empty, though there are facts that still hold")
    if strip_briefs(gist) != gist or any(mark in gist for mark in (OPENING, CLOSING)):
        raise UnusableError("the gist holds the delimiter of a recalled brief")
    try:
        gist.encode()  # JSON can escape half of a character pair, which no database stores
    except UnicodeEncodeError as error:
        raise UnusableError("the gist is not valid Unicode") from error
    if "\0" in gist:
        raise UnusableError("the gist holds a NUL character")
    return gist
