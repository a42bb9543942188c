"""From a question to its time windows."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, time

from oroi_graph.language.parsed_text import ParsedText, parse
from oroi_graph.windows.window import Hemisphere, TimeExpression, Window, WindowReading, merged


def read_windows(
    question: ParsedText | str, today: date, *, language: str | None = None, hemisphere: Hemisphere = "north"
) -> WindowReading:
    """The time windows that a question names, as seen on `today` (the local day of asking)."""
    text = question if isinstance(question, str) else question.text
    at = datetime.combine(today, time())
    values = parse(text, at, language).values
    found: list[TimeExpression] = []
    for value in values:
        first, _, last = value.canonical.partition("/")
        begin, end = _day(first, last=False), _day(last or first, last=True)
        if begin is not None and end is not None and begin <= end <= today:
            found.append(TimeExpression(value.surface, value.start, value.end, (Window(begin, end),), "date"))
    theme = text
    for expression in reversed(found):
        theme = theme[: expression.begin] + theme[expression.end :]
    windows = merged(window for expression in found for window in expression.windows)
    return WindowReading(tuple(found), windows, "either", " ".join(theme.split()), False)


def _day(iso: str, *, last: bool) -> date | None:
    parts = iso.split("-")
    try:
        year, month = int(parts[0]), int(parts[1]) if len(parts) > 1 else 12 if last else 1
        return date(year, month, int(parts[2]) if len(parts) > 2 else monthrange(year, month)[1] if last else 1)
    except (ValueError, IndexError):
        return None
