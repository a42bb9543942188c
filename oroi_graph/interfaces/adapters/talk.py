"""A conversation that a framework leads: its messages become turns, its questions briefs."""

from __future__ import annotations

from datetime import datetime

from oroi_graph.errors import InputError, SettingsError
from oroi_graph.memory import Memory, Turn


def missing(extra: str, error: ImportError) -> SettingsError:
    """What to say where a framework is not installed."""
    name = (error.name or extra).split(".")[0]
    return SettingsError(f"{name} is not installed: pip install 'oroi-graph[{extra}]'")


class Talk:
    """One conversation in one memory. Not for several threads at once: a conversation has one turn open.

    session: its name in the memory. speaker: whom the user's words belong to; None: the memory's only protagonist.
    """

    def __init__(self, memory: Memory, session: str | None = None, speaker: str | None = None) -> None:
        self.memory, self.session, self.speaker = memory, session, speaker
        self._open: Turn | None = None

    def user(
        self, text: str, id: str | None = None, at: datetime | None = None, speaker: str | None = None
    ) -> str | None:
        """The user said something; the turn's id, None for what cannot be perceived (blank, too long)."""
        self.end()
        try:
            who = speaker or self.speaker
            self._open = self.memory.perceive(text, speaker=who, id=id, at=at, session=self.session)
        except InputError:
            return None
        return self._open.id

    def assistant(self, text: str, id: str | None = None, at: datetime | None = None) -> str | None:
        """The assistant said something: the reply to the turn that is open, else words of its own, by their id."""
        try:
            if self._open is not None:
                self._open.close(text, id=id, at=at)
                self._open = None
                return None  # it goes with the user's turn
            return self.memory.perceive(text, role="assistant", id=id, at=at, session=self.session).id
        except InputError:
            return None

    def end(self) -> None:
        """Nothing more is said: the open turn ends."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def brief(self, question: str) -> str:
        """What memory brings back for the user's words; "" for nothing, or words that nothing can be asked with."""
        if self._open is not None and self._open.input.text.strip() == question.strip():
            return self._open.brief.text
        try:
            return self.memory.recall(question, speaker=self.speaker).brief.text
        except InputError:
            return ""


def answering(text: str, brief: str) -> str:
    """The user's words with what memory brings back behind them."""
    return f"{text}\n\n{brief}" if brief else text
