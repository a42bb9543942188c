"""Which days a question asks for, and how well a record or an association fits them.

The day of a record is the local day on which it was said: the date in its own time, whose offset it carries. What it
tells of may have another day ("last week", said on Monday). A question asks for the time of saying, of what happened,
or leaves it open (`WindowReading.refers`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import lru_cache, partial

from oroi_graph.errors import ProviderError
from oroi_graph.language.parsed_text import ParsedText
from oroi_graph.language.sentences import asks, is_question, sentences
from oroi_graph.language.verbs.forms import english_verb, verb
from oroi_graph.recall.ranking.kept_texts import kept
from oroi_graph.recall.request import RecallRequest
from oroi_graph.recall.time_windows import time_match
from oroi_graph.recall.time_windows.wording import Wording
from oroi_graph.recall_options import Ranking
from oroi_graph.windows import Window, WindowReading, check_possible, read_windows
from oroi_graph.windows.by_model import WindowReader
from oroi_graph.working_set.candidates import Candidate

INSIDE = 1.0  # fit of a record that was said in a window, or tells of it, whichever is asked for
_MOST_SHARE = 0.5  # of an event's days, or of a window's, that must lie in the other
_LONGEST_EVENT = 7  # days of an event that may be longer than the window that it overlaps ("last week")
_OPENING = 4  # words of a question among which its verb stands
_WEEK = timedelta(days=7)
_LAST = "9999-99-99"  # after every day

Spans = tuple[tuple[str, str], ...]  # (first day, day after the last) in ISO, as times of records compare with them


@dataclass(frozen=True, slots=True)
class Scope:
    """The time that one question asks for. reading: with at least one window. language: of the question.

    failure: why the model that should have read it had no say, if so. filtered: whether only some records are asked
    for.
    """

    reading: WindowReading
    language: str
    failure: str | None = None
    filtered: bool = False
    spans: Spans = field(init=False)  # of the windows: in order, they do not touch

    def __post_init__(self) -> None:
        spans = tuple((window.start.isoformat(), _after(window.end)) for window in self.windows)
        object.__setattr__(self, "spans", spans)

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows in order; they do not touch."""
        return self.reading.windows

    @property
    def wording(self) -> Wording:
        """How a brief speaks of the windows."""
        return Wording(self.language, self.windows, self.filtered)

    @property
    def said(self) -> bool:
        """Whether the time of saying counts."""
        return self.reading.refers != "event"

    @property
    def happened(self) -> bool:
        """Whether the time of what happened counts."""
        return self.reading.refers != "said"

    @property
    def alone(self) -> bool:
        """Whether nothing but a time was asked for."""
        return self.reading.timeless_theme

    def holds(self, at: str | None) -> bool:
        """Whether a record's time (ISO) is in a window."""
        return _in(self.spans, at)

    def covers(self, when: str) -> bool:
        """Whether what an association dates (`when`: ISO date, month, year or start/end) happened in a window."""
        days = time_match.days(when)
        return days is not None and self._overlaps(days)

    def fit(self, record: Candidate, dated: Collection[str], ranking: Ranking) -> float:
        """How well a record fits the windows, 0..1; 1 is `INSIDE`.

        dated: ids of records that state a fact of the windows. Where the time of what happened counts, a record that
        tells no other time is told of as it happens or within the slack after it.
        """
        at = record.at
        inside = self.holds(at)
        if not self.happened:
            return INSIDE if inside else 0.0
        told = told_days(record.text, self.language, at[:10]) if at else ()
        if record.id in dated or any(self._overlaps(days) for days in told) or (inside and self.said):
            return INSIDE
        before, afterwards = _beside(self.windows, ranking.date_slack)
        ahead = _in(before, at) and time_match.is_named(record.text)
        return ranking.after_date if inside or ahead or _in(afterwards, at) else 0.0

    def _overlaps(self, days: tuple[str, str]) -> bool:
        """Whether most of an event (first day, day after the last) lies in a window, or it holds most of a window."""
        first, after = date.fromisoformat(days[0]).toordinal(), date.fromisoformat(days[1]).toordinal()
        for window in self.windows:
            start, end = window.start.toordinal(), window.end.toordinal() + 1
            common = min(after, end) - max(first, start)
            if common >= _MOST_SHARE * (after - first) or (
                after - first <= _LONGEST_EVENT and common >= _MOST_SHARE * (end - start)
            ):
                return common > 0
        return False


@kept(20_000)
def told_days(text: str, language: str, day: str) -> tuple[tuple[str, str], ...]:
    """The days (first, day after the last) that a text tells of, said on an ISO day; none if it tells no time."""
    if not time_match.is_named(text):
        return ()
    values = ParsedText(text, language, datetime.fromisoformat(day)).values  # type: ignore[arg-type]
    found = (time_match.days(value.canonical, day[:4]) for value in values)
    return tuple(days for days in found if days is not None)


def scope_of(question: ParsedText, request: RecallRequest, read: WindowReader = read_windows) -> Scope | None:
    """The time that a question asks for, seen from the local day on which it is asked; None if it names none.

    Nor does a question about now or what is to come ("What must I pack today?"): its answer was said at any time.
    If a model that reads windows fails, the offline reader does. Raises InputError for a day that no calendar has.
    """
    if request.at is None:
        return None
    today, failure = request.at.date(), None
    try:
        reading = read(question, today)
    except ProviderError as error:
        reading, failure = read_windows(question, today), str(error)
    if request.turn and reading.refers != "said" and not asks(question.text):
        return None
    if not request.turn:
        check_possible(reading)
    if not reading.windows or _is_ahead(reading, question, today):
        return None
    return Scope(reading, question.language, failure, bool(request.filters))


def _is_ahead(reading: WindowReading, question: ParsedText, today: date) -> bool:
    """Whether a question names a time that is not over, of an event, and does not ask in the past."""
    if reading.refers == "said" or reading.timeless_theme or reading.windows[-1].end < today:
        return False
    asking = [sentence for sentence in sentences(question.text) if is_question(sentence)]
    return not any(_asks_in_the_past(ParsedText(sentence, question.language)) for sentence in asking)


def _asks_in_the_past(sentence: ParsedText) -> bool:
    """Whether the verb of a question is in the past or the perfect ("How often has she gone …?")."""
    known = english_verb if sentence.language == "en" else partial(verb, language=sentence.language)
    forms = [known(word) for word in sentence.tokens]
    opening = [form for form in forms[:_OPENING] if form is not None]
    if any(form.tense == "past" for form in opening):
        return True
    perfect = any(form.lemma == "have" for form in opening)
    return perfect and any(form is not None and form.tense in ("past", "part") for form in forms)


def _in(spans: Spans, at: str | None) -> bool:
    """Whether a record's time (ISO) is in one of some spans."""
    if at is not None:
        for first, after in spans:
            if first <= at < after:
                return True
    return False


@lru_cache(maxsize=256)  # for every candidate of a question
def _beside(windows: tuple[Window, ...], slack: tuple[int, ...]) -> tuple[Spans, Spans]:
    """The weeks before some windows, in which "on Saturday" may be the coming one, and the days after each.

    slack: days after a window of one day, and after a longer one.
    """
    before = tuple((_earlier(window.start, _WEEK).isoformat(), window.start.isoformat()) for window in windows)
    last = ((w.end, timedelta(days=slack[0 if w.start == w.end else 1])) for w in windows)
    return before, tuple((_after(end), _after(_later(end, days))) for end, days in last)


def _after(day: date) -> str:
    """The day after `day`, in ISO; for the last day of all, what follows it in the order of texts."""
    return (day + timedelta(days=1)).isoformat() if day < date.max else _LAST


def _earlier(day: date, slack: timedelta) -> date:
    return day - slack if day - date.min > slack else date.min


def _later(day: date, slack: timedelta) -> date:
    return day + slack if date.max - day > slack else date.max
