"""The messages of a conversation that a model is given: flushed before they grow too long, then compacted.

A conversation with a workspace forgets its oldest messages only after the model was asked to store what must last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from oroi_graph.workspace.flush import Flushed, Flusher

CHARACTERS = 4  # of a token, about
KEPT = 20  # messages that a compaction leaves

Message = dict[str, str]
Reply = Callable[[Sequence[Message]], str]


class Context:
    """The messages of one session. window: tokens of the model's context; reply: asks the model.

    A new process begins with nothing, as after a compaction, so it begins a cycle of its own.
    """

    def __init__(self, flusher: Flusher, session: str, window: int, reply: Reply) -> None:
        self.messages: list[Message] = []
        self._flusher, self._session, self._window, self._reply = flusher, session, window, reply
        self._limit = flusher.limit(window)
        flusher.compacted(session)

    @property
    def tokens(self) -> int:
        """Of all messages, about."""
        return sum(len(message["content"]) for message in self.messages) // CHARACTERS

    def add(self, text: str, reply: str) -> None:
        """Both sides of a turn."""
        self.messages += [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]

    def settle(self) -> Flushed | None:
        """Flush if it is due, then compact if that is due; what came of the flush, None if there was none.

        Raises OroiError if the model or the files failed; messages are compacted all the same, since the next turn
        would fail, too.
        """
        try:
            flushed = self._flusher.run(self._session, self.tokens, self._window, self._ask)
        finally:
            if self.tokens >= self._limit:
                self._compact()
        return flushed if flushed.decision.due else None

    def _ask(self, system: str, prompt: str) -> str:
        return self._reply([
            {"role": "system", "content": system}, *self.messages, {"role": "user", "content": prompt},
        ])  # fmt: skip

    def _compact(self) -> None:
        """Leave the newest messages, as many as fit."""
        self.messages = self.messages[-KEPT:]
        while len(self.messages) > 2 and self.tokens >= self._limit:
            self.messages = self.messages[2:]
        self._flusher.compacted(self._session)
