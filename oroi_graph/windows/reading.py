"""From a question to its time windows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import get_args

from oroi_graph.errors import InputError
from oroi_graph.language.detection import Language, detect
from oroi_graph.language.parsed_text import ParsedText
from oroi_graph.windows.clauses import find_verbs
from oroi_graph.windows.grammar.expressions import Found, find_times
from oroi_graph.windows.grammar.lexicon import TimeLexicon, time_lexicon
from oroi_graph.windows.grammar.meaning import Asked
from oroi_graph.windows.grammar.tokens import Token, read_tokens, terminals
from oroi_graph.windows.restriction import restriction
from oroi_graph.windows.window import Hemisphere, Refers, TimeExpression, WindowReading, merged

_EUROPEAN = re.compile(r"\w{2}(?:aste|este|iste|ámos)$")  # "disseste", "falámos": Portuguese of Portugal
# Terminals of the lexicons that tell a time.
_TIME_WORDS = frozenset(
    "WD WDS WDF MO SEASON SEASONS WEEKEND WEEKENDS UNIT SHORT DAY HOL TOD Y D PART LAST PAST ULT".split()
)


def read_windows(
    question: ParsedText | str, today: date, *, language: str | None = None, hemisphere: Hemisphere = "north"
) -> WindowReading:
    """The time windows that a question names, as seen on `today` (the local day of asking).

    language: "en", "es" or "pt"; by default that of the parsed text, else the one detected. hemisphere: whose seasons.
    Never raises for any text; dates that no calendar has are in `impossible`."""
    text = question if isinstance(question, str) else question.text
    tongue = language_of(question, language)
    lexicon = time_lexicon(tongue)
    tokens = read_tokens(text, tongue)
    asked = _asked(tokens, text, today, lexicon, hemisphere)
    found = find_times(tokens, asked)
    taken = frozenset(i for times in found for i in range(times.first, times.last))
    verbs = find_verbs(tokens, tongue, taken) if found else []
    expressions: list[TimeExpression] = []
    impossible: list[str] = []
    for times in _without_vague(found):
        begin, end = tokens[times.first].begin, tokens[times.last - 1].end
        said = text[begin:end]
        if times.impossible:
            impossible.append(f"{said!r}: {times.impossible}")
            continue
        meant = restriction(tokens, times, verbs, lexicon, today)
        windows = merged(meant.windows) if meant is not None else ()
        # None is left of "last Monday" where the calendar begins.
        if meant is not None and times.meaning is not None and windows:
            expressions.append(TimeExpression(said, begin, end, windows, times.meaning.reason, meant.refers))
    return _reading(text, expressions, impossible, lexicon)


def _without_vague(found: Sequence[Found]) -> Sequence[Found]:
    """The times without "recently", "at dawn" and the like, if others are named."""
    vague = [times for times in found if times.meaning is not None and times.meaning.kind in ("lately", "clock")]
    return found if len(vague) == len(found) else [times for times in found if times not in vague]


def language_of(question: ParsedText | str, language: str | None) -> Language:
    """The language that a question is read in: the one given, else that of the parsed text, else the one detected."""
    for known in get_args(Language):
        if known == language:
            return known  # type: ignore[no-any-return]
    return detect(question) if isinstance(question, str) else question.language


def names_a_time(text: str, language: Language) -> bool:
    """Whether a question has any word or number that may tell a time."""
    tokens = read_tokens(text, language)
    return any(category in _TIME_WORDS for i in range(len(tokens)) for category, _, _ in terminals(tokens, i, language))


def named_weekdays(text: str, language: Language) -> frozenset[int]:
    """The weekdays (0 for Monday) that a question names by words that mean nothing else; none if it names other times
    as well."""
    tokens = read_tokens(text, language)
    said = [(category, value) for i in range(len(tokens)) for category, _, value in terminals(tokens, i, language)]
    if any(category in _TIME_WORDS - {"WD", "WDS", "WDF", "LAST", "PAST", "ULT"} for category, _ in said):
        return frozenset()
    return frozenset(int(str(value)) for category, value in said if category == "WD")


def check_possible(reading: WindowReading) -> WindowReading:
    """The reading; raises InputError if the question names a date that no calendar has."""
    if reading.impossible:
        raise InputError(f"the question names an impossible time: {reading.impossible[0]}")
    return reading


def _asked(tokens: Sequence[Token], text: str, today: date, lexicon: TimeLexicon, hemisphere: Hemisphere) -> Asked:
    forms = {token.form for token in tokens}
    regions = [name for name in ("britain", "america", "europe") if forms & lexicon.context.get(name, frozenset())]
    if lexicon.language == "pt" and any(_EUROPEAN.search(token.text) for token in tokens):
        regions = ["europe"]
    british = "britain" in regions or bool(forms & lexicon.context.get("day_first", frozenset())) or "£" in text
    return Asked(today, lexicon.language, hemisphere, regions[0] if regions else "", british)


def _reading(
    text: str,
    expressions: list[TimeExpression],
    impossible: list[str],
    lexicon: TimeLexicon,
) -> WindowReading:
    edges = [0, *(edge for e in expressions for edge in (e.begin, e.end)), len(text)]
    left = " ".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    theme = " ".join(left.split())
    said = [e for e in expressions if e.refers != "event"]
    refers: Refers = "event" if expressions and not said else "either"
    if any(e.refers == "said" for e in said):
        refers = "said"
    windows = merged(window for e in said or expressions for window in e.windows)
    timeless = bool(said) and _is_only_talk(theme, lexicon)
    return WindowReading(tuple(expressions), windows, refers, theme, timeless, tuple(impossible))


def _is_only_talk(theme: str, lexicon: TimeLexicon) -> bool:
    words = {token.form for token in read_tokens(theme, lexicon.language) if token.form.isalnum()}
    return words <= lexicon.context["talk"]
