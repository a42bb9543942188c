"""How well the times of questions are read: windows against the right ones, as sets of days."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from oroi_graph.errors import InputError
from oroi_graph.evaluation.datasets.dataset import read_objects, text_of
from oroi_graph.evaluation.statistics import Interval, bootstrap, wilson
from oroi_graph.windows import Window, WindowReading, merged

_DIGITS = 4
VERDICTS = ("right", "other days", "not read", "made up")
Reader = Callable[[str, date, str], WindowReading]  # question, today, language


@dataclass(frozen=True, slots=True)
class DatedQuestion:
    """A line of the file. `right`: the windows that are right, the line's own first, then its alternatives.

    `kind`: of its expression of time, or of what only looks like one; "" where the line does not tell."""

    name: str
    question: str
    today: date
    language: str
    right: tuple[tuple[Window, ...], ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question's result. `overlap`: common days over all days, of the best of the right readings."""

    asked: DatedQuestion
    reading: WindowReading
    exact: bool
    contains: bool
    overlap: float

    @property
    def verdict(self) -> str:
        """`right`, `other days`, `not read` (a time is named) or `made up` (none is)."""
        if self.exact:
            return "right"
        if not self.asked.right[0]:
            return "made up"
        return "other days" if self.reading.said else "not read"


@dataclass(frozen=True, slots=True)
class DatesResult:
    """The results of all questions, in the order of the file."""

    outcomes: tuple[Outcome, ...]
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object: `overall` and `languages` with shares and their 95 % intervals, `kinds` with
        counts of verdicts (where the lines tell their kinds), and `misses`, the worst first."""
        languages = sorted({outcome.asked.language for outcome in self.outcomes})
        return {
            "dataset": "dates",
            "n": len(self.outcomes),
            "seed": self.seed,
            "overall": self._figures(self.outcomes),
            "languages": {
                language: self._figures([o for o in self.outcomes if o.asked.language == language])
                for language in languages
            },
            "kinds": self._kinds(),
            "misses": [_miss(outcome) for outcome in self.misses],
        }

    @property
    def misses(self) -> list[Outcome]:
        """Every question that is not exact, those with the fewest days in common first."""
        return sorted((outcome for outcome in self.outcomes if not outcome.exact), key=lambda one: one.overlap)

    def _kinds(self) -> dict[str, dict[str, int]]:
        """{kind: {"n": …, verdict: questions}}, in the order of their names."""
        counts: dict[str, Counter[str]] = {}
        for outcome in self.outcomes:
            if outcome.asked.kind:
                counts.setdefault(outcome.asked.kind, Counter()).update(("n", outcome.verdict))
        return {kind: {key: counts[kind][key] for key in ("n", *VERDICTS)} for kind in sorted(counts)}

    def confusion(self) -> list[list[str]]:
        """A table's rows: kind, n, and how many questions have each of `VERDICTS`."""
        return [[kind, *map(str, row.values())] for kind, row in self._kinds().items()]

    def worst(self, most: int = 10) -> list[list[str]]:
        """A table's rows of the worst misses: question, the right days, those read."""
        return [
            [one.asked.question, _days(one.asked.right[0]), _days(one.reading.said), f"{one.overlap:.2f}"]
            for one in self.misses[:most]
        ]

    def text(self) -> str:
        """The JSON as it is written to a file."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n"

    def rows(self) -> list[list[str]]:
        """A table's rows: language, n, exact, contains, none_right, overlap."""
        data = self.to_json()
        parts = {**data["languages"], "all": data["overall"]}
        return [
            [name, str(part["n"]), *(_shown(part[key]) for key in ("exact", "contains", "none_right", "overlap"))]
            for name, part in parts.items()
        ]

    def _figures(self, outcomes: Sequence[Outcome]) -> dict[str, Any]:
        without = [outcome for outcome in outcomes if not outcome.asked.right[0]]
        overlaps = np.array([outcome.overlap for outcome in outcomes], dtype=np.float64)
        mean = round(float(overlaps.mean()), _DIGITS) if len(overlaps) else None
        return {
            "n": len(outcomes),
            "n_without": len(without),
            "exact": _share([outcome.exact for outcome in outcomes]),
            "contains": _share([outcome.contains for outcome in outcomes]),
            "none_right": _share([not outcome.reading.said for outcome in without]),
            "overlap": {"value": mean, "interval": _rounded(bootstrap(overlaps, self.seed))},
        }


def read_dates(path: Path) -> tuple[DatedQuestion, ...]:
    """The questions of a file of JSON lines; raises InputError that names the first bad line."""
    return tuple(_question(data, where) for where, data in read_objects(path))


def evaluate_dates(questions: Sequence[DatedQuestion], read: Reader, seed: int = 0) -> DatesResult:
    """Read every question and compare."""
    return DatesResult(
        tuple(_outcome(asked, read(asked.question, asked.today, asked.language)) for asked in questions), seed
    )


def _outcome(asked: DatedQuestion, reading: WindowReading) -> Outcome:
    said = merged(reading.said)
    right = [merged(windows) for windows in asked.right]
    exact = said in right
    contains = any(all(any(r.start >= w.start and r.end <= w.end for w in said) for r in windows) for windows in right)
    if not asked.right[0]:
        contains = not said or exact  # no day is right: nothing may be read
    return Outcome(asked, reading, exact, contains, max(_overlap(said, windows) for windows in right))


def _overlap(a: Sequence[Window], b: Sequence[Window]) -> float:
    """Jaccard's index of the days of two merged readings; 1 where both have none."""
    common = sum(max(0, min(x.end, y.end).toordinal() - max(x.start, y.start).toordinal() + 1) for x in a for y in b)
    total = sum(w.end.toordinal() - w.start.toordinal() + 1 for w in (*a, *b)) - common
    return common / total if total else 1.0


def _question(data: Mapping[str, Any], where: str) -> DatedQuestion:
    question, language = text_of(data, "question", where), text_of(data, "language", where)
    if language not in ("en", "es", "pt"):
        raise InputError(f"{where}: 'language' must be en, es or pt, got {language!r}"[:300])
    alternatives = data.get("alternatives", [])
    if not isinstance(alternatives, list):
        raise InputError(f"{where}: 'alternatives' must be a list of lists of windows")
    right = [_windows(data.get("windows"), "windows", where)]
    right += [_windows(given, "alternatives", where) for given in alternatives]
    name = data["id"] if isinstance(data.get("id"), str) else where
    kind = text_of(data, "kind", where) if "kind" in data else ""
    return DatedQuestion(name, question, _day(data.get("today"), "today", where), language, tuple(right), kind)


def _windows(given: Any, key: str, where: str) -> tuple[Window, ...]:
    if not isinstance(given, list) or not all(isinstance(window, Mapping) for window in given):
        raise InputError(f'{where}: {key!r} must list windows such as {{"start": …, "end": …}}')
    try:
        return tuple(Window(_day(w.get("start"), "start", where), _day(w.get("end"), "end", where)) for w in given)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from error


def _day(value: Any, key: str, where: str) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise InputError(f"{where}: {key!r} must be a day such as 2026-03-18, got {value!r}"[:300]) from None


def _share(hits: Sequence[bool]) -> dict[str, Any]:
    value = round(sum(hits) / len(hits), _DIGITS) if hits else None
    return {"value": value, "interval": _rounded(wilson(sum(hits), len(hits)))}


def _rounded(interval: Interval) -> list[float]:
    return [round(end, _DIGITS) for end in interval]


def _shown(figure: Mapping[str, Any]) -> str:
    low, high = figure["interval"]
    return "–" if figure["value"] is None else f"{figure['value']:.3f} ({low:.3f}–{high:.3f})"


def _miss(outcome: Outcome) -> dict[str, Any]:
    asked, reading = outcome.asked, outcome.reading
    return {
        "id": asked.name,
        "language": asked.language,
        "today": asked.today.isoformat(),
        "question": asked.question,
        "expected": [[window.to_json() for window in windows] for windows in asked.right],
        "read": [window.to_json() for window in reading.said],
        "refers": reading.refers,
        "expressions": [{"text": e.text, "reason": e.reason, "refers": e.refers} for e in reading.expressions],
        "overlap": round(outcome.overlap, _DIGITS),
    }


def _days(windows: Sequence[Window]) -> str:
    """ "2026-03-01..2026-03-10, 2026-03-12"; "none"."""
    return ", ".join(f"{w.start}..{w.end}" if w.start != w.end else f"{w.start}" for w in windows) or "none"
