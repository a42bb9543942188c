"""What a brief says of time, in the question's language: when, how much was said, that nothing was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from oroi_graph.language.lexicons.tables import LANGUAGES, entries, patterns, table, tables
from oroi_graph.windows import Window


@dataclass(frozen=True, slots=True)
class _Words:
    """The phrases of one language; {} are filled in order."""

    on: str
    between: str
    since: str
    until: str
    joined: str
    nothing: str
    filtered: str  # the same where only some records are asked for
    nearest: str
    elsewhere: str
    said: str
    rests: str
    more: str


_ROWS = tables("times")
_WORDS = {language: _Words(**dict(entries(_ROWS, language))) for language in LANGUAGES}
_COUNTS = {language: table(table(_ROWS, "counts"), language) for language in LANGUAGES}  # singular and plural of each


@dataclass(frozen=True, slots=True)
class Wording:
    """The phrases in one language ("en", "es" or "pt"), about the windows of one question.

    filtered: whether only some records are asked for.
    """

    language: str
    windows: tuple[Window, ...]
    filtered: bool = False

    @property
    def when(self) -> str:
        """The windows: "on 2026-03-01", "from 2026-03-02 to 2026-03-08 and on 2026-03-12"."""
        return self._words.joined.join(self._window(window) for window in self.windows)

    def nothing(self) -> str:
        """That nothing was said in the windows."""
        return (self._words.filtered if self.filtered else self._words.nothing).format(self.when)

    def nearest(self, day: str) -> str:
        """What introduces what was said on the nearest ISO day."""
        return self._words.nearest.format(day)

    def elsewhere(self) -> str:
        """What introduces what was said at another time."""
        return self._words.elsewhere.format(self.when)

    def said(self, counted: str) -> str:
        """How much was said in the windows."""
        return self._words.said.format(self.when, counted)

    def rests(self, turns: int) -> str:
        """How much of it sleep has taken off the recall path."""
        return self._words.rests.format(self.when, self.turns(turns))

    def more(self, counted: str) -> str:
        """What a list leaves out."""
        return self._words.more.format(counted)

    def counted(self, counts: Mapping[str, int]) -> str:
        """ "2 sessions, 14 turns, 1 note". counts: of sessions, turns, entries and notes; zeros are left out."""
        return joined([self._count(what, n) for what, n in counts.items() if n])

    def turns(self, n: int) -> str:
        """How many turns."""
        return self._count("turns", n)

    @property
    def _words(self) -> _Words:
        return _WORDS.get(self.language, _WORDS["en"])

    def _count(self, what: str, n: int) -> str:
        one, several = patterns(_COUNTS.get(self.language, _COUNTS["en"]), what)
        return (one if n == 1 else several).format(n)

    def _window(self, window: Window) -> str:
        if window.start == window.end:
            return self._words.on.format(window.start)
        if window.start == date.min:
            return self._words.until.format(window.end)
        if window.end == date.max:
            return self._words.since.format(window.start)
        return self._words.between.format(window.start, window.end)


def joined(parts: Sequence[str]) -> str:
    """Names in a row."""
    return ", ".join(parts)
