"""How well the times of questions are read: windows against the right ones, as sets of days."""

from __future__ import annotations

import json
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
Reader = Callable[[str, date, str], WindowReading]  # question, today, language


@dataclass(frozen=True, slots=True)
class DatedQuestion:
    """A line of the file. `right`: the windows that are right, the line's own first, then its alternatives."""

    name: str
    question: str
    today: date
    language: str
    right: tuple[tuple[Window, ...], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question's result. `overlap`: common days over all days, of the best of the right readings."""

    asked: DatedQuestion
    reading: WindowReading
    exact: bool
    contains: bool
    overlap: float


@dataclass(frozen=True, slots=True)
class DatesResult:
    """The results of all questions, in the order of the file."""

    outcomes: tuple[Outcome, ...]
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object: `overall` and `languages` with shares and their 95 % intervals, and `misses`."""
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
            "misses": [_miss(outcome) for outcome in self.outcomes if not outcome.exact],
        }

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
    return DatedQuestion(name, question, _day(data.get("today"), "today", where), language, tuple(right))


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
        "expected": [_spelled(windows) for windows in asked.right],
        "read": _spelled(reading.said),
        "refers": reading.refers,
        "expressions": [{"text": e.text, "reason": e.reason, "refers": e.refers} for e in reading.expressions],
        "overlap": round(outcome.overlap, _DIGITS),
    }


def _spelled(windows: Sequence[Window]) -> list[dict[str, str]]:
    return [{"start": w.start.isoformat(), "end": w.end.isoformat()} for w in windows]
