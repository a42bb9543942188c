"""Time windows read by a language model behind OpenAI's HTTP interface, each checked by rule.

The idea is that of Monteiro and Morais, "Memória Episódica em Modelos Generativos de Conversação" (UFES): a model is
told the date and asked for the periods that a message names, and for none where it names none. What it answers is not
taken on trust: a window for a question without a word of time, on another weekday than the one named, or outside the
calendar, is rejected, and the offline reading takes the answer's place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from typing import Any, Protocol

from oroi_graph.language.detection import Language
from oroi_graph.language.parsed_text import ParsedText
from oroi_graph.model import exact_object
from oroi_graph.providers.openai.service import Answer, Client, Task, UnusableError
from oroi_graph.windows.grammar.meaning import LONGEST_YEARS
from oroi_graph.windows.reading import language_of, named_weekdays, names_a_time, read_windows
from oroi_graph.windows.window import Hemisphere, TimeExpression, Window, WindowReading, merged

LONGEST = 2_000  # characters of a question that are shown to the model
MOST = 60  # windows of one answer

_TEXT = {"type": "string"}
_READING = Task(
    "dates",
    exact_object(dates={"type": "array", "items": exact_object(start=_TEXT, end=_TEXT)}),
    __package__,
)


class WindowReader(Protocol):
    """From a question to its windows: `read_windows` is one, `OpenAIWindows` another."""

    def __call__(
        self,
        question: ParsedText | str,
        today: date,
        *,
        language: str | None = None,
        hemisphere: Hemisphere = "north",
    ) -> WindowReading:
        """The time windows that a question names, as seen on `today`."""
        ...


class OpenAIWindows(Client):
    """Windows read by a chat model; safe to share among threads."""

    def __call__(
        self,
        question: ParsedText | str,
        today: date,
        *,
        language: str | None = None,
        hemisphere: Hemisphere = "north",
    ) -> WindowReading:
        """The model's windows, or the offline reading where they fail a check or the answer cannot be used.

        Theme and reference ("said", "event") are those of the offline reading. Raises ProviderError if the service does
        not answer."""
        offline = read_windows(question, today, language=language, hemisphere=hemisphere)
        text = question if isinstance(question, str) else question.text
        document = {"message": text[:LONGEST], "today": f"{today:%A} {today.isoformat()}"}
        try:
            windows = self.service.structured(self.model, _READING, document, _windows)
        except UnusableError:
            return offline
        if _rejection(windows, text, language_of(question, language), today, offline):
            return offline
        return self._reading(windows, offline, text)

    def _reading(self, windows: tuple[Window, ...], offline: WindowReading, text: str) -> WindowReading:
        if windows == offline.windows:
            return offline
        if not windows:
            return replace(offline, expressions=(), windows=(), refers="either", theme=text, timeless_theme=False)
        begin = min((e.begin for e in offline.expressions), default=0)
        end = max((e.end for e in offline.expressions), default=len(text))
        refers = offline.refers if offline.expressions else "either"
        whole = TimeExpression(text[begin:end], begin, end, windows, f"read by {self.name}", refers)
        return replace(offline, expressions=(whole,), windows=windows, refers=refers)


def _rejection(windows: Sequence[Window], text: str, language: Language, today: date, offline: WindowReading) -> str:
    """Why an answer is not taken; "" if it is."""
    if not windows:
        return ""
    if not names_a_time(text, language):
        return "made up: the question has no word of time"
    if any((w.end - w.start).days > 366 * LONGEST_YEARS and w.start != date.min for w in windows):
        return "longer than any conversation"
    if offline.refers != "event" and any(w.start > today for w in windows):
        return "in the future"
    weekdays = named_weekdays(text, language)
    edges = {day.weekday() for w in windows if w.start != date.min for day in (w.start, w.end)}
    if weekdays and edges and not edges & weekdays:
        return "on another weekday than the one named"
    return ""


def _windows(answer: Answer) -> tuple[Window, ...]:
    """The windows of an answer. Raises UnusableError for what is no list of periods."""
    data = _json(answer)
    given = data.get("dates") if isinstance(data, Mapping) else data
    if not isinstance(given, list) or len(given) > MOST:
        raise UnusableError(f'expected an object with the list "dates", of at most {MOST} periods')
    found = []
    for item in given:
        if not isinstance(item, Mapping):
            raise UnusableError('expected each of "dates" to be an object with "start" and "end"')
        start = _day(item.get("start"))
        end = start if item.get("end") in (None, "") else _day(item.get("end"))
        if end < start:
            raise UnusableError(f"a period cannot end ({end}) before it starts ({start})")
        found.append(Window(start, end))
    return merged(found)


def _json(answer: Answer) -> Any:
    """The JSON value of an answer, though it may stand in a code fence or among words."""
    try:
        return answer.json()
    except UnusableError:
        if answer.refused:
            raise
        written = re.search(r"\{.*\}", answer.said, re.DOTALL)
        if written is not None:
            with suppress(ValueError, RecursionError):
                return json.loads(written.group())
        raise


def _day(value: object) -> date:
    """A day as YYYY-MM-DD, or month first as many models write it."""
    for form in ("%Y-%m-%d", "%m/%d/%Y", "%Y/%m/%d"):
        with suppress(ValueError, TypeError):
            return datetime.strptime(str(value)[:10].strip(), form).date()
    raise UnusableError(f"a day is written YYYY-MM-DD, got {str(value)[:40]!r}")
