"""The grammar of times: which action makes what of which rules, and the time expressions of a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from oroi_graph.windows.grammar import ago, ranges, relative
from oroi_graph.windows.grammar import calendar_times as calendar
from oroi_graph.windows.grammar.chart import Parts, parse
from oroi_graph.windows.grammar.lexicon import time_lexicon
from oroi_graph.windows.grammar.meaning import Asked, ImpossibleError, Meaning, Time, ahead, resolved, shifted, single
from oroi_graph.windows.grammar.recurring import Recurring, moved
from oroi_graph.windows.grammar.tokens import Token, terminals
from oroi_graph.windows.window import Window

Values = dict[str, Any]
Action = Callable[[Asked, Values], Time | None]

# Times that come again or are settled: what they become is told by what the action returns.
TIMES: dict[str, Action] = {
    "weekday": calendar.weekday_of,
    "month": calendar.month_of_year,
    "season": calendar.season,
    "weekend": calendar.weekend_day,
    "holiday": calendar.holiday,
    "month_day": calendar.month_and_day,
    "month_of": calendar.the_same,
    "weekday_and_date": calendar.unchanged,
    "day_of_month": calendar.day_of_month,
    "full_date": calendar.full_date,
    "iso_date": calendar.iso_date,
    "month_number": calendar.month_number,
    "nth_of_year": calendar.nth_of_year,
    "half_of": calendar.half,
    "half_of_unit": calendar.half_of_unit,
    "first_n_of_unit": calendar.first_n_of_unit,
    "part": calendar.part,
    "part_of_unit": calendar.part_of_unit,
    "kth": calendar.kth,
    "kth_of_unit": calendar.kth_of_unit,
    "first_n": calendar.first_n,
    "inside": calendar.inside,
    "all_inside": calendar.inside,
    "days_inside": calendar.days_inside,
    "all_inside_unit": calendar.inside_unit,
    "inside_this": calendar.inside_unit,
    "time_of_day": calendar.unchanged,
    "day": relative.day,
    "previous": relative.previous,
    "before_last": relative.before_last,
    "current": relative.current,
    "following": relative.following,
    "ago": ago.ago,
    "ago_sum": ago.ago_sum,
    "ago_between": ago.ago_between,
    "less_than_ago": relative.rolling,
    "ago_half": ago.ago_half,
    "ago_exact": ago.ago_exact,
    "ago_about": ago.ago_about,
    "ago_some": ago.ago_some,
    "ago_short": ago.ago_short,
    "other_day": ago.other_day,
    "more_than_ago": ago.more_than_ago,
    "rolling": relative.rolling,
    "rolling_some": relative.rolling_some,
    "rolling_short": relative.rolling_short,
    "so_far": relative.so_far,
    "last": relative.last,
    "last_n": relative.last_n,
    "nth_back": relative.nth_back,
    "back_two": relative.back_two,
    "this": relative.this,
    "next": relative.next_one,
    "earlier": relative.earlier,
    "earlier_day": relative.earlier_day,
    "offset_before": relative.offset_before,
    "offset_after": relative.offset_after,
    "named_before": relative.named_before,
    "named_after": relative.named_after,
    "week_of": relative.week_of,
    "weekend_of": relative.weekend_of,
    "around": relative.around_date,
    "since": ranges.since,
    "after": ranges.after,
    "until": ranges.until,
    "before": ranges.before,
    "range": ranges.between,
    "range_inside": ranges.between_inside,
    "range_days": ranges.between_days,
    "range_month_first": ranges.between_days_month_first,
    "range_of_days": ranges.between_days_of_month,
    "days_of_month": ranges.days_of_month,
    "days_of_months": ranges.days_of_months,
    "days_of_month_first": ranges.days_of_month_first,
    "months_of_year": ranges.months_of_year,
    "this_time": ago.this_time,
    "nth_day_of": calendar.nth_day_of,
    "days_before": relative.days_before,
    "days_after": relative.days_after,
    "weekday_number": calendar.weekday_number,
    "impossible_year": relative.impossible_year,
    "decade": relative.decade,
    "last_of_each": relative.last_of_each,
    "rolling_one_short": relative.rolling_one_short,
    "kth_both": calendar.kth_both,
    "before_and_after": ranges.before_and_after,
    "after_and_before": ranges.after_and_before,
}
# What makes parts of other names.
NAMED: dict[str, tuple[str, Action]] = {
    "weekdays": ("RS", calendar.weekday_of),
    "seasons": ("RS", calendar.season),
    "weekends": ("RS", calendar.weekend_day),
    "plural": ("RS", calendar.the_same),
    "years": ("YEAR", relative.year),
    "lone_day": ("LONEDAY", calendar.weekday_of),
    "numeric_date": ("SHORTDATE", calendar.numeric_date),
    "over": ("OVER", calendar.holiday_over),
}
EXPRESSIONS = (
    "expression", "lone", "planned", "also", "also_before", "just_now", "lately", "decade_alone", "at_clock",
    "over_expression",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A time expression: its tokens (`first` to before `last`) and its meaning, or why no calendar has it."""

    first: int
    last: int
    meaning: Meaning | None
    impossible: str = ""


def find_times(tokens: Sequence[Token], asked: Asked) -> list[Found]:
    """The time expressions of a question, in order, without overlap: from left to right the longest one."""
    lexicon = time_lexicon(asked.language)
    forms = [token.form for token in tokens]
    listed = list(tokens)

    def act(action: str, values: Values, first: int, last: int) -> Sequence[tuple[str, Any]]:
        try:
            return _made(action, values, asked)
        except ImpossibleError as error:
            return [("IMPOSSIBLE", str(error))]
        except (OverflowError, ValueError):  # beyond the years 1 to 9999
            return []

    chart = parse(forms, lambda i: terminals(listed, i, asked.language), lexicon.rules, act)
    return _longest(chart)


_WHOLE = ("E", "LIST", "IMPOSSIBLE")  # categories of what may be an expression


def _longest(chart: list[Parts]) -> list[Found]:
    found: list[Found] = []
    i = 0
    while i < len(chart):
        if chart[i].keys().isdisjoint(_WHOLE):
            i += 1
            continue
        # a list of times only where the words make no single one: "May 5, 2025" is no two times
        expressions = chart[i].get("LIST", {}) | chart[i].get("E", {})
        end = max((*expressions, *chart[i].get("IMPOSSIBLE", {})), default=0)
        if not end:
            i += 1
            continue
        # a date that cannot be is reported, even where a part of it could be read
        wrong = [
            (last, why) for part in chart[i:end] for last, why in part.get("IMPOSSIBLE", {}).items() if last > end
        ] + [(last, why) for last, why in chart[i].get("IMPOSSIBLE", {}).items() if last not in expressions]
        last, why = max(wrong, default=(0, ""))
        if last >= end:
            found.append(Found(i, last, None, why))
        else:
            found.append(Found(i, end, expressions.get(end)))
        i = max(end, last)
    return found


def _made(action: str, values: Values, asked: Asked) -> Sequence[tuple[str, Any]]:
    """The categories and value that an action makes of a rule's values; nothing if it refuses them."""
    if action == "clock":
        return [("CLOCK", None)]
    if action == "still_impossible":
        return [("IMPOSSIBLE", values["i"])]
    if action in NAMED:
        category, act = NAMED[action]
        made = act(asked, values)
        if made is None:
            return []
        return [(category, made), ("P", made)] if category == "YEAR" else [(category, made)]
    if action in EXPRESSIONS:
        meaning = _expression(action, values, asked)
        return [("LIST" if action.startswith("also") else "E", meaning)] if meaning is not None else []
    time = TIMES[action](asked, values)
    if isinstance(time, Recurring):
        return [("R", time), (f"R.{time.kind.replace(' ', '_')}", time), ("P", time)]
    if time is None or not time.windows:
        return []
    return [("F", time), (f"F.{time.kind}", time), ("P", time)]


def _expression(action: str, values: Values, asked: Asked) -> Meaning | None:
    if action == "just_now":
        return Meaning(single(asked.today), "just now", "a moment ago", lone=True)
    if action == "lately":
        month = Window(shifted(asked.today, -1, "month"), asked.today)
        return Meaning((month,), "lately", "lately: the past month, to today", lone=True)
    if action == "decade_alone":
        decade = relative.decade(asked, values)
        return replace(decade, lone=True) if isinstance(decade, Meaning) else None
    if action == "at_clock":
        return Meaning((single(asked.today)), "clock", "time of day", lone=True)
    if action == "also_before":
        first: Meaning = values["e"]
        day = moved(first.windows[0].start, -1)
        return replace(first, windows=(*single(day), *first.windows), reason=f"{first.reason}; and the day before")
    if action == "also":
        return _also(values, asked)
    time: Time = values["p"]
    lone = action == "lone"
    if isinstance(time, Meaning):
        forward = action == "planned" and time.kind not in ("rolling", "since", "earlier", "ago", "about", "some")
        return replace(time, planned=forward or time.planned, lone=lone or time.lone)
    windows = resolved(time, asked)
    if not windows:
        return None
    coming = ahead(time, asked)
    reason = {"this": "this one, the last before today"}.get(time.kind, f"{time.kind}, the last before today")
    if time.policy == "begun":
        reason = f"{time.kind}, the last that has begun"
    if action == "planned":
        return Meaning(coming, time.kind, f"{time.kind}, the next one", coming, True, True)
    return Meaning(windows, time.kind, reason, coming, True, False, lone)


def _also(values: Values, asked: Asked) -> Meaning | None:
    """ "on Monday and Wednesday": a further time in the sense of the first."""
    first: Meaning = values["e"]
    more: Time = values["p"]
    if isinstance(more, Meaning):
        windows = more.windows
    elif first.kind in ("range", "lately") or not first.windows:
        return None
    elif first.bare:
        windows = resolved(more, asked)
    elif first.kind == "clock":  # "at dawn on Saturday"
        return replace(
            first, windows=resolved(more, asked), kind=more.kind, ahead=ahead(more, asked), bare=True, lone=False
        )
    else:
        # "last Monday and Tuesday": the one nearest to the first, but not after today
        after = more.next_from(first.windows[-1].start)
        windows = (after,) if after and after.end <= moved(asked.today, -1) else resolved(more, asked)
    coming = ahead(more, asked) if isinstance(more, Recurring) else more.ahead
    return replace(
        first, windows=(*first.windows, *windows), ahead=(*first.ahead, *coming), reason=f"{first.reason}; and another"
    )
