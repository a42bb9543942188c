"""Time windows: ranges of whole local days, and what a question says about time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

Refers = Literal["said", "event", "either"]
Hemisphere = Literal["north", "south"]


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A range of local days, both ends inclusive; start ≤ end. Ordered by start, then end."""

    start: date
    end: date

    def __post_init__(self) -> None:
        """Raises ValueError if the end is before the start."""
        if self.end < self.start:
            raise ValueError(f"a window cannot end ({self.end}) before it starts ({self.start})")

    def __contains__(self, day: date) -> bool:
        """Whether a day is in the window."""
        return self.start <= day <= self.end

    def to_json(self) -> dict[str, str]:
        """A JSON-serialisable object."""
        return {"start": self.start.isoformat(), "end": self.end.isoformat()}

    def days(self) -> Iterator[date]:
        """Each day of the window, in order."""
        return (date.fromordinal(n) for n in range(self.start.toordinal(), self.end.toordinal() + 1))


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """One expression of time in a question.

    `text`: as written. `begin`, `end`: character offsets in the question. `reason`: the rule that read it, in plain
    English. `refers`: "event" for the time of something else than the conversation ("that I planned for June")."""

    text: str
    begin: int
    end: int
    windows: tuple[Window, ...]
    reason: str
    refers: Refers = "either"


@dataclass(frozen=True, slots=True)
class WindowReading:
    """What a question says about time.

    `expressions`: those that restrict the time of the conversation or of the event asked for, in order.
    `windows`: their union, in order, touching ones merged: those of the conversation if there are any ("What did I say
    on Monday about my plans for June?" → Monday), else those of the event. `refers`: "said" (the time of saying, "What
    did I say in June?"), "event" ("What did I plan for June?"), "either" where the words do not tell ("What did I cook
    in June?") or no time is named. `theme`: the question without its expressions. `timeless_theme`: a time and nothing
    but it was asked for ("What did we talk about last week?"). `impossible`: dates that no calendar has ("31
    February"), as written: a caller that needs them must report them (`InputError`)."""

    expressions: tuple[TimeExpression, ...]
    windows: tuple[Window, ...]
    refers: Refers
    theme: str
    timeless_theme: bool
    impossible: tuple[str, ...] = ()

    @property
    def said(self) -> tuple[Window, ...]:
        """The windows that the conversation itself may be in: none if only an event's time is named."""
        return () if self.refers == "event" else self.windows


def merged(windows: Iterable[Window]) -> tuple[Window, ...]:
    """Windows in order, overlapping and touching ones merged."""
    found: list[Window] = []
    for window in sorted(windows):
        last = found[-1] if found else None
        if last is not None and window.start.toordinal() <= last.end.toordinal() + 1:
            found[-1] = Window(last.start, max(last.end, window.end))
        else:
            found.append(window)
    return tuple(found)


def day_window(day: date, length: int = 1) -> Window:
    """The window of `length` days that starts on `day`."""
    return Window(day, day + timedelta(days=length - 1))
